"""The sentences of a decoder: what it reads, what it should say and says, and where it looks in the source."""

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.numbers import written
from explorer.core.ops import Array
from explorer.pages.attention import MOST_LINES, SAYS, SHOULD
from explorer.pages.drawing import SentenceRow, Sentences
from explorer.pages.view import Cell
from explorer.ui.drawing.lit import ends_of
from explorer.ui.drawing.sentence_layout import Layout, Word, laid_out
from explorer.ui.theme import qcolor
from explorer.ui.workbench import Workbench

LEAST_SHARE = 0.01
LEAST_PART = 0.05  # of the largest share, for all lines of one word
MOST_PIXELS, LEVELS = 9.0, 24
LEAST = 240  # pixels at text scale 1 across
NEAR = 5.0  # pixels from a line that still mean it


class SentencesView(QWidget):
    """Rows of words above each other. Where one is too long, they stand beside each other, or take several lines.

    Under each word that the decoder reads stands what it should say there, and what it says. With weights, the source
    stands above, and a line from each word of the target to each of the source is the thicker the larger the weight.
    """

    def __init__(self, bench: Workbench, element: Sentences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.element = element
        self._cross = element.weights is not None
        self._shares: Array = np.zeros((0, 0))
        self._queries: Array = np.zeros(0, dtype=np.intp)
        self._keys: Array = np.zeros(0, dtype=np.intp)
        self._rows: tuple[SentenceRow, ...] = ()
        self._layout: Layout | None = None
        self._asked = 0
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMouseTracking(True)
        for signal in (bench.selection.pointed, bench.selection.token_changed):
            signal.connect(self._mark)
        self._draw()

    def tell(self, element: Sentences) -> None:
        """Show other words and weights; whether there are weights stays the same."""
        if element is not self.element:
            self.element = element
            self._draw()

    def _draw(self) -> None:
        weights = self.element.weights
        if self.element.rows != self._rows:
            self._rows = self.element.rows
            self._layout = None
            self.updateGeometry()
        if weights is not None:
            self._shares = np.nan_to_num(weights.values)
            if self._shares.size > MOST_LINES:
                self._queries, self._keys = np.arange(len(self._shares)), self._shares.argmax(-1)
            else:
                self._queries, self._keys = np.nonzero(self._shares >= LEAST_SHARE)
        summary = self._summary()
        if summary != self.accessibleName():
            self.setAccessibleName(summary)
        self.update()

    def _summary(self) -> str:
        parts = [f"{row.title}: {' '.join(row.words[:40])}" for row in self._rows]
        if self._cross:
            source, target = self._rows[0].words, self._rows[1].words
            best = self._shares.argmax(-1) if self._shares.size else ()
            looks = [
                f"{target[i]} looks most at {source[j]} ({written(float(self._shares[i, j]), 3)})"
                for i, j in list(enumerate(best))[:12]
            ]
            parts += looks
        return ". ".join(parts)

    # Size

    def _laid(self, width: int) -> Layout:
        if self._layout is None or self._asked != width:
            appearance = self.bench.appearance
            metrics = QFontMetrics(_bold(appearance.fonts.ui))
            self._asked = width
            self._layout = laid_out(self._rows, self._cross, width, metrics, appearance.px)
            if 0 < width < self._layout.least:
                self._layout = laid_out(self._rows, self._cross, self._layout.least, metrics, appearance.px)
        return self._layout

    def sizeHint(self) -> QSize:
        return self._laid(0).across.toSize()

    def minimumSizeHint(self) -> QSize:
        return QSize(self.bench.appearance.px(LEAST), 0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return round(self._laid(width).height * self._scale(width))

    def _scale(self, width: int) -> float:
        """How much smaller all is drawn, where the narrowest layout is too wide."""
        return min(width / self._laid(width).width, 1.0) if width else 1.0

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        layout, theme, fonts = self._laid(self.width()), self.bench.appearance.theme, self.bench.appearance.fonts
        query, key = self._lit()
        painter = QPainter(self)
        painter.scale(scale := self._scale(self.width()), scale)
        seen = painter.transform().inverted()[0].mapRect(QRectF(event.rect()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._cross:
            self._paint_lines(painter, layout, query, key)
        painter.setFont(fonts.small)
        painter.setPen(qcolor(theme.muted))
        for rect, title in layout.titles:
            painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        plain, bold = fonts.ui, _bold(fonts.ui)
        for word in layout.words:
            of_source = word.axis != self._rows[-1].axis
            looked_at = key if of_source else query
            here = word.place == looked_at
            if word.rect.intersects(seen) and layout.shows(of_source, word.place, looked_at):
                painter.setFont(bold if here else plain)
                self._paint_word(painter, word, here)
        if self._cross and (query is None) != (key is None):
            painter.setFont(fonts.small)
            self._paint_shares(painter, layout, query, key)
        painter.end()

    def _paint_word(self, painter: QPainter, word: Word, here: bool) -> None:
        theme = self.bench.appearance.theme
        text, color = word.text, qcolor(theme.here_text if here else theme.text)
        if word.title in (SHOULD, SAYS):
            if word.title == SAYS and self._rows[-2].title == SHOULD and word.right is not None:
                text = f"{text} {'✓' if word.right else '≠'}"
            elif not here:
                color = qcolor(theme.muted)
        else:
            painter.setPen(QPen(qcolor(theme.here if here else theme.line_strong), 1))
            painter.setBrush(qcolor(theme.here_soft if here else theme.surface))
            inside = word.rect.adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(inside, inside.height() / 2.2, inside.height() / 2.2)
        painter.setPen(color)
        metrics = painter.fontMetrics()
        painter.drawText(
            word.rect, Qt.AlignmentFlag.AlignCenter, metrics.elidedText(text, Qt.TextElideMode.ElideRight, word.room)
        )

    def _paint_lines(self, painter: QPainter, layout: Layout, query: int | None, key: int | None) -> None:
        theme = self.bench.appearance.theme
        chosen = query is not None or key is not None
        queries, keys = self._drawn(query, key)
        shares = np.clip(self._shares[queries, keys], 0.0, 1.0)
        meant = np.ones(len(shares), dtype=bool)
        if query is not None:
            meant &= queries == query
        if key is not None:
            meant &= keys == key
        # Lines of about the same strength are drawn together, those that are meant last, on top.
        levels = np.ceil(shares * LEVELS)
        starts, ends = layout.ends
        for lit, level in sorted(set(zip(meant.tolist(), levels.tolist(), strict=True))):
            share = level / LEVELS
            color = QColor(qcolor(theme.here if chosen and lit else theme.series[0]))
            color.setAlphaF(0.25 + 0.65 * share if lit else 0.07)
            painter.setPen(QPen(color, 0.5 + share * MOST_PIXELS, c=Qt.PenCapStyle.FlatCap))
            drawn = np.flatnonzero((levels == level) & (meant == lit))
            pairs = zip(queries[drawn].tolist(), keys[drawn].tolist(), strict=True)
            painter.drawLines([QLineF(starts[i], ends[j]) for i, j in pairs])

    def _drawn(self, query: int | None, key: int | None) -> tuple[Array, Array]:
        """The words of the target and of the source that lines are drawn between."""
        if self._shares.size <= MOST_LINES or (query is None) == (key is None):
            return self._queries, self._keys
        own = self._shares[query] if query is not None else self._shares[:, key]
        others = np.flatnonzero((own > 0) & (own >= LEAST_PART * own.max(initial=0)))
        same = np.full(len(others), query if query is not None else key)
        return (same, others) if query is not None else (others, same)

    def _paint_shares(self, painter: QPainter, layout: Layout, query: int | None, key: int | None) -> None:
        """The weights of the word that is looked at, each beside the word of the other sentence."""
        painter.setPen(qcolor(self.bench.appearance.theme.here_text))
        line, places = (self._shares[query], layout.shares[1]) if query is not None else (None, layout.shares[0])
        numbers = line if line is not None else self._shares[:, key]
        for place, share in enumerate(numbers.tolist()):
            if layout.shows(query is not None, place, None):
                painter.drawText(places[place], Qt.AlignmentFlag.AlignCenter, written(share, 2))

    # Looking

    def _lit(self) -> tuple[int | None, int | None]:
        """The word of the target and the word of the source that one looks at, as far as they are drawn."""
        selection = self.bench.selection
        target, source = self._rows[-1].axis, self._rows[0].axis
        query = key = None
        if selection.token is not None:
            axis, i = selection.token
            query, key = (i, None) if axis == target else (None, i) if axis == source else (None, None)
        elif selection.cell is not None:
            query, key = ends_of(self.element.lights, (target, source), selection.cell)
        if query is not None and query >= len(self._rows[-1].words):
            query = None
        if key is not None and (not self._cross or key >= len(self._rows[0].words)):
            key = None
        return query, key

    def _mark(self, *_: object) -> None:
        self.update()

    def _word_at(self, point: QPointF) -> tuple[str, int] | None:
        words = [word for word in self._laid(self.width()).words if word.rect.contains(point)]
        # Of a very long sentence they lie upon each other.
        word = min(words, key=lambda word: abs(word.rect.center().y() - point.y()), default=None)
        return (word.axis, word.place) if word is not None else None

    def _line_at(self, point: QPointF) -> Cell | None:
        """The weight whose line a point is nearest to."""
        if not self._cross or not len(self._queries):
            return None
        ends = self._laid(self.width()).ends
        a, b = (np.array([(p.x(), p.y()) for p in side]) for side in ends)
        start, way = a[self._queries], b[self._keys] - a[self._queries]
        to = np.array([point.x(), point.y()]) - start
        along = np.clip((to * way).sum(1) / np.maximum((way * way).sum(1), 1e-9), 0.0, 1.0)
        distances = np.hypot(*(to - along[:, None] * way).T)
        best = int(distances.argmin())
        if distances[best] > NEAR:
            return None
        weights = self.element.weights
        assert weights is not None
        return Cell(weights.place.node, weights.index(int(self._queries[best]), int(self._keys[best])))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        selection, point = self.bench.selection, event.position() / self._scale(self.width())
        token = self._word_at(point)
        line = self._line_at(point) if token is None else None
        self.setCursor(Qt.CursorShape.PointingHandCursor if token or line else Qt.CursorShape.ArrowCursor)
        selection.set_token(token)
        if line is not None:
            selection.point(line)
        elif token is None:
            selection.leave()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        selection, point = self.bench.selection, event.position() / self._scale(self.width())
        token = self._word_at(point)
        if token is not None:
            selection.choose_token(None if token == selection.chosen_token else token)
        elif (line := self._line_at(point)) is not None:
            selection.choose_token(None)
            selection.choose(line)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.bench.selection.set_token(None)
        self.bench.selection.leave()


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold
