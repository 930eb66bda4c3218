"""Answers of sheets that somebody is at: beside the settings after each one, so that neither a crash nor closing takes
them away.

A sheet has a folder of its own, with a copy of it and, of each student at this computer, the file that would be handed
in. What cannot be written or read is as if it had not been begun.
"""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from explorer.core.errors import ExplorerError
from explorer.teaching import ANSWERS, SHEET
from explorer.teaching.answers import Answers, read_answers
from explorer.teaching.sheet import Sheet, known_as

FOLDER, MOST = "sheets", 20
"""In the folder of the person's settings; sheets that are kept: beyond that the oldest go."""


class Begun:
    """The sheets that were begun on this computer.

    `folder`: of the person's settings; None: nothing is kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder / FOLDER

    def keep(self, sheet: Sheet, answers: Answers) -> bool:
        """Keep what a student has answered so far; returns whether it is kept."""
        if self._folder is None:
            return False
        own = self._folder / sheet.id
        try:
            if not own.is_dir():
                own.mkdir(parents=True)
                for old in _newest_first(self._folder.iterdir())[MOST:]:
                    shutil.rmtree(old, ignore_errors=True)
            if not (copy := own / f"begun{SHEET}").exists():
                sheet.save(copy)
            answers.save(own / f"{_key(answers.student)}{ANSWERS}")
            os.utime(own)  # the newest, also where the file was there
        except (ExplorerError, OSError):
            return False
        return True

    def of(self, sheet: Sheet) -> dict[str, Answers]:
        """What there is of a sheet, by `known_as` of each student, the last one first."""
        if self._folder is None:
            return {}
        read = (_read(file) for file in _newest_first((self._folder / sheet.id).glob(f"*{ANSWERS}")))
        return {known_as(one.student): one for one in read if one is not None and one.agrees(sheet)}

    def latest(self, most: int) -> list[tuple[Path, Answers]]:
        """The sheets that somebody was at last, the newest first: the file of each, and the answers to it."""
        found = []
        with suppress(OSError):  # nothing was begun
            for own in _newest_first(self._folder.iterdir() if self._folder is not None else ())[:most]:
                read = (_read(file) for file in _newest_first(own.glob(f"*{ANSWERS}")))
                one = next((one for one in read if one is not None), None)
                if one is not None and (own / f"begun{SHEET}").is_file():
                    found.append((own / f"begun{SHEET}", one))
        return found


def _key(student: str) -> str:
    return sha256(known_as(student).encode()).hexdigest()[:16]


def _read(file: Path) -> Answers | None:
    with suppress(ExplorerError):
        return read_answers(file)
    return None


def _newest_first(paths: Iterable[Path]) -> list[Path]:
    times: dict[Path, float] = {}
    with suppress(OSError):
        for path in paths:
            times[path] = path.stat().st_mtime
    return sorted(times, key=times.__getitem__, reverse=True)
