"""A text to learn from: reading it, splitting it into words, its vocabulary."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from explorer.core.errors import ExplorerError
from explorer.core.tokens import UNKNOWN
from explorer.files import open_file

MOST_BYTES = 20_000_000
LONGEST_WORD = 60
MOST_IN_SENTENCE = 64

Pair = tuple[list[str], list[str]]

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


def words_of(text: str, lower: bool = True) -> list[str]:
    """The words and the punctuation marks of a text, in order.

    Examples
    --------
    >>> words_of("Don't wait, sail!")
    ["don't", 'wait', ',', 'sail', '!']
    """
    return _TOKEN.findall(text.lower() if lower else text)


def vocabulary(words: Sequence[str], most: int, first: Sequence[str] = (UNKNOWN,)) -> tuple[str, ...]:
    """The most frequent words of a text; of equally frequent ones the earlier.

    Parameters
    ----------
    words : sequence of str
        The text.
    most : int
        How many words the vocabulary may have, `first` among them.
    first : sequence of str
        What stands in front in any case. `<unk>` is left out where every word of the text has its place.
    """
    counts = Counter(word for word in words if word not in first and len(word) <= LONGEST_WORD and word.isprintable())
    every = all(word in counts or word in first for word in words)
    if every and len(counts) + len(first) - (UNKNOWN in first) <= most:
        first = [word for word in first if word != UNKNOWN]
    return (*first, *(word for word, _ in counts.most_common(max(most - len(first), 0))))


def read_text(path: Path) -> str:
    """A text file in UTF-8.

    Raises `ExplorerError`: "text-not-read" or "text-not-utf8".
    """
    try:
        with open_file(path) as stream:
            content = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise ExplorerError("text-not-read", file=path, reason=reason) from None
    if len(content) > MOST_BYTES:
        raise ExplorerError("text-not-read", file=path, reason=f"it has more than {MOST_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ExplorerError("text-not-utf8", file=path, line=line) from None


def pairs_of(text: str, name: str = "the text", lower: bool = True) -> list[Pair]:
    """Pairs of sentences: a pair a line, a tab or a vertical bar between the two; empty lines are left out.

    `name`: what an error calls it.

    Raises `ExplorerError`: "text-line", "text-not-read".
    """
    found: list[Pair] = []
    for i, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        sides = [words_of(side, lower) for side in re.split(r"[\t|]", line)]
        if len(sides) != 2 or not all(sides):
            problem, remedy = "is no pair of sentences", "write two sentences with a tab or | between them"
        elif max(map(len, sides)) > MOST_IN_SENTENCE:
            problem, remedy = f"has {max(map(len, sides))} words in a sentence", f"write up to {MOST_IN_SENTENCE}"
        else:
            found.append((sides[0], sides[1]))
            continue
        raise ExplorerError("text-line", file=name, line=i, problem=problem, remedy=remedy)
    if not found:
        raise ExplorerError("text-not-read", file=name, reason="it holds no sentences")
    return found
