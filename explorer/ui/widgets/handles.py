"""Cases in a picture as points to point at and to drag: a drag is one undo step."""

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, Qt

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.document.commands import SetCells
from explorer.ui.errors import show_error
from explorer.ui.selection import Cell
from explorer.ui.widgets.plot import DRAWABLE, Plot

GRIP = 14  # pixels around a point within which it is gripped


class Handles(Plot):
    """A plot with a point for each case. Subclasses say where the points are and what moving one sets."""

    _held: int | None = None
    _stroke: object = None

    def places(self) -> Array:
        """Where the points are, (n, 2)."""
        raise NotImplementedError(type(self).__name__)

    def cell_of(self, row: int) -> Cell:
        """The number that is looked at where one points at a point."""
        raise NotImplementedError(type(self).__name__)

    def moved_to(self, row: int, x: float, y: float) -> tuple[str, dict[tuple[int, ...], float]]:
        """The node, and its cells, that moving a point there sets."""
        raise NotImplementedError(type(self).__name__)

    @property
    def held(self) -> bool:
        """Whether a point is being dragged: the frame then stays where it is."""
        return self._held is not None

    def _at(self, event: Any) -> QPointF:
        point: QPointF = self.getViewBox().mapSceneToView(self.mapToScene(event.position().toPoint()))
        return point

    def _near(self, event: Any) -> int | None:
        """The point under the mouse."""
        places, mouse, box = self.places(), event.position(), self.getViewBox()
        near = np.flatnonzero((np.abs(places) < DRAWABLE).all(-1))
        pixels = [self.mapFromScene(box.mapViewToScene(QPointF(*map(float, places[i])))) for i in near]
        distances = [float(np.hypot(p.x() - mouse.x(), p.y() - mouse.y())) for p in pixels]
        if not distances or min(distances) > GRIP:
            return None
        return int(near[int(np.argmin(distances))])

    def mousePressEvent(self, event: Any) -> None:
        self._held = self._near(event) if event.button() == Qt.MouseButton.LeftButton else None
        self._stroke = object()
        if self._held is not None:
            self.bench.selection.choose(self.cell_of(self._held))

    def mouseMoveEvent(self, event: Any) -> None:
        if self._held is None:
            near = self._near(event)
            self.setCursor(Qt.CursorShape.OpenHandCursor if near is not None else Qt.CursorShape.ArrowCursor)
            if near is not None:
                self.bench.selection.point(self.cell_of(near))
            return
        point = self._at(event)
        # Hundredths: finer than a pixel, and numbers that can be read.
        node, cells = self.moved_to(self._held, round(point.x(), 2), round(point.y(), 2))
        try:
            self.bench.document.do(SetCells(node, cells, self._stroke))
        except ExplorerError as error:
            show_error(error, self)

    def mouseReleaseEvent(self, event: Any) -> None:
        if self._held is not None:
            self._held = None
            self.refresh()

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self.bench.selection.leave()
