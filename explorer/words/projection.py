"""Vectors in fewer dimensions, by principal components."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Projection:
    """Vectors seen along their principal components.

    Parameters
    ----------
    points : numpy.ndarray
        (n, k).
    mean : numpy.ndarray
        What was taken off first, (dims,).
    axes : numpy.ndarray
        The components, of length one, as columns, (dims, k).
    shares : numpy.ndarray
        Which share of the variance lies along each, (k,).
    """

    points: Floats
    mean: Floats
    axes: Floats
    shares: Floats

    @property
    def kept(self) -> float:
        """The share of the variance that is kept."""
        return float(self.shares.sum())

    def of(self, vectors: NDArray[np.floating]) -> Floats:
        """Other vectors seen the same way, (n, k)."""
        return (np.asarray(vectors, float) - self.mean) @ self.axes


def principal(vectors: NDArray[np.floating], k: int) -> Projection:
    """
    The k directions along which vectors differ most (Pearson 1901; Hotelling 1933).

    Parameters
    ----------
    vectors : numpy.ndarray
        (n, dims).
    k : int
        From 1 to dims. Where there are fewer vectors than that, the last directions carry nothing.

    Notes
    -----
    A component's sign is free; here its largest number is positive, so that a picture does not flip by chance.
    """
    n, dims = vectors.shape
    if not 1 <= k <= dims:
        raise ValueError(f"{k} of {dims} dimensions")
    mean = vectors.mean(0, dtype=np.float64)
    centred = np.asarray(vectors, float) - mean
    if n < dims:
        axes, variances = _of_few(centred, k)
    else:
        values, every = np.linalg.eigh(centred.T @ centred)
        axes, variances = every[:, ::-1][:, :k], np.clip(values[::-1][:k], 0, None)
    signs = np.sign(axes[np.abs(axes).argmax(0), np.arange(k)])
    axes = axes * np.where(signs, signs, 1)
    total = float((centred * centred).sum())
    shares = variances / total if total else np.zeros(k)
    return Projection(centred @ axes, mean, axes, shares)


def _of_few(centred: Floats, k: int) -> tuple[Floats, Floats]:
    """Of fewer vectors than dimensions, without a matrix of dims × dims where k is small."""
    _, lengths, rows = np.linalg.svd(centred, full_matrices=k > len(centred))
    variances = np.zeros(k)
    variances[: len(lengths[:k])] = lengths[:k] ** 2
    return rows[:k].T, variances


def without_top(vectors: NDArray[np.floating], k: int) -> NDArray[np.float32]:
    """
    Vectors without their mean and without their first k components (Mu and Viswanath 2018, "All-but-the-top").

    The first few directions mostly tell frequent words from rare ones and hide the meaning in a cosine.
    """
    first = principal(vectors, k)
    return np.asarray(vectors - first.mean - first.points @ first.axes.T, np.float32)
