"""What holds other elements of a page: a row, broken into lines, and a stack below a heading.

`explorer/pages/equation.py` computes the places in a row; this file measures and moves the widgets.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import cast

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QHBoxLayout, QLayoutItem, QStyle, QVBoxLayout, QWidget, QWidgetItem

from explorer.pages import equation
from explorer.ui.matrix.box import TIGHT_WAYS, MatrixBox
from explorer.ui.theme import Role
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.layouts import Asked, FlowLayout

SIGN = 22
"""The width of an operator sign in pixels at text scale 1."""
ACROSS_ROW = 10
"""Pixels at text scale 1 between the elements of a row."""
THUMB = 132
"""The greatest width of a small picture in an equation, in pixels at text scale 1."""


def row_room(px: Callable[[float], int], width: int = 0) -> equation.Room:
    """The room of a row; `px` converts pixels at text scale 1 to this screen."""
    return equation.Room(width, px(ACROSS_ROW), px(SIGN))


class RowLayout(FlowLayout):
    """The layout of a row.

    `across`: the widths of gaps and signs; the width of the row is that of the widget. `down`: pixels between two
    lines.
    """

    def __init__(self, parent: QWidget, across: equation.Room, down: int) -> None:
        super().__init__(parent, across.gap, down)
        self._room, self._down = across, down
        self._signs: list[tuple[str, Label | None]] = []
        self._yields: list[bool] = []
        self._sign_places: list[tuple[Label, QRect]] = []
        self._seen: list[int] = []
        self._wheres: dict[int, tuple[list[Asked], equation.Placed]] = {}
        self._begins: frozenset[int] = frozenset()

    def put(self, widget: QWidget, sign: str, label: Label | None, yields: bool = False) -> None:
        """Append a widget after a sign and the label that shows the sign; `yields`: see `Item`.

        Both are added at once: a page is built over several turns, and in each Qt lays out the widgets that exist.
        """
        self._signs.append((sign, label))
        self._yields.append(yields)
        self.addWidget(widget)

    def takeAt(self, index: int) -> QLayoutItem | None:
        item = super().takeAt(index)
        if item is not None:
            del self._signs[index], self._yields[index]
        return item

    def invalidate(self) -> None:
        self._wheres = {}
        super().invalidate()

    def let_begin(self, places: Collection[int]) -> None:
        """Begin a new line at each of these indices, however much room there is."""
        if self._begins != (begins := frozenset(places)):
            self._begins = begins
            self.invalidate()

    def parts(self, part_of: Callable[[QWidget], equation.Part]) -> list[equation.Part]:
        """The parts of the row: the result of `part_of` for each widget, with the facts that the row knows."""
        found: list[equation.Part] = []
        before: QWidget | None = None
        for place, widget in enumerate(self.widgets):
            alike = isinstance(widget, MatrixBox) and same_rows(before, widget)
            keeps, sign = bool(getattr(before, "keeps_next", False)), self._signs[place][0] if place else ""
            part = part_of(widget)
            loses = part.loses * (not self._yields[place])
            begins = place in self._begins
            found.append(part._replace(sign=sign, alike=alike, keeps=keeps, begins=begins, loses=loses))
            before = widget
        return found

    def minimumSize(self) -> QSize:
        """Qt's minimum, with the width of the widest piece that cannot be broken: a narrower row would be cut."""
        parts = self._there({asked.item.widget(): asked.least.width() for asked in self._parts()})
        room = self._room._replace(width=0)
        pieces = equation.broken(parts, room)
        widest = max((equation.across(parts, piece, room, 0) for piece in pieces), default=0)
        return super().minimumSize().expandedTo(QSize(widest, 0))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        for label, place in self._sign_places:
            label.setGeometry(place)

    def _height(self, available: int) -> int:
        return self._where(available)[1].height

    def _placed(self, rect: QRect) -> list[tuple[Asked, QRect]]:
        """The place of each item within `rect`; also stores the places of the signs' labels."""
        area = rect.marginsRemoved(self.contentsMargins())
        asked, where = self._where(area.width())
        direction = self._direction()

        def there(left: int, top: int, width: int, height: int) -> QRect:
            return QStyle.visualRect(direction, area, QRect(area.x() + left, area.y() + top, width, height))

        self._sign_places = []
        for i, place in enumerate(self._seen):
            label = self._signs[place][1]
            if label is not None:
                left, middle = where.signs.get(i, (0, 0))
                high = label.sizeHint().height() if i in where.signs else 0
                self._sign_places.append((label, there(left, middle - high // 2, self._room.sign, high)))
        return [(one, there(*place)) for one, place in zip(asked, where.parts, strict=True)]

    def _where(self, width: int) -> tuple[list[Asked], equation.Placed]:
        if width not in self._wheres:
            sized = self._sized(width)
            parts = self._there({asked.item.widget(): size.width() for asked, size in sized})
            room = self._room._replace(width=width)
            sizes = [_size(asked, size.width(), size.height()) for asked, size in sized]
            lines, packs = equation.broken(parts, room), not any(part.begins for part in parts)
            where = equation.placed([part.sign for part in parts], sizes, lines, room, self._down, packs)
            self._wheres[width] = [asked for asked, _ in sized], where
        return self._wheres[width]

    def torn(self, width: int) -> int:
        """How many lines begin inside a term, in this width."""
        parts = self._there({asked.item.widget(): size.width() for asked, size in self._sized(width)})
        return sum(
            equation.is_torn(parts, line) for line in equation.broken(parts, self._room._replace(width=width))[1:]
        )

    def _there(self, widths: Mapping[QWidget | None, int]) -> list[equation.Part]:
        """The parts whose widths are given, with these widths."""
        parts = self.parts(lambda widget: equation.Part((widths.get(widget, 0),)))
        self._seen = [place for place, widget in enumerate(self.widgets) if widget in widths]
        return [parts[place] for place in self._seen]


def _size(asked: Asked, width: int, height: int) -> equation.Size:
    widget = asked.item.widget()
    if isinstance(widget, MatrixBox):
        return equation.Size(width, height, widget.shape.base, widget.shape.side)
    return equation.Size(width, height, None, (width, height // 2), asked.at_top)


def let_stand(layout: RowLayout, room: equation.Room, thumb: int) -> None:
    """Make the matrices of a row as large as its room allows.

    `thumb`: the greatest width of a small picture in an equation, in pixels.
    """
    parts = layout.parts(lambda widget: _part(widget, room.width, thumb))
    if not all(part.picture for part in parts):  # beside numbers, small pictures keep the formulas in their headings
        parts = [part._replace(widths=part.widths[:TIGHT_WAYS]) if part.tight else part for part in parts]
    found = equation.stand(parts, room)
    across_small = equation.widened(parts, found)
    for line, spare in zip(found.lines, found.spare, strict=True):
        for i, place in enumerate(line):
            box = layout.widgets[place]
            if isinstance(box, MatrixBox):
                small = place in found.small
                labels = equation.is_labelled(parts, line, i, found.small)
                way = min(found.way, len(parts[place].widths) - 1)
                box.take(way, labels, across_small[place] if small else 0, spare)
                spare = 0 if small and box.matrix.open else spare


def let_stand_below(layout: RowLayout) -> None:
    """Let each matrix of a row name its own rows, because it is not known which matrices share a line."""
    for box in layout.widgets:
        if isinstance(box, MatrixBox):
            box.take(0, True)


def width_of(layout: RowLayout, room: equation.Room) -> tuple[int, int]:
    """The width of a row on one line, and that of its widest part with row labels, both with unlimited room."""
    parts = layout.parts(lambda widget: _part(widget, UNBOUNDED, 0))
    return equation.across(parts, list(range(len(parts))), room, 0), max(one.widths[0] + one.labels[0] for one in parts)


def halves_of(layout: RowLayout, room: equation.Room) -> equation.Line:
    """Where a row that does not fit on one line, with all parts at full size, breaks: before its "=" or an arrow."""
    return equation.halves(layout.parts(lambda widget: _part(widget, UNBOUNDED, 0)), room)


def _part(widget: QWidget, room: int, thumb: int) -> equation.Part:
    if isinstance(widget, MatrixBox):
        return widget.part(room, thumb)
    return equation.Part((max(min(widget.sizeHint().width(), room), widget.minimumSizeHint().width()),), matrix=False)


def same_rows(before: QWidget | None, box: MatrixBox) -> bool:
    """Whether the matrix before, if it stands on the same line, already names the same rows."""
    if not isinstance(before, MatrixBox) or before.folded != box.folded:
        return False
    a, b = before.matrix, box.matrix
    if box.folded and a.array.shape != b.array.shape:  # small pictures of different widths have different row heights
        return False
    return before.form.times == box.form.times and (a.axes[0], a.rows) == (b.axes[0], b.rows)


class _Column(QVBoxLayout):
    """A column that respects the maximum width of its widget; Qt asks for its height at the full available width."""

    def heightForWidth(self, width: int) -> int:
        return super().heightForWidth(min(width, cast(QWidget, self.parentWidget()).maximumWidth()))


class Titled(QWidget):
    """Elements below a heading; if a row or a list is among them, it can become narrower to stand beside others.

    `role`: the role of the title; `spacing`: pixels between the elements.
    """

    def __init__(self, title: str, role: Role, spacing: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.inside: list[QWidget] = []
        """The widgets below the heading."""
        self.down = _Column(self)
        self.down.setContentsMargins(0, 0, 0, 0)
        self.down.setSpacing(spacing)
        self.heading = QHBoxLayout()
        self.down.addLayout(self.heading)
        self.title = Label(title, role, self) if title else None
        self._whole = 0
        """The width of the heading on one line, in pixels."""
        if self.title is not None:
            self.heading.addWidget(self.title)

    def be_no_wider(self, pixels: int) -> None:
        """Wrap the heading if it is wider than `pixels`."""
        if self.title is None:
            return
        if not (wrapped := self.title.wordWrap()):
            self._whole = self.title.sizeHint().width()
        if wrapped != (self._whole > pixels):
            self.title.setWordWrap(not wrapped)

    def places(self, place: QRect) -> Iterator[QRect]:
        """The places of the widgets inside, each as high as it needs to be."""
        spacing = self.down.spacing()
        head = self.heading.heightForWidth(place.width()) if self.heading.hasHeightForWidth() else 0
        head = max(head, self.heading.sizeHint().height())
        y = place.top() + (head + spacing if self.title is not None else 0)
        for widget in self.inside:
            yield (one := QRect(place.left(), y, place.width(), height_of(widget, place.width())))
            y += one.height() + spacing

    @property
    def shares_line(self) -> int:
        """See `FlowLayout`."""
        least = [int(getattr(one, "shares_line", 0)) for one in self.inside]
        if self.minimumWidth() or not (any(least) or any(isinstance(one.layout(), FlowLayout) for one in self.inside)):
            return 0
        return max(share or one.minimumSizeHint().width() for share, one in zip(least, self.inside, strict=True))


def height_of(widget: QWidget, width: int) -> int:
    """The height in pixels of a widget in a column of this width."""
    item = QWidgetItem(widget)
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
