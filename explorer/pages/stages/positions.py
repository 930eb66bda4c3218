"""The pages of what a model reads: the embedding and the position encoding.

Embedding: a word's number, its one-hot row, its row of the table, and the table's rows as arrows in a plane. Positions:
numbers for the position of each token, which are added to its vector.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from explorer.core.frozen import Frozen
from explorer.core.graph import Cell, Place, Stage
from explorer.core.numbers import alone, decimals_of, in_table, largest_of, point, quantity, written
from explorer.core.ops import Array, Op, Sinusoidal
from explorer.core.ops.positions import cosines, exponents, waves
from explorer.document.continuation import drawn_positions
from explorer.document.state import read_only
from explorer.pages import drawing as draw
from explorer.pages import page as el
from explorer.pages.controls import Check, Controls, Number
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.matrix import matrix, transposed
from explorer.pages.stages.vectors import chosen_dimensions, dimension_choice
from explorer.pages.view import View

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
        said = numbers  # as a column each number stands beside its one-hot row
        numbers = view.part(
            (said.id, "column"), (said,), lambda: replace(transposed(said), formula=said.formula, usual=said.usual)
        )
    items = [el.Item("", numbers)]
    if hot:
        items.append(el.Item("→", matrix(view, f"{block}onehot", "one-hot"), yields=True))
    items.append(el.Item("×" if hot else "→", matrix(view, f"{block}table", "embedding table")))
    items.append(el.Item("=" if hot else "→", matrix(view, f"{block}X", "embeddings")))
    if f"{block}scaled" in view.nodes:
        items.append(el.Item("×", matrix(view, f"{block}scale")))
        items.append(el.Item("=", matrix(view, f"{block}scaled", "longer embeddings")))
    if 1 < dimensions and words <= MANY:  # arrows need two dimensions
        items.append(el.Item("", _plane(view, block)))
    row = el.Row("from words to vectors", tuple(items))
    if 1 < dimensions and words > MANY:
        row = el.beside((VECTORS, (row,)), (PLANE, (_plane(view, block),)))
    if f"{block}with_segments" not in view.nodes:
        return (row,)
    read, rows = view.nodes[f"{block}with_segments"].parents
    added = (
        el.Item("", matrix(view, f"{block}segments", "which text a word is of")),
        el.Item("→", matrix(view, f"{block}segment_table", "a row a segment")),
        el.Item("", matrix(view, read, id=f"{read} again")),
        el.Item("+", matrix(view, rows, "rows of the segments")),
        el.Item("=", matrix(view, f"{block}with_segments")),
    )
    return row, el.Section("segments", "Segments: which text a word is of"), el.Row("with segments", added)


def _plane(view: View, block: str) -> el.Stack:
    """The picture, and below it the choice of its dimensions and a note on which words it draws."""
    name, axis = f"{block}table", block.removesuffix(".")
    table = view.values[name]
    said = view.values[f"{axis}.tokens"]
    # Drawn are the words of the sentence, and the first rows of the table, up to `MOST_ARROWS`.
    drawn = np.sort(list(dict.fromkeys((*said.tolist(), *range(min(len(table), MOST_ARROWS)))))[:MOST_ARROWS])
    pair = chosen_dimensions(view, name, table[drawn])
    picture = el.Picture(f"plane of {name}", _drawing(view, name, axis, drawn, pair), 430, 330)
    parts: list[Element] = [picture, dimension_choice(name, pair, table.shape[1], TITLE)]
    if words := _words(len(set(said.tolist())), len(drawn), len(table)):
        parts.append(el.Note(f"who is in the plane of {name}", words, wide=False))
    return el.Stack("arrows", TITLE, tuple(parts))


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


MOST = 512
"""The most positions, the most dimensions, and the most dots on the curves that are drawn."""
USUAL = 40  # the least number of positions drawn at first: a few words are too few to see waves
MOST_CURVES = 5
POINTS, LEAST_PARTS = 800, 10  # points of a curve, and the least between two positions, so that curves have no corners
MOST_WAVES = 6  # periods of the longest drawn wave
KINDS = {
    "paper": ("paper", "2⌊j/2⌋ / d", "A sine and its cosine have the same wavelength."),
    "004": ("004, tables", "2j / d", "Each dimension has a wavelength of its own."),
    "004-script": (
        "004, script",
        "2⌊j/2⌋ + (j mod 2)/2",
        "The wavelength of each pair is 10⁸ times that of the pair before.",
    ),
}
SINES_FIRST = ("sines first", "2 (j mod d/2) / d", "A sine and its cosine, half of the dimensions further, share one.")
"""The paper's wavelengths in another order: shown only if the model uses it."""


def positions(view: View, stage: Stage) -> tuple[Element, ...]:
    """X + PE = H; the encoding as a map, as curves, and the likeness of positions; the exponents."""
    block = view.block(stage)
    drawn = _drawn(view, block)
    curves = el.Picture("encoding curves", _curves(view, drawn), 380, 290), _ends(drawn)
    likeness = f"{block}likeness"
    sizes, said = el.Note("about the sizes", _said_of_sizes(drawn)), _said_of_curves(view, drawn)
    waves = (el.Note("about the curves", said),) if said else ()
    alike = (
        el.Picture("likeness map", _alike(view, drawn, likeness), 280, 290),
        matrix(view, likeness, "dot products"),
    )
    terms = (
        el.Item("", matrix(view, view.nodes[f"{block}H"].parents[0], "embeddings")),
        el.Item("+", matrix(view, drawn.name)),
        el.Item("=", matrix(view, f"{block}H")),
    )
    pictures = (
        el.Stack("map", "Encoding", (el.Picture("encoding map", _map(drawn), 280, 290), sizes), 280),
        el.Stack("curves", "Curves", (*curves, *waves), 380),
        el.Stack("likeness", "Likeness: the dot product of two positions", alike),
    )
    return (
        el.Row("sum", terms),
        *_not_learned(view, drawn.axis),
        el.Section("pictures", "The encoding as a picture"),
        *_sizes(drawn),
        el.Row.of("encoding drawn", pictures),
        *_exponents(drawn),
    )


def _not_learned(view: View, sequence: str) -> tuple[Element, ...]:
    """That the text is longer than those for which positions were learned or typed, if it is."""
    n = drawn_positions(view.state, sequence)
    if not n:
        return ()
    has = "position of the last word has its" if n == 1 else f"positions of the last {n} words have their"
    return (el.Note("not learned", f"The {has} starting numbers: no text as long as this has been learned."),)


class _Drawn(Frozen):
    """An encoding as it is drawn: the model's own numbers, or those that its formula gives for other sizes."""

    name: str  # of the encoding
    axis: str  # the sequence
    op: Sinusoidal | None  # the formula, if there is one
    array: Array  # (n, d)
    own: tuple[int, int]  # how many positions and dimensions the model has
    room: int  # how many positions its table has; those of the words, if there is no larger table
    own_only: bool  # whether the reader chose to draw only these
    asked: tuple[int, int]  # how many positions and dimensions the reader chose otherwise
    ends: tuple[int, int]  # the first and the last dimension drawn as a curve, counted from 1
    words: tuple[str, ...]  # of the sequence

    @property
    def n(self) -> int:
        """Positions drawn."""
        return int(self.array.shape[0])

    @property
    def d(self) -> int:
        """Dimensions drawn."""
        return int(self.array.shape[1])

    @property
    def positions(self) -> tuple[str, ...]:
        """The labels of the rows: the positions; with at most 12 rows, the words before them."""
        few = self.n <= 12
        return tuple(f"{self.words[i]} {i}" if few and i < len(self.words) else str(i) for i in range(self.n))

    @property
    def curves(self) -> list[int]:
        """The dimensions that are drawn as curves, counted from 0."""
        first, last = self.ends
        return list(range(first - 1, min(last, first - 1 + MOST_CURVES)))

    @property
    def told_apart(self) -> int:
        """Over how many positions the curves are drawn: very many waves would look like a black mat."""
        if self.op is None:
            return self.n
        with np.errstate(over="ignore"):  # the wavelengths of 004's script overflow
            longest = 2 * np.pi * np.float64(10000) ** exponents(self.d, self.op.exponents)[self.curves].max()
        return min(self.n, max(USUAL, round(min(MOST_WAVES * float(longest), 1e9))))


def _drawn(view: View, block: str) -> _Drawn:
    """The encoding to draw, by the choices on the page."""
    name, axis = f"{block}PE", block.removesuffix(".")
    value, op = view.values[name], view.nodes[name].op
    own = int(value.shape[0]), int(value.shape[1])
    formula = op if isinstance(op, Sinusoidal) else None
    own_only = view.chosen(f"{name}.own", False)
    asked = (
        view.number(f"{name}.positions", max(USUAL, own[0]), 1, max(MOST, own[0])),
        view.number(f"{name}.dimensions", own[1], 1, max(MOST, own[1])),
    )
    array = value
    if formula is not None and not own_only and asked != own:
        array = encoding(replace(formula, n=asked[0], d=asked[1]))
        if asked[1] == own[1] and not np.array_equal(array[: own[0]], value[: asked[0]]):
            array = array.copy()
            array[: own[0]] = value[: asked[0]]  # cells may be pinned
    d = array.shape[1]
    first, last = sorted(
        view.number(f"{name}.{end}", usual, 1, d) for end, usual in (("from", 1), ("to", min(4, own[1], d)))
    )
    room = len(view.values[f"{block}places"]) if f"{block}places" in view.nodes else own[0]
    return _Drawn(name, axis, formula, array, own, room, own_only, asked, (first, last), view.labels(axis))


@lru_cache(maxsize=4)
def encoding(op: Sinusoidal) -> Array:
    """The numbers of a formula, cached because each edit needs them and they depend on nothing else."""
    with np.errstate(all="ignore"):  # as in the engine
        return read_only(op.forward())


@lru_cache(maxsize=4)
def _likeness(by: Op, op: Sinusoidal) -> Array:
    """The likeness of the positions of a formula, computed by an op."""
    return read_only(_product(by, encoding(op)))


def _product(by: Op, array: Array) -> Array:
    with np.errstate(all="ignore"):  # as in the engine
        product: Array = by.forward(array, array)
    return product


# Choices


def _sizes(drawn: _Drawn) -> tuple[Controls, ...]:
    """The controls of how many positions and dimensions are drawn; () without a formula."""
    name = drawn.name
    if drawn.op is None:
        return ()
    controls: list[Element] = []
    for what, value, own in zip(("positions", "dimensions"), drawn.asked, drawn.own, strict=True):
        key, tip = f"{name}.{what}", f"Draw so many {what}"
        controls.append(Number(key, "", value, 1, max(MOST, own), Keep(key), tip, what, not drawn.own_only))
    key, tip = f"{name}.own", "Draw only the positions and dimensions that the model has"
    controls.append(Check(key, "Only the model's own", drawn.own_only, Keep(key), tip))
    return (Controls("sizes", tuple(controls)),)


def _ends(drawn: _Drawn) -> Controls:
    """The controls of which dimensions are drawn as curves."""
    controls = []
    for (word, end), value in zip((("dimensions", "from"), ("to", "to")), drawn.ends, strict=True):
        key, tip = f"{drawn.name}.{end}", f"Curves of dimensions: {end}; up to {MOST_CURVES} at once"
        controls.append(Number(key, word, value, 1, drawn.d, Keep(key), tip))
    return Controls("curves drawn", tuple(controls))


# Pictures


def _sheet(
    array: Array, node: str | None, own: tuple[int, int], labels: tuple[draw.Axis, draw.Axis], summary: str
) -> draw.Drawing:
    """A square for each number; if more than the model's own part is drawn, that part has a frame."""
    height, width = array.shape
    limit = largest_of(array) or 1.0
    rows, columns = min(own[0], height), min(own[1], width)
    place, of = (0.0, 0.0, float(width), float(height)), Place(node) if node else None
    marks: list[draw.Mark] = [draw.Image(array, limit, place=place, node=of, own=(rows, columns))]
    if node and rows * columns < array.size:
        marks.append(draw.Band((0.0, 0.0, float(columns), float(rows)), draw.TEXT, filled=False))
    return draw.Drawing(tuple(marks), (0.0, float(width), 0.0, float(height)), summary, *labels, down=True)


def _map(drawn: _Drawn) -> draw.Drawing:
    """The encoding as squares."""
    dimensions = tuple(str(j + 1) for j in range(drawn.d))
    axes = draw.Axis("dimension", dimensions, most=10), draw.Axis("position", drawn.positions, most=12)
    # With another number of dimensions all wavelengths differ, so none of these numbers is a cell of the model.
    node = drawn.name if drawn.d == drawn.own[1] else None
    summary = f"Position encoding of {quantity(drawn.n, 'position')} in {quantity(drawn.d, 'dimension')}"
    return _sheet(drawn.array, node, drawn.own, axes, summary)


def _alike(view: View, drawn: _Drawn, name: str) -> draw.Drawing:
    """The likeness of positions as squares, computed by the op of the model's own node."""
    by = view.nodes[name].op
    if drawn.array is view.values[drawn.name]:
        array = view.values[name]
    elif drawn.op is not None and drawn.array is encoding(replace(drawn.op, n=drawn.n, d=drawn.d)):
        array = _likeness(by, replace(drawn.op, n=drawn.n, d=drawn.d))
    else:
        array = _product(by, drawn.array)
    own = view.values[name][: drawn.n, : drawn.n]
    here = slice(len(own)), slice(len(own))
    if drawn.d == drawn.own[1] and not np.array_equal(array[here], own, equal_nan=True):
        array = array.copy()
        array[here] = own  # cells may be pinned
    labels = drawn.positions
    nearest = "; ".join(f"0 and {i}: {written(float(array[0, i]), 2)}" for i in range(min(len(array), 8)))
    node = name if drawn.d == drawn.own[1] else None
    axes = draw.Axis("position", labels, most=10), draw.Axis("position", labels, most=12)
    return _sheet(array, node, (drawn.own[0], drawn.own[0]), axes, f"Likeness of {nearest}")


def _dotted(view: View, drawn: _Drawn) -> list[int]:
    """The positions with dots on the curves: those of all words or, of too many, only that of the chosen word."""
    n = min(drawn.own[0], drawn.told_apart)
    if n * len(drawn.curves) <= MOST:
        return list(range(n))
    row = view.row(drawn.axis)
    return [row] if row < n else []


def _curves(view: View, drawn: _Drawn) -> draw.Drawing:
    """Some dimensions over the positions: sines solid, cosines dashed."""
    array = drawn.array[: drawn.told_apart]
    n = len(array)
    x, smooth = _between(drawn, n)
    curves: list[draw.Mark] = []
    dots: list[draw.Mark] = []
    cosine = cosines(drawn.d, drawn.op.exponents if drawn.op else "paper")
    # With another number of dimensions these numbers are no cells of the model.
    own = drawn.d == drawn.own[1]
    for k, j in enumerate(drawn.curves):
        y_of = np.ascontiguousarray(smooth[:, j])
        curves.append(draw.Curve(x, y_of, str(j + 1), draw.series(k), dashed=bool(cosine[j])))
        for i in _dotted(view, drawn):
            y, cell = float(array[i, j]), Cell(drawn.name, (i, j)) if own else None
            if draw.drawable(y):
                dots.append(draw.Dot(float(i), y, "", draw.series(k), cell=cell, token=(drawn.axis, i)))
    far = float(np.abs(array[np.abs(array) < draw.DRAWABLE]).max(initial=0.5)) * 1.15
    names = ", ".join(str(j + 1) for j in drawn.curves)
    window = (-0.5, max(n - 1, 1) * 1.08, -far, far)
    summary = f"The encoding over {quantity(n, 'position')} in dimension{'s' * (len(drawn.curves) > 1)} {names}"
    axes = draw.Axis("position", grid=True), draw.Axis("encoding", grid=True)
    return draw.Drawing((*curves, *dots), window, summary, *axes)


def _between(drawn: _Drawn, n: int) -> tuple[Array, Array]:
    """The x of the curves' points, (m,), and their heights, (m, d); a formula has points between positions, too."""
    if drawn.op is None:
        return np.arange(n), drawn.array[:n]
    parts = max(POINTS // n, LEAST_PARTS)
    x = np.arange((n - 1) * parts + 1) / parts
    with np.errstate(all="ignore"):  # as in the engine
        return x, waves(x, drawn.d, drawn.op.exponents)


# Words


def _said_of_sizes(drawn: _Drawn) -> str:
    n, d = drawn.own
    if drawn.op is None and drawn.room > n:
        return f"The encoding is a table of {drawn.room:,} positions, not a formula. Those of the words are drawn."
    if drawn.op is None:
        return "The encoding is a table of numbers, not a formula. So it has no more positions than are drawn."
    model = f"The model has {quantity(n, 'position')} and {quantity(d, 'dimension')}"
    if (drawn.n, drawn.d) == (n, d):
        return f"{model}; that is what is drawn."
    if drawn.d != d:
        few, kind = min(drawn.d, d), drawn.op.exponents
        same = np.array_equal(exponents(drawn.d, kind)[:few], exponents(d, kind)[:few])
        which = "the same" if same else "other"
        return f"{model}. You see what its formula gives for {drawn.d}: {which} wavelengths, so {which} numbers."
    if drawn.n < n:
        return f"{model}; of its positions the first {f'{drawn.n} are' if drawn.n > 1 else 'one is'} drawn."
    return f"{model}: the framed part. The rest is what the same formula gives further on."


def _said_of_curves(view: View, drawn: _Drawn) -> str:
    dotted = _dotted(view, drawn)
    every = len(dotted) == min(drawn.own[0], drawn.told_apart)
    dots = "Dots: the positions of the words." if every else "Dots: the position of the chosen word." * bool(dotted)
    if drawn.op is None:
        return dots
    waves = "Solid: sine, in dimensions 1, 3, 5 … Dashed: cosine, in dimensions 2, 4, 6 …"
    if drawn.op.exponents == "sines first":
        waves = "Solid: sine, in the first half of the dimensions. Dashed: cosine, in the second half."
    n = drawn.told_apart
    part = f"Of {drawn.n} positions the first {n}, because with more the waves could not be told apart." * (n < drawn.n)
    return " ".join(filter(None, (waves, dots, part)))


def _said_of_exponents(op: Sinusoidal) -> str:
    kinds = _kinds(op.exponents)
    title, _, words = kinds[op.exponents]
    formulas = "; ".join(f"{name}: {formula}" for name, formula, _ in kinds.values())
    return (
        f"In use: <b>{title}</b>. {words} Dimension j is counted from 0 here: {formulas}. "
        "The divisor is 10000 to that power, the angle is the position divided by it, and a wave is 2π divisors long."
    )


# Exponents


def _kinds(used: str) -> dict[str, tuple[str, str, str]]:
    """The formulas that are compared: `KINDS`, and the one in use."""
    return KINDS if used in KINDS else {**KINDS, used: SINES_FIRST}


def _line(d: int, used: str, row: int) -> el.Line:
    """The exponent of a dimension by each formula, and the divisor in use."""
    each = {kind: float(exponents(d, kind)[row]) for kind in _kinds(used)}
    entries = [el.Entry(str(row + 1)), el.Entry("cosine" if cosines(d, used)[row] else "sine")]
    decimals = {kind: decimals_of(exponents(d, kind)) for kind in each}
    entries += [el.Entry(in_table(n, decimals[kind]), muted=kind != used) for kind, n in each.items()]
    with np.errstate(over="ignore"):
        divisor = np.float64(10000) ** each[used]
    return el.Line((*entries, el.Entry(alone(float(divisor), 4))))


def _exponents(drawn: _Drawn) -> tuple[Element, ...]:
    """The section on the exponents of 10000, by the paper and by 004."""
    if drawn.op is None:
        return ()
    d, used = drawn.own[1], drawn.op.exponents
    lines = el.Lines(d, _line, (d, used))
    titles = [f"{title}{' (in use)' * (kind == used)}" for kind, (title, _, _) in _kinds(used).items()]
    columns = *el.numeric("dimension"), el.Column("curve"), *el.numeric(*titles, "divisor in use")
    return (
        el.Section("exponents", "Exponents: what 10000 is raised to in each dimension"),
        el.Note("about the exponents", _said_of_exponents(drawn.op)),
        el.Listing("exponent list", "Exponents of each dimension", columns, lines),
    )
