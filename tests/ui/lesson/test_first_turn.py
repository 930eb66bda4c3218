"""What stands in a step has its room in the first turn: nothing is squeezed while the machine is busy."""

import pytest
from PySide6.QtCore import QCoreApplication

from tests.samples import long


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("before", [0, long(1), 3])
def test_no_choice_stands_in_the_room_of_the_step_before(window, guide, panel, go, before):
    go(before)
    guide.go(2)
    for _ in range(6):
        QCoreApplication.sendPostedEvents()
        assert panel._page.height() >= panel._page.height_at(panel._page.width())
        QCoreApplication.processEvents()
