"""The actions of the window, by their keys."""

import pytest
from PySide6.QtCore import Qt

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.mark.parametrize("key", [Qt.Key.Key_Plus, Qt.Key.Key_Minus])
def test_ctrl_0_brings_the_usual_text_size_back(window, appearance, hand, qtbot, key):
    for _ in range(2):
        before = appearance.scale
        hand.key(key, CTRL)
        qtbot.waitUntil(lambda before=before: appearance.scale != before)
    hand.key(Qt.Key.Key_0, CTRL)
    qtbot.waitUntil(lambda: appearance.scale == 1.0)
