"""A summary of arrays too large to be seen whole: their largest number, the number at which a colour is full, and the
strongest number in each square.
"""

from collections.abc import Hashable
from itertools import pairwise
from math import isfinite
from typing import Any
from weakref import ref

import numpy as np

from explorer.core.ops import Array

SQUARES = 256
"""Squares across and down of a picture; in a larger matrix each shows the strongest of several cells."""
FINEST = 512
"""The same for the picture of a whole matrix: to colour each cell of GPT-2's table of words takes two seconds."""
VERY_LARGE = 10_000_000
"""Cells of a matrix from which on it is scanned before its picture is wanted."""
MANY, MOST, TIMES = 1000, 0.99, 2.0
"""Of so many numbers a colour is full at `TIMES` the size that `MOST` of them stay below, or at the largest.

With numbers of a normal distribution that is the largest of up to four million.
"""
_LOOKED_UP, _FEW_IN_SQUARE = 100_000, 32
_FOUND: dict[int, tuple[ref[Array], dict[Hashable, Any]]] = {}
"""Results for large arrays closed against writing, and for parts of them: a page asks several times, and scanning the
table of GPT-2 takes 20 ms."""


def largest_of(array: Array) -> float:
    """The absolute value of the largest finite number; 0 if there is none."""
    found, part = _looked_up(array) if array.size >= _LOOKED_UP else ({}, None)
    if part not in found:
        high, low = (float(array.max()), float(array.min())) if array.size else (0.0, 0.0)
        is_finite = isfinite(high) and isfinite(low)  # a NaN makes both of them NaN
        found[part] = max(high, -low) if is_finite else float(np.abs(array[np.isfinite(array)]).max(initial=0))
    largest: float = found[part]
    return largest


def full_of(array: Array, largest: float | None = None) -> float:
    """The absolute value from which on a colour is full; 0 if all numbers are 0.

    It is the largest, unless that stands alone: in large models a few numbers are hundreds of times as large as the
    others (Sun et al. 2024, "Massive activations"), and beside them all others would have the colour of 0.

    `largest`: the result of `largest_of`, if it is known.
    """
    largest = largest_of(array) if largest is None else largest
    if array.size < MANY:
        return largest
    found, part = _looked_up(array) if array.size >= _LOOKED_UP else ({}, None)
    key = part, "full"
    if key not in found:
        some = np.abs(array[:: max(array.size // _LOOKED_UP, 1)]).ravel()
        some = some[np.isfinite(some)]
        kth = int(MOST * len(some))
        found[key] = min(largest, TIMES * float(np.partition(some, kth)[kth])) if len(some) else 0.0
    full: float = found[key] or largest
    return full


def _looked_up(array: Array) -> tuple[dict[Hashable, Any], Hashable]:
    """The cache of a large array, and the key of this part of it; an empty cache for a writeable array."""
    owner = _owner(array)
    if owner.flags.writeable:
        return {}, None
    key = id(owner)
    kept, found = _FOUND.get(key, (None, {}))
    if kept is None or kept() is not owner:
        found, forget = {}, _FOUND.pop  # bound here, because the module's names go before the arrays at exit
        _FOUND[key] = ref(owner, lambda _: forget(key, None)), found
    return found, (array.__array_interface__["data"][0], array.shape, array.strides)


def _owner(array: Array) -> Array:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def strongest_in(array: Array, most: int, across: int = 0) -> Array:
    """A matrix of at most `most` rows and columns: of the cells that share a square, the one farthest from 0.

    `across`: at most so many columns, if that is another number.

    The longer side is reduced first. If the cells of a square lie far apart in memory, contiguous parts are reduced:
    `reduceat` takes ten times as long (0.4 s for the words of GPT-2). If they lie in one row, `reduceat` takes a third
    of the time for many cells; for few it takes twice as long as a loop over the cells' places in their squares.
    """
    across = across or most
    if abs(array.strides[0]) < abs(array.strides[1]):
        return strongest_in(array.T, across, most).T  # after the transposition each row is contiguous
    found, part = _looked_up(array) if array.size >= _LOOKED_UP else ({}, None)
    key = part, most, across
    if key not in found:
        found[key] = _strongest_in(array, (most, across))
    strongest: Array = found[key]
    return strongest


def _strongest_in(array: Array, squares: tuple[int, int]) -> Array:
    for axis in sorted((0, 1), key=lambda axis: -array.shape[axis]):
        n, most = array.shape[axis], squares[axis]
        if n <= most:
            continue
        bounds = np.arange(most + 1) * n // most
        starts, ends = bounds[:-1], bounds[1:]
        if axis == 0 and array.size > _LOOKED_UP:
            parts = (array[slice(*two)] for two in zip(starts, ends, strict=True))
            high, low = map(np.stack, zip(*((one.max(0), one.min(0)) for one in parts), strict=True))
        elif n > _FEW_IN_SQUARE * most:
            high, low = np.maximum.reduceat(array, starts, axis), np.minimum.reduceat(array, starts, axis)
        else:
            high = low = array.take(starts, axis)
            for k in range(1, -(-n // most)):
                one = array.take(np.minimum(starts + k, ends - 1), axis)
                high, low = np.maximum(high, one), np.minimum(low, one)
        array = np.where(high >= -low, high, low)
    return array


def apart(now: Array, was: Array) -> Array:
    """`now` − `was`: 0 where both are the same, also where both are infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(now == was, 0.0, now - was)


def farthest_apart(now: Array, was: Array, most: int) -> Array:
    """How far the numbers of a matrix are from their earlier values, in at most `most` rows and columns."""
    if abs(now.strides[0]) < abs(now.strides[1]):
        return farthest_apart(now.T, was.T, most).T
    if now.size < _LOOKED_UP or _owner(was).flags.writeable:
        return _farthest_apart(now, was, most)
    (found, part), (_, place) = _looked_up(now), _looked_up(was)
    key = part, most, "apart"
    if key in found and found[key][0]() is _owner(was) and found[key][1] == place:
        farthest: Array = found[key][2]
        return farthest
    farthest = _farthest_apart(now, was, most)
    found[key] = ref(_owner(was)), place, farthest
    return farthest


def _farthest_apart(now: Array, was: Array, most: int) -> Array:
    rows, columns = now.shape
    found = np.zeros((min(rows, most), min(columns, most)))
    ends = np.linspace(0, rows, len(found) + 1).astype(int).tolist()
    for i, (start, end) in enumerate(pairwise(ends)):
        if not np.array_equal(now[start:end], was[start:end]):
            change = np.abs(strongest_in(apart(now[start:end], was[start:end]), most))
            found[i] = np.fmax.reduce(change, axis=0)
    return found


def look_through(array: Array, was: Array | None = None) -> None:
    """Compute, on any thread, what the picture of a very large matrix needs, before somebody waits for it.

    For the words of Qwen 3 0.6B it takes 0.2 s.

    `was`: the matrix before an edit; the cells that differ flash in the picture.
    """
    if array.ndim != 2 or array.size < VERY_LARGE:
        return
    largest_of(array)
    strongest_in(array, SQUARES)
    strongest_in(array, FINEST)
    if was is not None and was.shape == array.shape:
        farthest_apart(array, was, SQUARES)
