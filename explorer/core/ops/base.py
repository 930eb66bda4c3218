"""The base class of all ops, with all that an op can do and state about itself; and ops with a mistake in them.

A slip is what a student computes who leaves something out, or confuses rows and columns. Each op names its own slips in
`Op.slips`. They are computed like any op, so wrong numbers need not be listed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from explorer.core.cell import (
    FUNCTIONS,
    Argument,
    Array,
    CellBlock,
    Constant,
    Index,
    Operand,
    Source,
    Step,
    cells_of,
    formula_of,
    step,
)
from explorer.core.frozen import Frozen


class Op(Frozen):
    """The rule that computes a node's value from its parents' values.

    An op is a frozen dataclass of its parameters, so that two ops are equal when they compute the same thing.

    `subscripts` says which axes of the parents and of the result correspond, as in ``einsum``: ``"ic,jc->ij"`` means
    "row i of the first parent and row j of the second make cell ij". An axis that the result lacks is read whole.

    These are the last axes. All axes before them are leading axes, over which the op is repeated: heads, and before
    these the sentences of a batch. Leading axes of several parents are broadcast as in numpy, aligned at the right; a
    parent without an axis, such as weights for a batch, is reused, and its gradient is the sum over all uses. So that a
    batch is never mistaken for heads, an op of which only some parents have heads names the axis of heads h:
    ``"ic,hcj->hij"``. Numbers of a model without any axis, such as a temperature, have no leading axes either.
    """

    subscripts: ClassVar[str] = ""
    alters: ClassVar[bool] = False
    """Whether each cell comes from one cell of the first parent: its derivation continues that cell's derivation."""
    whole: ClassVar[bool] = False
    """Whether the result holds whole numbers: word numbers, or the 0 and 1 of a mask."""
    latex: ClassVar[str] = ""
    """The text for `formula`, with ``%s`` for the symbol of each parent; an op that needs more overrides `formula`."""
    expression: ClassVar[str] = ""
    """The text for `code`, with ``{0}``, ``{1}`` for the parents' names; an op that needs more overrides `code`."""
    definition: ClassVar[str] = ""
    """Python source of the functions, besides numpy's, that `code` calls; a script begins with them."""

    # Facts: the rest of the program reads these, so that no code has to ask for the class of an op.

    adds: ClassVar[bool] = False
    """Whether the result is the sum of the parents."""
    across: ClassVar[int | None] = None
    """The parent that has a row for each word attended to, not for each word that attends."""
    bends: ClassVar[bool] = True
    """Of an activation: whether it is not linear."""
    codes: ClassVar[int] = 0
    """Of whole numbers that run from −n to n, such as the codes of weights: n; 0 for numbers that are not negative."""
    cuts: ClassVar[bool] = False
    """Of an activation: whether every negative number becomes exactly 0."""
    drawn: ClassVar[int | None] = None
    """The parent that is drawn at random in training and is 1 in use."""
    hides: ClassVar[bool] = False
    """Whether it puts −∞ into cells that must get no attention."""
    joins_heads: ClassVar[bool] = False
    """Whether it puts the heads side by side."""
    looks_up: ClassVar[int | None] = None
    """The parent that is a table; the whole numbers of the first parent are numbers of its rows."""
    normalises: ClassVar[bool] = False
    """Whether it is a norm; it then has the attributes of `Norm`."""
    of_words: ClassVar[bool] = False
    """Of a loss: whether it is −log of the probability of the right word."""
    picked: ClassVar[int | None] = None
    """The parent that holds numbers of columns of the first parent."""
    picks: ClassVar[bool] = False
    """Whether each result is the number of a column of the first parent."""
    projects: ClassVar[bool] = False
    """Whether it multiplies rows by a matrix of weights, its second parent; see `matrix`."""
    shares: ClassVar[bool] = False
    """Whether each row of the result consists of shares of 1."""
    signed: ClassVar[bool] = False
    """Whether the sign of a result matters as well as its size: pictures then use two colours."""
    softens: ClassVar[bool] = False
    """Whether the shares are a softmax: the log of a cross-entropy after it undoes the exponential."""
    straight_through: ClassVar[bool] = False
    """Whether its gradient passes to the first parent as if nothing were rounded; it then is not the slope."""
    title: ClassVar[str] = ""
    """Of an activation: its name in a sentence."""
    within: ClassVar[tuple[float, float] | None] = None
    """The bounds of all results, if they are characteristic of the op."""

    @property
    def balances(self) -> int:
        """Of a loss: how many of its last parents are balances of experts."""
        return 0

    @property
    def reach(self) -> int | None:
        """Of a mask by which words look only back: the most words that one sees, itself included; else None."""
        return None

    @property
    def random(self) -> bool:
        """Whether a missing starting value is drawn at random."""
        return False

    def factors(self) -> tuple[bool, bool] | None:
        """Of a plain product of two matrices: whether the first and the second are transposed; None for other ops."""
        return None

    def write_start(self, array: Array, name: str, seed: int, initialiser: str, corner: tuple[int, ...] | None) -> None:
        """Of an input: see `Input.write_start`."""
        raise NotImplementedError(type(self).__name__)

    def matrix(self, W: Array) -> Array:
        """The weights of an op that `projects`, in the orientation (…, d_in, d_out) of ``row @ W``."""
        raise NotImplementedError(type(self).__name__)

    def reading(self, reader: Array, x: Array, *weights: Array) -> tuple[float, Array, float]:
        """Of a norm: see `Norm.reading`."""
        raise NotImplementedError(type(self).__name__)

    def counted(self, target: Array) -> Array:
        """Of a loss: the positions of its target that it counts, in the target's shape."""
        return np.ones(target.shape, dtype=np.bool_)

    def count(self, target: Array) -> int:
        """Of a loss: n, the number of terms whose mean it is."""
        return int(target.size)

    def slips(self, around: "Surroundings") -> Iterator["Slip"]:
        """The mistakes that a student can make at this op, likely ones first; each is an op itself."""
        return iter(())

    def forward(self, *parents: Array) -> Array:
        """Compute the value, a new array, from the parents' values."""
        raise NotImplementedError(type(self).__name__)

    def forward_rows(self, at: slice, *parents: Array) -> Array:
        """Only the rows `at` of the value, for a decoder that reads further words.

        `parents`: the same rows of each; of the parent read `across`, all rows up to the last of them.
        """
        return self.forward(*parents)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        """Pass a gradient on to the parents: the chain rule for one node (Goodfellow et al. 2016, equation 6.46).

        `gradient`: how much the loss changes with each cell of the value; in the value's shape.
        `value`: the result of `forward` for these parents.
        Returns a gradient for each parent, in its shape, summed over the axes along which it was repeated; None for a
        parent that gets no gradient: whole numbers, and numbers that are only compared. So it is by default for a
        result of whole numbers.
        """
        if not self.whole and parents:
            raise NotImplementedError(f"{type(self).__name__} has no rule for its gradient")
        return (None,) * len(parents)

    def backward_to(
        self, wanted: Sequence[bool], gradient: Array, value: Array, *parents: Array
    ) -> tuple[Array | None, ...]:
        """The same for some of the parents; None for an unwanted one, if that saves much work.

        An op overrides it if each parent costs a product: in a look-up by one-hot rows, the gradient of the rows would
        cost as much as that of the table.
        """
        return self.backward(gradient, value, *parents)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        """How much cells of the value change with one cell of a parent: numbers with their derivation.

        This default calls `backward` once for each cell of the value and has only numbers to show.

        `parent`: which parent, counted from 0.
        `cell`: the cell of that parent.
        `at`: the cells of the value: a single one or, with one `slice(None)`, a line of them.
        """
        numbers, one = np.zeros_like(value.value), np.zeros_like(value.value)
        for i in cells_of(at, numbers.shape):
            one[i] = 1
            passed = self.backward(one, value.value, *(p.value for p in parents))[parent]
            numbers[i] = 0 if passed is None else passed[cell]
            one[i] = 0
        return Operand(value.name, at, numbers[at], "derivative")

    def formula(self, *symbols: str) -> str:
        """LaTeX of the right-hand side, given the parents' symbols."""
        if not self.latex:
            raise NotImplementedError(type(self).__name__)
        return self.latex % symbols

    def code(self, *names: str) -> str:
        """One numpy expression, for one sentence and not a batch, given the parents' variable names."""
        if not self.expression:
            raise NotImplementedError(type(self).__name__)
        return self.expression.format(*names)

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        """The formula of one cell in a spreadsheet, without the "=", in functions of Excel 2007 and LibreOffice.

        This default writes out the derivation. An op overrides it if its derivation depends on the parents' numbers, as
        a formula must not, or if a spreadsheet has a shorter way.
        """
        return formula_of(self.explain(cell, *_ones(*(block.shape for block in parents))), parents)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        """Derive one cell: the last step of a derivation that reads the parents' cells."""
        raise NotImplementedError(type(self).__name__)

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        """The cells of the result that depend on one cell of the given parent.

        `parent`: which parent, counted from 0.
        `cell`: the cell of that parent.
        `parent_shape`, `shape`: shapes of the parent and of the result.
        Returns an index into the result: `slice(None)` for a whole axis, `slice(0, 0)` for no cell. An op without
        subscripts that does not override it makes a single number.
        """
        if not self.subscripts:
            return ()
        inputs, result = self.subscripts.split("->")
        letters = inputs.split(",")[parent]
        of_letter = dict(zip(letters, cell[len(cell) - len(letters) :], strict=True))
        lead, parent_lead = len(shape) - len(result), len(parent_shape) - len(letters)
        index: list[int | slice] = []
        for axis in range(lead):
            own = axis - (lead - parent_lead)
            index.append(cell[own] if own >= 0 and parent_shape[own] != 1 else slice(None))
        index += [of_letter.get(letter, slice(None)) for letter in result]
        return tuple(index)


@lru_cache(16)
def _ones(*shapes: tuple[int, ...]) -> list[Source]:
    """Parents of these shapes, each named by its place, for a derivation of which only the steps matter."""
    return [Source(str(i), np.broadcast_to(1.0, shape)) for i, shape in enumerate(shapes)]


def line(cell: Index, value: Array | CellBlock, *index: int | slice) -> Index:
    """An index into `value`: those leading axes of `cell` (all but row and column) that `value` has, then `index`."""
    lead = value.ndim - len(index)
    batch = cell[: max(len(cell) - 2, 0)]
    own = batch[len(batch) - lead :] if lead else ()
    return tuple(0 if value.shape[a] == 1 else c for a, c in enumerate(own)) + index


class Elementwise(Op):
    """Two parents added, multiplied or the like, number by number; the second may be a single number for all cells."""

    function: ClassVar[str]
    """A key of `FUNCTIONS`."""
    sign: ClassVar[str]
    """How it is written in Python and in a spreadsheet."""

    def forward(self, *parents: Array) -> Array:
        return FUNCTIONS[self.function](*parents)

    def code(self, *names: str) -> str:
        return f" {self.sign} ".join(names)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        own = (p[line(cell, p.value, *cell[-2:]) if p.value.ndim else ()] for p in parents)
        return step(self.function, *own)


def mean(x: Array, axis: int) -> Array:
    """The same as ``x.mean(axis, keepdims=True)``, in half the time for a few rows."""
    return np.add.reduce(x, axis, keepdims=True) / x.shape[axis]


def summed_to(shape: tuple[int, ...], gradient: Array) -> Array:
    """The gradient of an array of that shape which numpy repeated along new leading axes: the sum over these.

    Each repetition is a separate path to the loss, and the chain rule adds up all paths.
    """
    new = gradient.ndim - len(shape)
    return np.asarray(np.add.reduce(gradient.reshape(-1, *shape))) if new else gradient


def passed(gradient: Array, slope: Array) -> Array:
    """Gradient times slope; nothing passes through a slope of 0, not even an infinite gradient."""
    product = np.asarray(gradient * slope)
    if not np.isfinite(np.vdot(product, product)):  # 0 · ∞ is NaN, and so is every sum with it
        product[np.broadcast_to(slope == 0, product.shape)] = 0
    return product


def inner(gradient: Array, slope: Array) -> Array:
    """The sum of gradient times slope over all cells, with the rule of `passed` for slopes of 0."""
    found = np.vdot(gradient, slope)
    return np.asarray(found if np.isfinite(found) else passed(gradient, slope).sum())


def product(a: Array, b: Array, gradient: int) -> Array:
    """``a @ b`` of a gradient, `a` (0) or `b` (1), and slopes. Through a slope of 0 nothing passes, not even an
    infinite gradient.
    """
    found: Array = a @ b
    if np.isfinite(np.vdot(found, found)):
        return found
    dtype = found.dtype

    def crossed(of_gradient: Array, of_slope: Array) -> Array:
        left, right = (of_slope, of_gradient) if gradient else (of_gradient, of_slope)
        return left.astype(dtype, copy=False) @ right.astype(dtype, copy=False)

    g, slope = (b, a) if gradient else (a, b)
    up, down, rising, falling = g == np.inf, g == -np.inf, slope > 0, slope < 0
    found = crossed(np.where(np.isfinite(g), g, 0), slope)
    found[crossed(up, rising) + crossed(down, falling) > 0] += np.inf
    found[crossed(up, falling) + crossed(down, rising) > 0] -= np.inf
    found[crossed(np.isnan(g), slope != 0) > 0] = np.nan
    return found


def added(at: Index, value: Source, sign: int = 1) -> Operand:
    """The derivative of cells to which a cell of a parent is added (1), or from which it is subtracted (−1)."""
    return Operand(value.name, at, np.full(np.shape(value.value[at]), sign)[()], "derivative")


class Surroundings(Frozen):
    """The surroundings of an op, on which possible mistakes depend."""

    name: str  # the last part of the node's name
    axes: tuple[str, ...]  # of the node
    shapes: tuple[tuple[int, ...], ...]  # of the parents
    scaled: bool = False  # whether the scores of its block are scaled
    masked: bool = False  # whether the scores of its block are masked

    def square(self, parent: int) -> bool:
        """Whether a parent is square, so that rows and columns can be confused."""
        shape = self.shapes[parent]
        return len(shape) > 1 and shape[-1] == shape[-2]


class Slip(Frozen):
    """A mistake in one op: a short name, a sentence that follows "That is what comes out", and the op that makes it."""

    name: str
    sentence: str
    op: Op


class Kept(Op):
    """One parent unchanged: the step was left out."""

    parent: int = 0
    alters = True

    def forward(self, *parents: Array) -> Array:
        return parents[self.parent].copy()

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return step("value", parents[self.parent][cell])


class Fewer(Op):
    """An op applied without its last parents, such as the bias."""

    op: Op
    n: int = 1  # how many of them

    def forward(self, *parents: Array) -> Array:
        return self.op.forward(*parents[: -self.n])

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return self.op.explain(cell, *parents[: -self.n])


class Then(Op):
    """An op followed by one more function of its result."""

    op: Op
    function: str  # a key of `FUNCTIONS`
    number: float | None = None  # its second argument, if it takes one; `text` is its written form
    text: str = ""

    def forward(self, *parents: Array) -> Array:
        more = () if self.number is None else (self.number,)
        return np.asarray(FUNCTIONS[self.function](self.op.forward(*parents), *more))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        more = () if self.number is None else (Constant(self.number, self.text),)
        return step(self.function, self.op.explain(cell, *parents), *more)


class Turned(Op):
    """An op that reads some of its parents transposed, and may transpose its result, too."""

    op: Op
    which: tuple[int, ...]  # the parents that are transposed
    result: bool = False  # whether the result is transposed back

    def forward(self, *parents: Array) -> Array:
        value = self.op.forward(*(p.mT if i in self.which else p for i, p in enumerate(parents)))
        return np.ascontiguousarray(value.mT) if self.result else value

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        turned = [Source(p.name, p.value.mT) if i in self.which else p for i, p in enumerate(parents)]
        names = {parents[i].name for i in self.which}
        last = self.op.explain((*cell[:-2], *cell[:-3:-1]) if self.result else cell, *turned)
        return _back(last, names, ("row", "column") if self.result else ("", ""))


def _back(last: Step, names: set[str], renamed: tuple[str, str]) -> Step:
    """A derivation in which cells of some nodes, read transposed, get their true indices and labels again."""
    seen: dict[int, Step] = {}  # by identity: a step that is used twice stays one, and is shown once

    def step_of(step: Step) -> Step:
        if id(step) not in seen:
            arguments = tuple(map(one, step.arguments))
            seen[id(step)] = replace(step, arguments=arguments, label=step.label.replace(*renamed))
        return seen[id(step)]

    def one(argument: Argument) -> Argument:
        if isinstance(argument, Step):
            return step_of(argument)
        if isinstance(argument, Operand) and argument.node in names:
            *lead, i, j = argument.index
            return replace(argument, index=(*lead, j, i))
        return argument

    return step_of(last)


class Hidden(Op):
    """An op with a causal mask that does not belong there."""

    op: Op

    def forward(self, *parents: Array) -> Array:
        return self.op.forward(self._hidden(parents[0]))

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        return self.op.explain(cell, Source(parents[0].name, self._hidden(parents[0].value)))

    def _hidden(self, scores: Array) -> Array:
        return np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
