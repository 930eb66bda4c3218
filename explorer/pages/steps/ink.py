"""Measures on the pixels of a picture, without Qt: how much is drawn, and how much of that lies in a named part."""

import numpy as np

from explorer.core.ops import Array

SQUARES = 32
"""The number of squares across a picture, for `empty_share`."""
SAME = 6
"""A difference, of 255, in a colour's channel that nobody sees."""


def drawn(pixels: Array, ground: tuple[int, int, int]) -> Array:
    """Which pixels visibly differ from the colour of the ground.

    `pixels`: red, green and blue from 0 to 255, (height, width, 3).
    `ground`: the colour of the page.
    Returns bools, (height, width).
    """
    found = np.zeros(pixels.shape[:2], bool)
    for channel, usual in zip(np.moveaxis(pixels, -1, 0), ground, strict=True):  # on bytes: a page has millions
        found |= channel < max(usual - SAME, 0)
        found |= channel > min(usual + SAME, 255)
    return found


def strength(pixels: Array, ground: tuple[int, int, int]) -> Array:
    """How much ink each pixel has, as floats: 0 for the colour of the ground, 1 for the greatest possible difference.

    Invisible differences count as 0: under a veil the ground, which is most of a page, is one step off its colour.
    Parameters and shapes are those of `drawn`.
    """
    apart = np.abs(pixels.astype(np.int16) - np.array(ground))
    return np.asarray(apart.sum(axis=-1) * (apart.max(axis=-1) > SAME) / (3 * 255.0))


def empty_share(ink: Array) -> float:
    """The share of a picture's squares in which nothing is drawn; incomplete squares at the edges do not count.

    `ink`: the result of `drawn`.
    Returns: from 0 to 1.
    """
    height, width = ink.shape
    side = max(width // SQUARES, 1)
    rows, columns = height // side, width // side
    cut = ink[: rows * side, : columns * side].reshape(rows, side, columns, side)
    return float(1 - cut.any(axis=(1, 3)).mean())


def named_share(ink: Array, named: Array) -> float:
    """The share of the ink that lies in the named part; 0 if nothing is drawn.

    `ink`, `named`: bool arrays of the same shape; `ink` may also be the result of `strength`.
    """
    total = float(ink.sum())
    return float((ink * named).sum()) / total if total else 0.0
