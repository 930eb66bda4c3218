"""Where a surface over a grid is at a level: the line on a map that joins equal heights."""

import numpy as np

from explorer.core.ops import Array

BETWEEN = 6
"""Pixels of a picture from one point of the grid to the next."""


def level_lines(surface: Array, x: Array, y: Array, level: float) -> Array:
    """The pieces of the level line, one or two for each square of the grid that it crosses (marching squares).

    On a square's side the crossing is where the straight line between its two corners is at the level. pyqtgraph's own
    is a loop over the squares, too slow for a surface that moves.

    Parameters
    ----------
    surface : numpy.ndarray
        Heights at the points of a grid, (n_y, n_x).
    x, y : numpy.ndarray
        Where the grid's columns and rows are, (n_x,) and (n_y,).

    Returns
    -------
    numpy.ndarray
        (n_pieces, 2, 2): the two ends of each piece, x and y.
    """
    with np.errstate(all="ignore"):
        across = (level - surface[:, :-1]) / np.diff(surface, axis=1)
        up = (level - surface[:-1]) / np.diff(surface, axis=0)
        above = surface >= level
        crossed_x, crossed_y = above[:, :-1] != above[:, 1:], above[:-1] != above[1:]
        on_rows = _points(x[:-1] + across * np.diff(x), np.broadcast_to(y[:, None], across.shape))
        on_columns = _points(np.broadcast_to(x, up.shape), y[:-1, None] + up * np.diff(y)[:, None])
    # Each square's sides in turn: bottom, right, top, left. A line comes in as often as it goes out.
    sides = np.stack([on_rows[:-1], on_columns[:, 1:], on_rows[1:], on_columns[:, :-1]], axis=2)
    crossed = np.stack([crossed_x[:-1], crossed_y[:, 1:], crossed_x[1:], crossed_y[:, :-1]], axis=2)
    pieces = sides[crossed].reshape(-1, 2, 2)
    return pieces[np.isfinite(pieces).all((1, 2))]


def _points(x: Array, y: Array) -> Array:
    return np.stack([x, y], axis=-1)


def between_points(n: int) -> Array:
    """What makes n numbers so many more, straight from each to the next: ((n − 1) · BETWEEN + 1, n)."""
    places = np.arange((n - 1) * BETWEEN + 1) / BETWEEN
    weights: Array = np.maximum(0.0, 1 - np.abs(places[:, None] - np.arange(n)))
    return weights
