"""Nodes that come from nowhere: what a person edits."""

from dataclasses import dataclass
from zlib import crc32

import numpy as np

from explorer.core.ops.base import Array, Op

INITIALISERS = ("xavier", "he", "uniform", "zeros")


@dataclass(frozen=True)
class Input(Op):
    """An editable node. Without a given value it starts as `initial` says.

    Parameters
    ----------
    initial : str
        "weights" (random, as the model's initialiser says), "zeros", "ones" or "ids" (whole numbers: all word 0).
    """

    initial: str = "weights"

    @property
    def whole(self) -> bool:  # type: ignore[override]
        return self.initial == "ids"

    def start(self, name: str, shape: tuple[int, ...], dtype: str, seed: int, initialiser: str = "xavier") -> Array:
        """A starting value that depends on the name and the seed alone, so that adding a node moves no other.

        Parameters
        ----------
        name : str
            Of the node.
        shape : tuple of int
        dtype : str
            Of the model; "ids" are int64.
        seed : int
        initialiser : str
            One of `INITIALISERS`, for "weights".
        """
        match self.initial:
            case "ids":
                return np.zeros(shape, dtype=np.int64)
            case "zeros":
                return np.zeros(shape, dtype=dtype)
            case "ones":
                return np.ones(shape, dtype=dtype)
            case _:
                random = np.random.default_rng([seed, crc32(name.encode())])
                return initial_weights(shape, random, initialiser).astype(dtype)


def initial_weights(shape: tuple[int, ...], random: np.random.Generator, initialiser: str) -> Array:
    """Random weights to begin with.

    Parameters
    ----------
    shape : tuple of int
        The last two are the inputs and the outputs of the layer.
    random : numpy.random.Generator
    initialiser : str
        "xavier": uniform within ±sqrt(6 / (inputs + outputs)) (Glorot & Bengio 2010, equation 16); "he": normal with
        variance 2 / inputs (He et al. 2015, equation 10); "uniform": within ±1; "zeros": all alike, which no training
        can tell apart.
    """
    inputs, outputs = (1, 1, *shape)[-2:]
    match initialiser:
        case "zeros":
            return np.zeros(shape)
        case "uniform":
            return random.uniform(-1, 1, shape)
        case "he":
            return random.normal(0, np.sqrt(2 / inputs), shape)
        case _:
            limit = np.sqrt(6 / (inputs + outputs))
            return random.uniform(-limit, limit, shape)
