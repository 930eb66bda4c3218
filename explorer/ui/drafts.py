"""Changed examples that were left, recent documents, and documents that are open in another window.

All are kept on the disk, so that other windows and later starts of the program know of them.
"""

import os
import re
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Lock

from PySide6.QtCore import QLockFile, QObject

from explorer.core.errors import ExplorerError
from explorer.document import storage
from explorer.document.state import State
from explorer.document.storage import ENDING
from explorer.lessons.document_lesson import opened
from explorer.lessons.schema import Lesson
from explorer.settings import Settings
from explorer.ui.background import Background

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
        newest_first = sorted(times, key=times.__getitem__, reverse=True)
        total = 0
        for one in newest_first:
            total += one.stat().st_size
            if total > MOST_BYTES:
                one.unlink(missing_ok=True)


RECENT, MOST_RECENT = "recent documents", 10


class Recent:
    """The documents that were opened or saved last.

    `settings`: they store the paths.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def paths(self) -> list[Path]:
        """The paths of the documents, newest first."""
        names: list[object] = self._settings.get(RECENT, [])
        return [Path(name) for name in names if isinstance(name, str)]

    def add(self, path: Path) -> None:
        """Put a document at the top of the list."""
        names = [str(path), *(str(one) for one in self.paths if one != path)]
        self._settings.set(RECENT, names[:MOST_RECENT])

    def forget(self, path: Path) -> None:
        """Remove a document that no longer exists from the list."""
        with suppress(OSError):  # in a folder without permission to read, it may still exist
            if not path.exists():
                self._settings.set(RECENT, [str(one) for one in self.paths if one != path])


OPENED = "open"


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
        with suppress(OSError):  # where no lock can be written, nobody is warned
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = QLockFile(str(self._folder / f"{sha256(os.fsencode(path.resolve())).hexdigest()[:20]}.lock"))
            lock.setStaleLockTime(0)
            if lock.tryLock(0):
                self._lock = lock
            return lock.error() != QLockFile.LockError.LockFailedError
        return True

    def release(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            self._lock.unlock()
        self._path = self._lock = None
