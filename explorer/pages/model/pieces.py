"""The page of pieces of words: the merges that byte-pair encoding learns from a text, and the sentence in pieces.

For a model with a tokenizer of its own: what that does to the sentence, step by step.
"""

from functools import lru_cache
from html import escape

from explorer.checkpoints.tokenizers.models import BytePairs, Unigram
from explorer.checkpoints.tokenizers.tokenizer import Tokenizer, letters_of
from explorer.core.graph import Stage
from explorer.core.numbers import formatted, quantity
from explorer.core.vocabulary import (
    Merge,
    Vocabulary,
    are_pieces,
    encode,
    is_mark,
    label,
    learn,
    merges_of,
    piece_numbers,
    steps,
    typed,
    words,
)
from explorer.pages import page as el
from explorer.pages.controls import Choice, Controls, Number, TextBox
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.view import View
from explorer.training.head_gallery import grammar_of

OWN_WORD = "pieces.own word"
_KINDS = {
    "BytePairs": "byte-pair encoding: of the pairs side by side the one that was learned first is merged",
    "WordPieces": "WordPiece: from the left, the longest piece that there is",
    "Unigram": "Unigram: of all ways to cut a word, the most probable one",
    "WholeWords": "whole words",
}
_BEGINS, _CHOSEN, _LISTED = 60, 40, 18
"""The most letters of a part of the sentence: taken in steps, in the field that chooses it, and in the narrow list."""
ACROSS = 5
"""The most pieces on a line, with their numbers: a part of the sentence may be the whole sentence."""


def own_steps(view: View, known: tuple[str, ...], sentence: str) -> tuple[Element, ...]:
    """The parts and pieces of the sentence from the model's own tokenizer, if it has one, and one part step by step."""
    if not isinstance(known, Vocabulary) or not isinstance(tokenizer := known.tokenizer, Tokenizer):
        return ()
    words, lines, written = list[str](), list[el.Line](), letters_of(tokenizer)
    for part, begins in tokenizer.parts(sentence):
        if isinstance(part, int):
            lines.append(el.Line.of(known[part], known[part], str(part)))
            continue
        for word in tokenizer.words(part, begins):
            ids = tokenizer.model.ids(word)
            words.append(word)
            for begin in range(0, len(ids) or 1, ACROSS):
                some = ids[begin : begin + ACROSS]
                pieces, numbers = " · ".join(map(known.__getitem__, some)), " ".join(map(str, some))
                lines.append(el.Line.of("" if begin else _short(written(word), _LISTED), pieces, numbers))
    before, behind = (escape(" ".join(known[i] for i in ids)) for ids in (tokenizer.before, tokenizer.behind))
    marks = f" Before a text stands {before}" * bool(before)
    marks += (f", after it {behind}" if before else f" After a text stands {behind}") * bool(behind)
    blanks = ""
    if any("␣" in written(word) for word in words):
        blanks = ", with ␣ for each blank"
    elif " " in sentence:  # BERT's
        blanks = ", and the blanks between them are left out"
    rule = _KINDS[type(tokenizer.model).__name__]
    about = (
        f"The model came with this tokenizer of <b>{len(known):,}</b> pieces, by {rule}. "
        f"A text is first split into the parts below{blanks}; no piece belongs to two parts."
        f"{marks}{'.' * bool(marks)}"
    )
    columns = el.Column("part", width=220), el.Column("pieces", width=420), el.Column("numbers", width=220)
    title = "The parts of the sentence, their pieces and the numbers"
    return (
        el.Section("own", "The model's own tokenizer"),
        el.Note("own about", about),
        el.Listing("own pieces", title, columns, tuple(lines), most=14),
        *_known_word(view, known, tokenizer, words),
    )


def _known_word(view: View, known: Vocabulary, tokenizer: Tokenizer, words: list[str]) -> tuple[Element, ...]:
    """One part of the sentence step by step: merge by merge, or with the score of each piece."""
    if not words or not isinstance(tokenizer.model, BytePairs | Unigram):
        return ()
    words = list(dict.fromkeys(words))
    at = view.number(OWN_WORD, max(range(len(words)), key=lambda i: len(words[i])), 0, len(words) - 1)
    names = tuple(_short(letters_of(tokenizer)(word), _CHOSEN) for word in words)
    choice = Choice("own word", "Part", names, at, (Keep(OWN_WORD),), "Part to look at in steps")
    word = words[at][:_BEGINS]
    if isinstance(tokenizer.model, BytePairs):
        steps = tokenizer.model.steps(word)
        lines = [
            el.Line.of(str(i), " · ".join(map(known.__getitem__, ids)), str(len(ids))) for i, ids in enumerate(steps)
        ]
        columns = el.Column("merges", el.NUMBER), el.Column("pieces", width=420), el.Column("how many", el.NUMBER)
    else:
        best = tokenizer.model.best(word)
        lines = [
            el.Line.of(piece, formatted(score, ".3f"), formatted(sum(s for _, s in best[: i + 1]), ".3f"))
            for i, (piece, score) in enumerate(best)
        ]
        columns = el.Column("piece", width=240), el.Column("score", el.NUMBER), el.Column("sum", el.NUMBER)
    return Controls("which own word", (choice,)), el.Listing(
        "own steps", "One part in steps", columns, tuple(lines), most=14
    )


def _short(word: str, most: int) -> str:
    return word if len(word) <= most else f"{word[:most]} …"


MERGES, TAUGHT, WORD, TEXT = "pieces.merges", "pieces.taught", "pieces.word", "pieces.text"
BOOKS, OWN = "the model's own text", "a text of mine"
SENTENCES, SEED, MOST, MOST_TEXT = 300, 1, 1000, 200_000
NOTHING = "No merge is used: each byte is a piece by itself."
NOTHING_TWICE = f"Nothing: no two pieces stand side by side twice. Choose “{OWN}” for a longer text."


def pieces(view: View, stage: Stage) -> tuple[Element, ...]:
    """The text to learn from, the merges, the sentence in pieces, and one word step by step."""
    known = view.graph.vocabulary("input")
    said = [word for word in view.labels("input") if are_pieces(known) or not is_mark(word)]
    sentence = typed(said, known)
    sources = _sources(view, sentence)
    titles = tuple(sources)
    source = view.number(TAUGHT, len(titles) - 2, 0, len(titles) - 1)
    every = sources[titles[source]]
    n = view.number(MERGES, MOST if titles[source] == BOOKS else 60, 0, max(len(every), 1))
    merges = every[:n]
    ids = piece_numbers(merges)
    found = encode(sentence, merges)
    about = (
        f"The sentence has <b>{quantity(len(sentence.encode()), 'byte')}</b>; with {quantity(len(merges), 'merge')} it "
        f"has <b>{quantity(len(found), 'piece')}</b>. With fewer merges the pieces are shorter and the vocabulary is "
        "smaller; with more it is the other way round. A word that was never seen is cut into smaller pieces, "
        "at worst into bytes: nothing is unknown."
    )
    word = _word(view, sentence, merges)
    rule = "The two pieces that most often stand side by side become one piece. This is repeated again and again."
    if not merges:
        rule = NOTHING if every else NOTHING_TWICE
    learned = (
        el.Section("learned", "What was learned, in order"),
        el.Note("rule", rule),
        *([_merges(merges)] if merges else []),
    )
    what, most, tip = "Type or paste a text to learn from", max(len(every), 1), "How many are learned"
    own = TextBox("own text", what, str(view.chosen(TEXT, "")), Keep(TEXT), MOST_TEXT)
    controls = (
        Choice("taught", "Learned from", titles, source, (Keep(TAUGHT),), "What the merges are learned from"),
        Number("how many merges", "Merges", len(merges), 0, most, Keep(MERGES), tip),
    )
    return (
        *own_steps(view, known, sentence),
        Controls("what", controls),
        *((own,) if titles[source] == OWN else ()),
        el.Note("together", about),
        el.Section("in pieces", "The sentence in pieces"),
        _sentence(found, ids),
        *((el.beside((el.COLUMN, word), (el.COLUMN, learned)),) if word else learned),
    )


def _sources(view: View, sentence: str) -> dict[str, tuple[Merge, ...]]:
    """The texts that merges can be learned from, each with its merges; the last is a text that the reader types."""
    known, grammar = view.graph.vocabulary("input"), grammar_of(view.state)
    found = {"this sentence": _learned(sentence)}
    if grammar is not None:
        drawn = grammar.sample(SENTENCES, SEED, held_out=False)
        found["its grammar"] = _learned("\n".join(one.key for one in drawn))
    if are_pieces(known) and not isinstance(known, Vocabulary):
        found[BOOKS] = merges_of(known)
    return {**found, OWN: _learned(str(view.chosen(TEXT, sentence)))}


@lru_cache(8)
def _learned(text: str) -> tuple[Merge, ...]:
    return tuple(learn(text, MOST))


def _sentence(found: list[bytes], ids: dict[bytes, int]) -> el.Listing:
    rows = {
        "piece": [label(piece) for piece in found],
        "id": [str(ids[piece]) for piece in found],
        "bytes": [" ".join(str(byte) for byte in piece) for piece in found],
    }
    lines = tuple(el.Line.of(*texts, strong=name == "piece") for name, texts in rows.items())
    columns = tuple(el.Column(str(i), el.NUMBER) for i in range(len(found)))  # columns of numbers are never narrowed
    return el.Listing("pieces", "The pieces, their numbers and their bytes", columns, lines, labels=tuple(rows))


def _word(view: View, sentence: str, merges: tuple[Merge, ...]) -> tuple[Element, ...]:
    each = words(sentence)
    if not each:
        return ()
    longest = max(range(len(each)), key=lambda i: len(each[i]))
    at = view.number(WORD, longest, 0, len(each) - 1)
    choice = Choice(
        "chosen word", "Word", tuple(label(word) for word in each), at, (Keep(WORD),), "Word to cut into pieces"
    )
    lines = []
    for number, now in steps(each[at], merges):
        done = "bytes" if number < 0 else f"merge {number + 1}: {label(merges[number].piece)}"
        lines.append(el.Line.of(done, " · ".join(map(label, now)), str(len(now))))
    columns = el.Column("after"), el.Column("pieces", width=440), el.Column("how many", el.NUMBER)
    title = f"“{label(each[at])}”, merge by merge"
    listing = el.Listing("steps", "One word, merge by merge", columns, tuple(lines))
    return el.Section("word", title), Controls("which word", (choice,)), listing


def _merges(merges: tuple[Merge, ...]) -> el.Listing:
    most = max((merge.count for merge in merges), default=0)  # a model's merges have no count
    lines = []
    for number, merge in enumerate(merges):
        left, right = label(merge.left), label(merge.right)
        counts = (f"{merge.count:,}", el.Entry(f"{merge.count:,}", merge.count / most)) if most else ()
        lines.append(el.Line.of(str(number + 1), f"{left} + {right}", label(merge.piece), str(256 + number), *counts))
    counted = (*el.numeric("stood together"), el.Column("", el.BAR, 120)) if most else ()
    columns = *el.numeric("merge"), el.Column("pair"), el.Column("piece"), *el.numeric("id"), *counted
    title = "The merges in the order in which they were learned"
    return el.Listing("merge list", title, columns, tuple(lines), most=14)
