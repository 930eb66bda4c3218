"""What is deleted goes at once, for Python as well: the collector is off in tests of the window."""

import gc
import weakref

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from explorer.ui.widgets.tree import Gone


class Part(QWidget):
    """Knows what it is a part of, and is known there."""

    def __init__(self, whole=None):
        super().__init__(whole)
        self.whole, self.parts = whole, []
        self.label = QLabel("stays whole until then", self)
        if isinstance(whole, Part):
            whole.parts.append(self)


def a_whole(parent=None):
    whole = Part(parent)
    return whole, [weakref.ref(one) for one in (whole, Part(whole), Part(Part(whole)), whole.label)]


def test_parts_that_know_each_other_go_without_the_collector(qtbot):
    assert not gc.isenabled()
    owner = QObject()
    whole, held = a_whole()
    gone = Gone(owner)
    gone.delete(whole)
    assert whole.label.text() == "stays whole until then"
    del whole
    qtbot.waitUntil(lambda: [one() for one in held] == [None] * 4)


def test_an_owner_that_goes_first_leaves_them_to_the_collector(qtbot):
    owner = QWidget()
    whole, held = a_whole(owner)
    gone = Gone(owner)
    gone.delete(whole)
    owner.deleteLater()
    del whole
    qtbot.waitUntil(lambda: not any(isinstance(one, Part) for one in QApplication.allWidgets()))
    del gone
    gc.collect()
    assert [one() for one in held] == [None] * 4


def test_what_stays_keeps_all_it_has(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    going, _ = a_whole(window)
    staying, held = a_whole(window)
    ends = []
    going.destroyed.connect(lambda: ends.append("gone"))
    gone = Gone(window)
    gone.delete(going)
    qtbot.waitUntil(lambda: ends == ["gone"])
    qtbot.wait(1)
    assert staying.label.text() == "stays whole until then"
    assert all(one() is not None for one in held)


def test_what_is_out_of_sight_goes_one_by_one_in_later_turns(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    wholes = [a_whole(window) for _ in range(3)]
    ends = []
    for i, (whole, _) in enumerate(wholes):
        whole.destroyed.connect(lambda _, i=i: ends.append(i))
    gone = Gone(window)
    gone.delete_one_by_one(*(whole for whole, _ in wholes))
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert ends == []
    held = [one for _, refs in wholes for one in refs]
    del wholes, whole
    qtbot.waitUntil(lambda: len(ends) == 3)
    assert ends == [0, 1, 2]
    qtbot.waitUntil(lambda: all(one() is None for one in held))
