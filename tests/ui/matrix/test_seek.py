"""From a cell's menu: a value is chosen, and gradient descent finds inputs that give it."""

from dataclasses import replace
from itertools import count
from threading import Event

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QLabel

from explorer.core.graph import Cell, Root
from explorer.core.numbers import alone
from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.ui.matrix.menu import MatrixMenu, SeekDialog
from tests.refusals import refuses

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")
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
    window.bench.document.do(SetCells("source.table", {(0, 0): 2}))
    window.bench.bridge.flush()
    now = f"now {alone(dialog.search.value, 6)}"
    assert dialog.search.value == window.bench.document.engine.values["encoder.1.self.scores"][0, 1, 2]
    assert any(label.text().endswith(now) for label in dialog.findChildren(QLabel))
    window.bench.document.do(SetSwitch("encoder.1.self", "residual", False))
    state = window.bench.document.state
    dialog.elements.widgets["use"].click()
    assert window.bench.document.state is state


def test_a_number_that_is_gone_is_not_looked_for(window, dialog):
    document = window.bench.document
    dialog.search = dialog.search.do("wish", "0.5")
    document.do(SetTokens("source", ("You",)))
    with refuses("has no cell"):
        dialog._find()
    dialog.search = replace(dialog.search, root=Root("encoder.1.self.scaled", (0, 0, 0)))
    document.do(SetSwitch("encoder.1.self", "scale", "none"))
    with refuses("has changed since"):
        dialog._find()
    assert not dialog.search.busy


def test_a_head_or_a_cell_of_an_input_may_change_and_nothing_else(window, dialog, eye, qtbot):
    widgets = dialog.elements.widgets
    for name in dialog.search.inputs:
        if widgets[f"change {name}"].isChecked():
            widgets[f"change {name}"].click()
    before = dict(window.bench.document.state.used)
    for text, refused in (
        ("encoder.1.self.W_Q[0,9,9]", True),
        ("encoder.1.self.Q[0,0,0]", True),
        ("source.tokens", True),
        ("nothing.of.this", True),
        ("encoder.1.self.head.1.W_Q", False),
        ("encoder.1.self.W_K[0, 1, 2]", False),
    ):
        field = dialog.elements.widgets["part"].edit
        field.clear()
        qtbot.keyClicks(field, text)
        chosen = dialog.search.chosen
        dialog.elements.widgets["add"].click()
        assert (dialog.search.chosen == chosen) is refused
        assert (dialog.search.part == text) is refused
    assert dialog.search.chosen == {"encoder.1.self.head.1.W_Q", "encoder.1.self.W_K[0,1,2]"}
    dialog.elements.widgets["change encoder.1.self.W_K[0,1,2]"].click()
    find(dialog, "1.25", qtbot)
    dialog.elements.widgets["use"].click()
    eye.settle(window)
    after = window.bench.document.state.used
    assert [name for name in after if not np.array_equal(after[name], before[name])] == ["encoder.1.self.W_Q"]
    np.testing.assert_array_equal(after["encoder.1.self.W_Q"][1], before["encoder.1.self.W_Q"][1])


def test_the_whole_of_an_input_gives_way_to_a_part_of_it(dialog, qtbot):
    name = "encoder.1.self.W_Q"
    if name not in dialog.search.chosen:
        dialog.elements.widgets[f"change {name}"].click()
    qtbot.keyClicks(dialog.elements.widgets["part"].edit, f"{name}[0,0,0]")
    dialog.elements.widgets["add"].click()
    assert f"{name}[0,0,0]" in dialog.search.chosen
    assert name not in dialog.search.chosen


def test_a_search_is_stopped_and_changes_nothing(window, dialog, qtbot, monkeypatch):
    ended = Event()

    def endless(state, root, wished, changes, told):
        try:
            for _ in count():
                told(7)
        finally:
            ended.set()

    monkeypatch.setattr("explorer.ui.matrix.menu.seek", endless)
    state = window.bench.document.state
    qtbot.keyClicks(dialog.elements.widgets["wish"].edit, "0.5")
    dialog.elements.widgets["find"].click()
    qtbot.waitUntil(lambda: dialog.search.steps == 7)
    assert "step 8" in dialog.elements.widgets["outcome"].text()
    assert not dialog.elements.widgets["change encoder.1.self.W_Q"].isEnabled()
    dialog.elements.widgets["stop"].click()
    qtbot.waitUntil(ended.is_set)
    assert "Stopped at step 8" in dialog.elements.widgets["outcome"].text()
    assert window.bench.document.state is state
    monkeypatch.undo()
    find(dialog, "0.5", qtbot)
    assert dialog.search.found is not None


def test_in_large_letters_the_dialog_stays_within_the_screen_and_nothing_is_cut(anew):
    """The field for a part was cut at the right, and half of the dialog lay below a screen of 1280 × 720."""
    window = anew()
    window.bench.appearance.set_scale(2.0)
    dialog = SeekDialog(window.bench, Cell(NAME.replace("head.1.", ""), (0, 1, 2)), "row I, column 3", window)
    dialog.show()
    QApplication.processEvents()
    room = window.screen().availableSize()
    assert dialog.width() < room.width()
    assert dialog.height() < room.height()
    assert dialog.elements.width() <= dialog.width()
    dialog.close()
