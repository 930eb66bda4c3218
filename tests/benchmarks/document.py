"""How long an act on a large model holds the window, and how long a lesson of many words takes to be read."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time

import numpy as np

from benchmarks.core import D_MODEL, HEADS, LAYERS, gpt_state
from benchmarks.measure import InTurns, Measurement, in_turns, timed
from explorer.document.commands import SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import load

WORDS, SENTENCE, ACTS = 50_257, 8, 5
VOCABULARIES = (2_000, 8_000, 32_000)
LESSON = """
id = "many-words"
title = "Many words"
paragraph = "Many words."
order = 1
[model]
kind = "gpt"
d_model = 2
[model.axes]
"input.words" = [{}, "<end>"]
[tokens]
input = ["w0", "w1"]
[settings.first]
title = "Many words"
paragraph = "Many words."
"""


class _Waiting:
    """In the place of the window's background: the document itself does the work when it is told to settle."""

    def run(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        pass

    def stop(self) -> None:
        pass


def held_by_words() -> Measurement:
    """A longer sentence builds another graph, a new word gives every table of words another row or column.

    The limit is that of an act that copies no table; it has the graph of all layers to build.
    """
    document = Document(gpt_state(LAYERS, HEADS, D_MODEL, SENTENCE, WORDS), _Waiting())
    table = document.state.inputs["input.table"]
    held: dict[str, list[float]] = {"one token more": [], "a new word": []}
    copied: list[float] = []
    for i in range(ACTS):
        words = document.words("input")
        for times, sentence in zip(held.values(), ((*words, words[0]), (*words, f"new{i}")), strict=True):
            times.append(_work(partial(document.do, SetTokens("input", sentence))))
            if not document.computing:
                raise RuntimeError("the model is not large enough to be computed in the background")
            document.settle()
            copied.append(_work(table.copy))
    each = ", ".join(f"{what} {np.median(times) * 1e3:.1f} ms" for what, times in held.items())
    longer = max(held.values(), key=np.median)
    name = f"held before the background begins, {LAYERS} × {D_MODEL} × {WORDS:,}"
    one = InTurns(longer, copied).measured(name, 1, "one copy of the table of words")
    return replace(one, detail=f"{one.detail}; processor time: {each}; the longest {max(longer) * 1e3:.1f} ms")


def lesson_of_many_words() -> Measurement:
    """A vocabulary four times as large takes four times as long; what looks each word up in a list takes sixteen."""
    with TemporaryDirectory() as folder:
        lessons = {n: Path(folder) / f"{n}.toml" for n in VOCABULARIES}
        for n, file in lessons.items():
            file.write_text(LESSON.format(", ".join(f'"w{i}"' for i in range(n - 1))), "utf-8")
        first, some, many = (partial(timed, partial(load, file)) for file in lessons.values())
        few = np.median([first() for _ in range(ACTS)])
        both = in_turns(many, some, pairs=9, warm_up=1)
    name = f"reading a lesson of {VOCABULARIES[2]:,} words"
    one = both.measured(name, 5, f"reading one of {VOCABULARIES[1]:,}")
    return replace(one, detail=f"{one.detail}; one of {VOCABULARIES[0]:,} takes {few * 1e3:.3g} ms")


def _work(act: Callable[[], object]) -> float:
    """Seconds of processor time that an act takes on this thread."""
    start = thread_time()
    act()
    return thread_time() - start


def figures() -> list[Callable[[], Measurement]]:
    """All of them, each to be called."""
    return [held_by_words, lesson_of_many_words]
