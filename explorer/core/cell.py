"""One cell of a node: the derivation of its number step by step, and its formula in a spreadsheet.

The derivation of a cell is a list of small steps, each with its operands and its value as numbers.

A derivation is arithmetic that a reader can redo with a pocket calculator. Every step computes its own value from the
values of its arguments by one function of `FUNCTIONS`, so a derivation cannot contradict itself; that it arrives at the
number the graph holds is tested for every op.

Further below: where the numbers of a node stand in a spreadsheet, and how formulas of other cells refer to them.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import erf, prod
from typing import Any, TypeAlias

import numpy as np

from explorer.core.frozen import Frozen

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Index: TypeAlias = tuple[int | slice, ...]


def is_cell_of(cell: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether an array of this shape has this cell, counted from 0: a text that was shortened has fewer."""
    return len(cell) == len(shape) and all(0 <= i < n for i, n in zip(cell, shape, strict=True))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "value": lambda a: a,
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "negate": np.negative,
    "power": np.power,
    "square": np.square,
    "absolute": np.abs,
    "round": lambda a: np.copysign(np.floor(np.abs(a) + 0.5), a),  # a half goes away from 0, as in spreadsheets
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    # Rounding may make a cosine a little larger than 1.
    "arccos": lambda a: np.arccos(np.clip(a, -1, 1)),
    "tanh": np.tanh,
    "erf": np.vectorize(erf, otypes=[np.float64]),
    "maximum": np.maximum,
    "minimum": np.minimum,
    "max": np.max,
    "sum": np.sum,
    "mean": np.mean,
    "max_of": lambda *a: np.max(a),
    "kth": lambda a, k: -np.sort(-a)[int(k) - 1],
    "mean_of": lambda *a: np.mean(a),
    "sum_of": lambda *a: np.sum(a),
    "dot": lambda a, b: np.sum(np.multiply(a, b)),
    "norm": lambda a: np.sqrt(np.sum(np.square(a))),
    "argmax": np.argmax,
    "at_least": lambda a, b: np.float64(a >= b),
    "above": lambda a, b: np.float64(a > b),
    "equal": lambda a, b: np.float64(a == b),
    "unmasked": lambda a: np.where(np.isneginf(a), 0, a)[()],
    "where": lambda condition, yes, no: yes if condition else no,
    "pick": lambda which, value: value,
    "row": lambda *a: np.array(a),
}


class Operand(Frozen, eq=False):
    """One cell, or one line of cells, of a node: a single number or a vector."""

    node: str  # name of the node
    index: Index  # position in the node's array; one `slice(None)` where the operand is a vector
    value: Any  # the numbers, 0-d or 1-d
    # Which numbers they are: the "value" of these cells, their "gradient", or their "derivative" with respect to the
    # one explained cell.
    of: str = "value"


class Constant(Frozen, eq=False):
    """A number that is part of the op, such as ε."""

    value: Any  # a vector where the step works on a line: one number for each entry
    text: str  # how it is written


class Step(Frozen, eq=False):
    """One step of a derivation: ``value = function(*arguments)``."""

    function: str  # a key of `FUNCTIONS`
    arguments: tuple["Argument", ...]
    value: Any  # a vector where the arguments are lines
    label: str = ""  # the term of the field, such as "variance σ²"; empty where there is none


Argument: TypeAlias = Operand | Constant | Step


class Source(Frozen, eq=False):
    """A parent of the explained node: ``source[i, :]`` is the operand for that line of it."""

    name: str  # name of the node
    value: Any

    def __getitem__(self, index: Any) -> Operand:
        index = index if isinstance(index, tuple) else (index,)
        return Operand(self.name, index, self.value[index])


def step(function: str, *arguments: Argument, label: str = "") -> Step:
    """A step whose value is computed from its arguments."""
    return Step(function, arguments, FUNCTIONS[function](*[a.value for a in arguments]), label)


def steps(last: Step) -> list[Step]:
    """All steps of a derivation in the order of computation, each once."""
    done: dict[int, Step] = {}
    waiting = [last]
    while waiting:
        one = waiting[-1]
        needed = [part for part in one.arguments if isinstance(part, Step) and id(part) not in done]
        if needed:
            waiting += reversed(needed)
        else:
            done[id(one)] = waiting.pop()
    return list(done.values())


def operands(last: Step) -> list[Operand]:
    """The cells of other nodes that a derivation reads, in reading order, each once."""
    found: dict[str, Operand] = {}
    for one in steps(last):
        for argument in one.arguments:
            if isinstance(argument, Operand):
                found.setdefault(f"{argument.of} {argument.node}{argument.index}", argument)
    return list(found.values())


def cells_of(index: Iterable[int | slice], shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The cells that an index selects."""
    ranges = [range(size)[i] if isinstance(i, slice) else (i,) for i, size in zip(index, shape, strict=True)]
    return list(product(*ranges))


MINUS_INFINITY = "-1E+300"
"""Written for −∞ in a spreadsheet, which has no infinity: e to this power is 0 all the same."""


class CellBlock(Frozen):
    """A parent of a node as formulas refer to it: ``block[i, :]`` is the reference to that line, such as $B5:$E5.

    A reference along the formula's own row or column is relative; an axis that is read whole is fixed by dollars. So a
    formula can be copied to the cells beside it, as if a person had written it.
    """

    # Of the node. The matrices of several heads stand one below the other.
    shape: tuple[int, ...]
    # `row`, `column`: where its first number stands on the sheet, counted from 0.
    row: int = 0
    column: int = 0
    apart: int = 0  # the number of rows from one head's first number to that of the next head
    upright: bool = False  # whether a vector stands in a column, not in a row
    sheet: str = ""  # sheet prefix such as "'Embedding'!"; empty for formulas on the same sheet
    name: str = ""  # the workbook's defined name for the whole matrix; empty where there is none
    masked: bool = False  # whether some of the numbers may be −∞

    @property
    def ndim(self) -> int:
        """How many axes the node has."""
        return len(self.shape)

    @property
    def table(self) -> tuple[int, int]:
        """How many rows and columns the numbers take on the sheet; for several heads, those of one head."""
        if self.ndim > 1:
            return self.shape[-2], self.shape[-1]
        return (prod(self.shape), 1) if self.upright else (1, prod(self.shape))

    def __getitem__(self, index: Any) -> str:
        index = index if isinstance(index, tuple) else (index,)
        assert len(index) == self.ndim, (index, self.shape)
        if self.name and all(part == slice(None) for part in index):
            return self.name
        whole = slice(None)
        if self.ndim < 2:
            index = (*index, whole) if self.upright else (whole, *index)
        *lead, row, column = index if self.ndim else (whole, whole)
        if not lead:
            return self._area(0, row, column)  # most references: a workbook asks for thousands
        sizes = self.shape[: len(lead)]
        heads = np.arange(prod(sizes)).reshape(sizes)[tuple(lead)]
        return ",".join(self._area(head, row, column) for head in heads.ravel().tolist())

    def _area(self, head: int, row: int | slice, column: int | slice) -> str:
        """The reference to a row, a column, a cell or the whole matrix of a head."""
        (top, bottom, fixed_row), (left, right, fixed) = map(_ends, (row, column), self.table)
        above = self.row + head * self.apart + 1
        ends = [f"{fixed}{letters(self.column + j)}{fixed_row}{above + i}" for i, j in ((top, left), (bottom, right))]
        return self.sheet + (ends[0] if ends[0] == ends[1] else ":".join(ends))


def _ends(part: int | slice, size: int) -> tuple[int, int, str]:
    """The first and last place that an index selects, and the dollar for an axis that is read whole."""
    if isinstance(part, slice):
        return range(size)[part][0], range(size)[part][-1], "$"
    return part, part, ""


_SIGNS = {
    "add": ("+", 1),
    "subtract": ("-", 1),
    "sum_of": ("+", 1),
    "multiply": ("*", 2),
    "divide": ("/", 2),
    "power": ("^", 3),
}
"""How spreadsheets write arithmetic: the sign, and how firmly it binds."""
_CALLS = {
    "negate": "-{}",
    "square": "{}^2",
    "absolute": "ABS({})",
    "sqrt": "SQRT({})",
    "exp": "EXP({})",
    "tanh": "TANH({})",
    "maximum": "MAX({},{})",
    "minimum": "MIN({},{})",
    "max": "MAX({})",
    "max_of": "MAX({})",
    "sum": "SUMPRODUCT({})",  # unlike SUM it computes with lines
    "mean": "AVERAGE({})",
    "dot": "SUMPRODUCT({},{})",
    "norm": "SQRT(SUMSQ({}))",
    "argmax": "MATCH(MAX({0}),{0},0)-1",
    "at_least": "IF({}>={},1,0)",
    "above": "IF({}>{},1,0)",
    "equal": "IF({}={},1,0)",
    "where": "IF({},{},{})",
}
"""How they write other functions."""


def formula_of(one: Argument, blocks: Sequence[CellBlock], firm: int = 0) -> str:
    """The formula of a derivation in a spreadsheet.

    `blocks`: where the nodes that it reads stand; the name of each node is its place among them.
    `firm`: how firmly the signs around it bind; it is put in brackets if its own signs bind less.
    """
    if isinstance(one, Operand):
        return blocks[int(one.node)][one.index]
    if isinstance(one, Constant):
        text = MINUS_INFINITY if one.value == -np.inf else repr(float(one.value)).removesuffix(".0")
        own = 1 if one.value < 0 else 4
    elif one.function == "value":
        return formula_of(one.arguments[0], blocks, firm)
    elif one.function in _SIGNS:
        sign, own = _SIGNS[one.function]
        text = sign.join([formula_of(part, blocks, own + (i > 0)) for i, part in enumerate(one.arguments)])
    else:
        call = _CALLS[one.function]
        own = 4 if call.endswith(")") else 1
        parts = [formula_of(part, blocks, 0 if own == 4 else 4) for part in one.arguments]
        if one.function == "dot" and [part.index[-1] == slice(None) for part in operands(one)] == [True, False]:
            call = "MMULT({},{})"  # a row and a column
        text = call.format(*[",".join(parts)] if one.function == "max_of" else parts)
    return f"({text})" if own < firm else text


def letters(column: int) -> str:
    """The spreadsheet's name of a column counted from 0: A to Z, then AA."""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("A") + letter) + name
    return name
