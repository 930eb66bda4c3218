"""Co-occurrence: how often, and how close, each word occurs near each other word (Pennington et al. 2014, section 3).

Two words d places apart in a line add 1/d to their count, in both directions. Sums are integers in a unit that divides
all of 1, 1/2, …, 1/window, so they are exact and do not depend on the order of counting.
"""

from collections.abc import Sequence
from math import lcm

import numpy as np
from numpy.typing import NDArray

from explorer.core.frozen import Frozen
from explorer.words.progress import Meter, Report
from explorer.words.training.corpus import BREAK, Corpus

WIDEST = 20
"""The largest window; with a larger one the exact sums of a large text could exceed 64 bits."""
_CHUNK = 1 << 20
_CELLS = 100_000_000
"""How many sums the compiled version holds at a time (800 MB); for further sums it reads the text again."""


class Counts(Frozen):
    """The co-occurrence counts of all pairs of words that occur together; each unordered pair once."""

    n_words: int
    # `rows`, `columns`: the two words, ``rows >= columns``, (n_pairs,), int32; sorted by row, then column.
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]  # X_ij = X_ji, (n_pairs,), float64

    def table(self, words: Sequence[int]) -> NDArray[np.float64]:
        """The counts of some words with each other, (n, n)."""
        place = {word: i for i, word in enumerate(words)}
        of = np.full(self.n_words, -1)
        of[list(place)] = list(place.values())
        inside = (of[self.rows] >= 0) & (of[self.columns] >= 0)
        rows, columns = of[self.rows[inside]], of[self.columns[inside]]
        table = np.zeros((len(place), len(place)))
        table[rows, columns] = table[columns, rows] = self.values[inside]
        return table


def count(corpus: Corpus, window: int, report: Report | None = None, fast: bool = False) -> Counts:
    """Count the pairs of words of a text.

    Parameters
    ----------
    window : int
        The largest distance of two words, in places, 1 to `WIDEST`.
    fast : bool
        Use numba; the counts are the same.
    """
    if not 1 <= window <= WIDEST:
        raise ValueError(f"a window of {window}")
    one = lcm(*range(1, window + 1))
    units = np.array([0, *(one // d for d in range(1, window + 1))], np.int64)
    sums = _compiled(corpus, units, report) if fast else _sorted(corpus, units, report)
    rows, columns, totals = sums
    # A pair of equal words was counted once, but occurs in both directions.
    return Counts(len(corpus.words), rows, columns, totals * np.where(rows == columns, 2, 1) / one)


Sums = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]


def _sorted(corpus: Corpus, units: NDArray[np.int64], report: Report | None) -> Sums:
    """With numpy: the pairs of each piece of text as sorted keys, merged into the earlier ones."""
    n, window = len(corpus.words), len(units) - 1
    stream = corpus.stream.astype(np.int64)
    lines = np.cumsum(stream == BREAK)
    meter = Meter("counting", len(stream), report)
    keys, totals = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for start in range(0, len(stream), _CHUNK):
        found, weights = [keys], [totals]
        for d in range(1, window + 1):
            earlier = slice(start, max(start, min(start + _CHUNK, len(stream) - d)))
            later = slice(earlier.start + d, earlier.stop + d)
            a, b = stream[earlier], stream[later]
            beside = (lines[earlier] == lines[later]) & (a != BREAK) & (b != BREAK)
            a, b = a[beside], b[beside]
            found.append(np.maximum(a, b) * n + np.minimum(a, b))
            weights.append(np.full(len(a), units[d]))
        keys, place = np.unique(np.concatenate(found), return_inverse=True)
        # float64 holds integers up to 2**53 exactly.
        totals = np.bincount(place, np.concatenate(weights), len(keys)).astype(np.int64)
        meter(min(start + _CHUNK, len(stream)))
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32), totals


def _compiled(corpus: Corpus, units: NDArray[np.int64], report: Report | None) -> Sums:
    """With numba: a triangle of sums, in bands of rows that fit into memory."""
    from explorer.words.training.loops import add_pairs

    n = len(corpus.words)
    bands, first = [], 0
    while first < n:
        last = first + 1
        while last < n and _cells(last + 1) - _cells(first) <= _CELLS:
            last += 1
        bands.append((first, last))
        first = last
    parts: list[Sums] = []
    step = 1 << 23
    meter = Meter("counting", len(corpus.stream) * len(bands), report)
    for band, (first, last) in enumerate(bands):
        sums = np.zeros(_cells(last) - _cells(first), np.int64)
        for start in range(0, len(corpus.stream), step):
            stop = min(start + step, len(corpus.stream))
            add_pairs(corpus.stream, start, stop, units, first, last, sums)
            meter(band * len(corpus.stream) + stop)
        where = np.flatnonzero(sums)
        ends = np.array([_cells(row + 1) - _cells(first) for row in range(first, last)])
        rows = np.searchsorted(ends, where, side="right")
        columns = where - np.concatenate(([0], ends))[rows]
        parts.append(((rows + first).astype(np.int32), columns.astype(np.int32), sums[where]))
    every = list(zip(*parts, strict=True))
    return np.concatenate(every[0]), np.concatenate(every[1]), np.concatenate(every[2])


def _cells(row: int) -> int:
    """How many cells of the triangle lie before a row."""
    return row * (row + 1) // 2
