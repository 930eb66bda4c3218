"""Making scores smaller or larger before they are compared."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from explorer.core.cell_block import CellBlock
from explorer.core.explain import Argument, Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Op, inner, passed
from explorer.core.ops.slips import Kept, Slip, Surroundings, Then


@dataclass(frozen=True)
class ScaleFactor(Op):
    """What the scores are multiplied by: 1/d_k or 1/sqrt(d_k) (Vaswani et al. 2017, equation 1)."""

    kind: str  # "1/d_k" or "1/sqrt(d_k)"
    d_k: int  # width of a key
    dtype: str = "float64"  # of the result
    subscripts = "->"

    def forward(self, *parents: Array) -> Array:
        return np.asarray(1 / (self.d_k if self.kind == "1/d_k" else np.sqrt(self.d_k)), dtype=self.dtype)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return ()

    def formula(self, *symbols: str) -> str:
        return r"1 / d_k" if self.kind == "1/d_k" else r"1 / \sqrt{d_k}"

    def code(self, *names: str) -> str:
        divisor = str(self.d_k) if self.kind == "1/d_k" else f"np.sqrt({self.d_k})"
        return f"np.asarray(1 / {divisor}, dtype='{self.dtype}')"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"1/{self.d_k}" if self.kind == "1/d_k" else f"1/SQRT({self.d_k})"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        one, d_k = Constant(1.0, "1"), Constant(float(self.d_k), str(self.d_k))
        if self.kind == "1/d_k":
            return step("divide", one, d_k, label="1 ÷ dₖ")
        return step("divide", one, step("sqrt", d_k), label="1 ÷ √dₖ")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        other, text = ("1/sqrt(d_k)", "√dₖ") if self.kind == "1/d_k" else ("1/d_k", "dₖ")
        yield Slip("other scale", f"if one divides by {text}", replace(self, kind=other))
        yield Slip("multiplied", "if one multiplies by it instead of dividing", Then(self, "power", -1.0, "−1"))


@dataclass(frozen=True)
class Scale(Op):
    """Scores times the scale factor (Vaswani et al. 2017, equation 1)."""

    subscripts = "ij,->ij"
    alters = True
    latex = r"%s \cdot %s"
    expression = "{0} * {1}"
    signed = True

    def forward(self, *parents: Array) -> Array:
        scores, factor = parents
        return np.multiply(scores, factor)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        scores, factor = parents
        of_scores = gradient * factor if factor else passed(gradient, factor)
        return of_scores, inner(gradient, scores)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        scores, factor = parents
        return factor[()] if parent == 0 else scores[at]

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        scores, factor = parents
        return f"{scores[cell]}*{factor[()]}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        scores, factor = parents
        return step("multiply", scores[cell], factor[()])

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("not scaled", "if the scores are not divided by √dₖ", Kept())


@dataclass(frozen=True)
class Temperature(Op):
    """Logits divided by the temperature: above 1 evens the probabilities out, below 1 sharpens them.

    Hinton et al. 2015, equation 1.
    """

    subscripts = "ij,->ij"
    alters = True
    latex = r"\frac{%s}{%s}"
    expression = "{0} / {1}"

    def forward(self, *parents: Array) -> Array:
        logits, temperature = parents
        return np.divide(logits, temperature)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        temperature = parents[1]
        # d/dT z/T = −z/T²
        of_logits = gradient if temperature == 1 else gradient / temperature  # 1 is the usual one
        return of_logits, np.asarray(inner(gradient, value) / -temperature)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        logits, temperature = parents
        if parent == 0:
            return step("divide", Constant(1.0, "1"), temperature[()])
        return step("negate", step("divide", logits[at], step("square", temperature[()])))

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        logits, temperature = parents
        return f"{logits[cell]}/{temperature[()]}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        logits, temperature = parents
        return step("divide", logits[cell], temperature[()])

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no temperature", "if the scores are not divided by the temperature", Kept())
