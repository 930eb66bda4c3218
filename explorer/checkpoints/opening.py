"""Opens a model that others trained, whichever format it is in."""

from pathlib import Path

from explorer.checkpoints import gguf, hugging_face, llama2c
from explorer.checkpoints.checkpoint import Checkpoint, Told, wrong


def opened(
    path: str | Path, dtype: str = "", tokenizer: str | Path | None = None, told: Told | None = None
) -> Checkpoint:
    """The model of a folder of the Hugging Face hub, or of a file, of GGUF or of llama2.c.

    Parameters
    ----------
    dtype : str
        "float64" or "float32"; without it float64 for small models.
    tokenizer : str or Path, optional
        The file of a tokenizer that lies elsewhere than beside a file of llama2.c.
    told : callable, optional
        Hears how much of the numbers is read.

    Raises
    ------
    ExplorerError
        "checkpoint" or "tokenizer" where it cannot be opened: what is wrong, and with which file.
    """
    path = Path(path)
    try:
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
