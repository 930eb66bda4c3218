"""Layouts without margins, and areas that scroll, made in one line.

A layout that writes widgets like words: left to right, on to the next line where the line is full.
"""

from typing import Any, NamedTuple

from PySide6.QtCore import QRect, QSize, Qt
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


def scroll_area(parent: QWidget | None = None, sideways: bool = True) -> QScrollArea:
    """An area that scrolls, without a frame; the keys pass it by.

    `sideways`: whether it may have a bar at its bottom.
    """
    area = QScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area


class _Part(NamedTuple):
    """What an item asks for. Qt asks a layout often, and each question to a widget crosses over to C++."""

    item: QLayoutItem
    likes: QSize
    least: QSize
    keeps_next: bool
    ends_line: bool
    share: int
    """Pixels across that it takes at least beside others; 0: it is as wide as it likes."""
    at_top: bool
    on_base: bool

    @staticmethod
    def of(item: QLayoutItem) -> "_Part":
        widget, aligned = item.widget(), item.alignment()
        keeps_next, ends_line = getattr(widget, "keeps_next", False), getattr(widget, "ends_line", False)
        return _Part(
            *(item, item.sizeHint(), item.minimumSize(), bool(keeps_next), bool(ends_line)),
            share=int(getattr(widget, "shares_line", 0)),
            at_top=bool(aligned & Qt.AlignmentFlag.AlignTop),
            on_base=bool(aligned & Qt.AlignmentFlag.AlignBaseline),
        )

    @property
    def baseline(self) -> int | None:
        """Pixels from its top to its base line, where it is to stand on that."""
        return self.item.widget().baseline() if self.on_base else None  # type: ignore[union-attr]


NOWHERE = Qt.Orientation(0)


class FlowLayout(QLayout):
    """Items in lines, each item vertically centred in its line; for chips, and for matrices with operators between.

    An item whose alignment is to the top (`setAlignment`) stands at the top of its line. Items whose alignment is to
    the base line stand with it at one height: their widgets have a `baseline`, the pixels from their top to it.
    A widget with a true `keeps_next` stays on one line with the next one where the whole chain of such fits on a line;
    one with a true `ends_line` is the last of its line.
    Those on one line that have a `level`, pixels from their base line down, are told to be `level_with` the highest of
    these: the signs between matrices of different heights stand at one height.
    Widgets with a `shares_line`, the least pixels across, are narrower than they like where all items fit on one line
    then.

    Parameters
    ----------
    parent : the widget to lay out
    horizontal, vertical : pixels between items, and between lines
    """

    def __init__(self, parent: QWidget | None = None, horizontal: int = 8, vertical: int = 8) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._horizontal = horizontal
        self._vertical = vertical
        self._heights: dict[int, int] = {}
        self._asked: list[_Part] | None = None
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
            lines = self._lines(width - margins.left() - margins.right())
            downs = sum(height + self._vertical for height, *_ in map(_down, lines)) - self._vertical
            self._heights[width] = margins.top() + downs + margins.bottom()
        return self._heights[width]

    def invalidate(self) -> None:
        self._heights, self._asked = {}, None
        super().invalidate()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        lines: dict[int, list[Any]] = {}
        for part, place in self._placed(rect):
            part.item.setGeometry(place)
            base = part.baseline
            if base is not None and hasattr(part.item.widget(), "level_with"):
                lines.setdefault(place.y() + base, []).append(part.item.widget())
        for line in lines.values():
            level = min(widget.level for widget in line)
            for widget in line:
                widget.level_with(level)

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

    def _parts(self) -> list[_Part]:
        """What the items in sight ask for, until one of them asks for something else."""
        if self._asked is None:
            self._asked = [_Part.of(item) for item in self._items if not item.isEmpty()]
        return self._asked

    def _with_margins(self, size: QSize) -> QSize:
        return size.grownBy(self.contentsMargins())

    def places(self, rect: QRect) -> list[tuple[QLayoutItem, QRect]]:
        """Where each item stands within `rect`."""
        return [(part.item, place) for part, place in self._placed(rect)]

    def _placed(self, rect: QRect) -> list[tuple[_Part, QRect]]:
        area = rect.marginsRemoved(self.contentsMargins())
        placed: list[tuple[_Part, QRect]] = []
        y, direction = area.y(), self._direction()
        for line in self._lines(area.width()):
            height, bases, downs = _down(line)
            x = area.x()
            # Beside pictures that begin at the top, what has no base line here begins there, too.
            top = all(above is None for above in bases) and any(part.at_top for part, _ in line)
            for (part, size), above, down in zip(line, bases, downs, strict=True):
                if above is None and not top and not part.at_top:
                    down = (height - size.height()) // 2
                place = QRect(x, y + down, size.width(), size.height())
                placed.append((part, QStyle.visualRect(direction, area, place)))
                x += size.width() + self._horizontal
            y += height + self._vertical
        return placed

    def _lines(self, available: int) -> list[list[tuple[_Part, QSize]]]:
        """Break the items into lines of so many pixels, each item with its size."""
        lines: list[list[tuple[_Part, QSize]]] = [[]]
        x = 0
        sized = self._sized(available)
        for i, (part, size) in enumerate(sized):
            begins = i == 0 or not sized[i - 1][0].keeps_next
            needed = width = size.width()
            if begins and part.keeps_next:
                needed = self._chain(sized[i:])
                if needed > available:
                    needed = width  # it fits on no line
            if lines[-1] and (x + needed > available or lines[-1][-1][0].ends_line):
                lines.append([])
                x = 0
            lines[-1].append((part, size))
            x += width + self._horizontal
        return lines

    def _sized(self, available: int) -> list[tuple[_Part, QSize]]:
        """How large each item is; those that may share one line are narrower where that brings all onto it."""
        parts = self._parts()
        gaps = self._horizontal * (len(parts) - 1)
        # As wide as it likes, but no wider than the line unless its minimum is.
        widths = [max(min(part.likes.width(), available), part.least.width()) for part in parts]
        sharing = sum(part.share > 0 for part in parts)
        if sharing and sum(widths) + gaps > available:
            least = [part.share or width for part, width in zip(parts, widths, strict=True)]
            left = available - gaps - sum(least)
            if left >= 0:
                widths = [
                    width + left // sharing if part.share else width for part, width in zip(parts, least, strict=True)
                ]
        return [(part, self._size(part, width)) for part, width in zip(parts, widths, strict=True)]

    def _chain(self, sized: list[tuple[_Part, QSize]]) -> int:
        """Pixels across of the items from the first one that is to stay with none behind it."""
        width = 0
        for part, size in sized:
            width += size.width()
            if not part.keeps_next or part.ends_line:
                break
            width += self._horizontal
        return width

    def _direction(self) -> Qt.LayoutDirection:
        parent = self.parentWidget()
        return parent.layoutDirection() if parent is not None else Qt.LayoutDirection.LeftToRight

    @staticmethod
    def _size(part: _Part, available: int) -> QSize:
        """Of an item in so many pixels across."""
        width = max(min(part.likes.width(), available), part.least.width())
        height = part.item.heightForWidth(width) if part.item.hasHeightForWidth() else part.likes.height()
        return QSize(width, height)


def _down(line: list[tuple[_Part, QSize]]) -> tuple[int, list[int | None], list[int]]:
    """How high a line is, the base line of each of its items, and how far down each begins for that."""
    bases = [part.baseline for part, _ in line]
    base = max((above for above in bases if above is not None), default=0)
    downs = [0 if above is None else base - above for above in bases]
    return max((size.height() + down for (_, size), down in zip(line, downs, strict=True)), default=0), bases, downs
