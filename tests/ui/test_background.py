"""The window while a thread computes: a gate holds the thread, so that each thing happens when the test says."""

import subprocess
import sys
import threading
import time

import pytest
import shiboken6
from PySide6.QtCore import Qt

from explorer.core import attribution
from explorer.core.decoder import Decoding
from explorer.core.engine import fresh, same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.ops import Softmax
from explorer.core.progress import Progress
from explorer.document.commands import SetCells, WriteOn
from explorer.lessons.document_lesson import new_lesson
from explorer.pages.element import leaves
from explorer.pages.gestures import Do
from explorer.pages.model import why
from explorer.pages.page import Listing
from explorer.ui.background import Aside, Background
from explorer.ui.page.gestures import perform
from explorer.ui.page.note import WaitingBar
from explorer.ui.window import notice
from explorer.ui.window.notice import Computing
from tests.ui.conftest import PATIENCE_S

pytestmark = pytest.mark.usefixtures("kept", "at_least_page", "page_rests")
WEIGHT = "encoder.1.self.W_Q"
SELF = "encoder.1.self.attention"


@pytest.fixture
def long(monkeypatch):
    """From now on all that has to be recomputed takes long."""
    return lambda: monkeypatch.setattr("explorer.document.document.LARGE", 1)


@pytest.fixture
def bench(window, gate, long):
    long()
    return window.bench


def value(bench, name=WEIGHT):
    return float(bench.document.engine.values[name].flat[0])


def edit(bench, number, name=WEIGHT):
    bench.document.do(SetCells(name, {(0,) * bench.document.engine.values[name].ndim: number}))


def word(window):
    return window.findChild(Computing).text()


def assert_whole(bench):
    """What is shown is what the state makes, bit for bit."""
    state = bench.document.state
    used = {name: array for name, array in state.inputs.items() if name in state.graph.nodes}
    expected = fresh(state.graph, {n: a for n, a in used.items() if state.graph.nodes[n].is_input}, state.pins)
    for name, array in expected.values.items():
        assert same_bytes(bench.document.engine.values[name], array)


def finish(qtbot, bench, gate):
    gate.open.set()
    qtbot.waitUntil(lambda: not bench.document.computing)
    bench.bridge.flush()


def test_an_edit_is_shown_when_it_is_computed(window, bench, gate, qtbot, eye):
    eye.go_to(window, SELF)
    view = eye.views(window)["encoder.1.self.head.1.W_Q"]
    edit(bench, 7.0)
    assert not bench.bridge._timer.isActive()
    assert eye.texts(view)[0][0] != "7.0"
    finish(qtbot, bench, gate)
    assert eye.texts(view)[0][0] == "7.0"
    assert_whole(bench)


def test_the_bar_says_so_if_it_lasts(window, bench, gate, qtbot):
    edit(bench, 7.0)
    assert word(window) == ""
    qtbot.waitUntil(lambda: word(window) == "Computing …")
    finish(qtbot, bench, gate)
    assert word(window) == ""
    window.findChild(Computing).setFixedWidth(20)
    gate.open.clear()
    edit(bench, 8.0)
    qtbot.waitUntil(lambda: word(window) == "…")


def test_what_is_soon_over_is_not_spoken_of(window, bench, gate, qtbot):
    window.findChild(Computing)._patience.setInterval(60_000)
    edit(bench, 7.0)
    finish(qtbot, bench, gate)
    assert word(window) == ""
    assert not window.findChild(Computing)._patience.isActive()


def test_meanwhile_one_can_look_elsewhere_and_edit_again(window, bench, gate, qtbot, eye):
    edit(bench, 7.0)
    eye.go_to(window, "source.embedding")
    edit(bench, 8.0, "source.table")
    finish(qtbot, bench, gate)
    assert (value(bench), value(bench, "source.table")) == (7.0, 8.0)
    assert eye.texts(eye.views(window)["source.table"])[0][0] == "8.0"
    assert_whole(bench)


def test_undo_and_redo_meanwhile(window, bench, gate, qtbot, hand):
    first = value(bench)
    edit(bench, 7.0)
    assert window.actions_.undo.isEnabled()
    assert window.isWindowModified()
    window.actions_.undo.trigger()
    assert not bench.document.computing
    qtbot.waitUntil(lambda: not window.actions_.undo.isEnabled())
    assert not window.isWindowModified()
    assert (value(bench), word(window)) == (first, "")
    window.actions_.redo.trigger()
    finish(qtbot, bench, gate)
    assert value(bench) == 7


def test_another_example_can_be_opened_meanwhile(window, bench, gate, qtbot, monkeypatch):
    edit(bench, 7.0)
    monkeypatch.setattr("explorer.document.document.LARGE", 10**12)
    window.files.open_lesson(new_lesson("gpt", ["a b c"], d_model=4))
    bench.bridge.flush()
    assert bench.document.engine.labels("input") == ("a", "b", "c")
    assert not bench.document.computing
    gate.open.set()
    bench.document.undo()
    bench.bridge.flush()
    assert value(bench) == 7
    assert_whole(bench)


def test_a_large_example_opens_when_it_is_computed(window, bench, gate, qtbot):
    window.files.open_lesson(new_lesson("gpt", ["a b c"], d_model=4))
    assert bench.lesson.id == "you-are-welcome"
    assert not window.isWindowModified()
    edit_of_it = SetCells("input.table", {(0, 0): 5.0})
    bench.document.do(edit_of_it)
    assert window.isWindowModified()
    finish(qtbot, bench, gate)
    assert (bench.lesson.title, value(bench, "input.table")) == ("a b c", 5.0)
    bench.document.undo()
    finish(qtbot, bench, gate)
    assert not window.isWindowModified()


def test_an_act_that_was_overtaken_belongs_to_its_own_file(window, bench, gate, qtbot):
    edit(bench, 7.0)
    window.files.open_lesson(new_lesson("gpt", ["a b c"], d_model=4))
    finish(qtbot, bench, gate)
    assert not window.isWindowModified()
    bench.document.undo()
    finish(qtbot, bench, gate)
    assert value(bench) == 7
    assert window.isWindowModified()
    assert "You are welcome" in window.windowTitle()


def test_saving_waits(window, bench, gate, tmp_path, monkeypatch):
    edit(bench, 7.0)
    gate.open.set()
    monkeypatch.setattr(window.files.dialogs, "to_save", lambda suggestion: tmp_path / "a.explorer")
    assert window.files.save()
    assert (value(bench), bench.document.computing, window.files.modified) == (7.0, False, False)


def test_a_window_can_be_closed_meanwhile(own_window, window, bench, gate):
    edit(bench, 7.0)
    window.close()
    gate.open.set()
    assert not bench.document.computing
    assert not bench.background._timer.isActive()


def test_a_key_that_repeats_goes_on_from_the_newest_number(window, bench, gate, qtbot, eye, hand):
    eye.go_to(window, SELF)
    view = eye.views(window)["encoder.1.self.head.1.W_Q"]
    hand.click(view.viewport(), view.visualRect(view.table.index(0, 0)).center())
    before = value(bench)
    for _ in range(3):
        hand.wheel(view.viewport(), view.visualRect(view.table.index(0, 0)).center())
    finish(qtbot, bench, gate)
    qtbot.waitUntil(lambda: not bench.document.computing)
    assert value(bench) == pytest.approx(before + 0.3)


def test_a_switch_shows_what_it_was_set_to(window, bench, gate, qtbot, eye):
    eye.go_to(window, SELF)
    control = window.page().header.switches.controls["scale"].control
    control.setCurrentIndex(control.findText("none"))
    control.activated.emit(control.currentIndex())
    assert bench.document.computing
    assert control.currentText() == "none"
    finish(qtbot, bench, gate)
    assert "encoder.1.self.scaled" not in bench.document.engine.graph.nodes


def test_a_comparison_shows_the_other_setting_when_it_is_computed(window, bench, gate, qtbot, eye):
    eye.go_to(window, SELF)
    window.sides.compare(True)
    other = window.sides.comparison
    assert (other.bench.document.state.setting, other._settings.currentText()) == ("textbook", "Textbook")
    qtbot.waitUntil(lambda: other.findChild(Computing).text() != "")
    finish(qtbot, other.bench, gate)
    assert (other.bench.document.state.setting, other._settings.currentText()) == ("printed", "As printed")
    assert_whole(other.bench)
    assert bench.document.state.setting == "textbook"
    assert other.findChild(Computing).text() == ""
    window.sides.compare(False)


def test_gradients_are_shown_when_they_are_computed(window, bench, gate, qtbot, eye):
    eye.go_to(window, SELF)
    window.top_bar.showing.show_in_matrices("gradient")
    assert bench.selection.showing == "values"
    finish(qtbot, bench, gate)
    assert (bench.selection.showing, bench.document.engine.has_gradients) == ("gradient", True)
    edit(bench, 7.0)
    finish(qtbot, bench, gate)
    assert bench.document.engine.has_gradients
    window.top_bar.showing.show_in_matrices("values")
    assert bench.selection.showing == "values"


def test_one_may_change_ones_mind_about_gradients(window, bench, gate, qtbot):
    window.top_bar.showing.show_in_matrices("gradient")
    window.top_bar.showing.show_in_matrices("change")
    finish(qtbot, bench, gate)
    assert bench.selection.showing == "change"


def test_what_cannot_be_computed_is_said_and_taken_back(window, bench, gate, qtbot, said, monkeypatch):
    def fail(op, *parents):
        raise MemoryError("Unable to allocate 1 TiB")

    before = value(bench)
    edit(bench, 7.0)
    with monkeypatch.context() as patch:
        patch.setattr(Softmax, "forward", fail)
        gate.open.set()
        assert "Unable to allocate 1 TiB" in said()
    assert value(bench) == before
    qtbot.waitUntil(lambda: not window.actions_.undo.isEnabled())
    assert (word(window), window.isWindowModified()) == ("", False)
    edit(bench, 8.0)
    finish(qtbot, bench, gate)
    assert value(bench) == 8


def test_a_key_meanwhile_takes_effect(window, bench, gate, qtbot, hand):
    edit(bench, 7.0)
    hand.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not bench.document.computing
    hand.key(Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    finish(qtbot, bench, gate)
    assert value(bench) == 7


# The thread by itself


@pytest.fixture
def background(qapp):
    made = Background()
    yield made
    made.stop()
    made.deleteLater()


def test_work_is_done_on_another_thread_and_told_on_this_one(background, qtbot):
    threads = []

    def note():
        threads.append(threading.current_thread())

    with qtbot.waitSignals([background.busy, background.busy], check_params_cbs=[bool, lambda busy: not busy]):
        background.run(note, note)
    worker, teller = threads
    assert worker is not teller is threading.main_thread()
    assert not worker.daemon  # a process that ends within a matrix product may hang


def test_newer_work_takes_the_place_of_older(background, qtbot):
    told = []
    for name in ("older", "newer"):
        background.run(lambda: None, lambda name=name: told.append(name))
    with qtbot.waitSignal(background.busy):
        pass
    assert told == ["newer"]


def test_work_may_follow_upon_work(background, qtbot):
    told = []

    def then():
        told.append(1)
        if len(told) < 3:
            background.run(lambda: None, then)

    background.run(lambda: None, then)
    qtbot.waitUntil(lambda: len(told) == 3)
    qtbot.waitUntil(lambda: not background._timer.isActive())


def test_a_mistake_of_ours_is_told_and_heard_of(background, qtbot):
    def then():
        raise ExplorerError("not-computed", what="Set Q", why="division by zero") from ZeroDivisionError()

    with qtbot.captureExceptions() as caught, qtbot.waitSignal(background.failed):
        background.run(lambda: None, then)
    assert [type(error) for _, error, _ in caught] == [ExplorerError]
    assert not background._timer.isActive()


def test_it_may_be_deleted_meanwhile(qapp):
    background, gate = Background(), threading.Event()
    background.run(gate.wait, lambda: None)
    shiboken6.delete(background)
    gate.set()


class Slow:
    """Work that goes on until its report stops it."""

    def __init__(self):
        self.begun, self.ended, self.interval = threading.Event(), threading.Event(), None

    def __call__(self, report):
        try:
            while True:
                report(Progress("searching", 1, 2))
                self.interval = sys.getswitchinterval()
                self.begun.set()
        finally:
            self.ended.set()


@pytest.mark.parametrize("end", ["stop", "delete", "quit", "newer"])
def test_work_that_nobody_waits_for_ends_at_its_next_report(qapp, end):
    background, slow = Background(), Slow()
    background.ask(slow, lambda result: pytest.fail("its outcome was told"))
    assert slow.begun.wait(PATIENCE_S)
    match end:
        case "stop":
            background.stop()
        case "delete":
            shiboken6.delete(background)
        case "quit":
            qapp.aboutToQuit.emit()
        case "newer":
            background.ask(lambda report: None, lambda result: None)
    assert slow.ended.wait(PATIENCE_S)
    if shiboken6.isValid(background):
        background.stop()
        background.deleteLater()


def test_other_threads_take_turns_as_they_always_do(background):
    usual, slow = sys.getswitchinterval(), Slow()
    background.ask(slow, print)
    assert slow.begun.wait(PATIENCE_S)
    assert slow.interval == usual == sys.getswitchinterval()
    background.stop()
    assert slow.ended.wait(PATIENCE_S)


def test_result_and_progress_are_told_on_this_thread(background, qtbot):
    told, gate = [], threading.Event()

    def work(report):
        report(Progress("searching", 1, 2))
        gate.wait()
        return "found"

    background.progressed.connect(lambda progress: told.append((progress.done, threading.current_thread())))
    background.ask(work, lambda result: told.append((result, threading.current_thread())))
    qtbot.waitUntil(lambda: len(told) == 1)
    gate.set()
    qtbot.waitUntil(lambda: not background.at_work)
    assert told == [(1, threading.main_thread()), ("found", threading.main_thread())]


def test_what_a_person_can_cause_is_told_and_a_mistake_of_ours_is_heard_of(background, qtbot):
    def wrong(report):
        raise ExplorerError("unknown-format", name="a", known="b")

    with qtbot.waitSignal(background.failed) as caught:
        background.ask(wrong, lambda result: pytest.fail("there is none"))
    assert caught.args[0].id == "unknown-format"
    with qtbot.captureExceptions() as heard:
        background.ask(lambda report: 1 // 0, lambda result: pytest.fail("there is none"))
        qtbot.waitUntil(lambda: not background.at_work)
    assert [kind for kind, _, _ in heard] == [ZeroDivisionError]


def test_the_program_ends_although_a_thread_is_at_work():
    code = (
        "from PySide6.QtCore import QTimer;"
        "from PySide6.QtWidgets import QApplication;"
        "from explorer.ui.background import Background;"
        "from explorer.core.progress import Progress;"
        "app = QApplication([]);"
        "background = Background();"
        "background.ask(lambda report: [report(Progress('', i, 0)) for i in iter(int, 1)], print);"
        "QTimer.singleShot(0, app.quit);"
        "app.exec()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.fixture
def tries(monkeypatch):
    """Whatever a page may wait for, it waits for; trying all parts takes until it is let go, or stopped."""
    monkeypatch.setattr("explorer.pages.view.AT_ONCE", 0)
    free, begun, patched = threading.Event(), [], attribution.patched

    def slow(*of):
        told = of[-1]
        begun.append(of)
        while not free.is_set():
            told(1, 4)
        return patched(*of)

    monkeypatch.setattr(attribution, "patched", slow)
    yield free, begun
    free.set()


def waits(window):
    return {bar._waiting.id: bar for bar in window.page().findChildren(WaitingBar) if bar.isVisible()}


def lists(window):
    return {part.id for one in window.page().page.elements for part in leaves(one) if isinstance(part, Listing)}


@pytest.fixture
def why_page(open_window, eye, tries, qtbot):
    window = open_window("tiny-gpt")
    eye.go_to(window, "generation.why")
    window.bench.selection.keep("patching.show", True)
    qtbot.waitUntil(lambda: "lens here" in lists(window))
    qtbot.waitUntil(lambda: why.TO_PATCH in waits(window))
    return window


def test_a_page_says_how_far_what_it_waits_for_has_come_and_shows_it_then(why_page, tries, qtbot):
    bar = waits(why_page)[why.TO_PATCH]
    qtbot.waitUntil(lambda: bar.text == "Trying all parts: 25% done")
    assert "patches" not in lists(why_page)
    place = bar.button.geometry()
    why_page.bench.aside.progressed.emit(why.TO_PATCH, 1.0)  # a longer sentence
    bar.layout().activate()
    assert bar.button.geometry() == place
    tries[0].set()
    qtbot.waitUntil(lambda: "patches" in lists(why_page))
    assert waits(why_page) == {}
    why_page.bench.selection.keep(why.PART, 3)  # of the same values: nothing is computed anew
    why_page.bench.bridge.flush()
    assert "patches" in lists(why_page)
    assert len(tries[1]) == 1


def test_what_a_page_waits_for_can_be_stopped_and_begun_again(why_page, tries, qtbot):
    button = waits(why_page)[why.TO_PATCH].button
    assert button.toolTip() == "Stop it; it can begin again"
    button.click()
    qtbot.waitUntil(lambda: waits(why_page)[why.TO_PATCH].text == "Trying all parts: stopped")
    assert waits(why_page)[why.TO_PATCH].button.toolTip() == "Compute it from its beginning"
    qtbot.waitUntil(lambda: not why_page.bench.aside._background.at_work)  # other parts of the page may still come
    tries[0].set()
    waits(why_page)[why.TO_PATCH].button.click()
    qtbot.waitUntil(lambda: "patches" in lists(why_page))


def test_an_edit_asks_anew_and_nobody_waits_for_a_page_that_was_left(why_page, tries, eye, qtbot):
    qtbot.waitUntil(lambda: len(tries[1]) == 1)
    why_page.bench.document.do(SetCells("decoder.1.self.W_O", {(0, 0): 0.5}))
    qtbot.waitUntil(lambda: len(tries[1]) == 2)
    eye.go_to(why_page, "generation.next")
    qtbot.waitUntil(lambda: not why_page.bench.aside._background.at_work)
    tries[0].set()
    eye.go_to(why_page, "generation.why")
    qtbot.waitUntil(lambda: "patches" in lists(why_page))
    values = why_page.bench.document.engine.values
    assert tries[1][-1][1] is values


def test_an_error_of_what_a_page_waits_for_is_that_of_the_page(qapp, qtbot):
    aside = Aside()

    def wrong(told):
        raise ExplorerError("patch-differs")

    assert aside.ask("a", (), wrong) is None
    with qtbot.waitSignal(aside.changed):
        pass
    with pytest.raises(ExplorerError):
        aside.ask("a", (), wrong)
    aside.deleteLater()


@pytest.fixture
def writer(open_window, monkeypatch):
    """tiny-gpt as if it were large, which writes its words only when it is let."""
    window, free, said = open_window("tiny-gpt"), threading.Event(), WriteOn._said
    monkeypatch.setattr("explorer.ui.workbench.AT_ONCE", 0)
    monkeypatch.setattr(notice, "READING_MS", 0)
    window.writing._patience.setInterval(0)

    def slow(self, state, words):
        for word in said(self, state, words):
            yield word
            free.wait()

    monkeypatch.setattr(WriteOn, "_said", slow)
    yield window, free
    free.set()


def write_on(window):
    perform(window.bench, Do(WriteOn(5, 20, Decoding(greedy=True))), window)


def test_a_large_model_writes_on_beside_the_window_as_one_step_to_undo(writer, qtbot):
    window, free = writer
    write_on(window)
    qtbot.waitUntil(lambda: window.writing.text == "Writing on: 1 of 20 words")
    free.set()
    qtbot.waitUntil(lambda: window.bench.document.words("input")[-1] == "mat")
    assert window.bench.document.history.undo_label == "Write on"
    assert window.writing.text == ""
    window.bench.document.undo()
    assert window.bench.document.words("input") == ("the", "cat", "sat", "on", "the")


def test_writing_on_can_be_stopped_and_an_act_that_comes_meanwhile_counts(writer, qtbot):
    window, free = writer
    before = window.bench.document.wanted
    write_on(window)
    qtbot.waitUntil(lambda: window.writing.text != "")
    window.writing.buttons["Stop"].click()
    assert window.writing.text == ""
    assert window.bench.document.wanted is before
    write_on(window)
    edit(window.bench, 0.5, "decoder.1.self.W_O")
    changed = window.bench.document.wanted
    free.set()
    qtbot.waitUntil(lambda: not window.bench.author.at_work)
    assert window.bench.document.wanted is changed


def test_words_that_nobody_waits_for_are_not_written_to_their_end(writer, qtbot, monkeypatch):
    window, _ = writer

    def endless(self, state, told):
        while True:
            told(1, self.n)
            time.sleep(0.001)

    monkeypatch.setattr(WriteOn, "written", endless)
    write_on(window)
    qtbot.waitUntil(lambda: window.writing.text != "")
    edit(window.bench, 0.5, "decoder.1.self.W_O")
    qtbot.waitUntil(lambda: not window.bench.author.at_work)
    assert window.writing.text == ""


def test_that_a_text_is_complete_is_said_where_that_is_found_beside_the_window(writer, said):
    window, free = writer
    free.set()
    window.bench.document.do(WriteOn(5, 20, Decoding(greedy=True)))
    perform(window.bench, Do(WriteOn(6, 20, Decoding(greedy=True))), window)
    assert "complete" in said()
