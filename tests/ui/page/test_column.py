"""A column of elements: what stays of it when other elements come."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from explorer.pages.page import Item, Note, Row
from explorer.ui.page.column import Elements
from explorer.ui.page.column_tab import ColumnTab


class Tab(ColumnTab):
    def refresh(self):
        self.show_elements([Note(f"note {i}", f"A sentence about {i}.") for i in range(60)])


def test_a_tab_that_is_built_again_stays_where_it_is_read(bench, qtbot, appearance):
    tab = Tab(bench, "Tab", 8, 0)
    tab.make()
    qtbot.addWidget(tab)
    tab.resize(400, 300)
    tab.show()
    bar = tab.area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 1000)
    bar.setValue(bar.maximum() // 2)
    tab.make()
    qtbot.waitUntil(lambda: bar.maximum() > 1000)
    assert bar.value() == pytest.approx(bar.maximum() / 2, abs=2)
    bench.bridge.acted.emit(QEvent(QEvent.Type.Wheel))
    bar.setValue(0)
    bar.rangeChanged.emit(0, bar.maximum())
    assert bar.value() == 0


def test_a_sign_goes_with_its_element_into_another_row(bench, qtbot):
    column = Elements(bench, 10)
    qtbot.addWidget(column)

    def row(name):
        return (Row(name, (Item("", Note("a", "a", wide=False)), Item("=", Note("b", "b", wide=False)))),)

    column.tell(row("first"))
    column.resize(400, 200)
    column.show()
    column.tell(row("second"))
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    column.share_room(300)  # with a sign that went with the first row it would raise
    column.resize(300, 200)
    QCoreApplication.processEvents()
    sign = column.sign_before("b")
    assert sign is not None
    places = [column.widgets["a"].geometry(), sign.geometry(), column.widgets["b"].geometry()]
    assert all(one.right() < other.left() for one, other in pairwise(places))


def test_a_comma_at_the_beginning_of_a_line_is_gone_until_there_is_room_before_it(bench, show):
    column = show(Elements(bench, 10))
    column.tell((Row("list", (Item("", Note("a", "x" * 20, wide=False)), Item(",", Note("b", "x" * 20, wide=False)))),))
    for width, there in ((500, True), (200, False), (500, True)):
        column.resize(width, 200)
        column.share_room(width)
        column.stand()
        assert (column.sign_before("b") is not None) == there, width
