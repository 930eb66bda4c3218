"""The places of the kinds of pictures on a page: drawings, curves, heat maps, lines between words, and the parts of
gradient descent, which change by themselves while the page stays.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget

from explorer.pages import page as el
from explorer.pages.arrange import Ask
from explorer.pages.drawing import AttentionLines, HeatMap, WordRoom
from explorer.pages.page import DescentPart
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

CLOSE_LINES = 90
"""Pixels at text scale 1 between the columns of words on a slide, where the words matter more than the lines."""
LINES = 300
"""The width in pixels of the place of attention lines of many words, until they are drawn."""
FEW, LONG = 24, 520
"""For at most this many words, a picture has the size that they need; the pixels of a larger one until it is drawn."""
LONGEST = 116
"""The greatest width in pixels of a word beside a picture."""


def imported(module: str, name: str) -> Callable[..., QWidget]:
    """Makes widgets of a class in `explorer.ui`, whose module is imported only when the first one is wanted."""

    def make(*given: Any) -> QWidget:
        widget: QWidget = getattr(import_module(f"explorer.ui.{module}"), name)(*given)
        return widget

    return make


class WordPlace(PicturePlace):
    """The place of a heat map or of lines between words, which follow the number of words.

    `width`, `height`: pixels that the place takes until the picture is made; from then on it is as large as that.
    """

    def __init__(
        self,
        bench: Workbench,
        make: Callable[[Any], QWidget],
        data: HeatMap | AttentionLines,
        width: int,
        height: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(bench.appearance.turns, make, data, parent)
        self._across = width
        self._room: WordRoom | None = None
        self.setFixedSize(width, height)

    @property
    def guesses(self) -> bool:
        """Whether its size is a guess until its picture is made."""
        return self.picture is None and not (self._room and self._room.side)

    @property
    def wished(self) -> int:
        """The width in pixels that attention lines take if there is room."""
        return self._across if self.picture is None else int(self.picture.wished)

    def give(self, room: WordRoom, width: int = 0, height: int = 0) -> bool:
        """Take as much room; returns whether its size has changed.

        `width`, `height`: the pixels of one of several, until it is made.
        """
        was, self._room = self._room, room
        if self.picture is not None:
            size = self.picture.size()
            self.picture.give(room)
            return bool(self.picture.size() != size)
        if room.side:
            self.setFixedSize(width, height)
            return was != room
        other = self.maximumWidth() != (across := min(self._across, int(room.width)))
        if other:
            self.setFixedWidth(across)
        return other

    def fill(self) -> None:
        if self.picture is not None or self._stopped:
            return
        super().fill()
        picture: Any = self.picture
        if self._room is not None:
            picture.give(self._room)
        else:
            picture.draw()  # its caption has the letters of the place only now, and is higher on a slide
        self.setMinimumSize(0, 0)
        self.setMaximumSize(UNBOUNDED, UNBOUNDED)


_VIEWS = imported("drawing.view", "DrawingView"), imported("drawing.zoom", "ZoomedView")


class Drawn(PicturePlace):
    """The place of a `Picture`, whose drawing has no size of its own."""

    def __init__(self, bench: Workbench, picture: el.Picture, parent: QWidget | None = None) -> None:
        def make(picture: el.Picture) -> QWidget:
            view: Any = _VIEWS[picture.drawing.zoom](bench, picture.drawing)
            if picture.card:
                view.setBackground(None)
            return view

        super().__init__(bench.appearance.turns, make, picture, parent)

    def tell(self, data: el.Picture) -> bool:
        self.data = data
        if self.picture is not None:
            self.picture.tell_in_sight(lambda: data.drawing)
        return False


class Filling(Drawn):
    """The place of a picture that fills its page."""

    def __init__(self, bench: Workbench, picture: el.Picture, parent: QWidget | None = None) -> None:
        self._px = bench.appearance.px
        self.least = self._px(picture.height)
        """The least height in pixels."""
        super().__init__(bench, picture, parent)

    def tell(self, data: el.Picture) -> bool:
        shape, height = self._shape, self.data.height
        super().tell(data)
        if height != data.height:
            self.least = self._px(data.height)
        return (shape, height) != (self._shape, data.height)

    @property
    def _shape(self) -> float:
        """The height of the drawing, divided by its width."""
        left, right, bottom, top = self.data.drawing.window
        return abs(top - bottom) / (right - left) if self.data.drawing.square else self.data.height / self.data.width

    def asks(self, room: int) -> Ask:
        """What it asks for in a place of this width: all of it, and some height."""
        return Ask(room, lowest=self.least)

    def height_at(self, width: int) -> int:
        """The height in pixels that the drawing needs at a width."""
        return round(width * self._shape)

    def scale_in(self, width: int, height: int) -> float:
        """Pixels for each unit of the drawing's window, in a place of that size."""
        left, right, bottom, top = self.data.drawing.window
        return min(width / abs(right - left), height / abs(top - bottom))


def curves_place(bench: Workbench, traces: el.Traces, parent: QWidget | None = None) -> PicturePlace:
    """The place of curves over the steps of a run."""
    make = partial(imported("drawing.curves", "CurvesView"), bench)
    return PicturePlace(bench.appearance.turns, make, traces, parent)


def heat_map_place(bench: Workbench, heat: HeatMap, parent: QWidget | None = None) -> PicturePlace:
    """The place of a heat map, as large as it will be if it has few words."""
    make = partial(imported("drawing.weights", "HeatMapView"), bench)
    px, (rows, columns) = bench.appearance.px, heat.matrix.array.shape
    if max(rows, columns) > FEW:
        return WordPlace(bench, make, heat, px(LONG), px(LONG), parent)
    word = word_beside(bench, heat)
    across = word + px(26) + columns * (round(1.1 * word) + px(10))
    return WordPlace(bench, make, heat, min(across, px(LONG)), px(61 + 26 * rows), parent)


def lines_place(bench: Workbench, lines: AttentionLines, parent: QWidget | None = None) -> PicturePlace:
    """The place of lines between words, as large as it will be if they are few."""
    make = partial(imported("drawing.weights", "AttentionLinesView"), bench)
    px, words = bench.appearance.px, max(lines.matrix.values.shape)
    if words > FEW:
        return WordPlace(bench, make, lines, px(LINES), px(LONG), parent)
    across = 2 * (word_beside(bench, lines) + px(26)) + px(CLOSE_LINES if bench.appearance.close else 196)
    return WordPlace(bench, make, lines, across, px(28 + 26 * words), parent)


def word_beside(bench: Workbench, element: HeatMap | AttentionLines) -> int:
    """The width in pixels of the longest word beside a picture, in the bold font of a word that is pointed at."""
    metrics, matrix = QFontMetrics(bench.appearance.fonts.bold.small), element.matrix
    return max(map(metrics.horizontalAdvance, (*matrix.rows, *matrix.columns)), default=0)


def around_map(bench: Workbench, heat: HeatMap) -> tuple[int, int, int, int]:
    """Sizes in pixels of a heat map before it is drawn: the width of its row names; the width and the height around its
    squares without these names; and its least width.
    """
    px, metrics, n = bench.appearance.px, QFontMetrics(bench.appearance.fonts.small), max(heat.matrix.array.shape)
    word = min(word_beside(bench, heat), px(LONGEST))
    buttons = n > FEW
    # Above it stands the scale of its colours, and, where there are many words, the buttons that look closer.
    signs, letters = ("−", "+", "all") if buttons else (), QFontMetrics(bench.appearance.fonts.ui)
    zooms = sum(letters.horizontalAdvance(sign) + 2 * px(6) + px(2) + 4 for sign in signs)
    least = max(px(76), metrics.horizontalAdvance("0≥ 0.00") + px(60) + zooms if buttons else 0)
    return word, px(10) + 8, metrics.height() * (1 + buttons) + px(14) + 5 + word, least


ASKING = "the page of gradient descent"
"""The name under which gradients are asked for, while the page is visible."""


class DescentView(QWidget):
    """One part: see `DescentPart`."""

    def __init__(self, bench: Workbench, part: DescentPart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._column = column_in(self)
        self._inner: Any = None
        self._gone = Gone(self)
        self.data = part
        self._make(part)

    @property
    def picture(self) -> Any:
        """The widget of the part; None while it waits for a turn of its own."""
        inner: Any = self._inner.picture if isinstance(self._inner, PicturePlace) else self._inner
        return inner

    @property
    def guesses(self) -> bool:
        """Whether its size is a guess until its picture is made."""
        return isinstance(self._inner, PicturePlace) and self._inner.picture is None

    def tell(self, part: DescentPart) -> None:
        """Build the part again if it is about another model; changes of the same model it follows by itself."""
        was, self.data = self.data, part
        if was.about != part.about or self._empty:
            self._column.removeWidget(self._inner)
            self._inner.hide()
            self._gone.delete(self._inner)
            self._make(part)
        elif was.log != part.log and self.picture is not None:
            self.picture.set_log(part.log)

    def _make(self, part: DescentPart) -> None:
        self._empty = False
        if part.width and part.height:
            self._inner = PicturePlace(self._bench.appearance.turns, lambda _: self._made(self.data), part)
        else:
            self._inner = self._made(part)
        self._column.addWidget(self._inner)

    def _made(self, part: DescentPart) -> QWidget:
        """The widget; an empty one if the model has lost its loss and the page is not updated yet."""
        self._empty = not self._bench.descent.possible
        scale = (part.goal, part.log) if part.part.startswith("curve") else ()
        return QWidget() if self._empty else PARTS[part.part](self._bench, *scale)

    # The gradients of a large model are computed in the background while the page that lists their lengths is visible.

    def showEvent(self, event: Any) -> None:
        if self.data.part == "curve":
            self._bench.document.show_gradients(not self._bench.descent.quick, ASKING)
        super().showEvent(event)

    def hideEvent(self, event: Any) -> None:
        super().hideEvent(event)
        if self.data.part == "curve":
            self._bench.document.show_gradients(False, ASKING)


PARTS: dict[str, Callable[..., QWidget]] = {
    "steps": imported("training.parts", "Stepper"),
    "curve": imported("training.parts", "RunCurve"),
    "curve of a goal": imported("training.parts", "RunCurve"),
    "surface": imported("training.loss_surface", "SurfaceView"),
    "cells": imported("training.cell_picker", "CellPicker"),
}
