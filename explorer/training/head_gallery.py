"""What the heads of a trained model do, measured over many sentences, and how much worse the model is without each.

A model that reads pieces of plain text is measured on short stories; each says to whom its pronoun refers.

Each measure is a rule that maps the words of a sentence to cells: for each attending word (row) the words that a head
of this kind attends to (columns). A head's score is the share of its attention on these cells, over the rows that have
such cells. A row does not count if a simpler head attends to the same cells; otherwise a head that always attends to
the first word would pass for one that finds the subject, because subjects come first.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np

from explorer import paths
from explorer.core.engine import Pin, run
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import LOGITS
from explorer.core.ops import Array
from explorer.core.vocabulary import END, Vocabulary
from explorer.document.state import State
from explorer.training.grammar import TEXT, Grammar, Sentence, load

LEAST = 0.5
"""A head has a label only if at least this share of its attention fits the rule."""

Rule = Callable[[Sequence[str], Sequence[tuple[int, int]]], Array]
"""From words, and for each pronoun its place and the place of the word that it refers to, to cells, (n, n) of bool."""


class Score(Frozen):
    """How far a head follows one rule."""

    share: float  # of its attention, over the rows that count; NaN if none counts
    by_chance: float  # the share of a head that attends to all words equally
    rows: int  # how many rows count


def _earlier(hit: Callable[[Sequence[str], int, int], bool]) -> Rule:
    """The rule by which a word i attends to those words j ≤ i for which `hit` is true."""

    def cells(words: Sequence[str], referents: Sequence[tuple[int, int]]) -> Array:
        places = range(len(words))
        return np.array([[j <= i and hit(words, i, j) for j in places] for i in places], dtype=bool)

    return cells


def _referent(words: Sequence[str], referents: Sequence[tuple[int, int]]) -> Array:
    """A pronoun attends to the word that it refers to."""
    found = np.zeros((len(words), len(words)), dtype=bool)
    for pronoun, who in referents:
        found[pronoun, who] = True
    return found


def _foretold_referent(words: Sequence[str], referents: Sequence[tuple[int, int]]) -> Array:
    """The word before a pronoun, whose task is to predict it, attends to the word that the pronoun refers to."""
    return _referent(words, [(pronoun - 1, who) for pronoun, who in referents if pronoun - 1 > who])


MEASURES: Mapping[str, tuple[str, Rule]] = {
    "itself": ("at the word itself", _earlier(lambda words, i, j: j == i)),
    # Heads attend there when they find nothing (Xiao et al. 2024).
    "first": ("at the first word", _earlier(lambda words, i, j: j == 0 < i)),
    "previous": ("at the word before", _earlier(lambda words, i, j: j == i - 1)),
    "same word": (
        "at the same word, where it came before",
        _earlier(lambda words, i, j: j < i and words[j] == words[i]),
    ),
    # After A B … A comes B (Olsson et al. 2022).
    "induction": (
        "at what came after the same word",
        _earlier(lambda words, i, j: 0 < j < i and words[j - 1] == words[i]),
    ),
    "referent": ("from a pronoun at who is meant", _referent),
    "foretold referent": ("before a pronoun at who is meant", _foretold_referent),
}
"""For each measure, simpler ones first: a phrase that says where such a head attends, and the rule."""
_SIMPLE = ("itself", "first", "previous")


class Looked(Frozen, eq=False):
    """The attention of the heads of one block in one sentence."""

    words: Sequence[str]
    referents: Sequence[tuple[int, int]]  # as in `Annotated`
    weights: Array  # (n_heads, n, n)


def score(name: str, looked: Sequence[Looked]) -> list[Score]:
    """The score of each head in one measure.

    `name`: a key of `MEASURES`.
    `looked`: the same heads in one sentence or several.
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


@cache
def _stories() -> list[dict[str, str]]:
    return list(tomllib.loads((paths.resources() / "stories.toml").read_text("utf-8"))["story"])


def stories_in(words: Vocabulary) -> list[tuple[tuple[str, ...], tuple[tuple[int, int], ...]]]:
    """The stories in pieces, and the places of each one-piece pronoun and of the person that it refers to."""
    found: list[tuple[tuple[str, ...], tuple[tuple[int, int], ...]]] = []
    for story in _stories():
        text, name, pronoun = story["text"], story.get("name", ""), story.get("pronoun", "")
        pieces = tuple(words.pieces_of(text))
        bare = [piece.strip("␣") for piece in pieces]
        told = name in bare and pronoun in bare
        found.append((pieces, ((bare.index(pronoun), bare.index(name)),) if told else ()))
    return found


PERSON = "person"
PRONOUNS = ("he", "his", "him")
"""The class of people in a grammar, and its forms that refer back to a person named before."""
SENTENCES, SEED = 48, 7
MOST_WORDS = 3
LEAST_COST = 0.02
"""A word is listed only if it costs at least this many nats."""

Annotated = tuple[Sequence[str], Sequence[tuple[int, int]]]
"""The words of a sentence, and for each pronoun its place and the place of the person that it refers to."""


class HeadCost(Frozen):
    """How much worse a model is without a head."""

    # The increase of the loss, in nats per word: `without`, if the head outputs 0; `averaged`, if it always outputs its
    # mean.
    without: float
    averaged: float
    words: tuple[str, ...]  # the words that become harder to predict without it, the hardest first


class Head(Frozen, eq=False):
    """One head, over all sentences."""

    block: str  # path of its attention, such as "decoder.1.self"
    head: int  # counted from 0
    scores: Mapping[str, Score]  # for each measure of `MEASURES`
    does: str  # the measure that describes it; "" if none does
    mean: Array  # (d_v,): its mean output
    cost: HeadCost | None  # the loss without it, if it was measured
    example: str  # a word and the word that it attends to, in one of the sentences; "" if `does` is ""


def known(state: State, sequence: str) -> dict[str, int]:
    """The number of each word of a sequence."""
    return {word: i for i, word in enumerate(state.model.axes[f"{sequence}.words"])}


def referents(sentence: Sentence) -> list[tuple[int, int]]:
    """For each pronoun its place, and the place of the person that it refers to."""
    people = dict(reversed(sentence.places(PERSON, "name", TEXT)))
    pronouns = [place for form in PRONOUNS for place in sentence.places(PERSON, form, TEXT)]
    return sorted((i, people[draw]) for draw, i in pronouns)


def sentences_for(state: State) -> list[Annotated]:
    """Held-out sentences of the grammar with a model's words; none if there is no such grammar.

    A model that reads pieces of plain text gets short stories.
    """
    words = state.model.axes.get("input.words", ())
    if isinstance(words, Vocabulary):
        return list(stories_in(words))
    return list(_sentences_of(frozenset(state.model.axes.get("input.words", ()))))


@lru_cache(maxsize=4)
def _sentences_of(words: frozenset[str]) -> tuple[Annotated, ...]:
    of = _grammar_of(words)
    drawn = of.sample(SENTENCES, SEED, held_out=True) if of else []
    return tuple((one.words(), referents(one)) for one in drawn)


def grammar_of(state: State) -> Grammar | None:
    """The program's grammar whose words are all in a model's vocabulary; None if there is none."""
    return _grammar_of(frozenset(state.model.axes.get("input.words", ())))


@lru_cache(maxsize=4)
def _grammar_of(words: frozenset[str]) -> Grammar | None:
    """Cached: pages are made again at every edit, and grammar files do not change."""
    for file in sorted((paths.resources() / "grammars").glob("*.toml")):
        try:
            of = load(file)
        except ExplorerError:
            continue
        if "text" in of.languages and words and words.issuperset(of.words()):
            return of
    return None


@np.errstate(invalid="ignore", over="ignore")  # infinite logits give NaN, which should be visible
def gallery(
    state: State,
    sentences: Sequence[Annotated],
    costs: bool = False,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> list[Head]:
    """All heads of a GPT, in reading order.

    `state`: the model; its weights are used, its own words are not.
    `sentences`: at least one, in words that the model knows.
    `costs`: whether to measure the loss without each head: two passes per head.
    `told`: called with the number of steps done and the total; it may raise to stop.
    """
    batch = _Batch(state, sentences, costs, told)
    blocks = [name.removesuffix(".weights") for name in batch.values if name.endswith(".self.weights")]
    found = []
    for block in blocks:
        weights = batch.values[f"{block}.weights"]
        looked = [
            Looked(words, who, weights[i, :, : len(words), : len(words)]) for i, (words, who) in enumerate(sentences)
        ]
        scores = {name: score(name, looked) for name in MEASURES}
        for head in range(weights.shape[1]):
            own = {name: each[head] for name, each in scores.items()}
            does = label(own)
            cost = batch.cost(block, head) if costs and batch.real.any() else None  # a single word has no next word
            example = _example(does, looked, head) if does else ""
            found.append(Head(block, head, own, does, batch.mean(block, head), cost, example))
    return found


class _Batch:
    """Sentences as one batch, padded at the end: a decoder attends only to earlier words, so padding has no effect."""

    def __init__(
        self, state: State, sentences: Sequence[Annotated], costs: bool, told: Callable[[int, int], None]
    ) -> None:
        numbers = known(state, "input")
        longest = max(len(words) for words, _ in sentences)
        ids = np.zeros((len(sentences), longest), np.int64)
        right = np.zeros_like(ids)
        self.real, self.read = np.zeros(ids.shape, dtype=bool), np.zeros(ids.shape, dtype=bool)
        says = {word: i for i, word in enumerate(state.graph.axes["output.words"])}
        for i, (words, _) in enumerate(sentences):
            n = len(words)
            ids[i, :n], self.read[i, :n] = [numbers[word] for word in words], True
            for place, word in enumerate((*words[1:], END)):
                if word in says:  # some models never predict the end of a text
                    right[i, place], self.real[i, place] = says[word], True
        own = state.rebuilt(replace(state.model, lengths={"input": longest}))
        ends = [name for name in own.graph.nodes if name.endswith((".self.weights", ".self.output"))]
        if costs:  # otherwise the logits are not needed, and they are most of the numbers
            ends.append(LOGITS)
        above = set(ends).union(*map(own.graph.ancestors, ends))
        self.nodes = {n: node for n, node in own.graph.nodes.items() if n in above and not node.is_input}
        self.values: dict[str, Array] = {**own.used, "input.tokens": ids}
        heads = sum(own.graph.n_heads.get(name, 1) for name in ends if name.endswith(".weights"))
        self._told, self._passes, self._all = told, 0, 1 + 2 * heads * costs
        self._run(self.values, {}, self.nodes)
        self.right, self.says = right, own.graph.axes["output.words"]
        self.nats = self._nats(self.values[LOGITS]) if costs else np.zeros(0)

    def _run(self, values: dict[str, Array], pins: Mapping[str, Pin], stale: Collection[str]) -> None:
        """Compute one of the passes."""
        done, total = self._passes * len(self.nodes), self._all * len(self.nodes)
        steps = iter(range(done, total))
        run(self.nodes.values(), {}, values, pins, stale, lambda: self._told(next(steps), total))
        self._passes += 1

    def _nats(self, logits: Array) -> Array:
        """The surprise of each right word, in nats, (n_right,)."""
        found = []
        for one, real, right in zip(logits, self.real, self.right, strict=True):  # one by one, to need less memory
            wide = one[real].astype(np.float64)
            wide -= wide.max(-1, keepdims=True)
            chosen = wide[np.arange(len(wide)), right[real]]
            found.append(np.log(np.exp(wide).sum(-1)) - chosen)
        return np.concatenate(found)

    def mean(self, block: str, head: int) -> Array:
        """The mean output of a head, (d_v,)."""
        output = self.values[f"{block}.output"][:, head]
        return np.asarray(output[self.real if self.real.any() else self.read].mean(0))

    def cost(self, block: str, head: int) -> HeadCost:
        """How much worse the model is without a head."""
        costs = self.costs(block, head, 0.0)
        averaged = self.costs(block, head, self.mean(block, head))
        return HeadCost(float(costs.mean()), float(averaged.mean()), self.dearest(costs))

    def costs(self, block: str, head: int, held: Array | float) -> Array:
        """How much more surprising each right word is if a head outputs the same vector everywhere, (n_right,)."""
        name = f"{block}.output"
        shape = self.values[name].shape[1:]
        cells, numbers = np.zeros(shape, dtype=bool), np.zeros(shape)
        cells[head], numbers[head] = True, held
        values = dict(self.values)
        self._run(values, {name: Pin(cells, numbers)}, {name})
        return self._nats(values[LOGITS]) - self.nats

    def dearest(self, costs: Array) -> tuple[str, ...]:
        """The words with the largest total costs."""
        sums: Counter[str] = Counter()
        for word, cost in zip(self.right[self.real].tolist(), costs.tolist(), strict=True):
            sums[self.says[word]] += cost
        return tuple(word for word, cost in sums.most_common(MOST_WORDS) if cost / len(costs) * 100 >= LEAST_COST)


def _example(does: str, looked: Sequence[Looked], head: int) -> str:
    """The word, in all sentences, that attends most as the rule says, and the word it attends to."""
    rule, best, said = MEASURES[does][1], 0.0, ""
    for one in looked:
        cells = rule(one.words, one.referents)
        for i in np.flatnonzero(cells.any(-1)).tolist():
            row = np.where(cells[i], one.weights[head, i], 0.0)
            if i and row.max() > best:
                best, j = float(row.max()), int(row.argmax())
                said = f"{one.words[i]} → {one.words[j]}: {' '.join(one.words)}"
    return said
