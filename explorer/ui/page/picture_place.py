"""The places of pictures, which are made after the first paint.

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
from explorer.ui.widgets.inputs import PushButton, reached, tab_through
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

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
    """

    def __init__(self, turns: Turns, make: Callable[[Any], QWidget], data: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._make, self.data = make, data
        self.picture: Any = None
        self._stopped = False
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
        layout.addWidget(picture)
        picture.show()  # the layout would show it in a later turn, and until then the place would be empty
        # Tab reaches it here; Qt puts a new widget behind all others, and nothing behind one that takes no focus.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        buttons = picture.findChildren(PushButton) if reached(picture) == [picture] else []
        tab_through(self, picture, *buttons)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


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
