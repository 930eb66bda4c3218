"""A matrix that is new on a presented step has its room in the turn in which it comes."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QPushButton

from explorer.core.graph import Cell
from explorer.document.commands import SetCells
from explorer.lessons.loader import load
from explorer.ui.lesson.letters import HEIGHT, WIDTH
from explorer.ui.page.answers import OptionView
from explorer.ui.training.parts import Stepper
from tests.samples import long
from tests.ui.conftest import lesson_of

pytestmark = pytest.mark.usefixtures("kept", "page_rests")


@pytest.fixture
def presented(kept, anew, screen, qtbot):
    """Presents a step of a lesson, by its id or counted from 0; returns the presenter and the guide."""
    lessons = kept[0].lessons

    def at(name, step, width=WIDTH, height=HEIGHT):
        screen(width, height)
        lesson = lesson_of(name) if isinstance(name, str) else name
        ids = [one.id for one in lesson.steps]
        anew(step=ids.index(step) if step in ids else step, lesson=lesson)
        lessons.open_presenter()
        qtbot.waitUntil(lambda: is_still(lessons.presenter))
        return lessons.presenter, lessons.guide

    yield at
    if lessons.presenter is not None:
        lessons.presenter.leave()


def is_still(presenter):
    return not presenter.sheet._tries and not presenter.sheet._settled.isActive()


@pytest.mark.parametrize(("name", "step"), [("start-here", 4), ("emma", 2)])
def test_a_step_without_a_question_follows_an_answered_one(presented, qtbot, name, step):
    presenter, guide = presented(name, step - 1)
    guide.tell()
    qtbot.waitUntil(lambda: not presenter.sheet._tries)
    guide.next()
    boxes = presenter.sheet._hero.boxes
    assert boxes
    assert all(box.view.height() > 0 for box in boxes)
    qtbot.waitUntil(lambda: not presenter.sheet._tries)


def test_what_may_be_changed_is_named_as_on_the_page(open_window):
    window = open_window(load("you-are-welcome"))
    guide = window.lessons.guide
    guide.go([step.id for step in guide.steps].index("gamma"))
    said = window.lessons.panel._page.widgets["where"].text()
    assert "γ" in said
    assert "\\" not in said


def test_a_matrix_that_stood_beside_another_says_what_its_rows_are_when_it_stands_alone(presented, qtbot):
    presenter, guide = presented("i-love-ai", "mixture")
    assert not all(box.form.labelled for box in presenter.sheet._hero.boxes)
    guide.next()
    qtbot.waitUntil(lambda: is_still(presenter))
    (box,) = presenter.sheet._hero.boxes
    assert box.form.labelled


@pytest.mark.parametrize(("name", "step"), [("softmax", 0), long("start-here", 1), ("emma", 4)])
def test_what_a_step_names_is_whole_and_as_large_as_its_place(presented, name, step):
    sheet = presented(name, step)[0].sheet
    assert sheet.cut == sheet.scrolls == ()
    assert all(box.view.rowHeight(0) >= box.view.extent.low for box in sheet._hero.boxes)
    place = sheet._shown.size()
    assert sheet.elements.sizeHint().height() <= place.height()
    fills = max(
        max(box.geometry().right() for box in sheet._hero.boxes) / place.width(),
        sheet.elements.sizeHint().height() / place.height(),
    )
    assert fills > 0.9


@pytest.fixture
def emma(presented):
    """The presented step of a number, counted from 1, of the lesson on Emma."""
    return lambda step: presented("emma", step - 1)[0]


def test_what_the_asked_number_is_computed_from_is_in_sight(emma):
    boxes = {box.matrix.name: box.view for box in emma(5).sheet._hero.boxes}
    for name, word in (("Q", "friend"), ("K", "great")):
        view = boxes[name]
        assert not view.extent.cut
        row = view.visualRect(view.table.index(view.matrix.rows.index(word), 0))
        assert view.viewport().rect().contains(row)


def test_long_words_above_columns_give_way_to_more_columns(presented):
    presenter, _ = presented("what-a-trained-head-does", 1)
    (box,) = presenter.sheet._hero.boxes
    view = box.view
    assert not view.extent.cut
    for word in ("Marcus", "Troy"):  # the step speaks of both
        column = view.visualRect(view.table.index(0, view.matrix.columns.index(word)))
        assert view.viewport().rect().contains(column), word


def test_who_changes_a_given_number_sees_how_the_named_one_comes_about(emma):
    presenter = emma(4)
    presenter.bench.selection.choose(Cell("Q", (1, 8)))
    assert presenter.sheet._derivation.isVisible()
    assert "scores" in presenter.sheet._name.text()


def test_a_table_stays_under_the_mouse_until_a_cell_is_clicked(emma):
    presenter = emma(13)
    presenter.bench.selection.point(Cell("weights", (2, 0)))
    assert not presenter.sheet._derivation.isVisible()
    presenter._guide.tell()
    presenter.bench.selection.point(Cell("weights", (3, 0)))
    assert not presenter.sheet._leads
    presenter.bench.selection.choose(Cell("weights", (3, 0)))
    assert presenter.sheet._leads
    presenter.bench.selection.point(Cell("weights", (4, 0)))
    assert "she" in presenter.sheet._name.text()


def test_who_looks_for_the_right_cell_finds_the_table_where_it_is(emma):
    presenter = emma(11)
    presenter.bench.selection.choose(Cell("weights", (3, 0)), "arrow")
    assert not presenter.sheet._leads


def test_the_tables_stay_where_they_are_when_the_first_change_is_judged(presented, qtbot):
    presenter, guide = presented("emma", "make")
    before = [box.geometry() for box in presenter.sheet._hero.boxes]
    presenter.bench.document.do(SetCells("K", {(4, 1): 1.0}))
    presenter.bench.bridge.flush()
    qtbot.waitUntil(lambda: is_still(presenter))
    assert guide.attempt.verdict is not None
    assert [box.geometry() for box in presenter.sheet._hero.boxes] == before


def test_numbers_grow_with_cells_that_are_much_larger_than_they_have_to_be(presented):
    lesson = lesson_of("cat-sat-on-the")
    look = replace(lesson.steps[0].look, stage="loss", node="loss.value", rows=None, columns=None, beside=())
    presenter, _ = presented(replace(lesson, steps=(replace(lesson.steps[0], look=look),)), 0)
    (box,) = presenter.sheet._hero.boxes
    view = box.view
    assert view.figures.number.pointSizeF() >= 1.5 * view.letters.number.pointSizeF()
    assert view.figures.needed(view.matrix) <= view.columnWidth(0)
    assert view.figures.row <= view.rowHeight(0)
    right = view.right_of(view.matrix.text(0, 0))
    assert view.figures.needed(view.matrix) // 2 <= right + view.columnWidth(0) // 4  # in the middle


def test_lines_between_words_are_as_wide_as_the_shares_above_them(presented, qtbot):
    presenter, _ = presented("start-here", "shares")
    hero = presenter.sheet._hero
    qtbot.waitUntil(lambda: all(one.picture is not None for one in hero.pictures))
    qtbot.waitUntil(lambda: presenter.sheet.is_settled)
    (picture,), (box,) = hero.pictures, hero.boxes
    assert picture.y() > box.y()
    assert picture.width() > 0.8 * box.width(), "it stood at the left, and nothing beside it"


def test_choices_beside_each_other_are_equally_high_and_below_each_other_as_high_as_their_words(presented):
    presenter, guide = presented("softmax", 0)
    beside, buttons = (
        [one for one in page.widgets.values() if isinstance(one, OptionView)]
        for page in (guide.parent().panel._page, presenter.sheet.question)
    )
    assert [button.height() for button in beside] == [button.height_at(button.width()) for button in beside]
    assert len({button.height_at(button.width()) for button in buttons}) > 1, "this question shows nothing"
    assert len({button.height() for button in buttons}) == 1


def test_the_words_of_a_choice_stand_in_its_middle_when_the_next_question_has_longer_ones(presented):
    """The button kept its size, and the second line of its words lay below its edge."""
    presenter, _ = presented("softmax", 0)
    button = next(one for one in presenter.sheet.question.widgets.values() if isinstance(one, OptionView))
    for words in ("One line", "Words that need two lines on this slide, because there are so many of them here"):
        button.tell(replace(button._option, text=words))
        high = button.words.height()
        assert high == button.words.height_at(button.words.width())
        assert abs(button.words.y() - (button.height() - high) / 2) <= 1


def test_a_list_has_letters_as_large_as_the_words_where_shorter_bars_leave_room_for_them(presented, qtbot):
    presenter, _ = presented("cat-sat-on-the", "one-hot", 1024, 768)
    qtbot.waitUntil(lambda: presenter.sheet.is_settled)
    hero = presenter.sheet._hero
    assert hero.listing is not None
    assert hero.scale == pytest.approx(presenter.bench.appearance.scale), "0.87 of it"


@pytest.mark.parametrize("step", ["longer", "rule"])
def test_a_picture_has_the_letters_of_the_slide_whatever_stood_there_before(presented, qtbot, step):
    """After a slide with one large number its letters were two and a half times as large, and left arrows no room."""
    steps = [one.id for one in load("two-vectors").steps]
    presenter, guide = presented("two-vectors", steps.index("scaled"))
    sheet = presenter.sheet
    assert sheet._hero.scale > 1.2 * sheet.bench.appearance.scale
    guide.go(steps.index(step))
    qtbot.waitUntil(lambda: is_still(presenter))
    assert sheet._hero.filling
    assert sheet._hero.scale == pytest.approx(sheet.bench.appearance.scale, rel=0.02)


def test_a_list_that_follows_a_step_with_more_room_is_as_large_as_its_place(presented, qtbot):
    before = [step.id for step in load("changed-since-2017").steps].index("cache") - 1
    presenter, guide = presented("changed-since-2017", before, 1920, 1080)
    guide.next()
    qtbot.waitUntil(lambda: is_still(presenter))
    sheet = presenter.sheet
    assert sheet._hero.listing.width() > 0.9 * sheet._shown.width()  # it was 78 %: measured with its old rows


def test_no_control_of_gradient_descent_is_cut_on_a_slide(presented):
    presenter, _ = presented("xor", "watch")
    stepper = presenter.sheet.findChild(Stepper)
    buttons = stepper.findChildren(QPushButton)
    assert all(button.visibleRegion().boundingRect().size() == button.size() for button in buttons)
    assert len({button.mapTo(stepper, QPoint()).y() for button in buttons}) > 1
    assert stepper.height() >= stepper.heightForWidth(stepper.width()), "its second row is cut"


POINT = """
format = 4
id = "pointed"
title = "Pointed at"
paragraph = "Who looks at whom."
example = "you-are-welcome"
[[step]]
id = "point"
title = "Where it looks"
words = "Softmax makes shares."
look = { stage = "encoder.1.self.attention" }
[step.question]
kind = "point"
ask = "Which?"
"""


@pytest.mark.parametrize(
    ("asked", "names", "right"),
    [
        ('at = "token"\nnode = "encoder.1.self.head.1.weights"\nright = { largest = "You" }', "You are welcome", 2),
        ('at = "head"\nright = { head = 2 }', "Head 1, Head 2", 1),
    ],
)
def test_a_word_or_a_head_is_clicked_on_a_slide(presented, qtbot, tmp_path, asked, names, right):
    """ "Click a word at the top", said the slide, which has no words at its top; nor has it heads above the page."""
    (tmp_path / "pointed.toml").write_text(POINT + asked, "utf-8")
    presenter, guide = presented(load(tmp_path / "pointed.toml"), 0)
    widgets = presenter.sheet.question.widgets
    buttons = [one for id, one in widgets.items() if id.startswith("place ")]
    assert [one.text() for one in buttons] == names.split(", " if "," in names else " ")
    buttons[0].click()
    assert guide.question is not None
    assert guide.attempt.tried
    assert not buttons[0].isEnabled()
    buttons[right].click()
    assert guide.attempt.verdict.right
