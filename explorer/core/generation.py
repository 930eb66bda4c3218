"""Writing a text: from the logits of the next word to a word, again and again (Holtzman et al. 2020 for the choices).

How a word is chosen: logits ÷ temperature, softmax, then only the `top_k` most probable words, then only the most
probable ones that together have at least `top_p`; their probabilities are scaled to sum to 1, and one word is drawn.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from explorer.core.decoder import Decoder
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.numbers import places_of_largest
from explorer.core.ops import Array, Softmax

BOUNDS = {"temperature": (0.01, 100.0), "top_k": (0, 1_000_000), "top_p": (0.0, 1.0), "seed": (0, 2**32 - 1)}
"""The smallest and largest value of each number of `Choice`."""
MOST_BEAMS = 64


class Choice(Frozen):
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

        Parameters
        ----------
        probabilities : numpy.ndarray
            That each word is chosen, (n_words,).
        place : int
            How many words stand before it.
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


def write(decoder: Decoder, ids: Sequence[int], n: int, choice: Choice, ends: Collection[int]) -> Iterator[Written]:
    """Write up to n words after a text; stop after a mark that ends it, or when the model has no room for more.

    The model reads each word that it writes, by another number if its input and output vocabularies differ
    (`Decoder.reads`). A word that it cannot read is the last one.

    Parameters
    ----------
    ids : sequence of int
        The numbers of the words that it has not read yet; at least one.
    ends : collection of int
        The numbers of the marks at which a text is over, such as `<end>`.
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

    Parameters
    ----------
    ids : sequence of int
        The numbers of the words that it has not read yet; at least one.
    n : int
        The most words to write.
    beams : int
        How many continuations are kept.
    ends : collection of int
        The numbers of the marks at which a text is over, such as `<end>`.
    told : callable, optional
        Called before each word is read, with the number read and the most there can be; it may raise to stop.
    never : tuple of int, optional
        As in `Choice`.

    Returns
    -------
    list of tuple of Beam
        Level by level, most probable first: the beams of one word, of two, … A finished beam stays among them
        unchanged. The first beam of the last level is the best one.

    Raises
    ------
    ExplorerError
        "bad-training-setting"
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
            probabilities = Choice(never=never).probabilities(logits)
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
