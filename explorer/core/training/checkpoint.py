"""A training run as a file that it can be taken up from: safetensors, no pickle. The file appears when it is whole.

A run that goes on from its checkpoint gives the bits of one that was never broken off. In the file stand

=============================  =======================================================================================
``weights/NODE``               the weights, frozen ones too
``memory/FIELD/NODE[/i]``      what the optimiser remembers, as its field of that name holds it
``history/…``                  the records so far, a column each: ``losses``, ``rates``, ``norms``, ``blocks/BLOCK``,
                               ``judged`` (after which steps) and ``validations``
``run``                        in the metadata, as JSON: the format, how many steps, the recipe, and a fingerprint of
                               the model, its first weights and the examples
=============================  =======================================================================================
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.training.trainer import History, Trainer

ENDING = ".training"
FORMAT = "Transformer Explorer training 1"
MOST_BYTES = 4_000_000_000

_COLUMNS = ("losses", "rates", "norms")


def save(trainer: Trainer, path: Path) -> None:
    """Write a checkpoint.

    Raises
    ------
    ExplorerError
        "not-written"
    """
    arrays = {f"weights/{name}": array for name, array in trainer.weights.items()}
    arrays |= _memory(trainer)
    history = trainer.history
    arrays |= {f"history/{name}": np.array(getattr(history, name)) for name in _COLUMNS}
    arrays |= {f"history/blocks/{block}": np.array(norms) for block, norms in history.blocks.items()}
    arrays["history/judged"] = np.array([step for step, _ in history.validations], dtype=np.int64)
    arrays["history/validations"] = np.array([loss for _, loss in history.validations], dtype=np.float64)
    _write(path, arrays, {"at": trainer.at, **_about(trainer)})


def load(trainer: Trainer, path: Path) -> None:
    """Go on from a checkpoint: the trainer, made of the same model, examples and recipe, becomes what it was then.

    Raises
    ------
    ExplorerError
        "checkpoint-not-read", or "run-differs" where it is of another run. The trainer stays as it was then.
    """
    arrays, run = _read(path)
    about = _about(trainer)
    if {key: run.get(key) for key in about} != about:
        raise ExplorerError("run-differs", file=path)
    try:
        _restore(trainer, arrays, run["at"])
    except (KeyError, ValueError, TypeError) as error:
        raise ExplorerError("checkpoint-not-read", file=path, reason=f"it does not fit together ({error})") from None


def weights(path: Path) -> tuple[int, dict[str, Array]]:
    """The number of steps and the weights in a checkpoint, for a window that shows a run of another process.

    Raises
    ------
    ExplorerError
        "checkpoint-not-read"
    """
    arrays, run = _read(path)
    return int(run["at"]), _below("weights/", arrays)


def edit(path: Path, given: Mapping[str, Array]) -> None:
    """Put other weights into a checkpoint: a run of another process is stopped, edited, and started again.

    Parameters
    ----------
    path : Path
    given : mapping of str to numpy.ndarray
        In the shape and type that the file has them.

    Raises
    ------
    ExplorerError
        "checkpoint-not-read" or "not-written".
    """
    arrays, run = _read(path)
    for name, array in given.items():
        was = arrays.get(f"weights/{name}")
        if was is None or was.shape != array.shape:
            raise ExplorerError("checkpoint-not-read", file=path, reason=f"it has no weights '{name}' of that shape")
        arrays[f"weights/{name}"] = array.astype(was.dtype)
    _write(path, arrays, run)


def _about(trainer: Trainer) -> dict[str, Any]:
    """What two runs must share for one to go on where the other stopped."""
    return {"format": FORMAT, "recipe": trainer.recipe.as_dict(), "fingerprint": trainer.fingerprint}


# The optimiser's memory: the fields of it that are tables, by the names of weights, of arrays or of tuples with arrays


def _memory(trainer: Trainer) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for field, table in vars(trainer.optimiser).items():
        if isinstance(table, dict):
            for name, value in table.items():
                if isinstance(value, tuple):
                    found |= {f"memory/{field}/{name}/{i}": np.asarray(one) for i, one in enumerate(value)}
                else:
                    found[f"memory/{field}/{name}"] = np.asarray(value)
    return found


def _restore(trainer: Trainer, arrays: Mapping[str, Array], at: object) -> None:
    """Everything is looked at before anything is changed."""
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= trainer.recipe.steps:
        raise ValueError(f"{at} steps")
    found = _below("weights/", arrays)
    for name, was in trainer.weights.items():
        if found[name].shape != was.shape or found[name].dtype != was.dtype:
            raise ValueError(f"weights {name}")
    columns = {name: arrays[f"history/{name}"] for name in _COLUMNS}
    blocks = _below("history/blocks/", arrays)
    judged, validations = arrays["history/judged"], arrays["history/validations"]
    whole = all(column.shape == (at,) for column in (*columns.values(), *blocks.values()))
    if not whole or judged.shape != validations.shape:
        raise ValueError("history")
    optimiser = trainer.optimiser.copy()
    tables: dict[str, dict[str, Any]] = {
        field: {} for field, value in vars(optimiser).items() if isinstance(value, dict)
    }
    for key, array in sorted(_below("memory/", arrays).items()):
        field, name, *place = key.split("/")
        if array.shape not in ((), trainer.weights[name].shape):
            raise ValueError(key)
        value = int(array) if array.dtype.kind == "i" else array
        tables[field][name] = (*tables[field].get(name, ()), value) if place else value
    for field, table in tables.items():
        setattr(optimiser, field, table)

    trainer.at, trainer.optimiser = at, optimiser
    trainer.weights = {name: found[name].copy() for name in trainer.weights}
    trainer.history = History(
        **{name: column.tolist() for name, column in columns.items()},
        blocks={block: norms.tolist() for block, norms in blocks.items()},
        validations=list(zip(judged.tolist(), validations.tolist(), strict=True)),
    )


def _below(way: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(way): array for name, array in arrays.items() if name.startswith(way)}


# The file


def _write(path: Path, arrays: Mapping[str, Array], run: Mapping[str, Any]) -> None:
    from safetensors.numpy import save as serialise

    part = path.with_name(path.name + ".part")
    try:
        in_rows = {name: np.asarray(array, order="C") for name, array in arrays.items()}
        content = serialise(in_rows, {"run": json.dumps(run)})
        with part.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        _rename(part, path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise ExplorerError("not-written", file=path, reason=error.strerror or error) from None


def _rename(part: Path, path: Path) -> None:
    for _ in range(20):
        try:
            os.replace(part, path)
            return
        except PermissionError:  # on Windows, as long as the window is reading the one before
            sleep(0.05)
    os.replace(part, path)


def _read(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load as parse

    try:
        if path.stat().st_size > MOST_BYTES:
            raise ExplorerError("checkpoint-not-read", file=path, reason=f"it has more than {MOST_BYTES:,} bytes")
        content = path.read_bytes()
        arrays = parse(content)
        # `load` leaves the metadata out: a header of JSON behind its length in 8 bytes.
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        run = json.loads(header["__metadata__"]["run"])
        if run["format"] != FORMAT or not isinstance(run["at"], int):
            raise ValueError("another format")
        return arrays, run
    except (OSError, SafetensorError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or error
        raise ExplorerError("checkpoint-not-read", file=path, reason=reason) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ExplorerError("checkpoint-not-read", file=path, reason="it was not written by this program") from None
