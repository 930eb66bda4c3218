"""Where the words of a map stand."""

from PySide6.QtCore import QPointF, QRectF

from explorer.ui.drawing.word_map import RINGS, lead


def test_a_word_that_stands_off_has_a_line_to_its_point():
    spot = QPointF(100, 100)
    assert lead(spot, QRectF(140, 90, 50, 14)) == QPointF(140, 100)
    assert lead(spot, QRectF(120, 120, 50, 14)) == QPointF(120, 120)
    assert lead(spot, QRectF(100 + RINGS[0], 93, 50, 14)) is None
