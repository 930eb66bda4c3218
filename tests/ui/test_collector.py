"""Garbage is collected on the window's thread, and between two events."""

import gc
from threading import Thread, current_thread, main_thread

import pytest
import shiboken6
from PySide6.QtWidgets import QLabel

from explorer.ui.collector import Collector, collect


class InARing(QLabel):
    """A widget that only the collector can delete, and that says on which thread that was."""

    def __init__(self, deleted):
        super().__init__()
        self.myself = self
        self.destroyed.connect(lambda: deleted.append(current_thread()))


@pytest.fixture
def collector(qapp):
    gc.enable()  # as Python does without it
    made = Collector()
    yield made
    if shiboken6.isValid(made):
        shiboken6.delete(made)


def many_objects():
    return [[] for _ in range(20 * gc.get_threshold()[0])]


def test_another_thread_deletes_no_widget(qtbot, collector):
    deleted = []
    InARing(deleted)
    thread = Thread(target=many_objects)
    thread.start()
    thread.join()
    assert deleted == []
    kept = many_objects()
    qtbot.waitUntil(lambda: deleted == [main_thread()])
    assert kept


def test_a_widget_that_is_made_deletes_no_other(qapp, collector):
    deleted = []
    InARing(deleted)
    assert many_objects()
    assert deleted == []  # amid a new style sheet, Qt would go on to a widget that is gone


def test_older_garbage_goes_more_seldom(qapp, collector):
    gc.collect()
    kept = []
    for times in range(1, gc.get_threshold()[1] + 1):
        kept.append(many_objects())
        collect()
        assert gc.get_count()[1] == times
    kept.append(many_objects())
    collect()
    assert gc.get_count()[1:] == (0, 1)


def test_python_collects_by_itself_again_when_it_is_gone(qapp, collector):
    assert not gc.isenabled()
    shiboken6.delete(collector)
    assert gc.isenabled()
