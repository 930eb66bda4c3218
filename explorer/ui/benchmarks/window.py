"""The window's figures of speed: from an edit to the last widget painted, and from the command to the first window."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TypeAlias

import numpy as np
from PySide6.QtCore import QEvent, QEventLoop, QObject, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer.benchmarks.measure import Measurement
from explorer.document.commands import SetCells, SetSwitch
from explorer.lessons.new import drawn, new_lesson
from explorer.lessons.schema import Lesson
from explorer.ui.main_window import MainWindow
from explorer.ui.selection import Cell

EDITS = 200
FRAME_MS = 1000 / 60
LONG = 64
LONGEST, MOVES, WARM_UP = 512, 120, 5
LARGE = (12, 12, 768)
LARGE_EDITS, MOST_HELD_MS = 20, 50.0


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
    longest = cache(partial(_window, open_window, _longest_lesson))
    for what in ("hover", "pan"):
        measure = partial(move_to_painted, longest, what)
        measure.__name__ = f"{what} over {LONGEST} × {LONGEST} attention"  # type: ignore[attr-defined]
        yield measure
    yield loop_held
    yield command_to_window


class Paints(QObject):
    """Counts paint events of all widgets, and lets no tooltip come, which a mouse that is still would bring."""

    def __init__(self, app: QApplication) -> None:
        super().__init__()
        self.count = 0
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return event.type() == QEvent.Type.ToolTip


QUIET_S = 0.008
"""After so long with nothing to do there is nothing left to paint."""
BUSY_S = 0.0005
"""A turn of the event loop that takes longer has done something."""


def settle(app: QApplication, paints: Paints) -> tuple[float, int]:
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


def _longest_lesson() -> Lesson:
    """As many words as a sequence may have, with four heads of 64 dimensions, as in the papers."""
    words = " ".join(f"word{i}" for i in range(LONGEST))
    return new_lesson("gpt", [words], d_model=256, heads=4)


def _large_lesson() -> Lesson:
    """Blocks of the size of GPT-2 small, which know a thousand words."""
    words, known = (" ".join(f"word{i}" for i in range(n)) for n in (LONG, 1000))
    layers, heads, d_model = LARGE
    return drawn(new_lesson("gpt", [words], vocabulary=known, layers=layers, heads=heads, d_model=d_model))


def _window(
    open_window: Callable[[str], Opened], make: Callable[[], Lesson] | None
) -> tuple[QApplication, MainWindow, Paints]:
    app, window = open_window("you-are-welcome")
    if make is not None:
        window.bench.open(make())
        window.bench.document.settle()
        window.bench.bridge.flush()
    block = next(block for block, kind in window.bench.document.state.model.blocks().items() if kind == "attention")
    window.bench.document.do(SetSwitch(block, "mask", "hand"))
    window.bench.document.settle()
    window.bench.bridge.flush()
    window.bench.selection.go_to(f"{block}.attention")
    # The inspector derives a cell that every edit reaches.
    window.bench.selection.choose(Cell(f"{block}.weights", (0, 1, 2)))
    paints = Paints(app)
    deadline = time.perf_counter() + 10
    panel = window.panel()
    while not panel.plots and time.perf_counter() < deadline:
        app.processEvents()
    settle(app, paints)
    return app, window, paints


def edit_to_painted(
    opened: Callable[[], tuple[QApplication, MainWindow, Paints]],
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


def move_to_painted(opened: Callable[[], tuple[QApplication, MainWindow, Paints]], what: str) -> Measurement:
    """From a move of the mouse over the heat map to the last widget painted: the map, linked matrices, the inspector.

    Parameters
    ----------
    opened : callable
    what : str
        "hover", from cell to cell, or "pan", dragging a part of the map that one looks at closer.
    """
    from explorer.ui.widgets.heat_map import HeatMap

    app, window, paints = opened()
    (heat,) = window.panel().findChildren(HeatMap)
    window.panel().ensureWidgetVisible(heat)
    settle(app, paints)
    handle, random = window.windowHandle(), np.random.default_rng(0)
    box = heat.getViewBox().sceneBoundingRect()
    in_sight = heat.viewport().visibleRegion().boundingRect()
    area = box.toRect().intersected(in_sight).adjusted(2, 2, -2, -2)
    if what == "pan":
        heat.zoom(4.0)
        settle(app, paints)
        QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=heat.mapTo(window, area.center()))
    times = []
    for _ in range(MOVES):
        x, y = (random.integers(low, high) for low, high in ((area.left(), area.right()), (area.top(), area.bottom())))
        spot = heat.mapTo(window, QPoint(int(x), int(y)))
        start = time.perf_counter()
        QTest.mouseMove(handle, spot)
        painted_at, count = settle(app, paints)
        if count:  # the same place again, or an end of the map, changes nothing
            times.append((painted_at - start) * 1000)
    if what == "pan":
        QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=spot)
        heat.look(heat.whole)
    assert len(times) > MOVES // 2, "the moves were not painted"
    times = times[WARM_UP:]  # formulas are typeset, and references read, at the first look
    p50, p95 = np.percentile(times, [50, 95])
    return Measurement(
        f"{what} over {LONGEST} × {LONGEST} attention, p95",
        float(p95),
        "ms",
        FRAME_MS,
        "a frame at 60 Hz",
        f"{len(times)} moves of the mouse, median {p50:.1f} ms, slowest {max(times):.1f} ms",
    )


class Beats(QObject):
    """A heart that beats each millisecond, if the event loop lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.longest = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer(self, interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.longest, self._last = max(self.longest, now - self._last), now


def longest_turns(opened: Callable[[], tuple[QApplication, MainWindow, Paints]]) -> tuple[list[float], list[float]]:
    """How long edits of a large model hold the event loop up, and how long each is on its way to the last paint, in ms.

    The attention of the first layer is in sight.
    """
    app, window, paints = opened()
    document, random, beats = window.bench.document, np.random.default_rng(0), Beats()
    held, times = [], []
    for i in range(LARGE_EDITS):
        name = ("decoder.1.self.head.1.W_Q", "decoder.6.self.head.1.W_V", "input.table")[i % 3]
        seen = paints.count
        now = start = painted_at = time.perf_counter()
        beats.longest = 0.0
        document.do(SetCells(name, {(1, 2): round(float(random.normal()), 2)}))
        while document.computing or now - painted_at < 10 * QUIET_S:
            app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            now = time.perf_counter()
            if document.computing or paints.count != seen:
                seen, painted_at = paints.count, now
        held.append(beats.longest * 1000)
        times.append((painted_at - start) * 1000)
    beats.deleteLater()
    return held, times


_LARGE_CHILD = """
import json
from functools import partial
from explorer.memory import keep_freed_memory
keep_freed_memory()
from explorer.app import open_window
from explorer.ui.benchmarks.window import _large_lesson, _window, longest_turns
print(json.dumps(longest_turns(partial(_window, open_window, _large_lesson))))
"""


def loop_held() -> Measurement:
    """The longest that a large model holds the event loop up, in a process of its own, as the program is started."""
    environment = {**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    command = [sys.executable, "-c", _LARGE_CHILD]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, timeout=300)
    held, times = json.loads(done.stdout.splitlines()[-1])
    return Measurement(
        f"event loop held, {' × '.join(map(str, LARGE))}, {LONG} tokens, longest",
        max(held),
        "ms",
        MOST_HELD_MS,
        "three frames at 60 Hz",
        f"{LARGE_EDITS} edits, of each the longest: median {np.median(held):.1f} ms; "
        f"from edit to painted, median {np.median(times):.0f} ms",
    )


_CHILD = """
import explorer.__main__, time, sys
from explorer.app import open_window
app, window = open_window()
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
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
