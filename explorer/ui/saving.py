"""Documents on the disk: saving one in its file, and what is kept besides.

A large document is written in the background, and a window closes once that is done. A document holds all of its
numbers, so that it can be opened without the model that it was made of: 0.5 GB of GPT-2, which take a second.

Besides their files are kept: changed examples that were left, recent documents, documents that are open in another
window; and unsaved work, which survives a crash: it is written beside the settings within seconds, and offered at the
next start.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QLockFile, QObject, QTimer, Signal

from explorer.core.errors import ExplorerError
from explorer.core.progress import Progress, Report
from explorer.document import storage
from explorer.document.manifest import Session
from explorer.document.state import State
from explorer.document.storage import ENDING
from explorer.files import clear_left, newest_first
from explorer.lessons.document_lesson import opened
from explorer.lessons.schema import Lesson
from explorer.settings import Settings
from explorer.ui.background import Background

if TYPE_CHECKING:
    from explorer.ui.files import Files
    from explorer.ui.window.notice import Notice
    from explorer.ui.workbench import Workbench

MOST_AT_ONCE = 50_000_000
"""A model of up to this many bytes is read or written directly, a larger one in the background."""


def size_of(state: State) -> int:
    """How many bytes the numbers of a document take, each array counted once."""
    arrays = [*state.inputs.values(), *state.beyond.values()]
    return sum({id(array): array.nbytes for array in arrays}.values())


class Saver(QObject):
    """Writes one document after the other.

    A request during a write waits. For each file only the newest one is kept: its state includes all older ones.
    """

    wrote = Signal(object, object)  # Path and State: the file is completely written
    failed = Signal(object)  # ExplorerError: why it was not written

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.background = Background(self)
        self.background.failed.connect(self._fail)
        self._now: tuple[Path, State] | None = None
        self._next: dict[Path, tuple[State, Callable[[], None]]] = {}
        self._at_end: Callable[[], object] | None = None

    @property
    def writes(self) -> bool:
        """Whether something is being written."""
        return self._now is not None

    def holds(self, state: State) -> bool:
        """Whether a document is being written, or waits to be."""
        written = [] if self._now is None else [self._now[1]]
        return any(one is state for one in (*written, *(one for one, _ in self._next.values())))

    def save(self, state: State, title: str, path: Path, session: Session) -> None:
        """Write a document: directly, or in the background if it is large or another one is being written.

        Raises `ExplorerError`: "not-written" or "not-saved", if it is written directly.
        """
        if self._now is None and size_of(state) <= MOST_AT_ONCE:
            storage.save(state, title, path, session)
            self.wrote.emit(path, state)
            return
        self._next[path] = state, partial(self._begin, state, title, path, session)
        if self._now is None:
            self._go_on()

    def at_end(self, act: Callable[[], object]) -> None:
        """Call `act` once everything is written; never, if writing fails or is stopped."""
        self._at_end = act

    def stop(self) -> None:
        """Stop writing the present document; its file keeps its old content."""
        self._at_end = None
        if self._now is not None:
            self._next.pop(self._now[0], None)
        self.background.stop()
        self._go_on()

    def _begin(self, state: State, title: str, path: Path, session: Session) -> None:
        def write(report: Report) -> None:
            storage.save(state, title, path, session, lambda done, total: report(Progress(path.name, done, total)))

        self._now = path, state
        self.background.ask(write, lambda _: self._end(path, state))

    def _end(self, path: Path, state: State) -> None:
        self._now = None
        self.wrote.emit(path, state)
        if self._now is None:
            self._go_on()

    def _fail(self, error: ExplorerError) -> None:
        self._at_end = None
        self.failed.emit(error)
        self._go_on()

    def _go_on(self) -> None:
        """Write the next document, or call what `at_end` was given."""
        self._now = None
        if self._next:
            _, begin = self._next.pop(next(iter(self._next)))
            begin()
        elif self._at_end is not None:
            act, self._at_end = self._at_end, None
            act()


FOLDER = SETTING = "kept"
MOST, MOST_BYTES = 16, 64_000_000
"""How many examples, and how many bytes on the disk, are kept; beyond that the oldest examples are deleted."""


class Kept(QObject):
    """Keeps the examples that were changed and then left, each as a document beside the settings.

    `settings`: they store the titles, oldest first. If they have no folder, examples are kept until the program ends.
    """

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._folder = None if settings.folder is None else settings.folder / FOLDER
        self._left: dict[str, tuple[Lesson, State]] = {}
        self._writer, self._turn = Background(self), Lock()

    @property
    def titles(self) -> dict[str, str]:
        """The titles of the examples by their ids, oldest first."""
        said: dict[str, object] = self._settings.get(SETTING, {})
        there = {id: title for id, title in said.items() if isinstance(title, str) and self._is_written(id)}
        return {**there, **{id: lesson.title for id, (lesson, _) in self._left.items()}}

    def keep(self, lesson: Lesson, state: State) -> None:
        """Keep an example in this state, in place of an older copy of it."""
        others = [id for id in self.titles if id != lesson.id]
        for id in (lesson.id, *others[: max(len(others) - MOST + 1, 0)]):
            self.forget(id)
        self._left[lesson.id] = lesson, state
        self._settings.set(SETTING, self.titles)
        if (file := self._file(lesson.id)) is not None:
            self._writer.run(partial(_write, state, lesson.title, file, self._turn), lambda: None)

    def get(self, id: str) -> tuple[Lesson, State]:
        """An example as it was left.

        Raises `ExplorerError`: those of `explorer.lessons.document_lesson.opened`.
        """
        if id in self._left:
            return self._left[id]
        file = self._file(id)
        assert file is not None, "of those that are kept nowhere all are in memory"
        lesson, state = opened(file)
        if lesson.id != id:  # a model that is no example of the program has another id each time it is opened
            titles = {lesson.id if one == id else one: title for one, title in self.titles.items()}
            if (moved := self._file(lesson.id)) is not None:
                file.replace(moved)
            self._settings.set(SETTING, titles)
        return lesson, state

    def forget(self, id: str) -> None:
        """Delete the kept copy of an example: it is saved elsewhere, or a newer copy is kept."""
        self._left.pop(id, None)
        if (file := self._file(id)) is not None:
            with suppress(OSError):
                file.unlink(missing_ok=True)
            self._settings.set(SETTING, self.titles)

    def _file(self, id: str) -> Path | None:
        return None if self._folder is None else self._folder / f"{re.sub(r'[^A-Za-z0-9-]', '-', id)}{ENDING}"

    def _is_written(self, id: str) -> bool:
        file = self._file(id)
        return file is not None and os.path.isfile(file)


def _write(state: State, title: str, file: Path, turn: Lock) -> None:
    """Write a document; if the files take more than `MOST_BYTES` in all, the oldest are deleted."""
    with turn, suppress(ExplorerError, OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        storage.save(state, title, file)
        # The file just written counts as the newest, even if the clock was set back.
        times = {one: (one == file, one.stat().st_mtime) for one in file.parent.glob(f"*{ENDING}")}
        total = 0
        for one in sorted(times, key=times.__getitem__, reverse=True):
            total += one.stat().st_size
            if total > MOST_BYTES:
                one.unlink(missing_ok=True)


RECENT, MOST_RECENT = "recent documents", 10
LESSON_FILES, MOST_LESSON_FILES = "lesson files", 100


class Recent:
    """The documents that were opened or saved last.

    `settings`: they store the paths, at most `most`, under `name`.
    """

    def __init__(self, settings: Settings, name: str = RECENT, most: int = MOST_RECENT) -> None:
        self._settings, self._name, self._most = settings, name, most

    @property
    def paths(self) -> list[Path]:
        """The paths of the documents, newest first."""
        names: list[object] = self._settings.get(self._name, [])
        return [Path(name) for name in names if isinstance(name, str)]

    def add(self, path: Path) -> None:
        """Put a document at the top of the list."""
        names = [str(path), *(str(one) for one in self.paths if one != path)]
        self._settings.set(self._name, names[: self._most])

    def forget(self, path: Path) -> None:
        """Remove a document that no longer exists from the list."""
        with suppress(OSError):  # in a folder without permission to read, it may still exist
            if not path.exists():
                self.remove(path)

    def remove(self, path: Path) -> None:
        """Remove a document from the list."""
        self._settings.set(self._name, [str(one) for one in self.paths if one != path])


OPENED = "open"


def _lock(file: Path) -> QLockFile:
    lock = QLockFile(f"{file}.lock")
    lock.setStaleLockTime(0)  # stale once its process has ended, and not before
    return lock


class Claim:
    """A window's claim on the file of its document: a lock in the folder of the settings, not beside the document.

    The lock of a process that has ended is ignored, so a crash locks nobody out.

    `folder`: of the settings; None: nothing is locked.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder / OPENED
        self._path: Path | None = None
        self._lock: QLockFile | None = None

    def hold(self, path: Path | None) -> bool:
        """Lock a file, and release the one before. Returns False, once for each file, if another window has it."""
        if path == self._path:
            return True
        self.release()
        self._path = path
        if path is None or self._folder is None:
            return True
        from hashlib import sha256  # the first picture does not need it

        with suppress(OSError):  # where no lock can be written, nobody is warned
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = _lock(self._folder / sha256(os.fsencode(path.resolve())).hexdigest()[:20])
            if lock.tryLock(0):
                self._lock = lock
            return lock.error() != QLockFile.LockError.LockFailedError
        return True

    def release(self) -> None:
        if self._lock is not None:
            self._lock.unlock()
        self._path = self._lock = None


UNSAVED = "unsaved"
PAUSE_MS = 2000
MOST_SHARE = 0.05
"""The share of time that writing may take: a large model is written less often."""


class Recovery(QObject):
    """Keeps the unsaved state of a window on the disk, for as long as there is one.

    A file whose lock is held belongs to an open window; any other file was left by a crash.

    `bench`: the files are kept beside its settings; without a settings folder nothing is kept.
    `files`: they know whether there is anything to save. `notice`: offers to open unsaved work.
    """

    def __init__(self, bench: Workbench, files: Files, notice: Notice) -> None:
        super().__init__(files)
        self._bench, self._files, self._notice = bench, files, notice
        self._postponed: set[Path] = set()
        self._folder = None if bench.settings.folder is None else bench.settings.folder / UNSAVED
        self._file: Path | None = None
        self._lock: QLockFile | None = None
        self._writer, self._turn = Background(self), Lock()
        self._written: State | None = None
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._write)
        if self._folder is not None:
            files.refreshed.connect(self._follow)

    def offer(self) -> None:
        """Offer to open the unsaved work of a window that has ended, the newest first."""
        for file in _left_in(self._folder):
            lock = _lock(file)
            if file in self._postponed or not lock.tryLock(0):
                continue  # its window is open
            title = storage.title_of(file)
            changes = f"your changes to “{title}”" if title else "your changes"
            text = f"The program ended{_when(file)} before {changes} were saved."
            answers = {"Open them": self._open, "Discard them": self._discard, "Later": self._postpone}
            self._notice.ask(text, {words: partial(act, file, lock) for words, act in answers.items()})
            return

    def _open(self, file: Path, lock: QLockFile) -> None:
        if self._files.may_leave() and self._files.open_unsaved(file):
            with self._turn:  # the writer may be at work
                self._forget()
            self._file, self._lock = file, lock  # from now on it is this window's
            self.offer()  # another window may have left something, too
        else:
            self._postpone(file, lock)

    def _discard(self, file: Path, lock: QLockFile) -> None:
        file.unlink(missing_ok=True)
        lock.unlock()
        self.offer()

    def _postpone(self, file: Path, lock: QLockFile) -> None:
        self._postponed.add(file)
        lock.unlock()
        self.offer()

    def close(self) -> None:
        """Delete the file: the window was closed normally."""
        self._timer.stop()
        self._writer.stop()
        with self._turn:  # the writer may be at work
            self._forget()

    def _follow(self) -> None:
        if not self._timer.isActive() and not self._writer.at_work:
            self._timer.start()

    def _write(self) -> None:
        document = self._bench.document
        state = document.state
        if not self._files.modified:
            self._forget()
        elif document.computing:
            self._timer.start()
        elif state is not self._written and (file := self._begun()) is not None:
            title, begun = self._bench.lesson.title, perf_counter()
            save = partial(self._save, state, title, file, self._files.session())
            self._writer.run(save, partial(self._end, state, begun))

    def _begun(self) -> Path | None:
        """The window's file, locked; None if none can be written, which the person learns when saving."""
        if self._file is None and self._folder is not None:
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                file = self._folder / f"{os.urandom(8).hex()}{ENDING}"
                lock = _lock(file)
                if lock.tryLock(0):
                    self._file, self._lock = file, lock
        return self._file

    def _save(self, state: State, title: str, file: Path, session: Session) -> None:
        """Write the file, on a thread, unless it was given up meanwhile."""
        with self._turn, suppress(ExplorerError):
            if file == self._file:
                storage.save(state, title, file, session)

    def _end(self, state: State, begun: float) -> None:
        self._written = state
        self._timer.setInterval(max(PAUSE_MS, round(1000 * (perf_counter() - begun) / MOST_SHARE)))
        if self._bench.document.state is not state or not self._files.modified:
            self._timer.start()

    def _forget(self) -> None:
        if self._file is not None and self._lock is not None:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)
            self._lock.unlock()
        self._file = self._lock = self._written = None


def _left_in(folder: Path | None) -> list[Path]:
    """The files that windows have left, newest first; half-written files are deleted."""
    if folder is None:
        return []
    clear_left(folder)
    return newest_first(folder.glob(f"*{ENDING}"))


def _when(file: Path) -> str:
    """When a file was written; empty if its time is no valid date."""
    with suppress(OSError, OverflowError, ValueError):
        when = datetime.fromtimestamp(file.stat().st_mtime)
        return f" on {when.day} {when:%B at %H:%M}"
    return ""
