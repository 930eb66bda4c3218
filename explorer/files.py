"""Files that are read only if they are regular files, and written completely or not at all."""

import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from explorer import PROGRAM
from explorer.core.errors import ExplorerError

if TYPE_CHECKING:  # the help of the command line is said without numpy
    from numpy.typing import NDArray


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write, which gets its name only when it is complete; an older file of that name stays until then.

    Until then it is a hidden file in the same folder. Hidden files of killed processes are deleted first.

    `path`: for a link, the file that it points to is written.
    Raises `ExplorerError`: "not-written", also if the body of the `with` raises an OSError.
    """
    try:
        target, part, opened = _beside(path)
        try:
            with opened as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
                with suppress(OSError):  # there is no old file, or the folder has no file modes
                    shutil.copymode(target, part)
                if not _WINDOWS:  # renamed while it is open and locked, so that nobody deletes it as a leftover
                    _rename(part, target)
            if _WINDOWS:
                _rename(part, target)
        finally:
            part.unlink(missing_ok=True)
        _settle(target.parent)
    except OSError as error:
        raise ExplorerError("not-written", file=path, reason=error.strerror or error) from None


def write_file(path: str | Path, content: bytes) -> tuple[Path, ...]:
    """Write a file completely or not at all, as `whole_file` does; returns its path, as one of the files written."""
    with whole_file(path) as stream:
        stream.write(content)
    return (Path(path),)


def write_npz(stream: BinaryIO, arrays: "Mapping[str, NDArray[Any]]") -> None:
    """Write arrays as an .npz file that names this program, so that a command may write over it."""
    from zipfile import ZipFile  # the first picture does not need it

    from numpy.lib.format import write_array

    with ZipFile(stream, "w") as archive:
        archive.comment = PROGRAM.encode()
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                write_array(member, array, allow_pickle=False)


def open_file(path: str | Path) -> BinaryIO:
    """A file to read.

    Raises OSError with a plain message for anything but a file: reading a pipe without a writer would never end.
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError("there is no such file") from None
    except ValueError as error:  # a path that the system refuses
        raise OSError(str(error)) from None
    if stat.S_ISFIFO(mode):
        raise OSError("it is a pipe; put what comes out of it into a file")
    if not stat.S_ISREG(mode):
        raise OSError("it is a folder" if stat.S_ISDIR(mode) else "it is not a file")
    return open(path, "rb")


def newest_first(paths: Iterable[Path]) -> list[Path]:
    """Files and folders, those first that were written last; up to the first of which that cannot be said."""
    times: dict[Path, float] = {}
    with suppress(OSError):
        for path in paths:
            times[path] = path.stat().st_mtime
    return sorted(times, key=times.__getitem__, reverse=True)


def clear_left(folder: str | Path) -> None:
    """Delete the half-written files of ended processes in a folder: those that nobody has locked."""
    with suppress(OSError), os.scandir(folder) as found:
        parts = [one.path for one in found if one.name.startswith(_BEGINS) and one.name.endswith(_ENDS)]
        for part in parts:
            with suppress(OSError):
                if _WINDOWS:
                    os.unlink(part)  # this fails while the file is open
                    continue
                with open(part, "r+b") as stream:
                    if locked(stream):
                        os.unlink(part)


def locked(stream: IO[bytes]) -> bool | None:
    """Whether the file could be locked; None if the file system has no locks.

    The lock ends when the file is closed, and with the process, however it ends.
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
    """The file that a path leads to, and a new hidden file in its folder, opened and locked."""
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():  # a device would be replaced by a file
            raise OSError("it is not a file")
        clear_left(target.parent)
        while True:
            part = target.with_name(f"{_BEGINS}{os.urandom(8).hex()}{_ENDS}")
            stream = part.open("xb")
            if _WINDOWS or (locked(stream) is not False and part.exists()):
                return target, part, stream
            stream.close()  # another process that clears the folder was quicker
    except FileNotFoundError:
        raise OSError("there is no such folder") from None
    except ValueError as error:  # a path that the system refuses
        raise OSError(str(error)) from None


def _rename(part: Path, target: Path) -> None:
    for _ in range(20):
        try:
            os.replace(part, target)
            return
        except PermissionError:  # on Windows, while another process reads the old file
            if os.name != "nt":
                raise
            sleep(0.05)
    os.replace(part, target)


def _settle(folder: Path) -> None:
    """Make the new name survive a power cut, if the system can."""
    if os.name != "posix":
        return
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
