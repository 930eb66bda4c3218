"""Examples that were changed and then left, documents opened lately, and those that are open in another window.

So windows and starts know of each other.
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
"""Examples and bytes on the disk that are kept; beyond that the oldest goes."""


class Kept(QObject):
    """The examples that were left as a person changed them, each in a document of its own beside the settings.

    `settings`: they know the titles, oldest first. Where they are kept nowhere, examples are kept until the program
    ends.
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
        usual: dict[str, str] = {}
        there = {id: title for id, title in self._settings.get(SETTING, usual).items() if self._is_written(id)}
        return {**there, **{id: lesson.title for id, (lesson, _) in self._left.items()}}

    def keep(self, lesson: Lesson, state: State) -> None:
        """Keep an example as it is; what was kept of it before goes."""
        titles = self.titles
        for id in (lesson.id, *list(titles)[: len(titles) - MOST + (lesson.id not in titles)]):
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
        """Keep an example no more: it is saved elsewhere, or kept anew."""
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
    """Write a document; of more than `MOST_BYTES` in all, the oldest go."""
    with turn, suppress(ExplorerError, OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        storage.save(state, title, file)
        # This one is the newest, whatever a clock says that was set back.
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

    `settings`: they know their names.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def paths(self) -> list[Path]:
        """Where they are, the newest first."""
        names: list[object] = self._settings.get(RECENT, [])
        return [Path(name) for name in names if isinstance(name, str)]

    def add(self, path: Path) -> None:
        """Offer this one first."""
        names = [str(path), *(str(one) for one in self.paths if one != path)]
        self._settings.set(RECENT, names[:MOST_RECENT])

    def forget(self, path: Path) -> None:
        """What is no more is not offered again."""
        with suppress(OSError):  # in a folder that may not be looked into it may still be
            if not path.exists():
                self._settings.set(RECENT, [str(one) for one in self.paths if one != path])


OPENED = "open"


class Claim:
    """What a window holds of the file that it is in: a lock in one's own folder, not beside the document.

    The lock of a process that is no more counts for nothing, so a crash leaves nobody outside.

    `folder`: of the settings; None: nothing is held.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder / OPENED
        self._path: Path | None = None
        self._lock: QLockFile | None = None

    def hold(self, path: Path | None) -> bool:
        """Hold a file, and let go of the one before. Returns False where another window has it, once."""
        if path == self._path:
            return True
        self.release()
        self._path = path
        if path is None or self._folder is None:
            return True
        with suppress(OSError):  # where nothing can be written, nobody is told
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = QLockFile(str(self._folder / f"{sha256(os.fsencode(path.resolve())).hexdigest()[:20]}.lock"))
            lock.setStaleLockTime(0)
            if lock.tryLock(0):
                self._lock = lock
            return lock.error() != QLockFile.LockError.LockFailedError
        return True

    def release(self) -> None:
        """Hold nothing."""
        if self._lock is not None:
            self._lock.unlock()
        self._path = self._lock = None
