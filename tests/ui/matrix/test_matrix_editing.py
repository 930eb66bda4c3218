"""A cell edited by typing, keys, wheel and drag; the mouse and the keyboard are the real ones."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QInputMethodEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton

from explorer.document.commands import SetCells, SetTokens
from explorer.lessons.document_lesson import new_lesson
from explorer.ui.errors import Message
from explorer.ui.matrix.editing import DRAG_PIXELS

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")

Key, Modifier = Qt.Key, Qt.KeyboardModifier
ALT, SHIFT, CONTROL = Modifier.AltModifier, Modifier.ShiftModifier, Modifier.ControlModifier
NONE, LEFT = Modifier.NoModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def view(window, eye):
    """The embedding table of the source."""
    eye.go_to(window, "source.embedding")
    return eye.views(window)["source.table"]


@pytest.fixture
def computed(window, eye, view):
    return eye.views(window)["source.X"]


@pytest.fixture
def history(window):
    """Undo labels of all steps that were made, the last one first."""

    def labels():
        document, found = window.bench.document, []
        while (label := document.history.undo_label) is not None:
            found.append(label)
            document.undo()
        for _ in found:
            document.redo()
        return found

    return labels


@pytest.fixture
def cell(window, eye):
    return lambda row, column: eye.value(window, "source.table")[row, column]


def editor(view):
    found = [e for e in view.findChildren(QLineEdit) if e.isVisible()]
    return found[0] if found else None


# Typing


def test_a_number_typed_over_a_cell(window, eye, hand, view, cell, history, qtbot):
    hand.click(view, hand.cell(view, 1, 2))
    hand.type("2.5")
    assert editor(view).hasFocus()
    assert cell(1, 2) == 0.1  # not yet
    hand.key(Key.Key_Return)
    assert editor(view) is None
    assert cell(1, 2) == 2.5
    qtbot.waitUntil(lambda: eye.texts(view)[1] == ["−0.3", "0.5", "2.5", "−0.2"])
    qtbot.waitUntil(lambda: eye.texts(eye.views(window)["source.X"])[1][2] == "2.5")
    assert history() == ["Set source.table[1, 2]"]
    hand.key(Key.Key_Z, CONTROL)
    assert cell(1, 2) == 0.1
    qtbot.waitUntil(lambda: eye.texts(view)[1][2] == "0.1")
    hand.key(Key.Key_Y, CONTROL)
    assert cell(1, 2) == 2.5


def test_what_a_screen_keyboard_or_dictation_gives_is_typed(hand, view, cell):
    for told in ([QInputMethodEvent("7", []), QInputMethodEvent()], [QInputMethodEvent()]):
        hand.click(view, hand.cell(view, 1, 1))
        told[-1].setCommitString(f"{len(told)}5")
        for event in told:
            QApplication.sendEvent(QApplication.focusWidget(), event)
        hand.key(Key.Key_Return)
        assert cell(1, 1) == 10 * len(told) + 5


def test_a_number_that_is_longer_than_its_cell_is_seen_from_its_first_digit(hand, view):
    hand.click(view, hand.cell(view, 0, 2))
    hand.type("1234567.12345678")
    hand.key(Key.Key_Return)
    hand.click(view, hand.cell(view, 0, 2))
    hand.key(Key.Key_Return)
    assert editor(view).selectedText() == "1234567.12345678"
    assert editor(view).cursorPosition() == 0
    hand.key(Key.Key_Escape)


def test_keys_that_open_the_editor_with_the_whole_number(window, hand, view, cell):
    for key in (Key.Key_F2, Key.Key_Return, Key.Key_Enter):
        hand.click(view, hand.cell(view, 0, 2))
        hand.key(key)
        assert editor(view).text() == "−0.1"
        assert editor(view).selectedText() == "−0.1"
        assert "You" in editor(view).accessibleName()
        hand.type("3")
        hand.key(Key.Key_Return)
        assert cell(0, 2) == 3
        assert view.hasFocus()
        window.bench.document.undo()
        window.bench.bridge.flush()


def test_double_click_opens_the_editor(hand, view, cell):
    hand.double_click(view, hand.cell(view, 2, 0))
    assert editor(view).text() == "0.4"
    hand.enter("−1,5")
    assert cell(2, 0) == -1.5


def test_escape_leaves_the_cell_as_it_was(hand, view, cell, history):
    hand.click(view, hand.cell(view, 1, 1))
    hand.type("99")
    hand.key(Key.Key_Escape)
    assert editor(view) is None
    assert cell(1, 1) == 0.5
    assert history() == []


def test_opening_and_leaving_with_enter_changes_nothing(window, hand, eye, view, history):
    """Not even the digits that the table does not show."""
    eye.go_to(window, "encoder.1.self.heads")
    shown = eye.views(window)["encoder.1.self.W_O"]
    hand.click(shown, hand.cell(shown, 0, 0))
    hand.key(Key.Key_Return)
    assert editor(shown).text() == "0.37738326"
    hand.key(Key.Key_Return)
    assert history() == []


def test_what_is_being_typed_stays_when_other_numbers_come(window, hand, eye, view, cell):
    """Such as those of the edit before, which a large model was still computing."""
    hand.click(view, hand.cell(view, 0, 0))
    hand.type("9.")
    window.bench.document.do(SetCells("source.table", {(2, 2): 5.0}))
    eye.settle(window)
    hand.type("5")
    assert editor(view).text() == "9.5"
    hand.key(Key.Key_Return)
    assert (cell(0, 0), cell(2, 2)) == (9.5, 5)


def test_what_is_being_typed_stays_when_words_come(window, hand, eye, computed):
    """Such as words that the model is writing; the editor was closed, and the number lost."""
    words = computed.matrix.rows
    hand.click(computed, hand.cell(computed, 0, 0))
    hand.key(Key.Key_F2)
    hand.type("9.")
    hand.key(Key.Key_Left)
    window.bench.document.do(SetTokens("source", (*words, words[0])))
    eye.settle(window)
    assert computed.matrix.shape[0] == len(words) + 1
    hand.type("5")
    assert editor(computed).text() == "95."
    hand.key(Key.Key_Return)
    assert eye.value(window, "source.X")[0, 0] == 95


def test_what_was_typed_for_one_word_goes_to_no_other(window, hand, eye, computed, history):
    words = computed.matrix.rows
    hand.click(computed, hand.cell(computed, 1, 0))
    hand.key(Key.Key_F2)
    hand.type("9.")
    window.bench.document.do(SetTokens("source", (words[2], *words)))
    eye.settle(window)
    assert editor(computed) is None
    assert len(history()) == 1


def test_what_was_typed_for_two_words_goes_to_no_other_two(window, hand, eye, history):
    eye.go_to(window, "encoder.1.self.attention")
    shown = eye.views(window)["encoder.1.self.head.1.scores"]
    first, second, third = shown.matrix.columns
    hand.click(shown, hand.cell(shown, 0, 1))
    hand.key(Key.Key_F2)
    hand.type("9.")
    window.bench.document.do(SetTokens("source", (first, third, second, third)))
    eye.settle(window)
    assert editor(shown) is None
    assert len(history()) == 1


def test_what_was_typed_for_one_head_goes_into_no_other(window, hand, eye, history):
    eye.go_to(window, "encoder.1.self.attention")
    shown = eye.views(window)["encoder.1.self.head.1.W_Q"]
    hand.click(shown, hand.cell(shown, 0, 0))
    hand.type("9.")
    window.bench.selection.set_head(1)
    eye.settle(window)
    assert shown.matrix.name == "encoder.1.self.head.2.W_Q"
    window.setFocus()
    assert history() == []


def test_a_click_elsewhere_keeps_what_was_typed(hand, view, cell):
    hand.click(view, hand.cell(view, 0, 0))
    hand.type("6")
    hand.click(view, hand.cell(view, 1, 1))
    assert editor(view) is None
    assert cell(0, 0) == 6


def test_undo_by_its_button_takes_back_what_is_being_typed(window, hand, eye, view, cell, history):
    """It took back the act before, and what was typed came afterwards."""
    hand.click(view, hand.cell(view, 0, 0))
    hand.key(Key.Key_Delete)
    hand.click(view, hand.cell(view, 1, 1))
    hand.type("7")
    hand.click(eye.by_name(window.top_bar, "Undo", QToolButton))
    assert (cell(0, 0), cell(1, 1)) == (0, 0.5)
    assert len(history()) == 1
    assert view.hasFocus()


def test_enter_takes_the_number_and_goes_down_tab_goes_on(hand, view, cell):
    hand.click(view, hand.cell(view, 0, 1))
    for key, modifiers, place in (
        (Key.Key_Return, NONE, (1, 1)),
        (Key.Key_Return, SHIFT, (0, 1)),
        (Key.Key_Tab, NONE, (0, 2)),
        (Key.Key_Backtab, SHIFT, (0, 1)),
    ):
        was = view.currentIndex().row(), view.currentIndex().column()
        hand.type("3")
        hand.key(key, modifiers)
        assert cell(*was) == 3
        assert editor(view) is None
        assert (view.currentIndex().row(), view.currentIndex().column()) == place


def test_what_is_not_a_number_stays_to_be_mended(hand, view, cell, said):
    hand.click(view, hand.cell(view, 1, 2))
    hand.type("2.5e")
    hand.key(Key.Key_Return)
    assert "not a number" in said()
    assert editor(view).text() == "2.5e"
    hand.type("1")
    hand.key(Key.Key_Return)
    assert cell(1, 2) == 25


@pytest.mark.parametrize("typed", ["abc", "", "1.2.3"])
def test_what_is_not_a_number_is_said_at_the_place_and_changes_nothing(window, hand, view, cell, history, said, typed):
    hand.click(view, hand.cell(view, 1, 2))
    hand.key(Key.Key_F2)
    hand.enter(typed)
    words = said()
    assert f"'{typed}' is not a number" in words
    assert not any(map(str.isdigit, words.replace(f"'{typed}'", ""))), "a question may ask for it"
    assert cell(1, 2) == 0.1
    assert history() == []
    message, middle = window.findChild(Message), view.mapTo(window, hand.cell(view, 1, 2))
    near = message.geometry().adjusted(-60, -30, 60, 30)
    assert near.contains(middle)  # beside the cell, above or below it: where it covers the fewest words
    assert not message.geometry().contains(middle)


def test_numbers_may_be_typed_in_many_ways(hand, view, cell):
    for typed, meant in {"1,25": 1.25, "−2": -2.0, " 7 ": 7.0, "-2": -2.0, "1e-3": 0.001, "∞": np.inf}.items():
        hand.click(view, hand.cell(view, 1, 2))
        hand.type(typed)
        hand.key(Key.Key_Return)
        assert cell(1, 2) == meant, typed


def test_nan_can_be_typed_and_taken_back(window, eye, hand, view, qtbot):
    hand.click(view, hand.cell(view, 0, 0))
    hand.key(Key.Key_F2)
    hand.enter("nan")
    qtbot.waitUntil(lambda: eye.texts(eye.views(window)["source.X"])[0][0] == "NaN")
    assert eye.texts(view)[0][0] == "NaN"
    assert np.isnan(eye.value(window, "encoder.1.self.weights")[0]).any()
    hand.key(Key.Key_Z, CONTROL)
    assert np.isfinite(eye.value(window, "encoder.1.self.weights")).all()


def test_no_number_is_too_large_or_too_small_to_be_typed(eye, hand, view):
    for column, typed in enumerate(("inf", "-1e300", "1e-300")):
        hand.click(view, hand.cell(view, 0, column))
        hand.key(Key.Key_F2)
        hand.enter(typed)
    assert eye.texts(view)[0][:3] == ["∞", "−1×10³⁰⁰", "1×10⁻³⁰⁰"]


def test_a_computed_cell_is_not_changed_by_the_way(hand, view, computed, history, said):
    at = hand.cell(computed, 1, 1)
    hand.double_click(computed, at)
    assert editor(computed) is None
    assert "'embeddings' is computed; press Enter" in said(), "its name on the screen, not source.X"
    hand.type("5")
    assert editor(computed) is None
    hand.key(Key.Key_Up, ALT)
    hand.wheel(computed, at)
    hand.press(computed, at)
    hand.move(60)
    hand.release(60)
    assert history() == []


def test_a_computed_cell_is_pinned_on_purpose_and_released(window, eye, hand, computed, history):
    before = eye.value(window, "source.X")[1, 1]
    for key in (Key.Key_F2, Key.Key_Return):
        hand.click(computed, hand.cell(computed, 1, 1))
        hand.key(key)
        hand.enter("7.5")
        eye.settle(window)
        assert eye.value(window, "source.X")[1, 1] == 7.5
        assert computed.matrix.pinned(1, 1)
        assert history() == ["Pin 1 cell of source.X"]
        hand.key(Key.Key_Up)
        hand.key(Key.Key_Delete)
        eye.settle(window)
        assert eye.value(window, "source.X")[1, 1] == before
        assert not computed.matrix.pinned(1, 1)
        for _ in range(2):
            window.bench.document.undo()
        eye.settle(window)


def test_a_computed_cell_is_held_at_the_number_that_it_has(eye, window, hand, computed):
    hand.click(computed, hand.cell(computed, 1, 1))
    hand.key(Key.Key_Return)
    hand.enter(editor(computed).text())
    eye.settle(window)
    assert computed.matrix.pinned(1, 1)


# Going about


def test_arrows_move_from_cell_to_cell(window, hand, view):
    hand.click(view, hand.cell(view, 0, 0))
    for key, place in ((Key.Key_Right, (0, 1)), (Key.Key_Down, (1, 1)), (Key.Key_Left, (1, 0)), (Key.Key_Up, (0, 0))):
        hand.key(key)
        index = view.currentIndex()
        assert (index.row(), index.column()) == place
        assert window.bench.selection.cell.index == place
    hand.key(Key.Key_End)
    assert view.currentIndex().column() == 3


def test_tab_goes_from_cell_to_cell_and_on_from_the_last(open_window, eye, hand):
    view = eye.views(open_window(stage="source.embedding"))["source.table"]
    hand.click(view, hand.cell(view, 1, 2))
    places = []
    for _ in range(6):
        hand.key(Key.Key_Tab)
        places.append((view.currentIndex().row(), view.currentIndex().column()))
    assert places == [(1, 3), (2, 0), (2, 1), (2, 2), (2, 3), (2, 3)]
    assert QApplication.focusWidget() is not view
    hand.key(Key.Key_Backtab, SHIFT)
    assert QApplication.focusWidget() is view
    hand.key(Key.Key_Backtab, SHIFT)
    assert (view.currentIndex().row(), view.currentIndex().column()) == (2, 2)
    hand.click(view, hand.cell(view, 0, 0))
    hand.key(Key.Key_Backtab, SHIFT)
    assert QApplication.focusWidget() is not view


# Nudging by keys


def test_alt_and_arrows_nudge(window, hand, view, cell, history):
    hand.click(view, hand.cell(view, 1, 2))
    for modifiers, step in ((ALT, 0.1), (ALT | SHIFT, 0.01), (ALT | CONTROL, 1.0)):
        hand.key(Key.Key_Up, modifiers)
        assert cell(1, 2) == round(0.1 + step, 10)
        hand.key(Key.Key_Down, modifiers, times=2)
        assert cell(1, 2) == round(0.1 - step, 10)
        assert len(history()) == 3
        for _ in range(3):
            window.bench.document.undo()


def test_a_key_held_down_is_one_step_to_undo(hand, view, cell, history):
    hand.click(view, hand.cell(view, 1, 2))
    hand.hold(Key.Key_Up, ALT, repeats=6)
    assert cell(1, 2) == 0.8
    hand.hold(Key.Key_Up, ALT, repeats=2)
    assert cell(1, 2) == 1.1
    assert len(history()) == 2
    hand.key(Key.Key_Z, CONTROL)
    assert cell(1, 2) == 0.8
    hand.key(Key.Key_Z, CONTROL)
    assert cell(1, 2) == 0.1


def test_steps_of_a_tenth_stay_tenths(hand, view, cell):
    hand.click(view, hand.cell(view, 1, 2))
    hand.key(Key.Key_Up, ALT, times=12)
    assert cell(1, 2) == 1.3


def test_a_word_number_is_nudged_by_one_and_again(window, eye, hand, qtbot, said):
    """It changes the labels of many matrices, its own among them; one goes on from where one is."""
    eye.go_to(window, "source.embedding")
    view = eye.views(window)["source.tokens"]
    hand.click(view, hand.cell(view, 0, 0))
    for expected in (1, 2):
        hand.key(Key.Key_Up, ALT)
        eye.settle(window)
        assert eye.value(window, "source.tokens")[0] == expected
    assert eye.texts(view) == [["2"], ["1"], ["2"]]
    hand.key(Key.Key_Up, ALT)
    assert "from 0 to 2" in said()
    assert eye.value(window, "source.tokens")[0] == 2


# The wheel


def test_the_wheel_nudges_the_cell_one_has_gone_to(hand, view, cell, history):
    at = hand.cell(view, 1, 2)
    hand.click(view, at)
    hand.wheel(view, at, 1)
    assert cell(1, 2) == 0.2
    hand.wheel(view, at, -3, SHIFT)
    assert cell(1, 2) == 0.17
    hand.wheel(view, at, 2, CONTROL)
    assert cell(1, 2) == 2.17
    assert len(history()) == 1
    hand.key(Key.Key_Delete)
    hand.wheel(view, at, 1)
    assert len(history()) == 3, "what was done between two turns is a step of its own"


def test_wheeling_in_two_cells_is_two_steps(hand, view, cell, history):
    at = hand.cell(view, 1, 2)
    hand.click(view, at)
    hand.wheel(view, at, 1)
    hand.key(Key.Key_Up)
    hand.hover(view, hand.cell(view, 0, 2))
    hand.wheel(view, hand.cell(view, 0, 2), 1)
    assert (cell(1, 2), cell(0, 2)) == (0.2, 0.0)
    assert len(history()) == 2


def test_the_wheel_elsewhere_scrolls_the_page(window, eye, hand, view, history):
    panel = window.page()
    window.resize(1200, 600)
    eye.settle(window)
    bar = panel.verticalScrollBar()
    assert bar.maximum() > 100
    here, there = hand.cell(view, 1, 2), hand.cell(view, 0, 0)
    hand.click(view, here)
    for place in (there, QPoint(view.width() - 1, 2)):
        hand.hover(view, place)
        bar.setValue(0)
        hand.wheel(view, place, -2)
        assert bar.value() > 0
    assert history() == []


def test_the_wheel_over_a_matrix_that_has_not_the_focus_scrolls_the_page(window, eye, hand, view, history):
    """Also over a cell that was current before: else scrolling the page changes what passes under the pointer."""
    panel = window.page()
    window.resize(1200, 600)
    eye.settle(window)
    at = hand.cell(view, 1, 2)
    hand.click(view, at)
    other = eye.views(window)["source.tokens"]
    hand.click(other, hand.cell(other, 0, 0))
    bar = panel.verticalScrollBar()
    bar.setValue(0)
    hand.wheel(view, at, -1)
    assert not view.hasFocus()
    assert bar.value() > 0
    bar.setValue(0)
    hand.wheel(view, at, -1)
    assert history() == []


def test_a_fine_wheel_moves_word_numbers_by_whole_ones(window, eye, hand, history):
    """A touchpad sends parts of a notch."""
    eye.go_to(window, "source.embedding")
    view = eye.views(window)["source.tokens"]
    at = hand.cell(view, 0, 0)
    hand.click(view, at)
    for _ in range(8):
        hand.wheel(view, at, 1 / 8)
        eye.settle(window)
    assert window.findChild(Message) is None
    assert eye.value(window, "source.tokens")[0] == 1


# Dragging


@pytest.mark.usefixtures("painted")
def test_a_drag_changes_the_number_live_in_one_step(window, eye, hand, view, cell, history, watch, qtbot):
    follows = eye.views(window)["source.X"]
    told = []
    window.bench.bridge.changed.connect(told.append)
    ports = view.viewport(), follows.viewport()
    paints = watch(ports, QEvent.Type.Paint)
    hand.press(view, hand.cell(view, 1, 2))
    seen = []
    for steps in (1, 2, 5, 3):
        painted = paints.copy()
        hand.move(steps * DRAG_PIXELS)
        qtbot.waitUntil(lambda painted=painted: all(paints[port] > painted[port] for port in ports))
        seen.append((cell(1, 2), eye.texts(view)[1][2], eye.texts(follows)[1][2]))
    assert seen == [(0.2, "0.2", "0.2"), (0.3, "0.3", "0.3"), (0.6, "0.6", "0.6"), (0.4, "0.4", "0.4")]
    assert len(told) == 4
    hand.release(3 * DRAG_PIXELS)
    assert cell(1, 2) == 0.4
    assert history() == ["Set source.table[1, 2]"]
    hand.key(Key.Key_Z, CONTROL)
    assert cell(1, 2) == 0.1


@pytest.mark.usefixtures("painted")
def test_a_drag_goes_on_where_the_matrix_moves_below_the_mouse(window, eye, hand, view, cell, history):
    """The number leapt to 5.7; and one undo took back the drag with all that was done during it."""
    hand.press(view, hand.cell(view, 0, 0))
    hand.move(5 * DRAG_PIXELS)
    window.actions_.compare.trigger()
    eye.settle(window)
    window.bench.document.do(SetTokens("source", ("You",)))
    hand.move(10 * DRAG_PIXELS)
    hand.release(10 * DRAG_PIXELS)
    assert cell(0, 0) == 1.1
    assert len(history()) == 3
    window.actions_.compare.trigger()


def test_with_shift_a_drag_goes_on_in_finer_steps(hand, view, cell, history):
    """All of the way was counted in the finer steps: 0.6 became 0.15."""
    port, at = view.viewport(), hand.cell(view, 0, 0)
    hand.press(view, at)
    hand.move(5 * DRAG_PIXELS)
    for steps in (5, 8):
        place = QPointF(at + QPoint(steps * DRAG_PIXELS, 0))
        move = QMouseEvent(QEvent.Type.MouseMove, place, port.mapToGlobal(place), Qt.MouseButton.NoButton, LEFT, SHIFT)
        QApplication.sendEvent(port, move)
    assert cell(0, 0) == 0.63
    hand.release(8 * DRAG_PIXELS)
    assert len(history()) == 1


def test_a_drag_ends_where_another_head_comes(window, eye, hand):
    """The number of the first head went on in the cell of the second."""
    window.bench.open(new_lesson("gpt", ["a b c"], d_model=4, heads=2))
    window.bench.bridge.flush()
    window.bench.selection.set_head(0)
    eye.go_to(window, "decoder.1.self.attention")
    view = eye.view(window, "decoder.1.self.head.1.W_Q")
    hand.press(view, hand.cell(view, 0, 0))
    hand.move(5 * DRAG_PIXELS)
    window.bench.selection.set_head(1)
    eye.settle(window)
    assert view.matrix.name == "decoder.1.self.head.2.W_Q"
    before = window.bench.document.state
    hand.move(8 * DRAG_PIXELS)
    hand.release(8 * DRAG_PIXELS)
    assert window.bench.document.state is before


def test_two_drags_are_two_steps(hand, view, cell, history):
    for _ in range(2):
        hand.press(view, hand.cell(view, 1, 2))
        hand.move(2 * DRAG_PIXELS)
        hand.move(3 * DRAG_PIXELS)
        hand.release(3 * DRAG_PIXELS)
    assert cell(1, 2) == 0.7
    assert len(history()) == 2


def test_up_is_more_and_left_is_less(hand, view, cell):
    hand.press(view, hand.cell(view, 1, 2))
    hand.move(0, 4 * DRAG_PIXELS)
    assert cell(1, 2) == 0.5
    hand.move(-4 * DRAG_PIXELS)
    assert cell(1, 2) == -0.3
    hand.release(-4 * DRAG_PIXELS)


def test_a_drag_back_to_where_it_began_gives_the_very_number_back(window, eye, hand):
    eye.go_to(window, "decoder.1.self.attention")
    view = eye.view(window, "decoder.1.self.head.1.W_Q")
    before = eye.value(window, view.matrix.name)[0, 0]
    hand.press(view, hand.cell(view, 0, 0))
    hand.move(5 * DRAG_PIXELS)
    assert eye.value(window, view.matrix.name)[0, 0] != before
    hand.move(0)
    hand.release(0)
    assert eye.value(window, view.matrix.name)[0, 0] == before


def test_a_click_is_no_drag(hand, view, history):
    hand.press(view, hand.cell(view, 1, 2))
    hand.move(DRAG_PIXELS - 1)
    hand.release(DRAG_PIXELS - 1)
    assert history() == []
    hand.move(50)  # let go
    assert history() == []


def test_with_shift_a_drag_selects(hand, view, history):
    hand.click(view, hand.cell(view, 0, 0))
    hand.press(view, hand.cell(view, 1, 1), SHIFT)
    hand.move(3 * DRAG_PIXELS)
    hand.release(3 * DRAG_PIXELS, modifiers=SHIFT)
    assert history() == []
    assert len(view.selectedIndexes()) >= 4


def test_a_word_number_can_be_dragged_through_the_words(window, eye, hand, history):
    eye.go_to(window, "source.embedding")
    view = eye.views(window)["source.tokens"]
    hand.press(view, hand.cell(view, 0, 0))
    for steps, expected in ((1, 1), (2, 2), (3, 2), (1, 1)):
        hand.move(steps * DRAG_PIXELS)
        eye.settle(window)
        assert eye.value(window, "source.tokens")[0] == expected
    hand.release(DRAG_PIXELS)
    assert len(history()) == 1
