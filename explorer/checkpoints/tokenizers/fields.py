"""Fields of a tokenizer.json: each is read with a check of its type and bounds.

And patterns as tokenizer files use them. The package `regex` compiles them, which knows the letters of all scripts and
can stop after a time: a file may contain any pattern.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import regex

from explorer.core.errors import ExplorerError

MOST_TEXT = 20_000
"""The most characters of a text to split, and of the result of a step."""
_SECONDS = 0.5
_LONGEST = 4000


ANOTHER_TEXT = "write another text"


def wrong(problem: str, remedy: str = "get its file again, or choose another") -> ExplorerError:
    """The error for this problem of a tokenizer, with what people can do; its reader adds which file it is."""
    return ExplorerError("tokenizer", problem=problem, remedy=remedy)


@lru_cache(64)
def pattern(text: str) -> "regex.Pattern[str]":
    """A pattern from a file, compiled.

    Raises `ExplorerError`: "tokenizer" if it is not a valid pattern.
    """
    if not 0 < len(text) <= _LONGEST:
        raise wrong(f"has a pattern of {len(text)} characters; up to {_LONGEST} are read")
    try:
        # The files use Oniguruma patterns, in which ^ and $ match at lines.
        return regex.compile(text, regex.MULTILINE | regex.VERSION0)
    except (regex.error, ValueError, OverflowError, RecursionError, KeyError, IndexError, TypeError):
        raise wrong(f"has a pattern that is none: {text[:60]!r}") from None


def found_in(what: "regex.Pattern[str]", text: str) -> Iterator[tuple[int, int]]:
    """The places where a pattern matches, from left to right; empty matches are skipped.

    Raises `ExplorerError`: "tokenizer" if matching takes too long.
    """
    try:
        for match in what.finditer(text, timeout=_SECONDS):
            if match.end() > match.start():
                yield match.span()
    except TimeoutError:
        raise wrong("has a pattern that takes too long to look for in this text", ANOTHER_TEXT) from None


def _bytes() -> dict[int, str]:
    """A visible letter for each byte (GPT-2's `bytes_to_unicode`)."""
    seen = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}


LETTER_OF_BYTE = _bytes()
BYTE_OF_LETTER = {letter: byte for byte, letter in LETTER_OF_BYTE.items()}


def as_letters(text: str) -> str:
    """The bytes of a text, each written as its letter."""
    return "".join(LETTER_OF_BYTE[byte] for byte in text.encode(errors="replace"))


def as_bytes(letters: str) -> bytes:
    """The bytes of letters, the inverse of `as_letters`; a text with any other letter is encoded as UTF-8."""
    found = [BYTE_OF_LETTER.get(letter) for letter in letters]
    return bytes(byte for byte in found if byte is not None) if None not in found else letters.encode(errors="replace")


MOST_DEEP, MOST_LISTED = 8, 64


class Fields:
    """The fields of one step of a tokenizer.

    Raises `ExplorerError`: "tokenizer" if a field that is read is wrong.
    """

    def __init__(self, said: Any, deep: int = 0) -> None:
        if not isinstance(said, Mapping):
            raise wrong("has a step that is not described by fields")
        if deep > MOST_DEEP:
            raise wrong("has steps that are nested too deep")
        self._said, self._deep = said, deep

    def kind(self) -> str:
        """The type of the step."""
        return self.text("type")

    def get(self, name: str) -> Any:
        """A field without any check; None if it is absent."""
        return self._said.get(name)

    def text(self, name: str, most: int = 200, default: str | None = None) -> str:
        """A text of limited length."""
        found = self._said.get(name, default)
        if not isinstance(found, str) or len(found) > most:
            raise wrong(f"says no {name} that can be one")
        return found

    def flag(self, name: str, default: bool) -> bool:
        """A truth value."""
        found = self._said.get(name)
        if found is None:
            return default
        if not isinstance(found, bool):
            raise wrong(f"says {name} is neither true nor false")
        return found

    def whole(self, name: str, most: int, default: int | None = None) -> int:
        """A whole number from 0 to `most`."""
        found = self._said.get(name, default)
        if type(found) is not int or not 0 <= found <= most:
            raise wrong(f"says no {name} from 0 to {most}")
        return found

    def one(self, name: str) -> "Fields | None":
        """The fields inside a field; None if it is absent."""
        found = self._said.get(name)
        return None if found is None else Fields(found, self._deep + 1)

    def list(self, name: str) -> "list[Fields]":
        """A list of steps or other groups of fields."""
        found = self._said.get(name)
        if not isinstance(found, list) or len(found) > MOST_LISTED:
            raise wrong(f"says no list of {name} that can be one")
        return [Fields(one, self._deep + 1) for one in found]

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, none of them empty; none if it is absent."""
        found = self._said.get(name, [])
        if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
            raise wrong(f"says no list of {name} that can be one")
        return tuple(found)

    def pattern(self) -> "str | regex.Pattern[str]":
        """What the step searches for: a plain text, or a pattern."""
        said = self.one("pattern")
        if said is None:
            raise wrong("has a step that does not say what it looks for")
        if said.get("Regex") is not None:
            return pattern(said.text("Regex", 4000))
        found = said.text("String")
        if not found:
            raise wrong("has a step that looks for an empty text")
        return found
