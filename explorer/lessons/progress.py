"""How far somebody is: a small file for each lesson, written whole after each answer, so that a crash loses nothing.

What somebody has made of a lesson: what was answered rightly, and how, and what there is to come back to.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from secrets import randbits
from typing import Any

from explorer.container import DamagedError, parsed
from explorer.files import whole_file
from explorer.lessons.schema import Lesson

QUESTIONS_AGAIN = 3
OPENINGS_AGAIN = 2
"""At so many openings after an answer its question may come again."""
_FORMAT = 1
_MOST_COUNT = 2**53
_OPENINGS = "_openings"  # no id of a lesson has such a sign


@dataclass(frozen=True)
class Answered:
    """What somebody answered at a step."""

    right: bool  # the last time
    first: bool  # whether the first answer was right
    tries: int = 1
    hints: int = 0
    opening: int = 0  # when it was answered first: at which opening of the program
    again: int = 0  # the opening after that one until which it was asked again: 1, 2, …


@dataclass(frozen=True)
class Progress:
    """How far somebody is in a lesson: a plain value."""

    lesson: str  # its id
    step: str = ""  # the id of the step that one is at; empty before the first
    seen: tuple[str, ...] = ()  # the steps that one has been at
    answers: Mapping[str, Answered] = field(default_factory=dict)  # by step
    seed: int = 0  # from which this student's fresh numbers are drawn

    def at(self, step: str) -> "Progress":
        """The same, one step on."""
        return replace(self, step=step, seen=self.seen if step in self.seen else (*self.seen, step))

    def answered(self, step: str, right: bool, hints: int = 0, opening: int = 0, again: bool = False) -> "Progress":
        """The same with one more answer."""
        was = self.answers.get(step)
        if was is None:
            now = Answered(right, right, 1, hints, opening)
        else:
            asked = max(was.again + 1, opening - was.opening) if again else was.again  # some openings may be skipped
            now = replace(was, right=right, tries=was.tries + 1, hints=max(was.hints, hints), again=asked)
        return replace(self, answers={**self.answers, step: now})

    @staticmethod
    def of(lesson: str, found: Any) -> "Progress":
        """The progress that a file tells of; that of a beginner where it tells of none."""
        try:
            return Progress._of(lesson, found)
        except (KeyError, TypeError, ValueError, AttributeError):
            return Progress(lesson, seed=randbits(32))

    @staticmethod
    def _of(lesson: str, found: Any) -> "Progress":
        answers = {step: Answered(**one) for step, one in found["answers"].items()}
        for one in answers.values():
            for number in vars(one).values():
                _count(number)
        step, seen = found["step"], found["seen"]
        if not isinstance(seen, list) or not all(isinstance(one, str) for one in (step, *seen)):
            raise TypeError
        return Progress(lesson, step, tuple(seen), answers, _count(found["seed"]))

    def joined(self, other: "Progress") -> "Progress":
        """What this one knows, and what the other one knows of steps that this one does not."""
        seen = tuple(dict.fromkeys((*self.seen, *other.seen)))
        seed = self.seed if self.answers or self.seen else other.seed
        return replace(self, seen=seen, answers={**other.answers, **self.answers}, seed=seed)

    def as_json(self) -> dict[str, Any]:
        """As it stands in the file."""
        answers = {step: vars(one) for step, one in self.answers.items()}
        return {**vars(self), "seen": list(self.seen), "answers": answers, "format": _FORMAT}


def _written(file: Path) -> int:
    """When a file was written; one that is gone by now never was."""
    with suppress(OSError):
        return file.stat().st_mtime_ns
    return 0


def _count(found: object) -> int:
    """A number that a file tells, or yes and no, which are 1 and 0.

    Raises ValueError where nobody could have counted to it.
    """
    if not isinstance(found, int) or not 0 <= found <= _MOST_COUNT:
        raise ValueError
    return found


@dataclass(frozen=True)
class ComeBack:
    """Something to come back to."""

    # `lesson`, `step`: ids.
    lesson: str
    step: str
    # "wrong": the last answer was; "hints": it took hints; "skipped": nothing was answered; "left": one stopped there
    # in the middle
    why: str


class ProgressFolder:
    """Everybody's progress has a folder; there is one reader.

    `folder`: is made when something is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, lesson: str) -> Progress:
        """The progress in a lesson; that of a beginner where there is no file, or none that can be read.

        A file that cannot be read is set aside under another name.
        """
        found = self._read(lesson)
        try:
            return Progress._of(lesson, found)
        except (KeyError, TypeError, ValueError, AttributeError):
            file = self.folder / f"{lesson}.json"
            with suppress(OSError):
                if file.exists():
                    file.replace(file.with_suffix(".damaged"))
            return Progress(lesson, seed=randbits(32))

    def save(self, progress: Progress) -> None:
        """Write it, whole or not at all.

        Raises `ExplorerError`: "not-written".
        """
        self._write(progress.lesson, progress.as_json())

    def all(self) -> list[Progress]:
        """The progress in all lessons that somebody has begun."""
        names = sorted(file.stem for file in self.folder.glob("*.json")) if os.path.isdir(self.folder) else []
        return [self.load(name) for name in names if name != _OPENINGS]

    def latest(self) -> Progress | None:
        """The progress in the lesson that somebody was in last; None where nobody has begun one."""
        files = self.folder.glob("*.json") if os.path.isdir(self.folder) else ()
        last = max((file for file in files if file.stem != _OPENINGS), key=_written, default=None)
        return None if last is None else self.load(last.stem)

    # Openings

    @property
    def opening(self) -> int:
        """How often the program has been opened on another day: retrieval is spread over days (Latimier 2021)."""
        with suppress(ValueError):
            return _count(self._read(_OPENINGS).get("count", 0))
        return 0

    def open(self, today: date) -> int:
        """Count an opening, unless there has been one today. Returns its number."""
        found, count = self._read(_OPENINGS), self.opening
        if found.get("day") != today.isoformat():
            count += 1
            self._write(_OPENINGS, {"count": count, "day": today.isoformat()})
        return count

    def due(self, today: date) -> list[tuple[str, str]]:
        """The lesson and step of the questions to be asked again at this opening: wrong ones first, at most three.

        Raises `ExplorerError`: "not-written", as of `open`.
        """
        now = self.open(today)
        found = []
        for progress in self.all():
            for step, one in progress.answers.items():
                since = now - one.opening
                if 1 <= since <= OPENINGS_AGAIN and one.again < since:
                    found.append((one.right, one.first, one.opening, progress.lesson, step))
        return [(lesson, step) for *_, lesson, step in sorted(found)[:QUESTIONS_AGAIN]]

    def come_back(self, steps: Mapping[str, tuple[str, ...]]) -> list[ComeBack]:
        """The quiet list of what to come back to.

        `steps`: the ids of the steps of each lesson, in their order.
        """
        found = []
        for progress in self.all():
            known = steps.get(progress.lesson, ())
            for step in known:
                one = progress.answers.get(step)
                if one is not None and not one.right:
                    found.append(ComeBack(progress.lesson, step, "wrong"))
                elif one is not None and one.hints and not one.first:
                    found.append(ComeBack(progress.lesson, step, "hints"))
                elif one is None and step in progress.seen and step != progress.step:
                    found.append(ComeBack(progress.lesson, step, "skipped"))
            if progress.step in known and progress.step != known[-1]:
                found.append(ComeBack(progress.lesson, progress.step, "left"))
        return found

    # Files

    def _read(self, name: str) -> dict[str, Any]:
        with suppress(OSError, DamagedError):
            found = parsed((self.folder / f"{name}.json").read_bytes())
            if isinstance(found, dict):
                return found
        return {}

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        with suppress(OSError):  # then the file cannot be written either, and that is told
            self.folder.mkdir(parents=True, exist_ok=True)
        with whole_file(self.folder / f"{name}.json") as stream:
            stream.write(json.dumps(content, indent=1).encode())


RIGHT = {"at once": "at once", "later": "at a later try", "hint": "with a hint"}
"""How a question was answered rightly, and how that is said: without a hint at the first try or at a later one, or
behind a hint, whichever try it was."""
REVISIT = {"wrong": "not right yet", "skipped": "skipped", "unseen": "not seen yet"}
"""What there is to come back to, and how that is said."""


@dataclass(frozen=True)
class Outcome:
    """What became of each step."""

    # By the ids of the steps, in their order: a key of `RIGHT` or `REVISIT`, or "read" of a step that asks nothing.
    of: Mapping[str, str]
    questions: int  # how many of them ask something

    def count(self, *kinds: str) -> int:
        """How many steps are of some kinds."""
        return sum(kind in kinds for kind in self.of.values())

    @property
    def right(self) -> int:
        """How many questions were answered rightly, however."""
        return self.count(*RIGHT)

    @property
    def revisit(self) -> dict[str, str]:
        """The ids of the steps to come back to, each with why: a key of `REVISIT`."""
        return {step: kind for step, kind in self.of.items() if kind in REVISIT}

    @property
    def is_whole(self) -> bool:
        """Whether one has gone through all of it: seen each step, and answered each question, rightly or not."""
        return not self.count("skipped", "unseen")

    @property
    def share(self) -> float:
        """How much of it one has gone through, from 0 to 1; a question that was skipped counts as not."""
        return 1 - self.count("skipped", "unseen") / max(len(self.of), 1)

    @property
    def said(self) -> str:
        """How many questions were answered rightly, and how; nothing where none was."""
        if not self.right:
            return ""
        ways = [f"{count} {said}" for kind, said in RIGHT.items() if (count := self.count(kind))]
        how = ways[0].partition(" ")[2] if len(ways) == 1 else ", ".join(ways)
        return f"{self.right} of {self.questions} question{'s' * (self.questions != 1)} right: {how}"

    @property
    def brief(self) -> str:
        """The same in a few words."""
        hinted = f", {hints} with a hint" if (hints := self.count("hint")) else ""
        return f"{self.right} of {self.questions} right{hinted}" if self.right else ""


def outcome(lesson: Lesson, progress: Progress) -> Outcome:
    """What somebody has made of a lesson."""
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


def left_at(lesson: Lesson, progress: Progress) -> int:
    """The number of the step at which one left a lesson, counted from 1; 0 before the first."""
    ids = [step.id for step in lesson.steps]
    return ids.index(progress.step) + 1 if progress.step in ids else 0
