"""A derivation with gaps to be filled in, and fields in which a number is typed."""

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLineEdit, QScrollArea, QWidget

from explorer.core.derivation import Row
from explorer.core.errors import ExplorerError
from explorer.core.numbers import read_answer, written
from explorer.ui.lesson.presenter_look import least_letters
from explorer.ui.theme import mark
from explorer.ui.widgets.labels import Label, SteadyLabel
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:  # the first picture does not need it
    from explorer.lessons.practice import Blank, Faded

AROUND = 28
"""Pixels from the text of a field to its edges, both sides together."""
WIDE = 460
"""Greatest width of the lines, in pixels at text scale 1: numbers far from their names are read in the wrong line."""


class GapsView(QWidget):
    """A derivation with gaps to be filled in; its result is asked for below it."""

    changed = Signal()  # something was typed

    def __init__(self, bench: Workbench, gaps: "Faded") -> None:
        super().__init__()
        self._bench = bench
        self.fields: list[tuple[QLineEdit, Blank]] = []
        self._said: list[Label] = []
        self._gaps = gaps
        blanks = {(blank.part, blank.row): blank for blank in gaps.blanks[:-1]}
        self._lines: list[tuple[SteadyLabel, QWidget | None, Label | None]] = []
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        large = least_letters(bench.appearance) > 0  # a class, where each pixel counts
        grid.setVerticalSpacing(0 if large else bench.appearance.px(2))
        grid.setColumnStretch(0, 1)
        line = 0
        for p, (_, rows) in enumerate(gaps.parts):
            for r, row in enumerate(rows):
                what = SteadyLabel(_told(row), role="small")
                grid.addWidget(what, line, 0)
                blank = blanks.get((p, r))
                number: QWidget | None = None
                said: Label | None = None
                if blank is not None:
                    field = field_of(blank.digits)
                    field.setFixedWidth(bench.appearance.px(84 if large else 70))  # its size hint does not say that
                    mark(field, tight=str(large).lower())
                    field.setPlaceholderText("?")
                    field.textChanged.connect(self.changed)
                    number, said = field, Label()
                    grid.addWidget(field, line, 1)
                    grid.addWidget(said, line, 2)
                    self.fields.append((field, blank))
                    self._said.append(said)
                elif row.value:
                    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    number = Label(row.value, "sheet" if large else "", align=right)
                    grid.addWidget(number, line, 1)
                self._lines.append((what, number, said))
                line += 1

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        across = max(
            (number.sizeHint().width() for _, number, _ in self._lines if isinstance(number, Label)), default=0
        )
        across = max([across, *(field.minimumWidth() for field, _ in self.fields)])
        behind = max((said.sizeHint().width() for said in self._said), default=0)
        words = min(width, self._bench.appearance.px(WIDE)) - across - behind - 2 * self._grid.horizontalSpacing()
        heights = (
            max(what.height_at(words), 0 if number is None else number.sizeHint().height())
            for what, number, _ in self._lines
        )
        return sum(heights) + self._grid.verticalSpacing() * (len(self._lines) - 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._grid.setContentsMargins(0, 0, max(self.width() - self._bench.appearance.px(WIDE), 0), 0)

    @property
    def empty(self) -> bool:
        """Whether no gap is filled."""
        return not any(field.text() for field, _ in self.fields)

    def mark(self, answered: bool, done: bool) -> None:
        """Mark each gap as right or wrong, once something was answered; at the end also show the right number."""
        theme = self._bench.appearance.theme
        for (field, blank), said in zip(self.fields, self._said, strict=True):
            typed = number_in(field)
            right = typed is not None and blank.judge(typed).right
            field.setReadOnly(done)
            shown = "✓" if right else f"✗ {written(blank.value, blank.digits)}" if done else "✗"
            ink = theme.accent_text if right else theme.here_text
            said.setText(f"<span style='color:{ink}'>{shown}</span>" if done or answered else "")
        rows = [row for _, part in (self._gaps.whole if done else self._gaps.parts) for row in part]
        for row, (what, number, _) in zip(rows, self._lines, strict=True):
            what.setText(_told(row))
            if isinstance(number, Label):
                number.setText(row.value)


def _told(row: Row) -> str:
    """A row without its value."""
    return escape(": ".join(filter(None, (row.label, row.expression))), quote=False)


class NumberField(QLineEdit):
    """A field for a number; typing brings it into sight. While nothing is typed, undo and redo act on the model."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        around = self.parentWidget() if event.text() else None
        while around is not None:
            if isinstance(around, QScrollArea):
                around.ensureWidgetVisible(self, 0, 0)
            around = around.parentWidget()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and not self.text():
            meant = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
            return not any(map(event.matches, meant)) and bool(super().event(event))
        return bool(super().event(event))

    @property
    def shares_line(self) -> int:
        """See `FlowLayout`: it may be as narrow as its hint, to stand beside a button."""
        return self.fontMetrics().horizontalAdvance(self.placeholderText()) + AROUND


def field_of(digits: int) -> QLineEdit:
    """A field for a number with so many decimals."""
    field = NumberField()
    field.setAccessibleName("Your number")
    field.setToolTip("Type a number, then Enter")
    field.setPlaceholderText(f"{digits} decimal{'s' * (digits != 1)}" if digits else "whole number")
    return field


def number_in(field: QLineEdit) -> float | None:
    """The number that is typed in a field; None if it is no number."""
    try:
        return read_answer(field.text())
    except ExplorerError:
        return None
