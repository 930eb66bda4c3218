"""Look up, cosine, neighbours, odd one out, analogy."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from explorer.ui.words.analogy import AnalogyCard
from explorer.ui.words.card import LEAST, WordField
from explorer.ui.words.cosine import CosineCard
from explorer.ui.words.map_card import MapCard
from explorer.ui.words.matrix import MatrixCard
from explorer.ui.words.neighbours import NeighboursCard, OddCard
from explorer.ui.words.strips import LookupCard
from explorer.words import catalogue
from explorer.words.vectors import Vectors

COSINE = 2  # the column of the cosines


def test_words_beside_each_other(tab, enter):
    card = tab.card(LookupCard)
    enter(card.field, "king queen river")
    assert card.strips.words == ["king", "queen", "river"]
    np.testing.assert_array_equal(card.strips.array, tab.state.vectors.array[[0, 1, 6]])
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
    assert tab.state.word == "river"
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
    assert tab.state.word == "prince"


def test_enter_asks_at_once_while_longer_words_are_offered(tab, qtbot):
    edit = tab.card(NeighboursCard).field.edit
    edit.setFocus()
    edit.clear()
    QTest.keyClicks(edit, "prince")
    qtbot.waitUntil(edit._popup.isVisible)
    QTest.keyClick(edit._popup, Qt.Key.Key_Return)  # who has the keys then
    assert tab.state.word == "prince"
    assert not edit._popup.isVisible()


def test_a_misspelt_word_gets_suggestions(tab, enter, hand, problem):
    card = tab.card(NeighboursCard)
    enter(card.field, "kimg")
    assert card.field.offers.isVisible()
    assert problem(card.field) == "⚠ 'kimg' is not among the words of small."
    (button,) = [b for b in card.field.offers.findChildren(QPushButton) if b.text() == "king"]
    hand.click(button)
    assert card.field.offers.isHidden()
    assert tab.state.word == "king"
    assert card.field.text() == "king"


def test_the_cosine_as_arithmetic(tab, enter):
    card = tab.card(CosineCard)
    enter(card.first, "king")
    enter(card.second, "queen")
    one = card.cosine
    assert one.words == ("king", "queen")
    assert card.listing.table.rowCount() == 6
    row = [card.listing.table.line(1).entries[column].text for column in range(6)]
    assert row == ["2", "1.5000", "×", "−1.5000", "=", "−2.2500"]
    assert card.listing.table.line(1).entries[7].text == "against"
    assert f"{float(one.cosine):.4f}" in card.sums.text()
    # Twice as long: the dot product doubles, the cosine stays.
    assert f"{2 * float(one.dot):.4f}" in card.compared.text()
    assert card.compared.text().count(f"{float(one.cosine):.4f}") == 2
    card.largest.click()
    assert [card.listing.table.line(row).entries[0].text for row in (0, 1)] == ["1", "2"]
    assert not card.angle.grab().isNull()


def test_each_cosine_of_a_list_is_shown_as_arithmetic(tab, enter, hand):
    cosine = tab.card(CosineCard)
    for field, word in zip(tab.card(AnalogyCard).fields, ("king", "man", "woman"), strict=True):
        enter(field, word)
    enter(tab.card(OddCard).field, "river sea lake monday")
    for kind, first in ((NeighboursCard, "king"), (OddCard, "mean of all"), (AnalogyCard, "king − man + woman")):
        card = tab.card(kind)
        tab.state.go_to("king")
        other = card.list.found[1]
        hand.click(card.list.viewport(), card.list.visualRect(card.list.table.index(1, COSINE)).center())
        one = cosine.cosine
        assert one.words == (first, other.word)
        assert float(one.cosine) == pytest.approx(other.cosine, abs=1e-6)
        assert cosine.first.text() == ("king" if first == "king" else "")
        assert not cosine.way_back.visibleRegion().isEmpty()
        hand.click(cosine.way_back)
        assert not card._title.visibleRegion().isEmpty()
    assert tab.state.word == "king"  # a word was not followed


def test_enter_on_a_cosine_shows_it_as_arithmetic(tab):
    card = tab.card(NeighboursCard)
    tab.state.go_to("river")
    card.list.setFocus()
    card.list.setCurrentIndex(card.list.table.index(0, COSINE))
    QTest.keyClick(card.list, Qt.Key.Key_Return)
    assert tab.card(CosineCard).cosine.words == ("river", card.list.found[0].word)
    assert tab.state.word == "river"


def test_following_neighbours(tab, hand):
    card = tab.card(NeighboursCard)
    tab.state.go_to("river")
    assert {one.word for one in card.list.found[:3]} == {"sea", "lake", "boat"}
    first = card.list.found[0].word
    hand.click(card.list.viewport(), card.list.visualRect(card.list.table.index(0, 1)).center())
    assert tab.state.word == first
    card.list.setFocus()
    card.list.setCurrentIndex(card.list.table.index(1, 0))
    second = card.list.found[1].word
    QTest.keyClick(card.list, Qt.Key.Key_Return)
    assert tab.state.word == second


def test_a_vector_of_zeros_is_said_to_have_no_neighbours(tab, enter):
    tab.state.load(Vectors.of("few", ("nothing", "up", "right", "far"), np.eye(4, 2, -1)))
    card = tab.card(NeighboursCard)
    enter(card.field, "nothing")
    assert "all zeros" in card.said.text()
    assert not card.list.found
    enter(tab.card(MapCard).field, "nothing up")
    assert tab.card(MapCard).map.labels[:2] == ["nothing", "up"]
    enter(card.field, "up")
    assert card.list.found
    assert card.said.text() == ""


def test_the_printed_neighbours_stand_below_those_of_other_vectors(tab):
    tab.state.load(catalogue.load("reference"))
    tab.state.go_to("remote")
    card = tab.card(NeighboursCard)
    assert {one.word for one in card.list.found} == {"screen", "rock"}
    for printed in ("keyboard 0.9023", "sync 0.8774"):
        assert printed in card.said.text()


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
    assert card.list.found[0].word in ("queen", "princess")
    a, b, c, target, _ = card.picture.points
    np.testing.assert_allclose(a - b, target - c, atol=1e-6)
    # As vectors: the first three rows are the fourth.
    np.testing.assert_allclose(card.strips.array[:3].sum(0), card.strips.array[3], atol=1e-6)
    assert card.strips.words == ["king", "− man", "+ woman", "= a − b + c", card.list.found[0].word]
    card.strips.setFocus()
    QTest.keyClick(card.strips, Qt.Key.Key_Right)
    assert card.sum.text().startswith("Dimension 1: ")


def test_an_example_of_an_analogy(tab, hand):
    card = tab.card(AnalogyCard)
    (button,) = [button for button in card.findChildren(QPushButton) if button.isVisible() and "−" in button.text()]
    assert button.text() == "king − man + woman"  # all other examples have words that are not there
    for field in card.fields:
        field.set([])
    hand.click(button)
    assert [field.text() for field in card.fields] == ["king", "man", "woman"]
    assert card.list.found[0].word in ("queen", "princess")


def test_an_analogy_without_an_answer_leaves_no_picture_of_another(tab):
    tab.state.load(Vectors.of("three", ("a", "b", "c"), np.eye(3)))
    card = tab.card(AnalogyCard)
    assert card.said.text() == "These vectors have no other words."
    assert not card.picture.isVisibleTo(card)
    assert not card.strips.isVisibleTo(card)


def test_nothing_stays_of_other_vectors_where_there_is_too_little_for_it(tab):
    tab.state.load(Vectors.of("two", ("nothing", "up"), np.eye(2, 3, -1)))
    assert tab.card(OddCard).said.text() == "There are too few words for an odd one out."
    assert not tab.card(OddCard).list.found
    assert tab.card(AnalogyCard).said.text() == "There are too few words for an analogy."
    assert not tab.card(AnalogyCard).list.found
    for kind in (OddCard, AnalogyCard):
        assert all(not field.offers.isVisibleTo(tab) for field in tab.card(kind).findChildren(WordField))
    tab.state.load(Vectors.of("one", ("nothing",), np.zeros((1, 3))))
    assert tab.card(CosineCard).listing.table.rowCount() == 0
    assert not tab.card(CosineCard).listing.isVisibleTo(tab)
    assert not tab.card(MatrixCard).table.isVisibleTo(tab)


def test_the_reference_is_met(tab, sample_file, qtbot):
    tab.vectors_card.open_file(sample_file)
    qtbot.waitUntil(lambda: not tab.vectors_card.background.at_work)
    tab.state.go_to("remote")
    card = tab.card(NeighboursCard)
    assert [one.word for one in card.list.found[:3]] == ["keyboard", "monitor", "plug"]
    assert card.list.table.line(0).entries[4].text == "0.9023"
    cosine = tab.card(CosineCard)
    assert cosine.cosine.words == ("screen", "rock")
    assert "prints 0.5682209; computed here 0.5682209 ✓" in cosine.why.text()


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_field(tab, enter, problem, text):
    field = tab.card(NeighboursCard).field
    enter(field, text)
    assert problem(field) == "⚠ This takes one word, not 0."


def test_a_long_field_is_as_long_as_it_is_to_be_and_gives_way_on_a_narrow_page(tab):
    field, px = tab.card(LookupCard).field, tab.card(LookupCard).bench.appearance.px
    assert field.sizeHint().width() == px(420)
    assert field.minimumSizeHint().width() <= px(LEAST)
