"""The motion from one page, or one slide, to the next: matrices that stay glide to their new places."""

from collections.abc import Callable, Sequence

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
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPixmap, QWindow
from PySide6.QtWidgets import QWidget

from explorer.pages.tween import Arises, Flow, Mark, Rect, Scene, Stands, arises, arising, eased, flows, staying, tween
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements
from explorer.ui.theme import qcolor
from explorer.ui.turns import HANDS
from explorer.ui.workbench import Workbench

TIME, ARISING = 250, 1150
"""Milliseconds of the motion, and of the part after it in which named numbers may appear one by one."""
LINE, CORNER = 24, 4
"""Pixels at text scale 1: the height of a line of a sum that appears, and the radius of its background's corners."""
LOOKS, EACH = 40, 10
"""How often it is checked whether the new page is laid out, before it is shown without motion; milliseconds between."""


class Motion(QWidget):
    """Lies over pages and paints pictures of them while one becomes the next; the pages themselves do not move.

    Any key, click, turn of the wheel or edit ends the motion, and has its usual effect at once. With less motion there
    is none. The widget is never hidden, but gets the size zero, because Qt asks for a new layout whenever a widget in a
    layout is shown or hidden.

    Parameters
    ----------
    over : QWidget
        The widget that it lies over.
    bench : Workbench
        A workbench in the look of that widget.
    elements : callable
        Returns the elements in that widget; None if there are none.
    settled : callable
        Returns whether everything in it has its place.
    """

    held = False  # whether there is no motion for now, because people look at another window

    def __init__(
        self,
        over: QWidget,
        bench: Workbench,
        elements: Callable[[], Elements | None],
        settled: Callable[[], bool],
    ) -> None:
        super().__init__(over)
        self._over, self._bench, self._elements, self._settled = over, bench, elements, settled
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
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
        if elements is not None and self._over.isVisible() and wanted:
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
