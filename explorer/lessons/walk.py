"""A student's walk through a lesson: the present step, the answers, and the numbers drawn for this student.

`shown_order`: the order in which the choices of a question are shown: random, so that nobody learns the right place.

`ladder`: the hints of a question, and at the end the derivation of the answer.
"""

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from explorer.core.engine import Engine
from explorer.document.commands import Replace
from explorer.document.state import State
from explorer.lessons.answers import TRIES, Answer, Verdict, judge, right_places, values_of
from explorer.lessons.mistakes import Part, derivation
from explorer.lessons.progress import Progress, ProgressFolder
from explorer.lessons.schema import Lesson, states_of
from explorer.lessons.steps import Choose, MakeSo, Point, Predict, Question, Step

if TYPE_CHECKING:  # the first picture does not need it
    from explorer.lessons.practice import Faded


def shown_order(question: Choose, *about: object) -> tuple[int, ...]:
    """The indices of the choices in the file, in the order in which they are shown.

    `about`: what the order depends on, such as the student, the sitting and the step; equal values give equal orders.
    """
    places = np.arange(len(question.choices))
    if question.mixed:
        np.random.default_rng(crc32(" ".join(map(str, about)).encode())).shuffle(places)
    return tuple(places.tolist())


Hint = str | tuple[Part, ...]
"""Markdown, or a derivation."""


def ladder(question: Question, engine: Engine) -> tuple[Hint, ...]:
    """All hints in the order in which they are given; the last one is a derivation if the answer has one."""
    match question:
        case Point() if question.extreme and question.at == "cell":
            return (*question.hints, derivation(engine, question.node, right_places(question, engine)[0]))
        case Point() if question.extreme and question.at == "token" and question.row is not None:
            ((column,), *_) = right_places(question, engine)
            return (*question.hints, derivation(engine, question.node, (question.row, column)))
        case Choose():
            return (*question.hints, *([question.why] if question.why else []))
    last = () if question.derived is None else (derivation(engine, *question.derived),)
    return (*question.hints, *last)


def told(question: Question, engine: Engine) -> tuple[Hint, ...]:
    """What is shown to a student who gives no answer: why a choice is right, or the derivation of a number."""
    if isinstance(question, Choose):
        return tuple(choice.why for choice in question.choices if choice.right and choice.why)
    return tuple(hint for hint in ladder(question, engine)[-1:] if not isinstance(hint, str))


@dataclass
class Attempt:
    """The tries at a question since the start of the program."""

    tried: list[Answer] = field(default_factory=list)  # the answers given, in order, each once
    verdict: Verdict | None = None  # the verdict on the last answer
    hints: int = 0  # how many hints were taken
    done: bool = False  # whether the question is over
    told: bool = False  # whether the answer was shown to a student who gave none
    typed: dict[int, str] = field(default_factory=dict)  # what is typed, by the place of its field among the fields
    # The last wrong number whose mistake was recognised, and its derivation.
    known: tuple[float, tuple[Part, ...]] | None = None

    @property
    def tries_left(self) -> int:
        """How many tries are left."""
        return 0 if self.done else TRIES - len(self.tried)

    @property
    def compared(self) -> tuple[float, tuple[Part, ...]] | None:
        """A wrong number and its derivation, to show beside the right one after the question is over."""
        wrong = self.verdict is not None and not self.verdict.right
        return self.known if self.done and wrong else None


class Walk:
    """A walk through a lesson. The progress is saved after each change.

    Parameters
    ----------
    lesson : Lesson
        A lesson with steps.
    folder : ProgressFolder, optional
        The folder that keeps the progress; without it the progress is not saved.
    sitting : int
        The number of this run of the program; in each run, choices are shown in another order.
    """

    def __init__(self, lesson: Lesson, folder: ProgressFolder | None = None, sitting: int = 0) -> None:
        # `states`: without the fresh numbers.
        self.lesson, self.states, self._folder, self._sitting = lesson, states_of(lesson), folder, sitting
        self.progress = folder.load(lesson.id) if folder is not None else Progress(lesson.id)
        ids = [step.id for step in lesson.steps]
        # The index of the present step: at first the step where the student stopped last time.
        stopped = self.progress.step
        if stopped not in ids:  # a newer version of the lesson may lack that step: then the last visited one it has
            stopped = next((step for step in reversed(self.progress.seen) if step in ids), "")
        self.at = ids.index(stopped) if stopped in ids else 0
        self._drawn: dict[int, tuple[State, Engine]] = {}

    @property
    def step(self) -> Step:
        """The present step."""
        return self.lesson.steps[self.at]

    def state(self, at: int) -> State:
        """The state of a step, with this student's own numbers if its question draws fresh ones."""
        return self._of_student(at)[0] if self._is_fresh(at) else self.states[at]

    def engine(self, at: int) -> Engine:
        """The values of the state of a step."""
        return self._of_student(at)[1] if self._is_fresh(at) else self.states.engine(at)

    def take(self, at: int, engine: Engine) -> None:
        """Keep the values of a step's state that were computed elsewhere."""
        if not self._is_fresh(at):
            self.states.take(at, engine)

    def before(self, at: int) -> State | None:
        """The state of a step without its changes; None if it has no changes, or draws fresh numbers."""
        step = self.lesson.steps[at]
        if self._is_fresh(at) or not (step.edits or step.training):
            return None
        if step.setting or not at:
            return self.lesson.state(step.setting or None)
        return self.states[at - 1]

    def go(self, at: int) -> Replace:
        """Go to a step; returns the command that brings a document there. For the present step, that is a reset.

        Raises `ExplorerError`: "not-written" if the progress cannot be saved.
        """
        command = Replace(self.state(at), f"Step: {self.lesson.steps[at].title}")
        self.at = at
        self._keep(self.progress.at(self.step.id))
        return command

    def resume(self, at: int, progress: Progress) -> None:
        """Go to a step, and join the progress that was made elsewhere.

        Raises `ExplorerError`: "not-written" if the progress cannot be saved.
        """
        self.at = at
        self._keep(self.progress.joined(progress).at(self.step.id))

    def order(self, at: int) -> tuple[int, ...]:
        """The indices in the file of a question's choices, in the order in which they are shown."""
        step = self.lesson.steps[at]
        assert isinstance(step.question, Choose)
        return shown_order(step.question, self.progress.seed, self._sitting, self.lesson.id, step.id)

    # The question of the present step

    def answer(self, answer: Answer, hints: int = 0, again: bool = False) -> Verdict:
        """Judge an answer and save the result.

        Parameters
        ----------
        hints : int
            How many hints were taken.
        again : bool
            Whether the question is repeated from an earlier lesson.

        Raises
        ------
        ExplorerError
            "not-written" if the progress cannot be saved.
        """
        question = self.step.question
        assert question is not None
        verdict = judge(question, answer, self.state(self.at), self.engine(self.at))
        opening = self._folder.open(date.today()) if self._folder is not None else 0
        self._keep(self.progress.answered(self.step.id, verdict.right, hints, opening, again))
        return verdict

    def hints(self) -> tuple[Hint, ...]:
        """All hints for the question, in their order."""
        assert self.step.question is not None
        return ladder(self.step.question, self.engine(self.at))

    def told(self) -> tuple[Hint, ...]:
        """What is shown to a student who gives no answer to the question."""
        assert self.step.question is not None
        if isinstance(self.step.question, MakeSo):
            from explorer.lessons.replay import way_named

            return (way_named(self.step.question, self.state(self.at), self.engine(self.at)),)
        return told(self.step.question, self.engine(self.at))

    def gaps(self) -> "Faded | None":
        """The derivation with gaps; None if the question has none."""
        from explorer.lessons.practice import faded

        question = self.step.question
        if not isinstance(question, Predict) or not question.fade:
            return None
        return faded(question, self.engine(self.at))

    def _is_fresh(self, at: int) -> bool:
        question = self.lesson.steps[at].question
        return isinstance(question, Predict) and question.fresh

    def _of_student(self, at: int) -> tuple[State, Engine]:
        from explorer.lessons.practice import fresh_numbers

        if at not in self._drawn:
            step = self.lesson.steps[at]
            assert isinstance(step.question, Predict)
            seed = crc32(f"{self.progress.seed} {self.lesson.id} {step.id}".encode())
            state = fresh_numbers(step.question, self.states[at], seed)
            self._drawn[at] = state, values_of(state)
        return self._drawn[at]

    def _keep(self, progress: Progress) -> None:
        self.progress = progress
        if self._folder is not None:
            self._folder.save(progress)
