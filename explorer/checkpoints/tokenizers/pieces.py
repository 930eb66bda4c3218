"""Pieces in letters that can be seen."""

from explorer.checkpoints.tokenizers.decoders import byte_of
from explorer.checkpoints.tokenizers.text_patterns import BYTE_OF_LETTER, as_bytes
from explorer.checkpoints.tokenizers.tokenizer import Tokenizer
from explorer.core.byte_pairs import label
from explorer.core.vocabulary import Vocabulary

MOST_LETTERS = 40


def named(tokenizer: Tokenizer, n: int) -> Vocabulary:
    """The first n pieces of a tokenizer: a blank as ␣, and what cannot be seen as its bytes.

    Where two would be shown alike, or there is none, the number stands behind #.
    """
    added = {one.number for one in tokenizer.added}
    written = [(number, tokenizer.pieces.get(number, "")) for number in range(n)]
    shown_as = _by_letters if _is_of_letters(tokenizer) else _as_text
    found, seen = list[str](), set[str]()
    for number, piece in written:
        shown = _as_text(piece) if number in added else shown_as(piece)
        if len(shown) > MOST_LETTERS:
            shown = f"{shown[:MOST_LETTERS]}…"
        if not shown or shown in seen:
            shown = f"{shown}#{number}"
        while shown in seen:
            shown += "#"
        seen.add(shown)
        found.append(shown)
    return Vocabulary(found, tokenizer)


def _is_of_letters(tokenizer: Tokenizer) -> bool:
    """Whether its pieces are bytes, each written as a letter (GPT-2 and its kin): its way back shows it."""
    return tokenizer.decoder(["Ġ"]) == [" "]


def _by_letters(piece: str) -> str:
    return label(as_bytes(piece)) if all(letter in BYTE_OF_LETTER for letter in piece) else _as_text(piece)


def _as_text(piece: str) -> str:
    return piece if byte_of(piece) is not None else label(piece.replace("▁", " ").encode(errors="replace"))
