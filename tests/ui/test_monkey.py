"""A monkey at the window: random keys, clicks, drags, wheels, sizes, edits, undo, files, themes, lessons and training.

`make test` lets it do a few things. ``pytest -m long tests/ui/test_monkey.py`` gives it ten minutes (or
``MONKEY_S`` seconds, from the seed ``MONKEY_SEED``) and measures how long the event loop is held, and memory.
"""

import ctypes
import faulthandler
import gc
import os
import random
import re
import sys
import threading
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from PySide6.QtCore import QEventLoop, QMimeData, QPoint, Qt, QTimer, QtMsgType, QUrl, qInstallMessageHandler
from PySide6.QtGui import QDesktopServices, QDrag, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QSpacerItem, QWidgetItem
from shiboken6.Shiboken import createdByPython, getAllValidWrappers

from explorer.core.engine import same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell
from explorer.core.model import SWITCHES
from explorer.core.models import build
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import catalogue, load
from explorer.lessons.schema import Choose, Point, Predict
from explorer.settings import Settings
from explorer.ui.turns import Collector
from explorer.ui.window.top_bar import TABS
from explorer.words import download

ACTS = 25
LONG_S, SEED = float(os.environ.get("MONKEY_S", "600")), int(os.environ.get("MONKEY_SEED", "2"))
HELD_S, GROWN = 0.2, 50_000_000
QUIET = 0.9
"""The share of a processor that the window has on a machine that does little else."""
KEY, NO, CTRL, SHIFT, ALT = (
    Qt.Key,
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
KEYS = [
    *[(key, NO) for key in (KEY.Key_Left, KEY.Key_Right, KEY.Key_Up, KEY.Key_Down, KEY.Key_Tab, KEY.Key_Return)],
    *[(key, NO) for key in (KEY.Key_Escape, KEY.Key_Backspace, KEY.Key_Space, KEY.Key_Delete, KEY.Key_F6, KEY.Key_F5)],
    *[(key, NO) for key in (KEY.Key_0, KEY.Key_5, KEY.Key_Minus, KEY.Key_Period, KEY.Key_A, KEY.Key_Plus, KEY.Key_F1)],
    *[(key, CTRL) for key in (KEY.Key_Z, KEY.Key_Y, KEY.Key_C, KEY.Key_V, KEY.Key_X, KEY.Key_A, KEY.Key_Return)],
    *[(key, CTRL) for key in (KEY.Key_B, KEY.Key_I, KEY.Key_J, KEY.Key_K, KEY.Key_G, KEY.Key_E, KEY.Key_T)],
    *[(key, CTRL) for key in (KEY.Key_PageDown, KEY.Key_PageUp, KEY.Key_Plus, KEY.Key_Minus, KEY.Key_S, KEY.Key_O)],
    *[(key, CTRL | SHIFT) for key in (KEY.Key_D, KEY.Key_C, KEY.Key_E)],
    *[(key, CTRL | ALT) for key in (KEY.Key_C, KEY.Key_V)],
    *[(key, ALT) for key in (KEY.Key_Home, KEY.Key_Left, KEY.Key_Right)],
    *[(key, SHIFT) for key in (KEY.Key_Tab, KEY.Key_F1, KEY.Key_F6, KEY.Key_Right)],
]
BUTTONS = (Qt.MouseButton.LeftButton,) * 4 + (Qt.MouseButton.RightButton,)


class Dialogs:
    """Answers of somebody who does not read the questions."""

    def __init__(self, chance, folder):
        self._chance, self._folder = chance, folder

    def __getattr__(self, kind):
        def answer(*_):
            QApplication.processEvents()  # as long as a dialog is open, an event loop runs
            match kind:
                case "keep":
                    return self._chance.choice(("save", "discard", "cancel"))
                case "to_open" | "to_save":
                    return self._chance.choice((None, *self._folder.glob("*.explorer"), self._folder / "a.explorer"))
                case "replace" | "replace_changed":
                    return self._chance.random() < 0.5
            return None

        return answer


class Monkey:
    """Does random things to a window, each followed by a few turns of the event loop.

    Parameters
    ----------
    window : MainWindow
    folder : Path
        Where its files are.
    seed : int
    """

    def __init__(self, window, folder, seed):
        self.window, self.bench, self.folder = window, window.bench, folder
        self.chance = random.Random(seed)
        self.log = []
        window.files.dialogs = Dialogs(self.chance, folder)
        window.actions_.quit.setEnabled(False)  # it would go home
        (folder / "damaged.explorer").write_bytes(b"\x20" + bytes(7) + b"{" + bytes(90))
        self.lessons = [one.id for one in catalogue()]
        self._acts = [
            *[self.click] * 8,
            *[self.press_keys] * 8,
            *[self.edit] * 4,
            *[self.go] * 4,
            *[self.drag, self.wheel, self.travel] * 3,
            *[self.resize, self.look, self.pin, self.switch, self.train, self.file] * 2,
            *[self.tokens, self.lesson, self.step, self.answer, self.tab, self.size_of_text],
        ]
        self.at_lessons = [
            *[self.step] * 8,
            *[self.answer] * 6,
            *[self.tokens, self.lesson, self.click, self.present] * 2,
            *[self.edit, self.switch, self.pin, self.go, self.travel, self.reset, self.look, self.train],
            self.press_keys,
        ]
        # Somebody closes what stands in the way: a dialog runs an event loop of its own, and so does a drag, in which
        # Qt waits for the mouse to be let go; no act comes before that, since each has to end before the next.
        self._acting = False
        self._closer = QTimer(window, interval=30)
        self._closer.timeout.connect(self._close)
        self._closer.start()

    def act(self):
        """Do one thing."""
        act = self.chance.choice(self._acts)
        self.log.append(act.__name__)
        self._acting = True
        try:
            self.log[-1] = f"{act.__name__} {act() or ''}"
        except ExplorerError as error:  # what a person would be told
            self.log[-1] = f"{act.__name__}: {error.id}"
        finally:
            self._acting = False

    def end(self):
        self._closer.stop()
        self._close()
        self.window.lessons.close_down()
        self.bench.descent.end()

    def _close(self):
        if self._acting and self.window.findChildren(QDrag):
            QTest.keyClick(self.window.windowHandle(), KEY.Key_Escape)  # `QDrag.cancel` is not there on every platform
        for widget in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
            if widget is not None and self.chance.random() < 0.5:
                keys = (KEY.Key_Down, KEY.Key_Down, KEY.Key_Tab, KEY.Key_Return)
                if isinstance(widget, QMenu):
                    keys = (KEY.Key_Down, KEY.Key_Up)
                QTest.keyClick(widget, self.chance.choice(keys))
            elif widget is not None:
                widget.close()

    # Hands

    def _place(self):
        """A window that is in sight, and a place in it."""
        top = self.chance.choice(self._windows())
        at = QPoint(self.chance.randrange(top.width()), self.chance.randrange(top.height()))
        self.log[-1] += f" {type(top).__name__} {at.toTuple()}"
        return top.windowHandle(), at

    def _windows(self):
        """Our own windows in sight. Qt's, such as lists of choices, are not asked for: PySide would keep an object of
        Python at the address of each, also when something else stands there.
        """
        lessons = self.window.lessons
        return [one for one in (self.window, lessons.presenter, lessons.speaker) if one is not None and one.isVisible()]

    @staticmethod
    def _inside(top, at):
        """The nearest place of a window: what lies outside it no mouse reaches."""
        return QPoint(min(max(at.x(), 0), top.width() - 1), min(max(at.y(), 0), top.height() - 1))

    def click(self):
        handle, at = self._place()
        QTest.mouseMove(handle, at)
        button, modifiers = self.chance.choice(BUTTONS), self.chance.choice((NO, NO, NO, CTRL, SHIFT))
        for _ in range(self.chance.choice((1, 1, 1, 1, 2))):
            if handle in QGuiApplication.allWindows():  # the click before may have closed it
                QTest.mousePress(handle, button, modifiers, at)
            if handle in QGuiApplication.allWindows():
                QTest.mouseRelease(handle, button, modifiers, at)
        return self.log[-1][6:]

    def drag(self):
        handle, at = self._place()
        by = QPoint(self.chance.randrange(-200, 200), self.chance.randrange(-200, 200))
        QTest.mouseMove(handle, at)
        QTest.mousePress(handle, Qt.MouseButton.LeftButton, NO, at)
        for k in range(1, 4):
            if handle in QGuiApplication.allWindows():
                QTest.mouseMove(handle, self._inside(handle, at + by * k / 3))
            QApplication.processEvents()
        if handle in QGuiApplication.allWindows():
            QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, NO, self._inside(handle, at + by))
        return self.log[-1][5:]

    def wheel(self):
        handle, at = self._place()
        for _ in range(self.chance.randrange(1, 6)):
            turn = QPoint(0, 120 * self.chance.choice((-1, 1)))
            if handle in QGuiApplication.allWindows():
                QTest.wheelEvent(handle, at, turn, QPoint(), self.chance.choice((NO, NO, CTRL)))
        return self.log[-1][6:]

    def press_keys(self):
        keys = [self.chance.choice(KEYS) for _ in range(self.chance.randrange(1, 5))]
        for key, modifiers in keys:
            focus = self._windows()[-1].windowHandle()
            if focus is not None:
                QTest.keyPress(focus, key, modifiers)
                if focus in QGuiApplication.allWindows():  # the key may have closed it
                    QTest.keyRelease(focus, key, modifiers)
            QApplication.processEvents()  # no two keys come in one turn
        return [f"{modifiers.value}+{key.name}" for key, modifiers in keys]

    def resize(self):
        for _ in range(self.chance.choice((1, 1, 15))):
            size = self.chance.randrange(700, 2000), self.chance.randrange(400, 1200)
            self.window.resize(*size)
            QApplication.processEvents()  # a window system waits with the next size until the last one is painted
        return size

    # The model

    def _node(self, inputs):
        graph = self.bench.document.wanted.graph
        names = [name for name, node in graph.nodes.items() if node.is_input is inputs and not node.op.whole]
        name = self.chance.choice(names)
        return name, tuple(self.chance.randrange(max(n, 1)) for n in graph.shape(name))

    def edit(self):
        name, cell = self._node(True)
        value = self.chance.choice((0.0, -1.5, 1e-9, 1e6, self.chance.gauss(0, 1)))
        self.bench.document.do(SetCells(name, {cell: value}))
        return name, cell, value

    def pin(self):
        name, cell = self._node(False)
        self.bench.document.do(PinCells(name, {cell: self.chance.random()}))
        return name, cell

    def switch(self):
        block, kind = self.chance.choice(list(self.bench.document.wanted.model.blocks().items()) or [("", "")])
        if kind:
            name, switch = self.chance.choice(list(SWITCHES[kind].items()))
            value = self.chance.choice(
                switch.choices or ((True, False) if isinstance(switch.default, bool) else (1, 2))
            )
            self.bench.document.do(SetSwitch(block, name, value))
            return block, name, value
        return None

    def tokens(self):
        graph = self.bench.document.wanted.graph
        for sequence in graph.sequences:
            words = self.bench.document.words(sequence)
            self.bench.document.do(
                SetTokens(sequence, tuple(self.chance.choices(words, k=self.chance.choice((1, 1, 2, 3, 4, 5, 12, 30)))))
            )

    def travel(self):
        for _ in range(self.chance.randrange(1, 6)):
            self.chance.choice((self.bench.document.undo, self.bench.document.undo, self.bench.document.redo))()

    def train(self):
        descent = self.bench.descent
        if descent.possible:
            match self.chance.randrange(5):
                case 0:
                    descent.take(self.chance.randrange(1, 20))
                case 1:
                    descent.play()
                case 2:
                    descent.travel(self.chance.randrange(descent.at + 1))
                case 3:
                    descent.stop()
                case _:
                    descent.start_over()

    # The window

    def go(self):
        stage = self.chance.choice(self.bench.selection.places).name
        self.bench.selection.go_to(stage)
        return stage

    def tab(self):
        tab = self.chance.choice(TABS)
        self.window.show_tab(tab)
        return tab

    def look(self):
        self.bench.selection.set_head(self.chance.choice((None, 0, 1)))
        self.bench.selection.show(self.chance.choice(("values", "change", "gradient")))

    def size_of_text(self):
        if self.chance.random() < 0.3:
            self.window.actions_.theme.trigger()
        else:
            self.bench.appearance.zoom(self.chance.choice((-1, 1)))

    def lesson(self):
        id = self.chance.choice(self.lessons)
        lesson = load(id)
        if lesson.steps and self.chance.random() < 0.7:
            self.window.lessons.begin(id, self.chance.random() < 0.3)
        else:
            self.window.files.open_lesson(lesson)
        return id

    def step(self):
        for _ in range(self.chance.randrange(1, 5)):
            self.chance.choice((self.window.actions_.next_step,) * 3 + (self.window.actions_.previous_step,)).trigger()
            if self.chance.random() < 0.5:
                QApplication.processEvents()

    def answer(self):
        """Answer the question of a step, most often wrongly; ask for a hint, for the answer, or to be asked again."""
        guide = self.window.lessons.guide
        question = guide.question
        match question:
            case None if guide.step is not None and guide.step.question is not None:
                guide.ask_again()
            case Choose():
                guide.answer(self.chance.randrange(len(question.choices)))
            case Predict():
                guide.answer(self.chance.choice((0.0, 1.0, -1.5, 1e300, self.chance.gauss(0, 1))))
            case Point():
                self.bench.selection.choose(Cell(*self._node(self.chance.random() < 0.3)))
        self.chance.choice((guide.hint, guide.tell, *[lambda: None] * 6))()
        return type(question).__name__

    def present(self):
        """Open presenter mode, or leave it."""
        lessons = self.window.lessons
        if lessons.presenter is not None and lessons.presenter.isVisible():
            QTest.keyClick(lessons.presenter.windowHandle(), KEY.Key_Escape)
        elif lessons.guide.step is not None:
            lessons.open_presenter()

    def reset(self):
        self.window.lessons.guide.reset()

    def file(self):
        files = self.window.files
        acts = (files.save, files.save_as, files.open, self.window.actions_.copy_text.trigger, files.open_text)
        self.chance.choice(acts)()


@pytest.fixture
def monkey(open_window, tmp_path, monkeypatch):
    """A monkey that reaches neither the network nor another program."""

    def no_connection(*_, **__):
        raise ExplorerError("download-offline", name="all", reason="a test")

    monkeypatch.setattr(download, "_opener", no_connection)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: QUrl(url).isValid())
    for name in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_, **__: ("", ""))
    made = []

    def let_loose(seed):
        (tmp_path / "files").mkdir()
        made.append(Monkey(open_window(settings=Settings(tmp_path / "settings")), tmp_path / "files", seed))
        Collector(made[0].window)
        return made[0]

    gc.enable()  # it is off in other tests; here it runs as in the program, which freezes what there is as it begins
    yield let_loose
    for one in made:
        one.end()


def live(monkey, qtbot, go_on):
    """Let it act as long as something says so; the first exception or warning of Qt ends it, with what it did."""
    told, loop = [], QEventLoop()
    timer = QTimer(monkey.window)  # within a loop of its own: what is to be deleted later goes there, and only there

    def act():
        assert gc.isenabled()
        monkey.act()
        if exceptions or told or not go_on():
            loop.quit()
        timer.setInterval(monkey.chance.choice((0, 0, 0, 20)))

    timer.timeout.connect(act)

    def hear(kind, context, words):
        if kind in (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg) and "does not support" not in words:
            told.append(words)

    before = qInstallMessageHandler(hear)  # a plugin of pytest's hears of nothing with `pytest -s`
    with qtbot.captureExceptions() as exceptions:
        timer.start()
        loop.exec()
        timer.stop()
        qInstallMessageHandler(before)
        happened = "".join("".join(traceback.format_exception(*one)) for one in exceptions)
        if happened or told:
            pytest.fail(f"After {len(monkey.log)} acts:\n" + "\n".join([*monkey.log[-12:], happened, *told]))
        monkey.end()
        monkey.bench.document.settle()
        monkey.bench.bridge.flush()


def is_as_built_afresh(document):
    """Whether every value is that of a new graph of the same model, inputs and pins."""
    state, values = document.state, document.engine.values
    assert state.graph.nodes == build(state.model).nodes
    return all(same_bytes(array, values[name]) for name, array in Document(state).engine.values.items())


def told_of_no_end():
    """Items of layouts that C++ made: PySide does not hear of their end, and something else may stand there soon."""
    items = [one for one in getAllValidWrappers() if isinstance(one, QWidgetItem | QSpacerItem)]
    return [one for one in items if not createdByPython(one)]


def test_a_monkey_at_the_window(monkey, qtbot):
    mine = monkey(1)
    live(mine, qtbot, lambda: len(mine.log) < ACTS)
    assert told_of_no_end() == []
    assert is_as_built_afresh(mine.bench.document)


def test_a_drag_that_nobody_ends_does_not_hold_the_monkey(monkey, qtbot):
    mine = monkey(1)
    taken = []

    def lift():
        drag = QDrag(mine.window)
        drag.setMimeData(QMimeData())
        taken.append(drag.exec(Qt.DropAction.CopyAction))

    mine._acts = [lift]
    live(mine, qtbot, lambda: len(mine.log) < 3)
    assert taken == [Qt.DropAction.IgnoreAction] * 3


def pace():
    """Seconds of processor time for something that is always the same."""
    begun = time.thread_time()
    sorted(str(i) for i in range(20_000))
    return time.thread_time() - begun


class Watch:
    """How long the event loop is held: by the clock, and in the window's thread's own time, which others cannot take.

    They make it slower all the same, since processors share caches: the same act took 173 ms beside little else and
    343 ms beside much. So what seems to be held for too long is held against the best pace of the run. Where the thread
    is then is found by its own time. What Python's collector takes of an act is told beside it.
    """

    def __init__(self, monkey, file):
        self._monkey, self._file, self._ended = monkey, file, threading.Event()
        self.held, self.where, self.acts = Counter(), Counter(), []
        self.longest, self.fairly, self.waited = 0.0, 0.0, []
        self._spent = self._passed = 0.0
        self._best = min(pace() for _ in range(50))
        self._clock = time.pthread_getcpuclockid(threading.main_thread().ident)
        self._collecting = 0.0
        gc.callbacks.append(self._collect)
        self.begin()
        dispatcher = QApplication.instance().eventDispatcher()
        dispatcher.awake.connect(self.beat)
        dispatcher.aboutToBlock.connect(self.beat)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def begin(self):
        self._since, self._at = time.clock_gettime(self._clock), time.monotonic()
        self._collected = 0.0

    def _collect(self, phase, _):
        if phase == "start":
            self._collecting = time.thread_time()
        elif threading.current_thread() is threading.main_thread():
            self._collected += time.thread_time() - self._collecting

    def beat(self):
        held, waited = time.clock_gettime(self._clock) - self._since, time.monotonic() - self._at
        self.longest = max(self.longest, held)
        if held > HELD_S / 10:
            self._spent, self._passed = self._spent + held, self._passed + waited
        if waited > HELD_S:
            self.waited.append(waited)
        if held > HELD_S / 2:
            now = min(pace() for _ in range(3))
            self._best = min(self._best, now)
            fairly = held * self._best / now
            self.fairly = max(self.fairly, fairly)
            self.acts.append((fairly, self._collected, *self._what()))
            if fairly > HELD_S:
                self.held[self._monkey.log[-1].split()[0] if self._monkey.log else ""] += 1
        self.begin()

    def _what(self):
        """The last act, and where it was done."""
        window, bench, log = self._monkey.window, self._monkey.bench, self._monkey.log
        place = bench.lesson.id, bench.selection.stage, TABS[window.tabs.currentIndex()]
        return len(log), *log[-1:], *place, f"{bench.appearance.scale:.0%}", window.size().toTuple()

    @property
    def share(self):
        """Of the time that turns took, how much the window had the processor; the rest others had."""
        return self._spent / max(self._passed, 1e-9)

    def _watch(self):
        # Python 3.13 crashes there, in reading a frame of the other thread that is not whole.
        while sys.version_info < (3, 13) and not self._ended.wait(0.02):
            if time.clock_gettime(self._clock) - self._since > HELD_S:
                # Not `sys._current_frames`: whoever holds a frame keeps its painter from ending.
                with self._file.open("w+") as stream:
                    faulthandler.dump_traceback(stream)
                    stream.seek(0)
                    found = re.findall(r'/explorer/.*?(\w+)\.py", line \d+ in (\S+)', stream.read())
                self.where[" < ".join(map(".".join, found[:4]))] += 1

    def end(self):
        self._ended.set()
        self._thread.join()
        gc.callbacks.remove(self._collect)
        dispatcher = QApplication.instance().eventDispatcher()
        dispatcher.awake.disconnect(self.beat)
        dispatcher.aboutToBlock.disconnect(self.beat)


class Memory(NamedTuple):
    """Bytes that the process takes, and what they are, as far as that can be told."""

    taken: int
    given_back: int  # still taken once what is free has been given back
    files: int  # of these: libraries, as they lie on the disk
    heap: int  # of these: in use by Qt, by numpy and all else in C, and larger things of Python's
    objects: int  # how many of Python's the collector knows: their own memory comes beside the heap
    undo: int  # of these: what can be undone


class _Heap(ctypes.Structure):
    """What glibc's `mallinfo2` tells."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("arena", "free", "fast", "maps", "mapped", "_", "_fast", "used", "unused", "top")
    ]


def memory(monkey):
    """What the process takes now.

    The C library keeps freed memory for what comes next. Fifteen sizes of the window at once leave 60 MB to Python's
    collector, which comes later; the room for them stays, is used again, and is no growth: while the first figure went
    from 373 to 434 MB and back, the second one stayed within 373 and 397.
    """
    gc.collect()
    library, taken = ctypes.CDLL(None), resident()
    library.malloc_trim(0)
    library.mallinfo2.restype = _Heap
    heap = library.mallinfo2()
    files = 1024 * int(re.search(r"RssFile:\s+(\d+)", Path("/proc/self/status").read_text())[1])
    return Memory(taken, resident(), files, heap.used + heap.mapped, len(gc.get_objects()), undoable(monkey))


def undoable(monkey):
    steps = monkey.bench.document.history.mark().steps
    return steps[-1].bytes - steps[0].bytes


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.long
def test_a_monkey_that_takes_lessons(monkey, qtbot):
    mine, end = monkey(SEED), time.monotonic() + LONG_S
    mine._acts = mine.at_lessons
    live(mine, qtbot, lambda: time.monotonic() < end)
    print(f"\nseed {SEED}: {len(mine.log)} acts")
    assert is_as_built_afresh(mine.bench.document)


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="time and memory are measured otherwise elsewhere")
def test_a_monkey_for_ten_minutes(monkey, qtbot, capfd, tmp_path):
    mine, begun, sizes = monkey(SEED), time.monotonic(), []

    def go_on():
        gone = time.monotonic() - begun
        if gone > LONG_S * (len(sizes) + 1) / 10:
            sizes.append(memory(mine))
            watch.begin()  # to measure takes long as well
        return gone < LONG_S

    for tab in TABS:  # what is loaded once is no growth
        mine.window.show_tab(tab)
    watch = Watch(mine, tmp_path / "where")
    try:
        live(mine, qtbot, go_on)
    finally:
        watch.end()
        with capfd.disabled():
            print(f"\nseed {SEED}: {len(mine.log)} acts in {time.monotonic() - begun:.0f} s")
            most, fairly = 1000 * watch.longest, 1000 * watch.fairly
            print(f"held for {most:.0f} ms at most, {fairly:.0f} at the best pace of the run,")
            print(f"{watch.held.total()} times for too long; it had the processor for {watch.share:.0%} of that time;")
            clock = 1000 * max(watch.waited, default=0)
            print(f"by the clock {len(watch.waited)} times, {clock:.0f} ms at most, beside what else this machine did:")
            print(dict(watch.held), *(f"{n:4} {where}" for where, n in watch.where.most_common(12)), sep="\n")
            for held, collected, *what in sorted(watch.acts, reverse=True)[:12]:
                print(f"{1000 * held:4.0f} ms, {1000 * collected:.0f} of them the collector's:", *what)
            for what, column in zip(Memory._fields, zip(*sizes, strict=True), strict=True):
                print(what, *(size // (1000 if what == "objects" else 1_000_000) for size in column))
    if watch.share > QUIET:  # else caches are shared with too much else for a limit of milliseconds
        assert watch.fairly < HELD_S
    held = [one.given_back - one.undo for one in sizes]  # what can be undone is wanted; it has a limit of its own
    assert held[-1] - held[len(held) // 2] < GROWN  # half of the time for what is kept: pages, fonts
    assert is_as_built_afresh(mine.bench.document)
