"""Ops with a mistake in them: what a student computes who leaves something out, or takes rows for columns."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from explorer.core.explain import FUNCTIONS, Argument, Constant, Operand, Source, Step, step
from explorer.core.node import Node
from explorer.core.ops import (
    GELU,
    Add,
    Array,
    BatchNorm,
    Cosine,
    CrossEntropy,
    Identity,
    LayerNorm,
    Length,
    Mask,
    MatMul,
    MeanSquaredError,
    Multiply,
    Op,
    ReLU,
    RowShares,
    Scale,
    ScaleFactor,
    Scores,
    Sigmoid,
    Sinusoidal,
    Softmax,
    Temperature,
    WeightedSum,
)
from explorer.core.ops.normalise import Moments


@dataclass(frozen=True)
class Kept(Op):
    """One parent as it is: the step was left out."""

    parent: int = 0
    alters = True

    def forward(self, *parents: Array) -> Array:
        return parents[self.parent].copy()

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("value", parents[self.parent][cell])


@dataclass(frozen=True)
class Fewer(Op):
    """An op without its last parent, such as the bias."""

    op: Op

    def forward(self, *parents: Array) -> Array:
        return self.op.forward(*parents[:-1])

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return self.op.explain(cell, *parents[:-1])


@dataclass(frozen=True)
class Then(Op):
    """An op, and something more done to what comes out."""

    op: Op
    function: str  # a key of `FUNCTIONS`
    number: float | None = None  # its second argument, if it takes one; `text` is how that is written
    text: str = ""

    def forward(self, *parents: Array) -> Array:
        more = () if self.number is None else (self.number,)
        return np.asarray(FUNCTIONS[self.function](self.op.forward(*parents), *more))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        more = () if self.number is None else (Constant(self.number, self.text),)
        return step(self.function, self.op.explain(cell, *parents), *more)


@dataclass(frozen=True)
class Turned(Op):
    """An op that reads some of its parents with rows for columns, and perhaps gives its result so."""

    op: Op
    which: tuple[int, ...]  # the parents that are transposed
    result: bool = False  # whether the result is transposed back

    def forward(self, *parents: Array) -> Array:
        value = self.op.forward(*(p.mT if i in self.which else p for i, p in enumerate(parents)))
        return np.ascontiguousarray(value.mT) if self.result else value

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        turned = [Source(p.name, p.value.mT) if i in self.which else p for i, p in enumerate(parents)]
        names = {parents[i].name for i in self.which}
        return _back(self.op.explain((*cell[:-2], *cell[:-3:-1]) if self.result else cell, *turned), names)


def _back(last: Step, names: set[str]) -> Step:
    """A derivation whose cells of some nodes are named where they stand in truth, not transposed."""

    def one(argument: Argument) -> Argument:
        if isinstance(argument, Step):
            return replace(argument, arguments=tuple(map(one, argument.arguments)))
        if isinstance(argument, Operand) and argument.node in names:
            *lead, i, j = argument.index
            return replace(argument, index=(*lead, j, i))
        return argument

    return replace(last, arguments=tuple(map(one, last.arguments)))


@dataclass(frozen=True)
class Hidden(Op):
    """An op that hides what comes later, as a causal mask does, where nothing is masked."""

    op: Op

    def forward(self, *parents: Array) -> Array:
        return self.op.forward(self._hidden(parents[0]))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return self.op.explain(cell, Source(parents[0].name, self._hidden(parents[0].value)))

    def _hidden(self, scores: Array) -> Array:
        return np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)


@dataclass(frozen=True)
class OneLess(LayerNorm):
    """A layer norm whose variance is divided by n − 1, as that of a sample is."""

    def moments(self, x: Array) -> Moments:
        found, n = super().moments(x), x.shape[-1]
        variance = found.variance * n / (n - 1)
        sigma = np.sqrt(variance + self.epsilon) if self.inside else np.sqrt(variance) + self.epsilon
        return found._replace(variance=variance, sigma=sigma)

    def _measured(self, x: Source, cell: tuple[int, ...]) -> tuple[Step, Step, Step]:
        line = x[(*cell[:-1], slice(None))]
        less = len(line.value) - 1
        mean = step("mean", line, label="mean μ")
        squares = step("square", step("subtract", line, mean))
        variance = step("divide", step("sum", squares), Constant(less, str(less)), label="variance, divided by n − 1")
        epsilon = Constant(self.epsilon, f"{self.epsilon:g}".replace("e-0", "e−"))
        if self.inside:
            root = step("sqrt", step("add", variance, epsilon), label="root")
            return mean, root, root
        root = step("sqrt", variance, label="σ")
        return mean, root, step("add", root, epsilon)


@dataclass(frozen=True)
class Slip:
    """A mistake in one op: a short name, a sentence behind "That is what comes out", and the op that makes it."""

    name: str
    sentence: str
    op: Op


Shapes = Callable[[str], tuple[int, ...]]


def slips_of(node: Node, shape: Shapes, scaled: bool, masked: bool) -> Iterator[Slip]:
    """The mistakes that can be made at a node, likely ones first.

    Parameters
    ----------
    shape : callable
        The shape of a node by its name.
    scaled, masked : bool
        Whether the scores of its block are.
    """
    op = node.op
    shapes = [shape(parent) for parent in node.parents]
    square = [len(one) > 1 and one[-1] == one[-2] for one in shapes]
    match op:
        case Scores():
            other = "dot" if op.similarity == "cosine" else "cosine"
            dots = "the dot product is not divided by the lengths"
            said = dots if other == "dot" else "the dot product is divided by the lengths of both vectors"
            if square[1]:
                yield Slip(
                    "not transposed", "if K is not transposed: row times row, not row times column", Turned(op, (1,))
                )
            if not scaled and node.short == "scores" and op.similarity == "dot":
                width = shapes[0][-2 if op.columns else -1]
                divided = Then(op, "divide", float(np.sqrt(width)), f"√{width}")
                yield Slip("scaled", "if the scores are divided by √d_k, which is not done here", divided)
            yield Slip(other, f"if {said}", replace(op, similarity=other))
        case ScaleFactor():
            other = "1/sqrt(d_k)" if op.kind == "1/d_k" else "1/d_k"
            text = "√d_k" if op.kind == "1/d_k" else "d_k"
            yield Slip("other scale", f"if one divides by {text}", replace(op, kind=other))
            yield Slip("multiplied", "if one multiplies by it instead of dividing", Then(op, "power", -1.0, "−1"))
        case Scale():
            yield Slip("not scaled", "if the scores are not divided by √d_k", Kept())
        case Temperature():
            yield Slip("no temperature", "if the scores are not divided by the temperature", Kept())
        case Mask():
            yield Slip("no mask", "without the mask: words that come later, or are hidden, are looked at too", Kept())
        case Softmax():
            if len(node.axes) > 1 and shapes[0][-2] > 1:  # nobody goes down a column of one number
                yield Slip(
                    "wrong axis", "if softmax runs down the columns and not along the rows", Turned(op, (0,), True)
                )
            if node.axes[-1:] == node.axes[-2:-1] and not masked:
                yield Slip("masked", "if what comes later is hidden, which it is not here", Hidden(op))
            yield Slip("no powers", "if each number is divided by the sum, without e to its power", RowShares())
            yield Slip("not divided", "if e to the power is not divided by the sum of the row", Then(Kept(), "exp"))
            yield Slip("no softmax", "before softmax", Kept())
        case RowShares():
            yield Slip("softmax", "if softmax is taken, with e to the power of each", Softmax())
            yield Slip("not divided", "before it is divided by the sum of the row", Kept())
        case WeightedSum():
            if square[0]:
                yield Slip("row for column", "if a column of the weights is taken for the row", Turned(op, (0,)))
        case MatMul():
            if square[1]:
                yield Slip("row for column", "if a row of the weights is taken for the column", Turned(op, (1,)))
            if len(shapes) == 3:
                yield Slip("no bias", "without the bias", Fewer(op))
        case Add():
            if node.short == "H":
                yield Slip("no positions", "without the positions", Kept(0))
                yield Slip("positions alone", "if the positions are taken alone", Kept(1))
            else:
                yield Slip("no residual", "without the residual, which is what went in", Kept(1))
                yield Slip("residual alone", "if what was computed is not added to what went in", Kept(0))
        case Multiply():
            yield Slip("not multiplied", "if nothing is multiplied", Kept())
        case LayerNorm() | BatchNorm():
            lines = LayerNorm if isinstance(op, BatchNorm) else BatchNorm
            axis = "the rows, not the columns" if isinstance(op, BatchNorm) else "the columns, not the rows"
            yield Slip("wrong axis", f"if mean and variance are those of {axis}", lines(op.epsilon, op.inside))
            yield Slip("no ε", "without ε", replace(op, epsilon=0.0))
            where = "added to σ" if op.inside else "added inside the root"
            yield Slip("ε elsewhere", f"if ε is {where}", replace(op, inside=not op.inside))
            if isinstance(op, LayerNorm) and shapes[0][-1] > 1:
                yield Slip("n − 1", "if the variance is divided by n − 1, not by n", OneLess(op.epsilon, op.inside))
            yield Slip("no norm", "before the norm", Kept())
        case ReLU() | Sigmoid() | GELU():
            name = type(op).__name__
            yield Slip("no activation", f"without {name}", Kept())
            if isinstance(op, GELU):
                yield Slip("ReLU", "if ReLU is taken", ReLU())
            if isinstance(op, Sigmoid):
                yield Slip("ReLU", "if ReLU is taken", ReLU())
        case Identity():
            yield Slip("ReLU", "if ReLU is taken, although there is none here", ReLU())
        case CrossEntropy():
            n = float(np.prod(shapes[1]))
            yield Slip(
                "log base 10",
                "with the logarithm to base 10, not the natural one",
                Then(op, "divide", np.log(10), "ln 10"),
            )
            yield Slip(
                "log base 2", "with the logarithm to base 2, not the natural one", Then(op, "divide", np.log(2), "ln 2")
            )
            if n > 1:
                yield Slip("not averaged", "if the sum is not divided by n", Then(op, "multiply", n, f"{n:g}"))
        case MeanSquaredError():
            n = float(np.prod(shapes[0]))
            if n > 1:
                yield Slip("not averaged", "if the sum is not divided by n", Then(op, "multiply", n, f"{n:g}"))
            yield Slip("root", "if the root is taken in the end", Then(op, "sqrt"))
            yield Slip("half", "if it is halved, as some do", Then(op, "divide", 2.0, "2"))
        case Length():
            yield Slip("no root", "without the root", Then(op, "square"))
        case Cosine():
            yield Slip("not divided", "if the dot product is not divided by the lengths", Kept())
        case Sinusoidal():
            for kind in ("paper", "004"):
                if kind != op.exponents:
                    said = "2⌊j/2⌋/d, as in the paper" if kind == "paper" else "2j/d"
                    yield Slip("other exponents", f"with the exponents {said}", replace(op, exponents=kind))
        case _:
            return
