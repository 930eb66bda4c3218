"""The parts of gradient descent on a page, which change by themselves while the page stays."""

from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QCheckBox, QWidget

from explorer.pages.page import DescentPart
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.tree import Gone
from explorer.ui.workbench import Workbench

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
        self._most, self._larger = UNBOUNDED, 1.0
        self._make(part)

    @property
    def picture(self) -> QWidget | None:
        """The widget of the part; None while it waits for a turn of its own."""
        inner: QWidget | None = self._inner.picture if isinstance(self._inner, PicturePlace) else self._inner
        return inner

    def tell(self, part: DescentPart) -> None:
        """Build the part again if it is about another model; changes of the same model it follows by itself."""
        was, self._part = self._part, part
        if was.about != part.about or self._empty:
            self._column.removeWidget(self._inner)
            self._inner.hide()
            self._gone.delete(self._inner)
            self._make(part)

    def _make(self, part: DescentPart) -> None:
        px = self._bench.appearance.px
        self._empty = False
        if part.height:
            turns, size = self._bench.appearance.turns, (px(part.width), px(part.height))
            self._inner = PicturePlace(turns, lambda _: self._made(part), part, *size)
        else:
            self._inner = self._made(part)
        self._column.addWidget(self._inner)
        self.be_no_wider(self._most, self._larger)

    def _made(self, part: DescentPart) -> QWidget:
        """The widget; an empty one if the model has lost its loss and the page is not updated yet."""
        self._empty = not self._bench.descent.possible
        return QWidget() if self._empty else PARTS[part.part](self._bench)

    def be_no_wider(self, pixels: int, larger: float = 1.0) -> bool:
        """Limit the width to `pixels`; returns whether the width has changed.

        `larger`: how many times larger than on other pages a picture may be.
        """
        self._most, self._larger = pixels, larger
        px, part = self._bench.appearance.px, self._part
        if isinstance(self._inner, PicturePlace):
            wide = pixels if 0 < px(part.all_from) <= pixels else px(part.width)
            return self._inner.use(pixels, wide, px(part.height), self._bench.appearance.scale, larger)
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


def _steps(bench: Workbench) -> QWidget:
    from explorer.ui.training.stepper import Stepper

    return Stepper(bench)


class _Curve(QWidget):
    """The curve of the loss, and a switch for its logarithmic scale."""

    def __init__(self, bench: Workbench) -> None:
        from explorer.ui.training.loss_curve import RunCurve

        super().__init__()
        self._curve = RunCurve(bench)
        log = QCheckBox("Logarithmic scale")
        log.setToolTip("A logarithmic scale: 1, 0.1 and 0.01 have equal distances, so that small losses can be read")
        log.toggled.connect(self._curve.set_log)
        column = column_in(self)
        column.addWidget(self._curve, 1)
        column.addWidget(log)


def _surface(bench: Workbench) -> QWidget:
    from explorer.ui.training.loss_surface import SurfaceView

    return SurfaceView(bench)


def _cells(bench: Workbench) -> QWidget:
    from explorer.ui.training.loss_surface import CellPicker

    return CellPicker(bench)


PARTS: dict[str, Callable[[Workbench], QWidget]] = {
    "steps": _steps,
    "curve": _Curve,
    "surface": _surface,
    "cells": _cells,
}
