"""What W_Q, W_K and W_V do to a plane of two dimensions, and where attention moves the words on it."""

import numpy as np

from explorer.core.ops import Array
from explorer.pages.drawing import DRAWABLE, TEXT, Arrow, Axis, Dot, Drawing, Mark, Segments, drawable, reach, series
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.page import Controls, Item, Note, Number, Picture, Row, Section, Stack
from explorer.pages.view import View

SIDE = 4
"""Lines of the grid on each side of an axis."""
GRID = np.array([[[-1.0, k / SIDE], [1.0, k / SIDE]] for k in range(-SIDE, SIDE + 1) if k])
AXES = np.array([[[-1.0, 0.0], [1.0, 0.0]]])
"""Level lines from −1 to 1, as (start, end) of each."""
WIDTH, HEIGHT = 224, 210
"""Pixels: so that three stand beside each other."""
SAID = "The grid is a plane of two dimensions. The other dimensions of a word can move it off the grid."


def planes(view: View, block: str) -> tuple[Element, ...]:
    """The plane before and behind each of the three matrices, and what attention does to words."""
    nodes = view.nodes
    given = {letter: nodes[block + letter].parents[0] for letter in "QKV"}
    names = {letter: view.of_head(block + letter) for letter in "QKV"}
    arrays = {letter: view.value(name) for letter, name in names.items()}
    if min(array.shape[-1] for array in (*arrays.values(), view.values[given["Q"]])) < 2:
        return ()
    same = given["Q"] == given["K"]
    before = {given["Q"]: ("Before" if same else "Before W_Q"), given["K"]: "Before" if same else "Before W_K and W_V"}
    dimensions = {node: chosen_dimensions(view, f"{block}{node}", view.values[node]) for node in before}
    stacks = []
    for node, title in before.items():
        letter = "Q" if node == given["Q"] else "K"
        drawing = _warp(view, block, letter, node, names[letter], dimensions[node], None)
        stacks.append(_plane(view, title, f"{block}{node}", dimensions[node], view.values[node], drawing))
    for letter, array in arrays.items():
        key = f"{block}{letter}"
        behind = chosen_dimensions(view, key, array)
        drawing = _warp(view, block, letter, given[letter], names[letter], dimensions[given[letter]], behind)
        stacks.append(_plane(view, f"Behind W_{letter}", key, behind, array, drawing))
    if same:
        key, array = f"{block}moved", arrays["V"]
        pair = chosen_dimensions(view, key, array)
        stacks.append(_plane(view, "Moved by attention: V to O", key, pair, array, _moved(view, block, pair)))
    return (
        Section("planes", "What W_Q, W_K and W_V do to the plane"),
        Note("about the planes", SAID),
        Row("planes in a row", tuple(Item("", stack) for stack in stacks)),
    )


def _plane(view: View, title: str, key: str, pair: tuple[int, int], array: Array, drawing: Drawing) -> Stack:
    """A picture, and below it which dimensions it draws."""
    parts: list[Element] = [Picture(f"plane of {key}", drawing, WIDTH, HEIGHT)]
    if array.shape[1] > 2:
        parts.append(dimension_choice(key, pair, array.shape[1], title))
    return Stack(f"plane: {title}", title, tuple(parts))


def dimension_choice(key: str, pair: tuple[int, int], width: int, title: str) -> Controls:
    """Which two numbers of each vector a picture draws; kept under ``KEY.across`` and ``KEY.up``."""
    boxes = tuple(
        Number(f"{key}.{way}", way, d + 1, 1, width, Keep(f"{key}.{way}"), f"{title}: dimension {way}")
        for way, d in zip(("across", "up"), pair, strict=True)
    )
    return Controls(f"dimensions of {key}", boxes)


def chosen_dimensions(view: View, key: str, vectors: Array) -> tuple[int, int]:
    """The two dimensions that a picture draws, counted from 0: those of `dimension_choice`."""
    across, up = telling(vectors)
    last = vectors.shape[1]
    chosen = view.chosen(f"{key}.across", across + 1), view.chosen(f"{key}.up", up + 1)
    return min(chosen[0], last) - 1, min(chosen[1], last) - 1


def telling(vectors: Array) -> tuple[int, int]:
    """The two dimensions to begin with: the first two or, where all rows are alike in these, those that differ most."""
    with np.errstate(all="ignore"):
        spread = np.nan_to_num(np.ptp(vectors, axis=0)) if len(vectors) else np.zeros(vectors.shape[1])
    if spread[:2].any() or not spread.any():
        return 0, 1
    first, second = sorted(np.argsort(-spread, kind="stable")[:2].tolist())
    return first, second


def _warp(
    view: View,
    block: str,
    letter: str,
    vectors: str,
    result: str,
    before: tuple[int, int],
    behind: tuple[int, int] | None,
) -> Drawing:
    """A square grid with the words on it: as it is or, with `behind`, where the matrix lays it."""
    weights = view.value(view.of_head(f"{block}W_{letter}"))
    matrix = weights.T if view.state.model.switch(block.rstrip("."), "weights") == "W x" else weights
    shown, pair = (vectors, before) if behind is None else (result, behind)
    map_ = np.eye(2) if behind is None else matrix[np.ix_(before, behind)]
    points = view.value(shown)[:, pair]
    span = reach(view.value(vectors)[:, before], 1.0)
    with np.errstate(all="ignore"):  # as in the engine
        corners = np.array([[1, 1], [1, -1]]) * span @ map_
    frame = 1.25 * reach(np.vstack([corners, points]), 0.5)
    marks = (*_grid(span, map_), *_words(view, shown, points))
    where = f"The plane {'before' if behind is None else 'behind'} W_{letter}, with {len(points)} words on it"
    return Drawing(marks, (-frame, frame, -frame, frame), where, *_axes(view, shown, pair), square=True)


def _grid(span: float, matrix: Array) -> list[Mark]:
    """The lines of a square grid where the matrix lays them; the axes are thicker."""
    marks: list[Mark] = []
    with np.errstate(all="ignore"):
        for lines, width in ((GRID, 1.0), (AXES, 2.0)):
            for ends, ink in ((lines, series(0)), (lines[..., ::-1], series(2))):
                laid = ends * span @ matrix
                near = (np.abs(laid) < DRAWABLE).all((1, 2))
                marks.append(Segments(laid if near.all() else laid[near], ink, width))
    return marks


def _words(view: View, name: str, points: Array) -> list[Mark]:
    """A dot for each word."""
    axis = view.graph.axes_of(view.graph.place(name))[0]
    return [
        Dot(x, y, word, TEXT, token=(axis, i))
        for i, (word, (x, y)) in enumerate(zip(view.labels(axis), points.tolist(), strict=True))
        if drawable(x, y)
    ]


def _moved(view: View, block: str, pair: tuple[int, int]) -> Drawing:
    """Where attention moves each word: an arrow from its value, a row of V, to its output, a row of A V."""
    name = view.of_head(f"{block}output")
    axis = view.graph.axes_of(view.graph.place(name))[0]
    starts, points = view.value(view.of_head(f"{block}V"))[:, pair], view.value(name)[:, pair]
    both = np.vstack([starts, points])
    near = both[(np.abs(both) < DRAWABLE).all(-1)]
    low, high = (near.min(0), near.max(0)) if len(near) else (np.zeros(2), np.zeros(2))
    half = max(float((high - low).max()) * 0.75, 0.5)
    x, y = ((low + high) / 2).tolist()
    arrows, told = [], []
    for i, (word, start, tip) in enumerate(zip(view.labels(axis), starts.tolist(), points.tolist(), strict=True)):
        if drawable(*start, *tip):
            arrows.append(Arrow(tuple(start), tuple(tip), word, width=1.5, token=(axis, i)))
            told.append(f"{word} from ({start[0]:.2f}, {start[1]:.2f}) to ({tip[0]:.2f}, {tip[1]:.2f})")
    window = (x - half, x + half, y - half, y + half)
    said = "Attention moves " + "; ".join(told[:12])
    return Drawing(tuple(arrows), window, said, *_axes(view, name, pair), square=True)


def _axes(view: View, name: str, pair: tuple[int, int]) -> tuple[Axis, Axis]:
    """The names of the dimensions that are drawn, if they have names: their numbers stand below the picture."""
    columns = view.labels(view.graph.axes_of(view.graph.place(name))[-1])
    across, up = (Axis("" if columns[d].isdigit() else columns[d]) for d in pair)
    return across, up
