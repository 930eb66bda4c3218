"""One training from text files to a file of vectors, which can be interrupted and taken up again.

What is needed to go on lies in the folder ``OUT.training`` until the vectors are written: ``counts.safetensors``, and
the state after the last epoch that was kept, ``state.safetensors``, both with a description of their training. A
training taken up again ends with the same bytes as one that was not interrupted.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer import container
from explorer.container import Container, DamagedError
from explorer.core.errors import ExplorerError
from explorer.files import clear_left, open_file, whole_file
from explorer.words.files import formats
from explorer.words.progress import Cancelled, Report
from explorer.words.training import corpus, counts
from explorer.words.training.glove import GloveTrainer, Settings
from explorer.words.vectors import Vectors

COUNTS = ("rows", "columns", "values", "words")
STATE = (*(f"{side}.{i}" for side in ("word", "context") for i in range(4)), "progress")
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
        See `formats.save` for what its ending means.
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
    formats.check(out)
    if fast:
        from explorer.words.training.loops import use_cores

        use_cores(cores)
    folder = Folder(out.with_name(out.name + ".training"), _description(texts, settings, fast), out)
    state = folder.read("state", STATE)
    folder.make()
    words, pairs = _counted(texts, settings, folder, report, fast)
    trainer = GloveTrainer(pairs, settings, fast)
    if state is not None:
        try:
            trainer.restore(state)
        except (ValueError, TypeError) as error:
            raise folder.damaged("state", error) from None
    kept = monotonic()
    try:
        for _ in trainer.epochs(report):
            if monotonic() - kept > KEEP_EVERY and not trainer.finished:
                folder.write("state", trainer.state())
                kept = monotonic()
    except Cancelled:
        folder.write("state", trainer.state())
        raise
    vectors = Vectors.of(out.name, words, trainer.vectors())
    formats.save(vectors, out)
    folder.clear()
    return vectors


def _description(texts: Sequence[Path], settings: Settings, fast: bool) -> str:
    """What two trainings must share for one to go on where the other stopped."""
    try:
        for text in texts:
            open_file(text).close()
        files = [[str(text.resolve()), text.stat().st_size, text.stat().st_mtime_ns] for text in texts]
    except OSError as error:
        raise ExplorerError("text-not-read", file=text, reason=error.strerror or error) from None
    return json.dumps({"texts": files, "settings": asdict(settings), "fast": fast})


class Folder(NamedTuple):
    """What is kept of a training while it is not finished."""

    path: Path
    description: str  # of the training; what is kept of another one is neither read nor written over
    out: Path  # where the vectors will go

    def make(self) -> None:
        """See at the beginning that there is such a folder.

        Raises `ExplorerError`: "not-written".
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExplorerError("not-written", file=self.path, reason=error.strerror or error) from None

    def read(self, name: str, parts: Sequence[str]) -> dict[str, NDArray[Any]] | None:
        """Arrays that were kept; None where there are none yet.

        Raises `ExplorerError`: "training-differs", or "checkpoint-not-read" where they are damaged.
        """
        try:
            with open_file(self._file(name)) as stream:
                kept = Container(stream)
                said = kept.manifest
                if not isinstance(said, dict) or kept.forms.keys() != set(parts):
                    raise DamagedError(container.FOREIGN)
                if said.get("training") != self.description:
                    raise ExplorerError("training-differs", folder=self.path, out=self.out)
                return {part: kept.array(part) for part in parts}
        except FileNotFoundError:
            return None
        except (OSError, DamagedError) as error:
            raise self.damaged(name, error) from None

    def write(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep arrays in the place of those kept before.

        Raises `ExplorerError`: "not-written".
        """
        with whole_file(self._file(name)) as stream:
            container.write(stream, {"training": self.description}, arrays)

    def clear(self) -> None:
        """Delete what was kept, and the folder."""
        for name in ("counts", "state"):
            self._file(name).unlink(missing_ok=True)
        clear_left(self.path)
        self.leave()

    def leave(self) -> None:
        """Delete the folder where there is nothing in it, of ours or of anybody else."""
        with suppress(OSError):
            self.path.rmdir()

    def damaged(self, name: str, error: Exception) -> ExplorerError:
        """What is to be told of a file that is no whole one."""
        reason = error.strerror if isinstance(error, OSError) else f"it is damaged ({error})"
        return ExplorerError("checkpoint-not-read", file=self._file(name), reason=reason)

    def _file(self, name: str) -> Path:
        return self.path / f"{name}.safetensors"


def _counted(
    texts: Sequence[Path], settings: Settings, folder: Folder, report: Report | None, fast: bool
) -> tuple[Sequence[str], counts.Counts]:
    """The vocabulary and the counts, from the folder if they were finished there."""
    if (kept := folder.read("counts", COUNTS)) is not None:
        try:
            words = kept["words"].tobytes().decode("utf-8").split("\n")
            return words, _checked(counts.Counts(len(words), *(kept[name] for name in COUNTS[:3])))
        except ValueError as error:
            raise folder.damaged("counts", error) from None
    try:
        text = corpus.from_files(texts, settings.words, settings.least, report)
        found = counts.count(text, settings.window, report, fast)
    except BaseException:
        folder.leave()
        raise
    spelt = np.frombuffer("\n".join(text.words).encode(), np.uint8)
    folder.write("counts", {"rows": found.rows, "columns": found.columns, "values": found.values, "words": spelt})
    return text.words, found


def _checked(found: counts.Counts) -> counts.Counts:
    rows, columns, values = found.rows, found.columns, found.values
    if rows.dtype != np.int32 or columns.dtype != np.int32 or values.dtype != np.float64:
        raise ValueError("counts of another kind")
    if rows.ndim != 1 or not rows.shape == columns.shape == values.shape:
        raise ValueError("counts of other shapes")
    with np.errstate(over="ignore"):
        used = values.astype(np.float32)  # as they are trained on
    if not np.all((columns >= 0) & (rows >= columns) & (rows < found.n_words) & (used > 0) & np.isfinite(used)):
        raise ValueError("counts of words that there are not")
    return found
