"""How steady the window is while a model is trained: by hand, in the training tab, and in a process of its own."""

import time
from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
from PySide6.QtWidgets import QApplication

from explorer.benchmarks.measure import Measurement
from explorer.core.training.recipe import Recipe
from explorer.lessons.loader import load
from explorer.lessons.new import new_lesson
from explorer.ui.benchmarks.window import Opened, Paints, settle
from explorer.ui.main_window import MainWindow
from explorer.ui.top_bar import PAGES

FRAMES = 200
TURNS, FIRST_S = 100, 2.0
LIMIT_MS = 33.0
SMALL, WHOLE = "cat-sat-on-the", "you-are-welcome"
ATTENTION = "encoder.1.self.attention"


def figures(open_window: Callable[[str], Opened]) -> Iterator[Callable[[], Measurement]]:
    """The figures of one window that `open_window` opens."""
    opened = cache(partial(_window, open_window))
    for lesson, setting, docked in ((SMALL, "script", None), (WHOLE, "textbook", None), (WHOLE, "textbook", ATTENTION)):
        measure = partial(while_training, opened, lesson, setting, docked)
        measure.__name__ = f"frames while {lesson} trains"  # type: ignore[attr-defined]
        yield measure
    for d_model, layers in ((16, 1), (64, 2)):
        measure = partial(in_the_tab, opened, d_model, layers)
        measure.__name__ = "frames of the training tab"  # type: ignore[attr-defined]
        yield measure


def _window(open_window: Callable[[str], Opened]) -> tuple[QApplication, MainWindow, Paints]:
    app, window = open_window(SMALL)
    return app, window, Paints(app)


def while_training(
    opened: Callable[[], tuple[QApplication, MainWindow, Paints]], lesson: str, setting: str, docked: str | None
) -> Measurement:
    """From one frame to the next with the page of gradient descent in sight, and what is docked beside it."""
    app, window, paints = opened()
    bench = window.bench
    bench.open(load(lesson), setting)
    bench.bridge.flush()
    dock = None
    if docked is not None:
        bench.selection.go_to(docked)
        dock = window.undock()
    bench.selection.go_to("model.descent")
    settle(app, paints)
    steps, times = _frames(app, window, paints)
    if dock is not None:
        dock.close()
    settle(app, paints)
    p50, p95 = np.percentile(times, [50, 95])
    beside = ", attention beside it" if docked else ""
    return Measurement(
        f"frame while {lesson} trains{beside}, p95",
        float(p95),
        "ms",
        LIMIT_MS,
        "two frames at 60 Hz",
        f"{FRAMES} frames, median {p50:.1f} ms, slowest {max(times):.1f} ms, {steps} steps taken meanwhile",
    )


def _frames(app: QApplication, window: MainWindow, paints: Paints) -> tuple[int, list[float]]:
    """How many steps were taken, and the milliseconds between frames."""
    descent = window.bench.descent
    descent.set_rate(0.01)
    descent.play()
    times: list[float] = []
    painted_at = None
    while len(times) < FRAMES:
        before = paints.count
        app.processEvents()
        now = time.perf_counter()
        assert descent.playing, "the run has stopped"
        if paints.count > before:
            if painted_at is not None:
                times.append((now - painted_at) * 1000)
            painted_at = now
    steps = descent.at
    descent.stop()
    return steps, times


def in_the_tab(opened: Callable[[], tuple[QApplication, MainWindow, Paints]], d_model: int, layers: int) -> Measurement:
    """How long a turn of the event loop takes that paints, while the tab trains a GPT on its text."""
    app, window, paints = opened()
    window.bench.open(new_lesson("gpt", ["the sun is up and"], d_model=d_model, heads=4, layers=layers))
    window.bench.bridge.flush()
    window.show_page(PAGES.index("Train"))
    tab = window.training
    assert tab is not None
    assert tab.source.choice is not None
    tab.source.choice.group.button(1).click()
    tab.form.show_recipe(Recipe(batch=32, steps=1_000_000))
    tab.run.set_least(0.0)
    tab.play.setChecked(True)
    settle_first = time.perf_counter() + FIRST_S
    times: list[float] = []
    while len(times) < TURNS:
        before, start = paints.count, time.perf_counter()
        app.processEvents()
        now = time.perf_counter()
        assert tab.play.isChecked(), tab.problem.text()
        if paints.count > before and now > settle_first:
            times.append((now - start) * 1000)
    where = "in a process of its own" if tab.run.process is not None else "in slices"
    history = tab.run.history
    assert history is not None
    steps = len(history.losses)
    tab.over.click()  # ends the process, too
    window.show_page(0)
    settle(app, paints)
    p50, p95 = np.percentile(times, [50, 95])
    return Measurement(
        f"turn of the loop while the tab trains a GPT of d_model {d_model}, {layers} layer{'s' * (layers > 1)}, p95",
        float(p95),
        "ms",
        LIMIT_MS,
        "two frames at 60 Hz",
        f"{where}, {TURNS} turns that paint, median {p50:.1f} ms, slowest {max(times):.1f} ms, {steps} steps meanwhile",
    )
