"""Unsaved work survives a crash: it is written beside the settings within seconds, and offered at the next start."""

from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from secrets import token_hex
from threading import Lock
from time import perf_counter

from PySide6.QtCore import QLockFile, QObject, QTimer

from explorer.core.errors import ExplorerError
from explorer.document import storage
from explorer.document.manifest import Session
from explorer.document.state import State
from explorer.document.storage import ENDING
from explorer.files import clear_left
from explorer.ui.background import Background
from explorer.ui.files import Files
from explorer.ui.window.notice import Notice
from explorer.ui.workbench import Workbench

FOLDER = "unsaved"
PAUSE_MS = 2000
MOST_SHARE = 0.05
"""The share of time that writing may take: a large model is written less often."""


class Recovery(QObject):
    """Keeps the unsaved state of a window on the disk, for as long as there is one.

    A file whose lock is held belongs to an open window; any other file was left by a crash.

    Parameters
    ----------
    bench : Workbench
        The files are kept beside its settings; without a settings folder nothing is kept.
    files : Files
        They know whether there is anything to save.
    notice : Notice
        Offers to open unsaved work.
    """

    def __init__(self, bench: Workbench, files: Files, notice: Notice) -> None:
        super().__init__(files)
        self._bench, self._files, self._notice = bench, files, notice
        self._postponed: set[Path] = set()
        self._folder = None if bench.settings.folder is None else bench.settings.folder / FOLDER
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
        for file in _newest_first(self._folder):
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
                file = self._folder / f"{token_hex(8)}{ENDING}"
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


def _newest_first(folder: Path | None) -> list[Path]:
    """The files that windows have left, newest first; half-written files are deleted."""
    if folder is None:
        return []
    times: dict[Path, float] = {}
    clear_left(folder)
    with suppress(OSError):
        for file in folder.glob(f"*{ENDING}"):
            times[file] = file.stat().st_mtime
    return sorted(times, key=times.__getitem__, reverse=True)


def _when(file: Path) -> str:
    """When a file was written; empty if its time is no valid date."""
    with suppress(OSError, OverflowError, ValueError):
        when = datetime.fromtimestamp(file.stat().st_mtime)
        return f" on {when.day} {when:%B at %H:%M}"
    return ""


def _lock(file: Path) -> QLockFile:
    lock = QLockFile(f"{file}.lock")
    lock.setStaleLockTime(0)  # stale once its process has ended, and not before
    return lock
