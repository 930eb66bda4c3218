"""What a step of a lesson shows of words: the neighbours of one, or of an analogy."""

import numpy as np

from explorer.pages.words.lists import named, square
from explorer.words.vectors import Vectors

WORDS = {"king": (2, 1), "man": (2, 0), "woman": (0, 2), "queen": (0, 3), "river": (-2, -1)}


def vectors():
    return Vectors.of("small", WORDS, np.array(list(WORDS.values()), np.float32))


def test_the_neighbours_of_a_word():
    listing = named(vectors(), "king")
    assert listing.lines[0].entries[1].text == "man"
    assert "king" not in [line.entries[1].text for line in listing.lines]


def test_an_analogy():
    assert named(vectors(), "king - man + woman").lines[0].entries[1].text == "queen"


def test_words_that_are_not_there_show_nothing():
    assert named(vectors(), "emma") is None
    assert named(vectors(), "king - man + emma") is None


def test_a_small_cosine_has_two_decimals_like_the_others():
    """Among 0.57 and −0.07 it was "−2.4e−3"."""
    (line, _) = square(("sea", "woman"), np.array([[1.0, -0.0024], [-0.0024, 1.0]])).lines
    assert [entry.text for entry in line.entries] == ["1.00", "0.00"]
    assert line.entries[1].tip == "sea and woman: −0.0024"
