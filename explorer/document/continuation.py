"""Continuing a text with a document's model: the words that it knows, and a decoder with room for more."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from explorer.core.decoder import Decoder
from explorer.core.errors import ExplorerError
from explorer.core.graph import LOGITS
from explorer.core.model import Model
from explorer.core.models.ends import DECODER_READS
from explorer.core.ops import Array
from explorer.core.training.data import words_of
from explorer.core.vocabulary import (
    END,
    MOST_TOKENS,
    PAD,
    START,
    UNKNOWN,
    Vocabulary,
    are_numbers,
    are_pieces,
    end_marks,
    is_mark,
    pieces_of,
)
from explorer.document.state import State, read_only

MOST_NEW = 500
OFFERED, MOST_READ, ALIKE = 3, 20, 0.75
"""How many words are offered for an unknown one; the most words before it that the model reads for that; and how alike
one of them is if it is spelt almost so, from 0 to 1.
"""


def sequence_of(state: State) -> str:
    """The name of the sequence that the model can continue.

    Raises `ExplorerError`: "writes-nothing".
    """
    sequence = DECODER_READS.get(state.model.kind)
    if sequence is None or LOGITS not in state.graph.nodes:
        raise ExplorerError("writes-nothing")
    return sequence


def read_words(state: State, sequence: str, text: str) -> list[str]:
    """The words of a text for a sequence of a model, as `known_words` finds them.

    For an unknown word behind others, where the model writes, the error names a word spelt almost like it, if there is
    one, and what the model expects there: for “elephant”, slept and plant are no help.
    """

    def instead(word: str, before: Sequence[str]) -> str:
        if not before or is_mark(word) or sequence != sequence_of(state):
            return nearest_words(word, vocabulary)
        from difflib import get_close_matches  # not needed at the start

        there = expected(state, before[-min(MOST_READ, positions(state, sequence)) :])
        alike = get_close_matches(word, there, n=1, cutoff=ALIKE)
        return ", ".join(list(dict.fromkeys((*alike, *there)))[:OFFERED])

    vocabulary = state.graph.vocabulary(sequence)
    return known_words(text, vocabulary, instead)


def known_words(
    text: str, vocabulary: tuple[str, ...], instead: Callable[[str, Sequence[str]], str] | None = None
) -> list[str]:
    """The words of a text in the spelling of a vocabulary: unchanged, or with other capitals; or its pieces.

    `text`: words and punctuation marks; tokens such as ``<es>`` have blanks around them.
    `instead`: gives words for an unknown one and those before it; default: `nearest_words`.
    Raises `ExplorerError`: "unknown-text-word", with words to take instead, if the vocabulary has neither the word nor
    `<unk>`.
    """
    if are_pieces(vocabulary):
        return pieces_of(text, vocabulary)
    written = set(vocabulary)
    others = {word.lower(): word for word in reversed(vocabulary)}
    found = []
    for chunk in text.split():
        for word in [chunk] if chunk in written or is_mark(chunk) else words_of(chunk, lower=False):
            if word in written:
                found.append(word)
            elif word.lower() in written:
                found.append(word.lower())
            elif word.lower() in others:
                found.append(others[word.lower()])
            elif UNKNOWN in written:
                found.append(UNKNOWN)
            elif are_numbers(vocabulary):
                raise ExplorerError("not-a-number-of-a-word", word=word[:60], last=len(vocabulary) - 1)
            else:
                known = nearest_words(word, vocabulary) if instead is None else instead(word, found)
                raise ExplorerError("unknown-text-word", word=word[:60], known=known)
    return found


def as_read(state: State, sequence: str, words: list[str]) -> list[str]:
    """The words of a whole text, with the marks that a sequence of the model has.

    A tokenizer ends a text with a mark. The decoder of a translator that others trained does not read that mark: its
    answer is still to be written; and it begins with a mark that the tokenizer does not know of.
    """
    known, start = state.graph.vocabulary(sequence), state.graph.labels(sequence, state.inputs)[0]
    if sequence != "target" or not isinstance(known, Vocabulary) or not known.tokenizer.is_mark(known.index(start)):
        return words
    answer = words[:-1] if words[-1:] == [known.ends[0]] else words
    return answer if answer[:1] == [start] else [start, *answer]


def nearest_words(word: str, vocabulary: Sequence[str]) -> str:
    """Three words of a vocabulary: those spelt most like a word; where none shares a letter with it, the first ones.

    For a mark, such as ``<de>``, these are other marks, if there are any.
    """
    from difflib import get_close_matches  # not needed at the start

    alike = [one for one in vocabulary if is_mark(one) and one not in (END, PAD, UNKNOWN)] if is_mark(word) else []
    those = alike or [one for one in vocabulary if not is_mark(one)]
    others = {one.lower(): one for one in reversed(those) if one != word}
    found = get_close_matches(word.lower(), others, n=3, cutoff=0.01)
    return ", ".join(others[one] for one in list(dict.fromkeys([*found, *reversed(others)]))[:3])


def expected(state: State, words: Sequence[str]) -> list[str]:
    """The words that a model can say, without marks, the likeliest after some words that it knows first."""
    logits = decoder_of(state, len(words)).read(ids_of(words, state.graph.vocabulary(sequence_of(state))))
    says = output_words(state)
    return [says[i] for i in np.argsort(-logits, kind="stable") if not is_mark(says[i])]


def ids_of(words: Sequence[str], vocabulary: Sequence[str]) -> list[int]:
    """The numbers of words that are all in a vocabulary."""
    numbers = {word: i for i, word in enumerate(vocabulary)}
    return [numbers[word] for word in words]


def ends_of(state: State) -> frozenset[int]:
    """The numbers of the marks of the output vocabulary at which a text is over."""
    words = output_words(state)
    return frozenset(words.index(end) for end in end_marks(words) if end in words)


def never_of(state: State) -> tuple[int, ...]:
    """The numbers of the words of the output vocabulary that a text never has."""
    words = output_words(state)
    return words.never if isinstance(words, Vocabulary) else ()


def output_words(state: State) -> tuple[str, ...]:
    """The output vocabulary of the model."""
    return state.graph.axes["output.words"]


def first_words(state: State) -> list[str]:
    """How a translator's answer begins by default: with `<start>`, if the vocabulary has it.

    Raises `ExplorerError`: "no-start", with the words that may begin it.
    """
    words = state.graph.vocabulary(sequence_of(state))
    if START in words:
        return [START]
    if isinstance(words, Vocabulary) or are_numbers(words):  # a checkpoint's first input word is its start word
        return [state.graph.labels(sequence_of(state), state.inputs)[0]]
    marks = [word for word in words if is_mark(word) and word not in (END, PAD, UNKNOWN)]
    raise ExplorerError("no-start", known=", ".join(marks or [word for word in words if not is_mark(word)][:_FEW]))


_FEW = 5


def decoder_of(
    state: State, words: int, more: int = 0, source: Sequence[str] | None = None, cache: bool = True
) -> Decoder:
    """A decoder that has read nothing yet.

    Pins are ignored: they belong to positions of the document's own sentence.

    `words`, `more`: how many words it will read first, and the most behind them; fewer, if the model has fewer
    positions.
    `source`: the source for a translator's encoder, in words that it knows; default: the document's own.
    `cache`: whether keys and values are kept.
    Raises `ExplorerError`: "writes-nothing"; the errors of building the model.
    """
    sequence = sequence_of(state)
    room = max(words, min(words + more, positions(state, sequence)))
    lengths = {**state.model.lengths, sequence: min(room, MOST_TOKENS)}
    inputs = dict(state.inputs)
    if source is not None:
        ids = ids_of(source, state.graph.vocabulary("source"))
        inputs["source.tokens"] = read_only(np.array(ids, np.int64))
        lengths["source"] = len(ids)
    model = replace(state.model, lengths=lengths)
    longer = State.of(model, inputs, beyond=state.beyond, by_rows=True)
    return Decoder(longer.model, longer.graph, longer.used, cache)


def positions(state: State, sequence: str) -> int:
    """The most words that the model can read: a table of positions has a last row.

    A table that is as long as the text, and whose last rows are as they were drawn, counts without these: a longer text
    than any that was learned added them. If all are, it has learned no positions yet, and gets a row for each word.
    """
    model = state.model
    if model.switch(sequence, "positions") not in _TABLES:
        return MOST_TOKENS
    name, first = _table(model, sequence)
    table = max((arrays[name] for arrays in (state.inputs, state.beyond) if name in arrays), key=len)
    learned = len(table) - first if room_of(model, sequence) else _learned(state, name, table, first)
    return min(learned or MOST_TOKENS, MOST_TOKENS)


def drawn_positions(state: State, sequence: str) -> int:
    """How many of a text's last positions are as they were drawn, behind others that have been learned or typed."""
    model = state.model
    if model.switch(sequence, "positions") not in _TABLES or room_of(model, sequence):
        return 0
    name, first = _table(model, sequence)
    table = state.inputs[name]
    return len(table) - first - learned if (learned := _learned(state, name, table, first)) else 0


_TABLES = ("table", "learned", "own")
"""The kinds of positions that are rows of a table."""


def room_of(model: Model, sequence: str) -> int:
    """How many positions a model of others brings in a table, whatever the text; 0 if it has no such table."""
    kind, room, first = (model.switch(sequence, name) for name in ("positions", "room", "first"))
    return int(room) - int(first) if kind == "own" and int(room) > int(first) else 0


def _table(model: Model, sequence: str) -> tuple[str, int]:
    """The node of the table, and the row of the first position."""
    if model.switch(sequence, "positions") == "own":
        return f"{sequence}.places", int(model.switch(sequence, "first"))
    return f"{sequence}.PE", 0


def _learned(state: State, name: str, table: Array, first: int) -> int:
    """How many positions of a table there are up to the last one that has been learned or typed."""
    op, model, start = state.graph.nodes[name].op, state.model, np.empty(table.shape, state.model.dtype)
    op.write_start(start, name, model.seed, model.initialiser, None)
    drawn, now = (rows[first:].astype(np.float64) for rows in (start, table))  # a longer table has them times a factor
    with np.errstate(all="ignore"):
        of_now, of_drawn = (np.linalg.norm(rows, axis=-1, keepdims=True) for rows in (now, drawn))
        same = np.isclose(now * of_drawn, drawn * of_now, rtol=1e-4, atol=1e-9) & ((of_now == 0) == (of_drawn == 0))
    return int(np.flatnonzero(~same.all(axis=-1)).max(initial=-1)) + 1
