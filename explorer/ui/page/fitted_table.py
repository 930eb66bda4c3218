"""A table that stands on a page as large as it is; where the page is too narrow for it, its columns give way."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QTableView, QWidget


class Widths(NamedTuple):
    """Pixels across that a column takes."""

    wanted: int  # with its title on one line
    tight: int  # with a short bar, or its title on several lines
    least: int  # with its words on several lines
    title: str
    most: int  # where there is more room than all columns want


class FittedTable(QTableView):
    """A table that says how large it is as a whole. Where no column can give way any more it goes on below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns: Sequence[Widths] = ()
        self._beside = self._body = self._below = self._above = 0
        self._metrics: QFontMetrics | None = None
        self._fitted = 0
        """To how many pixels across; 0 before it was told any."""
        self._waits = False
        """Whether its width is still to come: to fit it now, and all that goes on below it, would be in vain."""

    def set_whole(
        self, columns: Sequence[Widths], sides: tuple[int, int, int, int], metrics: QFontMetrics | None
    ) -> None:
        """Take so much room, and not more.

        Parameters
        ----------
        sides : tuple of int
            Pixels beside the columns, of the lines, below them, and around the titles.
        metrics : QFontMetrics or None
            Of the titles, where there are any.
        """
        self._columns, self._metrics = columns, metrics
        self._beside, self._body, self._below, self._above = sides
        if not self._waits:
            self.setMaximumWidth(self.whole_width + sum(column.most - column.wanted for column in columns))
        self._fit()
        self.updateGeometry()

    @property
    def whole_width(self) -> int:
        """Pixels across that all columns would like."""
        return self._beside + sum(column.wanted for column in self._columns)

    @property
    def shares_line(self) -> int:
        """Pixels across that it takes at least beside others: no words are cut off."""
        return self._beside + sum(column.tight for column in self._columns)

    def sizeHint(self) -> QSize:
        return QSize(self.whole_width, self.minimumHeight())

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if self.width() != self._fitted:  # and not merely the room of its lines, which `_fit` itself has changed
            self._fitted = self.width()
            self._fit()

    def be_no_wider(self, pixels: int) -> None:
        """Be as high as it is in its place of so many pixels across, before that is laid out."""
        width = min(pixels, self.maximumWidth())
        if width != self._fitted:
            self._fitted = width
            self.resize(width, self.height())  # of what is not shown yet Qt tells later
            self._fit()

    def be_wide(self, pixels: int) -> None:
        """Be so many pixels across, whatever it wants, and be fitted to them once."""
        self._waits, self._fitted = True, pixels
        self.setFixedWidth(pixels)
        self._waits = False
        self._fit()

    def bar_width(self) -> int:
        """How thick a scroll bar is."""
        return self.style().pixelMetric(self.style().PixelMetric.PM_ScrollBarExtent) + 2

    def _in_line(self) -> int:
        """How many columns stand side by side."""
        return len(self._columns)

    def _go_on_below(self, at: int) -> int:
        """Show the columns from one on below the others; how many pixels they take there."""
        return 0

    def _break_lines(self) -> int:
        """Let lines be as high as their words are in columns as wide as now; how many pixels more that takes."""
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
        self.setHorizontalScrollBarPolicy(always if over > 0 else never)
        top = self._top(widths)
        if header.height() != top or header.minimumHeight() != top:
            header.setFixedHeight(top)
        self.setFixedHeight(top + self._body + self._break_lines() + below + (over > 0) * self.bar_width())

    def _top(self, widths: Sequence[int]) -> int:
        """Pixels that the titles are high."""
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
    """As many pixels as there is room for: the widest columns give way, to one width; short words stay on a line."""

    def cut_to(most: int) -> list[int]:
        return [max(min(width, most), low) for width, low in zip(widths, least, strict=True)]

    most = bisect_right(range(max(widths, default=0)), room, key=lambda most: sum(cut_to(most)))
    return cut_to(most - 1) if sum(widths) > room else list(widths)
