"""The card that sends words to the model: as rows of an embedding table, or as the keys of a look-up."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from explorer.core.errors import ExplorerError
from explorer.core.numbers import percent
from explorer.document.commands import SendWords
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.loader import load
from explorer.lessons.schema import Lesson, Setting
from explorer.pages.controls import Button, Choice
from explorer.pages.element import Element
from explorer.pages.page import Note
from explorer.pages.words.card import Shared, WordsCard
from explorer.pages.words.vectors import tables
from explorer.words import projection, similarity
from explorer.words.vectors import Vectors

MOST = 64
LOOK_UP = "translation-lookup"
"""The reference's lesson that attention is a soft look-up."""
ABOUT_LOOK_UP = """
Each query asks which keys point its way. All are real words with vectors of “{vectors}”, and each key is its own value:
the dot products are the scores, softmax turns them into shares, and the output is the values in those shares.
"""
ABOUT = (
    "The words become tokens, their vectors rows of the model's embedding table; or keys and values that other words "
    "look up. Undo takes it back."
)
TO_TRY = "set Scale to 1/√d_k. These vectors were trained without a division, so their shares become nearly equal."


def as_look_up(vectors: Vectors, queries: Sequence[str], keys: Sequence[str]) -> Lesson:
    """The lesson `LOOK_UP` with other words: the vectors of `queries` are Q, those of `keys` are both K and V.

    The scores are plain dot products. These vectors were trained without the division by √d; with it their scores would
    lie so near each other that all words would get about the same share, as the switch "scale" shows.
    """
    lesson = load(LOOK_UP)
    features = tuple(str(i + 1) for i in range(vectors.dims))
    queries, keys = tuple(dict.fromkeys(queries)), tuple(dict.fromkeys(keys))
    axes = {"query": queries, "key": keys, "feature": features, "value": keys, "value feature": features}
    asked, known = (similarity.table(vectors, words).astype(float) for words in (queries, keys))
    about = ABOUT_LOOK_UP.format(vectors=vectors.name)
    setting = Setting("words", "Words", about, {"attention.scale": "none"}, to_try=TO_TRY)
    return replace(
        lesson,
        id=f"words {uuid4().hex}",
        title="A look-up among words",
        paragraph="",
        to_try="",
        reference="",
        model=replace(lesson.model, axes=axes),
        inputs={"Q": asked, "K": known, "V": known},
        settings={setting.name: setting},
    )


WAYS = ("Reduced to the model's width", "As they are")
LOOKS_UP = "Open “Translation as a look-up” with these words: which is found, and with which share?"


class SendCard(WordsCard):
    """Chosen words become a sequence of the model, or the keys and values of a look-up."""

    name, title, beside = "send", "Send to the model", 1800

    def __init__(self, state: Shared, document: Document) -> None:
        super().__init__(state)
        self.document = document
        self.words = self.field("words", "Words, in the order of a sentence", 420)
        self.queries = self.field("queries", "Words to look up", 240, enters="look up")
        self.table = ""  # the model's embedding table that takes the vectors; "": none is chosen yet
        self.whole = 0  # the place of the chosen way in `WAYS`
        self.outcome = ""
        self._is_so: Callable[[State], bool] = lambda _: False
        """Whether what `outcome` says is so in a state of the document: undo may have taken it back."""

    def load(self) -> None:
        if not self.words.keeps():
            self.words.set(self.state.words)
        if not self.queries.keeps():
            self.queries.set(self.state.pick(("ocean", "prince", "stone", "lady"), 2))
        self.outcome = ""

    def do(self, act: str, value: Any = None, field: str = "") -> None:
        if act == "table":
            self.table = str(value)
        else:
            super().do(act, value, field)

    def command(self) -> SendWords | None:
        """The command that sends the words; None if the words are not right, then the field has an error."""
        self.outcome = ""
        words = self.words.words(1, MOST)
        if words is None:
            return None
        sequence = self._table().removesuffix(".table")
        return SendWords(sequence, tuple(words), self._rows(words)[0])

    def say_sent(self, command: SendWords) -> None:
        """Set the message that the words are in the model."""
        self.outcome = f"✓ “{' '.join(command.words)}” is in {self._table()}. Undo takes it back."
        self._is_so = partial(_says, command)

    def look_up(self) -> tuple[Lesson, str] | None:
        """The look-up with these words, and the label of its undo step; None as for `command`."""
        self.outcome = ""
        keys, queries = self.words.words(1, MOST), self.queries.words(1, MOST)
        if keys is None or queries is None:
            return None
        lesson = as_look_up(self.vectors, queries, keys)
        self.outcome = "✓ The words are open as a look-up. Undo takes it back."
        self._is_so = lambda state: state.lesson == lesson.id
        return lesson, f"{lesson.title}: {' '.join(queries)} among {' '.join(keys)}"

    def _table(self) -> str:
        known = tables(self.document)
        return self.table if self.table in known else known[0]

    def _rows(self, words: list[str]) -> tuple[NDArray[np.float64], float]:
        """The rows for the table, (n_words, width), and the share of the variance that they keep."""
        table = similarity.table(self.vectors, words).astype(float)
        width = self.document.state.model.d_model
        if self.whole or table.shape[1] == width:
            return table, 1.0
        plane = projection.principal(table, min(width, table.shape[1]))
        rows = np.zeros((len(words), width))
        rows[:, : plane.points.shape[1]] = plane.points
        return rows, plane.kept

    def page(self) -> tuple[Element, ...]:
        known = tuple(tables(self.document))
        gives = "Give the model these words and vectors; undo takes it back"
        button = Button("send", "Send to the model", self.asks("send"), gives, on=bool(known), primary=True)
        place, tip = known.index(self._table()) if known else 0, "Embedding table: which takes the vectors"
        into = Choice("table", "into", known, place, tuple(self.asks("table", one) for one in known), tip)
        ways = Choice("ways", "Vectors", WAYS, self.whole, (self.asks("set", field="whole"),))
        told = self.outcome and self._is_so(self.document.wanted)
        ask = Button("look up", "Open as a look-up", self.asks("look up"), LOOKS_UP)
        return (
            Note("about", ABOUT),
            *self.line("Words", self.words, *((into,) if known else ())),
            *self.line(ways, button),
            *((Note("said", self._said(bool(known))),) if self.state.vectors is not None else ()),
            *self.line("Look up", self.queries, "among the words above, in attention alone", ask),
            *((Note("outcome", f"<b>{escape(self.outcome)}</b>"),) if told else ()),
        )

    def _said(self, some: bool) -> str:
        if not some:
            return self.state.screen.say(ExplorerError("no-table"))
        width, dims = self.document.state.model.d_model, self.vectors.dims
        known, typed = self.vectors, self.words.entries()
        words = [known.spelt(word) for word in typed if word in known or word.lower() in known]
        if not words:
            return "No word here has a vector yet."
        if self.whole and dims != width:
            return (
                f"All {dims} numbers of each vector. The model gets d_model = {dims} in place of {width}; weights "
                "whose shape changes are drawn by chance."
            )
        if dims == width:
            return f"All {dims} numbers of each vector: the model has d_model = {width}."
        if len(set(words)) == 1:
            return "One word has no other to differ from, so its vector becomes zeros: send more words, or all numbers."
        kept = percent(self._rows(words)[1], 1)
        few = len(set(words)) - 1 <= width
        all_of_it = f", because {len(set(words))} words need no more directions" if few else ""
        return (
            f"{dims} numbers become {width}, the model's d_model, by principal components of these words: "
            f"{kept} of how they differ is kept{all_of_it}. Their mean is taken off, so dot products change."
        )


def _says(sent: SendWords, state: State) -> bool:
    known = sent.sequence in state.graph.sequences
    return known and state.graph.labels(sent.sequence, state.inputs) == sent.words
