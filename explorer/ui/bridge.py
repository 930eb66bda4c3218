"""From the document's changes to repaints: united, and told once per turn of the event loop."""

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from explorer.document.document import Change, Document
from explorer.ui.turns import later


class Bridge(QObject):
    """Collects changes while the event loop is busy and tells them as one.

    A drag may change the model several times before the window can paint; what lies between is never drawn.
    """

    changed = Signal(object)  # Change: all that has changed since the last time

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pending: Change | None = None
        self._end = document.subscribe(self._note)
        self._timer = later(self, self.flush)

    def _note(self, change: Change) -> None:
        self._pending = change if self._pending is None else self._pending.followed_by(change)
        # Started anew, it would always stand behind a timer that changes the model again and again, and never run.
        if not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Tell what is pending now, if anything is."""
        change, self._pending = self._pending, None
        self._timer.stop()
        if change is not None:
            self.changed.emit(change)

    def goes_before(self, window: QWidget) -> None:
        """Tell what is pending before what a person does next in a window: a click means what one sees.

        Keys and clicks that have waited in line come before any timer.
        """
        window.installEventFilter(self)
        handle = window.windowHandle()
        if handle is not None:  # else it is not shown yet
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self._pending is not None and event.isInputEvent():
            self.flush()
        return False

    def close(self) -> None:
        """Stop listening to the document; what is pending is not told. A window may be closed more than once."""
        end, self._end = self._end, lambda: None
        end()
        self._pending = None
        self._timer.stop()
