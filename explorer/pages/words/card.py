"""A card of the page "Words" (`WordsCard`), what all cards share (`Shared`), and their fields for words (`WordField`).

The cards share the loaded vectors and the chosen words. For a misspelt word, a field offers similar words.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any, ClassVar

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.progress import Progress, Report
from explorer.pages.controls import Button, Controls, Field
from explorer.pages.element import Element
from explorer.pages.gestures import Ask
from explorer.pages.page import Note
from explorer.words.vectors import Vectors

MOST_WORDS = 8
MOST_FIRST = 50
FIRST = ("screen", "rock", "remote", "king", "queen", "man", "woman", "river")
NEAR = 4
"""How many similar words are offered for a misspelt one."""
OFFERED = 3
"""For how many misspelt words others are offered."""
_BREAK = re.compile(r"[\s,;]+")

Pair = tuple[Array, Array]


class ForWords(Ask):
    """A gesture on a card of the page "Words"; `field`: the field or setting of the card that it is about."""

    card: str = ""
    field: str = ""


class Screen:
    """What the cards ask of the window. This base class shows nothing and does each search at once."""

    def say(self, error: ExplorerError) -> str:
        """An error in words."""
        return str(error)

    def search(self, card: "WordsCard", work: Callable[[Report], Any], then: Callable[[Any], None], slow: bool) -> None:
        """Do the work of `WordsCard.search`. A newer search of a card replaces the one before."""
        then(work(lambda progress: None))

    def stop(self, card: "WordsCard") -> None:
        """Give up the search of a card."""

    def tell(self, card: "WordsCard") -> None:
        """Show a card that has changed."""

    def seek(self, card: "WordsCard", id: str = "") -> None:
        """Scroll to a card, and give the keyboard focus to one of its elements."""

    def load(self) -> None:
        """Tell the rest of the window that other vectors are loaded."""


class Shared:
    """What all cards share: the vectors, the words of the look-up, the word whose neighbours are shown, the cards."""

    def __init__(self, screen: Screen | None = None) -> None:
        self.screen = screen or Screen()
        self.vectors: Vectors | None = None
        self.words: list[str] = []
        self.word = ""
        self.cards: dict[str, WordsCard] = {}
        self._asked = False
        self.renewed = False
        """True while the cards follow new numbers of the same words, such as of a model's own table after an edit."""

    def load(self, vectors: Vectors) -> None:
        """Take other vectors; chosen words that they have stay chosen."""
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
        """At most n words that the vectors have: wanted words, filled up with their most frequent words."""
        assert self.vectors is not None
        found = [word for word in wanted if word in self.vectors]
        norms, names = self.vectors.norms[:MOST_FIRST], self.vectors.words[:MOST_FIRST]
        # No words whose vector is 0, which has no cosine, and no punctuation, which is a poor example.
        others = [word for word, norm in zip(names, norms, strict=True) if norm > 0 and word[:1].isalnum()]
        found += [word for word in others if word not in found]
        return (found or names)[:n]

    def look_up(self, words: Sequence[str]) -> None:
        """Choose the words of the look-up."""
        self._asked = True
        self.words = list(dict.fromkeys(words))
        if self.words and self.word not in self.words:
            self.go_to(self.words[0])
        self._follow()

    def go_to(self, word: str) -> None:
        """Choose the word whose neighbours are shown; it is added to the words of the look-up."""
        if self.vectors is None or word not in self.vectors:
            return  # the clicked list is out of date: it is about to show other vectors
        self._asked = True
        self.word = word
        if word not in self.words:
            self.words = [*self.words, word][-MOST_WORDS:]
        self._follow()

    def _follow(self) -> None:
        for card in self.cards.values():
            if card.follow():
                self.screen.tell(card)

    def show_cosine(self, pair: Pair, names: tuple[str, str], asker: "WordsCard") -> None:
        """Show a cosine of another card, `asker`, as arithmetic on the card "cosine".

        Raises `ExplorerError`: "no-direction".
        """
        card: Any = self.cards["cosine"]
        card.show_pair(pair, names, asker)
        self.screen.tell(card)
        self.screen.seek(card, "way back")


class WordsCard:
    """A part of the page that follows the vectors."""

    name: ClassVar[str]
    title: ClassVar[str]
    short: ClassVar[str] = ""  # a shorter title for the link to the card; "": the title
    needs_vectors: ClassVar[bool] = True
    # From this page width on (pixels at text scale 1) it stands beside the card before or after it; 0: never.
    beside: ClassVar[int] = 0

    def __init__(self, state: Shared) -> None:
        self.state = state
        self.fields: dict[str, WordField] = {}
        self.searches = False  # whether a search is under way
        state.cards[self.name] = self

    @property
    def vectors(self) -> Vectors:
        assert self.state.vectors is not None
        return self.state.vectors

    def load(self) -> None:
        """Compute anew from newly loaded vectors."""

    def follow(self) -> bool:
        """Follow a change of the chosen words. Returns whether the card has changed."""
        return False

    def compute(self) -> None:
        """Compute the result for the words in the fields."""

    def hear(self, now: Progress) -> None:
        """Store the progress of its search."""

    def fail(self, error: ExplorerError) -> None:
        """Store the error of its search."""

    def be_set(self) -> None:
        """Compute anew after a setting of the card was changed."""

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
                self.fields[field].put(*value)
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

    def field(self, id: str, spoken: str, width: int = 150, split: str = "", enters: str = "enter") -> "WordField":
        """A new field: see `WordField`."""
        self.fields[id] = WordField(self, id, spoken, width, split, enters)
        return self.fields[id]

    def line(self, *parts: "WordField | Element | str") -> tuple[Element, ...]:
        """A line of fields, controls and words; below it, the errors of the fields."""
        shown = [part.element() if isinstance(part, WordField) else part for part in parts]
        name = next(part.id for part in shown if isinstance(part, Element))
        said = (Note(f"{name} {i}", one, wide=False) if isinstance(one, str) else one for i, one in enumerate(shown))
        offers = (one for part in parts if isinstance(part, WordField) for one in part.offers())
        return Controls(f"line of {name}", tuple(said)), *offers

    def search(self, work: Callable[[Report], Any], then: Callable[[Any], None], slow: bool = False) -> None:
        """Have work done that raises no error a user can cause, and give its result to `then`.

        `work`: gets a `Report` to call between two searches.
        `slow`: whether the work takes so long that it is done on a thread even for a small table.
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


class WordField:
    """The text of a field for words, and its error, which stays until the text is changed.

    `spoken`: what to type, for a screen reader and the tooltip.
    `width`: pixels at text scale 1.
    `split`: what separates two entries: "" for blanks, or "," if an entry may have several words.
    `enters`: the act of the card that Enter asks for.
    """

    def __init__(self, card: WordsCard, id: str, spoken: str, width: int, split: str, enters: str) -> None:
        self._card, self._id, self._spoken, self._width, self._split = card, id, spoken, width, split
        self._enters = enters
        self.text = ""
        self.wrong: ExplorerError | None = None
        self._near: dict[str, Sequence[str]] = {}  # for each misspelt word, words that could replace it
        self.typed = False  # by the user, and not written by `set`

    def type(self, text: str) -> None:
        """Take over the text that the user is typing."""
        self.text, self.typed = text, True
        self.fail(None)

    def put(self, misspelt: str, other: str) -> None:
        """Replace a misspelt word by another one."""
        self.text = re.sub(rf"(?<![^\s,;]){re.escape(misspelt)}(?![^\s,;])", lambda _: other, self.text)
        rest = [word for word in self._near if word != misspelt]
        self.fail(None)
        if rest:
            self.miss(rest)

    def set(self, words: Sequence[str] | str) -> None:
        """Write words into the field."""
        self.text = words if isinstance(words, str) else f"{self._split} ".join(words)
        self.typed = False
        self.fail(None)

    @property
    def stays(self) -> bool:
        """Whether typed text stays, finished or not, because only the numbers of the same words are renewed."""
        return self.typed and self._card.state.renewed

    def keeps(self) -> bool:
        """Whether the text stays with new vectors: the user has typed it, and they have all its words."""
        vectors, words = self._card.state.vectors, self.entries()
        has = vectors is not None and all(word in vectors or word.lower() in vectors for word in words)
        return self.stays or (self.typed and bool(words) and has)

    def entries(self) -> list[str]:
        """The words, or the entries between two separators, of the text."""
        if self._split:
            return [part.strip() for part in self.text.split(self._split) if part.strip()]
        known = self._card.state.vectors or ()
        # In a model's own table a comma may be a word.
        parts = (part if part in known else [p for p in _BREAK.split(part) if p] for part in self.text.split())
        return [word for part in parts for word in ([part] if isinstance(part, str) else part)]

    def words(self, least: int = 1, most: int = 1000) -> list[str] | None:
        """The words as the vocabulary spells them; None if a word is unknown or too few or many, then with an error."""
        vectors = self._card.state.vectors
        if vectors is None:
            return None
        typed = self.entries()
        if unknown := vectors.unknown(typed):
            if not self.stays:  # otherwise a word may still be being typed
                self.miss(unknown)
            return None
        found = vectors.all_spelt(typed)
        if least <= len(found) <= most:
            self.fail(None)
            return found
        if not self.stays:
            need = "one word" if most == 1 else f"{least} to {most} words"
            self.fail(ExplorerError("words-wanted", wanted=need, given=len(found)))
        return None

    def miss(self, unknown: Sequence[str]) -> None:
        """Set the error of words that have no vector, with words that could replace each of the first few."""
        vectors = self._card.vectors
        self.fail(vectors.refusal(unknown))
        self._near = {word: vectors.suggest(word, NEAR) if i < OFFERED else () for i, word in enumerate(unknown)}

    def fail(self, error: ExplorerError | None) -> None:
        """Set the error, or None for no error."""
        self.wrong, self._near = error, {}

    def element(self) -> Field:
        state, asks = self._card.state, self._card.asks
        complete = None if state.vectors is None else state.vectors.complete
        typed, entered = asks("type", None, self._id), asks(self._enters, None, self._id)
        wrong = "" if self.wrong is None else state.screen.say(self.wrong)
        named, said = f"{self._id} field", self._spoken
        field = Field(named, said, self.text, typed, entered, tip=f"{said}; press Enter", width=self._width, hint=said)
        return replace(field, gives=True, complete=complete, wrong=wrong)

    def offers(self) -> tuple[Element, ...]:
        """The elements of the error, with the words that could replace unknown ones."""
        if self.wrong is None:
            return ()
        said = self._card.state.screen.say(ExplorerError(self.wrong.id, **{**self.wrong.fields, "near": ""}))
        parts: list[Element] = [Note(f"wrong {self._id}", f"⚠ {escape(said)}", wide=False, wrong=True)]
        for nth, (word, near) in enumerate(self._near.items()):
            if near:
                asked = f"For “{escape(word)}”:" if len(self._near) > 1 else "Did you mean"
                parts.append(Note(f"meant {nth} {self._id}", asked, wide=False))
            for i, other in enumerate(near):
                tip, puts = f"Put “{other}” in the place of “{word}”", self._card.asks("put", (word, other), self._id)
                parts.append(Button(f"offer {nth * NEAR + i} {self._id}", other, puts, tip, link=True))
        return (Controls(f"offers of {self._id}", tuple(parts)),)
