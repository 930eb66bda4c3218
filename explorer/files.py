"""Files that are read only where they are files, and written whole or not at all."""

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from time import sleep
from typing import IO, BinaryIO

from explorer.core.errors import ExplorerError


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write, which takes its name when it is whole; what had that name before stays until then.

    Until then it is a hidden file beside it. What processes that were killed have left of theirs is cleared first.

    `path`: where it is a link, the file that it leads to is written.

    Raises `ExplorerError`: "not-written", also where what is written into it raises an OSError.
    """
    try:
        target, part, opened = _beside(path)
        try:
            with opened as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
                with suppress(OSError):  # there is no file yet, or the folder does not know modes
                    shutil.copymode(target, part)
                if not _WINDOWS:  # as long as it is open, and so locked, it is no file that is left
                    _rename(part, target)
            if _WINDOWS:
                _rename(part, target)
        finally:
            part.unlink(missing_ok=True)
        _settle(target.parent)
    except OSError as error:
        raise ExplorerError("not-written", file=path, reason=error.strerror or error) from None


def open_file(path: str | Path) -> BinaryIO:
    """A file to read.

    Raises OSError, in words, where it is none: a pipe that nobody writes into would be waited for without end.
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError("there is no such file") from None
    except ValueError as error:  # a path that no system knows
        raise OSError(str(error)) from None
    if stat.S_ISFIFO(mode):
        raise OSError("it is a pipe; put what comes out of it into a file")
    if not stat.S_ISREG(mode):
        raise OSError("it is not a file")
    return open(path, "rb")


def clear_left(folder: str | Path) -> None:
    """Delete what processes that are no more have left half written in a folder: nobody holds a lock on it."""
    with suppress(OSError), os.scandir(folder) as found:
        parts = [one.path for one in found if one.name.startswith(_BEGINS) and one.name.endswith(_ENDS)]
        for part in parts:
            with suppress(OSError):
                if _WINDOWS:
                    os.unlink(part)  # which fails as long as it is open
                    continue
                with open(part, "r+b") as stream:
                    if locked(stream):
                        os.unlink(part)


def locked(stream: IO[bytes]) -> bool | None:
    """Whether the lock on a file could be had; None where the file system has no locks.

    It is let go when the file is closed, and when the process ends in whatever way.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return None
    return True


_BEGINS, _ENDS = ".explorer-", ".part"
_WINDOWS = os.name == "nt"


def _beside(path: str | Path) -> tuple[Path, Path, BinaryIO]:
    """The file that a path leads to, and a new one in its folder, opened and locked."""
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():  # a device would become a file
            raise OSError("it is not a file")
        clear_left(target.parent)
        while True:
            part = target.with_name(f"{_BEGINS}{token_hex(8)}{_ENDS}")
            stream = part.open("xb")
            if _WINDOWS or (locked(stream) is not False and part.exists()):
                return target, part, stream
            stream.close()  # somebody who clears the folder was quicker
    except ValueError as error:  # a path that no system knows
        raise OSError(str(error)) from None


def _rename(part: Path, target: Path) -> None:
    for _ in range(20):
        try:
            os.replace(part, target)
            return
        except PermissionError:  # on Windows, as long as another process is reading the one before
            if os.name != "nt":
                raise
            sleep(0.05)
    os.replace(part, target)


def _settle(folder: Path) -> None:
    """Make the new name survive a power cut, where the system can."""
    if os.name != "posix":
        return
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
