"""The window's figures of speed: from an edit to the last widget painted, and from the command to the first window."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TypeAlias

import numpy as np
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from explorer.benchmarks.measure import Measurement
from explorer.document.commands import SetCells, SetSwitch
from explorer.lessons.new import new_lesson
from explorer.lessons.schema import Lesson
from explorer.ui.main_window import MainWindow
from explorer.ui.selection import Cell

EDITS = 200
FRAME_MS = 1000 / 60
LONG = 64


Opened: TypeAlias = tuple[QApplication, MainWindow]


def figures(open_window: Callable[[str], Opened]) -> Iterator[Callable[[], Measurement]]:
    """All of the window's measurements, in a window that `open_window` opens on a lesson."""
    small, large = (cache(partial(_window, open_window, lesson)) for lesson in (None, _long_lesson))
    weight = "encoder.1.self.head.1.W_Q"
    for opened, what, name, cell, limit in (
        (small, "a weight", weight, (1, 2), FRAME_MS),
        (small, "an embedding", "source.table", (1, 0), FRAME_MS),
        (small, "the mask", "encoder.1.self.mask", (1, 2), FRAME_MS),
        (large, f"a weight, {LONG} tokens, 4 heads,", weight, (1, 2), 2 * FRAME_MS),
    ):
        measure = partial(edit_to_painted, opened, what, name, cell, limit)
        measure.__name__ = f"from editing {what} to painted"  # type: ignore[attr-defined]
        yield measure
    yield command_to_window


class _Paints(QObject):
    """Counts paint events of all widgets."""

    def __init__(self, app: QApplication) -> None:
        super().__init__()
        self.count = 0
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


QUIET_S = 0.008
"""After so long with nothing to do there is nothing left to paint."""
BUSY_S = 0.0005
"""A turn of the event loop that takes longer has done something."""


def settle(app: QApplication, paints: _Paints) -> tuple[float, int]:
    """Run the event loop until nothing is left to paint.

    Returns
    -------
    float
        The time (`time.perf_counter`) when the last widget was painted.
    int
        How many were painted.
    """
    before = paints.count
    painted_at = busy_at = now = time.perf_counter()
    while now - busy_at < QUIET_S:
        started, seen = now, paints.count
        app.processEvents()
        now = time.perf_counter()
        if paints.count != seen:
            painted_at = busy_at = now
        elif now - started > BUSY_S:
            busy_at = now
    return painted_at, paints.count - before


def _long_lesson() -> Lesson:
    """As many words as a longer sentence has, with four heads."""
    words = " ".join(f"word{i}" for i in range(LONG))
    return new_lesson("encoder-decoder", [words, "<start> a b"], d_model=32, heads=4)


def _window(
    open_window: Callable[[str], Opened], make: Callable[[], Lesson] | None
) -> tuple[QApplication, MainWindow, _Paints]:
    app, window = open_window("you-are-welcome")
    if make is not None:
        window.bench.open(make())
        window.bench.bridge.flush()
    window.bench.document.do(SetSwitch("encoder.1.self", "mask", "hand"))
    window.bench.selection.go_to("encoder.1.self.attention")
    # The inspector derives a cell that every edit reaches.
    window.bench.selection.choose(Cell("encoder.1.self.weights", (0, 1, 2)))
    paints = _Paints(app)
    deadline = time.perf_counter() + 10
    panel = window.panel()
    while not panel.plots and time.perf_counter() < deadline:
        app.processEvents()
    settle(app, paints)
    return app, window, paints


def edit_to_painted(
    opened: Callable[[], tuple[QApplication, MainWindow, _Paints]],
    what: str,
    name: str,
    cell: tuple[int, ...],
    limit: float,
) -> Measurement:
    """From `document.do` to the last visible widget painted, attention panel, map and inspector in sight."""
    app, window, paints = opened()
    document = window.bench.document
    random = np.random.default_rng(0)
    times, widgets = [], 0
    for i in range(EDITS):
        value = float(i % 2) if name.endswith("mask") else round(float(random.normal()), 2)
        settle(app, paints)
        start = time.perf_counter()
        document.do(SetCells(name, {cell: value}))
        painted_at, count = settle(app, paints)
        assert count, "the edit was not painted"
        widgets = max(widgets, count)
        times.append((painted_at - start) * 1000)
    p50, p95 = np.percentile(times, [50, 95])
    return Measurement(
        f"edit {what} to painted, p95",
        float(p95),
        "ms",
        limit,
        "a frame at 60 Hz" if limit == FRAME_MS else "two frames at 60 Hz",
        f"{EDITS} edits, median {p50:.1f} ms, slowest {max(times):.1f} ms, up to {widgets} widgets painted",
    )


_CHILD = """
import explorer.__main__, time, sys
from explorer.app import open_window
app, window = open_window()
from PySide6.QtCore import QEvent, QObject
class Paints(QObject):
    painted = False
    def eventFilter(self, watched, event):
        self.painted = self.painted or event.type() == QEvent.Type.Paint
        return False
paints = Paints()
app.installEventFilter(paints)
while not paints.painted:
    app.processEvents()
assert "gensim" not in sys.modules
print(time.time())
"""


def command_to_window() -> Measurement:
    """From starting the command to the first painted window, in a process of its own, files in the disk cache."""
    environment = {**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    times = []
    for _ in range(6):
        start = time.time()
        done = subprocess.run(
            [sys.executable, "-c", _CHILD], capture_output=True, text=True, env=environment, check=True, timeout=60
        )
        times.append(float(done.stdout.split()[-1]) - start)
    bare = _bare_window(environment)
    return Measurement(
        "command to first painted window",
        float(np.median(times[1:])),
        "s",
        1.0,
        f"a bare Qt window: {bare:.2f} s",
        f"median of {len(times) - 1} after one to warm up, slowest {max(times[1:]):.2f} s, gensim not imported",
    )


_BARE = """
import time
from PySide6.QtWidgets import QApplication, QWidget
app = QApplication([])
window = QWidget()
window.show()
app.processEvents()
print(time.time())
"""


def _bare_window(environment: dict[str, str]) -> float:
    times = []
    for _ in range(3):
        start = time.time()
        command = [sys.executable, "-c", _BARE]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, timeout=60)
        times.append(float(done.stdout.split()[-1]) - start)
    return float(np.median(times))
