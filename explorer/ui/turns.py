"""What is done in a later turn of the event loop, once the present one has painted.

From the document's changes to repaints: united, and told once per turn of the event loop.
"""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from explorer.document.document import Change, Document


def later(owner: QObject, act: Callable[[], object], once: bool = False) -> QTimer:
    """A timer that, once started, does something in the next turn, and only then; it may be started again.

    A timer of its own, not ``QTimer.singleShot``: PySide keeps what that calls for ever, if its context is deleted
    before.

    Parameters
    ----------
    owner : QObject
        Where it is deleted before, nothing happens.
    once : bool
        Whether it is deleted after that.
    """
    timer = QTimer(owner, singleShot=True, interval=0)
    timer.timeout.connect(act)
    if once:
        timer.timeout.connect(timer.deleteLater)
    return timer


def do_later(owner: QObject, act: Callable[[], object]) -> None:
    """Do something in the next turn, unless the owner is deleted before."""
    later(owner, act, once=True).start()


class BeforePainting(QObject):
    """Does something once, however often it is asked for in a turn, before Qt paints in that turn.

    Qt tells of each size that something has while a window is laid out; only the last one is worth an effort.

    `owner`: where it is deleted before, nothing happens.
    """

    def __init__(self, owner: QObject, act: Callable[[], object]) -> None:
        super().__init__(owner)
        self._act, self._asked = act, False

    def ask(self) -> None:
        """Have it done."""
        if not self._asked:
            self._asked = True
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.User))

    def customEvent(self, event: QEvent) -> None:
        self._asked = False
        self._act()


class Turns:
    """Does one thing in each turn of the event loop: all of them in one would hold it up.

    `owner`: where it is deleted before, nothing happens.
    """

    def __init__(self, owner: QObject) -> None:
        self._waiting: list[QTimer] = []
        self._started: QTimer | None = None
        self._next = later(owner, self._start)

    def add(self, timer: QTimer) -> None:
        """Start a timer of `later` behind those that wait, unless it waits itself."""
        if timer not in self._waiting:
            self._waiting.append(timer)
            self._next.start()

    @property
    def idle(self) -> bool:
        """Whether nothing waits or has been told to start."""
        started = self._started is not None and isValid(self._started) and self._started.isActive()
        return not self._waiting and not started

    def _start(self) -> None:
        self._started = timer = self._waiting.pop(0)
        if isValid(timer):
            timer.start()
        if self._waiting:
            self._next.start()


class OneATurn:
    """Does what is asked for at once, and what is asked for in the same turn in turns of its own.

    Who holds a key down may ask for ten steps while the event loop is busy with one.

    `owner`: where it is deleted before, nothing happens.
    """

    def __init__(self, owner: QObject) -> None:
        self._waiting: list[Callable[[], object]] = []
        self._turn = later(owner, self._go_on)

    def do(self, act: Callable[[], object]) -> None:
        """Do something, in this turn or one of the next."""
        if self._turn.isActive():
            self._waiting.append(act)
        else:
            self._turn.start()
            act()

    def _go_on(self) -> None:
        if self._waiting:
            self._turn.start()
            self._waiting.pop(0)()


def do_once_painted(owner: QWidget, act: Callable[[], object]) -> None:
    """Do something in the next turn, or, where the window is on its way to the screen, once it has been painted there.

    A screen takes some turns to show a window; what takes long in one of them is time that a person waits.
    """

    def act_or_wait() -> None:
        top = owner.window()  # kept: PySide takes its handle for deleted as soon as nobody holds it
        window = top.windowHandle()
        if window is None or window.isExposed() or not top.isVisible():
            act()
        else:
            _Exposed(owner, top, window, act)

    do_later(owner, act_or_wait)


class _Exposed(QObject):
    """Waits until a window stands on the screen: Qt paints it as it hears of it."""

    def __init__(self, owner: QObject, top: QWidget, window: QWindow, act: Callable[[], object]) -> None:
        super().__init__(owner)
        self._owner, self._top, self._act = owner, top, act
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Expose:
            watched.removeEventFilter(self)
            do_later(self._owner, self._act)
            self.deleteLater()
        return False


HANDS = (
    QEvent.Type.KeyPress,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseButtonDblClick,
    QEvent.Type.Wheel,
    QEvent.Type.TouchBegin,
)
"""What a hand does, beside pointing at something."""


class Bridge(QObject):
    """Collects changes while the event loop is busy and tells them as one.

    A drag may change the model several times before the window can paint; what lies between is never drawn.
    """

    changed = Signal(object)  # Change: all that has changed since the last time
    # The event: a hand does something in a window that this goes before, which is still to hear of it.
    acted = Signal(object)

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
        if event.type() in HANDS:
            self.acted.emit(event)
        return False

    def close(self) -> None:
        """Stop listening to the document; what is pending is not told. A window may be closed more than once."""
        end, self._end = self._end, lambda: None
        end()
        self._pending = None
        self._timer.stop()
