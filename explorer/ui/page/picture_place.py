"""The places of pictures, which are made after the first paint: pyqtgraph takes long to import."""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from threading import Thread
from time import perf_counter
from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.ui.turns import Turns, do_once_painted, later
from explorer.ui.widgets.inputs import PushButton, reached, tab_through

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
