"""What stands above attention in a decoder: the sentence that it reads, one place behind what it should say."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea

from explorer.ui.panels.panel import Panel
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.sentences import MOST_LINES, TARGET, Sentences


class TeacherForcing(Panel):
    """The words that a decoder reads, what it should say at each, and what it says; the rest of the page is another's.

    To be combined with the panel of the attention (see `registry`), whose page follows.
    """

    def build(self) -> None:
        self.section("What it reads, and what it should say")
        words = Note(self._words, [TARGET])
        rows = Sentences(self.bench, self.block, cross=False)
        self.page.addWidget(words)
        self.page.addWidget(_Sideways(rows))
        self.follows(words, rows)
        super().build()

    def _words(self) -> str:
        nodes = self.bench.document.engine.graph.nodes
        if TARGET not in nodes:
            return "There is no loss, so there is nothing that it should say."
        behind = (
            "The mask makes this a task: without it each word could look at the one behind it, its answer."
            if self.has("mask")
            else "There is no mask here, so each word can look at the one behind it, its answer."
        )
        says = (
            "What it should say is typed, on the page of the loss; it does not follow the words."
            if nodes[TARGET].is_input
            else "What it should say is the same sentence, one place on."
        )
        return f"Teacher forcing: it reads the words as they should be, whatever it says itself. {says} {behind}"


class TwoSentences(Panel):
    """Cross-attention as lines between the source and the target; the rest of the page is another's.

    To be combined with the panel of the attention (see `registry`), whose page follows.
    """

    def build(self) -> None:
        self.section("Where the target looks in the source")
        reads = [self._memory, f"{self.block}Q"]
        words = Note(self._words, reads)
        sentences = Sentences(self.bench, self.block, cross=True)
        self.page.addWidget(words)
        self.page.addWidget(sentences)
        self.follows(words, sentences)
        super().build()

    @property
    def _memory(self) -> str:
        """The node that keys and values are made from."""
        return self.bench.document.engine.graph.nodes[f"{self.block}K"].parents[0]

    def _words(self) -> str:
        graph, layers = self.bench.document.engine.graph, self.bench.document.state.model.layers
        source, width = graph.shape(self._memory)
        target = graph.shape(f"{self.block}Q")[-2]
        everywhere = f", in all {layers} layers of the decoder" if layers > 1 else ""
        many = source * target > MOST_LINES
        strongest = " Of so many words the strongest line of each is drawn; point at a word for all of its own." * many
        return (
            f"The encoder runs once. What it made of the source, {source} × {width}, gives the keys and values here"
            f"{everywhere}; all {target} positions of the target ask the same ones, and so would the words to come."
            f"{strongest}"
        )


class _Sideways(QScrollArea):
    """A picture that scrolls sideways where it is too wide."""

    def __init__(self, picture: Sentences) -> None:
        super().__init__(widgetResizable=True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(picture)
        bar = self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(picture.sizeHint().height() + bar)
