"""The tokens that are not words of a sentence, and the numbers that tokens go by."""

from collections.abc import Sequence

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.ops import Array

START, END, PAD, UNKNOWN = "<start>", "<end>", "<pad>", "<unk>"
_LONGEST = 60
"""Characters of a word in a message."""


def token_ids(words: Sequence[str], vocabulary: Sequence[str]) -> Array:
    """The number of each word in a vocabulary, (n,); that of `<unk>` for the words it lacks.

    Raises
    ------
    ExplorerError
        "word-not-known" where it has no `<unk>` either.
    """
    ids = {word: i for i, word in enumerate(vocabulary)}
    unknown = ids.get(UNKNOWN)
    if unknown is None:
        for word in words:
            if word not in ids:
                raise ExplorerError("word-not-known", word=word[:_LONGEST])
    return np.array([ids.get(word, unknown) for word in words], dtype=np.int64)
