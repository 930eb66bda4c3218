"""Nodes without parents, the values that a person edits: how weights start; and weights in few bits.

In few bits, each block of weights has one scale, and each weight is an integer.
"""

from collections.abc import Callable, Iterator
from math import prod
from typing import Any
from zlib import crc32

import numpy as np

from explorer.core.cell import Argument, Array, CellBlock, Constant, Index, Source, Step, step
from explorer.core.ops.base import Kept, Op, Slip, Surroundings, added

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

        `name`: of the node.
        `dtype`: of the model; "ids" are int64.
        `initialiser`: one of `INITIALISERS`, for "weights".
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
    shape: tuple[int, ...], random: "np.random.Generator", initialiser: str, turned: bool
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
    random: "np.random.Generator",
    initialiser: str,
    corner: tuple[int, ...] | None = None,
    turned: bool = False,
) -> None:
    """Write random starting weights.

    `array`: a contiguous array; its last two axes are the inputs and outputs of the layer, or with `turned` the outputs
    and inputs.
    `initialiser`: "xavier": uniform within ±sqrt(6 / (inputs + outputs)) (Glorot & Bengio 2010, equation 16); "he":
    normal with variance 2 / inputs (He et al. 2015, equation 10); "uniform": within ±1; "zeros": all equal, so that
    training cannot make units different.
    `corner`: the extent of a corner that is not written.
    `turned`: see `array`.
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


LARGEST = {8: 127, 4: 7}
"""The largest code for each number of bits: codes run from −largest to largest."""


def _blocks(W: Array, block: int) -> tuple[Array, int]:
    """The numbers of each column in blocks, (…, n_blocks, block, d_out), the last filled up with 0; and d_in."""
    *lead, d_in, d_out = W.shape
    n = -(-d_in // block)
    padded = np.zeros((*lead, n * block, d_out), W.dtype)
    padded[..., :d_in, :] = W
    return padded.reshape(*lead, n, block, d_out), d_in


def _at_input(cell: tuple[int, ...], k: int | slice, turned: bool) -> tuple[Any, ...]:
    """The cell of a matrix of weights, or of its scales, with another input or block of inputs."""
    return (*cell[:-1], k) if turned else (*cell[:-2], k, cell[-1])


def _of_block(cell: tuple[int, ...], block: int, turned: bool) -> tuple[Any, ...]:
    """The cell of the scale of a weight."""
    return _at_input(cell, cell[-1 if turned else -2] // block, turned)


def _in_block(cell: tuple[int, ...], block: int, turned: bool) -> tuple[Any, ...]:
    """The cells of the weights with this scale."""
    first = cell[-1 if turned else -2] * block
    return _at_input(cell, slice(first, first + block), turned)


def _each(scale: Array, W: Array, block: int, turned: bool) -> Array:
    """The scale of each weight, in the shape of W."""
    if turned:
        return np.repeat(scale, block, axis=-1)[..., : W.shape[-1]]
    return np.repeat(scale, block, axis=-2)[..., : W.shape[-2], :]


def _each_code(scale: str, W: str, block: int, turned: bool) -> str:
    if turned:
        return f"np.repeat({scale}, {block}, axis=-1)[..., :{W}.shape[-1]]"
    return f"np.repeat({scale}, {block}, axis=-2)[..., :{W}.shape[-2], :]"


class BlockScale(Op):
    """The scale of each block of weights, (…, n_blocks, d_out): its largest absolute value ÷ the largest code.

    Each column of W, (…, d_in, d_out), is cut into blocks of `block` inputs (absmax; Dettmers et al. 2022, equation 1);
    if `turned`, each row of W, (…, d_out, d_in), and the scales are (…, d_out, n_blocks).
    """

    bits: int
    block: int
    turned: bool = False

    @property
    def subscripts(self) -> str:  # type: ignore[override]
        return "ik->ij" if self.turned else "kj->ij"

    def forward(self, *parents: Array) -> Array:
        blocks, _ = _blocks(parents[0].mT if self.turned else parents[0], self.block)
        scale: Array = np.abs(blocks).max(-2) / LARGEST[self.bits]
        return scale.mT.copy() if self.turned else scale

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # Only the largest number of a block changes the scale.
        W = parents[0].mT if self.turned else parents[0]
        gradient = gradient.mT if self.turned else gradient
        blocks, d_in = _blocks(W, self.block)
        largest = np.arange(self.block)[:, None] == np.abs(blocks).argmax(-2)[..., None, :]
        slopes = np.where(largest, np.sign(blocks) / LARGEST[self.bits], 0) * gradient[..., None, :]
        *lead, n, block, d_out = slopes.shape
        of_W = slopes.reshape(*lead, n * block, d_out)[..., :d_in, :].astype(W.dtype, copy=False)
        return (of_W.mT if self.turned else of_W,)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        (W,) = parents
        axis = -1 if self.turned else -2
        rows = self._rows(cell[axis] // self.block, W.value.shape[axis])
        largest = max(rows, key=lambda k: abs(W.value[_at_input(cell, k, self.turned)]))
        if largest != cell[axis]:
            return Constant(0, "0, another number is the largest")
        sign, top = int(np.sign(W.value[cell])), LARGEST[self.bits]
        return step("divide", Constant(float(sign), str(sign).replace("-", "−")), Constant(float(top), str(top)))

    def formula(self, *symbols: str) -> str:
        return r"\frac{\max_{block} | {%s} |}{%d}" % (symbols[0], LARGEST[self.bits])

    def code(self, *names: str) -> str:
        W = f"{names[0]}.mT" if self.turned else names[0]
        rows = f"(-{W}.shape[-2]) % {self.block}"
        zeros = f"np.zeros((*{W}.shape[:-2], {rows}, {W}.shape[-1]), {W}.dtype)"
        padded = f"(p := np.concatenate([{W}, {zeros}], axis=-2))"
        blocks = f"{padded}.reshape(*p.shape[:-2], -1, {self.block}, p.shape[-1])"
        scale = f"np.abs({blocks}).max(-2) / {LARGEST[self.bits]}"
        return f"({scale}).mT.copy()" if self.turned else scale

    def _rows(self, i: int, d_in: int) -> range:
        return range(i * self.block, min((i + 1) * self.block, d_in))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (W,) = parents
        axis = -1 if self.turned else -2
        rows = self._rows(cell[axis], W.value.shape[axis])
        sizes = (step("absolute", W[_at_input(cell, k, self.turned)]) for k in rows)
        size = step("max_of", *sizes, label="largest of the block, by size")
        top = LARGEST[self.bits]
        return step("divide", size, Constant(float(top), str(top)), label="scale")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        return _of_block(cell, self.block, self.turned)


class BlockCodes(Op):
    """The code of each weight: the weight divided by the scale of its block, rounded to an integer.

    Parents are W, (…, d_in, d_out), and the scales, (…, n_blocks, d_out); `turned` as in `BlockScale`. In a block of
    zeros all codes are 0.
    """

    bits: int
    block: int
    turned: bool = False
    alters = True
    whole = True
    latex = r"\mathrm{round} \, \frac{%s}{%s}"
    codes = max(LARGEST.values())  # also with fewer bits, so that a pinned code outlasts the switch

    @property
    def subscripts(self) -> str:  # type: ignore[override]
        return "ij,ik->ij" if self.turned else "ij,kj->ij"

    def forward(self, *parents: Array) -> Array:
        W, scale = parents
        each = _each(scale, W, self.block, self.turned)
        ratio = np.divide(W, each, out=np.zeros_like(W), where=each != 0)
        codes = np.copysign(np.floor(np.abs(ratio) + 0.5), ratio)  # halves are rounded away from 0
        top = LARGEST[self.bits]
        return np.clip(np.nan_to_num(codes, nan=0.0), -top, top).astype(np.int64)

    def code(self, *names: str) -> str:
        W, scale = names
        top = LARGEST[self.bits]
        each = f"(s := {_each_code(scale, W, self.block, self.turned)})"
        ratio = f"(q := np.divide({W}, {each}, out=np.zeros_like({W}), where=s != 0))"
        codes = f"np.copysign(np.floor(np.abs({ratio}) + 0.5), q)"
        return f"np.clip(np.nan_to_num({codes}, nan=0.0), -{top}, {top}).astype(np.int64)"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        W, scale = parents
        s = scale[_of_block(cell, self.block, self.turned)]
        return f"IF({s}=0,0,MAX(-{LARGEST[self.bits]},MIN({LARGEST[self.bits]},ROUND({W[cell]}/{s},0))))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        W, scale = parents
        s, top = scale[_of_block(cell, self.block, self.turned)], LARGEST[self.bits]
        if not s.value and np.isfinite(W.value[cell]):
            return step("multiply", W[cell], s, label="a block of zeros")
        code = step("round", step("divide", W[cell], s), label="code")
        if np.isnan(code.value) or not s.value:
            return step("value", Constant(0, "0"))
        if abs(code.value) <= top:
            return code
        largest, least = Constant(top, str(top)), Constant(-top, f"−{top}")
        return step("maximum", least, step("minimum", largest, code), label=f"no code is beyond {top}")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        if parent == 0:
            return cell
        return _in_block(cell, self.block, self.turned)


class FromCodes(Op):
    """The quantised weights: code × scale. The gradient goes straight through to W (Bengio et al. 2013, §5).

    Rounding has slope 0 nearly everywhere, so nothing could be learned through it; training uses a slope of 1 instead.
    Parents are W, the codes, and the scales; `turned` as in `BlockScale`.
    """

    block: int
    turned: bool = False
    signed = True
    straight_through = True

    @property
    def subscripts(self) -> str:  # type: ignore[override]
        return "ij,ij,ik->ij" if self.turned else "ij,ij,kj->ij"

    def forward(self, *parents: Array) -> Array:
        W, codes, scale = parents
        return codes.astype(W.dtype) * _each(scale, W, self.block, self.turned)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return gradient, None, None

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return added(at, value)

    def formula(self, *symbols: str) -> str:
        return rf"{symbols[1]} \cdot {symbols[2]} \approx {symbols[0]}"

    def code(self, *names: str) -> str:
        W, codes, scale = names
        return f"{codes}.astype({W}.dtype) * {_each_code(scale, W, self.block, self.turned)}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        _, codes, scales = parents
        scale = scales[_of_block(cell, self.block, self.turned)]
        return step("multiply", codes[cell], scale, label="code × scale")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        if parent < 2:
            return cell
        return _in_block(cell, self.block, self.turned)

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("not rounded", "if the weight is not rounded", Kept())
