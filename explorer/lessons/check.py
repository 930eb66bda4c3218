"""The lessons valid, and every printed figure of the references against its node."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.shapes import require_shape
from explorer.document.commands import PinCells, SetCells, SetSwitch
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.goals import holds
from explorer.lessons.loader import load
from explorer.lessons.prose import cells_in
from explorer.lessons.references import Figure, Slip, figures, slips
from explorer.lessons.schema import Lesson
from explorer.lessons.states import StepStates
from explorer.lessons.steps import MakeSo, Predict, Step


@dataclass(frozen=True, eq=False)
class Result:
    """A printed figure beside what its node computes.

    Parameters
    ----------
    figure : Figure
    computed : numpy.ndarray
        In the shape of the figure's values.
    worst : float
        The largest difference between a computed and a printed number.
    agrees : bool
        Whether it is no more than rounding, and than what the figure gives a reason for.
    """

    figure: Figure
    computed: Array
    worst: float
    agrees: bool


@dataclass(frozen=True, eq=False)
class SlipResult:
    """A slip beside what the node computes.

    Parameters
    ----------
    slip : Slip
    agrees : bool
        Whether the node computes what we call right, and does not compute what is printed.
    """

    slip: Slip
    agrees: bool


def check_lesson(path: str | Path) -> Lesson:
    """Load a lesson and compute it in every setting and at every step.

    Raises
    ------
    ExplorerError
        Where the file is not a valid lesson, a number in it comes out as NaN, or a step gives its answer away.
    """
    lesson = load(path)
    for name in lesson.settings:
        values = Document(lesson.state(name)).engine.values
        for node, value in values.items():
            if np.isnan(value).any():
                problem = f"'{node}' comes out as NaN"
                remedy = "use smaller numbers"
                raise ExplorerError(
                    "lesson-key", file=str(path), key=f"settings.{name}", problem=problem, remedy=remedy
                )
    states = StepStates(lesson)
    for at, step in enumerate(lesson.steps):
        wrong, remedy = _wrong_in(step, states, at)
        if wrong:
            key = "`training`: " if isinstance(wrong, ExplorerError) else ""
            raise ExplorerError("lesson-step", file=str(path), step=step.id, at=key, problem=wrong, remedy=remedy)
    return lesson


def _wrong_in(step: Step, states: StepStates, at: int) -> tuple[str | ExplorerError, str]:
    """What is wrong with a step once its numbers are there, and the remedy; nothing where it is as it should be."""
    try:
        engine = states.engine(at)
    except ExplorerError as error:  # its training went astray
        return error, "write a lower rate, or fewer steps"
    for inner, (node, cell) in step.shown.items():
        if np.isnan(engine.value(engine.graph.place(node))[cell]):
            return f"`{{{inner}}}` comes out as NaN", "name a cell that has a number"
    question = step.question
    if isinstance(question, Predict):
        if np.isnan(engine.value(engine.graph.place(question.node))[question.cell]):
            return "`question` asks for a number that comes out as NaN", "ask for another cell"
        asked = question.node, question.cell
        if any(step.shown[inner] == asked for text in (step.words, question.ask) for inner in cells_in(text)):
            return "the words show the number that is asked for", "leave it out, or show it in `why`"
    if isinstance(question, MakeSo) and all(holds(one, engine) for one in question.conditions):
        return "`question.goal` is reached before anything is done", "ask for something that is not so yet"
    return "", ""


def check_figures() -> list[Result]:
    """Every printed figure of the references against its node."""
    states: dict[tuple[str, str], State] = {}
    return [_result(figure, states) for figure in figures()]


def check_slips() -> list[SlipResult]:
    """Every slip that a node can tell: what we call right is computed, what is printed is not."""
    states: dict[tuple[str, str], State] = {}
    results = []
    for slip in slips():
        if slip.figure is not None:
            result = _result(slip.figure, states)
            wrong = slip.wrong is not None and replace(slip.figure, values=slip.wrong).agrees(result.computed)
            results.append(SlipResult(slip, result.agrees and not wrong))
    return results


def _result(figure: Figure, states: dict[tuple[str, str], State]) -> Result:
    key = figure.lesson, figure.setting
    if key not in states:
        states[key] = load(figure.lesson).state(figure.setting)
    computed = compute(figure, states[key])
    worst = float(np.max(np.abs(np.where(np.isnan(figure.values), 0, computed - figure.values))))
    return Result(figure, computed, worst, figure.agrees(computed))


def compute(figure: Figure, state: State) -> Array:
    """What a lesson's setting, with what the figure types in beside it, computes for the figure.

    Raises
    ------
    ExplorerError
        Where the figure names what the lesson does not have.
    """
    for key, value in figure.switches.items():
        block, _, name = key.rpartition(".")
        state = SetSwitch(block, name, value).apply(state)
    for node, array in figure.inputs.items():
        state = SetCells(node, _cells(state, node, array)).apply(state)
    for node, array in figure.pins.items():
        state = PinCells(node, _cells(state, node, array)).apply(state)
    engine = Document(state).engine
    computed = engine.value(state.graph.place(figure.node))
    if figure.cell is not None:
        computed = np.asarray(computed[figure.cell])
    require_shape(figure.node, figure.values.shape, computed.shape)
    return computed


def _cells(state: State, name: str, array: Array) -> dict[tuple[int, ...], float]:
    place = state.graph.place(name)
    shape = tuple(len(state.graph.axes[axis]) for axis in state.graph.axes_of(place))
    require_shape(name, array.shape, shape)
    return {cell: float(value) for cell, value in np.ndenumerate(array)}
