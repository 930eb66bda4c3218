"""Settings that the program keeps from one start to the next: small values by name, in one file of the person's own."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from explorer import paths
from explorer.container import DamagedError, parsed
from explorer.core.errors import ExplorerError
from explorer.files import write_file

T = TypeVar("T")
FILE, BROKEN = "settings.json", "settings.broken.json"
MOST_BYTES = 1_000_000


def own_folder() -> Path:
    """The folder of a person's settings, progress and unsaved work: ``EXPLORER_SETTINGS``, or the system's folder."""
    return Path(os.environ.get("EXPLORER_SETTINGS") or paths.own("config"))


class Settings:
    """Small values by name. Each is written as soon as it is set; values set meanwhile by another window are kept.

    A file that cannot be read is renamed and set aside. If nothing can be written, values last until the program ends;
    nobody is disturbed by a message.

    `folder`: the folder of the file; None: nothing is kept, as in tests and pictures.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._stamp: tuple[int, ...] | None = None
        self._values: dict[str, Any] = {}

    def get(self, name: str, usual: T) -> T:
        """The value set under a name, if it has the type of the usual value; otherwise the usual value."""
        self._follow()
        value = self._values.get(name, usual)
        return value if type(value) is type(usual) else usual

    def set(self, name: str, value: Any) -> None:
        """Remember a value that JSON can hold."""
        self._follow()
        had = self._values.get(name)
        if type(had) is type(value) and had == value:  # a 2 written by hand is no 2.0, and `get` does not take it
            return
        self._values[name] = value
        if self.folder is not None:
            with suppress(ExplorerError, OSError):
                self.folder.mkdir(parents=True, exist_ok=True)
                write_file(self.folder / FILE, json.dumps(self._values, indent=1).encode())
                self._stamp = self._found(self.folder / FILE)

    def _follow(self) -> None:
        """Read the file again if another window has written it."""
        if self.folder is not None:
            with suppress(OSError):
                stamp = self._found(self.folder / FILE)
                if stamp != self._stamp:
                    self._values |= self._read(self.folder / FILE)
                    self._stamp = stamp

    @staticmethod
    def _found(file: Path) -> tuple[int, ...]:
        facts = file.stat()
        return facts.st_ino, facts.st_size, facts.st_mtime_ns

    @staticmethod
    def _read(file: Path) -> dict[str, Any]:
        try:
            with file.open("rb") as stream:
                values = parsed(stream.read(MOST_BYTES))
            if isinstance(values, dict):
                return values
        except OSError:  # there is no file yet, or it may not be read
            return {}
        except DamagedError:
            pass
        with suppress(OSError):
            file.replace(file.with_name(BROKEN))
        return {}
