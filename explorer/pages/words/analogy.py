"""The analogy a − b + c, as vectors and as a picture: two arrows that are the same vector."""

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

import numpy as np

from explorer.core.numbers import percent, written
from explorer.core.ops import Array
from explorer.pages.drawing import ACCENT, HERE, MUTED, Arrow, Axis, Dot, Drawing, Segments, VectorStrips, series
from explorer.pages.element import Element
from explorer.pages.page import Button, Item, Note, Picture, Row, Stack
from explorer.pages.words.card import Card, Pair, Shared
from explorer.pages.words.lists import near
from explorer.words import projection, similarity
from explorer.words.progress import Progress, Report
from explorer.words.similarity import Analogy
from explorer.words.vectors import Vectors

N = 10
STRIP = 36  # the height of a row of bars in pixels at text scale 1
WIDTH, HEIGHT = 520, 300

EXAMPLES = (
    ("king", "man", "woman", "queen"),
    ("brother", "boy", "girl", "sister"),
    ("france", "paris", "london", "england"),
    ("went", "go", "come", "came"),
    ("largest", "large", "small", "smallest"),
    ("uncle", "man", "woman", "aunt"),
)
"""Examples: a, b, c, and the hoped-for answer. The first example with that answer is shown."""
ABOUT = "a − b + c: add the difference of a and b to c, and see which words are nearest to the result."
SAME = "The two arrows are the same vector; the orange line goes from the end of the second to the nearest word."
LEFT_OUT = "a, b and c themselves are left out of the answers, as is usual: otherwise c or a is often the nearest."


def first_that_holds(vectors: Vectors, known: Sequence[tuple[str, ...]], report: Report) -> Analogy:
    """The first of some examples that has the hoped-for answer; if none has it, the first example."""
    found = []
    for i, (a, b, c, hoped) in enumerate(known):
        report(Progress("searching", i, len(known)))
        found.append(similarity.analogy(vectors, a, b, c, N))
        if found[-1].neighbours and found[-1].neighbours[0].word == hoped:
            return found[-1]
    return found[0]


class AnalogyCard(Card):
    """a − b + c and the words nearest to it."""

    name, title, beside = "analogy", "Analogy", 1800

    def __init__(self, state: Shared) -> None:
        super().__init__(state)
        self.abc = [self.field(name, f"Word {name}", 130) for name in "abc"]
        self.result: Analogy | None = None
        self.said = ""  # why there is no result
        self.dimension = -1
        self._outcome: tuple[Element, ...] = ()

    def begin_with(self, words: Sequence[str]) -> None:
        """Find the words nearest to a − b + c."""
        self._write(words)
        self.compute()

    def load(self) -> None:
        self._clear("")
        known = self._known()
        if len(self.vectors) < len(self.abc):
            self._write([""] * len(self.abc))
            self._clear("There are too few words for an analogy.")
        elif all(field.keeps() for field in self.abc) or any(field.stays for field in self.abc):
            self.compute()
        elif known:
            self._write(known[0])
            self.search(partial(first_that_holds, self.vectors, known), self._begin)
        else:
            self.begin_with(self.state.pick((), 3))

    def _known(self) -> list[tuple[str, ...]]:
        """The examples whose words all have a vector."""
        return [words for words in EXAMPLES if all(word in self.vectors for word in words)]

    def _write(self, words: Sequence[str]) -> None:
        for field, word in zip(self.abc, words, strict=False):
            field.set([word])

    def _begin(self, result: Analogy) -> None:
        self._write(result.words)
        self._show(result)

    def compute(self) -> None:
        """Compute the analogy of the words in the fields."""
        words: list[str] = []
        for field in self.abc:
            found = field.words(1, 1)
            if found is None:
                return
            words += found
        vectors, (a, b, c) = self.vectors, words
        self.search(lambda report: similarity.analogy(vectors, a, b, c, N), self._show)

    def do(self, act: str, value: Any = None, field: str = "") -> None:
        if act == "try":
            self.begin_with(value)
        else:
            super().do(act, value, field)

    def pair(self, which: Any) -> tuple[Pair, tuple[str, str]]:
        assert self.result is not None
        a, b, c = self.result.words
        return (self.result.target, self.vectors[which]), (f"{a} − {b} + {c}", which)

    def _show(self, result: Analogy) -> None:
        if not result.neighbours:
            self._clear("These vectors have no other words.")
            return
        self.result, self.said = result, ""
        a, b, c = result.words
        table = similarity.table(self.vectors, [a, b, c, result.neighbours[0].word]).astype(float)
        unit = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
        self._five = np.stack([*unit[:3], unit[0] - unit[1] + unit[2], unit[3]])
        self._signed = (self._five * np.array([1, -1, 1, 1, 1])[:, None]).astype(np.float32)
        self.dimension = self.dimension if self.dimension < self._five.shape[1] else -1
        list_ = near("Words nearest to a − b + c", result.neighbours, card=self.name)
        self._outcome = _said(result), Row("outcome", (Item("", list_), Item("", _picture(result, self._five))))

    def _clear(self, words: str) -> None:
        """Forget the result, which was found with other vectors; `words` says why there is none."""
        self.result, self.said = None, words

    def page(self) -> tuple[Element, ...]:
        tip = "Find the words nearest to a − b + c"
        a, b, c = self.abc
        line = self.line(a, "−", b, "+", c, Button("find", "Find", self.asks("find"), tip))
        known = [words[:3] for words in self._known()] if self.state.vectors is not None else []
        tries = (
            Button(f"try {words}", "{} − {} + {}".format(*words), self.asks("try", words), tip, link=True)
            for words in known
        )
        trial = self.line("Try", *tries) if known else ()
        about = Note("about", ABOUT), *line, *trial
        if self.result is None:
            return *about, *((Note("none", self.said),) if self.said else ())
        return *about, *self._outcome, *self._strips(self.result)

    def _strips(self, result: Analogy) -> tuple[Element, ...]:
        """The sum as rows of bars: a, −b and c add up to the fourth row; the answer is the fifth."""
        (a, b, c), answer, d = result.words, result.neighbours[0].word, self.dimension
        names = a, f"− {b}", f"+ {c}", "= a − b + c", answer
        follows = tuple(None if word is None else self.asks("go to", word) for word in (a, b, c, None, answer))
        points = self.asks("set", field="dimension")
        strips = VectorStrips("strips", names, self._signed, ("",) * 5, answer, d, points, follows, STRIP)
        said = "The same as numbers: the sum of the first three rows is the fourth. Point at a bar."
        if d >= 0:
            x, y, z, way, there = self._signed[:, d].tolist()
            terms = f"{_in_sum(x)} − {_in_sum(-y)} + {_in_sum(z)}"
            said = f"Dimension {d + 1}: {terms} = {written(way, 4)}; {escape(answer)} has {written(there, 4)}"
        return strips, Note("sum", said)


def _said(result: Analogy) -> Note:
    (a, b, c), best = map(escape, result.words), result.neighbours[0]
    answer = f"<mark>{escape(best.word)}</mark>"
    return Note("said", f"<b>{b}</b> is to <b>{a}</b> as <b>{c}</b> is to {answer} (cosine {written(best.cosine, 4)})")


def _picture(result: Analogy, five: Array) -> Stack:
    """a, b, c, a − b + c and the answer, the rows of `five`, (5, dims), in the plane of their principal components."""
    plane = projection.principal(five, 2) if five.shape[1] > 1 else None
    points = plane.points if plane else np.hstack([five, np.zeros_like(five)])
    a, b, c, target, answer = [(float(x), float(y)) for x, y in points]
    names = (*result.words, "a − b + c", result.neighbours[0].word)
    marks = (
        Segments(np.array([[b, c], [a, target]]), MUTED, 1.2, dashed=True),
        Segments(np.array([[target, answer]]), HERE, 1.6, dashed=True),
        *(Arrow(start, tip, ink=ACCENT, width=2.0) for start, tip in ((b, a), (c, target))),
        *(
            Dot(*spot, name, ink)
            for spot, name, ink in zip(
                (a, b, c, target, answer), names, (series(0), series(0), series(0), MUTED, HERE), strict=True
            )
        ),
    )
    low, high = points.min(0), points.max(0)
    # The window has the proportions of the picture, and a margin for the words.
    half = max(float(high[0] - low[0]) * 0.72, float(high[1] - low[1]) * 0.65 * WIDTH / HEIGHT, 1e-6)
    x, y = ((low + high) / 2).tolist()
    window = (x - half, x + half, y - half * HEIGHT / WIDTH, y + half * HEIGHT / WIDTH)
    said = f"The way from {names[1]} to {names[0]}, begun at {names[2]}, ends near {names[4]}"
    drawing = Drawing(marks, window, said, Axis(labels=()), Axis(labels=()), square=True)
    share = (
        "Directions only (vectors of length one), in the plane in which they differ most: "
        f"{percent(plane.kept if plane else 1.0)} of how they differ. {LEFT_OUT}"
    )
    notes = Note("same", SAME), Note("share", share)
    return Stack("picture", "", (Picture("parallelogram", drawing, WIDTH, HEIGHT, card=True), *notes), WIDTH)


def _in_sum(number: float) -> str:
    """A number as it stands in a sum."""
    return written(number, 4) if number >= 0 else f"({written(number, 4)})"
