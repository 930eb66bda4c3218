"""The colours of inks, which a drawing names by what they mean."""

from explorer.pages.drawing import ACCENT, ERROR, HERE, LINE, MUTED, TEXT
from explorer.ui.theme import Theme

_LINES = {TEXT: "text", MUTED: "muted", LINE: "line", ACCENT: "accent_line", HERE: "here", ERROR: "error"}
_WORDS = {**_LINES, LINE: "muted", ACCENT: "accent_text", HERE: "here_text"}


def line_ink(theme: Theme, ink: str) -> str:
    """The colour that lines and dots of an ink have, as ``"#rrggbb"``."""
    return _colour(theme, _LINES, ink)


def word_ink(theme: Theme, ink: str) -> str:
    """The colour that words of an ink have: one that can be read."""
    return _colour(theme, _WORDS, ink)


def _colour(theme: Theme, roles: dict[str, str], ink: str) -> str:
    if ink in roles:
        colour: str = getattr(theme, roles[ink])
        return colour
    kind, _, number = ink.partition(" ")
    if kind != "series":
        raise ValueError(f"no ink is called {ink!r}")
    return theme.series[int(number) % len(theme.series)]
