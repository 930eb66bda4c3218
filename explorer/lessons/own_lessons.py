"""Lessons by others: a folder or a zip of lessons is checked and copied into a folder in the user's settings.

The zips that the program writes end in `BUNDLE`, so that the system opens them, and no other zips, with this program.
Nothing in a zip is trusted: neither its size, nor the paths in it, nor the kinds of its files. Only lessons (`.toml`)
and weights beside them (`.safetensors`) are copied; everything else is ignored.
"""

import os
import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath

from explorer import PROGRAM
from explorer.core.errors import ExplorerError
from explorer.files import open_file, whole_file
from explorer.lessons import reading
from explorer.lessons.loader import head_of, load

BUNDLE = ".lessons"
TAKEN = (".toml", ".safetensors")
_SHEET = ".sheet.toml"  # exercise sheets are no lessons; they stay where they are
FOLDER = "lessons"
"""The name of that folder, in the folder of the user's settings."""
MOST_FILES, MOST_WEIGHTS, MOST_IN_ALL = 200, 100_000_000, 200_000_000
"""The most files, bytes of one file of weights, and bytes of all files."""
_STAMP = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that the same lessons give the same bytes
DAMAGED = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError)
"""What reading of a damaged zip may raise."""


_Entry = tuple[PurePosixPath, int, Callable[[int], bytes]]
"""A file of a bundle: its path, its stated size, and a function that reads up to a given number of its bytes."""


def is_bundle(path: Path) -> bool:
    """Whether a path names a zip, or a folder with lessons in it or in one of its folders."""
    if os.path.isdir(path):  # also False, and no error, for a name that no system allows
        return any(next(path.glob(f"{deep}*.lesson.toml"), None) is not None for deep in ("", "*/"))
    return path.suffix.lower() in (".zip", BUNDLE)


def take_in(source: Path, folder: Path) -> list[Path]:
    """Check lessons by others, from a zip or a folder, and keep a copy of them in `folder`.

    They replace lessons that were kept under the same name. Returns their files, sorted by path.

    Raises `ExplorerError`: "lesson-not-read", "bundle-damaged", "bundle-too-large", "bundle-outside", "bundle-link",
    "bundle-empty"; "not-written"; those of `load` for a lesson that is not valid.
    """
    called = source.name if source.is_dir() else source.stem  # a folder's name has no ending: "week.1", "week.2"
    name = re.sub(r"(?:[^\w-]|_)+", "-", called).strip("-") or "lessons"  # letters of any script
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as beside:
            made, old, kept = Path(beside, "new"), Path(beside, "old"), folder / name
            made.mkdir()
            for inside, content in _files(source):
                file = Path(made, *inside.parts)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            lessons = _lessons(made)
            if not lessons:
                raise ExplorerError("bundle-empty", file=source)
            for file in lessons:
                _check(file, source, file.relative_to(made))
            if kept.exists():
                kept.rename(old)
            try:
                made.rename(kept)
            except OSError:
                if old.exists():
                    old.rename(kept)
                raise
    except OSError as error:
        raise ExplorerError("not-written", file=folder, reason=error.strerror or error) from None
    return _lessons(folder / name)


def bundle(source: Path, out: Path, more: Sequence[Path] = ()) -> int:
    """Write the lessons of a folder, and the weights beside them, into one file; returns how many lessons.

    `more`: files of further lessons, each of which gets a folder in the bundle, with its weights.

    Raises `ExplorerError`: those of `take_in`, for files that others could not open; "not-written".
    """
    content = {} if more and not source.is_dir() else dict(_files(source))
    lessons = [source.joinpath(*name.parts) for name in content if name.suffix.lower() == ".toml"]
    for file in lessons:
        _check(file, source, file.relative_to(source))
    for file in more:
        _check(file, source, Path(file.name))  # before the files are read that it names: they lie beside it
        stem = file.name.removesuffix(".toml").removesuffix(".lesson")
        taken = {one.parts[0].casefold() for one in content}
        called = next(one for one in (stem, *(f"{stem}-{n}" for n in range(2, 999))) if one.casefold() not in taken)
        beside = named_in(reading.read(file))
        try:
            content |= {PurePosixPath(called, one): _read(file.parent / one, MOST_WEIGHTS) for one in beside}
            content[PurePosixPath(called, file.name)] = _read(file, reading.MOST_BYTES)
        except OSError as error:
            raise ExplorerError("lesson-not-read", file=file, reason=error.strerror or error) from None
    if not lessons and not more:
        raise ExplorerError("bundle-empty", file=source)
    with whole_file(out) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = PROGRAM.encode()
        for name, data in content.items():
            archive.writestr(zipfile.ZipInfo(str(name), _STAMP), data, zipfile.ZIP_DEFLATED)
    return len(lessons) + len(more)


def remove(lesson: Path, folder: Path) -> None:
    """Delete a lesson, one of `yours`, from the folder in which lessons are kept.

    With the last lesson of a bundle, all other files of the bundle are deleted, too.

    Raises `ExplorerError`: "not-written".
    """
    together = folder / lesson.relative_to(folder).parts[0]
    try:
        lesson.unlink(missing_ok=True)
        if os.path.isdir(together) and not _lessons(together):
            shutil.rmtree(together)
    except OSError as error:
        raise ExplorerError("not-written", file=lesson, reason=error.strerror or error) from None


def yours(folder: Path | None, files: Sequence[Path] = ()) -> dict[Path, str]:
    """The kept lessons and those of `files`, each with its title, without those that can no longer be read."""
    folders = [] if folder is None or not folder.is_dir() else sorted(folder.iterdir())
    kept = [one for one in folders if one.is_dir() and not one.name.startswith(".")]
    found: dict[Path, str] = {}
    for file in (*files, *(file for one in kept for file in _lessons(one))):
        with suppress(ExplorerError, OSError):
            found[file] = head_of(file).title
    return found


def _check(file: Path, source: Path, name: Path) -> None:
    """Load a lesson, if all files that it names are in its own folder; `name`: its path within the bundle.

    Raises `ExplorerError`: "bundle-outside", and those of `load`.
    """
    if any(".." in beside or not _OUTSIDE.isdisjoint(beside) for beside in named_in(reading.read(file))):
        raise ExplorerError("bundle-outside", file=source, name=name.as_posix())
    load(file)


def named_in(top: reading.TomlTable) -> list[str]:
    """The files that a lesson names, as it names them."""
    settings = top.table("settings")
    tables = (top, *map(settings.table, settings))
    named = [table.data.get(key) for table in tables for key in ("weights", "tokenizer")]
    return [one for one in named if isinstance(one, str)]


_OUTSIDE = frozenset("/\\:")
"""The signs that lead from a name of a file into another folder, or to another computer."""


def _lessons(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix.lower() == ".toml")


def _files(source: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files that are copied: paths within the bundle, and contents. All paths are checked before any content."""
    total = 0
    for name, size, read in _in_folder(source) if source.is_dir() else _in_zip(source):
        most = reading.MOST_BYTES if name.suffix.lower() == ".toml" else MOST_WEIGHTS
        try:
            content = read(most + 1) if size <= most else b""
        except DAMAGED:
            raise ExplorerError("bundle-damaged", file=source) from None
        total += len(content)
        if size > most or len(content) > most or total > MOST_IN_ALL:
            raise ExplorerError("bundle-too-large", file=source, name=str(name))
        yield name, content


def _is_taken(name: PurePosixPath) -> bool:
    # A Mac puts a file "._NAME" beside each file that it zips.
    return name.suffix.lower() in TAKEN and not name.name.lower().endswith(_SHEET) and not name.name.startswith("._")


def _in_folder(source: Path) -> Iterator[_Entry]:
    found = []
    for path in sorted(source.rglob("*")):
        name = PurePosixPath(*path.relative_to(source).parts)
        if path.is_symlink():
            raise ExplorerError("bundle-link", file=source, name=str(name))
        if _is_taken(name) and path.is_file():
            found.append((name, path.stat().st_size, partial(_read, path)))
        if len(found) > MOST_FILES:
            raise ExplorerError("bundle-too-large", file=source, name=str(name))
    yield from found


def _read(path: Path, most: int) -> bytes:
    with open_file(path) as stream:
        return stream.read(most)


def _in_zip(source: Path) -> Iterator[_Entry]:
    try:
        opened = open_file(source)
    except OSError as error:
        raise ExplorerError("lesson-not-read", file=source, reason=error.strerror or error) from None
    try:
        with opened as stream, zipfile.ZipFile(stream) as archive:
            found = []
            for info in archive.infolist():
                name = PurePosixPath(info.filename)
                if stat.S_ISLNK(info.external_attr >> 16):
                    raise ExplorerError("bundle-link", file=source, name=info.filename)
                if name.is_absolute() or ".." in name.parts or "\\" in info.filename or ":" in info.filename:
                    raise ExplorerError("bundle-outside", file=source, name=info.filename)
                if not info.is_dir() and _is_taken(name):
                    found.append((name, info.file_size, partial(unpacked, archive, info)))
            if len(found) > MOST_FILES:
                raise ExplorerError("bundle-too-large", file=source, name=str(found[-1][0]))
            if len({str(name).casefold() for name, *_ in found}) < len(found):
                raise ExplorerError("bundle-damaged", file=source)
            yield from found
    except DAMAGED:
        raise ExplorerError("bundle-damaged", file=source) from None


def unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """The first bytes of a file in a zip; raises one of `DAMAGED` if it cannot be unpacked, or only whole."""
    if not in_pieces(info):
        raise NotImplementedError
    with archive.open(info) as stream:
        return stream.read(most)


def in_pieces(info: zipfile.ZipInfo) -> bool:
    """Whether a file can be unpacked in pieces: packed in other ways, a few bytes may become gigabytes at once."""
    return not info.flag_bits & 0x1 and info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
