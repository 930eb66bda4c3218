"""From a cell's menu: a value is chosen, and gradient descent finds inputs that give it."""

import pytest

from explorer.document.commands import SetSwitch
from explorer.ui.matrix.conventions import SeekDialog
from explorer.ui.matrix.menu import MatrixMenu

pytestmark = pytest.mark.usefixtures("no_pictures")
NAME = "encoder.1.self.head.1.scores"


@pytest.fixture
def dialog(window, eye):
    eye.go_to(window, "encoder.1.self.attention")
    view = eye.views(window)[NAME]
    view.setCurrentIndex(view.model().index(1, 2))
    menu = MatrixMenu(view)
    next(action for action in menu.actions() if action.text().startswith("Find inputs")).trigger()
    menu.deleteLater()
    return window.findChild(SeekDialog)


def find(dialog, value, qtbot):
    field = dialog.elements.widgets["wish"].edit
    field.clear()
    qtbot.keyClicks(field, value)
    dialog.elements.widgets["find"].click()
    qtbot.waitUntil(lambda: not dialog.search.busy)


def test_a_value_is_reached_and_is_one_step_of_undo(window, dialog, eye, qtbot):
    document = window.bench.document
    before, state = eye.value(window, NAME)[1, 2], document.state
    assert dialog.search.value == before
    assert dialog.search.name == "encoder.1.self.scores[0,1,2]"
    find(dialog, "1.25", qtbot)
    assert dialog.search.found.reached
    assert dialog.elements.widgets["way"].table.rowCount() == len(dialog.search.found.moves) + 1
    dialog.elements.widgets["use"].click()
    eye.settle(window)
    assert eye.value(window, NAME)[1, 2] == pytest.approx(1.25)
    assert document.history.undo_label == "Seek encoder.1.self.scores[0,1,2] = 1.25"
    document.undo()
    assert document.state is state


def test_it_is_said_when_it_cannot_be(window, dialog, qtbot):
    for name in dialog.search.inputs:
        box = dialog.elements.widgets[f"change {name}"]
        if box.isChecked():
            box.click()
    assert not dialog.elements.widgets["find"].isEnabled()
    state = window.bench.document.state
    dialog.elements.widgets[f"change {dialog.search.inputs[0]}"].click()
    find(dialog, "1e9", qtbot)
    assert "is not reached" in dialog.elements.widgets["outcome"].text() or dialog.search.found.reached
    assert window.bench.document.state is state


def test_what_is_no_number_is_refused_and_what_is_old_is_not_used(window, dialog, qtbot):
    field = dialog.elements.widgets["wish"].edit
    qtbot.keyClicks(field, "much")
    dialog.elements.widgets["find"].click()
    assert not dialog.search.busy
    assert dialog.search.found is None
    find(dialog, "0.5", qtbot)
    window.bench.document.do(SetSwitch("encoder.1.self", "residual", False))
    state = window.bench.document.state
    dialog.elements.widgets["use"].click()
    assert window.bench.document.state is state
