"""What the tokenizer that came with a model does to the sentence, step by step."""

from html import escape

from explorer.checkpoints.tokenizers.models import BytePairs, Unigram
from explorer.checkpoints.tokenizers.tokenizer import Tokenizer
from explorer.core.numbers import formatted
from explorer.core.vocabulary import Vocabulary
from explorer.pages.element import Element
from explorer.pages.gestures import Keep
from explorer.pages.page import NUMBER, Choice, Column, Controls, Line, Listing, Note, Section
from explorer.pages.view import View

OWN_WORD = "pieces.own word"
_KINDS = {
    "BytePairs": "byte-pair encoding: of the pairs side by side the one that was learned first is merged",
    "WordPieces": "WordPiece: from the left, the longest piece that there is",
    "Unigram": "Unigram: of all ways to take a word apart the likeliest",
    "WholeWords": "whole words",
}
_BEGINS = 60


def own_steps(view: View, known: Vocabulary, sentence: str) -> tuple[Element, ...]:
    """The sentence normalized, split and taken apart by the model's own tokenizer, and one of its words in steps."""
    tokenizer = known.tokenizer
    if not isinstance(tokenizer, Tokenizer):
        return ()
    words, lines = list[str](), list[Line]()
    for part, begins in tokenizer.parts(sentence):
        if isinstance(part, int):
            lines.append(Line.of(known[part], known[part], str(part)))
            continue
        for word in tokenizer.words(part, begins):
            ids = tokenizer.model.ids(word)
            words.append(word)
            lines.append(Line.of(_short(word), " · ".join(map(known.__getitem__, ids)), " ".join(map(str, ids))))
    around = " ".join(known[i] for i in tokenizer.before), " ".join(known[i] for i in tokenizer.behind)
    told = [
        f"before it stands {escape(around[0])}" if around[0] else "",
        f"behind it {escape(around[1])}" if around[1] else "",
    ]
    marks = "; ".join(one for one in told if one)
    rule = _KINDS[type(tokenizer.model).__name__]
    about = (
        f"The model came with this tokenizer of <b>{len(known):,}</b> pieces, by {rule}. "
        "A text is first split into the parts below, with a sign for each blank; no piece goes across two of them."
        + (f" Of a text, {marks}." if marks else "")
    )
    columns = Column("part", width=220), Column("pieces", width=420), Column("numbers", width=220)
    listing = Listing(
        "own pieces", "The parts of the sentence, their pieces and the numbers", columns, tuple(lines), most=14
    )
    return (
        Section("own", "The model's own tokenizer"),
        Note("own about", about),
        listing,
        *_word(view, known, tokenizer, words),
    )


def _word(view: View, known: Vocabulary, tokenizer: Tokenizer, words: list[str]) -> tuple[Element, ...]:
    """One part in steps: merge by merge, or with the score of each piece."""
    if not words or not isinstance(tokenizer.model, BytePairs | Unigram):
        return ()
    words = list(dict.fromkeys(words))
    at = view.number(OWN_WORD, max(range(len(words)), key=lambda i: len(words[i])), 0, len(words) - 1)
    choice = Choice("own word", "Part", tuple(map(_short, words)), at, (Keep(OWN_WORD),), "Part to look at in steps")
    word = words[at][:_BEGINS]
    if isinstance(tokenizer.model, BytePairs):
        steps = tokenizer.model.steps(word)
        lines = [Line.of(str(i), " · ".join(map(known.__getitem__, ids)), str(len(ids))) for i, ids in enumerate(steps)]
        columns = Column("merges", NUMBER), Column("pieces", width=420), Column("how many", NUMBER)
    else:
        best = tokenizer.model.best(word)
        lines = [
            Line.of(piece, formatted(score, ".3f"), formatted(sum(s for _, s in best[: i + 1]), ".3f"))
            for i, (piece, score) in enumerate(best)
        ]
        columns = Column("piece", width=240), Column("score", NUMBER), Column("sum", NUMBER)
    return Controls("which own word", (choice,)), Listing(
        "own steps", "One part in steps", columns, tuple(lines), most=14
    )


def _short(word: str) -> str:
    return word if len(word) <= _BEGINS else f"{word[:_BEGINS]}…"
