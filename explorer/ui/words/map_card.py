"""The map's card: chosen words and their neighbours, by principal components or by t-SNE."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QCheckBox, QPushButton

from explorer.ui.widgets.inputs import Segments, SpinBox
from explorer.ui.words.card import Card, Search, TabState, WordField, label
from explorer.ui.words.word_map import WordMap
from explorer.ui.workbench import Workbench
from explorer.words import projection, similarity
from explorer.words.progress import Progress, Report
from explorer.words.vectors import Vectors

MOST, ZOOM = 12, 0.7
AROUND = 156  # pixels at text scale 1 that the card is higher than its map
COMPONENTS, TSNE = 0, 1
ABOUT = {
    COMPONENTS: "Principal components: the two directions in which these words differ most. Words that are "
    "near here are often, but not always, near in all dimensions.",
    TSNE: "t-SNE: words whose vectors point in the same direction lie together. Directions on this map mean "
    "nothing, and neither does the distance between two groups; the same words always give the same map.",
}
WITHOUT = "For another map, by t-SNE, install the extra “maps”, which is scikit-learn."


@dataclass(frozen=True)
class Placed:
    """Words with their places on a map."""

    words: list[str]  # the chosen ones first
    chosen: int  # how many these are
    points: NDArray[np.float64]  # (n_words, 2)
    origin: tuple[float, float] | None  # where a vector of zeros would be
    shares: tuple[float, ...]  # of the variance, along each of the two directions; empty where they mean nothing


def place(vectors: Vectors, chosen: list[str], n: int, method: int, report: Report) -> Placed:
    """The chosen words and n neighbours of each, on a map."""
    everyone = list(chosen)
    for i, word in enumerate(chosen):
        report(Progress("searching", i, len(chosen)))
        some = n and vectors.norm(word)  # a vector of zeros points nowhere
        everyone += [one.word for one in (similarity.nearest(vectors, word, n) if some else [])]
    everyone = list(dict.fromkeys(everyone))
    table = similarity.table(vectors, everyone)
    if method == TSNE and len(everyone) >= projection.LEAST:
        report(Progress("placing", 0, 0))
        return Placed(everyone, len(chosen), projection.tsne(table), None, ())
    if table.shape[1] < 2:
        table = np.hstack([table, np.zeros_like(table)])
    plane = projection.principal(table, 2)
    origin = plane.of(np.zeros((1, table.shape[1])))[0]
    where = float(origin[0]), float(origin[1])
    return Placed(everyone, len(chosen), plane.points, where, tuple(plane.shares.tolist()))


class MapCard(Card):
    """Chosen words and so many neighbours of each."""

    title = "Map"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        super().__init__(bench, state, ABOUT[COMPONENTS])
        self.search = Search(self)
        self.field = WordField(bench, state, f"Up to {MOST} words", 300)
        self.field.entered.connect(self.compute)
        self.neighbours = SpinBox(minimum=0, maximum=20, value=6)
        self.neighbours.setAccessibleName("Neighbours of each word")
        self.neighbours.setToolTip("How many neighbours of each word are drawn")
        self.neighbours.valueChanged.connect(self.compute)
        self.method = Segments(("Components", "t-SNE"), "Map by")
        self.method.choose(COMPONENTS)
        self.method.group.idClicked.connect(self.compute)
        self.arrows = QCheckBox("Arrows from the origin")
        self.arrows.setToolTip("Draw the words as arrows from the place where all numbers are 0")
        self.arrows.toggled.connect(self._set_arrows)
        self.map = WordMap(bench)
        self.stop = self._button("Stop", "Stop; the map that is drawn stays", self._stop)
        self.search.busy.connect(self._say_busy)
        zooms = (
            self._button("+", "Zoom in; also Ctrl and the wheel", partial(self.map.zoom, ZOOM)),
            self._button("−", "Zoom out", partial(self.map.zoom, 1 / ZOOM)),
            self._button("All", "Bring everything into sight", self.map.fit_all),
        )
        self.line(
            "Words", self.field, "neighbours of each", self.neighbours, self.method, self.stop, self.arrows, *zooms
        )
        self.method.setVisible(projection.tsne_available())
        self.stop.hide()
        self.map.clicked.connect(self._grow)
        state.word_changed.connect(lambda: self.map.choose(state.word))
        self.page.addWidget(self.map)
        self.said = label("", "small", wrap=True)
        self.page.addWidget(self.said)
        if not projection.tsne_available():
            self.page.addWidget(label(WITHOUT, "small", wrap=True))

    @staticmethod
    def _button(title: str, tip: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(title)
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(";")[0])
        button.clicked.connect(lambda _=False: act())
        return button

    def load(self) -> None:
        if not self.field.keeps():
            self.field.set(self.state.pick(("king", "river", "monday", "doctor", "horse"), 5))
        self.map.choose(self.state.word)
        self.compute()

    def give_room(self, pixels: int) -> None:
        self.map.give_room(pixels - self.bench.appearance.px(AROUND))

    def compute(self) -> None:
        """Find the neighbours and their places, and draw."""
        words = self.field.words(1, MOST)
        if words is None:
            return
        vectors, method = self.vectors, self.method.group.checkedId()
        chosen = list(dict.fromkeys(words))
        work = partial(place, vectors, chosen, self.neighbours.value(), method)
        self.search.search(vectors, work, self._show, slow=method == TSNE)

    def _show(self, placed: Placed) -> None:
        self.map.show_points(placed.words, placed.points, set(range(placed.chosen)), placed.origin, placed.shares)
        by_components = bool(placed.shares)
        self.intro.setText(ABOUT[COMPONENTS if by_components else TSNE])
        self.arrows.setVisible(by_components)
        n = f"{len(placed.words)} words"
        if by_components:
            n += f"; the two directions hold {sum(placed.shares):.0%} of how they differ"
            if self.method.group.checkedId() == TSNE:
                n += f" (t-SNE needs {projection.LEAST} words or more)"
        self.said.setText(f"{n}. Click a point to add its neighbours; drag to move, Ctrl and the wheel to zoom.")

    def _say_busy(self, busy: bool) -> None:
        # In the place of the arrows, which a map by t-SNE cannot have.
        slow = busy and self.method.group.checkedId() == TSNE
        self.stop.setVisible(slow)
        self.arrows.setVisible(not slow)
        if busy:
            self.said.setText("Placing the words …")

    def _stop(self) -> None:
        self.search.stop()
        self.said.setText("Stopped. The map is the one from before.")

    def _set_arrows(self, on: bool) -> None:
        self.map.arrows = on
        self.map.fit_all()

    def _grow(self, word: str) -> None:
        words = list(dict.fromkeys([*self.field.entries(), word]))[-MOST:]
        self.field.set(words)
        self.compute()
        self.state.go_to(word)
