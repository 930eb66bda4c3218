"""Going through the steps of a lesson, in a real window."""

import re
import threading
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell
from explorer.core.training.trainer import Trainer
from explorer.document.commands import SetCells
from explorer.lessons.loader import load
from explorer.lessons.replay import right_answer
from explorer.lessons.schema import Predict, StepStates, states_of
from explorer.pages import compose
from explorer.settings import Settings
from explorer.ui.lesson import panel as panel_module
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.widgets.labels import SteadyLabel
from tests.samples import long

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "at_least_page", "page_rests")
Key, Modifier = Qt.Key, Qt.KeyboardModifier
LOGITS, SHARES = "output.logits", "output.probabilities"


def test_a_step_looks_where_it_says(window, guide, eye):
    matrix = eye.views(window)[LOGITS].matrix
    assert matrix.spot == ((0,), (0,))
    assert window.bench.selection.cell == Cell(LOGITS, (0, 0))
    assert (
        window.lessons.panel._page.widgets["words"].text()
        == "<p style='margin: 0'>The first is <strong>2.0</strong>.</p>"
    )
    guide.next()
    assert eye.views(window)[LOGITS].matrix.spot == ((0,), (0, 1, 2))
    guide.leave()
    assert eye.views(window)[LOGITS].matrix.spot is None
    window.lesson_bar.steps.click()
    eye.settle(window)
    assert guide.at == 1


def test_what_is_said_of_one_word_is_about_the_word_of_the_step(anew):
    window = anew(lesson="you-are-welcome")
    guide, selection = window.lessons.guide, window.bench.selection
    ids = [step.id for step in guide.steps]
    guide.go(ids.index("logit"))
    assert window.bench.view.row("target", last=True) == 0
    selection.choose_token(("target", 2))  # the reader looks at another word
    assert window.bench.view.row("target", last=True) == 2
    guide.go(ids.index("probability"))
    assert window.bench.view.row("target", last=True) == 0


@pytest.mark.parametrize(
    ("scale", "size"),
    [*(long(scale, (1280, 720)) for scale in (1.0, 2.0, 2.5)), (3.0, (1024, 640))],
)
def test_next_stays_under_the_mouse_and_no_button_is_cut(anew, eye, appearance, scale, size):
    window = anew(lesson="start-here")
    appearance.set_scale(scale)
    window.resize(*size)
    panel, places = window.lessons.panel, set()
    for at in range(0, len(window.lessons.guide.steps), 3 if scale == 3.0 else 1):  # of all steps it is long
        window.lessons.guide.go(at)
        eye.settle(window)
        places.add((panel._next.mapTo(window, QPoint(0, 0)).toTuple(), panel._next.size().toTuple()))
        buttons = [panel._head.widgets[id] for id in ("back", "reset", "jump", "next")]
        assert [one.text() for one in buttons if one.width() < one.size_of(one.text()).width()] == []
    assert len(places) == 1, places
    right, below = panel._next.mapTo(panel, panel._next.rect().bottomRight()).toTuple()
    assert right < panel.width()
    assert below < panel.height()
    words = panel._scroll
    assert words.mapTo(window.whole, words.rect().bottomLeft()).y() < window.whole.height(), "by scrolling, in sight"


def test_a_panel_that_was_hidden_while_the_text_grew_is_measured_in_the_new_letters(anew, eye, appearance):
    window = anew(lesson="start-here")
    appearance.set_scale(2.5)
    window.lessons.guide.go(0)
    panel = window.lessons.panel
    buttons = [panel._head.widgets[id] for id in ("back", "reset", "jump", "next")]
    wanted = [(one.text(), one.sizeHint()) for one in buttons]
    eye.settle(window)
    assert [(one.text(), one.sizeHint()) for one in buttons] == wanted


def test_keys_go_on_and_back_and_undo_takes_a_step_back(window, guide, hand):
    for at in (1, 2):
        hand.key(Key.Key_Right, Modifier.AltModifier)
        assert guide.at == at
    assert window.bench.document.state.inputs[LOGITS][0, 1] == 3
    hand.key(Key.Key_Z, Modifier.ControlModifier)
    assert guide.at == 1
    assert window.bench.document.state.inputs[LOGITS][0, 1] == 1
    hand.key(Key.Key_Y, Modifier.ControlModifier)
    assert guide.at == 2
    hand.key(Key.Key_Left, Modifier.AltModifier)
    assert guide.at == 1
    assert not window.files.modified  # what a lesson does by itself nobody has to save


def test_the_keys_are_where_they_are_needed_as_soon_as_a_lesson_is_seen(open_window):
    window = open_window("two-vectors")
    guide, panel = window.lessons.guide, window.lessons.panel
    asked = next(k for k, step in enumerate(guide.steps) if isinstance(step.question, Predict))
    for step, wanted in ((0, "_next"), (asked, "_page")):
        window.hide()  # as it is when `explorer LESSON` goes to the step at which the lesson was left
        guide.go(step)
        window.show()
        focus, part = window.focusWidget(), getattr(panel, wanted)
        assert focus is part or part.isAncestorOf(focus), wanted


def test_a_jump_is_a_walk_and_a_reset_takes_back_what_was_changed(window, guide, panel, hand, eye, go):
    states = StepStates(guide.lesson)
    go(4)
    jumped = window.bench.document.state
    for step in range(5):
        go(step)
    walked = window.bench.document.state
    for name, array in states[4].inputs.items():
        assert np.array_equal(jumped.inputs[name], array)
        assert np.array_equal(walked.inputs[name], array)
    assert not panel._head.widgets["reset"].isEnabled()
    view = eye.views(window)[LOGITS]
    hand.click(view.viewport(), hand.cell(view, 0, 0) - view.viewport().pos())
    hand.type("7")
    hand.key(Key.Key_Return)
    window.bench.bridge.flush()
    assert window.bench.document.state.inputs[LOGITS][0, 0] == 7
    assert guide.at == 4
    assert panel._head.widgets["reset"].isEnabled()
    eye.settle(window)
    hand.click(panel._head.widgets["reset"])
    assert window.bench.document.state.inputs[LOGITS][0, 0] == 2
    hand.key(Key.Key_Z, Modifier.ControlModifier)  # and the student has it again
    assert window.bench.document.state.inputs[LOGITS][0, 0] == 7


def test_whoever_has_gone_to_another_page_is_led_back_and_keeps_what_was_changed(anew, hand, eye):
    window = anew(lesson="you-are-welcome")
    guide, head = window.lessons.guide, window.lessons.panel._head
    guide.go(0)
    eye.settle(window)
    assert "look" not in head.widgets
    document = window.bench.document
    document.do(SetCells("source.table", {(0, 0): 7.0}))
    eye.go_to(window, "encoder.1.self.heads")
    hand.click(head.widgets["look"])
    eye.settle(window)
    assert window.bench.selection.stage == guide.stage == "source.embedding"
    assert document.state.inputs["source.table"][0, 0] == 7
    assert "look" not in head.widgets
    eye.go_to(window, "encoder.1.self.heads")
    guide.next()
    assert "look" not in head.widgets
    window.show_tab("Words")
    eye.settle(window)
    hand.click(head.widgets["look"])
    eye.settle(window)
    assert window.tabs.shows_first
    assert "look" not in head.widgets


def said(widget):
    """What stands in a widget, from the top down."""
    parts = [part for part in widget.findChildren(SteadyLabel) if part.isVisible()]
    return [part.text() for part in sorted(parts, key=lambda part: part.mapTo(widget, part.rect().topLeft()).y())]


def test_the_end_says_what_has_been_learned_then_what_to_revisit_and_leads_there(window, guide, panel, hand, eye, go):
    go(1)
    guide.hint()
    guide.answer(0.67)
    go(2)
    guide.answer(0)
    guide.answer(1)
    go(4)
    assert panel._next.text() == "Skip ▸"
    panel.go_on()
    eye.settle(window)
    lines = said(panel._page)
    assert lines[:4] == [
        "The end of this lesson",
        "What you have learned",
        "What shares are.",
        "✓ A share (with a hint)<br>✓ Which grows?",
    ]
    assert lines[4] == "2 of 4 questions right: 1 at a later try, 1 with a hint."
    widgets = panel._page.widgets
    told = [re.sub("<[^>]*>", "", line) for line in lines[5:]]
    assert told == ["2 to revisit ▾", "4  Point at it · not seen yet", "5  Make it so · skipped"]
    assert "begin" not in widgets  # a lesson in a file of somebody is in no order
    assert "words" not in widgets
    widgets["revisit point"].follow("0")
    assert guide.at == 3
    assert not panel.is_over
    assert panel._page.widgets["words"].isVisible()


def test_many_steps_to_revisit_are_folded_and_nothing_lies_over_anything_else(window, guide, panel, hand, eye, go):
    go(4)
    panel.go_on()
    eye.settle(window)
    page = panel._page
    fold = page.widgets["fold"]
    assert "4 to revisit ▸" in fold.text()
    for named in (0, 4):
        assert sum(id.startswith("revisit ") for id in page.widgets) == named
        shown = [one for one in page.widgets.values() if one.isVisible()]
        assert all(one.geometry().bottom() < other.y() for one, other in pairwise(shown))
        assert page.widgets["ring"].height() == page.widgets["ring"].sizeHint().height()
        fold.follow("0")
        eye.settle(window)
    assert "▸" in fold.text()


def test_the_end_is_reached_by_keys_left_backwards_and_leads_to_the_lessons(own_window, window, hand, eye):
    guide, panel = window.lessons.guide, window.lessons.panel
    guide.go(4)
    eye.settle(window)
    hand.key(Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    eye.settle(window)
    assert panel.is_over
    hand.key(Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert panel.is_over
    hand.key(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert (panel.is_over, guide.at) == (False, 4)
    panel.show_end()
    window.bench.appearance.set_mode("dark")
    eye.settle(window)
    assert panel.is_over
    hand.click(panel._next)
    assert window.top_bar.tab == "Lessons"
    assert guide.at == 4
    window.show_tab("Pipeline")
    assert panel.is_over
    guide.go(3)
    eye.settle(window)
    assert panel._next.text() != "Lessons ▸"


def test_what_is_wrong_is_asked_anew_and_what_was_learned_is_not_claimed(window, guide, panel, hand, eye, go):
    go(1)
    for wrong in (0.1, 0.2, 0.3):
        guide.answer(wrong)
    panel.show_end()
    eye.settle(window)
    assert "What you have learned" not in said(panel._page)
    panel._page.widgets["fold"].follow("0")
    panel._page.widgets["revisit predict"].follow("0")
    assert guide.at == 1
    assert guide.question is not None


def test_a_step_that_is_revisited_is_asked_anew_also_where_its_numbers_take_long(
    window, guide, panel, hand, eye, go, qtbot, gate, monkeypatch
):
    go(1)
    for wrong in (0.1, 0.2, 0.3):
        guide.answer(wrong)
    go(2)
    guide.answer(1)
    panel.show_end()
    eye.settle(window)
    panel._page.widgets["fold"].follow("0")
    monkeypatch.setattr("explorer.document.document.LARGE", 0)
    panel._page.widgets["revisit predict"].follow("0")
    assert guide.at == 2  # its numbers are still being computed
    assert guide.question is None
    gate.open.set()
    qtbot.waitUntil(lambda: guide.at == 1)
    assert guide.question is not None


def test_no_step_is_shown_of_a_lesson_that_is_forgotten_until_it_begins_anew(window, guide, panel, eye, appearance, go):
    go(1)
    guide.forget("small")  # its model is read again, in the background if it is large
    assert not panel.isVisible()
    appearance.set_mode("dark")
    eye.settle(window)
    go(0)
    assert panel.isVisible()


def test_behind_the_last_question_of_a_lesson_comes_the_next_lesson(anew, eye, hand):
    window = anew(lesson="jane")
    guide, panel = window.lessons.guide, window.lessons.panel
    for at, step in enumerate(guide.steps):
        guide.go(at)
        guide.answer(right_answer(step.question, guide.walk.state(at), guide.walk.engine(at)))
    eye.settle(window)
    assert panel._next.text() == "Finish ▸"
    panel.go_on()
    eye.settle(window)
    assert said(panel._page)[0] == "Lesson finished"
    assert "fold" not in panel._page.widgets
    hand.click(panel._page.widgets["begin"])
    eye.settle(window)
    assert guide.lesson.id == "xor-linear"


def test_the_panel_says_where_one_is_and_leaves(window, guide, panel, hand, go):
    assert panel.isVisible()
    assert not window.lesson_bar.isVisible()
    assert panel._head.widgets["jump"].text().startswith("Step 1 of 5")
    assert not panel._head.widgets["back"].isEnabled()
    go(4)
    assert panel._next.text() == "Skip ▸"
    entries = panel._head.widgets["jump"].menu().actions()
    titles = [action.text() for action in entries]
    assert titles[0] == "1  Three numbers"
    assert titles[1] == "2  A share  ○"
    entries[2].trigger()
    assert guide.at == 2
    hand.click(panel._head.widgets["leave"])
    assert guide.at is None
    assert not panel.isVisible()
    assert window.hasFocus(), "and no control of the page, which a key would change"
    assert window.lesson_bar.isVisible()
    assert window.bench.document.state.inputs[LOGITS][0, 1] == 3  # the model stays


def test_another_lesson_ends_the_steps_and_undo_brings_them_back(window, guide, go):
    go(2)
    window.bench.open(load("emma"))
    window.bench.bridge.flush()
    assert guide.at is None
    window.bench.document.undo()
    window.bench.bridge.flush()
    assert guide.at == 2


@pytest.mark.usefixtures("page_in_sight")
def test_a_page_is_made_once_where_a_lesson_begins_and_where_undo_goes_back_to_it(anew, eye, monkeypatch):
    made, page = [], compose.page
    window = anew(lesson="softmax")
    monkeypatch.setattr(compose, "page", lambda view, stage: made.append(stage.name) or page(view, stage))
    lessons, undo = window.lessons, window.actions_.undo.trigger
    for act in (lambda: lessons.begin("one-word-at-a-time", False), lambda: lessons.begin("jane", False), undo, undo):
        made.clear()
        act()
        eye.settle(window)
        assert window.bench.document.history.undo_label != "Step: A probability for each word", "an act without effect"
        assert made == [window.bench.selection.stage]
        assert lessons.guide.at == 0, "whoever undoes too much does not fall out of the lesson"


def test_a_step_on_the_words_tab_looks_its_word_up(anew, qtbot):
    window = anew(lesson="words-as-vectors")
    guide = window.lessons.guide
    at = next(i for i, step in enumerate(guide.steps) if step.look.word)
    guide.go(at)
    assert window.tabs.currentWidget() is window.tabs.words
    assert window.lessons.panel.isVisible()
    qtbot.waitUntil(lambda: window.tabs.words.state.word == guide.step.look.word)
    guide.go(0)
    assert window.tabs.currentWidget() is not window.tabs.words


def test_presenting_reads_the_vectors_before_their_step_is_there(open_window, qtbot):
    """They were read when the step came: a class sat before an empty slide for seconds."""
    window = open_window("words-as-vectors")
    window.lessons.guide.go(0)
    assert window.tabs.words is None
    window.lessons.open_presenter()
    qtbot.waitUntil(lambda: window.tabs.words.state.vectors is not None)
    assert window.tabs.currentWidget() is not window.tabs.words
    at = next(i for i, step in enumerate(window.lessons.guide.steps) if step.look.word)
    window.lessons.guide.go(at)
    assert window.lessons.guide.vectors is not None
    window.lessons.presenter.leave()


def test_the_column_of_a_step_has_one_ground_down_to_the_foot_of_the_window(anew, eye):
    """Beside the tab "Train" the white column ended below the step, as if something were missing."""
    window = anew(step=0, lesson="xor")
    window.show_tab("Train")
    eye.settle(window)
    image, panel = window.grab().toImage(), window.lessons.panel
    below = panel.mapTo(window, panel.rect().bottomRight()) + QPoint(-9, 20)
    assert panel.isVisible()
    assert below.y() < window.height()
    assert image.pixelColor(below).name() == window.bench.appearance.theme.surface
    window.show_tab("Lessons")  # which has no step beside it, and the whole width
    eye.settle(window)
    assert window.tabs.width() == window.width()


def test_a_step_that_shows_gradients_presses_their_button(anew, eye):
    window = anew(step=0, lesson="xor")
    guide, showing = window.lessons.guide, window.top_bar.showing
    guide.go(next(i for i, step in enumerate(guide.steps) if step.showing == "gradient"))
    eye.settle(window)
    assert window.bench.selection.showing == "gradient"
    assert showing.group.checkedButton().text() == "Gradient"
    guide.next()
    assert showing.group.checkedButton().text() == "Values"


def test_the_small_picture_of_a_matrix_covers_what_is_asked_for(anew, eye):
    window = anew(step=0, lesson="jane")
    (box,) = [one for one in window.page().findChildren(MatrixBox) if one.matrix.covered and one.matrix.spot]
    ((row,), _) = box.matrix.spot
    picture, cover = box._small._picture(), QColor(window.bench.appearance.theme.here_soft).rgba()
    assert {picture.pixel(column, row) for column in range(picture.width())} == {cover}
    assert picture.pixel(0, 0) != cover


@pytest.fixture
def trained_on(monkeypatch):
    """The threads that take steps of training."""
    threads, step = set(), Trainer.step

    def noted(trainer):
        threads.add(threading.current_thread())
        return step(trainer)

    monkeypatch.setattr(Trainer, "step", noted)
    states_of.cache_clear()
    return threads


def test_the_window_does_not_wait_for_steps_that_train(open_window, qtbot, trained_on, tmp_path):
    window = open_window("two-vectors", Settings(tmp_path))
    guide, last = window.lessons.guide, len(load("xor-linear").steps) - 1
    window.lessons.begin("xor-linear", False)
    qtbot.waitUntil(lambda: guide.at == 0 and not guide.walk.states.takes_long(last))
    guide.go(last - 1)
    window.files.open_lesson(load("two-vectors"))
    states_of.cache_clear()
    window.lessons.begin("xor-linear", False)
    assert guide.at is None
    qtbot.waitUntil(lambda: guide.at == last - 1)
    assert trained_on
    assert threading.main_thread() not in trained_on


def test_who_comes_back_to_a_lesson_by_undo_does_not_wait_either(open_window, qtbot, trained_on, tmp_path):
    window = open_window("two-vectors", Settings(tmp_path))
    guide, last = window.lessons.guide, len(load("xor-linear").steps) - 1
    window.lessons.begin("xor-linear", False)
    qtbot.waitUntil(lambda: guide.at == 0 and not guide.walk.states.takes_long(last))
    window.files.open_lesson(load("two-vectors"))
    states_of.cache_clear()
    trained_on.clear()
    while guide.at is None or guide.lesson.id != "xor-linear":
        window.actions_.undo.trigger()
        window.bench.bridge.flush()
    qtbot.waitUntil(lambda: not guide.walk.states.takes_long(last))
    assert trained_on
    assert threading.main_thread() not in trained_on


def test_who_opens_a_file_that_was_saved_at_a_step_does_not_wait_either(open_window, qtbot, trained_on, tmp_path):
    window = open_window("two-vectors", Settings(tmp_path))
    guide, last = window.lessons.guide, len(load("xor-linear").steps) - 1
    window.lessons.begin("xor-linear", False)
    qtbot.waitUntil(lambda: guide.at == 0 and not guide.walk.states.takes_long(last))
    guide.go(last)
    words = window.lessons.panel._page.widgets["words"].text()
    window.files._save(tmp_path / "a.explorer")
    qtbot.waitUntil(lambda: not window.files.saver.writes)
    window.files.open_lesson(load("two-vectors"))
    states_of.cache_clear()
    trained_on.clear()
    window.files.open_path(tmp_path / "a.explorer")
    qtbot.waitUntil(lambda: guide.lesson.id == "xor-linear" and guide.at == last)
    assert window.lessons.panel._page.widgets["words"].text() == words
    assert trained_on
    assert threading.main_thread() not in trained_on


def test_a_step_that_is_ready_too_late_takes_nobody_back(open_window, qtbot, trained_on, tmp_path):
    window = open_window("two-vectors", Settings(tmp_path))
    guide = window.lessons.guide
    window.lessons.begin("xor-linear", False)
    guide.go(len(guide.steps) - 2)
    states_of.cache_clear()
    window.files.open_lesson(load("two-vectors"))
    window.lessons.begin("xor-linear", False)
    assert guide._ahead.at_work
    window.lessons.begin("emma", False)
    qtbot.waitUntil(lambda: not guide._ahead.at_work)
    assert (guide.lesson.id, guide.at) == ("emma", 0)


def test_what_hinders_a_step_that_trains_is_said(open_window, qtbot, trained_on, tmp_path, monkeypatch):
    window = open_window("two-vectors", Settings(tmp_path))
    guide, said = window.lessons.guide, []
    window.lessons.begin("xor-linear", False)
    guide.go(len(guide.steps) - 2)
    window.files.open_lesson(load("two-vectors"))
    states_of.cache_clear()

    def refuse(trainer):
        raise ExplorerError("unknown-node", name="nothing", near="")

    monkeypatch.setattr(Trainer, "step", refuse)
    monkeypatch.setattr(panel_module, "show_error", lambda error, at: said.append(error.id))
    window.lessons.begin("xor-linear", False)
    qtbot.waitUntil(lambda: said == ["unknown-node"])


# Where a pass takes long


@pytest.fixture
def slow(window, gate, monkeypatch):
    """From now on numbers are computed beside the window, once the gate is open."""
    monkeypatch.setattr("explorer.document.document.LARGE", 1)
    return window


def come(qtbot, window, gate):
    gate.open.set()
    qtbot.waitUntil(lambda: not window.bench.document.computing)
    window.bench.bridge.flush()


def test_a_step_whose_numbers_take_long_comes_once_they_are_there(slow, guide, panel, gate, qtbot):
    guide.go(2)
    assert (guide.at, guide.walk.at, slow.bench.document.engine.values[LOGITS][0, 1]) == (0, 0, 1)
    assert panel._page.widgets["words"].text() == "<p style='margin: 0'>The first is <strong>2.0</strong>.</p>"
    come(qtbot, slow, gate)
    assert (guide.at, guide.walk.at, slow.bench.document.engine.values[LOGITS][0, 1]) == (2, 2, 3)
    assert "Now B is 3" in panel._page.widgets["words"].text()
    assert not slow.files.modified


def test_a_class_sees_the_first_step_once_its_numbers_are_there(slow, guide, hand, gate, qtbot):
    guide.go(2)
    come(qtbot, slow, gate)
    guide.leave()
    gate.open.clear()
    hand.key(Key.Key_F5)
    presenter = slow.lessons.presenter
    assert (guide.at, presenter.sheet) == (None, None)
    come(qtbot, slow, gate)
    assert presenter.sheet.step is guide.steps[0]
    presenter.leave()


def test_values_of_a_step_are_computed_once(slow, guide, gate, qtbot, monkeypatch):
    def fresh(*_):
        raise AssertionError("computed a second time")

    monkeypatch.setattr("explorer.lessons.schema.fresh", fresh)
    guide.go(2)
    come(qtbot, slow, gate)
    guide.answer(0)
    assert guide.walk.engine(2).values is slow.bench.document.engine.values


def test_an_edit_made_while_a_step_comes_belongs_to_that_step(slow, guide, gate, qtbot):
    guide.go(2)
    slow.bench.document.do(SetCells(LOGITS, {(0, 2): 9.0}))
    come(qtbot, slow, gate)
    assert guide.at == 2
    assert guide.changed
    assert slow.bench.document.engine.values[LOGITS].tolist() == [[2.0, 3.0, 9.0]]


def test_who_goes_elsewhere_while_a_step_comes_is_not_taken_to_it(slow, guide, gate, qtbot):
    guide.go(2)
    slow.bench.document.undo()
    come(qtbot, slow, gate)
    assert guide.at == 0
    guide.go(2)
    gate.open.clear()
    guide.go(1)
    guide.go(0)
    come(qtbot, slow, gate)
    assert guide.at == 0


@pytest.mark.usefixtures("page_in_sight")
def test_a_page_that_a_step_leads_away_from_is_not_made_of_its_numbers(window, guide, go, eye, monkeypatch):
    go(1)
    window.bench.selection.go_to("loss" if "loss" in [one.name for one in window.bench.selection.stops] else "model")
    eye.settle(window)
    before, made = window.area.in_sight(), []
    monkeypatch.setattr(before, "refresh", lambda: made.append("refreshed"))
    guide.go(2)
    eye.settle(window)
    assert window.area.in_sight() is not before
    assert made == []


def test_a_lesson_that_was_left_before_its_model_was_there_does_not_begin_in_place_of_another(
    slow, guide, gate, qtbot, monkeypatch
):
    entered = []
    monkeypatch.setattr(guide, "enter", lambda: entered.append(guide.lesson.id))
    slow.files.begin_lesson(load("two-vectors"))
    assert slow.bench.document.wanted.lesson == "two-vectors" != slow.bench.document.state.lesson
    monkeypatch.setattr("explorer.document.document.LARGE", 10**9)
    lesson = load("softmax")
    slow.bench.open(lesson)  # as an example, not where its steps were left
    come(qtbot, slow, gate)
    assert slow.bench.lesson is lesson
    assert entered == []
    assert guide.step is None


def test_where_progress_cannot_be_written_it_is_said_and_kept_until_the_program_ends(open_window, tmp_path, eye):
    (tmp_path / "progress").write_text("no folder")
    window = open_window("softmax", settings=Settings(tmp_path))
    window.lessons.begin("softmax", False)
    eye.settle(window)
    guide, trouble = window.lessons.guide, window.lessons.panel._page.widgets["trouble"]
    assert "Your progress is kept only until the program ends" in trouble.text()
    assert trouble.isVisible()
    asked = next(at for at, step in enumerate(guide.steps) if isinstance(step.question, Predict))
    guide.go(asked)
    guide.answer(right_answer(guide.question, guide.walk.state(asked), guide.walk.engine(asked)))
    guide.next()
    guide.go(asked)
    assert guide.is_answered(guide.step), "in memory"
    assert (tmp_path / "progress").read_text() == "no folder"
