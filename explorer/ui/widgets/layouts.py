"""Layouts without margins, and areas that scroll, made in one line.

A layout that writes widgets like words: left to right, on to the next line where the line is full.
"""

from typing import NamedTuple

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


def column_in(widget: QWidget, *parts: QWidget, spacing: int = -1) -> QVBoxLayout:
    """Lay out a widget's parts below each other.

    `spacing`: pixels between them; -1: as many as the style takes.
    """
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(spacing)
    for part in parts:
        column.addWidget(part)
    return column


def row_in(widget: QWidget, *parts: QWidget, spacing: int = -1) -> QHBoxLayout:
    """Lay out a widget's parts side by side, as `column_in` does below each other."""
    row = QHBoxLayout(widget)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(spacing)
    for part in parts:
        row.addWidget(part)
    return row


ROUNDS = 8
"""How often the content of an area that scrolls may be given another size because of the size that it was given."""


class ScrollArea(QScrollArea):
    """Keeps its bar where that could neither be there nor not.

    Content that is higher where it is wider, as a formula that fills its line, needs the bar only while there is none:
    Qt would take and give it for ever, each time within the time before, until the stack is full.
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

    def resizeEvent(self, event: QResizeEvent) -> None:  # of what is in sight, also where only a bar came or went
        if self._keeps and self.size() != self._own:
            self._keeps = False
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._own = self.size()
        super().resizeEvent(event)


def scroll_area(parent: QWidget | None = None, sideways: bool = True) -> QScrollArea:
    """An area that scrolls, without a frame; the keys pass it by.

    `sideways`: whether it may have a bar at its bottom.
    """
    area = ScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area


class Asked(NamedTuple):
    """What an item asks for. Qt asks a layout often, and each question to a widget crosses over to C++."""

    item: QLayoutItem
    likes: QSize
    least: QSize
    share: int
    """Pixels across that it takes at least beside others; 0: it is as wide as it likes."""
    at_top: bool
    flows: bool
    """Whether its height depends on its width."""

    def width_in(self, room: int) -> int:
        """As wide as it likes, but no wider than its room unless its minimum is."""
        return max(min(self.likes.width(), room), self.least.width())

    @staticmethod
    def of(item: QLayoutItem) -> "Asked":
        at_top = bool(item.alignment() & Qt.AlignmentFlag.AlignTop)
        share = int(getattr(item.widget(), "shares_line", 0))
        return Asked(item, item.sizeHint(), item.minimumSize(), share, at_top, item.hasHeightForWidth())


NOWHERE = Qt.Orientation(0)


class FlowLayout(QLayout):
    """Items in lines, each vertically centred in its line, or at its top if it is aligned there (`setAlignment`).

    Widgets with a `shares_line`, the least pixels across, are narrower than they like where all items fit on one line
    then.

    Parameters
    ----------
    parent : the widget to lay out
    horizontal, vertical : pixels between items, and between lines
    centred : whether each line stands in the middle
    """

    def __init__(
        self, parent: QWidget | None = None, horizontal: int = 8, vertical: int = 8, centred: bool = False
    ) -> None:
        super().__init__()
        self._centred = centred
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
        """What stands in it, in order."""
        return [widget for item in self._items if (widget := item.widget()) is not None]

    def addWidget(self, widget: QWidget) -> None:
        # Of an item that C++ made PySide does not hear when C++ deletes it. PySide would take whatever stands at that
        # address next for two objects, and crash when it goes (PySide 6.10.2 and 6.11.3; so `itemAt` of Qt's own
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

    def expandingDirections(self) -> Qt.Orientation:
        return NOWHERE

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        # A scroll area asks for many widths, several times each; the answer changes only with the items.
        if width not in self._heights:
            margins = self.contentsMargins()
            high = self._height(width - margins.left() - margins.right())
            self._heights[width] = margins.top() + high + margins.bottom()
        return self._heights[width]

    def invalidate(self) -> None:
        self._heights, self._asked = {}, None
        super().invalidate()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        for part, place in self._placed(rect):
            part.item.setGeometry(place)

    def sizeHint(self) -> QSize:
        """All on one line: what it would take if nobody narrows it."""
        hints = [part.likes for part in self._parts()]
        width = sum(hint.width() for hint in hints) + self._horizontal * max(len(hints) - 1, 0)
        return self._with_margins(QSize(width, max((hint.height() for hint in hints), default=0)))

    def minimumSize(self) -> QSize:
        """The widest and the highest item: below that one would be cut."""
        size = QSize(0, 0)
        for part in self._parts():
            size = size.expandedTo(part.least)
        return self._with_margins(size)

    def _parts(self) -> list[Asked]:
        """What the items in sight ask for, until one of them asks for something else."""
        if self._asked is None:
            self._asked = [Asked.of(item) for item in self._items if not item.isEmpty()]
        return self._asked

    def _with_margins(self, size: QSize) -> QSize:
        return size.grownBy(self.contentsMargins())

    def places(self, rect: QRect) -> list[tuple[QLayoutItem, QRect]]:
        """Where each item stands within `rect`."""
        return [(part.item, place) for part, place in self._placed(rect)]

    def _height(self, available: int) -> int:
        """Pixels that all lines take in so many pixels across."""
        highs = [max([size.height() for _, size in line], default=0) for line in self._lines(available)]
        return sum(highs) + self._vertical * (len(highs) - 1)

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
        """Break the items into lines of so many pixels, each item with its size."""
        lines: list[list[tuple[Asked, QSize]]] = [[]]
        x = 0
        for part, size in self._sized(available):
            width = size.width()
            if lines[-1] and x + width > available:
                lines.append([])
                x = 0
            lines[-1].append((part, size))
            x += width + self._horizontal
        return lines

    def _sized(self, available: int) -> list[tuple[Asked, QSize]]:
        """How large each item is; those that may share one line are narrower where that brings all onto it."""
        parts = self._parts()
        gaps = self._horizontal * (len(parts) - 1)
        widths = [part.width_in(available) for part in parts]
        sharing = sum(part.share > 0 for part in parts)
        if sharing and sum(widths) + gaps > available:
            least = [part.share or width for part, width in zip(parts, widths, strict=True)]
            left = available - gaps - sum(least)
            if left >= 0:
                widths = [
                    width + left // sharing if part.share else width for part, width in zip(parts, least, strict=True)
                ]
        return [(part, self._size(part, width)) for part, width in zip(parts, widths, strict=True)]

    def _direction(self) -> Qt.LayoutDirection:
        parent = self.parentWidget()
        return parent.layoutDirection() if parent is not None else Qt.LayoutDirection.LeftToRight

    @staticmethod
    def _size(part: Asked, available: int) -> QSize:
        """Of an item in so many pixels across."""
        width = part.width_in(available)
        if not part.flows:
            return part.likes if width == part.likes.width() else QSize(width, part.likes.height())
        return QSize(width, part.item.heightForWidth(width))
