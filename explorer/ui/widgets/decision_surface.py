"""What a net with two inputs answers, point by point of the plane, with its cases and the lines of its hidden units."""

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QWidget

from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.pages.contour import level_lines
from explorer.ui.colour import qcolor
from explorer.ui.selection import Cell
from explorer.ui.widgets.handles import Handles
from explorer.ui.widgets.net_answers import CASES, NetAnswers
from explorer.ui.widgets.plot import DRAWABLE
from explorer.ui.workbench import Workbench

POINTS = 60
"""Along each side: 3,600 answers a picture."""
MOST_CASES, MOST_LINES = 200, 16
LEVEL = 1e-6
"""Answers that differ by less, as a part of the range of the colours, are one and the same: no border runs there."""


class _Marks(pg.GraphicsObject):
    """The cases, and the lines of the hidden units, all in one item's paint, in pixels."""

    def __init__(self, surface: "DecisionSurface") -> None:
        super().__init__()
        self._surface = surface

    def boundingRect(self) -> QRectF:
        return self._surface.window

    def paint(self, painter: QPainter, *args: Any) -> None:
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._lines(painter, to_pixels)
        self._cases(painter, to_pixels)
        painter.restore()

    def _lines(self, painter: QPainter, to_pixels: Any) -> None:
        """Each line with its name at its end and a foot on the side where the unit's sum is above 0."""
        surface, theme = self._surface, self._surface.bench.appearance.theme
        painter.setFont(surface.bench.appearance.fonts.small)
        metrics = painter.fontMetrics()
        inside = to_pixels.mapRect(surface.window).adjusted(2, 2, -2, -2)
        taken: list[QRectF] = []
        for name, (start, end), side in surface.lines:
            a, b = (to_pixels.map(QPointF(*map(float, p))) for p in (start, end))
            middle = (a + b) / 2
            foot = _of_length(to_pixels.map(QPointF(*map(float, (start + end) / 2 + side))) - middle, 9)
            # On a thin veil, so that they are seen on either end of the map, and the border through it.
            veil = QColor(theme.page)
            veil.setAlpha(120)
            for color, width, style in (
                (veil, 2.6, Qt.PenStyle.SolidLine),
                (qcolor(theme.text), 1.4, Qt.PenStyle.DashLine),
            ):
                painter.setPen(QPen(color, width, style, Qt.PenCapStyle.FlatCap))
                painter.drawLine(a, b)
                painter.setPen(QPen(color, width))
                painter.drawLine(middle, middle + foot)
            # The name stands at the upper end, on the side where the unit is on; lower where something is in the way.
            top = a if a.y() < b.y() else b
            wide, high = metrics.horizontalAdvance(name) + 6, metrics.height()
            for i in range(12):
                at = top + _of_length(middle - top, 16 + i * high) + foot * 1.6
                place = QRectF(at.x() - wide / 2, at.y() - high / 2, wide, high)
                if inside.contains(place) and not any(place.intersects(other) for other in taken):
                    break
            taken.append(place)
            self._label(painter, place, name, theme.text)

    def _label(self, painter: QPainter, place: QRectF, text: str, color: str) -> None:
        """Words that can be read on any colour of the map."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(self._surface.bench.appearance.theme.page))
        painter.drawRoundedRect(place, 3, 3)
        painter.setPen(qcolor(color))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _cases(self, painter: QPainter, to_pixels: Any) -> None:
        surface, appearance = self._surface, self._surface.bench.appearance
        theme, ramp = appearance.theme, appearance.theme.sequential_ramp
        bold = QFont(appearance.fonts.ui)
        bold.setBold(True)
        cell = surface.bench.selection.cell
        here = cell.index[0] if cell is not None and cell.node in surface.of_cases and cell.index else None
        for row, (x, y, target, answer, right) in enumerate(surface.cases):
            if not (abs(x) < DRAWABLE and abs(y) < DRAWABLE):
                continue
            middle, radius = to_pixels.map(QPointF(x, y)), appearance.px(12)
            colour = int(ramp.index(np.array(target), *surface.levels)) if target is not None else 0
            ring = theme.here if row == here else theme.text if right else theme.error
            painter.setPen(QPen(qcolor(theme.page), 6))
            painter.drawEllipse(middle, radius, radius)
            painter.setPen(QPen(qcolor(ring), 3 if row == here or not right else 1.8))
            painter.setBrush(ramp.colors[colour])
            painter.drawEllipse(middle, radius, radius)
            painter.setFont(bold)
            painter.setPen(QColor(ramp.text[colour]))
            box = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "" if target is None else f"{target:g}")
            said = f"{written(answer, 2)}{'' if right else ' ✗'}"
            painter.setFont(appearance.fonts.small)
            metrics = painter.fontMetrics()
            width = metrics.horizontalAdvance(said) + 8
            label = QRectF(middle.x() - width / 2, middle.y() + radius + 4, width, metrics.height())
            self._label(painter, label, said, theme.text if right else theme.error)


def _of_length(way: QPointF, length: float) -> QPointF:
    """The same way, so many pixels long."""
    now = float(np.hypot(way.x(), way.y()))
    return way * (length / now) if now else QPointF(0, 0)


class DecisionSurface(Handles):
    """The plane of the two inputs; colour is the answer, the thick line is where it is the threshold.

    Every case is a point with its target in it and its answer below; pointing at it is pointing at the answer, and
    dragging it edits the case. A dashed line for each hidden unit is where its sum is 0, with a foot on the side where
    it is above.

    Parameters
    ----------
    bench : Workbench

    Signals
    -------
    asked : str
        What the net answers where the mouse is.
    """

    asked = Signal(str)

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(bench, "", parent)
        self.net = NetAnswers(bench)
        self.window = QRectF(0, 0, 1, 1)
        self._framed: tuple[QRectF, tuple[str, ...]] | None = None
        self.levels = (0.0, 1.0)
        self.cases: list[tuple[float, float, float | None, float, bool]] = []
        self.lines: list[tuple[str, Array, Array]] = []
        self.border: Array = np.zeros((0, 2, 2))
        self.of_cases: tuple[str, ...] = ()
        self._image = pg.ImageItem()
        self._border = pg.PlotCurveItem(connect="pairs")
        self._marks = _Marks(self)
        self._marks.setZValue(5)
        for item in (self._image, self._border, self._marks):
            self.addItem(item)
        self.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for side in ("left", "bottom"):
            self.getAxis(side).enableAutoSIPrefix(False)
        self.setMouseTracking(True)
        self.setToolTip("Drag a case to move it; point at it for its answer")
        bench.selection.pointed.connect(self._mark)
        self.restyle()
        self.refresh()

    def reads(self) -> set[str]:
        return self.net.reads()

    def _mark(self) -> None:
        self._marks.update()

    # Drawing

    def refresh(self) -> None:
        """Ask the net anew, for the cases and for the points of the grid."""
        if self.net.features != 2:
            return  # another graph: the page is about to be made anew
        if not self.held:
            self._frame()
        x = np.linspace(self.window.left(), self.window.right(), POINTS)
        y = np.linspace(self.window.top(), self.window.bottom(), POINTS)
        grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        answers = self.net.over(grid, self.net.output).reshape(POINTS, POINTS)
        self.levels = low, high = self.net.levels()
        self._image.setImage(
            np.nan_to_num(answers, nan=low, posinf=high, neginf=low), autoLevels=False, levels=(low, high)
        )
        half = (x[1] - x[0]) / 2
        self._image.setRect(self.window.adjusted(-half, -half, half, half))
        with np.errstate(invalid="ignore"):
            same = np.ptp(answers) < LEVEL * (high - low)
        self.border = np.zeros((0, 2, 2)) if same else level_lines(answers, x, y, self.net.threshold())
        self._border.setData(*self.border.reshape(-1, 2).T)
        self.lines = self._hidden_lines()
        self._read_cases()
        self._marks.update()
        self.say(self.summary())

    def _frame(self) -> None:
        """A square around the cases, with some room."""
        cases = self.net.cases()
        finite = cases[(np.abs(cases) < DRAWABLE).all(-1)]
        if not len(finite):
            finite = np.zeros((1, 2))
        middle = (finite.min(0) + finite.max(0)) / 2
        reach = 0.75 * float(np.ptp(finite, axis=0).max() or 1.0)
        left, bottom = middle - reach
        window = QRectF(float(left), float(bottom), 2 * reach, 2 * reach)
        names = tuple(self.net.names(CASES, 1))
        if (window, names) == self._framed:
            return  # pyqtgraph lays the axes out anew for the same, too
        self._marks.prepareGeometryChange()
        self.window = window
        self._framed = window, names
        self.getViewBox().setRange(window, padding=0, disableAutoRange=True)
        power = 10.0 ** np.floor(np.log10(2 * reach))
        step = power if 2 * reach >= 2 * power else power / 2
        for side, name in zip(("bottom", "left"), names, strict=True):
            self.setLabel(side, name)
            self.getAxis(side).setTickSpacing(step, step)

    def _hidden_lines(self) -> list[tuple[str, Array, Array]]:
        """For each hidden unit its name, the two ends of its line, and a way to the side where its sum is above 0."""
        node = self.net.hidden
        names = self.net.names(node, 1) if node else ()
        if node is None or len(names) > MOST_LINES:
            return []
        # A sum of products is flat: its corners say where it is 0.
        x = np.array([self.window.left(), self.window.right()])
        y = np.array([self.window.top(), self.window.bottom()])
        corners = self.net.over(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2), node).reshape(2, 2, -1)
        lines = []
        for unit, name in enumerate(names):
            sums = corners[..., unit]
            if not (np.abs(sums) < DRAWABLE).all():
                continue
            steepest = np.array([sums[0, 1] - sums[0, 0], sums[1, 0] - sums[0, 0]])
            for ends in level_lines(sums, x, y, 0.0):
                lines.append((name, ends, steepest * self.window.width() / (np.abs(steepest).max() or 1.0)))
        return lines

    def _read_cases(self) -> None:
        cases, answers, right, targets = self.net.cases(), self.net.answers(), self.net.right(), self.net.targets()
        self.of_cases = (CASES, self.net.output)
        self.cases = [
            (
                float(cases[i, 0]),
                float(cases[i, 1]),
                None if targets is None else float(targets[i]),
                float(answers[i]),
                bool(right[i]),
            )
            for i in range(min(len(cases), MOST_CASES))
        ]

    def summary(self) -> str:
        """The picture in a sentence."""
        right = self.net.right()
        names = self.net.names(CASES, 0)
        said = "; ".join(
            f"{name}: {written(case[3], 2)}" for name, case in list(zip(names, self.cases, strict=False))[:12]
        )
        threshold = f"{self.net.threshold():g}"
        border = "" if len(self.border) else f" The answer crosses {threshold} nowhere here."
        found = f"{int(right.sum())} of {len(right)} on the right side of {threshold}"
        return f"Answers in the plane: {found}. {said}.{border}"

    def restyle(self) -> None:
        super().restyle()
        theme = self.bench.appearance.theme
        self._image.setLookupTable(theme.sequential_ramp.table)
        self._border.setPen(pg.mkPen(theme.here, width=4))
        self._marks.update()

    # Cases as points

    def places(self) -> Array:
        return self.net.cases()[:MOST_CASES]

    def cell_of(self, row: int) -> Cell:
        return Cell(self.net.output, (row, 0))

    def moved_to(self, row: int, x: float, y: float) -> tuple[str, dict[tuple[int, ...], float]]:
        return CASES, {(row, 0): x, (row, 1): y}

    def mouseMoveEvent(self, event: Any) -> None:
        super().mouseMoveEvent(event)
        point = self._at(event)
        answer = float(self.net.over(np.array([[point.x(), point.y()]]), self.net.output)[0, 0])
        a, b = self.net.names(CASES, 1)
        self.asked.emit(
            f"At {a} = {written(point.x(), 2)}, {b} = {written(point.y(), 2)} it answers {written(answer, 3)}"
        )
