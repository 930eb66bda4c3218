"""From the whole over a block to the page of a stage, and back: by keys, by the wheel, by clicks."""

import pytest
from PySide6.QtCore import Qt

from explorer.document.document import Document
from explorer.pages.drawing import Box
from explorer.pages.levels import WHOLE
from explorer.ui.drawing.view import DrawingView
from explorer.ui.render import render
from tests.ui.conftest import lesson_of

pytestmark = pytest.mark.usefixtures("kept")

Key = Qt.Key
SELF, ATTENTION = "model.encoder.1.self", "encoder.1.self.attention"


@pytest.fixture
def window(anew):
    return anew(WHOLE.name)


@pytest.fixture
def picture(window, eye):
    """The picture in sight."""

    def in_sight():
        eye.settle(window)
        return eye.plot(window, DrawingView)

    return in_sight


def here(picture):
    return picture.accessibleDescription().partition(".")[0]


def box(picture, title):
    return next(one for one in picture.drawing.marks if isinstance(one, Box) and one.title == title)


def middle(picture, mark):
    left, top, wide, high = mark.place
    return picture.pixel(left + wide / 2, top + high / 2).toPoint()


def test_with_the_keys_alone_one_goes_in_and_out_again(window, picture, hand):
    def stage():
        return window.bench.selection.stage

    window.setFocus()
    picture()
    hand.key(Key.Key_Right)
    while "Self-attention" not in here(picture()):
        before = here(picture())
        hand.key(Key.Key_Right)
        assert here(picture()) != before
    attention = here(picture())
    hand.key(Key.Key_Return)
    assert stage() == SELF
    inside = picture()
    assert inside.hasFocus()
    hand.key(Key.Key_Right)
    seen = [here(inside)]
    while seen[-1] != "scores":
        hand.key(Key.Key_Right)
        assert here(inside) not in seen, "an arrow to the right goes along an edge"
        seen.append(here(inside))
    hand.key(Key.Key_Return)
    assert stage() == ATTENTION
    picture_of_block = inside
    hand.key(Key.Key_Escape)
    assert stage() == SELF
    assert picture() is picture_of_block
    hand.key(Key.Key_Escape)
    assert stage() == WHOLE.name
    assert here(picture()) == attention
    hand.key(Key.Key_Escape)
    assert stage() == WHOLE.name


def test_a_click_goes_in_and_crumbs_lead_out(window, picture, hand):
    hand.click(picture().viewport(), middle(picture(), box(picture(), "Positions")))
    assert window.bench.selection.stage == "model.source"
    inside = picture()
    left, top, wide, _ = box(inside, "H").place
    hand.click(inside.viewport(), inside.pixel(left + wide / 2, top + 8).toPoint())
    assert window.bench.selection.stage == "source.positions"
    crumbs = window.page().page.header.crumbs
    assert [crumb.text for crumb in crumbs] == ["The model", "Source: Embedding block"]
    while window.bench.selection.cell is not None:
        hand.key(Key.Key_Escape)
        assert window.bench.selection.stage == "source.positions", "first the cell is let go"
    hand.key(Key.Key_Escape)
    assert window.bench.selection.stage == "model.source"


def test_the_wheel_goes_into_what_fills_the_view_and_out_of_what_is_all_in_sight(window, picture, hand):
    view = picture()
    mark = box(view, "Feed-forward")
    for _ in range(40):
        hand.wheel(view.viewport(), middle(view, mark), 1.0)
        if window.bench.selection.stage != WHOLE.name:
            break
    assert window.bench.selection.stage == "model.encoder.1.ffn"
    inside = picture()
    hand.wheel(inside.viewport(), None, -1.0)
    assert window.bench.selection.stage == "model.encoder.1.ffn"
    hand.wheel(inside.viewport(), None, -1.0)
    assert window.bench.selection.stage == WHOLE.name
    for _ in range(20):
        hand.wheel(picture().viewport(), None, -1.0)
    assert window.bench.selection.stage == WHOLE.name


def test_the_list_says_at_which_stages_one_is(window, picture, eye):
    eye.go_to(window, SELF)
    active = [button.stage.name for button in window.map.buttons if button.active]
    assert active == [ATTENTION, "encoder.1.self.heads", "encoder.1.self.after"]
    window.actions_.next_stage.trigger()
    assert window.bench.selection.stage == "encoder.1.ffn.layers"
    eye.go_to(window, SELF)
    window.actions_.previous_stage.trigger()
    assert window.bench.selection.stage == "source.positions"


def test_each_box_is_told_with_what_it_holds(window, picture, hand, eye):
    window.area._drop([SELF] if SELF in window.area._pages else [])  # a new picture begins at its first box
    eye.go_to(window, SELF)
    window.setFocus()
    hand.key(Key.Key_Right)
    hand.key(Key.Key_Right)
    said = picture().accessibleDescription()
    assert "2 × 3 × 4" in said
    assert "Self-attention" in said
    assert picture().accessibleName().startswith("Encoder 1: Self-attention block")


def test_a_click_on_a_picture_leaves_no_ring_of_the_keys(window, picture, hand):
    before = picture().grab().toImage()
    hand.click(picture().viewport(), middle(picture(), box(picture(), "Positions")))
    assert not picture().hasFocus()
    hand.key(Key.Key_Escape)
    hand.away(window)
    assert picture().grab().toImage() == before


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_a_block_is_drawn_into_a_file(qapp, ending):
    lesson = lesson_of("you-are-welcome")
    assert len(render(lesson, Document(lesson.state()), SELF, ending)) > 5000
