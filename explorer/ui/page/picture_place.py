"""The place of a picture that is made after the first paint, in the size that the picture will have."""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from threading import Thread
from time import perf_counter
from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.ui.turns import Turns, do_once_painted, later
from explorer.ui.widgets import UNBOUNDED

WIDE, MOST_TIMES = 1400, 1.5
"""Pixels at text scale 1 of a page from which on pictures are larger than they have to be; and how much, at most."""
LOOK_MS = 10
"""How often it is looked whether pyqtgraph is there."""
AT_ONCE = 0.012
"""Seconds of a turn of the event loop in which Qt's types are made."""


@cache
def _types() -> Iterator[object]:
    """All of Qt's types, some 700 in 0.2 s: PySide makes each when it is first asked for.

    pyqtgraph asks for all of them. From its thread that crashes the program, where the window paints meanwhile.
    """
    return (getattr(module, name) for module in (QtCore, QtGui, QtWidgets) for name in dir(module))


def is_loaded() -> bool:
    """Go on loading pyqtgraph; returns whether it is there."""
    until = perf_counter() + AT_ONCE
    for _ in _types():
        if perf_counter() > until:
            return False
    return not _loader().is_alive()


@cache
def _loader() -> Thread:
    """It imports pyqtgraph beside the window, which that would hold up for 0.6 s."""
    # No daemon: Python would end in the middle of Qt's modules, and crash.
    loader = Thread(target=import_module, args=("pyqtgraph",))
    loader.start()
    return loader


class PicturePlace(QWidget):
    """A place that is filled in a later turn of the event loop, once pyqtgraph is there.

    Parameters
    ----------
    turns : Turns
        Where it waits for a turn of its own: a page may have many pictures.
    make : callable
        Makes the widget from the data that was told last; the widget has a method ``tell``.
    width, height : int
        Pixels.
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
        """Whether it is given its size, instead of that of the picture."""
        self._across, self._high = width, height
        self._gives_height = False
        """Whether the picture is as high as it is told."""
        self._most: tuple[float, float, float] | None = None
        self._many: tuple[int, bool] | None = None
        self.setFixedSize(width, height)
        QVBoxLayout(self).setContentsMargins(0, 0, 0, 0)
        self._turns, self._filling = turns, later(self, self.fill)
        self._looks = later(self, self._wait)
        self._looks.setInterval(LOOK_MS)
        do_once_painted(self, self._wait)

    def _wait(self) -> None:
        """Wait for a turn of its own, once pictures can be made without holding up the window."""
        if is_loaded():
            self._turns.add(self._filling)
        else:
            self._looks.start()

    def tell(self, data: Any) -> bool:
        """Show other data, now or as soon as there is a picture; returns whether that takes another size."""
        self.data = data
        if self.picture is not None:
            self.picture.tell(data)
        return False

    def use(self, room: int, across: int, high: int, scale: float, larger: float = 1.0) -> bool:
        """Be of a size, or smaller across where there is no room; in a wide page larger. Returns whether that is new.

        Parameters
        ----------
        room : int
            Pixels across that the page has.
        across, high : int
            Pixels that it takes in a page that is not wide.
        scale : float
            Of the text.
        larger : float
            How many times larger than that it may be.
        """
        narrow, holder = room, self.parentWidget()
        while holder is not None:  # a stack, or one around it, may be of a width of its own
            narrow, holder = min(narrow, holder.maximumWidth()), holder.parentWidget()
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
        """Have another size."""
        if (width, height) != (self.minimumWidth(), self.minimumHeight()):
            self.setFixedSize(width, height)

    @property
    def wished(self) -> int:
        """Pixels across that lines between words take where there is room."""
        return self._across if self.picture is None else int(self.picture.wished)

    def be_at_most(self, width: float, square: float, larger: float = 1.0) -> bool:
        """Be no wider than so many pixels; the picture without its words is no larger than a square of so many.

        `larger`: see `WordPicture.be_at_most`. Returns whether that takes another size.
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

    def be_one_of_many(self, side: int, names_rows: bool, width: int, height: int) -> bool:
        """Be a picture of `side` pixels among others like it; until it is there, its place is so wide and high.

        Returns whether that is new.
        """
        was, self._many = self._many, (side, names_rows)
        if was == self._many and self.picture is not None:
            return False
        if self.picture is None:
            self.be(width, height)
        else:
            self.picture.be_one_of_many(*self._many)
        return was != self._many

    @property
    def holds_all(self) -> bool:
        """Whether all of its picture is in it."""
        return bool(self.rect().contains(self.picture.geometry()))

    def stop(self) -> None:
        """Stay empty: the page is on its way out, and what came into it now would be left to Python's collector."""
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
        picture.show()  # the layout would do so in a later turn, and until then the place would be empty
        if self.fills:
            return
        if picture.minimumHeight() != picture.maximumHeight() and not picture.hasHeightForWidth():
            picture.setFixedHeight(self.height())
            self._gives_height = True
        # From now on the picture says how high it is, and perhaps how wide: more words make it larger.
        wide = picture.minimumWidth() == picture.maximumWidth()
        self.setMinimumSize(0 if wide else self.width(), 0)
        self.setMaximumSize(UNBOUNDED if wide else self.width(), UNBOUNDED)
