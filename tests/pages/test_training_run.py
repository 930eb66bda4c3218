"""What is said of a run, and what can be done."""

from dataclasses import replace

import pytest

from explorer.core.training.recipe import Recipe
from explorer.pages.training.settings import ADD_LOSS, NO_LOSS, OWN, PACES, TEXT, RunProgress, foot_page, run_page
from explorer.training.diagnosis import Diagnosis
from explorer.training.preparation import Settings
from explorer.training.recipes import Material
from explorer.training.run import Run

PACE = next(iter(PACES))


@pytest.fixture
def progress(desk):
    def of(lesson="xor", setting=None, run=None, **others):
        given = {"going": False, "beside": False, "steps": 0, "speed": 0.0, "source": OWN, "learns": "nothing"}
        return RunProgress(desk(lesson, setting).document if run is None else run.document, run, **(given | others))

    return of


@pytest.fixture
def run(desk):
    document = desk("xor", "random").document
    run = Run(document, Settings(Material("shown"), Recipe("SGD", 0.1, batch=0, steps=30)))
    run.document = document
    run.take(10.0, 3)
    return run


def controls(progress, folds=None):
    (header,) = run_page(progress, PACE, folds)
    return {one.id: one for one in header.choices}


def test_before_the_first_step(progress):
    one = progress()
    assert one.said() == "No step yet · loss 0.000"
    assert (controls(one)["train"].on, controls(one)["over"].on) == (True, False)
    found = one.diagnosis()
    assert (found.remedy, found.opens) == ("Learn from nothing", "nothing")
    assert replace(one, source=TEXT).said() == "No step yet"
    assert replace(one, source=TEXT).diagnosis() is None
    assert replace(one, going=True).said() == "Starting…"


def test_without_a_loss_nothing_can_be_done(progress):
    one = progress("translation-lookup")
    assert one.said() == NO_LOSS
    assert [controls(one)[name].on for name in ("train", "one", "over")] == [False] * 3
    assert "loss on" not in controls(one)


def test_the_loss_of_a_model_of_others_is_switched_on_before_it_learns_from_a_text_too(progress):
    one = replace(progress("stories260k"), source=TEXT)
    assert one.said() == ADD_LOSS
    assert not controls(one)["train"].on
    one.document.do(controls(one)["loss on"].asks.command())
    assert one.said() == "No step yet"
    assert controls(one)["train"].on
    assert "loss on" not in controls(one)


def test_how_far_a_run_has_come(progress, run):
    one = progress(run=run, steps=30)
    assert one.said().startswith("Step 3 of 30 · loss ")
    assert one.said().endswith(" · rate 0.1")
    assert replace(one, steps=0).said().startswith("Step 3, by hand · ")
    assert replace(one, speed=12.3).said().endswith(" · 12 steps a second")
    assert controls(one)["over"].on
    assert controls(replace(one, going=True))["train"].text == "Pause"


def test_what_was_taken_back_is_said(progress, run):
    run.document.undo()
    assert progress(run=run).said().startswith("Back after 0 steps of the 3 taken: Redo goes forward")
    assert progress(run=run, beside=True).said().startswith("Step 3"), "a process takes steps ahead of the document"


def test_the_settings_are_asked_for_where_they_have_no_room(progress):
    assert "fold" not in controls(progress())
    assert controls(progress(), folds=True)["fold"].value


def test_below_stands_what_there_is_to_say_and_no_more():
    found = Diagnosis("The loss has risen.", "Start over, at rate 0.1")
    assert foot_page("", "", None) == ()
    assert [one.id for one in foot_page("", "4 cases.", None)] == ["note"]
    problem, note, remedy = foot_page("a < b", "4 cases.", found)
    assert (problem.text, problem.wrong) == ("⚠ a &lt; b", True)
    assert note.text == "4 cases. The loss has risen."
    assert remedy.text == "Start over, at rate 0.1"
