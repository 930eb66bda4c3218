"""Loss: terms from the derivation, right words to choose."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox

from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.ui.widgets.listing import Listing
from explorer.ui.widgets.note import Note


@pytest.fixture
def panel(window, eye):
    return eye.go_to(window, "loss")


@pytest.fixture
def document(window):
    return window.bench.document


def listing(panel):
    (found,) = panel.findChildren(Listing)
    return found


def texts(panel):
    rows = listing(panel).rows
    return [[rows.text(i, j) for j in range(rows.columnCount())] for i in range(rows.rowCount())]


def dots(panel):
    from explorer.ui.widgets.curves import Curves

    (picture,) = panel.findChildren(Curves)
    return picture.drawing.dots


def notes(panel):
    return " ".join(note.text() for note in panel.findChildren(Note))


def number(text):
    return float(text.replace("−", "-"))


def right(window, eye):
    return eye.value(window, "output.probabilities")[np.arange(3), eye.value(window, "loss.target")]


def test_a_term_for_each_position(window, panel, eye):
    p = right(window, eye)
    words = window.bench.document.engine.labels("output.words")
    for i, row in enumerate(texts(panel)):
        assert row[1] == words[eye.value(window, "loss.target")[i]]
        assert number(row[2]) == pytest.approx(p[i], abs=1e-4)
        assert number(row[4]) == pytest.approx(-np.log(p[i]), abs=1e-4)
    assert [(dot.x, dot.y) for dot in dots(panel)] == [(x, -np.log(x)) for x in p]
    assert f"{eye.value(window, 'loss.value'):.4f}" in notes(panel)


def test_the_mean_of_the_terms_is_the_loss(window, panel, eye):
    assert np.mean([dot.y for dot in dots(panel)]) == pytest.approx(float(eye.value(window, "loss.value")), rel=1e-12)


def test_an_edit_is_followed(window, document, panel, eye):
    document.do(SetCells("output.b", {(1,): 3.0}))
    eye.settle(window)
    assert [dot.x for dot in dots(panel)] == right(window, eye).tolist()


def choose(panel, hand, row, text):
    view = listing(panel)
    view.setFocus()
    view.setCurrentIndex(view.rows.index(row, 1))
    hand.key(Qt.Key.Key_Return)
    (box,) = view.findChildren(QComboBox)
    box.lineEdit().selectAll()
    hand.type(text)
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.hide()
    hand.key(Qt.Key.Key_Return)
    return box


def test_a_right_word_is_chosen_by_typing(window, document, panel, eye, hand):
    choose(panel, hand, 1, "hola")
    eye.settle(window)
    assert document.engine.values["loss.target"][1] == 7
    assert texts(panel)[1][1] == "hola"
    assert [dot.x for dot in dots(panel)] == right(window, eye).tolist()
    document.undo()
    eye.settle(window)
    assert texts(panel)[1][1] != "hola"


def test_an_unknown_word_is_said_and_changes_nothing(window, document, panel, hand, said):
    before = document.state
    choose(panel, hand, 1, "holla")
    assert "did you mean 'hola'" in said()
    assert document.state is before


def test_the_same_word_again_is_no_edit(window, document, panel, hand):
    before = document.state
    choose(panel, hand, 0, texts(panel)[0][1])
    assert document.state is before


def test_a_probability_of_zero_costs_infinity(window, document, panel, eye):
    document.do(PinCells("output.probabilities", {(0, int(eye.value(window, "loss.target")[0])): 0.0}))
    eye.settle(window)
    assert texts(panel)[0][4] == "∞"
    assert len(dots(panel)) == 2
    assert not window.grab().isNull()


def test_squared_error(window, document, panel, eye):
    document.do(SetSwitch("loss", "loss", "mean squared error"))
    eye.settle(window)
    P, y = eye.value(window, "output.probabilities"), eye.value(window, "loss.target")
    assert len(texts(panel)) == P.size
    np.testing.assert_allclose([dot.x for dot in dots(panel)], (P - y).ravel())
    np.testing.assert_allclose([dot.y for dot in dots(panel)], ((P - y) ** 2).ravel())
    document.do(SetSwitch("loss", "loss", "cross-entropy"))
    eye.settle(window)
    assert len(texts(panel)) == 3


def test_what_a_lesson_adds_to_the_loss_is_shown(open_window, eye):
    window = open_window("roses-are-red")
    eye.go_to(window, "loss")
    assert {"loss.likelihood", "loss.L_1", "loss.value"} <= eye.views(window).keys()


def test_without_a_loss_there_is_no_stage(window, document, panel, eye):
    document.do(SetSwitch("loss", "loss", "none"))
    eye.settle(window)
    assert window.bench.selection.stage != "loss"


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(window, document, panel, eye, count):
    document.do(SetTokens("target", tuple(f"w{i}" for i in range(count))))
    eye.settle(window)
    assert len(texts(panel)) == count
    assert len(dots(panel)) == count
    assert not window.grab().isNull()
