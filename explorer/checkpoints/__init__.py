"""Models that others trained: a folder of the Hugging Face hub, or a file, becomes one of our models with inputs."""

import os
from pathlib import Path

ENDINGS = (".gguf", ".bin")
"""Endings of files that contain a whole model."""


def is_checkpoint(path: str | Path) -> bool:
    """Whether a path should be opened as a model that others trained: a folder, or a file with such an ending.

    A folder given by its bare name, which could also be the name of a lesson, must contain a config.json. Every path
    that is opened is checked, so this module imports no reader.
    """
    name = os.fspath(path)
    try:
        if os.path.isdir(name):
            return os.path.basename(name) != name or os.path.isfile(os.path.join(name, "config.json"))
        return name.lower().endswith(ENDINGS) and os.path.isfile(name)
    except ValueError:  # a zero byte in a name
        return False


def model_in(path: Path) -> Path:
    """The file of a folder without a config.json that has one file of a whole model; of anything else the path itself.

    Beside a model of llama2.c lies its tokenizer, such as tok512.bin.
    """
    if not path.is_dir() or (path / "config.json").is_file():
        return path
    files = (file for file in path.glob("*") if file.is_file() and not file.name.startswith("tok"))
    models = [file for file in files if is_checkpoint(file)]
    return models[0] if len(models) == 1 else path


def size_of(path: str | Path) -> int:
    """How many bytes of numbers must be read, from the sizes of files."""
    path = model_in(Path(path))
    files = [path] if path.is_file() else [*path.glob("*.safetensors")]
    return sum(file.stat().st_size for file in files if file.is_file())
