"""The cosine of everything with everything: words, and sentences as the mean of their words."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFrame,
    QHeaderView,
    QPushButton,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from explorer.core.errors import ExplorerError
from explorer.core.numbers import exact, written
from explorer.ui.colour import qcolor
from explorer.ui.page.fitted_table import FittedTable
from explorer.ui.words.card import Card, label
from explorer.ui.words.fields import WordField
from explorer.ui.words.store import Store
from explorer.ui.workbench import Workbench
from explorer.words import similarity

ModelIndex = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
MOST = 24
WEAK = "the dog bit the man", "the man bit the dog", "the cat slept"


class Cosines(QAbstractTableModel):
    """A square of cosines with its labels."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: list[str] = []
        self.array: NDArray[np.float32] = np.zeros((0, 0), np.float32)

    def show_cosines(self, labels: list[str], array: NDArray[np.float32]) -> None:
        """Take other ones."""
        self.beginResetModel()
        self.labels, self.array = labels, array
        self.endResetModel()

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.labels)

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.labels)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if section >= len(self.labels):
            return None
        text = self.labels[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return text if len(text) <= 22 else text[:21] + "…"
            case Qt.ItemDataRole.ToolTipRole:
                return text
            case Qt.ItemDataRole.TextAlignmentRole:
                across = orientation == Qt.Orientation.Horizontal
                side = Qt.AlignmentFlag.AlignHCenter if across else Qt.AlignmentFlag.AlignRight
                return side | Qt.AlignmentFlag.AlignVCenter
            case _:
                return None

    def data(self, index: ModelIndex, role: int = 0) -> Any:
        row, column = index.row(), index.column()
        value = self.array[row, column]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return written(float(value), 2)
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                return f"{self.labels[row]} and {self.labels[column]}: {exact(value)}"
            case _:
                return None


class _Square(QStyledItemDelegate):
    """Paints a cosine on its colour."""

    def __init__(self, view: "HeatTable") -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        view = self._view
        theme, fonts = view.bench.appearance.theme, view.bench.appearance.fonts
        value = float(view.cosines.array[index.row(), index.column()])
        ramp = theme.diverging_ramp
        place = int(min(max((value + 1) * 127.5, 0.0), 255.0))
        rect: QRect = option.rect.adjusted(1, 1, -1, -1)
        painter.fillRect(rect, ramp.colors[place])
        painter.setFont(fonts.number)
        painter.setPen(ramp.text[place])
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, written(value, 2))
        if view.hasFocus() and view.currentIndex() == index:
            painter.setPen(QPen(qcolor(theme.focus), 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))


class HeatTable(FittedTable):
    """The square on the page, as large as it is.

    Signals
    -------
    asked : int, int
        The cell that was clicked, or that Enter was pressed in.
    """

    asked = Signal(int, int)

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.bench = bench
        self.cosines = Cosines()
        self.cosines.setParent(self)
        self.setModel(self.cosines)
        self.setItemDelegate(_Square(self))
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setSectionsClickable(False)
            header.setHighlightSections(False)
            header.setMinimumSectionSize(8)
        self.setCornerButtonEnabled(False)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(lambda index: self.asked.emit(index.row(), index.column()))

    def show_cosines(self, labels: list[str], array: NDArray[np.float32]) -> None:
        """Show other ones."""
        self.cosines.show_cosines(labels, array)
        pairs = np.array(array, float)
        np.fill_diagonal(pairs, -2)
        said = f"{len(labels)} by {len(labels)} cosines."
        if len(labels) > 1:
            i, j = np.unravel_index(int(pairs.argmax()), pairs.shape)
            said += f" Most alike: {labels[i]} and {labels[j]}, {written(float(array[i, j]), 2)}."
        self.setAccessibleName(said)
        self.restyle()

    def restyle(self) -> None:
        """Follow the text scale."""
        px, fonts = self.bench.appearance.px, self.bench.appearance.fonts
        small, number = QFontMetrics(fonts.small), QFontMetrics(fonts.number)
        shown = [str(self.cosines.headerData(i, Qt.Orientation.Vertical)) for i in range(len(self.cosines.labels))]
        self.horizontalHeader().setFixedHeight(small.height() + px(8))
        left = max((small.horizontalAdvance(text) for text in shown), default=0) + px(14)
        self.verticalHeader().setFixedWidth(left)
        self.verticalHeader().setDefaultSectionSize(px(32))
        # A tiny cosine is written as a power of ten, which is longer.
        values = (written(float(value), 2) for value in self.cosines.array.flat)
        least = max((number.horizontalAdvance(text) for text in values), default=0) + px(14)
        widths = [max(small.horizontalAdvance(text) + px(12), least) for text in shown]
        for i, width in enumerate(widths):
            self.horizontalHeader().resizeSection(i, width)
        self.set_whole(QSize(left + sum(widths) + 2, small.height() + px(8) + len(shown) * px(32) + 2))
        self.viewport().update()

    def focusInEvent(self, event: Any) -> None:
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self.cosines.labels:
            self.setCurrentIndex(self.cosines.index(0, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.asked.emit(index.row(), index.column())
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: Any) -> None:
        """Leave the wheel to the page."""
        event.ignore()


class MatrixCard(Card):
    """Words and sentences, separated by commas."""

    def __init__(self, bench: Workbench, store: Store) -> None:
        about = (
            "Words or whole sentences, with commas between. A sentence is taken as the mean of its words' vectors. "
            "Click a cosine to check it."
        )
        super().__init__(bench, store, "Similarity matrix", about)
        self.field = WordField(bench, store, "Words or sentences, with commas between", 540, split=",")
        self._typed = False
        self.field.edit.textEdited.connect(self._note)
        self.field.entered.connect(self.compute)
        button = QPushButton("Show")
        button.setToolTip("Show the cosine of each with each")
        button.clicked.connect(self.compute)
        self.alike = QCheckBox("Like beside like")
        self.alike.setToolTip("Reorder, so that what is alike stands together; else the order that was typed")
        self.alike.toggled.connect(self.compute)
        weak = QPushButton("Where the mean fails")
        weak.setToolTip("Two sentences of the same words that mean different things")
        weak.clicked.connect(self._show_weakness)
        self.line(self.field, button, self.alike, weak)
        self.table = HeatTable(bench)
        self.table.setToolTip("Click a cosine, or press Enter on it, to see it as arithmetic")
        self.table.asked.connect(self._explain)
        self._rows: list[NDArray[np.float32]] = []
        self.page.addWidget(self.table)
        self.said = label("", "small", wrap=True)
        self.page.addWidget(self.said)

    def load(self) -> None:
        if not (self._typed and self._known()):
            self.field.set(
                self.store.pick(("king", "queen", "man", "woman", "river", "sea", "ship", "monday", "friday"), 9)
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
        names = self.table.cosines.labels
        self.store.cosine_asked.emit((self._rows[row], self._rows[column]), (names[row], names[column]), self)

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
                "A mean forgets the order of the words: sentences of the same words come out as the same vector, "
                "whoever bit whom, and long sentences all drift towards the same middle. Attention and positions are "
                "the answer to that."
            )
        if unknown:
            parts.append(f"Without a vector, and left out: {', '.join(dict.fromkeys(unknown))}.")
        self.said.setText(" ".join(parts))
        self.said.setVisible(bool(parts))
