"""What is put off happens once, in the next turn, and not at all for an owner that is gone."""

import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from explorer.ui.later import do_later, later


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
