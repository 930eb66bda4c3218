"""From here into the model: words and their vectors as rows of an embedding table, or as keys that are looked up."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QRadioButton

from explorer.core.errors import ExplorerError
from explorer.document.commands import SendWords
from explorer.document.document import Change
from explorer.lessons.loader import load
from explorer.lessons.schema import Lesson, Setting
from explorer.sentences import sentence
from explorer.ui.errors import show_error
from explorer.ui.theme import mark
from explorer.ui.widgets.inputs import ComboBox
from explorer.ui.words.card import Card, TabState, WordField, label
from explorer.ui.words.vectors_card import tables
from explorer.ui.workbench import Workbench
from explorer.words import projection, similarity
from explorer.words.vectors import Vectors

MOST = 64
LOOK_UP = "translation-lookup"
"""The reference's lesson that attention is a soft look-up."""
ABOUT_LOOK_UP = """
Each query asks which keys point its way. All are real words with vectors of “{vectors}”, and each key is its own value:
the dot products are the scores, softmax turns them into shares, and the output is the values in those shares.
"""
TO_TRY = "set Scale to 1/√d_k. These vectors were trained without a division, so their shares become nearly equal."


def as_look_up(vectors: Vectors, queries: Sequence[str], keys: Sequence[str]) -> Lesson:
    """The reference's look-up with other words: their vectors are Q, and those of the others both K and V.

    The scores are dot products as they are. Divided by √d, those of vectors that were trained without that division lie
    so near each other that all words would get about the same share; the switch "scale" shows it.
    """
    lesson = load(LOOK_UP)
    features = tuple(str(i + 1) for i in range(vectors.dims))
    queries, keys = tuple(dict.fromkeys(queries)), tuple(dict.fromkeys(keys))
    axes = {"query": queries, "key": keys, "feature": features, "value": keys, "value feature": features}
    asked, known = (similarity.table(vectors, words).astype(float) for words in (queries, keys))
    about = ABOUT_LOOK_UP.format(vectors=vectors.name)
    setting = Setting("words", "Words", about, {"attention.scale": "none"}, to_try=TO_TRY)
    return replace(
        lesson,
        id=f"words {uuid4().hex}",
        title="A look-up among words",
        paragraph="",
        to_try="",
        reference="",
        model=replace(lesson.model, axes=axes),
        inputs={"Q": asked, "K": known, "V": known},
        settings={setting.name: setting},
    )


class SendCard(Card):
    """Chosen words become a sequence of the model, or the keys and values of a look-up."""

    sent = Signal(str)  # the stage where they can be seen

    title = "Send to the model"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        about = (
            "The words become tokens, their vectors rows of the model's embedding table; or keys and values that other "
            "words look up. Undo takes it back."
        )
        super().__init__(bench, state, about)
        self.field = WordField(bench, state, "Words, in the order of a sentence", 420)
        self.field.edit.textChanged.connect(self.say)
        self.field.entered.connect(self.say)
        self.tables = ComboBox()
        self.tables.setAccessibleName("Embedding table")
        self.tables.setToolTip("Which of the model's embedding tables takes the vectors")
        self.tables.activated.connect(self.say)
        self.line("Words", self.field, "into", self.tables)
        self.reduced = QRadioButton("Reduced to the model's width")
        self.reduced.setToolTip("By principal components of the words that are sent")
        self.whole = QRadioButton("As they are")
        self.whole.setToolTip(
            "d_model becomes the number of dimensions of the vectors; weights that no longer fit are drawn anew"
        )
        self.reduced.setChecked(True)
        self.reduced.toggled.connect(self.say)
        self.button = mark(QPushButton("Send to the model"), primary="true")
        self.button.setToolTip("Give the model these words and vectors; undo takes it back")
        self.button.clicked.connect(self.send)
        self.line(self.reduced, self.whole, self.button)
        self.said = label("", "small", wrap=True)
        self.page.addWidget(self.said)
        self.queries = WordField(bench, state, "Words to look up", 240)
        self.queries.entered.connect(self.look_up)
        self.ask = QPushButton("Open as a look-up")
        self.ask.setToolTip("Open “Translation as a look-up” with these words: which is found, and with which share?")
        self.ask.clicked.connect(self.look_up)
        self.line("Look up", self.queries, "among the words above, in attention alone", self.ask)
        self.outcome = label("", "strong", wrap=True)
        self.outcome.hide()
        self.page.addWidget(self.outcome)
        self._stale = False
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

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._follow()

    def _follow(self, change: Change | None = None) -> None:
        """Offer the tables of the model as it is now, as soon as somebody looks: to reckon what is sent takes long."""
        self._stale |= change is not None and change.structure
        if self._stale and self.isVisible():
            self._stale = False
            self._list()
            if self.state.vectors is not None:
                self.say()

    def load(self) -> None:
        if not self.field.keeps():
            self.field.set(self.state.words)
        if not self.queries.keeps():
            self.queries.set(self.state.pick(("ocean", "prince", "stone", "lady"), 2))
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
            self.said.setText(sentence(ExplorerError("no-table")))
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
        self.sent.emit(f"{sequence}.embedding")

    def look_up(self) -> None:
        """Open the look-up with these words; it can be undone."""
        keys, queries = self.field.words(1, MOST), self.queries.words(1, MOST)
        if keys is None or queries is None:
            return
        lesson = as_look_up(self.vectors, queries, keys)
        self.bench.open_state(lesson, lesson.state(), f"{lesson.title}: {' '.join(queries)} among {' '.join(keys)}")
        self.outcome.setText("✓ The words are open as a look-up. Undo takes it back.")
        self.outcome.show()
        self.sent.emit("attention")
