"""Files that are whole or not there."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from time import sleep
from typing import BinaryIO

from explorer.core.errors import ExplorerError


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write, which takes its name when it is whole; what had that name before stays until then.

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
            _rename(part, target)
        finally:
            part.unlink(missing_ok=True)
        _settle(target.parent)
    except OSError as error:
        raise ExplorerError("not-written", file=path, reason=error.strerror or error) from None


def _beside(path: str | Path) -> tuple[Path, Path, BinaryIO]:
    """The file that a path leads to, and a new one in its folder, opened."""
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():  # a device would become a file
            raise OSError("it is not a file")
        part = target.with_name(f".{token_hex(8)}.part")
        return target, part, part.open("xb")
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
