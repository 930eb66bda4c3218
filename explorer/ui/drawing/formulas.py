"""Formulas in a drawing: typeset once, painted at any size."""

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtSvg import QSvgRenderer

from explorer.ui.widgets.formula import UNIT, can_typeset_now, typeset

LEAST = 0.7
"""How much smaller than words a formula may be, to fit; one that is still longer is left out."""


class Formulas:
    """Paints formulas. Until the typesetter is loaded it leaves them out."""

    def __init__(self) -> None:
        self.missing = False  # whether one was left out, so that the typesetter should be loaded (`is_loaded`)
        self._outlines: dict[tuple[bytes, str], QSvgRenderer] = {}

    def paint(self, painter: QPainter, latex: str, rect: QRectF, pixels: float, ink: QColor) -> None:
        """Paint a formula at the left of a line, in its middle."""
        if not can_typeset_now():
            self.missing = True
            return
        found = typeset(latex)
        if found is None:
            return
        scale = pixels / UNIT
        high = found.above + found.below
        scale *= min(1.0, rect.width() / (found.width * scale), rect.height() / (high * scale))
        if scale < LEAST * pixels / UNIT:
            return
        wide, high = found.width * scale, high * scale
        place = QRectF(rect.left(), rect.center().y() - high / 2, wide, high)
        key = found.svg, ink.name()
        if key not in self._outlines:
            self._outlines[key] = QSvgRenderer(QByteArray(found.svg.replace(b"currentColor", ink.name().encode())))
        self._outlines[key].render(painter, place)
