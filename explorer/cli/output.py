"""Which files a command may overwrite: no file that it reads, and only files that this program has written."""

import os
import re
import zipfile
import zlib
from argparse import Namespace
from codecs import BOM_UTF8
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from explorer import PROGRAM
from explorer.core.errors import ExplorerError
from explorer.files import open_file
from explorer.sentences import visible

HEAD = 1 << 20
"""A file is recognised by at most this many bytes at its beginning."""
_TABLES_OF_A_CLASS = b"student,question,right,", b"student,right,questions,"
_MOST_MEMBERS, _SMALL = 100, 10_000
_NO_ZIP = (OSError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, ValueError)


def check_out(arguments: Namespace) -> None:
    """Check, before a command does anything, that its output will destroy nothing. Commands without `out` pass.

    Raises `ExplorerError`: "writes-what-it-reads", "not-ours" or "not-written".
    """
    out = getattr(arguments, "out", None)
    if out is None or getattr(arguments, "frames", False):  # the number of frames, and so of files, is known later
        return
    given = [value for name, value in vars(arguments).items() if name != "out"]
    words = [word for value in given for word in (value if isinstance(value, list) else [value])]
    may_write(Path(out), arguments.force, *(word for word in words if isinstance(word, str)))
    if out.lower().endswith(".py"):
        may_write(Path(f"{out}.npz"), arguments.force)


def may_write(out: Path, force: bool, *sources: str | Path | None) -> None:
    """Check that a file may be written.

    `force`: whether the user allowed to overwrite any file.
    `sources`: the files that the command reads; words that are no files are ignored.
    Raises `ExplorerError`: "writes-what-it-reads", "not-ours", or "not-written" if `out` exists and is no file.
    """
    if not os.path.exists(out):
        return
    if not os.path.isfile(out):  # reading from it could wait for ever
        raise ExplorerError("not-written", file=out, reason="it is not a file")
    if force:
        return
    if any(_same(out, source) for source in sources if source is not None):
        raise ExplorerError("writes-what-it-reads", file=out)
    try:
        with open_file(out) as stream:
            head = stream.read(HEAD)
    except OSError as error:
        raise ExplorerError("not-written", file=out, reason=error.strerror or error) from None
    known = next((known for ending, known in KINDS.items() if out.name.lower().endswith(ending)), None)
    if head and (known is None or not known(head, out)):
        raise ExplorerError("not-ours", file=out)


def wrote(*files: str | Path) -> str:
    """The sentence that a command prints about the files that it has written."""
    return f"wrote {' and '.join(map(shown, files))}"


def shown(file: str | Path) -> str:
    """The name of a file for one line of a terminal, with control characters made visible."""
    return visible(file).replace("\n", "\\n")


def _same(out: Path, source: str | Path) -> bool:
    """Whether two names, or links, lead to the same file."""
    try:
        return os.path.samefile(out, source)
    except (OSError, ValueError):  # one of them is no file
        return False


Known = Callable[[bytes, Path], bool]
"""Says of a file, from its first bytes and its path, whether this program has written it."""


def _says(mark: bytes) -> Known:
    """Recognises a file that begins with `mark` and has the name of this program in its first bytes."""
    names = [PROGRAM.encode(coding) for coding in ("utf-8", "utf-16-be")]  # a PDF uses the second
    return lambda head, path: head.startswith(mark) and any(name in head for name in names)


def _holds(head: bytes, format: str) -> bool:
    """Whether a file is a container whose manifest names this format."""
    return head[8:].startswith(rb'{"__metadata__":{"explorer":"{\"manifest\":{\"format\":\"' + format.encode())


def _is_document(head: bytes, path: Path) -> bool:
    from explorer.document.manifest import FORMAT

    return _holds(head, FORMAT) or "document.json" in _members(path)  # of version 1


def _is_vectors(head: bytes, path: Path) -> bool:
    from explorer.words.formats import FORMAT

    return _holds(head, FORMAT)


def _is_workbook(head: bytes, path: Path) -> bool:
    about = "docProps/core.xml"
    return about in _members(path) and f"<dc:creator>{PROGRAM}<".encode() in _members(path)[about]


def _is_commented(head: bytes, path: Path) -> bool:
    with suppress(*_NO_ZIP), zipfile.ZipFile(path) as archive:
        return archive.comment == PROGRAM.encode()
    return False


def _stands_beside_script(head: bytes, path: Path) -> bool:
    """Whether arrays belong to a script of this program: a .npz cannot name the program, the script beside it can."""
    script = path.with_suffix("")
    with suppress(OSError), open_file(script) as stream:
        return KINDS[".py"](stream.read(HEAD), script)
    return False


def _is_table_of_words(head: bytes, path: Path) -> bool:
    """Whether each line is a word with equally many numbers, as `explorer.words.formats.save` writes them.

    Tables of others have fewer digits than a float32 needs.
    """
    found = {_numbers_in(line) for line in head.split(b"\n")[:-1]}
    return len(found) == 1 and found != {0} and re.search(rb" \S*[1-9][\d.]{7}", head) is not None


def _numbers_in(line: bytes) -> int:
    """How many numbers follow the word of a line, each in the digits that a float32 needs; 0 for any other line."""
    import numpy as np

    said = line.decode("utf-8", "replace").split(" ")[1:]
    try:
        with np.errstate(over="ignore"):
            return len(said) if list(map(str, np.array(said, np.float32))) == said else 0
    except ValueError:
        return 0


def _members(path: Path) -> dict[str, bytes]:
    """The members of a zip archive by name, with the contents of the small ones; {} for any other file."""
    try:
        with zipfile.ZipFile(path) as archive:
            listed = archive.infolist()[:_MOST_MEMBERS]
            return {one.filename: archive.read(one) if one.file_size < _SMALL else b"" for one in listed}
    except _NO_ZIP:
        return {}


KINDS: dict[str, Known] = {
    ".explorer": _is_document,
    ".xlsx": _is_workbook,
    ".py": _says(b"# Every number of a transformer"),
    ".py.npz": _stands_beside_script,
    ".png": _says(b"\x89PNG"),
    ".svg": _says(b"<?xml"),
    ".gif": _says(b"GIF8"),
    ".mp4": lambda head, path: _says(head[:4])(head, path) and head[4:8] == b"ftyp",  # the length of a part comes first
    ".pdf": _says(b"%PDF"),
    ".html": _says(b"<!DOCTYPE html>"),
    ".sheet.toml": _says(b"# An exercise sheet"),
    ".answers.json": lambda head, path: b'"format": "explorer answers' in head,
    ".csv": lambda head, path: head.removeprefix(BOM_UTF8).startswith(_TABLES_OF_A_CLASS),
    ".xml": _says(b"<?xml"),
    ".zip": lambda head, path: PROGRAM.encode() in _members(path).get("imsmanifest.xml", b""),
    ".lessons": _is_commented,
    ".txt": _is_table_of_words,
    ".safetensors": _is_vectors,
    ".npz": _is_commented,
}
"""How a file is recognised as one of ours, by the ending of its name. Endings are tried in this order."""
