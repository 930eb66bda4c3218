"""Vectors in fewer dimensions: by principal components, or by t-SNE if scikit-learn, the extra `maps`, is there."""

from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from explorer.core.frozen import Frozen

Floats = NDArray[np.float64]

PERPLEXITY = 10.0
"""About how many neighbours of each point are preserved; van der Maaten and Hinton advise 5 to 50, for larger maps."""
LEAST = 4
"""The fewest points of a t-SNE map."""


class Projection(Frozen):
    """Vectors in the coordinates of their principal components."""

    points: Floats  # (n, k)
    mean: Floats  # the mean that was subtracted first, (dims,)
    axes: Floats  # the components, of unit length, as columns, (dims, k)
    shares: Floats  # the share of the variance along each component, (k,)

    @property
    def kept(self) -> float:
        """The share of the variance along all components."""
        return float(self.shares.sum())

    def of(self, vectors: NDArray[np.floating]) -> Floats:
        """Other vectors in the same coordinates, (n, k)."""
        return (np.asarray(vectors, float) - self.mean) @ self.axes


def principal(vectors: NDArray[np.floating], k: int) -> Projection:
    """The k directions of greatest variance (Pearson 1901; Hotelling 1933).

    `vectors`: (n, dims).
    `k`: from 1 to dims. With fewer vectors than that, the last directions have no variance.

    The sign of a component is arbitrary; here its largest number is positive, so that pictures do not flip.
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
    """The components of fewer vectors than dimensions; a small k needs no matrix of dims × dims."""
    _, lengths, rows = np.linalg.svd(centred, full_matrices=k > len(centred))
    variances = np.zeros(k)
    variances[: len(lengths[:k])] = lengths[:k] ** 2
    return rows[:k].T, variances


def without_top(vectors: NDArray[np.floating], k: int) -> NDArray[np.float32]:
    """Vectors without their mean and without their first k components (Mu and Viswanath 2018, "All-but-the-top").

    The first directions mostly separate frequent words from rare ones, and hide the meaning in a cosine.
    """
    first = principal(vectors, k)
    return np.asarray(vectors - first.mean - first.points @ first.axes.T, np.float32)


def tsne_available() -> bool:
    """Whether scikit-learn, the extra `maps`, is installed."""
    return find_spec("sklearn") is not None


def tsne(vectors: NDArray[np.floating], seed: int = 0) -> Floats:
    """A map that puts vectors of similar direction close together (van der Maaten and Hinton 2008), by scikit-learn.

    `vectors`: (n, dims), n at least `LEAST`.
    `seed`: the same seed gives the same map.
    Returns (n, 2). Only neighbourhoods have a meaning, not directions, nor distances between groups.
    """
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    n, dims = vectors.shape
    if n < LEAST:
        raise ValueError(f"a map of {n} points")
    first = np.zeros((n, 2))
    first[:, :dims] = principal(vectors, min(dims, 2)).points
    # As small as scikit-learn's own start: points that start far apart stay apart.
    spread = first[:, 0].std()
    first *= 1e-4 / spread if spread else 0
    perplexity = min(PERPLEXITY, (n - 1) / 3)
    # With several threads the order of its sums, and so the last digits, would differ between runs.
    with threadpool_limits(1, "openmp"):
        found = TSNE(2, perplexity=perplexity, metric="cosine", init=first, random_state=seed).fit_transform(vectors)
    return np.asarray(found, float)
