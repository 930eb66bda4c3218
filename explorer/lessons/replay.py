"""`replay`: the program goes through a lesson forward, backward and from every step, and answers every question.

`check_lesson`: whether a lesson and all its steps are valid.

`right_answer`: the right answer to a question, computed from the graph; for a `MakeSo`, found by learning or search.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from explorer.core.engine import Engine, same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS, Place, Root
from explorer.core.numbers import formatted, written
from explorer.core.ops import Array
from explorer.core.training.data import SHOWN
from explorer.core.training.recipe import Recipe
from explorer.core.training.trainer import Trainer
from explorer.document.commands import SetCells, SetInputs
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.answers import Answer, cell_named, goal_named, holds, judge, right_places, values_of
from explorer.lessons.loader import lesson_files, load
from explorer.lessons.mistakes import array_of, mistakes_of
from explorer.lessons.prose import cells_in, html, is_gradient, numbers_of, plain, texts_of
from explorer.lessons.reading import likeliest, read
from explorer.lessons.schema import Cell, Choose, Lesson, MakeSo, Point, Predict, Question, Step, StepStates
from explorer.lessons.walk import Walk, faded

_PLACE = re.compile(
    r"\b(first|second|third|fourth|last|other|previous) (answer|choice|option)s?\b"
    r"|\b(answer|choice|option)s? ([A-D]|[1-9])\b|\b(all|any|both|neither|none|one) of the (above|below)\b",
    re.IGNORECASE,
)
"""Matches words that refer to a choice by its place."""


def check_lesson(path: str | Path, model: str | Path | None = None) -> Lesson:
    """Load a lesson and compute it in every setting and at every step.

    `model`: the folder or file of the model that it needs; None: a lesson that needs one is computed on its stand-in.
    Raises `ExplorerError` if the file is no valid lesson, a computed number is NaN, or a step gives its answer away.
    """
    lesson = load(path, model)
    for name in lesson.settings:
        for node, value in Document(lesson.state(name)).engine.values.items():
            if np.isnan(value).any():
                key, problem, remedy = f"settings.{name}", f"'{node}' comes out as NaN", "use smaller numbers"
                raise ExplorerError("lesson-key", file=str(path), key=key, problem=problem, remedy=remedy)
    _check_needs(lesson, path)
    check_steps(lesson, str(path))
    return lesson


def _check_needs(lesson: Lesson, path: str | Path) -> None:
    """Raise an error if the lesson needs one that neither comes with the program nor lies in the same folder."""
    known = list(lesson_files())
    missing = [need for need in lesson.needs if need not in known]
    beside = set[str]()
    for file in sorted(Path(path).parent.glob("*.toml")) if missing else ():
        with suppress(ExplorerError):  # a file of another kind, or one that is not finished
            beside.add(read(file).text("id"))
    names = [*known, *sorted(beside - {lesson.id})]
    for need in missing:
        if need not in names:
            its_own = need == lesson.id
            problem = "no lesson needs itself" if its_own else f"there is no lesson '{need}'"
            remedy = "leave it out" if its_own else likeliest(need, names, "`explorer list` names all, such as")
            raise ExplorerError("lesson-key", file=str(path), key="needs", problem=problem, remedy=remedy)


def _is_written(said: str, question: Predict, engine: Engine) -> bool:
    """Whether the asked number occurs as text in what a step says."""
    number = written(float(array_of(engine, question.node, question.of)[question.cell]), question.digits)
    said = said.replace("-", "−")
    return re.search(rf"(?<![\d.,−]){re.escape(number)}(?!\d|[.,]\d)", said) is not None


def check_steps(lesson: Lesson, file: str) -> None:
    """Compute a lesson at every step; errors as in `check_lesson`, and they name `file`."""
    states = StepStates(lesson)
    for at, step in enumerate(lesson.steps):
        wrong, remedy = _wrong_in(step, states, at)
        if wrong:
            key = "`training`: " if isinstance(wrong, ExplorerError) else ""
            raise ExplorerError("lesson-step", file=file, step=step.id, at=key, problem=wrong, remedy=remedy)


def _wrong_in(step: Step, states: StepStates, at: int) -> tuple[str | ExplorerError, str]:
    """What is wrong with a step, judged by its computed numbers, and the remedy; ("", "") if nothing is."""
    try:
        engine = states.engine(at)
    except ExplorerError as error:  # its training diverged
        return error, "write a lower rate, or fewer steps"
    for inner, (node, cell) in step.shown.items():
        if np.isnan(array_of(engine, node, "gradient" if is_gradient(inner) else "value")[cell]):
            return f"`{{{inner}}}` comes out as NaN", "name a cell that has a number"
    question = step.question
    if isinstance(question, Predict):
        if np.isnan(array_of(engine, question.node, question.of)[question.cell]):
            return "`question` asks for a number that comes out as NaN", "ask for another cell"
        asked, gradient = (question.node, question.cell), question.of == "gradient"
        said = {
            "words": (step.words, question.ask),
            "words of `slide`": (step.slide,),
            "words of `paper`": (step.paper, question.paper),
        }
        for where, texts in said.items():
            shown = [inner for text in texts for inner in cells_in(text)]
            if any(step.shown[inner] == asked and is_gradient(inner) is gradient for inner in shown):
                return f"the {where} show the number that is asked for", "leave it out, or show it in `why`"
            if question.digits and not question.fresh and _is_written(" ".join((step.title, *texts)), question, engine):
                return f"the {where} tell the number that is asked for", "leave it out, or tell it in `why`"
        if question.fade and not faded(question, engine).blanks:
            return "`fade` leaves out nothing", "ask for a number that is computed, or leave out `fade`"
    if isinstance(question, Point) and question.extreme and not right_places(question, engine):
        return "`question` asks for the largest or smallest of numbers that all come out as NaN", "ask for other ones"
    if isinstance(question, Choose) and question.mixed:
        told = next((found for found in map(_PLACE.search, texts_of(step)[1:]) if found), None)
        if told is not None:
            what = f"`choices` are shown in another order each time, but “{told[0]}” means one by its place"
            return what, 'say which one is meant, or write order = "as written"'
    if isinstance(question, MakeSo) and all(holds(one, engine) for one in question.conditions):
        return "`question.goal` is reached before anything is done", "ask for something that is not so yet"
    return "", ""


MOST_TRIES, FEW_TRIES, MOST_STEPS = 20_000, 300, 200
"""How many changes of a number are tried at most, and while somebody waits; how many steps of gradient descent."""
_FEW_DECIMALS = 4
"""The decimals of an example, at most, where rounding still reaches the goal."""
_STEPS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 0.1)


def right_answer(question: Question, state: State, engine: Engine) -> Answer | None:
    """A right answer to the question of a step with this state and its values; None if none was found."""
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


def way_named(question: MakeSo, state: State, engine: Engine) -> str:
    """How a model is made to do something: by learning, or a change of numbers that does it, if one is found soon."""
    if _can_be_learned(question, state):
        return "Gradient descent leads there."
    goals = "; ".join(goal_named(condition, engine) for condition in question.conditions)
    said = f"Any change is right that leads to this: {goals}."
    made = solved(question, state, FEW_TRIES)
    if made is None:
        return said
    made = _in_few_decimals(question, made, state)
    changes = [
        f"{cell_named(name, cell, engine)} = {formatted(float(array[cell]), 'g')}"
        for name, array in made.inputs.items()
        if array.dtype.kind == "f" and array is not state.inputs[name]
        for cell in map(tuple, np.argwhere(array != state.inputs[name]).tolist())
    ]
    return f"{said} For example, {' and '.join(changes)}."


def _in_few_decimals(question: MakeSo, made: State, state: State) -> State:
    """A state in which a goal is reached, with the changed numbers rounded as far as it still is."""
    changed = [
        name for name, array in made.inputs.items() if array is not state.inputs[name] and array.dtype.kind == "f"
    ]
    for digits in range(_FEW_DECIMALS):
        rounded = {
            name: np.where(made.inputs[name] == state.inputs[name], state.inputs[name], made.inputs[name].round(digits))
            for name in changed
        }
        shorter = SetInputs(rounded, "Round").apply(state)
        if judge(question, shorter, state).right:
            return shorter
    return made


def solved(question: MakeSo, state: State, most: int = MOST_TRIES) -> State | None:
    """A state in which the goal is reached by changing one number after another; None if none was found.

    `most`: how many changes of a number are tried.
    """
    engine, made = values_of(state), state
    for _ in range(question.edits or len(question.conditions)):
        found = _one_number(question, made, engine, most)
        if found is None:
            return None
        made = found
        if judge(question, made, state).right:
            return made
        engine = values_of(made)
    return None


def _can_be_learned(question: MakeSo, state: State) -> bool:
    """Whether all numbers may be changed and there is a loss, so that gradient descent is the way."""
    return LOSS in state.graph.nodes and not question.edits and not question.allowed


def _descended(question: MakeSo, state: State) -> State | None:
    """The first state on the way of gradient descent in which the goal is reached; None if it is not."""
    if not _can_be_learned(question, state):
        return None
    trainer = Trainer(state.model, state.used, SHOWN, Recipe("Adam", 0.1, batch=0, steps=MOST_STEPS), state.pins)
    for _ in range(MOST_STEPS):
        trainer.step()
        made = SetInputs({name: trainer.weights[name] for name in trainer.moving}, "Learn").apply(state)
        if judge(question, made, state).right:
            return made
    return None


def _one_number(question: MakeSo, state: State, engine: Engine, most: int) -> State | None:
    """The state with one number changed so that all conditions hold, or at least more hold than now; else None."""
    now = sum(holds(one, engine) for one in question.conditions)
    better = None
    for tries, (name, cell, number) in enumerate(_candidates(question, state, engine)):
        if tries >= most:
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
    """Cells of inputs that the goal depends on, each with a number to try; small changes come first.

    Of changes of one size, those come first by which a number of the goal changes at once: a table has a row for each
    word of the model, and few of them stand in the text.
    """
    graph = state.graph
    above: list[str] = []
    for node in (graph.place(one.node).node for one in question.conditions):
        above += [node] if graph.nodes[node].is_input else graph.inputs_of(node)
    names = question.allowed or tuple(dict.fromkeys(above))
    cells = [(name, cell) for name in names for cell in np.ndindex(engine.value(graph.place(name)).shape)]
    moves = {name: _moves(question, engine, graph.place(name)) for name in names}
    cells.sort(key=lambda one: not moves[one[0]][one[1]])
    for size in _STEPS:
        for name, cell in cells:
            value: Array = engine.value(graph.place(name))
            if value.dtype.kind == "f":
                yield name, cell, float(value[cell]) + size
                yield name, cell, float(value[cell]) - size


def _moves(question: MakeSo, engine: Engine, place: Place) -> Array:
    """Which cells of an input have a gradient of a compared number, bools in the shape of the input."""
    found = np.zeros(engine.value(place).shape, dtype=bool)
    for one in question.conditions:
        node = engine.graph.place(one.node)
        with suppress(ExplorerError):  # a number that nothing is differentiated for
            gradient = engine.gradient(place, Root(node.node, (*node.index, *one.compared)))
            found |= False if gradient is None else gradient != 0
    return found


MOST_MISTAKES = 40


@dataclass
class Replayed:
    """What a replay covered."""

    lesson: str
    steps: int = 0
    questions: int = 0
    mistakes: int = 0  # the wrong answers that were given, whose mistakes were all recognised


def replay(lesson: Lesson) -> Replayed:
    """Go through a lesson.

    Raises `ExplorerError`: "replay-differs" if a step's numbers depend on the way to it, "replay-question" if a
    question refuses its right answer or accepts a wrong one; both name the step.
    """
    states, done = StepStates(lesson), Replayed(lesson.id, len(lesson.steps))
    document = Document(lesson.state())
    for way in (range(len(states)), reversed(range(len(states)))):
        for at in way:
            document.do(states.go(at))
            _compare(lesson, at, document.engine, states.engine(at))
    while document.history.undo_label is not None:
        document.undo()
    jumped = StepStates(lesson)
    for at in reversed(range(len(states))):  # the last step first, so that the earlier steps are not computed yet
        _compare(lesson, at, jumped.engine(at), states.engine(at))
        if at + 1 < len(states):
            document = Document(jumped[at])
            document.do(jumped.go(at + 1))
            _compare(lesson, at + 1, document.engine, states.engine(at + 1))
    for at, step in enumerate(lesson.steps):
        engine = states.engine(at)
        numbers = numbers_of(step, engine)
        for text in texts_of(step):
            html(text, numbers), plain(text, numbers)
        if step.question is not None:
            done.questions += 1
            done.mistakes += _answered(lesson, at, step.question, states)
    return done


def _compare(lesson: Lesson, at: int, one: Engine, other: Engine) -> None:
    mine, theirs = one.values, other.values
    if mine.keys() != theirs.keys() or not all(
        same_bytes(np.asarray(mine[name]), np.asarray(theirs[name])) for name in mine
    ):
        raise ExplorerError("replay-differs", lesson=lesson.id, step=lesson.steps[at].id)


def _answered(lesson: Lesson, at: int, question: Question, states: StepStates) -> int:
    """Answer a question rightly, and wrongly in every possible way. Returns the number of wrong answers."""
    state, engine = states[at], states.engine(at)

    def fail(problem: str, remedy: str = "report this") -> None:
        step = lesson.steps[at].id
        raise ExplorerError("replay-question", lesson=lesson.id, step=step, problem=problem, remedy=remedy)

    right = right_answer(question, state, engine)
    if right is None:
        fail("no way was found to reach the goal", "ask for what one number can change, or allow more")
    elif not judge(question, right, state, engine).right:
        fail(f"its own answer {right} is called wrong")
    wrong = 0
    if isinstance(question, Choose):
        for i in Walk(lesson).order(at):  # in the order in which they are shown
            choice = question.choices[i]
            if judge(question, i, state).right is not choice.right:
                fail(f"the choice “{choice.text}” is judged wrongly")
            wrong += not choice.right
    if isinstance(question, Predict):
        for mistake in mistakes_of(engine, question):
            verdict = judge(question, mistake.value, state, engine)
            if verdict.right or verdict.mistake is None:
                fail(f"the mistake “{mistake.name}” is not told")
            wrong += 1
            if wrong == MOST_MISTAKES:
                break
    return wrong
