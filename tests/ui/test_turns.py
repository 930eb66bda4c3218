"""What is put off happens once, in the next turn, and not at all for an owner that is gone."""

import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from explorer.ui.turns import BeforePainting, OneATurn, do_later, do_once_painted, later


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
