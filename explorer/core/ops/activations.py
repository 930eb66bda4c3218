"""The non-linear functions between the layers, each number by itself."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from explorer.core.cell_block import CellBlock
from explorer.core.explain import Argument, Constant, Index, Operand, Source, Step, step
from explorer.core.ops.base import Array, Op, added, passed
from explorer.core.ops.normal_distribution import DEFINITION, erf_of, shares
from explorer.core.ops.slips import Kept, Slip, Surroundings

_ROOT = Constant(np.sqrt(2 / np.pi), "√(2/π)")


@dataclass(frozen=True)
class Identity(Op):
    """The number itself: what makes a net linear."""

    subscripts = "ij->ij"
    alters = True
    expression = "{0}.copy()"
    bends = False
    title = "identity"

    def forward(self, *parents: Array) -> Array:
        return parents[0].copy()

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (gradient,)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return added(at, value)

    def formula(self, *symbols: str) -> str:
        return symbols[0]

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return parents[0][cell]

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("value", parents[0][cell])

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("ReLU", "if ReLU is taken, although there is none here", ReLU())


@dataclass(frozen=True)
class ReLU(Op):
    """max(0, x): negative numbers are switched off (Nair & Hinton 2010)."""

    subscripts = "ij->ij"
    alters = True
    latex = r"\max(0, %s)"
    expression = "np.maximum({0}, 0)"
    cuts = True
    title = "ReLU"

    def forward(self, *parents: Array) -> Array:
        return np.maximum(parents[0], 0)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # At 0, where there is a corner, the slope is taken as 0.
        return (passed(gradient, parents[0] > 0),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return step("above", parents[0][at], Constant(0.0, "0"), label="slope of ReLU: 1 above 0")

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"MAX(0,{parents[0][cell]})"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("maximum", Constant(0.0, "0"), parents[0][cell])

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no activation", "without ReLU", Kept())


@dataclass(frozen=True)
class Sigmoid(Op):
    """1 / (1 + e^−x): squeezes any number between 0 and 1."""

    subscripts = "ij->ij"
    alters = True
    latex = r"\frac{1}{1 + e^{-%s}}"
    expression = "1 / (1 + np.exp(-{0}))"
    title = "sigmoid"
    within = (0.0, 1.0)

    def forward(self, *parents: Array) -> Array:
        return 1 / (1 + np.exp(-parents[0]))

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (passed(gradient, value * (1 - value)),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return step("multiply", value[at], step("subtract", Constant(1.0, "1"), value[at]), label="slope of σ")

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"1/(1+EXP(-{parents[0][cell]}))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        one = Constant(1.0, "1")
        return step("divide", one, step("add", one, step("exp", step("negate", parents[0][cell]))))

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no activation", "without Sigmoid", Kept())
        yield Slip("ReLU", "if ReLU is taken", ReLU())


@dataclass(frozen=True)
class GELU(Op):
    """x · Φ(x), a ReLU with a soft knee (Hendrycks & Gimpel 2016)."""

    tanh: bool = False  # the paper's approximation by tanh, which GPT-2 uses, instead of the exact form by erf
    subscripts = "ij->ij"
    alters = True
    title = "GELU"

    def forward(self, *parents: Array) -> Array:
        (x,) = parents
        result: Array
        if self.tanh:
            result = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi).astype(x.dtype) * (x + 0.044715 * (x * x * x))))
        elif x.dtype == np.float32:
            result = np.empty(x.shape, x.dtype)
            numbers, flat = x.reshape(-1), result.reshape(-1)
            for part, share in shares(numbers):
                np.multiply(share, numbers[part], out=flat[part], casting="same_kind")
        else:
            result = 0.5 * x * (1 + erf_of(x / np.sqrt(2)))
        return result

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        (x,) = parents
        if self.tanh:
            # y = x (1 + t) / 2 with t = tanh(u), u = root · (x + 0.044715 x³) and dt/du = 1 − t² = (1 + t) (1 − t), so
            # dy/dx = (1 + t) / 2 + y (1 − t) du/dx. With rest = 1 − t, that is 1 + rest · (y du/dx − 1/2).
            root = np.sqrt(2 / np.pi).astype(x.dtype)
            square = x * x
            rest = 1 - np.tanh(x * (root + 0.044715 * root * square))
            slope = 1 + rest * (value * (root + 3 * 0.044715 * root * square) - 0.5)
        else:
            # d/dx x · Φ(x) = Φ(x) + x · φ(x), with the normal distribution's Φ and its density φ.
            slope = x * np.exp(-0.5 * (x * x)) / np.sqrt(2 * np.pi).astype(x.dtype)
            if x.dtype == np.float32:
                flat = slope.reshape(-1)
                for part, share in shares(x.reshape(-1)):
                    np.add(share, flat[part], out=flat[part], casting="same_kind")
            else:
                slope += 0.5 * (1 + erf_of(x / np.sqrt(2)))
        return (passed(gradient, slope),)

    def formula(self, *symbols: str) -> str:
        x = symbols[0]
        if self.tanh:
            inner = r"\sqrt{2/\pi} \, (%s + 0.044715 \, %s^3)" % (x, x)
            return r"\frac{%s}{2} \left( 1 + \tanh \left( %s \right) \right)" % (x, inner)
        return r"\frac{%s}{2} \left( 1 + \mathrm{erf} \left( %s / \sqrt{2} \right) \right)" % (x, x)

    def code(self, *names: str) -> str:
        x = names[0]
        if self.tanh:
            root = f"np.sqrt(2 / np.pi).astype({x}.dtype)"
            return f"0.5 * {x} * (1 + np.tanh({root} * ({x} + 0.044715 * ({x} * {x} * {x}))))"
        return f"gelu({x})"

    @property
    def definition(self) -> str:  # type: ignore[override]
        return "" if self.tanh else DEFINITION

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        x = parents[0][at]
        bend, share = self._share(x)
        if self.tanh:
            rest = step("subtract", Constant(1.0, "1"), step("square", bend), label="slope of tanh")
            square = step("multiply", Constant(3 * 0.044715, "3 × 0.044715"), step("square", x))
            inside = step("multiply", _ROOT, step("add", Constant(1.0, "1"), square), label="slope within tanh")
            of_share = step("multiply", step("multiply", Constant(0.5, "½"), rest), inside, label="slope of the share")
        else:
            power = step("exp", step("negate", step("divide", step("square", x), Constant(2.0, "2"))))
            of_share = step("divide", power, Constant(np.sqrt(2 * np.pi), "√(2π)"), label="slope of the share")
        return step("add", share, step("multiply", x, of_share), label="slope of GELU")

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        x = parents[0][cell]
        if self.tanh:
            return f"0.5*{x}*(1+TANH(SQRT(2/PI())*({x}+0.044715*{x}^3)))"
        return f"{x}*NORMSDIST({x})"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x = parents[0][cell]
        return step("multiply", x, self._share(x)[1])

    def _share(self, x: Operand) -> tuple[Step, Step]:
        """The tanh or erf of a number, and how much of the number it lets through."""
        if self.tanh:
            cube = step("multiply", Constant(0.044715, "0.044715"), step("power", x, Constant(3, "3")))
            bend = step("tanh", step("multiply", _ROOT, step("add", x, cube)), label="tanh")
        else:
            bend = step("erf", step("divide", x, Constant(np.sqrt(2), "√2")))
        half, one = Constant(0.5, "½"), Constant(1.0, "1")
        return bend, step("multiply", half, step("add", one, bend), label="share let through")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no activation", "without GELU", Kept())
        yield Slip("ReLU", "if ReLU is taken", ReLU())


@dataclass(frozen=True)
class SiLU(Op):
    """x · σ(x), as smooth as GELU and cheaper (Elfwing et al. 2017; swish in Ramachandran et al. 2017)."""

    subscripts = "ij->ij"
    alters = True
    latex = r"\frac{%s}{1 + e^{-%s}}"
    title = "SiLU"

    def formula(self, *symbols: str) -> str:
        return self.latex % (symbols[0], symbols[0])

    def forward(self, *parents: Array) -> Array:
        (x,) = parents
        result: Array = x / (1 + np.exp(-x))
        return result

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # σ(x) (1 + x (1 − σ(x)))
        share = 1 / (1 + np.exp(-parents[0]))
        return (passed(gradient, share * (1 + parents[0] * (1 - share))),)

    def code(self, *names: str) -> str:
        return f"{names[0]} / (1 + np.exp(-{names[0]}))"

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        x, one = parents[0][at], Constant(1.0, "1")
        share = self._share(x)
        inside = step("add", one, step("multiply", x, step("subtract", one, share)))
        return step("multiply", share, inside, label="slope of SiLU")

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"{parents[0][cell]}/(1+EXP(-{parents[0][cell]}))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, one = parents[0][cell], Constant(1.0, "1")
        return step("divide", x, step("add", one, step("exp", step("negate", x))))

    def _share(self, x: Operand) -> Step:
        one = Constant(1.0, "1")
        below = step("add", one, step("exp", step("negate", x)))
        return step("divide", one, below, label="σ(x), the share let through")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no activation", "without SiLU", Kept())
        yield Slip("sigmoid", "if the sigmoid is not multiplied by the number itself", Sigmoid())
        yield Slip("ReLU", "if ReLU is taken", ReLU())


ACTIVATIONS: dict[str, Op] = {
    "ReLU": ReLU(),
    "GELU": GELU(),
    "GELU tanh": GELU(tanh=True),
    "SiLU": SiLU(),
    "sigmoid": Sigmoid(),
    "identity": Identity(),
}
"""The activations of a layer, by what its switch calls them."""
