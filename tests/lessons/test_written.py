"""What holds for the words of every lesson that comes along: short, quiet, and enough of them."""

import pytest

from explorer.lessons.loader import catalogue
from explorer.lessons.prose import numbers_of, plain, sentences, texts_of
from explorer.lessons.states import StepStates

LESSONS = [lesson for lesson in catalogue() if lesson.steps]


def test_there_are_enough():
    assert len(LESSONS) >= 12
    assert sum(len(lesson.steps) for lesson in LESSONS) >= 150
    assert sum(lesson.questions for lesson in LESSONS) >= 40


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_step_is_short_and_quiet(lesson):
    states = StepStates(lesson)
    for at, step in enumerate(lesson.steps):
        words = plain(step.words, numbers_of(step, states.engine(at)))
        assert 20 <= len(words.split()) <= 90, step.id
        assert not any("!" in text for text in [step.title, step.notes, *texts_of(step)]), step.id


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_class_reads_three_sentences_at_most(lesson):
    states = StepStates(lesson)
    for at, step in enumerate(lesson.steps):
        shown = step.slide or step.words
        assert sentences(shown) <= 3, step.id
        assert len(plain(shown, numbers_of(step, states.engine(at)))) <= 230, step.id


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_lesson_says_what_it_teaches_and_how_long_it_takes(lesson):
    assert lesson.teaches
    assert lesson.minutes >= sum(step.minutes for step in lesson.steps)
