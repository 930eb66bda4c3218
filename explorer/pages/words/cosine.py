"""The cosine of two words as arithmetic, product by product, and both vectors as arrows with the angle between them."""

from html import escape
from math import cos, radians, sin
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.numbers import quantity, written
from explorer.pages.drawing import ACCENT, HERE, Arc, Arrow, Axis, Drawing, series
from explorer.pages.element import Element
from explorer.pages.page import NUMBER, Button, Check, Column, Controls, Item, Line, Listing, Note, Picture, Row, Stack
from explorer.pages.words.card import Card, Pair, Shared
from explorer.pages.words.lists import products, shortened
from explorer.words import catalogue, similarity
from explorer.words.similarity import PairCosine

ABOUT = "Multiply dimension by dimension, add up, and divide by both lengths: the result is the cosine of the angle."
EXACT = "The plane of the two vectors: lengths and angle are exact, the direction of the first is chosen freely."
WHY = (
    "The dot product grows with the lengths, and frequent words are often long. The cosine looks at the direction "
    "alone. Attention takes the dot product, divided by √d: without that, softmax would give almost all to one word "
    "when d is large. "
)


class CosineCard(Card):
    """Two words, the products of their vectors, the dot product and the cosine."""

    name, title, short = "cosine", "Cosine of two words, as arithmetic", "Cosine"

    def __init__(self, state: Shared) -> None:
        super().__init__(state)
        self.first, self.second = self.field("first", "First word"), self.field("second", "Second word")
        self.cosine: PairCosine | None = None
        self.asker: Card | None = None  # the card on which the cosine was clicked, if any
        self.largest = False

    def load(self) -> None:
        words = self.state.words
        pair = words[:2] if len(words) > 1 else [*words, *words]
        both = self.first, self.second
        if not (all(field.keeps() for field in both) or any(field.stays for field in both)):
            self.first.set(pair[:1])
            self.second.set(pair[1:])
        self.cosine = None  # a cosine of other vectors does not hold for these
        self.compute()

    def do(self, act: str, value: Any = None, field: str = "") -> None:
        if act == "back" and self.asker is not None:
            self.state.screen.seek(self.asker)
        else:
            super().do(act, value, field)

    def compute(self) -> None:
        """Compute the cosine of the words in the fields."""
        a, b = self.first.words(1, 1), self.second.words(1, 1) if self.second.text.strip() else None
        if a is None or b is None:
            return
        try:
            self.cosine = similarity.cosine(self.vectors, a[0], b[0])
        except ExplorerError as error:
            self.second.fail(error)
            return
        self.asker = None

    def show_pair(self, pair: Pair, names: tuple[str, str], asker: Card) -> None:
        """Show the cosine of two vectors, which may be those of words, sentences or sums of words.

        Raises `ExplorerError`: "no-direction".
        """
        self.cosine, self.asker = similarity.cosine_of(pair, names), asker
        ours = self._has(self.cosine)
        for field, name in zip((self.first, self.second), names, strict=True):
            field.set([name] if ours else [])

    def _has(self, cosine: PairCosine) -> bool:
        """Whether both vectors are vectors of single words."""
        pairs, known = zip(cosine.words, cosine.vectors, strict=True), self.vectors
        return all(word in known and np.array_equal(known[word], vector) for word, vector in pairs)

    def page(self) -> tuple[Element, ...]:
        work_out = Button("work out", "Work out", self.asks("compute"), "Work out the cosine of the two words")
        tip = "Sort the dimensions by the size of their product; else they stand in their own order"
        largest = Check("largest", "Largest products first", self.largest, self.asks("set", field="largest"), tip)
        line = self.line(self.first, "and", self.second, work_out, largest)
        if self.cosine is None:
            return Note("about", ABOUT), *line
        return Note("about", ABOUT), *line, *self._way_back(self.cosine), *outcome(self.cosine, self.largest)

    def _way_back(self, cosine: PairCosine) -> tuple[Element, ...]:
        if self.asker is None:
            return ()
        a, b = map(escape, cosine.words)
        between = () if self._has(cosine) else (Note("between", f"<mark>{a}</mark> and <mark>{b}</mark>", wide=False),)
        tip = "Go back to the part of the page where this cosine stands"
        back = Button("way back", f"Back to “{self.asker.title}”", self.asks("back"), tip)
        return (Controls("asked", (*between, back)),)


def outcome(cosine: PairCosine, largest_first: bool) -> tuple[Element, ...]:
    """The elements of a cosine: the products, their sums, the picture, and why one uses a cosine."""
    sums = Stack("sums and compared", "", (_sums(cosine), _compared(cosine)), 370)
    picture = Stack("picture", "", (Picture("angle", _arrows(cosine), 250, 220, card=True), Note("exact", EXACT)), 250)
    row = Row("outcome", tuple(Item("", one) for one in (products(cosine, largest_first), sums, picture)))
    return row, Note("why", WHY + _printed(cosine))


def _sums(cosine: PairCosine) -> Listing:
    """The list from the products to the dot product, the cosine and the angle."""
    a, b = map(shortened, cosine.words)
    dims, agree = len(cosine.products), int(cosine.agree.sum())
    against = int((cosine.products < 0).sum())  # a product of 0 does neither
    others = "the other " * (agree + against == dims)
    up, dot = float(cosine.products[cosine.agree].sum()), float(cosine.dot)
    first, second = (written(float(norm), 4) for norm in cosine.norms)
    rows = (
        Line.of(f"{agree} of {quantity(dims, 'dimension')} agree{'s' * (agree == 1)}", written(up, 4)),
        Line.of(f"{others}{against} pull{'s' * (against == 1)} apart", written(dot - up, 4)),
        Line.of("dot product, their sum", written(dot, 4)),
        Line.of(f"length of {a}", first),
        Line.of(f"length of {b}", second),
        Line.of(f"cosine = {written(dot, 4)} / ({first} × {second})", written(float(cosine.cosine), 4), here=True),
        Line.of("angle", f"{written(cosine.angle, 2)}°"),
    )
    return Listing("sums", "What becomes of the products", (Column("", width=320), Column("", NUMBER)), rows)


def _compared(cosine: PairCosine) -> Listing:
    """The dot product, the scaled dot product and the cosine, now and with the second vector twice as long."""
    u, v = cosine.vectors
    twice, dims = similarity.cosine_of((u, 2 * v), cosine.words), len(cosine.products)
    rows = (
        Line.of("dot product", *(written(float(one.dot), 4) for one in (cosine, twice))),
        Line.of(f"scaled dot, / √{dims}", *(written(one.scaled, 4) for one in (cosine, twice))),
        Line.of("cosine", *(written(float(one.cosine), 4) for one in (cosine, twice)), here=True),
    )
    longer = f"{shortened(cosine.words[1])} twice as long"
    columns = (Column("", width=200), Column("now", NUMBER), Column(longer, NUMBER))
    return Listing("compared", "What a longer vector changes", columns, rows)


def _arrows(cosine: PairCosine) -> Drawing:
    """Two arrows as long as the vectors, to the left and right of the vertical, so that any angle has room."""
    half, (a, b) = cosine.angle / 2, cosine.words
    tips = [
        (side * float(norm) * sin(radians(half)), float(norm) * cos(radians(half)))
        for side, norm in zip((-1, 1), cosine.norms, strict=True)
    ]
    marks = (
        Arc(90 - half, 2 * half, f"{written(cosine.angle, 1)}°", HERE),
        *(
            Arrow((0.0, 0.0), tip, word, ink, 2.0)
            for tip, word, ink in zip(tips, (a, b), (ACCENT, series(0)), strict=True)
        ),
    )
    far = max(abs(x) for x, _ in tips), max(y for _, y in tips)
    edge = 0.15 * max(far)  # for the words
    said = f"{a} and {b} drawn as arrows at an angle of {cosine.angle:.1f} degrees"
    none = Axis(labels=())
    window = (-far[0] - 2 * edge, far[0] + 2 * edge, -edge, far[1] + edge)
    return Drawing(marks, window, said, none, none, square=True)


def _printed(cosine: PairCosine) -> str:
    for one in catalogue.printed_words().cosines:
        if set(one.words) == set(cosine.words):
            now = str(cosine.cosine)
            if abs(float(one.value) - float(now)) < 2e-7:
                return f"The text 000 prints {one.value}; computed here {now.replace('-', '−')} ✓"
            return f"Other vectors give another number: those of glove-twitter-25, learned from tweets, {one.value}."
    return ""
