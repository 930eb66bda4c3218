"""The window's figures of speed: from an edit to the last painting, and from the command to the first window."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import TypeAlias

import numpy as np
from PySide6.QtCore import QEventLoop, QObject, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from benchmarks.measure import InTurns, Measurement, in_turns, overload
from benchmarks.painting import QUIET_S, Bare, Paints, settle
from explorer.core.graph import Cell
from explorer.document.commands import SetCells, SetSwitch
from explorer.lessons.document_lesson import drawn, new_lesson
from explorer.lessons.schema import Lesson
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.window.main_window import MainWindow

EDITS, MOVES, STARTS, WARM_UP = 100, 100, 9, 5
TWICE = 2.0
MOST_EDIT, MOST_OF_MOVES, MOST_START = 1.8, {"hover": 1.5, "pan": 0.5}, 1.6
"""Times the yardstick that an edit, a move of the mouse and a start may take."""
BARE = "bare painting of the same"
LONG, LONGEST = 64, 512
LARGE = (12, 12, 768)
LARGE_EDITS, MOST_HELD = 20, 8.0

Opened: TypeAlias = tuple[QApplication, MainWindow]


def figures(open_window: Callable[[str], Opened]) -> Iterator[Callable[[], Measurement]]:
    """All of the window's measurements, in a window that `open_window` opens on a lesson."""
    small, large = (cache(partial(attention_window, open_window, lesson)) for lesson in (None, _long_lesson))
    weight = "encoder.1.self.head.1.W_Q"
    for opened, what, name, cell in (
        (small, "a weight", weight, (1, 2)),
        (small, "an embedding", "source.table", (1, 0)),
        (small, "the mask", "encoder.1.self.mask", (1, 2)),
        (large, f"a weight, {LONG} tokens, 4 heads,", weight, (1, 2)),
    ):
        measure = partial(edit_to_painted, opened, what, name, cell)
        measure.__name__ = f"from editing {what} to painted"  # type: ignore[attr-defined]
        yield measure
    longest = cache(partial(attention_window, open_window, _longest_lesson))
    for what in ("hover", "pan"):
        measure = partial(move_to_painted, longest, what)
        measure.__name__ = f"{what} over {LONGEST} × {LONGEST} attention"  # type: ignore[attr-defined]
        yield measure
    yield loop_held
    yield command_to_window


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


def attention_window(
    open_window: Callable[[str], Opened], make: Callable[[], Lesson] | None
) -> tuple[QApplication, MainWindow, Paints]:
    """A window on the first attention of a lesson, by default "You are welcome", all its pictures drawn."""
    app, window = open_window("you-are-welcome")
    window.bench.appearance.still = True  # what flashes once a person rests is no part of an edit
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
    paints = Paints(window)
    deadline = time.perf_counter() + 10
    page = window.page()
    while any(late.picture is None for late in page.findChildren(PicturePlace)) and time.perf_counter() < deadline:
        app.processEvents()
    settle(app, paints)
    return app, window, paints


def edit_to_painted(
    opened: Callable[[], tuple[QApplication, MainWindow, Paints]], what: str, name: str, cell: tuple[int, ...]
) -> Measurement:
    """From `document.do` to the last painting of the window, attention panel, map and inspector in sight."""
    app, window, paints = opened()
    document = window.bench.document
    random = np.random.default_rng(0)
    turn = 0

    def edited() -> float:
        nonlocal turn
        turn += 1
        value = float(turn % 2) if name.endswith("mask") else round(float(random.normal()), 2)
        start = time.perf_counter()
        document.do(SetCells(name, {cell: value}))
        painted_at, count = settle(app, paints)
        assert count, "the edit was not painted"
        return painted_at - start

    both = _beside_bare(app, window, paints, edited, EDITS)
    return _detailed(both.measured(f"edit {what} to painted", MOST_EDIT, BARE), both, "edits")


def _beside_bare(
    app: QApplication, window: MainWindow, paints: Paints, act: Callable[[], float], pairs: int
) -> InTurns:
    """Something that a window paints, in turns with bare painting of all that stands in it."""
    bare = Bare(app, paints, window)
    try:
        return in_turns(act, bare.painted, pairs, WARM_UP)
    finally:
        bare.close()
        bare.deleteLater()
        settle(app, paints)


def _detailed(one: Measurement, both: InTurns, more: str) -> Measurement:
    slow = np.percentile(both.ours, 95) * 1e3
    return replace(one, detail=f"{one.detail}; p95 {slow:.1f} ms, slowest {max(both.ours) * 1e3:.1f} ms, {more}")


def move_to_painted(opened: Callable[[], tuple[QApplication, MainWindow, Paints]], what: str) -> Measurement:
    """From a move of the mouse over the heat map to the last painting: of the map, linked matrices, the inspector.

    Parameters
    ----------
    opened : callable
    what : str
        "hover", from cell to cell, or "pan", dragging a part of the map that one looks at closer.
    """
    from explorer.ui.drawing.weights import HeatMapView

    app, window, paints = opened()
    (heat,) = window.page().findChildren(HeatMapView)
    window.page().ensureWidgetVisible(heat)
    settle(app, paints)
    handle, random = window.windowHandle(), np.random.default_rng(0)
    box = heat.getViewBox().sceneBoundingRect()
    in_sight = heat.viewport().visibleRegion().boundingRect()
    area = box.toRect().intersected(in_sight).adjusted(2, 2, -2, -2)
    spot = heat.mapTo(window, area.center())
    if what == "pan":
        heat.zoom(4.0)
        settle(app, paints)

    def moved() -> float:
        nonlocal spot
        for _ in range(20):  # the same place again, or an end of the map, changes nothing
            x, y = random.integers(area.left(), area.right()), random.integers(area.top(), area.bottom())
            spot = heat.mapTo(window, QPoint(int(x), int(y)))
            before, start = paints.count, time.perf_counter()
            QTest.mouseMove(handle, spot)  # runs the event loop: some, or all, is painted before it returns
            painted_at, _ = settle(app, paints)
            if paints.count > before:
                return painted_at - start
        raise AssertionError("the moves were not painted")

    if what == "pan":
        QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=spot)
    both = _beside_bare(app, window, paints, moved, MOVES)
    if what == "pan":
        QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=spot)
        heat.look(heat.whole)
    name = f"{what} over {LONGEST} × {LONGEST} attention"
    return _detailed(both.measured(name, MOST_OF_MOVES[what], BARE), both, "moves of the mouse")


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


def longest_turns(
    opened: Callable[[], tuple[QApplication, MainWindow, Paints]],
) -> tuple[list[float], list[float], list[float]]:
    """How long edits of a large model hold the event loop up, and how long each is on its way to the last paint.

    The attention of the first layer is in sight. The third list has bare paintings of that window, one after each edit.
    """
    app, window, paints = opened()
    document, random, beats = window.bench.document, np.random.default_rng(0), Beats()
    bare = Bare(app, paints, window)
    held, times, painted = [], [], []
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
        held.append(beats.longest)
        times.append(painted_at - start)
        painted.append(bare.painted())
    beats.deleteLater()
    bare.close()
    bare.deleteLater()
    return held, times, painted


_LARGE_CHILD = """
import json
from functools import partial
from explorer.memory import keep_freed_memory
keep_freed_memory()
from explorer.app import open_window
from benchmarks.window import _large_lesson, attention_window, longest_turns
print(json.dumps(longest_turns(partial(attention_window, open_window, _large_lesson))))
"""


def loop_held() -> Measurement:
    """The longest that a large model holds the event loop up, in a process of its own, as the program is started."""
    held, times, painted = json.loads(_said_by(_LARGE_CHILD))
    both = InTurns(held, painted, overload())
    one = both.measured(f"event loop held, {' × '.join(map(str, LARGE))}, {LONG} tokens, p95", MOST_HELD, BARE, 95)
    return replace(one, detail=f"{one.detail}; from edit to painted, median {np.median(times) * 1e3:.0f} ms")


def _said_by(code: str) -> str:
    """The last line that a process of its own prints."""
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        # A person's Python keeps what it has compiled, ours as well as that of the libraries.
        "PYTHONDONTWRITEBYTECODE": "",
    }
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, timeout=300)
    return done.stdout.splitlines()[-1]


_UNTIL_PAINTED = """
import time
from PySide6.QtCore import QCoreApplication, QEvent, QObject
class Paints(QObject):
    begun, painted = False, 0.0
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and not self.begun:
            self.begun = True
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.User))
        return False
    def customEvent(self, event):  # all widgets are painted in one event of the window; this one comes behind it
        self.painted = time.time()
paints = Paints()
app.installEventFilter(paints)
while not paints.painted:
    app.processEvents()
print(paints.painted)
"""

_OURS = f"""
import explorer.__main__, sys
from explorer.app import open_window
app, window = open_window()
{_UNTIL_PAINTED}
assert "gensim" not in sys.modules
"""

_BARE = f"""
import numpy
import pyqtgraph
from PySide6.QtWidgets import QApplication
app = QApplication([])
window = pyqtgraph.PlotWidget()
window.addItem(pyqtgraph.ImageItem(numpy.random.default_rng(0).random((64, 64))))
window.resize(1600, 900)
window.show()
{_UNTIL_PAINTED}
"""


def command_to_window() -> Measurement:
    """From starting the command to the first painted window, in a process of its own, files in the disk cache."""

    def started(code: str) -> float:
        start = time.time()
        return float(_said_by(code)) - start

    both = in_turns(partial(started, _OURS), partial(started, _BARE), STARTS, warm_up=1, alone=False)
    against = "a bare PySide6 and pyqtgraph window with one image"
    one = both.measured("command to first painted window", MOST_START, against)
    return replace(one, detail=f"{one.detail}; gensim not imported")
