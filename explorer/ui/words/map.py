"""A map: words and their neighbours in the two directions in which they differ most."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QPushButton, QSpinBox, QToolTip

from explorer.core.numbers import written
from explorer.ui.colour import qcolor
from explorer.ui.widgets.arrow import draw_arrow
from explorer.ui.widgets.plot import Plot
from explorer.ui.words.card import Card, label
from explorer.ui.words.fields import WordField
from explorer.ui.words.store import Store
from explorer.ui.workbench import Workbench
from explorer.words import projection, similarity

GRIP = 12  # pixels around a point within which it is pointed at
ZOOM = 0.7
MOST = 12


class _Points(pg.GraphicsObject):
    """All points, words and arrows in one item's paint."""

    def __init__(self, map_: "Map") -> None:
        super().__init__()
        self._map = map_

    def boundingRect(self) -> QRectF:
        low, high = self._map.points.min(0, initial=-1.0), self._map.points.max(0, initial=1.0)
        return QRectF(low[0], low[1], high[0] - low[0], high[1] - low[1])

    def paint(self, painter: Any, *args: Any) -> None:
        map_ = self._map
        theme, fonts = map_.bench.appearance.theme, map_.bench.appearance.fonts
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        spots = [to_pixels.map(QPointF(x, y)) for x, y in map_.points.tolist()]
        if map_.arrows and map_.origin is not None:
            start = to_pixels.map(QPointF(*map_.origin))
            for i in sorted(map_.strong):
                draw_arrow(painter, start, spots[i], qcolor(theme.accent_line))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(theme.muted))
            painter.drawEllipse(start, 3.5, 3.5)
            painter.setFont(fonts.small)
            painter.setPen(qcolor(theme.muted))
            painter.drawText(start + QPointF(6, 14), "origin")
        taken: list[QRectF] = []
        order = sorted(range(len(spots)), key=lambda i: (i != map_.here, i not in map_.strong, i))
        for i in order:
            here, strong, spot = i == map_.here, i in map_.strong, spots[i]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(theme.here if here else theme.accent_line if strong else theme.series[2]))
            size = 5.5 if here or strong else 3.5
            painter.drawEllipse(spot, size, size)
            font = fonts.ui if strong or here else fonts.small
            painter.setFont(font)
            metrics = painter.fontMetrics()
            wide, high = metrics.horizontalAdvance(map_.labels[i]) + 2, metrics.height()
            # A word that has no room beside its point stays unwritten until one points at it or zooms in.
            for left, top in ((7, -high / 2), (-7 - wide, -high / 2), (-wide / 2, -high - 5), (-wide / 2, 5)):
                place = QRectF(spot.x() + left, spot.y() + top, wide, high)
                if not any(place.intersects(other) for other in taken):
                    taken.append(place)
                    painter.setPen(qcolor(theme.here_text if here else theme.text if strong else theme.muted))
                    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, map_.labels[i])
                    break
            taken.append(QRectF(spot.x() - 4, spot.y() - 4, 8, 8))
        painter.restore()


class Map(Plot):
    """Points with their words: drag to move, Ctrl+wheel to zoom, click a point for its neighbours.

    Parameters
    ----------
    bench : Workbench

    Signals
    -------
    clicked : str
        A word.
    """

    clicked = Signal(str)

    def __init__(self, bench: Workbench) -> None:
        self.points: NDArray[np.float64] = np.zeros((0, 2))
        self.labels: Sequence[str] = ()
        self.strong: set[int] = set()
        self.origin: tuple[float, float] | None = None
        self.arrows = False
        self.here: int | None = None
        super().__init__(bench, "")
        self._item = _Points(self)
        self.addItem(self._item)
        self.setAspectLocked(True)
        self.setMouseEnabled(True, True)
        for side in ("left", "bottom"):
            self.getAxis(side).enableAutoSIPrefix(False)
        self.showGrid(x=True, y=True, alpha=0.12)
        self.scene().sigMouseMoved.connect(self._moved)
        self.scene().sigMouseClicked.connect(self._clicked)
        self.setFixedHeight(bench.appearance.px(460))
        self.restyle()

    def reads(self) -> set[str]:
        return set()

    def refresh(self) -> None:
        """Nothing of it comes from the model."""

    def restyle(self) -> None:
        super().restyle()
        self.setBackground(self.bench.appearance.theme.surface)
        self.setFixedHeight(self.bench.appearance.px(460))
        if hasattr(self, "_item"):
            self._item.update()

    def show_points(
        self,
        words: Sequence[str],
        points: NDArray[np.float64],
        strong: set[int],
        origin: tuple[float, float],
        shares: Sequence[float],
    ) -> None:
        """Show other words."""
        self._item.prepareGeometryChange()
        self.labels, self.points, self.strong, self.origin, self.here = words, points, strong, origin, None
        self.setLabel("bottom", f"first direction, {shares[0]:.0%} of the variance")
        self.setLabel("left", f"second direction, {shares[1]:.0%}")
        each = (f"{words[i]} ({x:.2f}, {y:.2f})" for i, (x, y) in enumerate(points.tolist()) if i in strong)
        self.say("Map of words: " + "; ".join(each) + f"; and {len(words) - len(strong)} neighbours")
        self.fit_all()

    def fit_all(self) -> None:
        """Bring all of it into sight."""
        points = self.points
        if self.arrows and self.origin is not None:
            points = np.vstack([points, self.origin])
        low, high = points.min(0), points.max(0)
        room = max(float((high - low).max()) * 0.1, 0.1)
        rect = QRectF(low[0] - room, low[1] - room, high[0] - low[0] + 2 * room, high[1] - low[1] + 2 * room)
        self.getViewBox().setRange(rect, padding=0, disableAutoRange=True)
        self._item.update()

    def zoom(self, factor: float) -> None:
        """Come nearer (below 1) or go away."""
        self.getViewBox().scaleBy((factor, factor))

    def wheelEvent(self, event: Any) -> None:
        """The wheel scrolls the page; with Ctrl it zooms."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            pg.PlotWidget.wheelEvent(self, event)
        else:
            event.ignore()

    def _near(self, position: Any) -> int | None:
        if not len(self.points):
            return None
        box = self.getViewBox()
        spots = [box.mapViewToScene(QPointF(x, y)) for x, y in self.points.tolist()]
        far = [abs(spot.x() - position.x()) + abs(spot.y() - position.y()) for spot in spots]
        near = int(np.argmin(far))
        return near if far[near] <= GRIP else None

    def _moved(self, position: Any) -> None:
        near = self._near(position)
        if near != self.here:
            self.here = near
            self.setCursor(Qt.CursorShape.ArrowCursor if near is None else Qt.CursorShape.PointingHandCursor)
            if near is not None:
                x, y = (written(float(v), 2) for v in self.points[near])
                spot = self.mapToGlobal(self.mapFromScene(position))
                QToolTip.showText(spot, f"{self.labels[near]} ({x}, {y}): click for its neighbours", self)
            self._item.update()

    def _clicked(self, event: Any) -> None:
        near = self._near(event.scenePos())
        if near is not None and event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self.clicked.emit(self.labels[near])

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self.here = None
        self._item.update()


class MapCard(Card):
    """Chosen words and so many neighbours of each."""

    def __init__(self, bench: Workbench, store: Store) -> None:
        about = (
            "Principal components: the two directions in which these words differ most. What is near here is often, "
            "not always, near in all dimensions."
        )
        super().__init__(bench, store, "Map", about)
        self.field = WordField(bench, store, f"Up to {MOST} words", 380)
        self.field.entered.connect(self.compute)
        self.neighbours = QSpinBox(minimum=0, maximum=20, value=6)
        self.neighbours.setAccessibleName("Neighbours of each word")
        self.neighbours.setToolTip("How many neighbours of each word are drawn")
        self.neighbours.valueChanged.connect(self.compute)
        self.arrows = QCheckBox("arrows from the origin")
        self.arrows.setToolTip("Draw the words as arrows from the place where all numbers are 0")
        self.arrows.toggled.connect(self._set_arrows)
        self.map = Map(bench)
        buttons = []
        for title, tip, act in (
            ("+", "Zoom in; also Ctrl and the wheel", partial(self.map.zoom, ZOOM)),
            ("−", "Zoom out", partial(self.map.zoom, 1 / ZOOM)),
            ("All", "Bring everything into sight", self.map.fit_all),
        ):
            button = QPushButton(title)
            button.setToolTip(tip)
            button.setAccessibleName(tip.partition(";")[0])
            button.clicked.connect(lambda _=False, act=act: act())
            buttons.append(button)
        self.line("Words", self.field, "neighbours of each", self.neighbours, self.arrows, *buttons)
        self.map.clicked.connect(self._grow)
        self.page.addWidget(self.map)
        self.said = label("", "small", wrap=True)
        self.page.addWidget(self.said)

    def load(self) -> None:
        if not self.field.keeps():
            self.field.set(self.store.pick(("king", "river", "monday", "doctor", "horse"), 5))
        self.compute()

    def compute(self) -> None:
        """Find the neighbours and the two directions, and draw."""
        words = self.field.words(1, MOST)
        if words is None:
            return
        chosen = list(dict.fromkeys(words))
        everyone = list(chosen)
        for word in chosen:
            n = self.neighbours.value()
            everyone += [one.word for one in (similarity.nearest(self.vectors, word, n) if n else [])]
        everyone = list(dict.fromkeys(everyone))
        table = similarity.table(self.vectors, everyone)
        if table.shape[1] < 2:
            table = np.hstack([table, np.zeros_like(table)])
        plane = projection.principal(table, 2)
        origin = plane.of(np.zeros((1, table.shape[1])))[0]
        where = float(origin[0]), float(origin[1])
        strong = set(range(len(chosen)))
        self.map.show_points(everyone, plane.points, strong, where, plane.shares.tolist())
        self.said.setText(
            f"{len(everyone)} words; the two directions hold {plane.kept:.0%} of how they differ. Click a point to add "
            "its neighbours; drag to move, Ctrl and the wheel to zoom."
        )

    def _set_arrows(self, on: bool) -> None:
        self.map.arrows = on
        self.map.fit_all()

    def _grow(self, word: str) -> None:
        words = list(dict.fromkeys([*self.field.entries(), word]))[-MOST:]
        self.field.set(words)
        self.compute()
        self.store.go_to(word)
