"""All marks of a drawing but its images, in one item's paint, in pixels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, hypot, radians, sin
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPolygonF, QTransform

from explorer.core.ops import Array
from explorer.pages.drawing import (
    DRAWABLE,
    HERE,
    LINE,
    MUTED,
    TEXT,
    Arc,
    Arrow,
    Band,
    Bars,
    Box,
    Curve,
    Dot,
    Drawing,
    Image,
    Mark,
    Segments,
    Strips,
    Way,
    Words,
    drawable,
)
from explorer.ui.colour import qcolor
from explorer.ui.drawing.arrow import draw_arrow
from explorer.ui.drawing.blocks import Blocks
from explorer.ui.drawing.ink import line_ink, word_ink
from explorer.ui.drawing.labels import Room, along, around, stacked, together
from explorer.ui.drawing.lit import Lights, grids, points_of, shape_of, square_of, strip_of
from explorer.ui.drawing.pixels import Pixels
from explorer.ui.drawing.side import Side
from explorer.ui.drawing.sight import Sight
from explorer.ui.workbench import Workbench

RADIUS, SMALL, DISC = 4.5, 2.5, 12.0
MANY = 60
"""Dots; more of them are small, and of these only so many have their names."""
MOST_NAMES, MOST_AT_ONE = 40, 3
"""Names in a picture, and names of dots that lie on each other."""
BESIDE = 7.0
THICK = 2.0
"""Pixels: a wider arrow has a larger head, and its drawing larger words."""
ARC, NARROW = 34.0, 60.0
"""Pixels from the origin, and degrees below which there is no room for words between two directions."""
FEW_PIXELS = 8
"""A square below that is hard to find."""
FEW_LINES = 4
"""Segments; more of them are a grid, which words may stand on."""
FEW_POINTS = 16
"""Of a strip; more of them shine through each other."""
FAINT = 0.16
"""How much of the ink a mark has that is not there yet."""
STEP = 6.0
"""Pixels between the places of a line that words keep clear of."""


@dataclass
class _Label:
    """Words in their place; `members` are the marks they belong to."""

    text: str
    rect: QRectF
    ink: str
    members: tuple[int, ...] = ()
    wanted: bool = True


class Marks(pg.GraphicsObject):
    """Paints the marks of a drawing.

    Parameters
    ----------
    bench : Workbench
    sides : pair of Side
        Whose round numbers the grid runs through.
    """

    def __init__(self, bench: Workbench, sides: tuple[Side, Side]) -> None:
        super().__init__()
        self._bench = bench
        self._sides = sides
        self.drawing: Drawing | None = None
        self.lit: frozenset[int] = frozenset()
        self._lights: Lights | None = None
        self._sight: Sight | None = None
        self._lines: dict[int, list[QLineF]] = {}
        self._grids: tuple[Image | Strips, ...] = ()
        self._shown: object = None
        self._laid: list[_Label] = []
        self._laid_for: Drawing | None = None
        self._laid_in: tuple[object, ...] = ()
        self._pixels = Pixels(QTransform())
        self._veiled = False
        self.blocks = Blocks(bench)
        self.under: int | None = None
        """The box under the mouse."""
        self.here: int | None = None
        """The box where the keys are, or come to first."""
        self._focused = False

    def tell(self, drawing: Drawing) -> None:
        """Paint another drawing."""
        self.drawing = drawing
        self._lights = self._sight = None
        self._lines = {}
        self._grids = tuple(grids(drawing))
        self._veiled = not drawing.zoom and any(isinstance(mark, Image) for mark in drawing.marks)
        self.blocks.forget_images(len(drawing.marks))
        self.follow()
        self.update()

    def follow(self) -> None:
        """Light up what is pointed at now."""
        selection = self._bench.selection
        if self.drawing is None:
            return
        if self._lights is None:
            self._lights = Lights(self.drawing)
        lit = self._lights.lit(selection.cell, selection.token)
        squares = [square_of(one, selection.cell) for one in self._grids]
        strips = [strip_of(one, selection.token, None) for one in self._grids if isinstance(one, Strips)]
        rows = selection.token if self.drawing.zoom else None
        now = lit, squares, strips, rows
        if now != self._shown:
            self.lit, self._shown = lit, now
            self.update()

    def boundingRect(self) -> QRectF:
        box = self.getViewBox()
        # Not pyqtgraph's range of the view: after a change of its size that is the one before.
        return QRectF() if box is None else self.mapRectFromItem(box, box.rect())

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()

    def labels(self) -> list[_Label]:
        """The words that stand in the picture, as painted last."""
        return self._laid

    # Painting

    def paint(self, painter: QPainter, *args: Any) -> None:
        drawing = self.drawing
        if drawing is None:
            return
        transform = painter.transform()
        self._pixels = Pixels(transform)
        bounds = transform.mapRect(self.boundingRect())
        widget = self.getViewWidget()
        self._focused = widget is not None and widget.hasFocus()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_grid(painter, drawing, bounds)
        marks = drawing.marks
        many = sum(isinstance(mark, Dot) for mark in marks) > MANY
        small = {i for i, mark in enumerate(marks) if isinstance(mark, Dot) and not _is_disc(mark)} if many else set()
        self.blocks.begin(abs(self._pixels.across) if drawing.zoom else 1.0)
        for i in self._seen(drawing, bounds):
            if drawing.zoom:
                self._paint_part(painter, i, i in self.lit)
            elif i not in self.lit and i not in small:
                self._paint_mark(painter, i, i in self.lit)
        few = () if drawing.zoom else sorted(small - self.lit)
        self._paint_small(painter, [mark for i in few if isinstance(mark := marks[i], Dot)])
        for i in () if drawing.zoom else sorted(self.lit):
            self._paint_mark(painter, i, True)
        painter.setOpacity(1.0)
        self._paint_rows(painter)
        self._paint_squares(painter, bounds)
        if not drawing.zoom:  # there all words are fixed
            self._paint_labels(painter, self._words(drawing, bounds, many))
        painter.restore()

    def _seen(self, drawing: Drawing, bounds: QRectF) -> Sequence[int]:
        """The marks that lie in sight; of a drawing without zoom, or one that is there as a whole, all."""
        left, right, top, bottom = drawing.window
        if not drawing.zoom or bounds.contains(self._pixels.rect(left, top, right - left, bottom - top)):
            return range(len(drawing.marks))
        if self._sight is None:
            self._sight = Sight(drawing)
        return self._sight.numbers(self._pixels, bounds)

    def _px(self, pixels: float) -> float:
        """Pixels at the text scale."""
        return pixels * self._bench.appearance.scale

    def _pen(self, ink: str, width: float, dashed: bool = False) -> QPen:
        pen = QPen(qcolor(line_ink(self._bench.appearance.theme, ink)), width)
        if dashed:
            pen.setStyle(Qt.PenStyle.DashLine)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        return pen

    def _paint_grid(self, painter: QPainter, drawing: Drawing, bounds: QRectF) -> None:
        lines, pixels = [], self._pixels
        across, up = self._sides
        if drawing.x.grid:
            for number, _ in across.numbers():
                x = pixels.point(number, 0).x()
                lines.append(QLineF(x, bounds.top(), x, bounds.bottom()))
        if drawing.y.grid:
            for number, _ in up.numbers():
                y = pixels.point(0, number).y()
                lines.append(QLineF(bounds.left(), y, bounds.right(), y))
        if lines:
            painter.setPen(self._pen(LINE, 1))
            painter.drawLines(lines)

    def _paint_part(self, painter: QPainter, number: int, lit: bool) -> None:
        """A mark of a drawing with zoom, one that is in sight."""
        assert self.drawing is not None
        mark, pixels, blocks = self.drawing.marks[number], self._pixels, self.blocks
        painter.setOpacity(FAINT if mark.faint else 1.0)
        match mark:
            case Box():
                here = number == self.here and self._focused
                blocks.box(painter, mark, pixels.rect(*mark.place), number == self.under, here)
            case Segments():
                self._paint_lines(painter, number, mark)
            case Way():
                blocks.way(painter, mark, [pixels.point(*point) for point in mark.points])
            case Words():
                blocks.words(painter, mark, pixels.point(mark.x, mark.y), lit)
            case Image():
                if mark.array.size:
                    blocks.image(painter, number, mark, pixels.rect(*mark.place))
            case Bars():
                blocks.bars(painter, mark, pixels.rect(*mark.place), self._bench.selection.cell)
            case Dot():
                blocks.disc(painter, mark, pixels.point(mark.x, mark.y), lit)
            case Band():
                self._paint_band(painter, mark)

    def _paint_lines(self, painter: QPainter, number: int, mark: Segments) -> None:
        """Lines of a drawing with zoom: they are made once, and Qt brings them to their places."""
        lines = self._lines.get(number)
        if lines is None:
            self._lines[number] = lines = [QLineF(*ends) for ends in mark.ends.reshape(-1, 4).tolist()]
        pixels = self._pixels
        painter.setTransform(QTransform(pixels.across, 0.0, 0.0, pixels.up, pixels.left, pixels.top))
        pen = self._pen(mark.ink, mark.width)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawLines(lines)
        token = self._bench.selection.token
        if mark.whose is not None and token is not None and token[0] == mark.token:
            pen = self._pen(HERE, mark.width + 0.8)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawLines([lines[i] for i in np.flatnonzero(mark.whose == token[1]).tolist()])
        painter.resetTransform()

    def _paint_mark(self, painter: QPainter, number: int, lit: bool) -> None:
        assert self.drawing is not None
        mark = self.drawing.marks[number]
        match mark:
            case Dot():
                if drawable(mark.x, mark.y):
                    (self._paint_disc if _is_disc(mark) else self._paint_dot)(painter, mark, lit)
            case Curve():
                self._paint_curve(painter, mark)
            case Arrow():
                self._paint_arrow(painter, mark, lit)
            case Segments():
                self._paint_segments(painter, mark)
            case Band():
                self._paint_band(painter, mark)
            case Strips():
                self._paint_strips(painter, mark)
            case Arc():
                self._paint_arc(painter, mark)

    def _paint_curve(self, painter: QPainter, curve: Curve) -> None:
        seen = (np.abs(curve.x) < DRAWABLE) & (np.abs(curve.y) < DRAWABLE)
        x, y = self._pixels.xy(curve.x, curve.y)
        painter.setPen(self._pen(curve.ink, curve.width, curve.dashed))
        if seen.all():
            painter.drawPolyline(_polygon(x, y))
            return
        for part in _runs(seen):
            painter.drawPolyline(_polygon(x[part], y[part]))

    def _paint_segments(self, painter: QPainter, mark: Segments) -> None:
        ends = mark.ends[(np.abs(mark.ends) < DRAWABLE).all((1, 2))]
        if not len(ends):
            return
        x, y = self._pixels.xy(ends[..., 0], ends[..., 1])
        lines = [QLineF(*line) for line in np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], axis=-1).tolist()]
        if self._veiled and mark.dashed:
            # On a thin veil, so that it is seen on either end of the map.
            veil = QColor(self._bench.appearance.theme.page)
            veil.setAlpha(120)
            painter.setPen(QPen(veil, mark.width + 1.2, c=Qt.PenCapStyle.FlatCap))
            painter.drawLines(lines)
        painter.setPen(self._pen(mark.ink, mark.width, mark.dashed))
        painter.drawLines(lines)

    def _paint_band(self, painter: QPainter, band: Band) -> None:
        if not drawable(*band.place):
            return
        rect = self._pixels.rect(*band.place)
        if band.filled:
            color = QColor(line_ink(self._bench.appearance.theme, band.ink))
            color.setAlphaF(1.0 if band.ink == LINE else 0.15)
            painter.fillRect(rect, color)
            return
        pen = self._pen(band.ink, band.width)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)

    def _paint_strips(self, painter: QPainter, mark: Strips) -> None:
        theme, selection = self._bench.appearance.theme, self._bench.selection
        here = strip_of(mark, selection.token, selection.cell)
        height = abs(self._pixels.up)
        size = min(max(height * 0.28, 1.5), 8.0)
        for i, (mean, sigma) in enumerate(zip(mark.mean.tolist(), mark.sigma.tolist(), strict=True)):
            if drawable(mean, sigma):
                band = self._pixels.rect(mean - sigma, i + 0.14, 2 * sigma, 0.72)
                painter.fillRect(band, qcolor(theme.here_soft if i == here else theme.line))
        color = QColor(theme.series[0])
        color.setAlphaF(1.0 if mark.array.shape[1 - mark.axis] <= FEW_POINTS else 0.45)
        x, y = points_of(mark)
        across, up = self._pixels.xy(x, y)
        seen = np.abs(x) < DRAWABLE
        painter.setPen(QPen(color, size, c=Qt.PenCapStyle.RoundCap))
        painter.drawPoints(_polygon(across[seen], up[seen]))
        for i, mean in enumerate(mark.mean.tolist()):
            if drawable(mean):
                painter.setPen(self._pen(HERE if i == here else TEXT, 2))
                painter.drawLine(self._pixels.point(mean, i + 0.14), self._pixels.point(mean, i + 0.86))
        square = square_of(mark, selection.cell)
        if square is not None and seen[square] and square[mark.axis] == here:
            painter.setPen(self._pen(HERE, 2))
            painter.setBrush(qcolor(theme.here))
            painter.drawEllipse(QPointF(across[square], up[square]), size * 0.75, size * 0.75)

    def _paint_dot(self, painter: QPainter, dot: Dot, lit: bool) -> None:
        theme = self._bench.appearance.theme
        color = qcolor(line_ink(theme, HERE if lit else dot.ink))
        radius = self._px(RADIUS + 1.5 if lit else RADIUS)
        painter.setPen(QPen(color, 1.5))
        painter.setBrush(qcolor(theme.page) if dot.hollow else color)
        painter.drawEllipse(self._pixels.point(dot.x, dot.y), radius, radius)

    def _paint_small(self, painter: QPainter, dots: Sequence[Dot]) -> None:
        """Many dots: those of one look at once."""
        theme, kinds = self._bench.appearance.theme, dict[tuple[str, bool], list[tuple[float, float]]]()
        for dot in dots:
            if drawable(dot.x, dot.y):
                kinds.setdefault((dot.ink, dot.hollow), []).append((dot.x, dot.y))
        for (ink, hollow), places in kinds.items():
            x, y = np.array(places).T
            points = _polygon(*self._pixels.xy(x, y))
            rings = ((line_ink(theme, ink), 0.75), (theme.page, -0.75)) if hollow else ((line_ink(theme, ink), 0.75),)
            for color, more in rings:
                painter.setPen(QPen(qcolor(color), 2 * self._px(SMALL) + 2 * more, c=Qt.PenCapStyle.RoundCap))
                painter.drawPoints(points)

    def _paint_disc(self, painter: QPainter, dot: Dot, lit: bool) -> None:
        """A large dot with words in it and below it."""
        appearance = self._bench.appearance
        theme, ramp = appearance.theme, appearance.theme.sequential_ramp
        middle, radius = self._pixels.point(dot.x, dot.y), self._px(DISC)
        # A pale ring keeps it apart from what is behind.
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(qcolor(theme.page), 6))
        painter.drawEllipse(middle, radius, radius)
        ring = theme.here if lit else theme.error if dot.wrong else theme.text
        ground, ink = qcolor(theme.surface), qcolor(theme.text)
        if dot.share is not None:
            colour = int(ramp.index(np.array(dot.share), 0.0, 1.0))
            ground, ink = ramp.colors[colour], ramp.text[colour]
        painter.setPen(QPen(qcolor(ring), 3 if lit or dot.wrong else 1.8))
        painter.setBrush(ground)
        painter.drawEllipse(middle, radius, radius)
        bold = QFont(appearance.fonts.ui)
        bold.setBold(True)
        painter.setFont(bold)
        painter.setPen(ink)
        box = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, dot.inside)

    def _paint_arrow(self, painter: QPainter, arrow: Arrow, lit: bool) -> None:
        if not drawable(*arrow.start, *arrow.tip):
            return
        color = qcolor(line_ink(self._bench.appearance.theme, HERE if lit else arrow.ink))
        style = Qt.PenStyle.DashLine if arrow.dashed else Qt.PenStyle.SolidLine
        draw_arrow(
            painter,
            self._pixels.point(*arrow.start),
            self._pixels.point(*arrow.tip),
            color,
            arrow.width,
            9 if 0 < arrow.width <= THICK else 11,
            style if arrow.width else Qt.PenStyle.NoPen,
        )

    def _paint_arc(self, painter: QPainter, arc: Arc) -> None:
        origin, reach = self._pixels.point(0, 0), self._px(ARC)
        painter.setPen(self._pen(arc.ink, 1.5))
        box = QRectF(origin.x() - reach, origin.y() - reach, 2 * reach, 2 * reach)
        painter.drawArc(box, round(16 * arc.start), round(16 * arc.turn))

    def _paint_rows(self, painter: QPainter) -> None:
        """A frame around the rows and columns of the word that is lit."""
        token = self._bench.selection.token
        token = self._bench.selection.token
        theme = self._bench.appearance.theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        axis, place = token or ("", 0)
        for image in self._grids if axis else ():
            if not isinstance(image, Image):
                continue
            rows, columns = shape_of(image)
            if image.across == axis and place < columns:
                painter.setPen(QPen(qcolor(theme.here_line), 1.2, j=Qt.PenJoinStyle.MiterJoin))
                painter.drawRect(self.square(image, 0, place, rows, 1))
            if image.token == axis and place < rows:
                painter.setPen(QPen(qcolor(theme.here), 2, j=Qt.PenJoinStyle.MiterJoin))
                painter.drawRect(self.square(image, place, 0, 1, columns))

    def _paint_squares(self, painter: QPainter, bounds: QRectF) -> None:
        """A frame around the square that is pointed at, lines that lead to a small one, a frame around the own part."""
        theme, cell = self._bench.appearance.theme, self._bench.selection.cell
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for image in self._grids:
            if not isinstance(image, Image):
                continue
            rows, columns = shape_of(image)
            if rows * columns < image.array.size:
                painter.setPen(QPen(qcolor(theme.text), 2, j=Qt.PenJoinStyle.MiterJoin))
                own = self.square(image, 0, 0, rows, columns)
                painter.drawRect(own.adjusted(1, 1, -1, -1))
            here = square_of(image, cell)
            if here is None:
                continue
            rect = self.square(image, *here)
            if min(rect.width(), rect.height()) < FEW_PIXELS:
                whole, middle = self._pixels.rect(*image.place) & bounds, rect.center()
                painter.setPen(QPen(qcolor(theme.here_line), 1))
                painter.drawLine(QPointF(whole.left(), middle.y()), QPointF(whole.right(), middle.y()))
                painter.drawLine(QPointF(middle.x(), whole.top()), QPointF(middle.x(), whole.bottom()))
            painter.setPen(QPen(qcolor(theme.here), 2, j=Qt.PenJoinStyle.MiterJoin))
            painter.drawRect(rect)

    def square(self, image: Image, row: int, column: int, rows: int = 1, columns: int = 1) -> QRectF:
        """Where a square of an image, or a part of it, is, in pixels."""
        left, bottom, width, height = image.place
        across, down = width / image.array.shape[1], height / image.array.shape[0]
        return self._pixels.rect(left + column * across, bottom + row * down, columns * across, rows * down)

    # Words

    def _paint_labels(self, painter: QPainter, labels: Sequence[_Label]) -> None:
        theme = self._bench.appearance.theme
        painter.setFont(self._font())
        ground = QColor(theme.page)
        ground.setAlphaF(1.0 if self._veiled else 0.7)  # a line may run behind the words
        marks = self.drawing.marks if self.drawing is not None else ()
        # What is lit lies above the others, and is written whatever is in the way.
        for label in sorted(labels, key=lambda label: not self.lit.isdisjoint(label.members)):
            lit = [i for i in label.members if i in self.lit]
            if not label.wanted and not lit:
                continue
            text, rect = label.text, label.rect
            if lit and len(label.members) > MOST_AT_ONE and lit[0] not in label.members[:MOST_AT_ONE]:
                text = _named(marks, (lit[0], *(i for i in label.members if i != lit[0])))
                middle, width = rect.center(), painter.fontMetrics().horizontalAdvance(text)
                rect = QRectF(middle.x() - width / 2, rect.top(), width, rect.height())
            if self._veiled:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(ground)
                painter.drawRoundedRect(rect.adjusted(-3, 0, 3, 0), 3, 3)
            else:
                painter.fillRect(rect, ground)
            painter.setPen(qcolor(theme.here_text if lit else word_ink(theme, label.ink)))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)

    def _font(self) -> QFont:
        fonts, drawing = self._bench.appearance.fonts, self.drawing
        thick = drawing is not None and any(isinstance(m, Arrow) and m.width > THICK for m in drawing.marks)
        return fonts.ui if thick else fonts.small

    def _words(self, drawing: Drawing, bounds: QRectF, many: bool) -> list[_Label]:
        """All words in their places. They stay where they are when another mark is lit."""
        view = self._pixels.key, bounds.width(), bounds.height()
        if self._laid_for is not drawing or self._laid_in != view:
            self._laid_for, self._laid_in = drawing, view
            self._laid = list(self._lay_out(drawing, bounds, many))
        return self._laid

    def _lay_out(self, drawing: Drawing, bounds: QRectF, many: bool) -> Iterator[_Label]:
        marks = list(enumerate(drawing.marks))
        metrics = QFontMetrics(self._font())
        room = self._room(drawing, bounds, many)
        curves = [m for _, m in marks if isinstance(m, Curve) and m.name and drawable(m.x[-1], m.y[-1])]
        # From below: a name whose place is taken goes above, as its curve does.
        for curve in sorted(curves, key=lambda curve: float(curve.y[-1])):
            yield self._at_end(curve, room, metrics)
        for i, mark in marks:
            match mark:
                case Arc() if mark.text:
                    yield self._of_arc(mark, room, metrics)
                case Dot() if mark.below and drawable(mark.x, mark.y):
                    yield self._below(i, mark, room, metrics)
                case Words() if mark.text and drawable(mark.x, mark.y) and not drawing.zoom:
                    yield self._of_words(mark, room, metrics)
        named = [(i, m) for i, m in marks if isinstance(m, Arrow) and m.name and drawable(*m.start, *m.tip)]
        for i, arrow in named[:MANY]:
            yield self._at_tip(i, arrow, room, metrics)
        yield from self._beside_dots(drawing, room, metrics, many)

    def _room(self, drawing: Drawing, bounds: QRectF, many: bool) -> Room:
        """The picture without its dots; words keep clear of curves and arrows where they can."""
        dots = [m for m in drawing.marks if isinstance(m, Dot) and drawable(m.x, m.y)]
        heads = [m.tip for m in drawing.marks if isinstance(m, Arrow) and drawable(*m.tip)]
        places = np.array([*((m.x, m.y) for m in dots), *heads], dtype=float).reshape(-1, 2)
        x, y = self._pixels.xy(places[:, 0], places[:, 1])
        lines = [np.zeros((0, 2))]
        for mark in drawing.marks:
            if isinstance(mark, Curve):
                across, up = self._pixels.xy(mark.x, mark.y)
                lines.append(np.stack([across, up], axis=-1)[np.isfinite(across) & np.isfinite(up)])
            elif isinstance(mark, Arrow) and mark.width and drawable(*mark.start, *mark.tip):
                lines.append(_along(self._pixels.point(*mark.start), self._pixels.point(*mark.tip)))
            elif isinstance(mark, Segments) and len(mark.ends) <= FEW_LINES:  # else they are a grid
                for start, end in mark.ends.tolist():
                    if drawable(*start, *end):
                        lines.append(_along(self._pixels.point(*start), self._pixels.point(*end)))
        radius = DISC if any(map(_is_disc, dots)) else SMALL if many else RADIUS
        return Room(bounds, np.stack([x, y], axis=-1), self._px(radius), np.vstack(lines))

    def _at_end(self, curve: Curve, room: Room, metrics: QFontMetrics) -> _Label:
        end = self._pixels.point(float(curve.x[-1]), float(curve.y[-1]))
        width, height = metrics.horizontalAdvance(curve.name), metrics.height()
        first = room.within(QRectF(end.x() + 6, end.y() - height / 2, width, height))
        # Above it until nothing is in the way; where the axes end, below it.
        rect = next((place for place in stacked(first, 20) if room.find([place]) is not None), first)
        return _Label(curve.name, rect, curve.ink)

    def _of_arc(self, arc: Arc, room: Room, metrics: QFontMetrics) -> _Label:
        # Between narrow directions there is no room for the words: they stand on the other side.
        narrow = abs(arc.turn) < NARROW
        middle = radians(arc.start + arc.turn / 2 + 180 * narrow)
        way = QPointF(cos(middle), -sin(middle))
        at = self._pixels.point(0, 0) + way * (0 if narrow else self._px(ARC))
        width, height = metrics.horizontalAdvance(arc.text), metrics.height()
        rect = along(at, way, width, height, self._px(BESIDE))
        room.take(rect)
        return _Label(arc.text, rect, arc.ink)

    def _below(self, i: int, dot: Dot, room: Room, metrics: QFontMetrics) -> _Label:
        text = f"{dot.below} ✗" if dot.wrong else dot.below
        middle, width = self._pixels.point(dot.x, dot.y), metrics.horizontalAdvance(text) + 2
        radius = self._px(DISC if _is_disc(dot) else RADIUS)
        rect = QRectF(middle.x() - width / 2, middle.y() + radius + 4, width, metrics.height())
        room.take(rect)
        return _Label(text, rect, "error" if dot.wrong else TEXT)

    def _of_words(self, words: Words, room: Room, metrics: QFontMetrics) -> _Label:
        at, width, height = (
            self._pixels.point(words.x, words.y),
            metrics.horizontalAdvance(words.text),
            metrics.height(),
        )
        rect = QRectF(at.x() - width / 2, at.y() - height / 2, width, height)
        if words.fixed:
            room.take(rect)
        else:
            wanted = [rect, *around(at, width, height, self._px(BESIDE)), *stacked(rect, 4)]
            rect = room.find(wanted) or room.within(rect)
        return _Label(words.text, rect, words.ink)

    def _at_tip(self, i: int, arrow: Arrow, room: Room, metrics: QFontMetrics) -> _Label:
        start, tip = self._pixels.point(*arrow.start), self._pixels.point(*arrow.tip)
        width, height, gap = metrics.horizontalAdvance(arrow.name), metrics.height(), self._px(BESIDE)
        way = _of_length(tip - start, 1.0) or QPointF(1, 0)
        ahead = along(tip, way, width, height, gap)
        right, left, *others = around(tip, width, height, gap)
        beside = [right, left] if way.x() >= 0 else [left, right]
        wanted = [ahead, *beside, *others]
        if not arrow.width:  # it lies on another arrow: beside that
            normal = QPointF(-way.y(), way.x())
            wanted = [along(tip, side, width, height, gap) for side in (normal, -normal)] + others
        rect = room.find(wanted) or room.find(stacked(beside[0], 4))
        ink = TEXT if arrow.ink == MUTED else arrow.ink
        return _Label(arrow.name, rect or beside[0], ink, (i,), rect is not None)

    def _beside_dots(self, drawing: Drawing, room: Room, metrics: QFontMetrics, many: bool) -> Iterator[_Label]:
        dots = [(i, m) for i, m in enumerate(drawing.marks) if isinstance(m, Dot) and m.name and drawable(m.x, m.y)]
        dots = dots[:MANY]
        radius = self._px(SMALL if many else RADIUS)
        spots = [self._pixels.point(dot.x, dot.y) for _, dot in dots]
        left = MOST_NAMES
        for group in together(spots, 2 * radius):
            members = tuple(dots[k][0] for k in group)
            text = _named(drawing.marks, members)
            wanted = around(spots[group[-1]], metrics.horizontalAdvance(text), metrics.height(), radius + 3)
            rect = room.find(wanted) if left else None
            left -= rect is not None
            yield _Label(text, rect or room.within(wanted[2]), TEXT, members, rect is not None)


def _is_disc(dot: Dot) -> bool:
    """Whether it is large, with words in it or below it."""
    return bool(dot.inside or dot.below)


def _named(marks: Sequence[Mark], members: Sequence[int]) -> str:
    """The names of dots that lie on each other."""
    names = list(dict.fromkeys(mark.name for mark in (marks[i] for i in members) if isinstance(mark, Dot)))
    more = f" +{len(names) - MOST_AT_ONE}" if len(names) > MOST_AT_ONE else ""
    return ", ".join(names[:MOST_AT_ONE]) + more


def _polygon(x: Array, y: Array) -> QPolygonF:
    polygon: QPolygonF = pg.functions.arrayToQPolygonF(x, y)
    return polygon


def _runs(seen: Array) -> Iterator[slice]:
    """The parts of a line between numbers that cannot be drawn."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], seen, [False])).astype(np.int8)))
    return (slice(start, end) for start, end in edges.reshape(-1, 2).tolist())


def _along(a: QPointF, b: QPointF) -> Array:
    """Points along a line, (n, 2)."""
    n = min(int(hypot(b.x() - a.x(), b.y() - a.y()) / STEP) + 2, 400)
    return np.linspace((a.x(), a.y()), (b.x(), b.y()), n)


def _of_length(way: QPointF, length: float) -> QPointF:
    """The same way, so many pixels long."""
    now = hypot(way.x(), way.y())
    return way * (length / now) if now else QPointF(0, 0)
