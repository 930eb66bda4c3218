"""Models that others trained: a folder of the Hugging Face hub, or a file, becomes one of our models with inputs."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.core.errors import ExplorerError

if TYPE_CHECKING:
    from explorer.checkpoints.checkpoint import Checkpoint, Told

ENDINGS = (".gguf", ".bin")
"""Endings of files that contain a whole model."""


def is_checkpoint(path: str | Path) -> bool:
    """Whether a path should be opened as a model that others trained: a folder, or a file with such an ending.

    A folder given by its bare name, which could also be the name of a lesson, must contain a config.json or a GGUF
    file. Every path that is opened is checked, so this module imports no reader.
    """
    name = os.fspath(path)
    with suppress(ValueError, OSError):  # a zero byte in a name; a folder that may not be read
        if os.path.isdir(name):
            return os.path.basename(name) != name or any(
                one == "config.json" or one.lower().endswith(".gguf") for one in os.listdir(name)
            )
        return name.lower().endswith(ENDINGS) and os.path.isfile(name)
    return False


def check_form(file: Path) -> None:
    """Check that a file is not one in which other programs keep models, and that is not read here.

    Raises `ExplorerError`: "checkpoint".
    """
    problem, remedy = _FORMS.get(file.suffix.lower(), ("", ""))
    if problem and file.is_file():
        raise ExplorerError("checkpoint", file=str(file), problem=problem, remedy=remedy)


_PICKLE = (
    "is a pickle, which can run code when it is opened",
    "convert it elsewhere with `model.save_pretrained(FOLDER, safe_serialization=True)`",
)
_UNREAD = "is a form of models that is not read here", "write it as a folder of config.json and safetensors, or as GGUF"
_FORMS = {
    **dict.fromkeys((".pt", ".pth", ".ckpt", ".pkl"), _PICKLE),
    **dict.fromkeys((".npz", ".npy", ".h5", ".keras", ".onnx", ".msgpack", ".tflite"), _UNREAD),
    ".safetensors": ("has weights, but beside it lies no config.json, which says how to use them", "put that there"),
}
"""What is wrong with files of models that are not read, by their endings, and what to do."""


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


def opened(
    path: str | Path, dtype: str = "", tokenizer: str | Path | None = None, told: "Told | None" = None
) -> "Checkpoint":
    """The model of a folder of the Hugging Face hub, or of a file of GGUF or llama2.c, alone or in its folder.

    `dtype`: "float64" or "float32"; default: float64 for small models.
    `tokenizer`: the tokenizer's file for a file of llama2.c, if it is in another folder.
    `told`: called with the number of numbers read and the total.
    Raises `ExplorerError`: "bad-dtype"; "checkpoint" or "tokenizer" if it cannot be opened, with what is wrong in which
    file.
    """
    from explorer.checkpoints import gguf, hugging_face, llama2c  # only when somebody opens such a model
    from explorer.checkpoints.checkpoint import wrong

    if dtype not in ("", "float32", "float64"):
        raise ExplorerError("bad-dtype", name=dtype)
    path = Path(path)
    try:
        path = model_in(path)
        if tokenizer and not path.suffix.lower() == ".bin":
            raise wrong(path, "is no file of llama2.c (.bin), so it takes no tokenizer from elsewhere", "leave it out")
        if path.is_dir():
            return hugging_face.opened(path, dtype, told)
        with path.open("rb") as stream:
            is_gguf = stream.read(4) == gguf.MAGIC
        if is_gguf or path.suffix.lower() == ".gguf":
            return gguf.opened(path, dtype, told)
        return llama2c.opened(path, dtype, tokenizer, told)
    except OSError as error:
        raise wrong(
            Path(error.filename or path),
            f"cannot be read: {error.strerror or error}",
            "check its place, and whether you may read it",
        ) from None
    except MemoryError:
        raise wrong(
            path, "needs more memory than there is here", "end other programs, or choose a smaller model"
        ) from None
