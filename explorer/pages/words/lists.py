"""Lists about word vectors: neighbours, products by dimension, and cosines of all pairs."""

from collections.abc import Mapping, Sequence

import numpy as np

from explorer.core.numbers import exact, written
from explorer.core.ops import Array
from explorer.pages.page import BAR, HEAT, NUMBER, Column, Entry, Line, Lines, Listing
from explorer.pages.words.card import ForWords
from explorer.words import similarity
from explorer.words.similarity import Neighbour, PairCosine
from explorer.words.vectors import Vectors

MOST = 12
MOST_SQUARE = 24
SHOWN = 5
"""How many neighbours a step shows to a class."""
SHORT = 110
"""The width of the bars of these neighbours, in pixels at text scale 1."""
LONGEST = 12  # the most letters of a word above its numbers


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

    Parameters
    ----------
    name : str
        The name of the list for a screen reader.
    last : bool
        Whether the last word stands out.
    bar : int
        The width of a bar in pixels at text scale 1.
    notes : mapping of str to str
        Texts in a further column, by word; `note` is the title of that column.
    card : str
        The name of the card with the list, if any: then a click on a word chooses it, and a click on a cosine shows its
        arithmetic.
    """
    low = -1.0 if any(one.cosine < 0 for one in found) else 0.0
    columns = [
        Column("", NUMBER),
        Column("word"),
        Column("cosine", NUMBER),
        Column("", BAR, bar, (low, 1.0), signed=True),
    ]
    if notes:
        columns.append(Column(note, NUMBER))
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
    return Listing(name, name, tuple(columns), tuple(lines), MOST, order="".join(one.word for one in found[:1]))


def _product(cosine: PairCosine, order: Array, row: int) -> Line:
    """A line of `products`."""
    d = int(order[row])
    a, b = (written(float(vector[d]), 4) for vector in cosine.vectors)
    product = float(cosine.products[d])
    side = "agree" if cosine.agree[d] else "against" if product < 0 else ""
    number = written(product, 4)
    place, times, equals, agrees = (Entry(text, muted=True) for text in (str(d + 1), "×", "=", side))
    return Line.of(place, a, times, b, equals, number, Entry(number, product), agrees)


def products(cosine: PairCosine, largest_first: bool) -> Listing:
    """A line for each dimension of two vectors: both numbers, and their product as number and bar."""
    numbers = cosine.products
    order = np.argsort(-np.abs(numbers), kind="stable") if largest_first else np.arange(len(numbers))
    reach = min(float(numbers.min()), 0.0), max(float(numbers.max()), 1e-9)
    a, b = map(shortened, cosine.words)
    columns = (
        Column("dimension", NUMBER),
        Column(a, NUMBER),
        Column(""),
        Column(b, NUMBER),
        Column(""),
        Column("product", NUMBER),
        Column("", BAR, 110, reach, signed=True),
        Column(""),
    )
    said = f"{'-'.join(cosine.words)} {largest_first}"
    lines = Lines(len(order), _product, (cosine, order))
    return Listing("products", "Products by dimension", columns, lines, 14, order=said)


def square(labels: tuple[str, ...], cosines: Array) -> Listing:
    """The cosines of all pairs, (n, n), on coloured cells; a click on a cosine shows its arithmetic."""
    pairs, name = np.array(cosines, float), f"{len(labels)} by {len(labels)} cosines."
    np.fill_diagonal(pairs, -2)
    if len(labels) > 1:
        i, j = np.unravel_index(int(pairs.argmax()), pairs.shape)
        name += f" Most alike: {labels[i]} and {labels[j]}, {written(float(cosines[i, j]), 2)}."
    lines = tuple(
        Line(
            tuple(
                Entry(
                    written(round(float(cosine), 2), 2),  # 0.00 for a small one: beside others it is no power of ten
                    float(cosine),
                    f"{label} and {other}: {exact(cosine)}",
                    leads=ForWords("cosine", (row, column), "matrix"),
                )
                for column, (other, cosine) in enumerate(zip(labels, cosines[row], strict=True))
            )
        )
        for row, label in enumerate(labels)
    )
    columns = tuple(Column(label, HEAT) for label in labels)
    return Listing("cosines", name, columns, lines, MOST_SQUARE, labels=labels)


def shortened(word: str) -> str:
    """A word cut to at most `LONGEST` letters, for the head of its column."""
    return word if len(word) <= LONGEST else word[: LONGEST - 1] + "…"
