"""Reading a text word by word, with or without a key-value cache, and writing one.

A decoder that attends only to earlier words computes the same rows for them whatever follows. So a new word needs only
its own row of each node and, of the rows before it, only those that attention reads across: the keys and the values.
These rows are kept; they are the key-value cache (Pope et al. 2022, §2). Which nodes they belong to follows from the
graph and is not written down for each kind of model.

With and without the cache the same ops compute every number. A product of one row may be summed in another order than a
product of many, so the results agree up to rounding (rtol 1e-12 in float64, 1e-5 in float32), not in every bit.

A text is written from the logits of the next word to a word, again and again (Holtzman et al. 2020 for the choices):
logits ÷ temperature, softmax, then only the `top_k` most probable words, then only the most probable ones that together
have at least `top_p`; their probabilities are scaled to sum to 1, and one word is drawn.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from explorer.core.engine import run
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import LOGITS, Graph, Node
from explorer.core.model import Model
from explorer.core.models.ends import DECODER_READS
from explorer.core.numbers import places_of_largest
from explorer.core.ops import Array, Softmax
from explorer.core.vocabulary import read_as

Rows = slice
_Read = Callable[[Rows], Array]


class Work(Frozen):
    """The multiplications of a node: times × new rows (× words so far, if each row runs along them)."""

    times: int
    across: bool

    def of(self, new: int, words: int) -> int:
        """Their number for `new` new rows and `words` words so far, which include the new ones."""
        return self.times * new * (words if self.across else 1)


class Decoder:
    """A model that has read some words and can read more; words already read never change.

    `graph`: built with room for all words that will be read.
    `inputs`: values of the graph's inputs, with the source of a translator. The tokens of its output sequence are
    ignored.
    `cache`: whether keys and values are kept. If a word may attend to later words, or all words turn by other angles in
    a longer text, nothing can be kept, and nothing is.
    Raises `ExplorerError`: "writes-nothing" for a model that predicts no next word.
    """

    def __init__(self, model: Model, graph: Graph, inputs: Mapping[str, Array], cache: bool = True) -> None:
        if model.kind not in DECODER_READS or LOGITS not in graph.nodes:
            raise ExplorerError("writes-nothing")
        self.graph, self.sequence = graph, DECODER_READS[model.kind]
        tokens = f"{self.sequence}.tokens"
        above = graph.ancestors(LOGITS) | {LOGITS}
        moving = graph.with_dependents([tokens]) & above
        self._fixed = {name: array for name, array in inputs.items() if name in above - moving}
        still = {n: node for n, node in graph.nodes.items() if n in above - moving and n not in self._fixed}
        run(still.values(), {}, self._fixed, {}, still)
        self._moving = [graph.nodes[name] for name in graph.nodes if name in moving and name != tokens]
        self.room = graph.shape(tokens)[0]
        # For each word of the output the number by which the model reads it; -1 for a word that it cannot read.
        self.reads = read_as(graph.axes["output.words"], graph.vocabulary(self.sequence))
        # Whether keys and values are kept.
        self.cached = cache and not why_none_kept(model, self.room)
        self._kept = {p for node in self._moving for p in _across(node) if p in moving - {tokens}}
        # Above the last keys and values, the next word depends on the row of the last word only.
        early = self._kept.union(*map(graph.ancestors, self._kept)) if self.cached else moving
        self._late = moving - early
        self._work = [(node.name, _work_of(graph, self.sequence, node)) for node in self._moving]
        self._once = sum(_work_of(graph, self.sequence, node).of(1, 1) for node in still.values())
        self._ids = np.zeros(self.room, np.int64)
        self._rows: dict[str, Array] = {tokens: self._ids[:0]}
        self._store = {name: np.zeros(graph.shape(name), model.dtype) for name in self._kept}
        self._steps = self._planned()
        # `n`: how many words have been read.
        # `multiplications`: of all matrix products so far.
        self.n, self.multiplications = 0, 0

    # Reading

    def read(self, ids: Sequence[int]) -> Array:
        """Read more words and return the logits of the next word.

        `ids`: the numbers of the words, one or more.
        Returns the logits, (n_words,).
        Raises an `ExplorerError`: "no-room" where the model was built for fewer words.
        """
        end = self.n + len(ids)
        if end > self.room:
            raise ExplorerError("no-room", given=end, limit=self.room)
        self._ids[self.n : end] = ids
        begin = self.n if self.cached else 0
        at = slice(begin, end)
        self._rows = {f"{self.sequence}.tokens": self._ids[at]}
        with np.errstate(all="ignore"):  # as in forward
            for name, forward, kept in self._steps:
                self._rows[name] = value = forward(at)
                if kept:
                    self._store[name][..., at, :] = value
        new = end - begin
        self.multiplications += sum(work.of(1 if name in self._late else new, end) for name, work in self._work)
        if self.n == 0:
            self.multiplications += self._once
        self.n = end
        logits: Array = self._rows[LOGITS][-1]
        return logits

    def fork(self) -> "Decoder":
        """A copy that has read the same words and can continue with others."""
        made = copy(self)
        made._ids = self._ids.copy()
        made._store = {name: array.copy() for name, array in self._store.items()}
        made._rows = dict(self._rows)
        made._steps = made._planned()
        return made

    @property
    def bytes(self) -> int:
        """The bytes of the cache: keys and values of the words so far, and those of a translator's source."""
        if not self.cached:
            return 0
        moving = sum(array[..., : self.n, :].nbytes for array in self._store.values())
        of_source = {p for node in self._moving for p in _across(node) if p in self._fixed}
        return moving + sum(self._fixed[name].nbytes for name in of_source)

    # The plan

    def _planned(self) -> list[tuple[str, _Read, bool]]:
        """For each node the function that computes its new rows, and whether they are kept."""
        return [(node.name, self._forward(node), node.name in self._kept) for node in self._moving]

    def _forward(self, node: Node) -> _Read:
        """The function that computes the new rows of a node."""
        late = node.name in self._late
        reads = [self._reader(p, p in _across(node), late and p not in self._late) for p in node.parents]
        rows = self._forward_rows(node, reads)
        return (lambda at: rows(slice(at.stop - 1, at.stop))) if late else rows

    def _forward_rows(self, node: Node, reads: list[_Read]) -> _Read:
        forward = node.op.forward_rows
        match reads:
            case [one]:
                return lambda at: forward(at, one(at))
            case [one, other]:
                return lambda at: forward(at, one(at), other(at))
        return lambda at: forward(at, *[read(at) for read in reads])

    def _reader(self, name: str, across: bool, last: bool) -> _Read:
        """The function that gives an op its parent: the parent's new rows, the last of them, or all rows so far."""
        if name == f"{self.sequence}.tokens" and across:  # a mask reads all words so far, to find padding
            return lambda at: self._ids[: at.stop]
        if name in self._store:
            if across:
                store = self._store[name]
                return lambda at: store[..., : at.stop, :]
        elif name in self._fixed:
            value, axes = self._fixed[name], self.graph.nodes[name].axes
            if self.sequence not in axes:
                return lambda at: value
            first = axes.index(self.sequence)
            lead = (slice(None),) * first
            if self.sequence in axes[first + 1 :]:  # a mask: one axis attends, the other is attended to
                return lambda at: value[(*lead, at, slice(at.stop))]
            return lambda at: value[(*lead, at)]
        axes = self.graph.nodes[name].axes
        if last and self.sequence in axes:
            cut: tuple[Any, ...] = ..., slice(-1, None), *[slice(None)] * (len(axes) - 1 - axes.index(self.sequence))
            return lambda at: self._rows[name][cut]
        return lambda at: self._rows[name]


def why_none_kept(model: Model, words: int) -> str:
    """Why no keys and values can be kept from one word to the next, in a text of so many words; "" if they can."""
    sequence = DECODER_READS[model.kind]
    selves = (
        block
        for block, kind in model.blocks().items()
        if kind == "attention" and block.endswith(".self") and block.startswith("decoder.")
    )
    if not all(str(model.switch(block, "mask")).startswith("causal") for block in selves):
        return "the mask does not keep words from looking at later ones"
    kind, scaling = (model.switch(sequence, name) for name in ("positions", "rotary_scaling"))
    if kind == "rotary" and scaling == "dynamic" and 0 < int(model.switch(sequence, "rotary_room")) < words:
        return "a longer text turns all words by other angles"  # a base that grows (NTK)
    return ""


def _across(node: Node) -> tuple[str, ...]:
    place = node.op.across
    return () if place is None else (node.parents[place],)


def multiplications(graph: Graph, node: Node) -> int:
    """How many multiplications a node takes in a pass over the whole graph: those of a product, 0 for other ops."""
    run_along = _run_along(graph, node)
    return prod(len(graph.axes[axis]) for axis in run_along) if run_along else 0


def _work_of(graph: Graph, sequence: str, node: Node) -> Work:
    """The multiplications of a product; none for other ops."""
    run_along = _run_along(graph, node)
    if not run_along:
        return Work(0, False)
    moving = run_along.count(sequence)
    times = prod(len(graph.axes[axis]) for axis in run_along if axis != sequence)
    # The first axis counts new rows, a second one the words that they attend to.
    return Work(times, moving > 1)


def _run_along(graph: Graph, node: Node) -> list[str]:
    """The axes along which the multiplications of a product run; none for other ops."""
    terms, _, result = node.op.subscripts.partition("->")
    if node.is_input or len(node.parents) < 2 or "," not in terms:
        return []
    axes: dict[str, str] = {}
    for term, parent in zip(terms.split(","), node.parents, strict=False):
        axes |= dict(zip(reversed(term), reversed(graph.nodes[parent].axes), strict=False))
    first, second = (set(term) for term in terms.split(",")[:2])
    summed = [letter for letter in first & second if letter not in result]
    return [*node.axes, *(axes[letter] for letter in summed if letter in axes)] if summed else []


class NextWordCost(Frozen):
    """What the next word after a text costs."""

    # `without`, `with_cache`: multiplications.
    without: int
    with_cache: int
    bytes: int  # of the cache after the text
    kept: tuple[str, ...]  # the nodes whose rows are kept


def next_word_cost(model: Model, graph: Graph, words: int) -> NextWordCost:
    """The cost of the last of `words` words, counted on the graph: with a cache one row, without one all rows.

    The source of a translator is read once and not counted. Where nothing can be kept, both cost the same.

    `graph`: of the model, for any number of words.
    """
    each, along, held, kept = _totals(graph, DECODER_READS[model.kind])
    row = each + along * words
    if why_none_kept(model, words):
        return NextWordCost(row * words, row * words, 0, ())
    size = sum(numbers * words**times for times, numbers in held.items())
    return NextWordCost(row * words, row, size * np.dtype(model.dtype).itemsize, kept)


@lru_cache(1)  # a page asks for several numbers of words
def _totals(graph: Graph, sequence: str) -> tuple[int, int, dict[int, int], tuple[str, ...]]:
    """What all nodes cost for a new row, and for each word that it attends to; how much is cached, and of which nodes.

    The cached amount is given as a count of numbers for each power of the number of words so far.
    """
    found = _products(graph, sequence)
    each, along = (sum(work.times for _, work, _ in found if work.across == across) for across in (False, True))
    kept = tuple(dict.fromkeys(across for _, _, across in found if across))
    held: dict[int, int] = {}
    for name in kept:
        axes = graph.nodes[name].axes
        times = axes.count(sequence)
        held[times] = held.get(times, 0) + prod(len(graph.axes[axis]) for axis in axes if axis != sequence)
    return each, along, held, kept


def products(model: Model, graph: Graph) -> tuple[tuple[str, Work, str], ...]:
    """The nodes that have rows for each new word: their work, and the node whose rows they read across.

    That node is the keys or the values, of which all rows so far are needed; "" for other nodes. Nodes that depend only
    on a translator's source are not listed.
    """
    return _products(graph, DECODER_READS[model.kind])


@lru_cache(1)  # a page asks five times, which took 0.1 s for a model of 28 layers
def _products(graph: Graph, sequence: str) -> tuple[tuple[str, Work, str], ...]:
    tokens, found = f"{sequence}.tokens", []
    moving = graph.with_dependents([tokens]) & (graph.ancestors(LOGITS) | {LOGITS})
    for name, node in graph.nodes.items():
        if name in moving and name != tokens:
            across = next(iter(_across(node)), "")
            # A mask reads the numbers of all words, which need no cache.
            found.append((name, _work_of(graph, sequence, node), across if across != tokens else ""))
    return tuple(found)


# Writing a text

BOUNDS = {"temperature": (0.01, 100.0), "top_k": (0, 1_000_000), "top_p": (0.0, 1.0), "seed": (0, 2**32 - 1)}
"""The smallest and largest value of each number of `Decoding`."""
MOST_BEAMS = 64


class Decoding(Frozen):
    """How a word is chosen.

    Raises `ExplorerError`: "bad-training-setting" for a number out of its bounds.
    """

    greedy: bool = False  # always the most probable word, never a draw
    # The divisor of the logits: below 1 probable words become more probable, above 1 all become more alike.
    temperature: float = 1.0
    top_k: int = 0  # keep only that many most probable words; 0: all
    # Keep the most probable words that together have at least this probability; 1: all. At least one word stays.
    top_p: float = 1.0
    seed: int = 0  # of the draws
    never: tuple[int, ...] = ()  # the numbers of words that are not chosen, such as padding

    def __post_init__(self) -> None:
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                shown = name.replace("_", "-")
                raise ExplorerError("bad-training-setting", name=shown, value=value, low=low, high=high)

    def probabilities(self, logits: Array) -> Array:
        """The probability that each word is drawn, (n_words,); 0 for words that are cut off.

        `logits`: (n_words,).
        """
        return self.left(Softmax().forward(np.asarray(logits, np.float64)[None] / self.temperature)[0])

    def left(self, spread: Array) -> Array:
        """The probabilities that top-k and top-p leave, scaled to sum to 1, (n_words,)."""
        if self.never:
            spread = spread.copy()
            spread[list(self.never)] = 0.0
        left = np.where(kept(spread, self.top_k, self.top_p), spread, 0.0)
        return np.asarray(left / (left.sum() or 1.0))

    def word(self, probabilities: Array, place: int) -> int:
        """The word chosen for a place of the text.

        The draw depends only on the seed and the place: to write word by word gives the same text as one run.

        `probabilities`: that each word is chosen, (n_words,).
        `place`: how many words stand before it.
        """
        if self.greedy:
            return int(np.argmax(probabilities))
        return drawn(probabilities, float(np.random.default_rng([self.seed, place]).random()))


def kept(probabilities: Array, top_k: int, top_p: float) -> Array:
    """Which words top-k and top-p keep, (n_words,) of bool. Of equally probable words the earlier one is kept."""
    if not top_k and top_p >= 1:
        return np.ones(len(probabilities), dtype=bool)
    order = places_of_largest(probabilities, top_k or len(probabilities))
    n = len(order)
    if top_p < 1:
        before = np.cumsum(probabilities[order])
        share = top_p * before[-1]
        n = 1 + int(np.searchsorted(before[:-1], share * (1 - 1e-12)))
    found = np.zeros(len(probabilities), dtype=bool)
    found[order[:n]] = True
    return found


class Written(Frozen, eq=False):
    """One written word."""

    logits: Array  # (n_words,)
    probabilities: Array  # of each word to be drawn, (n_words,); a greedy choice takes the largest
    chosen: int  # the number of the word

    def candidates(self, most: int) -> list[tuple[int, float]]:
        """The words that could be chosen, with probabilities, most probable first; the chosen word is among them."""
        likeliest = places_of_largest(self.probabilities, most)
        found = [int(i) for i in likeliest if self.probabilities[i] > 0]
        if self.chosen not in found:
            found[-1:] = [self.chosen]
        return [(i, float(self.probabilities[i])) for i in found]


def write(decoder: Decoder, ids: Sequence[int], n: int, choice: Decoding, ends: Collection[int]) -> Iterator[Written]:
    """Write up to n words after a text; stop after a mark that ends it, or when the model has no room for more.

    The model reads each word that it writes, by another number if its input and output vocabularies differ
    (`Decoder.reads`). A word that it cannot read is the last one.

    `ids`: the numbers of the words that it has not read yet; at least one.
    `ends`: the numbers of the marks at which a text is over, such as `<end>`.
    """
    read: Sequence[int] = ids
    for _ in range(n):
        if decoder.n + len(read) > decoder.room:
            return
        logits = decoder.read(read)
        probabilities = choice.probabilities(logits)
        chosen = choice.word(probabilities, decoder.n)
        yield Written(logits, probabilities, chosen)
        if chosen in ends or decoder.reads[chosen] < 0:
            return
        read = [decoder.reads[chosen]]


def drawn(probabilities: Array, number: float) -> int:
    """The word on which a number from 0 to 1 falls, if each word has an interval as long as its probability.

    Word 0 if no probability is positive: infinite weights make them all NaN.
    """
    possible = np.flatnonzero(probabilities > 0)
    if not len(possible):
        return 0
    sums = np.cumsum(probabilities[possible])
    return int(possible[min(int(np.searchsorted(sums, number * sums[-1], side="right")), len(possible) - 1)])


# Beam search


class Beam(Frozen, eq=False):
    """One continuation of the text."""

    words: tuple[int, ...] = ()  # the numbers of the words written
    score: float = 0.0  # the sum of the logs of their probabilities
    steps: tuple[Written, ...] = ()  # how each word was chosen
    parent: int = -1  # the place of its parent among the beams of the level before; -1 for the first level
    done: bool = False  # whether it cannot continue: it ends in `<end>`, or in a word that the model cannot read


def search(
    decoder: Decoder,
    ids: Sequence[int],
    n: int,
    beams: int,
    ends: Collection[int],
    told: Callable[[int, int], None] = lambda done, total: None,
    never: tuple[int, ...] = (),
) -> list[tuple[Beam, ...]]:
    """Beam search: after each word the `beams` most probable continuations are kept (Sutskever et al. 2014, §3.2).

    `ids`, `ends`: as in `write`.
    `n`: the most words to write.
    `beams`: how many continuations are kept.
    `told`: called before each word is read, with the number read and the most there can be; it may raise to stop.
    `never`: as in `Decoding`.
    Returns the levels, each with the most probable first: the beams of one word, of two, … A finished beam stays among
    them unchanged. The first beam of the last level is the best one.
    Raises `ExplorerError`: "bad-training-setting".
    """
    if not 1 <= beams <= MOST_BEAMS:
        raise ExplorerError("bad-training-setting", name="beams", value=beams, low=1, high=MOST_BEAMS)
    levels: list[tuple[Beam, ...]] = []
    now = [(Beam(), decoder)]
    for length in range(n):
        found: list[tuple[Beam, Decoder]] = []
        for place, (beam, reader) in enumerate(now):
            told(length * beams + place, n * beams)
            read = [reader.reads[beam.words[-1]]] if beam.words else ids
            if beam.done or reader.n + len(read) > reader.room:
                found.append((replace(beam, parent=place), reader))
                continue
            logits = reader.read(read)
            probabilities = Decoding(never=never).probabilities(logits)
            for word in places_of_largest(probabilities, beams).tolist():
                score = beam.score + float(np.log(max(probabilities[word], 1e-300)))
                step = Written(logits, probabilities, word)
                done = word in ends or reader.reads[word] < 0
                grown = Beam((*beam.words, word), score, (*beam.steps, step), place, done)
                found.append((grown, reader))
        found.sort(key=lambda one: -one[0].score)
        levels.append(tuple(beam for beam, _ in found[:beams]))
        now = [(beam, reader.fork()) for beam, reader in found[:beams]]
        if all(beam.done or reader.n == reader.room for beam, reader in now):
            break
    return levels
