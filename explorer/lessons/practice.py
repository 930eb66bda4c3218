"""The same again by oneself: on fresh numbers, and with some of the derivation left out.

Worked examples are followed by ones whose last steps are missing: one, then two, then all (backward fading: Renkl &
Atkinson 2003, Educational Psychologist 38).
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from explorer.core.cell import operands
from explorer.core.derivation import Row, chain
from explorer.core.engine import Engine, Pin, run
from explorer.core.errors import ExplorerError
from explorer.core.numbers import read_number, written
from explorer.core.ops import Array
from explorer.document.commands import SetArray
from explorer.document.state import State, frozen
from explorer.lessons.answers import Verdict, values_of
from explorer.lessons.mistakes import DECIMALS, Part, derivation, half_unit
from explorer.lessons.steps import ALL, Predict

MISSING = "?"
"""What stands for a number that is to be filled in, as in the cells of a page."""
_SEVERAL = 4
_ROUNDING = 1e-12
"""What is nearer to 0 than this is what rounding leaves of a 0."""
_STATES = 16
_DRAWS = 20
"""Times that numbers are drawn until they give a result worth computing; where none does, the last are taken."""


@dataclass(frozen=True)
class Blank:
    """A number of a derivation that is to be filled in."""

    # `part`, `row`: where it stands, counted from 0.
    part: int
    row: int
    value: float  # as it would be written
    digits: int  # decimals to be typed

    def judge(self, typed: float) -> Verdict:
        """Whether the number fits, give or take the rounding of what it is computed from."""
        right = abs(typed - self.value) <= half_unit(self.digits) + half_unit(DECIMALS)
        shown = written(self.value, self.digits)
        return Verdict(right, f"Right: {shown}." if right else f"No: it is {shown}.")


@dataclass(frozen=True)
class Faded:
    """A derivation with gaps."""

    # `parts`, `whole`: (name of a node or nothing, rows). In `parts` a number that is left out is `MISSING`, and the
    # row that needs it names it instead; where all are left out, no row says from which numbers it comes.
    parts: tuple[Part, ...]
    whole: tuple[Part, ...]
    blanks: tuple[Blank, ...]  # in reading order; the last is the number that is asked for


def faded(question: Predict, engine: Engine) -> Faded:
    """The derivation that a question is about, without its result and the steps before it.

    `question`: its `fade` says how many steps are left out beside the result.
    """
    parts = derivation(engine, question.node, question.cell, question.of)
    found = [
        Blank(p, r, value, question.digits)
        for p, (_, rows) in enumerate(parts)
        for r, row in enumerate(rows)
        if (value := _number(row)) is not None
    ]
    alone = question.fade == ALL
    wanted = len(found) if alone else question.fade + 1
    blanks = tuple(found[len(found) - wanted :]) if wanted < len(found) else tuple(found)
    hidden = {(blank.part, blank.row): parts[blank.part][1][blank.row] for blank in blanks}

    def without(row: Row, place: tuple[int, int]) -> Row:
        expression = "" if alone else row.expression
        if row.kind != "term":  # what is left out is not to be read from the row that needs it
            for before, one in reversed(hidden.items()):  # of equal numbers the nearest is meant, and once
                if before < place and one.kind != "term":
                    number = rf"(?<![\d.])(?:\({re.escape(one.value)}\)|{re.escape(one.value)})(?!\d)"
                    expression = re.sub(number, f"“{one.label}”" if one.label else MISSING, expression, count=1)
        value = MISSING if place in hidden else row.value
        return replace(row, label=_label(row, alone), expression=expression, value=value)

    gaps = [(name, tuple(without(row, (p, r)) for r, row in enumerate(rows))) for p, (name, rows) in enumerate(parts)]
    return Faded(tuple(gaps), parts, blanks)


def _label(row: Row, alone: bool) -> str:
    """What a row is called in a derivation with gaps; `alone`: where it does not say how it is computed."""
    if row.kind != "term":
        return row.label or "result"
    if row.label.isdecimal():  # of an axis whose places have no names
        return f"{row.noun or 'number'} {row.label}"
    if not alone or not row.noun:
        return row.label
    return f"{row.noun} for “{row.label}”" if row.label else row.noun


def _number(row: Row) -> float | None:
    """The value of a row, where it is a finite number."""
    if not row.value or row.kind == "heading":
        return None
    try:
        value = read_number(row.value)
    except ExplorerError:
        return None
    return value if np.isfinite(value) else None


def fresh_numbers(question: Predict, state: State, seed: int) -> State:
    """The state with other numbers in what the asked node is computed from; the same for the same seed.

    Inputs are set and computed nodes are pinned, so that the derivation begins with numbers that are easy to read.
    What is whole, the same everywhere (γ, a scale), 0 or 1, or masked stays as it is; shares stay shares. Others are
    drawn where the result is 0 or the one of before, which would need no computing, and where a sum that should be 0
    is not quite, as −1.3e−17.

    `seed`: of this student and this step.
    """
    place, (engine, parents) = state.graph.place(question.node), _read(question.node, question.cell, state)
    if not parents:
        return state
    known = (0.0, float(engine.value(place)[question.cell]))
    needed = state.graph.towards(place.node)
    above = [node for node in state.graph.nodes.values() if node.name in needed]
    random, fresh = np.random.default_rng(seed), state
    for _ in range(_DRAWS):
        fresh = state
        for parent in parents:
            drawn = _drawn(engine.values[parent], random)
            if drawn is not None:
                fresh = _given(parent, drawn, fresh)
        # Of all values only those that this one comes from.
        computed = dict(engine.values)
        run(above, fresh.used, computed, fresh.pins, parents)
        values = computed[place.node][place.index]
        is_other = all(abs(values[question.cell] - number) > half_unit(question.digits) for number in known)
        if is_other and not ((values != 0) & (abs(values) < _ROUNDING)).any():
            break
    return fresh


@lru_cache(_STATES)
def _read(node: str, cell: tuple[int, ...], state: State) -> tuple[Engine, tuple[str, ...]]:
    """The values of a state, and the nodes that a number is computed from. Many students are asked about one state."""
    engine, graph = values_of(state), state.graph
    place = graph.place(node)
    found = chain(engine, place.node, (*place.index, *cell))
    if not found:
        return engine, ()
    name, _, last = found[0]
    read = {operand.node for operand in operands(last)}
    return engine, tuple(dict.fromkeys(one for one in graph.nodes[name].parents if one in read))


def _given(name: str, drawn: Array, state: State) -> State:
    """A state in which a node has other numbers."""
    if state.graph.nodes[name].is_input:
        return SetArray(name, drawn).apply(state)
    held = np.isfinite(drawn)
    values = np.where(held, drawn, 0).astype(drawn.dtype)
    if (before := state.pins.get(name)) is not None:
        held, values = held | before.cells, np.where(held, values, before.values)
    return replace(state, pins={**state.pins, name: Pin(frozen(held), frozen(values))})


def _drawn(array: Array, random: np.random.Generator) -> Array | None:
    """Other numbers like these, with one decimal at most; None where they are to stay."""
    known = np.isfinite(array)
    numbers = array[known]
    if array.dtype.kind != "f" or not array.ndim or not numbers.size or ((numbers == 0) | (numbers == 1)).all():
        return None
    low, high = float(numbers.min()), float(numbers.max())
    if low == high:
        return None
    if low >= 0 and np.allclose(np.where(known, array, 0).sum(-1), 1):
        return np.apply_along_axis(_shares, -1, array, random)
    step = 1.0 if np.array_equal(numbers, np.rint(numbers)) else 0.1
    most = min(max(abs(low), abs(high), _SEVERAL * step), 20 * step * _SEVERAL)
    first, last = (0 if low >= 0 else -round(most / step)), round(most / step)
    drawn = np.where(known, np.round(random.integers(first, last + 1, array.shape) * step, 1), array)
    return drawn.astype(array.dtype)


def _shares(row: Array, random: np.random.Generator) -> Array:
    """Shares in tenths, or finer where there are many, that add up to 1; 0 where there was nothing."""
    open_ = np.flatnonzero(row > 0)
    if len(open_) < 2:
        return row
    unit = 10 if len(open_) <= _SEVERAL + 1 else 100
    cuts = np.sort(random.choice(np.arange(1, unit), len(open_) - 1, replace=False))
    drawn = np.zeros_like(row)
    drawn[open_] = np.diff([0, *cuts, unit]) / unit
    return drawn
