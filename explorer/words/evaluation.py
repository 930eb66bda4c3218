"""How well vectors do on the test sets that come with gensim, by gensim's own evaluation."""

import tempfile
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.words.progress import Meter, Report
from explorer.words.vectors import Vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

RESTRICT = 30_000
"""Only the first so many words are looked at, as for most published figures; a question then takes under 1 ms."""


@dataclass(frozen=True)
class Score:
    """The outcome of one test set."""

    name: str
    measure: str  # "Spearman" (does it rank pairs of words as people do?) or "accuracy" (how many analogies are right)
    value: float | None  # none where too few of its words have vectors
    asked: int  # pairs or questions whose words all have vectors
    missing: float  # the share of the others


PAIRS = (("WordSim-353", "wordsim353.tsv"), ("SimLex-999", "simlex999.txt"))
QUESTIONS = ("analogies", "questions-words.txt")


def pairs(vectors: Vectors) -> list[Score]:
    """WordSim-353 (Finkelstein et al. 2002) and SimLex-999 (Hill et al. 2015): a moment's work."""
    return [_pairs(vectors, name, test_data(file)) for name, file in PAIRS]


def evaluate(vectors: Vectors, report: Report | None = None) -> list[Score]:
    """The pairs, and the analogy questions of Mikolov et al. (2013), section by section."""
    return [*pairs(vectors), analogies(vectors, report)]


def analogies(vectors: Vectors, report: Report | None = None) -> Score:
    """The share of "Athens is to Greece as Oslo is to …" that is answered rightly with the first guess."""
    name, file = QUESTIONS
    sections = list(_sections(test_data(file)))
    total = sum(text.count("\n") - 1 for text in sections)
    meter = Meter("evaluating", total, report)
    right = asked = done = 0
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / "questions.txt"
        # One section at a time, to tell how far it has come and to be stopped.
        for text in sections:
            part.write_text(text, "utf-8")
            _, found = _own(vectors).evaluate_word_analogies(str(part), restrict_vocab=RESTRICT)
            right += len(found[0]["correct"])
            asked += len(found[0]["correct"]) + len(found[0]["incorrect"])
            done += text.count("\n") - 1
            meter(done)
    return Score(name, "accuracy", right / asked if asked else None, asked, 1 - asked / total)


def test_data(file: str) -> Path:
    """A test set in gensim's wheel."""
    import gensim

    return Path(gensim.__file__).parent / "test" / "test_data" / file


def _pairs(vectors: Vectors, name: str, file: Path) -> Score:
    words = [line.split("\t")[:2] for line in file.read_text("utf-8").splitlines() if line and line[0] != "#"]
    known = {word.upper() for word in vectors.words[:300_000]}
    asked = sum(a.upper() in known and b.upper() in known for a, b in words)
    # With fewer there is no order to speak of.
    if asked < 3:
        return Score(name, "Spearman", None, asked, 1 - asked / len(words))
    _, (rank, _), missing = _own(vectors).evaluate_word_pairs(str(file))
    return Score(name, "Spearman", float(rank), asked, missing / 100)


def _sections(file: Path) -> Iterator[str]:
    for section in file.read_text("utf-8").split(": ")[1:]:
        yield ": " + section.rstrip("\n") + "\n"


def _own(vectors: Vectors) -> "KeyedVectors":
    """The table for one evaluation: gensim puts a smaller vocabulary in its place meanwhile, and others may search."""
    return copy(vectors.keyed)
