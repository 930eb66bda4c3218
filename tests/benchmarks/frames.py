"""How steady the window is while a model is trained: by hand, in the training tab, and in a process of its own."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from math import inf

from PySide6.QtWidgets import QApplication, QWidget

from benchmarks.measure import InTurns, Measurement, kept_waiting, overload
from benchmarks.painting import Bare, Paints, settle
from benchmarks.window import BARE, Opened
from explorer.core.training.recipe import Recipe
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.pages.training.settings import TEXT
from explorer.ui.training.descent import SLICE_S
from explorer.ui.window.main_window import MainWindow

FRAMES, ROUNDS = 200, 5
TURNS, FIRST_S = 100, 2.0
TWICE, ALONE = 2.0, 1.8
AGAINST = f"{SLICE_S * 1e3:.0f} ms of training, and {BARE}"
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
    return app, window, Paints(window)


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
        paints.watch(dock)
    bench.selection.go_to("model.descent")
    settle(app, paints)
    both, steps = _frames(app, window, [window] if dock is None else [window, dock], paints)
    if dock is not None:
        dock.close()
    settle(app, paints)
    beside = ", attention beside it" if docked else ""
    one = both.measured(f"frame while {lesson} trains{beside}, p95", TWICE if docked else ALONE, AGAINST, 95)
    return replace(one, detail=f"{one.detail}; {len(both.ours)} frames, {steps} steps taken meanwhile")


def _frames(app: QApplication, window: MainWindow, in_sight: Sequence[QWidget], paints: Paints) -> tuple[InTurns, int]:
    """Frames of a run, in turns with frames of bare painting of all windows in sight; and how many steps were taken."""
    descent = window.bench.descent
    descent.set_rate(0.01)
    descent.set_pace(inf)
    first, *others = (Bare(app, paints, one) for one in in_sight)
    ours: list[float] = []
    theirs: list[float] = []
    start, busy = time.perf_counter(), time.process_time()
    for _ in range(ROUNDS):
        descent.play()
        fresh: list[float] = []
        painted_at = None
        while len(fresh) < FRAMES // ROUNDS:
            before = paints.count
            app.processEvents()
            now = time.perf_counter()
            assert descent.playing, "the run has stopped"
            if paints.count > before:
                if painted_at is not None:
                    fresh.append(now - painted_at)
                painted_at = now
        steps = descent.at
        descent.stop()
        settle(app, paints)
        ours += fresh
        theirs += [first.frame(SLICE_S) + sum(other.frame(0.0) for other in others) for _ in fresh]
    for bare in (first, *others):
        bare.close()
        bare.deleteLater()
    return InTurns(ours, theirs, kept_waiting(start, busy)), steps


def in_the_tab(opened: Callable[[], tuple[QApplication, MainWindow, Paints]], d_model: int, layers: int) -> Measurement:
    """How long a turn of the event loop takes that paints, while the tab trains a GPT on its text."""
    app, window, paints = opened()
    window.bench.open(new_lesson("gpt", ["the sun is up and"], d_model=d_model, heads=4, layers=layers))
    window.bench.bridge.flush()
    window.show_tab("Train")
    tab = window.tabs.training
    assert tab is not None
    tab.plan.source = TEXT
    tab.plan.begin(Recipe(batch=32, steps=1_000_000))
    tab.show_run()
    window.bench.descent.set_least(0.0)
    tab.control("train").click()
    first = time.perf_counter() + FIRST_S
    while time.perf_counter() < first:
        app.processEvents()
    bare = Bare(app, paints, window)
    ours: list[float] = []
    theirs: list[float] = []
    while len(ours) < TURNS:
        before, start = paints.count, time.perf_counter()
        app.processEvents()
        now = time.perf_counter()
        assert window.bench.descent.going, tab.problem
        if paints.count > before:
            ours.append(now - start)
            theirs.append(bare.frame(SLICE_S))
    bare.close()
    bare.deleteLater()
    descent = window.bench.descent
    where = "in a process of its own" if descent.process is not None else "in slices"
    steps = descent.run.records.at if descent.run is not None else 0
    tab.control("over").click()  # ends the process, too
    window.show_tab("Pipeline")
    settle(app, paints)
    name = f"turn of the loop while the tab trains a GPT of d_model {d_model}, {layers} layer{'s' * (layers > 1)}, p95"
    one = InTurns(ours, theirs, overload()).measured(name, TWICE, AGAINST, 95)
    return replace(one, detail=f"{one.detail}; {where}, {TURNS} turns that paint, {steps} steps meanwhile")
