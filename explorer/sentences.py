"""The words of errors, from a file with one English sentence for each id. The layers below know only ids and fields."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from unicodedata import category

from explorer.core.errors import ExplorerError
from explorer.paths import resources


@cache
def english() -> Mapping[str, str]:
    """One English sentence for the id of each error."""
    import tomllib  # --help needs it not

    said = tomllib.loads((resources() / "sentences.toml").read_text("utf-8"))
    return {id: " ".join(text.split()) for id, text in said.items()}


def sentence(error: ExplorerError, sentences: Mapping[str, str] | None = None) -> str:
    """The sentence of an error, from a table of sentences by id; by default the English one.

    A field `near`, a name similar to the given one, becomes a question; an error that is the reason of another becomes
    a part of its sentence.
    """
    table = english() if sentences is None else sentences
    return table[error.id].format(**{name: _worded(name, field, table) for name, field in error.fields.items()})


def _worded(name: str, field: object, sentences: Mapping[str, str]) -> object:
    if name == "near":
        return did_you_mean(str(field))
    if isinstance(field, ExplorerError):
        return sentence(field, sentences).rstrip(".")
    if isinstance(field, Exception):
        return visible(str(field) or type(field).__name__).rstrip(".")  # the sentence has its own full stop
    if name in LIMITS and isinstance(field, int | float):
        from explorer.core.numbers import limit  # imports numpy, which --help needs not

        return limit(field)
    return visible(field) if isinstance(field, str | Path) else field


LIMITS = "limit", "low", "high"
"""The fields with a number that something may have at least or at most."""


def visible(text: object) -> str:
    """A text from outside, such as a file name, with invisible characters escaped, so that no terminal obeys them.

    Line breaks and blanks of any width stay, and so do the characters that join letters and emoji.
    """
    seen = (c.isprintable() or c in _SEEN or category(c) == "Zs" for c in str(text))
    return "".join(c if is_seen else ascii(c)[1:-1] for c, is_seen in zip(str(text), seen, strict=True))


_SEEN = "\n\u200c\u200d"


def did_you_mean(near: str) -> str:
    """A question for a name similar to the typed one; "" if there is none."""
    return f" (did you mean '{near}'?)" if near else ""
