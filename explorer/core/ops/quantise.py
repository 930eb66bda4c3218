"""Weights in few bits: one scale for each block of weights, and an integer for each weight."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from explorer.core.cell import Argument, CellBlock, Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op, added
from explorer.core.ops.slips import Kept, Slip, Surroundings

LARGEST = {8: 127, 4: 7}
"""The largest code for each number of bits: codes run from −largest to largest."""


def _blocks(W: Array, block: int) -> tuple[Array, int]:
    """The numbers of each column in blocks, (…, n_blocks, block, d_out), the last filled up with 0; and d_in."""
    *lead, d_in, d_out = W.shape
    n = -(-d_in // block)
    padded = np.zeros((*lead, n * block, d_out), W.dtype)
    padded[..., :d_in, :] = W
    return padded.reshape(*lead, n, block, d_out), d_in


@dataclass(frozen=True)
class BlockScale(Op):
    """The scale of each block of weights, (…, n_blocks, d_out): its largest absolute value ÷ the largest code.

    Each column of W, (…, d_in, d_out), is cut into blocks of `block` inputs (absmax; Dettmers et al. 2022, equation 1).
    """

    bits: int
    block: int
    subscripts = "kj->ij"

    def forward(self, *parents: Array) -> Array:
        blocks, _ = _blocks(parents[0], self.block)
        scale: Array = np.abs(blocks).max(-2) / LARGEST[self.bits]
        return scale

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # Only the largest number of a block changes the scale.
        blocks, d_in = _blocks(parents[0], self.block)
        largest = np.arange(self.block)[:, None] == np.abs(blocks).argmax(-2)[..., None, :]
        slopes = np.where(largest, np.sign(blocks) / LARGEST[self.bits], 0) * gradient[..., None, :]
        *lead, n, block, d_out = slopes.shape
        return (slopes.reshape(*lead, n * block, d_out)[..., :d_in, :].astype(parents[0].dtype, copy=False),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        (W,) = parents
        *lead, i, j = cell
        rows = self._rows(i // self.block, W.value.shape[-2])
        largest = max(rows, key=lambda k: abs(W.value[(*lead, k, j)]))
        if largest != i:
            return Constant(0, "0, another number is the largest")
        sign, top = int(np.sign(W.value[cell])), LARGEST[self.bits]
        return step("divide", Constant(float(sign), str(sign).replace("-", "−")), Constant(float(top), str(top)))

    def formula(self, *symbols: str) -> str:
        return r"\frac{\max_{block} | {%s} |}{%d}" % (symbols[0], LARGEST[self.bits])

    def code(self, *names: str) -> str:
        (W,) = names
        rows = f"(-{W}.shape[-2]) % {self.block}"
        zeros = f"np.zeros((*{W}.shape[:-2], {rows}, {W}.shape[-1]), {W}.dtype)"
        padded = f"(p := np.concatenate([{W}, {zeros}], axis=-2))"
        blocks = f"{padded}.reshape(*p.shape[:-2], -1, {self.block}, p.shape[-1])"
        return f"np.abs({blocks}).max(-2) / {LARGEST[self.bits]}"

    def _rows(self, i: int, d_in: int) -> range:
        return range(i * self.block, min((i + 1) * self.block, d_in))

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        (W,) = parents
        *lead, i, j = cell
        rows = self._rows(i, W.shape[-2])
        each = ",".join(f"ABS({W[(*lead, k, j)]})" for k in rows)
        return f"MAX({each})/{LARGEST[self.bits]}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (W,) = parents
        *lead, i, j = cell
        rows = self._rows(i, W.value.shape[-2])
        sizes = (step("absolute", W[(*lead, k, j)]) for k in rows)
        size = step("max_of", *sizes, label="largest of the block, by size")
        top = LARGEST[self.bits]
        return step("divide", size, Constant(float(top), str(top)), label="scale")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        return (*cell[:-2], cell[-2] // self.block, cell[-1])


@dataclass(frozen=True)
class BlockCodes(Op):
    """The code of each weight: the weight divided by the scale of its block, rounded to an integer.

    Parents are W, (…, d_in, d_out), and the scales, (…, n_blocks, d_out). In a block of zeros all codes are 0.
    """

    bits: int
    block: int
    subscripts = "ij,kj->ij"
    alters = True
    whole = True
    codes = max(LARGEST.values())  # also with fewer bits, so that a pinned code outlasts the switch

    def forward(self, *parents: Array) -> Array:
        W, scale = parents
        each = np.repeat(scale, self.block, axis=-2)[..., : W.shape[-2], :]
        ratio = np.divide(W, each, out=np.zeros_like(W), where=each != 0)
        codes = np.copysign(np.floor(np.abs(ratio) + 0.5), ratio)  # halves are rounded away from 0
        top = LARGEST[self.bits]
        whole: Array = np.clip(np.nan_to_num(codes, nan=0.0), -top, top).astype(np.int64)
        return whole

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return None, None

    def formula(self, *symbols: str) -> str:
        return r"\mathrm{round} \, \frac{%s}{%s}" % symbols

    def code(self, *names: str) -> str:
        W, scale = names
        top = LARGEST[self.bits]
        each = f"(s := np.repeat({scale}, {self.block}, axis=-2)[..., :{W}.shape[-2], :])"
        ratio = f"(q := np.divide({W}, {each}, out=np.zeros_like({W}), where=s != 0))"
        codes = f"np.copysign(np.floor(np.abs({ratio}) + 0.5), q)"
        return f"np.clip(np.nan_to_num({codes}, nan=0.0), -{top}, {top}).astype(np.int64)"

    def _scale(self, cell: tuple[int, ...]) -> tuple[int, ...]:
        return (*cell[:-2], cell[-2] // self.block, cell[-1])

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        W, scale = parents
        s = scale[self._scale(cell)]
        return f"IF({s}=0,0,MAX(-{LARGEST[self.bits]},MIN({LARGEST[self.bits]},ROUND({W[cell]}/{s},0))))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        W, scale = parents
        s, top = scale[self._scale(cell)], LARGEST[self.bits]
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
        first = cell[-2] * self.block
        return (*cell[:-2], slice(first, first + self.block), cell[-1])


@dataclass(frozen=True)
class FromCodes(Op):
    """The quantised weights: code × scale. The gradient goes straight through to W (Bengio et al. 2013, §5).

    Rounding has slope 0 nearly everywhere, so nothing could be learned through it; training uses a slope of 1 instead.
    Parents are W, the codes, and the scales.
    """

    block: int
    subscripts = "ij,ij,kj->ij"
    signed = True
    straight_through = True

    def forward(self, *parents: Array) -> Array:
        W, codes, scale = parents
        left: Array = codes.astype(W.dtype) * np.repeat(scale, self.block, axis=-2)[..., : W.shape[-2], :]
        return left

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return gradient, None, None

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return added(at, value)

    def formula(self, *symbols: str) -> str:
        return rf"{symbols[1]} \cdot {symbols[2]} \approx {symbols[0]}"

    def code(self, *names: str) -> str:
        W, codes, scale = names
        return f"{codes}.astype({W}.dtype) * np.repeat({scale}, {self.block}, axis=-2)[..., :{W}.shape[-2], :]"

    def _scale(self, cell: tuple[int, ...]) -> tuple[int, ...]:
        return (*cell[:-2], cell[-2] // self.block, cell[-1])

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"{parents[1][cell]}*{parents[2][self._scale(cell)]}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("multiply", parents[1][cell], parents[2][self._scale(cell)], label="code × scale")

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        if parent < 2:
            return cell
        first = cell[-2] * self.block
        return (*cell[:-2], slice(first, first + self.block), cell[-1])

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("not rounded", "if the weight is not rounded", Kept())
