"""Measures of two vectors: lengths, cosine, angle, the projection of one onto the other."""

from collections.abc import Iterator

import numpy as np

from explorer.core.cell import Argument, Array, CellBlock, Constant, Index, Source, Step, step
from explorer.core.ops.base import Elementwise, Kept, Op, Slip, Surroundings, Then, added, passed, summed_to


class Length(Op):
    """The length of each row: the root of the sum of its squares."""

    subscripts = "ik->i"
    latex = r"\| %s \|"
    expression = "np.sqrt(({0} * {0}).sum(-1))"

    def forward(self, *parents: Array) -> Array:
        (x,) = parents
        return np.sqrt((x * x).sum(-1))

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        (x,) = parents
        # The derivative is the unit vector of the row; 0 for a row of length 0.
        lengths = value[..., None]
        return (gradient[..., None] * np.divide(x, lengths, out=np.zeros_like(x), where=lengths != 0),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        if not value.value[at]:
            return Constant(0, "0")
        return step("divide", parents[0][cell], value[at], label="slope of the length")

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("norm", parents[0][(*cell, slice(None))], label="length")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("no root", "without the root", Then(self, "square"))


class Cosine(Op):
    """Dot products divided by both lengths; 0 with a vector of length 0, which has no direction.

    Parents are the dot products (n, m) and the lengths of the rows, (n,), and of the columns, (m,).
    """

    subscripts = "ij,i,j->ij"
    alters = True
    latex = r"\frac{%s}{%s \, %s}"
    expression = "np.divide({0}, n := {1}[..., :, None] * {2}[..., None, :], out=np.zeros_like({0}), where=n != 0)"

    def forward(self, *parents: Array) -> Array:
        dot, a, b = parents
        lengths = a[..., :, None] * b[..., None, :]
        return np.divide(dot, lengths, out=np.zeros_like(dot), where=lengths != 0)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        dot, a, b = parents
        rows, columns = a[..., :, None], b[..., None, :]
        known = rows * columns != 0
        of_dot = np.divide(gradient, rows * columns, out=np.zeros_like(gradient), where=known)
        # c = d / (a b): dc/da = −c / a, and the same for b.
        of_a = -np.divide(gradient * value, rows, out=np.zeros_like(gradient), where=known).sum(-1)
        of_b = -np.divide(gradient * value, columns, out=np.zeros_like(gradient), where=known).sum(-2)
        return summed_to(dot.shape, of_dot), summed_to(a.shape, of_a), summed_to(b.shape, of_b)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        _, a, b = parents
        lengths: Argument = parents[parent][cell]
        if parent == 0:
            lengths = step("multiply", a[cell[:-1]], b[(*cell[:-2], cell[-1])], label="product of the lengths")
        if not lengths.value:
            return added(at, value, 0)
        above = step("negate", value[at]) if parent else Constant(1, "1")
        return step("divide", above, lengths, label="slope of the cosine")

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        dot, a, b = parents
        lengths = f"{a[cell[:-1]]}*{b[(*cell[:-2], cell[-1])]}"
        return f"IF({lengths}=0,0,{dot[cell]}/({lengths}))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        dot, a, b = parents
        lengths = step("multiply", a[cell[:-1]], b[(*cell[:-2], cell[-1])], label="product of the lengths")
        if not lengths.value:
            return step("value", Constant(0.0, "a vector of length 0 has no direction"))
        return step("divide", dot[cell], lengths, label="cosine")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("not divided", "if the dot product is not divided by the lengths", Kept())


class ShadowFactor(Op):
    """The factor c of the projection of x onto y: x_p = c y with c = ⟨x, y⟩ / ‖y‖².

    Parents are the dot products (n, m) and the m vectors y, (m, d). For a vector y of length 0 the factor is 0.
    """

    subscripts = "ij,jk->ij"
    alters = True
    latex = r"\frac{%s}{\| %s \|^2}"

    def forward(self, *parents: Array) -> Array:
        dot, y = parents
        squares = np.broadcast_to((y * y).sum(-1)[..., None, :], dot.shape)
        return np.divide(dot, squares, out=np.zeros_like(dot), where=squares != 0)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        dot, y = parents
        squares = np.broadcast_to((y * y).sum(-1)[..., None, :], gradient.shape)
        of_dot = np.divide(gradient, squares, out=np.zeros_like(gradient), where=squares != 0)
        # c = d / s with s = Σ y²: dc/dy = −2 c y / s.
        of_y = -2 * (of_dot * value).sum(-2)[..., None] * y
        return summed_to(dot.shape, of_dot), summed_to(y.shape, of_y)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        _, y = parents
        square = self._square(y, (*cell[:-2], cell[-1 - parent]))
        if not square.value:
            return added(at, value, 0)
        if parent == 0:
            return step("divide", Constant(1, "1"), square, label="slope of the factor")
        twice = step("multiply", Constant(-2, "−2"), step("multiply", value[at], y[cell]))
        return step("divide", twice, square, label="slope of the factor")

    def code(self, *names: str) -> str:
        dot, y = names
        squares = f"s := np.broadcast_to(({y} * {y}).sum(-1)[..., None, :], {dot}.shape)"
        return f"np.divide({dot}, {squares}, out=np.zeros_like({dot}), where=s != 0)"

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        dot, y = parents
        square = f"SUMSQ({y[(*cell[:-2], cell[-1], slice(None))]})"
        return f"IF({square}=0,0,{dot[cell]}/{square})"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        dot, y = parents
        square = self._square(y, (*cell[:-2], cell[-1]))
        if not square.value:
            return step("value", Constant(0.0, "nothing falls on a vector of length 0"))
        return step("divide", dot[cell], square, label="factor")

    def slips(self, around: Surroundings) -> Iterator[Slip]:
        yield Slip("not divided", "if the dot product is not divided by the square of the length", Kept())

    def _square(self, y: Source, row: tuple[int, ...]) -> Step:
        return step("sum", step("square", y[(*row, slice(None))]), label="length squared")


class Angle(Op):
    """The angle with the given cosine, in degrees from 0 to 180."""

    subscripts = "ij->ij"
    alters = True
    latex = r"\arccos(%s) \, \frac{180°}{\pi}"
    expression = "np.degrees(np.arccos(np.clip({0}, -1, 1)))"

    def forward(self, *parents: Array) -> Array:
        # Rounding may make a cosine a little larger than 1.
        return np.degrees(np.arccos(np.clip(parents[0], -1, 1)))

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        (cosine,) = parents
        # d/dc arccos c = −1 / √(1 − c²). At ±1, where it is infinite, 0 is used.
        below = 1 - cosine * cosine
        slope = np.divide(-180 / np.pi, np.sqrt(below), out=np.zeros_like(cosine), where=below > 0)
        return (passed(gradient, slope),)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        below = step("subtract", Constant(1, "1"), step("square", parents[0][at]))
        if not below.value > 0:
            return Constant(0, "0")
        return step("divide", Constant(-180 / np.pi, "−180°/π"), step("sqrt", below), label="slope of the angle")

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        return f"DEGREES(ACOS(MAX(-1,MIN(1,{parents[0][cell]}))))"

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        arc = step("arccos", parents[0][cell], label="angle as an arc of a circle of radius 1")
        return step("multiply", arc, Constant(180 / np.pi, "180°/π"), label="in degrees")


class Subtract(Elementwise):
    """The element-wise difference: x without its projection."""

    subscripts = "ij,ij->ij"
    alters = True
    latex = "%s - %s"
    function, sign = "subtract", "-"

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        a, b = parents
        return summed_to(a.shape, gradient), summed_to(b.shape, -gradient)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        return added(at, value, -1 if parent else 1)
