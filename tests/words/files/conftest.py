"""Small tables in every form there is."""

import io
import zipfile

import numpy as np
import pytest
from safetensors.numpy import save

from explorer.core.errors import ExplorerError
from explorer.sentences import sentence
from explorer.words.files import formats

WORDS = ["the", "naïve", "日本", "a\u00a0b", "o'clock", ". . .", "12"]
ARRAY = np.array([[1.5, -2], [0.1, 3e-8], [1e30, 4], [5, 6], [7, 8], [9, 10], [11, 12]], np.float32)
WHOLE = np.arange(14, dtype=np.int8).reshape(7, 2)
NUMBERS = ["1.5 -2", "0.1 3e-8", "1e+30 4", "5 6", "7.000 8", "9 1e1", "+11 12"]
GLOVE = "".join(f"{word} {numbers}\n" for word, numbers in zip(WORDS, NUMBERS, strict=True)).encode()
WORD2VEC = b"7 2\n" + GLOVE
BINARY = b"7 2\n" + b"".join(
    word.encode() + b" " + vector.tobytes() for word, vector in zip([*WORDS[:5], "x", "y"], ARRAY, strict=True)
)


def read(tmp_path, content, name="file"):
    file = tmp_path / name
    file.write_bytes(content)
    blocks = list(formats.blocks(file))
    words = [word.decode() for block in blocks for word in block.words]
    array = np.concatenate([block.array for block in blocks])
    assert array.dtype == np.float32
    return words, array


def refused(tmp_path, content, name="file"):
    with pytest.raises(ExplorerError) as caught:
        read(tmp_path, content, name)
    said = sentence(caught.value)
    assert name in said
    assert "\n" not in said
    return said.partition(f"{name}: ")[2]


def npz(**given):
    stream = io.BytesIO()
    np.savez(stream, **given)
    return stream.getvalue()


def tensors(**given):
    return save(given)


def spelt(*words):
    return np.frombuffer("\n".join(words).encode(), np.uint8)


def archive(**files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as target:
        for name, content in files.items():
            target.writestr(name, content)
    return stream.getvalue()
