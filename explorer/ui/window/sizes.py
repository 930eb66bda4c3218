"""Of many sizes of a window in one turn of the event loop the first and the last are laid out."""

from collections.abc import Callable

from PySide6.QtWidgets import QLayout, QWidget

from explorer.ui.turns import later


class Sizes:
    """What a window's ``resizeEvent`` tells of: whoever draws at its corner sends many sizes at once.

    To lay out each of fifteen held the window up for half a second.

    Parameters
    ----------
    window : QWidget
        With a layout.
    fit : callable
        Lets the parts of the window share its size.
    """

    def __init__(self, window: QWidget, fit: Callable[[], None]) -> None:
        self._window, self._fit = window, fit
        self._fitted = window.size()
        self._turn = later(window, self._end)

    @property
    def _layout(self) -> QLayout:
        layout = self._window.layout()
        assert layout is not None
        return layout

    def follow(self) -> None:
        """The window has another size."""
        if not self._turn.isActive():
            self._share()
        if self._window.isVisible():
            self._wait()

    def _share(self) -> None:
        self._fitted = self._window.size()
        self._fit()

    def _wait(self) -> None:
        """Lay out nothing more in this turn."""
        self._layout.setEnabled(False)
        self._turn.start()

    def _end(self) -> None:
        another = self._window.size() != self._fitted
        self._layout.setEnabled(True)
        if another:
            self._share()
        self._layout.invalidate()  # what asked for another layout meanwhile was not heard
        self._layout.activate()
        if another:
            self._wait()  # nor the first of what comes before this turn ends
