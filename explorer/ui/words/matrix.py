"""The cosine of everything with everything: words, and sentences as the mean of their words."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QPushButton

from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.pages.gestures import Gesture
from explorer.pages.words import ShowPair, square
from explorer.ui.page.listing import ListingView
from explorer.ui.words.card import Card, TabState, WordField, label
from explorer.ui.workbench import Workbench
from explorer.words import similarity

MOST = 24
WEAK = "the dog bit the man", "the man bit the dog", "the cat slept"


class Square(ListingView):
    """The square on the page, as large as it is."""

    asked = Signal(int, int)  # the row and column of a cosine that was clicked, or that Enter was pressed on

    def __init__(self, bench: Workbench) -> None:
        self.array: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        super().__init__(bench, square((), self.array), self._asked)

    def _asked(self, gesture: Gesture) -> None:
        assert isinstance(gesture, ShowPair)
        self.asked.emit(*gesture.value)

    def show_cosines(self, labels: list[str], array: NDArray[np.float32]) -> None:
        """Show other ones."""
        self.array = array
        self.tell(square(tuple(labels), array))
        pairs = np.array(array, float)
        np.fill_diagonal(pairs, -2)
        said = f"{len(labels)} by {len(labels)} cosines."
        if len(labels) > 1:
            i, j = np.unravel_index(int(pairs.argmax()), pairs.shape)
            said += f" Most alike: {labels[i]} and {labels[j]}, {written(float(array[i, j]), 2)}."
        self.setAccessibleName(said)


class MatrixCard(Card):
    """Words and sentences, separated by commas."""

    title = "Similarity matrix"
    short = "Matrix"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        about = (
            "Words or whole sentences, with commas between. A sentence is taken as the mean of its words' vectors. "
            "Click a cosine to check it."
        )
        super().__init__(bench, state, about)
        self.field = WordField(bench, state, "Words or sentences, with commas between", 540, split=",")
        self._typed = False
        self.field.edit.textEdited.connect(self._note)
        self.field.entered.connect(self.compute)
        button = QPushButton("Show")
        button.setToolTip("Show the cosine of each with each")
        button.clicked.connect(self.compute)
        self.alike = QCheckBox("Like beside like")
        self.alike.setToolTip("Words that are alike stand together; otherwise they stand in the order that was typed")
        self.alike.toggled.connect(self.compute)
        weak = QPushButton("Where the mean fails")
        weak.setToolTip("Two sentences of the same words that mean different things")
        weak.clicked.connect(self._show_weakness)
        self.line(self.field, button, self.alike, weak)
        self.table = Square(bench)
        self.table.setToolTip("Click a cosine, or press Enter on it, to see it as arithmetic")
        self.table.asked.connect(self._explain)
        self._rows: list[NDArray[np.float32]] = []
        self.page.addWidget(self.table)
        self.said = label("", "small", wrap=True)
        self.page.addWidget(self.said)

    def load(self) -> None:
        if not (self._typed and self._known()):
            self.field.set(
                self.state.pick(("king", "queen", "man", "woman", "river", "sea", "ship", "monday", "friday"), 9)
            )
        self.table.setVisible(len(self.vectors) > 1)
        if len(self.vectors) > 1:
            self.compute()

    def _note(self) -> None:
        self._typed = True

    def _known(self) -> bool:
        return all(any(word in self.vectors for word in entry.split()) for entry in self.field.entries())

    def _show_weakness(self) -> None:
        self.field.set(WEAK)
        self.compute()

    def _explain(self, row: int, column: int) -> None:
        names = self.table.listing.labels
        self.state.cosine_asked.emit((self._rows[row], self._rows[column]), (names[row], names[column]), self)

    def compute(self) -> None:
        """Work out what stands in the field."""
        vectors = self.vectors
        labels, rows, sentences = [], [], False
        unknown: list[str] = []
        for entry in self.field.entries():
            try:
                if len(entry.split()) == 1:
                    labels.append(vectors.spelt(entry))
                    rows.append(vectors[entry])
                    continue
                sentence = similarity.sentence(vectors, entry)
            except ExplorerError as error:
                self.field.fail(error)
                return
            sentences = True
            labels.append(entry)
            rows.append(sentence.vector)
            unknown += sentence.unknown
        if not 2 <= len(rows) <= MOST:
            self.field.fail(ExplorerError("words-wanted", wanted=f"2 to {MOST} words or sentences", given=len(rows)))
            return
        array = similarity.matrix(np.stack(rows))
        if self.alike.isChecked():
            order = similarity.by_likeness(array)
            labels, rows, array = [labels[i] for i in order], [rows[i] for i in order], array[np.ix_(order, order)]
        self._rows = rows
        self.table.show_cosines(labels, array)
        parts = []
        if sentences:
            parts.append(
                "A mean does not depend on the order of the words. So two sentences of the same words get the "
                "same vector, whoever bit whom, and long sentences all get similar vectors. Attention and "
                "positions solve this."
            )
        if unknown:
            parts.append(f"Without a vector, and left out: {', '.join(dict.fromkeys(unknown))}.")
        self.said.setText(" ".join(parts))
        self.said.setVisible(bool(parts))
