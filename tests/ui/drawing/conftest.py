"""A drawing in a small window of its own, on the model of a lesson."""

import pytest
import shiboken6
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from tests.ui.conftest import CORNER


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
