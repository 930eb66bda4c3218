"""Nodes without parents: the values that a person edits."""

from collections.abc import Callable, Iterator
from math import prod
from zlib import crc32

import numpy as np

from explorer.core.ops.base import Array, Op

INITIALISERS = ("xavier", "he", "uniform", "zeros")


class Input(Op):
    """An editable node. `initial` says how it starts if no value is given."""

    # "weights" (random, by the model's initialiser), "zeros", "ones" or "ids" (whole numbers: all word 0).
    initial: str = "weights"
    turned: bool = False  # whether weights are (d_out, d_in), not (d_in, d_out)

    @property
    def whole(self) -> bool:  # type: ignore[override]
        return self.initial == "ids"

    @property
    def random(self) -> bool:
        return self.initial == "weights"

    def start(self, name: str, shape: tuple[int, ...], dtype: str, seed: int, initialiser: str = "xavier") -> Array:
        """A starting value that depends only on the name and the seed, so that an added node changes no other node.

        Parameters
        ----------
        name : str
            Of the node.
        dtype : str
            Of the model; "ids" are int64.
        initialiser : str
            One of `INITIALISERS`, for "weights".
        """
        array = np.empty(shape, dtype=np.int64 if self.whole else dtype)
        self.write_start(array, name, seed, initialiser)
        return array

    def write_start(
        self, array: Array, name: str, seed: int, initialiser: str = "xavier", corner: tuple[int, ...] | None = None
    ) -> None:
        """Write the starting value into a new array, with the parameters of `start`.

        `corner`: the shape of a corner at the first cell that is not written, because the caller will fill it.
        """
        match self.initial:
            case "ids" | "zeros":
                array[...] = 0
            case "ones":
                array[...] = 1
            case _:
                random = np.random.default_rng([seed, crc32(name.encode())])
                write_weights(array, random, initialiser, corner, self.turned)


def _draw(
    shape: tuple[int, ...], random: np.random.Generator, initialiser: str, turned: bool
) -> Callable[[int], Array]:
    """A function that draws the next n numbers of `write_weights`, in the order of memory."""
    inputs, outputs = (1, 1, *shape)[-2:][:: -1 if turned else 1]
    match initialiser:
        case "zeros":
            return np.zeros
        case "uniform":
            return lambda n: random.uniform(-1, 1, n)
        case "he":
            return lambda n: random.normal(0, np.sqrt(2 / inputs), n)
        case _:
            limit = np.sqrt(6 / (inputs + outputs))
            return lambda n: random.uniform(-limit, limit, n)


_BLOCK = 2**16
"""Numbers drawn at a time: they fit into a cache, and no second array of full size is made."""


def write_weights(
    array: Array,
    random: np.random.Generator,
    initialiser: str,
    corner: tuple[int, ...] | None = None,
    turned: bool = False,
) -> None:
    """Write random starting weights.

    Parameters
    ----------
    array : numpy.ndarray
        A contiguous array; its last two axes are the inputs and outputs of the layer, or with `turned` the outputs and
        inputs.
    random : numpy.random.Generator
    initialiser : str
        "xavier": uniform within ±sqrt(6 / (inputs + outputs)) (Glorot & Bengio 2010, equation 16); "he": normal with
        variance 2 / inputs (He et al. 2015, equation 10); "uniform": within ±1; "zeros": all equal, so that training
        cannot make units different.
    corner : tuple of int, optional
        The extent of a corner that is not written.
    turned : bool
        See `array`.
    """
    draw, flat, drawn = _draw(array.shape, random, initialiser, turned), array.reshape(-1), 0
    for start, stop in _outside(array.shape, corner):
        if initialiser == "he":  # the number of random bits per normal number varies, so all are drawn
            for i in range(drawn, start, _BLOCK):
                draw(min(_BLOCK, start - i))
        else:  # a uniform number takes exactly one step of the generator
            random.bit_generator.advance(start - drawn)  # type: ignore[attr-defined]
        for i in range(start, stop, _BLOCK):
            flat[i : min(i + _BLOCK, stop)] = draw(min(_BLOCK, stop - i))
        drawn = stop


def _outside(shape: tuple[int, ...], corner: tuple[int, ...] | None) -> Iterator[tuple[int, int]]:
    """The cells of an array outside a corner, as ranges of memory: (start, stop)."""
    if corner is None:
        yield 0, prod(shape)
        return
    if not shape:
        return
    row = prod(shape[1:])
    if shape[1:] != corner[1:]:
        for i in range(corner[0]):
            for start, stop in _outside(shape[1:], corner[1:]):
                yield i * row + start, i * row + stop
    if corner[0] < shape[0]:
        yield corner[0] * row, prod(shape)
