"""Two vectors drawn as arrows at the angle between them."""

from math import cos, radians, sin
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.numbers import written
from explorer.ui.colour import qcolor
from explorer.ui.drawing.arrow import draw_arrow
from explorer.ui.workbench import Workbench
from explorer.words.similarity import PairCosine


class AnglePicture(QWidget):
    """Two arrows as long as the vectors, at the angle between them."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.cosine: PairCosine | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        px = self._bench.appearance.px
        return QSize(px(240), px(270))

    def show_cosine(self, cosine: PairCosine) -> None:
        """Draw another pair."""
        self.cosine = cosine
        a, b = cosine.words
        self.setAccessibleName(f"{a} and {b} drawn as arrows at an angle of {cosine.angle:.1f} degrees")
        self.setToolTip(
            "The plane of the two vectors: lengths and angle are exact, the direction of the first is chosen freely"
        )
        self.update()

    def paintEvent(self, event: Any) -> None:
        if self.cosine is None:
            return
        appearance = self._bench.appearance
        theme, fonts = appearance.theme, appearance.fonts
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(fonts.small)
        metrics = painter.fontMetrics()
        lengths = [float(norm) for norm in self.cosine.norms]
        half = self.cosine.angle / 2
        # The pair stands upright in the middle, so that any angle up to 180° has room.
        ways = [
            (lengths[i] * sin(radians(side * half)), lengths[i] * cos(radians(half))) for i, side in ((0, -1), (1, 1))
        ]
        edge, line = appearance.px(30), metrics.height() + 6
        width = max(max(x for x, _ in ways), 0.0) - min(min(x for x, _ in ways), 0.0)
        height = max(max(y for _, y in ways), 1e-9)
        scale = min((self.width() - 2 * edge) / max(width, 1e-9), (self.height() - 2 * line - 8) / height)
        origin = QPointF(edge - min(min(x for x, _ in ways), 0.0) * scale, self.height() - line)
        origin.setX(origin.x() + max(self.width() - 2 * edge - width * scale, 0) / 2)
        arc = min(min(lengths) * scale * 0.45, 54.0)
        painter.setPen(QPen(qcolor(theme.here), 2))
        around = QRectF(origin.x() - arc, origin.y() - arc, 2 * arc, 2 * arc)
        painter.drawArc(around, round((90 - half) * 16), round(2 * half * 16))
        for (x, y), word, color in zip(ways, self.cosine.words, (theme.accent_line, theme.series[0]), strict=True):
            tip = origin + QPointF(x * scale, -y * scale)
            draw_arrow(painter, origin, tip, qcolor(color))
            painter.setPen(qcolor(theme.text))
            wide = metrics.horizontalAdvance(word)
            left = tip.x() - wide - 4 if x < 0 else tip.x() + 4
            left = min(max(left, 2.0), self.width() - wide - 2.0)
            painter.drawText(QPointF(left, max(tip.y() - 5, metrics.ascent())), word)
        painter.setPen(qcolor(theme.here_text))
        below = QRectF(0, origin.y() + 2, self.width(), line)
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, f"{written(self.cosine.angle, 1)}°")
        painter.end()
