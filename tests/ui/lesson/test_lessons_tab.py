"""The tab "Lessons": what is read and drawn beside the window, what clicks do, and where things stand."""

import threading
from copy import copy
from itertools import pairwise

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication

from explorer.core.errors import ExplorerError
from explorer.lessons.loader import courses, load, titles
from explorer.lessons.progress import LessonProgress, ProgressFolder
from explorer.lessons.replay import right_answer
from explorer.pages.surfaces.lessons import NARROW
from explorer.settings import Settings
from explorer.ui.lesson import step_pictures, tab
from explorer.ui.lesson.step_pictures import beginning, picture_of_sizes
from explorer.ui.page import card as card_module
from explorer.ui.theme import LIGHT

pytestmark = pytest.mark.usefixtures("page_rests")
LEFT = Qt.MouseButton.LeftButton


def cards(page):
    return page.elements.widgets["lessons"].cards


def listed(page):
    shown = page.elements.widgets["lessons"].cards.values()
    return [view.accessibleName() for view in shown if not view.isHidden()]


def click(qtbot, view, row, column):
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.table.index(row, column)).center())


@pytest.fixture
def folder(tmp_path):
    """A question of two vectors was answered wrongly."""
    folder, lesson = ProgressFolder(tmp_path / "progress"), load("two-vectors")
    asked = next(step.id for step in lesson.steps if step.question)
    folder.save(folder.load(lesson.id).answered(asked, False).at(lesson.steps[3].id))
    return folder


@pytest.mark.usefixtures("no_pictures")
def test_a_course_that_is_chosen_is_listed_and_remembered(open_window, tmp_path, qtbot, eye):
    settings, course = Settings(tmp_path), courses()[0]
    window = open_window("emma", settings=settings, tab="Lessons")
    page = window.lessons.tab()
    qtbot.waitUntil(lambda: page.is_whole)
    click(qtbot, page.elements.widgets["courses"], page.shelf.courses.index(course), 0)
    assert listed(page) == [titles()[id] for id in course.lessons]
    again = open_window("emma", settings=settings, tab="Lessons").lessons.tab()
    assert listed(again) == listed(page)


@pytest.mark.usefixtures("no_pictures")
def test_what_is_typed_is_searched_and_gone_on_return(open_window, qtbot):
    window = open_window("emma", tab="Lessons")
    page, edit = window.lessons.tab(), window.lessons.tab().elements.widgets["search"].edit
    window.show_tab("Pipeline")
    window.show_tab("Lessons")
    qtbot.waitUntil(lambda: page.is_whole)
    assert QApplication.focusWidget() is edit
    card = cards(page)["lesson what-the-cache-saves"]
    qtbot.waitUntil(lambda: card.height() > 0)
    before, count = card.height(), len(listed(page))
    qtbot.keyClicks(edit, "what the cache saves")
    assert listed(page) == ["What the cache saves"]
    QApplication.processEvents()
    assert cards(page)["lesson what-the-cache-saves"] is card
    assert card.height() == before, "as high as among others"
    window.show_tab("Pipeline")
    window.show_tab("Lessons")
    assert edit.text() == ""
    assert len(listed(page)) == count


@pytest.mark.usefixtures("no_pictures")
def test_lessons_are_read_beside_the_window_and_shown_some_in_a_turn(open_window, qtbot, monkeypatch):
    read, on, counts = tab.load, set(), []
    monkeypatch.setattr(tab, "load", lambda id: on.add(threading.current_thread()) or read(id))
    page = open_window("emma").lessons.tab()
    take = page._take
    monkeypatch.setattr(page, "_take", lambda ids, *rest: counts.append(len(ids)) or take(ids, *rest))
    page.read()
    qtbot.waitUntil(lambda: page.is_whole)
    assert threading.main_thread() not in on
    assert set(page.shelf.known) == set(titles())
    assert 1 < max(counts) <= tab.AT_ONCE


@pytest.mark.usefixtures("no_pictures")
def test_a_lesson_that_was_damaged_since_it_was_listed_keeps_no_other_from_being_shown(open_window, qtbot, monkeypatch):
    def damaged(id):
        if id == "emma":
            raise ExplorerError("lesson-not-read", file="emma", reason="a test")
        return load(id)

    monkeypatch.setattr(tab, "load", damaged)
    page = open_window("emma", tab="Lessons").lessons.tab()
    qtbot.waitUntil(lambda: page.is_whole)
    assert set(titles()) - set(page.shelf.known) == {"emma"}


@pytest.mark.usefixtures("no_pictures")
def test_a_question_is_asked_once_more(open_window, folder, tmp_path, qtbot, hand, eye):
    window = open_window("emma", settings=Settings(tmp_path), tab="Lessons")
    page = window.lessons.tab()
    qtbot.waitUntil(lambda: page.is_whole)
    hand.click(eye.by_name(page, "1 to revisit"))
    again = page.elements.widgets["again"]
    eye.settle(window)
    click(qtbot, again, 0, 3)
    guide = window.lessons.guide
    assert guide.lesson.id == "two-vectors"
    assert guide.question is not None
    step = guide.step.id
    guide.answer(right_answer(guide.question, guide.walk.state(guide.at), guide.walk.engine(guide.at)))
    assert folder.load("two-vectors").answers[step].right


@pytest.mark.usefixtures("no_pictures")
def test_a_lesson_goes_on_or_begins_anew(open_window, folder, tmp_path, qtbot, hand):
    window = open_window("emma", settings=Settings(tmp_path), tab="Lessons")
    page, guide = window.lessons.tab(), window.lessons.guide
    qtbot.waitUntil(lambda: page.is_whole)
    places = []
    for way in ("begin", "anew"):
        window.show_tab("Lessons")
        qtbot.waitUntil(lambda: page.is_whole)
        hand.click(cards(page)["lesson two-vectors"].buttons[way])
        qtbot.waitUntil(lambda: guide.at is not None)
        places.append(guide.at)
    assert places[0] > places[1] == 0


def test_a_card_shows_what_its_lesson_begins_with_once_it_is_visible(open_window, qtbot):
    page = open_window("emma", tab="Lessons").lessons.tab()
    first, *_, last = cards(page).values()
    qtbot.waitUntil(lambda: page.is_whole and first.image.is_drawn)
    assert not first.image.pixmap().isNull()
    assert first.image.accessibleName().startswith("What it begins with: ")
    assert not last.image.is_drawn


@pytest.mark.parametrize("name", ["inside-gpt2-small", "inside-pythia"])
def test_the_picture_of_a_model_that_is_not_there_shows_its_sizes(look, name):
    lesson = load(name)
    sizes = lesson.needed.sizes
    drawn = beginning(look, lesson, QSize(450, 252))
    assert f"{sizes['layers']} layers × {sizes['heads']} heads" in drawn.text("Description")
    assert drawn.text("Description").startswith("Its model: ")
    drawn = picture_of_sizes(lesson.needed, LIGHT, QSize(450, 252))
    at_heads = round(0.322 * drawn.height())  # in the first head of each layer
    colours = [drawn.pixelColor(x, at_heads).name() for x in range(drawn.width())]
    assert sum(a != b == LIGHT.accent for a, b in pairwise(colours)) == sizes["layers"]


@pytest.mark.usefixtures("no_pictures")
def test_a_picture_is_made_once_for_all_sizes_of_text(open_window, monkeypatch, appearance):
    make, made = step_pictures.picture_of_step, []
    lesson = copy(load("softmax"))  # whose own picture another test may have asked for
    monkeypatch.setattr(step_pictures, "picture_of_step", lambda *given: made.append(given) or make(*given))
    shelf = open_window("emma").lessons.tab().shelf
    shelf.known[lesson.id] = lesson, LessonProgress(lesson.id)
    for scale in (1.0, 2.0):
        appearance.set_scale(scale)
        assert shelf.draw(lesson).width() > 200 * scale
    assert len(made) == 1
    appearance.set_mode("dark")
    shelf.draw(lesson)
    assert len(made) == 2


def test_no_picture_is_made_before_the_typesetter_is_loaded_beside_the_window(open_window, qtbot, monkeypatch):
    asked, loaded = [], []
    monkeypatch.setattr(card_module, "is_loaded", lambda: asked.append(True) or bool(loaded))
    page = open_window("emma", tab="Lessons").lessons.tab()
    qtbot.waitUntil(lambda: len(asked) > 1)
    assert not any(card.image.is_drawn for card in cards(page).values())
    loaded.append(True)
    qtbot.waitUntil(lambda: any(card.image.is_drawn for card in cards(page).values()))


@pytest.mark.usefixtures("no_pictures")
def test_the_chapters_stand_above_the_lessons_where_the_page_is_narrow_and_nothing_is_cut(open_window, qtbot, eye):
    page = open_window("emma", tab="Lessons").lessons.tab()
    qtbot.waitUntil(lambda: page.is_whole)
    rail, search = page.elements.widgets["courses"], page.elements.widgets["search"]
    for width, beside in ((NARROW + 300, True), (NARROW - 100, False)):
        page.resize(width, 600)
        left, top = search.mapTo(page.elements, search.rect().topLeft()).toTuple()
        assert (rail.mapTo(page.elements, rail.rect().topRight()).x() < left) is beside
        assert (rail.mapTo(page.elements, rail.rect().bottomLeft()).y() < top) is not beside
    for width in (620, 900, 1600):
        page.resize(width, 600)
        QApplication.processEvents()
        assert eye.cut(page.area) == [], f"{width} pixels"
