"""Opening lessons, following undo to the former one, closing."""

import pytest
import shiboken6
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton, QScrollArea
from shiboken6 import Shiboken

from explorer.document.commands import SetCells, SetSwitch
from explorer.lessons.loader import load
from explorer.ui.actions import PARTS
from explorer.ui.page.answers import BlankView, OptionView
from explorer.ui.widgets.tree import inside
from explorer.ui.window.chips import Chip
from explorer.ui.window.main_window import AGAIN
from tests.samples import long
from tests.ui.conftest import lesson_of, one_of_each_kind

Key, Modifier = Qt.Key, Qt.KeyboardModifier
TITLES = {
    "translation-lookup": "Translation as a look-up",
    "emma": "Emma hates games but she is a great friend",
    "you-are-welcome": "You are welcome → de nada",
}

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "at_least_page", "page_rests")


def state_of(window):
    """What the window says about the lesson: title, name on the button, settings and the chosen one, tokens."""
    settings = [b for b in window.findChildren(QPushButton) if b.accessibleName().startswith("Setting:")]
    settings = [b for b in settings if b.isVisible()]
    chips = [c.accessibleName().partition(": ")[2] for c in window.tokens.findChildren(Chip) if c.isVisible()]
    return {
        "title": window.windowTitle().partition(" – ")[0].removesuffix("[*]"),
        "button": window.top_bar.title.toolTip().splitlines()[0],
        "settings": [b.text() for b in settings],
        "chosen": [b.text() for b in settings if b.isChecked()],
        "tokens": chips,
        "stage": window.bench.selection.stage,
        "map": [b.stage.name for b in window.map.buttons],
        "bar": window.lesson_bar._title.text(),
        "lesson": window.bench.lesson.id,
    }


def test_another_lesson_and_back_by_undo(open_window, hand, eye):
    window = open_window()
    before, numbers = state_of(window), numbers_of(window)
    assert before["stage"] == "model"
    assert before["title"] == before["button"] == TITLES["you-are-welcome"]
    assert before["tokens"] == ["You", "are", "welcome", "<start>", "de", "nada"]
    window.bench.open(load("translation-lookup"))
    eye.settle(window)
    after = state_of(window)
    assert after["title"] == after["button"] == TITLES["translation-lookup"]
    assert after["settings"] == ["Textbook", "As printed"]
    assert after["chosen"] == ["Textbook"]
    assert after["tokens"] == ["with", "below", "above", "below", "with"]
    assert after["stage"] == "attention"
    assert after["map"][:3] == ["model", "attention", "attention.nearest"]
    assert "weights" in eye.views(window)
    hand.key(Key.Key_Z, Modifier.ControlModifier)
    eye.settle(window)
    assert state_of(window) == before
    assert numbers_of(window) == numbers
    hand.key(Key.Key_Y, Modifier.ControlModifier)
    eye.settle(window)
    assert state_of(window) == after


def numbers_of(window):
    return {name: array.tobytes() for name, array in window.bench.document.engine.values.items()}


def test_undo_across_a_setting_and_a_lesson(window, hand, eye):
    seen = [state_of(window)]
    window.bench.open(window.bench.lesson, "printed")
    eye.settle(window)
    seen.append(state_of(window))
    window.bench.open(load("emma"))
    eye.settle(window)
    seen.append(state_of(window))
    window.bench.open(window.bench.lesson, "textbook")
    eye.settle(window)
    assert state_of(window)["chosen"] == ["Textbook"]
    for expected in reversed(seen):
        hand.key(Key.Key_Z, Modifier.ControlModifier)
        eye.settle(window)
        here = state_of(window)
        assert {k: v for k, v in here.items() if k != "stage"} == {k: v for k, v in expected.items() if k != "stage"}


def test_opening_from_one_lesson_to_the_next_while_a_cell_and_a_token_are_chosen(pictures, window, hand, eye):
    eye.go_to(window, "encoder.1.self.attention")
    view = eye.views(window)["encoder.1.self.head.1.weights"]
    hand.click(view, hand.cell(view, 2, 2))
    hand.click(window.tokens._strips["source"].chips[2])
    window.bench.selection.set_head(1)
    for lesson in ("emma", "you-are-welcome"):
        window.bench.open(load(lesson))
        eye.settle(window)
        cell = window.bench.selection.cell
        assert cell is None or cell.node in window.bench.document.engine.graph.nodes
        assert not window.grab().isNull()
        hand.away(window)
    assert state_of(window)["title"] == TITLES["you-are-welcome"]


@pytest.mark.usefixtures("page_in_sight")
def test_a_key_that_waited_in_line_does_not_meet_the_page_of_the_example_before(window, eye):
    window.tokens._strips["source"].chips[0].setFocus()
    window.bench.open(load("xor"))
    # It came while the example was being opened: it stands before all timers.
    QApplication.sendEvent(window.windowHandle(), QKeyEvent(QEvent.Type.KeyPress, Key.Key_Delete, Modifier.NoModifier))
    assert not window.bench.bridge._timer.isActive()
    eye.settle(window)
    assert window.bench.document.history.undo_label.startswith("Open")


@pytest.mark.parametrize("lessons", [("two-vectors", "apple-orange"), long(("xor",))])
def test_a_page_may_be_painted_when_the_model_is_another_already(open_window, pictures, eye, lessons):
    """Qt paints before any timer, so also before the bridge's: then the page of before stands there unharmed."""
    window, seen = open_window("softmax"), set()
    for lesson in lessons:
        window.bench.open(lesson_of(lesson))
        window.bench.bridge.flush()
        kinds = {stage.name: stage.kind for stage in window.bench.selection.stops}
        for stage in [name for name in one_of_each_kind(window) if kinds[name] not in seen]:
            seen.add(kinds[stage])
            eye.go_to(window, stage)
            window.bench.open(lesson_of("softmax"))
            window.update()
            QApplication.sendPostedEvents(window, QEvent.Type.UpdateRequest)
            window.bench.bridge.flush()
            assert state_of(window)["stage"] in {stop.name for stop in window.bench.selection.stops}
            window.bench.document.undo()
    eye.settle(window)


def test_every_lesson_fits_the_smallest_window_that_is_promised(open_window, pictures, eye):
    """At 1280 × 720 only the stage scrolls."""
    window = open_window(size=(1280, 720))
    for lesson in TITLES:
        window.bench.open(lesson_of(lesson))
        eye.settle(window)
        assert (window.width(), window.height()) == (1280, 720)
        for part in (window.top_bar, window.tokens, window.map, window.inspector, window.lesson_bar, window.page()):
            assert part.isVisible()
            place = part.mapTo(window, part.rect().bottomRight())
            assert place.x() < 1280
            assert place.y() < 720
            assert part.width() >= part.minimumSizeHint().width(), part
        assert window.page().height() > 200


def test_in_letters_of_300_per_cent_a_window_scrolls_only_if_words_are_out_of_sight(open_window, eye, appearance):
    """On a screen of 1440 × 900 a scroll bar of the window stood beside those of its parts, for 28 pixels."""
    appearance.set_scale(3.0)
    window = open_window("start-here", size=(1440, 872))
    window.lessons.guide.go(0)
    for height, rolls in ((872, False), (860, True)):
        window.resize(1440, height)
        eye.settle(window)
        assert (window._rolls.verticalScrollBar().maximum() > 0) is rolls
        words = window.lessons.panel._scroll
        assert words.mapTo(window.whole, words.rect().bottomLeft()).y() < window.whole.height()


def test_a_window_can_be_closed_and_shown_again(own_window, window, qtbot):
    window.close()
    with qtbot.waitExposed(window):
        window.show()
    window.close()
    assert not window.isVisible()


@pytest.mark.usefixtures("page_in_sight")
def test_a_closed_window_can_be_deleted_while_its_document_lives(open_window, eye):
    window = open_window("emma")
    document = window.bench.document
    window.close()
    shiboken6.delete(window)
    document.undo()
    window_2 = open_window("emma")
    assert eye.views(window_2)


def test_nobody_has_the_focus_ring_at_the_start(window):
    assert QApplication.focusWidget() is window


@pytest.mark.usefixtures("page_in_sight")
def test_no_button_gets_the_focus_ring_from_a_page_that_goes(open_window, eye):
    window = open_window(tab="Lessons")
    search = window.lessons.tab().elements.widgets["search"].edit
    search.setFocus()
    assert QApplication.focusWidget() is search
    window.show_tab("Pipeline")
    eye.settle(window)
    assert QApplication.focusWidget() is window


@pytest.mark.usefixtures("page_in_sight")
def test_f6_goes_round_the_parts_of_the_window(window, eye, hand):
    eye.go_to(window, "encoder.1.self.attention")
    hand.key(Key.Key_F6)
    assert QApplication.focusWidget() is next(iter(eye.views(window).values()))
    round_trip = []
    for _ in range(4):
        hand.key(Key.Key_F6)
        round_trip.append(QApplication.focusWidget())
    for part, widget in zip((window.inspector, window.top_bar, window.tokens, window.map), round_trip, strict=True):
        assert part.isAncestorOf(widget)
    hand.key(Key.Key_F6, Modifier.ShiftModifier)
    assert window.tokens.isAncestorOf(QApplication.focusWidget())
    # PySide took each part for a child of the one before, and the window for deleted with a button.
    assert "parent" not in Shiboken.dump(window)


def parts_round(window, hand, back=False):
    """The names of the parts that F6 goes to, until it comes to one again."""
    seen = []
    while True:
        hand.key(Key.Key_F6, Modifier.ShiftModifier if back else Modifier.NoModifier)
        part = QApplication.focusWidget()
        while part.objectName() not in PARTS:
            part = part.parentWidget()
        if part.objectName() in seen:
            return seen
        seen.append(part.objectName())


@pytest.mark.usefixtures("page_in_sight")
def test_f6_comes_to_the_question_of_a_step_to_a_notice_and_to_the_bar_at_the_bottom(open_window, eye, hand):
    window = open_window("xor")
    window.notice.ask("Something is left.", {"Open it": lambda: None})
    eye.settle(window)
    every = ["page", "inspector", "topBar", "notice", "sidebar", "lessonBar"]
    assert parts_round(window, hand) == every
    window.setFocus()
    assert parts_round(window, hand, back=True) == every[::-1]
    window.lessons.begin("xor", False)
    eye.settle(window)
    for kind, at in ((BlankView, 0), (OptionView, 1)):
        window.lessons.guide.go(at)
        eye.settle(window)
        window.page().setFocus()
        while not window.lessons.panel.isAncestorOf(QApplication.focusWidget()):
            hand.key(Key.Key_F6)
        assert isinstance(QApplication.focusWidget(), kind)


@pytest.mark.usefixtures("page_in_sight")
@pytest.mark.parametrize(("id", "name"), [("gamma", "gamma"), ("rows-or-columns", "head.1.weights")])
def test_f6_comes_to_the_matrix_that_a_question_is_about(open_window, eye, hand, id, name):
    window = open_window("you-are-welcome")
    window.lessons.begin("you-are-welcome", False)
    guide = window.lessons.guide
    guide.go(next(at for at, step in enumerate(guide.steps) if step.id == id))
    eye.settle(window)
    while not window.page().isAncestorOf(QApplication.focusWidget()):
        hand.key(Key.Key_F6)
    assert QApplication.focusWidget() is eye.views(window)[f"encoder.1.self.{name}"]


@pytest.mark.usefixtures("page_in_sight")
def test_a_page_scrolls_by_keys_where_nothing_has_them(open_window, eye, hand):
    window = open_window("you-are-welcome", tab="Train")
    window.resize(1024, 640)
    eye.settle(window)
    window.setFocus()
    areas = [one for one in inside(window.tabs, QScrollArea) if one.isVisible()]
    bar = max(areas, key=lambda one: one.width() * one.height()).verticalScrollBar()
    hand.key(Key.Key_PageDown)
    assert bar.value() == min(bar.pageStep() - AGAIN, bar.maximum()) > 0
    hand.key(Key.Key_End)
    assert bar.value() == bar.maximum()
    hand.key(Key.Key_Home)
    assert not bar.value()


def test_gradients_of_a_loss_that_is_taken_away_are_not_asked_for(open_window, eye, hand):
    window = open_window("xor")
    eye.look_at(window, "layer.1")
    view = eye.views(window)["layer.1.W"]
    hand.click(view, hand.cell(view, 0, 0))
    hand.click(eye.by_name(window, "Matrices show: Gradient"))
    window.bench.document.do(SetSwitch("loss", "loss", "none"))
    window.bench.bridge.flush()
    assert window.bench.selection.showing == "values"


@pytest.mark.usefixtures("page_in_sight")
def test_a_page_shown_before_it_is_told_of_another_model(window, eye):
    eye.go_to(window, "model.switches")
    window.bench.selection.go_to("source.embedding")
    window.bench.open(load("xor"))
    window.area.show_stage("model.switches")  # in the same turn of the event loop
    window.bench.bridge.flush()
    eye.settle(window)
    assert window.bench.lesson.id == "xor"


def test_the_panel_of_a_lesson_is_whole_beside_a_tab_in_any_text_size(window, qtbot):
    window.lessons.guide.go(0)
    window.show_tab("References")
    panel = window.lessons.panel
    for scale in (1.5, 1.0):
        window.bench.appearance.set_scale(scale)
        qtbot.waitUntil(lambda: window.bench.appearance.turns.idle)
        place = panel.parentWidget()
        qtbot.waitUntil(lambda place=place: panel.width() <= place.width())
        assert place.mapTo(window, place.rect().topRight()).x() < window.width()
    window.bench.appearance.set_scale(1.0)


def test_a_pass_that_takes_longer_than_a_second_says_how_far_it_is_and_can_be_stopped(window, gate, qtbot, monkeypatch):
    monkeypatch.setattr("explorer.document.document.LARGE", 1)
    gate.open.clear()
    window.passing._patience.setInterval(0)
    document = window.bench.document
    shown = document.state
    document.do(SetCells("encoder.1.self.W_O", {(0, 0): 3.0}))
    qtbot.waitUntil(lambda: window.passing.text.startswith("Computing, 0% done: "))
    assert not document.progress
    window.passing.buttons["Stop"].click()
    assert window.passing.text == ""
    assert document.wanted is shown
