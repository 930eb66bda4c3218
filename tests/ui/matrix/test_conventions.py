"""The dialog that finds the settings for numbers of somebody's text."""

from threading import Event
from threading import enumerate as enumerate_threads

import numpy as np
import pytest
from PySide6.QtCore import Qt

from explorer.document.commands import SetSwitch
from explorer.lessons import conventions as search
from explorer.ui.matrix.menu import Conventions, MatrixMenu

pytestmark = pytest.mark.usefixtures("no_pictures", "kept")
NAME = "encoder.1.self.head.1.weights"


@pytest.fixture
def window(anew):
    return anew("encoder.1.self.attention")


@pytest.fixture
def dialog(window, eye):
    return dialog_of(window, eye, NAME)


def dialog_of(window, eye, name):
    menu = MatrixMenu(eye.views(window)[name])
    next(action for action in menu.actions() if action.text().startswith("Which settings")).trigger()
    menu.deleteLater()
    return window.findChild(Conventions)


def numbers(window):
    """What a text has that does not divide the scores."""
    document = window.bench.document
    state = document.state
    document.do(SetSwitch("encoder.1.self", "scale", "none"))
    value = document.engine.value(document.state.graph.place(NAME)).round(4)
    document.undo()
    assert document.state is state
    return "\n".join(" ".join(map(str, row)) for row in value.tolist())


def find(dialog, text, qtbot):
    dialog.numbers.setPlainText(text)
    qtbot.mouseClick(dialog.search, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog._background.at_work)


def test_settings_are_found_and_open_as_one_step(window, dialog, eye, qtbot):
    document = window.bench.document
    find(dialog, numbers(window), qtbot)
    assert dialog.ways.item(0).text() == "Scale: none (Encoder 1: Self-attention)"
    before = eye.value(window, NAME)
    qtbot.mouseClick(dialog.open_, Qt.MouseButton.LeftButton)
    eye.settle(window)
    assert document.state.model.switch("encoder.1.self", "scale") == "none"
    assert document.history.undo_label == "Set Scale: none (Encoder 1: Self-attention)"
    document.undo()
    eye.settle(window)
    np.testing.assert_array_equal(eye.value(window, NAME), before)


def test_what_goes_wrong_is_said_in_the_dialog(anew, eye, qtbot):
    dialog = dialog_of(anew("attention", lesson="emma"), eye, "weights")  # of one head, which has few switches
    for text, said in (("", "no numbers"), ("1 2; 3", "equally long"), ("a", "not a number")):
        dialog.numbers.setPlainText(text)
        qtbot.mouseClick(dialog.search, Qt.MouseButton.LeftButton)
        assert said in dialog.told.text()
    find(dialog, "\n".join(["0.5 0.4 0.3 0 0 0 0 0 0"] * 9), qtbot)
    assert dialog.told.text().startswith("No setting that was tried gives these numbers.")
    assert dialog.open_.isHidden()


def test_a_closed_dialog_ends_its_search(dialog, qtbot, monkeypatch):
    tried, goes_on, value_of, found = Event(), Event(), search.value_of, []

    def value(*of):
        tried.set()
        goes_on.wait()
        found.append(value_of(*of))
        return found[-1]

    monkeypatch.setattr(search, "value_of", value)
    dialog.numbers.setPlainText("0.5 0.4 0.3\n0 0 1\n0 0 1")
    before = set(enumerate_threads())
    qtbot.mouseClick(dialog.search, Qt.MouseButton.LeftButton)
    (thread,) = {*enumerate_threads()} - before
    assert tried.wait(10)
    with qtbot.waitSignal(dialog.destroyed):
        dialog.close()
    goes_on.set()
    thread.join()
    assert len(found) == 1


def test_a_model_that_has_changed_since_is_searched_again(window, dialog, qtbot):
    find(dialog, numbers(window), qtbot)
    window.bench.document.do(SetSwitch("encoder.1.self", "residual", False))
    state = window.bench.document.state
    qtbot.mouseClick(dialog.open_, Qt.MouseButton.LeftButton)
    assert "find the settings again" in dialog.told.text()
    assert window.bench.document.state is state
