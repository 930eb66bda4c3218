"""What attention heads do, by measurement: how much of a head's attention goes where a head of one kind would attend.

Each measure is a rule that maps the words of a sentence to cells: for each attending word (row) the words that a head
of this kind attends to (columns). A head's score is the share of its attention on these cells, over the rows that have
such cells. A row does not count if a simpler head attends to the same cells; otherwise a head that always attends to
the first word would pass for one that finds the subject, because subjects come first.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from explorer.core.frozen import Frozen
from explorer.core.ops import Array

LEAST = 0.5
"""A head has a label only if at least this share of its attention fits the rule."""

Rule = Callable[[Sequence[str], Sequence[tuple[int, int]]], Array]


class Score(Frozen):
    """How far a head follows one rule."""

    share: float  # of its attention, over the rows that count; NaN if none counts
    by_chance: float  # the share of a head that attends to all words equally
    rows: int  # how many rows count


def _earlier(words: Sequence[str], hit: Callable[[int, int], bool]) -> Array:
    """The cells (i, j) with j ≤ i for which `hit` is true, (n, n) of bool."""
    n = len(words)
    found = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(i + 1):
            found[i, j] = hit(i, j)
    return found


def itself(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """Each word attends to itself."""
    return np.eye(len(words), dtype=bool)


def first(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """Each word attends to the first: heads attend there when they find nothing (Xiao et al. 2024)."""
    return _earlier(words, lambda i, j: j == 0 < i)


def previous(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """Each word attends to the word before it."""
    return _earlier(words, lambda i, j: j == i - 1)


def same_word(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """A repeated word attends to its earlier occurrences."""
    return _earlier(words, lambda i, j: j < i and words[j] == words[i])


def induction(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """A repeated word attends to what followed its earlier occurrence: after A B … A comes B (Olsson et al. 2022)."""
    return _earlier(words, lambda i, j: 0 < j < i and words[j - 1] == words[i])


def referent(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """A pronoun attends to the word that it refers to.

    `referents`: for each pronoun its place, and the place of the word that it refers to.
    """
    found = np.zeros((len(words), len(words)), dtype=bool)
    for pronoun, who in referents:
        found[pronoun, who] = True
    return found


def foretold_referent(words: Sequence[str], referents: Sequence[tuple[int, int]] = ()) -> Array:
    """The word before a pronoun, whose task is to predict it, attends to the word that the pronoun refers to."""
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
"""For each measure, simpler ones first: a phrase that says where such a head attends, and the rule."""
_SIMPLE = ("itself", "first", "previous")


class Looked(Frozen, eq=False):
    """The attention of the heads of one block in one sentence."""

    words: Sequence[str]
    referents: Sequence[tuple[int, int]]  # as in `referent`
    weights: Array  # (n_heads, n, n)


def score(name: str, looked: Sequence[Looked]) -> list[Score]:
    """The score of each head in one measure.

    Parameters
    ----------
    name : str
        A key of `MEASURES`.
    looked : sequence of Looked
        The same heads in one sentence or several.
    """
    simpler = [one for one in _SIMPLE if name not in _SIMPLE]
    shares: list[Array] = []
    chances: list[float] = []
    for one in looked:
        cells = _cells(name, tuple(one.words), tuple(one.referents))
        counts = np.asarray(cells.any(-1))
        if name in _SIMPLE:
            counts[: 2 if name != "itself" else 1] = False  # the word before the second word is the first word
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
    """The measure in which a head scores highest, if that is at least `LEAST` and twice chance; "" if there is none.

    `scores`: those of one head in each measure.
    """
    fitting = {
        name: one.share for name, one in scores.items() if one.rows and one.share >= max(LEAST, 2 * one.by_chance)
    }
    return max(fitting, key=lambda name: fitting[name]) if fitting else ""
