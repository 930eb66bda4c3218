"""What every panel and widget is given: the model, what is looked at, and the look."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from weakref import WeakSet

from PySide6.QtCore import QDir, QStandardPaths, Qt

from explorer.core.errors import ExplorerError
from explorer.core.progress import Cancelled, Progress, Report
from explorer.document.commands import Replace, WriteOn
from explorer.document.continuation import sequence_of
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.schema import Lesson, start_of
from explorer.pages.view import AT_ONCE, Steps, View
from explorer.settings import Settings
from explorer.ui.appearance import Appearance
from explorer.ui.background import Aside, Background
from explorer.ui.selection import Light, Selection
from explorer.ui.training.descent import Descent
from explorer.ui.turns import Bridge

FOLDER = "folder of files"
"""Setting that names the folder in which a file was last chosen."""
LARGE = 1.5
"""From this text scale on a picture has fewer words, in large letters."""


class Workbench:
    """The objects that the parts of the window share; `app.py` makes them once.

    `lesson`: the example that the document starts with.
    `reference`: what "difference" compares the document with.
    `background`: runs the document's long computations.
    `settings`: what is remembered from one start to the next; without one, nothing is.
    """

    def __init__(
        self,
        document: Document,
        bridge: Bridge,
        selection: Selection,
        appearance: Appearance,
        lesson: Lesson,
        reference: Document | None = None,
        background: Background | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.document = document
        self.bridge = bridge
        self.selection = selection
        self.appearance = appearance
        self.reference = reference
        self.background = background or Background(bridge)
        self.aside = Aside(bridge)
        """Computes what pages wait for."""
        bridge.changed.connect(self.aside.forget)
        self.author = Background(bridge)
        """Runs a large model that writes on."""
        self.settings = settings or Settings()
        self._waits = background is None
        self._first = lesson
        self._lessons = {lesson.id: lesson}
        self.opened: WeakSet[State] = WeakSet({document.state})
        """States as they were opened: a document in one of them was just opened, or all its changes were undone."""
        self.beside_text = False
        """Whether the example was opened from what a text prints of it."""
        self.speeds: dict[str, int] = {}
        """How fast each player plays, by its id: a page that is built again in another look plays as fast."""
        self.light = Light(selection)
        self.descent = Descent(document, bridge, self.opened)
        self._set_descent(lesson, document.state)

    @property
    def folder(self) -> Path:
        """The folder in which a file was last opened or saved, also before this start: dialogs begin there."""
        last = self.settings.get(FOLDER, "")
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        return Path(next(filter(os.path.isdir, (last, documents)), QDir.homePath()))

    @folder.setter
    def folder(self, folder: Path) -> None:
        self.settings.set(FOLDER, str(folder.absolute()))

    @property
    def view(self) -> View:
        """The model and the selection, as pages are built from them."""
        beside = None if self.reference is None else View.of(self.reference)
        descent = self.descent
        steps = None
        if descent.possible:
            # Without a background they are computed when asked for, because nothing comes later.
            gradients = self._waits or descent.quick or self.document.engine.has_gradients
            steps = Steps(descent.rate, descent.moves(), descent.quick, gradients, descent.ahead)
        return View.of(
            self.document,
            replace(self.selection.looking, large=self.appearance.scale >= LARGE),
            ours=frozenset() if (prints := self.prints) is None else self.ours,
            prints=prints,
            beside=beside,
            last_step=descent.change,
            steps=steps,
            given=self.document.state in self.opened,
            aside=None if self._waits else self.aside,
        )

    @property
    def lesson(self) -> Lesson:
        """The example that the document's present state is from: undo may go back to one opened before."""
        return self._lessons.get(self.document.state.lesson, self._first)

    @property
    def ours(self) -> frozenset[str]:
        """Names of nodes and slices whose values no text prints, for a reader with the text beside the window."""
        if self.prints is None:
            return frozenset()
        lesson, setting = self.lesson, self.document.state.setting
        return lesson.ours_in(setting) if setting in lesson.settings else lesson.ours

    @property
    def prints(self) -> tuple[str, str] | None:
        """The example and the setting that a text prints, if the reader has it beside the window; else None."""
        lesson, setting = self.lesson, self.document.state.setting
        told = self.beside_text or lesson.errata or (setting in lesson.settings and lesson.settings[setting].printed)
        return lesson.source_of(setting) if told else None

    def write_on(self, command: WriteOn, failed: Callable[[ExplorerError], None]) -> None:
        """Let the model write on, in the background if that takes long. An act that comes meanwhile cancels it.

        `failed`: gets the error, if it occurs in the background.
        Raises an `ExplorerError` if the model cannot write on, and that is known at once.
        """
        document, state = self.document, self.document.wanted
        work = sum(state.graph.work.values())
        tokens = len(document.words(sequence_of(state)))
        if self._waits or work + command.n * work // tokens < AT_ONCE:
            document.do(command)
            return

        def write(report: Report) -> State:
            def told(done: int, total: int) -> None:
                if document.wanted is not state:  # an act came: nobody waits for these words any more
                    raise Cancelled
                report(Progress("writing", done, total))

            return command.written(state, told)

        def then(found: State) -> None:
            if document.wanted is state:
                document.do(Replace(found, command.label))

        self.author.ask(write, then, failed)

    def open(self, lesson: Lesson, setting: str | None = None) -> None:
        """Open an example, or another setting of it; it can be undone."""
        state = start_of(lesson) if setting is None else lesson.state(setting)
        title = lesson.title if setting is None else f"{lesson.title}: {lesson.setting(setting).title}"
        self.open_state(lesson, state, title)

    def open_state(
        self, lesson: Lesson, state: State, title: str = "", steps: Sequence[tuple[State, str]] = (), now: int = 0
    ) -> None:
        """Open a document of an example; it can be undone.

        `title`: as undo names it.
        `steps`: the states of undo and redo when it was saved.
        `now`: the index of `state` among them.
        """
        self._lessons[lesson.id] = lesson
        self.opened.add(state)
        another = lesson.id != self.document.state.lesson
        otherwise = another or _descent(lesson, state) != _descent(lesson, self.document.state)
        self.document.do(Replace(state, f"Open “{title or lesson.title}”"))
        if steps:
            self.document.history.surround(steps, now)
        # A lesson may hold the weights of a large model; lessons that undo and redo cannot reach are released.
        within_reach = {one.lesson for one in (self.document.state, *self.document.history.states)}
        for name in self._lessons.keys() - within_reach:
            del self._lessons[name]  # not another mapping: presenter mode uses this one, too
        if another:
            self.beside_text = False
        if otherwise:
            self._set_descent(lesson, state)

    @property
    def awaits_model(self) -> bool:
        """Whether the model that was opened last is still computed."""
        return self.document.wanted.lesson != self.document.state.lesson

    def await_model(self, then: Callable[[], object]) -> bool:
        """Call `then` once the opened model is computed, unless another one is opened before.

        Returns whether it has to be waited for; if not, `then` is not called.
        """
        coming = self.document.wanted.lesson

        def go_on() -> None:
            if self.document.wanted.lesson == coming:
                then()

        if self.awaits_model:
            self.bridge.changed.connect(go_on, Qt.ConnectionType.SingleShotConnection)
        return self.awaits_model

    def _set_descent(self, lesson: Lesson, state: State) -> None:
        """Set optimiser and rate as the example has them."""
        kind, rate = _descent(lesson, state)
        self.descent.set_rate(rate)
        self.descent.set_kind(kind)


def _descent(lesson: Lesson, state: State) -> tuple[str, float]:
    """The optimiser and the rate with which gradient descent begins in a state of a lesson."""
    return lesson.descent_in(state.setting if state.setting in lesson.settings else None)
