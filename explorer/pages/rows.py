"""Which row of a matrix a page is about: the token that was chosen, or another one; and its name in a sentence."""

import re
from html import unescape

from explorer.pages.gestures import ChooseToken
from explorer.pages.page import Choice
from explorer.pages.view import View


def row_choice(view: View, axis: str, what: str = "Position", last: bool = False) -> Choice:
    """A choice between the rows of an axis. Choosing one is choosing the token, everywhere.

    Parameters
    ----------
    what : str
        Said before it: "Position", "Case".
    last : bool
        Whether one begins with the last row instead of the first.
    """
    tip = f"{what}: which row to look at"
    return Choice(f"row of {axis}", what, view.labels(axis), view.row(axis, last), (ChooseToken(axis),), tip)


def where_said(view: View, word: str) -> str:
    """Where a word of the output belongs: after a word that is read, or, of an encoder, in its place."""
    return f"{'At' if view.state.model.kind == 'encoder' else 'After'} “{word}”"


def said(words: str) -> str:
    """The words of a note without its marks, for a screen reader."""
    return unescape(re.sub("<[^>]*>", "", words))
