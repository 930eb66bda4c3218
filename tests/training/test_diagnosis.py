"""Why a run gets nowhere, and what helps."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.core.graph import LOSS
from explorer.core.model import Model
from explorer.core.training.recipe import FIRST, Recipe
from explorer.document.commands import SetInputs, SetSwitch
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.training.diagnosis import diagnosis, faint_blocks, twins
from explorer.training.preparation import RunSettings
from explorer.training.recipes import Material
from explorer.training.run import Run
from tests.samples import long


def trained(document, recipe, steps):
    run = Run(document, RunSettings(Material("shown"), recipe))
    for _ in range(steps):
        run.take()
    return diagnosis(document, run.records, recipe), run.records


def small(layers=1, kind="gpt"):
    texts = ["the cat sat on the mat", "le chat"][: 1 if kind == "gpt" else 2]
    return Document(new_lesson(kind, texts, d_model=8, heads=2, layers=layers).state())


def test_a_rate_that_is_too_high_is_told_with_a_lower_one():
    found, records = trained(small(), replace(FIRST, rate=300.0, optimiser="SGD", warm_up=0), 12)
    assert records.losses[-1] > records.losses[0]
    assert "risen" in found.sentence
    assert (found.remedy, found.setting) == ("Start over, at rate 0.1", ("rate", 0.1))
    assert found.starts_over, "weights that have grown so far learn at no rate"


def test_a_loss_that_grew_beyond_all_bounds_is_told_even_where_a_gradient_is_0():
    found, records = trained(small(), replace(FIRST, rate=30.0, optimiser="SGD", warm_up=0), 60)
    assert any(lengths[-1] == 0 for lengths in records.blocks.values())
    assert found.setting == ("rate", 0.1)


def test_a_model_that_the_first_steps_throw_out_of_its_valley_is_told_so():
    document = Document(load("roses-are-red").state("two"))
    found, records = trained(document, replace(FIRST, rate=50.0, optimiser="Adam", warm_up=0), 100)
    assert records.losses[0] < 1.05 * records.losses[0] < records.losses[-1] < records.losses[:3].mean()
    assert found.sentence.startswith("The loss has risen from 0.00229 to")
    assert found.remedy == "Start over, at rate 0.01"


def test_an_example_with_a_rate_of_its_own_is_started_over_at_that_rate():
    """“You are welcome” was to start over at 0.01, where its loss rises as well."""
    lesson = load("you-are-welcome")
    document = Document(lesson.state("textbook"))
    run = Run(document, RunSettings(Material("shown"), replace(lesson.training, rate=900.0)))
    for _ in range(12):
        run.take()
    found = diagnosis(document, run.records, run.settings.recipe, own=lesson.training)
    assert found.setting == ("rate", lesson.training.rate) == ("rate", 0.0002)


@pytest.mark.parametrize("optimiser", ["SGD", "momentum", "RMSprop", "Adam", "AdamW"])
def test_from_a_rate_that_is_far_too_high_one_press_leads_to_one_that_learns(optimiser):
    far = replace(FIRST, rate=300.0, optimiser=optimiser, warm_up=0)
    found, _ = trained(small(), far, 20)
    assert found.starts_over
    after, records = trained(small(), replace(far, rate=found.setting[1]), 20)
    assert after is None
    assert records.losses[-1] < 0.8 * records.losses[0]


def test_what_has_nothing_left_to_learn_lacks_nothing():
    found, records = trained(Document(load("xor").state("textbook")), Recipe(rate=0.1, batch=0, steps=200), 20)
    assert records.losses[-1] == 0
    assert all(lengths[-1] == 0 for lengths in records.blocks.values())
    assert found is None


def test_a_rate_that_is_too_low_is_told_with_a_higher_one():
    found, _ = trained(small(), Recipe(rate=1e-8, batch=0, steps=200), 100)
    assert found.setting == ("rate", 1e-7)
    assert found.sentence.startswith("In 100 steps the loss stayed at ")


def test_a_rate_beyond_the_highest_is_not_offered():
    """The button offered a rate of 5000, which was then refused."""
    short = Recipe(optimiser="SGD", rate=500.0, clip=1e-9, batch=0, steps=200)
    found, _ = trained(small(), short, 100)
    assert "In 100 steps" in found.sentence
    assert (found.remedy, found.setting) == ("", None)


def test_weights_that_are_all_alike_are_to_be_drawn():
    document = Document(load("xor").state("zeros"))
    found, _ = trained(document, Recipe(rate=0.1, batch=0, steps=10), 2)
    assert "alike" in found.sentence
    assert found.setting == ("initialiser", "xavier")


@pytest.mark.parametrize("weights", ["x W", "W x"])
def test_units_are_alike_if_what_they_read_and_what_reads_them_is(weights):
    document = Document(load("xor").state("textbook"))
    for block in ("layer.1", "layer.2"):
        document.do(SetSwitch(block, "weights", weights))
    wide = document.state.inputs["layer.2.W"].shape
    for W, out, expected in (
        ([[2, 2], [3, 3]], [1, 1], {"layer.1": 2}),
        ([[2, 2], [3, 3]], [1, 2], {}),
        ([[2, 4], [3, 3]], [1, 1], {}),
    ):
        W = np.array(W, float).T if weights == "W x" else np.array(W, float)
        layers = {"layer.1.W": W, "layer.1.b": np.ones(2), "layer.2.W": np.array(out, float).reshape(wide)}
        document.do(SetInputs(layers, "Weights"))
        assert twins(document) == expected


def test_vanished_gradients_are_named_with_a_switch_that_helps():
    document = small(layers=6)
    for block in ("self", "ffn"):
        document.do(SetSwitch(f"decoder.1.{block}", "residual", False, True))
        document.do(SetSwitch(f"decoder.1.{block}", "norm", "none", True))
    weights = {name: a * 0.05 for name, a in document.state.inputs.items() if name.endswith(("ffn.W_2", "self.W_O"))}
    document.do(SetInputs(weights, "Make weights small"))
    found, records = trained(document, Recipe(rate=1e-6, batch=0, steps=200), 100)
    assert faint_blocks(records), "without residuals, next to nothing comes through six layers"
    assert faint_blocks(records)[0] in found.sentence
    assert found.switch == ("residual", True)


@pytest.mark.parametrize(("optimiser", "remedy"), [("SGD", "Optimiser Adam"), ("Adam", "Rate 0.00001")])
def test_who_trains_with_adam_is_not_told_to_do_so(optimiser, remedy):
    axes = {"input": tuple("abcd"), "layer.0": ("x", "y"), "layer.6": ("out",)}
    switches = {"loss.loss": "mean squared error", "layer.6.activation": "identity"}
    axes |= {f"layer.{k}": tuple("uvwz") for k in range(1, 6)}
    document = Document(State.of(Model("mlp", {}, axes, 4, 6, switches), {}))
    small = {name: a * 0.05 for name, a in document.state.inputs.items() if name.endswith(".W")}
    biases = {f"layer.{k}.b": np.full(4, 0.1) for k in range(1, 6)}
    document.do(SetInputs(small | biases | {"loss.target": np.array([[1.0], [0.0]] * 2)}, "Make weights small"))
    found, records = trained(document, Recipe(optimiser=optimiser, rate=1e-6, batch=0, steps=200), 100)
    assert faint_blocks(records)
    assert found.remedy == remedy


def test_gradients_that_are_exactly_0_without_residuals_are_given_a_way_past_the_blocks():
    document = small(layers=6)
    for block in ("self", "ffn"):
        document.do(SetSwitch(f"decoder.1.{block}", "residual", False, True))
    weights = {name: a * 0 for name, a in document.state.inputs.items() if name == "decoder.6.self.W_O"}
    document.do(SetInputs(weights, "Let nothing through"))
    found, _ = trained(document, Recipe(rate=1e-6, batch=0, steps=200), 2)
    assert "is exactly 0" in found.sentence
    assert found.switch == ("residual", True)


@pytest.mark.parametrize("activation", ["sigmoid", "ReLU"])
def test_a_net_that_comes_to_rest_too_early_is_told_what_it_cannot_tell_apart(activation):
    xor = load("xor")
    document = Document(xor.state("printed"))
    document.do(SetSwitch("layer.1", "activation", activation))
    found, _ = trained(document, replace(xor.training, initialiser="xavier", seed=0), 400)
    cases, hidden = (document.engine.values[name] for name in ("input.X", "layer.1.activation"))
    same = [f"({a:g}, {b:g})" for a, b in cases if f"({a:g}, {b:g})" in found.sentence]
    places = [i for i, (a, b) in enumerate(cases) if f"({a:g}, {b:g})" in same]
    assert len(places) == 2
    assert abs(hidden[places[0]] - hidden[places[1]]).max() < 0.05
    assert ("0 for every case" in found.sentence) == bool((hidden == 0).all(0).any())
    assert found.setting == ("seed", 1)


def test_a_net_that_solves_its_task_has_nothing_to_be_told():
    xor = load("xor")
    found, _ = trained(Document(xor.state("printed")), replace(xor.training, initialiser="xavier", seed=2), 400)
    assert found is None


def test_a_run_that_learns_has_nothing_to_be_told():
    found, records = trained(small(), FIRST, 60)
    assert records.losses[-1] < records.losses[0]
    assert found is None


@pytest.mark.parametrize(
    ("kind", "layers"),
    [("gpt", 1), ("encoder-decoder", 4), *(long(kind, n) for kind in ("gpt", "encoder-decoder") for n in (1, 2, 4, 6))],
)
def test_a_new_model_learns_with_the_settings_that_it_opens_with(kind, layers):
    document = small(layers, kind)
    before = float(document.engine.values[LOSS])
    _, records = trained(document, FIRST, 80)
    assert records.losses[1] < records.losses[0], "the first step goes down"
    assert float(document.engine.values[LOSS]) < before / 4
