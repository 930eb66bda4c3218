"""The room that a lesson takes. Slides: what a step names is whole and large, and no slide is mostly empty.

All slides: `pytest -m long`. The list of stages gives way in a narrow window.
"""

from contextlib import closing

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from explorer.lessons.loader import lesson_files, load
from explorer.lessons.schema import WHOLE
from explorer.ui.lesson.guide import Guide
from explorer.ui.lesson.hero import MOST
from explorer.ui.lesson.ink import at_rest, empty_share, named_share, slides, strength
from explorer.ui.lesson.lecturer import Pictures
from explorer.ui.lesson.letters import HEIGHT, READ, WIDTH
from explorer.ui.lesson.presenter import Presenter
from explorer.ui.lesson.sheet import StepSheet
from explorer.ui.lesson.step_pictures import drawn
from explorer.ui.page.pictures import Filling
from explorer.ui.window.division import GUIDED

SIZES = [(1280, 720), (1920, 1080)]
WITH_STEPS = [name for name, file in lesson_files().items() if "[[step]]" in file.read_text("utf-8")]
MOST_EMPTY = 0.5


def wrong_with(lesson, size):
    """What is wrong with the slides of a lesson, as (step, what)."""
    for slide in slides(lesson, size):
        if slide.cut or slide.scrolls:
            yield slide.step, f"cuts {', '.join(slide.cut + slide.scrolls)}"
        if not slide.rests:
            yield slide.step, "is laid out for ever"
        if slide.empty > MOST_EMPTY and not slide.alone:
            yield slide.step, f"is empty to {slide.empty:.0%}"


@pytest.mark.parametrize(
    ("name", "size"), [("what-the-cache-saves", SIZES[0]), ("where-the-answer-comes-from", SIZES[1])]
)
def test_the_slides_of_a_short_lesson_are_whole_and_full(qapp, name, size):
    assert list(wrong_with(load(name), size)) == []


def test_the_first_slide_fills_its_place_although_it_was_made_in_another_size(qapp):
    with closing(slides(load("cat-sat-on-the"), SIZES[0])) as found:
        assert next(found).empty < MOST_EMPTY  # it was 64 %: what was too large in one room was so in any other


@pytest.fixture
def presented(bench_of, qtbot):
    """Presents a lesson at a step, in a size."""
    presenters = []

    def present(name, id, size=SIZES[0]):
        bench = bench_of(load(name))
        guide = Guide(bench)
        guide.go([step.id for step in guide.steps].index(id))
        presenters.append(Presenter(bench, guide))
        qtbot.addWidget(presenters[-1])
        presenters[-1].resize(*size)
        presenters[-1].show()
        return guide, presenters[-1]

    yield present
    for presenter in presenters:
        presenter.leave()


@pytest.mark.parametrize(
    ("name", "id", "size"),
    [
        ("ten-questions-before", "zero", SIZES[1]),
        ("cat-sat-on-the", "walk-down", SIZES[0]),
        ("xor", "watch", SIZES[0]),
    ],
)
def test_a_slide_stays_whole_when_hints_and_its_answer_are_shown(presented, name, id, size):
    """Of a table its last row was cut, and of the words beside a curve of the loss all but half a line."""
    guide, presenter = presented(name, id, size)
    for act in (*[guide.hint] * len(guide.walk.hints()), guide.reveal):
        at_rest(presenter)
        act()
        at_rest(presenter)
        assert presenter.sheet.cut == presenter.sheet.scrolls == ()


def test_two_derivations_that_are_compared_have_the_room_of_the_words(presented):
    """Of the words half a line was left, with a bar to scroll."""
    guide, presenter = presented("softmax", "equal")
    for typed in (123.0, 124.0, 3.0):  # 3: divided the wrong way round
        guide.answer(typed)
    at_rest(presenter)
    sheet = presenter.sheet
    assert presenter._question.widgets["side"].text() == "How one gets 3"
    assert (sheet.cut, sheet.scrolls, list(sheet._words.widgets)) == ((), (), [])
    guide.ask_again()
    at_rest(presenter)
    assert list(sheet._words.widgets) == ["words"]


def test_on_a_screen_of_an_old_projector_a_table_is_whole(presented):
    """Its lines were computed to be exactly full, and the page broke them once more."""
    _, presenter = presented("errata-004", "print-relu", (1024, 768))
    at_rest(presenter)
    assert (presenter.sheet.cut, presenter.sheet.scrolls) == ((), ())


def test_a_single_table_is_as_large_as_its_place(presented):
    """It was measured before it was laid out in its size, and had 60 % of it."""
    guide, presenter = presented("i-love-ai", load("i-love-ai").steps[7].id)
    at_rest(presenter)
    guide.go(8)
    at_rest(presenter)
    assert presenter.sheet._hero.scale == pytest.approx(MOST * presenter.sheet.bench.appearance.scale)


@pytest.mark.parametrize(
    ("name", "id", "wrong_numbers"),
    [
        # Divided the wrong way round: the other eleven rows are those of the right one. Along the columns: beside the
        # question the table is too small to be whole.
        ("jane", "other-heads", {2.0: 1, 1.0: 7}),
        ("jane", "guess", {0.0: 6}),  # what comes later is hidden
        ("words-as-vectors", "cosine", {0.03: 0}),  # divided twice: of ten rows there is no room for any
    ],
)
def test_a_slide_stays_whole_behind_three_wrong_numbers(presented, name, id, wrong_numbers):
    """The derivation of the wrong number had all of its rows, and of the table or the question a part was cut."""
    guide, presenter = presented(name, id)
    for wrong, left in wrong_numbers.items():
        if guide.attempt.compared is not None:
            guide.ask_again()
        for typed in (123.0, 124.0, wrong):
            guide.answer(typed)
        at_rest(presenter)
        assert guide.attempt.compared is not None
        assert len(presenter._question.widgets["side rows"]._rows) == left, wrong
        assert (presenter.sheet.cut, presenter.sheet.scrolls) == ((), ())


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", WITH_STEPS)
def test_no_slide_cuts_a_table_or_is_mostly_empty(qapp, name, size):
    assert list(wrong_with(load(name), size)) == []


def test_among_all_steps_the_picture_of_the_whole_is_there(open_window):
    window = open_window(load("start-here"))
    window.lessons.guide.go(0)
    picture = Pictures(window.bench.appearance, window.lessons.guide.walk).step(0).toImage()
    colours = {picture.pixel(x, y) for x in range(WIDTH // 2, WIDTH, 7) for y in range(HEIGHT // 4, HEIGHT, 7)}
    assert len(colours) > 5


def test_the_small_picture_of_a_step_is_whole(open_window, monkeypatch):
    """The second step of the lesson had a bar to scroll, and its last row was cut."""
    settle, found = StepSheet.settle, []

    def settle_and_look(sheet):
        settle(sheet)
        found.append((sheet.cut, sheet.scrolls))

    monkeypatch.setattr(StepSheet, "settle", settle_and_look)
    window = open_window(load("start-here"))
    pictures = Pictures(window.bench.appearance, window.lessons.guide.walk)
    pictures.step(1)
    pictures.step(3)
    assert found == [((), ())] * 2


def test_in_the_small_picture_no_number_is_derived_before_the_question_is_answered(open_window, monkeypatch):
    """That of a step that asks for a place derived another cell, and its table was half as large as on the slide."""
    settle, derived = StepSheet.settle, {}

    def settle_and_look(sheet):
        settle(sheet)
        derived[sheet.step.id] = not sheet._derivation.isHidden()

    monkeypatch.setattr(StepSheet, "settle", settle_and_look)
    window = open_window(load("changed-since-2017"))
    pictures = Pictures(window.bench.appearance, window.lessons.guide.walk)
    for step in (4, 5):
        pictures.step(step)
    assert derived == {"sines": True, "sines-shifted": False}


def test_in_a_narrow_window_the_list_gives_way_while_a_lesson_leads(open_window, qtbot):
    window = open_window("emma")
    window.resize(GUIDED - 100, 720)
    wide = window.map.width()
    window.lessons.begin("start-here", False)
    qtbot.waitUntil(lambda: window.map.width() < wide)
    assert not window.bench.settings.get("list folded", False), "what a lesson does is not remembered"
    window.resize(GUIDED + 100, 720)
    qtbot.waitUntil(lambda: window.map.width() == wide)
    window.resize(GUIDED - 100, 720)
    qtbot.waitUntil(lambda: window.map.width() < wide)
    window.lessons.guide.leave()
    qtbot.waitUntil(lambda: window.map.width() == wide)


def test_in_large_text_the_question_of_a_step_is_in_sight(open_window, appearance, eye):
    """The step had a quarter of the window's width, three words a line, beside a page half empty."""
    appearance.set_scale(1.5)
    window = open_window("cat-sat-on-the", size=(1280, 720))
    panel, guide = window.lessons.panel, window.lessons.guide
    for at in (1, 2, 4, 5, 6):
        guide.go(at)
        eye.settle(window)
        assert panel._scroll.verticalScrollBar().maximum() == 0, at
    alone = panel.width()
    guide.leave()
    eye.settle(window)
    assert window.inspector.width() < alone


def test_presented_the_picture_of_the_whole_is_seen_whole(open_window, screen, hand, qtbot):
    window = open_window("emma")
    window.lessons.begin("start-here", False)
    hand.key(Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: window.lessons.presenter is not None and window.lessons.presenter.sheet is not None)
    presenter = window.lessons.presenter
    sheet = presenter.findChild(StepSheet)
    qtbot.waitUntil(lambda: not sheet._tries)
    (picture,) = [widget for widget in sheet.elements.widgets.values() if isinstance(widget, Filling)]
    qtbot.waitUntil(lambda: picture.width() > 600 and picture.height() > 250)
    corner = picture.mapTo(presenter, picture.rect().bottomRight())
    assert presenter.rect().contains(corner)
    presenter.leave()


@pytest.mark.parametrize("name", ["start-here", "i-love-ai"])
def test_a_class_can_read_the_picture_of_the_whole(open_window, screen, eye, qtbot, text_sizes, name):
    window = open_window(load(name))
    guide = window.lessons.guide
    guide.go(max(at for at, step in enumerate(guide.steps) if step.look.stage == WHOLE))
    eye.settle(window)
    window.lessons.open_presenter()
    presenter = window.lessons.presenter
    qtbot.waitUntil(lambda: QApplication.activeWindow() is presenter)
    qtbot.waitUntil(lambda: text_sizes(presenter).get("Feed-forward", 0) >= 0.9 * READ)
    sizes = text_sizes(presenter)
    presenter.leave()
    assert {"Feed-forward", "Embeddings", "Positions"} <= sizes.keys()
    assert min(sizes.values()) >= 0.9 * READ, sizes  # the question has its room along the bottom


# How much of a picture is drawn on, and whose that is

GROUND = (247, 246, 242)


def picture(*rects):
    """A picture of 320 × 160 pixels of the ground with black rectangles (top, left, bottom, right)."""
    pixels = np.full((160, 320, 3), GROUND, dtype=np.uint8)
    for top, left, bottom, right in rects:
        pixels[top:bottom, left:right] = 0
    return drawn(pixels, GROUND)


def test_a_blank_page_is_empty_and_a_full_one_is_not():
    assert empty_share(picture()) == 1
    assert empty_share(picture((0, 0, 160, 320))) == 0


def test_a_square_with_one_pixel_is_not_empty():
    assert empty_share(picture((15, 15, 16, 16))) == pytest.approx(1 - 1 / (32 * 16))


@pytest.mark.parametrize(("half", "share"), [((0, 0, 80, 320), 0.5), ((0, 0, 160, 80), 0.75)])
def test_the_empty_share_is_that_of_the_squares(half, share):
    assert empty_share(picture(half)) == share


def test_a_colour_that_nobody_tells_from_the_ground_is_no_ink():
    pixels = np.full((10, 10, 3), GROUND, dtype=np.uint8)
    pixels[0, 0] = np.array(GROUND) - 3
    assert not drawn(pixels, GROUND).any()
    assert not strength(pixels, GROUND).any()
    pixels[0, 0] = 0
    assert strength(pixels, GROUND).sum() == pytest.approx(sum(GROUND) / (3 * 255))


def test_the_share_of_what_is_named_counts_ink_alone():
    ink = picture((0, 0, 10, 10), (50, 50, 60, 80))
    named = np.zeros_like(ink)
    named[:40] = True
    assert named_share(ink, named) == pytest.approx(100 / 400)
    assert named_share(picture(), named) == 0
