"""Ops that make scores smaller or larger before they are compared."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from explorer.core.cell import Argument, CellBlock, Constant, Index, Source, Step, step
from explorer.core.ops.base import Array, Elementwise, Op, inner, passed
from explorer.core.ops.slips import Kept, Slip, Surroundings, Then


class ScaleFactor(Op):
    """The factor of scores, 1/d_k or 1/√d_k (Vaswani et al. 2017, equation 1), or of embeddings, √d."""

    kind: str  # "1/d_k", "1/sqrt(d_k)", or "sqrt(d_k)"
    d_k: int  # width of a key, or of an embedding
    dtype: str = "float64"  # of the result
    layer: int = 1  # an extra divisor: the number of the layer, in some GPT-2-like models
    letters: str = "d_k"  # the symbol of the width, or a number that is no width
    subscripts = "->"

    @property
    def _divides(self) -> bool:
        return self.kind != "sqrt(d_k)"

    @property
    def _name(self) -> str:
        """The width in plain letters."""
        return {"d_k": "dₖ", "d_{model}": "d_model"}.get(self.letters, self.letters)

    def forward(self, *parents: Array) -> Array:
        width = self.d_k if self.kind == "1/d_k" else np.sqrt(self.d_k)
        factor = 1 / width if self._divides else width
        return np.asarray(factor / self.layer if self.layer > 1 else factor, dtype=self.dtype)

    def formula(self, *symbols: str) -> str:
        width = self.letters if self.kind == "1/d_k" else rf"\sqrt{{{self.letters}}}"
        divisor = rf"{self.layer} \, {width}" if self.layer > 1 else width
        return f"1 / {divisor}" if self._divides else width

    def code(self, *names: str) -> str:
        width = str(self.d_k) if self.kind == "1/d_k" else f"np.sqrt({self.d_k})"
        factor = f"1 / {width}" if self._divides else width
        return f"np.asarray({factor}{f' / {self.layer}' if self.layer > 1 else ''}, dtype='{self.dtype}')"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        width = str(self.d_k) if self.kind == "1/d_k" else f"SQRT({self.d_k})"
        return (f"1/{width}" if self._divides else width) + (f"/{self.layer}" if self.layer > 1 else "")

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        name = self._name
        width: Argument = Constant(float(self.d_k), str(self.d_k))
        if self.kind != "1/d_k":
            width = step("sqrt", width, label=f"√{name}")
        if not self._divides:
            return step("value", width)
        said = f"1 ÷ {name}" if self.kind == "1/d_k" else f"1 ÷ √{name}"
        last = step("divide", Constant(1.0, "1"), width, label=said)
        if self.layer == 1:
            return last
        return step("divide", last, Constant(float(self.layer), f"layer {self.layer}"), label=f"{said} ÷ layer")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        if not self._divides:
            return
        other, text = ("1/sqrt(d_k)", f"√{self._name}") if self.kind == "1/d_k" else ("1/d_k", self._name)
        yield Slip("other scale", f"if one divides by {text}", replace(self, kind=other))
        yield Slip("multiplied", "if one multiplies by it instead of dividing", Then(self, "power", -1.0, "−1"))


class Scale(Elementwise):
    """Scores times the scale factor (Vaswani et al. 2017, equation 1)."""

    subscripts = "ij,->ij"
    alters = True
    latex = r"%s \times %s"
    function, sign = "multiply", "*"
    signed = True

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        scores, factor = parents
        of_scores = gradient * factor if factor else passed(gradient, factor)
        return of_scores, inner(gradient, scores)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        scores, factor = parents
        return factor[()] if parent == 0 else scores[at]

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        scaled = "vectors" if around.axes[-1] == "d_model" else "scores"
        yield Slip("not scaled", f"if the {scaled} are not scaled", Kept())


class Temperature(Elementwise):
    """Logits divided by the temperature: above 1 evens the probabilities out, below 1 sharpens them.

    Hinton et al. 2015, equation 1.
    """

    subscripts = "ij,->ij"
    alters = True
    latex = r"\frac{%s}{%s}"
    function, sign = "divide", "/"

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        temperature = parents[1]
        # d/dT z/T = −z/T²
        of_logits = gradient if temperature == 1 else gradient / temperature  # 1 is the usual temperature
        return of_logits, np.asarray(inner(gradient, value) / -temperature)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        logits, temperature = parents
        if parent == 0:
            return step("divide", Constant(1.0, "1"), temperature[()])
        return step("negate", step("divide", logits[at], step("square", temperature[()])))

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no temperature", "if the scores are not divided by the temperature", Kept())


class Cap(Op):
    """A soft cap: c · tanh(x / c) hardly changes small numbers and keeps all within ±c (Gemma 2, 2024, §2)."""

    cap: float  # c
    subscripts = "ij->ij"
    alters = True
    signed = True

    def forward(self, *parents: Array) -> Array:
        capped: Array = np.tanh(parents[0] / self.cap) * self.cap
        return capped

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        bend = np.tanh(parents[0] / self.cap)
        return (passed(gradient, 1 - bend * bend),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        bend = self._bend(parents[0][at])
        return step("subtract", Constant(1.0, "1"), step("square", bend), label="slope of the soft cap")

    def _bend(self, x: Argument) -> Step:
        return step("tanh", step("divide", x, Constant(self.cap, f"{self.cap:g}")))

    def formula(self, *symbols: str) -> str:
        return rf"{self.cap:g} \, \tanh \frac{{{symbols[0]}}}{{{self.cap:g}}}"

    def code(self, *names: str) -> str:
        return f"np.tanh({names[0]} / {self.cap!r}) * {self.cap!r}"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"TANH({parents[0][cell]}/{self.cap!r})*{self.cap!r}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("multiply", self._bend(parents[0][cell]), Constant(self.cap, f"{self.cap:g}"), label="soft cap")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no cap", "without the soft cap", Kept())
        yield Slip("hard cap", "if what is beyond the cap is cut off", Clip(self.cap))


class Clip(Op):
    """A hard cap: numbers beyond ±c become ±c (OLMo, Groeneveld et al. 2024)."""

    most: float  # c
    subscripts = "ij->ij"
    alters = True
    signed = True

    def forward(self, *parents: Array) -> Array:
        return np.clip(parents[0], -self.most, self.most)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (passed(gradient, np.abs(parents[0]) <= self.most),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        size = step("absolute", parents[0][at])
        return step("at_least", self._most, size, label="slope of the cap: 1 within it")

    @property
    def _most(self) -> Constant:
        return Constant(self.most, f"{self.most:g}")

    def formula(self, *symbols: str) -> str:
        return rf"\max(-{self.most:g}, \min({self.most:g}, {symbols[0]}))"

    def code(self, *names: str) -> str:
        return f"np.clip({names[0]}, -{self.most!r}, {self.most!r})"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"MAX(-{self.most!r},MIN({self.most!r},{parents[0][cell]}))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("maximum", step("negate", self._most), step("minimum", parents[0][cell], self._most))

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no cap", "if nothing is cut off", Kept())
