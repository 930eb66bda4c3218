"""Somebody on the way through a lesson: the step, the answers, and the numbers drawn for this student.

In which order the choices of a question are shown: mixed, so that nobody learns where the right one stands.

The ladder of hints: those of the question, and at its end how the answer comes about.
"""

from dataclasses import dataclass, field
from datetime import date
from zlib import crc32

import numpy as np

from explorer.core.engine import Engine
from explorer.document.commands import Replace
from explorer.document.state import State
from explorer.lessons.answers import TRIES, Answer, Verdict, judge, right_places, values_of
from explorer.lessons.mistakes import Part, derivation
from explorer.lessons.practice import Faded, faded, fresh_numbers
from explorer.lessons.progress import Progress, ProgressFolder
from explorer.lessons.schema import Lesson, states_of
from explorer.lessons.steps import Choose, Point, Predict, Question, Step


def shown_order(question: Choose, *about: object) -> tuple[int, ...]:
    """The places of the choices in the file, counted from 0, in the order in which they are shown.

    `about`: what the order depends on, such as the learner, the sitting and the step; the same for the same.
    """
    places = np.arange(len(question.choices))
    if question.mixed:
        np.random.default_rng(crc32(" ".join(map(str, about)).encode())).shuffle(places)
    return tuple(places.tolist())


Hint = str | tuple[Part, ...]
"""Markdown, or a derivation."""


def ladder(question: Question, engine: Engine) -> tuple[Hint, ...]:
    """All hints in the order in which they are given; the last is a derivation where a number answers the question."""
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
    """What is shown to somebody who gave no answer: why a choice is right, or how a number comes about."""
    if isinstance(question, Choose):
        return tuple(choice.why for choice in question.choices if choice.right and choice.why)
    return tuple(hint for hint in ladder(question, engine)[-1:] if not isinstance(hint, str))


@dataclass
class Attempt:
    """What came of a question since the program was started."""

    tried: list[Answer] = field(default_factory=list)  # the answers given, in order, each once
    verdict: Verdict | None = None  # on the last one
    hints: int = 0  # so many were asked for
    done: bool = False  # whether nothing is asked any more
    told: bool = False  # whether the answer was shown to somebody who gave none
    # The last wrong number of which it is known how one gets it, and that derivation.
    known: tuple[float, tuple[Part, ...]] | None = None

    @property
    def tries(self) -> int:
        """How often one may still answer."""
        return 0 if self.done else TRIES - len(self.tried)

    @property
    def compared(self) -> tuple[float, tuple[Part, ...]] | None:
        """A wrong number whose derivation is to stand beside the right one, once nothing is asked any more."""
        wrong = self.verdict is not None and not self.verdict.right
        return self.known if self.done and wrong else None


class Walk:
    """A walk through a lesson. Everything that happens is kept at once.

    Parameters
    ----------
    lesson : Lesson
        With steps.
    folder : ProgressFolder, optional
        Where the progress is kept; without one it is forgotten.
    sitting : int
        A number of this run of the program: in another one, choices are shown in another order.
    """

    def __init__(self, lesson: Lesson, folder: ProgressFolder | None = None, sitting: int = 0) -> None:
        # `states`: without the fresh numbers.
        self.lesson, self.states, self._folder, self._sitting = lesson, states_of(lesson), folder, sitting
        self.progress = folder.load(lesson.id) if folder is not None else Progress(lesson.id)
        ids = [step.id for step in lesson.steps]
        # The step that one is at, counted from 0: where one stopped the last time.
        stopped = self.progress.step
        if stopped not in ids:  # a newer version of the lesson may lack it: then the last one seen that is there
            stopped = next((step for step in reversed(self.progress.seen) if step in ids), "")
        self.at = ids.index(stopped) if stopped in ids else 0
        self._drawn: dict[int, tuple[State, Engine]] = {}

    @property
    def step(self) -> Step:
        """The step that one is at."""
        return self.lesson.steps[self.at]

    def state(self, at: int) -> State:
        """The state of a step, with this student's numbers where its question draws some."""
        return self._of_student(at)[0] if self._is_fresh(at) else self.states[at]

    def engine(self, at: int) -> Engine:
        """The values of `state`."""
        return self._of_student(at)[1] if self._is_fresh(at) else self.states.engine(at)

    def take(self, at: int, engine: Engine) -> None:
        """Take the values of `state` from who has computed them."""
        if not self._is_fresh(at):
            self.states.take(at, engine)

    def before(self, at: int) -> State | None:
        """The state of a step without what it changes; None where it changes nothing, or draws numbers of its own."""
        step = self.lesson.steps[at]
        if self._is_fresh(at) or not (step.edits or step.training):
            return None
        if step.setting or not at:
            return self.lesson.state(step.setting or None)
        return self.states[at - 1]

    def go(self, at: int) -> Replace:
        """Be at a step from now on, and the command that puts a document there; where one is already: reset the step.

        Raises `ExplorerError`: "not-written" where the progress cannot be kept.
        """
        command = Replace(self.state(at), f"Step: {self.lesson.steps[at].title}")
        self.at = at
        self._keep(self.progress.at(self.step.id))
        return command

    def resume(self, at: int, progress: Progress) -> None:
        """Be at a step, with what somebody knew in another place.

        Raises `ExplorerError`: "not-written" where the progress cannot be kept.
        """
        self.at = at
        self._keep(self.progress.joined(progress).at(self.step.id))

    def order(self, at: int) -> tuple[int, ...]:
        """The choices of a step's question, counted from 0 as in the file, in the order in which they are shown."""
        step = self.lesson.steps[at]
        assert isinstance(step.question, Choose)
        return shown_order(step.question, self.progress.seed, self._sitting, self.lesson.id, step.id)

    # The question of the step that one is at

    def answer(self, answer: Answer, hints: int = 0, again: bool = False) -> Verdict:
        """Judge an answer and keep what became of it.

        Parameters
        ----------
        hints : int
            How many were taken.
        again : bool
            Whether the question came again from an earlier lesson.

        Raises
        ------
        ExplorerError
            "not-written" where the progress cannot be kept.
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
        """What is shown to somebody who gave no answer to the question."""
        assert self.step.question is not None
        return told(self.step.question, self.engine(self.at))

    def gaps(self) -> Faded | None:
        """The derivation with gaps, where the question asks for one."""
        question = self.step.question
        if not isinstance(question, Predict) or not question.fade:
            return None
        return faded(question, self.engine(self.at))

    def _is_fresh(self, at: int) -> bool:
        question = self.lesson.steps[at].question
        return isinstance(question, Predict) and question.fresh

    def _of_student(self, at: int) -> tuple[State, Engine]:
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
