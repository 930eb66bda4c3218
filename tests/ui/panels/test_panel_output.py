"""Output: bars, the chosen word, the temperature."""

from dataclasses import replace

import numpy as np
import pytest
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.row_choice import RowChoice
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox

from explorer.core.model import Model
from explorer.document.commands import Replace, SetCells, SetSwitch, SetTokens
from explorer.document.state import State
from explorer.ui.page.listing import Listing
from explorer.ui.selection import Cell
from explorer.ui.widgets.number_slider import DECADE, NumberSlider

PROBABILITIES = "output.probabilities"


@pytest.fixture
def panel(window, eye):
    return eye.go_to(window, "output")


@pytest.fixture
def document(window):
    return window.bench.document


@pytest.fixture
def slider(panel):
    (found,) = panel.findChildren(NumberSlider)
    return found


def listing(panel):
    (found,) = panel.findChildren(Listing)
    return found


def shares(panel):
    rows = listing(panel).rows
    return [rows.value(i, 3) for i in range(rows.rowCount())]


def words(panel):
    rows = listing(panel).rows
    return [rows.text(i, 0) for i in range(rows.rowCount())]


def notes(panel):
    return " ".join(note.text() for note in panel.findChildren(Note))


def test_the_last_position_comes_first(window, panel, eye):
    assert shares(panel) == eye.value(window, PROBABILITIES)[-1].tolist()
    assert words(panel) == ["<start>", "de", "nada", "<end>", "por", "favor", "gracias", "hola"]


def test_the_chosen_word_is_marked_and_said(window, panel, eye):
    rows = listing(panel).rows
    chosen = int(eye.value(window, "output.chosen")[-1])
    assert [rows.here(i) for i in range(8)] == [i == chosen for i in range(8)]
    assert [rows.text(i, 4) for i in range(8)] == ["chosen" if i == chosen else "" for i in range(8)]
    assert "out of 8 words" in notes(panel)
    assert f"share of {eye.value(window, PROBABILITIES)[-1, chosen]:.3f}" in notes(panel)


def test_another_position(window, panel, eye, hand):
    hand.click(eye.by_name(panel, "Position <start>"))
    assert shares(panel) == eye.value(window, PROBABILITIES)[0].tolist()
    assert "&lt;start&gt;" in notes(panel)


def test_largest_first_and_back(window, panel, eye, hand):
    box = next(box for box in panel.findChildren(QCheckBox) if box.text() == "Largest first")
    hand.click(box)
    probabilities = eye.value(window, PROBABILITIES)[-1]
    assert shares(panel) == sorted(probabilities.tolist(), reverse=True)
    assert listing(panel).rows.here(0)
    order = np.argsort(-probabilities, kind="stable")
    assert listing(panel).rows.cell(1) == Cell(PROBABILITIES, (2, int(order[1])))
    box.setChecked(False)
    assert shares(panel) == probabilities.tolist()


def test_an_edit_is_followed(window, document, panel, eye):
    document.do(SetCells("output.b", {(7,): 50.0}))
    eye.settle(window)
    assert listing(panel).rows.here(7)
    assert "hola" in notes(panel)


def test_a_drag_of_the_temperature_is_one_step(window, document, slider, panel, eye):
    slider.setSliderDown(True)
    for place in (5, 20, DECADE):
        slider.setValue(place)
    slider.setSliderDown(False)
    eye.settle(window)
    assert document.engine.values["output.temperature"] == 10
    assert shares(panel) == eye.value(window, PROBABILITIES)[-1].tolist()
    document.undo()
    eye.settle(window)
    assert document.engine.values["output.temperature"] == 1
    assert slider.value() == 0
    assert document.history.undo_label is None


def test_the_slider_follows_the_cell(window, document, slider, eye):
    for value, place in ((0.1, -DECADE), (1, 0), (10, DECADE), (500, DECADE), (0, -DECADE), (-2, -DECADE)):
        document.do(SetCells("output.temperature", {(): value}))
        eye.settle(window)
        assert slider.value() == place
        assert document.engine.values["output.temperature"] == value


def test_the_slider_by_keyboard(window, document, slider, hand, eye):
    slider.setFocus()
    hand.key(Qt.Key.Key_Right)
    assert document.engine.values["output.temperature"] == pytest.approx(10 ** (1 / DECADE), abs=0.05)
    hand.key(Qt.Key.Key_Home)
    assert document.engine.values["output.temperature"] == 0.1
    document.undo()
    assert document.engine.values["output.temperature"] != 0.1


def test_bars_by_keyboard(window, panel, hand, eye):
    view = listing(panel)
    view.setFocus()
    hand.key(Qt.Key.Key_Down, times=2)
    assert window.bench.selection.cell == Cell(PROBABILITIES, (2, 2))
    assert view.rows.data(view.rows.index(2, 2), Qt.ItemDataRole.AccessibleTextRole).startswith("probability")


def test_fifty_thousand_words_are_not_painted_at_once(window, document, panel, eye, watch):
    many = tuple(f"word{i}" for i in range(50_000))
    state = document.state
    model = replace(state.model, axes={**state.model.axes, "output.words": many})
    document.do(Replace(State.of(model, state.inputs), "Many words"))
    eye.settle(window)
    view = listing(eye.go_to(window, "output"))
    assert view.rows.rowCount() == 50_000
    assert view.height() < 600
    painted = []
    paint = view.rows.text
    view.rows.text = lambda row, column: painted.append(row) or paint(row, column)
    view.scrollTo(view.rows.index(40_000, 0))
    assert not view.grab().isNull()
    assert 40_000 in painted
    assert len(set(painted)) < 40


@pytest.mark.parametrize("activation", ["sigmoid", "identity"])
def test_other_activations(window, document, panel, eye, activation):
    document.do(SetSwitch("output", "activation", activation))
    eye.settle(window)
    assert listing(panel).rows.columns[2].title == "output"
    assert shares(panel) == eye.value(window, PROBABILITIES)[-1].tolist()


def test_tied_to_the_table(open_window, eye):
    model = Model("gpt", {"input": 3}, {"input.words": ("a", "b", "c")}, switches={"output.tied": True})
    window = open_window()
    window.bench.document.do(Replace(State.of(model, {}), "A small GPT"))
    eye.settle(window)
    eye.go_to(window, "output")
    assert "input.table" in eye.views(window)
    assert "output.W" not in eye.views(window)


@pytest.mark.parametrize("lesson", ["softmax", "cat-sat-on-the"])
def test_logits_that_are_given(open_window, eye, lesson):
    window = open_window(lesson)
    panel = eye.go_to(window, "output")
    document = window.bench.document
    assert shares(panel) == eye.value(window, PROBABILITIES)[-1].tolist()
    document.do(SetCells("output.logits", {(0, 1): 9.0}))
    eye.settle(window)
    assert shares(panel) == eye.value(window, PROBABILITIES)[panel.findChildren(RowChoice)[0].row].tolist()


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(window, document, panel, eye, count):
    document.do(SetTokens("target", tuple(f"w{i}" for i in range(count))))
    eye.settle(window)
    assert panel.findChildren(RowChoice)[0].row == count - 1
    assert shares(panel) == eye.value(window, PROBABILITIES)[-1].tolist()
    assert not window.grab().isNull()


def test_what_is_given_need_be_no_words(open_window, eye):
    panel = eye.go_to(open_window("softmax"), "output")
    assert "For “x” the largest of 3 is that of" in notes(panel)
    assert "word" not in notes(panel)
    assert [column.title for column in listing(panel).rows.columns][:2] == ["", "logit"]
