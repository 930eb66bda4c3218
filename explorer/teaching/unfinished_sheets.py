"""Answers of unfinished sheets, saved beside the settings after each answer, so that neither a crash nor closing loses
them.

Each sheet has a folder with a copy of it and, for each student at this computer, the file that would be handed in. A
sheet whose files cannot be written or read counts as not begun.
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
"""The name of the folder beside the settings; how many sheets are kept: the oldest are deleted."""


class Begun:
    """The sheets that were begun on this computer.

    `folder`: that of the person's settings; None: nothing is kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder / FOLDER

    def keep(self, sheet: Sheet, answers: Answers) -> bool:
        """Save a student's answers so far; returns whether that succeeded."""
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
            os.utime(own)  # makes it the newest even if the file existed
        except (ExplorerError, OSError):
            return False
        return True

    def of(self, sheet: Sheet) -> dict[str, Answers]:
        """All saved answers of a sheet, by `known_as` of the student, the latest first."""
        if self._folder is None:
            return {}
        read = (_read(file) for file in _newest_first((self._folder / sheet.id).glob(f"*{ANSWERS}")))
        return {known_as(one.student): one for one in read if one is not None and one.agrees(sheet)}

    def latest(self, most: int) -> list[tuple[Path, Answers]]:
        """The sheets worked on last, the newest first: the file of each, and the latest answers to it."""
        found = []
        with suppress(OSError):  # no sheet was begun
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
