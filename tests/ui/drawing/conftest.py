"""A drawing in a small window of its own, on the model of a lesson."""

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.document.document import Document
from explorer.ui.bridge import Bridge
from explorer.ui.selection import Selection
from explorer.ui.workbench import Workbench
from tests.ui.conftest import CORNER, lesson_of


@pytest.fixture
def bench(request, appearance):
    """The workbench of a lesson: by default of "You are welcome"."""
    lesson = lesson_of(getattr(request, "param", "you-are-welcome"))
    document = Document(lesson.state())
    bench = Workbench(document, Bridge(document), Selection(document), appearance, lesson)
    yield bench
    bench.bridge.close()


@pytest.fixture
def show(bench, qtbot):
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


@pytest.fixture
def spot():
    """Where numbers of a picture are, in its own pixels."""

    def at(picture, x, y):
        return picture.mapFromScene(picture.getViewBox().mapViewToScene(QPointF(x, y)))

    return at
