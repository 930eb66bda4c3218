"""Layouts without margins, and scroll areas, made in one line.

Also a layout that places widgets like words: from left to right, and on the next line when a line is full.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QStyle,
    QVBoxLayout,
    QWidget,
    QWidgetItem,
)

from explorer.pages.equation import Rect
from explorer.ui.widgets.labels import Label

_Line = TypeVar("_Line", QVBoxLayout, QHBoxLayout)


def column_in(widget: QWidget, *parts: QWidget, spacing: int = -1) -> QVBoxLayout:
    """Lay out a widget's parts below each other.

    `spacing`: pixels between them; -1: the style's default.
    """
    return _filled(QVBoxLayout(widget), parts, spacing)


def row_in(widget: QWidget, *parts: QWidget, spacing: int = -1) -> QHBoxLayout:
    """Lay out a widget's parts side by side, as `column_in` does below each other."""
    return _filled(QHBoxLayout(widget), parts, spacing)


def _filled(layout: _Line, parts: Iterable[QWidget], spacing: int) -> _Line:
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    for part in parts:
        layout.addWidget(part)
    return layout


def put(part: QWidget, rect: Rect) -> None:
    """Let a part stand at a rectangle of the widget that it is in; mirrored where text runs from right to left."""
    around = part.parentWidget()
    assert around is not None
    part.setGeometry(QStyle.visualRect(around.layoutDirection(), around.rect(), QRect(*rect)))


ROUNDS = 8
"""How many nested resizes of a scroll area's content are allowed, each caused by the one before."""


class ScrollArea(QScrollArea):
    """Keeps its scroll bar if neither with it nor without it the layout comes to rest.

    Content that is higher when wider, such as a formula that fills its line, needs the bar only while there is none: Qt
    would hide and show the bar again and again, each call inside the one before, until the stack overflows.
    """

    _rounds, _keeps = 0, False
    _own: QSize | None = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Resize:
            return bool(super().eventFilter(watched, event))
        self._rounds += 1
        try:
            if self._rounds <= ROUNDS:
                return bool(super().eventFilter(watched, event))
            self._keeps = True
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
            return False
        finally:
            self._rounds -= 1

    def resizeEvent(self, event: QResizeEvent) -> None:  # of the viewport, also if only a bar was shown or hidden
        if self._keeps and self.size() != self._own:
            self._keeps = False
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._own = self.size()
        super().resizeEvent(event)


def scroll_area(parent: QWidget | None = None, sideways: bool = True) -> QScrollArea:
    """A scroll area without a frame that never takes the focus.

    `sideways`: whether it may have a horizontal bar.
    """
    area = ScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area


class Reports(QLayout):
    """Tells when a child of a widget reports another size. It places nothing itself, and has no items.

    The widget could learn this from its events, too; but movements of the mouse are events as well, and far more.
    """

    def __init__(self, parent: QWidget, act: Callable[[], object]) -> None:
        super().__init__()
        self._act = act
        parent.setLayout(self)

    def invalidate(self) -> None:
        self._act()

    def count(self) -> int:
        return 0

    def itemAt(self, index: int) -> None:
        return None

    def takeAt(self, index: int) -> None:
        return None

    def sizeHint(self) -> QSize:
        return QSize()


class Asked(NamedTuple):
    """What an item asks for. Qt asks a layout often, and each question to a widget is a call to C++."""

    item: QLayoutItem
    likes: QSize
    least: QSize
    at_top: bool
    flows: bool
    """Whether its height depends on its width."""

    def width_in(self, room: int) -> int:
        """The width that it likes, limited by the room, but not below its minimum."""
        return max(min(self.likes.width(), room), self.least.width())

    @staticmethod
    def of(item: QLayoutItem) -> "Asked":
        at_top = bool(item.alignment() & Qt.AlignmentFlag.AlignTop)
        return Asked(item, item.sizeHint(), item.minimumSize(), at_top, item.hasHeightForWidth())


NOWHERE = Qt.Orientation(0)


class FlowLayout(QLayout):
    """Items in lines, each vertically centred in its line, or at its top if it is aligned there (`setAlignment`).

    `parent`: the widget to lay out.
    `horizontal`, `vertical`: pixels between items, and between lines.
    `centred`: whether each line is centred.
    `fills`: whether an item that is no label takes the rest of its line, as far as it may be wider or narrower.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        horizontal: int = 8,
        vertical: int = 8,
        centred: bool = False,
        fills: bool = False,
    ) -> None:
        super().__init__()
        self._centred, self._fills = centred, fills
        self._items: list[QLayoutItem] = []
        self._horizontal = horizontal
        self._vertical = vertical
        self._heights: dict[int, int] = {}
        self._asked: list[Asked] | None = None
        self.setContentsMargins(0, 0, 0, 0)
        if parent is not None:
            parent.setLayout(self)

    def set_spacing(self, horizontal: int, vertical: int) -> None:
        self._horizontal, self._vertical = horizontal, vertical
        self.invalidate()

    @property
    def widgets(self) -> list[QWidget]:
        """The widgets in it, in order."""
        return [widget for item in self._items if (widget := item.widget()) is not None]

    def addWidget(self, widget: QWidget) -> None:
        # PySide does not learn when C++ deletes an item that C++ made. PySide would take the next object at that
        # address for two objects, and crash when it is deleted (PySide 6.10.2 and 6.11.3; so `itemAt` of Qt's own
        # layouts is called nowhere).
        self.addChildWidget(widget)
        self.addItem(QWidgetItem(widget))

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        if not 0 <= index < len(self._items):
            return None
        self.invalidate()
        return self._items.pop(index)

    def spacing(self) -> int:
        return self._horizontal

    @property
    def down(self) -> int:
        """The pixels between two lines."""
        return self._vertical

    def expandingDirections(self) -> Qt.Orientation:
        return NOWHERE

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        # A scroll area asks for many widths, several times each; the answer changes only with the items.
        if width not in self._heights:
            margins = self.contentsMargins()
            lines = self._lines(width - margins.left() - margins.right())
            high = sum(max([size.height() for _, size in line], default=0) for line in lines)
            self._heights[width] = margins.top() + high + self._vertical * (len(lines) - 1) + margins.bottom()
        return self._heights[width]

    def invalidate(self) -> None:
        self._heights, self._asked = {}, None
        super().invalidate()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        for part, place in self._placed(rect):
            part.item.setGeometry(place)

    def sizeHint(self) -> QSize:
        """The size of all items on one line, at the widths that they like."""
        hints = [part.likes for part in self._parts()]
        width = sum(hint.width() for hint in hints) + self._horizontal * max(len(hints) - 1, 0)
        return self._with_margins(QSize(width, max((hint.height() for hint in hints), default=0)))

    def minimumSize(self) -> QSize:
        """The size of the widest and the highest item: with less, that item would be cut."""
        size = QSize(0, 0)
        for part in self._parts():
            size = size.expandedTo(part.least)
        return self._with_margins(size)

    def _parts(self) -> list[Asked]:
        """What the visible items ask for; kept until the layout is invalidated."""
        if self._asked is None:
            self._asked = [Asked.of(item) for item in self._items if not item.isEmpty()]
        return self._asked

    def _with_margins(self, size: QSize) -> QSize:
        return size.grownBy(self.contentsMargins())

    def _placed(self, rect: QRect) -> list[tuple[Asked, QRect]]:
        area = rect.marginsRemoved(self.contentsMargins())
        placed: list[tuple[Asked, QRect]] = []
        y, direction = area.y(), self._direction()
        for line in self._lines(area.width()):
            height = max((size.height() for _, size in line), default=0)
            x = area.x()
            if self._centred:
                across = sum(size.width() for _, size in line) + self._horizontal * (len(line) - 1)
                x += max(area.width() - across, 0) // 2
            for part, size in line:
                down = 0 if part.at_top else (height - size.height()) // 2
                place = QRect(x, y + down, size.width(), size.height())
                placed.append((part, QStyle.visualRect(direction, area, place)))
                x += size.width() + self._horizontal
            y += height + self._vertical
        return placed

    def _lines(self, available: int) -> list[list[tuple[Asked, QSize]]]:
        """Break the items into lines of this width, each item with its size."""
        lines: list[list[tuple[Asked, QSize]]] = [[]]
        x = 0
        for part in self._parts():
            size = self._size(part, available)
            width = size.width()
            if lines[-1] and x + width > available:
                if self._fills and x + part.least.width() <= available:
                    size = self._size(part, available - x)
                    width = size.width()
                else:
                    lines.append([])
                    x = 0
            lines[-1].append((part, size))
            x += width + self._horizontal
        return [self._filled(line, available) for line in lines] if self._fills else lines

    def _filled(self, line: list[tuple[Asked, QSize]], available: int) -> list[tuple[Asked, QSize]]:
        rest = available - sum(size.width() for _, size in line) - self._horizontal * (len(line) - 1)
        at = next((i for i in reversed(range(len(line))) if not isinstance(line[i][0].item.widget(), Label)), None)
        if rest <= 0 or at is None:
            return line
        part, size = line[at]
        wide = min(size.width() + rest, part.item.maximumSize().width())
        return [*line[:at], (part, QSize(max(wide, size.width()), size.height())), *line[at + 1 :]]

    def _direction(self) -> Qt.LayoutDirection:
        parent = self.parentWidget()
        return parent.layoutDirection() if parent is not None else Qt.LayoutDirection.LeftToRight

    @staticmethod
    def _size(part: Asked, available: int) -> QSize:
        """The size of an item in this width."""
        width = part.width_in(available)
        if not part.flows:
            return part.likes if width == part.likes.width() else QSize(width, part.likes.height())
        return QSize(width, part.item.heightForWidth(width))
