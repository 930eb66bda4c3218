"""What heads do, found by measuring: how much of a head's attention goes where a head of one kind would look.

Each measure is a rule from the words of a sentence to cells: for the word that looks (row), the words that a head of
this kind looks at (columns). A head's score is the share of its attention on these cells, over the rows that have any.
Rows in which a simpler head would look at the same cells do not count, or a head that always looks at the first word
would pass for one that finds the subject: subjects stand first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from explorer.core.ops import Array

LEAST = 0.5
"""A head does something if at least so much of its attention goes there."""

Rule = Callable[[Sequence[str], Sequence[tuple[int, int]]], Array]


@dataclass(frozen=True)
class Score:
    """How far a head does one thing."""

    share: float  # of its attention, in the rows that count; NaN where none does
    by_chance: float  # what a head would have that looks at all words alike
    rows: int  # how many rows count


def _earlier(words: Sequence[str], hit: Callable[[int, int], bool]) -> Array:
    """The cells (i, j), j not behind i, that a rule names, (n, n) of bool."""
    n = len(words)
    found = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(i + 1):
            found[i, j] = hit(i, j)
    return found


def itself(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """Each word looks at itself."""
    return np.eye(len(words), dtype=bool)


def first(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """Each word looks at the first: where heads look that find nothing (Xiao et al. 2024)."""
    return _earlier(words, lambda i, j: j == 0 < i)


def previous(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """Each word looks at the word before it."""
    return _earlier(words, lambda i, j: j == i - 1)


def same_word(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """A word that has come before looks at where it came."""
    return _earlier(words, lambda i, j: j < i and words[j] == words[i])


def induction(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """A word that has come before looks at what came behind it then: after A B … A comes B (Olsson et al. 2022)."""
    return _earlier(words, lambda i, j: 0 < j < i and words[j - 1] == words[i])


def referent(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """A pronoun looks at who is meant.

    Parameters
    ----------
    referents : sequence of (int, int)
        Of each pronoun its place, and that of who is meant.
    """
    found = np.zeros((len(words), len(words)), dtype=bool)
    for pronoun, who in referents:
        found[pronoun, who] = True
    return found


def foretold_referent(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """The word before a pronoun, which has to foretell it, looks at who is meant."""
    return referent(words, [(pronoun - 1, who) for pronoun, who in referents if pronoun - 1 > who])


MEASURES: Mapping[str, tuple[str, Rule]] = {
    "itself": ("at the word itself", itself),
    "first": ("at the first word", first),
    "previous": ("at the word before", previous),
    "same word": ("at the same word, where it came before", same_word),
    "induction": ("at what came after the same word", induction),
    "referent": ("from a pronoun at who is meant", referent),
    "foretold referent": ("before a pronoun at who is meant", foretold_referent),
}
"""What each measure is called, where a head looks that has it, and its rule; simpler ones first."""
_SIMPLE = ("itself", "first", "previous")


@dataclass(frozen=True, eq=False)
class Looked:
    """How the heads of one attention looked at one sentence."""

    words: Sequence[str]
    referents: Sequence[tuple[int, int]]  # as of `referent`
    weights: Array  # (n_heads, n, n)


def score(name: str, looked: Sequence[Looked]) -> list[Score]:
    """The score of each head in one measure.

    Parameters
    ----------
    name : str
        A key of `MEASURES`.
    looked : sequence of Looked
        The same heads at one sentence or more.
    """
    simpler = [one for one in _SIMPLE if name not in _SIMPLE]
    shares: list[Array] = []
    chances: list[float] = []
    for one in looked:
        cells = _cells(name, tuple(one.words), tuple(one.referents))
        counts = np.asarray(cells.any(-1))
        if name in _SIMPLE:
            counts[: 2 if name != "itself" else 1] = False  # the second word's word before is the first word
        for other in simpler:
            counts &= ~(_cells(other, tuple(one.words), tuple(one.referents)) & cells).any(-1)
        for i in np.flatnonzero(counts).tolist():
            row = one.weights[:, i]
            shares.append((row * cells[i]).sum(-1))
            chances.append(float(cells[i].sum()) / (i + 1))
    if not shares:
        heads = looked[0].weights.shape[0] if looked else 0
        return [Score(float("nan"), float("nan"), 0)] * heads
    mean = np.mean(np.asarray(shares, np.float64), axis=0)
    return [Score(float(share), float(np.mean(chances)), len(shares)) for share in mean]


@lru_cache(2048)
def _cells(name: str, words: tuple[str, ...], referents: tuple[tuple[int, int], ...]) -> Array:
    return MEASURES[name][1](words, referents)


def label(scores: Mapping[str, Score]) -> str:
    """What a head does: the measure it has the most of, if that is `LEAST` and twice what chance gives; "" if none.

    `scores`: one head's in each measure.
    """
    fitting = {
        name: one.share for name, one in scores.items() if one.rows and one.share >= max(LEAST, 2 * one.by_chance)
    }
    return max(fitting, key=lambda name: fitting[name]) if fitting else ""
