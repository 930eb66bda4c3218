"""A derivation written out in rows, as on paper: operands with their numbers, and their result."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter

import numpy as np

from explorer.core.cell import Argument, Constant, Index, Operand, Step, operands
from explorer.core.engine import Engine
from explorer.core.frozen import Frozen
from explorer.core.numbers import written
from explorer.core.ops import Array

DECIMALS = 4
_FEW = 4
_TINY = 1e-6
_NUMBER = re.compile(rf"(?<![\d.])\d+\.\d{{{DECIMALS}}}(?![\de])")
Labels = Callable[[str, int], Sequence[str]]


class Row(Frozen):
    """One row of a written derivation."""

    label: str  # the name of the number ("mean μ"), of a term in a list ("are"), or of the list
    expression: str  # the arithmetic, such as "1.3415 × 0.9000"; empty where the rows above are the terms of the sum
    value: str
    # "heading": names the terms below; "term": one of a list; "step": an intermediate number; "result": the cell
    # itself; "more": how many terms are left out.
    kind: str
    # The name of a term, "product" or "square"; empty where the rows around it already say it.
    noun: str = field(default="", compare=False)
    # The step that the row shows; for a step that is a line, with the place of the entry.
    of: tuple[Step, int | None] | None = field(default=None, compare=False)
    stands_for: int = field(default=1, compare=False)  # how many terms

    @property
    def reads(self) -> tuple[tuple[str, Index], ...]:
        """The cells of other nodes whose numbers the row shows, as (node, index)."""
        return () if self.of is None else _reads(*self.of)


def shortened(rows: Sequence[Row], most: int, key: str = "") -> Iterator[Row]:
    """Rows with at most so many terms of each sum, 0: all; `key`: what is named behind the number of those left out."""
    for kind, run in groupby(rows, key=attrgetter("kind")):
        terms = list(run)
        if not most or kind != "term" or len(terms) <= most:
            yield from terms
        else:
            yield from terms[: most - 1]
            yield Row("", f"… {sum(one.stands_for for one in terms[most - 1 :])} more{key}", "", "more")


_INFIX = {"add": "+", "subtract": "−", "multiply": "×", "divide": "÷", "at_least": "≥", "above": ">", "equal": "="}
_PREFIX = {
    "sqrt": "√",
    "exp": "e^",
    "log": "ln ",
    "sin": "sin ",
    "cos": "cos ",
    "arccos": "arccos ",
    "tanh": "tanh ",
    "erf": "erf ",
}
_PRODUCTS, _SUMS = ("multiply", "divide"), ("add", "subtract")
_NOUNS = {"square": "square", "multiply": "product", "log": "logarithm", "exp": "power", "subtract": "difference"}
_OF_A_LINE = {"sum": "sum", "mean": "mean", "max": "largest", "norm": "length", "argmax": "column of the largest"}


def rows(last: Step, labels: Labels, most: int = 12, decimals: int | None = None) -> list[Row]:
    """Write a derivation out.

    `last`: from `Engine.explain`.
    `labels`: the labels along an axis of a node: ``labels(name, axis)``.
    `most`: how many terms of a sum to list; the others are summed in one row.
    `decimals`: decimals of each number. Default: as many as one of the numbers beside it needs, up to four.
    """
    writer = _Writer(labels, most, DECIMALS if decimals is None else decimals)
    with np.errstate(all="ignore"):  # a NaN or an overflow is shown as it is
        writer.write(last)
    *before, result = _without_idle_zeros(writer.rows, writer.needed) if decimals is None else writer.rows
    return [*before, replace(result, kind="result")]


def _without_idle_zeros(found: list[Row], needed: Mapping[str, int]) -> list[Row]:
    """The rows without trailing zeros that no number needs: 1.1 × 1.2 = 1.32, and not 1.1000 × 1.2000 = 1.3200.

    The results of a list and their sum have as many decimals, and so have all numbers that they are computed of.

    `needed`: the decimals that a written number needs: 0.1700 all four, if it is rounded.
    """

    def shorter(texts: list[str]) -> list[str]:
        numbers = [one for text in texts for one in _NUMBER.findall(text)]
        idle = DECIMALS - max([needed.get(one, 1) for one in numbers], default=1)
        return [_NUMBER.sub(lambda one: one[0][:-idle], text) for text in texts] if idle else texts

    lists: list[list[Row]] = []
    for row in found:
        if lists and lists[-1][-1].kind == "term" and (row.kind == "term" or not row.expression):
            lists[-1].append(row)
        else:
            lists.append([row])
    made = []
    for one in lists:
        expressions, values = shorter([row.expression for row in one]), shorter([row.value for row in one])
        made += [replace(row, expression=e, value=v) for row, e, v in zip(one, expressions, values, strict=True)]
    return made


def chain(
    engine: Engine, name: str, cell: tuple[int, ...], last: Step | None = None
) -> list[tuple[str, tuple[int, ...], Step]]:
    """The derivation of a cell together with those of the cells it alters: a scaled score begins with its products.

    A cell that comes from a single cell of one computed matrix is preceded by the derivation of that cell, and so on.

    `last`: the derivation of the cell itself, if it is known.
    Returns them in the order of computation, the asked-for cell last; empty for an input and for a pinned cell.
    """
    found: list[tuple[str, tuple[int, ...], Step]] = []
    last = last or engine.explain(name, cell)
    while last is not None:
        found.insert(0, (name, cell, last))
        node = engine.graph.nodes[name]
        above = [operand for operand in operands(last) if operand.node == node.parents[0]] if node.op.alters else []
        if len(above) != 1:
            break
        name, cell = above[0].node, tuple(i for i in above[0].index if isinstance(i, int))
        last = engine.explain(name, cell)
    return found


def only_rounding(engine: Engine, name: str, cell: tuple[int, ...]) -> bool:
    """Whether a number would be exactly 0 without rounding errors: its terms cancel.

    To be small is not enough (a share can be 1e−17): either the terms of its sum are so much larger that it lies within
    their last digits, or each term is itself such a number.
    """
    if not 0 < abs(engine.values[name][cell]) < _TINY or (last := engine.explain(name, cell)) is None:
        return False
    terms = terms_of(last)
    if abs(last.value) <= len(terms) * np.finfo(terms.dtype).eps * np.abs(terms).max():
        return True
    parts = [argument for argument in last.arguments if isinstance(argument, Operand)]
    if len(parts) != len(last.arguments) or last.function not in ("dot", "multiply", "value"):
        return False
    return all(
        any(only_rounding(engine, part.node, _cell(part, i)) for part in parts) for i in np.flatnonzero(terms).tolist()
    )


def terms_of(last: Argument) -> Array:
    """The terms of a number, with their own terms in their place: a difference of two means has the terms of both."""
    arguments = last.arguments if isinstance(last, Step) else ()
    match last.function if isinstance(last, Step) else "":
        case "dot":
            return np.asarray(np.multiply(*(argument.value for argument in arguments)))
        case "mean":
            return np.ravel(arguments[0].value) / np.size(arguments[0].value)
        case "multiply":
            return np.ravel(np.multiply.outer(*map(terms_of, arguments)))
        case "add" | "subtract" | "sum_of":
            return np.concatenate([terms_of(argument) for argument in arguments])
    return np.ravel(last.value)


def _cell(part: Operand, i: int) -> tuple[int, ...]:
    """The cell that is entry `i` of an operand."""
    return tuple(i if isinstance(at, slice) else at for at in part.index)


class _Writer:
    """Collects the rows of one derivation.

    `labels`, `most`, `decimals`: as in `rows`.
    """

    def __init__(self, labels: Labels, most: int, decimals: int) -> None:
        self._labels, self._most, self._decimals = labels, most, decimals
        self._done: set[int] = set()
        self.rows: list[Row] = []
        self.needed: dict[str, int] = {}
        """The decimals that each written number needs, by its digits."""

    def write(self, one: Step, added_up: bool = False) -> None:
        """Append the rows of a step, after the rows of the steps that it needs.

        `added_up`: for a step that is a list, whether the next step needs its sum.
        """
        if id(one) in self._done:
            return
        self._done.add(id(one))
        of_line = one.function in ("sum", "mean")
        named = _named(one)
        shown = named[: self._most - 1] if one.function == "sum_of" and len(named) > self._most else named
        for argument in shown:
            self.write(argument, of_line)
        if rest := named[len(shown) :]:
            together = self._number(sum(argument.value for argument in rest))
            said = f"… and {len(rest)} more, together"
            self.rows.append(Row("", said, together, "term", stands_for=len(rest)))
        value = one.value
        if one.function == "dot":
            a, b = one.arguments
            if isinstance(a, Operand) and a.of == "gradient" and _has_rows(b):
                self.rows.append(Row("gradient × slope", "", "", "heading"))
            self._list(self._term_names(one), one, a.value * b.value, noun="product")
            self.rows.append(Row(one.label, "", self._number(value), "step"))
            return
        if np.ndim(value):
            if one.label:
                self.rows.append(Row(one.label, "", "", "heading"))
            noun = "" if one.label else _NOUNS.get(one.function, "")
            self._list(self._term_names(one), one, value, added_up, noun)
            return
        if one.function in ("sum", "mean", "max", "norm") and isinstance(one.arguments[0], Step):
            inner = one.arguments[0]
            if not inner.label:
                self.write(inner, of_line)
            self.rows.append(Row(one.label, "", self._number(value), "step"))
            return
        if one.function in ("mean_of", "sum_of"):
            unnamed = [a for a in one.arguments if isinstance(a, Step) and not _has_rows(a)]
            values, nouns = [a.value for a in unnamed], {_NOUNS.get(a.function, "") for a in unnamed}
            noun = nouns.pop() if len(nouns) == 1 else ""
            self._list(self._names_of(unnamed), unnamed, values, noun=noun)
            self.rows.append(Row(one.label, self._expression(one), self._number(value), "step"))
            return
        self.rows.append(Row(one.label, self._expression(one), self._number(value), "step", of=(one, None)))

    def _list(
        self,
        names: Sequence[str],
        of: Step | list[Step],
        values: Sequence[float],
        added_up: bool = True,
        noun: str = "",
    ) -> None:
        """Append terms as rows: entries of a line, or steps. A sum may have thousands; only shown terms are written."""
        shown = len(values) if len(values) <= self._most else self._most - 1
        for i in range(shown):
            one = (of[i], None) if isinstance(of, list) else (of, i)
            self.rows.append(Row(names[i], self._expression(*one), self._number(values[i]), "term", noun, one))
        rest = values[shown:]
        if len(rest):
            together = (", together", self._number(sum(rest))) if added_up else ("", "…")
            said = f"… and {len(rest)} more{together[0]}"
            self.rows.append(Row("", said, together[1], "term", stands_for=len(rest)))

    def _term_names(self, one: Step) -> Sequence[str]:
        """The names of the terms of a line: the labels along the first operand that is a line."""
        if one.function == "row":
            return self._names_apart([operands(part)[0] for part in one.arguments if isinstance(part, Step)])
        for argument in one.arguments:
            if isinstance(argument, Operand) and np.ndim(argument.value):
                axis, part = next((i, part) for i, part in enumerate(argument.index) if isinstance(part, slice))
                return self._labels(argument.node, axis)[part]
            if isinstance(argument, Step) and np.ndim(argument.value) and any(names := self._term_names(argument)):
                return names
        return [""] * np.size(one.value)

    def _names_of(self, terms: Sequence[Step]) -> Sequence[str]:
        """The names of terms that are steps: the words that they pick, or the labels that differ between them."""
        picked = [self._picked(term) for term in terms]
        if all(picked):
            return picked
        return self._names_apart([operands(term)[0] for term in terms]) if terms else []

    def _picked(self, one: Argument) -> str:
        """The word whose number a step picks from a row; empty for other steps."""
        if not isinstance(one, Step) or _has_rows(one):
            return ""
        if one.function != "pick":
            return next(filter(None, map(self._picked, one.arguments)), "")
        which, cell = one.arguments
        if not isinstance(cell, Operand) or cell.index[-1] != which.value:
            return ""
        return str(self._labels(cell.node, len(cell.index) - 1)[int(which.value)])

    def _names_apart(self, parts: Sequence[Operand]) -> Sequence[str]:
        """The labels that differ between lines of one node: those along the first axis on which their places differ."""
        for axis, at in enumerate(zip(*(part.index for part in parts), strict=True)):
            places = [place for place in at if isinstance(place, int)]
            if len(set(places)) > 1:
                names = self._labels(parts[0].node, axis)
                return [names[place] for place in places]
        return [""] * len(parts)

    def _expression(self, one: Step, i: int | None = None) -> str:
        """The arithmetic of a step; for a line, that of its entry `i`."""
        function = one.function
        if function == "row" and i is not None:
            return self._argument(one.arguments[i], None)
        if _is_masked(one, i):
            return "masked"
        parts = [self._argument(a, i, function, place) for place, a in enumerate(one.arguments)]
        sign = _INFIX.get(function)
        if function == "sum_of" and len(parts) <= _FEW and all(map(_has_rows, one.arguments)):
            sign = "+"
        if sign:
            first, *others = parts
            return f" {sign} ".join([first, *[f"({p})" if p.startswith("−") else p for p in others]])
        if function in _PREFIX:
            return _PREFIX[function] + parts[0]
        if function in _OF_A_LINE:
            return f"{_OF_A_LINE[function]} of {parts[0]}"
        match function:
            case "dot":
                return f"{parts[0]} × {parts[1]}"
            case "square":
                return f"({parts[0]})²" if parts[0].startswith("−") else f"{parts[0]}²"
            case "power":
                return f"{parts[0]} ^ {parts[1]}"
            case "negate":
                if not np.any(one.value if i is None else np.broadcast_to(one.value, np.shape(one.value))[i]):
                    return parts[0]  # 0 has no sign
                return f"−({parts[0]})" if parts[0].startswith("−") else f"−{parts[0]}"
            case "maximum":
                return f"the larger of {parts[0]} and {parts[1]}"
            case "where":
                seen = bool(one.arguments[0].value)
                # The number last, before the "=" and the result: "0.7435, because 0.63 ≥ 0.22 = 0.7435" is no equation.
                return f"because {self._reason(one.arguments[0], seen)}: {parts[1 if seen else 2]}"
            case "pick":
                name = self._picked(one)
                return f"“{name}”: {parts[1]}" if name else parts[1]
            case "mean_of" | "sum_of":
                return "" if one.label else f"{function.removesuffix('_of')} of these"
            case _:
                return parts[0]

    def _reason(self, condition: Argument, holds: bool) -> str:
        """Why a number is taken or not: what a mask is, or how a number compares with another one."""
        if isinstance(condition, Operand):
            return f"the mask is {holds:d}"
        if isinstance(condition, Constant):
            return condition.text
        one, other = (self._argument(part, None) for part in condition.arguments)
        return f"{one} {'≥' if holds else '<'} {other}"

    def _argument(self, argument: Argument, i: int | None, within: str = "dot", place: int = 0) -> str:
        """An argument as it is written in the expression of the function `within`, in brackets if they are needed."""
        if isinstance(argument, Constant) and not np.ndim(argument.value):
            return argument.text
        if isinstance(argument, Step) and not _has_rows(argument) and not _is_masked(argument, i):
            if argument.function == "pick":
                return self._argument(argument.arguments[1], i, within, place)
            text, inner = self._expression(argument, i), argument.function
            product = inner in _PRODUCTS and (within in _SUMS or (within in _PRODUCTS and not place))
            chain_of_sums = inner in _SUMS and within in _SUMS and not place
            return f"({text})" if inner in _INFIX and not (product or chain_of_sums) else text
        value = argument.value
        if np.ndim(value):
            if i is None:
                if within == "max":  # a masked number is never the largest
                    value = value[~np.isneginf(value)] if np.isfinite(value).any() else value
                shown = ", ".join([self._number(v) for v in value[:_FEW]])
                return shown + (", …" if len(value) > _FEW else "")
            value = value[i]
        return self._number(value)

    def _number(self, value: float) -> str:
        if isinstance(value, int | np.integer | np.bool_):
            return str(int(value)).replace("-", "−")
        text = written(float(value), self._decimals)
        digits = text.lstrip("−")
        self.needed[digits] = max(self.needed.get(digits, 1), _needed(float(value)))
        return text


@lru_cache(maxsize=1024)  # an edit writes most numbers of a derivation again
def _needed(value: float) -> int:
    """How many decimals write a number exactly, up to four; it may have the errors of float32."""
    most = 2e-7 * max(abs(value), 1.0)
    return min([places for places in range(1, DECIMALS) if abs(value - round(value, places)) <= most], default=DECIMALS)


def _reads(one: Argument, i: int | None = None) -> tuple[tuple[str, Index], ...]:
    """The cells of other nodes that the arithmetic of a step reads; for a line, that of its entry `i`."""
    if isinstance(one, Operand):
        if i is None or not np.ndim(one.value):
            return ((one.node, one.index),)
        return ((one.node, tuple([(at.start or 0) + i if isinstance(at, slice) else at for at in one.index])),)
    if isinstance(one, Constant):
        return ()
    if one.function == "row" and i is not None:
        return _reads(one.arguments[i])
    found: list[tuple[str, Index]] = []
    for part in one.arguments:
        if not _has_rows(part):
            found += _reads(part, i)
    return tuple(found)


def _is_masked(one: Step, i: int | None) -> bool:
    """Whether a step makes a mask's −∞ into 0, which is not arithmetic that a reader can repeat."""
    if one.function not in ("exp", "unmasked"):
        return False
    value = one.arguments[0].value
    return bool(np.isneginf(value[i] if i is not None and np.ndim(value) else value).all())


def _named(one: Step) -> list[Step]:
    """The steps below a step that have rows of their own: those with a name, however deeply nested."""
    found: list[Step] = []
    for argument in one.arguments:
        if isinstance(argument, Step):
            found.extend([argument] if _has_rows(argument) else _named(argument))
    return found


def _has_rows(one: Argument) -> bool:
    """Whether a step has rows of its own, above the step that needs it."""
    return isinstance(one, Step) and bool(one.label or one.function == "dot")
