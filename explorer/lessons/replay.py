"""A lesson gone through by the program: forward, backward, from every step, and every question answered."""

from dataclasses import dataclass

import numpy as np

from explorer.core.engine import Engine, same_bytes
from explorer.core.errors import ExplorerError
from explorer.document.document import Document
from explorer.lessons.answers import SO_FAR, judge
from explorer.lessons.mistakes import mistakes
from explorer.lessons.practice import faded
from explorer.lessons.prose import html, numbers_of, plain, texts_of
from explorer.lessons.schema import Lesson
from explorer.lessons.solving import right_answer
from explorer.lessons.states import StepStates
from explorer.lessons.steps import Choose, Predict, Question
from explorer.lessons.walk import Walk

MOST_MISTAKES = 40


@dataclass
class Replayed:
    """What a replay went through."""

    lesson: str
    steps: int = 0
    questions: int = 0
    mistakes: int = 0  # wrong answers that were given, each of them named


def replay(lesson: Lesson) -> Replayed:
    """Go through a lesson.

    Raises `ExplorerError`: "replay-differs" where a step is not the same by another way, "replay-question" where a
    question does not take its right answer, or takes a wrong one; each names the step.
    """
    states, done = StepStates(lesson), Replayed(lesson.id, len(lesson.steps))
    if not lesson.steps:
        return done
    document = Document(lesson.state())
    for way in (range(len(states)), reversed(range(len(states)))):
        for at in way:
            document.do(states.go(at))
            _compare(lesson, at, document.engine, states.engine(at))
    while document.history.undo_label is not None:
        document.undo()
    for at in range(len(states)):
        jumped = StepStates(lesson)
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
    same = one.values.keys() == other.values.keys()
    for name in one.values if same else ():
        if not same_bytes(np.asarray(one.values[name]), np.asarray(other.values[name])):
            same = False
    if not same:
        raise ExplorerError("replay-differs", lesson=lesson.id, step=lesson.steps[at].id)


def _answered(lesson: Lesson, at: int, question: Question, states: StepStates) -> int:
    """Answer a question rightly, and wrongly in each way there is. Returns in how many ways."""
    state, engine = states[at], states.engine(at)

    def fail(problem: str, remedy: str) -> None:
        raise ExplorerError(
            "replay-question", lesson=lesson.id, step=lesson.steps[at].id, problem=problem, remedy=remedy
        )

    right = right_answer(question, state, engine)
    if right is None:
        fail("no way was found to reach the goal", "ask for what one number can change, or allow more")
    elif not judge(question, right, state, engine).right:
        fail(f"its own answer {right} is called wrong", "report this")
    wrong = 0
    if isinstance(question, Choose):
        for i in Walk(lesson).order(at):  # as they are shown
            choice = question.choices[i]
            if judge(question, i, state).right is not choice.right:
                fail(f"the choice “{choice.text}” is judged wrongly", "report this")
            wrong += not choice.right
    if isinstance(question, Predict):
        if question.fade and not faded(question, engine).blanks:
            fail("there is nothing to leave out", "leave out `fade`, or ask for a number that is computed")
        for mistake in mistakes(engine, question.node, question.cell, question.digits, question.of):
            verdict = judge(question, mistake.value, state, engine)
            named = verdict.mistake is not None or verdict.sentence.startswith(SO_FAR)
            if verdict.right or not named:
                fail(f"the mistake “{mistake.name}” is not told", "report this")
            wrong += 1
            if wrong == MOST_MISTAKES:
                break
    return wrong
