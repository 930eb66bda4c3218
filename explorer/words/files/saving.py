"""Writing vectors to a file.

======================  ==============================================================================================
``.txt``                GloVe's own text: a word and its numbers a line
``.safetensors``        "vectors" (n, dims) and "words" (bytes: UTF-8, a newline between two words)
``.int8.safetensors``   the same, "vectors" as int8 with "scales" (n,): a quarter of the size
``.npz``                "vectors" and "words" as numpy arrays
======================  ==============================================================================================
"""

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from explorer import container
from explorer.core.errors import ExplorerError
from explorer.files import whole_file
from explorer.words.vectors import Vectors

FORMAT = "explorer-vectors"
ENDINGS = (".txt", ".int8.safetensors", ".safetensors", ".npz")


def check(out: Path) -> None:
    """See that a file of this name can be written.

    Raises `ExplorerError`: "unknown-ending".
    """
    if not out.name.lower().endswith(ENDINGS):
        raise ExplorerError("unknown-ending", file=out, known=", ".join(ENDINGS))


def save(vectors: Vectors, out: Path) -> None:
    """Write the vectors; the file appears under its name when it is whole.

    Raises `ExplorerError`: "unknown-ending" or "not-written".
    """
    check(out)
    ending = next(ending for ending in ENDINGS if out.name.lower().endswith(ending))
    write: Callable[[Vectors, BinaryIO], None]
    write = {".txt": _text, ".npz": _npz, ".safetensors": _safetensors, ".int8.safetensors": _int8}[ending]
    with whole_file(out) as stream:
        write(vectors, stream)


def to_int8(array: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Each vector as whole numbers from -127 to 127 times a scale of its own."""
    scales = np.abs(array).max(1) / np.float32(127)
    return np.rint(array / np.where(scales, scales, 1)[:, None]).astype(np.int8), scales


def _text(vectors: Vectors, stream: BinaryIO) -> None:
    for word, vector in zip(vectors.words, vectors.array, strict=True):
        # The shortest digits that give the same float32 again.
        stream.write(f"{word} {' '.join(map(str, vector))}\n".encode())


def _npz(vectors: Vectors, stream: BinaryIO) -> None:
    np.savez(stream, vectors=vectors.array, words=np.array(list(vectors.words)))


def _safetensors(vectors: Vectors, stream: BinaryIO) -> None:
    _tensors(stream, vectors, {"vectors": np.asarray(vectors.array)})


def _int8(vectors: Vectors, stream: BinaryIO) -> None:
    small, scales = to_int8(vectors.array)
    _tensors(stream, vectors, {"vectors": small, "scales": scales})


def _tensors(stream: BinaryIO, vectors: Vectors, arrays: dict[str, NDArray[np.generic]]) -> None:
    words = np.frombuffer(vectors.words.text[1:-1], np.uint8)
    container.write(stream, {"format": FORMAT}, {**arrays, "words": words})
