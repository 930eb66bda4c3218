"""How much of a picture is drawn on, and how much of that is what somebody speaks of: on pixels, without Qt."""

import numpy as np

from explorer.core.ops import Array

SQUARES = 32
"""Squares that a picture is wide, when it is asked how empty it is."""
SAME = 6
"""Steps of a colour's 255 that nobody sees."""


def drawn(pixels: Array, ground: tuple[int, int, int]) -> Array:
    """Which pixels have another colour than the ground.

    Parameters
    ----------
    pixels : array of shape (height, width, 3)
        Red, green and blue from 0 to 255.
    ground : tuple of int
        The colour of the page.

    Returns
    -------
    array of bool, of shape (height, width)
    """
    found = np.zeros(pixels.shape[:2], bool)
    for channel, usual in zip(np.moveaxis(pixels, -1, 0), ground, strict=True):  # in bytes: a page has millions
        found |= channel < max(usual - SAME, 0)
        found |= channel > min(usual + SAME, 255)
    return found


def strength(pixels: Array, ground: tuple[int, int, int]) -> Array:
    """How much ink each pixel has: 0 for the colour of the ground, 1 for the farthest; what is faint counts for less.

    What nobody sees counts for nothing: what a veil leaves of the ground is a step off, and is most of a page.
    Parameters and shapes as of `drawn`; an array of floats.
    """
    apart = np.abs(pixels.astype(np.int16) - np.array(ground))
    return np.asarray(apart.sum(axis=-1) * (apart.max(axis=-1) > SAME) / (3 * 255.0))


def empty_share(ink: Array) -> float:
    """The share of a picture's squares in which nothing is drawn; what is left over at its edges does not count.

    Parameters
    ----------
    ink : array of bool, of shape (height, width)
        As `drawn` gives it.

    Returns
    -------
    float
        From 0 to 1.
    """
    height, width = ink.shape
    side = max(width // SQUARES, 1)
    rows, columns = height // side, width // side
    cut = ink[: rows * side, : columns * side].reshape(rows, side, columns, side)
    return float(1 - cut.any(axis=(1, 3)).mean())


def named_share(ink: Array, named: Array) -> float:
    """The share of what is drawn that lies where somebody points; 0 where nothing is drawn.

    `ink`, `named`: arrays of one shape, of bool, or the first one of `strength`.
    """
    total = float(ink.sum())
    return float((ink * named).sum()) / total if total else 0.0
