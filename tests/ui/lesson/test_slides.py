"""Slides: what a step names is whole and large, and no slide is mostly empty. All of them: `pytest -m long`."""

from contextlib import closing

import pytest

from explorer.lessons.loader import lesson_files, load
from explorer.ui.lesson.ink import slides

SIZES = [(1280, 720), (1920, 1080)]
GUIDED = [name for name, file in lesson_files().items() if "[[step]]" in file.read_text("utf-8")]
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


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", GUIDED)
def test_no_slide_cuts_a_table_or_is_mostly_empty(qapp, name, size):
    assert list(wrong_with(load(name), size)) == []
