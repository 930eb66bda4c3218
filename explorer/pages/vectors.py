"""Two vectors: dot product, lengths, cosine and angle, and the shadow of one on the other."""

from math import atan2, degrees

import numpy as np

from explorer.core.graph import Stage
from explorer.core.numbers import point, written
from explorer.pages.drawing import (
    ACCENT,
    MUTED,
    TEXT,
    Arc,
    Arrow,
    Axis,
    Drawing,
    Mark,
    Segments,
    Words,
    drawable,
    reach,
    series,
)
from explorer.pages.element import Element
from explorer.pages.gestures import MoveTo
from explorer.pages.matrix import matrix
from explorer.pages.page import Item, Note, Picture, Row, Section, Stack
from explorer.pages.view import Cell, View

BESIDE = ("x", "y", "dot")
BETWEEN = ("cosine", "angle")
SHADOW = (
    ("c", "times y is the shadow"),
    ("x_p", "the shadow"),
    ("x_o", "the rest"),
    ("x_o_y", "0 at a right angle"),
)
LENGTHS = (
    ("length_x", "length of x"),
    ("length_y", "length of y"),
    ("scale", "d_k: how many numbers a vector has"),
    ("scaled", ""),
)
DRAWN = ("x", "y", "x_p", "x_o")
WRITTEN = {"x_p": "xₚ", "x_o": "xₒ"}
"""How the picture writes their names."""


def vectors(view: View, stage: Stage) -> tuple[Element, ...]:
    """Two vectors as numbers and as arrows to drag, and everything that follows from them."""
    plane = Stack("drag", "Drag the tips of x and y", (Picture("plane", _plane(view), 390, 370),))
    numbers = Stack("numbers", "", (*(matrix(view, name) for name in BESIDE), *_between(view)))
    elements: list[Element] = [Row("plane and numbers", (Item("", plane), Item("", numbers)))]
    for id, title, names in (
        ("shadow", "The shadow of x on y", SHADOW),
        ("lengths", "Lengths, and the divisor of attention", LENGTHS),
    ):
        row = Row(f"{id} row", tuple(Item("", matrix(view, name, what)) for name, what in names))
        elements += [Section(id, title), row]
    return tuple(elements)


def _between(view: View) -> tuple[Element, ...]:
    """The cosine and the angle, or why there are none."""
    if short := _without_length(view):
        said = f"{short} has no length, so it points nowhere: there is no angle. The cosine counts as 0 further on."
        return (Note("no angle", said),)
    return tuple(matrix(view, name) for name in BETWEEN)


def _without_length(view: View) -> str:
    """Which of x and y has no direction, if one has none."""
    return next((name for name in ("x", "y") if not view.values[name].any()), "")


def _plane(view: View) -> Drawing:
    """The arrows x and y, the angle between them, the shadow x_p of x on y, and the rest x_o at right angles to it."""
    points = np.array([view.values[name][0, :2] for name in DRAWN], dtype=float)
    tips: dict[str, tuple[float, float]] = {name: (x, y) for name, (x, y) in zip(DRAWN, points.tolist(), strict=True)}
    seen = {name: tip for name, tip in tips.items() if drawable(*tip)}
    far = 1.3 * reach(points, 1.0)
    angle = float(view.values["angle"].item())
    marks = (*_shadow(seen, far), *_angle(seen, angle), *_arrows(seen))
    told = "; ".join(f"{WRITTEN.get(name, name)} {point(*tip)}" for name, tip in tips.items())
    names = view.labels(view.nodes["x"].axes[-1])
    across, up = (Axis(name, grid=True) for name in (*names, "", "")[:2])
    said = f"Vectors: {told}; " + ("no angle" if _without_length(view) else f"angle {written(angle, 1)}°")
    return Drawing(marks, (-far, far, -far, far), said, across, up, square=True)


def _shadow(seen: dict[str, tuple[float, float]], far: float) -> list[Mark]:
    """From the origin to the shadow's tip, and from there to x."""
    if not {"x", "x_p"} <= seen.keys():
        return []
    x, x_p = np.array(seen["x"]), np.array(seen["x_p"])
    marks: list[Mark] = [
        Segments(np.array([[(0.0, 0.0), x_p]]), TEXT, 2.0, dashed=True),
        Segments(np.array([[x_p, x]]), MUTED, 2.0, dashed=True),
    ]
    if "x_o" in seen and sum(map(abs, seen["x_o"])) > far / 10:
        middle = (x_p + x) / 2
        marks.append(Words(float(middle[0]), float(middle[1]), WRITTEN["x_o"]))
    return marks


def _angle(seen: dict[str, tuple[float, float]], angle: float) -> list[Mark]:
    """α as an arc from y to x, where both have a direction."""
    if not all(any(seen.get(name, ())) for name in ("x", "y")) or not np.isfinite(angle):
        return []
    start, end = (degrees(atan2(seen[name][1], seen[name][0])) for name in ("y", "x"))
    return [Arc(start, (end - start + 180) % 360 - 180, f"α {written(angle, 1)}°")]


def _arrows(seen: dict[str, tuple[float, float]]) -> list[Mark]:
    """y, x and the shadow's head, which lies on y: its shaft would hide it."""
    marks: list[Mark] = []
    for name, ink, width in (("y", series(0), 2.5), ("x", ACCENT, 2.5), ("x_p", TEXT, 0.0)):
        if name not in seen or (name == "x_p" and not any(seen[name])):
            continue
        drag = MoveTo((name, (0, 0)), (name, (0, 1))) if name != "x_p" else None
        cells = Cell(name, (0, 0)), Cell(name, (0, 1))
        marks.append(Arrow((0.0, 0.0), seen[name], WRITTEN.get(name, name), ink, width, cells=cells, drag=drag))
    return marks
