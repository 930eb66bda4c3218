"""Python's garbage collector, kept to the window's thread and to the time between two events."""

import gc

from PySide6.QtCore import QObject, QTimer

LOOK_MS = 100
"""Between two looks whether there is enough to collect; a look costs nothing."""


class Collector(QObject):
    """Collects garbage when the event loop has time, in place of Python, which does it wherever an object is made.

    A widget that only a ring of references holds is deleted by the collector. On the thread of a long pass or of a
    search that would happen beside the event loop, which Qt does not allow; and amid the repolishing of all widgets
    (a new style sheet) Qt would go on to one that is gone. Both ended the process now and then.

    While it lives, Python's own collector is off.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(collect)
        self._timer.start()
        gc.disable()
        self.destroyed.connect(lambda: gc.enable())


def collect() -> None:
    """Collect the generations of which Python's own collector would say that they are full."""
    for generation, most in enumerate(gc.get_threshold()):
        if gc.get_count()[generation] <= most:
            break
        gc.collect(generation)
