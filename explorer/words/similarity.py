"""What vectors say about words: similarity, nearest words, analogies, the odd one out; computed by gensim.

And how well vectors do on the test sets that come with gensim, by gensim's own evaluation.
"""

import tempfile
from collections.abc import Collection, Sequence
from copy import copy
from math import acos, degrees, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from warnings import catch_warnings

import numpy as np
from numpy.typing import NDArray

from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.progress import Meter, Report
from explorer.words import corpus
from explorer.words.vectors import Vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


Floats = NDArray[np.float32]
N_PARTS = 1024
"""A table is split into this many parts; comparing their maxima finds the largest numbers quickly."""


class Neighbour(NamedTuple):
    """A word, and the cosine of its vector with the given vector."""

    word: str
    cosine: float


class PairCosine(Frozen, eq=False):
    """The cosine of two vectors step by step, in float32 like the vectors."""

    words: tuple[str, str]
    vectors: tuple[Floats, Floats]  # (dims,) each
    products: Floats  # for each dimension, (dims,)
    dot: np.float32  # their sum
    norms: tuple[np.float32, np.float32]
    cosine: np.float32  # the dot product divided by both norms

    @property
    def angle(self) -> float:
        """The angle between the two, in degrees."""
        return degrees(acos(max(-1.0, min(1.0, float(self.cosine)))))

    @property
    def scaled(self) -> float:
        """The dot product divided by the root of the number of dimensions, as in attention."""
        return float(self.dot) / sqrt(len(self.products))

    @property
    def agree(self) -> NDArray[np.bool_]:
        """In which dimensions both have the same sign, (dims,): these increase the cosine."""
        return self.products > 0


class Analogy(Frozen):
    """a - b + c: "a is to b as what is to c?" in vectors."""

    words: tuple[str, str, str]
    target: Floats  # a/|a| - b/|b| + c/|c|, scaled to length 1, (dims,)
    neighbours: tuple[Neighbour, ...]  # the words nearest to the target, without the three


class Sentence(Frozen):
    """A sentence as the mean of its words' vectors; it does not depend on the order of the words."""

    words: tuple[str, ...]  # the words that have a vector
    unknown: tuple[str, ...]  # the words that have none and are ignored
    vector: Floats  # (dims,)


def cosine(vectors: Vectors, a: str, b: str) -> PairCosine:
    """The cosine of two words' vectors, step by step.

    Raises `ExplorerError`: "unknown-word", "unknown-words" or "no-direction".
    """
    first, second = vectors.all_spelt((a, b))
    return cosine_of((vectors[first], vectors[second]), (first, second))


def cosine_of(pair: tuple[Floats, Floats], names: tuple[str, str]) -> PairCosine:
    """The cosine of two vectors, step by step.

    Raises `ExplorerError`: "no-direction" for a vector of zeros.
    """
    u, v = pair
    norms = np.linalg.norm(u), np.linalg.norm(v)
    for name, norm in zip(names, norms, strict=True):
        if not norm:
            raise ExplorerError("no-direction", word=name)
    dot = np.float32(u @ v)
    first, second = np.float32(norms[0]), np.float32(norms[1])
    return PairCosine(names, (u, v), u * v, dot, (first, second), np.float32(dot / (first * second)))


def nearest(vectors: Vectors, word: str | Floats, n: int = 10) -> list[Neighbour]:
    """The words whose vectors have the most similar directions.

    `word`: a word, which is never its own neighbour, or any vector, (dims,).

    Raises `ExplorerError`: "unknown-word", or "no-direction" for a word whose vector is all zeros.
    """
    if isinstance(word, str) and not vectors.norm(word):
        raise ExplorerError("no-direction", word=word)
    asked = vectors.spelt(word) if isinstance(word, str) else word
    likeness = vectors.keyed.most_similar(positive=[asked], topn=None)
    return _largest(vectors, likeness, n, [asked] if isinstance(asked, str) else [])


def analogy(vectors: Vectors, a: str, b: str, c: str, n: int = 10) -> Analogy:
    """The words nearest to a - b + c.

    Raises `ExplorerError`: "unknown-word" or "unknown-words".
    """
    a, b, c = vectors.all_spelt((a, b, c))
    keyed = vectors.keyed
    target = keyed.get_mean_vector([a, b, c], np.array([1, -1, 1]), pre_normalize=True, post_normalize=True)
    likeness = keyed.most_similar([a, c], [b], topn=None)
    return Analogy((a, b, c), target, tuple(_largest(vectors, likeness, n, (a, b, c))))


def centrality(vectors: Vectors, words: Sequence[str]) -> list[Neighbour]:
    """The cosine of each word with the mean of all, in falling order; the last word is the odd one out.

    Raises `ExplorerError`: "unknown-word", "unknown-words" or "too-few-words".
    """
    asked = list(dict.fromkeys(vectors.all_spelt(words)))
    if len(asked) < 3:
        raise ExplorerError("too-few-words", given=len(asked), least=3)
    return [Neighbour(word, float(likeness)) for likeness, word in vectors.keyed.rank_by_centrality(asked)]


def centre(vectors: Vectors, words: Sequence[str]) -> Floats:
    """The mean used by `centrality`: of the words' vectors scaled to length 1, itself scaled to length 1."""
    return np.asarray(vectors.keyed.get_mean_vector(list(words), post_normalize=True), np.float32)


def sentence(vectors: Vectors, text: str) -> Sentence:
    """The mean of the vectors of a text's words.

    Raises `ExplorerError`: "no-known-word".
    """
    # As typed where the table has it so: that of a model may know "AI", and not "ai".
    typed = [word for word in corpus.tokens(text, lower=False) if word != "\n"]
    words = [word if word in vectors else word.lower() for word in typed]
    known = tuple(word for word in words if word in vectors)
    if not known:
        raise ExplorerError("no-known-word", text=text.strip()[:80], vectors=vectors.name)
    unknown = tuple(word for word in words if word not in vectors)
    mean = vectors.keyed.get_mean_vector(list(known), pre_normalize=False)
    return Sentence(known, unknown, mean)


def matrix(rows: Floats, columns: Floats | None = None) -> Floats:
    """The cosines of all vectors with each other.

    `rows`: (n, dims).
    `columns`: (m, dims); default: the rows.
    Returns (n, m); a vector of zeros has cosine 0 with all.
    """
    return np.asarray(_unit(rows) @ _unit(rows if columns is None else columns).T, np.float32)


def table(vectors: Vectors, words: Sequence[str]) -> Floats:
    """The vectors of some words, (n_words, dims), as a new array.

    Raises `ExplorerError`: "unknown-word".
    """
    return np.asarray(vectors.array[[vectors.rank(word) for word in words]])


def by_likeness(similarities: Floats) -> list[int]:
    """An order of a similarity matrix's rows that puts similar rows beside each other.

    The leaves of an average-linkage tree, turned so that neighbours are as similar as possible (Bar-Joseph et al.
    2001).
    """
    if len(similarities) < 3:
        return list(range(len(similarities)))
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    distances = np.clip(1 - np.asarray(similarities, float), 0, None)
    distances = (distances + distances.T) / 2
    np.fill_diagonal(distances, 0)
    condensed = squareform(distances)
    return [int(i) for i in leaves_list(optimal_leaf_ordering(linkage(condensed, "average"), condensed))]


def _largest(vectors: Vectors, likeness: Floats, n: int, asked: Collection[str]) -> list[Neighbour]:
    """The words of the largest cosines without the given words; of equal ones those that come first in the file.

    gensim would sort part of the whole table, which takes as long as computing all cosines. But each of the n largest
    is at least as large as the n-th largest maximum of the parts, and few numbers are.
    """
    n_kept = min(n + len(asked), len(likeness))
    starts = np.arange(0, len(likeness), max(len(likeness) // N_PARTS, 1))
    least = np.partition(np.maximum.reduceat(likeness, starts), -n_kept)[-n_kept]
    near = np.flatnonzero(likeness >= least)
    best = near[np.argsort(-likeness[near], kind="stable")].tolist()
    found = (Neighbour(vectors.words[place], float(likeness[place])) for place in best)
    return [neighbour for neighbour in found if neighbour.word not in asked][:n]


def _unit(array: Floats) -> Floats:
    norms = np.linalg.norm(array, axis=1, keepdims=True)
    return np.asarray(array / np.where(norms > 0, norms, 1), np.float32)


RESTRICT = 30_000
"""Only this many first words are searched, as for most published figures; a question then takes under 1 ms."""


class Score(Frozen):
    """The result of one test set."""

    name: str
    measure: str  # "Spearman" (does it rank pairs of words as people do?) or "accuracy" (how many analogies are right)
    value: float | None  # None if too few of its words have vectors, or all of its pairs have one cosine
    asked: int  # pairs or questions whose words all have vectors
    missing: float  # the share of the other pairs or questions


PAIRS = (("WordSim-353", "wordsim353.tsv"), ("SimLex-999", "simlex999.txt"))
QUESTIONS = ("analogies", "questions-words.txt")


def pairs(vectors: Vectors) -> list[Score]:
    """WordSim-353 (Finkelstein et al. 2002) and SimLex-999 (Hill et al. 2015); takes only a moment."""
    return [_pairs(vectors, name, test_data(file)) for name, file in PAIRS]


def evaluate(vectors: Vectors, report: Report | None = None) -> list[Score]:
    """The pairs, and the analogy questions of Mikolov et al. (2013), section by section."""
    return [*pairs(vectors), analogies(vectors, report)]


def analogies(vectors: Vectors, report: Report | None = None) -> Score:
    """The share of questions "Athens is to Greece as Oslo is to …" whose first answer is right."""
    name, file = QUESTIONS
    parts = test_data(file).read_text("utf-8").split(": ")[1:]
    sections = [": " + part.rstrip("\n") + "\n" for part in parts]
    total = sum(text.count("\n") - 1 for text in sections)
    meter = Meter("evaluating", total, report)
    right = asked = done = 0
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / "questions.txt"
        # One section at a time, to report progress and to allow a stop.
        for text in sections:
            part.write_text(text, "utf-8")
            _, found = _own(vectors).evaluate_word_analogies(str(part), restrict_vocab=RESTRICT)
            right += len(found[0]["correct"])
            asked += len(found[0]["correct"]) + len(found[0]["incorrect"])
            done += text.count("\n") - 1
            meter(done)
    return Score(name, "accuracy", right / asked if asked else None, asked, 1 - asked / total)


def test_data(file: str) -> Path:
    """The path of a test set in gensim's package."""
    import gensim

    return Path(gensim.__file__).parent / "test" / "test_data" / file


def _pairs(vectors: Vectors, name: str, file: Path) -> Score:
    words = [line.split("\t")[:2] for line in file.read_text("utf-8").splitlines() if line and line[0] != "#"]
    known = {word.upper() for word in vectors.words[:300_000]}
    asked = sum(a.upper() in known and b.upper() in known for a, b in words)
    # Fewer pairs have no meaningful order.
    if asked < 3:
        return Score(name, "Spearman", None, asked, 1 - asked / len(words))
    with catch_warnings(action="ignore"):  # scipy's, where all pairs have one cosine
        _, (rank, _), missing = _own(vectors).evaluate_word_pairs(str(file))
    return Score(name, "Spearman", None if np.isnan(rank) else float(rank), asked, missing / 100)


def _own(vectors: Vectors) -> "KeyedVectors":
    """A copy for one evaluation: gensim replaces its vocabulary for the time, while others may search."""
    return copy(vectors.keyed)
