"""Being asked to stop, by a person or by the system."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Ctrl+C, being told to end, and a terminal that closes; Windows has no such terminals."""


@contextmanager
def stopped() -> Iterator[Event]:
    """An event that is set when this process is asked to stop. A second Ctrl+C ends it at once.

    A signal that is ignored stays so: whoever started the process, as nohup does, wants it to go on.
    """
    stop = Event()
    previous: dict[int, Any] = {}

    def on_signal(number: int, frame: object) -> None:
        stop.set()
        if signal.SIGINT in previous:
            signal.signal(signal.SIGINT, previous[signal.SIGINT])

    if threading.current_thread() is threading.main_thread():  # no other may listen
        previous = {one: signal.getsignal(one) for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN}
    for number in previous:
        signal.signal(number, on_signal)
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
