"""The page of lessons lists a course in its order."""

import pytest

from explorer.lessons.course import courses
from explorer.lessons.loader import titles
from explorer.settings import Settings

pytestmark = pytest.mark.usefixtures("no_pictures")


def listed(page):
    cards = [page._listed.itemAt(i).widget() for i in range(page._listed.count())]
    return [card.id for card in cards if not card.isHidden()]


def test_a_course_is_listed_in_its_order_and_remembered(open_window, tmp_path):
    settings = Settings(tmp_path)
    page = open_window("emma", settings=settings).lessons.page()
    assert listed(page) == list(titles())
    for course in courses():
        page.courses.buttons[course.id].click()
        assert listed(page) == list(course.lessons)
    page.search.setText("softmax")
    assert 0 < len(listed(page)) < len(course.lessons)
    page.search.setText("")
    again = open_window("emma", settings=settings).lessons.page()
    assert listed(again) == list(course.lessons)
    again.courses.buttons[""].click()
    assert listed(again) == list(titles())


def test_a_course_that_is_gone_lists_all(open_window, tmp_path):
    settings = Settings(tmp_path)
    settings.set("course", "no-such-course")
    assert listed(open_window("emma", settings=settings).lessons.page()) == list(titles())
