"""Shapes of arrays: how they are written, and which cells they have."""

from explorer.core.errors import ExplorerError


def written_shape(shape: tuple[int, ...]) -> str:
    """As people read it: "3 × 4"."""
    return " × ".join(map(str, shape)) or "a single number"


def require_cell(name: str, cell: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """See that an array of this shape, called so, has the cell, counted from 0.

    Raises `ExplorerError`: "bad-cell".
    """
    if len(cell) != len(shape) or not all(0 <= i < size for i, size in zip(cell, shape, strict=True)):
        raise ExplorerError("bad-cell", name=name, cell=", ".join(map(str, cell)), shape=written_shape(shape))


def require_shape(name: str, given: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """See that values given for an array called so have its shape.

    Raises `ExplorerError`: "bad-shape".
    """
    if given != shape:
        raise ExplorerError("bad-shape", name=name, shape=written_shape(shape), given=written_shape(given))
