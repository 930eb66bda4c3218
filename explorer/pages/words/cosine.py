"""Two cards: the cosine of two words as arithmetic, product by product; and the cosines of all pairs of words.

Both vectors of a pair stand as arrows with the angle between them. In the matrix of all pairs there may be sentences,
too: a sentence is the mean of its words' vectors.
"""

from html import escape
from math import cos, radians, sin
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError, cut
from explorer.core.numbers import exact, quantity, written
from explorer.core.ops import Array
from explorer.pages import page as el
from explorer.pages.controls import Button, Check, Controls
from explorer.pages.drawing import HERE, Arc, Arrow, Axis, Drawing, series
from explorer.pages.element import Element
from explorer.pages.words.card import ForWords, Pair, Shared, WordsCard
from explorer.words import catalogue, similarity
from explorer.words.similarity import PairCosine

ABOUT = "Multiply dimension by dimension, add up, and divide by both lengths: the result is the cosine of the angle."
EXACT = "The plane of the two vectors: lengths and angle are exact, the direction of the first is chosen freely."
WHY = (
    "The dot product grows with the lengths, and frequent words are often long. The cosine looks at the direction "
    "alone. Attention takes the dot product, divided by √d: without that, softmax would give almost all to one word "
    "when d is large. "
)


class CosineCard(WordsCard):
    """Two words, the products of their vectors, the dot product and the cosine."""

    name, title, short = "cosine", "Cosine of two words, as arithmetic", "Cosine"

    def __init__(self, state: Shared) -> None:
        super().__init__(state)
        self.first, self.second = self.field("first", "First word"), self.field("second", "Second word")
        self.cosine: PairCosine | None = None
        self.asker: WordsCard | None = None  # the card on which the cosine was clicked, if any
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

    def show_pair(self, pair: Pair, names: tuple[str, str], asker: WordsCard) -> None:
        """Show the cosine of two vectors, which may be those of words, sentences or sums of words.

        Raises `ExplorerError`: "no-direction".
        """
        self.cosine, self.asker = similarity.cosine_of(pair, names), asker
        ours = self._has(self.cosine)
        for field, name in zip((self.first, self.second), names, strict=True):
            field.set([name] if ours else [])

    def _has(self, cosine: PairCosine) -> bool:
        pairs, known = zip(cosine.words, cosine.vectors, strict=True), self.vectors
        return all(word in known and np.array_equal(known[word], vector) for word, vector in pairs)

    def page(self) -> tuple[Element, ...]:
        work_out = Button("work out", "Work out", self.asks("compute"), "Work out the cosine of the two words")
        tip = "Sort the dimensions by the size of their product; else they stand in their own order"
        largest = Check("largest", "Largest products first", self.largest, self.asks("set", field="largest"), tip)
        line = self.line(self.first, "and", self.second, work_out, largest)
        if self.cosine is None:
            return el.Note("about", ABOUT), *line
        return el.Note("about", ABOUT), *line, *self._way_back(self.cosine), *outcome(self.cosine, self.largest)

    def _way_back(self, cosine: PairCosine) -> tuple[Element, ...]:
        if self.asker is None:
            return ()
        tip = "Go back to the part of the page where this cosine stands"
        back = Button("way back", f"Back to “{self.asker.title}”", self.asks("back"), tip)
        if self._has(cosine):
            return (Controls("asked", (back,)),)
        a, b = map(escape, cosine.words)
        between = el.Note("between", f"<mark>{a}</mark> and <mark>{b}</mark>", wide=False)
        return (Controls("asked", (between, back)),)


def outcome(cosine: PairCosine, largest_first: bool) -> tuple[Element, ...]:
    """The elements of a cosine: the products, their sums, the picture, and why one uses a cosine."""
    sums = el.Stack("sums and compared", "", (_sums(cosine), _compared(cosine)), 370)
    drawn = el.Picture("angle", _arrows(cosine), 250, 220, card=True)
    picture = el.Stack("picture", "", (drawn, el.Note("exact", EXACT)), 250)
    row = el.Row.of("outcome", (products(cosine, largest_first), sums, picture))
    return row, el.Note("why", WHY + _printed(cosine))


def _sums(cosine: PairCosine) -> el.Listing:
    """The list from the products to the dot product, the cosine and the angle."""
    a, b = (cut(word, LONGEST) for word in cosine.words)
    dims, agree = len(cosine.products), int(cosine.agree.sum())
    against = int((cosine.products < 0).sum())  # a product of 0 does neither
    others = "the other " * (agree + against == dims)
    up, dot = float(cosine.products[cosine.agree].sum()), float(cosine.dot)
    first, second = (written(float(norm), 4) for norm in cosine.norms)
    rows = (
        el.Line.of(f"{agree} of {quantity(dims, 'dimension')} agree{'s' * (agree == 1)}", written(up, 4)),
        el.Line.of(f"{others}{against} pull{'s' * (against == 1)} apart", written(dot - up, 4)),
        el.Line.of("dot product, their sum", written(dot, 4)),
        el.Line.of(f"length of {a}", first),
        el.Line.of(f"length of {b}", second),
        el.Line.of(f"cosine = {written(dot, 4)} / ({first} × {second})", written(float(cosine.cosine), 4), here=True),
        el.Line.of("angle", f"{written(cosine.angle, 2)}°"),
    )
    return el.Listing(
        "sums", "What becomes of the products", (el.Column("", width=320), el.Column("", el.NUMBER)), rows
    )


def _compared(cosine: PairCosine) -> el.Listing:
    """The dot product, the scaled dot product and the cosine, now and with the second vector twice as long."""
    u, v = cosine.vectors
    twice, dims = similarity.cosine_of((u, 2 * v), cosine.words), len(cosine.products)
    rows = (
        el.Line.of("dot product", *(written(float(one.dot), 4) for one in (cosine, twice))),
        el.Line.of(f"scaled dot, / √{dims}", *(written(one.scaled, 4) for one in (cosine, twice))),
        el.Line.of("cosine", *(written(float(one.cosine), 4) for one in (cosine, twice)), here=True),
    )
    longer = f"{cut(cosine.words[1], LONGEST)} twice as long"
    columns = (el.Column("", width=200), el.Column("now", el.NUMBER), el.Column(longer, el.NUMBER))
    return el.Listing("compared", "What a longer vector changes", columns, rows)


def _arrows(cosine: PairCosine) -> Drawing:
    """Two arrows as long as the vectors, to the left and right of the vertical, so that any angle has room."""
    half, (a, b) = cosine.angle / 2, cosine.words
    tips = [
        (side * float(norm) * sin(radians(half)), float(norm) * cos(radians(half)))
        for side, norm in zip((-1, 1), cosine.norms, strict=True)
    ]
    arrows = zip(tips, (a, b), (series(1), series(0)), strict=True)
    marks = (
        Arc(90 - half, 2 * half, f"{written(cosine.angle, 1)}°", HERE),
        *(Arrow((0.0, 0.0), tip, word, ink, 2.0) for tip, word, ink in arrows),
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


FAILS = "Two sentences of the same words that mean different things"
WEAK = "the dog bit the man", "the man bit the dog", "the cat slept"
BEGIN = "king", "queen", "man", "woman", "river", "sea", "ship", "monday", "friday"
ABOUT_PAIRS = (
    "Words or whole sentences, with commas between. A sentence is taken as the mean of its words' vectors. Click a "
    "cosine to check it."
)
SAME = (
    "A mean does not depend on the order of the words. So two sentences of the same words get the same vector, "
    "whoever bit whom, and long sentences all get similar vectors. Attention and positions solve this."
)


class MatrixCard(WordsCard):
    """The card with the matrix: words and sentences, separated by commas, and the cosines of all pairs."""

    name, title, short, beside = "matrix", "Similarity matrix", "Matrix", 1800

    def __init__(self, state: Shared) -> None:
        super().__init__(state)
        self.asked = self.field("entries", "Words or sentences, with commas between", 540, split=",")
        self.rows: list[Array] = []
        self.table: el.Listing | None = None
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
        if act == "weakness":
            self.asked.set(WEAK)
            self.compute()
        else:
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
        sentences, entries = False, self.asked.entries()
        if misspelt := vectors.unknown(entry for entry in entries if len(entry.split()) == 1):
            if not self.asked.stays:
                self.asked.miss(misspelt)
            return
        try:
            for entry in entries:
                if len(entry.split()) == 1:
                    labels.append(vectors.spelt(entry))
                    rows.append(vectors[entry])
                    continue
                sentence, sentences = similarity.sentence(vectors, entry), True
                labels.append(entry)
                rows.append(sentence.vector)
                unknown += sentence.unknown
            if not 2 <= len(rows) <= MOST_SQUARE:
                wanted = f"2 to {MOST_SQUARE} words or sentences, with commas between"
                raise ExplorerError("words-wanted", wanted=wanted, given=len(rows))
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
            Button("weakness", "Where the mean fails", self.asks("weakness"), FAILS),
        )
        table = () if self.table is None else (self.table,)
        said = (el.Note("said", escape(self.said)),) if self.table is not None and self.said else ()
        return el.Note("about", ABOUT_PAIRS), *self.line(self.asked, *controls), *table, *said


LONGEST = 11  # the most letters of a word above its numbers
MOST_SQUARE = 24


def _product(cosine: PairCosine, order: Array, row: int) -> el.Line:
    d = int(order[row])
    a, b = (written(float(vector[d]), 4) for vector in cosine.vectors)
    product = float(cosine.products[d])
    side = "agree" if cosine.agree[d] else "against" if product < 0 else ""
    number = written(product, 4)
    place, times, equals, agrees = (el.Entry(text, muted=True) for text in (str(d + 1), "×", "=", side))
    return el.Line.of(place, a, times, b, equals, number, el.Entry(number, product), agrees)


def products(cosine: PairCosine, largest_first: bool) -> el.Listing:
    """A line for each dimension of two vectors: both numbers, and their product as number and bar."""
    numbers = cosine.products
    order = np.argsort(-np.abs(numbers), kind="stable") if largest_first else np.arange(len(numbers))
    reach = min(float(numbers.min()), 0.0), max(float(numbers.max()), 1e-9)
    a, b = (cut(word, LONGEST) for word in cosine.words)
    dimension, first, second, product = el.numeric("dimension", a, b, "product")
    bar = el.Column("", el.BAR, 110, reach, signed=True)
    columns = dimension, first, el.Column(""), second, el.Column(""), product, bar, el.Column("")
    said = f"{'-'.join(cosine.words)} {largest_first}"
    lines = el.Lines(len(order), _product, (cosine, order))
    return el.Listing("products", "Products by dimension", columns, lines, 14, order=said)


def square(labels: tuple[str, ...], cosines: Array) -> el.Listing:
    """The cosines of all pairs, (n, n), on coloured cells; a click on a cosine shows its arithmetic."""
    pairs, name = np.array(cosines, float), f"{len(labels)} by {len(labels)} cosines."
    np.fill_diagonal(pairs, -2)
    if len(labels) > 1:
        i, j = np.unravel_index(int(pairs.argmax()), pairs.shape)
        name += f" Most alike: {labels[i]} and {labels[j]}, {written(float(cosines[i, j]), 2)}."
    lines = []
    for row, label in enumerate(labels):
        entries = []
        for column, (other, cosine) in enumerate(zip(labels, cosines[row], strict=True)):
            said = written(round(float(cosine), 2), 2)  # 0.00 for a small one: beside others it is no power of ten
            leads = ForWords("cosine", (row, column), "matrix")
            entries.append(el.Entry(said, float(cosine), f"{label} and {other}: {exact(cosine)}", leads=leads))
        lines.append(el.Line(tuple(entries)))
    columns = tuple(el.Column(label, el.HEAT, signed=True) for label in labels)
    return el.Listing("cosines", name, columns, tuple(lines), MOST_SQUARE, labels=labels)
