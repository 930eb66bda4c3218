"""The normal distribution's Φ: the share of numbers below x, where they have mean 0 and variance 1.

numpy has no error function, and Python's own takes some 100 ns a number. In float32 a table takes its place.
"""

from collections.abc import Iterator
from functools import cache
from math import erf, erfc, sqrt
from threading import local

import numpy as np

from explorer.core.ops.base import Array

STEPS = 1024
"""Of the table, from one whole number to the next."""
END = 16
"""The table goes from −END to END. There Φ is so near to 0 and to 1 that float32 has no number between."""
BLOCK = 32_768
"""So many numbers at once, so that what is made of them stays in the processor's cache."""
_SIZE = 2 * END * STEPS
_NEAREST = np.float32(1.5 * 2**23 / STEPS)
"""So large that float32 has no finer steps there than 1 / STEPS: adding it rounds to the table's places."""
_TWO = np.float32(2)


def erf_of(x: Array) -> Array:
    """The error function of each number, in float64; ``np.vectorize`` takes three times as long."""
    return np.fromiter(map(erf, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


class _Block(local):
    """The arrays that a block is computed in: each thread has its own, and fetches no memory for them again."""

    def __init__(self) -> None:
        self.arrays = (*np.empty((3, BLOCK), np.float32), np.empty(BLOCK, np.intp), np.empty(BLOCK))


_block = _Block()


def shares(x: Array) -> Iterator[tuple[slice, Array]]:
    """Φ of float32 numbers, (n,), block by block: which of them, and a float64 array that is used again for the next.

    Φ(c + d) = Φ(c) + φ(c) (d − c d² / 2), with the density φ, where c is the place of the table that is nearest. What
    is left out is below 2⁻³⁴, of which float32 sees nothing: of 1,000 products x · Φ(x) all but one are the float32
    that is nearest to the exact one, and that one is its neighbour. A thread goes through one x at a time.
    """
    table, slopes = _tables()
    inside = x
    if not (np.maximum.reduce(x, initial=0) < END and np.minimum.reduce(x, initial=0) >= -END):  # or there is a NaN
        inside = np.clip(x, np.float32(-END), np.float32(END - 1 / STEPS))
    for begin in range(0, x.size, BLOCK):
        part = slice(begin, begin + BLOCK)
        of = inside[part]
        near, away, slope, index, found = (array[: len(of)] for array in _block.arrays)
        # The last digits of the sum count the places, from 0 to the right and from the table's end to the left.
        np.add(of, _NEAREST, out=near)
        np.bitwise_and(near.view(np.int32), _SIZE - 1, out=slope.view(np.int32))
        np.copyto(index, slope.view(np.int32))
        near -= _NEAREST
        np.subtract(of, near, out=away)
        near *= away
        near -= _TWO
        near *= away
        slopes.take(index, out=slope, mode="wrap")  # in place, where "raise" would copy
        near *= slope
        table.take(index, out=found, mode="wrap")
        found += near
        yield part, found


@cache
def _tables() -> tuple[Array, Array]:
    """Φ, and −φ / 2 in float32, at each place: 0, 1 / STEPS, …, and behind them −END, …, −1 / STEPS."""
    places = np.roll(np.arange(-_SIZE // 2, _SIZE // 2), _SIZE // 2) / STEPS
    table = 0.5 * np.array([erfc(place / -sqrt(2)) for place in places.tolist()])
    table[_SIZE // 2] = 0
    slopes = (-0.5 * (np.exp(-0.5 * (places * places)) / np.sqrt(2 * np.pi))).astype(np.float32)
    table.flags.writeable = slopes.flags.writeable = False
    return table, slopes


DEFINITION = f'''\
def gelu(x):
    """x times the share of a normal distribution that is below x."""
    if x.dtype == np.float64:
        erf = np.vectorize(__import__("math").erf, otypes=[np.float64])
        return 0.5 * x * (1 + erf(x / np.sqrt(2)))
    # To the last bit of float32: the share at the nearest place of a grid, and from there along density and slope.
    erfc = np.vectorize(__import__("math").erfc, otypes=[np.float64])
    inside = np.clip(x, np.float32({-END}), np.float32({END - 1 / STEPS}))
    near = np.rint(inside * np.float32({STEPS})) / np.float32({STEPS})
    share = 0.5 * erfc(near.astype(np.float64) / -np.sqrt(2)) * (near > {-END})
    density = np.exp(-0.5 * np.square(near, dtype=np.float64)) / np.sqrt(2 * np.pi)
    away = inside - near
    more = (near * away - np.float32(2)) * away * (-0.5 * density).astype(np.float32)
    return ((share + more) * x).astype(np.float32)
'''
"""`explorer.core.ops.GELU` in plain numpy, to the same bits, for the head of a script."""
