"""The words of a model that came with a tokenizer: they are its pieces."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol


class Tokenizer(Protocol):
    """What takes a text apart into numbered pieces, and puts them together again."""

    @property
    def source(self) -> str:
        """What the tokenizer is made of, as text, such as its tokenizer.json."""
        ...

    def encode(self, text: str, marks: bool = True) -> list[int]:
        """The numbers of the pieces of a text; with `marks` also of those that stand before and behind every text."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of pieces, without the marks that are no part of it."""
        ...


class Vocabulary(tuple[str, ...]):
    """The pieces of a tokenizer, each in letters that can be seen, by number; no two are shown alike."""

    tokenizer: Tokenizer

    def __new__(cls, pieces: Iterable[str], tokenizer: Tokenizer) -> "Vocabulary":
        """The pieces by number."""
        made = super().__new__(cls, pieces)
        made.tokenizer = tokenizer
        return made

    def pieces_of(self, text: str, whole: bool = True) -> list[str]:
        """A text in pieces: with the marks before and behind it, where it is a whole one and not a part of a text.

        Raises `ExplorerError`: "tokenizer".
        """
        if not whole and text.startswith(" ") and self._begins_with_blank:
            text = text[1:]  # which the tokenizer will put there
        return [self[number] for number in self.tokenizer.encode(text, whole) if number < len(self)]

    @cached_property
    def _begins_with_blank(self) -> bool:
        """Whether the tokenizer puts a blank before a text that has none."""
        first = self.tokenizer.encode("a", False)[:1]
        return bool(first) and self[first[0]].startswith("␣")

    def text_of(self, pieces: Sequence[str]) -> str:
        """The text of pieces."""
        numbers = {piece: number for number, piece in enumerate(self)}
        return self.tokenizer.decode([numbers[piece] for piece in pieces if piece in numbers])
