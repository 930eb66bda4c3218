"""The tab on a bench, with small vectors of its own, and nothing read from the user's folders or written there."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow

from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.ui.selection import Selection
from explorer.ui.turns import Bridge
from explorer.ui.words import vectors_card
from explorer.ui.words.tab import WordsTab
from explorer.ui.workbench import Workbench
from explorer.words.vectors import Vectors

SAMPLE = Path(__file__).parents[4] / "shared" / "vectors" / "glove-twitter-25-common11925.txt.gz"
ROYALS = ("king", "queen", "man", "woman", "prince", "princess", "river", "sea", "lake", "boat", "monday", "friday")


def small():
    """12 words of 6 numbers: royalty, womanhood, water, days and two that mean nothing."""
    random = np.random.default_rng(7)
    array = np.zeros((len(ROYALS), 6), np.float32)
    array[[0, 1, 4, 5], 0] = 2
    array[[0, 2, 4], 1] = 1.5
    array[[1, 3, 5], 1] = -1.5
    array[6:10, 2] = 2
    array[10:, 3] = 2
    array[:, 4:] = random.normal(0, 0.1, (len(ROYALS), 2))
    return Vectors.of("small", ROYALS, array)


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("GENSIM_DATA_DIR", str(tmp_path / "gensim-data"))
    monkeypatch.setattr("explorer.words.cache.folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("explorer.words.catalogue.download_folder", lambda: tmp_path / "downloads")
    monkeypatch.setattr(vectors_card, "_default", lambda report: small())


def still(tab):
    """Whether what is on the page is where it will stay: laying it out takes some turns of the event loop."""
    heights = []
    for _ in range(4):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()
        heights.append(tab._area.widget().height())
    return len(set(heights)) == 1


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
            qtbot.waitUntil(lambda: tab.state.vectors is not None and len(tab.cards) == 11)
            qtbot.waitUntil(lambda: not tab.vectors_card.background.at_work)
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
def enter():
    """Types words over what stands in a field and presses Enter."""

    def type_it(field, text):
        edit = field.edit
        edit.window().centralWidget()._area.ensureWidgetVisible(edit)
        edit.setFocus()
        QTest.keyClick(edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(edit, Qt.Key.Key_Delete)
        QTest.keyClicks(edit, text)
        QTest.keyClick(edit, Qt.Key.Key_Return)
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()

    return type_it


@pytest.fixture
def problem():
    """What is said to be wrong with a field."""

    def read(field):
        assert field.offers.isVisible()
        return field.offers.findChildren(QLabel)[0].text()

    return read


@pytest.fixture
def sample_file():
    """Real GloVe vectors; they lie beside the checkout where the program is made, and are not part of it."""
    if not SAMPLE.is_file():
        pytest.skip(f"{SAMPLE} is not there: the sample of real GloVe vectors is not part of the project")
    return SAMPLE
