"""The steps of a tokenizer.json (huggingface/tokenizers 0.23): changing a text, splitting it into words, and back.

The words are later split into pieces. A step of the splitting receives a part and whether the text begins with it, and
returns the parts into which it splits it. A step of a decoder maps texts to texts.
"""

import unicodedata
from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import groupby
from typing import TypeVar

import numpy as np
import regex

from explorer.checkpoints.tokenizers.fields import (
    ANOTHER_TEXT,
    MOST_TEXT,
    Fields,
    as_bytes,
    as_letters,
    found_in,
    pattern,
    wrong,
)
from explorer.core.frozen import Frozen

Normalizer = Callable[[str], str]
PreTokenizer = Callable[[str, bool], list[str]]
Decoder = Callable[[list[str]], list[str]]
Split = tuple[str, bool]  # part of a text, and whether it matched
Given = TypeVar("Given")
BEHAVIOURS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
BLANKS = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""Unicode's White_Space, which is narrower than Python's `isspace`."""
_BLANK, _NUMBER = pattern(f"[{BLANKS}]"), pattern(r"\p{N}")
_MARK = pattern(r"[\p{P}$+<=>^`|~]")
"""A punctuation mark, or an ASCII symbol that is neither letter nor digit."""
_BYTE = pattern("<0x[0-9A-Fa-f]{2}>")
_GRAPHEME = pattern(r"\X")
_NMT_GONE = {*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F}
_NMT_BLANK = {9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD}
_OTHER = ("Cc", "Cf", "Co")
_HAN = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F)),
    *((0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)
_CLEANED = (
    *((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m")),
    *((" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re")),
)
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""GPT-2's splitting of a text (openai/gpt-2, encoder.py)."""
_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|"
_BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA_3, QWEN_2 = _WORDS % "{1,3}" + _BLANKS, _WORDS % "" + _BLANKS
"""Llama 3's and Qwen 2's: ends of lines stay together; digits are kept in groups of up to three, or single."""


# Changing a text


def normalizer(said: Fields | None) -> Normalizer:
    """The normalizer that a file describes; without one, the text stays unchanged.

    Raises `ExplorerError`: "tokenizer" for an unknown normalizer.
    """
    if said is None:
        return lambda text: text
    step = _step(said)

    def checked(text: str) -> str:
        made = step(text)
        if len(made) > MOST_TEXT:
            raise wrong(f"makes more than {MOST_TEXT:,} characters of this text", ANOTHER_TEXT)
        return made

    return checked


def _step(said: Fields) -> Normalizer:
    match said.kind():
        case "Sequence":
            return _one_after_another([normalizer(one) for one in said.list("normalizers")])
        case "NFC" | "NFD" | "NFKC" | "NFKD" as form:
            return lambda text: unicodedata.normalize(form, text)
        case "Lowercase":
            return _lowered
        case "Strip":
            left, right = said.flag("strip_left", True), said.flag("strip_right", True)
            return lambda text: text.lstrip(BLANKS * left).rstrip(BLANKS * right)
        case "StripAccents":
            return lambda text: "".join(c for c in text if unicodedata.category(c)[0] != "M")
        case "Prepend":
            before = said.text("prepend")
            return lambda text: before + text if text else text
        case "Replace":
            return replacer(said)
        case "ByteLevel":
            return as_letters
        case "Nmt":
            return lambda text: "".join(" " if ord(c) in _NMT_BLANK else c for c in text if ord(c) not in _NMT_GONE)
        case "BertNormalizer":
            lower = said.flag("lowercase", True)
            accents = said.flag("strip_accents", lower)
            clean, han = said.flag("clean_text", True), said.flag("handle_chinese_chars", True)
            return lambda text: _bert(text, clean, han, accents, lower)
        case "Precompiled":
            return CharacterMap.of(said.text("precompiled_charsmap", 20_000_000)).by_graphemes
        case "SentencePiece":  # our own extension: how a SentencePiece model itself uses its map
            characters, kept = CharacterMap.of(said.text("precompiled_charsmap", 20_000_000)), said.texts("kept")
            return lambda text: characters.by_longest(text, kept)
        case other:
            raise wrong(f"needs the normalizer {other!r}, which is not known here")


def replacer(said: Fields) -> Normalizer:
    """A normalizer that replaces each occurrence of a text or pattern."""
    what, content = said.pattern(), said.text("content")
    if isinstance(what, str):
        return lambda text: text.replace(what, content)
    return lambda text: "".join(content if matched else part for part, matched in _parts(text, what))


def _bert(text: str, clean: bool, han: bool, accents: bool, lower: bool) -> str:
    """BERT's cleaning (google-research/bert, `BasicTokenizer`)."""
    if clean:
        kept = (c for c in text if c in "\t\n\r" or (c not in "\0�" and unicodedata.category(c) not in _OTHER))
        text = "".join(" " if c in BLANKS else c for c in kept)
    if han:
        text = "".join(f" {c} " if any(a <= ord(c) <= b for a, b in _HAN) else c for c in text)
    if accents:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return _lowered(text) if lower else text


def _lowered(text: str) -> str:
    """Each character by itself: a sigma at the end of a word becomes an ordinary one."""
    return "".join(map(str.lower, text))


class CharacterMap(Frozen, eq=False):
    """SentencePiece's replacements of characters: a double array (Yata, darts-clone) and the texts it leads to."""

    units: np.ndarray  # uint32
    texts: bytes

    @classmethod
    def of(cls, said: str) -> "CharacterMap":
        """The map from its serialised form in base64.

        Raises `ExplorerError`: "tokenizer" if it is invalid.
        """
        try:
            raw = b64decode(said, validate=True)
        except (Error, ValueError):
            raise wrong("has a character map that is no base64") from None
        size = int.from_bytes(raw[:4], "little")
        if len(raw) < 8 or size > len(raw) - 4 or size % 4 or not size:
            raise wrong("has a character map that is cut short")
        return cls(np.frombuffer(raw, "<u4", size // 4, 4), raw[4 + size :])

    def prefixes(self, key: bytes) -> list[tuple[int, str]]:
        """The entries for all beginnings of a key: the length in bytes, and the replacement."""
        found: list[tuple[int, str]] = []
        at = self._offset(0, 0)
        for n, byte in enumerate(key, 1):
            if byte == 0:
                break
            at ^= byte
            if at >= len(self.units) or int(self.units[at]) & (1 << 31 | 0xFF) != byte:
                break
            unit = int(self.units[at])
            at = self._offset(at, at)
            if unit >> 8 & 1 and at < len(self.units):
                begin = int(self.units[at]) & ((1 << 31) - 1)
                end = self.texts.find(b"\0", begin)
                found.append((n, self.texts[begin : end if end >= 0 else None].decode(errors="replace")))
        return found

    def _offset(self, at: int, place: int) -> int:
        unit = int(self.units[at])
        return place ^ ((unit >> 10) << ((unit & 1 << 9) >> 6))

    def by_graphemes(self, text: str) -> str:
        """As huggingface/tokenizers does: each letter together with its marks, by the shortest known beginning."""
        made: list[str] = []
        for begin, end in found_in(_GRAPHEME, text):
            grapheme = text[begin:end]
            raw = grapheme.encode(errors="replace")
            whole = self.prefixes(raw) if len(raw) < 6 else []
            if whole:
                made.append(whole[0][1])
                continue
            for c in grapheme:
                known = self.prefixes(c.encode(errors="replace"))
                made.append(known[0][1] if known else c)
        return "".join(made)

    def by_longest(self, text: str, kept: Sequence[str] = ()) -> str:
        """As SentencePiece does: by the longest known beginning; pieces of users, `kept`, are not replaced."""
        raw, at, made = text.encode(errors="replace"), 0, list[str]()
        own = regex.compile(b"|".join(map(regex.escape, sorted(map(str.encode, kept), key=len, reverse=True))))
        while at < len(raw):
            if kept and (found := own.match(raw, at)):
                made.append(found[0].decode())
                at = found.end()
                continue
            known = self.prefixes(raw[at : at + 64])
            if known:
                made.append(known[-1][1])
                at += known[-1][0]
            else:
                n = 1
                while at + n < len(raw) and raw[at + n] >> 6 == 2:  # the other bytes of the character
                    n += 1
                made.append(raw[at : at + n].decode(errors="replace"))
                at += n
        return "".join(made)


def _one_after_another(steps: list[Callable[[Given], Given]]) -> Callable[[Given], Given]:
    return lambda given: reduce(lambda made, step: step(made), steps, given)


# Splitting a text into words


def pre_tokenizer(said: Fields | None) -> PreTokenizer:
    """The splitting that a file describes; without one, the text stays whole.

    Raises `ExplorerError`: "tokenizer" for an unknown splitting.
    """
    if said is None:
        return lambda text, first: [text]
    match said.kind():
        case "Sequence":
            return _split_in_turn([pre_tokenizer(one) for one in said.list("pretokenizers")])
        case "ByteLevel":
            return _byte_level(said.flag("add_prefix_space", True), said.flag("use_regex", True))
        case "Split":
            return _cut(_literal(said.pattern()), _behaviour(said), said.flag("invert", False))
        case "Metaspace":
            return _metaspace(said)
        case "BertPreTokenizer":
            return _split_in_turn([_cut(_BLANK, "Removed"), _cut(_MARK, "Isolated")])
        case "Whitespace":
            return _cut(pattern(r"\w+|[^\w\s]+"), "Removed", True)
        case "WhitespaceSplit":
            return _cut(_BLANK, "Removed")
        case "Digits":
            return _cut(_NUMBER, "Isolated" if said.flag("individual_digits", False) else "Contiguous")
        case "Punctuation":
            return _cut(_MARK, _behaviour(said))
        case "CharDelimiterSplit":
            sign = said.text("delimiter", 1)
            return _cut(_literal(sign), "Removed") if sign else lambda text, first: [text]
        case other:
            raise wrong(f"needs the way of splitting {other!r}, which is not known here")


def _metaspace(said: Fields) -> PreTokenizer:
    """SentencePiece's splitting: ▁ replaces blanks, one is added before the text; each word keeps the ▁ before it."""
    blank = said.text("replacement", 1, "▁")
    scheme, apart = _blank_before(said), said.flag("split", True)
    if not blank:
        raise wrong("has no sign for a blank")
    words = _cut(_literal(blank), "MergedWithNext")

    def split(text: str, first: bool) -> list[str]:
        text = text.replace(" ", blank)
        if (scheme == "always" or (scheme == "first" and first)) and not text.startswith(blank) and text:
            text = blank + text
        return words(text, first) if apart else [text]

    return split


def _blank_before(said: Fields) -> str:
    """When a blank is put before a part of the text: "always", "never", or only before the "first" part."""
    scheme = said.text("prepend_scheme", default="always" if said.flag("add_prefix_space", True) else "never")
    if scheme not in ("always", "first", "never"):
        raise wrong(f"says a prepend_scheme {scheme!r}, which is not known here")
    return scheme


def _behaviour(said: Fields) -> str:
    found = said.text("behavior", default="Isolated")
    if found not in BEHAVIOURS:
        raise wrong(f"splits in the way {found!r}, which is not known here")
    return found


def _split_in_turn(steps: list[PreTokenizer]) -> PreTokenizer:
    def split(text: str, first: bool) -> list[str]:
        found = [(text, first)]
        for step in steps:
            found = [
                (part, begins and i == 0 and not _is_further_on(part, text))
                for text, begins in found
                for i, part in enumerate(step(text, begins))
                if part
            ]
        return [part for part, _ in found]

    return split


def _is_further_on(part: str, text: str) -> bool:
    """Whether a step dropped text before the first part; a part in other letters counts as the text's beginning."""
    return part in text and not text.startswith(part)


def _byte_level(blank_before: bool, as_gpt2: bool) -> PreTokenizer:
    words = pattern(GPT2)

    def split(text: str, first: bool) -> list[str]:
        if blank_before and text and not text.startswith(" "):
            text = " " + text
        found = [text[begin:end] for begin, end in found_in(words, text)] if as_gpt2 else [text]
        return list(map(as_letters, found))

    return split


def _literal(what: "str | regex.Pattern[str]") -> "regex.Pattern[str]":
    return pattern(regex.escape(what)) if isinstance(what, str) else what


def _cut(what: "regex.Pattern[str]", behaviour: str, invert: bool = False) -> PreTokenizer:
    """Splits at what a pattern matches; `behaviour` is one of `BEHAVIOURS`, `invert` swaps matches and the rest."""
    return lambda text, first: _joined(_parts(text, what, invert), behaviour)


def _parts(text: str, what: "regex.Pattern[str]", invert: bool = False) -> list[Split]:
    """The text in parts: the matches of a pattern, and the texts between them."""
    found, end = list[Split](), 0
    for begin, stop in found_in(what, text):
        if begin > end:
            found.append((text[end:begin], invert))
        found.append((text[begin:stop], not invert))
        end = stop
    if end < len(text):
        found.append((text[end:], invert))
    return found


def _joined(found: list[Split], behaviour: str) -> list[str]:
    """The parts after merging or removing the matches."""
    match behaviour:
        case "Removed":
            return [text for text, matched in found if not matched]
        case "Isolated":
            return [text for text, _ in found]
        case "Contiguous":
            return _merged(found, lambda matched, before: matched == before)
        case "MergedWithPrevious":
            return _merged(found, lambda matched, before: matched and not before)
    turned = [(text[::-1], matched) for text, matched in reversed(found)]
    return [text[::-1] for text in reversed(_merged(turned, lambda matched, before: matched and not before))]


def _merged(found: list[Split], joins: Callable[[bool, bool], bool]) -> list[str]:
    made, before = list[str](), False
    for text, matched in found:
        if made and joins(matched, before):
            made[-1] += text
        else:
            made.append(text)
        before = matched
    return made


# From pieces to a text


def decoder(said: Fields | None) -> Decoder:
    """The decoder that a file describes; without one, pieces are joined with blanks.

    Raises `ExplorerError`: "tokenizer" for an unknown decoder.
    """
    if said is None:
        return lambda pieces: [" ".join(pieces)]
    match said.kind():
        case "Sequence":
            return _one_after_another([decoder(one) for one in said.list("decoders")])
        case "ByteLevel":
            return lambda pieces: [b"".join(map(as_bytes, pieces)).decode(errors="replace")]
        case "WordPiece":
            prefix, cleans = said.text("prefix", default="##"), said.flag("cleanup", True)
            return lambda pieces: [_word_piece(i, piece, prefix, cleans) for i, piece in enumerate(pieces)]
        case "Metaspace":
            blank = said.text("replacement", 1, "▁")
            first = "" if _blank_before(said) != "never" else " "
            return lambda pieces: [piece.replace(blank, " " if i else first) for i, piece in enumerate(pieces)]
        case "ByteFallback":
            return _bytes_put_together
        case "Fuse":
            return lambda pieces: ["".join(pieces)]
        case "Strip":
            sign, most = said.text("content", 1), 10_000
            begin, end = said.whole("start", most, 0), said.whole("stop", most, 0)
            return lambda pieces: [_stripped(piece, sign, begin, end) for piece in pieces]
        case "Replace":
            replaced = replacer(said)
            return lambda pieces: list(map(replaced, pieces))
        case "BPEDecoder":
            ending = said.text("suffix", default="</w>")
            return lambda pieces: [
                piece.replace(ending, " " if i < len(pieces) else "") if ending else piece
                for i, piece in enumerate(pieces, 1)
            ]
        case other:
            raise wrong(f"needs the decoder {other!r}, which is not known here")


def _word_piece(i: int, piece: str, prefix: str, cleans: bool) -> str:
    if i:
        piece = piece.removeprefix(prefix) if prefix and piece.startswith(prefix) else f" {piece}"
    for shown, meant in _CLEANED if cleans else ():
        piece = piece.replace(shown, meant)
    return piece


def is_byte(piece: str) -> bool:
    """Whether a piece stands for a byte, such as <0x0A>."""
    return _BYTE.fullmatch(piece) is not None


def _bytes_put_together(pieces: list[str]) -> list[str]:
    """Join neighbouring byte pieces into characters; each byte of an invalid sequence becomes �."""
    made = list[str]()
    for of_bytes, group in groupby(pieces, is_byte):
        held = list(group)
        try:
            made += [bytes(int(piece[3:5], 16) for piece in held).decode()] if of_bytes else held
        except UnicodeDecodeError:
            made += "�" * len(held)
    return made


def _stripped(piece: str, sign: str, begin: int, end: int) -> str:
    first = min(len(piece) - len(piece.lstrip(sign)), begin)
    last = min(len(piece) - len(piece[first:].rstrip(sign)) - first, end)
    return piece[first : len(piece) - last]
