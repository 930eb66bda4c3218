import gc

import shiboken6
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QWidget

from explorer.ui.widgets.layouts import FlowLayout, column_in, scroll_area


class Box(QWidget):
    def __init__(self, width, height, minimum=None):
        super().__init__()
        self._size = QSize(width, height)
        self._minimum = minimum or self._size

    def sizeHint(self):
        return self._size

    def minimumSizeHint(self):
        return self._minimum


def flow(qtbot, sizes, width, horizontal=10, vertical=5, **how):
    holder = QWidget()
    qtbot.addWidget(holder)
    layout = FlowLayout(holder, horizontal, vertical, **how)
    boxes = [Box(*size) for size in sizes]
    for box in boxes:
        layout.addWidget(box)
    holder.resize(width, max(layout.heightForWidth(width), 1))
    holder.show()
    QApplication.processEvents()
    return holder, layout, boxes


def places(boxes):
    return [box.geometry().getRect() for box in boxes]


def test_lines_stand_in_the_middle_where_that_is_asked_for(qtbot):
    *_, boxes = flow(qtbot, [(50, 10), (50, 10), (30, 10)], 130, centred=True)
    assert [box.x() for box in boxes] == [10, 70, 50]


def test_items_wrap_and_are_centred_in_their_line(qtbot):
    _holder, layout, boxes = flow(qtbot, [(40, 20), (30, 60), (50, 20)], 100)
    assert places(boxes) == [(0, 20, 40, 20), (50, 0, 30, 60), (0, 65, 50, 20)]
    assert layout.heightForWidth(100) == 85


def test_exactly_as_wide_as_the_items_is_one_line(qtbot):
    _holder, layout, boxes = flow(qtbot, [(40, 20), (50, 20)], 100)
    assert [y for _, y, _, _ in places(boxes)] == [0, 0]
    assert layout.heightForWidth(100) == 20
    assert layout.heightForWidth(99) == 45
    assert layout.sizeHint() == QSize(100, 20)


def test_margins_count(qtbot):
    _holder, layout, _boxes = flow(qtbot, [(40, 20), (50, 30)], 100)
    layout.setContentsMargins(1, 2, 3, 4)
    assert layout.sizeHint() == QSize(104, 36)
    assert layout.minimumSize() == QSize(54, 36)
    assert layout.heightForWidth(104) == 36
    assert layout.heightForWidth(103) == 61


def test_hidden_items_take_no_place(qtbot):
    holder, layout, boxes = flow(qtbot, [(40, 20), (30, 20), (20, 20)], 200)
    boxes[1].hide()
    QApplication.processEvents()
    assert places([boxes[0], boxes[2]]) == [(0, 0, 40, 20), (50, 0, 20, 20)]
    assert layout.sizeHint().width() == 70
    holder.resize(60, 60)
    assert layout.heightForWidth(60) == 45


def test_an_item_wider_than_the_line_shrinks_to_its_minimum(qtbot):
    _holder, _layout, boxes = flow(qtbot, [(300, 20, QSize(50, 20)), (80, 20)], 100)
    assert [width for _, _, width, _ in places(boxes)] == [100, 80]


def test_words_that_wrap_get_the_height_they_need(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    layout = FlowLayout(holder)
    label = QLabel("many words that do not fit on one line of sixty pixels")
    label.setWordWrap(True)
    layout.addWidget(label)
    assert layout.heightForWidth(80) > layout.heightForWidth(400)


def test_empty(qtbot):
    _holder, layout, _boxes = flow(qtbot, [], 100)
    assert layout.heightForWidth(100) == 0
    assert layout.sizeHint() == layout.minimumSize() == QSize(0, 0)
    assert layout.itemAt(0) is None
    assert layout.takeAt(0) is None


def test_an_item_whose_widget_is_deleted_is_gone_for_python_too(qtbot):
    """PySide took what stood at its address next for two objects, and the program crashed when that went."""
    _holder, layout, boxes = flow(qtbot, [(40, 20), (30, 20)], 200)
    items = [layout.itemAt(k) for k in range(2)]
    boxes[0].deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert [shiboken6.isValid(item) for item in items] == [False, True]
    assert layout.widgets == boxes[1:]


def test_right_to_left_starts_at_the_right(qtbot):
    holder, _, boxes = flow(qtbot, [(40, 20), (30, 20)], 100)
    holder.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    holder.layout().activate()
    QApplication.processEvents()
    assert [x for x, _, _, _ in places(boxes)] == [60, 20]


def test_adding_and_taking(qtbot):
    holder, layout, boxes = flow(qtbot, [(40, 20), (30, 20)], 200)
    new = Box(10, 20)
    layout.addWidget(new)
    new.show()
    QApplication.processEvents()
    assert new.parentWidget() is holder
    assert [x for x, _, _, _ in places([*boxes, new])] == [0, 50, 90]
    layout.removeWidget(boxes[0])
    boxes[0].deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QApplication.processEvents()
    assert layout.count() == 2
    assert [boxes[1].x(), new.x()] == [0, 40]


def test_the_spacing_can_change(qtbot):
    _holder, layout, boxes = flow(qtbot, [(40, 20), (30, 20)], 200)
    layout.set_spacing(20, 5)
    QApplication.processEvents()
    assert boxes[1].x() == 60


def test_a_scroll_area_gives_it_the_height_it_needs(qtbot):
    area = QScrollArea()
    qtbot.addWidget(area)
    holder = QWidget()
    layout = FlowLayout(holder, 10, 10)
    for _ in range(30):
        layout.addWidget(Box(50, 40))
    area.setWidgetResizable(True)
    area.setWidget(holder)
    area.resize(200, 150)
    area.show()
    QApplication.processEvents()
    assert holder.height() >= layout.heightForWidth(holder.width()) > 150


def test_widgets_may_be_deleted_while_they_are_in_it(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    layout = FlowLayout(holder)
    for _ in range(200):
        boxes = [Box(20, 20) for _ in range(5)]
        for box in boxes:
            layout.addWidget(box)
        layout.heightForWidth(60)
        for box in boxes:
            box.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert layout.count() == 0
    assert not any(shiboken6.isValid(box) for box in boxes)


def test_deleting_the_widget_deletes_layout_and_items(qtbot):
    for _ in range(50):
        holder = QWidget()
        layout = FlowLayout(holder)
        layout.addWidget(Box(10, 10))
        holder.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert not shiboken6.isValid(layout)
        del holder, layout
    gc.collect()


class Filling(QWidget):
    """As high as it is wide, like a formula that fills its line."""

    def resizeEvent(self, event):
        self.setMinimumHeight(self.width())


def test_content_that_is_higher_where_it_is_wider_keeps_its_bar(qtbot):
    """Qt took the bar and gave it until the stack was full, found by a monkey that made windows larger and smaller."""
    area = scroll_area(sideways=False)
    qtbot.addWidget(area)
    content = QWidget()
    column_in(content, Filling())
    area.setWidget(content)
    area.resize(300, 600)
    area.show()
    assert not area.verticalScrollBar().isVisible()
    bar = area.verticalScrollBar().sizeHint().width()
    area.resize(300, 300 - bar // 2)  # too low without the bar, high enough with it
    qtbot.waitUntil(area.verticalScrollBar().isVisible)
    assert area.widget().width() == 300 - bar
    area.resize(300, 601)
    qtbot.waitUntil(lambda: not area.verticalScrollBar().isVisible())
