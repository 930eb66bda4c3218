"""Fields of a tokenizer.json: asked for one by one, checked, and none of them believed."""

from collections.abc import Mapping
from typing import Any

import regex

from explorer.checkpoints.tokenizers.text_patterns import pattern, wrong

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
