"""Training in the window."""

from explorer.ui.words.own_text import DAYS, OwnTextCard


def test_the_days_find_each_other(tab, qtbot):
    card = tab.card(OwnTextCard)
    card.button.click()
    assert card.button.text() == "Stop"
    assert not card.use.isEnabled()
    qtbot.waitUntil(lambda: card.button.text() == "Train")
    losses = card.trainer.losses
    assert len(losses) == 60
    assert losses[-1] < 0.2 * losses[0]
    assert {one.word for one in card.near.found[:4]} == set(DAYS) - {"monday"}
    assert "after 60 epochs" in card.curve.accessibleName()
    assert card.table.text().count("<tr>") == 9
    card.use.click()
    assert tab.store.vectors.name == "your text"
    assert tab.source.choice.currentText() == "your text"


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
