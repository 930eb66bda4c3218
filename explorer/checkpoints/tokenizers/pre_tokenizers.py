"""How a text is split into words before these are split into pieces: the `pre_tokenizer` of a tokenizer.json.

A step receives a part and whether the text begins with it, and returns the parts into which it splits it.
"""

from collections.abc import Callable

import regex

from explorer.checkpoints.tokenizers import fields

PreTokenizer = Callable[[str, bool], list[str]]
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""GPT-2's splitting of a text (openai/gpt-2, encoder.py)."""
_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|"
_BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA_3, QWEN_2 = _WORDS % "{1,3}" + _BLANKS, _WORDS % "" + _BLANKS
"""Llama 3's and Qwen 2's: ends of lines stay together; digits are kept in groups of up to three, or single."""


def pre_tokenizer(said: fields.Fields | None) -> PreTokenizer:
    """The splitting that a file describes; without one, the text stays whole.

    Raises `ExplorerError`: "tokenizer" for an unknown splitting.
    """
    if said is None:
        return lambda text, first: [text]
    match said.kind():
        case "Sequence":
            return _one_after_another([pre_tokenizer(one) for one in said.list("pretokenizers")])
        case "ByteLevel":
            return _byte_level(said.flag("add_prefix_space", True), said.flag("use_regex", True))
        case "Split":
            return _split(said.pattern(), _behaviour(said), said.flag("invert", False))
        case "Metaspace":
            return metaspace(said)
        case "BertPreTokenizer":
            return lambda text, first: [
                part
                for word in fields.joined(fields.parts(text, fields.where(fields.is_blank, text)), "Removed")
                for part in fields.joined(fields.parts(word, fields.where(fields.is_mark, word)), "Isolated")
            ]
        case "Whitespace":
            return _split(fields.pattern(r"\w+|[^\w\s]+"), "Removed", True)
        case "WhitespaceSplit":
            return lambda text, first: fields.joined(fields.parts(text, fields.where(fields.is_blank, text)), "Removed")
        case "Digits":
            behaviour = "Isolated" if said.flag("individual_digits", False) else "Contiguous"
            return lambda text, first: fields.joined(
                fields.parts(text, fields.where(fields.is_number, text)), behaviour
            )
        case "Punctuation":
            apart = _behaviour(said)
            return lambda text, first: fields.joined(fields.parts(text, fields.where(fields.is_mark, text)), apart)
        case "CharDelimiterSplit":
            sign = said.text("delimiter", 1)
            return lambda text, first: [part for part in text.split(sign) if part] if sign else [text]
        case other:
            raise fields.wrong(f"needs the way of splitting {other!r}, which is not known here")


def metaspace(said: fields.Fields) -> PreTokenizer:
    """SentencePiece's splitting: ▁ replaces blanks, one is added before the text; each word keeps the ▁ before it."""
    blank = said.text("replacement", 1, "▁")
    scheme, apart = blank_before(said), said.flag("split", True)
    if not blank:
        raise fields.wrong("has no sign for a blank")

    def split(text: str, first: bool) -> list[str]:
        text = text.replace(" ", blank)
        if (scheme == "always" or (scheme == "first" and first)) and not text.startswith(blank) and text:
            text = blank + text
        if not apart:
            return [text]
        return fields.joined(fields.parts(text, fields.where(blank.__eq__, text)), "MergedWithNext")

    return split


def blank_before(said: fields.Fields) -> str:
    """When a blank is put before a part of the text: "always", "never", or only before the "first" part."""
    scheme = said.text("prepend_scheme", default="always" if said.flag("add_prefix_space", True) else "never")
    if scheme not in ("always", "first", "never"):
        raise fields.wrong(f"says a prepend_scheme {scheme!r}, which is not known here")
    return scheme


def _behaviour(said: fields.Fields) -> str:
    found = said.text("behavior", default="Isolated")
    if found not in fields.BEHAVIOURS:
        raise fields.wrong(f"splits in the way {found!r}, which is not known here")
    return found


def _one_after_another(steps: list[PreTokenizer]) -> PreTokenizer:
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


def _split(what: "str | regex.Pattern[str]", behaviour: str, invert: bool) -> PreTokenizer:
    looked_for = fields.pattern(regex.escape(what)) if isinstance(what, str) else what
    return lambda text, first: fields.joined(fields.parts(text, fields.found_in(looked_for, text), invert), behaviour)


def _byte_level(blank_before: bool, as_gpt2: bool) -> PreTokenizer:
    words = fields.pattern(GPT2)

    def split(text: str, first: bool) -> list[str]:
        if blank_before and text and not text.startswith(" "):
            text = " " + text
        found = [text[begin:end] for begin, end in fields.found_in(words, text)] if as_gpt2 else [text]
        return list(map(fields.as_letters, found))

    return split
