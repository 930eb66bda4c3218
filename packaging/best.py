"""The best that can be learned of a grammar: its entropy, and the probabilities of its next words, exactly.

All draws of a sentence are independent, so its entropy is the sum of the entropies of its draws and of the choice of
its pattern.
"""

from collections.abc import Iterable, Sequence
from math import log, prod

from explorer.core.vocabulary import END
from explorer.training.grammar import TEXT, Grammar, Pattern


def entropy(grammar: Grammar) -> float:
    """The entropy of a sentence, in nats: that of its pattern plus that of its draws."""
    draws = [sum(_entropy(alike.values()) for alike in pattern.seen.values()) for pattern in grammar.patterns]
    return sum(one.share * (drawn - log(one.share)) for one, drawn in zip(grammar.patterns, draws, strict=True))


def entropy_per_word(grammar: Grammar) -> float:
    """The entropy of a word given all words before it, in nats.

    The first word of a sentence is given, and `<end>` is predicted: of n words there are n to predict. By the chain
    rule the entropy of the sentence is the entropy of its first word plus that of each later word given those
    before it.
    """
    first: dict[str, float] = {}
    foretold = 0.0
    for pattern in grammar.patterns:
        gaps = pattern.gaps[TEXT]
        foretold += pattern.share * len(gaps)
        for word, share in _first(pattern).items():
            first[word] = first.get(word, 0.0) + pattern.share * share
    return (entropy(grammar) - _entropy(first.values())) / foretold


def next_words(grammar: Grammar, before: Sequence[str]) -> dict[str, float]:
    """The probability of each word after the beginning of a sentence; empty if no sentence begins so."""
    found: dict[str, float] = {}
    for pattern in grammar.patterns:
        weight, left = _after(pattern, before)
        if not weight:
            continue
        gaps = pattern.gaps[TEXT]
        if len(before) == len(gaps):
            found[END] = found.get(END, 0.0) + weight
            continue
        gap = gaps[len(before)]
        if not gap.draw:
            found[gap.word] = found.get(gap.word, 0.0) + weight
            continue
        of = pattern.draws[gap.draw]
        whole = sum(of.shares[i] for i in left[gap.draw])
        for i in left[gap.draw]:
            word = of.rows[i][gap.form]
            found[word] = found.get(word, 0.0) + weight * of.shares[i] / whole
    total = sum(found.values())
    return {word: share / total for word, share in found.items()}


def _entropy(shares: Iterable[float]) -> float:
    return -sum(share * log(share) for share in shares if share)


def _first(pattern: Pattern) -> dict[str, float]:
    """The probabilities of the first word of a pattern."""
    gap = pattern.gaps[TEXT][0]
    if not gap.draw:
        return {gap.word: 1.0}
    found: dict[str, float] = {}
    of = pattern.draws[gap.draw]
    for row, share in zip(of.rows, of.shares, strict=True):
        found[row[gap.form]] = found.get(row[gap.form], 0.0) + share
    return found


def _after(pattern: Pattern, before: Sequence[str]) -> tuple[float, dict[str, list[int]]]:
    """The joint probability of a pattern and a beginning of it, and the rows that each draw can still have."""
    gaps = pattern.gaps[TEXT]
    left = {name: list(range(len(of.rows))) for name, of in pattern.draws.items()}
    if len(before) > len(gaps):
        return 0.0, left
    for word, gap in zip(before, gaps, strict=False):
        if gap.draw:
            rows = pattern.draws[gap.draw].rows
            left[gap.draw] = [i for i in left[gap.draw] if rows[i][gap.form] == word]
        elif word != gap.word:
            return 0.0, left
    return pattern.share * prod(sum(pattern.draws[name].shares[i] for i in rows) for name, rows in left.items()), left
