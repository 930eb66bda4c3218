"""Watches the file of a lesson that somebody writes in a text editor."""

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

SETTLED_MS = 150
"""An editor writes a file in several goes, or puts another in its place."""


class LessonWatcher(QObject):
    """Tells when the file of the lesson that is open was saved."""

    saved = Signal(object)  # Path

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._file: Path | None = None
        self._was: bytes | None = None
        self._watcher: QFileSystemWatcher | None = None
        self._timer = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._timer.timeout.connect(self._look)

    def watch(self, file: Path | None) -> None:
        """Watch this file from now on, and no other; None: none."""
        if self._watcher is not None:
            self._watcher.deleteLater()
            self._watcher = None
        self._timer.stop()
        self._file = file
        if file is not None:
            self._was = self._read()
            # The folder, too: many editors put a new file in the place of the old one.
            self._watcher = QFileSystemWatcher([str(file), str(file.absolute().parent)], self)
            self._watcher.fileChanged.connect(self._timer.start)
            self._watcher.directoryChanged.connect(self._timer.start)

    def _look(self) -> None:
        now = self._read()
        if self._file is None or now is None or now == self._was:
            return
        self._was = now
        if self._watcher is not None and str(self._file) not in self._watcher.files():
            self._watcher.addPath(str(self._file))
        self.saved.emit(self._file)

    def _read(self) -> bytes | None:
        try:
            return None if self._file is None else self._file.read_bytes()
        except OSError:
            return None
