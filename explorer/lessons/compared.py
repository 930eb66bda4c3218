"""What the references print against what the models compute: figures, slips and claims."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from explorer.core.cell import Argument, Step
from explorer.core.engine import fresh
from explorer.core.errors import require_shape
from explorer.core.ops import Array
from explorer.document.commands import PinCells, SetCells, SetSwitch
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.goals import holds, read_goal
from explorer.lessons.loader import load
from explorer.lessons.names import Names
from explorer.lessons.references import Claim, Figure, Slip, claims, figures, slips


@dataclass(frozen=True, eq=False)
class Result:
    """A printed figure beside what its node computes."""

    figure: Figure
    computed: Array  # in the shape of the figure's values
    worst: float  # the largest difference between a computed and a printed number
    agrees: bool  # whether it is no more than rounding, and than what the figure gives a reason for


@dataclass(frozen=True, eq=False)
class SlipResult:
    """A slip beside what the node computes."""

    slip: Slip
    agrees: bool  # whether the node computes what we call right, and does not compute what is printed
    computed: Array  # what the node computes, in the shape of the figure's values


def check_figures() -> list[Result]:
    """Every printed figure of the references against its node."""
    return [_result(figure) for figure in figures()]


def check_slips() -> list[SlipResult]:
    """Every slip that a node can tell: what we call right is computed, what is printed is not."""
    results = []
    for slip in slips():
        if slip.figure is not None:
            result = _result(slip.figure)
            wrong = slip.wrong is not None and replace(slip.figure, values=slip.wrong).agrees(result.computed)
            results.append(SlipResult(slip, result.agrees and not wrong, result.computed))
    return results


@dataclass(frozen=True, eq=False)
class ClaimResult:
    """A claim, and whether the model says of it what we say."""

    claim: Claim
    agrees: bool
    node: str  # what the claim is about, and the cell of it that its goal begins with
    cell: tuple[int, ...]


def check_claims() -> list[ClaimResult]:
    """Every claim of the references that numbers can refute."""
    return [_claim_result(claim) for claim in claims()]


def _claim_result(claim: Claim) -> ClaimResult:
    state = _given(claim.lesson, claim.setting)
    for key, value in claim.switches.items():
        block, _, name = key.rpartition(".")
        state = SetSwitch(block, name, value).apply(state)
    engine = Document(state).engine
    conditions = read_goal(claim.goal, Names(state))
    met = all(holds(condition, engine) for condition in conditions)
    first = conditions[0]
    cell = (*first.cell, int(first.number)) if first.sign == "argmax" else first.cell
    return ClaimResult(claim, met is claim.holds, first.node, cell)


_lesson = cache(load)


@cache
def _given(lesson: str, setting: str) -> State:
    """A setting of a lesson as its file has it; figures, slips and claims ask for the same few."""
    return _lesson(lesson).state(setting)


def _result(figure: Figure) -> Result:
    computed = compute(figure, _given(figure.lesson, figure.setting))
    worst = float(np.max(np.abs(np.where(np.isnan(figure.values), 0, computed - figure.values))))
    return Result(figure, computed, worst, figure.agrees(computed))


def compute(figure: Figure, state: State) -> Array:
    """What a lesson's setting, with what the figure types in beside it, computes for the figure.

    Raises `ExplorerError` where the figure names what the lesson does not have.
    """
    state = typed_in(figure, state)
    if figure.descent is not None:
        state = _descended(figure, state)
    engine = Document(state).engine
    place = state.graph.place(figure.node)
    if figure.worked is not None:
        computed = _worked(engine.explain(figure.node, figure.worked), figure.part)
    elif figure.part == "shape":
        computed = np.asarray(engine.value(place).shape)
    elif figure.part == "gradient":
        computed = np.asarray(engine.gradient(place))
    else:
        computed = engine.value(place)
    if figure.cell is not None:
        computed = np.asarray(computed[figure.cell])
    require_shape(figure.node, figure.values.shape, computed.shape)
    return computed


def state_of(figure: Figure) -> State:
    """The model that computes a figure: its lesson's setting with what is typed in, behind its steps of descent."""
    state = typed_in(figure, _given(figure.lesson, figure.setting))
    return state if figure.descent is None else _descended(figure, state)


def typed_in(figure: Figure, state: State) -> State:
    """A lesson's setting with what the figure types in beside it."""
    for key, value in figure.switches.items():
        block, _, name = key.rpartition(".")
        state = SetSwitch(block, name, value).apply(state)
    for node, array in figure.inputs.items():
        state = SetCells(node, _cells(state, node, array)).apply(state)
    for node, array in figure.pins.items():
        state = PinCells(node, _cells(state, node, array)).apply(state)
    return state


def _descended(figure: Figure, state: State) -> State:
    """Behind some steps of plain gradient descent."""
    moved, taken = figure.descent, _steps(figure.lesson, figure.setting)
    assert moved is not None
    return SetCells(moved.node, _cells(state, moved.node, taken[moved.steps])).apply(state)


@cache
def _steps(lesson: str, setting: str) -> list[Array]:
    """What moves, before each step and behind the last, as many as any figure of a setting takes of them."""
    descents = [one.descent for one in figures() if (one.lesson, one.setting) == (lesson, setting) and one.descent]
    last = max(descents, key=lambda one: one.steps)
    state = _given(lesson, setting)
    engine, inputs = fresh(state.graph, state.inputs, state.pins), dict(state.inputs)
    taken = [inputs[last.node]]
    for _ in range(last.steps):
        gradient = engine.gradient(state.graph.place(last.node))
        assert gradient is not None
        inputs[last.node] = inputs[last.node] - last.rate * gradient
        engine.update(state.graph, inputs, state.pins)
        taken.append(inputs[last.node])
    return taken


def _worked(last: Argument | None, part: str) -> Array:
    """The terms that a cell is the sum of, or their factors, in reading order."""
    assert last is not None
    if not isinstance(last, Step) or last.function not in ("add", "dot"):
        return np.atleast_1d(last.value)
    if last.function == "add":
        return np.concatenate([_worked(argument, part) for argument in last.arguments])
    left, right = (argument.value for argument in last.arguments)
    return np.asarray(left * right if part == "terms" else np.stack([left, right], axis=-1).ravel())


def _cells(state: State, name: str, array: Array) -> dict[tuple[int, ...], float]:
    place = state.graph.place(name)
    shape = tuple(len(state.graph.axes[axis]) for axis in state.graph.axes_of(place))
    require_shape(name, array.shape, shape)
    return {cell: float(value) for cell, value in np.ndenumerate(array)}
