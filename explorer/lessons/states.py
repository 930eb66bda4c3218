"""The states of a lesson's steps: each a pure function of the file, so that to jump is to walk."""

from collections.abc import Sequence
from functools import lru_cache
from threading import RLock

from explorer.core.engine import Engine, fresh
from explorer.core.training.data import SHOWN
from explorer.core.training.optimisers import OPTIMISERS
from explorer.core.training.recipe import Recipe
from explorer.core.training.trainer import Trainer
from explorer.document.commands import Replace, SetInputs
from explorer.document.state import State
from explorer.lessons.schema import Lesson
from explorer.lessons.steps import Step

_KEPT = 4
_LESSONS = 32
"""How many lessons' states are kept: to come back to one that trains for a moment takes that moment only once."""


class StepStates(Sequence[State]):
    """The state of each step, computed when it is asked for and kept: ``states[k]``; on any thread."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self._known: list[State] = []
        self._turn = RLock()
        self._engines: dict[int, Engine] = {}

    def __len__(self) -> int:
        return len(self.lesson.steps)

    def __getitem__(self, step: int) -> State:  # type: ignore[override]  # nobody asks for a slice
        if not 0 <= step < len(self):
            raise IndexError(step)
        while len(self._known) <= step:
            with self._turn:
                if (at := len(self._known)) <= step:  # else another thread was quicker
                    before = self._known[-1] if self._known else self.lesson.state()
                    self._known.append(after(before, self.lesson, self.lesson.steps[at]))
        return self._known[step]

    def takes_long(self, step: int) -> bool:
        """Whether the state of a step is not known yet and something is trained on the way to it."""
        return any(one.training is not None for one in self.lesson.steps[len(self._known) : step + 1])

    def engine(self, step: int) -> Engine:
        """The values of a step's state; those of the last few that were asked for are kept."""
        if step not in self._engines:
            while len(self._engines) >= _KEPT:
                del self._engines[next(iter(self._engines))]
            state = self[step]
            self._engines[step] = fresh(state.graph, state.used, state.pins)
        return self._engines[step]

    def go(self, step: int) -> Replace:
        """The command that puts a document at a step, wherever it was before."""
        return Replace(self[step], f"Step: {self.lesson.steps[step].title}")


@lru_cache(_LESSONS)
def states_of(lesson: Lesson) -> StepStates:
    """The states of a lesson, the same ones as long as few others are asked for."""
    return StepStates(lesson)


def after(before: State, lesson: Lesson, step: Step) -> State:
    """The state of a step, from that of the step before.

    Raises `ExplorerError` where an edit of it cannot be done there.
    """
    state = edited(before, lesson, step)
    if step.training is None:
        return state
    plan = step.training
    recipe = Recipe(plan.optimiser, plan.rate, weight_decay=OPTIMISERS[plan.optimiser].decay, batch=0, steps=plan.steps)
    trainer = Trainer(state.model, state.used, SHOWN, recipe, state.pins)
    for _ in range(plan.steps):
        trainer.step()
    moved = {name: trainer.weights[name] for name in trainer.moving}
    return SetInputs(moved, step.title).apply(state)


def edited(before: State, lesson: Lesson, step: Step) -> State:
    """The state of a step without its training, which changes no name and no shape."""
    state = lesson.state(step.setting) if step.setting else before
    for command in step.edits:
        state = command.apply(state)
    return state
