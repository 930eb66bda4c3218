"""Words along the side of a picture: as many as can be read, whatever part of it one looks at."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics

from explorer.ui.colour import qcolor
from explorer.ui.workbench import Workbench

GAP = 5  # pixels between a word and the picture
CLOSEST, WELL_APART = 0.86, 1.1  # heights of a line: where all can be written, and where some are left out
LONGEST = 116  # pixels; a longer word is cut


class WordAxis(pg.AxisItem):
    """A word for each unit of the axis. Where they stand too close only every second, third, … is written.

    Parameters
    ----------
    bench : Workbench
    side : str
        "left", "right", "top" or "bottom".
    """

    range = (0.0, 0.0)  # asked for while pyqtgraph's own constructor runs

    def __init__(self, bench: Workbench, side: str) -> None:
        super().__init__(side)
        self._bench = bench
        self._words: tuple[str, ...] = ()
        self._shown: tuple[object, ...] = ()
        self._marked: tuple[int, ...] = ()
        self.upright = False
        """Whether the words stand on end, because beside each other they would overlap."""
        self.setStyle(hideOverlappingLabels=False)  # the first and the last may reach a little beyond the picture

    @property
    def words(self) -> tuple[str, ...]:
        """All words, written or not."""
        return self._words

    @property
    def marked(self) -> tuple[int, ...]:
        """The words that are written in any case."""
        return self._marked

    def show_words(self, words: Sequence[str], room: float) -> None:
        """Stand at other words.

        Parameters
        ----------
        words : sequence of str
        room : float
            Pixels that the axis is long when all of it is in sight.
        """
        shown = (*words, room, self._bench.appearance.scale)
        if shown == self._shown:
            return  # after most edits the words are the same, and measuring them takes longer than the picture
        self._shown = shown
        metrics, px = QFontMetrics(self._font(bold=True)), self._bench.appearance.px
        self._words = tuple(metrics.elidedText(word, Qt.TextElideMode.ElideRight, px(LONGEST)) for word in words)
        longest = max((metrics.horizontalAdvance(word) for word in self._words), default=0)
        beside = self.orientation in ("left", "right")
        self.upright = not beside and (longest + 6) * len(self._words) > room
        # Said once: pyqtgraph would find the width while it paints, and lay everything out a second time.
        if beside:
            self.setWidth(longest + GAP + 3)
        else:
            self.setHeight((longest if self.upright else metrics.height()) + GAP)
        self.update()

    def mark(self, places: Sequence[int]) -> None:
        """Write these words in any case, the first of them first, and in the colour of the place one is at."""
        if tuple(places) != self._marked:
            self._marked = tuple(places)
            self.update()

    def setRange(self, mn: float, mx: float) -> None:
        # pyqtgraph's own would look for a fitting prefix of the unit, at each move.
        if (mn, mx) != tuple(self.range):
            self.range = (mn, mx)
            self.update()

    def written(self) -> list[tuple[int, float]]:
        """The words that are written now, the marked ones first: their place, and their middle in pixels."""
        low, high = sorted(self.range)
        beside = self.orientation in ("left", "right")
        rect = self.mapRectFromParent(self.geometry())
        length = rect.height() if beside else rect.width()
        if not length or high <= low or not self._words:
            return []
        unit = length / (high - low)
        height = QFontMetrics(self._font()).height() if beside or self.upright else 0
        all_fit = unit >= height * CLOSEST
        apart = height * (CLOSEST if all_fit else WELL_APART)
        start = rect.top() if beside else rect.left()
        found: list[tuple[int, float]] = []
        for i in self._marked:
            middle = start + (i + 0.5 - low) * unit
            if low <= i + 0.5 <= high and all(abs(middle - other) >= apart for _, other in found):
                found.append((i, middle))
        marked = [middle for _, middle in found]
        every = 1 if all_fit else ceil(apart / unit)
        first = int(low) // every * every
        for i in range(first, min(len(self._words), int(high) + 1), every):
            middle = start + (i + 0.5 - low) * unit
            if i not in self._marked and low <= i + 0.5 <= high and all(abs(middle - m) >= apart for m in marked):
                found.append((i, middle))
        return found

    def _font(self, bold: bool = False) -> QFont:
        font = QFont(self._bench.appearance.fonts.small)
        font.setBold(bold)
        return font

    def paint(self, painter: Any, option: Any, widget: Any) -> None:
        theme, rect = self._bench.appearance.theme, self.mapRectFromParent(self.geometry())
        fonts = self._font(), self._font(bold=True)
        colours = qcolor(theme.muted), qcolor(theme.here_text)
        middle = Qt.AlignmentFlag.AlignVCenter
        marked = set(self._marked)
        for i, at in self.written():
            here = i in marked
            painter.setFont(fonts[here])
            painter.setPen(colours[here])
            word = self._words[i]
            if self.orientation == "left":
                box = QRectF(rect.left(), at - 20, rect.width() - GAP, 40)
                painter.drawText(box, Qt.AlignmentFlag.AlignRight | middle, word)
            elif self.orientation == "right":
                box = QRectF(rect.left() + GAP, at - 20, rect.width() + 20, 40)
                painter.drawText(box, Qt.AlignmentFlag.AlignLeft | middle, word)
            elif self.upright:
                painter.save()
                painter.translate(QPointF(at, rect.bottom() - GAP))
                painter.rotate(-90)
                painter.drawText(QRectF(0, -20, 400, 40), Qt.AlignmentFlag.AlignLeft | middle, word)
                painter.restore()
            else:
                box = QRectF(at - 200, rect.top(), 400, rect.height() - GAP)
                painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, word)
