"""Training in the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from explorer.ui.words.cosine import CosineCard
from explorer.ui.words.own_text import DAYS, OwnTextCard

COSINE = 2  # the column of the cosines


def test_the_days_find_each_other(tab, qtbot):
    card = tab.card(OwnTextCard)
    card.button.click()
    assert card.button.text() == "Stop"
    assert not card.use.isEnabled()
    qtbot.waitUntil(lambda: card.button.text() == "Train")
    losses = card.trainer.losses
    assert len(losses) == 60
    assert losses[-1] < 0.2 * losses[0]
    assert {one.word for one in card.list.found[:4]} == set(DAYS) - {"monday"}
    assert "after 60 epochs" in card.curve.accessibleName()
    # The watched word and five like it, below the most frequent words: what stands near "monday" is counted.
    assert card.table.text().count("<tr>") == 7
    assert "monday" in card.table.text()
    card.use.click()
    assert tab.state.vectors.name == "your text"
    assert tab.vectors_card.choice.currentText() == "your text"


def test_a_cosine_while_it_learns(tab, hand, qtbot):
    card = tab.card(OwnTextCard)
    tab.go_to(card)
    hand.click(card.button)
    qtbot.waitUntil(lambda: bool(card.list.found))
    hand.click(card.button)
    card.list.setFocus()
    card.list.setCurrentIndex(card.list.table.index(0, COSINE))
    QTest.keyClick(card.list, Qt.Key.Key_Return)
    one = tab.card(CosineCard).cosine
    assert one.words == ("monday", card.list.found[0].word)
    assert float(one.cosine) == pytest.approx(card.list.found[0].cosine, abs=1e-5)


def test_stop_and_a_text_that_is_too_short(tab, qtbot, said):
    card = tab.card(OwnTextCard)
    tab.go_to(card)
    card.button.click()
    qtbot.waitUntil(lambda: card.trainer.epochs_done > 0)
    card.button.click()
    assert not card.trainer.finished
    card.text.setPlainText("too short")
    card.button.click()
    assert "training needs two or more" in said()
