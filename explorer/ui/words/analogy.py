"""The analogy a − b + c, as vectors and as a picture.

The picture of an analogy: two arrows that are the same vector.
"""

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from explorer.core.numbers import written
from explorer.ui.drawing.strokes import draw_arrow
from explorer.ui.theme import mark, qcolor
from explorer.ui.words.card import Card, Search, TabState, WordField, column, here, label
from explorer.ui.words.neighbours import NeighbourList
from explorer.ui.words.strips import VectorStrips
from explorer.ui.workbench import Workbench
from explorer.words import projection, similarity
from explorer.words.progress import Progress, Report
from explorer.words.similarity import Analogy
from explorer.words.vectors import Vectors


class Parallelogram(QWidget):
    """a, b, c, the place where a − b + c leads, and the nearest word, in the plane that shows them best."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.points: NDArray[np.float64] = np.zeros((0, 2))
        self.labels: list[str] = []
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        px = self._bench.appearance.px
        return QSize(px(520), px(300))

    def show_points(self, points: NDArray[np.float64], labels: list[str]) -> None:
        """Draw others: a, b, c, a − b + c and the answer, (5, 2)."""
        self.points, self.labels = points, labels
        a, b, c, _, answer = labels
        self.setAccessibleName(f"The way from {b} to {a}, begun at {c}, ends near {answer}")
        self.setToolTip("The two arrows are the same vector; the dashed line goes from its end to the nearest word")
        self.update()

    def paintEvent(self, event: Any) -> None:
        if not len(self.points):
            return
        appearance = self._bench.appearance
        theme, fonts = appearance.theme, appearance.fonts
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        low, high = self.points.min(0), self.points.max(0)
        painter.setFont(fonts.ui)
        metrics = painter.fontMetrics()
        edge_x = max(metrics.horizontalAdvance(text) for text in self.labels) + 14
        edge_y = appearance.px(34)
        spread = np.maximum(high - low, 1e-9)
        scale = float(min((self.width() - 2 * edge_x) / spread[0], (self.height() - 2 * edge_y) / spread[1]))
        middle = (low + high) / 2
        spots = [
            QPointF(self.width() / 2 + (x - middle[0]) * scale, self.height() / 2 - (y - middle[1]) * scale)
            for x, y in self.points.tolist()
        ]
        a, b, c, target, answer = spots
        draw_arrow(painter, b, a, qcolor(theme.accent_line))
        draw_arrow(painter, c, target, qcolor(theme.accent_line))
        painter.setPen(QPen(qcolor(theme.muted), 1.2, Qt.PenStyle.DotLine))
        painter.drawLine(b, c)
        painter.drawLine(a, target)
        painter.setPen(QPen(qcolor(theme.here), 1.6, Qt.PenStyle.DashLine))
        painter.drawLine(target, answer)
        taken: list[QRectF] = []
        centre = QPointF(sum(spot.x() for spot in spots) / 5, sum(spot.y() for spot in spots) / 5)
        for i, (spot, text) in enumerate(zip(spots, self.labels, strict=True)):
            here = i == 4
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(theme.here if here else theme.muted if i == 3 else theme.series[0]))
            painter.drawEllipse(spot, 4.5, 4.5)
            wide = metrics.horizontalAdvance(text) + 2
            # Outside of its point: the lines run inside.
            way = spot - centre
            below = way.y() >= 0
            if abs(way.x()) > 1.2 * abs(way.y()):
                left, top = (8.0 if way.x() > 0 else -8.0 - wide), -metrics.height() / 2
            else:
                left, top = -wide / 2, (7 if below else -7 - metrics.height())
            place = QRectF(spot.x() + left, spot.y() + top, wide, metrics.height())
            step = metrics.height() * (1 if below else -1)
            while any(place.intersects(other) for other in taken):
                place.translate(0, step)
            taken.append(place)
            painter.setPen(qcolor(theme.here_text if here else theme.muted if i == 3 else theme.text))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
        painter.end()


N = 10
STRIP = 36  # pixels of a row of bars at text scale 1

EXAMPLES = (
    ("king", "man", "woman", "queen"),
    ("brother", "boy", "girl", "sister"),
    ("france", "paris", "london", "england"),
    ("went", "go", "come", "came"),
    ("largest", "large", "small", "smallest"),
    ("uncle", "man", "woman", "aunt"),
)
"""a, b, c, and what one hopes for: the first that comes out so is shown."""


def first_that_holds(vectors: Vectors, known: Sequence[tuple[str, ...]], report: Report) -> Analogy:
    """The first of some examples whose answer is the one that is hoped for; the first of all, if none is."""
    found = []
    for i, (a, b, c, hoped) in enumerate(known):
        report(Progress("searching", i, len(known)))
        found.append(similarity.analogy(vectors, a, b, c, N))
        if found[-1].neighbours and found[-1].neighbours[0].word == hoped:
            return found[-1]
    return found[0]


class AnalogyCard(Card):
    """a − b + c and the words nearest to it."""

    title = "Analogy"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        about = "a − b + c: add the difference of a and b to c, and see which words are nearest to the result."
        super().__init__(bench, state, about)
        self.search = Search(self)
        self.fields = [WordField(bench, state, f"Word {name}", 130) for name in "abc"]
        for field in self.fields:
            field.entered.connect(self.compute)
        button = QPushButton("Find")
        button.setToolTip("Find the words nearest to a − b + c")
        button.clicked.connect(self.compute)
        a, b, c = self.fields
        self.line(a, "−", b, "+", c, button)
        self._tries = [self._try(words[:3]) for words in EXAMPLES]
        self._trial = self.line("Try", *self._tries)
        self._result: Analogy | None = None
        self.said = label("", "", wrap=True)
        self.page.addWidget(self.said)
        self.list = NeighbourList(bench, "Words nearest to a − b + c", state.go_to, self._explain)
        self.picture = Parallelogram(bench)
        self.share = label("", "small", wrap=True)
        self.row(self.list, column(self.picture, self.share))
        self.strips = VectorStrips(bench, STRIP)
        self.strips.pointed.connect(self._say_dimension)
        self.strips.clicked.connect(self._go_to)
        self.page.addWidget(self.strips)
        self.sum = label("", "small", wrap=True)
        self.page.addWidget(self.sum)
        self._pictures = (self.picture, self.share, self.strips, self.sum)

    def _try(self, words: tuple[str, ...]) -> QPushButton:
        button = mark(QPushButton("{} − {} + {}".format(*words)), link="true")
        button.setToolTip("Find the words nearest to this")
        button.clicked.connect(lambda: self.begin_with(words))
        return button

    def begin_with(self, words: Sequence[str]) -> None:
        """Find the words nearest to a − b + c."""
        self._write(words)
        self.compute()

    def load(self) -> None:
        self._clear("")
        known = [words for words in EXAMPLES if all(word in self.vectors for word in words)]
        for button, words in zip(self._tries, EXAMPLES, strict=True):
            button.setVisible(words in known)
        self._trial.setVisible(bool(known))
        if len(self.vectors) < len(self.fields):
            self._write([""] * len(self.fields))
            self._clear("There are too few words for an analogy.")
            return
        if all(field.keeps() for field in self.fields):
            self.compute()
            return
        self._write(known[0] if known else self.state.pick((), 3))
        if known:
            self.search.search(self.vectors, partial(first_that_holds, self.vectors, known), self._begin)
        else:
            self.compute()

    def _write(self, words: Sequence[str]) -> None:
        for field, word in zip(self.fields, words, strict=False):
            field.set([word])

    def _begin(self, result: Analogy) -> None:
        self._write(result.words)
        self._show(result)

    def resay(self) -> None:
        if self._result is None:
            return
        a, b, c = (escape(word) for word in self._result.words)
        best = self._result.neighbours[0]
        answer = here(self.bench, best.word)
        self.said.setText(f"{b} is to {a} as {c} is to {answer} (cosine {written(best.cosine, 4)})")

    def compute(self) -> None:
        """Work out the analogy that stands in the fields."""
        words: list[str] = []
        for field in self.fields:
            found = field.words(1, 1)
            if found is None:
                return
            words += found
        vectors, (a, b, c) = self.vectors, words
        self.search.search(vectors, lambda report: similarity.analogy(vectors, a, b, c, N), self._show)

    def _show(self, result: Analogy) -> None:
        if not result.neighbours:
            self._clear("These vectors have no other words.")
            return
        self._result = result
        self.list.show_words(result.neighbours)
        for part in self._pictures:
            part.show()
        self.resay()
        self._draw(result)

    def _clear(self, words: str) -> None:
        """Show no analogy: what was found in other vectors does not hold in these."""
        self._result = None
        self.said.setText(words)
        self.list.show_words([])
        for part in self._pictures:
            part.hide()

    def _explain(self, word: str) -> None:
        assert self._result is not None
        a, b, c = self._result.words
        pair = self._result.target, self.vectors[word]
        self.state.cosine_asked.emit(pair, (f"{a} − {b} + {c}", word), self)

    def _go_to(self, row: int) -> None:
        """The word of a strip; the sum is none."""
        assert self._result is not None
        words = (*self._result.words, None, self._result.neighbours[0].word)
        if (word := words[row]) is not None:
            self.state.go_to(word)

    def _draw(self, result: Analogy) -> None:
        a, b, c = result.words
        answer = result.neighbours[0].word
        table = similarity.table(self.vectors, [a, b, c, answer]).astype(float)
        unit = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
        way = unit[0] - unit[1] + unit[2]
        five = np.stack([*unit[:3], way, unit[3]])
        plane = projection.principal(five, 2) if five.shape[1] > 1 else None
        points = plane.points if plane else np.hstack([five, np.zeros_like(five)])
        self.picture.show_points(points, [a, b, c, "a − b + c", answer])
        self.share.setText(
            f"Directions only (vectors of length one), in two of {five.shape[1]} dimensions: "
            f"{plane.kept if plane else 1:.0%} of how they differ.\na, b and c themselves are left out of the answers, "
            "as is the custom; else c or a often wins."
        )
        names = [a, f"− {b}", f"+ {c}", "= a − b + c", answer]
        signed = np.stack([unit[0], -unit[1], unit[2], way, unit[3]]).astype(np.float32)
        self.strips.show_words(names, signed, [""] * len(names), answer)
        self._say_dimension(self.strips.dimension)

    def _say_dimension(self, dimension: int) -> None:
        """The sum of one dimension."""
        if dimension < 0:
            self.sum.setText("The same as numbers: the sum of the first three rows is the fourth. Point at a bar.")
            return
        a, b, c, way, answer = self.strips.array[:, dimension].tolist()
        terms = f"{_signed(a)} − {_signed(-b)} + {_signed(c)}"
        self.sum.setText(
            f"Dimension {dimension + 1}: {terms} = {written(way, 4)}; {self.strips.here} has {written(answer, 4)}"
        )


def _signed(number: float) -> str:
    """A number as it stands in a sum."""
    return written(number, 4) if number >= 0 else f"({written(number, 4)})"
