"""The window on a lesson, and a hand that uses mouse and keyboard as a person does."""

import functools
import re
import threading
from collections import Counter
from contextlib import contextmanager

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, QSize, Qt, QTimer
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QDialog, QLabel, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from explorer.app import make_window
from explorer.document.document import Document, PendingPass
from explorer.lessons.loader import load
from explorer.training import loss_grid
from explorer.ui import files
from explorer.ui.appearance import Appearance
from explorer.ui.errors import Message
from explorer.ui.lesson import tab as lessons_tab
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.view import MatrixView
from explorer.ui.page import overlays, page_view
from explorer.ui.page.area import StageArea
from explorer.ui.page.card import Miniature
from explorer.ui.page.overlays import Motion
from explorer.ui.page.picture_place import PicturePlace
from explorer.ui.selection import Selection
from explorer.ui.theme import DARK, LIGHT, qcolor
from explorer.ui.training.tab import TrainingTab
from explorer.ui.turns import Bridge
from explorer.ui.widgets.formula import _loader
from explorer.ui.widgets.tree import inside
from explorer.ui.widgets.written import written_in
from explorer.ui.window import main_window
from explorer.ui.window.main_window import MainWindow
from explorer.ui.workbench import Workbench

lesson_of = functools.cache(load)
_drawn = {}
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CORNER = QPoint(2, 2)
PATIENCE_S = 60
PLACES = 17


def beginning(appearance, lesson, most):
    """The picture on a lesson's card, drawn once in all tests of a process: it takes 30 ms."""
    key = lesson, appearance.theme, most.toTuple()
    if key not in _drawn:
        _drawn[key] = _draw(appearance, lesson, most)
    return _drawn[key]


_draw, lessons_tab.beginning = lessons_tab.beginning, beginning


@pytest.fixture(scope="session")
def look(qapp):
    """The look that the application wears in all tests: to dress it anew for each takes 30 ms."""
    _loader().join()  # or the first tests of a process would depend on how soon formulas can be typeset
    return Appearance(qapp, "light")


def at_once(patch):
    """Pages come at once, and a window's edge or a number that was changed has come to rest after a moment.

    A loss surface is at rest with few places: it takes a second with all of them (`tests/training/test_loss_grid.py`).
    """
    patch.setattr(Motion, "held", True)
    patch.setattr(loss_grid, "FINEST", PLACES)
    for rests in ((page_view, "REST"), (overlays, "REST"), (main_window, "RESTED_MS")):
        patch.setattr(*rests, 10)


@pytest.fixture(autouse=True)
def pages_come_at_once(request, monkeypatch):
    """Tests look at pages as they stand; `test_motion.py` and the monkey see how one becomes the next."""
    if request.node.get_closest_marker("long") is None:
        at_once(monkeypatch)


def patient(qtbot):
    """The hand of pytest-qt with more patience: a busy machine is slow, not wrong, and what never comes still fails."""
    for wait in ("waitExposed", "waitSignal", "waitUntil"):
        setattr(qtbot, wait, functools.partial(getattr(qtbot, wait), timeout=1000 * PATIENCE_S))
    pause = qtbot.wait
    qtbot.wait = lambda _: pause(1)  # `waitUntil` asks every 10 ms, most of which are spent for nothing
    return qtbot


@pytest.fixture
def qtbot(qtbot, look):
    return patient(qtbot)


@pytest.fixture
def appearance(look):
    """The usual look. A test may change it."""
    yield look
    usual = LIGHT, 1.0
    windows = []
    if (look.theme, look.scale) != usual:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # no closed window is dressed anew
        shown = (window for window in QApplication.topLevelWidgets() if isinstance(window, MainWindow))
        windows = [window for window in shown if window.isVisible()]
    for window in windows:
        window.area.hide()  # or the page in sight would be made anew for nobody: `anew` shows it again
        window.show_tab("Pipeline")  # so would a tab
    look.mode, look.contrast, look.chosen = "light", False, 1.0
    look.grow_with(0, 0)  # dresses all once
    look.set_mode("light")
    look.set_still(False)
    while any(timer.isActive() for timer in look.findChildren(QTimer)):  # some is dressed in turns of its own
        for window in filter(shiboken6.isValid, windows):  # one that was closed may be deleted meanwhile
            window.area.pause()
        QApplication.processEvents()
    for window in filter(shiboken6.isValid, windows):
        window.area.pause()
    colours = [value for theme in (LIGHT, DARK) for value in vars(theme).values() if str(value).startswith("#")]
    assert [c for c in colours if qcolor(c) != QColor(c)] == [], "a colour that all share was changed"


def opened(
    qtbot,
    appearance,
    lesson="you-are-welcome",
    settings=None,
    stage=None,
    tab=None,
    size=None,
    opening=False,
    awaits="",
    rests=False,
):
    """A window on a lesson, or on the lesson of a name, in sight and at rest. `rests`: see `page_rests`."""
    lesson = lesson_of(lesson) if isinstance(lesson, str) else lesson
    window = make_window(lesson, appearance, settings=settings, opening=opening, awaits=awaits)
    if rests:
        cover(window)
    if size is not None:
        window.resize(*size)
    if stage is not None:
        window.bench.selection.go_to(stage)
    if tab is not None:
        window.show_tab(tab)
    window.setUpdatesEnabled(False)  # what is not complete yet is painted for nobody
    with qtbot.waitExposed(window):
        window.show()
    with painted_once(window):
        window.setUpdatesEnabled(True)
        window.activateWindow()  # on a screen without a window manager nobody else gives it the keys
        qtbot.waitUntil(window.isActiveWindow)
        QTest.mouseMove(window.windowHandle(), CORNER)
    settle(qtbot, window, painted=opening or tab is not None)  # pictures on these are drawn once they are painted
    return window


def closed(windows):
    """Close windows; tips are forgotten, or the next test finds their words."""
    for window in filter(shiboken6.isValid, windows):
        window.close()
        window.deleteLater()
    for widget in QApplication.topLevelWidgets():
        if widget.metaObject().className() == "QTipLabel":
            shiboken6.delete(widget)


@pytest.fixture
def open_window(request, qtbot, appearance, monkeypatch):
    """Opens the window on a lesson, or on that of a name; at a stage, a tab or in a size that is not the first."""
    windows = []
    monkeypatch.setattr(files.Dialogs, "keep", lambda *_: "discard")  # or the window waits for an answer when it closes
    alone = "kept" in request.fixturenames and not (shares(request) and {"window", "anew"} & set(request.fixturenames))
    hidden = request.getfixturevalue("kept")[0] if alone else None  # or the look would grow with the size of both

    def open_it(*lesson, **where):
        if hidden is not None:
            hidden.hide()
        windows.append(opened(qtbot, appearance, *lesson, rests=rests_in(request), **where))
        return windows[-1]

    yield open_it
    closed(windows)
    if hidden is not None:
        hidden.show()
    request.node.funcargs.clear()  # pytest would keep the window until after the look for what is left behind


@pytest.fixture(scope="module")
def kept_lesson():
    """What `kept` opens: a lesson, or the name of one."""
    return "you-are-welcome"


@pytest.fixture(scope="module")
def kept(request, look, kept_lesson):
    """The window that all tests of a file share, and its history at first: a new one takes five times as long.

    For files whose tests look at pages and change the model: who presses other things opens a window of his own. Such
    a file says ``usefixtures("kept")``, so that the window is there before it is looked what a test leaves behind.
    """
    with pytest.MonkeyPatch.context() as patch:
        at_once(patch)
        window = opened(patient(QtBot(request)), look, kept_lesson)
        patch.setattr(window.files.dialogs, "keep", lambda *_: "discard", raising=False)
        yield window, window.bench.document.history.mark()
        painted_again(window)
        closed([window])
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def painted():
    """The window of the file is painted in each turn all the same, for a test that counts or looks at paintings.

    Otherwise only what a test grabs of it is painted. New windows are painted, and so is each kind of page by
    `tests/ui/page/test_page_view.py`.
    """


@pytest.fixture
def left_at_rest(kept, qtbot):
    """What begins in the window of the file while a test ends has ended, or the test fails."""
    window, turns = kept[0], kept[0].bench.appearance.turns
    running = timers_of(window)
    yield
    for top in QApplication.topLevelWidgets():
        for message in top.findChildren(Message, options=Qt.FindChildOption.FindDirectChildrenOnly):
            message.deleteLater()  # it would stand there for six seconds
        if isinstance(top, QDialog):
            top.close()
    qtbot.waitUntil(lambda: not window.bench.document.computing)
    window.area.pause()  # whoever looks next has it shown
    window._show_look()  # which otherwise waits for the page

    def rests():  # a timer of the window that ends may queue another one there, which starts in the next turn
        return turns.idle and not any(map(runs, more)) and timers_of(window) <= running

    def runs(timer):
        return shiboken6.isValid(timer) and timer.isActive()

    with painted_once(window):
        for _ in range(2):  # what goes makes room for what stays
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            QApplication.processEvents()
            more = timers_of(window) - running  # to find all of them takes a millisecond
            if more or not turns.idle:
                qtbot.waitUntil(rests)


def timers_of(window):
    """The timers of a window that run."""
    return {timer for timer in window.findChildren(QTimer) if timer.isActive()}


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    """After the first test in a window that is kept, it is painted only where a test wants that: see `painted`."""
    for window in QApplication.topLevelWidgets() if "kept" in item.fixturenames else ():
        if isinstance(window, MainWindow) and window not in _unpainted:
            _unpainted[window] = NotYet()
            window.installEventFilter(_unpainted[window])
    return (yield)


_unpainted = {}


def painted_again(window):
    """Let a window be painted, which was not between two tests."""
    if (later := _unpainted.pop(window, None)) is not None:
        window.removeEventFilter(later)
        QCoreApplication.postEvent(window, QEvent(QEvent.Type.UpdateRequest))


def forget_training(bench):
    """Gradient descent is as it is when the example is opened."""
    descent = bench.descent
    descent.end()
    descent.set_least(0.0)
    descent.set_pace()
    descent._choices.clear()
    bench._set_descent(bench.lesson, bench.document.state)


@pytest.fixture
def page_rests():
    """A page is made only where a test asks for it, by `eye` or `window.page()`: for tests of what stands around it.

    It takes half the time of such a test. As while a class's window lies over it: what its place is, stays.
    """


@pytest.fixture
def page_in_sight():
    """The page is made at once all the same, for a test in a file that says `page_rests`."""


def rests_in(request):
    """Whether the page rests in a test."""
    return "page_rests" in request.fixturenames and not {"pictures", "page_in_sight"} & set(request.fixturenames)


def cover(window):
    """Let the page of a window rest until it is asked for, whatever lies over it."""
    area = window.area
    StageArea.be_covered(area, True)

    def page():
        area.asked = area.stage
        return StageArea.page(area)

    area.asked, area.page, area.be_covered = "", page, lambda on: None


def uncover(window):
    for own in ("asked", "page", "be_covered"):
        vars(window.area).pop(own, None)
    window.area.be_covered(False)


@pytest.fixture
def anew(request, kept, left_at_rest, qtbot, appearance, monkeypatch):
    """Brings the window of the file back to how its lesson opens, and goes to a stage, to a step or to a tab.

    With another lesson, or the name of one, it opens that, which was never begun before. In another size than the
    usual one it is never in the usual one, where its letters may be smaller.
    """
    window, first = kept
    for whose, what in ((window.files, "dialogs"), (window.bench, "folder")):
        monkeypatch.setattr(whose, what, getattr(whose, what))

    def begin(stage=None, step=None, lesson=None, tab="Pipeline", size=(1600, 900)):
        document, selection, guide = window.bench.document, window.bench.selection, window.lessons.guide
        was = window.bench.lesson.id
        assert window.isVisible(), "a test that closes its window says `own_window`"
        (cover if rests_in(request) else uncover)(window)
        window.setFocus()  # what is being typed is taken now, not into what comes
        if step is not None or guide.at is not None:
            window.area.hide()  # or the page that goes would follow each of these changes
            guide.leave()
            guide.forget(first.steps[0].state.lesson)
        window.resize(*size)
        window.actions_.compare.setChecked(False)
        window.sides.compare(False)
        window.terms.close_down()
        window.show_tab("Pipeline")
        with painted_once(window):
            QTest.mouseMove(window.windowHandle(), CORNER)
        with selection.at_once():
            selection.speak_of(None)
            selection.forget()
            selection.choose_token(None)
            selection.set_head(0)
            selection.show("values")
            selection.let_go("")
            window.bench.open_state(window.bench._first, first.steps[0].state)
            document.history.return_to(first)
            if window.bench.lesson.id != was:
                window.bench.bridge.flush()  # before this the stages are those of the other lesson
            if lesson is not None:
                other = lesson_of(lesson) if isinstance(lesson, str) else lesson
                guide.forget(other.id)
                window.bench.open(other)
                window.bench.bridge.flush()
            forget_training(window.bench)
            if stage is not None:
                selection.go_to(stage)
            if step is not None:
                guide.go(step)
        if window.area.isHidden():
            window.bench.bridge.flush()
            window.area.show()
        window.show_tab(tab)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        window.setFocus()
        if "painted" in request.fixturenames:
            painted_again(window)
        settle(qtbot, window, painted=False)
        window.files._begin(None)  # whatever was opened or saved
        window.files.kept._left.clear()
        window.bench.settings._values.clear()
        window.bench.beside_text = False
        return window

    return begin


def shares(request):
    """Whether a test takes the window of its file."""
    return "kept" in request.fixturenames and not {"pictures", "own_window"} & set(request.fixturenames)


@pytest.fixture
def at_least_page():
    """`window` begins at the page of least: for files whose tests look at no page, or go to one themselves."""


@pytest.fixture
def window(request, open_window):
    """The window on "You are welcome", at its first stage with matrices; that of the file, where it names `kept`."""
    stage = "model.changes" if "at_least_page" in request.fixturenames else "source.embedding"
    if shares(request):
        return request.getfixturevalue("anew")(stage)
    return open_window(stage=stage)


@pytest.fixture
def bring(anew, kept_lesson):
    """Brings the window of the file to an example, or that of a name, at a stage and in a size."""

    def bring(lesson, stage, size=(1600, 900)):
        return anew(stage, lesson=None if lesson == kept_lesson else lesson, size=size)

    return bring


@pytest.fixture
def bench_of(appearance):
    """Makes the workbench of a lesson."""
    benches = []

    def make(lesson):
        document = Document(lesson.state())
        benches.append(Workbench(document, Bridge(document), Selection(document), appearance, lesson))
        return benches[-1]

    yield make
    for bench in benches:
        bench.bridge.close()


@pytest.fixture
def bench(bench_of):
    """The workbench of "You are welcome"."""
    return bench_of(lesson_of("you-are-welcome"))


@pytest.fixture
def own_window():
    """A window of its own all the same, for a test in a file that says `kept`."""


@pytest.fixture
def pictures():
    """Pages with their pictures all the same, for a test in a file that says `no_pictures`."""


@pytest.fixture
def no_pictures(request, monkeypatch):
    """Pages without their pictures, which take most of the time: for tests of what stands beside them."""
    if "pictures" not in request.fixturenames:
        monkeypatch.setattr(PicturePlace, "fill", lambda place: setattr(place, "picture", NoPicture()))
        monkeypatch.setattr(Miniature, "fill", lambda image: setattr(image, "is_drawn", True))


class NoPicture:
    """What stands in the place of a picture."""

    wished = 0

    def size(self):
        return QSize()

    def tell(self, data):
        pass

    def tell_in_sight(self, make):
        pass

    def draw(self):
        pass

    def give(self, room):
        pass

    def come_from(self, stages):
        pass

    def take_key(self, event):
        return False


class Gate:
    """Lets no thread compute while it is closed."""

    def __init__(self, monkeypatch):
        self.open = threading.Event()
        work = PendingPass.work

        def wait(job):
            self.open.wait()
            work(job)

        monkeypatch.setattr(PendingPass, "work", wait)


@pytest.fixture
def gate(monkeypatch):
    made = Gate(monkeypatch)
    yield made
    made.open.set()
    for thread in threading.enumerate():
        if thread.name == "background":
            thread.join()


@pytest.fixture
def hand(qtbot):
    return Hand(qtbot)


@pytest.fixture
def said(qtbot):
    """Waits for a message beside a widget and returns its words."""

    def shown():
        return [words for window in QApplication.topLevelWidgets() for words in window.findChildren(Message)]

    def wait():
        qtbot.waitUntil(lambda: any(message.isVisible() for message in shown()))
        (message,) = shown()
        assert message.text().startswith("⚠")
        return message.text()

    return wait


@pytest.fixture
def eye(qtbot):
    return Eye(qtbot)


def one_of_each_kind(window):
    """A stage for every kind of page."""
    return {stage.kind: stage.name for stage in reversed(window.bench.selection.stops)}.values()


def settle(qtbot, window, wanted=False, painted=True):
    """Wait until every change is shown and every picture is in its place; the window is then painted once.

    `wanted`: whether the page is made also where it rests.
    `painted`: otherwise it is painted in the next turn of the event loop, for whoever goes to another page before.
    """
    on_purpose = Qt.WidgetAttribute.WA_WState_ExplicitShowHide

    def settled():
        # A picture's zero timer, the bridge's and that of the page's new size have fired.
        # A place that is new is shown in a later turn; one that was hidden on purpose will go.
        if not window.area.isVisible():
            worn = (tab._worn for tab in window.findChildren(TrainingTab) if tab.isVisible())
            return all(worn) and not window.bench.bridge._timer.isActive()
        area = window.area
        if area._covered and not wanted and getattr(area, "asked", "") != area.stage:  # whoever asks for it asks on
            return window.bench.appearance.turns.idle and not window.bench.bridge._timer.isActive()
        page = window.page()
        timers = window.bench.bridge._timer, page._settled, window._grows
        idle = window.bench.appearance.turns.idle  # the page shares its room once its pictures are there
        if not idle or page._drags or any(timer.isActive() for timer in timers):
            return False
        places = [place for place in page.findChildren(PicturePlace) if place.picture is None]
        return all(place.isHidden() and place.testAttribute(on_purpose) for place in places)

    with painted_once(window):
        QApplication.processEvents()
        for _ in range(2):  # the last picture may have moved what stands below it
            qtbot.waitUntil(settled)
            QApplication.processEvents()
    if painted:
        QApplication.processEvents()
        qtbot.waitUntil(settled)


@contextmanager
def painted_once(window):
    """Let a window be painted at the end and not in each turn until then, which takes a quarter of the time."""
    later = NotYet()
    window.installEventFilter(later)
    try:
        yield
    finally:
        window.removeEventFilter(later)
        QCoreApplication.postEvent(window, QEvent(QEvent.Type.UpdateRequest))  # Qt asks once, until it is done


class NotYet(QObject):
    """Keeps what Qt wants to paint waiting: it paints all of it together when it is next asked."""

    def eventFilter(self, watched, event):
        return event.type() == QEvent.Type.UpdateRequest


class Eye:
    """Finds things on the screen."""

    def __init__(self, qtbot):
        self._qtbot = qtbot

    def settle(self, window):
        settle(self._qtbot, window, painted=False)

    def go_to(self, window, stage):
        """The panel of a stage, shown."""
        window.bench.selection.go_to(stage)
        settle(self._qtbot, window, wanted=True, painted=False)
        return window.page()

    def look_at(self, window, stage):
        """The panel of a stage, its news told but nothing painted, which takes most of the time."""
        window.bench.selection.go_to(stage)
        window.bench.bridge.flush()
        return window.page()

    def views(self, window):
        """The matrices of the stage that is shown, by the name of their node or slice."""
        found = [view for view in window.page().findChildren(MatrixView) if view.isVisible()]
        return {view.matrix.name: view for view in found}

    def view(self, window, name):
        """The numbers of a node or slice on the stage that is shown; a small picture of them is opened."""
        box = next(box for box in window.page().findChildren(MatrixBox) if box.matrix.name == name)
        if box.small:
            box._small.opened.emit(QPointF())
            self.settle(window)
        return self.views(window)[name]

    def plot(self, window, kind):
        """The picture of a kind in the stage that is shown."""
        (found,) = [plot for plot in window.page().findChildren(kind) if plot.isVisible()]
        return found

    def value(self, window, name):
        """What the engine holds for a node or slice."""
        engine = window.bench.document.engine
        return engine.value(engine.graph.place(name))

    def texts(self, view):
        """The numbers as the table shows them."""
        model = view.table
        return [
            [model.index(i, j).data() for j in range(model.columnCount())] for i in range(model.rowCount())
        ]  # fmt: skip

    def cut(self, page, pieces=()):
        """What cannot be read on a page: words that are cut, or narrower than what they say, and what lies beside it.

        Words of the model's own may be cut: their tip tells them.
        """
        ends = [one.text.strip() for one in written_in(page.widget()) if re.search(r"\S…", one.text)]
        found = [text for text in ends if not any(piece.startswith(text[:-1]) for piece in pieces)]
        for one in inside(page, QWidget):
            if not (one.isVisible() and isinstance(one, QLabel | QAbstractButton | QComboBox)):
                continue
            text = one.currentText() if isinstance(one, QComboBox) else one.text()
            if isinstance(one, QLabel) and one.wordWrap():
                cut = one.height() + 2 < one.heightForWidth(one.width())
            else:
                cut = len(text) > 1 and one.width() + 1 < one.sizeHint().width()
            found += [text] * cut
        sideways = page.horizontalScrollBar().maximum()
        return found + [f"{sideways} pixels at the right"] * (sideways > 0)

    def by_name(self, parent, spoken, kind=QWidget):
        """The visible widget that a screen reader calls so."""
        (found,) = [w for w in parent.findChildren(kind) if w.accessibleName() == spoken and w.isVisible()]
        return found


class Hand:
    """Mouse and keyboard. Events enter at the window, as from the system, so what covers a widget takes its clicks."""

    def __init__(self, qtbot):
        self._qtbot = qtbot

    # Places

    def cell(self, view, row, column):
        """The middle of a cell, scrolled into sight, in the view's own coordinates."""
        index = view.table.index(row, column)
        view.scrollTo(index)
        return view.viewport().mapTo(view, view.visualRect(index).center())

    def label(self, view, orientation, section):
        """The middle of a row's or column's label."""
        header = view.horizontalHeader() if orientation == Qt.Orientation.Horizontal else view.verticalHeader()
        middle = header.sectionViewportPosition(section) + header.sectionSize(section) // 2
        other = 5
        at = QPoint(middle, other) if orientation == Qt.Orientation.Horizontal else QPoint(other, middle)
        return header.viewport().mapTo(view, at)

    def _target(self, widget, at):
        at = widget.rect().center() if at is None else at
        parent = widget.parentWidget()
        while parent is not None:
            if isinstance(parent, QScrollArea):
                spot = widget.mapTo(parent.widget(), at)
                QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
                parent.ensureVisible(spot.x(), spot.y(), 40, 40)
            parent = parent.parentWidget()
        top = widget.window()
        spot = widget.mapTo(top, at)
        under = top.childAt(spot)
        assert under is not None, f"{widget} is not on the screen"
        assert under is widget or widget.isAncestorOf(under), f"{widget} is covered by {under}"
        return top.windowHandle(), spot

    # Mouse

    def hover(self, widget, at=None):
        handle, spot = self._target(widget, at)
        QTest.mouseMove(handle, spot)
        QApplication.processEvents()

    def away(self, window):
        """Move the mouse to a place where nothing is."""
        QTest.mouseMove(window.windowHandle(), CORNER)
        QApplication.processEvents()

    def click(self, widget, at=None, modifiers=NONE):
        handle, spot = self._target(widget, at)
        QTest.mouseMove(handle, spot)
        QTest.mouseClick(handle, LEFT, modifiers, spot)
        QApplication.processEvents()

    def double_click(self, widget, at=None):
        handle, spot = self._target(widget, at)
        QTest.mouseMove(handle, spot)
        QTest.mouseClick(handle, LEFT, NONE, spot)
        QTest.mouseDClick(handle, LEFT, NONE, spot)
        QApplication.processEvents()

    def press(self, widget, at=None, modifiers=NONE):
        handle, spot = self._target(widget, at)
        QTest.mouseMove(handle, spot)
        QTest.mousePress(handle, LEFT, modifiers, spot)
        self._held = handle, spot
        QApplication.processEvents()

    def move(self, right, up=0):
        """Move the pressed mouse so far from where it was pressed."""
        handle, spot = self._held
        QTest.mouseMove(handle, spot + QPoint(right, -up))
        QApplication.processEvents()

    def release(self, right=0, up=0, modifiers=NONE):
        handle, spot = self._held
        QTest.mouseRelease(handle, LEFT, modifiers, spot + QPoint(right, -up))
        QApplication.processEvents()

    def wheel(self, widget, at=None, notches=1.0, modifiers=NONE):
        handle, spot = self._target(widget, at)
        top = widget.window()
        QTest.wheelEvent(handle, spot, QPoint(0, round(120 * notches)), QPoint(), modifiers)
        QApplication.processEvents()
        return top

    # Keyboard

    def key(self, key, modifiers=NONE, times=1):
        """Press and release a key where the focus is."""
        for _ in range(times):
            QTest.keyClick(self._key_target(), key, modifiers)
            QApplication.processEvents()

    def hold(self, key, modifiers=NONE, repeats=0):
        """Press a key, let it repeat, release it."""
        from PySide6.QtGui import QKeyEvent

        def send(kind, repeated):
            event = QKeyEvent(kind, key, modifiers, "", repeated)
            QApplication.sendEvent(QApplication.focusWidget(), event)

        send(QEvent.Type.KeyPress, False)
        for _ in range(repeats):
            send(QEvent.Type.KeyPress, True)
        send(QEvent.Type.KeyRelease, False)
        QApplication.processEvents()

    def type(self, text):
        """Type letters where the focus is."""
        for letter in text:
            if letter.isascii():
                QTest.keyClick(self._key_target(), letter)
            else:
                self._compose(letter)
        QApplication.processEvents()

    def _compose(self, letter):
        """A letter that QTest has no key for."""
        from PySide6.QtGui import QKeyEvent

        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QApplication.sendEvent(QApplication.focusWidget(), QKeyEvent(kind, 0, NONE, letter))

    def enter(self, text):
        """Type over what stands in the editor that has the focus, and press Enter."""
        self.key(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        self.key(Qt.Key.Key_Delete)
        self.type(text)
        self.key(Qt.Key.Key_Return)

    def _key_target(self):
        self._popup = popup = QApplication.activePopupWidget()  # held: with it goes what Python knows of its children
        if popup is None:
            return QApplication.activeWindow().windowHandle()
        return popup.focusWidget() or popup


@pytest.fixture
def watch():
    """Counts the events of a kind that widgets get: `watch(widgets, QEvent.Type.Paint)` is a Counter by widget."""
    watchers = []

    def start(widgets, kind):
        watcher = Watcher(widgets, kind)
        watchers.append(watcher)
        return watcher.counts

    yield start
    for watcher in watchers:
        watcher.stop()


class Watcher(QObject):
    def __init__(self, widgets, kind):
        super().__init__()
        self.counts = Counter()
        self._kind = kind
        self._widgets = list(widgets)
        for widget in self._widgets:
            widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == self._kind:
            self.counts[watched] += 1
        return False

    def stop(self):
        for widget in self._widgets:
            if shiboken6.isValid(widget):
                widget.removeEventFilter(self)
        self._widgets = []
