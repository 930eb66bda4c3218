"""The analogy a − b + c, as vectors and as a picture."""

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
from explorer.ui.colour import qcolor
from explorer.ui.widgets.arrow import draw_arrow
from explorer.ui.words.card import Card, column, here, label
from explorer.ui.words.fields import WordField
from explorer.ui.words.neighbours import Near, NearList
from explorer.ui.words.store import Store
from explorer.ui.words.work import Search
from explorer.ui.workbench import Workbench
from explorer.words import projection, similarity
from explorer.words.progress import Progress, Report
from explorer.words.similarity import Analogy
from explorer.words.vectors import Vectors

N = 10

EXAMPLES = (
    ("king", "man", "woman", "queen"),
    ("brother", "boy", "girl", "sister"),
    ("uncle", "man", "woman", "aunt"),
    ("france", "paris", "london", "england"),
    ("his", "he", "she", "her"),
    ("went", "go", "come", "came"),
)
"""a, b, c, and what one hopes for: the first that comes out so is shown."""


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
        self.setToolTip("The two arrows are the same vector; the dashed line is what is missing to the nearest word")
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
            painter.setBrush(qcolor(theme.here if here else theme.muted if i == 3 else theme.series[2]))
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

    def __init__(self, bench: Workbench, store: Store) -> None:
        about = "a − b + c: take the way from b to a, begin it at c, and see which words lie where it ends."
        super().__init__(bench, store, "Analogy", about)
        self.search = Search(self)
        self.fields = [WordField(bench, store, f"Word {name}", 130) for name in "abc"]
        for field in self.fields:
            field.entered.connect(self.compute)
        button = QPushButton("Find")
        button.setToolTip("Find the words nearest to a − b + c")
        button.clicked.connect(self.compute)
        a, b, c = self.fields
        self.line(a, "−", b, "+", c, button)
        self._result: Analogy | None = None
        self.said = label("", "", wrap=True)
        self.page.addWidget(self.said)
        self.rows = Near("Words nearest to a − b + c")
        self.list = NearList(bench, self.rows, store.go_to)
        self.picture = Parallelogram(bench)
        self.share = label("", "small")
        self.row(self.list, column(self.picture, self.share))

    def load(self) -> None:
        if all(field.keeps() for field in self.fields):
            self.compute()
            return
        known = [words for words in EXAMPLES if all(word in self.vectors for word in words)]
        self._write(known[0] if known else self.store.pick((), 3))
        if known:
            self.search.ask(self.vectors, partial(first_that_holds, self.vectors, known), self._begin)
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
        self.search.ask(vectors, lambda report: similarity.analogy(vectors, a, b, c, N), self._show)

    def _show(self, result: Analogy) -> None:
        self.list.show_words(result.neighbours)
        if not result.neighbours:
            self.said.setText("These vectors have no other words.")
            return
        self._result = result
        self.resay()
        self._draw(result)

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
