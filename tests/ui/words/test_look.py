"""Look up, cosine, neighbours, odd one out, analogy."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from explorer.ui.words.analogy import AnalogyCard
from explorer.ui.words.cosine import CosineCard
from explorer.ui.words.lookup import LookupCard
from explorer.ui.words.neighbours import NeighboursCard, OddCard


def test_words_beside_each_other(tab, enter):
    card = tab.card(LookupCard)
    enter(card.field, "king queen river")
    assert card.strips.words == ["king", "queen", "river"]
    np.testing.assert_array_equal(card.strips.array, tab.store.vectors.array[[0, 1, 6]])
    assert card.strips.notes[2].endswith("rank 7")


def test_the_arrow_keys_walk_the_dimensions(tab, enter):
    card = tab.card(LookupCard)
    enter(card.field, "king river")
    card.strips.setFocus()
    QTest.keyClick(card.strips, Qt.Key.Key_Right)
    assert card.said.text() == "Dimension 1: king 2.000, river 0.000"
    QTest.keyClick(card.strips, Qt.Key.Key_Right, delay=1)
    assert card.said.text().startswith("Dimension 2: king 1.500")


def test_a_click_on_a_word_asks_for_its_neighbours(tab, enter, hand):
    card = tab.card(LookupCard)
    enter(card.field, "king river")
    hand.click(card.strips, QPoint(12, card.strips.height() - 10))
    assert tab.store.word == "river"
    assert tab.card(NeighboursCard).field.text() == "river"


def test_what_is_typed_is_completed(tab, qtbot):
    edit = tab.card(NeighboursCard).field.edit
    edit.setFocus()
    edit.clear()
    QTest.keyClicks(edit, "prin")
    qtbot.waitUntil(edit._popup.isVisible)
    assert edit._model.stringList() == ["prince", "princess"]
    QTest.keyClick(edit._popup, Qt.Key.Key_Down)
    QTest.keyClick(edit._popup, Qt.Key.Key_Return)
    assert edit.text() == "prince"
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert tab.store.word == "prince"


def test_a_misspelt_word_gets_suggestions(tab, enter, hand, problem):
    card = tab.card(NeighboursCard)
    enter(card.field, "kimg")
    assert card.field.offers.isVisible()
    assert problem(card.field) == "⚠ 'kimg' is not among the words of small."
    (button,) = [b for b in card.field.offers.findChildren(QPushButton) if b.text() == "king"]
    hand.click(button)
    assert card.field.offers.isHidden()
    assert tab.store.word == "king"
    assert card.field.text() == "king"


def test_the_cosine_as_arithmetic(tab, enter):
    card = tab.card(CosineCard)
    enter(card.first, "king")
    enter(card.second, "queen")
    one = card.products.cosine
    assert one.words == ("king", "queen")
    assert card.products.count() == 6
    assert card.products.text(1, 3) == "−2.250"
    assert card.products.text(1, 5) == "against"
    assert f"{float(one.cosine):.4f}" in card.sums.text()
    card.largest.click()
    assert [card.products.text(row, 0) for row in (0, 1)] == ["1", "2"]
    assert not card.angle.grab().isNull()


def test_following_neighbours(tab, hand):
    card = tab.card(NeighboursCard)
    tab.store.go_to("river")
    assert {one.word for one in card.rows.found[:3]} == {"sea", "lake", "boat"}
    first = card.rows.found[0].word
    hand.click(card.list.viewport(), card.list.visualRect(card.rows.index(0, 1)).center())
    assert tab.store.word == first
    card.list.setFocus()
    card.list.setCurrentIndex(card.rows.index(1, 0))
    second = card.rows.found[1].word
    QTest.keyClick(card.list, Qt.Key.Key_Return)
    assert tab.store.word == second


def test_the_odd_one_out(tab, enter, problem):
    card = tab.card(OddCard)
    enter(card.field, "river sea lake monday")
    assert "monday" in card.said.text()
    enter(card.field, "river sea")
    assert problem(card.field) == "⚠ 2 different words were given; the odd one out needs 3 or more."


def test_the_analogy(tab, enter):
    card = tab.card(AnalogyCard)
    for field, word in zip(card.fields, ("king", "man", "woman"), strict=True):
        enter(field, word)
    assert card.rows.found[0].word in ("queen", "princess")
    a, b, c, target, _ = card.picture.points
    np.testing.assert_allclose(a - b, target - c, atol=1e-6)


def test_the_reference_is_met(tab, sample_file, qtbot):
    tab.source.open_file(sample_file)
    qtbot.waitUntil(lambda: tab.source.job is None)
    tab.store.go_to("remote")
    card = tab.card(NeighboursCard)
    assert [one.word for one in card.rows.found[:3]] == ["keyboard", "monitor", "plug"]
    assert card.rows.notes["keyboard"] == "0.9022"
    cosine = tab.card(CosineCard)
    assert cosine.products.cosine.words == ("screen", "rock")
    assert "prints 0.5682209; computed here 0.5682209 ✓" in cosine.why.text()


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_field(tab, enter, problem, text):
    field = tab.card(NeighboursCard).field
    enter(field, text)
    assert problem(field) == "⚠ This takes one word, not 0."
