"""The non-linear functions between layers, applied to each number by itself.

Φ is the distribution function of the standard normal distribution: the share of numbers below x.

numpy has no error function, and Python's takes some 100 ns for each number, so float32 uses a table.
"""

from collections.abc import Iterator
from functools import cache
from math import erf, erfc, sqrt
from threading import local

import numpy as np

from explorer.core.cell import Argument, Array, CellBlock, Constant, Index, Operand, Source, Step, step
from explorer.core.ops.base import Kept, Op, Slip, Surroundings, Then, added, passed

STEPS = 1024
"""Places of the table between one whole number and the next."""
END = 16
"""The table goes from −END to END. Beyond, no float32 lies between Φ and 0 or 1."""
BLOCK = 32_768
"""Numbers computed at once: few enough that intermediate results stay in the processor's cache."""
_SIZE = 2 * END * STEPS
_NEAREST = np.float32(1.5 * 2**23 / STEPS)
"""At this size float32 has no finer steps than 1 / STEPS, so adding it rounds to places of the table."""
_TWO = np.float32(2)


def erf_of(x: Array) -> Array:
    """The error function of each number, in float64; ``np.vectorize`` takes three times as long."""
    return np.fromiter(map(erf, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


class _Block(local):
    """The work arrays of a block; each thread has its own, so that no memory is allocated for each block."""

    def __init__(self) -> None:
        self.arrays = (*np.empty((3, BLOCK), np.float32), np.empty(BLOCK, np.intp), np.empty(BLOCK))


_block = _Block()


def shares(x: Array) -> Iterator[tuple[slice, Array]]:
    """Φ of float32 numbers, (n,), block by block: the slice, and a float64 array that the next block overwrites.

    Φ(c + d) = Φ(c) + φ(c) (d − c d² / 2), with the density φ and c the nearest place of the table. The remainder is
    below 2⁻³⁴, too small for float32: of 1,000 products x · Φ(x) all but one are the float32 nearest to the exact
    value, and that one is its neighbour. A thread must finish one x before the next.
    """
    table, slopes = _tables()
    inside = x
    if not (np.maximum.reduce(x, initial=0) < END and np.minimum.reduce(x, initial=0) >= -END):  # NaN comes here, too
        inside = np.clip(x, np.float32(-END), np.float32(END - 1 / STEPS))
    for begin in range(0, x.size, BLOCK):
        part = slice(begin, begin + BLOCK)
        of = inside[part]
        near, away, slope, index, found = (array[: len(of)] for array in _block.arrays)
        # The last bits of the sum number the places: upwards from 0 to the right, downwards from the end to the left.
        np.add(of, _NEAREST, out=near)
        np.bitwise_and(near.view(np.int32), _SIZE - 1, out=slope.view(np.int32))
        np.copyto(index, slope.view(np.int32))
        near -= _NEAREST
        np.subtract(of, near, out=away)
        near *= away
        near -= _TWO
        near *= away
        slopes.take(index, out=slope, mode="wrap")  # "wrap" writes in place; "raise" would make a copy
        near *= slope
        table.take(index, out=found, mode="wrap")
        found += near
        yield part, found


@cache
def _tables() -> tuple[Array, Array]:
    """Φ, and −φ / 2 in float32, at each place: first 0, 1 / STEPS, …, then −END, …, −1 / STEPS."""
    places = np.roll(np.arange(-_SIZE // 2, _SIZE // 2), _SIZE // 2) / STEPS
    table = 0.5 * np.array([*map(erfc, (places / -sqrt(2)).tolist())])
    table[_SIZE // 2] = 0
    slopes = (-0.5 * (np.exp(-0.5 * (places * places)) / np.sqrt(2 * np.pi))).astype(np.float32)
    table.flags.writeable = slopes.flags.writeable = False
    return table, slopes


DEFINITION = f'''\
def gelu(x):
    """x times the share of a normal distribution that is below x."""
    if x.dtype == np.float64:
        erf = np.vectorize(__import__("math").erf, otypes=[np.float64])
        return 0.5 * x * (1 + erf(x / np.sqrt(2)))
    # To the last bit of float32: the share at the nearest place of a grid, and from there along density and slope.
    erfc = np.vectorize(__import__("math").erfc, otypes=[np.float64])
    inside = np.clip(x, np.float32({-END}), np.float32({END - 1 / STEPS}))
    near = np.rint(inside * np.float32({STEPS})) / np.float32({STEPS})
    share = 0.5 * erfc(near.astype(np.float64) / -np.sqrt(2)) * (near > {-END})
    density = np.exp(-0.5 * np.square(near, dtype=np.float64)) / np.sqrt(2 * np.pi)
    away = inside - near
    more = (near * away - np.float32(2)) * away * (-0.5 * density).astype(np.float32)
    return ((share + more) * x).astype(np.float32)
'''
"""`explorer.core.ops.GELU` in plain numpy, with the same bits, for the head of a script."""


_ROOT = Constant(np.sqrt(2 / np.pi), "√(2/π)")


class Activation(Op):
    """A function of each number by itself."""

    subscripts = "ij->ij"
    alters = True

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no activation", f"without {type(self).__name__}", Kept())
        yield Slip("ReLU", "if ReLU is taken", ReLU())


class Identity(Activation):
    """The number itself; with it a net is linear."""

    latex = "%s"
    expression = "{0}.copy()"
    bends = False
    title = "identity"

    def forward(self, *parents: Array) -> Array:
        return parents[0].copy()

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        return (gradient,)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return added(at, value)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("value", parents[0][cell])

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("ReLU", "if ReLU is taken, although there is none here", ReLU())


class ReLU(Activation):
    """max(0, x): negative numbers become 0 (Nair & Hinton 2010)."""

    latex = r"\max(0, %s)"
    expression = "np.maximum({0}, 0)"
    cuts = True
    title = "ReLU"

    def forward(self, *parents: Array) -> Array:
        return np.maximum(parents[0], 0)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # At 0 the slope is not defined; 0 is used.
        return (passed(gradient, parents[0] > 0),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return step("above", parents[0][at], Constant(0.0, "0"), label="slope of ReLU: 1 above 0")

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("maximum", Constant(0.0, "0"), parents[0][cell])

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no activation", "if negative numbers are kept", Kept())
        yield Slip("minus sign", "if the minus sign is left out", Then(Kept(), "absolute"))


class Sigmoid(Activation):
    """1 / (1 + e^−x): maps every number to one between 0 and 1."""

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

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        one = Constant(1.0, "1")
        return step("divide", one, step("add", one, step("exp", step("negate", parents[0][cell]))))


class GELU(Activation):
    """x · Φ(x), a smooth ReLU (Hendrycks & Gimpel 2016)."""

    tanh: bool = False  # the paper's approximation by tanh, used by GPT-2, instead of the exact form by erf
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
            inner = r"\sqrt{2/\pi} \, (%s + 0.044715 %s^3)" % (x, x)
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
        """The tanh or erf of a number, and the share of the number that passes."""
        if self.tanh:
            cube = step("multiply", Constant(0.044715, "0.044715"), step("power", x, Constant(3, "3")))
            bend = step("tanh", step("multiply", _ROOT, step("add", x, cube)), label="tanh")
        else:
            bend = step("erf", step("divide", x, Constant(np.sqrt(2), "√2")))
        half, one = Constant(0.5, "½"), Constant(1.0, "1")
        return bend, step("multiply", half, step("add", one, bend), label="share let through")


class SiLU(Activation):
    """x · σ(x), as smooth as GELU and cheaper (Elfwing et al. 2017; swish in Ramachandran et al. 2017)."""

    latex = r"\frac{%s}{1 + e^{-%s}}"
    expression = "{0} / (1 + np.exp(-{0}))"
    title = "SiLU"

    def formula(self, *symbols: str) -> str:
        return self.latex % (symbols[0], symbols[0])

    def forward(self, *parents: Array) -> Array:
        (x,) = parents
        return x / (1 + np.exp(-x))

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        # σ(x) (1 + x (1 − σ(x)))
        share = 1 / (1 + np.exp(-parents[0]))
        return (passed(gradient, share * (1 + parents[0] * (1 - share))),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        x, one = parents[0][at], Constant(1.0, "1")
        share = self._share(x)
        inside = step("add", one, step("multiply", x, step("subtract", one, share)))
        return step("multiply", share, inside, label="slope of SiLU")

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        x, one = parents[0][cell], Constant(1.0, "1")
        return step("divide", x, step("add", one, step("exp", step("negate", x))))

    def _share(self, x: Operand) -> Step:
        one = Constant(1.0, "1")
        below = step("add", one, step("exp", step("negate", x)))
        return step("divide", one, below, label="σ(x), the share let through")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        none, other = super().slips(around)
        yield from (none, Slip("sigmoid", "if the sigmoid is not multiplied by the number itself", Sigmoid()), other)


ACTIVATIONS: dict[str, Op] = {
    "ReLU": ReLU(),
    "GELU": GELU(),
    "GELU tanh": GELU(tanh=True),
    "SiLU": SiLU(),
    "sigmoid": Sigmoid(),
    "identity": Identity(),
}
"""The activations of a layer, by their name in the switch."""
