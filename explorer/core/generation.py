"""Writing on: from the logits behind a text to the next word, and so on (Holtzman et al. 2020 for the choices).

The choice of a word is: logits ÷ temperature, softmax, then only the `top_k` most probable words, then only the most
probable ones that together have at least `top_p`; what is left is weighed anew, and one of it is drawn.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from explorer.core.decoder import Decoder
from explorer.core.errors import ExplorerError
from explorer.core.numbers import places_of_largest
from explorer.core.ops import Array, Softmax

BOUNDS = {"temperature": (0.01, 100.0), "top_k": (0, 1_000_000), "top_p": (0.0, 1.0), "seed": (0, 2**32 - 1)}
"""The least and the most of each number of `Choice`."""
MOST_BEAMS = 64


@dataclass(frozen=True)
class Choice:
    """How a word is chosen.

    Raises `ExplorerError`: "bad-training-setting" for a number out of its bounds.
    """

    greedy: bool = False  # always the most probable word, where others would be drawn
    # What the logits are divided by: below 1 likely words become likelier, above 1 all become more alike.
    temperature: float = 1.0
    top_k: int = 0  # only the so many most probable words; 0: all
    # Only the most probable words that together have at least this probability; 1: all. At least one word is left.
    top_p: float = 1.0
    seed: int = 0  # of the draws

    def __post_init__(self) -> None:
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                shown = name.replace("_", "-")
                raise ExplorerError("bad-training-setting", name=shown, value=value, low=low, high=high)

    def probabilities(self, logits: Array) -> Array:
        """The probability of each word to be drawn, (n_words,); 0 for those that are cut off.

        `logits`: (n_words,).
        """
        return self.left(Softmax().forward(np.asarray(logits, np.float64)[None] / self.temperature)[0])

    def left(self, spread: Array) -> Array:
        """What top-k and top-p leave of probabilities, weighed anew so that it adds up to 1, (n_words,)."""
        left = np.where(kept(spread, self.top_k, self.top_p), spread, 0.0)
        return np.asarray(left / (left.sum() or 1.0))

    def word(self, probabilities: Array, place: int) -> int:
        """The word that is chosen as the one at a place of the text.

        The draw depends on the seed and the place alone: whoever writes word by word gets what one run would give.

        Parameters
        ----------
        probabilities : numpy.ndarray
            Of being chosen, (n_words,).
        place : int
            How many words stand before it.
        """
        if self.greedy:
            return int(np.argmax(probabilities))
        return drawn(probabilities, float(np.random.default_rng([self.seed, place]).random()))


def kept(probabilities: Array, top_k: int, top_p: float) -> Array:
    """Which words top-k and top-p leave, (n_words,) of bool. Of equally probable ones the earlier stays."""
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


@dataclass(frozen=True, eq=False)
class Written:
    """One word that was written."""

    logits: Array  # (n_words,)
    probabilities: Array  # of being drawn, (n_words,); a greedy choice takes the likeliest
    chosen: int  # the number of the word

    def candidates(self, most: int) -> list[tuple[int, float]]:
        """The words that could be chosen with their probabilities, likeliest first; the chosen one among them."""
        likeliest = places_of_largest(self.probabilities, most)
        found = [int(i) for i in likeliest if self.probabilities[i] > 0]
        if self.chosen not in found:
            found[-1:] = [self.chosen]
        return [(i, float(self.probabilities[i])) for i in found]


def write(decoder: Decoder, ids: Sequence[int], n: int, choice: Choice, end: int) -> Iterator[Written]:
    """Write up to n words behind a text, and stop behind `<end>`, or where the model has no room for more.

    The word that it says is the next that it reads, by another number where its input has other words than its output
    (`Decoder.reads`). Behind one that it does not read nothing can be written: that is the last.

    Parameters
    ----------
    ids : sequence of int
        The numbers of the words that it has not read yet; at least one.
    end : int
        The number of `<end>`; -1 where the model has none.
    """
    read: Sequence[int] = ids
    for _ in range(n):
        if decoder.n + len(read) > decoder.room:
            return
        logits = decoder.read(read)
        probabilities = choice.probabilities(logits)
        chosen = choice.word(probabilities, decoder.n)
        yield Written(logits, probabilities, chosen)
        if chosen == end or decoder.reads[chosen] < 0:
            return
        read = [decoder.reads[chosen]]


def drawn(probabilities: Array, number: float) -> int:
    """The word that a number from 0 to 1 falls on, where each has a stretch as long as its probability.

    The first word, where none has a probability that is a number: a model with infinite weights says nothing.
    """
    possible = np.flatnonzero(probabilities > 0)
    if not len(possible):
        return 0
    sums = np.cumsum(probabilities[possible])
    return int(possible[min(int(np.searchsorted(sums, number * sums[-1], side="right")), len(possible) - 1)])


# Beam search


@dataclass(frozen=True, eq=False)
class Beam:
    """One way to write on."""

    words: tuple[int, ...] = ()  # the numbers of the words written
    score: float = 0.0  # the sum of the logs of their probabilities
    steps: tuple[Written, ...] = ()  # how each came to be written
    parent: int = -1  # its place among the beams of one word less; -1 for the first
    done: bool = False  # whether nothing can follow: it ends in `<end>`, or in a word that the model does not read


def search(
    decoder: Decoder,
    ids: Sequence[int],
    n: int,
    beams: int,
    end: int,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> list[tuple[Beam, ...]]:
    """Beam search: after each word the so many likeliest ways to write on are followed (Sutskever et al. 2014, §3.2).

    Parameters
    ----------
    ids : sequence of int
        The numbers of the words that it has not read yet; at least one.
    n : int
        The most words to write.
    beams : int
        How many ways are followed at once.
    end : int
        The number of `<end>`; -1 where the model has none.
    told : callable, optional
        Called before each word that is read, with how many were and how many there are at most; it may raise to stop.

    Returns
    -------
    list of tuple of Beam
        Level by level, likeliest first: those of one word, of two, … A beam that is done stays among them as it is.
        The first of the last level is the best that was found.

    Raises
    ------
    ExplorerError
        "bad-training-setting"
    """
    if not 1 <= beams <= MOST_BEAMS:
        raise ExplorerError("bad-training-setting", name="beams", value=beams, low=1, high=MOST_BEAMS)
    levels: list[tuple[Beam, ...]] = []
    now = [(Beam(), decoder)]
    read: Sequence[int] = ids
    for length in range(n):
        found: list[tuple[Beam, Decoder]] = []
        for place, (beam, reader) in enumerate(now):
            told(length * beams + place, n * beams)
            if beam.done or reader.n + len(read) > reader.room:
                found.append((replace(beam, parent=place), reader))
                continue
            logits = reader.read(read if not beam.words else [reader.reads[beam.words[-1]]])
            probabilities = Choice().probabilities(logits)
            for word in places_of_largest(probabilities, beams).tolist():
                score = beam.score + float(np.log(max(probabilities[word], 1e-300)))
                step = Written(logits, probabilities, word)
                done = word == end or reader.reads[word] < 0
                grown = Beam((*beam.words, word), score, (*beam.steps, step), place, done)
                found.append((grown, reader))
        found.sort(key=lambda one: -one[0].score)
        levels.append(tuple(beam for beam, _ in found[:beams]))
        now = [(beam, reader.fork()) for beam, reader in found[:beams]]
        if all(beam.done for beam, _ in now):
            break
    return levels
