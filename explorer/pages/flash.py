"""How much each cell of a matrix was changed by the last edit, for a flash that says where to look."""

import numpy as np

from explorer.core.numbers import largest_of
from explorer.core.ops import Array
from explorer.pages.matrix import Matrix
from explorer.pages.view import View

LEAST = 0.05
"""Of the whole strength: what changed by less than a 400th of the largest number is not seen to flash."""


def strengths(view: View, matrix: Matrix) -> Array | None:
    """How strongly each cell flashes: 0 where nothing changed, 1 where it changed by as much as the largest number is.

    Roots of the shares, so that a small change is seen, too. Cells that a question covers stay as they are.

    Returns
    -------
    Array or None
        (rows, columns), as the matrix is shown; None where no cell flashes, or where no values are shown.
    """
    if matrix.showing != "values" or matrix.place.node not in view.last.before or view.given:
        return None
    change = view.change(matrix.place)
    if change.size != matrix.array.size:  # it is still to follow the view
        return None
    change = (change.T if matrix.turned else change).reshape(matrix.array.shape)
    largest = largest_of(matrix.values) or 1.0
    with np.errstate(all="ignore"):
        found = np.sqrt(np.clip(np.nan_to_num(np.abs(change / largest)), 0.0, 1.0))
    found[found < LEAST] = 0.0
    for row, column in matrix.covered:
        found[row, column] = 0.0
    return found if found.any() else None
