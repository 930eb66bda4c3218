"""Pieces of words: what byte-pair encoding learns from a text, merge by merge, and how it takes the sentence apart."""

from functools import lru_cache
from html import escape

from explorer.core.byte_pairs import Merge, encode, learn, steps, vocabulary, words
from explorer.core.graph import Graph
from explorer.core.node import Stage
from explorer.core.tokens import is_mark
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.page import (
    BAR,
    NUMBER,
    Choice,
    Column,
    Controls,
    Entry,
    Line,
    Listing,
    Note,
    Number,
    Section,
)
from explorer.pages.view import View
from explorer.training.head_gallery import grammar_of

PIECES = Stage("generation.pieces", "pieces", "Pieces of words", "Generation")
MERGES, TAUGHT, WORD = "pieces.merges", "pieces.taught", "pieces.word"
SENTENCES, SEED, MOST = 300, 1, 400


def has_words(graph: Graph) -> bool:
    """Whether a model reads words that could be pieces: a decoder by itself."""
    return "input" in graph.sequences and "output.logits" in graph.nodes


def pieces(view: View, stage: Stage) -> tuple[Element, ...]:
    """What is learned from, the merges, the sentence in pieces, and one word step by step."""
    sentence = " ".join(word for word in view.labels("input") if not is_mark(word))
    grammar = grammar_of(view.state)
    sources = ("this sentence", "sentences of the grammar") if grammar else ("this sentence",)
    source = min(int(view.chosen(TAUGHT, len(sources) - 1)), len(sources) - 1)
    text = sentence
    if source == 1 and grammar is not None:
        text = "\n".join(one.key for one in grammar.sample(SENTENCES, SEED, held_out=False))
    n = int(view.chosen(MERGES, 60))
    every = _learned(text)
    merges = every[:n]
    ids = vocabulary(merges)
    found = encode(sentence, merges)
    said = (
        f"The sentence has <b>{len(sentence.encode())}</b> bytes; with {len(merges)} merges it has <b>{len(found)}</b> "
        "pieces. With fewer merges the pieces are shorter and the vocabulary is smaller; with more it is the other way "
        "round. A word that was never seen falls into smaller pieces, at worst into bytes: nothing is unknown."
    )
    tip = "What the merges are learned from"
    return (
        Controls(
            "what",
            (
                Choice("taught", "Learned from", sources, source, (Keep(TAUGHT),), tip),
                Number(
                    "how many merges",
                    "Merges",
                    len(merges),
                    0,
                    max(len(every), 1),
                    Keep(MERGES),
                    "How many are learned",
                ),
            ),
        ),
        Note("together", said),
        Section("in pieces", "The sentence in pieces"),
        _sentence(found, ids),
        *_word(view, sentence, merges),
        Section("learned", "What was learned, in order"),
        Note("rule", "The pair that stands side by side most often becomes one piece; then the next. That is all."),
        _merges(merges),
    )


def pieces_sentence(view: View, stage: Stage) -> str:
    """What happens there."""
    return "Large models read no whole words, but pieces of them, which are learned from a text (byte-pair encoding)."


@lru_cache(8)
def _learned(text: str) -> tuple[Merge, ...]:
    return tuple(learn(text, MOST))


def shown(piece: bytes) -> str:
    """A piece in letters: a blank as ␣, and a part of a letter as its bytes."""
    try:
        return piece.decode().replace(" ", "␣").replace("\n", "⏎")
    except UnicodeDecodeError:
        return " ".join(f"{byte:02x}" for byte in piece)


def _sentence(found: list[bytes], ids: dict[bytes, int]) -> Listing:
    rows = {
        "piece": [shown(piece) for piece in found],
        "id": [str(ids[piece]) for piece in found],
        "bytes": [" ".join(str(byte) for byte in piece) for piece in found],
    }
    lines = tuple(Line(tuple(map(Entry, texts)), strong=name == "piece") for name, texts in rows.items())
    columns = tuple(Column(str(i + 1)) for i in range(len(found)))
    return Listing("pieces", "The pieces, their numbers and their bytes", columns, lines, labels=tuple(rows))


def _word(view: View, sentence: str, merges: tuple[Merge, ...]) -> tuple[Element, ...]:
    """One word from bytes to pieces, merge by merge."""
    each = words(sentence)
    if not each:
        return ()
    longest = max(range(len(each)), key=lambda i: len(each[i]))
    at = min(int(view.chosen(WORD, longest)), len(each) - 1)
    choice = Choice(
        "chosen word", "Word", tuple(shown(word) for word in each), at, (Keep(WORD),), "Which word to follow"
    )
    lines = []
    for number, now in steps(each[at], merges):
        done = "bytes" if number < 0 else f"merge {number + 1}: {shown(merges[number].piece)}"
        lines.append(Line((Entry(done), Entry(" · ".join(map(shown, now))), Entry(str(len(now))))))
    columns = Column("after"), Column("pieces"), Column("how many", NUMBER)
    title = f"“{escape(shown(each[at]))}”, merge by merge"
    listing = Listing("steps", "One word, merge by merge", columns, tuple(lines))
    return Section("word", title), Controls("which word", (choice,)), listing


def _merges(merges: tuple[Merge, ...]) -> Listing:
    most = max((merge.count for merge in merges), default=1)
    lines = []
    for number, merge in enumerate(merges):
        left, right = shown(merge.left), shown(merge.right)
        entries = (
            Entry(str(number + 1)),
            Entry(f"{left} + {right}"),
            Entry(shown(merge.piece)),
            Entry(str(256 + number)),
            Entry(f"{merge.count:,}"),
            Entry(f"{merge.count:,}", merge.count / most),
        )
        lines.append(Line(entries))
    columns = (
        Column("merge", NUMBER),
        Column("pair"),
        Column("piece"),
        Column("id", NUMBER),
        Column("stood together", NUMBER),
        Column("", BAR, 120),
    )
    return Listing("merge list", "The merges in the order in which they were learned", columns, tuple(lines), most=14)
