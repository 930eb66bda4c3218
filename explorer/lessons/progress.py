"""The progress of a student: a small file for each lesson, rewritten after each answer, so that a crash loses nothing.

`outcome` sums up a lesson: which questions were answered rightly, and how, and which steps to come back to.
"""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from datetime import date
from pathlib import Path
from typing import Any, Self

from explorer.container import DamagedError, parsed
from explorer.core.frozen import Frozen
from explorer.core.numbers import quantity
from explorer.files import write_file
from explorer.lessons.schema import Lesson

QUESTIONS_AGAIN = 3
OPENINGS_AGAIN = 2
"""A question may be asked again at the first openings of the program after its answer, up to this number."""
_FORMAT = 1
_MOST_COUNT = 2**53
_OPENINGS = "_openings"  # ids of lessons have no underscore


class Answered(Frozen):
    """The answers of a student at one step."""

    right: bool  # whether the last answer was right
    first: bool  # whether the first answer was right
    tries: int = 1
    hints: int = 0
    opening: int = 0  # the number of the program's opening at which it was first answered
    again: int = 0  # at which opening after that one it was last asked again: 1, 2, …


class LessonProgress(Frozen):
    """The progress of a student in one lesson."""

    lesson: str  # the id of the lesson
    step: str = ""  # the id of the present step; "" before the first
    seen: tuple[str, ...] = ()  # the ids of the visited steps
    answers: Mapping[str, Answered] = field(default_factory=dict)  # by the id of the step
    seed: int = 0  # the seed of this student's fresh numbers

    def at(self, step: str) -> Self:
        """The progress with another present step, which is visited now."""
        return replace(self, step=step, seen=self.seen if step in self.seen else (*self.seen, step))

    def answered(self, step: str, right: bool, hints: int = 0, opening: int = 0, again: bool = False) -> Self:
        """The progress with one more answer."""
        was = self.answers.get(step)
        if was is None:
            now = Answered(right, right, 1, hints, opening)
        else:
            asked = max(was.again, opening - was.opening) if again else was.again
            now = replace(was, right=right, tries=was.tries + 1, hints=max(was.hints, hints), again=asked)
        return replace(self, answers={**self.answers, step: now})

    @staticmethod
    def of(lesson: str, found: Any, damaged: Callable[[], object] = lambda: None) -> "LessonProgress":
        """The progress in the content of a file; that of a beginner, after `damaged` was called, if it is not valid."""
        try:
            answers = {step: Answered(**one) for step, one in found["answers"].items()}
            for one in answers.values():
                for number in vars(one).values():
                    _count(number)
            step, seen = found["step"], found["seen"]
            if not isinstance(seen, list) or not all(isinstance(one, str) for one in (step, *seen)):
                raise TypeError
            return LessonProgress(lesson, step, tuple(seen), answers, _count(found["seed"]))
        except (KeyError, TypeError, ValueError, AttributeError):
            damaged()
            return LessonProgress(lesson, seed=int.from_bytes(os.urandom(4)))

    def joined(self, other: Self) -> Self:
        """The progress with the visited steps of both, and with the other's answers where it has none itself."""
        seen = tuple(dict.fromkeys((*self.seen, *other.seen)))
        seed = self.seed if self.answers or self.seen else other.seed
        return replace(self, seen=seen, answers={**other.answers, **self.answers}, seed=seed)

    def as_json(self) -> dict[str, Any]:
        """The content of its file."""
        answers = {step: vars(one) for step, one in self.answers.items()}
        return {**vars(self), "seen": list(self.seen), "answers": answers, "format": _FORMAT}


def _written(file: Path) -> int:
    """The time at which a file was written; 0 if it no longer exists."""
    with suppress(OSError):
        return file.stat().st_mtime_ns
    return 0


def _count(found: object) -> int:
    """A count from a file, checked; True and False are also accepted, as 1 and 0.

    Raises ValueError if it is no whole number, negative, or impossibly large.
    """
    if not isinstance(found, int) or not 0 <= found <= _MOST_COUNT:
        raise ValueError
    return found


class ComeBack(Frozen):
    """A step to come back to."""

    # `lesson`, `step`: their ids.
    lesson: str
    step: str
    # "wrong": the last answer was wrong; "hints": it took hints; "skipped": no answer; "left": the student stopped
    # there, in the middle of the lesson
    why: str


class ProgressFolder:
    """The folder with the progress of one student; only this class reads and writes its files.

    `folder`: created when something is first written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, lesson: str) -> LessonProgress:
        """The progress in a lesson; that of a beginner if there is no readable file.

        A file that cannot be read is renamed, and so kept.
        """
        file = self.folder / f"{lesson}.json"

        def rename() -> None:
            with suppress(OSError):  # such as that there is none
                file.replace(file.with_suffix(".damaged"))

        return LessonProgress.of(lesson, self._read(lesson), rename)

    def save(self, progress: LessonProgress) -> None:
        """Write the progress to its file, completely or not at all.

        Raises `ExplorerError`: "not-written".
        """
        self._write(progress.lesson, progress.as_json())

    def all(self) -> list[LessonProgress]:
        """The progress in all lessons that were begun."""
        return [self.load(name) for name in sorted(file.stem for file in self._files())]

    def latest(self) -> LessonProgress | None:
        """The progress in the lesson that was visited last; None if no lesson was begun."""
        last = max(self._files(), key=_written, default=None)
        return None if last is None else self.load(last.stem)

    # Openings

    @property
    def opening(self) -> int:
        """On how many days the program was opened: questions are repeated on other days (Latimier 2021)."""
        with suppress(ValueError):
            return _count(self._read(_OPENINGS).get("count", 0))
        return 0

    def open(self, today: date) -> int:
        """Count an opening of the program, unless there was one today. Returns the number of the opening."""
        found, count = self._read(_OPENINGS), self.opening
        if found.get("day") != today.isoformat():
            count += 1
            self._write(_OPENINGS, {"count": count, "day": today.isoformat()})
        return count

    def due(self, today: date, steps: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
        """The lesson and step of the questions to ask again at this opening: wrong ones first, at most three.

        `steps`: for each lesson that can be opened, the ids of its steps.
        Raises `ExplorerError`: "not-written", as in `open`.
        """
        now = self.open(today)
        found = []
        for progress in self.all():
            for step, one in progress.answers.items():
                since = now - one.opening
                there = step in steps.get(progress.lesson, ())
                if there and 1 <= since <= OPENINGS_AGAIN and one.again < since:
                    found.append((one.right, one.first, one.opening, progress.lesson, step))
        return [(lesson, step) for *_, lesson, step in sorted(found)[:QUESTIONS_AGAIN]]

    def come_back(self, steps: Mapping[str, tuple[str, ...]]) -> list[ComeBack]:
        """The steps to come back to.

        `steps`: for each lesson the ids of its steps, in order.
        """
        found = []
        for progress in self.all():
            known = steps.get(progress.lesson, ())
            for step in known:
                one = progress.answers.get(step)
                if one is None:
                    why = "skipped" if step in progress.seen and step != progress.step else ""
                else:
                    why = "wrong" if not one.right else "hints" if one.hints and not one.first else ""
                if why:
                    found.append(ComeBack(progress.lesson, step, why))
            if progress.step in known and progress.step != known[-1]:
                found.append(ComeBack(progress.lesson, progress.step, "left"))
        return found

    # Files

    def _files(self) -> list[Path]:
        files = self.folder.glob("*.json") if os.path.isdir(self.folder) else ()
        return [file for file in files if file.stem != _OPENINGS]

    def _read(self, name: str) -> dict[str, Any]:
        with suppress(OSError, DamagedError):
            found = parsed((self.folder / f"{name}.json").read_bytes())
            if isinstance(found, dict):
                return found
        return {}

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        with suppress(OSError):  # in that case writing the file raises the error below
            self.folder.mkdir(parents=True, exist_ok=True)
        write_file(self.folder / f"{name}.json", json.dumps(content, indent=1).encode())


RIGHT = {"at once": "at once", "later": "at a later try", "hint": "with a hint"}
"""The ways to answer a question rightly, and their words: without a hint at the first or a later try, or with a hint at
any try."""
REVISIT = {"wrong": "not right yet", "skipped": "skipped", "unseen": "not seen yet"}
"""The reasons to come back to a step, and their words."""


class Outcome(Frozen):
    """The outcome of each step of a lesson."""

    # By the ids of the steps, in order: a key of `RIGHT` or `REVISIT`, or "read" for a step without a question.
    of: Mapping[str, str]
    questions: int  # how many steps have a question

    def count(self, *kinds: str) -> int:
        """How many steps have one of these outcomes."""
        return sum(kind in kinds for kind in self.of.values())

    @property
    def right(self) -> int:
        """How many questions were answered rightly in any way."""
        return self.count(*RIGHT)

    @property
    def revisit(self) -> dict[str, str]:
        """The ids of the steps to come back to, each with its reason, a key of `REVISIT`."""
        return {step: kind for step, kind in self.of.items() if kind in REVISIT}

    @property
    def is_whole(self) -> bool:
        """Whether the lesson is finished: each step was visited, and each question answered, rightly or not."""
        return not self.count("skipped", "unseen")

    @property
    def share(self) -> float:
        """The finished share of the lesson, from 0 to 1; a skipped question counts as not finished."""
        return 1 - self.count("skipped", "unseen") / max(len(self.of), 1)

    @property
    def said(self) -> str:
        """A text on how many questions were answered rightly, and how; "" if none was."""
        if not self.right:
            return ""
        ways = [f"{count} {said}" for kind, said in RIGHT.items() if (count := self.count(kind))]
        how = ways[0].partition(" ")[2] if len(ways) == 1 else ", ".join(ways)
        return f"{self.right} of {quantity(self.questions, 'question')} right: {how}"

    @property
    def brief(self) -> str:
        """The same text in a few words."""
        hinted = f", {hints} with a hint" if (hints := self.count("hint")) else ""
        return f"{self.right} of {self.questions} right{hinted}" if self.right else ""


def outcome(lesson: Lesson, progress: LessonProgress) -> Outcome:
    """The outcome of a student's progress in a lesson."""
    found = {}
    for step in lesson.steps:
        answered, seen = progress.answers.get(step.id), step.id in progress.seen
        if answered is None or step.question is None:
            found[step.id] = "unseen" if not seen else "read" if step.question is None else "skipped"
        elif not answered.right:
            found[step.id] = "wrong"
        else:
            found[step.id] = "hint" if answered.hints else "at once" if answered.first else "later"
    return Outcome(found, lesson.questions)


def left_at(lesson: Lesson, progress: LessonProgress) -> int:
    """The number of the step at which the student left a lesson, counted from 1; 0 before the first."""
    ids = [step.id for step in lesson.steps]
    return ids.index(progress.step) + 1 if progress.step in ids else 0
