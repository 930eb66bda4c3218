"""A weight that is watched while a model learns, as colours."""

import numpy as np

from explorer.core.errors import written_shape
from explorer.core.graph import Place
from explorer.core.numbers import written
from explorer.pages.drawing import SIGNED, TEXT, Axis, Drawing, Image, Words, drawable
from explorer.pages.view import View

MOST_NUMBERS, MOST_ACROSS = 32, 8
"""Up to so many numbers, and so many in a row, are written into their colours."""


def weight_map(view: View, name: str) -> Drawing:
    """An input as colours centred on 0 and full at its largest number; stacked heads stand below each other.

    `name`: of a node; of one that the graph does not have there is an empty drawing.
    """
    if name not in view.nodes:
        return Drawing((), (0.0, 1.0, 0.0, 1.0), "no weight", down=True)
    array, axes = view.values[name], view.nodes[name].axes
    flat = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
    rows = view.labels(axes[0]) if array.ndim == 2 else tuple(str(i + 1) for i in range(len(flat)))
    limit = full(view, name)
    height, width = (float(n) for n in flat.shape)
    node = Place(name) if array.ndim == 2 else None
    # Few numbers have room to be read: of numbers that are alike, the colour alone tells nothing.
    numbers = tuple(
        Words(j + 0.5, i + 0.5, written(float(number), 2), TEXT, fixed=True)
        for (i, j), number in np.ndenumerate(flat)
        if flat.size <= MOST_NUMBERS and width <= MOST_ACROSS and drawable(float(number))
    )
    image = Image(flat, limit, colours=SIGNED, place=(0.0, 0.0, width, height), node=node)
    summary = f"{name}, {written_shape(array.shape)}, largest {written(limit, 3)}"
    columns = view.labels(axes[-1])
    return Drawing(
        (image, *numbers),
        (0.0, width, 0.0, height),
        summary,
        Axis("", columns, most=10),
        Axis("", rows, most=12),
        down=True,
    )


def full(view: View, name: str) -> float:
    """The size of number at which the colour of `weight_map` is full."""
    array = view.values.get(name)
    finite = array[np.isfinite(array)] if array is not None else np.zeros(0)
    return float(np.abs(finite).max(initial=0.0)) or 1.0
