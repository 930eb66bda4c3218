"""The cosine of two words as arithmetic, product by product."""

from math import cos, radians, sin
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QCheckBox, QPushButton, QSizePolicy, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.ui.colour import qcolor
from explorer.ui.widgets.arrow import draw_arrow
from explorer.ui.widgets.listing import Listing
from explorer.ui.widgets.rows import BAR, NUMBER, Column, Rows
from explorer.ui.words.card import Card, column, label
from explorer.ui.words.fields import WordField
from explorer.ui.words.store import Store
from explorer.ui.workbench import Workbench
from explorer.words import printed, similarity
from explorer.words.similarity import Cosine


class Products(Rows):
    """A row for each dimension: both numbers, and their product as number and bar."""

    name = "Products by dimension"

    def __init__(self) -> None:
        super().__init__()
        self.cosine: Cosine | None = None
        self.sorted = False
        self._order = np.zeros(0, int)

    @property
    def columns(self) -> tuple[Column, ...]:  # type: ignore[override]
        """The two words stand above their numbers."""
        a, b = (word[:16] for word in self.cosine.words) if self.cosine else ("", "")
        product = Column("product", NUMBER)
        return (
            Column("dimension", NUMBER),
            Column(a, NUMBER),
            Column(b, NUMBER),
            product,
            Column("", BAR, 170),
            Column(""),
        )

    def read(self) -> None:
        if self.cosine is not None:
            products = self.cosine.products
            order = np.argsort(-np.abs(products), kind="stable") if self.sorted else np.arange(len(products))
            self._order = order

    def count(self) -> int:
        return len(self._order) if self.cosine else 0

    def text(self, row: int, column: int) -> str:
        assert self.cosine is not None
        d, cosine = int(self._order[row]), self.cosine
        match column:
            case 0:
                return str(d + 1)
            case 1 | 2:
                return written(float(cosine.vectors[column - 1][d]), 3)
            case 3 | 4:
                return written(float(cosine.products[d]), 3)
            case _:
                return "agree" if cosine.agree[d] else "against" if cosine.products[d] < 0 else ""

    def muted(self, row: int, column: int) -> bool:
        return column in (0, 5)

    def value(self, row: int, column: int) -> float:
        assert self.cosine is not None
        return float(self.cosine.products[self._order[row]])

    def reach(self, column: int) -> tuple[float, float]:
        if self.cosine is None:
            return 0.0, 1.0
        products = self.cosine.products
        return min(float(products.min()), -1e-9), max(float(products.max()), 1e-9)


class Angle(QWidget):
    """Two arrows as long as the vectors, at the angle between them."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.cosine: Cosine | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        px = self._bench.appearance.px
        return QSize(px(330), px(230))

    def show_cosine(self, cosine: Cosine) -> None:
        """Draw another pair."""
        self.cosine = cosine
        a, b = cosine.words
        self.setAccessibleName(f"{a} and {b} drawn as arrows at an angle of {cosine.angle:.1f} degrees")
        self.setToolTip(
            "In the plane of the two vectors: lengths and angle are true, the direction of the first is free"
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
        edge, line = appearance.px(64), metrics.height() + 6
        width = max(max(x for x, _ in ways), 0.0) - min(min(x for x, _ in ways), 0.0)
        height = max(max(y for _, y in ways), 1e-9)
        scale = min((self.width() - 2 * edge) / max(width, 1e-9), (self.height() - 2 * line - 8) / height)
        origin = QPointF(edge - min(min(x for x, _ in ways), 0.0) * scale, self.height() - line)
        origin.setX(origin.x() + max(self.width() - 2 * edge - width * scale, 0) / 2)
        arc = min(min(lengths) * scale * 0.45, 54.0)
        painter.setPen(QPen(qcolor(theme.here), 2))
        around = QRectF(origin.x() - arc, origin.y() - arc, 2 * arc, 2 * arc)
        painter.drawArc(around, round((90 - half) * 16), round(2 * half * 16))
        for (x, y), word, color in zip(ways, self.cosine.words, (theme.accent_line, theme.series[2]), strict=True):
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


class CosineCard(Card):
    """Two words, their products, and what becomes of the sum."""

    def __init__(self, bench: Workbench, store: Store) -> None:
        about = (
            "Multiply dimension by dimension, add up, divide by both lengths: what is left is the cosine of the angle."
        )
        super().__init__(bench, store, "Cosine of two words, as arithmetic", about)
        self.first = WordField(bench, store, "First word")
        self.second = WordField(bench, store, "Second word")
        for field in (self.first, self.second):
            field.entered.connect(self.compute)
        swap = QPushButton("Work out")
        swap.setToolTip("Work out the cosine of the two words")
        swap.clicked.connect(self.compute)
        self.largest = QCheckBox("largest products first")
        self.largest.setToolTip("Sort the dimensions by the size of their product; else they stand in their own order")
        self.largest.toggled.connect(self._sort)
        self.line(self.first, "and", self.second, swap, self.largest)
        self.products = Products()
        self.listing = Listing(bench, self.products, most=14)
        self.angle = Angle(bench)
        self.sums = label("")
        self.sums.setTextFormat(Qt.TextFormat.RichText)
        self.sums.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.why = label("", "small", wrap=True)
        self.why.setTextFormat(Qt.TextFormat.RichText)
        self.row(self.listing, column(self.sums, self.angle))
        self.page.addWidget(self.why)

    def load(self) -> None:
        words = self.store.words
        pair = words[:2] if len(words) > 1 else [*words, *words]
        if not (self.first.keeps() and self.second.keeps()):
            self.first.set(pair[:1])
            self.second.set(pair[1:])
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
        self.products.cosine = cosine
        self.listing.refresh()
        self.listing.scrollToTop()
        self.angle.show_cosine(cosine)
        self._say(cosine)

    def resay(self) -> None:
        if self.products.cosine is not None:
            self._say(self.products.cosine)

    def _sort(self, on: bool) -> None:
        self.products.sorted = on
        self.listing.refresh()
        self.listing.scrollToTop()

    def _say(self, cosine: Cosine) -> None:
        a, b = cosine.words
        dims, theme = len(cosine.products), self.bench.appearance.theme
        dot, (first, second) = float(cosine.dot), (float(norm) for norm in cosine.norms)
        up = float(cosine.products[cosine.agree].sum())
        number = {"dot": written(dot, 4), "a": written(first, 4), "b": written(second, 4)}
        orange = f"<b style='color:{theme.here_text}'>{written(float(cosine.cosine), 4)}</b>"
        agree = int(cosine.agree.sum())
        rows = [
            (f"{agree} of {dims} dimensions agree", written(up, 4)),
            (f"the other {dims - agree} pull apart", written(dot - up, 4)),
            ("dot product, their sum", number["dot"]),
            (f"length of {a}", number["a"]),
            (f"length of {b}", number["b"]),
            (f"cosine = {number['dot']} / ({number['a']} × {number['b']})", orange),
            ("angle", f"{written(cosine.angle, 2)}°"),
            (f"scaled dot = {number['dot']} / √{dims}", written(cosine.scaled, 4)),
        ]
        table = "".join(f"<tr><td>{left}&nbsp;&nbsp;</td><td align='right'>{right}</td></tr>" for left, right in rows)
        self.sums.setText(f"<table cellspacing='0' cellpadding='2'>{table}</table>")
        self.why.setText(
            "The dot product grows with the lengths, and frequent words are often long. The cosine looks at the "
            "direction alone. Attention takes the dot product, divided by √d so that softmax does not saturate when "
            "d is large. " + self._printed(cosine)
        )

    def _printed(self, cosine: Cosine) -> str:
        for one in printed.load().cosines:
            if set(one.words) == set(cosine.words):
                now = str(cosine.cosine)
                same = abs(float(one.value) - float(now)) < 2e-7
                told = f"The reference prints {one.value}; computed here {now.replace('-', '−')}"
                return f"{told} ✓" if same else f"{told}: it uses other vectors, glove-twitter-25."
        return ""
