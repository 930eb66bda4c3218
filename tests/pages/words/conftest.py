"""Small vectors, and the cards of the page "Words" on them, without a window."""

from pathlib import Path

import numpy as np
import pytest

from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.pages.element import leaves
from explorer.pages.page import said
from explorer.pages.words import cards
from explorer.pages.words.card import Screen, Shared
from explorer.sentences import sentence
from explorer.words.vectors import Vectors

SAMPLE = Path(__file__).parents[4] / "shared" / "vectors" / "glove-twitter-25-common11925.txt.gz"
ROYALS = ("king", "queen", "man", "woman", "prince", "princess", "river", "sea", "lake", "boat", "monday", "friday")


def small():
    """12 words of 6 numbers: royalty, womanhood, water, days and two that mean nothing."""
    random = np.random.default_rng(7)
    array = np.zeros((len(ROYALS), 6), np.float32)
    array[[0, 1, 4, 5], 0] = 2
    array[[0, 2, 4], 1] = 1.5
    array[[1, 3, 5], 1] = -1.5
    array[6:10, 2] = 2
    array[10:, 3] = 2
    array[:, 4:] = random.normal(0, 0.1, (len(ROYALS), 2))
    return Vectors.of("small", ROYALS, array)


class Told(Screen):
    """Says errors as the window does, and remembers which cards were to be seen."""

    def __init__(self):
        self.sought = []

    def say(self, error):
        return sentence(error)

    def seek(self, card, id=""):
        self.sought.append((card.name, id))


def words_on(lesson="jane"):
    """The cards on a model, without vectors."""
    state = Shared(Told())
    document = Document(load(lesson).state())
    for card in cards(document):
        card(state)
    return state


@pytest.fixture
def words():
    """The cards on the small vectors."""
    state = words_on()
    state.load(small())
    return state


@pytest.fixture
def sample_file():
    """Real GloVe vectors; they lie beside the checkout where the program is made, and are not part of it."""
    if not SAMPLE.is_file():
        pytest.skip(f"{SAMPLE} is not there: the sample of real GloVe vectors is not part of the project")
    return SAMPLE


def ask(card, field, text):
    """Type something into a field and press Enter."""
    card.do("type", text, field)
    enters = part(card, f"{field} field").enters
    card.do(enters.act, enters.value, enters.field)


def parts(card):
    """All that stands on a card, by its id."""
    return {one.id: one for element in card.page() for one in leaves(element)}


def part(card, id):
    """One thing that stands on a card."""
    return parts(card)[id]


def press(card, id):
    """Press a button."""
    asks = part(card, id).asks
    card.do(asks.act, asks.value, asks.field)


def follow(listing, row, column):
    """The gesture of a link in a listing."""
    return listing.lines[row].entries[column].leads


def problem(card, field):
    """What is said to be wrong with a field; empty: nothing."""
    found = parts(card).get(f"wrong {field}")
    return said(found.text) if found is not None else ""
