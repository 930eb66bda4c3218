"""A training run as a file from which it can be continued: a `container`, visible under its name only when complete.

A run continued from its file gives the same bits as an uninterrupted one. The file holds

=============================  =======================================================================================
``weights/NODE``               the weights, including frozen ones
``memory/FIELD/NODE[/i]``      the optimiser's memory, in its field of that name
``history/…``                  the records so far, one array for each column, named as in `Records.arrays`
the manifest                   the format, the number of steps, the recipe, a fingerprint of model, first weights and
                               examples, and the names of the records' blocks in order
=============================  =======================================================================================
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from explorer import container
from explorer.container import Container, DamagedError, parsed
from explorer.core.errors import ExplorerError
from explorer.core.ops import Array
from explorer.core.training.records import Records
from explorer.core.training.trainer import Trainer
from explorer.files import open_file, whole_file

ENDING = ".training"
FORMAT = "Transformer Explorer training 1"


def save(trainer: Trainer, records: Records, path: Path) -> None:
    """Save the run of a trainer, with the records of its steps.

    Raises `ExplorerError`: "not-written".
    """
    arrays = {f"weights/{name}": array for name, array in trainer.weights.items()}
    arrays |= {f"memory/{name}": array for name, array in trainer.optimiser.arrays().items()}
    arrays |= {f"history/{name}": column for name, column in records.arrays().items()}
    _write(path, arrays, {"at": trainer.at, "blocks": records.names, **_about(trainer)})


def load(trainer: Trainer, path: Path) -> Records:
    """Continue from a saved run: restore a trainer that was made of the same model, examples and recipe.

    Returns: of the steps so far.
    Raises an `ExplorerError`: "run-not-read", or "run-differs" for another run. The trainer then stays unchanged.
    """
    arrays, run = _read(path)
    about = _about(trainer)
    if {key: run.get(key) for key in about} != about:
        raise ExplorerError("run-differs", file=path)
    try:
        return _restore(trainer, arrays, run)
    except (KeyError, ValueError) as error:
        raise ExplorerError("run-not-read", file=path, reason=f"it does not fit together ({error})") from None


def _about(trainer: Trainer) -> dict[str, Any]:
    """The facts that two runs must share so that one can continue the other."""
    return {"format": FORMAT, "recipe": trainer.recipe.as_dict(), "fingerprint": trainer.fingerprint}


def _restore(trainer: Trainer, arrays: Mapping[str, Array], run: Mapping[str, Any]) -> Records:
    """Restore the trainer and return the records. Everything is checked before anything is changed."""
    at = run.get("at")
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= trainer.recipe.steps:
        raise ValueError("its number of steps")
    found = _below("weights/", arrays)
    for name, was in trainer.weights.items():
        if found[name].shape != was.shape or found[name].dtype != was.dtype:
            raise ValueError(f"weights {name}")
    history, blocks = _below("history/", arrays), run.get("blocks", [])
    if not isinstance(blocks, list):
        raise ValueError("blocks")
    # Arrays of a container are sorted, but a continued run must write its blocks in the order of an uninterrupted one.
    records = Records.of({f"blocks.{name}": history[f"blocks.{name}"] for name in blocks} | history)
    if records.at != at:
        raise ValueError("records")
    optimiser = trainer.optimiser.remembering(_below("memory/", arrays), trainer.weights, at)

    trainer.at, trainer.optimiser = at, optimiser
    trainer.weights = {name: found[name].copy() for name in trainer.weights}
    return records


def _below(way: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(way): array for name, array in arrays.items() if name.startswith(way)}


# The file


def _write(path: Path, arrays: Mapping[str, Array], run: Mapping[str, Any]) -> None:
    with whole_file(path) as stream:
        container.write(stream, run, {name: np.asarray(array) for name, array in arrays.items()})


def _read(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    try:
        with open_file(path) as stream:
            parts = Container(stream)
            run = parts.manifest
            if run is None and isinstance(old := parts.metadata.get("run"), str):
                run = parsed(old.encode("utf-8", "replace"))  # the format up to version 0.1
            if not isinstance(run, dict) or run.get("format") != FORMAT:
                raise DamagedError(container.FOREIGN)
            return {name: parts.array(name) for name in parts.forms}, run
    except (OSError, DamagedError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or error
        raise ExplorerError("run-not-read", file=path, reason=reason) from None
