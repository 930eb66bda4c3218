"""What is put off happens once, in the next turn, and not at all for an owner that is gone."""

import gc
from itertools import count

import pytest
import shiboken6
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from explorer.document.commands import SetCells, SetSwitch
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.ui.turns import BeforePainting, Bridge, Collector, OneATurn, do_later, do_once_painted, later


def test_it_happens_once_in_the_next_turn(qtbot):
    owner, done = QObject(), []
    do_later(owner, lambda: done.append("once"))
    assert done == []
    qtbot.waitUntil(lambda: done == ["once"])
    qtbot.waitUntil(lambda: not owner.children())


def test_a_timer_waits_to_be_started_and_can_be_started_again(qtbot):
    owner, done = QObject(), []
    timer = later(owner, lambda: done.append(len(done)))
    QApplication.processEvents()
    assert done == []
    for expected in ([0], [0, 1]):
        timer.start()
        timer.start()
        qtbot.waitUntil(lambda expected=expected: done == expected)


def test_nothing_happens_for_an_owner_that_is_gone(qapp):
    owner, done = QObject(), []
    do_later(owner, lambda: done.append("never"))
    shiboken6.delete(owner)
    QApplication.processEvents()
    assert done == []


def test_an_owner_that_nothing_but_the_act_holds_goes_after_it(qtbot):
    """Its end was that of the timer, which it ended a second time: the program crashed."""
    done = []

    def ask():
        owner = QObject(objectName="owner")
        owner.destroyed.connect(lambda: done.append("gone"))
        do_later(owner, lambda: done.append(owner.objectName()))

    for _ in range(50):
        ask()
    qtbot.waitUntil(lambda: len(done) == 100)
    assert done.count("gone") == 50


def test_of_what_is_asked_for_in_one_turn_the_first_happens_at_once_and_each_other_in_a_turn_of_its_own(qtbot):
    owner, done = QObject(), []
    turn, acts = later(owner, lambda: (done.append("turn"), turn.start())), OneATurn(owner)
    for k in range(3):
        acts.do(lambda k=k: done.append(k))
    assert done == [0]
    turn.start()
    qtbot.waitUntil(lambda: 2 in done)
    assert "turn" in done[done.index(1) : done.index(2)]
    turn.stop()


class Painted(QWidget):
    """A widget that takes down when it is painted."""

    def __init__(self, done):
        super().__init__()
        self._done = done

    def paintEvent(self, event):
        self._done.append("painted")


def test_what_is_asked_for_before_painting_is_done_once_and_before(qtbot):
    done = []
    window = Painted(done)
    qtbot.addWidget(window)
    sharing = BeforePainting(window, lambda: done.append("shared"))
    window.show()
    qtbot.waitUntil(lambda: "painted" in done)
    done.clear()
    window.update()
    sharing.ask()
    sharing.ask()
    assert done == []
    qtbot.waitUntil(lambda: "painted" in done)
    assert done == ["shared", "painted"]
    sharing.ask()
    shiboken6.delete(window)
    QApplication.processEvents()
    assert done == ["shared", "painted"]


def test_what_takes_long_comes_behind_the_first_paint_of_a_window(qtbot):
    done = []
    window = Painted(done)
    qtbot.addWidget(window)
    do_once_painted(window, lambda: done.append("long"))
    window.show()
    qtbot.waitUntil(lambda: "long" in done)
    assert done[0] == "painted"


def test_a_widget_that_nobody_shows_or_that_is_painted_already_need_not_wait(qtbot):
    done = []
    window = QWidget()
    qtbot.addWidget(window)
    do_once_painted(window, lambda: done.append("hidden"))
    qtbot.waitUntil(lambda: done == ["hidden"])
    with qtbot.waitExposed(window):
        window.show()
    do_once_painted(window, lambda: done.append("shown"))
    qtbot.waitUntil(lambda: done == ["hidden", "shown"])


def test_an_owner_that_goes_before_its_window_is_painted_is_left_alone(qtbot):
    window, done = QWidget(), []
    qtbot.addWidget(window)
    owner = QWidget(window)
    do_once_painted(owner, lambda: done.append("never"))
    window.show()
    shiboken6.delete(owner)
    with qtbot.waitExposed(window):
        pass
    QApplication.processEvents()
    assert done == []


@pytest.fixture
def document():
    return Document(load("you-are-welcome").state("printed"))


@pytest.fixture
def bridge(document, qapp):
    made = Bridge(document)
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def told(bridge):
    changes = []
    bridge.changed.connect(changes.append)
    return changes


def test_edits_of_one_turn_are_told_once_and_together(qtbot, document, bridge, told):
    document.do(SetCells("source.table", {(0, 0): 5.0}))
    document.do(SetCells("decoder.1.self.W_O", {(0, 0): 7.0}))
    document.do(SetSwitch("decoder.1.self", "scale", "1/d_k"))
    assert told == []
    with qtbot.waitSignal(bridge.changed):
        pass
    (change,) = told
    assert {"source.table", "encoder.1.self.Q", "decoder.1.self.W_O", "decoder.1.self.projected"} <= change.changed
    assert change.added == {"decoder.1.self.scale", "decoder.1.self.scaled"}
    assert change.structure
    assert "scale" in change.label


def test_what_changes_the_model_at_each_turn_does_not_keep_it_from_telling(qtbot, document, bridge, told):
    """As training does: a timer without a pause, whose edits take longer than nothing."""
    numbers = count(1.0)
    edits = QTimer(bridge, interval=0)
    edits.timeout.connect(lambda: document.do(SetCells("source.table", {(0, 0): next(numbers)})))
    edits.start()
    qtbot.waitUntil(lambda: len(told) > 3)
    edits.stop()


def test_the_next_turn_is_told_again(qtbot, document, bridge, told):
    for value in (1.0, 2.0):
        with qtbot.waitSignal(bridge.changed):
            document.do(SetCells("source.table", {(0, 0): value}))
    assert len(told) == 2
    assert not told[1].structure


def test_a_step_and_its_undo_in_one_turn_leave_nothing_added(qtbot, document, bridge, told):
    document.do(SetSwitch("decoder.1.self", "scale", "1/d_k"))
    document.undo()
    with qtbot.waitSignal(bridge.changed):
        pass
    (change,) = told
    assert change.added == set()


def test_flush_tells_now_and_only_once(qtbot, document, bridge, told):
    document.do(SetCells("source.table", {(0, 0): 5.0}))
    bridge.flush()
    assert len(told) == 1
    bridge.flush()
    qtbot.waitUntil(lambda: not bridge._timer.isActive())
    assert len(told) == 1


def test_an_edit_that_changes_nothing_is_not_told(qtbot, document, bridge, told):
    document.do(SetSwitch("decoder.1.self", "scale", "none"))
    assert not bridge._timer.isActive()
    document.undo()
    assert not bridge._timer.isActive()


def test_an_edit_made_while_being_told_comes_in_the_next_turn(qtbot, document, bridge, told):
    def answer(change):
        if len(told) == 1:
            document.do(SetCells("source.table", {(0, 1): 6.0}))

    bridge.changed.connect(answer)
    document.do(SetCells("source.table", {(0, 0): 5.0}))
    bridge.flush()
    assert len(told) == 1
    qtbot.waitUntil(lambda: len(told) == 2)


def test_closed_it_hears_nothing_more(document, bridge, told):
    document.do(SetCells("source.table", {(0, 0): 5.0}))
    bridge.close()
    document.do(SetCells("source.table", {(0, 0): 6.0}))
    assert not bridge._timer.isActive()
    assert told == []
    bridge.close()  # a window may be closed twice


def test_the_collector_goes_through_all_objects_only_in_a_turn_of_its_own(qtbot, monkeypatch):
    usual, owner, acting, rounds = gc.get_threshold(), QObject(), [], []

    def count_round(phase, info):
        if phase == "start" and info["generation"] == 2:
            rounds.append(bool(acting))

    def act():
        acting.append("act")
        kept.extend([] for _ in range(20_000))
        acting.clear()

    kept, turn = [], later(owner, act)
    gc.callbacks.append(count_round)
    gc.set_threshold(50, 2, 2)  # so that rounds through all would be due again and again
    gc.enable()  # it is off in tests of the window
    try:
        act()
        assert True in rounds  # as Python does it by itself
        rounds.clear()
        collector = Collector(owner)
        collector.setInterval(1)
        turn.start()
        qtbot.waitUntil(lambda: bool(rounds))
        assert len(kept) == 40_000
        assert True not in rounds
        shiboken6.delete(owner)
        assert gc.get_threshold() == (50, 2, 2)
    finally:
        gc.disable()
        gc.set_threshold(*usual)
        gc.callbacks.remove(count_round)
