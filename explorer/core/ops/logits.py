"""Between the scores and the shares: numbers made smaller or larger, capped, and masked."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from explorer.core.cell import Argument, Array, Constant, Index, Source, Step, step
from explorer.core.ops.base import Elementwise, Kept, Op, Slip, Surroundings, Then, inner, line, passed, summed_to


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
        kinds = {"1/sqrt(d_k)": f"√{self._name}", "1/d_k": self._name}
        own = kinds.pop(self.kind)
        ((other, text),) = kinds.items()
        yield Slip("other scale", f"if one divides by {text}", replace(self, kind=other))
        yield Slip("multiplied", f"if one multiplies by {own} instead of dividing", Then(self, "power", -1.0, "−1"))


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
        yield Slip("multiplied", "if one multiplies by the temperature instead of dividing", Scale())


class Cap(Op):
    """A soft cap: c · tanh(x / c) hardly changes small numbers and keeps all within ±c (Gemma 2, 2024, §2)."""

    cap: float  # c
    subscripts = "ij->ij"
    alters = True
    signed = True

    def forward(self, *parents: Array) -> Array:
        return np.tanh(parents[0] / self.cap) * self.cap

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

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("maximum", step("negate", self._most), step("minimum", parents[0][cell], self._most))

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no cap", "if nothing is cut off", Kept())


class CausalMask(Op):
    """1 where a token may attend (to itself and earlier tokens), 0 elsewhere (Vaswani et al. 2017, §3.2.3)."""

    n: int  # number of tokens
    # How many tokens back, itself included, each may attend: the context window k of L₁ (Radford et al. 2018, equation
    # 1). 0: to the first.
    window: int = 0
    subscripts = "->ij"
    whole = True

    @property
    def reach(self) -> int:
        return self.window or self.n

    def forward(self, *parents: Array) -> Array:
        return self.rows(slice(0, self.n))

    def rows(self, at: slice) -> Array:
        """Some rows of the mask, with the columns up to the last of them: (at.stop − at.start, at.stop)."""
        n, first = at.stop - at.start, at.start
        before = np.tri(n, at.stop, first, dtype=np.int64)
        return before - np.tri(n, at.stop, first - self.window, dtype=np.int64) if self.window else before

    def formula(self, *symbols: str) -> str:
        return rf"[\, i - {self.window} < j \leq i \,]" if self.window else r"[\, j \leq i \,]"

    def code(self, *names: str) -> str:
        before = f"np.tri({self.n}, dtype=np.int64)"
        return f"{before} - np.tri({self.n}, k=-{self.window}, dtype=np.int64)" if self.window else before

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        i, j = cell[-2:]
        before = step("at_least", Constant(i, f"position {i}"), Constant(j, f"position {j}"), label="not after it")
        if not self.window:
            return before
        oldest = Constant(i - self.window, f"position {i} − {self.window}")
        within = step("above", Constant(j, f"position {j}"), oldest, label="within the window")
        return step("multiply", before, within)


class PaddingMask(Op):
    """1 where the key is a word, 0 where it is ``<pad>``."""

    pad: int  # token number of ``<pad>``, or -1 if the vocabulary has none
    n_queries: int
    subscripts = "j->ij"
    whole = True
    latex = r"[\, {%s}_j \neq pad \,]"
    across = 0

    def forward(self, *parents: Array) -> Array:
        return self._of_keys(parents[0], self.n_queries)

    def forward_rows(self, at: slice, *parents: Array) -> Array:
        return self._of_keys(parents[0], at.stop - at.start)

    def _of_keys(self, tokens: Array, n: int) -> Array:
        """The same n rows, (…, n, n_keys)."""
        return np.repeat((tokens != self.pad)[..., None, :].astype(np.int64), n, axis=-2)

    def code(self, *names: str) -> str:
        return f"np.repeat(({names[0]} != {self.pad})[..., None, :].astype(np.int64), {self.n_queries}, axis=-2)"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        token = parents[0][(*cell[:-2], cell[-1])]
        pad = Constant(self.pad, "number of <pad>" if self.pad >= 0 else "there is no <pad>")
        return step("subtract", Constant(1, "1"), step("equal", token, pad, label="is <pad>"))


class CausalPaddingMask(PaddingMask):
    """Both masks at once, for a decoder with targets of different lengths: no later key, no ``<pad>``."""

    window: int = 0  # as in `CausalMask`

    @property
    def causal(self) -> CausalMask:
        """The part that does not depend on the words."""
        return CausalMask(self.n_queries, self.window)

    @property
    def reach(self) -> int:
        return self.causal.reach

    def forward(self, *parents: Array) -> Array:
        return self.causal.forward() * super().forward(*parents)

    def forward_rows(self, at: slice, *parents: Array) -> Array:
        return self.causal.rows(at) * super().forward_rows(at, *parents)

    def formula(self, *symbols: str) -> str:
        return rf"{self.causal.formula()} \times {super().formula(*symbols)}"

    def code(self, *names: str) -> str:
        return f"({self.causal.code()}) * {super().code(*names)}"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("multiply", self.causal.explain(cell), super().explain(cell, *parents))


class RelatedMask(Op):
    """1 where query and key are related, which means a score above 0; 0 elsewhere.

    So softmax gives shares to related words only, as the lecture Attention and Transformers does at first.
    """

    subscripts = "ij->ij"
    alters = True
    whole = True
    latex = r"[\, %s > 0 \,]"
    expression = "({0} > 0).astype(np.int64)"

    def forward(self, *parents: Array) -> Array:
        return (parents[0] > 0).astype(np.int64)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("above", parents[0][cell], Constant(0.0, "0"))


class Mask(Op):
    """Scaled scores with −∞ where the mask is 0, so that softmax gives these keys a weight of 0."""

    # Whether the scores are stacked over heads that all have the same mask: (…, n_heads, n, m) and (…, n, m).
    heads: bool = False
    alters = True
    latex = r"%s \;\mathrm{where}\; %s = 1, \; \mathrm{else} \; -\infty"
    expression = "np.where({1} != 0, {0}, -np.inf).astype({0}.dtype)"
    hides = True
    signed = True

    @property
    def subscripts(self) -> str:  # type: ignore[override]
        return "hij,ij->hij" if self.heads else "ij,ij->ij"

    def forward(self, *parents: Array) -> Array:
        scaled = parents[0]
        return np.where(self._seen(parents[1]), scaled, -np.inf).astype(scaled.dtype, copy=False)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return summed_to(parents[0].shape, passed(gradient, self._seen(parents[1]))), None

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        mask = parents[1]
        allowed = mask[line(self._without_head(at), mask.value, *at[-2:])]
        return step("where", allowed, Constant(1, "1"), Constant(0, "0"), label="slope of the mask")

    def _without_head(self, cell: Index) -> Index:
        return (*cell[:-3], *cell[-2:]) if self.heads else cell

    def _seen(self, mask: Array) -> Array:
        """Which keys are not masked, with an axis for the heads."""
        seen: Array = mask != 0
        return seen[..., None, :, :] if self.heads else seen

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        scaled, mask = parents
        allowed = mask[line(self._without_head(cell), mask.value, *cell[-2:])]
        return step("where", allowed, scaled[cell], Constant(-np.inf, "−∞"))

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no mask", "without the mask: words that come later, or are hidden, are looked at too", Kept())
