"""The picture of the whole model: painted after an edit, looked at closer, moved about, and opened for a deep model."""

import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TypeAlias

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from benchmarks.measure import InTurns, Measurement, in_turns, overload
from benchmarks.painting import Bare, Paints, settle
from benchmarks.window import BARE, EDITS, MOST_HELD, MOVES, TWICE, WARM_UP, Beats, _beside_bare, _detailed
from explorer.document.commands import SetCells
from explorer.lessons.document_lesson import drawn, new_lesson
from explorer.lessons.loader import load
from explorer.lessons.schema import WHOLE, Lesson
from explorer.pages.levels import ALL, LAYER
from explorer.pages.whole.lanes import WRITTEN
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.window.main_window import MainWindow
from explorer.ui.window.opening import OpeningPage

Opened: TypeAlias = tuple[QApplication, MainWindow, Paints]

THREE_TIMES = 3.0
MOVING = 1.8
"""Of a frame of what moves."""
FRAMES = 40
STAGES = "encoder.1.self.attention", "encoder.1.self.heads"
LARGE, WORDS = (12, 12, 96), 64
DEEP, OPENINGS = (48, 25, 200), 9


def figures(open_window: Callable[[str], tuple[QApplication, MainWindow]]) -> Iterator[Callable[[], Measurement]]:
    """All measurements of the picture, in windows that `open_window` opens on a lesson."""
    small, large = (cache(partial(_whole, open_window, layers)) for layers in (None, ALL))
    yield _named(edit_to_picture, "from an edit to the picture of the whole", small)
    for what in ("zoom", "pan"):
        yield _named(look_about, f"{what} in the picture of the whole", large, what)
    yield _named(opened_deep, "a deep model opened", small)
    yield _named(frames_of_the_opening, "frames of what is seen first", small)
    yield _named(frames_between_stages, "frames from one stage to the next", small)


def _named(measure: Callable[..., Measurement], name: str, *given: object) -> Callable[[], Measurement]:
    """A measurement with what it needs, and what it is called while it is taken."""
    made = partial(measure, *given)
    made.__name__ = name  # type: ignore[attr-defined]
    return made


def _lesson(layers: int, heads: int, d_model: int) -> Lesson:
    words = " ".join(f"word{i}" for i in range(WORDS))
    return drawn(new_lesson("gpt", [words], layers=layers, heads=heads, d_model=d_model))


def _whole(open_window: Callable[[str], tuple[QApplication, MainWindow]], layers: int | None) -> Opened:
    app, window = open_window("you-are-welcome")
    if layers is not None:
        window.bench.open(_lesson(*LARGE))
        window.bench.document.settle()
        window.bench.bridge.flush()
        window.bench.selection.keep(LAYER, layers)
    window.bench.selection.go_to(WHOLE)
    paints = Paints(window)
    _wait_for_pictures(app, window, paints)
    return app, window, paints


def _wait_for_pictures(app: QApplication, window: MainWindow, paints: Paints) -> None:
    deadline = time.perf_counter() + 10
    while (
        any(late.picture is None for late in window.page().findChildren(PicturePlace))
        and time.perf_counter() < deadline
    ):
        app.processEvents()
    settle(app, paints)


def edit_to_picture(opened: Callable[[], Opened]) -> Measurement:
    """From `document.do` to the last painting of the window, the picture of "you are welcome" in sight."""
    app, window, paints = opened()
    random = np.random.default_rng(0)

    def edited() -> float:
        start = time.perf_counter()
        window.bench.document.do(SetCells("encoder.1.self.head.1.W_Q", {(1, 2): round(float(random.normal()), 2)}))
        painted_at, count = settle(app, paints)
        assert count, "the edit was not painted"
        return painted_at - start

    both = _beside_bare(app, window, paints, edited, EDITS)
    return both.measured("an edit to the picture of the whole", THREE_TIMES, BARE)


def look_about(opened: Callable[[], Opened], what: str) -> Measurement:
    """From a step of the wheel, or a move of a drag, to the picture painted; all layers are drawn."""
    from explorer.ui.drawing.view import DrawingView

    app, window, paints = opened()
    (picture,) = window.page().findChildren(DrawingView)
    handle, turn = window.windowHandle(), 0
    picture.zoom()
    picture.zoom(2.0)
    settle(app, paints)
    middle = picture.mapTo(window, picture.rect().center())

    def moved() -> float:
        nonlocal turn
        turn += 1
        before, start = paints.count, time.perf_counter()
        if what == "zoom":
            picture.zoom(1.25 if turn % 2 else 0.8)
        else:
            QTest.mouseMove(handle, middle + QPoint(40 * (turn % 2), 25 * (turn % 2)))
        painted_at, _ = settle(app, paints)  # a move of the mouse runs the event loop by itself
        assert paints.count > before, "the picture was not painted"
        return painted_at - start

    if what == "pan":
        QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle + QPoint(10, 10))
    both = _beside_bare(app, window, paints, moved, MOVES)
    if what == "pan":
        QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=middle)
    size = " × ".join(map(str, LARGE[:2]))
    return both.measured(f"{what} in the picture of {size} × {WORDS} words", TWICE, BARE)


def opened_deep(opened: Callable[[], Opened]) -> Measurement:
    """How long the window is held at most while a deep model is opened and its whole painted, folded."""
    app, window, paints = opened()
    held: list[float] = []
    painted: list[float] = []
    lesson = _lesson(*DEEP)
    beats = Beats()
    for _ in range(OPENINGS):
        window.bench.open(_lesson(2, 2, 16))
        window.bench.document.settle()
        _wait_for_pictures(app, window, paints)
        beats.longest = 0.0
        app.processEvents()
        beats.longest = 0.0
        window.bench.open(lesson)
        while window.bench.document.computing:
            app.processEvents()
        settle(app, paints)
        held.append(beats.longest)
        bare = Bare(app, paints, window)  # of what is there now, each time
        painted.append(bare.painted())
        bare.close()
        bare.deleteLater()
    beats.deleteLater()
    name = f"window held while {' layers × '.join(map(str, DEEP[:2]))} heads open"
    both = InTurns(held, painted, overload())
    return _detailed(both.measured(name, MOST_HELD, BARE), both, "openings")


def frames_of_the_opening(opened: Callable[[], Opened]) -> Measurement:
    """From a moment of what is seen first to its picture painted, all moments one after the other."""
    app, window, paints = opened()
    window.bench.appearance.set_still(True)
    window.bench.open(load("tiny-gpt"))
    window.bench.bridge.flush()
    window.top_bar.hide()
    window.tabs.show_opening()
    page, moment = window.tabs.opening, 0
    assert isinstance(page, OpeningPage)
    page.picture.fill()
    settle(app, paints)

    def shown() -> float:
        nonlocal moment
        moment += 1
        start = time.perf_counter()
        page.show_at(WRITTEN + (1.0 - WRITTEN) * (moment % FRAMES / FRAMES))  # before, something stands still
        painted_at, count = settle(app, paints)
        assert count, "the moment was not painted"
        return painted_at - start

    both = _beside_bare(app, window, paints, shown, MOVES)
    window.show_tab("Pipeline")
    window.bench.appearance.set_still(False)
    return both.measured("a frame of what is seen first", MOVING, BARE)


def frames_between_stages(opened: Callable[[], Opened]) -> Measurement:
    """From a moment between two stages to its picture painted, all moments one after the other."""
    app, window, paints = opened()
    window.bench.open(load("you-are-welcome"))  # the figure before may have left another model
    window.bench.bridge.flush()
    for stage in STAGES:
        window.bench.selection.go_to(stage)
        _wait_for_pictures(app, window, paints)
    bare = Bare(app, paints, window)  # of the page that comes, at rest
    window.bench.selection.go_to(STAGES[0])
    _wait_for_pictures(app, window, paints)
    motion, moment = window.area.motion, 0
    window.bench.selection.go_to(STAGES[1])
    while not motion.begun:
        app.processEvents()
        assert motion.moves, "the motion did not begin"

    def shown() -> float:
        nonlocal moment
        moment += 1
        start = time.perf_counter()
        motion.show_at(moment % FRAMES / FRAMES)
        painted_at, count = settle(app, paints)
        assert count, "the moment was not painted"
        return painted_at - start

    both = in_turns(shown, bare.painted, MOVES, WARM_UP)
    motion.stop()
    bare.close()
    bare.deleteLater()
    settle(app, paints)
    return both.measured("a frame between two stages", MOVING, "bare painting of the page that comes")
