"""Where a token stands in its sequence, as numbers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from explorer.core.cell_block import CellBlock
from explorer.core.explain import Argument, Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op, added, passed
from explorer.core.ops.slips import Slip, Surroundings


@dataclass(frozen=True)
class Sinusoidal(Op):
    """Position encoding: sines in the even dimensions, cosines in the odd ones (Vaswani et al. 2017, §3.5)."""

    # `n`, `d`: number of positions and of dimensions.
    n: int
    d: int
    # What 10000 is raised to in dimension j: "paper" 2⌊j/2⌋/d; "004" 2j/d, which the numbers printed in The Math Behind
    # GPT Models follow; "004-script" 2⌊j/2⌋ + (j mod 2)/2, which the formulas and the script there write out.
    exponents: str = "paper"
    dtype: str = "float64"
    subscripts = "->ij"
    signed = True

    def forward(self, *parents: Array) -> Array:
        return np.asarray(position_encoding(self.n, self.d, self.exponents), dtype=self.dtype)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return ()

    def _exponent(self) -> str:
        return {
            "paper": f"2 * (np.arange({self.d}) // 2) / {self.d}",
            "004": f"2 * np.arange({self.d}) / {self.d}",
            "004-script": f"2 * (np.arange({self.d}) // 2) + np.arange({self.d}) % 2 / 2",
        }[self.exponents]

    def formula(self, *symbols: str) -> str:
        power = {"paper": r"2i/d_{model}", "004": r"2j/d_{model}", "004-script": r"2i + (j \bmod 2)/2"}[self.exponents]
        return r"\sin ( pos / 10000^{%s} ) , \; \cos ( \cdot )" % power  # as the paper writes it

    def code(self, *names: str) -> str:
        angle = f"np.arange({self.n})[:, None] / 10000 ** ({self._exponent()})"
        even = f"np.arange({self.d}) % 2 == 0"
        return f"np.where({even}, np.sin(a := {angle}), np.cos(a)).astype('{self.dtype}')"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        position, j = cell[-2:]
        pair = 2 * (j // 2)
        power = {"paper": f"{pair}/{self.d}", "004": f"{2 * j}/{self.d}", "004-script": f"{pair}+{j % 2}/2"}[
            self.exponents
        ]
        return f"{'COS' if j % 2 else 'SIN'}({position}/10000^({power}))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        position, j = cell[-2:]
        exponent = float(exponents(self.d, self.exponents)[j])
        wavelength = step("power", Constant(10000.0, "10000"), Constant(exponent, f"{exponent:g}"), label="wavelength")
        angle = step("divide", Constant(float(position), f"position {position}"), wavelength, label="angle")
        return step("cos" if j % 2 else "sin", angle)

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        for kind, said in (("paper", "2⌊j/2⌋/d, as in the paper"), ("004", "2j/d")):
            if kind != self.exponents:
                yield Slip("other exponents", f"with the exponents {said}", replace(self, exponents=kind))


@dataclass(frozen=True)
class Rotary(Op):
    """Queries or keys, each pair of dimensions turned by an angle that grows with the position (Su et al. 2021).

    Position m turns dimensions 2i and 2i + 1, counted from 0, by the angle m / 10000^(2i/d) (equations 15 and 34). So
    the dot product of a turned query and a turned key knows of their positions only how far apart they are. Of an odd
    number of dimensions the last one has no partner and is not turned.
    """

    d: int  # number of dimensions
    latex = r"R_m \, {%s}_m , \; \theta = m / 10000^{2i/d}"

    @property
    def turned(self) -> int:
        """How many dimensions are turned."""
        return self.d // 2 * 2

    def forward(self, *parents: Array) -> Array:
        return self.from_position(parents[0], 0)

    def from_position(self, x: Array, first: int) -> Array:
        """The same for rows of which the first stands at another position than 0: those behind the ones in a cache."""
        cos, sin = self._cos_sin(x, first)
        even, odd = x[..., 0 : self.turned : 2], x[..., 1 : self.turned : 2]
        return self._joined(even * cos - odd * sin, odd * cos + even * sin, x)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # Turned back: a rotation's transpose is its inverse.
        even, odd = gradient[..., 0 : self.turned : 2], gradient[..., 1 : self.turned : 2]
        cos, sin = (np.broadcast_to(slope, even.shape) for slope in self._cos_sin(parents[0]))
        of_even = passed(even, cos) + passed(odd, sin)
        of_odd = passed(odd, cos) + passed(even, -sin)
        return (self._joined(of_even, of_odd, gradient),)

    def _cos_sin(self, x: Array, first: int = 0) -> tuple[Array, Array]:
        """Of the angles, (n, d // 2)."""
        angles = np.arange(first, first + x.shape[-2])[:, None] / 10000 ** (np.arange(0, self.turned, 2) / self.d)
        return np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)

    def _joined(self, even: Array, odd: Array, x: Array) -> Array:
        pairs = np.stack([even, odd], axis=-1).reshape(*x.shape[:-1], self.turned)
        return np.concatenate([pairs, x[..., self.turned :]], axis=-1)

    def code(self, *names: str) -> str:
        (x,) = names
        angles = f"np.arange({x}.shape[-2])[:, None] / 10000 ** (np.arange(0, {self.turned}, 2) / {self.d})"
        even, odd = f"even := {x}[..., 0:{self.turned}:2]", f"odd := {x}[..., 1:{self.turned}:2]"
        cos, sin = f"cos := np.cos(angles := {angles}).astype({x}.dtype)", f"sin := np.sin(angles).astype({x}.dtype)"
        pairs = f"np.stack([({even}) * ({cos}) - ({odd}) * ({sin}), odd * cos + even * sin], axis=-1)"
        return f"np.concatenate([{pairs}.reshape(*{x}.shape[:-1], {self.turned}), {x}[..., {self.turned}:]], axis=-1)"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        (x,) = parents
        *lead, position, j = cell
        if j >= self.turned:
            return x[cell]
        angle = f"({position}/10000^({j // 2 * 2}/{self.d}))"
        return f"{x[cell]}*COS{angle}{'+' if j % 2 else '-'}{x[(*lead, position, j ^ 1)]}*SIN{angle}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        (x,) = parents
        *lead, position, j = cell
        if j >= self.turned:
            return step("value", x[cell], label="without a partner it is not turned")
        cos, sin = self._turn(x, position, j)
        own = step("multiply", x[cell], cos, label=f"dimension {j + 1} × cos")
        partner = step("multiply", x[(*lead, position, j ^ 1)], sin, label=f"dimension {(j ^ 1) + 1} × sin")
        return step("add" if j % 2 else "subtract", own, partner)

    def _turn(self, x: Source, position: int, j: int) -> tuple[Step, Step]:
        """Cosine and sine of the angle by which a position turns a dimension."""
        exponent = float(np.arange(0, self.turned, 2)[j // 2] / self.d)
        wavelength = step("power", Constant(10000.0, "10000"), Constant(exponent, f"{exponent:g}"), label="wavelength")
        angle = step("divide", Constant(float(position), f"position {position}"), wavelength, label="angle")
        return _as(x.value, step("cos", angle, label="cos")), _as(x.value, step("sin", angle, label="sin"))

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        (x,) = parents
        position, j = cell[-2:]
        if j >= self.turned:
            return added(at, value)
        cos, sin = self._turn(x, position, j)
        of_pair = (step("negate", sin), cos) if j % 2 else (cos, sin)
        return step("row", *of_pair) if isinstance(at[-1], slice) else of_pair[at[-1] % 2]

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        first = cell[-1] // 2 * 2
        return cell if cell[-1] >= self.turned else (*cell[:-1], slice(first, first + 2))

    def forward_rows(self, at: slice, *parents: Array) -> Array:
        return self.from_position(parents[0], at.start)


def _as(array: Array, one: Step) -> Step:
    """The step with its value in the type of the array's numbers."""
    return Step(one.function, one.arguments, array.dtype.type(one.value), one.label)


def exponents(d: int, kind: str) -> Array:
    """The powers of 10000 in the d dimensions; see `Sinusoidal`."""
    j = np.arange(d)
    match kind:
        case "paper":
            return 2 * (j // 2) / d
        case "004":
            return 2 * j / d
        case _:
            return 2 * (j // 2) + j % 2 / 2


def position_encoding(n: int, d: int, kind: str) -> Array:
    """The position encoding as an (n, d) array; n, d and the kind of exponents as of `Sinusoidal`."""
    return waves(np.arange(n), d, kind)


def waves(positions: Array, d: int, kind: str) -> Array:
    """The sines and cosines at some positions, (n,), also between those of words, as an (n, d) array."""
    angle = positions[:, None] / 10000 ** exponents(d, kind)
    encoding: Array = np.sin(angle)
    encoding[:, 1::2] = np.cos(angle)[:, 1::2]
    return encoding
