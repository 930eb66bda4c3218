"""Making scores smaller or larger before they are compared."""

from dataclasses import dataclass

import numpy as np

from explorer.core.explain import Constant, Source, Step, step
from explorer.core.ops.base import Array, Op


@dataclass(frozen=True)
class ScaleFactor(Op):
    """What the scores are multiplied by: 1, 1/d_k or 1/sqrt(d_k) (Vaswani et al. 2017, equation 1).

    Parameters
    ----------
    kind : str
        "none", "1/d_k" or "1/sqrt(d_k)".
    d_k : int
        Width of a key.
    """

    kind: str
    d_k: int
    dtype: str = "float64"
    subscripts = "->"

    def forward(self, *parents: Array) -> Array:
        d_k = self.d_k
        value = {"none": 1.0, "1/d_k": 1 / d_k, "1/sqrt(d_k)": 1 / np.sqrt(d_k)}[self.kind]
        return np.asarray(value, dtype=self.dtype)

    def formula(self, *symbols: str) -> str:
        return {"none": "1", "1/d_k": r"\frac{1}{d_k}", "1/sqrt(d_k)": r"\frac{1}{\sqrt{d_k}}"}[self.kind]

    def code(self, *names: str) -> str:
        value = {"none": "1.0", "1/d_k": f"1 / {self.d_k}", "1/sqrt(d_k)": f"1 / np.sqrt({self.d_k})"}[self.kind]
        return f"np.asarray({value}, dtype='{self.dtype}')"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        d_k = Constant(float(self.d_k), str(self.d_k))
        match self.kind:
            case "none":
                return step("value", Constant(1.0, "1"))
            case "1/d_k":
                return step("divide", Constant(1.0, "1"), d_k, label="1 ÷ d_k")
            case _:
                return step("divide", Constant(1.0, "1"), step("sqrt", d_k), label="1 ÷ √d_k")


@dataclass(frozen=True)
class Scale(Op):
    """Scores times the scale factor (Vaswani et al. 2017, equation 1)."""

    subscripts = "ij,->ij"
    alters = True

    def forward(self, *parents: Array) -> Array:
        scores, factor = parents
        return np.multiply(scores, factor)

    def formula(self, *symbols: str) -> str:
        return r"%s \cdot %s" % symbols

    def code(self, *names: str) -> str:
        return "%s * %s" % names

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        scores, factor = parents
        return step("multiply", scores[cell], factor[()])


@dataclass(frozen=True)
class Temperature(Op):
    """Logits divided by the temperature: above 1 evens the probabilities out, below 1 sharpens them."""

    subscripts = "ij,->ij"
    alters = True

    def forward(self, *parents: Array) -> Array:
        logits, temperature = parents
        return np.divide(logits, temperature)

    def formula(self, *symbols: str) -> str:
        return r"\frac{%s}{%s}" % symbols

    def code(self, *names: str) -> str:
        return "%s / %s" % names

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        logits, temperature = parents
        return step("divide", logits[cell], temperature[()])
