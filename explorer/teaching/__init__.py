"""Questions of lessons for a class: exercise sheets, answers, files for learning platforms. Files only, no server."""

import os
import re
from contextlib import suppress
from pathlib import Path

SHEET, ANSWERS = ".sheet.toml", ".answers.json"
"""Endings of the two kinds of files."""
HANDED_IN = (ANSWERS, ".answers*.json", ".answers*.json.txt", ".html", ".zip")
"""Endings of what a class hands in, for a dialog: also as a browser or a mail program renames a file, as the text that
was pasted into a learning platform, and packed."""
_NAMED = re.compile(r"[^.].*\.answers\b.*\.json(\.txt)?", re.IGNORECASE)
"""Matches a file of answers also as a browser or a mail program renames it: "ada.answers (1).json"."""


def is_named_answers(name: str) -> bool:
    """Whether a file is called like one of answers; a Mac puts a file "._NAME" beside each that it zips."""
    return _NAMED.fullmatch(name) is not None


def is_named_page(name: str) -> bool:
    """Whether a file is called like a text that was typed into a learning platform, of which some hold answers."""
    return name.lower().endswith((".html", ".htm")) and not name.startswith(".")


def is_zip(path: Path) -> bool:
    """Whether a file is a zip, whatever it is called."""
    from explorer.files import open_file  # the command line names the endings at its start

    with suppress(OSError, ValueError), open_file(path) as stream:
        return stream.read(4) == b"PK\x03\x04"
    return False


def is_for_class(path: Path) -> bool:
    """Whether a path names a sheet, a file of answers, or a folder or zip with files of answers."""
    if path.name.endswith(SHEET) or is_named_answers(path.name):
        return True
    if os.path.isdir(path):
        names = [one.name for ending in ("*.json*", "*.htm*") for one in path.rglob(ending)]
    else:
        names = [n.rpartition("/")[2] for n in _packed(path)] if path.suffix.lower() == ".zip" else [path.name]
    if any(map(is_named_answers, names)):
        return True
    if not any(map(is_named_page, names)):
        return False
    from explorer.teaching.gradebook import has_typed  # the first picture does not need it

    return has_typed(path)


def _packed(path: Path) -> list[str]:
    import zipfile  # the first picture does not need it

    with suppress(zipfile.BadZipFile, OSError, ValueError, NotImplementedError), zipfile.ZipFile(path) as archive:
        return archive.namelist()
    return []
