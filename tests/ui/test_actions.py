"""Shortcuts, by real keys, wherever the focus is."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QToolButton

from explorer.document.commands import SetCells
from explorer.ui.appearance import SCALES

pytestmark = pytest.mark.usefixtures("no_pictures")

Key, Modifier = Qt.Key, Qt.KeyboardModifier
CONTROL, SHIFT = Modifier.ControlModifier, Modifier.ShiftModifier


def tool_button(window, name):
    (found,) = [b for b in window.findChildren(QToolButton) if b.accessibleName() == name and b.isVisible()]
    return found


@pytest.fixture
def table(window, eye):
    return lambda: eye.value(window, "source.table")[0, 0]


@pytest.mark.parametrize("again", [(Key.Key_Y, CONTROL), (Key.Key_Z, CONTROL | SHIFT)], ids=["ctrl+y", "ctrl+shift+z"])
def test_undo_and_redo(window, hand, eye, table, again):
    for value in (5.0, 6.0):
        window.bench.document.do(SetCells("source.table", {(0, 0): value}))
    eye.settle(window)
    seen = []
    for key, modifiers in [(Key.Key_Z, CONTROL)] * 3 + [again] * 3:
        hand.key(key, modifiers)
        seen.append(float(table()))
    assert seen == [5.0, 0.1, 0.1, 5.0, 6.0, 6.0]


def test_undo_works_from_a_matrix_and_from_the_map(window, hand, eye, table):
    window.bench.document.do(SetCells("source.table", {(0, 0): 5.0}))
    window.bench.document.do(SetCells("source.table", {(0, 0): 6.0}))
    eye.settle(window)
    view = eye.views(window)["source.table"]
    hand.click(view, hand.cell(view, 1, 1))
    hand.key(Key.Key_Z, CONTROL)
    assert table() == 5
    window.map.buttons[0].setFocus()
    hand.key(Key.Key_Z, CONTROL)
    assert table() == 0.1


def test_undo_in_an_editor_undoes_the_typing_only(window, hand, eye, table):
    window.bench.document.do(SetCells("source.table", {(0, 0): 5.0}))
    eye.settle(window)
    view = eye.views(window)["source.table"]
    hand.click(view, hand.cell(view, 1, 1))
    hand.type("77")
    hand.key(Key.Key_Z, CONTROL)
    assert table() == 5
    hand.key(Key.Key_Escape)


def test_buttons_say_what_they_would_undo(window, hand, eye, table):
    undo, redo = tool_button(window, "Undo"), tool_button(window, "Redo")
    assert not undo.isEnabled()
    assert not redo.isEnabled()
    window.bench.document.do(SetCells("source.table", {(0, 0): 5.0}))
    eye.settle(window)
    assert undo.isEnabled()
    assert undo.toolTip() == "Undo: Set source.table[0, 0] (Ctrl+Z)"
    hand.click(undo)
    eye.settle(window)
    assert table() == 0.1
    assert not undo.isEnabled()
    assert redo.toolTip() == "Redo: Set source.table[0, 0] (Ctrl+Y)"
    hand.click(redo)
    assert table() == 5


def test_light_and_dark(window, hand, eye):
    appearance = window.bench.appearance
    assert not appearance.theme.dark
    page = window.grab().toImage().pixelColor(window.width() // 2, window.height() - 5)
    hand.key(Key.Key_T, CONTROL)
    eye.settle(window)
    assert appearance.theme.dark
    dark = window.grab().toImage().pixelColor(window.width() // 2, window.height() - 5)
    assert dark.lightness() < 80 < page.lightness()
    hand.click(tool_button(window, "Light or dark"))
    eye.settle(window)
    assert not appearance.theme.dark


def test_larger_and_smaller_text(window, hand, eye):
    appearance = window.bench.appearance
    heights = []
    for key, modifiers in (
        (Key.Key_Plus, CONTROL),
        (Key.Key_Equal, CONTROL),
        (Key.Key_Minus, CONTROL),
        (Key.Key_Minus, CONTROL),
        (Key.Key_Minus, CONTROL),
    ):
        hand.key(key, modifiers)
        eye.settle(window)
        heights.append((appearance.scale, eye.views(window)["source.table"].rowHeight(0)))
    assert [scale for scale, _ in heights] == [1.1, 1.25, 1.1, 1.0, 0.9]
    assert sorted(heights) == sorted(heights, key=lambda pair: pair[1])
    for _ in range(len(SCALES)):
        appearance.zoom(-1)
    assert appearance.scale == SCALES[0]


def test_from_stage_to_stage(window, hand):
    stops = [stage.name for stage in window.bench.selection.stops]
    hand.key(Key.Key_PageUp, CONTROL)
    assert window.bench.selection.stage == stops[0]
    seen = []
    for _ in range(len(stops)):
        hand.key(Key.Key_PageDown, CONTROL)
        seen.append(window.bench.selection.stage)
    assert seen == [*stops[1:], stops[-1]]
    hand.key(Key.Key_PageUp, CONTROL)
    assert window.bench.selection.stage == stops[-2]


def test_from_stage_to_stage_also_from_a_matrix(window, hand, eye):
    view = eye.views(window)["source.table"]
    hand.click(view, hand.cell(view, 0, 0))
    hand.key(Key.Key_PageDown, CONTROL)
    assert window.bench.selection.stage == "source.positions"


def test_every_action_has_a_shortcut_of_its_own_and_says_so(window):
    actions = [action for action in window.actions() if action.text()]
    assert len(actions) >= 7
    used = [key.toString() for action in actions for key in action.shortcuts()]
    assert len(used) == len(set(used))
    for action in actions:
        assert action.shortcuts(), action.text()
        shown = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        assert shown in action.toolTip(), action.text()


def test_of_two_looks_asked_for_in_one_turn_the_second_has_a_turn_of_its_own(window, qtbot):
    """Who clicks twice while the window is busy would wait for both at once."""
    appearance, actions = window.bench.appearance, window.actions_
    actions.theme.trigger()
    actions.larger.trigger()
    assert appearance.theme.dark
    assert appearance.scale == 1.0
    qtbot.waitUntil(lambda: appearance.scale > 1.0)


def test_quit_asks_what_to_do_with_changes_first(window, hand, monkeypatch):
    answers, asked = ["cancel", "discard"], []
    monkeypatch.setattr(window.files.dialogs, "keep", lambda name: asked.append(name) or answers[len(asked) - 1])
    window.bench.document.do(SetCells("source.table", {(0, 0): 9.0}))
    hand.key(Qt.Key.Key_Q, CONTROL)
    assert window.isVisible()
    hand.key(Qt.Key.Key_Q, CONTROL)
    assert not window.isVisible()
    assert len(asked) == 2
