"""Where the words of a map stand."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt

from explorer.pages.drawing import WordMap
from explorer.ui.drawing.word_map import RINGS, WordMapView, lead


def test_a_word_that_stands_off_has_a_line_to_its_point():
    spot = QPointF(100, 100)
    assert lead(spot, QRectF(140, 90, 50, 14)) == QPointF(140, 100)
    assert lead(spot, QRectF(120, 120, 50, 14)) == QPointF(120, 120)
    assert lead(spot, QRectF(100 + RINGS[0], 93, 50, 14)) is None


def test_a_screen_reader_says_the_word_that_the_keys_have_come_to(bench, show, hand):
    shown = WordMap("map", ("apple", "pear"), np.array([[0.0, 0.0], [1.0, 0.0]]), 1, height=200)
    map_ = show(WordMapView(bench, shown), 300, 200)
    map_.setFocus()
    hand.key(Qt.Key.Key_Right, times=2)
    assert map_.accessibleDescription().startswith("pear (1.00, 0.00): click, or press Enter")
    map_.tell(replace(shown, points=shown.points + 1.0))
    assert map_.accessibleDescription() == ""
