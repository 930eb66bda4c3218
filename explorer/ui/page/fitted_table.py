"""A table that shows all its lines on a page; on a narrow page its columns become narrower."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QTableView, QWidget


class Widths(NamedTuple):
    """The widths in pixels that a column may have."""

    wanted: int  # with its title on one line
    tight: int  # with a short bar, or its title on several lines
    least: int  # with its words on several lines
    title: str
    most: int  # if there is more room than all columns want


class FittedTable(QTableView):
    """A table that knows its whole size. Columns that do not fit at their least widths continue below the others."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns: Sequence[Widths] = ()
        self._beside = self._body = self._below = self._above = 0
        self._metrics: QFontMetrics | None = None
        self._fitted = 0
        """The width in pixels that the columns were last fitted to; 0 before the first time."""
        self._waits = False
        """Whether its width will be set soon, so that fitting the columns now would be in vain."""

    def set_whole(
        self, columns: Sequence[Widths], sides: tuple[int, int, int, int], metrics: QFontMetrics | None
    ) -> None:
        """Set the columns, and take just as much room as they need.

        Parameters
        ----------
        sides : tuple of int
            Pixels: the width beside the columns, the height of the lines, the height below them, and the margin around
            a title.
        metrics : QFontMetrics or None
            The metrics of the titles' font; None without titles.
        """
        same = self._columns == columns and (self._beside, self._body, self._below, self._above) == sides
        self._columns, self._metrics = columns, metrics
        self._beside, self._body, self._below, self._above = sides
        if not self._waits:
            self.setMaximumWidth(self.whole_width + sum(column.most - column.wanted for column in columns))
        self._fit()
        if not same:  # if only numbers have changed, the page must not be laid out again
            self.updateGeometry()

    @property
    def whole_width(self) -> int:
        """The width that all columns want, in pixels."""
        return self._beside + sum(column.wanted for column in self._columns)

    @property
    def shares_line(self) -> int:
        """The least width in pixels that it takes beside other elements on a line; no words are cut off."""
        return self._beside + sum(column.tight for column in self._columns)

    def sizeHint(self) -> QSize:
        return QSize(self.whole_width, self.minimumHeight())

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if self.width() != self._fitted:  # not if only the height differs, which `_fit` itself changes
            self._fitted = self.width()
            self._fit()

    def be_no_wider(self, pixels: int) -> None:
        """Take the height for a place of this width, before the place is laid out."""
        width = min(pixels, self.maximumWidth())
        if width != self._fitted:
            self._fitted = width
            self.resize(width, self.height())  # Qt sends the resize of a hidden widget later
            self._fit()

    def be_wide(self, pixels: int) -> None:
        """Take exactly this width, and fit the columns to it once."""
        self._waits, self._fitted = True, pixels
        self.setFixedWidth(pixels)
        self._waits = False
        self._fit()

    def bar_width(self) -> int:
        """The thickness of a scroll bar."""
        return self.style().pixelMetric(self.style().PixelMetric.PM_ScrollBarExtent) + 2

    def _in_line(self) -> int:
        """How many columns stand side by side."""
        return len(self._columns)

    def _go_on_below(self, at: int) -> int:
        """Show the columns from `at` on below the others; returns the height in pixels that they take."""
        return 0

    def _break_lines(self) -> int:
        """Make lines high enough for words that wrap in the present column widths; returns the additional pixels."""
        return 0

    def _fit(self) -> None:
        if self._waits:
            return
        columns = self._columns[: self._in_line()]
        below = self._below + self._go_on_below(len(columns))
        widths = [column.wanted for column in columns]
        over = self._beside + sum(widths) - self.width()
        gives = [width - column.tight for width, column in zip(widths, columns, strict=True)]
        if taken := min(max(over, 0), sum(gives)):
            widths = [w - -(-give * taken // sum(gives)) for w, give in zip(widths, gives, strict=True)]
        widths = _widest_first(widths, [column.least for column in columns], self.width() - self._beside)
        over = self._beside + sum(widths) - self.width()
        more = [column.most - column.wanted for column in columns]
        if over < 0 < sum(more):
            widths = [w + grows * min(-over, sum(more)) // sum(more) for w, grows in zip(widths, more, strict=True)]
        header = self.horizontalHeader()
        for i, width in enumerate(widths):
            if header.sectionSize(i) != width:
                header.resizeSection(i, width)
        always, never = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if self.horizontalScrollBarPolicy() != (always if over > 0 else never):
            self.setHorizontalScrollBarPolicy(always if over > 0 else never)
        top = self._top(widths)
        if header.height() != top or header.minimumHeight() != top:
            header.setFixedHeight(top)
        self.setFixedHeight(top + self._body + self._break_lines() + below + (over > 0) * self.bar_width())

    def _top(self, widths: Sequence[int]) -> int:
        """The height of the titles in pixels."""
        if self._metrics is None:
            return 0
        wrap = Qt.TextFlag.TextWordWrap
        high = self._metrics.height()
        for column, width in zip(self._columns, widths, strict=False):
            if width < column.wanted:
                room = QRect(0, 0, max(width - self._above, 1), 10 * high)
                high = max(high, self._metrics.boundingRect(room, wrap, column.title).height())
        return high + self._above


def _widest_first(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths that fit into the room: the widest columns are cut to one width, so that short words do not wrap."""

    def cut_to(most: int) -> list[int]:
        return [max(min(width, most), low) for width, low in zip(widths, least, strict=True)]

    most = bisect_right(range(max(widths, default=0)), room, key=lambda most: sum(cut_to(most)))
    return cut_to(most - 1) if sum(widths) > room else list(widths)
