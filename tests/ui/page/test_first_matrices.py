"""At twice the text, in a window of 1280 x 720, what a page begins with is in sight."""

import pytest
from PySide6.QtCore import QPoint, QRect

from explorer.document.commands import SetCells
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.form import CELL_HEIGHT
from explorer.ui.page.player import PlayerView
from explorer.ui.widgets.formula import typeset

WITHOUT_PICTURES = pytest.mark.usefixtures("no_pictures")


@pytest.fixture
def lecture(open_window, appearance):
    """Opens the window as it is shown to a class."""
    typeset("x")

    def open_it(lesson):
        appearance.set_scale(2.0)
        window = open_window(lesson)
        window.resize(1280, 720)
        return window

    return open_it


def first_two(page):
    """The boxes of the first two matrices, and where they are in sight."""
    boxes = [box for box in page.elements.widgets.values() if isinstance(box, MatrixBox)]
    return [(box, QRect(box.mapTo(page.viewport(), QPoint(0, 0)), box.size())) for box in boxes[:2]]


@WITHOUT_PICTURES
@pytest.mark.parametrize(("lesson", "stage"), [("roses-are-red", "generation.costs"), ("sin", "input")])
def test_a_picture_is_no_wider_than_the_page(lecture, eye, lesson, stage):
    assert eye.go_to(lecture(lesson), stage).horizontalScrollBar().maximum() == 0


def test_no_heat_map_of_many_words_is_wider_than_the_page(open_window, appearance, eye, qtbot):
    appearance.set_scale(2.0)
    window = open_window("jane", size=(1280, 720))
    window.actions_.fold_right.setChecked(False)  # brought back: so there is less room
    page = eye.go_to(window, "encoder.1.self.attention")
    (late,) = [one for id, one in page.elements.widgets.items() if id.endswith("heat map")]
    qtbot.waitUntil(lambda: late.picture is not None)
    eye.settle(window)
    assert late.width() <= page.viewport().width()


@WITHOUT_PICTURES
def test_numbers_that_fit_stay_and_those_that_are_asked_for_come(lecture, eye):
    window = lecture("start-here")
    (scores, _), (output, _) = first_two(eye.go_to(window, "encoder.1.self.heads"))
    assert not scores.small
    assert not output.small
    boxes = eye.go_to(window, "encoder.1.ffn.layers").elements.widgets
    assert not boxes["encoder.1.ffn.W_1"].small, "the bias has fewer numbers"
    box = boxes["encoder.1.ffn.b_1"]
    assert box.small
    box._small.opened.emit(QPoint(0, 0))
    eye.settle(window)
    assert not box.small
    assert box.view.isVisible()
    window.resize(1280, 1400)
    eye.settle(window)
    assert not box.small
    assert box.y() < boxes["encoder.1.ffn.W_1"].geometry().bottom(), "it is added on the same line"
    assert not boxes["encoder.1.ffn.activation"].small


@WITHOUT_PICTURES
def test_the_weights_of_one_layer_and_the_cases_are_in_sight_at_once(lecture, eye):
    """Where single numbers counted as matrices to fold for, it asked for other sizes until the stack was full."""
    page = eye.go_to(lecture("xor-linear"), "input")
    assert page.isVisible()
    boxes = page.elements.widgets
    W, b, X = (
        QRect(boxes[id].mapTo(page, QPoint(0, 0)), boxes[id].size()) for id in ("layer.1.W", "layer.1.b", "input.X")
    )
    assert b.top() == W.top(), "b stands beside W, not below it"
    assert X.bottom() - W.top() < page.viewport().height()


def test_scores_shrink_so_that_weights_and_map_are_in_sight(open_window, eye, qtbot):
    typeset("x")
    window = open_window("emma")
    window.bench.open(window.bench.lesson, "printed")  # a word a column: Q and K are low
    window.resize(1600, 900)
    page = eye.go_to(window, "attention")
    boxes = page.elements.widgets
    qtbot.waitUntil(lambda: boxes["heat map"].picture is not None)
    eye.settle(window)
    for id in ("weights", "heat map"):
        assert page.viewport().rect().contains(boxes[id].mapTo(page.viewport(), boxes[id].rect().bottomRight())), id
    scores, weights = boxes["scores"], boxes["weights"]
    assert not scores.small
    assert scores.view.rowHeight(0) == weights.view.rowHeight(0) < window.bench.appearance.px(CELL_HEIGHT)
    assert scores.mapTo(page, QPoint(0, 0)).y() == weights.mapTo(page, QPoint(0, 0)).y(), "they stand on one line"


@WITHOUT_PICTURES
def test_the_words_of_the_player_do_not_push_the_model_out_of_sight(lecture, eye):
    window = lecture("i-love-ai")
    window.actions_.fold_right.setChecked(False)  # brought back: so there is less room
    page = eye.go_to(window, "model")
    player = next(one for one in page.elements.widgets.values() if isinstance(one, PlayerView))
    assert player.words.width() > player.width() / 2
    assert player.mapTo(page.viewport(), player.rect().bottomLeft()).y() < page.viewport().height() * 2 / 3


@WITHOUT_PICTURES
def test_heads_beside_each_other_show_all_numbers_or_pictures(open_window, eye):
    window = open_window("tiny-translator", stage="decoder.2.cross.heads", size=(1280, 720))
    boxes = window.page().elements.widgets
    outputs = [box for id, box in boxes.items() if id.endswith("output") and isinstance(box, MatrixBox)]
    assert len(outputs) == 4
    assert len({box.small for box in outputs}) == 1
    window.bench.document.do(SetCells("decoder.2.cross.W_V", {(1, 0, 0): -1000.0}))
    eye.settle(window)
    assert {box.small for box in outputs} == {True}, "one has longer numbers than the others"
