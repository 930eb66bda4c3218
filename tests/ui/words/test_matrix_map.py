"""The similarity matrix and the map."""

from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from explorer.ui.words.cosine import CosineCard
from explorer.ui.words.map_card import COMPONENTS, TSNE, MapCard
from explorer.ui.words.matrix import MatrixCard
from tests.ui.conftest import PATIENCE_S


def test_any_words(tab, enter):
    card = tab.card(MatrixCard)
    enter(card.field, "king, sea, queen, lake")
    table = card.table
    assert table.listing.labels == ("king", "sea", "queen", "lake")
    np.testing.assert_allclose(np.diag(table.array), 1, atol=1e-6)
    card.alike.click()
    assert {tuple(table.listing.labels[:2]), tuple(table.listing.labels[2:])} in (
        {("king", "queen"), ("sea", "lake")},
        {("queen", "king"), ("sea", "lake")},
        {("king", "queen"), ("lake", "sea")},
        {("queen", "king"), ("lake", "sea")},
    )
    assert card.table.accessibleName().startswith("4 by 4 cosines. Most alike: ")


def test_sentences_and_their_weakness(tab, enter):
    card = tab.card(MatrixCard)
    enter(card.field, "the king man, man king, sea")
    assert card.table.listing.labels == ("the king man", "man king", "sea")
    assert card.table.table.index(0, 1).data() == "1.00"
    assert "does not depend on the order" in card.said.text()
    assert "left out: the" in card.said.text()


def test_a_cosine_of_the_square_is_shown_as_arithmetic(tab, enter, hand):
    card, cosine = tab.card(MatrixCard), tab.card(CosineCard)
    enter(card.field, "king, sea, queen king, lake")
    if not card.alike.isChecked():
        hand.click(card.alike)
    table, labels = card.table, card.table.listing.labels
    i, j = labels.index("queen king"), labels.index("lake")
    hand.click(table.viewport(), table.visualRect(table.table.index(i, j)).center())
    assert cosine.cosine.words == ("queen king", "lake")
    assert float(cosine.cosine.cosine) == pytest.approx(float(table.array[i, j]), abs=1e-6)
    table.setFocus()
    table.setCurrentIndex(table.table.index(j, i))
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert cosine.cosine.words == ("lake", "queen king")


def test_too_few(tab, enter, problem):
    field = tab.card(MatrixCard).field
    enter(field, "king")
    assert problem(field) == "⚠ This takes 2 to 24 words or sentences, not 1."


def test_a_point_asks_for_its_neighbours(tab, enter, hand):
    card = tab.card(MapCard)
    card.neighbours.setValue(2)
    enter(card.field, "king river")
    map_ = card.map
    assert map_.strong == {0, 1}
    assert len(map_.labels) == 6
    neighbour = map_.labels[3]
    tab.go_to(card)
    tab.grab()  # laid out and painted, so that the point is where it will stay
    spot = map_.mapFromScene(map_.getViewBox().mapViewToScene(QPointF(*map_.points[3])))
    hand.click(map_.viewport(), spot)
    assert neighbour in card.field.entries()
    assert map_.is_here(map_.labels.index(neighbour))  # it is the chosen word of the page now
    assert tab.state.word == neighbour
    before = map_.getViewBox().viewRect().width()
    map_.zoom(0.5)
    assert map_.getViewBox().viewRect().width() < before
    card.arrows.click()
    assert map_.arrows
    assert not card.grab().isNull()


def test_the_columns_are_as_wide_as_their_numbers(tab, enter):
    card = tab.card(MatrixCard)
    enter(card.field, "king, sea, monday")
    table = card.table
    texts = [table.table.index(0, i).data() for i in range(3)]
    assert any("e−" in text for text in texts)  # a tiny cosine
    metrics = QFontMetrics(tab.bench.appearance.fonts.number)
    for i, text in enumerate(texts):
        assert metrics.horizontalAdvance(text) < table.columnWidth(i)


def test_the_keyboard_walks_the_map(tab, enter):
    card = tab.card(MapCard)
    card.neighbours.setValue(0)
    enter(card.field, "king queen river")
    map_ = card.map
    map_.setFocus()
    QTest.keyClick(map_, Qt.Key.Key_Right)
    assert map_.here == 0
    for key, axis, sign in ((Qt.Key.Key_Right, 0, 1), (Qt.Key.Key_Left, 0, -1), (Qt.Key.Key_Down, 1, -1)):
        before = map_.here
        QTest.keyClick(map_, key)
        if map_.here != before:
            assert sign * (map_.points[map_.here] - map_.points[before])[axis] > 0
    word = map_.labels[map_.here]
    QTest.keyClick(map_, Qt.Key.Key_Return)
    assert tab.state.word == word
    wide = map_.getViewBox().viewRect().width()
    QTest.keyClick(map_, Qt.Key.Key_Plus)
    assert map_.getViewBox().viewRect().width() < wide
    QTest.keyClick(map_, Qt.Key.Key_0)
    assert map_.getViewBox().viewRect().width() == pytest.approx(wide)


def test_a_map_by_tsne(tab, enter, qtbot):
    pytest.importorskip("sklearn", reason="scikit-learn, the extra `maps`, is not there")
    card = tab.card(MapCard)
    card.neighbours.setValue(2)
    enter(card.field, "king river monday")
    components = card.map.points
    card.method.group.button(TSNE).click()
    assert card.stop.isVisible()
    assert card.map.points is components  # the window goes on with what it has
    qtbot.waitUntil(lambda: card.stop.isHidden())
    assert card.map.points.shape == components.shape
    assert np.isfinite(card.map.points).all()
    assert card.map.origin is None
    assert card.arrows.isHidden()
    assert "Directions on this map mean nothing" in card.intro.text()
    first = card.map.points
    card.compute()
    qtbot.waitUntil(lambda: card.map.points is not first)
    assert card.map.points.tobytes() == first.tobytes()
    card.method.group.button(COMPONENTS).click()
    np.testing.assert_array_equal(card.map.points, components)
    assert card.arrows.isVisible()


def test_a_map_by_tsne_can_be_stopped(tab, qtbot, monkeypatch):
    begun, go_on, ended = Event(), Event(), Event()

    def endless(table):
        begun.set()
        go_on.wait(PATIENCE_S)
        ended.set()
        return np.zeros((len(table), 2))

    monkeypatch.setattr("explorer.words.projection.tsne_available", lambda: True)
    monkeypatch.setattr("explorer.words.projection.tsne", endless)
    card = tab.card(MapCard)
    before = card.map.points
    card.method.group.button(TSNE).click()
    qtbot.waitUntil(begun.is_set)
    card.stop.click()
    assert card.stop.isHidden()
    assert card.said.text().startswith("Stopped.")
    go_on.set()
    assert ended.wait(PATIENCE_S)
    QApplication.processEvents()
    assert card.map.points is before


def test_few_words_are_drawn_by_components(tab, enter, qtbot):
    card = tab.card(MapCard)
    card.neighbours.setValue(0)
    enter(card.field, "king queen")
    card.method.group.button(TSNE).click()
    qtbot.waitUntil(lambda: "t-SNE needs 4 words" in card.said.text())
    assert card.arrows.isVisible()


def test_without_scikit_learn_one_sentence_says_what_it_takes(open_tab, monkeypatch):
    monkeypatch.setattr("explorer.words.projection.tsne_available", lambda: False)
    card = open_tab().card(MapCard)
    assert card.method.isHidden()
    assert any("scikit-learn" in one.text() and one.isVisible() for one in card.findChildren(QLabel))
