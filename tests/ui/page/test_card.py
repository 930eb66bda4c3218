"""Cards in rows, a search field, and a button that is hidden."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton
from shiboken6 import isValid

from explorer.pages.controls import Button, Field
from explorer.pages.gestures import Keep
from explorer.pages.page import Card, Cards
from explorer.ui.page.card import CardsView
from explorer.ui.page.controls import ButtonView, FieldView


def card(id):
    return Card(id, f"Card {id}", (Button("go", "Go", Keep("gone to", id)),))


@pytest.fixture
def cards(bench, qtbot):
    view = CardsView(bench, Cards("cards", 2, tuple(map(card, "abc")), 3))
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.show()
    return view


def seen(view):
    """The titles of the visible cards in reading order."""
    shown = (one for one in view.cards.values() if one.isVisible())
    return [one.accessibleName()[-1] for one in sorted(shown, key=lambda one: (one.y(), one.x()))]


def test_cards_stand_in_rows_of_one_width(cards, qtbot):
    a, b, c = cards.cards.values()
    qtbot.waitUntil(lambda: a.y() == b.y() < c.y())
    assert a.width() == b.width() == c.width()


def test_cards_that_are_not_shown_are_kept_and_others_deleted(cards, qtbot):
    a, b, c = cards.cards.values()
    cards.tell(Cards("cards", 1, (card("c"), card("a"), card("b")), 2))
    qtbot.waitUntil(lambda: seen(cards) == ["c", "a"])
    assert b.isHidden()
    cards.tell(Cards("cards", 1, (card("b"), card("c")), 2))
    qtbot.waitUntil(lambda: seen(cards) == ["b", "c"])
    assert (cards.cards["b"], cards.cards["c"]) == (b, c)
    qtbot.waitUntil(lambda: not isValid(a))


def test_a_card_says_how_much_is_done_and_asks(cards, bench, qtbot):
    cards.tell(Cards("cards", 2, (replace(card("a"), share=0.5, words="half"), card("b")), 2))
    a, b = cards.cards.values()
    assert (a.ring.share, a.ring.isVisible(), b.ring.isVisible()) == (0.5, True, False)
    qtbot.mouseClick(a.buttons["go"], Qt.MouseButton.LeftButton)
    assert bench.view.looking.choices["gone to"] == "a"


def test_a_search_field_asks_for_what_is_typed_and_for_nothing_once_it_is_cleared(bench, qtbot):
    view = FieldView(bench, Field("search", "Search", "", Keep("typed"), Keep("typed"), 20, hint="a word …"))
    qtbot.addWidget(view)
    view.show()
    assert (view.edit.placeholderText(), view.edit.accessibleName()) == ("a word …", "Search")
    qtbot.keyClicks(view.edit, "net")
    assert bench.view.looking.choices["typed"] == "net"
    clear = view.edit.findChild(QToolButton)
    qtbot.waitUntil(clear.isEnabled)
    qtbot.mouseClick(clear, Qt.MouseButton.LeftButton)
    assert bench.view.looking.choices["typed"] == ""


def test_a_button_without_words_is_hidden(bench, qtbot):
    button = Button("go", "Go", Keep("x", 1), link=True)
    view = ButtonView(bench, replace(button, text=""))
    qtbot.addWidget(view)
    assert view.isHidden()
    assert view.property("link") == "true"
    view.tell(button)
    assert not view.isHidden()
    view.tell(replace(button, text=""))
    assert view.isHidden()
