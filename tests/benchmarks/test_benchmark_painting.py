"""Bare painting shows what a window shows; how long it takes is for `explorer bench` to say."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from benchmarks.painting import Bare, Paints, seen


class Page(QWidget):
    def paintEvent(self, event):
        painter = QPainter(self)
        painter.fillRect(10, 10, 30, 20, QColor("teal"))
        painter.setPen(QColor("red"))
        painter.drawLine(0, 90, 100, 90)
        painter.translate(50, 0)
        painter.drawText(0, 30, "words")
        painter.drawText(0, 60, "−1.50")
        painter.drawText(0, 9000, "out of sight")


@pytest.fixture
def page(qtbot):
    page = Page()
    qtbot.addWidget(page)
    page.resize(120, 100)
    picture = QPixmap(8, 8)
    picture.fill(QColor("orange"))
    label = QLabel(page)
    label.setPixmap(picture)
    label.move(100, 10)
    page.show()
    return page


def test_what_stands_on_a_page_is_seen_where_it_stands(page):
    marks = seen(page)
    assert [mark[0] for mark in marks if mark[0] in ("text", "number", "image")] == ["text", "number", "image"]
    text = next(mark for mark in marks if mark[0] == "text")
    assert (text[1].x(), text[1].y(), text[4]) == (50, 30, "words")
    assert any(mark[0] == "rectangle" and mark[1].getRect() == (10, 10, 30, 20) for mark in marks)
    assert any(mark[0] == "path" for mark in marks)


def test_a_bare_window_shows_the_same(page, qtbot):
    app = QApplication.instance()
    paints = Paints(page)
    bare = Bare(app, paints, page)
    qtbot.addWidget(bare)
    assert bare.size() == page.size()
    ours, theirs = (widget.grab().toImage() for widget in (page, bare))
    for x, y in ((20, 20), (104, 14), (30, 90)):
        assert theirs.pixelColor(x, y) == ours.pixelColor(x, y)
        assert ours.pixelColor(x, y) != ours.pixelColor(90, 80)
    assert bare.painted() > 0
    assert bare.frame(0.001) > 0.001
    assert bare.testAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
