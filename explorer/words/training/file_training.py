"""Training from text files to a file of vectors; it can be interrupted and resumed.

Until the vectors are written, the folder ``OUT.training`` has what a resumed training needs: ``counts.safetensors``,
and ``state.safetensors``, the state after the last saved epoch, both with a description of their training. A resumed
training gives the same bytes as an uninterrupted one.
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
from explorer.words.training import corpus
from explorer.words.training.glove import GloveTrainer, Settings
from explorer.words.vectors import Vectors

COUNTS = ("rows", "columns", "values", "words")
STATE = (*(f"{side}.{i}" for side in ("word", "context") for i in range(4)), "progress")
KEEP_EVERY = 30.0
"""Seconds of training between two saved states."""


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
        See `formats.save` for the meaning of its ending.
    report : callable, optional
        If it raises `Cancelled`, the training stops; the next call with the same arguments resumes it.
    fast : bool
        Use numba.
    cores : int, optional
        The most cores to use; default: all. The result does not depend on it.

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
    """The facts that two trainings must share so that one can continue the other."""
    try:
        for text in texts:
            open_file(text).close()
        files = [[str(text.resolve()), text.stat().st_size, text.stat().st_mtime_ns] for text in texts]
    except OSError as error:
        raise ExplorerError("text-not-read", file=text, reason=error.strerror or error) from None
    return json.dumps({"texts": files, "settings": asdict(settings), "fast": fast})


class Folder(NamedTuple):
    """The saved parts of an unfinished training."""

    path: Path
    description: str  # identifies the training; files of another training are neither read nor overwritten
    out: Path  # the coming file of vectors

    def make(self) -> None:
        """Make sure at the beginning that the folder exists.

        Raises `ExplorerError`: "not-written".
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExplorerError("not-written", file=self.path, reason=error.strerror or error) from None

    def read(self, name: str, parts: Sequence[str]) -> dict[str, NDArray[Any]] | None:
        """Saved arrays; None if there are none yet.

        Raises `ExplorerError`: "training-differs", or "run-not-read" if they are damaged.
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
        """Save arrays, replacing those saved before.

        Raises `ExplorerError`: "not-written".
        """
        with whole_file(self._file(name)) as stream:
            container.write(stream, {"training": self.description}, arrays)

    def clear(self) -> None:
        """Delete the saved files, and the folder."""
        for name in ("counts", "state"):
            self._file(name).unlink(missing_ok=True)
        clear_left(self.path)
        self.leave()

    def leave(self) -> None:
        """Delete the folder if it is empty."""
        with suppress(OSError):
            self.path.rmdir()

    def damaged(self, name: str, error: Exception) -> ExplorerError:
        """The error for a damaged file."""
        reason = error.strerror or error if isinstance(error, OSError) else f"it is damaged ({error})"
        return ExplorerError("run-not-read", file=self._file(name), reason=reason)

    def _file(self, name: str) -> Path:
        return self.path / f"{name}.safetensors"


def _counted(
    texts: Sequence[Path], settings: Settings, folder: Folder, report: Report | None, fast: bool
) -> tuple[Sequence[str], corpus.Counts]:
    """The vocabulary and the counts, from the folder if it has them."""
    if (kept := folder.read("counts", COUNTS)) is not None:
        try:
            words = kept["words"].tobytes().decode("utf-8").split("\n")
            return words, _checked(corpus.Counts(len(words), *(kept[name] for name in COUNTS[:3])))
        except ValueError as error:
            raise folder.damaged("counts", error) from None
    try:
        text = corpus.from_files(texts, settings.words, settings.least, report)
        found = corpus.count(text, settings.window, report, fast)
    except BaseException:
        folder.leave()
        raise
    spelt = np.frombuffer("\n".join(text.words).encode(), np.uint8)
    folder.write("counts", {"rows": found.rows, "columns": found.columns, "values": found.values, "words": spelt})
    return text.words, found


def _checked(found: corpus.Counts) -> corpus.Counts:
    rows, columns, values = found.rows, found.columns, found.values
    if rows.dtype != np.int32 or columns.dtype != np.int32 or values.dtype != np.float64:
        raise ValueError("counts of another kind")
    if rows.ndim != 1 or not rows.shape == columns.shape == values.shape:
        raise ValueError("counts of other shapes")
    with np.errstate(over="ignore"):
        used = values.astype(np.float32)  # the type in which they are trained
    if not np.all((columns >= 0) & (rows >= columns) & (rows < found.n_words) & (used > 0) & np.isfinite(used)):
        raise ValueError("counts of words that there are not")
    return found
