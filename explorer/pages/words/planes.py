"""Two cards with words in a plane: the analogy a − b + c, and the map of chosen words and their neighbours.

In the picture of an analogy, two arrows are the same vector. A map is made by principal components or by t-SNE.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import numpy as np

from explorer.core.numbers import percent, quantity, written
from explorer.core.ops import Array
from explorer.core.progress import Progress, Report
from explorer.pages.controls import Button, Check, Choice, Number
from explorer.pages.drawing import HERE, MUTED, Arrow, Axis, Dot, Drawing, Segments, VectorStrips, WordMap, series
from explorer.pages.element import Element
from explorer.pages.page import Note, Picture, Row, Stack
from explorer.pages.words.card import Pair, Shared, WordsCard
from explorer.pages.words.neighbours import near
from explorer.words import projection, similarity
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


class AnalogyCard(WordsCard):
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
        self.stop()  # what is found in the former vectors does not hold for these
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
        return [words for words in EXAMPLES if all(word in self.vectors for word in words)]

    def _write(self, words: Sequence[str]) -> None:
        for field, word in zip(self.abc, words, strict=False):
            field.set([word])

    def _begin(self, result: Analogy) -> None:
        if not any(field.typed for field in self.abc):
            self._write(result.words)
        self._show(result)

    def compute(self) -> None:
        """Compute the analogy of the words in the fields."""
        a, b, c = [field.words(1, 1) for field in self.abc]  # each tells what is wrong in it
        if a is None or b is None or c is None:
            return
        vectors, words = self.vectors, (a[0], b[0], c[0])
        self.search(lambda report: similarity.analogy(vectors, *words, N), self._show)

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
        self._outcome = _said(result), Row.of("outcome", (list_, _picture(result, self._five)))

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
    dots = zip((a, b, c, target, answer), names, (*[series(0)] * 3, MUTED, HERE), strict=True)
    marks = (
        Segments(np.array([[b, c], [a, target]]), MUTED, 1.2, dashed=True),
        Segments(np.array([[target, answer]]), HERE, 1.6, dashed=True),
        *(Arrow(start, tip, ink=series(0), width=2.0) for start, tip in ((b, a), (c, target))),
        *(Dot(*spot, name, ink) for spot, name, ink in dots),
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
    return written(number, 4) if number >= 0 else f"({written(number, 4)})"


MOST, ZOOM = 12, 1.5
LOW, HIGH, AROUND = 220, 700, 156
"""Pixels at text scale 1: the least and the greatest height of the map, and how much higher its card is."""
COMPONENTS, TSNE = 0, 1
BEGIN = "king", "river", "monday", "doctor", "horse"
ABOUT_MAP = {
    COMPONENTS: "Principal components: the two directions in which these words differ most. Words that are "
    "near here are often, but not always, near in all dimensions.",
    TSNE: "t-SNE: words whose vectors point in the same direction lie together. Directions on this map mean "
    "nothing, and neither does the distance between two groups; the same words always give the same map.",
}
WITHOUT = "For another map, by t-SNE, install the extra “maps”, which is scikit-learn."
WAYS = "Click a point to add its neighbours; drag to move, Ctrl and the wheel to zoom."


def place(vectors: Vectors, chosen: list[str], n: int, method: int, report: Report) -> WordMap:
    """The map of the chosen words and n neighbours of each."""
    everyone = list(chosen)
    for i, word in enumerate(chosen):
        report(Progress("searching", i, len(chosen)))
        some = n and vectors.norm(word)  # a vector of zeros has no direction, so no neighbours
        everyone += [one.word for one in (similarity.nearest(vectors, word, n) if some else [])]
    words = tuple(dict.fromkeys(everyone))
    table = similarity.table(vectors, words)
    if method == TSNE and len(words) >= projection.LEAST:
        report(Progress("placing", 0, 0))
        return WordMap("map", words, projection.tsne(table), len(chosen))
    if table.shape[1] < 2:
        table = np.hstack([table, np.zeros_like(table)])
    plane = projection.principal(table, 2)
    x, y = plane.of(np.zeros((1, table.shape[1])))[0].tolist()
    return WordMap("map", words, plane.points, len(chosen), (x, y), tuple(plane.shares.tolist()))


class MapCard(WordsCard):
    """Chosen words and `neighbours` words near each of them, on a map."""

    name, title = "map", "Map"

    def __init__(self, state: Shared) -> None:
        super().__init__(state)
        self.asked = self.field("words", f"Up to {MOST} words", 300)
        self.neighbours, self.method, self.arrows = 6, COMPONENTS, False
        self.placed: WordMap | None = None  # the words with their places on the map
        self.room = HIGH  # the visible height of the page, in pixels at text scale 1
        self._stopped = False

    def load(self) -> None:
        if not self.asked.keeps():
            self.asked.set(self.state.pick(BEGIN, 5))
        self.compute()
        if self.asked.wrong is not None and not self.asked.stays:  # a map of other vectors does not hold for these
            self.stop()
            self.placed = None

    def follow(self) -> bool:
        return True

    def compute(self) -> None:
        """Find the neighbours and their places."""
        words = self.asked.words(1, MOST)
        if words is not None:
            self._stopped = False
            work = partial(place, self.vectors, list(dict.fromkeys(words)), self.neighbours, self.method)
            self.search(work, self._hold, slow=self.method == TSNE)

    def _hold(self, placed: WordMap) -> None:
        self.placed = placed

    def do(self, act: str, value: Any = None, field: str = "") -> None:
        match act:
            case "stop":
                self.stop()
                self._stopped = True
            case "grow":
                self.asked.set(list(dict.fromkeys([*self.asked.entries(), value]))[-MOST:])
                self.compute()
                self.state.go_to(value)
            case _:
                super().do(act, value, field)

    def be_set(self) -> None:
        self.compute()

    def page(self) -> tuple[Element, ...]:
        placed, able = self.placed, projection.tsne_available()
        about = Note("about", ABOUT_MAP[COMPONENTS if placed is None or placed.shares else TSNE])
        without = () if able else (Note("without", WITHOUT),)
        line = self.line("Words", self.asked, *self._controls(placed, able))
        if placed is None:
            return about, *line, *without
        high, grow = min(max(self.room - AROUND, LOW), HIGH), self.asks("grow")
        map_ = replace(placed, arrows=self.arrows, here=self.state.word, follows=grow, height=high)
        return about, *line, map_, Note("said", self._said(placed)), *without

    def _controls(self, placed: WordMap | None, able: bool) -> tuple[Element, ...]:
        tips = "How many neighbours of each word are drawn", "Draw the words as arrows from the place where all are 0"
        many, by, from_origin = (self.asks("set", field=name) for name in ("neighbours", "method", "arrows"))
        number = Number("neighbours", "neighbours of each", self.neighbours, 0, 20, many, tips[0])
        way = Choice("method", "Map by", ("Components", "t-SNE"), self.method, (by,))
        # The button takes the place of the choice of arrows, which a map by t-SNE does not have.
        third: tuple[Element, ...] = ()
        if self.searches and self.method == TSNE:
            third = (Button("stop", "Stop", self.asks("stop"), "Stop; the map that is drawn stays"),)
        elif placed is None or placed.shares:
            third = (Check("arrows", "Arrows from the origin", self.arrows, from_origin, tips[1]),)
        zooms = (
            Button("nearer", "+", self.asks("zoom", ZOOM), "Zoom in; also Ctrl and the wheel", "Zoom in"),
            Button("farther", "−", self.asks("zoom", 1 / ZOOM), "Zoom out", "Zoom out"),
            Button("all", "All", self.asks("zoom"), "Bring everything into sight", "Bring everything into sight"),
        )
        return number, *((way,) if able else ()), *third, *zooms

    def _said(self, placed: WordMap) -> str:
        if self.searches:
            return "Placing the words …"
        if self._stopped:
            return "Stopped. The map is the one from before."
        n = quantity(len(placed.words), "word")
        if placed.shares:
            held = sum(placed.shares)
            n += f"; the two directions hold {percent(held)} of how they differ" if held else ""
            if self.method == TSNE:
                n += f" (t-SNE needs {projection.LEAST} words or more)"
        return f"{n}. {WAYS}"
