"""A formula, from LaTeX: typeset by ziamath, drawn by QtSvg, sharp at every size."""

import gc
import sys
from functools import cache, lru_cache
from importlib import import_module
from math import ceil
from threading import Thread

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontInfo, QFontMetricsF, QPainter, QPaintEvent, QPalette, QShowEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.frozen import Frozen
from explorer.pages.drawing import ems_of
from explorer.ui.turns import later

TYPESETTING = "explorer.ui.widgets.typesetting"
UNIT = 24.0
"""Pixels per em with which formulas are typeset; they are drawn at any size from that."""
AGAIN = 20
"""Milliseconds between two checks whether ziamath is loaded."""
LINE = 0.72
"""Ems from the middle of a formula of one line to its top: room for an index or a power."""


class Typeset(Frozen):
    """A formula as outlines, in pixels at `UNIT` pixels per em; ``currentColor`` stands for its colour."""

    svg: bytes  # the drawing
    width: float  # of the drawing, with its margin
    # `above`, `below`: how far it reaches from the base line.
    above: float
    below: float


@lru_cache(maxsize=512)
def typeset(latex: str) -> Typeset | None:
    """Typeset `latex`, or None if it cannot be read.

    Takes 1 to 10 ms, and 0.15 s more the first time, when it imports ziamath. Neither size nor colour is part of the
    key: both are applied to the outlines when they are drawn.
    """
    from explorer.ui.widgets.typesetting import Latex

    try:
        math = Latex(latex, size=UNIT, color="currentColor")
        # Without a width of 0, Qt draws outlines of its own around the glyphs in a PDF and in an SVG.
        svg = math.svg().replace("<svg ", '<svg stroke-width="0" ', 1)
        svg = svg.replace('fill="black"', 'fill="currentColor"')  # ziamath's bars above letters are always black
    except Exception:  # whatever makes the parser fail: texts come from lessons and from people
        return None
    box, margin = math.node.bbox, math.margin
    return Typeset(svg.encode(), box.xmax - box.xmin + 2 * margin, box.ymax + margin, -box.ymin + margin)


def can_typeset_now() -> bool:
    """Whether ziamath is loaded, so that a formula takes only milliseconds."""
    return hasattr(sys.modules.get(TYPESETTING), "Row")  # its last name: before, it is still being loaded


def is_loaded() -> bool:
    """Load ziamath on a thread, since that takes 0.2 s; returns whether it is loaded."""
    return not _loader().is_alive()


@cache
def _loader() -> Thread:
    loader = Thread(target=_load, daemon=True)
    loader.start()
    return loader


def _load() -> None:
    import_module(TYPESETTING)
    # Its fonts are 38,000 objects that stay: half of all objects that Python's collector would check in a full round.
    gc.freeze()


class Formula(QWidget):
    r"""One formula, in the colour and in proportion to the font of its surroundings.

    Until ziamath is loaded, the widget keeps an estimated space free and shows nothing; its first paint loads ziamath,
    so the window is shown before its formulas. After that a formula is typeset as soon as its size is asked for. To
    have it at once (to print, to test), call `typeset` with anything before.

    The middle of the widget is the middle of a line of text on the formula's base line: a label of the same font beside
    it, both centred vertically, stands on that line. In a place that is narrower than the formula, it is smaller.

    `latex`: for example ``r"Q = X W_Q"``, without dollar signs.
    `parent`: the widget it stands in.
    `em`: size relative to the widget's font.
    """

    sized = Signal()  # its size, which was an estimate, is exact now

    def __init__(self, latex: str = "", parent: QWidget | None = None, em: float = 1.25) -> None:
        super().__init__(parent)
        self._latex = ""
        self._em, self._times = em, 1.0
        self._set: Typeset | None = None
        self._tried = self._guessed = False
        self._renderer = QSvgRenderer(self)
        self._loading = later(self, self._load)
        self._rendered: tuple[Typeset, str] | None = None
        self._size: QSize | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_latex(latex)

    def latex(self) -> str:
        return self._latex

    @property
    def waits(self) -> bool:
        """Whether it shows nothing yet, because ziamath is being loaded."""
        return not self._tried and not can_typeset_now()

    def set_latex(self, latex: str, times: float = 1.0) -> None:
        """Show another formula, enlarged by a factor; a screen reader says the LaTeX itself."""
        self.setAccessibleName(latex)
        if (latex, times) == (self._latex, self._times):
            return
        if latex != self._latex:
            self._set, self._tried = None, not latex
        self._latex, self._times, self._size = latex, times, None
        self.updateGeometry()
        self.update()

    def width_of(self, latex: str, times: float = 1.0) -> int:
        """The width in pixels of another formula in its place, larger than usual by a factor."""
        result = typeset(latex) if latex and can_typeset_now() else None
        if result is None:
            self._guessed = True
            return int(ems_of(latex) * self._pixels(times)) + 1
        return ceil(result.width * self._pixels(times) / UNIT)

    def size_of(self, latex: str, times: float = 1.0, most: int = 0) -> QSize:
        """The size of another formula in its place, enlarged by a factor, and at most `most` wide; 0: no limit."""
        pixels, metrics = self._pixels(times), QFontMetricsF(self.font())
        result = typeset(latex) if latex and can_typeset_now() else None
        if result is not None:
            scale, middle = _scale(result, pixels, most), self._middle()
            # Room for an index and a power in any case, so that symbols above a row of matrices are equally high.
            half = max(result.above * scale - middle, result.below * scale + middle, LINE * pixels)
            # An even height keeps the base line on whole pixels when the layout centres the widget.
            across = ceil(result.width * scale)
            return QSize(min(across, most or across), 2 * int(half + 1))  # it may be rounded up beyond the room
        if not latex or can_typeset_now():  # the formula cannot be read
            return QSize(int(metrics.horizontalAdvance(latex)) + 1, int(metrics.height()) + 1)
        self._guessed = True
        half = (1.4 if "frac" in latex else LINE) * pixels
        across = int(ems_of(latex) * pixels) + 1
        return QSize(min(across, most or across), 2 * int(half + 1))

    def baseline(self) -> float:
        """Pixels from the top of the widget to the line the formula stands on."""
        return self.height() / 2 + self._middle()

    def sizeHint(self) -> QSize:
        # Layouts ask some eighty times for each formula; once it is typeset, only its font changes the answer.
        if self._size is None or not self._tried:
            self._result()
            self._size = self.size_of(self._latex, self._times)
        return self._size

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._size = None
            self.updateGeometry()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._set is None and not self._tried:
            # A layout may have kept the estimate from before ziamath was loaded.
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        fresh = not self._tried
        result = self._result()
        if fresh and self._tried:
            self.updateGeometry()  # the layout still has the estimate
        painter = QPainter(self)
        color = self.palette().color(QPalette.ColorRole.WindowText).name()
        if result is not None:
            if self._rendered != (result, color):
                self._rendered = result, color
                self._renderer.load(QByteArray(result.svg.replace(b"currentColor", color.encode())))
            scale = _scale(result, self._pixels(self._times), self.width())
            top = self.baseline() - result.above * scale
            self._renderer.render(painter, QRectF(0, top, result.width * scale, (result.above + result.below) * scale))
        elif self._tried:
            painter.setPen(color)
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, self._latex)
        else:
            self._loading.start()

    def _load(self) -> None:
        if not is_loaded():
            self._loading.start(AGAIN)
            return
        self._result(now=True)
        self.updateGeometry()
        (self.parentWidget() or self).update()  # words beside it appear with it

    def _result(self, now: bool = False) -> Typeset | None:
        if not self._tried and (now or can_typeset_now()):
            self._set, self._tried = typeset(self._latex), True
            self._size = None
            if self._guessed:  # the caller may have asked only for a size
                self._guessed = False
                self.sized.emit()
            self.updateGeometry()  # a layout may have asked while there was only the estimate, which may be narrower
        return self._set

    def _pixels(self, times: float) -> float:
        return QFontInfo(self.font()).pixelSize() * self._em * times

    def _middle(self) -> float:
        """Pixels from the base line up to the middle of a line of text."""
        metrics = QFontMetricsF(self.font())
        return (metrics.ascent() - metrics.descent()) / 2


def _scale(result: Typeset, pixels: float, most: int) -> float:
    usual = pixels / UNIT
    return min(usual, most / result.width) if most else usual
