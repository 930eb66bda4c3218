"""The right answer to a question, as the graph gives it; for a "make it so" numbers are learned or searched for."""

from collections.abc import Iterator

import numpy as np

from explorer.core.engine import Engine
from explorer.core.gradients import LOSS
from explorer.core.ops import Array
from explorer.core.training.data import SHOWN
from explorer.core.training.recipe import Recipe
from explorer.core.training.trainer import Trainer
from explorer.document.commands import SetCells, SetInputs
from explorer.document.state import State
from explorer.lessons.answers import Answer, judge, right_places, values_of
from explorer.lessons.goals import holds
from explorer.lessons.mistakes import array_of
from explorer.lessons.steps import Cell, Choose, MakeSo, Point, Predict, Question

MOST_TRIES, MOST_STEPS = 20_000, 200
_STEPS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 0.1)


def right_answer(question: Question, state: State, engine: Engine) -> Answer | None:
    """An answer that is right; None where nothing was found.

    Parameters
    ----------
    state : State
        Of the step.
    engine : Engine
        With its values.
    """
    match question:
        case Predict():
            value = float(array_of(engine, question.node, question.of)[question.cell])
            return round(value, question.digits) if np.isfinite(value) else value
        case Choose():
            return next(i for i, choice in enumerate(question.choices) if choice.right)
        case Point():
            return right_places(question, engine)[0]
        case MakeSo():
            return _descended(question, state) or solved(question, state)
        case _:
            raise TypeError(type(question).__name__)


def solved(question: MakeSo, state: State) -> State | None:
    """A state in which the goal is reached by changing numbers one after the other; None where none was found."""
    engine, made = values_of(state), state
    for _ in range(question.edits or len(question.conditions)):
        found = _one_number(question, made, engine)
        if found is None:
            return None
        made = found
        if judge(question, made, state).right:
            return made
        engine = values_of(made)
    return None


def _descended(question: MakeSo, state: State) -> State | None:
    """The state to which gradient descent leads where the goal is reached on its way."""
    if LOSS.node not in state.graph.nodes or question.edits or question.allowed:
        return None
    trainer = Trainer(state.model, state.used, SHOWN, Recipe("Adam", 0.1, batch=0, steps=MOST_STEPS), state.pins)
    for _ in range(MOST_STEPS):
        trainer.step()
        made = SetInputs({name: trainer.weights[name] for name in trainer.moving}, "Learn").apply(state)
        if judge(question, made, state).right:
            return made
    return None


def _one_number(question: MakeSo, state: State, engine: Engine) -> State | None:
    """The state with one number changed so that all conditions hold; else one more than now, where there is one."""
    now = sum(holds(one, engine) for one in question.conditions)
    better = None
    for tries, (name, cell, number) in enumerate(_candidates(question, state, engine)):
        if tries >= MOST_TRIES:
            break
        changed = SetCells(name, {cell: number}).apply(state)
        other = Engine(engine.graph, engine.values, engine.pins)
        other.update(changed.graph, changed.used, changed.pins)
        reached = sum(holds(one, other) for one in question.conditions)
        if reached == len(question.conditions):
            return changed
        if reached > now and better is None:
            better = changed
    return better


def _candidates(question: MakeSo, state: State, engine: Engine) -> Iterator[tuple[str, Cell, float]]:
    """Cells of inputs that the goal depends on, each with numbers to try: small changes first."""
    graph = state.graph
    places = [graph.place(one.node).node for one in question.conditions]
    above = dict.fromkeys(
        name for node in places for name in ([node] if graph.nodes[node].is_input else graph.inputs_of(node))
    )
    names = question.allowed or tuple(above)
    cells = [(name, cell) for name in names for cell in np.ndindex(engine.value(graph.place(name)).shape)]
    for size in _STEPS:
        for name, cell in cells:
            value: Array = engine.value(graph.place(name))
            if value.dtype.kind == "f":
                yield name, cell, float(value[cell]) + size
                yield name, cell, float(value[cell]) - size
