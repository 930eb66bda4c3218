"""A ring that shows how much of something is done."""

from PySide6.QtCore import QEasingCurve, QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.numbers import percent
from explorer.ui.appearance import Appearance
from explorer.ui.theme import qcolor

WIDE, LINE, FILLS_MS = 22, 3.5, 700
"""The diameter and the thickness in pixels at text scale 1, and how long the ring takes to fill."""


class Ring(QWidget):
    """A ring of which a share is filled; a whole one has a tick inside.

    `size`: pixels at text scale 1.
    """

    def __init__(self, appearance: Appearance, name: str, size: int = WIDE, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.share = self._shown = 0.0
        self._filling = QVariantAnimation(self)
        self._filling.setDuration(FILLS_MS)
        self._filling.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._filling.valueChanged.connect(self._be)
        self.setFixedSize(appearance.px(size), appearance.px(size))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        """As large as it is: what stands below it begins there."""
        return self.minimumSize()

    def show_share(self, share: float, fills: bool = False) -> None:
        """Show how far one is, from 0 to 1. `fills`: from nothing, before one's eyes, unless little should move."""
        self.share = share
        self.setAccessibleDescription(percent(share))
        self.setToolTip(f"{percent(share)} gone through")
        self._filling.stop()
        if fills and self._appearance.moves:
            self._filling.setStartValue(0.0)
            self._filling.setEndValue(share)
            self._filling.start()
        else:
            self._be(share)

    def _be(self, share: object) -> None:
        self._shown = float(share)  # type: ignore[arg-type]
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_ring(painter, QRectF(self.rect()), self._shown, self._appearance)
        painter.end()


def draw_ring(painter: QPainter, place: QRectF, share: float, appearance: Appearance) -> None:
    """Draw a ring into a square, filled by a share from 0 to 1, with a tick inside when it is whole."""
    theme, thick = appearance.theme, LINE * appearance.scale
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    around = place.adjusted(thick / 2, thick / 2, -thick / 2, -thick / 2)
    painter.setPen(QPen(qcolor(theme.line), thick))
    painter.drawEllipse(around)
    if share > 0:
        painter.setPen(QPen(qcolor(theme.accent), thick, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawArc(around, 90 * 16, -round(360 * 16 * share))
    if share >= 1:
        painter.setPen(qcolor(theme.accent_text))
        painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), "✓")
    painter.restore()
