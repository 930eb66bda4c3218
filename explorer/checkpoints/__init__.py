"""Models that others trained: a folder of the Hugging Face hub, or a file, becomes one of our models and its inputs."""

import os
from pathlib import Path

ENDINGS = (".gguf", ".bin")
"""Of files that hold a whole model."""


def is_checkpoint(path: str | Path) -> bool:
    """Whether this is to be opened as a model that others trained: a folder, or a file of such a kind.

    A folder that is named without a path, as a lesson may be, has to have a config.json. Asked of all that is opened,
    so it imports no reader.
    """
    name = os.fspath(path)
    try:
        if os.path.isdir(name):
            return os.path.basename(name) != name or os.path.isfile(os.path.join(name, "config.json"))
        return name.lower().endswith(ENDINGS) and os.path.isfile(name)
    except ValueError:  # a zero byte in a name
        return False


def size_of(path: str | Path) -> int:
    """How many bytes of numbers there are to read, by the sizes of files alone."""
    path = Path(path)
    files = [path] if path.is_file() else [*path.glob("*.safetensors")]
    return sum(file.stat().st_size for file in files if file.is_file())
