"""No widget is left to Python's collector, which deletes on any thread, and amid the repolishing of all widgets."""

import gc
from collections import Counter

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication, QGraphicsItem

from tests.ui.conftest import lesson_of
from tests.ui.test_real_window import needs_xvfb, run, x_server


def left_to_the_collector():
    """What only rings of references hold of Qt's objects that still live, by kind."""
    QApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        found = (one for one in gc.garbage if isinstance(one, QObject | QGraphicsItem) and shiboken6.isValid(one))
        return Counter(type(one).__name__ for one in found)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


def test_pages_that_are_gone_leave_nothing_to_the_collector(open_window, eye):
    window = open_window("xor")
    for stage in ("layer.2", "loss"):
        eye.go_to(window, stage)
    window.show_page(1)
    window.show_page(0)
    window.bench.open(lesson_of("two-vectors"))
    eye.settle(window)
    assert left_to_the_collector() == {}


STRESS = """
import gc, threading
from explorer.app import open_window
from explorer.document.commands import SetCells
from explorer.lessons.loader import catalogue
from explorer.ui import files
from explorer.ui.background import Background

files.Dialogs.keep = lambda *_: "discard"
app, window = open_window()
gc.unfreeze()
gc.set_threshold(150, 5, 5)
collected = {True: 0, False: 0}

def count(phase, info):
    collected[threading.current_thread() is threading.main_thread()] += phase == "start"

def litter(report):
    goal = collected[False] + 100  # not so much litter: all of it may be made while the collector waits elsewhere
    while collected[False] < goal:
        [[] for _ in range(10_000)]

gc.callbacks.append(count)
bench, other, lessons = window.bench, Background(), {one.id: one for one in catalogue()}
themes = 0
for name in ("xor", "two-vectors"):
    bench.open(lessons[name])
    for stage in [stop.name for stop in bench.selection.stops][-2:]:
        bench.selection.go_to(stage)
        app.processEvents()
        other.ask(litter, lambda nothing: None)
        bench.appearance.set_mode(("dark", "light")[themes % 2])
        themes += 1
        while other.at_work:
            app.processEvents()
print(themes > 2, collected[True] > 10, collected[False] > 100)
window.close()
"""


@pytest.mark.parametrize("platform", ["offscreen", pytest.param("xcb", marks=needs_xvfb)])
def test_the_collector_may_come_at_any_time_and_on_any_thread(platform, request):
    changes = {"QT_QPA_PLATFORM": platform}
    if platform == "xcb":
        changes["DISPLAY"] = request.getfixturevalue("display")
    done = run(code=STRESS, **changes)
    assert (done.returncode, done.stdout) == (0, "True True True\n"), done.stderr


@pytest.fixture
def display():
    with x_server() as name:
        yield name
