"""Courses: files that put lessons into an order."""

from collections.abc import Callable
from dataclasses import dataclass

from explorer import paths
from explorer.core.errors import ExplorerError, nearest
from explorer.lessons.loader import lesson_files, load, needs, titles
from explorer.lessons.reading import MOST_TEXT, TomlTable, likeliest, read
from explorer.lessons.schema import Lesson


@dataclass(frozen=True)
class Course:
    """Some lessons in an order."""

    id: str  # the name of its file
    title: str
    paragraph: str
    lessons: tuple[str, ...]  # their ids; each after those that it needs
    chapter: int = 0  # which chapter of the path through all lessons it is; 0: a course by itself


def courses() -> list[Course]:
    """The courses that come with the program, by their titles."""
    return sorted((one for one in _all() if not one.chapter), key=lambda course: course.title)


def chapters() -> list[Course]:
    """The chapters of the path through the lessons, in their order."""
    return sorted((one for one in _all() if one.chapter), key=lambda course: course.chapter)


def _all() -> list[Course]:
    files = sorted((paths.resources() / "courses").glob("*.toml"))
    return [course_from(read(file), file.stem) for file in files]


def course(id: str) -> Course:
    """The course of that id.

    Raises `ExplorerError`: "unknown-course".
    """
    known = {one.id: one for one in courses()}
    if id not in known:
        raise ExplorerError("unknown-course", name=id, near=nearest(id, list(known)))
    return known[id]


def next_lesson(id: str, chosen: str, is_whole: Callable[[Lesson], bool]) -> Lesson | None:
    """The lesson to go on with behind another one; None where there is none.

    Parameters
    ----------
    id : str
        The lesson that is over.
    chosen : str
        The id of the course that somebody follows; empty, or without the lesson: the longest course with it, or else
        all lessons in their order. Behind a chapter comes the next one.
    is_whole : callable
        Whether a lesson has been gone through.
    """
    found = sorted(
        (one for one in courses() if id in one.lessons), key=lambda one: (one.id == chosen, len(one.lessons))
    )
    path = chapters()
    if any(one.id == chosen and id in one.lessons for one in path):
        order = tuple(lesson for one in path for lesson in one.lessons)
    else:
        order = found[-1].lessons if found else tuple(titles())
    behind = map(load, order[order.index(id) + 1 :] if id in order else ())
    asked = (lesson for lesson in behind if lesson.questions and not lesson.errata)
    return next((lesson for lesson in asked if not is_whole(lesson)), None)


def course_from(top: TomlTable, id: str) -> Course:
    """The course that a file's table describes.

    Raises `ExplorerError`: "lesson-key", where a lesson is unknown, stands twice, or stands before one that it needs.
    """
    top.has_only("title", "paragraph", "lessons", "chapter")
    known = lesson_files()
    lessons = top.words("lessons")
    for at, lesson in enumerate(lessons):
        if lesson not in known:
            top.fail("lessons", f"there is no lesson '{lesson}'", likeliest(lesson, known, "there are"))
        if lesson in lessons[:at]:
            top.fail("lessons", f"'{lesson}' stands twice", "name each lesson once")
        for need in needs(known[lesson]):
            if need in lessons[at:]:
                top.fail("lessons", f"'{lesson}' needs '{need}', which comes later", f"put '{need}' before it")
    chapter = top.number("chapter", default=0, least=0, most=100)
    return Course(id, top.text("title"), top.text("paragraph", most=MOST_TEXT), lessons, chapter)
