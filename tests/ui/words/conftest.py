"""The tab on a bench, with small vectors of its own, and nothing read from the user's folders or written there."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow

from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.ui.selection import Selection
from explorer.ui.turns import Bridge
from explorer.ui.words import WordsTab
from explorer.ui.workbench import Workbench
from tests.pages.words.conftest import small


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("GENSIM_DATA_DIR", str(tmp_path / "gensim-data"))
    monkeypatch.setattr("explorer.words.cache.folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("explorer.words.catalogue.download_folder", lambda: tmp_path / "downloads")
    monkeypatch.setattr("explorer.pages.words.vectors._default", lambda report: small())


def still(tab):
    """Whether what is on the page is where it will stay: laying it out takes some turns of the event loop."""
    heights = []
    for _ in range(4):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()
        heights.append(tab._area.widget().height())
    return len(set(heights)) == 1


def is_there(tab):
    """Whether all cards are there, with vectors, and none is to be shown anew."""
    ready = tab.state.vectors is not None and tab._whole and not tab._stale
    return ready and not tab.state.cards["vectors"].doing


def on(tab, card, id):
    """The widget of an element of a card, as it is now."""
    return tab.view(tab.state.cards[card]).widget(id)


def shown(tab, card, id):
    """Whether an element stands on a card that is in sight."""
    view = tab.view(tab.state.cards[card])
    return id in view.elements.widgets and view.isVisible()


@pytest.fixture
def open_tab(request, qtbot, appearance):
    """Opens the tab on a lesson and waits until its vectors are there."""
    windows = []

    def open_it(lesson="jane", wait=True):
        lesson = load(lesson)
        window = QMainWindow()
        windows.append(window)
        document = Document(lesson.state())
        bench = Workbench(document, Bridge(document, window), Selection(document, window), appearance, lesson)
        tab = WordsTab(bench)
        window.setCentralWidget(tab)
        window.resize(1280, 720)
        with qtbot.waitExposed(window):
            window.show()
        qtbot.waitUntil(window.isActiveWindow)
        if wait:
            qtbot.waitUntil(lambda: is_there(tab))
            qtbot.waitUntil(lambda: still(tab))
        return tab

    yield open_it
    QApplication.processEvents()
    for window in windows:
        window.close()
        window.deleteLater()
    request.node.funcargs.clear()


@pytest.fixture
def tab(open_tab):
    return open_tab()


@pytest.fixture
def enter(tab):
    """Types words over what stands in a field of a card and presses Enter."""

    def type_it(card, field, text):
        edit = on(tab, card, f"{field} field").edit
        tab._area.ensureWidgetVisible(edit)
        edit.setFocus()
        QTest.keyClick(edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(edit, Qt.Key.Key_Delete)
        QTest.keyClicks(edit, text)
        QTest.keyClick(edit, Qt.Key.Key_Return)
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()

    return type_it
