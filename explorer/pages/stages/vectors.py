"""The page of two vectors: dot product, lengths, cosine, angle, and the shadow of one vector on the other.

`planes` shows what W_Q, W_K and W_V do to a plane of two dimensions, and where attention moves the words.
"""

from collections.abc import Callable
from functools import cache, lru_cache, partial
from math import atan2, degrees

import numpy as np

from explorer.core.graph import Cell, Stage
from explorer.core.numbers import formatted, point, quantity
from explorer.core.ops import Array
from explorer.pages import drawing as draw
from explorer.pages.controls import Controls, Number
from explorer.pages.element import Data, Element, Made
from explorer.pages.gestures import Keep, MoveTo, decimals_in
from explorer.pages.matrix import matrix
from explorer.pages.page import Note, Picture, Row, Section, Stack
from explorer.pages.view import View

BESIDE = ("x", "y", "dot")
BETWEEN = ("cosine", "angle")
SHADOW = (
    ("c", "times y is the shadow"),
    ("x_p", "the shadow"),
    ("x_o", "the rest"),
    ("x_o_y", "the rest and y"),
)
LENGTHS = (
    ("length_x", "length of x"),
    ("length_y", "length of y"),
    ("scale", "dₖ: how many numbers a vector has"),
    ("scaled", ""),
)
DRAWN = ("x", "y", "x_p", "x_o")
LEAST_REACH = 0.5
"""The least distance from the origin that the picture shows, without its margin: vectors of words have such lengths."""
WRITTEN = {"x_p": "xₚ", "x_o": "xₒ"}
"""The names of nodes as the picture writes them."""


def vectors(view: View, stage: Stage) -> tuple[Element, ...]:
    """Two vectors as numbers and as arrows to drag, and all numbers that are computed from them."""
    drawn: list[Element] = [Picture("plane", _plane_of_two(view), 390, 370)]
    if (d := view.values["x"].shape[-1]) > 2:  # then the angles of the picture are not the true ones
        all_ = f"In all {d} the angle may be another, and x_o stands at a right angle to y."
        drawn.append(Note("two of all", f"Here are 2 of {d} dimensions. {all_}"))
    between: list[Element] = [matrix(view, name) for name in BESIDE]
    if short := _without_length(view):
        said = f"{short} has no length, so it points nowhere: there is no angle. The cosine counts as 0 further on."
        between.append(Note("no angle", said))
    else:
        between += [matrix(view, name) for name in BETWEEN]
    parts = Stack("drag", "Drag the tips of x and y", tuple(drawn)), Stack("numbers", "", tuple(between))
    elements: list[Element] = [Row.of("plane and numbers", parts)]
    for id, title, names in (
        ("shadow", "The shadow of x on y", SHADOW),
        ("lengths", "Lengths, and the divisor of attention", LENGTHS),
    ):
        row = Row.of(f"{id} row", [matrix(view, name, what) for name, what in names])
        elements += [Section(id, title), row]
    return tuple(elements)


def _without_length(view: View) -> str:
    """The name of the vector, x or y, that is 0 and so has no direction; "" if both have one."""
    return next((name for name in ("x", "y") if not view.values[name].any()), "")


def _plane_of_two(view: View) -> draw.Drawing:
    """The arrows x and y, the angle between them, the shadow x_p of x on y, and the rest x_o at right angles to it."""
    d = view.values["x"].shape[-1]
    points = np.array([[*view.values[name][0, :2], 0.0][:2] for name in DRAWN], dtype=float)  # one dimension is flat
    tips: dict[str, tuple[float, float]] = {name: (x, y) for name, (x, y) in zip(DRAWN, points.tolist(), strict=True)}
    seen = {name: tip for name, tip in tips.items() if draw.drawable(*tip)}
    far = 1.3 * draw.reach(points, LEAST_REACH)
    window = -far, far, -far, far
    angle = float(view.values["angle"].item())
    arc: list[draw.Mark] = []
    if d <= 2 and np.isfinite(angle) and all(any(seen.get(name, ())) for name in ("x", "y")):  # α from y to x
        start, end = (degrees(atan2(seen[name][1], seen[name][0])) for name in ("y", "x"))
        arc = [draw.Arc(start, (end - start + 180) % 360 - 180, f"α {formatted(angle, '.1f')}°")]
    marks = (*_shadow(seen, far), *arc, *_arrows(seen, min(d, 2), window))
    told = "; ".join(f"{WRITTEN.get(name, name)} {point(*tip)}" for name, tip in tips.items())
    names = view.labels(view.nodes["x"].axes[-1])
    across, up = (
        draw.Axis(f"dimension {name}" if name.isdigit() else name, grid=True) for name in (*names, "", "")[:2]
    )
    said = f"Vectors: {told}; " + ("no angle" if _without_length(view) else f"angle {formatted(angle, '.1f')}°")
    return draw.Drawing(marks, window, said, across, up, square=True)


def _shadow(seen: dict[str, tuple[float, float]], far: float) -> list[draw.Mark]:
    """Dashed lines from the origin to the shadow's tip, and from there to x."""
    if not {"x", "x_p"} <= seen.keys():
        return []
    x, x_p = np.array(seen["x"]), np.array(seen["x_p"])
    marks: list[draw.Mark] = [
        draw.Segments(np.array([[(0.0, 0.0), x_p]]), draw.TEXT, 2.0, dashed=True),
        draw.Segments(np.array([[x_p, x]]), draw.MUTED, 2.0, dashed=True),
    ]
    if "x_o" in seen and sum(map(abs, seen["x_o"])) > far / 10:
        middle = (x_p + x) / 2
        marks.append(draw.Words(float(middle[0]), float(middle[1]), WRITTEN["x_o"]))
    return marks


def _arrows(seen: dict[str, tuple[float, float]], d: int, window: tuple[float, float, float, float]) -> list[draw.Mark]:
    """The arrows y and x, and only the head of the shadow: it lies on y, and its shaft would hide y.

    `d`: how many coordinates they have, one or two.
    """
    marks: list[draw.Mark] = []
    for name, ink, width in (("y", draw.series(0), 2.5), ("x", draw.ACCENT, 2.5), ("x_p", draw.TEXT, 0.0)):
        if name not in seen or (name == "x_p" and not any(seen[name])):
            continue
        up, fine = (name, (0, 1)) if d > 1 else None, decimals_in(window)
        drag = MoveTo((name, (0, 0)), up, fine) if name != "x_p" else None
        cells = tuple(Cell(name, (0, k)) for k in range(d))
        marks.append(draw.Arrow((0.0, 0.0), seen[name], WRITTEN.get(name, name), ink, width, cells=cells, drag=drag))
    return marks


SIDE = 4
"""How many lines of the grid lie on each side of an axis."""
GRID = np.array([[[-1.0, k / SIDE], [1.0, k / SIDE]] for k in range(-SIDE, SIDE + 1) if k])
AXES = np.array([[[-1.0, 0.0], [1.0, 0.0]]])
"""Horizontal lines from −1 to 1, each as (start, end)."""
WIDTH, HEIGHT = 224, 210
"""The size of a plane in pixels at text scale 1: three stand side by side."""
FIGURE = 20
"""By so many pixels at text scale 1 the two fields below a plane are wider for each further figure."""
SAID = (
    "The grid shows two dimensions; the lines that pointed up before are dashed. The other dimensions of a "
    "word can move it away from the grid."
)


class _Vectors(Data):
    """The vectors of a node, with all that their plane needs."""

    array: Array  # (n_words, d)
    axis: str  # the axis of the words
    # `words`, `columns`: the labels of the rows and of the columns.
    words: tuple[str, ...]
    columns: tuple[str, ...]
    pair: tuple[int, int]  # the dimensions that are drawn


def _vectors(view: View, labels: Callable[[str], tuple[str, ...]], key: str, name: str) -> _Vectors:
    place = view.graph.place(name)
    words, columns = view.graph.axes_of(place)[-2:]
    array = view.engine.value(place)
    return _Vectors(array, words, labels(words), labels(columns), chosen_dimensions(view, key, array))


_VectorsOf = Callable[[str, str], _Vectors]
"""Gives the vectors of a node or a head's slice, by the key of their plane and the name; cached for one page."""


def planes(view: View, block: str) -> tuple[Element, ...]:
    """The planes before and after each of the three matrices, and where attention moves the words."""
    nodes = view.nodes
    given = {letter: nodes[block + letter].parents[0] for letter in "QKV"}
    values = view.values
    if min([values[name].shape[-1] for name in (given["Q"], *[block + letter for letter in "QKV"])]) < 2:
        return ()
    same = given["Q"] == given["K"]
    vectors = cache(partial(_vectors, view, cache(view.labels)))  # several planes need the same vectors
    before = {given["Q"]: ("Before" if same else "Before W_Q"), given["K"]: "Before" if same else "Before W_K and W_V"}
    # The fields below a plane stand beside each other, also those for a dimension of two or three figures.
    wide = WIDTH + FIGURE * (len(str(values[given["Q"]].shape[-1])) - 1)
    stacks = [
        view.part(title, (values[node],), partial(_plane_before, view, block, vectors, node, title, wide))
        for node, title in before.items()
    ]
    for letter, node in given.items():
        of = values[node], values[nodes[block + letter].parents[1]], values[block + letter]
        stacks.append(
            view.part(f"After W_{letter}", of, partial(_plane_behind, view, block, vectors, letter, node, wide))
        )
    if same:
        moved = values[f"{block}V"], values[f"{block}output"]
        stacks.append(view.part("moved", moved, partial(_plane_moved, view, block, vectors, wide)))
    return (
        Section("planes", "What W_Q, W_K and W_V do to the plane"),
        Note("about the planes", SAID),
        Row.of("planes in a row", stacks),
    )


def _plane_before(view: View, block: str, vectors: _VectorsOf, node: str, title: str, wide: int) -> Stack:
    """The plane of the words before a matrix."""
    key = f"{block}{node}"
    read, letter = vectors(key, node), "Q" if node == view.nodes[f"{block}Q"].parents[0] else "K"
    return _plane(title, key, read, Made(_warp, (f"before W_{letter}", read, None, read)), wide)


def _plane_behind(view: View, block: str, vectors: _VectorsOf, letter: str, node: str, wide: int) -> Stack:
    """The plane of the words after a matrix."""
    key = f"{block}{letter}"
    read, result = vectors(f"{block}{node}", node), vectors(key, view.of_head(key))
    weights = view.value(view.of_head(view.nodes[key].parents[1]))  # in few bits, those that are left of W
    matrix = weights.T if view.state.model.switch(block.rstrip("."), "weights") == "W x" else weights
    return _plane(f"After W_{letter}", key, result, Made(_warp, (f"after W_{letter}", read, matrix, result)), wide)


def _plane_moved(view: View, block: str, vectors: _VectorsOf, wide: int) -> Stack:
    """The plane with arrows from the values to the output of attention."""
    key = f"{block}moved"
    values, output = [vectors(key, view.of_head(block + short)) for short in ("V", "output")]
    return _plane("Moved by attention: V to O", key, values, Made(_moved, (values.array, output, values.pair)), wide)


def _plane(title: str, key: str, shown: _Vectors, made: Made[draw.Drawing], wide: int) -> Stack:
    """A picture, made when it is first seen, and below it the choice of the dimensions that it draws."""
    parts: list[Element] = [Picture(f"plane of {key}", made, wide, HEIGHT)]
    if (width := shown.array.shape[1]) > 2:
        parts.append(dimension_choice(key, shown.pair, width, title))
    return Stack(f"plane: {title}", title, tuple(parts))


@lru_cache(256)  # so that it is the identical object while the same dimensions are drawn
def dimension_choice(key: str, pair: tuple[int, int], width: int, title: str) -> Controls:
    """The choice of the two dimensions that a picture draws; kept under ``KEY.across`` and ``KEY.up``."""
    boxes = [
        Number(f"{key}.{way}", way, d + 1, 1, width, Keep(f"{key}.{way}"), f"{title}: dimension {way}")
        for way, d in zip(("across", "up"), pair, strict=True)
    ]
    return Controls(f"dimensions of {key}", tuple(boxes))


def chosen_dimensions(view: View, key: str, vectors: Array) -> tuple[int, int]:
    """The two dimensions that were chosen by `dimension_choice`, counted from 0."""
    across, up = telling(vectors)
    if f"{key}.across" not in view.looking.choices and f"{key}.up" not in view.looking.choices:
        return across, up
    last = vectors.shape[1]
    return view.number(f"{key}.across", across + 1, 1, last) - 1, view.number(f"{key}.up", up + 1, 1, last) - 1


def telling(vectors: Array) -> tuple[int, int]:
    """The two dimensions drawn at first: the first two or, if all rows are equal in these, the two that differ most."""
    if len(vectors) and (vectors[:, :2].max(0) > vectors[:, :2].min(0)).any():  # nearly always true
        return 0, 1
    with np.errstate(all="ignore"):
        spread = np.nan_to_num(np.ptp(vectors, axis=0)) if len(vectors) else np.zeros(vectors.shape[1])
    if not spread.any():
        return 0, 1
    first, second = sorted(np.argsort(-spread, kind="stable")[:2].tolist())
    return first, second


def _warp(where: str, read: _Vectors, matrix: Array | None, shown: _Vectors) -> draw.Drawing:
    """A square grid as large as the words that are read, transformed by a matrix, with the words that are shown on it.

    Without a matrix it is the grid as it was before.
    """
    points, span = shown.array[:, shown.pair], draw.reach(read.array[:, read.pair], 1.0)
    of_plane = np.eye(2) if matrix is None else matrix[np.ix_(read.pair, shown.pair)]
    with np.errstate(all="ignore"):  # as in the engine
        corners = np.array([[1, 1], [1, -1]]) * span @ of_plane
    frame = 1.25 * draw.reach(np.vstack([corners, points]), 0.5)
    words = (
        draw.Dot(x, y, word, draw.TEXT, token=(shown.axis, i))
        for i, (word, (x, y)) in enumerate(zip(shown.words, points.tolist(), strict=True))
        if draw.drawable(x, y)
    )
    said = f"The plane {where}, with {quantity(len(points), 'word')} on it"
    marks, axes = (*_grid(span, of_plane), *words), _axes(shown, shown.pair)
    return draw.Drawing(marks, (-frame, frame, -frame, frame), said, *axes, square=True)


def _grid(span: float, matrix: Array) -> list[draw.Mark]:
    """The lines of a square grid after the matrix; the axes are thicker, and lines that were vertical are dashed."""
    marks: list[draw.Mark] = []
    with np.errstate(all="ignore"):
        for lines, width in ((GRID, 1.0), (AXES, 2.0)):
            for ends, ink, up in ((lines, draw.series(0), False), (lines[..., ::-1], draw.series(2), True)):
                laid = ends * span @ matrix
                near = (np.abs(laid) < draw.DRAWABLE).all((1, 2))
                marks.append(draw.Segments(laid if near.all() else laid[near], ink, width, dashed=up))
    return marks


def _moved(values: Array, output: _Vectors, pair: tuple[int, int]) -> draw.Drawing:
    """An arrow for each word from its value, a row of V, to its output, a row of A V."""
    starts, points = values[:, pair], output.array[:, pair]
    low, high = draw.extent(np.vstack([starts, points]))
    half = max(float((high - low).max()) * 0.75, 0.5)
    x, y = ((low + high) / 2).tolist()
    arrows, told = [], []
    for i, (word, start, tip) in enumerate(zip(output.words, starts.tolist(), points.tolist(), strict=True)):
        if draw.drawable(*start, *tip):
            arrows.append(draw.Arrow(tuple(start), tuple(tip), word, width=1.5, token=(output.axis, i)))
            told.append(f"{word} from {point(*start)} to {point(*tip)}")
    window = (x - half, x + half, y - half, y + half)
    said = "Attention moves " + "; ".join(told[:12])
    return draw.Drawing(tuple(arrows), window, said, *_axes(output, pair), square=True)


def _axes(shown: _Vectors, pair: tuple[int, int]) -> tuple[draw.Axis, draw.Axis]:
    """The axes, with the names of the drawn dimensions if they have names; mere numbers stand below the picture."""
    across, up = (draw.Axis("" if shown.columns[d].isdigit() else shown.columns[d]) for d in pair)
    return across, up
