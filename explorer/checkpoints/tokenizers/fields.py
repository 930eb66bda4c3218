"""Fields of a tokenizer.json: asked for one by one, checked, and none of them believed.

Patterns and characters as the files of tokenizers mean them: what a text is split at, and what is done to parts.

Patterns are of the `regex` package, which knows the letters of all scripts and stops after a time: a file may bring
any pattern.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import regex

from explorer.core.errors import ExplorerError

MOST_TEXT = 20_000
"""Characters of a text that is taken apart, and of what a step makes of it."""
_SECONDS = 0.5
_LONGEST = 4000
Split = tuple[str, bool]  # a part of a text, and whether it is what was looked for
BEHAVIOURS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")


def wrong(problem: str) -> ExplorerError:
    """The error that says so of a tokenizer; who reads its file adds which one it is."""
    return ExplorerError("tokenizer", problem=problem)


@lru_cache(64)
def pattern(text: str) -> "regex.Pattern[str]":
    """A pattern of a file, compiled.

    Raises `ExplorerError`: "tokenizer" where it is none.
    """
    if not 0 < len(text) <= _LONGEST:
        raise wrong(f"has a pattern of {len(text)} characters; up to {_LONGEST} are read")
    try:
        # Theirs are of Oniguruma, where ^ and $ are those of lines.
        return regex.compile(text, regex.MULTILINE | regex.VERSION0)
    except (regex.error, ValueError, OverflowError, RecursionError, KeyError, IndexError, TypeError):
        raise wrong(f"has a pattern that is none: {text[:60]!r}") from None


def found_in(what: "regex.Pattern[str]", text: str) -> Iterator[tuple[int, int]]:
    """Where a pattern is in a text, from left to right.

    Raises `ExplorerError`: "tokenizer" where that takes too long.
    """
    try:
        for match in what.finditer(text, timeout=_SECONDS):
            if match.end() > match.start():
                yield match.span()
    except TimeoutError:
        raise wrong("has a pattern that takes too long to look for in this text") from None


def parts(text: str, places: Iterator[tuple[int, int]], invert: bool = False) -> list[Split]:
    """The text in parts: what is at these places, and what is between them."""
    found, end = list[Split](), 0
    for begin, stop in places:
        if begin > end:
            found.append((text[end:begin], invert))
        found.append((text[begin:stop], not invert))
        end = stop
    if end < len(text):
        found.append((text[end:], invert))
    return found


def joined(found: list[Split], behaviour: str) -> list[str]:
    """What is left of parts: `behaviour` is one of `BEHAVIOURS`."""
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


def where(is_so: Callable[[str], bool], text: str) -> Iterator[tuple[int, int]]:
    """The places of the characters that are so."""
    return ((i, i + 1) for i, c in enumerate(text) if is_so(c))


def is_blank(c: str) -> bool:
    """Unicode's White_Space, which Python's `isspace` is wider than."""
    return c.isspace() and c not in "\x1c\x1d\x1e\x1f"


def is_number(c: str) -> bool:
    """A digit or another sign for a number."""
    return unicodedata.category(c)[0] == "N"


def is_mark(c: str) -> bool:
    """A punctuation mark, or a sign of ASCII that is neither letter nor digit."""
    return unicodedata.category(c)[0] == "P" or c in "$+<=>^`|~"


def _bytes() -> dict[int, str]:
    """The visible letter that stands for each byte (GPT-2's `bytes_to_unicode`)."""
    seen = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}


LETTER_OF_BYTE = _bytes()
BYTE_OF_LETTER = {letter: byte for byte, letter in LETTER_OF_BYTE.items()}


def as_letters(text: str) -> str:
    """The bytes of a text, each as its letter."""
    return "".join(LETTER_OF_BYTE[byte] for byte in text.encode(errors="replace"))


def as_bytes(letters: str) -> bytes:
    """The other way round; a text that has another letter is its own bytes."""
    found = [BYTE_OF_LETTER.get(letter) for letter in letters]
    return bytes(byte for byte in found if byte is not None) if None not in found else letters.encode(errors="replace")


MOST_DEEP, MOST_LISTED = 8, 64


class Fields:
    """The fields of one step.

    Raises `ExplorerError`: "tokenizer" with each field that is asked for and is not right.
    """

    def __init__(self, said: Any, deep: int = 0) -> None:
        if not isinstance(said, Mapping):
            raise wrong("has a step that is not described by fields")
        if deep > MOST_DEEP:
            raise wrong("has steps that are nested too deep")
        self._said, self._deep = said, deep

    def kind(self) -> str:
        """What kind of step it is."""
        return self.text("type")

    def get(self, name: str) -> Any:
        """A field as it stands there; None where it is absent."""
        return self._said.get(name)

    def text(self, name: str, most: int = 200, default: str | None = None) -> str:
        """A text of a length that such a field can have."""
        found = self._said.get(name, default)
        if not isinstance(found, str) or len(found) > most:
            raise wrong(f"says no {name} that can be one")
        return found

    def flag(self, name: str, default: bool) -> bool:
        """Yes or no."""
        found = self._said.get(name)
        if found is None:
            return default
        if not isinstance(found, bool):
            raise wrong(f"says {name} is neither true nor false")
        return found

    def whole(self, name: str, most: int, default: int | None = None) -> int:
        """A whole number from 0 on."""
        found = self._said.get(name, default)
        if type(found) is not int or not 0 <= found <= most:
            raise wrong(f"says no {name} from 0 to {most}")
        return found

    def one(self, name: str) -> "Fields | None":
        """Fields within this one; None where they are absent."""
        found = self._said.get(name)
        return None if found is None else Fields(found, self._deep + 1)

    def list(self, name: str) -> "list[Fields]":
        """A list of fields within this one."""
        found = self._said.get(name)
        if not isinstance(found, list) or len(found) > MOST_LISTED:
            raise wrong(f"says no list of {name} that can be one")
        return [Fields(one, self._deep + 1) for one in found]

    def pattern(self) -> "str | regex.Pattern[str]":
        """What is looked for: a text as it is, or a pattern."""
        said = self.one("pattern")
        if said is None:
            raise wrong("has a step that does not say what it looks for")
        if said.get("Regex") is not None:
            return pattern(said.text("Regex", 4000))
        found = said.text("String")
        if not found:
            raise wrong("has a step that looks for an empty text")
        return found
