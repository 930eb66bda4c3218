"""Work beside the window."""

import sys
from threading import Event

import pytest
from PySide6.QtCore import QObject

from explorer.ui.words import work
from explorer.ui.words.analogy import AnalogyCard
from explorer.ui.words.map_card import MapCard
from explorer.ui.words.neighbours import NeighboursCard
from explorer.ui.words.work import Job, Search
from explorer.words.progress import Progress
from tests.ui.conftest import PATIENCE_S
from tests.ui.words.conftest import small


@pytest.fixture
def parent(qapp):
    parent = QObject()
    yield parent
    parent.deleteLater()


def test_a_large_table_is_searched_beside_the_window(tab, qtbot, monkeypatch):
    monkeypatch.setattr(work, "AT_ONCE", 0)
    near, map_ = tab.card(NeighboursCard), tab.card(MapCard)
    before, points = near.rows.found, map_.map.points
    tab.store.go_to("river")
    assert near.rows.found is before
    qtbot.waitUntil(lambda: {one.word for one in near.rows.found[:3]} == {"sea", "lake", "boat"})
    map_.field.set(["king", "queen"])
    map_.compute()
    assert map_.map.points is points
    qtbot.waitUntil(lambda: list(map_.map.labels[:2]) == ["king", "queen"])


def test_other_vectors_come_up_the_same_way(tab, qtbot, monkeypatch):
    monkeypatch.setattr(work, "AT_ONCE", 0)
    analogy = tab.card(AnalogyCard)
    analogy.list.show_words([])
    tab.store.load(small())
    qtbot.waitUntil(lambda: len(analogy.rows.found) > 0)
    assert [field.text() for field in analogy.fields] == ["king", "man", "woman"]


def test_the_newest_question_is_the_one_that_is_answered(parent, qtbot):
    search, go_on, stopped, told = Search(parent), Event(), Event(), []

    def slow(report):
        go_on.wait(PATIENCE_S)
        try:
            report(Progress("searching", 1, 2))
        finally:
            stopped.set()
        return "old"

    search.ask(small(), slow, told.append, slow=True)
    search.ask(small(), lambda report: "new", told.append, slow=True)
    qtbot.waitUntil(lambda: told == ["new"])
    go_on.set()
    assert stopped.wait(PATIENCE_S)
    qtbot.waitUntil(lambda: not search.findChildren(Job))
    assert told == ["new"]


def test_a_small_table_is_searched_at_once(parent):
    told = []
    Search(parent).ask(small(), lambda report: "answer", told.append)
    assert told == ["answer"]


def test_the_threads_take_turns_as_before_when_the_last_job_ends(parent, qtbot):
    usual, go_on = sys.getswitchinterval(), (Event(), Event())
    first, second = (Job(lambda report, one=one: one.wait(PATIENCE_S), parent) for one in go_on)
    qtbot.waitUntil(lambda: sys.getswitchinterval() != usual)
    for job, one in ((first, go_on[0]), (second, go_on[1])):
        assert sys.getswitchinterval() == pytest.approx(work.SWITCH_S)
        with qtbot.waitSignal(job.ended):
            one.set()
    assert sys.getswitchinterval() == usual
