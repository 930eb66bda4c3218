"""Opens a model that others trained, in any of the known formats."""

from pathlib import Path

from explorer.checkpoints import gguf, hugging_face, llama2c, model_in
from explorer.checkpoints.checkpoint import Checkpoint, Told, wrong
from explorer.core.errors import ExplorerError


def opened(
    path: str | Path, dtype: str = "", tokenizer: str | Path | None = None, told: Told | None = None
) -> Checkpoint:
    """The model of a folder of the Hugging Face hub, or of a file of GGUF or llama2.c, alone or in its folder.

    Parameters
    ----------
    dtype : str
        "float64" or "float32"; default: float64 for small models.
    tokenizer : str or Path, optional
        The tokenizer's file for a file of llama2.c, if it is in another folder.
    told : callable, optional
        Called with the number of numbers read and the total.

    Raises
    ------
    ExplorerError
        "bad-dtype"; "checkpoint" or "tokenizer" if it cannot be opened, with what is wrong in which file.
    """
    if dtype not in ("", "float32", "float64"):
        raise ExplorerError("bad-dtype", name=dtype)
    path = Path(path)
    try:
        path = model_in(path)
        if tokenizer and not path.suffix.lower() == ".bin":
            raise wrong(path, "is no file of llama2.c (.bin), so it takes no tokenizer from elsewhere")
        if path.is_dir():
            return hugging_face.opened(path, dtype, told)
        with path.open("rb") as stream:
            is_gguf = stream.read(4) == gguf.MAGIC
        if is_gguf or path.suffix.lower() == ".gguf":
            return gguf.opened(path, dtype, told)
        return llama2c.opened(path, dtype, tokenizer)
    except OSError as error:
        raise wrong(Path(error.filename or path), f"cannot be read: {error.strerror or error}") from None
    except MemoryError:
        raise wrong(path, "needs more memory than there is here") from None
