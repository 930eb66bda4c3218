"""Documents as files: opening, saving, and the question before changes are lost."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from weakref import WeakKeyDictionary, ref

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QWidget

from explorer import PROGRAM
from explorer.checkpoints import check_form, is_checkpoint, size_of
from explorer.core.errors import ExplorerError
from explorer.core.numbers import look_through, quantity
from explorer.core.progress import Progress, Report
from explorer.document.manifest import Session
from explorer.document.state import State
from explorer.document.storage import ENDING, from_text
from explorer.lessons.document_lesson import is_document, lesson_of, opened, opened_session
from explorer.lessons.loader import head_of, load, load_with
from explorer.lessons.own_lessons import BUNDLE, FOLDER, bundle, is_bundle, remove, take_in
from explorer.lessons.schema import Lesson, NeededModel
from explorer.sentences import sentence
from explorer.teaching import is_for_class
from explorer.ui.background import Background
from explorer.ui.dialogs import INSIDE, OPENED, Dialogs
from explorer.ui.saving import LESSON_FILES, MOST_AT_ONCE, MOST_LESSON_FILES, Claim, Kept, Recent, Saver
from explorer.ui.turns import do_later
from explorer.ui.widgets.inputs import take_typed
from explorer.ui.workbench import Workbench
from explorer.words import is_vectors

FOLDERS = "folders of models"
"""Setting that maps the name of a model to its folder or file."""
LONGEST_NAME = 60


@dataclass(eq=False)
class _File:
    """The file that all states between one opening and the next belong to."""

    path: Path | None  # where it is saved, if it is
    # The state in the file; without a path, the first state. A weak reference: `Files` maps states to files, and states
    # of an opening that undo cannot reach any more should be freed.
    saved: ref[State] | None
    recovered: bool = False  # after a crash: it may be from any file, so it is not kept as a changed example
    stamp: tuple[int, ...] | None = None  # shows whether another program has written the file since

    def __post_init__(self) -> None:
        self.stamp = self.found()

    def holds(self, state: State) -> bool:
        """Whether this state is saved."""
        return self.saved is not None and self.saved() is state

    def found(self) -> tuple[int, ...] | None:
        """Inode, size and time of the file now; None if there is no file."""
        if self.path is not None:
            with suppress(OSError):
                facts = self.path.stat()
                return facts.st_ino, facts.st_size, facts.st_mtime_ns
        return None


class Files(QObject):
    """The file that the document is in.

    Undo may go back to a document opened earlier; the document then belongs to that document's file.

    `window`: its title shows the document's name and whether there are unsaved changes.
    """

    refreshed = Signal()  # whether there is something to save may have changed
    # Path or None: a lesson was opened, from this file; None: a lesson of the program.
    lesson_opened = Signal(object)
    done = Signal(str)  # something was written or copied; the sentence says where it is
    session_opened = Signal(object)  # mapping: a document was opened; its file had this beside the numbers
    vectors = Signal(object)  # Path: word vectors were opened
    for_class = Signal(object)  # list of Path: a sheet, or the answers of a class, were opened
    lessons_kept = Signal()  # the list of kept lessons by others has changed
    shared = Signal(object)  # Path: the document's file is open in another window, too

    def __init__(self, bench: Workbench, window: QWidget) -> None:
        super().__init__(window)
        self._bench = bench
        self._window = window
        self.dialogs = Dialogs(window)
        self.writer = Background(self)  # writes exports that take long
        self.writer.failed.connect(self._say_failed)
        self.saver = Saver(self)
        self.saver.wrote.connect(self._follow_written)
        self.saver.failed.connect(self._follow_unwritten)
        self.reader = Background(self)  # reads models that others trained
        self.reader.failed.connect(self._say_failed)
        self.beside: Callable[[], Mapping[str, Any]] = dict  # gives what is saved beside the numbers
        self.claim = Claim(bench.settings.folder)
        self.kept, self.recent = Kept(bench.settings, self), Recent(bench.settings)
        self.lesson_files = Recent(bench.settings, LESSON_FILES, MOST_LESSON_FILES)
        """The lessons that were opened from files of their own, such as those that were recorded here."""
        self._awaited: tuple[str, State] | None = None
        """The name of the file with which the program starts while it is read, and the model until then."""
        self._file = _File(None, ref(bench.document.state))
        self._files: WeakKeyDictionary[State, _File] = WeakKeyDictionary({bench.document.state: self._file})
        bench.document.subscribe(lambda change: self._follow())
        bench.background.busy.connect(self._follow)
        bench.bridge.changed.connect(self.refresh)
        window.setAcceptDrops(True)
        self.refresh()

    def _say_failed(self, error: ExplorerError) -> None:
        self.dialogs.tell(sentence(error))

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Say what goes wrong within; the rest of it is left out."""
        try:
            yield
        except ExplorerError as error:
            self._say_failed(error)

    @property
    def path(self) -> Path | None:
        """Where the document is saved, if it is."""
        return self._file.path

    @property
    def modified(self) -> bool:
        """Whether there are unsaved changes; a lesson that is as it was opened has none."""
        state = self._bench.document.wanted
        as_opened = self._file.path is None and state in self._bench.opened
        return not self._file.holds(state) and not as_opened

    def _follow(self) -> None:
        self._file = self._files.setdefault(self._bench.document.wanted, self._file)

    def refresh(self) -> None:
        """Show in the title what is open."""
        title = self._name().replace("[*]", "[*][*]")  # Qt puts its mark at a single one
        self._window.setWindowTitle(f"{title}[*] – {PROGRAM}")
        if self._window.isWindowModified() is not self.modified:  # Qt tells the system at each call
            self._window.setWindowModified(self.modified)
        if not self.claim.hold(self.path):
            self.shared.emit(self.path)
        self.refreshed.emit()

    def _name(self) -> str:
        if self._awaited is not None:
            return self._awaited[0]
        return self.path.name if self.path else self._bench.lesson.title

    def await_file(self, name: str) -> None:
        """Take the present model as one that nobody opened, until a file is read with which the program starts.

        The title names the file, and once it is open, undo does not lead to that model. "": it was not opened.
        """
        self._awaited = (name, self._bench.document.state) if name else None
        self.refresh()

    # Opening

    def open(self) -> None:
        """Ask for a document or lesson and open it."""
        path = self.dialogs.to_open(self._bench.folder)
        if path is not None:
            self.open_path(path)  # it asks about changes, if the file replaces the document

    def open_model(self) -> None:
        """Ask for a model that others trained and open it."""
        if self.may_leave():
            path = self.dialogs.to_open_model(self._bench.folder)
            if path is not None:
                self._open(path)

    def open_path(self, path: Path) -> None:
        """Open a document, a lesson, a model that others trained, word vectors, a sheet, or answers."""
        if is_for_class(path):
            self.for_class.emit([path])
        elif is_vectors(path):
            self.vectors.emit(path)
        elif is_bundle(path) and not is_checkpoint(path):
            self._take_in(path)
        elif self.may_leave():
            self._open(path)

    @cached_property
    def _lessons(self) -> Path:
        """The folder of lessons by others; without a settings folder, a temporary one."""
        return (self._bench.settings.folder or Path(mkdtemp())) / FOLDER

    def _take_in(self, path: Path) -> None:
        """Add lessons by others to those that are kept, and open the first of them."""
        with self.telling():
            lessons = take_in(path, self._lessons)
            self.lessons_kept.emit()
            count, are = quantity(len(lessons), "lesson"), "is" if len(lessons) == 1 else "are"
            self.done.emit(f"{count} from {path.name} {are} kept in Lessons")
            if self.may_leave():
                self._open(lessons[0])

    def remove_lesson(self, lesson: Path) -> None:
        """Remove a lesson from the list of one's own, after asking; a document that is open stays open.

        The copy of a lesson by others is deleted; a file outside of the settings stays where it is.
        """
        with self.telling():
            if self.dialogs.remove(head_of(lesson).title):
                if lesson in self.lesson_files.paths:
                    self.lesson_files.remove(lesson)
                else:
                    remove(lesson, self._lessons)
        self.lessons_kept.emit()

    def bundle_lessons(self) -> None:
        """Ask for a file and write one's own lessons and those by others into it."""
        path = self.dialogs.to_bundle(self._bench.folder / f"lessons{BUNDLE}")
        if path is not None:
            with self.telling():
                bundle(self._lessons, path, [one for one in self.lesson_files.paths if one.is_file()])
                self._bench.folder = path.parent
                self.done.emit(f"Your lessons are in {path}")

    def open_lesson(self, lesson: Lesson | str) -> None:
        """Open a lesson that is already read, or one of the program by its id."""
        if self.may_leave():
            self.begin_lesson(load(lesson) if isinstance(lesson, str) else lesson)

    def begin_lesson(self, lesson: Lesson, then: Callable[[], object] = lambda: None, file: Path | None = None) -> None:
        """Open a lesson without asking about the present document.

        A lesson on a model that is not part of the program opens once that model's folder is chosen and read.

        `then`: called once it is open.
        `file`: the lesson's file; None: it comes with the program.
        """
        if lesson.needed is None:
            self._bench.open(lesson)
            self._begin(None)
            self.list_lesson(file)
            self.lesson_opened.emit(file)
            then()
            return
        leave = self._leaving()
        self.read_needed(lesson, file, lambda found: leave(lambda: self.begin_lesson(found, then, file)))

    def list_lesson(self, file: Path | None) -> None:
        """List the file of a lesson that was opened; None, or a copy of a lesson by others: it is listed already."""
        if file is not None and not file.absolute().is_relative_to(self._lessons):
            self.recent.add(file.absolute())
            self.lesson_files.add(file.absolute())
            self.lessons_kept.emit()

    def know(self, needed: NeededModel, folder: Path) -> None:
        """Remember where a model is that a lesson needs, so that it is not asked for."""
        folders: dict[str, str] = self._bench.settings.get(FOLDERS, {})
        self._bench.settings.set(FOLDERS, {**folders, needed.name: str(folder.absolute())})

    def read_needed(self, lesson: Lesson, file: Path | None, then: Callable[[Lesson], object]) -> None:
        """Read the model that a lesson needs, from its folder or file, asked for once; `then` gets the lesson on it.

        `file`: the lesson's file; None: it comes with the program.
        """
        assert lesson.needed is not None
        id, needed = str(file or lesson.id), lesson.needed
        folders: dict[str, str] = self._bench.settings.get(FOLDERS, {})
        folder = Path(str(folders.get(needed.name, "")))
        if needed.name not in folders or not os.path.exists(folder):
            if not self.dialogs.to_find(sentence(needed.missing(lesson.title)), needed.file):
                return
            chosen = self.dialogs.to_open_model(self._bench.folder)
            if chosen is None:
                return
            folder = model_of(chosen)

        others = {one: at for one, at in folders.items() if one != needed.name}

        def read(found: Lesson) -> None:
            self._bench.settings.set(FOLDERS, {**others, needed.name: str(folder)})
            then(found)

        def failed(error: ExplorerError) -> None:
            self._bench.settings.set(FOLDERS, others)  # so that the next opening asks for the folder again
            self._say_failed(error)

        self.reader.ask(lambda report: load_with(id, folder, _telling(report, needed.name)), read, failed)

    def _leaving(self) -> Callable[[Callable[[], None]], None]:
        """A function to call after reading: it does something if the present document is still open, or may be left."""
        left = self._bench.document.wanted

        def leave(then: Callable[[], None]) -> None:
            if self._bench.document.wanted is left or self.may_leave():
                then()

        return leave

    def open_state(self, lesson: Lesson, state: State, title: str) -> bool:
        """Open a model that another part of the program has made; returns whether it was opened."""
        if not self.may_leave():
            return False
        self._bench.open_state(lesson, state, title)
        self._begin(None)
        return True

    def open_kept(self, id: str) -> None:
        """Open an example as it was left, with what was changed in it."""
        try:
            lesson, state = self.kept.get(id)
        except ExplorerError as error:
            self._say_failed(error)
            self.kept.forget(id)
            return
        if self.may_leave():
            self._bench.open_state(lesson, state, f"{lesson.title}, changed")
            self._bench.opened.discard(state)  # it differs from the example as given
            self._files[state] = self._file = _File(None, None)
            self.refresh()

    def belongs_to(self, path: Path, session: Session) -> None:
        """Note that the document with which the window starts was opened from this file."""
        self._bench.folder = path.absolute().parent
        self._bench.document.history.surround(session.steps, session.now)
        self._begin(path.absolute())
        self.recent.add(path.absolute())
        self.session_opened.emit(session.beside)

    def _open(self, path: Path) -> None:
        path = model_of(path)
        if is_checkpoint(path):
            leave = self._leaving()
            self.read_model(path, lambda found: leave(lambda: self.begin_model(path, *found)))
            return
        if is_document(path):
            if os.path.isfile(path) and size_of(path) > MOST_AT_ONCE:
                leave = self._leaving()  # it is read in the background
                begin = partial(self._begin_document, path)
                self.reader.ask(lambda _report: opened_session(path), lambda found: leave(partial(begin, *found)))
            else:
                self._open_document(path, path)
            return
        try:
            lesson = load(path)
        except ExplorerError as error:
            self.recent.forget(path)
            self._say_failed(error)
            return
        self._bench.folder = path.parent
        self.begin_lesson(lesson, file=path)

    def read_model(self, path: Path, then: Callable[[tuple[Lesson, State]], None]) -> None:
        """Read a model that others trained in the background; `then` gets a lesson around it, and its state."""

        def work(report: Report) -> tuple[Lesson, State]:
            lesson, state = opened(path, told=_telling(report, path.name))
            for array in state.inputs.values():
                look_through(array)
            return lesson, state

        self.reader.ask(work, then)

    def begin_model(self, path: Path, lesson: Lesson, state: State) -> None:
        """Open a model that others trained and that was read from `path`, without asking about the present document."""
        if self._bench.document.wanted is not state:
            self._bench.open_state(lesson, state)
        self._begin(None)
        self._bench.folder = path.absolute().parent
        self.recent.add(path.absolute())
        self.lesson_opened.emit(None)

    def _open_document(self, path: Path, belongs_to: Path | None) -> bool:
        try:
            lesson, state, session = opened_session(path)
        except ExplorerError as error:
            self.recent.forget(path)
            self._say_failed(error)
            return False
        self._begin_document(belongs_to, lesson, state, session)
        return True

    def _begin_document(self, belongs_to: Path | None, lesson: Lesson, state: State, session: Session) -> None:
        self._bench.open_state(lesson, state, "", session.steps, session.now)
        self._begin(belongs_to)
        self.session_opened.emit(session.beside)
        if belongs_to is not None:
            self._bench.folder = belongs_to.parent
            self.recent.add(belongs_to)

    def open_unsaved(self, path: Path) -> bool:
        """Open what another window could not save; it is unsaved here, too. Returns whether it was opened."""
        if not self._open_document(path, None):
            return False
        self._bench.opened.discard(self._bench.document.wanted)
        self._file.saved, self._file.recovered = None, True
        self.refresh()
        return True

    def _begin(self, path: Path | None) -> None:
        """Take the present state as the first state of another document."""
        document = self._bench.document
        if self._awaited is not None:
            document.history.forget(self._awaited[1])
            self._awaited = None
        self._files[document.wanted] = self._file = _File(path, ref(document.wanted))
        document.history.mark_saved()
        self.refresh()

    # Saving

    def save(self) -> bool:
        """Save the document in its file, or ask for one. Returns whether it is saved or being written."""
        return self.save_as() if self.path is None else self._save(self.path)

    def save_as(self) -> bool:
        """Ask for a file and save the document there. Returns whether it is saved or being written."""
        path = self.dialogs.to_save(self.path or self.offered(ENDING))
        return path is not None and self._save(path)

    def offered(self, ending: str) -> Path:
        """The file that is offered for the document."""
        name = (
            re.sub(r"([^\w.-]|(?<!\w)\.|\.(?!\w))+", " ", self._bench.lesson.title).strip()[:LONGEST_NAME].strip()
            or "document"
        )
        return self._bench.folder / f"{name}{ending}"

    def session(self) -> Session:
        """What is saved with the document: the states of undo and redo, and what stands beside the numbers."""
        document = self._bench.document
        if document.state is not document.wanted:
            return Session(beside=self.beside())
        return Session(*document.history.around(document.state.lesson), self.beside())

    def _save(self, path: Path) -> bool:
        take_typed()
        document = self._bench.document
        stamp = self._file.found() if path == self.path else None
        if stamp is not None and stamp != self._file.stamp and not self.dialogs.replace_changed(path):
            return False
        try:
            document.settle()
            self.saver.save(document.state, self._bench.lesson.title, path, self.session())
        except ExplorerError as error:
            self._follow_unwritten(error)
            return False
        return True

    def _follow_written(self, path: Path, state: State) -> None:
        """Note that a state is in a file now; by then there may be newer states, or another document."""
        for file in self._files.values():
            if file.path == path:
                file.saved = None
        file = self._files.get(state, self._file)
        file.path, file.saved = path, ref(state)
        file.stamp = file.found()
        self.recent.add(path)
        self.kept.forget(state.lesson)
        self._bench.folder = path.parent
        self.done.emit(f"Saved as {path}")
        self._bench.document.history.mark_saved(state)
        self.refresh()

    def _follow_unwritten(self, error: ExplorerError) -> None:
        """Say why a document was not written; one whose file is gone is not saved any more."""
        if self.path is not None and self._file.found() is None:
            self._file.saved = None
            self.refresh()
        self._say_failed(error)

    def open_text(self) -> None:
        """Open the document that is on the clipboard as text."""
        if self.may_leave():
            with self.telling():
                lesson, state = lesson_of(*from_text(QGuiApplication.clipboard().text()))
                self._bench.open_state(lesson, state)
                self._begin(None)

    def may_leave(self) -> bool:
        """Whether the document may be left.

        It asks if a file, or a document found after a crash, has unsaved changes. A changed example is kept without
        asking: the menu offers it again.
        """
        if self._is_safe():
            return True
        if self.path is None and not self._file.recovered:
            self.kept.keep(self._bench.lesson, self._bench.document.wanted)
            return True
        return self._may_go()

    def may_close(self) -> bool:
        """Whether the window may be closed: asks if there are unsaved changes.

        While a document is being written it may not; the window then closes as soon as that is done.
        """
        if not self._may_go():
            return False
        if self.saver.writes:
            self.saver.at_end(lambda: do_later(self, self._window.close))
            return False
        return True

    def _is_safe(self) -> bool:
        """Whether all changes are saved, or being saved."""
        take_typed()
        return not self.modified or self.saver.holds(self._bench.document.wanted)

    def _may_go(self) -> bool:
        if self._is_safe():
            return True
        answer = self.dialogs.keep(self._name())
        return self.save() if answer == "save" else answer == "discard"

    # Dropping a file on the window

    def drag(self, event: QDragEnterEvent) -> None:
        """Accept all files; `drop` says which cannot be opened."""
        if event.mimeData().hasUrls():
            event.setDropAction(Qt.DropAction.CopyAction)  # or a file manager would move it away
            event.accept()

    def drop(self, event: QDropEvent) -> None:
        """Open a file, or say what can be dropped."""
        if event.mimeData().hasUrls():
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
            alone = paths[0] if len(paths) == len(event.mimeData().urls()) == 1 else None
            # After the drop: the program that drags waits for its end, and a question may come first.
            if paths and all(map(is_for_class, paths)):
                do_later(self, lambda: self.for_class.emit(paths))
            else:
                do_later(self, lambda: self._open_dropped(alone))

    def _open_dropped(self, path: Path | None) -> None:
        known = (*OPENED, *INSIDE)
        kinds = is_checkpoint, is_bundle, is_vectors
        if path is None or not (path.name.lower().endswith(known) or any(one(path) for one in kinds)):
            with self.telling():
                check_form(path or Path())
                raise ExplorerError("not-dropped")
        else:
            self.open_path(path)


def model_of(path: Path) -> Path:
    """The folder of a model if this is one of its files; any other path itself."""
    return path.parent if path.name.endswith(INSIDE) else path


def _telling(report: Report, name: str) -> Callable[[float, float], None]:
    """A function that reports how much of a model is read."""
    return lambda done, total: report(Progress(name, done, total))
