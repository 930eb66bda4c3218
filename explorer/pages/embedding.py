"""Embedding: a word's number, its one-hot row, its row of the table, and the table's rows as arrows in a plane."""

from dataclasses import replace

import numpy as np

from explorer.core.graph import Stage
from explorer.core.numbers import point
from explorer.core.ops import Array
from explorer.pages import drawing as draw
from explorer.pages.element import Element
from explorer.pages.matrix import Matrix, matrix, transposed
from explorer.pages.page import (
    Item,
    Note,
    Picture,
    Row,
    Section,
    Stack,
    beside,
)
from explorer.pages.vectors import chosen_dimensions, dimension_choice
from explorer.pages.view import Cell, View

MOST_ARROWS = 200
"""The most arrows that are drawn: more cannot be told apart, and take long to draw."""
NAMED = 12  # arrows that the summary lists
TITLE = "The table's rows as arrows"
MANY, WIDE = 12, 5
"""With more words than `MANY` in the table or the sentence, or more columns than `WIDE` in the table, the arrows would
have no room in the row of matrices.
"""
VECTORS, PLANE = 370, 330
"""The widths of the row with a long table, and of the arrows beside it, in pixels at text scale 1."""


def embedding(view: View, stage: Stage) -> tuple[Element, ...]:
    """One-hot × table = X, and the table's rows as arrows."""
    block = view.block(stage)
    hot = f"{block}onehot" in view.nodes
    numbers = matrix(view, f"{block}tokens", "word numbers")
    words, dimensions = view.values[f"{block}table"].shape
    if hot and numbers.array.size <= MANY and dimensions <= WIDE:
        numbers = view.part((numbers.id, "column"), (numbers,), lambda: _column(numbers))
    items = [Item("", numbers)]
    if hot:
        items.append(Item("→", matrix(view, f"{block}onehot", "one-hot"), yields=True))
    items.append(Item("×" if hot else "→", matrix(view, f"{block}table", "embedding table")))
    items.append(Item("=" if hot else "→", matrix(view, f"{block}X", "embeddings")))
    if f"{block}scaled" in view.nodes:
        items += [
            Item("×", matrix(view, f"{block}scale")),
            Item("=", matrix(view, f"{block}scaled", "longer embeddings")),
        ]
    if dimensions == 1:  # arrows need two dimensions
        row = Row("from words to vectors", tuple(items))
    elif words > MANY:
        row = beside((VECTORS, (Row("from words to vectors", tuple(items)),)), (PLANE, (_plane(view, block),)))
    else:
        row = Row("from words to vectors", (*items, Item("", _plane(view, block))))
    if f"{block}with_segments" not in view.nodes:
        return (row,)
    read, rows = view.nodes[f"{block}with_segments"].parents
    added = (
        Item("", matrix(view, f"{block}segments", "which text a word is of")),
        Item("→", matrix(view, f"{block}segment_table", "a row a segment")),
        Item("", matrix(view, read, id=f"{read} again")),
        Item("+", matrix(view, rows, "rows of the segments")),
        Item("=", matrix(view, f"{block}with_segments")),
    )
    return row, Section("segments", "Segments: which text a word is of"), Row("with segments", added)


def _column(numbers: Matrix) -> Matrix:
    """Word numbers as a column: each stands beside its one-hot row."""
    return replace(transposed(numbers), formula=numbers.formula, usual=numbers.usual)


def _plane(view: View, block: str) -> Stack:
    """The picture, and below it the choice of its dimensions and a note on which words it draws."""
    name, axis = f"{block}table", block.removesuffix(".")
    table = view.values[name]
    said = view.values[f"{axis}.tokens"]
    # Drawn are the words of the sentence, and the first rows of the table, up to `MOST_ARROWS`.
    drawn = np.sort(list(dict.fromkeys((*said.tolist(), *range(min(len(table), MOST_ARROWS)))))[:MOST_ARROWS])
    pair = chosen_dimensions(view, name, table[drawn])
    picture = Picture(f"plane of {name}", _drawing(view, name, axis, drawn, pair), 430, 330)
    parts: list[Element] = [picture, dimension_choice(name, pair, table.shape[1], TITLE)]
    if words := _words(len(set(said.tolist())), len(drawn), len(table)):
        parts.append(Note(f"who is in the plane of {name}", words, wide=False))
    return Stack("arrows", TITLE, tuple(parts))


def _words(said: int, drawn: int, n: int) -> str:
    """A note on which arrows stand out and how many are drawn; "" if the sentence has all words."""
    strong = "Strong arrows: the words of the sentence." if said < n else ""
    return strong if drawn == n else f"{strong} Of all {n:,} words {drawn} are drawn."


FEW_ARROWS = 40
"""With more rows, the words that are not in the sentence are fainter, so that those of the sentence stand out."""


def _drawing(view: View, name: str, axis: str, drawn: Array, pair: tuple[int, int]) -> draw.Drawing:
    """An arrow for each of the `drawn` rows; it is orange while its word is lit or its row is pointed at."""
    rows, columns = view.nodes[name].axes
    labels, dimensions = view.labels(rows), view.labels(columns)
    points = view.values[name][drawn][:, pair]
    places: dict[int, list[tuple[str, int]]] = {}
    for i, word in enumerate(view.values[f"{axis}.tokens"].tolist()):
        places.setdefault(word, []).append((axis, i))
    marks: list[draw.Mark] = []
    # The words of the sentence come last, so that they lie above the others.
    for row, (x, y) in sorted(zip(drawn.tolist(), points.tolist(), strict=True), key=lambda one: one[0] in places):
        if draw.drawable(x, y):
            here = row in places
            ink, width = (draw.ACCENT, 2.0) if here else (draw.MUTED if len(drawn) <= FEW_ARROWS else draw.LINE, 1.2)
            cells = Cell(name, (row, pair[0])), Cell(name, (row,))
            also = tuple(places.get(row, ()))
            marks.append(draw.Arrow((0.0, 0.0), (x, y), labels[row], ink, width, (rows, row), also, cells))
    far = 1.3 * draw.reach(points, 0.5)
    told = [f"{labels[row]} {point(*place)}" for row, place in zip(drawn[:NAMED], points.tolist(), strict=False)]
    across, up = (draw.Axis(f"dimension {dimensions[d]}", grid=True) for d in pair)
    window = (-far, far, -far, far)
    return draw.Drawing(tuple(marks), window, f"{name} in a plane: {'; '.join(told)}", across, up, square=True)
