"""Paints all marks of a drawing except its images, in one graphics item and in pixels."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QRegion, QTransform

from explorer.core.ops import Array
from explorer.pages import drawing as draw
from explorer.pages.pointing import Found, points_of, shape_of, square_of, strip_of
from explorer.ui.drawing.blocks import Blocks
from explorer.ui.drawing.images import Images
from explorer.ui.drawing.names import ARC, DISC, MANY, MOST_AT_ONE, RADIUS, SMALL, THICK, Label, Names, is_disc, named
from explorer.ui.drawing.plot import PixelItem
from explorer.ui.drawing.side import Side
from explorer.ui.drawing.strokes import (
    Pixels,
    Sight,
    changed,
    draw_arrow,
    frame,
    line_ink,
    paint_discs,
    paint_square,
    word_ink,
)
from explorer.ui.theme import qcolor
from explorer.ui.workbench import Workbench

FEW_POINTS = 16
"""The points of a strip with more points than this are transparent, so that overlapping ones show."""
THIN = 0.45
"""The opacity of each such point."""
FAINT = 0.16
"""The opacity of a mark that is not computed yet (`faint` = 1)."""


class Marks(PixelItem):
    """Paints the marks of a drawing.

    `sides`: the grid lines go through their round numbers.
    """

    def __init__(self, bench: Workbench, drawing: draw.Drawing, sides: tuple[Side, Side]) -> None:
        super().__init__()
        self._bench = bench
        self._sides = sides
        self.drawing = drawing
        self.lit: frozenset[int] = frozenset()
        self.found = Found(drawing)
        self._lines: dict[int, tuple[Array, list[QLineF]]] = {}
        """The lines of marks, by number, with the ends that they were made of."""
        self._sight: Sight | None = None
        self._shown: object = None
        self.names = Names(bench)
        self._pixels = Pixels(QTransform())
        self._veiled = False
        self.blocks, self.images = Blocks(bench), Images(bench)
        self.under: int | None = None
        """The number of the box under the mouse."""
        self.here: int | None = None
        """The number of the box that has the focus, or gets it when the drawing is focused."""
        self._focused = False
        self.exposed: list[QRect] = []
        """The rectangles of the widget to repaint, in pixels."""

    def changed(self, drawing: draw.Drawing) -> QRegion | None:
        """The region in which another drawing would look different, in pixels as last painted; None: any part may."""
        return changed(self.drawing, drawing, self._pixels)

    def tell(self, drawing: draw.Drawing, all_: bool = True) -> None:
        """Take another drawing, and repaint all of it; without `all_` the caller repaints what differs."""
        before, self.drawing = self.drawing, drawing
        self.under, self.here = (_same_box(number, before, drawing) for number in (self.under, self.here))
        self.found = Found(drawing)
        self._lines = {number: lines for number, lines in self._lines.items() if number < len(drawing.marks)}
        self._veiled = not drawing.zoom and any(isinstance(mark, draw.Image) for mark in drawing.marks)
        self.images.tell(drawing)
        self.follow()
        if all_:
            self.update()

    def follow(self) -> None:
        """Light the marks of the cell or word that is pointed at now."""
        selection = self._bench.selection
        lit = self.found.lit(selection.cell, selection.token)
        squares = [square_of(one, selection.cell) for one in self.drawing.grids]
        strips = [strip_of(one, selection.token, None) for one in self.drawing.grids if isinstance(one, draw.Strips)]
        rows = selection.token if self.drawing.zoom else None
        now = lit, squares, strips, rows
        if now != self._shown:
            self.lit, self._shown = lit, now
            self.update()

    def boundingRect(self) -> QRectF:
        box = self.getViewBox()
        # Not pyqtgraph's range of the view, which is still the old one after a resize.
        return QRectF() if box is None else self.mapRectFromItem(box, box.rect())

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()

    # Painting

    def paint_in(self, painter: QPainter, to_pixels: QTransform) -> None:
        drawing = self.drawing
        self._pixels = Pixels(to_pixels)
        bounds = to_pixels.mapRect(self.boundingRect())
        widget = self.getViewWidget()
        self._focused = widget is not None and widget.hasFocus()
        for axis, side in zip((drawing.x, drawing.y), self._sides, strict=True):
            if axis.grid and (lines := side.grid_lines(to_pixels, bounds)):
                painter.setPen(self._pen(draw.LINE, 1))
                painter.drawLines(lines)
        marks = drawing.marks
        many = sum(isinstance(mark, draw.Dot) for mark in marks) > MANY
        small = (
            {i for i, mark in enumerate(marks) if isinstance(mark, draw.Dot) and not is_disc(mark)} if many else set()
        )
        self.blocks.begin(abs(self._pixels.across) if drawing.zoom else 1.0)
        self.images.agree(self._pixels)
        self.blocks.exposed = [QRectF(rect) for rect in self.exposed]
        for i in self._seen(drawing, bounds):
            if drawing.zoom or (i not in self.lit and i not in small):
                self._paint_mark(painter, i, i in self.lit)
        few = () if drawing.zoom else sorted(small - self.lit)
        self._paint_small(painter, [mark for i in few if isinstance(mark := marks[i], draw.Dot)])
        for i in () if drawing.zoom else sorted(self.lit):
            self._paint_mark(painter, i, True)
        painter.setOpacity(1.0)
        self._paint_rows(painter)
        self._paint_squares(painter, bounds)
        if not drawing.zoom:  # with zoom all words have fixed places
            self._paint_labels(painter, self.names.all(drawing, self._pixels, bounds, many))

    def _seen(self, drawing: draw.Drawing, bounds: QRectF) -> Sequence[int]:
        """The numbers of the visible marks; those of all marks without zoom, or if the whole drawing is visible."""
        left, right, top, bottom = drawing.window
        whole = self._pixels.rect(left, top, right - left, bottom - top)
        parts = [bounds & QRectF(rect) for rect in self.exposed] or [bounds]
        if not drawing.zoom or any(part.contains(whole) for part in parts):
            return range(len(drawing.marks))
        if self._sight is None or self._sight.marks is not drawing.marks:
            self._sight = Sight(drawing, self._sight)
        # Exposed parts may be far apart, and marks between them are not painted.
        return self._sight.numbers(self._pixels, parts)

    def _px(self, pixels: float) -> float:
        return pixels * self._bench.appearance.scale

    def _pen(self, ink: str, width: float, dashed: bool = False) -> QPen:
        pen = QPen(qcolor(line_ink(self._bench.appearance.theme, ink)), width)
        if dashed:
            pen.setStyle(Qt.PenStyle.DashLine)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        return pen

    def _paint_mark(self, painter: QPainter, number: int, lit: bool) -> None:
        """Paint a mark; in a drawing with zoom also words and images, whose colours else an item of its own paints."""
        mark, pixels, blocks, zoom = self.drawing.marks[number], self._pixels, self.blocks, self.drawing.zoom
        painter.setOpacity(1.0 + mark.faint * (FAINT - 1.0))
        match mark:
            case draw.Box():
                here = number == self.here and self._focused
                blocks.box(painter, mark, pixels.rect(*mark.place), number == self.under, here)
            case draw.FlowLine():
                blocks.way(painter, mark, [pixels.point(*point) for point in mark.points])
            case draw.Words() if zoom:
                blocks.words(painter, mark, pixels.point(mark.x, mark.y), lit)
            case draw.Image() if zoom:
                if mark.array.size:
                    self.images.paint(painter, number, mark, pixels.rect(*mark.place))
            case draw.Image():
                if self.drawing.down:
                    self.images.signs(painter, mark, pixels.rect(*mark.place))
            case draw.Bars():
                blocks.bars(painter, mark, pixels.rect(*mark.place), self._bench.selection.cell)
            case draw.Dot() if zoom:
                blocks.disc(painter, mark, pixels.point(mark.x, mark.y), lit)
            case draw.Dot():
                if draw.drawable(mark.x, mark.y):
                    (self._paint_disc if is_disc(mark) else self._paint_dot)(painter, mark, lit)
            case draw.Curve():
                self._paint_curve(painter, mark)
            case draw.Arrow():
                self._paint_arrow(painter, mark, lit)
            case draw.Segments() if zoom:
                self._paint_lines(painter, number, mark)
            case draw.Segments():
                self._paint_segments(painter, mark)
            case draw.Band():
                self._paint_band(painter, mark)
            case draw.Strips():
                self._paint_strips(painter, mark)
            case draw.Arc():
                self._paint_arc(painter, mark)

    def _paint_lines(self, painter: QPainter, number: int, mark: draw.Segments) -> None:
        """Paint lines of a drawing with zoom; the `QLineF` are made once, and Qt transforms them to pixels."""
        ends, lines = self._lines.get(number, (None, []))
        if ends is not mark.ends:
            lines = [QLineF(*line) for line in mark.ends.reshape(-1, 4).tolist()]
            self._lines[number] = mark.ends, lines
        pixels = self._pixels
        painter.setTransform(QTransform(pixels.across, 0.0, 0.0, pixels.up, pixels.left, pixels.top))
        pen = self._pen(mark.ink, mark.width, mark.dashed)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawLines(lines)
        token = self._bench.selection.token
        if mark.whose is not None and token is not None and token[0] == mark.token:
            pen = self._pen(draw.HERE, mark.width + 0.8)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawLines([lines[i] for i in np.flatnonzero(mark.whose == token[1]).tolist()])
        painter.resetTransform()

    def _paint_curve(self, painter: QPainter, curve: draw.Curve) -> None:
        seen = (np.abs(curve.x) < draw.DRAWABLE) & (np.abs(curve.y) < draw.DRAWABLE)
        x, y = self._pixels.xy(curve.x, curve.y)
        painter.setPen(self._pen(curve.ink, curve.width, curve.dashed))
        if seen.all():
            painter.drawPolyline(_polygon(x, y))
            return
        for part in _runs(seen):
            painter.drawPolyline(_polygon(x[part], y[part]))

    def _paint_segments(self, painter: QPainter, mark: draw.Segments) -> None:
        ends = mark.ends[(np.abs(mark.ends) < draw.DRAWABLE).all((1, 2))]
        if not len(ends):
            return
        x, y = self._pixels.xy(ends[..., 0], ends[..., 1])
        lines = [QLineF(*line) for line in np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], axis=-1).tolist()]
        if self._veiled and mark.dashed:
            # On a thin pale line, so that it is visible on both ends of the colour map.
            veil = qcolor(self._bench.appearance.theme.page, 0.47)
            painter.setPen(QPen(veil, mark.width + 1.2, c=Qt.PenCapStyle.FlatCap))
            painter.drawLines(lines)
        painter.setPen(self._pen(mark.ink, mark.width, mark.dashed))
        painter.drawLines(lines)

    def _paint_band(self, painter: QPainter, band: draw.Band) -> None:
        if not draw.drawable(*band.place):
            return
        rect = self._pixels.rect(*band.place)
        if band.filled:
            painter.fillRect(rect, qcolor(line_ink(self._bench.appearance.theme, band.ink)))
            return
        pen = self._pen(band.ink, band.width)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)

    def _paint_strips(self, painter: QPainter, mark: draw.Strips) -> None:
        theme, selection = self._bench.appearance.theme, self._bench.selection
        here = strip_of(mark, selection.token, selection.cell)
        height = abs(self._pixels.up)
        size = min(max(height * 0.28, 1.5), 8.0)
        for i, (mean, sigma) in enumerate(zip(mark.mean.tolist(), mark.sigma.tolist(), strict=True)):
            if draw.drawable(mean, sigma):
                band = self._pixels.rect(mean - sigma, i + 0.14, 2 * sigma, 0.72)
                painter.fillRect(band, qcolor(theme.here_soft if i == here else theme.line))
        color = QColor(theme.series[0])
        x, y = points_of(mark)
        across, up = self._pixels.xy(x, y)
        seen = np.abs(x) < draw.DRAWABLE
        if mark.array.shape[1 - mark.axis] <= FEW_POINTS:
            painter.setPen(QPen(color, size, c=Qt.PenCapStyle.RoundCap))
            painter.drawPoints(_polygon(across[seen], up[seen]))
        else:
            color.setAlphaF(THIN)
            for strip, height, there in zip(
                *(np.moveaxis(one, mark.axis, 0) for one in (across, up, seen)), strict=True
            ):
                if there.any():
                    paint_discs(painter, strip[there], height[0], size, color)
        for i, mean in enumerate(mark.mean.tolist()):
            if draw.drawable(mean):
                painter.setPen(self._pen(draw.HERE if i == here else draw.TEXT, 2))
                painter.drawLine(self._pixels.point(mean, i + 0.14), self._pixels.point(mean, i + 0.86))
        square = square_of(mark, selection.cell)
        if square is not None and seen[square] and square[mark.axis] == here:
            painter.setPen(self._pen(draw.HERE, 2))
            painter.setBrush(qcolor(theme.here))
            painter.drawEllipse(QPointF(across[square], up[square]), size * 0.75, size * 0.75)

    def _paint_dot(self, painter: QPainter, dot: draw.Dot, lit: bool) -> None:
        theme = self._bench.appearance.theme
        color = qcolor(line_ink(theme, draw.HERE if lit else dot.ink))
        radius = self._px(RADIUS + 1.5 if lit else RADIUS)
        painter.setPen(QPen(color, 1.5))
        painter.setBrush(qcolor(theme.page) if dot.hollow else color)
        painter.drawEllipse(self._pixels.point(dot.x, dot.y), radius, radius)

    def _paint_small(self, painter: QPainter, dots: Sequence[draw.Dot]) -> None:
        """Paint many small dots, all dots of one look together."""
        theme, kinds = self._bench.appearance.theme, dict[tuple[str, bool], list[tuple[float, float]]]()
        for dot in dots:
            if draw.drawable(dot.x, dot.y):
                kinds.setdefault((dot.ink, dot.hollow), []).append((dot.x, dot.y))
        for (ink, hollow), places in kinds.items():
            x, y = np.array(places).T
            points = _polygon(*self._pixels.xy(x, y))
            rings = ((line_ink(theme, ink), 0.75), (theme.page, -0.75)) if hollow else ((line_ink(theme, ink), 0.75),)
            for color, more in rings:
                painter.setPen(QPen(qcolor(color), 2 * self._px(SMALL) + 2 * more, c=Qt.PenCapStyle.RoundCap))
                painter.drawPoints(points)

    def _paint_disc(self, painter: QPainter, dot: draw.Dot, lit: bool) -> None:
        """Paint a large dot with the words in it."""
        appearance = self._bench.appearance
        theme = appearance.theme
        middle, radius = self._pixels.point(dot.x, dot.y), self._px(DISC)
        # A pale ring separates the disc from the marks behind it.
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(qcolor(theme.page), 6))
        painter.drawEllipse(middle, radius, radius)
        ring = theme.here if lit else theme.error if dot.wrong else theme.text
        ground, ink = qcolor(theme.surface), qcolor(theme.text)
        if dot.share is not None:
            ground, ink = theme.sequential_ramp.shade(dot.share)
        painter.setPen(QPen(qcolor(ring), 3 if lit or dot.wrong else 1.8))
        painter.setBrush(ground)
        painter.drawEllipse(middle, radius, radius)
        painter.setFont(appearance.fonts.bold.ui)
        painter.setPen(ink)
        box = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, dot.inside)

    def _paint_arrow(self, painter: QPainter, arrow: draw.Arrow, lit: bool) -> None:
        if not draw.drawable(*arrow.start, *arrow.tip):
            return
        color = qcolor(line_ink(self._bench.appearance.theme, draw.HERE if lit else arrow.ink))
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

    def _paint_arc(self, painter: QPainter, arc: draw.Arc) -> None:
        origin, reach = self._pixels.point(0, 0), self._px(ARC)
        painter.setPen(self._pen(arc.ink, 1.5))
        box = QRectF(origin.x() - reach, origin.y() - reach, 2 * reach, 2 * reach)
        painter.drawArc(box, round(16 * arc.start), round(16 * arc.turn))

    def _paint_rows(self, painter: QPainter) -> None:
        """Paint a frame around the rows and columns of the lit word."""
        token = self._bench.selection.token
        theme = self._bench.appearance.theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        axis, place = token or ("", 0)
        for image in self._images() if axis else ():
            rows, columns = shape_of(image)
            if image.across == axis and place < columns:
                frame(painter, self.square(image, 0, place, rows, 1), theme.here_line, 1.2)
            if image.token == axis and place < rows:
                frame(painter, self.square(image, place, 0, 1, columns), theme.here)

    def _paint_squares(self, painter: QPainter, bounds: QRectF) -> None:
        """Frame the square pointed at (with lines to a small one), and the part of an image that is the node's own."""
        theme, cell = self._bench.appearance.theme, self._bench.selection.cell
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for image in self._images():
            rows, columns = shape_of(image)
            if rows * columns < image.array.size:
                frame(painter, self.square(image, 0, 0, rows, columns).adjusted(1, 1, -1, -1), theme.text)
            here = square_of(image, cell)
            if here is not None:
                paint_square(painter, theme, self.square(image, *here), self._pixels.rect(*image.place) & bounds)

    def _images(self) -> list[draw.Image]:
        return [one for one in self.drawing.grids if isinstance(one, draw.Image)]

    def square(self, image: draw.Image, row: int, column: int, rows: int = 1, columns: int = 1) -> QRectF:
        """The rectangle of a square of an image, or of a block of squares, in pixels."""
        left, bottom, width, height = image.place
        across, down = width / image.array.shape[1], height / image.array.shape[0]
        return self._pixels.rect(left + column * across, bottom + row * down, columns * across, rows * down)

    # Words

    def _paint_labels(self, painter: QPainter, labels: Sequence[Label]) -> None:
        theme = self._bench.appearance.theme
        painter.setFont(self.names.font(self.drawing))
        ground = qcolor(theme.page, 1.0 if self._veiled else 0.7)  # a line may run behind the words
        marks = self.drawing.marks
        # Lit words are painted last, on top of the others, and even where there is no room.
        for label in sorted(labels, key=lambda label: not self.lit.isdisjoint(label.members)):
            lit = [i for i in label.members if i in self.lit]
            if not label.wanted and not lit:
                continue
            text, rect = label.text, label.rect
            if lit and len(label.members) > MOST_AT_ONE and lit[0] not in label.members[:MOST_AT_ONE]:
                text = named(marks, (lit[0], *(i for i in label.members if i != lit[0])))
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


def _same_box(number: int | None, before: draw.Drawing, after: draw.Drawing) -> int | None:
    """The number of a box in another drawing: of the one with its name, else of one with its number; or None."""
    if number is None:
        return None
    box, there = before.marks[number], after.marks[number] if number < len(after.marks) else None
    assert isinstance(box, draw.Box)
    if isinstance(there, draw.Box) and there.name == box.name:
        return number
    found = (i for i, mark in enumerate(after.marks) if isinstance(mark, draw.Box) and mark.name == box.name)
    return next(found, number if isinstance(there, draw.Box) else None)


def _polygon(x: Array, y: Array) -> QPolygonF:
    if not len(x):  # without points, pyqtgraph would write outside of the array's memory
        return QPolygonF()
    polygon: QPolygonF = pg.functions.arrayToQPolygonF(x, y)
    return polygon


def _runs(seen: Array) -> Iterator[slice]:
    """The slices of consecutive points that can be drawn."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], seen, [False])).astype(np.int8)))
    return (slice(start, end) for start, end in edges.reshape(-1, 2).tolist())
