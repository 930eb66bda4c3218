"""Courses name lessons that are there, each behind those that it needs."""

import pytest
from refusals import refuses

from explorer.lessons.loader import course, course_from, courses, lesson_files, needs, titles
from explorer.lessons.reading import TomlTable

COURSE = {"title": "A course", "paragraph": "In order.", "lessons": ["two-vectors", "softmax"]}


def read(known=None, **other):
    return course_from(TomlTable("a.toml", {**COURSE, **other}), "a", known or lesson_files())


def test_a_course_is_an_order_of_lessons():
    assert read().lessons == ("two-vectors", "softmax")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"lessons": ["two-vector"]}, "there is no lesson 'two-vector'; perhaps 'two-vectors' is meant"),
        ({"lessons": ["softmax", "softmax"]}, "'softmax' stands twice"),
        ({"lessons": []}, "is empty"),
        ({"title": ""}, "is empty"),
        ({"lesson": []}, "is not a known key"),
    ],
)
def test_what_is_wrong_is_named(other, message):
    with refuses(message):
        read(**other)


def test_a_lesson_stands_behind_those_that_it_needs(tmp_path):
    for name, before in (("one", ""), ("two", 'needs = ["one"]')):
        (tmp_path / f"{name}.toml").write_text(f"id = '{name}'\ntitle = '{name}'\n{before}")
    files = {name: tmp_path / f"{name}.toml" for name in ("one", "two")}
    assert read(files, lessons=["one", "two"]).lessons == ("one", "two")
    with refuses("'two' needs 'one', which comes later; put 'one' before it"):
        read(files, lessons=["two", "one"])


def test_every_course_that_comes_along_is_valid():
    assert [course(one.id) for one in courses()] == courses()
    with refuses("There is no course 'nothing'"):
        course("nothing")


def test_in_the_list_of_all_lessons_each_stands_behind_those_that_it_needs():
    behind, files = list(titles()), lesson_files()
    assert [(id, need) for id in behind for need in needs(files[id]) if need in behind[behind.index(id) :]] == []
