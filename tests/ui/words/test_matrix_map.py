"""The similarity matrix and the map."""

import numpy as np
from PySide6.QtCore import QPointF

from explorer.ui.words.map import MapCard
from explorer.ui.words.matrix import MatrixCard


def test_any_words(tab, enter):
    card = tab.card(MatrixCard)
    enter(card.field, "king, sea, queen, lake")
    table = card.table.cosines
    assert table.labels == ["king", "sea", "queen", "lake"]
    np.testing.assert_allclose(np.diag(table.array), 1, atol=1e-6)
    card.alike.click()
    assert {tuple(table.labels[:2]), tuple(table.labels[2:])} in (
        {("king", "queen"), ("sea", "lake")},
        {("queen", "king"), ("sea", "lake")},
        {("king", "queen"), ("lake", "sea")},
        {("queen", "king"), ("lake", "sea")},
    )
    assert card.table.accessibleName().startswith("4 by 4 cosines. Most alike: ")


def test_sentences_and_their_weakness(tab, enter):
    card = tab.card(MatrixCard)
    enter(card.field, "the king man, man king, sea")
    assert card.table.cosines.labels == ["the king man", "man king", "sea"]
    assert card.table.cosines.data(card.table.cosines.index(0, 1), 0) == "1.00"
    assert "forgets the order" in card.said.text()
    assert "left out: the" in card.said.text()


def test_too_few(tab, enter, problem):
    field = tab.card(MatrixCard).field
    enter(field, "king")
    assert problem(field) == "⚠ This takes 2 to 24 words or sentences, not 1."


def test_a_point_asks_for_its_neighbours(tab, enter, hand, qtbot):
    card = tab.card(MapCard)
    card.neighbours.setValue(2)
    enter(card.field, "king river")
    map_ = card.map
    assert map_.strong == {0, 1}
    assert len(map_.labels) == 6
    neighbour = map_.labels[3]
    tab.go_to(card)
    qtbot.wait(20)
    spot = map_.mapFromScene(map_.getViewBox().mapViewToScene(QPointF(*map_.points[3])))
    hand.click(map_.viewport(), spot)
    assert neighbour in card.field.entries()
    assert tab.store.word == neighbour
    before = map_.getViewBox().viewRect().width()
    map_.zoom(0.5)
    assert map_.getViewBox().viewRect().width() < before
    card.arrows.click()
    assert map_.arrows
    assert not card.grab().isNull()
