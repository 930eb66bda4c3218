"""A training run as a file that it can be taken up from: safetensors, no pickle. The file appears when it is whole.

A run that goes on from its checkpoint gives the bits of one that was never broken off. In the file stand

=============================  =======================================================================================
``weights/NODE``               the weights, frozen ones too
``memory/FIELD/NODE[/i]``      what the optimiser remembers, as its field of that name holds it
``history/…``                  the records so far, a column each, named as in `Records.arrays`
``run``                        in the metadata, as JSON: the format, how many steps, the recipe, and a fingerprint of
                               the model, its first weights and the examples
=============================  =======================================================================================
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.training.records import Records
from explorer.core.training.trainer import Trainer
from explorer.files import whole_file

ENDING = ".training"
FORMAT = "Transformer Explorer training 1"
MOST_BYTES = 4_000_000_000


def save(trainer: Trainer, records: Records, path: Path) -> None:
    """Write a checkpoint of a trainer, with the records of its steps.

    Raises
    ------
    ExplorerError
        "not-written"
    """
    arrays = {f"weights/{name}": array for name, array in trainer.weights.items()}
    arrays |= _memory(trainer)
    arrays |= {f"history/{name}": column for name, column in records.arrays().items()}
    _write(path, arrays, {"at": trainer.at, **_about(trainer)})


def load(trainer: Trainer, path: Path) -> Records:
    """Go on from a checkpoint: the trainer, made of the same model, examples and recipe, becomes what it was then.

    Returns
    -------
    Records
        Of its steps.

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
        return _restore(trainer, arrays, run["at"])
    except (KeyError, ValueError, TypeError) as error:
        raise ExplorerError("checkpoint-not-read", file=path, reason=f"it does not fit together ({error})") from None


def _about(trainer: Trainer) -> dict[str, Any]:
    """What two runs must share for one to go on where the other stopped."""
    return {"format": FORMAT, "recipe": trainer.recipe.as_dict(), "fingerprint": trainer.fingerprint}


def _memory(trainer: Trainer) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for field, table in trainer.optimiser.memory.items():
        for name, value in table.items():
            if isinstance(value, tuple):
                found |= {f"memory/{field}/{name}/{i}": np.asarray(one) for i, one in enumerate(value)}
            else:
                found[f"memory/{field}/{name}"] = np.asarray(value)
    return found


def _restore(trainer: Trainer, arrays: Mapping[str, Array], at: object) -> Records:
    """The records. Everything is looked at before anything is changed."""
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= trainer.recipe.steps:
        raise ValueError(f"{at} steps")
    found = _below("weights/", arrays)
    for name, was in trainer.weights.items():
        if found[name].shape != was.shape or found[name].dtype != was.dtype:
            raise ValueError(f"weights {name}")
    records = Records.of(_below("history/", arrays))
    if records.at != at:
        raise ValueError("records")
    optimiser = trainer.optimiser.copy()
    tables: dict[str, dict[str, Any]] = {field: {} for field in optimiser.memory}
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
    return records


def _below(way: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(way): array for name, array in arrays.items() if name.startswith(way)}


# The file


def _write(path: Path, arrays: Mapping[str, Array], run: Mapping[str, Any]) -> None:
    from safetensors.numpy import save as serialise

    in_rows = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    content = serialise(in_rows, {"run": json.dumps(run)})
    with whole_file(path) as stream:
        stream.write(content)


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
