"""Where the words of a map stand."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt

from explorer.pages.drawing import WordMap
from explorer.ui.drawing.word_vectors import RINGS, WordMapView, lead


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


def test_a_map_is_zoomed_and_moved_as_other_pictures_are(bench, show, hand):
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.4]])
    map_ = show(WordMapView(bench, WordMap("map", ("apple", "pear", "fig"), points, 1, height=200)), 300, 200)
    whole = map_.seen
    hand.wheel(map_.viewport(), QPoint(150, 100), modifiers=Qt.KeyboardModifier.ControlModifier)
    closer = map_.seen
    assert closer.width() < whole.width()
    hand.press(map_.viewport(), QPoint(150, 120))
    hand.move(20)
    hand.move(20)
    hand.release(20)
    assert map_.seen.left() < closer.left()
    hand.double_click(map_.viewport(), QPoint(150, 120))
    assert map_.seen == whole
    map_.setFocus()
    hand.type("+")
    assert map_.seen.width() < whole.width()
    hand.type("0")
    assert map_.seen == whole
