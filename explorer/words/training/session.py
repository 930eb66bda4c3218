"""One training from text files to a file of vectors, which can be interrupted and taken up again.

What is needed to go on lies in the folder ``OUT.training`` until the vectors are written: the counts, and the state
after the last epoch that was kept. A training taken up again ends with the same bytes as one that was not interrupted.
"""

import json
import shutil
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any
from zipfile import BadZipFile

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.files import whole_file
from explorer.words.files import saving
from explorer.words.progress import Cancelled, Report
from explorer.words.training import corpus, counts
from explorer.words.training.glove import Settings, Trainer
from explorer.words.vectors import Vectors

KEEP_EVERY = 30.0
"""Seconds of training between two states kept."""


def train_files(
    texts: Sequence[Path],
    out: Path,
    settings: Settings,
    report: Report | None = None,
    fast: bool = False,
    cores: int | None = None,
) -> Vectors:
    """Train on text files and write the vectors.

    Parameters
    ----------
    texts : sequence of pathlib.Path
        Plain text in UTF-8, also compressed by gzip or xz.
    out : pathlib.Path
        See `saving.save` for what its ending means.
    settings : Settings
    report : callable, optional
        If it raises `Cancelled`, the training stops, and the next call with the same arguments goes on.
    fast : bool
        With numba.
    cores : int, optional
        How many it may use; all, if left out. The outcome does not depend on it.

    Raises
    ------
    ExplorerError
    """
    saving.check(out)
    if fast:
        from explorer.words.training.compiled import use_cores

        use_cores(cores)
    folder = out.with_name(out.name + ".training")
    _claim(folder, _description(texts, settings, fast), out)
    words, pairs = _counted(texts, settings, folder, report, fast)
    trainer = Trainer(pairs, settings, fast)
    _restore(trainer, folder)
    kept = monotonic()
    try:
        for _ in trainer.epochs(report):
            if monotonic() - kept > KEEP_EVERY and not trainer.finished:
                _keep(trainer, folder)
                kept = monotonic()
    except Cancelled:
        _keep(trainer, folder)
        raise
    vectors = Vectors.of(out.name, words, trainer.vectors())
    saving.save(vectors, out)
    shutil.rmtree(folder, ignore_errors=True)
    return vectors


def _description(texts: Sequence[Path], settings: Settings, fast: bool) -> dict[str, Any]:
    """What two trainings must share for one to go on where the other stopped."""
    try:
        files = [[str(text.resolve()), text.stat().st_size, text.stat().st_mtime_ns] for text in texts]
    except OSError as error:
        raise ExplorerError("text-not-read", file=error.filename, reason=error.strerror or error) from None
    return {"texts": files, "settings": asdict(settings), "fast": fast}


def _claim(folder: Path, description: dict[str, Any], out: Path) -> None:
    """Make the folder, or see that it is one of the same training.

    Raises
    ------
    ExplorerError
        "training-differs" or "not-written".
    """
    file = folder / "training.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.write_text(json.dumps(description), "utf-8")
        elif _read_json(file) != description:
            raise ExplorerError("training-differs", folder=folder, out=out)
    except OSError as error:
        raise ExplorerError("not-written", file=error.filename, reason=error.strerror or error) from None


def _read_json(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf-8"))
    except ValueError:
        return None


def _counted(
    texts: Sequence[Path], settings: Settings, folder: Path, report: Report | None, fast: bool
) -> tuple[list[str], counts.Counts]:
    """The vocabulary and the counts, from the folder if they were finished there."""
    names = ("rows", "columns", "values")
    vocabulary = folder / "words.txt"
    if vocabulary.exists():  # written last
        words = vocabulary.read_text("utf-8").split("\n")
        rows, columns, values = (np.load(folder / f"{name}.npy", allow_pickle=False) for name in names)
        return words, counts.Counts(len(words), rows, columns, values)
    text = corpus.from_files(texts, settings.words, settings.least, report)
    pairs = counts.count(text, settings.window, report, fast)
    for name in names:
        np.save(folder / f"{name}.npy", getattr(pairs, name))
    with whole_file(vocabulary) as stream:
        stream.write("\n".join(text.words).encode())
    return list(text.words), pairs


def _keep(trainer: Trainer, folder: Path) -> None:
    with whole_file(folder / "state.npz") as stream:
        np.savez(stream, allow_pickle=False, **trainer.state())


def _restore(trainer: Trainer, folder: Path) -> None:
    """Go on from the state kept, if there is a whole one."""
    try:
        # np.load would leave a file open that is no archive.
        with (folder / "state.npz").open("rb") as stream, np.load(stream, allow_pickle=False) as state:
            trainer.restore(state)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error):
        return
