"""From here into the model: words and their vectors as tokens and rows of an embedding table."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QPushButton, QRadioButton

from explorer.core.errors import ExplorerError
from explorer.document.commands import SendWords
from explorer.document.document import Change
from explorer.ui.errors import show_error
from explorer.ui.theme import mark
from explorer.ui.words.card import Card, label
from explorer.ui.words.fields import WordField
from explorer.ui.words.source import tables
from explorer.ui.words.store import Store
from explorer.ui.workbench import Workbench
from explorer.words import projection, similarity

MOST = 64


class SendCard(Card):
    """Chosen words become a sequence of the model.

    Signals
    -------
    sent : str
        The sequence that has other words now.
    """

    sent = Signal(str)

    def __init__(self, bench: Workbench, store: Store) -> None:
        about = "The words become the model's tokens, and their vectors rows of its embedding table. One step of undo."
        super().__init__(bench, store, "Send to the model", about)
        self.field = WordField(bench, store, "Words, in the order of a sentence", 420)
        self.field.edit.textChanged.connect(self.say)
        self.field.entered.connect(self.say)
        self.tables = QComboBox()
        self.tables.setAccessibleName("Embedding table")
        self.tables.setToolTip("Which of the model's embedding tables takes the vectors")
        self.tables.activated.connect(self.say)
        self.line("Words", self.field, "into", self.tables)
        self.reduced = QRadioButton("Reduced to the model's width")
        self.reduced.setToolTip("By principal components of the words that are sent")
        self.whole = QRadioButton("As they are")
        self.whole.setToolTip("The model becomes as wide as the vectors; weights that no longer fit are drawn anew")
        self.reduced.setChecked(True)
        self.reduced.toggled.connect(self.say)
        self.button = QPushButton("Send to the model")
        mark(self.button, primary="true")
        self.button.setToolTip("Give the model these words and vectors; undo takes it back")
        self.button.clicked.connect(self.send)
        self.line(self.reduced, self.whole, self.button)
        self.said = label("", "small", wrap=True)
        self.page.addWidget(self.said)
        self.outcome = label("", "strong", wrap=True)
        self.outcome.hide()
        self.page.addWidget(self.outcome)
        self._list()
        bench.bridge.changed.connect(self._follow)

    def _list(self) -> None:
        now = self.tables.currentText()
        self.tables.clear()
        self.tables.addItems(tables(self.bench))
        self.tables.setCurrentIndex(max(self.tables.findText(now), 0))
        some = self.tables.count() > 0
        self.tables.setVisible(some)
        self.button.setEnabled(some)

    def _follow(self, change: Change) -> None:
        if change.structure:
            self._list()
            if self.store.vectors is not None:
                self.say()

    def load(self) -> None:
        if not self.field.keeps():
            self.field.set(self.store.words[:3])
        self.outcome.hide()
        self.say()

    def _rows(self, words: list[str]) -> tuple[NDArray[np.float64], float]:
        """What goes into the table, (n_words, d_model), and the share of the variance that it keeps."""
        table = similarity.table(self.vectors, words).astype(float)
        if self.whole.isChecked():
            return table, 1.0
        width = self.bench.document.state.model.d_model
        if table.shape[1] == width:
            return table, 1.0
        plane = projection.principal(table, min(width, table.shape[1]))
        rows = np.zeros((len(words), width))
        rows[:, : plane.points.shape[1]] = plane.points
        return rows, plane.kept if len(set(words)) > 1 else 1.0

    def say(self) -> None:
        """What would be sent."""
        if not self.tables.count():
            self.said.setText(str(ExplorerError("no-table")))
            return
        width, dims = self.bench.document.state.model.d_model, self.vectors.dims
        words = [word for word in self.field.entries() if word in self.vectors]
        if not words:
            self.said.setText("No word here has a vector yet.")
        elif self.whole.isChecked() and dims != width:
            self.said.setText(
                f"All {dims} numbers of each vector. The model gets d_model = {dims} in place of {width}; weights "
                "whose shape changes are drawn by chance."
            )
        elif dims == width:
            self.said.setText(f"All {dims} numbers of each vector: the model has d_model = {width}.")
        else:
            _, kept = self._rows(words)
            few = len(set(words)) - 1 <= width
            all_of_it = f"; {len(set(words))} words differ in no more directions than that" if few else ""
            self.said.setText(
                f"{dims} numbers become {width}, the model's d_model, by principal components of these words: "
                f"{kept:.1%} of how they differ is kept{all_of_it}. Their mean is taken off, so dot products change."
            )

    def send(self) -> None:
        """Do it, as one act."""
        words = self.field.words(1, MOST)
        if words is None:
            return
        table = self.tables.currentText()
        sequence = table.removesuffix(".table")
        rows, _ = self._rows(words)
        try:
            self.bench.document.do(SendWords(sequence, tuple(words), rows))
        except ExplorerError as error:
            show_error(error, self.button)
            return
        self.outcome.setText(f"✓ “{' '.join(words)}” is in {table}. Undo takes it back.")
        self.outcome.show()
        self.sent.emit(sequence)
