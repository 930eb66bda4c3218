"""Work in a later turn of the event loop, after the present turn has painted.

The bridge unites the document's changes, and announces them once in a turn. Python's collector gets turns of its own.
"""

import gc
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from explorer.document.document import Change, Document


def later(owner: QObject, act: Callable[[], object], once: bool = False) -> QTimer:
    """A timer that calls `act` once, in the turn after it is started; it may be started again.

    Not ``QTimer.singleShot``: if its context is deleted before, PySide keeps the callable for ever.

    `owner`: if it is deleted before, nothing happens.
    `once`: whether the timer is deleted after that.
    """
    timer = QTimer(owner, singleShot=True, interval=0)
    timer.timeout.connect(act)
    if once:
        timer.timeout.connect(lambda: _end(timer))
    return timer


def _end(timer: QTimer) -> None:
    """Delete a timer that is done: no child any more, since an owner that only `act` holds goes with it."""
    timer.setParent(None)
    timer.deleteLater()


def do_later(owner: QObject, act: Callable[[], object]) -> None:
    """Call `act` in the next turn, unless the owner is deleted before."""
    later(owner, act, once=True).start()


class BeforePainting(QObject):
    """Calls `act` once in a turn, before Qt paints, however often it was asked for.

    While Qt lays out a window it reports every intermediate size; only the last one is worth the work.

    `owner`: if it is deleted before, nothing happens.
    """

    def __init__(self, owner: QObject, act: Callable[[], object]) -> None:
        super().__init__(owner)
        self._act, self._asked = act, False

    def ask(self) -> None:
        """Request the call."""
        if not self._asked:
            self._asked = True
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.User))

    def customEvent(self, event: QEvent) -> None:
        self._asked = False
        self._act()


class Turns:
    """Starts one timer in each turn of the event loop: all of them in one turn would block the window.

    `owner`: if it is deleted before, nothing happens.
    """

    def __init__(self, owner: QObject) -> None:
        self._waiting: list[QTimer] = []
        self._started: QTimer | None = None
        self._next = later(owner, self._start)

    def add(self, timer: QTimer) -> None:
        """Put a timer of `later` at the end of the queue, unless it is queued already."""
        if timer not in self._waiting:
            self._waiting.append(timer)
            self._next.start()

    @property
    def idle(self) -> bool:
        """Whether no timer is queued or started."""
        started = self._started is not None and isValid(self._started) and self._started.isActive()
        return not self._waiting and not started

    def _start(self) -> None:
        self._started = timer = self._waiting.pop(0)
        if isValid(timer):
            timer.start()
        if self._waiting:
            self._next.start()


class OneATurn:
    """Does the first request of a turn at once, and each further one in a later turn of its own.

    A key that is held down may ask for ten steps while the event loop is busy with one.

    `owner`: if it is deleted before, nothing happens.
    """

    def __init__(self, owner: QObject) -> None:
        self._waiting: list[Callable[[], object]] = []
        self._turn = later(owner, self._go_on)

    def do(self, act: Callable[[], object]) -> None:
        """Call `act` now, or in one of the next turns."""
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
    """Call `act` in the next turn, or, if the window is not on the screen yet, once it has been painted there.

    A screen takes some turns to show a window; long work in one of them makes the person wait.
    """

    def act_or_wait() -> None:
        top = owner.window()  # kept: without a reference, PySide takes its handle for deleted
        window = top.windowHandle()
        if window is None or window.isExposed() or not top.isVisible():
            act()
        else:
            _Exposed(owner, top, window, act)

    do_later(owner, act_or_wait)


class _Exposed(QObject):
    """Waits until a window is on the screen: Qt paints it when it handles this event."""

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


ROUNDS = 10
"""After so many rounds of Python's collector through younger objects, one through all of them is due: as in Python."""


class Collector(QTimer):
    """Lets Python's collector go through all objects in a turn of its own.

    After an hour that takes some 100 ms. When due, it would begin within any act, which then took so much longer.
    Rounds through younger objects take a few ms, and are left to Python. (Python 3.14 has no rounds through all.)

    `owner`: once it is deleted, all is left to Python again.
    """

    def __init__(self, owner: QObject) -> None:
        super().__init__(owner, interval=1000)
        young, middle, old = gc.get_threshold()
        gc.set_threshold(young, middle, 1_000_000)
        owner.destroyed.connect(lambda: gc.set_threshold(young, middle, old))
        self.timeout.connect(self._collect_if_due)
        self.start()

    def _collect_if_due(self) -> None:
        if gc.isenabled() and gc.get_count()[2] >= ROUNDS:
            gc.collect()


HANDS = (
    QEvent.Type.KeyPress,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseButtonDblClick,
    QEvent.Type.Wheel,
    QEvent.Type.TouchBegin,
)
"""Events by which a person acts, other than pointing."""


class Bridge(QObject):
    """Collects the document's changes while the event loop is busy, and announces them as one.

    A drag may change the model several times before the window can paint; the states between are never drawn.
    """

    changed = Signal(object)  # Change: all that has changed since the last time
    # The event: a person acts in a window given to `goes_before`; the window itself gets the event after this.
    acted = Signal(object)

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pending: Change | None = None
        self.by_keys = False
        """Whether the person's last act was a key, so that the pointer merely rests where it is."""
        self._end = document.subscribe(self._note)
        self._timer = later(self, self.flush)

    def _note(self, change: Change) -> None:
        self._pending = change if self._pending is None else self._pending.followed_by(change)
        # Restarted at each change, it would stay behind a timer that changes the model again and again, and never fire.
        if not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Announce the pending change now, if there is one."""
        change, self._pending = self._pending, None
        self._timer.stop()
        if change is not None:
            self.changed.emit(change)

    def goes_before(self, window: QWidget) -> None:
        """Announce a pending change before the person's next event in a window: a click refers to what is visible.

        Keys and clicks in the queue come before any timer.
        """
        window.installEventFilter(self)
        handle = window.windowHandle()
        if handle is not None:  # else it is not shown yet
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self._pending is not None and event.isInputEvent():
            self.flush()
        if event.type() in HANDS:
            self.by_keys = event.type() == QEvent.Type.KeyPress
            self.acted.emit(event)
        elif event.type() == QEvent.Type.ShortcutOverride:  # a key with an action comes as this alone
            self.by_keys = True
        return False

    def close(self) -> None:
        """Stop listening to the document; a pending change is dropped. A window may be closed more than once."""
        end, self._end = self._end, lambda: None
        end()
        self._pending = None
        self._timer.stop()
