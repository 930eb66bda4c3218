"""What somebody has made of a lesson: what was answered rightly, and how, and what there is to come back to."""

from collections.abc import Mapping
from dataclasses import dataclass

from explorer.lessons.progress import Progress
from explorer.lessons.schema import Lesson

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
