"""Which files are open in a window of this program: a second window is told."""

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from PySide6.QtCore import QLockFile

FOLDER = "open"


class Claim:
    """What a window holds of the file that it is in: a lock in one's own folder, not beside the document.

    The lock of a process that is no more counts for nothing, so a crash leaves nobody outside.

    `folder`: of the settings; None: nothing is held.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder / FOLDER
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
