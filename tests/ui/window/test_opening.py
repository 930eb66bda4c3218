"""What is seen first: the words run through the model, and a person types others, or goes on from there."""

import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from explorer.app import make_window
from explorer.lessons.loader import load
from explorer.lessons.progress import LessonProgress, ProgressFolder
from explorer.lessons.schema import WHOLE
from explorer.pages.drawing import Bars, Image
from explorer.settings import Settings
from explorer.ui.appearance import Appearance
from explorer.ui.drawing.strokes import changed
from explorer.ui.window import opening
from explorer.ui.window.division import LEAST_HEIGHT
from explorer.ui.window.opening import TIME
from tests.samples import long
from tests.ui.conftest import closed


@pytest.fixture
def first(open_window, qtbot, monkeypatch):
    """The window as it is at the start, with as much motion as is asked for; its picture is there."""

    def open_first(moves=False, settings=None):
        monkeypatch.setattr(Appearance, "moves", moves)
        window = open_window("tiny-gpt", settings, opening=True)
        qtbot.waitUntil(lambda: window.tabs.opening.picture.picture is not None)
        return window

    return open_first


@pytest.fixture
def alone(appearance, qtbot):
    """Makes the window as it is at the start, before the event loop runs: the opening page is all that it has."""
    windows = []

    def make():
        windows.append(make_window(load("tiny-gpt"), appearance, opening=True))
        return windows[-1]

    yield make
    closed(windows)


def shown(window):
    return window.tabs.opening.picture.picture.drawing


def answers(window):
    return [mark.words for mark in shown(window).marks if isinstance(mark, Bars)]


def test_nothing_stands_beside_the_picture_the_field_and_the_button_which_leads_to_the_first_lesson(first, hand, eye):
    window = first()
    page = window.tabs.opening
    assert window.tabs.currentWidget() is page
    parts = window.top_bar, window.inspector, window.map, window.tokens, window.lesson_bar, window.lessons.panel
    assert not any(part.isVisible() for part in parts)
    assert page.field.text() == "the cat sat on the"
    assert page.button.text() == "Show me how"
    assert page.picture.width() > 0.95 * window.width()
    assert answers(window)[0][0] == "mat", "where less motion is asked for the end is there at once"
    hand.click(page.again)
    assert not page.plays
    assert page.at == 1.0
    # The values of before are marked only for as many words; the page spoke of black lines that nobody saw.
    for sentence, marked in (("the dog sat on the", True), ("the cat", False)):
        hand.click(page.field)
        page.field.selectAll()
        hand.enter(sentence)
        assert page.told.text().startswith("Before, it was ")
        assert ("Black lines" in page.told.text()) is marked
    hand.click(page.button)
    eye.settle(window)
    assert (window.bench.lesson.id, window.lessons.guide.at) == ("start-here", 0)
    assert window.tabs.opening is None
    assert window.top_bar.isVisible()
    assert window.lessons.panel.isVisible()


@pytest.mark.parametrize(("moves", "told"), [(True, "Each word becomes"), (False, "After “the cat sat on the”")])
def test_before_the_picture_is_there_its_end_is_told_only_where_nothing_moves(alone, monkeypatch, moves, told):
    monkeypatch.setattr(Appearance, "moves", moves)
    window = alone()
    window.show()
    assert window.tabs.opening.picture.picture is None
    assert window.tabs.opening.said.text().startswith(told)


def test_the_other_parts_are_made_once_the_opening_page_is_painted(alone, qtbot):
    window = alone()
    assert not hasattr(window, "area")
    with qtbot.waitExposed(window):
        window.show()
    qtbot.waitUntil(lambda: hasattr(window, "area"))
    assert window.tabs.opening.isVisible(), "making them leaves the page where it is"
    assert not any(part.isVisible() for part in (window.top_bar, window.inspector, window.map, window.lessons.panel))
    window.show_tab("Pipeline")
    assert all(part.isVisible() for part in (window.top_bar, window.inspector, window.tokens))
    assert window.bench.selection.stage == window.page().stage.name == "output"


@pytest.mark.parametrize(
    "act",
    [
        lambda window: window.show_tab("Lessons"),
        lambda window: window.tabs.opening.links[1].click(),
        lambda window: QTest.keyClick(window, Qt.Key.Key_PageDown),
        lambda window: QTest.mouseClick(window, Qt.MouseButton.LeftButton),
        lambda window: window.close(),
    ],
    ids=["tab", "link", "key", "mouse", "close"],
)
def test_whoever_acts_before_the_other_parts_are_there_has_them_at_once(alone, act):
    window = alone()
    window.show()
    assert not hasattr(window, "area")
    act(window)
    assert hasattr(window, "area")


def test_no_words_on_it_are_cut(first, eye, appearance):
    window = first()
    page = window.tabs.opening
    for size, scale in (((1024, 640), 1.0), ((1280, 720), 2.0), ((1024, 640), 2.0), ((1024, 640), 3.0)):
        appearance.set_scale(scale)
        window.resize(*size)
        eye.settle(window)
        assert [one.text() for one in page.links if one.width() < one.sizeHint().width()] == []
        assert all(page.rect().contains(one.geometry()) for one in (page.said, page.field, page.button, page.told))
        assert not page.field.geometry().intersects(page.button.geometry())


def test_in_the_largest_text_the_field_has_a_line_and_the_picture_the_width_of_the_page(first, eye, appearance):
    """The field showed three words, and the picture was 40 % as wide as the window, with tiny letters."""
    window = first()
    page = window.tabs.opening
    window.resize(1024, 640)
    eye.settle(window)
    usual = page.said.height(), page.picture.height()
    appearance.set_scale(3.0)
    eye.settle(window)
    assert page.button.geometry().top() >= page.field.geometry().bottom()
    assert page.field.width() >= page.contentsRect().width() * 0.8
    left, right, bottom, top = page.picture.picture.drawing.window
    assert page.picture.height() >= 0.95 * page.picture.width() * (top - bottom) / (right - left)
    appearance.set_scale(1.0)
    eye.settle(window)
    assert page.button.geometry().left() >= page.field.geometry().right()
    assert (page.said.height(), page.picture.height()) == usual, "the sentence kept the room of large letters"
    appearance.set_scale(3.0)
    window.go_to_stage(WHOLE)
    eye.settle(window)
    assert window.whole.height() == appearance.px(LEAST_HEIGHT)


def test_in_a_low_window_with_the_largest_text_field_and_button_are_in_sight_before_scrolling(first, eye, appearance):
    """They were below the fold, under a picture; its place is below them, where the page scrolls."""
    window = first()
    page = window.tabs.opening
    for size in ((1280, 720), (1024, 640)):
        window.resize(*size)
        appearance.set_scale(3.0)
        eye.settle(window)
        for part in (page.field, page.button):
            assert window.rect().contains(QRect(part.mapTo(window, QPoint(0, 0)), part.size())), size
        metrics = page.field.fontMetrics()
        assert metrics.horizontalAdvance(page.field.text()) < page.field.width() - appearance.px(20)
        assert page.picture.geometry().top() > page.told.geometry().bottom()
        appearance.set_scale(1.0)
        eye.settle(window)
        assert page.picture.geometry().bottom() < page.field.geometry().top()
        assert page.picture.geometry().top() > page.said.geometry().bottom()


def test_in_a_large_window_words_and_field_are_larger(first, eye, qtbot):
    window = first()

    def sizes():
        page = window.tabs.opening
        return [part.fontInfo().pixelSize() for part in (page.said, page.field, page.button)]

    window.resize(1280, 720)
    eye.settle(window)
    small = sizes()
    window.resize(2560, 1440)
    qtbot.waitUntil(lambda: all(large > 1.5 * was for large, was in zip(sizes(), small, strict=True)))
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: sizes() == small)


def test_the_words_run_through_once_and_typing_another_sentence_shows_its_end(first, hand, qtbot):
    window = first(moves=True)
    page = window.tabs.opening
    qtbot.waitUntil(lambda: page.plays)
    page._motion.setCurrentTime(TIME // 2)
    assert page.at == 0.5
    assert page.said.text() == "Each word takes something from the words before it."
    assert answers(window) == []
    hand.click(page.field)
    hand.enter("The dog sat on the")
    assert not page.plays
    assert answers(window)[0][0] == "rug"
    assert page.said.text().startswith(
        "After “the dog sat on the” the most probable next word is “rug”, with a probability of 0.7"
    )
    assert page.told.text().startswith("Before, it was “mat”, with a probability of 0.81.")
    assert page.field.text() == "the dog sat on the"
    window.bench.document.undo()
    window.bench.bridge.flush()
    assert (answers(window)[0][0], page.field.text()) == ("mat", "the cat sat on the")


def test_what_is_typed_at_once_goes_on_with_the_sentence(first, hand, qtbot):
    """Whoever typed without a click before typed into nothing."""
    window = first()
    page = window.tabs.opening
    qtbot.waitUntil(lambda: window.focusWidget() is page.field)
    qtbot.keyClicks(window.focusWidget(), " mat")
    assert page.field.text() == "the cat sat on the mat"


def test_at_its_end_the_motion_stands_still_and_can_be_seen_again(first, hand, qtbot):
    window = first(moves=True)
    page = window.tabs.opening
    qtbot.waitUntil(lambda: page.plays)
    page._motion.setCurrentTime(TIME)
    qtbot.waitUntil(lambda: not page.plays)
    assert (page.at, answers(window)[0][0]) == (1.0, "mat")
    hand.click(page.again)
    assert page.plays
    page._motion.setCurrentTime(0)
    assert answers(window) == []
    # Who wants less motion while something moves has the end at once.
    window.bench.appearance.switched.emit()
    assert page.plays
    Appearance.moves = False
    window.bench.appearance.switched.emit()
    assert not page.plays
    assert answers(window)[0][0] == "mat"


def test_ctrl_t_in_the_field_of_the_sentence_darkens_the_pictures_in_the_picture_too(first, appearance, hand, eye):
    window = first()
    page = window.tabs.opening
    view = page.picture.picture
    eye.settle(window)
    hand.click(page.field)
    seen = []
    for theme in ("light", "dark", "light"):
        assert appearance.mode == theme
        shown = view.viewport().grab().toImage()
        images = [mark for mark in view.drawing.marks if isinstance(mark, Image)]
        assert len(images) > 5
        for image in images:
            left, top, wide, high = image.place
            corners = view.pixel(left, top).toPoint(), view.pixel(left + wide, top + high).toPoint()
            lights = pixels(shown.copy(QRect(*corners).normalized())).view(np.uint8)[:, ::4]
            seen.append(lights.mean())
        assert page.field.hasFocus()
        hand.key(Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
        eye.settle(window)
    light, dark, again = np.reshape(seen, (3, -1))
    assert (dark < light - 40).all()
    assert (again == light).all()


def test_a_word_that_the_model_does_not_know_is_named_and_known_ones_are_offered(first, hand, qtbot):
    window = first()
    page, before = window.tabs.opening, window.bench.document.state
    hand.click(page.field)
    hand.enter("the hors sat on the")
    assert page.told.text().startswith("This model knows 242 words, but not “hors”; it knows, for example, ")
    assert window.bench.document.state is before, "nothing is changed"
    assert page.field.text() == "the hors sat on the", "what was typed is not lost"
    page.told.label.linkActivated.emit("hors horse")
    assert page.field.text() == "the horse sat on the"
    assert window.bench.document.words("input") == ("the", "horse", "sat", "on", "the")
    page.field.setText("the “cat sat")
    page.told.label.linkActivated.emit("“ you")
    assert window.bench.document.words("input") == ("the", "you", "cat", "sat")
    page.field.setText("the horse sat on the")
    page._read()
    hand.click(page.field)
    hand.enter("  ")
    assert window.bench.document.words("input") == ("the", "horse", "sat", "on", "the")
    assert page.told.label.property("role") == "error"
    assert page.told.text() == "Type at least one word, and press Enter.", "it asked to give 'input' a word"


def test_in_place_of_an_unknown_word_those_are_offered_that_the_model_expects_there(first, hand):
    """For “elephant” it offered slept, plant and talent, which have some of its letters."""
    page = first().tabs.opening
    for typed, offered in (
        ("the elephant sat", "cat dog bird"),
        ("the hors sat", "horse cat dog"),
        ("zebra", "camera"),
    ):
        page.field.setText(typed)
        page._read()
        assert re.findall(r">(\w+)</a>", page.told.text())[: len(offered.split())] == offered.split()


@pytest.mark.parametrize("way", ["click", "link"])
def test_one_click_opens_the_explorer(first, hand, eye, qtbot, way):
    window = first()
    page = window.tabs.opening
    if way == "link":
        hand.click(page.links[-1])
        wanted = WHOLE
    else:
        view = page.picture.picture
        box = next(mark for mark in view.drawing.marks if getattr(mark, "title", "") == "Feed-forward")
        left, top, wide, high = box.place
        hand.click(view.viewport(), view.pixel(left + wide / 2, top + high / 2).toPoint())
        wanted = "model.decoder.1.ffn"
    qtbot.waitUntil(lambda: window.tabs.opening is None)
    eye.settle(window)
    assert window.page().stage.name == wanted
    assert window.top_bar.isVisible()
    assert window.map.isVisible()


def test_another_document_shows_its_own_pages(first, eye):
    window = first()
    window.bench.open(load("xor"))
    eye.settle(window)
    assert window.tabs.opening is None
    assert window.page().isVisible()


def test_a_lesson_that_one_has_left_is_gone_on_with(first, hand, eye, tmp_path, qtbot, monkeypatch):
    ProgressFolder(tmp_path / "progress").save(LessonProgress("two-vectors", seed=1).at("dot"))
    monkeypatch.setattr(opening, "load", lambda id: replace(load(id), title="Vectors x & y"))
    window = first(settings=Settings(tmp_path))
    link = window.tabs.opening._go_on
    qtbot.waitUntil(link.isVisible)
    assert link.text() == "Go on with “Vectors x && y” at step 2 of 16"
    window.tabs.opening._begin()  # the page is shown again, as after the window was minimised
    begun, begin = [], window.files.begin_lesson
    monkeypatch.setattr(
        window.files, "begin_lesson", lambda lesson, **of: begun.append(lesson.id) or begin(lesson, **of)
    )
    hand.click(link)
    eye.settle(window)
    assert begun == ["two-vectors"]
    assert window.bench.lesson.id == "two-vectors"
    assert window.lessons.guide.at is not None


@pytest.mark.parametrize(
    "moments", [((0.0, 0.02), (0.79, 0.81)), long(((0.3, 0.31), (0.5, 0.6), (0.9, 1.0)))], ids=["few", "more"]
)
def test_no_more_is_painted_than_what_has_changed_and_no_less(first, moments):
    page = first().tabs.opening
    view = page.picture.picture
    for two in moments:
        seen, drawings = [], []
        for moment in two:
            page.show_at(moment)
            drawings.append(view.drawing)
            seen.append(pixels(view.viewport().grab().toImage()))
        place = changed(*drawings, view._marks._pixels).boundingRect()
        rows, columns = np.nonzero(seen[0] != seen[1])
        assert len(rows) > 0
        assert place.adjusted(-1, -1, 1, 1).contains(
            QRect(QPoint(columns.min(), rows.min()), QPoint(columns.max(), rows.max()))
        )
        assert place.width() * place.height() < view.width() * view.height()


def pixels(image):
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(bytes(image.constBits()), np.uint32).reshape(image.height(), image.width())
