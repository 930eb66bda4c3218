"""The two inner loops of training, compiled by numba (the extra `fast`); imported only if they are used."""

from typing import Any

import numba
import numpy as np


def use_cores(cores: int | None) -> None:
    """Set how many cores `learn` may use; None: all."""
    most: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined, unused-ignore]
    numba.set_num_threads(min(cores or most, most))


@numba.njit(nogil=True)  # type: ignore[misc, unused-ignore]
def add_pairs(stream: Any, start: int, stop: int, units: Any, first: int, last: int, sums: Any) -> None:
    """Add the pairs of a piece of text whose rarer word is one of first … last - 1.

    `stream`: word numbers, negative between lines.
    `start`, `stop`: the places of the later word of a pair.
    `units`: what two words add at each distance.
    `first`, `last`: the rows of the triangle that `sums` covers.
    `sums`: changed in place.
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
    """AdaGrad over one stage: parts, which share no word, in parallel; the pairs of a part one after another.

    `rows`, `columns`, `logs`, `weights`: i, j, log X_ij and f(X_ij) of each pair.
    `bounds`: the beginnings of the parts, and the end of the last one.
    `p`, `q`: for the words, and for the words as contexts: vectors, biases, and the sums of squared gradients of both.
    Returns the loss; that of each pair is taken before its step.
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
