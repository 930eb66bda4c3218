"""The parts of gradient descent on a page, which are in motion while the page stands."""

from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.pages.page import Descent
from explorer.ui.page.late import Late
from explorer.ui.workbench import Workbench


class DescentPart(QWidget):
    """One part: see `Descent`.

    Parameters
    ----------
    bench : Workbench
    part : Descent
    """

    def __init__(self, bench: Workbench, part: Descent, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._inner: Any = None
        self._make(part)

    def tell(self, part: Descent) -> None:
        """Follow the model, or be made anew for another one."""
        was, self._part = self._part, part
        if was.about != part.about:
            self._column.removeWidget(self._inner)
            self._inner.hide()
            self._inner.deleteLater()
            self._make(part)
        elif isinstance(self._inner, Late):
            self._inner.tell(part)
        else:
            self._inner.refresh()

    def _make(self, part: Descent) -> None:
        self._part = part
        px = self._bench.appearance.px
        make = PARTS[part.part]
        if part.width:
            self._inner = Late(lambda _: _Following(make(self._bench)), part, px(part.width), px(part.height))
        else:
            self._inner = make(self._bench)
        self._column.addWidget(self._inner)


class _Following(QWidget):
    """A picture that reads the run by itself, told that there is something to read."""

    def __init__(self, picture: QWidget) -> None:
        super().__init__()
        self._picture: Any = picture
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(picture)

    def tell(self, part: Descent) -> None:
        """Read the run."""
        self._picture.refresh()


def _stepper(bench: Workbench) -> QWidget:
    from explorer.ui.widgets.stepper import Stepper

    return Stepper(bench)


def _curve(bench: Workbench) -> QWidget:
    from explorer.ui.widgets.run_curve import RunCurveWithScale

    return RunCurveWithScale(bench)


def _surface(bench: Workbench) -> QWidget:
    from explorer.ui.widgets.surface_view import SurfaceView

    return SurfaceView(bench)


def _weights(bench: Workbench) -> QWidget:
    from explorer.ui.widgets.moving import Moving

    return Moving(bench)


PARTS: dict[str, Callable[[Workbench], QWidget]] = {
    "steps": _stepper,
    "curve": _curve,
    "surface": _surface,
    "weights": _weights,
}
