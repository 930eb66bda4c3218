"""A SentencePiece model (google/sentencepiece, sentencepiece_model.proto): pieces with scores, in protobuf.

It is converted into a tokenizer.json.
"""

import struct
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from explorer.checkpoints.tokenizers.fields import wrong
from explorer.checkpoints.tokenizers.models import MOST_PIECES

BLANK = "▁"
Piece = tuple[str, float, int]
"""A piece, its score, and its kind."""
NORMAL, UNKNOWN, CONTROL, USER, BYTE = 1, 2, 3, 4, 6
_APART = (UNKNOWN, CONTROL, USER)
"""The kinds of pieces that are looked for in a text before it is split."""
_UNIGRAM, _BPE = 1, 2


def described(raw: bytes) -> dict[str, Any]:
    """A SentencePiece model as a tokenizer.json; the caller adds the marks around a text.

    Raises `ExplorerError`: "tokenizer" if it is invalid, or of an unknown kind.
    """
    pieces, falls_back = list[Piece](), False
    kind: int | float | bytes = _UNIGRAM
    character_map, before, escapes, squeezes = b"", True, True, True
    for number, value in _fields(raw):
        if number == 1 and isinstance(value, bytes):
            pieces.append(_piece(value))
            if len(pieces) > MOST_PIECES:
                raise wrong(f"has more than {MOST_PIECES:,} pieces")
        elif number == 2 and isinstance(value, bytes):
            trained = dict(_fields(value))
            kind, falls_back = trained.get(3, _UNIGRAM), bool(trained.get(35, 0))
            if trained.get(24, 0):
                raise wrong("is a SentencePiece model that puts blanks behind words, which is not known here")
        elif number == 3 and isinstance(value, bytes):
            rules = dict(_fields(value))
            found = rules.get(2, b"")
            character_map = found if isinstance(found, bytes) else b""
            before, squeezes, escapes = (bool(rules.get(n, 1)) for n in (3, 4, 5))
    if not pieces or kind not in (_UNIGRAM, _BPE):
        raise wrong("is a SentencePiece model of a kind that is not known here")
    if not escapes:
        raise wrong("is a SentencePiece model that keeps blanks as they are, which is not known here")
    steps: list[dict[str, Any]] = []
    if character_map:
        kept = [piece for piece, _, sort in pieces if sort == USER]
        encoded = b64encode(character_map).decode()
        steps.append({"type": "SentencePiece", "precompiled_charsmap": encoded, "kept": kept})
    if squeezes:
        steps += [
            {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
            for pattern, content in ((r"\A +| +\Z", ""), (" {2,}", " "))  # blanks only, not ends of lines
        ]
    if before:
        steps.append({"type": "Prepend", "prepend": " "})
    steps.append({"type": "Replace", "pattern": {"String": " "}, "content": BLANK})
    model = unigram(pieces, falls_back) if kind == _UNIGRAM else by_merges(pieces)
    said = put_together(model, pieces, steps, 1000 if squeezes else int(before))
    for one, kind_of in zip(said["added_tokens"], (k for *_, k in pieces if k in _APART), strict=True):
        if kind_of == USER:  # found in the whole text, at whose beginning alone a blank is put
            one |= {"normalized": True, "as_it_is": True}
    return said


def put_together(
    model: Mapping[str, Any], pieces: Sequence[Piece], normalizers: list[dict[str, Any]], blanks: int
) -> dict[str, Any]:
    """A tokenizer.json for these pieces: marks are searched in the text, and decoding restores blanks.

    `blanks`: how many blanks at most decoding removes before the first word.
    """
    back = [
        {"type": "Replace", "pattern": {"String": BLANK}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        *([{"type": "Strip", "content": " ", "start": blanks, "stop": 0}] if blanks else []),
    ]
    prepends = any(one["type"] == "Prepend" for one in normalizers)  # it would be applied to a piece's content, too
    return {
        "added_tokens": [
            {"id": i, "content": piece, "special": kind != USER, "normalized": kind == USER and not prepends}
            for i, (piece, _, kind) in enumerate(pieces)
            if kind in _APART
        ],
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "decoder": {"type": "Sequence", "decoders": back},
        "model": model,
    }


def by_scores(pieces: Sequence[Piece], blank_first: bool = True) -> dict[str, Any]:
    """A tokenizer.json for the byte pairs of Llama 1 and 2, which other files store as pieces with scores.

    `blank_first`: whether a blank is put before each text.
    """
    before = [{"type": "Prepend", "prepend": BLANK}] if blank_first else []
    blanks: list[dict[str, Any]] = [{"type": "Replace", "pattern": {"String": " "}, "content": BLANK}]
    return put_together(by_merges(pieces), pieces, [*before, *blanks], int(blank_first))


def by_merges(pieces: Sequence[Piece]) -> dict[str, Any]:
    """SentencePiece's byte pairs: two pieces merge if together they are a piece; the best score comes first."""
    known = {piece: i for i, (piece, _, _) in enumerate(pieces)}
    usual = {piece for piece, _, kind in pieces if kind in (NORMAL, USER)}
    merges = [
        (-score, i, cut, (piece[:cut], piece[cut:]))
        for i, (piece, score, kind) in enumerate(pieces)
        if kind in (NORMAL, USER)
        for cut in range(1, len(piece))
        if piece[:cut] in usual and piece[cut:] in usual
    ]
    unknown = next((piece for piece, _, kind in pieces if kind == UNKNOWN), None)
    has_bytes = any(kind == BYTE for *_, kind in pieces)
    return {
        "type": "BPE",
        "vocab": known,
        "merges": [pair for *_, pair in sorted(merges)],
        "unk_token": unknown,
        "fuse_unk": True,
        "byte_fallback": has_bytes,
    }


def unigram(pieces: Sequence[Piece], falls_back: bool = False) -> dict[str, Any]:
    """The Unigram model of these pieces."""
    unknown = next((i for i, (_, _, kind) in enumerate(pieces) if kind == UNKNOWN), None)
    return {
        "type": "Unigram",
        # Our own extension: marks have no score, so a text that looks like a mark is split like any other.
        "vocab": [(piece, score if kind in (NORMAL, USER) else None) for piece, score, kind in pieces],
        "unk_id": unknown,
        "byte_fallback": falls_back,
        "single": True,  # our own extension: SentencePiece adds scores in float32, which decides between equal splits
    }


def _piece(raw: bytes) -> Piece:
    said = dict(_fields(raw))
    piece, score, kind = said.get(1, b""), said.get(2, 0.0), said.get(3, NORMAL)
    if not isinstance(piece, bytes) or not isinstance(score, float) or not isinstance(kind, int):
        raise wrong("has a piece that is no text with a score")
    return piece.decode(errors="replace"), score, kind


def _fields(raw: bytes) -> Iterator[tuple[int, int | float | bytes]]:
    """The fields of a protobuf message: numbers as numbers, everything else as bytes."""
    at = 0
    while at < len(raw):
        key, at = _number(raw, at)
        match key & 7:
            case 0:
                value, at = _number(raw, at)
                yield key >> 3, value
            case 2:
                length, at = _number(raw, at)
                if length > len(raw) - at:
                    raise wrong("is cut short")
                yield key >> 3, raw[at : at + length]
                at += length
            case 1 | 5 as width:
                size = 8 if width == 1 else 4
                if at + size > len(raw):
                    raise wrong("is cut short")
                yield key >> 3, struct.unpack_from("<d" if size == 8 else "<f", raw, at)[0]
                at += size
            case _:
                raise wrong("is no SentencePiece model")


def _number(raw: bytes, at: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        if at >= len(raw) or shift > 63:
            raise wrong("is no SentencePiece model, or is cut short")
        byte = raw[at]
        found, at, shift = found | (byte & 127) << shift, at + 1, shift + 7
        if byte < 128:
            return found, at
