"""Lessons whose settings are those of other examples, as those are that say what a printed example gets wrong."""

import numpy as np
import pytest

from explorer.document import storage
from explorer.lessons.document_lesson import opened_session
from explorer.lessons.loader import catalogue, errata, load
from explorer.lessons.progress import LessonProgress, ProgressFolder
from explorer.lessons.references import all_references
from explorer.lessons.walk import Walk
from tests.refusals import refuses

LESSON = """
format = 4
id = "mine"
title = "Mine"
paragraph = "Two examples."

[settings.good]
from = "cat-sat-on-the/printed"

[settings.love]
from = "i-love-ai/printed"
title = "Love"
"""


@pytest.fixture
def write(tmp_path):
    def at(text):
        file = tmp_path / "mine.toml"
        file.write_text(text, "utf-8")
        return file

    return at


def test_there_is_one_for_each_text():
    assert set(errata()) == {one.id for one in all_references()}
    assert set(errata().values()) == {lesson.id for lesson in catalogue() if lesson.errata}
    for text, id in errata().items():
        lesson = load(id)
        assert (lesson.errata, lesson.reference) == (True, text)
        assert lesson.questions >= 3


def test_a_setting_of_another_example_has_its_model_and_its_numbers(write):
    lesson = load(write(LESSON))
    for name, source in {"good": ("cat-sat-on-the", "printed"), "love": ("i-love-ai", "printed")}.items():
        taken, own = lesson.state(name), load(source[0]).state(source[1])
        assert lesson.source_of(name) == source
        assert (taken.lesson, taken.setting, taken.model) == ("mine", name, own.model)
        assert taken.inputs.keys() == own.inputs.keys()
        assert all(np.array_equal(taken.inputs[node], array) for node, array in own.inputs.items())
        assert taken.pins.keys() == own.pins.keys()
    assert lesson.setting("love").title == "Love"
    assert lesson.setting("good").title == load("cat-sat-on-the").setting("printed").title


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cat-sat-on-the/printed", "cat-sat/printed", "there is no example 'cat-sat'"),
        ("cat-sat-on-the/printed", "cat-sat-on-the/x", "'cat-sat-on-the' has no setting 'x'"),
        ("cat-sat-on-the/printed", "cat-sat-on-the", "'cat-sat-on-the' has no setting ''"),
        ("cat-sat-on-the/printed", "errata-003/printed", "there is no example 'errata-003'"),
        ('paragraph = "Two examples."', 'paragraph = "x"\n[inputs]\nQ = [[1]]', "belongs to the examples"),
        ('title = "Love"', "switches = {}", "not a known key"),
    ],
)
def test_what_cannot_be_taken_over_is_named(write, old, new, message):
    with refuses(message):
        load(write(LESSON.replace(old, new)))


def test_a_document_of_it_is_opened_as_one(tmp_path):
    lesson = load("errata-004")
    for setting in ("welcome", "wrong", "love"):
        file = tmp_path / f"{setting}.explorer"
        storage.save(lesson.state(setting), lesson.title, file)
        found, state, _ = opened_session(file)
        assert (found.id, state.setting) == ("errata-004", setting)
        assert found.source_of(setting) == lesson.source_of(setting)


def test_what_is_not_printed_is_a_node_of_its_setting():
    for lesson in catalogue():
        for name in lesson.settings if lesson.errata else ():
            assert lesson.settings[name].ours <= set(lesson.state(name).graph.names())


def test_who_stopped_at_a_step_that_is_gone_goes_on_at_the_last_one_that_is_there(tmp_path):
    folder = ProgressFolder(tmp_path)
    folder.save(LessonProgress("emma", "slip", ("guess", "key", "query", "score", "slip")))
    walk = Walk(load("emma"), folder)
    assert walk.step.id == "score"
    folder.save(LessonProgress("emma", "slip", ("slip",)))
    assert Walk(load("emma"), folder).step.id == "guess"
