"""Training on a text of one's own."""

import pytest

from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.pages.words.own_text import DAYS
from tests.pages.words.conftest import follow, part, parts, press

COSINE = 2  # the column of the cosines
NEAR = "Words nearest to the watched one"


@pytest.fixture
def card(words):
    return words.cards["own text"]


def test_the_days_find_each_other(words, card):
    assert not part(card, "use").on
    press(card, "train")
    assert part(card, "train").text == "Stop"
    assert not part(card, "use").on
    while card.learns:
        card.learn()
    assert part(card, "train").text == "Train"
    losses = card.trainer.losses
    assert len(losses) == 60
    assert losses[-1] < 0.2 * losses[0]
    assert {one.word for one in card.found[:4]} == set(DAYS) - {"monday"}
    assert "after 60 epochs" in part(card, "curve").drawing.summary
    # The watched word and five like it, below the most frequent words: what stands near "monday" is counted.
    counted = part(card, "counts")
    assert len(counted.lines) == 6
    assert counted.lines[0].entries[0].text == "monday"
    assert counted.lines[0].here
    leads = follow(part(card, NEAR), 0, COSINE)
    number = part(card, NEAR).lines[0].entries[COSINE].text
    card.do(leads.act, leads.value)
    cosine = words.cards["cosine"].cosine
    assert cosine.words == ("monday", leads.value)
    assert written(float(cosine.cosine), 3) == written(card.found[0].cosine, 3)
    assert number
    other = follow(part(card, NEAR), 0, 1)
    card.do(other.act, other.value)
    assert part(card, "watched").value == leads.value
    press(card, "use")
    assert words.vectors.name == "your text"
    assert part(words.cards["vectors"], "choice").options[part(words.cards["vectors"], "choice").chosen] == "your text"


def test_stop_and_a_text_that_is_too_short(card):
    press(card, "train")
    while not card.trainer.epochs_done:
        card.learn()
    press(card, "train")
    assert not card.learns
    assert not card.trainer.finished
    asks = part(card, "text").asks.at("too short")
    card.do(asks.act, asks.value, asks.field)
    with pytest.raises(ExplorerError):
        press(card, "train")
    card.text = "a" * 300_001
    with pytest.raises(ExplorerError, check=lambda error: error.id == "text-too-long"):
        press(card, "train")


def test_a_word_without_a_vector_is_said(card):
    """The list of its neighbours was empty, without a word."""
    press(card, "train")
    for word, said in (
        ("zebra", "“zebra” has no vector: only the 1,000 most frequent"),
        (" ", "Type a word to watch."),
    ):
        watch = part(card, "watched").asks.at(word)
        card.do(watch.act, watch.value, watch.field)
        assert part(card, "unknown").text.startswith(said)
        assert NEAR not in parts(card)
        assert not any(line.here for line in part(card, "counts").lines), "none is the watched word"
    card.do(watch.act, "Tuesday", watch.field)
    assert "unknown" not in parts(card)


def test_before_it_has_learnt_there_is_nothing_to_see(card):
    assert not {"counts", NEAR, "curve"} & set(parts(card))
