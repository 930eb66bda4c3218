"""Questions to small and to large tables."""

import pytest
from PySide6.QtCore import QObject

from explorer.ui.words import card
from explorer.ui.words.analogy import AnalogyCard
from explorer.ui.words.card import Search
from explorer.ui.words.map_card import MapCard
from explorer.ui.words.neighbours import NeighboursCard
from tests.ui.words.conftest import small


@pytest.fixture
def parent(qapp):
    parent = QObject()
    yield parent
    parent.deleteLater()


def test_a_large_table_is_searched_beside_the_window(tab, qtbot, monkeypatch):
    monkeypatch.setattr(card, "AT_ONCE", 0)
    near, map_ = tab.card(NeighboursCard), tab.card(MapCard)
    before, points = near.list.found, map_.map.points
    tab.state.go_to("river")
    assert near.list.found is before
    qtbot.waitUntil(lambda: {one.word for one in near.list.found[:3]} == {"sea", "lake", "boat"})
    map_.field.set(["king", "queen"])
    map_.compute()
    assert map_.map.points is points
    qtbot.waitUntil(lambda: list(map_.map.labels[:2]) == ["king", "queen"])


def test_other_vectors_come_up_the_same_way(tab, qtbot, monkeypatch):
    monkeypatch.setattr(card, "AT_ONCE", 0)
    analogy = tab.card(AnalogyCard)
    analogy.list.show_words([])
    tab.state.load(small())
    qtbot.waitUntil(lambda: len(analogy.list.found) > 0)
    assert [field.text() for field in analogy.fields] == ["king", "man", "woman"]


def test_a_small_table_is_searched_at_once(parent):
    told = []
    Search(parent).search(small(), lambda report: "answer", told.append)
    assert told == ["answer"]
