"""What answers a question: buttons with words of several lines, and fields for numbers; and what holds these.

They know their heights at a width before Qt does: a slide and the panel of a step are divided by that.
"""

from collections.abc import Callable, Sequence
from itertools import islice, zip_longest
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from explorer.pages.steps.question import Blank, Figure, Grid, Option, Options
from explorer.ui.page.gestures import perform
from explorer.ui.page.note import coloured
from explorer.ui.theme import mark
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Label, SteadyLabel
from explorer.ui.widgets.layouts import column_in
from explorer.ui.workbench import Workbench

AROUND = 28
"""Pixels from the text of a field to its edges, both sides together."""


def height_at(widget: QWidget, width: int) -> int:
    """The height of a widget in pixels at a width; 0 if it is hidden."""
    if widget.isHidden():
        return 0
    own = getattr(widget, "height_at", None)
    if own is not None:
        return int(own(width))
    height = widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.sizeHint().height()
    return min(height, widget.maximumHeight())


def column_height(widgets: Sequence[QWidget], width: int, spacing: int) -> int:
    """The height in pixels of widgets below each other, at a width."""
    heights = [height_at(widget, width) for widget in widgets if not widget.isHidden()]
    return sum(heights) + spacing * max(len(heights) - 1, 0)


class OptionView(PushButton):
    """A button whose words take as many lines as they need."""

    def __init__(self, bench: Workbench, option: Option, parent: QWidget | None = None) -> None:
        super().__init__(tip="Give this answer", parent=parent, look="choice")
        px = bench.appearance.px
        self.words = SteadyLabel()
        self.words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(px(11), px(6), px(11), px(6))
        self._column.addStretch(1)
        self._column.addWidget(self.words)
        self._column.addStretch(1)
        self.least = 0
        """Least height in pixels: that of the highest button beside it."""
        self.clicked.connect(lambda: perform(bench, self._option.asks, self))
        self.tell(option)

    def tell(self, option: Option) -> None:
        """Show another option."""
        self._option = option
        self.words.setText(option.text)
        self.setAccessibleName(option.spoken)
        for part in (self, self.words.label):  # Qt matches the ancestors of a label only when it is polished
            mark(part, answer=option.outcome)
        self.setEnabled(option.on)
        self.keep_height()

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        margins = self._column.contentsMargins()
        return self.words.height_at(width - margins.left() - margins.right()) + margins.top() + margins.bottom()

    def sizeHint(self) -> QSize:
        return self._column.sizeHint()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # the words take more lines, or fewer
            self.keep_height()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.keep_height()  # at once: until the layout learns of the words, it would keep its old height

    def keep_height(self) -> None:
        """Take the height of the words; a style sheet resets this whenever it is applied."""
        self.setMinimumHeight(max(self.height_at(self.width()), self.least))


class OptionsHolder(QWidget):
    """Holds options: see `Options`."""

    def __init__(self, bench: Workbench, options: Options, parent: QWidget) -> None:
        super().__init__(parent)
        self._may, self._column = options.abreast, column_in(self, spacing=bench.appearance.px(4))
        self.options: tuple[OptionView, ...] = ()

    def take(self, _: Options, *options: OptionView) -> None:
        """Hold other options, in this order."""
        self.options = options
        for one in options:
            self._column.addWidget(one)
        self._stand()

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        return self._abreast(width) or column_height(self.options, width, self._column.spacing())

    def _abreast(self, width: int) -> int:
        """The height of the options if they stand side by side; 0 if they do not."""
        gap, n = self._column.spacing(), len(self.options)
        each = (width - gap * (n - 1)) // max(n, 1)
        high = max((one.height_at(each) for one in self.options), default=0)
        return high if self._may and high < column_height(self.options, width, gap) else 0

    def _stand(self) -> None:
        abreast = self._abreast(self.width())
        for one in self.options:
            one.least = abreast
            one.keep_height()
        way = QBoxLayout.Direction.LeftToRight if abreast else QBoxLayout.Direction.TopToBottom
        if self._column.direction() != way:
            self._column.setDirection(way)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._stand()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._stand()


class GridHolder(QWidget):
    """Holds elements in rows and columns: see `Grid`."""

    def __init__(self, bench: Workbench, grid: Grid, parent: QWidget) -> None:
        super().__init__(parent)
        px = bench.appearance.px
        self._most, self._rows = px(grid.most) or UNBOUNDED, list[list[QWidget]]()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(0 if grid.close else px(2))
        self._grid.setColumnStretch(0, 1)

    def take(self, grid: Grid, *widgets: QWidget) -> None:
        """Hold other elements."""
        there = iter(widgets)
        self._rows = [list(islice(there, len(row))) for row in grid.rows]
        sides, right = Qt.AlignmentFlag, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for line, row in enumerate(self._rows):
            for place, one in enumerate(row):
                side = sides.AlignTop if isinstance(one, PushButton) else right if place == 1 else sides(0)
                self._grid.addWidget(one, line, place, side)

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        gap, behind = self._grid.horizontalSpacing(), zip_longest(*(row[1:] for row in self._rows))
        wide = (max(_width(one) for one in column if one is not None) for column in behind)
        first = min(width, self._most) - sum(gap + one for one in wide)
        rows = (((row[0], first), *((one, _width(one)) for one in row[1:])) for row in self._rows)
        heights = [max(height_at(*one) for one in row) for row in rows]
        return sum(heights) + self._grid.verticalSpacing() * (len(heights) - 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._grid.setContentsMargins(0, 0, max(self.width() - self._most, 0), 0)


def _width(widget: QWidget) -> int:
    return max(min(widget.sizeHint().width(), widget.maximumWidth()), widget.minimumWidth())


class FigureView(Label):
    """A number, or a sign behind it."""

    def __init__(self, bench: Workbench, figure: Figure, parent: QWidget | None = None) -> None:
        super().__init__(role="sheet" if figure.large else "", parent=parent)
        self._theme = bench.appearance.theme
        self.tell(figure)

    def tell(self, figure: Figure) -> None:
        """Show another number."""
        self.setText(coloured(figure.text, self._theme))


class BlankView(QLineEdit):
    """A field for a number; typing brings it into sight. While nothing is typed, undo and redo act on the model."""

    def __init__(self, bench: Workbench, blank: Blank, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setToolTip("Type a number, then Enter")
        if blank.width:  # else it would be as wide as the screen
            self.setFixedWidth(bench.appearance.px(blank.width))
        mark(self, tight=str(blank.close).lower())
        self.tell(blank)
        self.textChanged.connect(lambda text: perform(bench, self._blank.asks.at(text), self))
        self.returnPressed.connect(lambda: perform(bench, self._blank.enters, self))

    def tell(self, blank: Blank) -> None:
        """Show another text; it may have been typed on the slide, or beside the page."""
        self._blank = blank
        self.setPlaceholderText(blank.hint)
        self.setReadOnly(not blank.on)
        self.setAccessibleName(blank.name)
        self.setAccessibleDescription(blank.said)
        if self.text() != blank.typed:
            with QSignalBlocker(self):
                self.setText(blank.typed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        confirms = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)  # what comes next is read from its beginning
        around = self.parentWidget() if event.text() and not confirms else None
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


HOLDERS: dict[type, Callable[[Workbench, Any, QWidget], Any]] = {Grid: GridHolder, Options: OptionsHolder}
"""What holds the elements of an arrangement, with a method ``take``, which gets the arrangement and their widgets."""
