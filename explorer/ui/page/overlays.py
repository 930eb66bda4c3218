"""What lies over a page: a veil over all that is not lit, flashes of changed cells, the motion from page to page."""

from collections.abc import Callable, Collection, Container, Iterator, Sequence

import numpy as np
import shiboken6
from PySide6.QtCore import (
    QEvent,
    QObject,
    QPoint,
    QRect,
    QRectF,
    Qt,
    QTimer,
    QVariantAnimation,
)
from PySide6.QtGui import (
    QColor,
    QCursor,
    QHoverEvent,
    QImage,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QRegion,
    QShowEvent,
    QWindow,
)
from PySide6.QtWidgets import QApplication, QWidget

from explorer.core.numbers import SQUARES
from explorer.core.ops import Array
from explorer.pages.drawing import Rect
from explorer.pages.matrix import Part, strengths
from explorer.pages.steps.of_step import Lit
from explorer.pages.tween import Arises, Flow, Mark, Scene, Stands, arises, arising, eased, flows, staying, tween
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.theme import qcolor
from explorer.ui.turns import HANDS
from explorer.ui.workbench import Workbench

DARK, PICTURES, HEADS, DIM = 0.8, 0.86, 0.75, 0.35
"""The opacity of the page's background colour over elements that are not lit, which keep a fifth of their ink; over
pictures, whose areas draw the eye more than words do; over the head of the page and headings, which would outshine a
few numbers; and over elements beside the named ones, whose numbers keep a contrast of 4.5 to the background."""
BESIDE, ABOVE = 3, 8
"""Pixels at text scale 1 that are lit beside and above a lit element."""


class Overlay(QWidget):
    """Lies over a widget, and lets mouse and keys through.

    A flash and a motion are never hidden, because Qt asks for a new layout whenever a widget on a page is shown or
    hidden.
    """

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


class Veil(Overlay):
    """Covers what is not lit on a page. The elements under the pointer or with focus are lit, too.

    Places are looked up while painting: when a widget on the page moves, Qt repaints the veil there.
    """

    def __init__(self, elements: Elements) -> None:
        super().__init__(elements)
        self._elements = elements
        self._lit = Lit()
        self._under = ""
        self._rests: QPoint | None = None
        """Where on the screen the pointer rests since the light came: Qt tells a new page of it as if it had moved."""
        self.hide()
        elements.setAttribute(Qt.WidgetAttribute.WA_Hover)
        elements.installEventFilter(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow_keys)

    def let_through(self, lit: Lit) -> None:
        """Light some elements; an empty light shows all of them."""
        if lit != self._lit:  # the pointer lights an element only after it has moved, since the page may have changed
            self._forget_pointer()
        self._lit = lit
        self.setGeometry(self._elements.rect())
        self.setVisible(bool(lit))
        if lit:
            self.raise_()
            self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.Resize:
                self.setGeometry(self._elements.rect())
            case QEvent.Type.ChildAdded if self._lit:
                self.raise_()
            case QEvent.Type.HoverMove | QEvent.Type.HoverEnter if isinstance(event, QHoverEvent) and self._lit:
                at = event.position().toPoint()
                if self._elements.mapToGlobal(at) != self._rests:
                    self._rests = None
                    there = (id for id, place in self._places(self._elements.widgets) if place.contains(at))
                    self._point(next(there, ""))
            case QEvent.Type.HoverLeave:
                self._point("")
        return False

    def showEvent(self, event: QShowEvent) -> None:
        self._forget_pointer()
        super().showEvent(event)

    def _forget_pointer(self) -> None:
        self._under, self._rests = "", QCursor.pos()

    def _point(self, id: str) -> None:
        if id != self._under:
            self._under = id
            self.update()

    def _follow_keys(self, *_: object) -> None:
        if self.isVisible():
            self.update()

    def lit(self) -> QRegion:
        """The region of the page that is lit now."""
        return self._region({*self._lit.named, self._under})

    def _region(self, wanted: Container[str]) -> QRegion:
        """The region of some elements, and of the element with the focus."""
        beside, above = map(self._elements.bench.appearance.px, (BESIDE, ABOVE))
        focus = QApplication.focusWidget()
        region, last, before = QRegion(), QRect(), False
        near, dark, signs = QRegion(), list[QRect](), QRegion()
        for id, place in self._places(self._elements.widgets):
            widget = self._elements.widgets[id]
            lit = id in wanted or (focus is not None and (widget is focus or widget.isAncestorOf(focus)))
            if lit:
                parts = [place]
                if before:  # the sign between two lit elements of one line; what stands above or below it is not lit
                    lines = [QRect(0, one.top(), self.width(), one.height()) for one in (place, last)]
                    parts.append(place.united(last) & (lines[0] & lines[1]))
                for part in filter(QRect.isValid, parts):
                    region += part
                    near += part.adjusted(-beside, -above, beside, above)
            else:
                dark.append(place)
            if not (lit and before) and (sign := self._elements.sign_before(id)) is not None:
                signs += QRect(sign.mapTo(self._elements, QPoint()), sign.size())
            before, last = lit, place
        for place in dark:  # no line of an element above or below is lit
            if not region.intersects(place):
                near -= place
        return near + region - signs  # no sign is lit in part

    def _places(self, ids: Collection[str]) -> Iterator[tuple[str, QRect]]:
        """The places of elements on the page; that of the first element of a stack includes the heading."""
        for id in ids:
            widget = self._elements.widgets[id]
            if widget.isVisibleTo(self._elements):
                place = QRect(widget.mapTo(self._elements, QPoint()), widget.size())
                if (title := self._elements.titled.get(id)) is not None:
                    place = place.united(title.geometry())
                yield id, place

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground = QColor(self._elements.bench.appearance.theme.page)
        left = event.region() - self.lit()
        pictures = {id for id, widget in self._elements.widgets.items() if isinstance(widget, PicturePlace)}
        covers = (self._lit.beside, DIM), (self._lit.heads, HEADS), (pictures, PICTURES), (None, DARK)
        for wanted, cover in covers:
            region = left if wanted is None else left & self._region({*self._lit.named, *wanted})
            left = left - region
            ground.setAlphaF(cover)
            painter.setClipRegion(region)
            painter.fillRect(event.rect(), ground)


FLASHES, FRAME = 400, 40
"""Milliseconds that a flash lasts, and between two of its frames."""
REST = 120
"""Milliseconds without a change before the flash begins, so that nothing flashes during a drag or a training run."""
DEEPEST, WASH, EDGE = 0.6, 0.4, 2
"""The greatest opacity of the colour over squares of a picture, and over a number, which must stay readable; and the
pixels of the frame of its cell, which is seen on gold and blue, too."""
FAINTEST = 0.5
"""The opacity of the frame of the least change."""


class Flash(Overlay):
    """Lets the cells that an edit has changed flash for a moment, a larger change more strongly.

    The next edit ends the flash; with less motion there is none.
    """

    def __init__(self, elements: Elements) -> None:
        super().__init__(elements)
        self._elements = elements
        self._found: list[tuple[MatrixBox, Part, Array]] = []
        """For each flashing matrix its visible part, and the strength for each cell, or square of a small picture."""
        self.left = 0.0
        """The remaining strength, from 1 to 0."""
        self._rests = QTimer(self, singleShot=True, interval=REST)
        self._rests.timeout.connect(self.begin)
        self._fades = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=FLASHES)
        self._fades.valueChanged.connect(self._fade)
        self._fades.finished.connect(self.stop)

    def await_rest(self) -> None:
        """Flash once there was no change for `REST` milliseconds."""
        self.stop()
        if self._elements.bench.appearance.moves:
            self._rests.start()

    def begin(self) -> None:
        """Flash the visible cells that the last edit has changed; none in a run that does not wait between steps."""
        view, descent = self._elements.bench.view, self._elements.bench.descent
        if not self._elements.isVisible() or (descent.playing and descent.pace * REST > 1000):
            return  # a step may take longer than `REST`
        for box in (one for one in self._elements.widgets.values() if isinstance(one, MatrixBox)):
            if box.visibleRegion().isEmpty():
                continue
            rows, columns = box.view.cells_in(box.view.viewport().rect())
            part = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
            found = strengths(view, box.matrix, most=SQUARES) if box.small else strengths(view, box.matrix, part)
            if found is not None:
                self._found.append((box, part, found))
        if self._found:
            self.left = 1.0
            self.setGeometry(self._elements.rect())
            self.raise_()
            self.update(self.region())
            self._fades.start()

    def stop(self) -> None:
        """End the flash."""
        self._rests.stop()
        self._fades.stop()
        if self._found:
            self.update(self.region())
            self._found.clear()
        self.left = 0.0

    def _fade(self, left: float) -> None:
        if self.left - left >= FRAME / FLASHES:
            self.left = left
            self.update(self.region())

    def region(self) -> QRegion:
        """The region that flashes."""
        region = QRegion()
        for box, *_ in self._found:
            region += QRect(box.mapTo(self._elements, QPoint()), box.size())
        return region

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, colour = QPainter(self), QColor(self._elements.bench.appearance.theme.here)
        for box, part, found in self._found:
            painter.setOpacity((DEEPEST if box.small else 1.0) * self.left)
            at = box.mapTo(self._elements, QPoint())
            if box.small:
                (rows, columns), (last, end) = found.shape, box.matrix.array.shape
                squares = np.full((rows, columns, 4), colour.getRgb(), np.uint8)
                squares[..., 3] = np.rint(255 * found)
                image = QImage(squares.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
                painter.drawImage(box.place_of(0, 0).united(box.place_of(last - 1, end - 1)).translated(at), image)
                continue
            for row, column in zip(*found.nonzero(), strict=True):
                cell = box.place_of(part[0].start + int(row), part[1].start + int(column))
                if not cell.isEmpty():
                    strength = float(found[row, column])
                    colour.setAlphaF(WASH * strength)
                    painter.setBrush(colour)
                    colour.setAlphaF(FAINTEST + (1.0 - FAINTEST) * strength)
                    painter.setPen(QPen(colour, EDGE, j=Qt.PenJoinStyle.MiterJoin))
                    painter.drawRect(QRectF(cell.translated(at)).adjusted(1.0, 1.0, -1.0, -1.0))


TIME, ARISING = 250, 1150
"""Milliseconds of the motion, and of the part after it in which named numbers may appear one by one."""
LINE, CORNER = 24, 4
"""Pixels at text scale 1: the height of a line of a sum that appears, and the radius of its background's corners."""
LOOKS, EACH = 40, 10
"""How often it is checked whether the new page is laid out, before it is shown without motion; milliseconds between."""


class Motion(Overlay):
    """Paints pictures of two pages, or slides, while one becomes the next; they themselves do not move.

    Any key, click, turn of the wheel or edit ends the motion, and has its usual effect at once. With less motion there
    is none. When it has ended, the widget has the size zero.

    `over`: the widget that it lies over.
    `bench`: a workbench in the look of that widget.
    `elements`: returns the elements in that widget; None if there are none.
    `settled`: returns whether everything in it has its place.
    """

    held = False  # whether there is no motion for now, because people look at another window

    def __init__(
        self, over: QWidget, bench: Workbench, elements: Callable[[], Elements | None], settled: Callable[[], bool]
    ) -> None:
        super().__init__(over)
        self._over, self._bench, self._elements, self._settled = over, bench, elements, settled
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setGeometry(QRect())
        self._before: tuple[Scene, QPixmap] | None = None
        self._after: tuple[Scene, QPixmap] | None = None
        self._flows: tuple[Flow, ...] = ()
        self._arises: Arises | None = None
        self._rests: tuple[QPixmap, ...] = ()
        """The pictures of both pages without the matrices on both of them, which glide separately."""
        self._window: QWindow | None = None
        bench.bridge.changed.connect(self._follow)
        self._looks = 0
        self._waits = QTimer(self, interval=EACH)
        self._waits.timeout.connect(self._look)
        self._runs = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=TIME)
        self._runs.valueChanged.connect(lambda _: self.update())
        self._runs.finished.connect(self.stop)

    @property
    def moves(self) -> bool:
        """Whether the motion is running, or about to begin."""
        return self._waits.isActive() or self._runs.state() != QVariantAnimation.State.Stopped

    @property
    def begun(self) -> bool:
        """Whether it has the pictures of both pages."""
        return self._after is not None

    def show_at(self, at: float) -> None:
        """Pause the motion at a moment from 0 to 1."""
        self._runs.pause()
        self._runs.setCurrentTime(round(at * self._runs.duration()))

    def remember(self) -> None:
        """Keep a picture of the present page before another one is shown. Only the first call counts."""
        if self._before is not None and not self.moves:
            return
        elements = self._elements()
        self.stop()
        wanted = self._bench.appearance.moves and not self.held
        if elements is not None and self._over.isVisible() and not self._over.rect().isEmpty() and wanted:
            self._before = self._taken(elements)

    def begin(self) -> None:
        """Begin the motion as soon as everything on the new page has its place."""
        if self._before is None or self.moves:
            return
        if not self._over.isVisible() or self._before[0].room != _rect(self._over.rect()):
            self.stop()
            return
        self._window = self._over.window().windowHandle()
        if self._window is not None:
            self._window.installEventFilter(self)
        self._over.installEventFilter(self)
        self.setGeometry(self._over.rect())
        self.raise_()
        self._looks = 0
        self._waits.start()

    def _look(self) -> None:
        self._looks += 1
        if self._settled():
            self._waits.stop()
            self._start()
        elif self._looks > LOOKS:
            self.stop()

    def _start(self) -> None:
        elements = self._elements()
        if elements is None or self._before is None:
            self.stop()
            return
        self.setGeometry(QRect())  # otherwise this widget would be in the picture
        after = self._taken(elements)
        self.setGeometry(self._over.rect())
        self._flows = flows(self._bench.view, self._before[0], after[0])
        self._arises = arises(self._bench.view, self._before[0], after[0])
        self._runs.setDuration(TIME if self._arises is None else TIME + ARISING)
        self._after = after
        ground = qcolor(self._bench.appearance.theme.page)
        names = staying(self._before[0], after[0])
        self._rests = tuple(_without(picture, scene, names, ground) for scene, picture in (self._before, after))
        self._runs.start()

    def stop(self, *_: object) -> None:
        """End the motion, and show the page itself."""
        self._before = self._after = self._arises = None
        self._rests = ()
        self._waits.stop()
        self._runs.stop()
        self._over.removeEventFilter(self)
        # When a window closes, `_window` is deleted before this widget.
        if self._window is not None and shiboken6.isValid(self._window):
            self._window.removeEventFilter(self)
        self._window = None
        self.setGeometry(QRect())

    def _follow(self, *_: object) -> None:
        """End the motion at an edit; a step makes its own edits before its motion."""
        if self.moves:
            self.stop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in HANDS or (watched is self._over and event.type() in (QEvent.Type.Resize, QEvent.Type.Hide)):
            self.stop()
        return False

    # Pictures

    def _taken(self, elements: Elements) -> tuple[Scene, QPixmap]:
        """The places of the matrices, and a picture of the page as it is now."""
        room = self._over.rect()
        matrices = {}
        for box in (one for one in elements.widgets.values() if isinstance(one, MatrixBox)):
            place = QRect(box.mapTo(self._over, QPoint()), box.size())
            if not place.isEmpty() and room.contains(place) and box.visibleRegion().boundingRect().size() == box.size():
                matrix = box.matrix
                shape = matrix.array.shape
                cells = box.place_of(0, 0) | box.place_of(shape[0] - 1, shape[1] - 1)
                cells.translate(place.topLeft())
                stands = Stands(matrix.place, _rect(place), _rect(cells), (shape[0], shape[1]), matrix.turned)
                matrices[matrix.name] = stands
        return Scene(_rect(room), matrices), self._over.grab()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._before is None:
            return
        painter = QPainter(self)
        (before, old), after = self._before, self._after
        if after is None:
            painter.drawPixmap(0, 0, old)
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        pictures = self._rests
        now = float(self._runs.currentValue()) * self._runs.duration()
        glided = min(now / TIME, 1.0)
        for piece in tween(before, after[0], glided, self._flows):
            for picture, part, opacity in zip(
                pictures, (piece.before, piece.after), (piece.was, piece.will), strict=True
            ):
                if part is not None and opacity > 0.0:
                    painter.setOpacity(opacity)
                    painter.drawPixmap(QRectF(*piece.place), picture, _pixels(part, picture))
            pictures = old, after[1]
        if self._arises is not None:
            line = self._bench.appearance.px(LINE)
            marks, pieces = arising(self._arises, after[0].room, line, max(now - TIME, 0.0) / ARISING)
            for mark in marks:
                painter.setOpacity(mark.opacity * eased(glided))
                self._paint(painter, mark)
            for piece in pieces:
                if piece.after is not None:
                    painter.setOpacity(piece.will)
                    painter.drawPixmap(QRectF(*piece.place), after[1], _pixels(piece.after, after[1]))

    def _paint(self, painter: QPainter, mark: Mark) -> None:
        look, place = self._bench.appearance, QRectF(*mark.place)
        theme = look.theme
        if mark.kind == "words":
            painter.setPen(qcolor(theme.line_strong))
            painter.setBrush(qcolor(theme.surface))
            painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -1.5), look.px(CORNER), look.px(CORNER))
            painter.setPen(qcolor(theme.text))
            painter.setFont(look.fonts.number)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, mark.text)
        else:
            painter.fillRect(place, qcolor(theme.page if mark.kind == "cover" else theme.series[0]))


def _without(picture: QPixmap, scene: Scene, names: Sequence[str], ground: QColor) -> QPixmap:
    """A picture in which these matrices are painted over with the page's background."""
    rest = QPixmap(picture)
    painter = QPainter(rest)
    for name in names:
        painter.fillRect(QRectF(*scene.matrices[name].place), ground)
    painter.end()
    return rest


def _pixels(part: Rect, picture: QPixmap) -> QRectF:
    """A part of a picture in device pixels, of which a high-resolution screen has more."""
    return QRectF(*(number * picture.devicePixelRatio() for number in part))


def _rect(rect: QRect) -> Rect:
    return rect.x(), rect.y(), rect.width(), rect.height()
