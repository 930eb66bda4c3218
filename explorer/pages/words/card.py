"""A card of the page "Words": its state, its acts, and its elements.

What the cards share: the vectors that are loaded, and the words that one is at.

Fields for words: a misspelt word gets suggestions.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any, ClassVar

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.pages.element import Element
from explorer.pages.gestures import Ask
from explorer.pages.page import Button, Controls, Field, Note
from explorer.words.progress import Progress, Report
from explorer.words.vectors import Vectors

MOST_WORDS = 8
MOST_FIRST = 50
FIRST = ("screen", "rock", "remote", "king", "queen", "man", "woman", "river")
NEAR = 4
"""Words that a misspelt one may have been."""
_BREAK = re.compile(r"[\s,;]+")

Pair = tuple[Array, Array]


@dataclass(frozen=True)
class ForWords(Ask):
    """Of a card of the page "Words"; `field`: which of its fields it comes from."""

    card: str = ""
    field: str = ""


class Screen:
    """What the cards ask of the window. This one shows nothing and does each search at once."""

    def say(self, error: ExplorerError) -> str:
        """An error in words."""
        return str(error)

    def search(self, card: "Card", work: Callable[[Report], Any], then: Callable[[Any], None], slow: bool) -> None:
        """Do the work of `Card.search`. A newer search of a card replaces the one before."""
        then(work(lambda progress: None))

    def stop(self, card: "Card") -> None:
        """Give up the search of a card."""

    def tell(self, card: "Card") -> None:
        """Show a card that has changed."""

    def seek(self, card: "Card", id: str = "") -> None:
        """Scroll to a card, and give the keyboard focus to one of its elements."""

    def load(self) -> None:
        """Tell the rest of the window that other vectors are loaded."""


class Words:
    """The vectors, the words in the look-up, and the one word whose neighbours are shown; and the cards that follow."""

    def __init__(self, screen: Screen | None = None) -> None:
        self.screen = screen or Screen()
        self.vectors: Vectors | None = None
        self.words: list[str] = []
        self.word = ""
        self.cards: dict[str, Card] = {}
        self._asked = False
        self.renewed = False
        """While cards follow other numbers of the same words, as of a model's own table that is edited or trained."""

    def load(self, vectors: Vectors) -> None:
        """Take other vectors; the words that they have stay."""
        before, self.vectors = self.vectors, vectors
        self.renewed = before is not None and (before.name, before.words.text) == (vectors.name, vectors.words.text)
        kept = [word for word in self.words if word in vectors]
        self.words = kept if self._asked and len(kept) > 1 else self.pick(FIRST, 5)
        self.word = self.word if self.word in self.words else self.words[0] if self.words else ""
        for card in self.cards.values():
            card.load()
            self.screen.tell(card)
        self.renewed = False
        self.screen.load()

    def pick(self, wanted: Sequence[str], n: int) -> list[str]:
        """Up to n of the wanted words that the vectors have; their most frequent ones, if they have too few."""
        assert self.vectors is not None
        found = [word for word in wanted if word in self.vectors]
        norms, names = self.vectors.norms[:MOST_FIRST], self.vectors.words[:MOST_FIRST]
        # A vector of zeros has no cosine, and a comma is no good example.
        others = [word for word, norm in zip(names, norms, strict=True) if norm > 0 and word[:1].isalnum()]
        found += [word for word in others if word not in found]
        return (found or names)[:n]

    def look_up(self, words: Sequence[str]) -> None:
        """Put other words beside each other."""
        self._asked = True
        self.words = list(dict.fromkeys(words))
        if self.words and self.word not in self.words:
            self.go_to(self.words[0])
        self._follow()

    def go_to(self, word: str) -> None:
        """Ask for a word's neighbours; it joins the others in the look-up."""
        if self.vectors is None or word not in self.vectors:
            return  # clicked in a list that is about to show other vectors
        self._asked = True
        self.word = word
        if word not in self.words:
            self.words = [*self.words, word][-MOST_WORDS:]
        self._follow()

    def _follow(self) -> None:
        for card in self.cards.values():
            if card.follow():
                self.screen.tell(card)

    def show_cosine(self, pair: Pair, names: tuple[str, str], asker: "Card") -> None:
        """Show a cosine of another card as arithmetic.

        Raises `ExplorerError`: "no-direction".
        """
        card: Any = self.cards["cosine"]
        card.show_pair(pair, names, asker)
        self.screen.tell(card)
        self.screen.seek(card, "way back")


class Card:
    """A part of the page that follows the vectors."""

    name: ClassVar[str]
    title: ClassVar[str]
    short: ClassVar[str] = ""  # the title on the link to it, if another one
    needs_vectors: ClassVar[bool] = True
    # Pixels at text scale 1 of a page from which on it stands beside the next one, or the one before; 0: it never does.
    beside: ClassVar[int] = 0

    def __init__(self, state: Words) -> None:
        self.state = state
        self.fields: dict[str, Entry] = {}
        self.searches = False  # whether a search is under way
        state.cards[self.name] = self

    @property
    def vectors(self) -> Vectors:
        """Those that are loaded."""
        assert self.state.vectors is not None
        return self.state.vectors

    def load(self) -> None:
        """Compute anew from other vectors."""

    def follow(self) -> bool:
        """Follow another word, or other words in the look-up. Returns whether the card has changed."""
        return False

    def compute(self) -> None:
        """Work out what stands in the fields."""

    def hear(self, now: Progress) -> None:
        """Take note of the progress of its search."""

    def fail(self, error: ExplorerError) -> None:
        """Take note that its search has failed."""

    def be_set(self) -> None:
        """Compute anew after a choice was set."""

    def pair(self, which: Any) -> tuple[Pair, tuple[str, str]]:
        """The two vectors of a cosine on the card, and their names."""
        raise NotImplementedError(type(self).__name__)

    def page(self) -> tuple[Element, ...]:
        """The elements below its title."""
        raise NotImplementedError(type(self).__name__)

    def do(self, act: str, value: Any = None, field: str = "") -> None:
        """Do what a gesture asks for.

        Raises `ExplorerError`: what cannot be done.
        """
        match act:
            case "type":
                self.fields[field].type(value)
            case "put":
                self.fields[field].put(value)
                self.compute()
            case "set":
                setattr(self, field, value)
                self.be_set()
            case "go to":
                self.state.go_to(value)
            case "cosine":
                self.state.show_cosine(*self.pair(value), self)
            case _:
                self.compute()

    def asks(self, act: str, value: Any = None, field: str = "") -> ForWords:
        """The gesture that asks for an act of this card."""
        return ForWords(act, value, self.name, field)

    def field(self, id: str, spoken: str, width: int = 150, split: str = "", enters: str = "enter") -> "Entry":
        """A new field: see `Entry`."""
        self.fields[id] = Entry(self, id, spoken, width, split, enters)
        return self.fields[id]

    def line(self, *parts: "Entry | Element | str") -> tuple[Element, ...]:
        """A line of fields, controls and words; below it, the errors of the fields."""
        shown = [part.element() if isinstance(part, Entry) else part for part in parts]
        name = next(part.id for part in shown if isinstance(part, Element))
        said = (Note(f"{name} {i}", one, wide=False) if isinstance(one, str) else one for i, one in enumerate(shown))
        offers = (one for part in parts if isinstance(part, Entry) for one in part.offers())
        return Controls(f"line of {name}", tuple(said)), *offers

    def search(self, work: Callable[[Report], Any], then: Callable[[Any], None], slow: bool = False) -> None:
        """Have some work done, which raises no error that a person can cause, and give its result to `then`.

        Parameters
        ----------
        work : callable
            Given a `Report`, to call between two searches.
        slow : bool
            Whether it takes so long that it is done beside the window in any case.
        """
        self.searches = True
        self.state.screen.search(self, work, partial(self._find, then), slow)

    def stop(self) -> None:
        """Give up the search."""
        self.searches = False
        self.state.screen.stop(self)

    def _find(self, then: Callable[[Any], None], result: Any) -> None:
        self.searches = False
        then(result)
        self.state.screen.tell(self)


class Entry:
    """The text of a field for words, and its error, which stays until something else is typed.

    Parameters
    ----------
    spoken : str
        What is asked for, for a screen reader and the tooltip.
    width : int
        Pixels at text scale 1.
    split : str
        What stands between two entries: a blank, or "," where an entry may have several words.
    enters : str
        The act of the card that Enter asks for.
    """

    def __init__(self, card: Card, id: str, spoken: str, width: int, split: str, enters: str) -> None:
        self._card, self._id, self._spoken, self._width, self._split = card, id, spoken, width, split
        self._enters = enters
        self.text = ""
        self.wrong: ExplorerError | None = None
        self._misspelt, self._typed = "", False
        self._near: Sequence[str] = ()

    def type(self, text: str) -> None:
        """A person types something else."""
        self.text, self._typed = text, True
        self.fail(None)

    def put(self, other: str) -> None:
        """Put another word in the place of the misspelt one."""
        misspelt = rf"(?<![^\s,;]){re.escape(self._misspelt)}(?![^\s,;])"
        self.text = re.sub(misspelt, lambda _: other, self.text, count=1)
        self.fail(None)

    def set(self, words: Sequence[str] | str) -> None:
        """Write words into the field."""
        self.text = words if isinstance(words, str) else f"{self._split} ".join(words)
        self._typed = False
        self.fail(None)

    @property
    def stays(self) -> bool:
        """Whether what a person has typed stays, finished or not: the same words have got other numbers."""
        return self._typed and self._card.state.renewed

    def keeps(self) -> bool:
        """Whether a person has typed what stands here, and the vectors have all of it."""
        vectors, words = self._card.state.vectors, self.entries()
        has = vectors is not None and all(word in vectors or word.lower() in vectors for word in words)
        return self.stays or (self._typed and bool(words) and has)

    def entries(self) -> list[str]:
        """What was typed, piece by piece."""
        if self._split:
            return [part.strip() for part in self.text.split(self._split) if part.strip()]
        known = self._card.state.vectors or ()
        # A comma may be a word itself, in a model's own table.
        parts = (part if part in known else [p for p in _BREAK.split(part) if p] for part in self.text.split())
        return [word for part in parts for word in ([part] if isinstance(part, str) else part)]

    def words(self, least: int = 1, most: int = 1000) -> list[str] | None:
        """The words as the vocabulary spells them; None where one is not known, which is said then."""
        vectors = self._card.state.vectors
        if vectors is None:
            return None
        found: list[str] = []
        for word in self.entries():
            try:
                found.append(vectors.spelt(word))
            except ExplorerError as error:
                if not self.stays:  # else it may still be being typed
                    self.fail(error, word, vectors.suggest(word, NEAR))
                return None
        if self.stays and not least <= len(found) <= most:
            return None
        self.fail(None)
        if not least <= len(found) <= most:
            need = "one word" if most == 1 else f"{least} to {most} words"
            self.fail(ExplorerError("words-wanted", wanted=need, given=len(found)))
            return None
        return found

    def fail(self, error: ExplorerError | None, word: str = "", near: Sequence[str] = ()) -> None:
        """Set the error, or None for no error; `near`: words that could replace an unknown word."""
        self.wrong, self._misspelt, self._near = error, word, near

    def element(self) -> Field:
        """The field."""
        state, asks = self._card.state, self._card.asks
        complete = None if state.vectors is None else state.vectors.complete
        typed, entered = asks("type", None, self._id), asks(self._enters, None, self._id)
        wrong = "" if self.wrong is None else state.screen.say(self.wrong)
        named, said = f"{self._id} field", self._spoken
        field = Field(named, said, self.text, typed, entered, tip=f"{said}; press Enter", width=self._width, hint=said)
        return replace(field, gives=True, complete=complete, wrong=wrong)

    def offers(self) -> tuple[Element, ...]:
        """The error, and the words that could replace the unknown one."""
        if self.wrong is None:
            return ()
        said = self._card.state.screen.say(ExplorerError(self.wrong.id, **{**self.wrong.fields, "near": ""}))
        parts: list[Element] = [Note(f"wrong {self._id}", f"⚠ {escape(said)}", wide=False, wrong=True)]
        if self._near:
            parts.append(Note(f"meant {self._id}", "Did you mean", wide=False))
        for i, other in enumerate(self._near):
            tip = f"Put “{other}” in the place of “{self._misspelt}”"
            parts.append(
                Button(f"offer {i} {self._id}", other, self._card.asks("put", other, self._id), tip, link=True)
            )
        return (Controls(f"offers of {self._id}", tuple(parts)),)
