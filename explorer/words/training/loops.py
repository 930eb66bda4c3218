"""The two inner loops of training, compiled by numba (the extra `fast`); imported only where they are used."""

from typing import Any

import numba
import numpy as np


def use_cores(cores: int | None) -> None:
    """How many cores `learn` may use; all, if None."""
    most: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined, unused-ignore]
    numba.set_num_threads(min(cores or most, most))


@numba.njit(nogil=True)  # type: ignore[misc, unused-ignore]
def add_pairs(stream: Any, start: int, stop: int, units: Any, first: int, last: int, sums: Any) -> None:
    """Add the pairs of a piece of text whose rarer word is one of first … last - 1.

    Parameters
    ----------
    stream : numpy.ndarray
        Numbers of words, negative between lines.
    start, stop : int
        Where the later word of a pair stands.
    units : numpy.ndarray
        What two words that many places apart add.
    first, last : int
        The rows of the triangle that `sums` holds.
    sums : numpy.ndarray
        Changed in place.
    """
    before = first * (first + 1) // 2
    for t in range(start, stop):
        a = np.int64(stream[t])
        if a < 0:
            continue
        for d in range(1, min(len(units), t + 1)):
            b = np.int64(stream[t - d])
            if b < 0:
                break
            row = max(a, b)
            if first <= row < last:
                sums[row * (row + 1) // 2 - before + min(a, b)] += units[d]


@numba.njit(nogil=True, fastmath=True, parallel=True)  # type: ignore[misc, unused-ignore]
def learn(rows: Any, columns: Any, logs: Any, weights: Any, bounds: Any, p: Any, q: Any, rate: Any) -> float:
    """AdaGrad over one stage: parts that share no word, side by side; the pairs of a part one after the other.

    Parameters
    ----------
    rows, columns, logs, weights : numpy.ndarray
        i, j, log X_ij and f(X_ij) of each pair.
    bounds : numpy.ndarray
        Where each part begins, and where the last one ends.
    p, q : tuple of numpy.ndarray
        Of the words, and of the words as contexts: vectors, biases, and the sums of squared gradients of both.

    Returns
    -------
    float
        The loss, each pair's before its step.
    """
    w, bw, gw, gbw = p
    c, bc, gc, gbc = q
    parts = len(bounds) - 1
    losses = np.zeros(parts)
    for part in numba.prange(parts):
        loss = 0.0
        for k in range(bounds[part], bounds[part + 1]):
            i, j = rows[k], columns[k]
            wi, cj, gwi, gcj = w[i], c[j], gw[i], gc[j]
            dot = np.float32(0)
            for d in range(len(wi)):
                dot += wi[d] * cj[d]
            difference = dot + bw[i] + bc[j] - logs[k]
            g = weights[k] * difference
            loss += 0.5 * g * difference
            for d in range(len(wi)):
                a, b = g * cj[d], g * wi[d]
                gwi[d] += a * a
                gcj[d] += b * b
                wi[d] -= rate * a / np.sqrt(gwi[d])
                cj[d] -= rate * b / np.sqrt(gcj[d])
            gbw[i] += g * g
            gbc[j] += g * g
            bw[i] -= rate * g / np.sqrt(gbw[i])
            bc[j] -= rate * g / np.sqrt(gbc[j])
        losses[part] = loss
    return losses.sum()
