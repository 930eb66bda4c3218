"""Of many sizes of a window in one turn of the event loop the first and the last are laid out."""

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.ui.turns import later
from explorer.ui.window.frame import Sizes


class Window(QWidget):
    def __init__(self):
        super().__init__()
        self.inside, self.fitted = QWidget(), []
        QVBoxLayout(self).addWidget(self.inside)
        self.sizes = Sizes(self, lambda: self.fitted.append(self.width()))

    def resizeEvent(self, event):
        self.sizes.follow()


@pytest.fixture
def window(qtbot):
    window = Window()
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(window.layout().isEnabled)
    window.fitted.clear()
    return window


def test_of_many_sizes_the_first_and_the_last_are_laid_out(window, qtbot):
    for width in range(400, 500, 10):
        window.resize(width, 300)
    assert window.fitted == [400]
    qtbot.waitUntil(lambda: window.fitted == [400, 490])
    qtbot.waitUntil(window.layout().isEnabled)
    assert window.inside.width() > 400


def test_a_size_that_comes_in_the_turn_in_which_the_last_was_laid_out_waits_as_well(window, qtbot):
    seen = []

    def once_more():
        window.resize(600, 300)
        seen.extend(window.fitted)

    behind = later(window, once_more)
    for width in (400, 500):
        window.resize(width, 300)
    behind.start()
    qtbot.waitUntil(lambda: window.fitted == [400, 500, 600])
    assert seen == [400, 500]
    qtbot.waitUntil(window.layout().isEnabled)
    assert window.inside.width() > 500
