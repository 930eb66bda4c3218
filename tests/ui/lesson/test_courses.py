"""The page of lessons lists a course in its order."""

import threading

import pytest
from PySide6.QtWidgets import QApplication

from explorer.core.errors import ExplorerError
from explorer.lessons.loader import courses, errata, titles
from explorer.settings import Settings
from explorer.ui.lesson import lesson_page
from explorer.ui.lesson.lesson_page import LessonCard
from explorer.ui.window.top_bar import PAGES

pytestmark = pytest.mark.usefixtures("no_pictures")


def listed(page):
    cards = [page._listed.itemAt(i).widget() for i in range(page._listed.count())]
    return [card.id for card in cards if isinstance(card, LessonCard) and not card.isHidden()]


def in_order():
    """All lessons; those for who holds a text beside them stand last."""
    return sorted(titles(), key=lambda id: id in errata().values())


def test_a_course_is_listed_in_its_order_and_remembered(open_window, tmp_path):
    settings = Settings(tmp_path)
    page = open_window("emma", settings=settings).lessons.page()
    assert listed(page) == in_order()
    for course in courses():
        page.courses.buttons[course.id].click()
        assert listed(page) == list(course.lessons)
    page.search.setText("softmax")
    assert 0 < len(listed(page)) < len(course.lessons)
    page.search.setText("")
    again = open_window("emma", settings=settings).lessons.page()
    assert listed(again) == list(course.lessons)
    again.courses.buttons[""].click()
    assert listed(again) == in_order()


def test_a_course_that_is_gone_lists_all(open_window, tmp_path):
    settings = Settings(tmp_path)
    settings.set("course", "no-such-course")
    assert listed(open_window("emma", settings=settings).lessons.page()) == in_order()


def test_a_search_lists_what_is_named_so_first_and_then_what_is_about_it(open_window, qtbot):
    window = open_window("emma", tab="Lessons")
    page = window.lessons.page()
    page.search.setText("train")
    qtbot.waitUntil(lambda: page.is_whole)
    found = listed(page)
    assert found[0] == "what-a-trained-head-does"
    assert "sin" in found
    page.search.setText("proof in one line")
    assert listed(page) == ["xor-linear"], "by the title of a step"


def test_a_single_hit_is_as_high_as_among_others_and_the_search_is_gone_on_return(open_window, qtbot):
    window = open_window("emma", tab="Lessons")
    page = window.lessons.page()
    qtbot.waitUntil(lambda: page.is_whole)
    card = page.cards["what-the-cache-saves"]
    qtbot.waitUntil(lambda: card.height() > 0)
    before = card.height()
    page.search.setText("what the cache saves")
    assert listed(page) == [card.id]
    QApplication.processEvents()
    assert card.height() == before
    window.show_page(0)
    window.show_page(PAGES.index("Lessons"))
    assert page.search.text() == ""
    assert len(listed(page)) == len(titles())


def test_lessons_are_read_beside_the_window_and_shown_some_in_a_turn(open_window, qtbot, monkeypatch):
    load, show, on, shown = lesson_page.load, LessonCard.show_lesson, set(), []
    monkeypatch.setattr(lesson_page, "load", lambda id: on.add(threading.current_thread()) or load(id))
    monkeypatch.setattr(LessonCard, "show_lesson", lambda card, *of: shown.append(card.id) or show(card, *of))
    page = open_window("emma").lessons.page()
    counts, take = [], page._take
    monkeypatch.setattr(page, "_take", lambda cards, lessons: counts.append(len(cards)) or take(cards, lessons))
    shown.clear()
    page.refresh()
    qtbot.waitUntil(lambda: page.is_whole)
    assert threading.main_thread() not in on
    assert shown == list(page.cards)
    assert 1 < max(counts) <= lesson_page.AT_ONCE


def test_a_lesson_of_ones_own_that_was_damaged_since_it_was_listed_keeps_no_other_from_being_shown(
    open_window, qtbot, monkeypatch
):
    def damaged(id):
        if id == "emma":
            raise ExplorerError("lesson-not-read", file="emma", reason="a test")
        return load(id)

    load = lesson_page.load
    monkeypatch.setattr(lesson_page, "load", damaged)
    page = open_window("emma", tab="Lessons").lessons.page()
    qtbot.waitUntil(lambda: page.is_whole)
    assert [card.id for card in page.cards.values() if card.lesson is None] == ["emma"]
