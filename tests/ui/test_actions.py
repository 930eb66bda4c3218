"""The actions of the window, by their keys."""

import pytest
from PySide6.QtCore import Qt

from explorer.document.commands import SetCells, SetTokens

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.mark.parametrize("key", [Qt.Key.Key_Plus, Qt.Key.Key_Minus])
def test_ctrl_0_brings_the_usual_text_size_back(window, appearance, hand, qtbot, key):
    for _ in range(2):
        before = appearance.scale
        hand.key(key, CTRL)
        qtbot.waitUntil(lambda before=before: appearance.scale != before)
    hand.key(Qt.Key.Key_0, CTRL)
    qtbot.waitUntil(lambda: appearance.scale == 1.0)


def test_the_tip_of_undo_names_words_that_look_like_markup(open_window, qtbot):
    """The word <s> of a model of others was taken for markup, and the rest struck out."""
    window = open_window("you-are-welcome")
    history = window.bench.document.history
    window.bench.document.do(SetTokens("source", ("<s>", "are")))
    window.bench.bridge.flush()
    assert "<s>" in history.undo_label
    assert "&lt;s&gt;" in window.actions_.undo.toolTip()
    window.bench.document.do(SetCells("encoder.1.self.head.2.W_Q", {(0, 1): 0.5}))
    window.bench.bridge.flush()
    assert window.actions_.undo.toolTip().startswith("Undo: Set W_Q [1 → 2] of head 2 in Encoder 1: Self-attention"), (
        "an address of the graph"
    )
    window.bench.document.undo()
    window.bench.bridge.flush()
    assert "W_Q [1 → 2] of head 2" in window.actions_.redo.toolTip()
