"""What all pyqtgraph pictures share: no frame, no menu, the theme's colours, and a summary in words."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import ceil
from typing import Any

import pyqtgraph as pg
import shiboken6
from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from explorer.ui.colour import qcolor
from explorer.ui.theme import Theme
from explorer.ui.workbench import Workbench

# An image's first index is its row, as in a matrix. With a rate limit, the last move of a quick hand would be lost.
pg.setConfigOptions(imageAxisOrder="row-major", antialias=True, mouseRateLimit=0)

Key = Qt.Key
ARROWS = {Key.Key_Up: (-1, 0), Key.Key_Down: (1, 0), Key.Key_Left: (0, -1), Key.Key_Right: (0, 1)}

DRAWABLE = 1e30
"""Numbers beyond cannot be drawn: their squares overflow on the way to pixels."""


class Axis(pg.AxisItem):
    """An axis whose numbers have a true minus sign."""

    def tickStrings(self, values: Any, scale: float, spacing: float) -> list[str]:
        return [text.replace("-", "−") for text in super().tickStrings(values, scale, spacing)]

    upright = False
    """Whether the labels stand on end, because beside each other they would overlap."""

    def stand(self, upright: bool, room: float) -> None:
        """Let the labels stand on end, with so many pixels for the longest."""
        self.upright = upright
        title = self.label.boundingRect().height() if self.label.isVisible() else 0
        self.setHeight(room + title if upright else None)
        self.setStyle(hideOverlappingLabels=not upright)

    def drawPicture(self, p: Any, axisSpec: Any, tickSpecs: Any, textSpecs: Any) -> None:
        super().drawPicture(p, axisSpec, tickSpecs, [] if self.upright else textSpecs)
        if not self.upright:
            return
        p.setFont(self.style["tickFont"])
        p.setPen(self.textPen())
        foot = self.boundingRect().bottom() - 4
        for rect, _, text in textSpecs:
            p.save()
            p.translate(rect.center().x(), foot)
            p.rotate(-90)
            p.drawText(QRectF(0, -20, 400, 40), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
            p.restore()


class Plot(pg.PlotWidget):
    """A plot on the page's own ground.

    Parameters
    ----------
    bench : Workbench
    name : str
        The node, or head's slice of one, that is drawn.
    axis : callable
        Makes the axis of a side.
    """

    fixed = False
    """Whether it stays with its head when another is looked at."""
    words: tuple[str, ...] = ()
    """Other nodes that the words in the picture come from."""
    walked = False
    """Whether Tab comes to it, and arrows go from place to place in it."""

    def __init__(
        self, bench: Workbench, name: str, parent: QWidget | None = None, axis: Callable[[str], pg.AxisItem] = Axis
    ) -> None:
        axes = {side: axis(side) for side in ("left", "bottom", "right", "top")}
        super().__init__(parent, enableMenu=False, axisItems=axes)
        item = self.getPlotItem()
        # pyqtgraph makes a menu for each plot, also where none is shown, and gives it no parent. Held by a ring of
        # references alone, it would be for Python's collector to delete, on any thread and amid any repolishing.
        self.destroyed.connect(partial(_delete, item.ctrlMenu, item.stateGroup))
        self.bench = bench
        self.name = name
        self._ticks: dict[str, tuple[tuple[str, ...], float, int]] = {}
        for side in ("right", "top"):
            self.hideAxis(side)
        self.hideButtons()
        self.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if self.walked else Qt.FocusPolicy.NoFocus)
        self.setMouseEnabled(False, False)
        for part in (self, self.viewport()):
            part.setAcceptDrops(False)  # a file is dropped on the window
        item.setContentsMargins(0, 0, 0, 0)

    def reads(self) -> set[str]:
        """The nodes whose change concerns the picture: what it draws, and the words beside it."""
        graph = self.bench.document.engine.graph
        place = graph.place(self.name)
        return {place.node, *(f"{axis}.tokens" for axis in graph.axes_of(place)), *self.words}

    def show_head(self, of_head: Callable[[str], str]) -> None:
        """Draw the same node of another head, where a head's slice is drawn."""
        if not self.name:
            return  # a picture of several nodes
        place = self.bench.document.engine.graph.place(self.name)
        if place.head is not None and not self.fixed:
            self.name = of_head(place.node.rpartition(".")[2])
            self.refresh()

    def refresh(self) -> None:
        """Read the numbers anew."""
        raise NotImplementedError(type(self).__name__)

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        appearance = self.bench.appearance
        theme: Theme = appearance.theme
        self.setBackground(theme.page)
        for side in ("left", "right", "top", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(theme.line_strong)
            axis.setTextPen(theme.muted)
            axis.setStyle(tickFont=appearance.fonts.small, tickLength=0)
            axis.label.setFont(appearance.fonts.ui)
            if axis.label.isVisible():
                axis.showLabel()  # with room for it in its new size

    def ticks(self, side: str, labels: Sequence[str], at: float = 0.5, most: int = 24) -> None:
        """Write labels along a side, one for each unit; of many only as many as can be read."""
        wanted = tuple(labels), at, most
        if self._ticks.get(side) == wanted:
            return  # pyqtgraph lays an axis out anew for the same ticks, too, and that takes longer than the picture
        self._ticks[side] = wanted
        axis, longest = self.getAxis(side), self._longest(side)
        every = max(1, -(-len(labels) // most))
        if side == "left":
            # pyqtgraph finds out while it paints, and until then leaves out the labels that do not fit.
            axis.setStyle(autoExpandTextSpace=False, tickTextWidth=longest + 2)
        elif side == "top":
            beside = self._longest("left") + 2 * QFontMetrics(self.bench.appearance.fonts.small).height()
            each = max(self.width() - beside - 16, 1) / max(len(labels), 1)
            if every > 1:
                every = max(every, ceil((longest + 6) / each))  # rather fewer than on end
            axis.stand(longest + 6 > each * every, longest + 10)
        axis.setTicks([[(i + at, label[:14]) for i, label in enumerate(labels) if i % every == 0]])

    def _longest(self, side: str) -> int:
        """Pixels of the longest label along a side."""
        metrics = QFontMetrics(self.bench.appearance.fonts.small)
        labels = self._ticks[side][0] if side in self._ticks else ()
        return max((metrics.horizontalAdvance(label[:14]) for label in labels), default=0)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        # pyqtgraph's own constructor calls this, too.
        if "top" in getattr(self, "_ticks", ()):
            self.ticks("top", *self._ticks.pop("top"))

    def fit(self, labels: int) -> None:
        """Be high enough for so many labels beside each other, within what one can take in."""
        px = self.bench.appearance.px
        self.setFixedHeight(px(min(max(150, 24 * labels + 30), 460)))

    def say(self, summary: str) -> None:
        """The picture in words, for a screen reader."""
        self.setAccessibleName(summary)

    def tell(self, words: str) -> None:
        """What is at the place pointed at, for a screen reader."""
        self.setAccessibleDescription(words)

    def wheelEvent(self, event: Any) -> None:
        """Leave the wheel to the page."""
        event.ignore()

    # The keys

    def walk(self, down: int, across: int) -> None:
        """Point at the place beside the one that is pointed at."""
        raise NotImplementedError(type(self).__name__)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        arrow = ARROWS.get(Key(event.key()))
        if self.walked and arrow is not None:
            self.walk(*arrow)
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self.viewport())
            painter.setPen(QPen(qcolor(self.bench.appearance.theme.focus), 2))
            inside = self.mapFromScene(self.getViewBox().sceneBoundingRect()).boundingRect()
            painter.drawRect(inside.adjusted(-2, -2, 2, 2))


class Picture(Plot):
    """A plot of what its panel reads from the engine, more than one node perhaps.

    Parameters
    ----------
    bench : Workbench
    read : callable
        Gives what to show.
    reads : iterable of str
        The nodes whose change concerns it.
    """

    def __init__(
        self, bench: Workbench, read: Callable[[], Any], reads: Iterable[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(bench, "", parent)
        self._read = read
        self._reads = set(reads)

    def reads(self) -> set[str]:
        return self._reads


def _delete(*objects: QObject) -> None:
    for one in objects:
        if shiboken6.isValid(one):
            shiboken6.delete(one)
