"""Courses name lessons that are there, each behind those that it needs.

Also what there is to say at the end of a lesson, and which one comes next.
"""

import pytest
from refusals import refuses

from explorer.lessons.loader import course, course_from, courses, head_of, lesson_files, load, next_lesson, titles
from explorer.lessons.progress import LessonProgress, left_at, outcome
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
    needs = [(id, need) for id in behind for need in head_of(files[id]).needs]
    assert [(id, need) for id, need in needs if need in behind[behind.index(id) :]] == []


LESSON = load("two-vectors")
IDS = [step.id for step in LESSON.steps]
ASKING = [step.id for step in LESSON.steps if step.question is not None]


def seen(*ids):
    progress = LessonProgress(LESSON.id)
    for id in ids:
        progress = progress.at(id)
    return progress


def test_a_question_is_right_at_once_later_or_with_a_hint():
    a, b, c, d, e = ASKING[:5]
    progress = seen(*IDS).answered(a, True).answered(b, False).answered(b, True).answered(c, True, hints=1)
    progress = progress.answered(d, False, hints=1).answered(d, True, hints=1).answered(e, False)
    found = outcome(LESSON, progress)
    assert [found.of[id] for id in (a, b, c, d, e)] == ["at once", "later", "hint", "hint", "wrong"]
    assert (found.right, found.questions) == (4, len(ASKING))
    assert found.said == f"4 of {len(ASKING)} questions right: 1 at once, 1 at a later try, 2 with a hint"
    assert found.brief == f"4 of {len(ASKING)} right, 2 with a hint"
    assert next(iter(found.revisit)) == e
    assert set(found.revisit.values()) == {"wrong", "skipped"}


def test_nothing_is_gone_through_that_was_skipped_or_never_seen():
    all_right = seen(*IDS)
    for id in ASKING:
        all_right = all_right.answered(id, True)
    found = outcome(LESSON, all_right)
    assert found.is_whole
    assert not found.revisit
    assert found.said == f"{len(ASKING)} of {len(ASKING)} questions right: at once"
    skipped = seen(*IDS)
    for id in ASKING[1:]:
        skipped = skipped.answered(id, True)
    assert outcome(LESSON, skipped).revisit == {ASKING[0]: "skipped"}
    assert not outcome(LESSON, skipped).is_whole
    jumped = seen(IDS[0], IDS[-1])
    assert set(outcome(LESSON, jumped).revisit.values()) == {"skipped", "unseen"}
    assert outcome(LESSON, jumped).said == ""
    assert (left_at(LESSON, jumped), left_at(LESSON, LessonProgress(LESSON.id))) == (len(IDS), 0)


def test_a_question_that_was_answered_wrongly_has_been_gone_through_and_is_to_be_revisited():
    progress = seen(*IDS)
    for id in ASKING:
        progress = progress.answered(id, id != ASKING[2])
    found = outcome(LESSON, progress)
    assert found.is_whole
    assert found.revisit == {ASKING[2]: "wrong"}


def none(_):
    return False


def test_the_next_lesson_is_that_of_the_course_one_follows():
    short, long = sorted(courses(), key=lambda one: len(one.lessons))
    assert next_lesson("softmax", short.id, none).id == short.lessons[short.lessons.index("softmax") + 1]
    assert next_lesson("softmax", "", none).id == long.lessons[long.lessons.index("softmax") + 1]
    assert next_lesson(short.lessons[-1], short.id, none) is None
    done = long.lessons[long.lessons.index("softmax") + 1]
    assert next_lesson("softmax", "", lambda lesson: lesson.id == done).id == long.lessons[long.lessons.index(done) + 1]
    assert next_lesson("a lesson of mine", "", none) is None


def test_what_the_next_lesson_needs_comes_before_it_if_it_was_never_begun():
    """Behind “The cat sat on the …” came “I love AI”, also for who had not seen “You are welcome”, which it needs."""
    begun = {"cat-sat-on-the", "softmax"}

    def new(lesson):
        return lesson.id not in begun

    assert next_lesson("cat-sat-on-the", "", none).id == "i-love-ai"
    assert next_lesson("cat-sat-on-the", "", none, new).id == "start-here"
    begun.add("start-here")
    assert next_lesson("cat-sat-on-the", "", none, new).id == "you-are-welcome"
    begun.add("you-are-welcome")
    assert next_lesson("cat-sat-on-the", "", none, new).id == "i-love-ai"


@pytest.mark.parametrize("course", ["", *(one.id for one in courses())])
def test_behind_each_lesson_comes_one_that_asks_something_or_none(course):
    for id in titles():
        behind = next_lesson(id, course, none)
        assert behind is None or (behind.questions and behind.id != id and not behind.errata)
