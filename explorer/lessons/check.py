"""Whether a lesson is valid, and all its steps are."""

import re
from pathlib import Path

import numpy as np

from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.document.document import Document
from explorer.lessons.goals import holds
from explorer.lessons.loader import load
from explorer.lessons.mistakes import array_of
from explorer.lessons.prose import cells_in, is_gradient, texts_of
from explorer.lessons.schema import Lesson
from explorer.lessons.states import StepStates
from explorer.lessons.steps import Choose, MakeSo, Predict, Step

_PLACE = re.compile(
    r"\b(first|second|third|fourth|last|other|previous) (answer|choice|option)s?\b"
    r"|\b(answer|choice|option)s? ([A-D]|[1-9])\b|\b(all|any|both|neither|none|one) of the (above|below)\b",
    re.IGNORECASE,
)
"""Words that mean a choice by its place."""


def check_lesson(path: str | Path) -> Lesson:
    """Load a lesson and compute it in every setting and at every step.

    Raises `ExplorerError` where the file is not a valid lesson, a number in it comes out as NaN, or a step gives its
    answer away.
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
    check_steps(lesson, str(path))
    return lesson


def _is_written(step: Step, engine: Engine) -> bool:
    """Whether the number that is asked for stands in the words as text."""
    question = step.question
    assert isinstance(question, Predict)
    number = written(float(array_of(engine, question.node, question.of)[question.cell]), question.digits)
    said = " ".join((step.title, step.words, question.ask)).replace("-", "−")
    return re.search(rf"(?<![\d.,−]){re.escape(number)}(?!\d|[.,]\d)", said) is not None


def check_steps(lesson: Lesson, file: str) -> None:
    """Compute a lesson at every step; errors as of `check_lesson`, which name the file."""
    states = StepStates(lesson)
    for at, step in enumerate(lesson.steps):
        wrong, remedy = _wrong_in(step, states, at)
        if wrong:
            key = "`training`: " if isinstance(wrong, ExplorerError) else ""
            raise ExplorerError("lesson-step", file=file, step=step.id, at=key, problem=wrong, remedy=remedy)


def _wrong_in(step: Step, states: StepStates, at: int) -> tuple[str | ExplorerError, str]:
    """What is wrong with a step once its numbers are there, and the remedy; nothing where it is as it should be."""
    try:
        engine = states.engine(at)
    except ExplorerError as error:  # its training went astray
        return error, "write a lower rate, or fewer steps"
    for inner, (node, cell) in step.shown.items():
        if np.isnan(array_of(engine, node, "gradient" if is_gradient(inner) else "value")[cell]):
            return f"`{{{inner}}}` comes out as NaN", "name a cell that has a number"
    question = step.question
    if isinstance(question, Predict):
        if np.isnan(array_of(engine, question.node, question.of)[question.cell]):
            return "`question` asks for a number that comes out as NaN", "ask for another cell"
        asked, gradient = (question.node, question.cell), question.of == "gradient"
        shown = [inner for text in (step.words, question.ask) for inner in cells_in(text)]
        if any(step.shown[inner] == asked and is_gradient(inner) is gradient for inner in shown):
            return "the words show the number that is asked for", "leave it out, or show it in `why`"
        if question.digits and not question.fresh and _is_written(step, engine):
            return "the words tell the number that is asked for", "leave it out, or tell it in `why`"
    if isinstance(question, Choose) and question.mixed:
        told = next((found for found in map(_PLACE.search, texts_of(step)[1:]) if found), None)
        if told is not None:
            what = f"`choices` are shown in another order each time, but “{told[0]}” means one by its place"
            return what, 'say which one is meant, or write order = "as written"'
    if isinstance(question, MakeSo) and all(holds(one, engine) for one in question.conditions):
        return "`question.goal` is reached before anything is done", "ask for something that is not so yet"
    return "", ""
