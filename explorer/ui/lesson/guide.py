"""The present step of the open lesson, and the one way to go from step to step."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QObject, Signal

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import Cell
from explorer.document.state import State
from explorer.lessons.answers import TRIES, Answer, is_over, judge
from explorer.lessons.progress import LessonProgress, ProgressFolder, outcome
from explorer.lessons.prose import numbers_of
from explorer.lessons.schema import WHOLE, Lesson, Question, Step
from explorer.lessons.walk import Attempt, Walk
from explorer.pages.steps.covering import covered_by
from explorer.pages.steps.of_step import asked_cells
from explorer.pages.view import Covered, Spot, View, row_of
from explorer.ui.background import Background
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.window.top_bar import Tab
    from explorer.words.vectors import Vectors  # only the page Words reads vectors

T = TypeVar("T")
TAB_OF: dict[str, "Tab"] = {"words": "Words", "train": "Train"}
"""Tabs of the window that a step can look at, instead of a stage."""


class Place(Frozen):
    """A step of a lesson, counted from 0."""

    lesson: Lesson
    step: int


class Guide(QObject):
    """Leads through the steps of a lesson. Going to a step is one act of the document, which undo takes back.

    It stores for which step each state of the document was made, so undo and redo also go from step to step; an edit
    belongs to the step in which it was made.
    """

    leaving = Signal()  # emitted before another step is shown: the old view is still visible
    stepped = Signal()  # another step is shown, the same one begun again, or none
    answered = Signal()  # a question was answered, or a hint was asked for
    tab_wanted = Signal(str)  # asks for the tab of the window that the step looks at
    showing_wanted = Signal(str)  # asks to show values, changes or gradients: see `Looking.showing`
    both_wanted = Signal()  # asks to show the two derivations of the last answer, side by side
    troubled = Signal(str)  # progress cannot be stored: a sentence that says why

    def __init__(self, bench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._place: Place | None = None
        self._coming: Place | None = None
        """A step that is still computed in the background; until then the old step stays."""
        self._edited: int | None = None
        """The step that was left with edits, until the next one is shown: that takes them back."""
        self._places: WeakKeyDictionary[State, Place | None] = WeakKeyDictionary({bench.document.wanted: None})
        self._walk: Walk | None = None
        folder = bench.settings.folder
        self.folder = None if folder is None else ProgressFolder(folder / "progress")
        """Where progress is stored; None if it is not stored."""
        self.vectors: Vectors | None = None
        """The vectors of the Words tab, once a step has looked there."""
        self._attempts: dict[tuple[str, str], Attempt] = {}
        self._presented: set[str] = set()
        self._veil: tuple[Cell, ...] | None = None
        self._covered: tuple[State, Question | None, Covered] | None = None
        self._numbers: dict[tuple[str, str], Mapping[str, str]] = {}
        self._sitting = int.from_bytes(os.urandom(4))
        self._ahead = Background(self)
        bench.descent.stop_where(self._is_made)
        bench.document.subscribe(lambda change: self._hear())

    # The present step

    @property
    def lesson(self) -> Lesson:
        """The open lesson."""
        return self._bench.lesson if self._place is None else self._place.lesson

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the open lesson."""
        return self.lesson.steps

    @property
    def at(self) -> int | None:
        """The index of the present step, from 0; None if no step is shown."""
        return None if self._place is None else self._place.step

    @property
    def step(self) -> Step | None:
        """The present step."""
        return None if self._place is None else self.steps[self._place.step]

    @property
    def question(self) -> Question | None:
        """The open question of the present step, if there is one."""
        step = self.step
        return None if step is None or self.is_answered(step) else step.question

    @property
    def numbers(self) -> Mapping[str, str]:
        """The numbers in the words of the step: those at its beginning, which no edit changes."""
        return {} if self.step is None else self._numbers.get((self.lesson.id, self.step.id), {})

    @property
    def before(self) -> State | None:
        """The model without the changes that the step makes; None if it makes none."""
        return None if self._place is None else self.walk.before(self._place.step)

    @property
    def changed(self) -> bool:
        """Whether the model was edited in the step."""
        return self._place is not None and self._bench.document.wanted is not self.walk.state(self._place.step)

    @property
    def walk(self) -> Walk:
        """The student's `Walk` through the open lesson: its states, drawn numbers and progress."""
        lesson = self.lesson
        if self._walk is None or self._walk.lesson is not lesson:
            self._walk = Walk(lesson, self.folder, self._sitting)
        return self._walk

    def progress(self, lesson: Lesson) -> LessonProgress:
        """The progress in a lesson."""
        if self._walk is not None and self._walk.lesson.id == lesson.id:
            return self._walk.progress
        return LessonProgress(lesson.id) if self.folder is None else self.folder.load(lesson.id)

    def is_whole(self, lesson: Lesson) -> bool:
        """Whether the student has gone through the whole lesson."""
        return outcome(lesson, self.progress(lesson)).is_whole

    def is_new(self, lesson: Lesson) -> bool:
        """Whether the student has never begun the lesson."""
        return not self.progress(lesson).seen

    def forget(self, lesson: str) -> None:
        """Begin a lesson again: forget the progress in it, and all answers.

        Raises `ExplorerError`: "not-written".
        """
        if self.folder is not None:
            self.folder.save(replace(LessonProgress(lesson), seed=self.folder.load(lesson).seed))
        self._walk = None
        self._attempts = {key: one for key, one in self._attempts.items() if key[0] != lesson}
        if self._place is not None and self._place.lesson.id == lesson:  # its model may take a while to be read again
            self._place = None
            self._bench.selection.speak_of(None)
            self.stepped.emit()

    def left_at(self) -> int:
        """The step at which the open lesson was left."""
        return 0 if self.is_whole(self.lesson) else self.walk.at

    # Answering

    @property
    def attempt(self) -> Attempt:
        """The attempt at the question of the present step."""
        return Attempt() if self.step is None else self._attempt(self.step)

    def _attempt(self, step: Step) -> Attempt:
        return self._attempts.setdefault((self.lesson.id, step.id), Attempt())

    def is_answered(self, step: Step) -> bool:
        """Whether a step has no open question: it asks nothing, or it was answered, now or on another day."""
        attempt = self._attempt(step)
        if step.question is None or attempt.done:
            return True
        if attempt.tried:  # with as many tries as are said to be left, whatever was tried on another day
            return False
        before = self.walk.progress.answers.get(step.id)
        if before is None or attempt.again:
            return False
        return before.right or (before.tries >= TRIES and not step.question.made)

    def answer(self, answer: Answer) -> None:
        """Answer the question of the present step, until it is right or there have been enough tries.

        The same wrong answer again does not count as a try.
        """
        question, attempt = self.question, self.attempt
        if question is None or self.step is None or (not question.made and answer in attempt.tried):
            return
        attempt.tried.append(answer)
        attempt.verdict = verdict = self._kept(lambda: self.walk.answer(answer, attempt.hints, attempt.again))
        attempt.done = is_over(question, verdict, len(attempt.tried))
        if isinstance(answer, int | float) and verdict.mistake is not None and verdict.mistake.derivation:
            attempt.known = answer, verdict.mistake.derivation
        if attempt.done:
            attempt.again = False
            self._light()
        self.answered.emit()

    def look_whether_made(self) -> None:
        """Check whether the edited model reaches the question's goal; without an edit there is no verdict."""
        question, attempt = self.question, self.attempt
        if question is None or not question.made or self._place is None:
            return
        made, began = self._bench.document.state, self.walk.state(self._place.step)
        verdict = judge(question, made, began) if made is not began else None
        if verdict is not None and verdict.right:
            self.answer(made)
        elif verdict != attempt.verdict:
            attempt.verdict = verdict
            self.answered.emit()

    def _is_made(self, state: State) -> bool:
        question = self.question
        if question is None or not question.made or self._place is None:
            return False
        return judge(question, state, self.walk.state(self._place.step)).right

    def hint(self) -> None:
        """Give one more hint."""
        if self.question is not None:
            self.attempt.hints += 1
            self.answered.emit()

    def tell(self) -> None:
        """Show the answer although none was given, as in a class; this is not stored."""
        if self.question is not None:
            self.attempt.done = self.attempt.told = True
            self._light()
            self.answered.emit()

    def ask_again(self, step: int | None = None) -> None:
        """Ask the question of the present step again, or go to another step and ask its question again."""
        at = self.at if step is None else step
        if at is not None:
            self._attempts[self.lesson.id, self.steps[at].id] = Attempt(again=True)
            if step is None:
                self.look()
            else:
                self.go(step)

    def ask_class(self) -> None:
        """Ask all questions of the lesson again, once in a run: a class has not given the answers of the lecturer."""
        if self.lesson.id in self._presented:
            return
        self._presented.add(self.lesson.id)
        asked = [step for step in self.steps if step.question is not None]
        for step in (known := [one for one in asked if self.is_answered(one) or self._attempt(one).tried]):
            self._attempts[self.lesson.id, step.id] = Attempt(again=True)
        if known:
            self.look()

    def _kept(self, act: Callable[[], T]) -> T:
        """Call `act`, which stores progress; if it cannot be written, say so once, and keep progress in memory."""
        before = self.walk.progress
        try:
            return act()
        except ExplorerError as error:
            if error.id != "not-written":
                raise
            at, self.folder = self.walk.at, None
            self._walk = None
            self.walk.at, self.walk.progress = at, before  # its seed keeps the drawn numbers and choices the same
            file, reason = error.fields["file"], error.fields["reason"]
            self.troubled.emit(
                f"Your progress is kept only until the program ends: {file} cannot be written ({reason})."
            )
            return act()

    # Going to steps

    def go(self, step: int) -> None:
        """Go to a step, or begin the present one again. An index before the first or after the last step is ignored.

        If its numbers take long, they are computed in the background, and the step is shown when they are ready.

        Raises `ExplorerError` if the step cannot be shown; the present step stays then.
        """
        if not 0 <= step < len(self.steps):
            return
        place, document = Place(self.lesson, step), self._bench.document
        edited = self.at if self.changed and step != self.at else None
        command = self._kept(lambda: self.walk.go(step))
        self.leaving.emit()
        self._bench.opened.add(command.state)  # a state of the lesson itself need not be saved
        document.do(command)
        self._places[document.wanted] = place
        self._edited = edited
        if document.state is document.wanted:
            document.settle()  # waits for gradients that are still being computed
            self._arrive(place)
            return
        self._coming = place
        if self._place is not None:
            self.walk.at = self._place.step

    def _hear(self) -> None:
        """Show the awaited step if its numbers are ready now, unless the student has gone elsewhere."""
        place, document = self._coming, self._bench.document
        if place is not None and document.state is document.wanted:
            self._coming = None
            if self._bench.lesson is place.lesson and self._places.setdefault(document.state, place) == place:
                self.leaving.emit()
                self._arrive(place)

    def _arrive(self, place: Place) -> None:
        """Make a step whose numbers are ready the present one."""
        document, at = self._bench.document, place.step
        self._coming, self._place, self.walk.at = None, place, at
        if self._edited is not None:
            document.compare_with(self.walk.engine(self._edited))
            self._edited = None
        self._bench.descent.set_pace()  # each step of a lesson begins with the slow pace of training
        if document.state is self.walk.state(at):
            engine = copy(document.engine)
            engine.before = {}  # old values, which no step needs
            self.walk.take(at, engine)
        self._numbers[self.lesson.id, self.steps[at].id] = numbers_of(self.steps[at], self.walk.engine(at))
        self.look(self._bench.bridge.flush)

    def prepare(self, then: Callable[[], object]) -> None:
        """Call `then` as soon as `enter` takes no longer than going to the next step."""
        self._place = self._coming = None  # forget the places in the lesson before

        def go_on() -> None:
            if self._place is None:  # the student has not gone to a step meanwhile
                then()

        self.know(self.left_at(), go_on)

    def know(self, step: int, then: Callable[[], object]) -> None:
        """Call `then` once the models up to a step are known; some are first trained briefly, in the background.

        `then` is not called if another lesson is open by that time.
        """
        lesson, states = self.lesson, self.walk.states

        def compute() -> None:
            with suppress(ExplorerError):  # a later request meets the error again, and reports it
                states[step]

        def go_on() -> None:
            if self.lesson is lesson:
                then()

        if states.takes_long(step):
            self._ahead.run(compute, go_on)
        else:
            then()

    def enter(self) -> None:
        """Go to the step at which the opened lesson was left, as `go` does. Later steps are computed meanwhile."""
        self._place = self._coming = None
        at = self.left_at()
        self._places[self._bench.document.wanted] = Place(self.lesson, at)  # whoever undoes all stays in the lesson
        self.go(at)
        self._compute_ahead()

    def _compute_ahead(self) -> None:
        """Train in the background the models of later steps, if that takes long."""
        if self.walk.states.takes_long(len(self.steps) - 1):
            self._ahead.run(partial(list, self.walk.states), lambda: None)

    def resume(self, step: int, progress: LessonProgress) -> None:
        """Make a step the present one and keep the model: the opened document was saved at this step."""
        self._coming = None
        self._place = self._places[self._bench.document.wanted] = Place(self.lesson, step)
        self._kept(lambda: self.walk.resume(step, progress))
        self._numbers[self.lesson.id, self.steps[step].id] = numbers_of(self.steps[step], self.walk.engine(step))
        self.look()
        self._compute_ahead()

    def next(self) -> None:
        """Go to the next step."""
        self.go(0 if self.at is None else self.at + 1)

    def back(self) -> None:
        """Go to the step before."""
        if self.at is not None:
            self.go(self.at - 1)

    def reset(self) -> None:
        """Begin the step again: this takes back all edits in it, as one act."""
        if self.at is not None:
            self.go(self.at)

    def undo(self) -> None:
        """Take back the last edit of the step, if there is one; this never goes to another step."""
        if self.changed:
            self._bench.document.undo()

    def redo(self) -> None:
        """Redo the last edit that was taken back in the step, if there is one."""
        states, now = self._bench.document.history.around(self.lesson.id)
        if now + 1 < len(states) and self._places.get(states[now + 1][0]) == self._place:
            self._bench.document.redo()

    def reveal(self) -> None:
        """Show the question's answer; without a question, cover the step's cells, then uncover one at each call."""
        step, selection = self.step, self._bench.selection
        if self.question is not None:
            self.tell()
        if step is None or step.question is not None or not (cells := self._spoken()):
            return
        shown = None
        if self._veil is None:
            self._veil = cells
        else:
            shown, *rest = self._veil
            self._veil = tuple(rest) or None
        selection.speak_of(selection.looking.spot, self.covered)
        if shown is not None:
            selection.choose(shown)

    def uncover(self) -> None:
        """Show the cells that `reveal` has covered."""
        if self._veil is not None:
            self._veil = None
            self._bench.selection.speak_of(self._spot, self.covered)

    def _spoken(self) -> tuple[Cell, ...]:
        """The cells that the step names, in reading order; none if a switch has removed them."""
        assert self.step is not None
        look, engine = self.step.look, self._bench.document.engine
        place = engine.graph.find(look.node) if look.node else None
        if place is None:
            return ()
        wanted = look.rows, look.columns
        inside = np.ndindex(engine.value(place).shape)
        named = (c for c in inside if all(not want or at in want for want, at in zip(wanted, c, strict=False)))
        return tuple(Cell(place.node, place.index + cell) for cell in named)

    def leave(self) -> None:
        """End the steps; the model stays as it is."""
        if self._place is not None:
            self._place = self._places[self._bench.document.wanted] = None
            self._bench.selection.speak_of(None)
            self.stepped.emit()

    def take(self, lesson: Lesson) -> None:
        """Continue with a new version of the lesson, whose file was saved again, in the step with the same id."""
        at = next((i for i, step in enumerate(lesson.steps) if self.step and step.id == self.step.id), self.at or 0)
        asked = {step.id: step.question for step in self.steps}
        for step in lesson.steps:
            if step.question != asked.get(step.id, step.question):  # the answers were to another question
                self._attempts[lesson.id, step.id] = Attempt(again=True)
        self._bench.open_state(lesson, lesson.state())
        self._place = Place(lesson, 0)
        self.go(min(at, len(lesson.steps) - 1))

    # Following

    def follow(self) -> None:
        """Follow undo or redo, which may have gone to another step, or to a state without steps."""
        if self._coming is not None:
            return
        wanted, lesson = self._bench.document.wanted, self._bench.lesson
        if wanted not in self._places:
            stays = self._place is not None and self._place.lesson is lesson
            self._places[wanted] = self._place if stays else None
        place = self._places[wanted]
        if place != self._place:
            self._place = place
            if place is None:
                self._bench.selection.speak_of(None)
                self.stepped.emit()
            else:
                self.walk.at = place.step
                self._compute_ahead()
                self.look()
        elif self.question is not None:  # an edit may change which cells show the number that is asked for
            self._bench.selection.speak_of(self._spot, self.covered)

    # Looking

    def look(self, follow: Callable[[], object] = lambda: None) -> None:
        """Show what the step names: the tab, the stage, the head, the contents of matrices, and the cells.

        `follow` shows the step's model; it is called after the page is changed, so that the old page never shows it.
        """
        from explorer.pages.whole.page import PLAYED  # the first page does not need all that this module imports

        step, selection = self.step, self._bench.selection
        if step is None:
            return
        self._veil = None
        look, on_page = step.look, step.look.stage not in TAB_OF
        self._bench.light.be_about_to_lead(step)
        with selection.at_once():
            if on_page:
                selection.let_go(PLAYED)  # a step shows its whole picture, even if a player was stopped in the middle
                selection.set_head(step.head)
                if look.rows:
                    selection.let_go(row_of(""))  # lists and pictures of one word are about the step's own
                selection.choose_token(look.token)
                for box in look.ticked:
                    selection.keep(box, True)
                selection.speak_of(self._spot, self.covered)
                selection.go_to(self.stage)
            follow()
            if on_page:
                self.showing_wanted.emit(step.showing)
        self.tab_wanted.emit(self.tab)  # last, so that the old page is not laid out as well
        self._light()
        self.stepped.emit()

    def _light(self) -> None:
        """Highlight what the step names, and cover what its question asks for."""
        step, selection = self.step, self._bench.selection
        assert step is not None
        selection.speak_of(self._spot, self.covered)
        selection.forget()
        if self.question is not None:
            return
        cells, look = asked_cells(View.of(self._bench.document), step.question), step.look
        named = (look.rows or look.columns) and not look.element
        if not cells and named and len(spoken := self._spoken()) == 1:
            cells = spoken
        if cells:
            selection.choose(cells[0])

    @property
    def stage(self) -> str:
        """The stage that the step looks at; "" if it looks at a tab, or there is no step."""
        stage = "" if self.step is None or self.step.look.stage in TAB_OF else self.step.look.stage
        return WHOLE if stage == "model" else stage

    @property
    def tab(self) -> "Tab":
        """The tab of the window that the step looks at."""
        return "Pipeline" if self.step is None else TAB_OF.get(self.step.look.stage, "Pipeline")

    def is_away(self, tab: "Tab") -> bool:
        """Whether the reader, for whom a tab is shown, has gone to another tab or stage than the step looks at."""
        return tab != self.tab or self.stage not in ("", self._bench.selection.stage)

    @property
    def _spot(self) -> Spot | None:
        """The cells that the step names, the inputs that may be changed, and the cells that should reach a goal."""
        if self.step is None or not self.step.look.node:
            return None
        look, question = self.step.look, self.step.question
        allowed = () if question is None else question.allowed
        goals = () if question is None else tuple(node for node, _ in question.goals)
        return Spot(look.node, look.rows, look.columns, look.beside + allowed, goals)

    @property
    def covered(self) -> Covered:
        """The cells that `reveal` or the open question of the step covers."""
        question = self.question
        if self._veil and self.step is not None:
            return Covered({self._veil[0].node: frozenset(cell.index for cell in self._veil)})
        # Cached: all views ask for it in each turn, and finding the cells searches all values near the asked number.
        state = self._bench.document.state
        if self._covered is None or self._covered[0] is not state or self._covered[1] is not question:
            self._covered = state, question, covered_by(View.of(self._bench.document), question)
        return self._covered[2]
