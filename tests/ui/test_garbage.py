"""No widget is left to Python's collector, which deletes on any thread, and amid the repolishing of all widgets."""

import gc
import shutil
from collections import Counter
from contextlib import contextmanager, nullcontext

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication, QGraphicsItem, QWidget

from explorer.pages.element import Element
from explorer.ui.window.top_bar import TABS
from tests.started import started
from tests.ui.conftest import lesson_of
from tests.ui.test_real_window import x_server


@contextmanager
def collected():
    """What only rings of references hold."""
    for _ in range(3):
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        yield gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


def left_to_the_collector():
    """What only rings of references hold of Qt's objects that still live, by kind."""
    with collected() as garbage:
        found = (one for one in garbage if issubclass(type(one), QObject | QGraphicsItem) and shiboken6.isValid(one))
        return Counter(type(one).__name__ for one in found)


def test_pages_that_are_gone_leave_nothing_to_the_collector(open_window, eye):
    window = open_window("xor")
    for stage in ("layer.2", "loss"):
        eye.go_to(window, stage)
    window.show_tab("Train")
    window.show_tab("Pipeline")
    window.bench.open(lesson_of("two-vectors"))
    eye.settle(window)
    assert left_to_the_collector() == {}


def test_what_goes_takes_along_what_it_holds(open_window, eye, qtbot):
    """Else the collector would hold the window for as long as it takes for thousands of parts of pages."""
    window = open_window("xor")
    for tab in TABS:
        window.show_tab(tab)
        eye.settle(window)
    window.show_tab("Pipeline")
    with collected():  # what is made once, and what was made while all of it was loaded
        pass
    for stage in ("layer.2", "loss", "model.descent"):
        eye.go_to(window, stage)
    window.undock()
    window.sides.compare(True)
    eye.settle(window)
    window.bench.appearance.zoom(1)
    eye.settle(window)
    window.sides.compare(False)
    window.lessons.open_presenter()
    window.actions_.next_step.trigger()
    eye.settle(window)
    window.lessons.close_down()
    window.bench.open(lesson_of("you-are-welcome"))
    eye.go_to(window, "encoder.1.self.attention")
    qtbot.waitUntil(lambda: not window.bench.background.at_work)
    eye.settle(window)
    with collected() as garbage:
        # Of proxies the own type is asked for: that of what they stood for may be gone.
        widgets = [one for one in garbage if issubclass(type(one), QWidget) and vars(one)]
        told = [one for one in garbage if issubclass(type(one), Element)]
        assert Counter(type(one).__name__ for one in (*widgets, *told)) == {}


def test_a_stage_in_a_window_of_its_own_goes_with_what_it_holds_when_that_is_closed(open_window, eye, qtbot):
    window = open_window("xor")

    def open_and_close():
        dock = window.undock()
        qtbot.waitUntil(lambda: bool(window.docks.pages))
        eye.settle(window)
        dock.close()
        qtbot.waitUntil(lambda: not window.docks._open)

    open_and_close()
    with collected():  # what is made once
        pass
    open_and_close()
    with collected() as garbage:
        widgets = [one for one in garbage if issubclass(type(one), QWidget) and vars(one)]
        assert Counter(type(one).__name__ for one in widgets) == {}


STRESS = """
import gc, sys, threading
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
sys.exit()
"""


def test_the_collector_may_come_at_any_time_and_on_any_thread():
    """On a screen where there can be one: its windows are deleted by the same ways, and by their own."""
    with x_server() if shutil.which("Xvfb") else nullcontext() as name:
        done = started(STRESS, QT_QPA_PLATFORM="offscreen" if name is None else "xcb", DISPLAY=name)
    assert (done.returncode, done.stdout) == (0, "True True True\n"), done.stderr
