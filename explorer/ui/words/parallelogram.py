"""The picture of an analogy: two arrows that are the same vector."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.ui.colour import qcolor
from explorer.ui.drawing.arrow import draw_arrow
from explorer.ui.workbench import Workbench


class Parallelogram(QWidget):
    """a, b, c, the place where a − b + c leads, and the nearest word, in the plane that shows them best."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.points: NDArray[np.float64] = np.zeros((0, 2))
        self.labels: list[str] = []
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        px = self._bench.appearance.px
        return QSize(px(520), px(300))

    def show_points(self, points: NDArray[np.float64], labels: list[str]) -> None:
        """Draw others: a, b, c, a − b + c and the answer, (5, 2)."""
        self.points, self.labels = points, labels
        a, b, c, _, answer = labels
        self.setAccessibleName(f"The way from {b} to {a}, begun at {c}, ends near {answer}")
        self.setToolTip("The two arrows are the same vector; the dashed line goes from its end to the nearest word")
        self.update()

    def paintEvent(self, event: Any) -> None:
        if not len(self.points):
            return
        appearance = self._bench.appearance
        theme, fonts = appearance.theme, appearance.fonts
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        low, high = self.points.min(0), self.points.max(0)
        painter.setFont(fonts.ui)
        metrics = painter.fontMetrics()
        edge_x = max(metrics.horizontalAdvance(text) for text in self.labels) + 14
        edge_y = appearance.px(34)
        spread = np.maximum(high - low, 1e-9)
        scale = float(min((self.width() - 2 * edge_x) / spread[0], (self.height() - 2 * edge_y) / spread[1]))
        middle = (low + high) / 2
        spots = [
            QPointF(self.width() / 2 + (x - middle[0]) * scale, self.height() / 2 - (y - middle[1]) * scale)
            for x, y in self.points.tolist()
        ]
        a, b, c, target, answer = spots
        draw_arrow(painter, b, a, qcolor(theme.accent_line))
        draw_arrow(painter, c, target, qcolor(theme.accent_line))
        painter.setPen(QPen(qcolor(theme.muted), 1.2, Qt.PenStyle.DotLine))
        painter.drawLine(b, c)
        painter.drawLine(a, target)
        painter.setPen(QPen(qcolor(theme.here), 1.6, Qt.PenStyle.DashLine))
        painter.drawLine(target, answer)
        taken: list[QRectF] = []
        centre = QPointF(sum(spot.x() for spot in spots) / 5, sum(spot.y() for spot in spots) / 5)
        for i, (spot, text) in enumerate(zip(spots, self.labels, strict=True)):
            here = i == 4
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(theme.here if here else theme.muted if i == 3 else theme.series[0]))
            painter.drawEllipse(spot, 4.5, 4.5)
            wide = metrics.horizontalAdvance(text) + 2
            # Outside of its point: the lines run inside.
            way = spot - centre
            below = way.y() >= 0
            if abs(way.x()) > 1.2 * abs(way.y()):
                left, top = (8.0 if way.x() > 0 else -8.0 - wide), -metrics.height() / 2
            else:
                left, top = -wide / 2, (7 if below else -7 - metrics.height())
            place = QRectF(spot.x() + left, spot.y() + top, wide, metrics.height())
            step = metrics.height() * (1 if below else -1)
            while any(place.intersects(other) for other in taken):
                place.translate(0, step)
            taken.append(place)
            painter.setPen(qcolor(theme.here_text if here else theme.muted if i == 3 else theme.text))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
        painter.end()
