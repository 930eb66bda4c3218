from itertools import count

import pytest
from PySide6.QtCore import QTimer

from explorer.document.commands import SetCells, SetSwitch
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.ui.bridge import Bridge


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
