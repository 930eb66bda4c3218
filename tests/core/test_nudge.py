from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from explorer.core.engine import Pin
from explorer.core.gradients import Root
from explorer.core.model import Model
from explorer.core.nudge import CLOSE, Check, check_cell


@pytest.fixture
def engine(compute, examples):
    return compute(examples["mlp"].with_switch("layer.2", "activation", "sigmoid"))


def test_an_input_is_nudged_both_ways(engine):
    check = check_cell(engine, "layer.1.W", (0, 1), h=1e-4)
    assert check.h == 1e-4
    assert check.slope == pytest.approx((check.above - check.below) / 2e-4)
    assert check.gradient == engine.gradients().of("layer.1.W")[0, 1]
    assert check.error < 1e-6


def test_without_h_the_step_fits_the_type_of_the_numbers(engine, compute, examples):
    assert check_cell(engine, "layer.1.W", (0, 1)).h == pytest.approx(6e-6, rel=0.02)
    single = compute(replace(examples["mlp"], dtype="float32"))
    check = check_cell(single, "layer.2.b", (0,))
    assert check.h == pytest.approx(5e-3, rel=0.02)
    assert check.error < 1e-3


def test_a_computed_cell_is_nudged_whatever_feeds_it(engine):
    assert check_cell(engine, "layer.1.activation", (0, 0)).error < 1e-6


def test_a_pinned_cell_is_nudged_and_the_other_pins_stay(engine):
    inputs = {name: engine.values[name] for name, node in engine.graph.nodes.items() if node.is_input}
    held = np.zeros((3, 4), bool)
    held[0] = True
    pins = {"layer.1.activation": Pin(held, np.full((3, 4), 0.7))}
    engine.update(engine.graph, inputs, pins)
    check = check_cell(engine, "layer.1.activation", (0, 0))
    assert check.gradient != 0
    assert check.error < 1e-6
    other = check_cell(engine, "layer.1.W", (0, 0))
    assert other.error < 1e-6


def test_the_engine_stays_as_it_is(engine):
    values, before, pins, gradients = engine.values, engine.before, engine.pins, engine.gradients()
    check_cell(engine, "layer.1.W", (0, 1))
    check_cell(engine, "layer.1.hidden", (0, 1))
    assert (engine.values is values, engine.before is before, engine.pins is pins) == (True,) * 3
    assert engine.gradients() is gradients


def test_another_root(engine):
    root = Root("layer.2.activation", (0, 0))
    assert check_cell(engine, "layer.1.W", (0, 1), root=root).error < 1e-6


def test_a_corner_shows_as_half_a_slope(compute, examples):
    # At the corner of ReLU the two sides differ; the gradient takes the flat one.
    engine = compute(examples["mlp"], {"input.X": np.zeros((3, 2)), "layer.2.b": [1.0, 1.0]})
    check = check_cell(engine, "layer.1.hidden", (0, 0))
    assert check.gradient == 0
    assert check.slope != 0
    assert check.error == 1


def test_an_infinite_number_cannot_be_nudged_and_so_changes_nothing(compute, examples):
    engine = compute(examples["mlp"], {"layer.1.b": [-np.inf, 0.0, 0.0, 0.0]})  # ReLU lets nothing of it through
    check = check_cell(engine, "layer.1.b", (0,))
    assert (check.slope, check.gradient, check.error) == (0, 0, 0)


def test_whole_numbers_are_not_nudged(compute, examples):
    with refuses("whole numbers"):
        check_cell(compute(examples["gpt"]), "loss.target", (0,))


def test_where_the_loss_bends_within_h_a_smaller_one_is_taken(compute, examples):
    # A right word with a probability hardly larger than h: the log is far from straight there.
    logits = [[0.0, 11.0, 0.0], [0.0, 0.0, 0.0]]
    engine = compute(examples["output"].with_switch("loss", "loss", "cross-entropy"), {"output.logits": logits})
    cell = (0, 0)
    assert 0 < engine.values["output.probabilities"][cell] < 1e-4
    assert check_cell(engine, "output.probabilities", cell, h=6e-6).error > CLOSE
    check = check_cell(engine, "output.probabilities", cell)
    assert check.h < 1e-8
    assert check.error < 1e-4


def test_a_corner_is_named(compute):
    axes = {"input": ("case",), "layer.0": ("x",), "layer.1": ("h",), "layer.2": ("y",)}
    model = Model("mlp", axes=axes, layers=2).with_switch("loss", "loss", "mean squared error")
    model = model.with_switch("layer.2", "activation", "identity")
    given = {"input.X": [[0.0]], "layer.1.W": [[1.0]], "layer.2.W": [[1.0]], "loss.target": [[1.0]]}
    check = check_cell(compute(model, given), "layer.1.hidden", (0, 0))  # at the corner of ReLU
    assert (check.gradient, check.slope) == (0, pytest.approx(-1, rel=1e-3))
    assert check.agreement("loss.value") == "≠ within ±h loss.value has a corner, or is too flat for its digits"
    assert not check.agrees


def test_a_gradient_that_goes_straight_through_a_rounding_says_so(compute):
    """A weight in 8 bits: a little more of it is rounded to the same code, and yet it learns (Bengio et al. 2013)."""
    plain = Model("gpt", lengths={"input": 3}, axes={"input.words": ("a", "b", "c")})
    for model in (plain, plain.with_switch("decoder.1.ffn", "quantised", "8 bits")):
        engine = compute(model)
        name = next(one for one, node in engine.graph.nodes.items() if node.is_input and one.endswith("ffn.W_1"))
        cells = [
            cell for cell in np.ndindex(engine.values[name].shape) if abs(engine.gradients().of(name)[cell]) > 1e-3
        ]
        checks = [check_cell(engine, name, cell, h=1e-7) for cell in cells]
        words = [check.agreement() for check in checks if not check.agrees]
        if model is plain:
            assert not any("straight through" in one for one in words)
        else:
            assert len(words) > len(cells) / 2
            assert all("straight through the rounding" in one for one in words)
            assert not check_cell(engine, "output.logits", (0, 0)).rounded
            # The gradient goes straight to the weights, so that their scales have none.
            scale = check_cell(engine, "decoder.1.ffn.W_1_scale", (0, 0))
            assert (scale.gradient, scale.rounded) == (0, True)
            assert "straight through the rounding" in scale.agreement()


def test_agreement_in_words():
    assert Check(1e-5, 2, 2, 0, 0).agreement() == "the same"
    assert Check(1e-5, 2, 2, 1, 1.00002).agreement() == "the same to 4 digits"
    assert Check(1e-5, np.nan, np.inf, np.nan, -np.inf).agreement() == "on one side the loss is not a finite number"


def test_error_of_nothing_is_nothing():
    assert Check(1e-5, 2, 2, 0, 0).error == 0
    assert Check(1e-5, 2, 2, 1, 2).error == 0.5
