"""A drawing in a small window of its own, on the model of a lesson."""

import pytest
import shiboken6
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from explorer.document.document import Document
from explorer.ui.selection import Selection
from explorer.ui.turns import Bridge
from explorer.ui.workbench import Workbench
from tests.ui.conftest import CORNER, lesson_of


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
def show(request, qtbot):
    """Shows a picture in a window, with some room around it for the mouse to leave to."""
    windows = []

    def in_window(picture, width=0, height=0):
        if width:
            picture.setFixedSize(width, height)
        window = QWidget()
        layout = QVBoxLayout(window)
        layout.setContentsMargins(20, 20, 20, 20)
        layout.addWidget(picture)
        windows.append(window)
        with qtbot.waitExposed(window):
            window.show()
        qtbot.waitUntil(window.isActiveWindow)
        QTest.mouseMove(window.windowHandle(), CORNER)
        return picture

    yield in_window
    for window in windows:
        window.close()
        window.deleteLater()
    request.node.funcargs.clear()  # pytest would keep the pictures until after the look for what is left behind
    for widget in QApplication.topLevelWidgets():
        if widget.metaObject().className() == "QTipLabel":  # or the next test finds its words
            shiboken6.delete(widget)


@pytest.fixture
def spot():
    """Where numbers of a picture are, in its own pixels."""

    def at(picture, x, y):
        return picture.mapFromScene(picture.getViewBox().mapViewToScene(QPointF(x, y)))

    return at
