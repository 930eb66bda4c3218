"""What a class hands in: files of answers, in folders, and in the zips in which learning platforms hand them out.

A text that was pasted into a platform is a page of HTML there, among others that are no answers.

Of a zip nothing is unpacked onto the disk: each file of answers in it is read by itself, up to the size that one may
have. The names in a zip are only shown; no path is made of them.
"""

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.files import open_file
from explorer.lessons.own_lessons import DAMAGED, in_pieces, unpacked
from explorer.teaching import ANSWERS, is_named_answers, is_named_page, is_zip
from explorer.teaching.sheet import MOST_BYTES, Answers, answers_from, holds_answers, read_answers

_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters of a name in a zip that would act on a terminal, or turn around what stands beside them."""


class Submission(Frozen, eq=False):
    """A file of answers, as it is called where it counts or does not."""

    name: str  # its path; in a zip, the path of the zip and its own in there
    read: Callable[[], Answers]  # raises the `ExplorerError`s of `read_answers`


def submissions(files: Iterable[Path]) -> Iterator[Submission]:
    """The files of answers among these files, and in these folders and zips, each once, in the order of their names."""
    seen = set[str]()
    for given in files:
        found = sorted(filter(_may_be_answers, given.rglob("*"))) if given.is_dir() else [given]
        for path in found:
            if str(path) in seen:
                continue
            seen.add(str(path))
            if is_zip(path):
                yield from _in_zip(path, wanted=path is given or is_named_answers(path.name))
            else:
                yield Submission(str(path), partial(read_answers, path))


def has_typed(path: Path) -> bool:
    """Whether answers stand in a page of HTML, or in one in a folder or zip."""
    if path.is_dir():
        return any(map(_is_typed, path.rglob("*")))
    return any(is_named_page(one.name.rpartition("/")[2]) for one in _in_zip(path, False)) or _is_typed(path)


def _may_be_answers(path: Path) -> bool:
    return is_named_answers(path.name) or (path.suffix.lower() == ".zip" and is_zip(path)) or _is_typed(path)


def _is_typed(path: Path) -> bool:
    """Whether a file is a page of HTML in which answers stand."""
    raw = b""
    if is_named_page(path.name):
        with suppress(OSError, ValueError), open_file(path) as stream:
            raw = stream.read(MOST_BYTES + 1)
    return holds_answers(raw)


def _in_zip(path: Path, wanted: bool) -> list[Submission]:
    """The files of answers in a zip; `wanted`: whether it is to be told if there are none."""
    found = []
    try:
        with open_file(path) as stream, zipfile.ZipFile(stream) as archive:
            for one in archive.infolist():
                own = one.filename.rpartition("/")[2]
                name = f"{path}/{_UNSEEN.sub('', one.filename)}"
                if is_named_answers(own) or (is_named_page(own) and holds_answers(_bytes(path, one))):
                    found.append(Submission(name, partial(_unpacked, path, one, name)))
                elif own.lower().endswith(".zip") and not own.startswith("."):
                    found.append(Submission(name, partial(_refuse, "answers-packed", name)))
    except DAMAGED:
        return [Submission(str(path), partial(_refuse, "answers-damaged", str(path)))] if wanted else []
    if not found and wanted:
        return [Submission(str(path), partial(_refuse, "no-answers-packed", str(path), ending=ANSWERS))]
    return found


def _unpacked(path: Path, one: zipfile.ZipInfo, name: str) -> Answers:
    if not in_pieces(one):
        raise ExplorerError("answers-packed", file=name)
    return answers_from(_bytes(path, one), name)


def _bytes(path: Path, one: zipfile.ZipInfo) -> bytes:
    """The beginning of a file in a zip; none if it cannot be unpacked, or only whole."""
    raw = b""
    with suppress(*DAMAGED), open_file(path) as stream, zipfile.ZipFile(stream) as archive:
        raw = unpacked(archive, one, MOST_BYTES + 1)
    return raw


def _refuse(why: str, name: str, **fields: object) -> Answers:
    raise ExplorerError(why, file=name, **fields)
