"""Questions of lessons for a class: exercise sheets, answers, files for learning platforms. Files only, no server."""

import os
from pathlib import Path

SHEET, ANSWERS = ".sheet.toml", ".answers.json"
"""Endings of the two kinds of files."""


def is_for_class(path: Path) -> bool:
    """Whether a path names a sheet, a file of answers, or a folder with such files."""
    if path.name.endswith((SHEET, ANSWERS)):
        return True
    return os.path.isdir(path) and next(path.rglob(f"*{ANSWERS}"), None) is not None
