"""How long an act on a large model holds the window before the background begins."""

from collections.abc import Callable
from time import thread_time

import numpy as np

from explorer.benchmarks.core import D_MODEL, HEADS, LAYERS, gpt_state
from explorer.benchmarks.measure import Measurement
from explorer.document.commands import SetTokens
from explorer.document.document import Document

WORDS, SENTENCE, ACTS, MOST_HELD_MS = 50_257, 8, 5, 50.0


class _Waiting:
    """In the place of the window's background: the document itself does the work when it is told to settle."""

    def run(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        pass

    def stop(self) -> None:
        pass


def held_by_words() -> Measurement:
    """A longer sentence builds another graph, a new word gives every table of words another row or column."""
    document = Document(gpt_state(LAYERS, HEADS, D_MODEL, SENTENCE, WORDS), _Waiting())
    held: dict[str, list[float]] = {"one token more": [], "a new word": []}
    for i in range(ACTS):
        words = document.words("input")
        for times, sentence in zip(held.values(), ((*words, words[0]), (*words, f"new{i}")), strict=True):
            start = thread_time()
            document.do(SetTokens("input", sentence))
            times.append((thread_time() - start) * 1e3)
            if not document.computing:
                raise RuntimeError("the model is not large enough to be computed in the background")
            document.settle()
    each = ", ".join(f"{what} {np.median(times):.1f} ms" for what, times in held.items())
    return Measurement(
        f"held before the background begins, {LAYERS} × {D_MODEL} × {WORDS:,}",
        max(float(np.median(times)) for times in held.values()),
        "ms",
        MOST_HELD_MS,
        "three frames at 60 Hz",
        f"processor time: {each}, medians of {ACTS}; the longest {max(map(max, held.values())):.1f} ms",
    )


def figures() -> list[Callable[[], Measurement]]:
    """All of them, each to be called."""
    return [held_by_words]
