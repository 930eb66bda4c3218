"""Words are found where they are painted."""

from PySide6.QtCore import QEvent, QRect
from PySide6.QtWidgets import QLabel, QWidget

from explorer.ui.widgets.written import words_at


def test_words_are_looked_for_where_they_are_asked_for_and_nothing_else_is_painted(qtbot, watch):
    """To paint a page with its matrices takes a quarter of a second, and a message stands in one corner of it."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(400, 300)
    labels = [QLabel(text, window) for text in ("here", "there")]
    for label, y in zip(labels, (10, 200), strict=True):
        label.setGeometry(20, y, 100, 30)
    with qtbot.waitExposed(window):
        window.show()
    painted = watch(labels, QEvent.Type.Paint)
    (found,) = words_at(window, [QRect(0, 0, 200, 60), QRect(390, 0, 50, 50)])
    assert labels[0].geometry().contains(found)
    assert not painted[labels[1]]
    assert words_at(window, [QRect(0, 100, 400, 50)]) == []
    assert len(words_at(window, [window.rect()])) == 2
