"""Words as vectors: GloVe tables are read, downloaded, compared, projected to two dimensions, and trained."""

from contextlib import suppress
from pathlib import Path

ENDINGS = (".vec", ".gz", ".npz")
"""Endings of files that can be nothing else here than word vectors; a .txt may, if its first line has numbers."""


def is_vectors(path: Path) -> bool:
    """Whether a path names a file that should be opened as word vectors. It is not read, but for a line of a .txt."""
    name = path.name.lower()
    with suppress(OSError, ValueError):
        if name.endswith(".txt") and path.is_file():
            with path.open("rb") as stream:
                _, *numbers = stream.readline(1 << 16).split() or [b""]
            return bool(numbers) and all(map(_is_number, numbers[:-1] or numbers))
        return name.endswith(ENDINGS) and path.is_file()
    return False


def _is_number(word: bytes) -> bool:
    with suppress(ValueError):
        return bool(float(word) or True)
    return False
