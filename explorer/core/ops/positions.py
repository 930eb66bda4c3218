"""Where a token stands in its sequence, as numbers."""

from dataclasses import dataclass

import numpy as np

from explorer.core.explain import Constant, Source, Step, step
from explorer.core.ops.base import Array, Op


@dataclass(frozen=True)
class Sinusoidal(Op):
    """Position encoding: sines in the even dimensions, cosines in the odd ones (Vaswani et al. 2017, §3.5).

    Parameters
    ----------
    n, d : int
        Number of positions and of dimensions.
    exponents : str
        What 10000 is raised to in dimension j: "paper" 2⌊j/2⌋/d; "004" 2j/d, which the numbers printed in The Math
        Behind GPT Models follow; "004-script" 2⌊j/2⌋ + (j mod 2)/2, which the formulas and the script there write out.
    dtype : str
    """

    n: int
    d: int
    exponents: str = "paper"
    dtype: str = "float64"
    subscripts = "->ij"

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
        return r"\sin \left( \frac{pos}{10000^{%s}} \right) , \; \cos \left( \cdot \right)" % power

    def code(self, *names: str) -> str:
        angle = f"np.arange({self.n})[:, None] / 10000 ** ({self._exponent()})"
        even = f"np.arange({self.d}) % 2 == 0"
        return f"np.where({even}, np.sin(a := {angle}), np.cos(a)).astype('{self.dtype}')"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        position, j = cell[-2:]
        exponent = float(exponents(self.d, self.exponents)[j])
        wavelength = step("power", Constant(10000.0, "10000"), Constant(exponent, f"{exponent:g}"), label="wavelength")
        angle = step("divide", Constant(float(position), f"position {position}"), wavelength, label="angle")
        return step("cos" if j % 2 else "sin", angle)


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
    """The position encoding as an (n, d) array; see `Sinusoidal`."""
    angle = np.arange(n)[:, None] / 10000 ** exponents(d, kind)
    encoding: Array = np.where(np.arange(d) % 2 == 0, np.sin(angle), np.cos(angle))
    return encoding
