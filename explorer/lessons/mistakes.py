"""Finds the mistake behind a wrong number: mistakes are not listed but computed, each with one thing done wrong.

The asked node, and the nodes of its block that it comes from, are recomputed with the ops of `Op.slips`. The derivation
is repeated with one wrong step (`wrong_steps.py`), and with results rounded too early. The number may also stand in
another cell. The student is told the first mistake that gives the typed number.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from math import prod

import numpy as np

from explorer.core.cell import Argument, Constant, Operand, Step, step
from explorer.core.derivation import Row, chain, rows, terms_of
from explorer.core.engine import Engine, Pin, run
from explorer.core.frozen import Frozen
from explorer.core.graph import Graph, Place
from explorer.core.numbers import quantity
from explorer.core.ops import Array, Op
from explorer.core.ops.base import Surroundings
from explorer.lessons.schema import Cell, Predict
from explorer.lessons.symbols import formula_text
from explorer.lessons.wrong_steps import MOST_TERMS, again, wrong_steps

MOST_FAR_CELLS = 144
"""In a table of more cells, a wrong number is compared only with cells of the same row or column."""
DECIMALS = 4
MOST_CELLS = 4096
MOST_NODES = 12
PER_CENT = "per cent"
CUT_OFF, TOO_EARLY = "cut off", "rounded too early"
ROUNDED = (CUT_OFF, TOO_EARLY)
"""The mistakes in which only the rounding is wrong."""
_RECOGNISABLE = 0.25
"""How far a rounded number may be from the number that it was, in relation to that."""
Part = tuple[str, tuple[Row, ...]]


class Mistake(Frozen):
    """A wrong number, and the mistake that gives it."""

    name: str  # such as "not scaled"
    sentence: str  # what was done, such as "That is what comes out if …"
    value: float
    # Gives the derivation of the wrong number.
    derive: Callable[[], tuple[Part, ...]] = field(default=tuple, repr=False, compare=False)

    def gives(self, typed: float, decimals: int) -> bool:
        """Whether a number, typed to the decimals that are asked for, is this one."""
        most = 10.0 ** -decimals_typed(typed)  # a number typed with more decimals than asked for may have been cut off
        decimals -= 2 * (self.name == PER_CENT)
        return abs(self.value - typed) <= min(half_unit(decimals), most) and self.is_near(typed)

    def is_near(self, typed: float) -> bool:
        """Whether a rounded number is still recognisable as this one: a 0 typed for 0.04 may come from anything."""
        return abs(self.value - typed) <= _RECOGNISABLE * abs(self.value) + 1e-9

    @cached_property
    def derivation(self) -> tuple[Part, ...]:
        """The derivation of the wrong number, in the form of `derivation`, to stand beside the right one."""
        return self.derive()


def array_of(engine: Engine, node: str, of: str = "value") -> Array:
    """The array of a node or of a head's slice of one: its "value", or the "gradient" of the loss."""
    place = engine.graph.place(node)
    if of == "value":
        return engine.value(place)
    gradient = engine.gradient(place)
    assert gradient is not None, node  # no question asks for the gradient of whole numbers
    return gradient


def derivation(
    engine: Engine, node: str, cell: Cell, of: str = "value", learned: Step | None = None
) -> tuple[Part, ...]:
    """The derivation of a cell as rows, in parts; () if nothing computes the cell.

    `node`: a node or a head's slice of one; `cell`: the index in its shape; `of`: as in `array_of`; `learned`: as in
    `Predict.learned`.
    """
    if learned is not None:
        return _alone(engine, learned)
    place = engine.graph.place(node)
    name, index = place.node, (*place.index, *cell)
    if of == "gradient":
        return (_part(engine, engine.explain_gradient(name, index)),)
    found = chain(engine, name, index)
    # A long sum is not worked out again by hand: the derivation begins with its result, which is on the page.
    begin = next(
        (at for at, (_, _, last) in enumerate(found[:-1]) if terms_of(last).size <= MOST_TERMS), len(found) - 1
    )
    return tuple(_part(engine, last, n if n != name else "") for n, _, last in found[max(begin, 0) :])


def _part(engine: Engine, last: Step, name: str = "") -> Part:
    return name, tuple(rows(last, engine.labels_along))


def mistakes(
    engine: Engine, node: str, cell: Cell, decimals: int, of: str = "value", learned: Step | None = None
) -> Iterator[Mistake]:
    """The mistakes that give a wrong number, likely ones first; each is yielded as soon as it is found.

    `node`, `cell`, `of`, `learned`: as in `derivation`. A number that is right to the `decimals` that are asked for is
    no mistake; nor is a 0 taken for a rounded number, since it has no digit of it.
    """
    right = float(array_of(engine, node, of)[cell])
    if learned is not None:
        found = _of_descent(engine, node, cell, decimals, learned)
    else:
        found = _all(engine, node, cell, decimals) if of == "value" else _of_gradient(engine, node, cell, decimals)
    for mistake in found:
        lost = mistake.name in ROUNDED and not mistake.value
        if np.isfinite(mistake.value) and abs(mistake.value - right) > leeway(right, decimals) and not lost:
            yield mistake


def likely(engine: Engine, question: Predict, typed: float) -> Mistake | None:
    """The first mistake that gives the typed number; None if none does."""
    return next((one for one in mistakes_of(engine, question) if one.gives(typed, question.digits)), None)


def mistakes_of(engine: Engine, question: Predict) -> Iterator[Mistake]:
    """The mistakes that give a wrong number as the answer to a question, as `mistakes` finds them."""
    return mistakes(engine, question.node, question.cell, question.digits, question.of, question.learned)


def decimals_typed(number: float) -> int:
    """The decimals with which a number was typed, at most `DECIMALS`."""
    return next((digits for digits in range(DECIMALS) if round(number, digits) == number), DECIMALS)


def half_unit(decimals: int) -> float:
    """Half a unit of the last decimal, and a little more, because a half is seldom exact in binary."""
    return 0.5 * 10.0**-decimals * (1 + 1e-9)


def leeway(right: float, decimals: int) -> float:
    """How far a typed number may be from the right one, which is asked for with so many decimals.

    It is half a unit of the last decimal. A whole number that is asked for as such is exact: 0.5 is not 1, nor 1.4. So
    is one that is whole but for the ε of a norm.
    """
    exact = not decimals and np.isfinite(right) and abs(right - round(right)) <= 1e-3
    return half_unit(1 if exact else decimals)


def _all(engine: Engine, node: str, cell: Cell, decimals: int) -> Iterator[Mistake]:
    place = engine.graph.place(node)
    name, index = place.node, (*place.index, *cell)
    yield from _with_slips(engine, name, index, name)
    for at, cell_there, last in reversed(chain(engine, name, index)):
        yield from _wrongly_done(engine, name, index, at, cell_there, last)
    yield from _cut_off(float(engine.value(place)[cell]), decimals)
    if (own := engine.explain(name, index)) is not None:
        yield from _rounded_early(engine, own, decimals)
    value = engine.value(place)
    if value.ndim > 1 and value.shape[-1] == value.shape[-2]:
        mirrored = (*cell[:-2], cell[-1], cell[-2])
        sentence = "That is the number with row and column exchanged"
        yield Mistake("row for column", sentence, float(value[mirrored]), partial(derivation, engine, node, mirrored))
    for above in _before(engine, name):
        yield from _with_slips(engine, name, index, above)
    right = float(value[cell])
    yield Mistake("sign", "That is the right number with the wrong sign", -right)
    if cell and value.min() >= 0 and 0 < right <= 1 >= value.max():
        sentence = "That is the right number in per cent: 100 times what is asked for"
        yield Mistake(PER_CENT, sentence, 100 * right)
    yield from _other_cells(engine, node, cell, "value")
    yield from _other_numbers(engine, node)
    yield from _other_divisors(engine, node)


def _of_gradient(engine: Engine, node: str, cell: Cell, decimals: int) -> Iterator[Mistake]:
    place = engine.graph.place(node)
    last = engine.explain_gradient(place.node, (*place.index, *cell))
    for wrong in wrong_steps(last, engine.labels_along):
        sentence = f"That is what comes out {wrong.sentence}"
        yield Mistake(wrong.name, sentence, float(wrong.last.value), partial(_alone, engine, wrong.last))
    right = float(array_of(engine, node, "gradient")[cell])
    yield from _cut_off(right, decimals)
    yield from _rounded_early(engine, last, decimals)
    yield Mistake("sign", "That is the gradient with the wrong sign", -right)
    value = float(engine.value(place)[cell])
    yield Mistake("value", "That is the number itself, not the gradient of the loss there", value)
    if (share := _share(engine, place, cell)) is not None:
        yield Mistake("no target", "That is the probability, and the target is not subtracted", share)
        if np.isclose(right - share, -1.0):
            yield Mistake("no probability", "That is minus the target, without the probability", -1.0)
    yield from _other_cells(engine, node, cell, "gradient")


def _of_descent(engine: Engine, node: str, cell: Cell, decimals: int, learned: Step) -> Iterator[Mistake]:
    """The mistakes in a step of gradient descent, old − rate × gradient."""
    old, move = learned.arguments
    assert isinstance(move, Step)
    gradient = move.arguments[1]
    ways = (
        ("uphill", "That is what comes out if rate × gradient is added, not subtracted", step("add", old, move)),
        ("no rate", "That is what comes out without the rate", step("subtract", old, gradient)),
        ("no rate", "That is what comes out without the rate, and in the other direction", step("add", old, gradient)),
        ("step alone", "That is how far the number moves, not the new number", step("negate", move)),
        ("number before", "That is the number before the step", step("value", old)),
        ("gradient", "That is the gradient, not the new number", step("value", gradient)),
    )
    for name, sentence, wrong in ways:
        yield Mistake(name, sentence, float(wrong.value), partial(_alone, engine, wrong))
    right = float(learned.value)
    yield from _cut_off(right, decimals)
    yield from _rounded_early(engine, learned, decimals)
    yield Mistake("sign", "That is the right number with the wrong sign", -right)
    yield from _other_cells(engine, node, cell, "value")


def _share(engine: Engine, place: Place, cell: Cell) -> float | None:
    """The probability that a cell of the logits becomes; None if no softmax makes one of it."""
    graph = engine.graph
    name, axes = place.node, graph.axes_of(place)
    while True:
        behind = [one for one in graph.nodes.values() if name in one.parents and graph.axes_of(Place(one.name)) == axes]
        if len(behind) != 1:
            return None
        name = behind[0].name
        if behind[0].op.shares:
            return float(engine.values[name][cell])


# Changed ops


def _with_slips(engine: Engine, asked: str, index: Cell, at: str) -> Iterator[Mistake]:
    """The mistakes from each slip in the op of the node `at`."""
    graph = engine.graph
    node = graph.nodes[at]
    block = at[: len(at) - len(node.short)]
    scaled, masked = (f"{block}{short}" in graph.nodes for short in ("scale", "mask"))
    shapes = tuple(map(graph.shape, node.parents))
    for slip in node.op.slips(Surroundings(node.short, node.axes, shapes, scaled, masked)):
        changed = _changed(engine, asked, at, slip.op)
        value = float(changed.values[asked][index])
        yield Mistake(
            slip.name, f"That is what comes out {slip.sentence}", value, partial(_both, changed, asked, at, index)
        )


def _both(changed: Engine, asked: str, at: str, index: Cell) -> tuple[Part, ...]:
    """The derivation of the asked cell, after that of the same cell of the node where the mistake was made."""
    parts = derivation(changed, asked, index)
    nodes = changed.graph.nodes
    if at in (asked, *(name for name, _ in parts)) or nodes[at].axes != nodes[asked].axes:
        return parts
    own = changed.explain(at, index)
    return (_part(changed, own, at), *parts) if own else parts


def _changed(engine: Engine, asked: str, at: str, op: Op) -> Engine:
    """An engine with another op at one node; only the nodes that the asked node depends on are recomputed."""
    graph = replace(engine.graph, nodes={**engine.graph.nodes, at: replace(engine.graph.nodes[at], op=op)})
    return _recomputed(graph, dict(engine.values), engine.pins, asked, {at})


def _recomputed(
    graph: Graph, values: dict[str, Array], pins: Mapping[str, Pin], asked: str, stale: Collection[str]
) -> Engine:
    above = graph.towards(asked)
    run((node for name, node in graph.nodes.items() if name in above and not node.is_input), {}, values, pins, stale)
    return Engine(graph, values, pins)


def _before(engine: Engine, name: str) -> list[str]:
    """The computed nodes of the same block that a node depends on, and its parents; the nearest first."""
    graph, block = engine.graph, name.rpartition(".")[0]
    found: list[str] = []
    queue = list(graph.nodes[name].parents)
    while queue and len(found) < MOST_NODES:
        one = queue.pop(0)
        if one in found or graph.nodes[one].is_input:
            continue
        if one.rpartition(".")[0] != block and one not in graph.nodes[name].parents:
            continue
        found.append(one)
        queue.extend(graph.nodes[one].parents)
    return found


# A step of the derivation done wrongly


def _wrongly_done(engine: Engine, asked: str, index: Cell, at: str, cell: Cell, last: Step) -> Iterator[Mistake]:
    """The mistakes from each wrong step in the derivation of the asked cell, or of a cell that it is altered from."""
    for wrong in wrong_steps(last, engine.labels_along):
        sentence, value = f"That is what comes out {wrong.sentence}", float(wrong.last.value)
        if at == asked:
            yield Mistake(wrong.name, sentence, value, partial(_alone, engine, wrong.last))
            continue
        changed = _held(engine, asked, at, cell, value)
        derive = partial(_behind, changed, asked, index, at, wrong.last)
        yield Mistake(wrong.name, sentence, float(changed.values[asked][index]), derive)


def _held(engine: Engine, asked: str, at: str, cell: Cell, value: float) -> Engine:
    """An engine with another number in one computed cell; only what the asked node depends on is recomputed."""
    array = engine.values[at].copy()
    array[cell] = value
    children = {node.name for node in engine.graph.nodes.values() if at in node.parents}
    return _recomputed(engine.graph, {**engine.values, at: array}, engine.pins, asked, children)


def _behind(changed: Engine, asked: str, index: Cell, at: str, last: Step) -> tuple[Part, ...]:
    return (_part(changed, last, at), *(part for part in derivation(changed, asked, index) if part[0] != at))


# Rounded too early, or cut off


def _cut_off(right: float, decimals: int) -> Iterator[Mistake]:
    """The mistake of leaving out all further decimals."""
    cut = float(np.trunc(round(right * 10**decimals, 6))) / 10**decimals  # 2.5999999999999996 is 2.6
    if cut and decimals:
        yield Mistake(CUT_OFF, "That is the right number cut off, not rounded", cut)


def _rounded_early(engine: Engine, last: Step, decimals: int) -> Iterator[Mistake]:
    """The mistakes of rounding results, or also the first numbers, to fewer and fewer decimals in a derivation."""
    for digits in range(decimals, 0, -1):
        for given in (False, True):
            with np.errstate(all="ignore"):
                early = _rounded(last, digits, given)
            what = "each number is rounded" if given else "each result on the way is rounded"
            sentence = f"That is what comes out if {what} to {quantity(digits, 'decimal')} before one goes on"
            yield Mistake(TOO_EARLY, sentence, float(early.value), partial(_alone, engine, early))


def _alone(engine: Engine, last: Step) -> tuple[Part, ...]:
    return (_part(engine, last),)


def _rounded(last: Step, digits: int, given: bool) -> Step:
    """A derivation recomputed with each argument rounded before it is used."""

    def used(one: Argument) -> Argument:
        is_given = given and isinstance(one, Operand) and np.asarray(one.value).dtype.kind == "f"
        return replace(one, value=np.round(one.value, digits)) if isinstance(one, Step) or is_given else one

    return again(last, {}, used)


# Other cells


def names_apart(labels: Sequence[str]) -> list[str]:
    """Labels; one that occurs several times with its number among these: "the (2 of 2)"."""
    times, seen, found = Counter(labels), Counter[str](), list[str]()
    for label in labels:
        seen[label] += 1
        found.append(label if times[label] == 1 else f"{label} ({seen[label]} of {times[label]})")
    return found


def _other_cells(engine: Engine, node: str, cell: Cell, of: str) -> Iterator[Mistake]:
    """The mistakes of reading another cell: first cells of the same row or column, then all others.

    In a large table nearly every number stands somewhere: there only the cell with row and column swapped follows.
    """
    value = array_of(engine, node, of)
    if value.size > MOST_CELLS or np.isin(value, (0, 1)).all():  # a yes is told from a no, and not from other yeses
        return
    names = [names_apart(engine.labels(axis)) for axis in engine.graph.axes_of(engine.graph.place(node))]

    def differs(other: Cell) -> int:
        return sum(a != b for a, b in zip(other, cell, strict=True))

    all_of_them = value.size <= MOST_FAR_CELLS
    swapped = (*cell[:-2], *reversed(cell[-2:]))
    cells = (one for one in np.ndindex(value.shape) if all_of_them or differs(one) == 1 or one == swapped)
    for one in sorted((one for one in cells if one != cell), key=differs):
        labels = [along[i] for along, i in zip(names, one, strict=True)]
        labels = [one if one.isdigit() else f"“{one}”" for one in labels]
        if len(labels) > 1:
            labels[-2:] = f"row {labels[-2]}", f"column {labels[-1]}"
        sentence = f"That is the number of another cell: {', '.join(labels)}"
        yield Mistake("another cell", sentence, float(value[one]), partial(derivation, engine, node, one, of))


def _other_numbers(engine: Engine, node: str) -> Iterator[Mistake]:
    """The mistakes of giving another number of the same stage, such as L₁ for the loss: the only number of a node.

    One of the two is computed from the other, or both are by the same op, or both are the last of their stage: other
    numbers would be found by chance. A 0 or 1 may come from anything.
    """
    graph, asked = engine.graph, engine.graph.place(node).node
    if prod(graph.shape(asked)) > 1:
        return
    own = graph.nodes[asked]
    read = {parent for one in graph.nodes.values() if one.stage == own.stage for parent in one.parents}
    for name, other in graph.nodes.items():
        value = engine.values[name]
        if name == asked or other.stage != own.stage or value.size != 1 or value.dtype.kind != "f":
            continue
        computed = name in graph.ancestors(asked) or asked in graph.ancestors(name)
        alike = other.op == own.op or read.isdisjoint((name, asked))
        number = float(value.item())
        if (computed or alike) and not np.isclose(number, (0, 1), rtol=0, atol=1e-9).any():  # 0 may be 2·10⁻¹⁶
            sentence = f"That is {formula_text(other.symbol)}, not {formula_text(own.symbol)}"
            yield Mistake("another number", sentence, number, partial(derivation, engine, name, (0,) * value.ndim))


def _other_divisors(engine: Engine, node: str) -> Iterator[Mistake]:
    """The mistakes of dividing by another number of the same stage, such as the length of an arrow in place of √d_k."""
    graph, asked = engine.graph, engine.graph.place(node).node
    own = graph.nodes[asked]
    last = engine.explain(asked, (0,) * len(own.axes)) if prod(graph.shape(asked)) == 1 else None
    if last is None or last.function != "multiply" or len(own.parents) != 2:
        return
    divided, factor = own.parents
    for name, other in graph.nodes.items():
        value = engine.values[name]
        free = name != factor and divided not in (name, *graph.ancestors(name))
        if free and other.stage == own.stage and value.size == 1 and value.any() and value.dtype.kind == "f":
            symbol = formula_text(other.symbol)
            wrong = step("divide", last.arguments[0], Constant(float(value.item()), symbol))
            sentence = f"That is what comes out if one divides by {symbol}"
            yield Mistake("another divisor", sentence, float(wrong.value), partial(_alone, engine, wrong))
