"""The map: chosen words and their neighbours."""

import numpy as np
import pytest

from explorer.pages.words.planes import COMPONENTS, HIGH, LOW, TSNE
from explorer.words.vectors import Vectors
from tests.pages.words.conftest import Told, ask, part, parts, press


@pytest.fixture
def card(words):
    return words.cards["map"]


class Slow(Told):
    """A screen whose searches end when the test says so, as those on a thread do."""

    def __init__(self):
        super().__init__()
        self.late, self.stopped = [], []

    def search(self, card, work, then, slow):
        self.late.append((card, lambda: then(work(lambda progress: None))))

    def stop(self, card):
        self.stopped.append(card)


def test_what_was_sought_in_other_vectors_is_not_shown(words):
    """An analogy is sought on a thread; meanwhile other vectors may be opened, which lack its words."""
    words.screen = screen = Slow()
    words.load(words.vectors)
    analogy = words.cards["analogy"]
    assert any(card is analogy for card, _ in screen.late)
    screen.stopped.clear()
    words.load(Vectors.of("two", "ab", np.eye(2)))
    assert analogy in screen.stopped
    assert not analogy.searches


def test_what_is_typed_while_the_first_analogy_is_sought_stays(words):
    words.screen = screen = Slow()
    words.load(words.vectors)
    analogy = words.cards["analogy"]
    analogy.do("type", "river", "a")
    for card, end in screen.late:
        if card is analogy:
            end()
    assert analogy.abc[0].text == "river"
    assert analogy.result is not None


def choose(card, id, value):
    asks = part(card, id).asks
    asks = (asks[0] if isinstance(asks, tuple) else asks).at(value)
    card.do(asks.act, asks.value, asks.field)


def test_a_point_asks_for_its_neighbours(words, card):
    choose(card, "neighbours", 2)
    ask(card, "words", "king river")
    shown = part(card, "map")
    assert (shown.chosen, len(shown.words)) == (2, 6)
    asks = shown.follows.at(shown.words[3])
    card.do(asks.act, asks.value)
    assert shown.words[3] in card.asked.entries()
    assert words.word == part(card, "map").here == shown.words[3]
    choose(card, "arrows", True)
    assert part(card, "map").arrows


@pytest.mark.parametrize("typed", ["", " ".join("abcdefgh" * 2)])
def test_no_map_of_other_vectors_stays(words, card, typed):
    """An empty line, or one of too many words, that nobody has asked for yet."""
    words.load(Vectors.of("letters", "abcdefgh", np.eye(8)))
    card.do("type", typed, "words")
    words.load(Vectors.of("others", "hgfedcba!", np.eye(9)))
    assert part(card, "map").words[:5] == tuple("hgfed") if not typed else "map" not in parts(card)


def test_it_is_as_high_as_what_is_in_sight_within_limits(card):
    for room, high in ((100, LOW), (600, 444), (3000, HIGH)):
        card.room = room
        assert part(card, "map").height == high


def test_a_map_by_tsne(card):
    pytest.importorskip("sklearn", reason="scikit-learn, the extra `maps`, is not there")
    choose(card, "neighbours", 2)
    ask(card, "words", "king river monday")
    components = part(card, "map").points
    choose(card, "method", TSNE)
    first = part(card, "map")
    assert first.points.shape == components.shape
    assert np.isfinite(first.points).all()
    assert first.origin is None
    assert "arrows" not in parts(card)
    assert "Directions on this map mean nothing" in part(card, "about").text
    card.compute()
    assert part(card, "map").points.tobytes() == first.points.tobytes()
    choose(card, "method", COMPONENTS)
    np.testing.assert_array_equal(part(card, "map").points, components)
    assert "arrows" in parts(card)


def test_a_map_by_tsne_can_be_stopped(words, card, monkeypatch):
    monkeypatch.setattr("explorer.words.projection.tsne_available", lambda: True)
    monkeypatch.setattr(words.screen, "search", lambda *_: None)  # beside the window
    before = part(card, "map").points
    choose(card, "method", TSNE)
    assert part(card, "said").text == "Placing the words …"
    assert "arrows" not in parts(card)
    press(card, "stop")
    assert "stop" not in parts(card)
    assert part(card, "said").text.startswith("Stopped.")
    assert part(card, "map").points is before


def test_few_words_are_drawn_by_components(card, monkeypatch):
    monkeypatch.setattr("explorer.words.projection.tsne_available", lambda: True)
    choose(card, "neighbours", 0)
    ask(card, "words", "king queen")
    choose(card, "method", TSNE)
    assert "t-SNE needs 4 words" in part(card, "said").text
    assert "arrows" in parts(card)


def test_without_scikit_learn_one_sentence_says_what_it_takes(card, monkeypatch):
    monkeypatch.setattr("explorer.words.projection.tsne_available", lambda: False)
    assert "method" not in parts(card)
    assert "scikit-learn" in part(card, "without").text
