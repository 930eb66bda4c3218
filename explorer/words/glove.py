"""GloVe training: AdaGrad on the weighted least squares of log counts.

Pennington, Socher, Manning (2014), "GloVe: Global Vectors for Word Representation", equation 8:

    J = sum over i, j of f(X_ij) (w_i · c_j + b_i + b'_j - log X_ij)²,    f(x) = min(1, (x / x_max)^alpha)

The final vector of a word is w_i + c_i, as in the paper, or only w_i.

Pairs are processed in stages. The parts of a stage share no word and no context, so they can be processed in parallel,
and the result does not depend on their order (Gemulla et al. 2011, "Large-scale matrix factorization with distributed
stochastic gradient descent"). The compiled version has a few large parts, shared by all cores. The numpy version has
parts of one pair each, so a stage is a diagonal of the table of counts, and one step of array arithmetic.

`train_files`: from text files to a file of vectors; it can be interrupted and resumed. Until the vectors are written,
the folder ``OUT.training`` has what a resumed training needs: ``counts.safetensors``, and ``state.safetensors``, the
state after the last saved epoch, both with a description of their training. A resumed training gives the same bytes as
an uninterrupted one.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer import container
from explorer.container import Container, DamagedError
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.progress import Cancelled, Meter, Report
from explorer.files import clear_left, open_file, whole_file
from explorer.words import corpus, formats
from explorer.words.corpus import WIDEST, Counts
from explorer.words.projection import without_top
from explorer.words.vectors import Vectors

PARTS = 8
"""For the compiled version; fixed, so that the result does not depend on the number of cores."""

VECTORS = ("sum", "word")

Floats = NDArray[np.float32]
Side = tuple[Floats, Floats, Floats, Floats]
"""Vectors, biases, and the sums of squared gradients of both."""


class GloveSettings(Frozen):
    """The settings of a training run."""

    words: int = 20_000  # how many words, the most frequent ones, get a vector
    least: int = 5  # how often a word must occur to get one
    dims: int = 100  # numbers in a vector
    window: int = 10  # up to how many places apart two words count as a pair
    # `x_max`, `alpha`: parameters of the weighting function f.
    x_max: float = 100.0
    alpha: float = 0.75
    rate: float = 0.05  # AdaGrad's step size
    epochs: int = 50  # how often all pairs are processed
    seed: int = 1  # for the first random vectors, and the order of the pairs
    vector: str = "sum"  # the final vector of a word: "sum" is w + c, "word" is w
    # How many principal components are removed at the end, with the mean; see `projection.without_top`.
    remove: int = 0

    def __post_init__(self) -> None:
        """Check that each lies within its limits.

        Raises `ExplorerError`: "bad-training-setting" or "bad-vector-setting".
        """
        limits: dict[str, tuple[float, float]] = {
            "words": (2, 1_000_000),
            "least": (1, 1_000_000),
            "dims": (1, 1000),
            "window": (1, WIDEST),
            "x_max": (1e-3, 1e9),
            "alpha": (0.01, 10),
            "rate": (1e-6, 1),
            "epochs": (1, 10_000),
            "seed": (0, 2**32 - 1),
            "remove": (0, self.dims - 1),
        }
        if self.vector not in VECTORS:
            raise ExplorerError("bad-vector-setting", value=self.vector, known=" or ".join(VECTORS))
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ExplorerError("bad-training-setting", name=name, value=value, low=low, high=high)


OWN_TEXT = GloveSettings(words=1000, least=2, dims=25, window=5, x_max=10, epochs=60)
"""For a person's own text of some ten thousand words: in numpy a step takes under 0.5 ms, the whole some seconds."""


def fast_available() -> bool:
    """Whether numba, the extra `fast`, is installed."""
    return find_spec("numba") is not None


class GloveTrainer:
    """Vectors in training.

    `fast`: use numba. The numpy version processes pairs in another order, so its vectors differ, but are as good.

    Raises `ExplorerError`: "no-pairs".
    """

    def __init__(self, counts: Counts, settings: GloveSettings, fast: bool = False) -> None:
        self.settings = settings
        # The mean loss of a pair in each finished epoch: half the weighted square, taken when the pair was processed.
        self.losses: list[float] = []
        n, random = counts.n_words, np.random.default_rng(settings.seed)
        self.words, self.contexts = (_random_side(n, settings.dims, random) for _ in range(2))
        if not len(counts.rows):
            raise ExplorerError("no-pairs", words=n)
        self._pairs = _Pairs.of(counts, settings, random, min(PARTS, n) if fast else None)
        self._learn: Callable[[int, Side, Side, np.float32], float]
        self._learn = self._pairs.learn_compiled if fast else self._pairs.learn_diagonal
        self._stage, self._loss = 0, 0.0

    @property
    def n_pairs(self) -> int:
        """How many pairs an epoch processes; (i, j) and (j, i) are two."""
        return len(self._pairs.rows)

    @property
    def epochs_done(self) -> float:
        """The number of epochs done, with a fraction."""
        return len(self.losses) + self._stage / self._pairs.stages

    @property
    def finished(self) -> bool:
        """Whether all epochs are done."""
        return len(self.losses) >= self.settings.epochs

    def step(self) -> None:
        """Process one stage: an eighth of an epoch, or a diagonal of the table."""
        rate = np.float32(self.settings.rate)
        self._loss += self._learn(self._stage, self.words, self.contexts, rate)
        self._stage += 1
        if self._stage == self._pairs.stages:
            self.losses.append(self._loss / self.n_pairs)
            self._stage, self._loss = 0, 0.0

    def epochs(self, report: Report | None = None) -> Iterator[float]:
        """Run the epochs that are left and yield the loss of each; if the report raises, one may resume later."""
        meter = Meter("training", self.settings.epochs, report, begun=self.epochs_done)
        while not self.finished:
            before = len(self.losses)
            self.step()
            meter(self.epochs_done, self.losses[-1] if self.losses else None)
            if len(self.losses) > before:
                yield self.losses[-1]

    def run(self, report: Report | None = None) -> Floats:
        """Run all epochs that are left."""
        for _ in self.epochs(report):
            pass
        return self.vectors()

    def vectors(self) -> Floats:
        """The present vectors, (n_words, dims), as a new array."""
        vectors = self.words[0] + self.contexts[0] if self.settings.vector == "sum" else self.words[0].copy()
        return without_top(vectors, self.settings.remove) if self.settings.remove else vectors

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Everything learned so far, as arrays, to resume later with the same counts and settings."""
        sides = {"word": self.words, "context": self.contexts}
        state = {f"{name}.{i}": array for name, side in sides.items() for i, array in enumerate(side)}
        progress = np.array([self._stage, self._loss, *self.losses])
        return {**state, "progress": progress}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Continue from a state.

        Raises ValueError or KeyError if it does not belong to a trainer like this one.
        """
        sides = []
        for name, side in (("word", self.words), ("context", self.contexts)):
            arrays = [np.array(state[f"{name}.{i}"], np.float32) for i in range(len(side))]
            if [array.shape for array in arrays] != [array.shape for array in side]:
                raise ValueError("arrays of other shapes")
            sides.append((arrays[0], arrays[1], arrays[2], arrays[3]))
        stage, loss, *losses = np.asarray(state["progress"], float).tolist()
        if not 0 <= stage < self._pairs.stages or len(losses) > self.settings.epochs:
            raise ValueError("a stage that there is not")
        self.words, self.contexts = sides
        self._stage, self._loss, self.losses = int(stage), loss, losses


class _Pairs(Frozen):
    """All pairs (i, j) that occur together, ordered by stage and, within a stage, by part."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    logs: Floats
    weights: Floats
    bounds: NDArray[np.int64]
    stages: int

    @staticmethod
    def of(counts: Counts, settings: GloveSettings, random: np.random.Generator, parts: int | None) -> "_Pairs":
        """The pairs in order: word i and context i are in part i mod `parts`; stage s pairs part p with part p + s.

        Without `parts` there are as many parts as words, so a stage is a diagonal.
        """
        twice = counts.rows != counts.columns
        rows = np.concatenate((counts.rows, counts.columns[twice]))
        columns = np.concatenate((counts.columns, counts.rows[twice]))
        values = np.concatenate((counts.values, counts.values[twice])).astype(np.float32)
        stages = parts or counts.n_words
        # The stages are in random order, and so are the pairs of a part.
        group = random.permutation(stages).astype(np.int32)[(columns - rows) % stages]
        if parts:
            group = (group * parts + rows % parts).astype(np.uint8 if parts * parts <= 256 else np.int32)
        order = random.permutation(len(rows)).astype(np.uint32)
        order = order[np.argsort(group[order], kind="stable")]
        bounds = np.cumsum(np.bincount(group, minlength=stages * (parts or 1)))
        rows, columns, values = rows[order], columns[order], values[order]
        weights = np.minimum(1, (values / np.float32(settings.x_max)) ** np.float32(settings.alpha))
        return _Pairs(rows, columns, np.log(values), weights, np.concatenate(([0], bounds)), stages)

    def learn_compiled(self, stage: int, p: Side, q: Side, rate: np.float32) -> float:
        """One stage of large parts."""
        from explorer.words.loops import learn

        bounds = self.bounds[stage * self.stages : (stage + 1) * self.stages + 1]
        return float(learn(self.rows, self.columns, self.logs, self.weights, bounds, p, q, rate))

    def learn_diagonal(self, stage: int, p: Side, q: Side, rate: np.float32) -> float:
        """One stage of single pairs, in which no word and no context occurs twice."""
        pairs = slice(self.bounds[stage], self.bounds[stage + 1])
        i, j = self.rows[pairs], self.columns[pairs]
        (w, bw, gw, gbw), (c, bc, gc, gbc) = p, q
        wi, cj = w[i], c[j]
        difference = np.einsum("nd,nd->n", wi, cj) + bw[i] + bc[j] - self.logs[pairs]
        g = self.weights[pairs] * difference
        for array, squares, at, gradient in (
            (w, gw, i, g[:, None] * cj),
            (c, gc, j, g[:, None] * wi),
            (bw, gbw, i, g),
            (bc, gbc, j, g),
        ):
            squares[at] += gradient * gradient
            array[at] -= rate * gradient / np.sqrt(squares[at])
        return float(np.sum(0.5 * g * difference, dtype=np.float64))


def _random_side(n_words: int, dims: int, random: np.random.Generator) -> Side:
    """Small random vectors and biases."""
    vectors = ((random.random((n_words, dims)) - 0.5) / dims).astype(np.float32)
    biases = ((random.random(n_words) - 0.5) / dims).astype(np.float32)
    return vectors, biases, np.ones_like(vectors), np.ones_like(biases)


COUNTS = ("rows", "columns", "values", "words")
STATE = (*(f"{side}.{i}" for side in ("word", "context") for i in range(4)), "progress")
KEEP_EVERY = 30.0
"""Seconds of training between two saved states."""


def train_files(
    texts: Sequence[Path],
    out: Path,
    settings: GloveSettings,
    report: Report | None = None,
    fast: bool = False,
    cores: int | None = None,
) -> Vectors:
    """Train on text files and write the vectors.

    `texts`: plain text in UTF-8, also compressed by gzip or xz.
    `out`: see `formats.save` for the meaning of its ending.
    `report`: if it raises `Cancelled`, the training stops; the next call with the same arguments resumes it.
    `fast`: use numba.
    `cores`: the most cores to use; default: all. The result does not depend on it.

    Raises `ExplorerError`.
    """
    formats.check(out)
    if fast:
        from explorer.words.loops import use_cores

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


def _description(texts: Sequence[Path], settings: GloveSettings, fast: bool) -> str:
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
    texts: Sequence[Path], settings: GloveSettings, folder: Folder, report: Report | None, fast: bool
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
        spelt = np.frombuffer("\n".join(text.words).encode(), np.uint8)
        folder.write("counts", {"rows": found.rows, "columns": found.columns, "values": found.values, "words": spelt})
    except BaseException:
        folder.leave()
        raise
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
