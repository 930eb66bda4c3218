"""The cosine of two words as arithmetic, product by product.

Two vectors drawn as arrows at the angle between them.
"""

from collections.abc import Iterable
from html import escape
from math import cos, radians, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QCheckBox, QPushButton, QSizePolicy, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.pages.page import Listing
from explorer.pages.words import products, shortened
from explorer.ui.drawing.strokes import draw_arrow
from explorer.ui.page.listing import ListingView
from explorer.ui.theme import qcolor
from explorer.ui.words.card import Card, TabState, WordField, column, here, label
from explorer.ui.workbench import Workbench
from explorer.words import catalogue, similarity
from explorer.words.similarity import PairCosine
from explorer.words.vectors import Vectors


class AnglePicture(QWidget):
    """Two arrows as long as the vectors, at the angle between them."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.cosine: PairCosine | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        px = self._bench.appearance.px
        return QSize(px(240), px(270))

    def show_cosine(self, cosine: PairCosine) -> None:
        """Draw another pair."""
        self.cosine = cosine
        a, b = cosine.words
        self.setAccessibleName(f"{a} and {b} drawn as arrows at an angle of {cosine.angle:.1f} degrees")
        self.setToolTip(
            "The plane of the two vectors: lengths and angle are exact, the direction of the first is chosen freely"
        )
        self.update()

    def paintEvent(self, event: Any) -> None:
        if self.cosine is None:
            return
        appearance = self._bench.appearance
        theme, fonts = appearance.theme, appearance.fonts
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(fonts.small)
        metrics = painter.fontMetrics()
        lengths = [float(norm) for norm in self.cosine.norms]
        half = self.cosine.angle / 2
        # The pair stands upright in the middle, so that any angle up to 180° has room.
        ways = [
            (lengths[i] * sin(radians(side * half)), lengths[i] * cos(radians(half))) for i, side in ((0, -1), (1, 1))
        ]
        edge, line = appearance.px(30), metrics.height() + 6
        width = max(max(x for x, _ in ways), 0.0) - min(min(x for x, _ in ways), 0.0)
        height = max(max(y for _, y in ways), 1e-9)
        scale = min((self.width() - 2 * edge) / max(width, 1e-9), (self.height() - 2 * line - 8) / height)
        origin = QPointF(edge - min(min(x for x, _ in ways), 0.0) * scale, self.height() - line)
        origin.setX(origin.x() + max(self.width() - 2 * edge - width * scale, 0) / 2)
        arc = min(min(lengths) * scale * 0.45, 54.0)
        painter.setPen(QPen(qcolor(theme.here), 2))
        around = QRectF(origin.x() - arc, origin.y() - arc, 2 * arc, 2 * arc)
        painter.drawArc(around, round((90 - half) * 16), round(2 * half * 16))
        for (x, y), word, color in zip(ways, self.cosine.words, (theme.accent_line, theme.series[0]), strict=True):
            tip = origin + QPointF(x * scale, -y * scale)
            draw_arrow(painter, origin, tip, qcolor(color))
            painter.setPen(qcolor(theme.text))
            wide = metrics.horizontalAdvance(word)
            left = tip.x() - wide - 4 if x < 0 else tip.x() + 4
            left = min(max(left, 2.0), self.width() - wide - 2.0)
            painter.drawText(QPointF(left, max(tip.y() - 5, metrics.ascent())), word)
        painter.setPen(qcolor(theme.here_text))
        below = QRectF(0, origin.y() + 2, self.width(), line)
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, f"{written(self.cosine.angle, 1)}°")
        painter.end()


NO_PRODUCTS = Listing("products", "Products by dimension", (), ())
TwoVectors = tuple[NDArray[np.float32], NDArray[np.float32]]


class CosineCard(Card):
    """Two words, their products, and what becomes of the sum."""

    back = Signal(object)  # QWidget: the part of the page that asked for the cosine

    title = "Cosine of two words, as arithmetic"
    short = "Cosine"

    def __init__(self, bench: Workbench, state: TabState) -> None:
        about = (
            "Multiply dimension by dimension, add up, and divide by both lengths: the result is the cosine of "
            "the angle."
        )
        super().__init__(bench, state, about)
        self.first = WordField(bench, state, "First word")
        self.second = WordField(bench, state, "Second word")
        for field in (self.first, self.second):
            field.entered.connect(self.compute)
        work_out = QPushButton("Work out")
        work_out.setToolTip("Work out the cosine of the two words")
        work_out.clicked.connect(self.compute)
        self.largest = QCheckBox("Largest products first")
        self.largest.setToolTip("Sort the dimensions by the size of their product; else they stand in their own order")
        self.largest.toggled.connect(self._sort)
        self.line(self.first, "and", self.second, work_out, self.largest)
        self.between = label("")
        self.between.setTextFormat(Qt.TextFormat.RichText)
        self.way_back = QPushButton("Back")
        self.way_back.setToolTip("Go back to the part of the page where this cosine stands")
        self.way_back.clicked.connect(lambda: self.back.emit(self._asker))
        self._asker: Card | None = None
        self._asked = self.line(self.between, self.way_back)
        self._asked.hide()
        self.cosine: PairCosine | None = None
        self.listing = ListingView(bench, NO_PRODUCTS)
        self.angle = AnglePicture(bench)
        self.sums, self.compared = label(""), label("")
        for table in (self.sums, self.compared):
            table.setTextFormat(Qt.TextFormat.RichText)
            table.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.why = label("", "small", wrap=True)
        self._outcome = self.row(
            self.listing, column(self.sums, self.compared, spacing=bench.appearance.px(14)), self.angle
        )
        self.page.addWidget(self.why)

    def load(self) -> None:
        words = self.state.words
        pair = words[:2] if len(words) > 1 else [*words, *words]
        if not (self.first.keeps() and self.second.keeps()):
            self.first.set(pair[:1])
            self.second.set(pair[1:])
        # What was worked out of other vectors does not hold of these.
        self._outcome.hide()
        self.cosine = None
        self.listing.tell(NO_PRODUCTS)
        self.why.setText("")
        self.compute()

    def compute(self) -> None:
        """Work out the pair that stands in the fields."""
        a, b = self.first.words(1, 1), self.second.words(1, 1) if self.first.text() else None
        if a is None or b is None:
            return
        try:
            cosine = similarity.cosine(self.vectors, a[0], b[0])
        except ExplorerError as error:
            self.second.fail(error)
            return
        self._asked.hide()
        self._show(cosine)

    def show_pair(self, pair: TwoVectors, names: tuple[str, str], asker: Card) -> None:
        """Show the cosine of two vectors, be they words, sentences or sums of words.

        Raises `ExplorerError`: "no-direction".
        """
        cosine = similarity.cosine_of(pair, names)
        ours = all(_is_of(self.vectors, name, vector) for name, vector in zip(names, pair, strict=True))
        for field, name in zip((self.first, self.second), names, strict=True):
            field.set([name] if ours else [])
        self._asker = asker
        self.between.setText(f"{here(self.bench, names[0])} and {here(self.bench, names[1])}")
        self.between.setVisible(not ours)
        self.way_back.setText(f"Back to “{asker.title}”")
        self._asked.show()
        self._show(cosine)

    def resay(self) -> None:
        if self.cosine is not None:
            self._say(self.cosine)

    def _show(self, cosine: PairCosine) -> None:
        self._outcome.show()
        self.cosine = cosine
        self.listing.tell(products(cosine, self.largest.isChecked()))
        self.angle.show_cosine(cosine)
        self._say(cosine)

    def _sort(self, on: bool) -> None:
        if self.cosine is not None:
            self.listing.tell(products(self.cosine, on))

    def _say(self, cosine: PairCosine) -> None:
        a, b = (escape(shortened(word)) for word in cosine.words)
        dims = len(cosine.products)
        dot, (first, second) = float(cosine.dot), (float(norm) for norm in cosine.norms)
        up = float(cosine.products[cosine.agree].sum())
        agree = int(cosine.agree.sum())
        said = {"dot": written(dot, 4), "a": written(first, 4), "b": written(second, 4)}
        rows = [
            (f"{agree} of {dims} dimensions agree", written(up, 4)),
            (f"the other {dims - agree} pull apart", written(dot - up, 4)),
            ("dot product, their sum", said["dot"]),
            (f"length of {a}", said["a"]),
            (f"length of {b}", said["b"]),
            (
                f"cosine = {said['dot']} / ({said['a']} × {said['b']})",
                here(self.bench, written(float(cosine.cosine), 4)),
            ),
            ("angle", f"{written(cosine.angle, 2)}°"),
        ]
        self.sums.setText(_table(rows))
        # What each of the three makes of a vector's length shows when one gets longer.
        u, v = cosine.vectors
        twice = similarity.cosine_of((u, 2 * v), cosine.words)
        beside = [
            ("", "now", f"{b} twice as long"),
            ("dot product", said["dot"], written(float(twice.dot), 4)),
            (f"scaled dot, / √{dims}", written(cosine.scaled, 4), written(twice.scaled, 4)),
            ("cosine", *(here(self.bench, written(float(one.cosine), 4)) for one in (cosine, twice))),
        ]
        self.compared.setText(_table(beside))
        self.why.setText(
            "The dot product grows with the lengths, and frequent words are often long. The cosine looks at the "
            "direction alone. Attention takes the dot product, divided by √d so that softmax does not saturate when "
            "d is large. " + self._printed(cosine)
        )

    def _printed(self, cosine: PairCosine) -> str:
        for one in catalogue.printed_words().cosines:
            if set(one.words) == set(cosine.words):
                now = str(cosine.cosine)
                same = abs(float(one.value) - float(now)) < 2e-7
                if same:
                    return f"The text 000 prints {one.value}; computed here {now.replace('-', '−')} ✓"
                return f"With the vectors glove-twitter-25 the cosine is {one.value}."
        return ""


def _is_of(vectors: Vectors, word: str, vector: NDArray[np.float32]) -> bool:
    return word in vectors and np.array_equal(vectors[word], vector)


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    """Rows of words with numbers at the right, in rich text."""
    lines = (
        f"<tr><td>{first}</td>{''.join(f'<td align=right>&nbsp;&nbsp;{one}</td>' for one in others)}</tr>"
        for first, *others in rows
    )
    return f"<table cellspacing='0' cellpadding='2'>{''.join(lines)}</table>"
