"""A short page on where vectors come from."""

from PySide6.QtCore import Qt

from explorer.ui.words.card import Card, label
from explorer.ui.words.tab_state import TabState
from explorer.ui.workbench import Workbench

TEXT = """
<p><b>Drawn by chance.</b> A new model starts with random rows in its embedding table. Then no word is like any other:
cosines lie around 0, and nearest words are accidents. That is not a fault; training moves the rows.</p>
<p><b>Trained beforehand.</b> GloVe reads a large text once, counts which words stand near each other, and looks for
vectors whose dot products match the logarithms of these counts. Words that keep the same company end up pointing the
same way. Such tables can be had ready-made, and a model can begin with them and go on learning, or keep them as they
are.</p>
<p><b>Trained from scratch with the model.</b> Large language models start by chance and learn the table together with
all other weights, from the one task of predicting the next token. The table then fits this model and no other.</p>
<p><b>What none of them can do.</b> One word has one vector here, whatever it means in a sentence: a river's bank and
a money bank share a row. Making a vector depend on its neighbours is what attention is for. And a vector knows only
its text: what the text thought of people and peoples is in the numbers, too.</p>
"""


class OriginsCard(Card):
    """Plain sentences; it needs no vectors."""

    needs_vectors = False

    title = "Where vectors come from"
    short = "Where they come from"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        super().__init__(bench, state)
        words = label(TEXT, "", wrap=True)
        words.setTextFormat(Qt.TextFormat.RichText)
        self.page.addWidget(words)
