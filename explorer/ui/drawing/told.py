"""What is said of a place in a drawing, and which of its dots and arrows mean something."""

import numpy as np

from explorer.core.numbers import exact
from explorer.core.ops import Array
from explorer.pages.drawing import Arrow, Dot, Drawing, Image, Mark, Strips, drawable
from explorer.pages.view import Cell
from explorer.ui.drawing.lit import cells_of, tokens_of

DRAGGED = "Drag to move it"


def labels_at(drawing: Drawing, image: Image, row: int, column: int) -> tuple[int | None, int | None]:
    """Which labels of the sides a square of an image stands at."""
    left, bottom, width, height = image.place
    up = bottom + (row + 0.5) * height / image.array.shape[0]
    across = left + (column + 0.5) * width / image.array.shape[1]

    def stands(labels: tuple[str, ...] | None, place: float) -> int | None:
        return int(place) if labels and 0 <= place < len(labels) else None

    return stands(drawing.y.labels, up), stands(drawing.x.labels, across)


def of_square(drawing: Drawing, one: Image | Strips, row: int, column: int) -> str:
    """The labels of a number, and all its digits."""
    if isinstance(one, Strips):
        labels, strip = drawing.y.labels or (), (row, column)[one.axis]
        return "\n".join((*labels[strip : strip + 1], exact(one.array[row, column])))
    places = zip((drawing.y, drawing.x), labels_at(drawing, one, row, column), strict=True)
    names = [axis.labels[place] for axis, place in places if axis.labels and place is not None]
    return "\n".join(filter(None, (" → ".join(names), exact(one.array[row, column]))))


def of_mark(drawing: Drawing, mark: Mark) -> str:
    """The name of a dot or an arrow, and its numbers in full."""
    if not isinstance(mark, Dot | Arrow):
        return ""
    name = mark.name or (f"{mark.inside}, {mark.below}" if isinstance(mark, Dot) and mark.inside else "")
    numbers = [
        f"{axis.title or way}: {exact(number)}"
        for way, axis, number in zip("xy", (drawing.x, drawing.y), place_of(mark), strict=True)
    ]
    return "\n".join(filter(None, (name, *numbers, DRAGGED if mark.drag is not None else "")))


def place_of(mark: Dot | Arrow) -> tuple[float, float]:
    """Where one points at it."""
    return (mark.x, mark.y) if isinstance(mark, Dot) else mark.tip


def means(mark: Mark) -> tuple[Cell | None, tuple[str, int] | None]:
    """The cell and the word that a mark stands for."""
    return next(iter(cells_of(mark)), None), next(iter(tokens_of(mark)), None)


def leads(mark: Mark) -> bool:
    """Whether a dot or an arrow means a cell or a word, or can be dragged."""
    return isinstance(mark, Dot | Arrow) and (mark.drag is not None or means(mark) != (None, None))


class Targets:
    """The dots and tips of a drawing that mean something: their places, and the numbers of their marks."""

    def __init__(self, drawing: Drawing) -> None:
        self.marks: list[int] = []
        places = []
        for i, mark in enumerate(drawing.marks):
            if leads(mark) and isinstance(mark, Dot | Arrow) and drawable(*place_of(mark)):
                self.marks.append(i)
                places.append(place_of(mark))
        self.places: Array = np.array(places, dtype=float).reshape(-1, 2)
