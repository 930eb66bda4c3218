"""What a person does to the elements of a page with mouse and keys; what they then say is tested in `tests/pages`."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QPushButton, QSpinBox

from explorer.core.graph import Cell
from explorer.document.commands import SetCells
from explorer.ui.drawing.view import DrawingView
from explorer.ui.page.controls import SliderView
from explorer.ui.page.listing import ListingView

pytestmark = pytest.mark.usefixtures("kept")

WITHOUT_PICTURES = pytest.mark.usefixtures("no_pictures")
Key = Qt.Key


def listing(page, id):
    view = page.elements.widgets[id]
    assert isinstance(view, ListingView)
    return view


def listings(page):
    return [widget for widget in page.elements.widgets.values() if isinstance(widget, ListingView)]


def texts(view):
    return [[entry.text for entry in line.entries] for line in view.listing.lines]


def line_of(view, row, column=0):
    """The middle of a line's entry in the listing's own coordinates."""
    return view.visualRect(view.table.index(row, column)).center()


# Controls


@WITHOUT_PICTURES
def test_a_choice_by_button(window, eye, hand):
    page = eye.go_to(window, "encoder.1.ffn.layers")
    hand.click(eye.by_name(page, "Position welcome", QPushButton))
    assert window.bench.selection.chosen_token == ("source", 2)
    (units,) = listings(page)
    activation = eye.value(window, "encoder.1.ffn.activation")
    assert [line.entries[4].value for line in units.listing.lines] == activation[2].tolist()
    window.bench.selection.choose_token(("source", 1))  # as a click on its chip does
    assert eye.by_name(page, "Position are", QPushButton).isChecked()
    window.bench.selection.set_token(("source", 2))  # as the mouse on it does
    assert eye.by_name(page, "Position are", QPushButton).isChecked()


@WITHOUT_PICTURES
def test_yes_or_no(window, eye, hand):
    page = eye.look_at(window, "output")
    (box,) = [box for box in page.findChildren(QCheckBox) if box.text() == "Largest first"]
    bars = next(view for view in listings(page) if len(view.listing.lines) == 8)
    before = texts(bars)
    hand.click(box)
    assert sorted(texts(bars)) == sorted(before)
    assert texts(bars) != before
    hand.click(box)
    assert texts(bars) == before


@WITHOUT_PICTURES
def test_a_number_by_keys(window, eye, hand):
    page = eye.look_at(window, "source.embedding")
    across, up = (
        eye.by_name(page, f"The table's rows as arrows: dimension {title}", QSpinBox) for title in ("across", "up")
    )
    assert (across.value(), up.value(), up.maximum()) == (1, 2, 4)
    for box, times in ((across, 2), (up, 9)):
        box.setFocus()
        hand.key(Key.Key_Up, times=times)
    assert (across.value(), up.value()) == (3, 4)
    assert QApplication.focusWidget() is up


@WITHOUT_PICTURES
def test_a_button(window, eye, hand):
    page = eye.look_at(window, "encoder.1.self.heads")
    weights = eye.value(window, "encoder.1.self.output")[0]
    hand.click(eye.by_name(page, "Switch off head 1"))
    eye.settle(window)
    assert not eye.value(window, "encoder.1.self.output")[0].any()
    hand.click(eye.by_name(page, "Switch on head 1"))
    eye.settle(window)
    np.testing.assert_array_equal(eye.value(window, "encoder.1.self.output")[0], weights)


@pytest.fixture
def slider(window, eye):
    (found,) = eye.look_at(window, "output").findChildren(SliderView)
    return found.control


@WITHOUT_PICTURES
def test_a_drag_of_a_slider_is_one_step(window, slider, eye):
    slider.setSliderDown(True)
    for place in (5, 20, slider.maximum()):
        slider.setValue(place)
    slider.setSliderDown(False)
    eye.settle(window)
    assert window.bench.document.engine.values["output.temperature"] == 10
    window.bench.document.undo()
    eye.settle(window)
    assert window.bench.document.engine.values["output.temperature"] == 1
    assert slider.value() == 0
    assert window.bench.document.history.undo_label is None


@WITHOUT_PICTURES
def test_a_slider_by_keys(window, slider, hand):
    slider.setFocus()
    for key, temperature in ((Key.Key_End, 10), (Key.Key_Home, 0.1)):
        hand.key(key)
        assert window.bench.document.engine.values["output.temperature"] == temperature
    window.bench.document.undo()  # of the second key alone
    assert window.bench.document.engine.values["output.temperature"] == 10
    hand.key(Key.Key_Home)
    window.bench.document.do(SetCells("output.W", {(0, 0): 1}))
    hand.wheel(slider, notches=1)
    window.bench.document.undo()  # of the wheel alone
    assert window.bench.document.history.undo_label == "Set output.W[0, 0]"


# Listings


@WITHOUT_PICTURES
def test_a_line_is_pointed_at_by_mouse_and_keys(window, eye, hand):
    page = eye.go_to(window, "encoder.1.ffn.layers")
    (units,) = listings(page)
    hand.click(units.viewport(), line_of(units, 3))
    assert window.bench.selection.cell == Cell("encoder.1.ffn.activation", (0, 3))
    units.setFocus()
    hand.key(Key.Key_Down)
    assert window.bench.selection.cell == Cell("encoder.1.ffn.activation", (0, 4))


@WITHOUT_PICTURES
def test_a_link_is_followed_by_click_and_enter(window, eye, hand):
    window.bench.document.do(SetCells("encoder.1.ffn.b_2", {(0,): 5.0}))
    eye.settle(window)
    for act in ("click", "key"):
        page = eye.go_to(window, "model.changes")
        (changed,) = listings(page)
        if act == "click":
            hand.click(changed.viewport(), line_of(changed, 0, 1))
            assert window.bench.selection.stage == "model.changes"
            hand.click(changed.viewport(), line_of(changed, 0))
        else:
            changed.setFocus()
            changed.setCurrentIndex(changed.table.index(0, 0))
            hand.key(Key.Key_Return)
        assert window.bench.selection.stage == "encoder.1.ffn.layers"


@pytest.fixture
def choose(window, eye, hand):
    """Types a right word in a line of the terms of the loss."""
    window.bench.open(window.bench.lesson, "textbook")
    eye.settle(window)
    page = eye.look_at(window, "loss")
    view = next(view for view in listings(page) if view.listing.vocabulary)

    def it(row, text):
        view.setFocus()
        view.setCurrentIndex(view.table.index(row, 1))
        hand.key(Key.Key_Return)
        (box,) = view.findChildren(QComboBox)
        box.lineEdit().selectAll()
        hand.type(text)
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.hide()
        hand.key(Key.Key_Return)
        eye.settle(window)
        return view

    return it


@WITHOUT_PICTURES
def test_a_word_is_chosen_by_typing(window, choose):
    assert texts(choose(1, "hola"))[1][1] == "hola"
    assert window.bench.document.engine.values["loss.target"][1] == 7


@WITHOUT_PICTURES
def test_a_word_that_is_being_typed_stays_when_other_numbers_come(window, eye, hand):
    page = eye.look_at(window, "loss")
    view = next(view for view in listings(page) if view.listing.vocabulary)
    view.setFocus()
    view.setCurrentIndex(view.table.index(1, 1))
    hand.key(Key.Key_Return)
    (box,) = view.findChildren(QComboBox)
    box.lineEdit().selectAll()
    hand.type("ho")
    window.bench.document.do(SetCells("source.table", {(0, 0): 2.5}))
    eye.settle(window)
    assert box.currentText() == "ho"
    if (popup := QApplication.activePopupWidget()) is not None:
        popup.hide()
    hand.key(Key.Key_Escape)


@WITHOUT_PICTURES
def test_an_unknown_word_is_said_and_changes_nothing(window, choose, said):
    before = window.bench.document.state
    choose(1, "holla")
    assert "did you mean 'hola'" in said()
    assert window.bench.document.state is before


@WITHOUT_PICTURES
def test_the_same_word_again_is_no_edit(window, choose, hand):
    before = window.bench.document.state
    view = choose(0, "de")
    assert texts(view)[0][1] == "de"
    assert window.bench.document.state is before
    words = view.listing.vocabulary
    view.tell(replace(view.listing, vocabulary=(*words[:-1], words[0])))  # as models of others have
    hand.key(Key.Key_Return)
    (box,) = view.findChildren(QComboBox)
    box.setCurrentIndex(len(words) - 1)
    hand.key(Key.Key_Return)
    assert window.bench.document.engine.values["loss.target"][0] == len(words) - 1, "the first of two equal words"


# Pictures


def pixel(plot, x, y):
    """Where a place of a drawing is in the picture."""
    return plot.mapFromScene(plot.getViewBox().mapViewToScene(QPointF(x, y)))


def drag(hand, plot, start, end):
    """Drag from a place of a drawing to another."""
    a, b = pixel(plot, *start), pixel(plot, *end)
    hand.press(plot.viewport(), a)
    for part in (2, 1):
        hand.move((b.x() - a.x()) // part, (a.y() - b.y()) // part)
    hand.release(b.x() - a.x(), a.y() - b.y())


def picture_of(window, asks=False):
    """The picture in sight, or that one of several which asks the net wherever one points."""
    found = [view for view in window.page().findChildren(DrawingView) if view.isVisible()]
    (found,) = [view for view in found if view.drawing.probe] if asks else found
    return found


def test_a_case_of_a_net_is_pointed_at_and_dragged_in_one_step(anew, hand, eye):
    window = anew("input", lesson="xor")
    picture, document = picture_of(window, asks=True), window.bench.document
    before = document.state
    hand.hover(picture.viewport(), pixel(picture, 1, 0))
    assert window.bench.selection.cell == Cell("layer.2.activation", (2, 0))
    drag(hand, picture, (0, 0), (0.5, 0.5))
    eye.settle(window)
    np.testing.assert_allclose(document.engine.values["input.X"][0], [0.5, 0.5], atol=0.02)
    document.undo()
    assert document.state is before


def test_an_arrow_is_dragged_by_its_tip(anew, hand, eye):
    window = anew(lesson="two-vectors")
    picture = picture_of(window)
    before = window.bench.document.history.undo_label
    x = eye.value(window, "x").ravel()
    drag(hand, picture, x, x + 0.5)
    eye.settle(window)
    np.testing.assert_allclose(eye.value(window, "x").ravel(), x + 0.5, atol=0.1)
    window.bench.document.undo()
    np.testing.assert_array_equal(eye.value(window, "x").ravel(), x)
    assert window.bench.document.history.undo_label == before


@WITHOUT_PICTURES
def test_padding_that_is_typed_gets_no_attention(window, eye, hand):
    eye.look_at(window, "encoder.1.self.attention")
    hand.double_click(window.tokens._strips["source"].chips[2])
    hand.enter("welcome <pad> <pad>")
    eye.settle(window)
    name = "encoder.1.self.head.1.weights"
    assert (eye.value(window, name)[:, 3:] > 0).all()
    masks = eye.by_name(window.page(), "Mask in Encoder 1: Self-attention", QComboBox)
    masks.setFocus()
    hand.key(Key.Key_P)
    hand.key(Key.Key_Return)
    eye.settle(window)
    assert eye.texts(eye.view(window, "encoder.1.self.mask")) == [["1", "1", "1", "0", "0"]] * 5
    assert not eye.value(window, name)[:, 3:].any()
