"""Whatever matrices show, each stands where it was, as large as it was."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint

from explorer.pages.element import of_kind
from explorer.pages.page import Row, Stack
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.form import PLACE
from explorer.ui.widgets.formula import typeset
from tests.samples import long
from tests.ui.conftest import one_of_each_kind

pytestmark = pytest.mark.usefixtures("no_pictures", "kept")


def kind_of(window, name):
    return next(stage.kind for stage in window.bench.selection.stops if stage.name == name)


def places(page):
    """Where the matrices of a page are, how large they and their tables are, and how wide a column is."""
    found = {}
    for id, box in page.elements.widgets.items():
        if isinstance(box, MatrixBox):
            at, table = box.mapTo(page.widget(), QPoint(0, 0)), box.view
            found[id] = at.toTuple(), box.size().toTuple(), table.size().toTuple(), table.columnWidth(0)
    return found


def signs_of(page):
    """The signs in sight, each with the widgets before and behind it."""
    widgets = page.elements.widgets
    for row in of_kind(page.elements.elements, Row):
        for before, one in pairwise(row.inside):
            if (sign := page.elements.sign_before(one.id)) is not None and not isinstance(before, Stack):
                yield widgets[before.id], sign, widgets[one.id]


def signs_in_the_middle(page):
    """How many signs of a page stand between numbers, each in the middle."""
    found = 0
    for before, sign, box in signs_of(page):
        if isinstance(before, MatrixBox) and not before.small and before.view.isVisible():
            cells, row = before.view.viewport(), sign.parentWidget()
            middle, at = cells.mapTo(row, cells.rect().center()), sign.geometry()
            right, top = cells.mapTo(row, cells.rect().topRight()).toTuple()
            if at.left() > right:
                found += 1
                assert top < at.center().y() < middle.y() + 12, (before.matrix.name, "is beside the heading")
                apart = at.left() - right, box.geometry().left() - at.right()
                assert abs(apart[0] - apart[1]) <= 3, before.matrix.name
        assert sign.geometry().right() < box.geometry().left(), (page.stage, "a sign stands before its matrix")
    return found


@pytest.mark.parametrize(
    ("lesson", "size", "scale"),
    [
        ("you-are-welcome", (1280, 720), 1.0),
        long("you-are-welcome", (1600, 900), 1.0),
        long("jane", (1280, 720), 1.0),
        ("xor", (1600, 900), 1.0),
    ],
)
def test_values_changes_and_gradients_stand_in_the_same_places_and_signs_in_the_middle_between(
    open_window, appearance, eye, lesson, size, scale
):
    stand_still(open_window, appearance, eye, lesson, size, scale)


@pytest.mark.long
def test_they_do_so_in_large_text_beside_pictures(open_window, appearance, eye, pictures):
    stand_still(open_window, appearance, eye, "i-love-ai", (1280, 720), 2.0)


def stand_still(open_window, appearance, eye, lesson, size, scale):
    typeset("x")  # before that a formula has the place that it is likely to need
    appearance.set_scale(scale)
    window = open_window(lesson, size=size)
    some, signs, like_the_first = 0, 0, {"attention", "embedding", "heads", "output"}
    for stage in list(one_of_each_kind(window)):
        if size == (1280, 720) and kind_of(window, stage) not in like_the_first:
            continue  # there is less room: the pages that show words
        page = eye.go_to(window, stage)
        before = places(page)
        if not before:
            continue
        some += len(before)
        signs += signs_in_the_middle(page)
        for showing in ("gradient", "change", "values"):
            if showing != "gradient" or window.bench.descent.possible:
                window.top_bar.showing.show_in_matrices(showing)
                eye.settle(window)
                assert places(page) == before, (stage, showing)
    assert some > 5
    assert signs


@pytest.fixture
def narrow(bring):
    """The window of a usual laptop on attention with two heads."""
    return bring("you-are-welcome", "encoder.1.self.attention", (1280, 720))


def test_what_is_folded_is_not_decided_anew_for_changes(narrow, eye):
    window, page = narrow, narrow.page()
    decided = page.elements._sharing._decided
    assert decided
    window.top_bar.showing.show_in_matrices("change")
    eye.settle(window)
    assert page.elements._sharing._decided == decided


def in_sight(page, id):
    part = page.elements.widgets[id]
    return page.viewport().rect().contains(part.mapTo(page.viewport(), part.rect().bottomRight()))


def test_three_words_of_attention_stand_on_one_screen(narrow, eye, bring):
    narrow.bench.open(narrow.bench.lesson, "printed")  # without a mask
    for block in ("encoder.1.self", "decoder.1.self"):
        page = eye.go_to(narrow, f"{block}.attention")
        assert_on_one_screen(page, block, ("Q", "K", "V", "scores", "weights", "output"), "W_Q")
    page = bring("i-love-ai", "decoder.1.self.attention", (1280, 720)).page()
    numbers = "Q", "K", "V", "scores", "scaled", "masked", "weights", "output"
    assert_on_one_screen(page, "decoder.1.self", numbers, "mask")


def assert_on_one_screen(page, block, numbers, small):
    for short in (*numbers, small, "heat map"):
        assert in_sight(page, f"{block}.{short}"), short
        assert short == "heat map" or page.elements.widgets[f"{block}.{short}"].small == (short == small)


@pytest.mark.parametrize(("lesson", "stage"), [("start-here", "decoder.1.cross"), ("i-want-to-buy", "encoder.1.self")])
def test_weights_and_output_are_in_sight_where_there_is_no_room_for_the_map(bring, lesson, stage):
    page = bring(lesson, f"{stage}.attention", (1280, 720)).page()
    for short in ("weights", "output"):
        assert in_sight(page, f"{stage}.{short}"), short
        assert not page.elements.widgets[f"{stage}.{short}"].small


def test_a_number_is_not_alone_below_small_pictures(open_window, appearance, eye):
    appearance.set_scale(2.0)
    window = open_window("jane", stage="encoder.1.self.attention", size=(1280, 720))
    boxes = window.page().elements.widgets
    weights, scale = (boxes[f"encoder.1.self.{short}"].geometry() for short in ("W_V", "scale"))
    assert weights.top() < scale.center().y() < weights.bottom()


def test_a_small_picture_is_clicked_for_its_numbers(narrow, eye, hand):
    window, page = narrow, narrow.page()
    box = page.elements.widgets["encoder.1.self.W_Q"]
    assert not box.view.isVisible()
    hand.click(box._small)
    eye.settle(window)
    assert box.view.isVisible()
    assert not page.elements.widgets["encoder.1.self.W_K"].view.isVisible()
    box._heading.caption.linkActivated.emit("small")
    eye.settle(window)
    assert not box.view.isVisible()


def test_the_heat_map_is_in_sight_with_the_weights(window, eye):
    page = eye.go_to(window, "encoder.1.self.attention")
    for id in ("encoder.1.self.W_Q", "encoder.1.self.weights", "encoder.1.self.heat map"):
        assert in_sight(page, id), id
    assert not page.elements.widgets["encoder.1.self.W_Q"].small


@pytest.mark.parametrize(("lesson", "stage"), [("positions-cat-mat", "encoder"), ("tiny-reader", "decoder")])
def test_what_is_in_the_way_of_weights_and_map_is_folded(bring, eye, qtbot, lesson, stage):
    window = bring(lesson, f"{stage}.1.self.attention")
    page = window.page()
    boxes = page.elements.widgets
    late = f"{stage}.1.self.heat map"
    qtbot.waitUntil(lambda: boxes[late].picture is not None)
    eye.settle(window)
    assert in_sight(page, late)
    assert in_sight(page, next(id for id in boxes if id.endswith("weights")))
    folded = next(box for id, box in boxes.items() if id.endswith(".Q"))
    assert folded.small
    folded._small.opened.emit(QPoint(0, 0))
    eye.settle(window)
    assert not folded.small
    assert next(box for id, box in boxes.items() if id.endswith(".K")).small


@pytest.mark.parametrize("showing", ["gradient", long("change"), long("values")])
def test_symbol_and_small_picture_are_whole_whatever_is_shown(narrow, eye, showing):
    typeset("x")
    window, page = narrow, narrow.page()
    small = [box for box in page.elements.widgets.values() if isinstance(box, MatrixBox) and box.shape.where == PLACE]
    assert len(small) >= 4
    where = [box._small.mapTo(page.widget(), QPoint()) for box in small]
    window.top_bar.showing.show_in_matrices(showing)
    eye.settle(window)
    for box in small:
        formula = box._heading.formula
        assert formula.size() == formula.size_of(formula.latex(), box.form.times, formula.width()), box.matrix.name
        assert box._small.geometry().right() < box.width(), box.matrix.name
        between = box._small.geometry().left() - formula.geometry().right()
        assert between < window.bench.appearance.px(10), f"{box.matrix.name} stands nearer to another picture"
    assert [box._small.mapTo(page.widget(), QPoint()) for box in small] == where
    scale = page.elements.widgets["encoder.1.self.scale"]
    assert scale.rect().contains(scale._heading.formula.geometry())
    assert (r"\partial (1 /" in scale._heading.formula.latex()) == (showing == "gradient")


@pytest.mark.long
def test_so_does_a_sign_between_the_numbers_of_a_trained_model(open_window, eye):
    typeset("x")
    window = open_window("tiny-gpt", size=(1280, 720))
    assert sum(signs_in_the_middle(eye.go_to(window, stage)) for stage in list(one_of_each_kind(window)))


def test_signs_of_a_line_stand_at_one_height(bring):
    page = bring("xor", "layer.1").page()
    signs = [sign for _, sign, _ in signs_of(page)]
    assert [sign.text() for sign in signs] == ["×", "+", "=", "→"]
    assert len({sign.mapTo(page, QPoint()).y() for sign in signs}) == 1
