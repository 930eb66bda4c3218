"""Where a choice stands tells nothing about whether it is right."""

import re
from collections import Counter

import pytest
from refusals import refuses

from explorer.core.numbers import read_number
from explorer.lessons.check import check_lesson
from explorer.lessons.loader import lesson_files, load
from explorer.lessons.progress import Progress, ProgressFolder
from explorer.lessons.steps import Choose
from explorer.lessons.walk import Walk
from tests.lessons.conftest import THREE

LESSONS = [lesson for lesson in map(load, lesson_files()) if lesson.questions]


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "lesson.toml"
        path.write_text(text)
        return path

    return write


def chosen(lesson):
    """The places of the steps of a lesson whose question has choices, and these questions."""
    return [(at, step.question) for at, step in enumerate(lesson.steps) if isinstance(step.question, Choose)]


def right_at(walk):
    """For each such question how many choices it has and at which place the right one is shown."""
    for at, question in chosen(walk.lesson):
        yield len(question.choices), next(p for p, i in enumerate(walk.order(at)) if question.choices[i].right)


def orders(walk):
    return [walk.order(at) for at, _ in chosen(walk.lesson)]


def test_the_right_one_stands_at_each_place_as_often_in_all_lessons_together():
    """In one sitting: with 120 questions of three choices a place has 40, give or take 5."""
    assert sum(len(chosen(lesson)) for lesson in LESSONS) > 100
    for sitting in range(25):
        found = Counter(one for lesson in LESSONS for one in right_at(Walk(lesson, None, sitting)))
        of_three = [found[3, place] for place in range(3)]
        assert min(of_three) > sum(of_three) / 6, of_three
        assert max(of_three) < sum(of_three) / 2, of_three


def test_over_many_sittings_each_place_of_a_mixed_question_is_as_likely():
    for lesson in LESSONS:
        for at, question in chosen(lesson):
            if question.mixed:
                places = Counter(Walk(lesson, None, sitting).order(at).index(0) for sitting in range(150))
                n = len(question.choices)
                assert len(places) == n
                assert min(places.values()) > 100 / n  # 150 / n are to be expected


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_what_is_written_in_its_own_order_stays_so_and_where_its_numbers_stand_they_rise(lesson):
    for at, question in chosen(lesson):
        order = Walk(lesson, None, 7).order(at)
        assert sorted(order) == [*range(len(question.choices))]
        numbers = [found for found in map(first_number, question.choices) if found is not None]
        if not question.mixed:
            assert order == tuple(sorted(order))
            assert numbers == sorted(numbers)
        else:
            assert len(numbers) < len(question.choices), f"{lesson.steps[at].id}: numbers are to rise"


def first_number(choice):
    """The number that a choice begins with, if it does."""
    found = re.match(r"(?:About )?([−-]?\d[\d.,]*)(?: (million|billion))?(?!\S*[“”])", choice.text)
    times = {None: 1, "million": 1e6, "billion": 1e9}
    return None if found is None else read_number(found[1].replace(",", "")) * times[found[2]]


def test_the_order_is_the_same_in_a_sitting_and_another_one_the_next_time(tmp_path):
    lesson, folder = load("you-are-welcome"), ProgressFolder(tmp_path)
    folder.save(Progress(lesson.id, seed=5))
    first = orders(Walk(lesson, folder, 1))
    walk = Walk(lesson, folder, 1)
    walk.go(3)
    walk.go(0)
    assert orders(walk) == orders(walk) == first == orders(Walk(load(lesson.id), folder, 1))
    assert orders(Walk(lesson, folder, 2)) != first
    other = ProgressFolder(tmp_path / "another learner")
    other.save(Progress(lesson.id, seed=6))
    assert orders(Walk(lesson, other, 1)) != first


def test_the_order_as_written_is_kept_and_nothing_else_may_be_written(write):
    text = THREE.replace("choices = [", 'order = "as written"\nchoices = [')
    lesson = load(write(text))
    ((at, question),) = chosen(lesson)
    assert not question.mixed
    assert all(Walk(lesson, None, sitting).order(at) == (0, 1) for sitting in range(20))
    with refuses(r"step `differences` of .*`question.order` .*rising"):
        load(write(text.replace("as written", "rising")))


@pytest.mark.parametrize("said", ["The first answer is wrong.", "All of the above.", "Compare it with choice B."])
def test_words_that_mean_a_choice_by_its_place_are_found(write, said):
    text = THREE.replace("Multiplying does not cancel.", said)
    with refuses(r"step `differences` .*another order each time.* write order = \"as written\""):
        check_lesson(write(text))
    assert check_lesson(write(text.replace("choices = [", 'order = "as written"\nchoices = [')))
