"""Three cards: words with their vectors as strips of bars; the words nearest to a word; the odd one out."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.numbers import exact, written
from explorer.pages.controls import Button
from explorer.pages.drawing import VectorStrips
from explorer.pages.element import Element
from explorer.pages.page import BAR, Column, Entry, Line, Listing, Note, numeric
from explorer.pages.words.card import MOST_WORDS, ForWords, Pair, Shared, WordsCard
from explorer.words import catalogue, similarity
from explorer.words.similarity import Neighbour
from explorer.words.vectors import Vectors

ABOUT = (
    "The words whose vectors point most nearly in the same direction. Click a word to go there, a cosine to check it."
)
ABOUT_ODD = "The word that is farthest from the mean of all."
EQUAL = 1e-6  # cosines that differ by less are equal but for rounding
ABOUT_LOOK_UP = (
    "A word is a list of numbers. A single number has no meaning; all together say near which other words the word "
    "stands."
)
NORM = (
    "Norm: the length of the vector. Rank: the place of the word in the table; most tables begin with frequent words."
)


class LookupCard(WordsCard):
    """Chosen words below each other, each with its vector as a strip of bars."""

    name, title, short = "lookup", "Look up words", "Look up"

    def __init__(self, state: Shared) -> None:
        super().__init__(state)
        self.asked = self.field("words", f"Up to {MOST_WORDS} words", 420)
        self.dimension = -1

    def load(self) -> None:
        if not self.asked.stays:
            self.asked.set(self.state.words)
        if self.dimension >= self.vectors.dims:
            self.dimension = -1

    def follow(self) -> bool:
        self.load()
        return True

    def compute(self) -> None:
        """Look up the words in the field."""
        words = self.asked.words(1, MOST_WORDS)
        if words is not None:
            self.state.look_up(words)

    def page(self) -> tuple[Element, ...]:
        line = self.line("Words", self.asked)
        if self.state.vectors is None:
            return Note("about", ABOUT_LOOK_UP), *line
        vectors, words = self.vectors, tuple(self.state.words)
        ranks = [vectors.rank(word) for word in words]
        array = np.asarray(vectors.array[ranks])
        notes = tuple(f"norm {written(float(vectors.norms[r]), 2)} · rank {r + 1:,}" for r in ranks)
        follows = tuple(self.asks("go to", word) for word in words)
        strips = VectorStrips(
            "strips", words, array, notes, self.state.word, self.dimension, self.asks("set", field="dimension"), follows
        )
        said = NORM
        if self.dimension >= 0:
            values = zip(words, array[:, self.dimension].tolist(), strict=True)
            each = ", ".join(f"{word} {written(value, 3)}" for word, value in values)
            said = escape(f"Dimension {self.dimension + 1}: {each}")
        return Note("about", ABOUT_LOOK_UP), *line, strips, Note("said", said)


class NeighboursCard(WordsCard):
    """The words nearest to a word; a click on one shows its own neighbours."""

    name, title, beside = "neighbours", "Nearest words", 1020

    def __init__(self, state: Shared) -> None:
        super().__init__(state)
        self.asked = self.field("word", "Word")
        self.found: list[Neighbour] = []
        self._word = ""  # the word that `found` belongs to
        self._show([])

    def load(self) -> None:
        vectors, word = self.vectors, self.state.word
        self._word = word
        if not self.asked.stays:
            self.asked.set([word])
        if word and not vectors.norm(word):
            self.stop()
            self._show([], self.state.screen.say(ExplorerError("no-direction", word=word)))
            return
        self.search(lambda report: similarity.nearest(vectors, word, MOST) if word else [], self._find_printed)

    def follow(self) -> bool:
        other = self._word != self.state.word
        if other:
            self.load()
        return other

    def compute(self) -> None:
        """Go to the word in the field."""
        words = self.asked.words(1, 1)
        if words is not None:
            self.state.go_to(words[0])

    def pair(self, which: Any) -> tuple[Pair, tuple[str, str]]:
        word = self.state.word
        return (self.vectors[word], self.vectors[which]), (word, which)

    def _find_printed(self, found: list[Neighbour]) -> None:
        """Show the neighbours; for the word of reference 000, compare them with the printed ones."""
        reference = catalogue.printed_words()
        notes = {other: written(float(value), 4) for other, value in reference.neighbours}
        if self.state.word != reference.word:
            self._show(found)
        elif [one.word for one in found[: len(notes)]] == list(notes):
            self._show(found, "The text 000 prints the same ten words in this order.", notes)
        else:
            ten = ", ".join(f"{other} {number}" for other, number in notes.items())
            self._show(found, f"Other texts give other neighbours. From {reference.vectors}: {ten}.")

    def _show(self, found: list[Neighbour], said: str = "", notes: dict[str, str] | None = None) -> None:
        self.found, self.said = found, said
        self.list = near("Nearest words", found, notes=notes, note="printed", card=self.name)

    def page(self) -> tuple[Element, ...]:
        button = Button("find", "Find", self.asks("find"), "Find the words nearest to this one")
        said = (Note("said", self.said),) if self.said else ()
        # Beside a word that is refused, the list is still that of the word before.
        whose = f"The words nearest to <b>{escape(self._word)}</b>:"
        still = (Note("whose", whose),) if self.asked.wrong is not None and self.found else ()
        return Note("about", ABOUT), *self.line("Nearest to", self.asked, button), *still, self.list, *said


class OddCard(WordsCard):
    """Of several words, the one that is farthest from the mean of all."""

    name, title, beside = "odd", "Odd one out", 1020

    def __init__(self, state: Shared) -> None:
        super().__init__(state)
        self.asked = self.field("words", "Three words or more", 330)
        self.found: list[Neighbour] = []

    def load(self) -> None:
        if not self.asked.keeps():
            self.asked.set(self.state.pick(("father", "mother", "brother", "ship", "sister"), 4))
        self.found = []  # a result of other vectors does not hold for these
        if len(self.vectors) > 2:
            self.compute()

    def compute(self) -> None:
        """Find the odd one out of the words in the field."""
        words = self.asked.words(1)
        if words is None:
            return
        try:
            self.found = similarity.centrality(self.vectors, words)
        except ExplorerError as error:
            self.asked.fail(error)

    def pair(self, which: Any) -> tuple[Pair, tuple[str, str]]:
        mean = similarity.centre(self.vectors, [one.word for one in self.found])
        return (mean, self.vectors[which]), ("mean of all", which)

    def _said(self) -> str:
        least = self.found[-1].cosine
        last = [f"<mark>{escape(one.word)}</mark>" for one in self.found if one.cosine - least < EQUAL]
        if len(last) == 1:
            return f"The odd one out is {last[0]}."
        if len(last) == len(self.found):
            return "None is the odd one out: all are equally far from their mean."
        return f"Equally far from the mean of all are {', '.join(last[:-1])} and {last[-1]}: each is an odd one out."

    def page(self) -> tuple[Element, ...]:
        button = Button("find", "Find", self.asks("find"), "Find the odd one out")
        found: tuple[Element, ...] = ()
        if self.found:
            listing = near("Cosine with the mean of all", self.found, last=True, card=self.name)
            found = Note("said", self._said()), listing
        elif self.state.vectors is not None and len(self.vectors) <= 2:
            found = (Note("said", "There are too few words for an odd one out."),)
        return Note("about", ABOUT_ODD), *self.line(self.asked, button), *found


MOST = 12
SHOWN = 5
"""How many neighbours a step shows to a class."""
SHORT = 110
"""The width of the bars of these neighbours, in pixels at text scale 1."""


def asked_words(asked: str) -> list[str]:
    """The words in the `look.word` of a lesson's step: a single word, or the three of "king - man + woman"."""
    return [word.strip() for word in asked.replace("−", "-").replace("+", "-").split("-")]


def named(vectors: Vectors, asked: str) -> Listing | None:
    """The neighbours that a step of a lesson shows: those of one word, or of "king - man + woman".

    None if the vectors do not have all of the words.
    """
    words = asked_words(asked)
    if not all(word in vectors for word in words):
        return None
    if len(words) == 3:
        a, b, c = words
        found = list(similarity.analogy(vectors, a, b, c, SHOWN).neighbours)
    else:
        found = similarity.nearest(vectors, words[0], SHOWN)
    return near(f"Words nearest to {asked}", found, bar=SHORT)


def near(
    name: str,
    found: Sequence[Neighbour],
    last: bool = False,
    bar: int = 280,
    notes: Mapping[str, str] | None = None,
    note: str = "",
    card: str = "",
) -> Listing:
    """A list of words, each with its cosine as number and bar.

    `name`: the name of the list for a screen reader.
    `last`: whether the last word stands out.
    `bar`: the width of a bar in pixels at text scale 1.
    `notes`: texts in a further column, by word; `note` is the title of that column.
    `card`: the name of the card with the list, if any: then a click on a word chooses it, and a click on a cosine shows
    its arithmetic.
    """
    low = -1.0 if any(one.cosine < 0 for one in found) else 0.0
    place, cosine, *noted = numeric("", "cosine", *([note] if notes else []))
    columns = place, Column("word"), cosine, Column("", BAR, bar, (low, 1.0), signed=True), *noted
    lines, led = [], bool(card)

    def leads(act: str, word: str) -> ForWords | None:
        return ForWords(act, word, card) if card else None

    for row, one in enumerate(found):
        number, tip = written(one.cosine, 4), f"{one.word}: {exact(one.cosine)}"
        entries = [
            Entry(str(row + 1), tip=tip, muted=True),
            Entry(one.word, tip=f"{tip}{'. Click to go there' * led}", leads=leads("go to", one.word)),
            Entry(number, tip=f"{tip}{'. Click to see it as arithmetic' * led}", leads=leads("cosine", one.word)),
            Entry(number, float(one.cosine), tip),
        ]
        if notes:
            entries.append(Entry(notes.get(one.word, ""), muted=True))
        lines.append(Line(tuple(entries), here=last and row == len(found) - 1))
    return Listing(name, name, columns, tuple(lines), MOST, order="".join(one.word for one in found[:1]))
