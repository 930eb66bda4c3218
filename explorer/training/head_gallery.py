"""What the heads of a trained model do: measured over many sentences, and what the model loses without each of them.

Short stories to measure the heads of a model on that reads pieces of plain text; each says who its pronoun means.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from explorer import paths
from explorer.core.engine import Pin, run
from explorer.core.errors import ExplorerError
from explorer.core.head_measures import MEASURES, Looked, Score, label, score
from explorer.core.ops import Array
from explorer.core.vocabulary import END, Vocabulary
from explorer.document.state import State
from explorer.training.grammar import TEXT, Grammar, Sentence, load

_STORIES = (
    ("Lily had a red ball. She was happy.", "Lily", "She"),
    ("Tim had a big dog. He was happy.", "Tim", "He"),
    ("One day, Lily went to the park. Tim was there too, but she did not see the ball.", "Lily", "she"),
    ("Tim saw a little bird in the tree. The bird was sad, so he gave it some water.", "Tim", "he"),
    ("Mom made a cake for Lily. Then she put it on the table.", "Mom", "she"),
    ("There was a little girl. She liked to play with her cat. The cat liked to play with the girl.", "girl", "She"),
    ("The boy wanted to eat an apple. His mom said no, so he was sad.", "boy", "he"),
    ("Lily and Tim played with the ball. The ball was big, and the ball was red.", "", ""),
    ("Once upon a time, there was a big bear. The bear lived in a big house in the park.", "", ""),
    ("Tim said, I want to play. Lily said, I want to play too.", "", ""),
    ("The sun was hot. Tim sat down under a tree, and soon he was asleep.", "Tim", "he"),
    ("Lily looked for her hat. She looked in the box, and she looked on the bed.", "Lily", "She"),
)


def stories_in(words: Vocabulary) -> list[tuple[tuple[str, ...], tuple[tuple[int, int], ...]]]:
    """The stories in pieces, and of each pronoun that is one piece its place and that of who is meant."""
    found: list[tuple[tuple[str, ...], tuple[tuple[int, int], ...]]] = []
    for text, name, pronoun in _STORIES:
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
"""Nats that a word has to cost to be named."""

Annotated = tuple[Sequence[str], Sequence[tuple[int, int]]]
"""The words of a sentence, and of each pronoun its place and that of who is meant."""


@dataclass(frozen=True)
class Cost:
    """What a model loses without a head."""

    # `without`, `averaged`: how many nats a word the loss grows by where the head puts out 0, and where it puts out its
    # mean.
    without: float
    averaged: float
    words: tuple[str, ...]  # the words that become harder to foretell without it, most of all first


@dataclass(frozen=True, eq=False)
class Head:
    """One head, over all sentences."""

    block: str  # path of its attention, such as "decoder.1.self"
    head: int  # counted from 0
    scores: Mapping[str, Score]  # in each measure of `MEASURES`
    does: str  # the measure that says what it does; "" where none does
    mean: Array  # (d_v,): what it puts out on average
    cost: Cost | None  # what is lost without it, where that was asked for
    example: str  # a word and what it looks at, from one of the sentences; "" where it does nothing that has a name


def known(state: State, sequence: str) -> dict[str, int]:
    """The number of each word of a sequence."""
    return {word: i for i, word in enumerate(state.model.axes[f"{sequence}.words"])}


def referents(sentence: Sentence) -> list[tuple[int, int]]:
    """Of each pronoun its place, and that of the person who is meant."""
    people = dict(reversed(sentence.places(PERSON, "name", TEXT)))
    pronouns = [place for form in PRONOUNS for place in sentence.places(PERSON, form, TEXT)]
    return sorted((i, people[draw]) for draw, i in pronouns)


def sentences_for(state: State) -> list[Annotated]:
    """Held-out sentences of the grammar that a model's words are from; none where there is no such grammar.

    A model that reads pieces of plain text reads short stories.
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
    """The grammar of the program that has all words of a model's vocabulary, but for its marks."""
    return _grammar_of(frozenset(state.model.axes.get("input.words", ())))


@lru_cache(maxsize=4)
def _grammar_of(words: frozenset[str]) -> Grammar | None:
    """Kept: pages are made anew at every edit, and the files of grammars do not change meanwhile."""
    for file in sorted((paths.resources() / "grammars").glob("*.toml")):
        try:
            of = load(file)
        except ExplorerError:
            continue
        if "text" in of.languages and words and words.issuperset(of.words()):
            return of
    return None


@np.errstate(invalid="ignore", over="ignore")  # infinite logits give no number: that is to be seen
def gallery(
    state: State,
    sentences: Sequence[Annotated],
    costs: bool = False,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> list[Head]:
    """All heads of a GPT, in reading order.

    Parameters
    ----------
    state : State
        Its weights are used, its own words are not.
    sentences : sequence of Annotated
        In words that it knows, at least one.
    costs : bool
        Whether it is measured what is lost without each: two passes for each head.
    told : callable
        Hears how many steps are done and how many there are; it may raise to stop.
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
            cost = batch.cost(block, head) if costs and batch.real.any() else None  # one word has no next one
            example = _example(does, looked, head) if does else ""
            found.append(Head(block, head, own, does, batch.mean(block, head), cost, example))
    return found


class _Batch:
    """Sentences as one batch, filled up behind their ends: a decoder that looks back does not see that."""

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
                if word in says:  # some models never say that a text ends
                    right[i, place], self.real[i, place] = says[word], True
        own = state.rebuilt(replace(state.model, lengths={"input": longest}))
        ends = [name for name in own.graph.nodes if name.endswith((".self.weights", ".self.output"))]
        if costs:  # else nobody asks for the logits, which are most of the numbers
            ends.append("output.logits")
        above = set(ends).union(*map(own.graph.ancestors, ends))
        self.nodes = {n: node for n, node in own.graph.nodes.items() if n in above and not node.is_input}
        self.values: dict[str, Array] = {**own.used, "input.tokens": ids}
        heads = sum(own.graph.n_heads(name) or 1 for name in ends if name.endswith(".weights"))
        self._told, self._passes, self._all = told, 0, 1 + 2 * heads * costs
        self._run(self.values, {}, self.nodes)
        self.right, self.says = right, own.graph.axes["output.words"]
        self.nats = self._nats(self.values["output.logits"]) if costs else np.zeros(0)

    def _run(self, values: dict[str, Array], pins: Mapping[str, Pin], stale: Collection[str]) -> None:
        """One of all passes."""
        done, total = self._passes * len(self.nodes), self._all * len(self.nodes)
        steps = iter(range(done, total))
        run(self.nodes.values(), {}, values, pins, stale, lambda: self._told(next(steps), total))
        self._passes += 1

    def _nats(self, logits: Array) -> Array:
        """The surprise at each right word, (n_right,)."""
        found = []
        for one, real, right in zip(logits, self.real, self.right, strict=True):  # all at once would be held twice
            wide = one[real].astype(np.float64)
            wide -= wide.max(-1, keepdims=True)
            chosen = wide[np.arange(len(wide)), right[real]]
            found.append(np.log(np.exp(wide).sum(-1)) - chosen)
        return np.concatenate(found)

    def mean(self, block: str, head: int) -> Array:
        """What a head puts out on average, (d_v,)."""
        output = self.values[f"{block}.output"][:, head]
        return np.asarray(output[self.real if self.real.any() else self.read].mean(0))

    def cost(self, block: str, head: int) -> Cost:
        """What is lost without a head."""
        costs = self.costs(block, head, 0.0)
        averaged = self.costs(block, head, self.mean(block, head))
        return Cost(float(costs.mean()), float(averaged.mean()), self.dearest(costs))

    def costs(self, block: str, head: int, held: Array | float) -> Array:
        """How much more surprising each right word is where a head puts out the same everywhere, (n_right,)."""
        name = f"{block}.output"
        shape = self.values[name].shape[1:]
        cells, numbers = np.zeros(shape, dtype=bool), np.zeros(shape)
        cells[head], numbers[head] = True, held
        values = dict(self.values)
        self._run(values, {name: Pin(cells, numbers)}, {name})
        return self._nats(values["output.logits"]) - self.nats

    def dearest(self, costs: Array) -> tuple[str, ...]:
        """The words with the largest costs together."""
        sums: Counter[str] = Counter()
        for word, cost in zip(self.right[self.real].tolist(), costs.tolist(), strict=True):
            sums[self.says[word]] += cost
        return tuple(word for word, cost in sums.most_common(MOST_WORDS) if cost / len(costs) * 100 >= LEAST_COST)


def _example(does: str, looked: Sequence[Looked], head: int) -> str:
    """The word of all sentences that most looks where it should, and at what."""
    rule, best, said = MEASURES[does][1], 0.0, ""
    for one in looked:
        cells = rule(one.words, one.referents)
        for i in np.flatnonzero(cells.any(-1)).tolist():
            row = np.where(cells[i], one.weights[head, i], 0.0)
            if i and row.max() > best:
                best, j = float(row.max()), int(row.argmax())
                said = f"{one.words[i]} → {one.words[j]}: {' '.join(one.words)}"
    return said
