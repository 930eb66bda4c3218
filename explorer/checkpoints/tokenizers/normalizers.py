"""How a text is changed before it is split: the `normalizer` of a tokenizer.json (huggingface/tokenizers 0.23)."""

import unicodedata
from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Sequence

import numpy as np
import regex

from explorer.checkpoints.tokenizers import fields
from explorer.core.frozen import Frozen

Normalizer = Callable[[str], str]
_NMT_GONE = {*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F}
_NMT_BLANK = {9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD}
_OTHER = ("Cc", "Cf", "Co")
_HAN = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F)),
    *((0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


def normalizer(said: fields.Fields | None) -> Normalizer:
    """The normalizer that a file describes; without one, the text stays unchanged.

    Raises `ExplorerError`: "tokenizer" for an unknown normalizer.
    """
    if said is None:
        return lambda text: text
    step = _step(said)

    def checked(text: str) -> str:
        made = step(text)
        if len(made) > fields.MOST_TEXT:
            raise fields.wrong(f"makes more than {fields.MOST_TEXT:,} characters of this text")
        return made

    return checked


def _step(said: fields.Fields) -> Normalizer:
    match said.kind():
        case "Sequence":
            return _one_after_another([normalizer(one) for one in said.list("normalizers")])
        case "NFC" | "NFD" | "NFKC" | "NFKD" as form:
            return lambda text: unicodedata.normalize(form, text)
        case "Lowercase":
            return _lowered
        case "Strip":
            left, right = said.flag("strip_left", True), said.flag("strip_right", True)
            return lambda text: _stripped(text, left, right)
        case "StripAccents":
            return lambda text: "".join(c for c in text if unicodedata.category(c)[0] != "M")
        case "Prepend":
            before = said.text("prepend")
            return lambda text: before + text if text else text
        case "Replace":
            return replacer(said)
        case "ByteLevel":
            return fields.as_letters
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
            raise fields.wrong(f"needs the normalizer {other!r}, which is not known here")


def replacer(said: fields.Fields) -> Normalizer:
    """A normalizer that replaces each occurrence of a text or pattern."""
    what, content = said.pattern(), said.text("content")
    if isinstance(what, str):
        return lambda text: text.replace(what, content)
    return lambda text: "".join(
        content if matched else part for part, matched in fields.parts(text, fields.found_in(what, text))
    )


def _one_after_another(steps: list[Normalizer]) -> Normalizer:
    def normalize(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return normalize


def _stripped(text: str, left: bool, right: bool) -> str:
    begin, end = 0, len(text)
    while left and begin < end and fields.is_blank(text[begin]):
        begin += 1
    while right and end > begin and fields.is_blank(text[end - 1]):
        end -= 1
    return text[begin:end]


def _bert(text: str, clean: bool, han: bool, accents: bool, lower: bool) -> str:
    """BERT's cleaning (google-research/bert, `BasicTokenizer`)."""
    if clean:
        kept = (c for c in text if c in "\t\n\r" or (c not in "\0�" and unicodedata.category(c) not in _OTHER))
        text = "".join(" " if fields.is_blank(c) else c for c in kept)
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
    def of(cls, said: str | bytes) -> "CharacterMap":
        """The map from its serialised form, as bytes or base64.

        Raises `ExplorerError`: "tokenizer" if it is invalid.
        """
        try:
            raw = said if isinstance(said, bytes) else b64decode(said, validate=True)
        except (Error, ValueError):
            raise fields.wrong("has a character map that is no base64") from None
        size = int.from_bytes(raw[:4], "little")
        if len(raw) < 8 or size > len(raw) - 4 or size % 4 or not size:
            raise fields.wrong("has a character map that is cut short")
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
        for begin, end in fields.found_in(_GRAPHEME, text):
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


_GRAPHEME = fields.pattern(r"\X")
