"""The cosines of all pairs of words or sentences; a sentence is the mean of its words' vectors."""

from html import escape
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.pages.element import Element
from explorer.pages.page import Button, Check, Listing, Note
from explorer.pages.words.card import Card, Pair, Shared
from explorer.pages.words.lists import square
from explorer.words import similarity

MOST = 24
WEAK = "the dog bit the man", "the man bit the dog", "the cat slept"
BEGIN = "king", "queen", "man", "woman", "river", "sea", "ship", "monday", "friday"
ABOUT = (
    "Words or whole sentences, with commas between. A sentence is taken as the mean of its words' vectors. Click a "
    "cosine to check it."
)
SAME = (
    "A mean does not depend on the order of the words. So two sentences of the same words get the same vector, "
    "whoever bit whom, and long sentences all get similar vectors. Attention and positions solve this."
)


class MatrixCard(Card):
    """The card with the matrix: words and sentences, separated by commas, and the cosines of all pairs."""

    name, title, short, beside = "matrix", "Similarity matrix", "Matrix", 1800

    def __init__(self, state: Shared) -> None:
        super().__init__(state)
        self.asked = self.field("entries", "Words or sentences, with commas between", 540, split=",")
        self.rows: list[Array] = []
        self.table: Listing | None = None
        self.said = ""
        self.alike, self._typed = False, False

    def load(self) -> None:
        known = (any(word in self.vectors for word in entry.split()) for entry in self.asked.entries())
        if not (self.asked.stays or (self._typed and all(known))):
            self.asked.set(self.state.pick(BEGIN, 9))
        self.table = None
        if len(self.vectors) > 1:
            self.compute()

    def do(self, act: str, value: Any = None, field: str = "") -> None:
        match act:
            case "weakness":
                self.asked.set(WEAK)
                self.compute()
            case _:
                self._typed |= act == "type"
                super().do(act, value, field)

    def be_set(self) -> None:
        self.compute()

    def pair(self, which: Any) -> tuple[Pair, tuple[str, str]]:
        row, column = which
        assert self.table is not None
        return (self.rows[row], self.rows[column]), (self.table.labels[row], self.table.labels[column])

    def compute(self) -> None:
        """Compute the cosines of the entries in the field."""
        vectors, labels, rows = self.vectors, [], []
        unknown: list[str] = []
        sentences = False
        try:
            for entry in self.asked.entries():
                if len(entry.split()) == 1:
                    labels.append(vectors.spelt(entry))
                    rows.append(vectors[entry])
                    continue
                sentence, sentences = similarity.sentence(vectors, entry), True
                labels.append(entry)
                rows.append(sentence.vector)
                unknown += sentence.unknown
            if not 2 <= len(rows) <= MOST:
                raise ExplorerError("words-wanted", wanted=f"2 to {MOST} words or sentences", given=len(rows))
        except ExplorerError as error:
            if not self.asked.stays:
                self.asked.fail(error)
            return
        array = similarity.matrix(np.stack(rows))
        if self.alike:
            order = similarity.by_likeness(array)
            labels, rows, array = [labels[i] for i in order], [rows[i] for i in order], array[np.ix_(order, order)]
        self.rows, self.table = rows, square(tuple(labels), array)
        left_out = f"Without a vector, and left out: {', '.join(dict.fromkeys(unknown))}." if unknown else ""
        self.said = f"{SAME * sentences} {left_out}".strip()

    def page(self) -> tuple[Element, ...]:
        tip = "Words that are alike stand together; otherwise they stand in the order that was typed"
        controls = (
            Button("show", "Show", self.asks("show"), "Show the cosine of each with each"),
            Check("alike", "Like beside like", self.alike, self.asks("set", field="alike"), tip),
            Button(
                "weakness",
                "Where the mean fails",
                self.asks("weakness"),
                "Two sentences of the same words that mean different things",
            ),
        )
        table = () if self.table is None else (self.table,)
        said = (Note("said", escape(self.said)),) if self.table is not None and self.said else ()
        return Note("about", ABOUT), *self.line(self.asked, *controls), *table, *said
