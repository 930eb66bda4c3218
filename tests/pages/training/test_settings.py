"""What is learned from and how: what a gesture sets, and what stands on the page then."""

from dataclasses import replace

import pytest
from refusals import refuses

from explorer.core.training.recipe import BOUNDS, FIRST, Recipe
from explorer.document.commands import SetCells
from explorer.lessons.loader import load
from explorer.pages.controls import Choice, Form, TextBox
from explorer.pages.element import leaves
from explorer.pages.training.settings import (
    ADD_LOSS,
    LONGEST,
    NO_LOSS,
    NUMBERS,
    OWN,
    PACES,
    TEXT,
    WHOLE,
    WORDS,
    Plan,
    RunProgress,
    foot_page,
    learned_from,
    run_page,
    settings_page,
)
from explorer.training.diagnosis import Diagnosis
from explorer.training.preparation import RunSettings
from explorer.training.recipes import Material
from explorer.training.run import Run


def page(desk, plan, lesson, weights=()):
    found = settings_page(plan, desk.view, load(lesson), dict.fromkeys(weights, True))
    return {part.id: part for one in found for part in leaves(one)}


def opened(desk, lesson):
    plan, here = Plan(), desk(lesson)
    plan.learn(here.view)
    return plan, here


def settings(plan, here, lesson):
    return plan.settings(here.view, load(lesson), ("layer.1.b",), ())


@pytest.mark.parametrize(
    ("lesson", "titles"),
    [
        ("xor", ("Its own cases",)),
        ("you-are-welcome", ("This pair", "Pairs of sentences")),
        ("i-love-ai", ("This sentence", "A text")),
        ("what-the-cache-saves", ("This sentence", "A text", "Its grammar")),
    ],
)
def test_what_can_be_learned_from_follows_the_model(desk, lesson, titles):
    plan, here = opened(desk, lesson)
    assert page(here, plan, lesson)["source"].options == titles


def test_each_layer_of_a_net_has_its_activation(desk):
    plan, here = opened(desk, "xor")
    choice = page(here, plan, "xor")["activation layer.2"]
    assert choice.options[choice.chosen] == str(here.document.state.model.switch("layer.2", "activation"))
    assert (
        choice.asks[choice.options.index("sigmoid")]
        .command()
        .apply(here.document.state)
        .model.switch("layer.2", "activation")
        == "sigmoid"
    )
    assert "activations" not in page(*opened(desk, "i-love-ai")[::-1], "i-love-ai")


@pytest.mark.parametrize(("lesson", "word"), [("roses-are-red", "violets"), ("you-are-welcome", "casa")])
def test_texts_that_come_along(desk, lesson, word):
    plan, here = opened(desk, lesson)
    assert "shipped" not in page(here, plan, lesson)
    plan.do("source", TEXT)
    (before,) = [one for one in page(here, plan, lesson).values() if isinstance(one, TextBox)]
    shipped = page(here, plan, lesson)["shipped"].asks
    assert plan.do(shipped.act, shipped.value) == {"shipped"}
    (box,) = [one for one in page(here, plan, lesson).values() if isinstance(one, TextBox)]
    assert word in box.value
    assert box.id != before.id, "what somebody types would stay in a field that is the same"
    assert settings(plan, here, lesson).material.content == plan.text


def test_a_text_that_is_too_long_is_refused_and_not_cut(desk):
    plan, here = opened(desk, "i-love-ai")
    plan.do("source", TEXT)
    (box,) = [one for one in page(here, plan, "i-love-ai").values() if isinstance(one, TextBox)]
    plan.do("text", "a" * box.most)
    assert box.most > LONGEST
    with refuses("300,000"):
        settings(plan, here, "i-love-ai")


def test_all_settings_of_a_recipe_can_be_set(desk):
    plan, here = opened(desk, "xor")
    (form,) = [one for one in settings_page(plan, here.view, load("xor"), {})[1].elements if isinstance(one, Form)]
    assert {one.id for one in form.controls} == {*WORDS, *WHOLE, *NUMBERS} >= {*BOUNDS} - {"validate_every"}
    (batch,) = [one for one in form.controls if one.id == "batch"]
    assert (batch.least, batch.auto) == (0, "all"), "a batch of 0 looked like a mistake"
    for one in form.controls:
        assert one.tip
        if isinstance(one, Choice):
            assert plan.do(one.asks[-1].act, one.asks[-1].value) == {one.id}
    recipe = settings(plan, here, "xor").recipe
    assert (recipe.schedule, recipe.frozen) == ("inverse square root", ("layer.1.b",))
    assert recipe.initialiser != ""
    plan.do("initialiser", "")
    chosen = page(here, plan, "xor")["initialiser"]
    assert chosen.options[chosen.chosen] == "as they are"


def test_a_number_is_taken_once_it_is_typed(desk):
    plan, here = opened(desk, "xor")
    plan.do("steps", 7)
    assert plan.do("type rate", "0,5") == frozenset(), "it is still being typed"
    assert page(here, plan, "xor")["rate"].value == "0,5"
    assert plan.do("typed") == {"rate"}
    assert plan.do("typed") == frozenset()
    recipe = settings(plan, here, "xor").recipe
    assert (recipe.rate, recipe.steps) == (0.5, 7)
    plan.begin(FIRST)
    assert page(here, plan, "xor")["rate"].value == "0.003"


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [("rate", "abc", "not a number"), ("rate", "1e6", "'Learning rate' is 1e6"), ("dropout", "2", "'Dropout' is 2")],
)
def test_wrong_numbers_are_refused(desk, name, typed, said):
    plan, here = opened(desk, "xor")
    plan.do(f"type {name}", typed)
    with refuses(said):
        settings(plan, here, "xor")
    plan.do(name, 0.5)
    assert getattr(settings(plan, here, "xor").recipe, name) == 0.5


def test_another_example_is_learned_from_itself(desk):
    plan, _ = opened(desk, "you-are-welcome")
    plan.do("source", TEXT)
    plan.learn(desk("i-love-ai").view)
    assert plan.source == OWN
    assert "sun" in plan.text


def test_the_next_word_is_called_right_only_where_it_is_the_target(desk):
    plan, here = opened(desk, "i-love-ai")
    assert "after each word the model should say the next word" in learned_from(plan, here.view)
    here.do(SetCells("loss.target", {(0,): int(here.value("loss.target")[1])}))
    assert learned_from(plan, here.view).endswith("with the right answer on the page “Loss”.")


def test_an_optimiser_comes_with_its_usual_weight_decay(desk):
    """AdamW without one is Adam; by hand, and in a recipe, it had one already."""
    plan, here = opened(desk, "xor")
    plan.do("optimiser", "AdamW")
    assert settings(plan, here, "xor").recipe.weight_decay == 0.01
    assert page(here, plan, "xor")["weight_decay"].value == "0.01"
    plan.do("optimiser", "Adam")
    assert settings(plan, here, "xor").recipe.weight_decay == 0
    plan.do("type weight_decay", "0.2")
    plan.do("optimiser", "AdamW")
    assert settings(plan, here, "xor").recipe.weight_decay == 0.2


def test_the_first_text_for_pieces_of_words_is_as_a_person_types_it(desk):
    """The text is cut into pieces again: the marks of the pieces themselves would be learned byte by byte."""
    plan, here = opened(desk, "stories260k")
    assert plan.text.splitlines()[0] == "Once upon a time"
    plan.do("source", TEXT)
    assert learned_from(plan, here.view) == "Any text: the model learns which piece comes next."


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
    run = Run(document, RunSettings(Material("shown"), Recipe("SGD", 0.1, batch=0, steps=30)))
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
    assert replace(one, going=True).said() == "Starting …"


def test_what_a_step_is_for_is_said_until_one_was_taken(progress, run):
    """Nothing on the page said what training does, to whoever has never trained."""
    said = "Each step changes the weights a little to lower the loss."
    untouched, moved, none = progress(), progress(run=run), progress("translation-lookup")
    assert [said in run_page(one, PACE, None)[0].sentence for one in (untouched, moved, none)] == [True, False, False]


def test_where_no_weight_moves_no_list_of_them_has_a_title(desk):
    plan, here = opened(desk, "xor")
    for weights, count in ((), 0), (("layer.1.W",), 1):
        found = settings_page(plan, here.view, load("xor"), dict.fromkeys(weights, True))
        assert [one.id for one in found].count("what moves") == count


def test_without_a_loss_nothing_can_be_done(progress):
    one = progress("translation-lookup")
    assert one.said() == NO_LOSS
    assert [controls(one)[name].on for name in ("train", "one", "over")] == [False] * 3
    assert "loss on" not in controls(one)


def test_the_loss_of_a_model_of_others_is_switched_on_before_it_learns_from_a_text_too(progress):
    one = replace(progress("stories260k"), source=TEXT)
    assert one.said() == ADD_LOSS
    assert not controls(one)["train"].on
    assert [name for name, one in controls(one).items() if getattr(one, "primary", False)] == ["loss on"]
    one.document.do(controls(one)["loss on"].asks.command())
    assert one.said() == "No step yet"
    assert controls(one)["train"].on
    assert controls(one)["train"].primary
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
