"""What every op knows about itself."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from explorer.core.cell import Argument, CellBlock, Index, Operand, Source, Step, cells_of

if TYPE_CHECKING:
    from explorer.core.ops.slips import Slip, Surroundings

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class Op:
    """How a node's value comes from its parents' values.

    An op is a frozen dataclass of its parameters, so that two ops are equal when they compute the same thing.

    `subscripts` says which axes of the parents and of the result run together, as in ``einsum``: ``"ic,jc->ij"`` reads
    "row i of the first and row j of the second make cell ij". An axis the result lacks is read whole.

    Those axes are the last ones. All before them are leading axes, over which the op is repeated: heads, and before
    these the sentences of a batch. Where parents differ in them, they meet as numpy lets them meet, from the right, and
    a parent that lacks one is used again for each: weights, for each sentence. Its gradient is then the sum over all.
    So that a batch is never taken for heads, an op whose parents do not all have heads names their axis, h:
    ``"ic,hcj->hij"``. Numbers of a model that have no axis at all, such as a temperature, have no leading axes either.
    """

    subscripts: ClassVar[str] = ""
    alters: ClassVar[bool] = False
    """Whether each cell is one cell of the first parent, altered: its derivation then goes on from that cell's."""
    whole: ClassVar[bool] = False
    """Whether the result holds whole numbers: word numbers, or the 0 and 1 of a mask."""
    latex: ClassVar[str] = ""
    """What `formula` writes, with ``%s`` for the symbol of each parent; an op that needs more overrides `formula`."""
    expression: ClassVar[str] = ""
    """What `code` writes, with ``{0}``, ``{1}`` for the parents' names; an op that needs more overrides `code`."""
    definition: ClassVar[str] = ""
    """The functions that `code` calls beside numpy's, in Python; a script begins with them."""

    # Facts: what the rest of the program asks of an op, so that nobody asks which op it is.

    adds: ClassVar[bool] = False
    """Whether it is the sum of its parents."""
    across: ClassVar[int | None] = None
    """Which parent has a row for each word that is looked at, instead of one for each word that looks."""
    bends: ClassVar[bool] = True
    """Of an activation: whether it is anything but a straight line."""
    cuts: ClassVar[bool] = False
    """Of an activation: whether all that is below 0 becomes exactly 0."""
    drawn: ClassVar[int | None] = None
    """Which parent training draws by chance, and use leaves at 1."""
    hides: ClassVar[bool] = False
    """Whether it puts −∞ where nothing is to be looked at."""
    joins_heads: ClassVar[bool] = False
    """Whether it sets the heads side by side."""
    looks_up: ClassVar[int | None] = None
    """Which parent is a table whose rows the whole numbers of the first parent name."""
    normalises: ClassVar[bool] = False
    """Whether it is a norm: it then has the attributes of `Norm`."""
    of_words: ClassVar[bool] = False
    """Of a loss: whether it is −log of the probability of the right word."""
    picked: ClassVar[int | None] = None
    """Which parent holds numbers of columns of the first parent."""
    picks: ClassVar[bool] = False
    """Whether each result is the number of a column of the first parent."""
    projects: ClassVar[bool] = False
    """Whether it multiplies rows with a matrix of weights, its second parent; see `matrix`."""
    shares: ClassVar[bool] = False
    """Whether each row of the result is shares of 1."""
    signed: ClassVar[bool] = False
    """Whether what counts in a result is its sign and size: it is then drawn in two colours."""
    softens: ClassVar[bool] = False
    """Whether the shares are those of e to the power of each: a cross-entropy behind it undoes the power."""
    straight_through: ClassVar[bool] = False
    """Whether its gradient goes to the first parent as if nothing were rounded: it is then not the slope."""
    title: ClassVar[str] = ""
    """Of an activation: its name in a sentence."""
    within: ClassVar[tuple[float, float] | None] = None
    """The bounds that every result lies between, where they are the point of it."""

    @property
    def random(self) -> bool:
        """Whether a value that nobody gives is drawn by chance."""
        return False

    def factors(self) -> tuple[bool, bool] | None:
        """Of a plain product of two matrices: whether the first and the second are transposed in it; None of others."""
        return None

    def matrix(self, W: Array) -> Array:
        """The weights of an op that `projects`, as rows are multiplied with them: (…, d_in, d_out)."""
        raise NotImplementedError(type(self).__name__)

    def reading(self, reader: Array, x: Array, *weights: Array) -> tuple[float, Array, float]:
        """Of a norm: see `Norm.reading`."""
        raise NotImplementedError(type(self).__name__)

    def counted(self, target: Array) -> Array:
        """Of a loss: which positions of its target it counts, in the target's shape."""
        return np.ones(target.shape, dtype=np.bool_)

    def count(self, target: Array) -> int:
        """Of a loss: n, of how many terms it is the mean."""
        return int(target.size)

    def slips(self, around: "Surroundings") -> Iterator["Slip"]:
        """The mistakes that a student can make at this op, likely ones first: each is an op of its own."""
        return iter(())

    def forward(self, *parents: Array) -> Array:
        """Compute the value, a new array, from the parents' values."""
        raise NotImplementedError(type(self).__name__)

    def forward_rows(self, at: slice, *parents: Array) -> Array:
        """The rows `at` of the value alone, for a decoder that reads on.

        `parents`: those rows of each; of the parent that is read `across`, all rows up to the last of them.
        """
        return self.forward(*parents)

    def backward(self, gradient: Array, value: Array, *parents: Array) -> tuple[Array | None, ...]:
        """Pass a gradient on to the parents: the chain rule for one node (Goodfellow et al. 2016, equation 6.46).

        Parameters
        ----------
        gradient : numpy.ndarray
            How much the loss changes with each cell of the value; in the value's shape.
        value : numpy.ndarray
            What `forward` made of the parents.
        *parents : numpy.ndarray

        Returns
        -------
        tuple of numpy.ndarray or None
            A gradient for each parent, in its shape, summed over the axes along which it was repeated; None for a
            parent that no gradient flows to: whole numbers, and what is only compared.
        """
        raise NotImplementedError(f"{type(self).__name__} has no rule for its gradient")

    def backward_to(
        self, wanted: Sequence[bool], gradient: Array, value: Array, *parents: Array
    ) -> tuple[Array | None, ...]:
        """The same for some of the parents; None for one that nobody wants, where that spares much.

        An op overrides it where each parent costs a product of its own: of a look-up by one-hot rows, the gradient of
        the rows would cost as much as that of the table.
        """
        return self.backward(gradient, value, *parents)

    def derivative(self, parent: int, cell: tuple[int, ...], at: Index, value: Source, *parents: Source) -> Argument:
        """How much cells of the value change with one cell of a parent: numbers, and where they come from.

        This asks `backward`, once for each cell of the value, and has nothing but numbers to show.

        Parameters
        ----------
        parent : int
            Which parent, counted from 0.
        cell : tuple of int
            The cell of that parent.
        at : Index
            The cells of the value: one of them or, with one `slice(None)`, a line of them.
        value, *parents : Source
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
        """One numpy expression for one sentence, not a batch, given the parents' variable names."""
        if not self.expression:
            raise NotImplementedError(type(self).__name__)
        return self.expression.format(*names)

    def sheet(self, cell: tuple[int, ...], *parents: CellBlock) -> str:
        """The formula of one cell in a spreadsheet, without the "=": what Excel 2007 and LibreOffice both know."""
        raise NotImplementedError(type(self).__name__)

    def explain(self, cell: tuple[int, ...], *parents: Source) -> Step:
        """Derive one cell: the last step of a derivation that reads the parents' cells."""
        raise NotImplementedError(type(self).__name__)

    def feeds(self, parent: int, cell: tuple[int, ...], parent_shape: tuple[int, ...], shape: tuple[int, ...]) -> Index:
        """The cells of the result that one cell of the given parent goes into.

        Parameters
        ----------
        parent : int
            Which parent, counted from 0.
        cell : tuple of int
            The cell of that parent.
        parent_shape, shape : tuple of int
            Shapes of the parent and of the result.

        Returns
        -------
        Index
            An index into the result: `slice(None)` where a whole axis is fed, `slice(0, 0)` where nothing is.
        """
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


def line(cell: Index, value: Array | CellBlock, *index: int | slice) -> Index:
    """Index into `value`: `index` behind those leading axes of `cell`, a row and a column in them, that `value` has."""
    lead = value.ndim - len(index)
    batch = cell[: max(len(cell) - 2, 0)]
    own = batch[len(batch) - lead :] if lead else ()
    return tuple(0 if value.shape[a] == 1 else c for a, c in enumerate(own)) + index


def mean(x: Array, axis: int) -> Array:
    """What ``x.mean(axis, keepdims=True)`` gives, in half its time for a few rows."""
    middle: Array = np.add.reduce(x, axis, keepdims=True) / x.shape[axis]
    return middle


def summed_to(shape: tuple[int, ...], gradient: Array) -> Array:
    """The gradient of an array of that shape which numpy repeated (broadcasting): the sum over what it was repeated to.

    Each repetition is a path of its own to the loss, and the chain rule adds up all paths.
    """
    if gradient.shape == shape:
        return gradient
    new = gradient.ndim - len(shape)
    if new:
        gradient = np.add.reduce(gradient.reshape(-1, *gradient.shape[new:]))
    repeated = tuple(axis for axis, size in enumerate(shape) if size == 1 != gradient.shape[axis])
    return np.asarray(gradient.sum(repeated, keepdims=True)) if repeated else gradient


def passed(gradient: Array, slope: Array) -> Array:
    """Gradient times slope; through a slope of 0 nothing passes, not even an infinite gradient."""
    product = np.asarray(gradient * slope)
    if not np.isfinite(np.vdot(product, product)):  # 0 · ∞ is NaN, and so is any sum that it is in
        product[np.broadcast_to(slope == 0, product.shape)] = 0
    return product


def inner(gradient: Array, slope: Array) -> Array:
    """The sum of gradient times slope over all cells; as in `passed`."""
    found = np.vdot(gradient, slope)
    return np.asarray(found if np.isfinite(found) else passed(gradient, slope).sum())


def product(a: Array, b: Array, gradient: int) -> Array:
    """``a @ b``, of which one is a gradient, `a` (0) or `b` (1), and the other slopes: as in `passed` nothing passes
    through a slope of 0, not even an infinite gradient.
    """
    found: Array = a @ b
    if np.isfinite(np.vdot(found, found)):
        return found
    dtype = found.dtype

    def crossed(of_gradient: Array, of_slope: Array) -> Array:
        left, right = (of_slope, of_gradient) if gradient else (of_gradient, of_slope)
        made: Array = left.astype(dtype, copy=False) @ right.astype(dtype, copy=False)
        return made

    g, slope = (b, a) if gradient else (a, b)
    up, down, rising, falling = g == np.inf, g == -np.inf, slope > 0, slope < 0
    found = crossed(np.where(np.isfinite(g), g, 0), slope)
    found[crossed(up, rising) + crossed(down, falling) > 0] += np.inf
    found[crossed(up, falling) + crossed(down, rising) > 0] -= np.inf
    found[crossed(np.isnan(g), slope != 0) + crossed(up | down, np.isnan(slope)) > 0] = np.nan
    return found


def added(at: Index, value: Source, sign: int = 1) -> Operand:
    """The derivative of cells of a value that a cell of a parent is simply added to, 1, or taken from, −1."""
    return Operand(value.name, at, np.full(np.shape(value.value[at]), sign, dtype=np.int64)[()], "derivative")
