"""The places of pictures, which are made after the first paint; a place already has the size of its picture.

Also the parts of gradient descent on a page, which change by themselves while the page stays.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from threading import Thread
from time import perf_counter
from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.pages.page import DescentPart
from explorer.ui.turns import Turns, do_once_painted, later
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.inputs import PushButton, reached, tab_through
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

WIDE, MOST_TIMES = 1400, 1.5
"""On a page wider than `WIDE`, in pixels at text scale 1, pictures are larger, by at most the factor `MOST_TIMES`."""
LOOK_MS = 10
"""Milliseconds between two checks whether pyqtgraph is loaded."""
AT_ONCE = 0.012
"""Seconds spent on making Qt's types in one turn of the event loop."""


@cache
def _types() -> Iterator[object]:
    """All of Qt's types, some 700, which takes 0.2 s: PySide makes each type at its first use.

    pyqtgraph uses all of them. If its loading thread made them while the window paints, the program would crash.
    """
    return (getattr(module, name) for module in (QtCore, QtGui, QtWidgets) for name in dir(module))


def is_loaded() -> bool:
    """Continue loading pyqtgraph; returns whether it is loaded."""
    until = perf_counter() + AT_ONCE
    for _ in _types():
        if perf_counter() > until:
            return False
    return not _loader().is_alive()


@cache
def _loader() -> Thread:
    """The thread that imports pyqtgraph, which would block the window for 0.6 s."""
    # Not a daemon thread: Python could end while the thread is inside Qt's modules, and crash.
    loader = Thread(target=import_module, args=("pyqtgraph",))
    loader.start()
    return loader


class PicturePlace(QWidget):
    """A place that is filled in a later turn of the event loop, once pyqtgraph is loaded.

    `turns`: the queue in which it waits for a turn of its own: a page may have many pictures.
    `make`: makes the widget from the latest data; the widget has a method ``tell``.
    `width`, `height`: pixels.
    """

    def __init__(
        self,
        turns: Turns,
        make: Callable[[Any], QWidget],
        data: Any,
        width: int,
        height: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._make, self.data = make, data
        self.picture: Any = None
        self._stopped = False
        self.fills = False
        """Whether the size of the place is set from outside, and not by the picture."""
        self._across, self._high = width, height
        self._gives_height = False
        """Whether the picture's height is set from outside."""
        self._most: tuple[float, float, float] | None = None
        self._many: tuple[int, bool, bool] | None = None
        self.setFixedSize(width, height)
        QVBoxLayout(self).setContentsMargins(0, 0, 0, 0)
        self._turns, self._filling = turns, later(self, self.fill)
        self._looks = later(self, self._wait)
        self._looks.setInterval(LOOK_MS)
        do_once_painted(self, self._wait)

    def _wait(self) -> None:
        """Queue for a turn once pyqtgraph is loaded: pictures can then be made without blocking the window."""
        if is_loaded():
            self._turns.add(self._filling)
        else:
            self._looks.start()

    def tell(self, data: Any) -> bool:
        """Show other data, now or once the picture is made; returns whether the place needs another size."""
        self.data = data
        if self.picture is not None:
            self.picture.tell(data)
        return False

    def use(self, room: int, narrow: int, across: int, high: int, scale: float, larger: float = 1.0) -> bool:
        """Take a size, narrower on a narrow page, larger on a wide one. Returns whether the size has changed.

        `room`, `narrow`: the width in pixels of the page, and of the stack around the picture.
        `across`, `high`: the width and height in pixels of the picture on a page that is not wide.
        `scale`: the text scale.
        `larger`: by what further factor it may be larger.
        """
        times = min(min(max(room / (WIDE * scale), 1.0), MOST_TIMES) * larger, max(narrow / across, 1.0))
        width = max(min(round(across * times), narrow), 0)
        other = width != self.maximumWidth()
        if other:
            self.setFixedWidth(width)
        tall = round(high * times)
        if self.picture is None and tall != self.maximumHeight():
            self.setFixedHeight(tall)
            other = True
        elif self._gives_height and self.picture.maximumHeight() != tall:
            self.picture.setFixedHeight(tall)
            other = True
        return other

    def be(self, width: int, height: int) -> None:
        """Take another size."""
        if (width, height) != (self.minimumWidth(), self.minimumHeight()):
            self.setFixedSize(width, height)

    @property
    def guesses(self) -> bool:
        """Whether its size is a guess until its picture is made."""
        return self.picture is None and self._many is None

    @property
    def wished(self) -> int:
        """The width in pixels that attention lines take if there is room."""
        return self._across if self.picture is None else int(self.picture.wished)

    def be_at_most(self, width: float, square: float, larger: float = 1.0) -> bool:
        """Limit the width in pixels, and the picture without its words to a square of `square` pixels.

        `larger`: see `WordPicture.be_at_most`. Returns whether the size has changed.
        """
        self._most, self._many = (width, square, larger), None
        if self.picture is not None:
            was = self.picture.size()
            self.picture.be_at_most(width, square, larger)
            return bool(self.picture.size() != was)
        across = min(self._across, int(width))
        other = self.maximumWidth() != across
        if other:
            self.setFixedWidth(across)
        return other

    def be_one_of_many(self, side: int, names_rows: bool, scaled: bool, width: int, height: int) -> bool:
        """Be a picture of `side` pixels among similar ones; until it is made, the place has this width and height.

        Returns whether these sizes are new.
        """
        was, self._many = self._many, (side, names_rows, scaled)
        if was == self._many and self.picture is not None:
            return False
        if self.picture is None:
            self.be(width, height)
        else:
            self.picture.be_one_of_many(*self._many)
        return was != self._many

    @property
    def holds_all(self) -> bool:
        """Whether the whole picture is inside its place."""
        return bool(self.rect().contains(self.picture.geometry()))

    def stop(self) -> None:
        """Stay empty: the page is being deleted, and a new picture would be left to Python's garbage collector."""
        self._stopped = True

    def fill(self) -> None:
        """Put the picture in its place, if it is not there yet."""
        if self.picture is not None or self._stopped:
            return
        picture: Any = self._make(self.data)
        self.picture = picture
        layout = self.layout()
        assert layout is not None
        if self._many is not None:
            picture.be_one_of_many(*self._many)
        elif self._most is not None:
            picture.be_at_most(*self._most)
        layout.addWidget(picture)
        picture.show()  # the layout would show it in a later turn, and until then the place would be empty
        # Tab reaches it here; Qt puts a new widget behind all others, and nothing behind one that takes no focus.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        buttons = picture.findChildren(PushButton) if reached(picture) == [picture] else []
        tab_through(self, picture, *buttons)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if self.fills:
            return
        if picture.minimumHeight() != picture.maximumHeight() and not picture.hasHeightForWidth():
            picture.setFixedHeight(self.height())
            self._gives_height = True
        # From now on the picture sets the height, and perhaps the width, which grow with the number of words.
        wide = picture.minimumWidth() == picture.maximumWidth()
        self.setMinimumSize(0 if wide else self.width(), 0)
        self.setMaximumSize(UNBOUNDED if wide else self.width(), UNBOUNDED)


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
        self._part = part
        self._most, self._narrow, self._larger = UNBOUNDED, UNBOUNDED, 1.0
        self._make(part)

    @property
    def picture(self) -> Any:
        """The widget of the part; None while it waits for a turn of its own."""
        inner: Any = self._inner.picture if isinstance(self._inner, PicturePlace) else self._inner
        return inner

    @property
    def guesses(self) -> bool:
        """Whether its size is a guess until its picture is made."""
        return isinstance(self._inner, PicturePlace) and self._inner.guesses

    def tell(self, part: DescentPart) -> None:
        """Build the part again if it is about another model; changes of the same model it follows by itself."""
        was, self._part = self._part, part
        if was.about != part.about or self._empty:
            self._column.removeWidget(self._inner)
            self._inner.hide()
            self._gone.delete(self._inner)
            self._make(part)
        elif was.log != part.log and self.picture is not None:
            self.picture.set_log(part.log)

    def _make(self, part: DescentPart) -> None:
        px = self._bench.appearance.px
        self._empty = False
        if part.width and part.height:
            turns, size = self._bench.appearance.turns, (px(part.width), px(part.height))
            self._inner = PicturePlace(turns, lambda _: self._made(self._part), part, *size)
        else:
            self._inner = self._made(part)
            if part.height:
                self.setFixedHeight(px(part.height))
        self._column.addWidget(self._inner)
        self.be_no_wider(self._most, self._narrow, self._larger)

    def _made(self, part: DescentPart) -> QWidget:
        """The widget; an empty one if the model has lost its loss and the page is not updated yet."""
        self._empty = not self._bench.descent.possible
        scale = (part.goal, part.log) if part.part.startswith("curve") else ()
        return QWidget() if self._empty else PARTS[part.part](self._bench, *scale)

    def be_no_wider(self, pixels: int, narrow: int, larger: float = 1.0) -> bool:
        """Limit the width to `pixels`, of the page, and `narrow`, of a stack; returns whether the width has changed.

        `larger`: how many times larger than on other pages a picture may be.
        """
        self._most, self._narrow, self._larger = pixels, narrow, larger
        px, part = self._bench.appearance.px, self._part
        if isinstance(self._inner, PicturePlace):
            wide = pixels if 0 < px(part.all_from) <= pixels else px(part.width)
            return self._inner.use(pixels, narrow, wide, px(part.height), self._bench.appearance.scale, larger)
        width = max(min(self._bench.appearance.px(self._part.width), pixels), 0)
        if not width or width == self._inner.maximumWidth():
            return False
        self._inner.setFixedWidth(width)
        return True

    # The gradients of a large model are computed in the background while the page that lists their lengths is visible.

    def showEvent(self, event: Any) -> None:
        if self._part.part == "curve":
            self._bench.document.show_gradients(not self._bench.descent.quick, ASKING)
        super().showEvent(event)

    def hideEvent(self, event: Any) -> None:
        super().hideEvent(event)
        if self._part.part == "curve":
            self._bench.document.show_gradients(False, ASKING)


def imported(module: str, name: str) -> Callable[..., QWidget]:
    """Makes widgets of a class in `explorer.ui`, whose module is imported only when the first one is wanted."""

    def make(*given: Any) -> QWidget:
        widget: QWidget = getattr(import_module(f"explorer.ui.{module}"), name)(*given)
        return widget

    return make


PARTS: dict[str, Callable[..., QWidget]] = {
    "steps": imported("training.stepper", "Stepper"),
    "curve": imported("training.run_curve", "RunCurve"),
    "curve of a goal": imported("training.run_curve", "RunCurve"),
    "surface": imported("training.loss_surface", "SurfaceView"),
    "cells": imported("training.cell_picker", "CellPicker"),
}
