"""What is done in a later turn of the event loop, once the present one has painted."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def later(owner: QObject, act: Callable[[], object]) -> QTimer:
    """A timer that, once started, does something in the next turn, and only then; it may be started again.

    A timer of its own, not ``QTimer.singleShot``: PySide keeps what that calls for ever, if its context is deleted
    before.

    Parameters
    ----------
    owner : QObject
        Where it is deleted before, nothing happens.
    act : callable
    """
    timer = QTimer(owner, singleShot=True, interval=0)
    timer.timeout.connect(act)
    return timer


def do_later(owner: QObject, act: Callable[[], object]) -> None:
    """Do something in the next turn, unless the owner is deleted before."""
    timer = later(owner, act)
    timer.timeout.connect(timer.deleteLater)
    timer.start()
