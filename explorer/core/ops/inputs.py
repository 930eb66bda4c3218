"""Nodes that come from nowhere: what a person edits."""

from dataclasses import dataclass
from zlib import crc32

import numpy as np

from explorer.core.ops.base import Array, Op


@dataclass(frozen=True)
class Input(Op):
    """An editable node. Without a given value it starts as `initial` says.

    Parameters
    ----------
    initial : str
        "xavier" (Glorot & Bengio 2010: uniform within ±sqrt(6 / (rows + columns))),
        "zeros", "ones" or "ids" (all token number 0).
    """

    initial: str = "xavier"

    def start(self, name: str, shape: tuple[int, ...], dtype: str, seed: int) -> Array:
        """A starting value that depends on the name and the seed alone, so that adding a node moves no other."""
        random = np.random.default_rng([seed, crc32(name.encode())])
        match self.initial:
            case "ids":
                return np.zeros(shape, dtype=np.int64)
            case "zeros":
                return np.zeros(shape, dtype=dtype)
            case "ones":
                return np.ones(shape, dtype=dtype)
            case _:
                limit = np.sqrt(6 / sum(shape[-2:])) if shape else 1.0
                return random.uniform(-limit, limit, shape).astype(dtype)
