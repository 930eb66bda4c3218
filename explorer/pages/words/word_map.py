"""The card "Map": chosen words and their neighbours as points, by principal components or by t-SNE."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from explorer.core.numbers import percent, quantity
from explorer.pages.drawing import WordMap
from explorer.pages.element import Element
from explorer.pages.page import Button, Check, Choice, Note, Number
from explorer.pages.words.card import Card, Shared
from explorer.words import projection, similarity
from explorer.words.progress import Progress, Report
from explorer.words.vectors import Vectors

MOST, ZOOM = 12, 0.7
LOW, HIGH, AROUND = 220, 700, 156
"""Pixels at text scale 1: the least and the greatest height of the map, and how much higher its card is."""
COMPONENTS, TSNE = 0, 1
BEGIN = "king", "river", "monday", "doctor", "horse"
ABOUT = {
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


class MapCard(Card):
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
        about = Note("about", ABOUT[COMPONENTS if placed is None or placed.shares else TSNE])
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
        if self.searches and self.method == TSNE:
            third: tuple[Element, ...] = (
                Button("stop", "Stop", self.asks("stop"), "Stop; the map that is drawn stays"),
            )
        elif placed is None or placed.shares:
            third = (Check("arrows", "Arrows from the origin", self.arrows, from_origin, tips[1]),)
        else:
            third = ()
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
