"""The loop: what it learns, what it leaves alone, where it stops, and that its bits are the same each time.

Dropout: off and in use it changes nothing; in training it leaves out its share, and the mean stays.
"""

from copy import copy
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from refusals import refuses

from explorer.core.engine import Pin, fresh
from explorer.core.errors import ExplorerError
from explorer.core.graph import TARGET, GraphBuilder
from explorer.core.models import build
from explorer.core.ops import Input, Multiply
from explorer.core.training.data import OWN, SHOWN, cases
from explorer.core.training.recipe import OPTIMISERS, Recipe
from explorer.core.training.records import Records
from explorer.core.training.trainer import Trainer, fitted, kept_masks, kept_nodes, trainable, with_dropout

SHARE = 0.25


@pytest.fixture
def model(examples):
    return with_dropout(examples["encoder-decoder"], SHARE)


def test_a_model_has_no_dropout_unless_it_is_switched_on(examples):
    for example in examples.values():
        assert not list(kept_nodes(build(example)))


def test_its_masks_cannot_be_learned(model):
    """They stood among the inputs that may move, and whoever chose one got an error of the program."""
    graph = build(model)
    assert trainable(graph, model).keys().isdisjoint(kept_nodes(graph))


def test_it_stands_behind_the_embeddings_and_each_sublayer_before_the_residual(model):
    graph = build(model)
    blocks = [
        "source",
        "encoder.1.self",
        "encoder.1.ffn",
        "target",
        "decoder.1.self",
        "decoder.1.cross",
        "decoder.1.ffn",
    ]
    assert list(kept_nodes(graph)) == [f"{block}.kept" for block in blocks]
    assert graph.nodes["source.dropped"].parents == ("source.H", "source.kept")
    assert graph.nodes["encoder.1.self.Q"].parents[0] == "source.dropped"
    assert graph.nodes["encoder.1.self.residual"].parents == ("source.dropped", "encoder.1.self.dropped")


def test_a_gate_is_no_dropout():
    """A product of two matrices of a model is kept whole in training."""
    g = GraphBuilder()
    g.axis("n", ("a", "b"))
    g.stage("gate", "gate", "Gate", "Gate")
    for name in ("x", "gate"):
        g.add(name, Input(), axes=("n",))
    g.add("gated", Multiply(), "x", "gate", axes=("n",))
    assert not list(kept_nodes(g.build()))


@pytest.mark.parametrize("positions", ["sinusoidal", "none"])
def test_in_use_a_model_with_dropout_is_the_one_without(examples, compute, positions):
    model = examples["gpt"].with_switch("input", "positions", positions)
    without, values = compute(model).values, compute(with_dropout(model, SHARE)).values
    np.testing.assert_array_equal(values["output.probabilities"], without["output.probabilities"])
    assert values["input.kept"].all()


def test_what_is_drawn_is_0_or_so_much_larger_that_the_mean_stays(model):
    graph = build(model)
    masks = kept_masks(graph, model, (500,), np.random.default_rng(0))
    for name, mask in masks.items():
        assert mask.shape == (500, *graph.shape(name))
        assert mask.dtype == model.dtype
        np.testing.assert_allclose(np.unique(mask), [0, 1 / (1 - SHARE)])
        np.testing.assert_allclose(mask.mean(), 1, atol=0.05)
    # No two alike: neither two sentences nor two places.
    assert (masks["source.kept"][0] != masks["source.kept"][1]).any()
    assert (masks["encoder.1.self.kept"] != masks["encoder.1.ffn.kept"]).any()


def test_the_same_seed_draws_the_same(model):
    graph = build(model)
    one, other = (kept_masks(graph, model, (2,), np.random.default_rng(7)) for _ in range(2))
    assert one.keys() == other.keys()
    assert all((one[name] == other[name]).all() for name in one)


def test_each_block_has_a_share_of_its_own(examples):
    model = examples["gpt"].with_switch("input", "dropout", 0.9).with_switch("decoder.2.ffn", "dropout", 0.1)
    masks = kept_masks(build(model), model, (300,), np.random.default_rng(0))
    shares = {name: round(float((mask == 0).mean()), 1) for name, mask in masks.items()}
    assert shares == {"input.kept": 0.9, "decoder.2.ffn.kept": 0.1}


def test_what_is_left_out_gets_no_gradient(model, compute):
    engine = compute(model)
    kept = np.ones(engine.values["encoder.1.ffn.kept"].shape)
    kept[1, 2] = 0
    inputs = {name: engine.values[name] for name, node in engine.graph.nodes.items() if node.is_input}
    engine.update(engine.graph, {**inputs, "encoder.1.ffn.kept": kept}, {})
    gradient = engine.gradients().of("encoder.1.ffn.output")
    assert gradient[1, 2] == 0
    assert np.count_nonzero(gradient) == gradient.size - 1


def run(trainer):
    while not trainer.finished:
        trainer.step()
    return trainer


def steps(trainer, number):
    return [trainer.step() for _ in range(number)]


def losses(trainer):
    """Of all its steps."""
    return [record.loss for record in steps(trainer, trainer.recipe.steps)]


def bits(trainer):
    return {name: array.tobytes() for name, array in trainer.weights.items()}


# What is learned


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_xor_is_learned(xor, seed):
    assert losses(xor(seed=seed, steps=800))[-1] < 0.01


def test_units_that_begin_alike_stay_alike(xor):
    """Goodfellow et al. 2016, §8.4: only different beginnings break the symmetry between hidden units."""
    trainer = xor(initialiser="zeros", steps=50, optimiser="SGD", rate=1.0)
    assert losses(trainer)[-1] >= 0.24
    assert not trainer.weights["layer.1.W"].any()
    moved = trainer.weights["layer.2.W"]
    assert (moved == moved[0]).all()


def test_a_gpt_learns_a_text_by_heart(gpt):
    first, *_, last = losses(gpt(steps=150, rate=0.02, validation=0.0, batch=8))
    assert first > 2
    assert last < 0.3


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_each_optimiser_lowers_the_loss(xor, optimiser):
    rate = 1.0 if optimiser == "SGD" else 0.05
    first, *_, last = losses(xor(optimiser=optimiser, rate=rate, steps=60))
    assert last < first


def test_the_models_own_example_has_the_loss_that_the_engine_computes(xor):
    model, inputs = xor().model, dict(xor()._inputs)
    trainer = Trainer(model, inputs, OWN, Recipe())
    assert trainer.step().loss == float(fresh(trainer.graph, inputs, {}).values["loss.value"])


def test_a_batch_of_one_has_the_gradient_of_the_example(gpt):
    trainer = gpt(batch=1, optimiser="SGD", rate=1.0, clip=0.0)
    batch = trainer.data.batch(0, 1, trainer.recipe.seed)
    inputs = {**trainer._inputs, "input.tokens": batch["input.tokens"][0], TARGET: batch[TARGET][0]}
    gradients = fresh(trainer.graph, inputs, {}).gradients().several(trainer.moving)
    before = dict(trainer.weights)
    trainer.step()
    for name, gradient in gradients.items():
        np.testing.assert_allclose(before[name] - trainer.weights[name], gradient, rtol=2e-3, atol=2e-6, err_msg=name)


def test_a_model_in_float32_stays_there(xor):
    given = xor()
    model = replace(given.model, dtype="float32")
    inputs = {name: array.astype(np.float32) for name, array in given._inputs.items()}
    trainer = Trainer(model, inputs, given.data, given.recipe)
    assert trainer._forward(trainer.data.batch(0, 0, 0))["loss.value"].dtype == np.float32


# Bits


@pytest.mark.parametrize(
    "settings", [{}, {"dropout": 0.3}, {"optimiser": "momentum", "schedule": "cosine", "warm_up": 3, "clip": 0.5}]
)
def test_the_same_run_gives_the_same_bits(gpt, settings):
    first, again = gpt(**settings), gpt(**settings)
    assert steps(first, 12) == steps(again, 12)
    assert bits(first) == bits(again)


def test_another_seed_gives_another_run(gpt):
    assert bits(run(gpt(seed=1))) != bits(run(gpt(seed=2)))


def test_a_copy_is_the_trainer_as_it_was_and_takes_the_same_steps(gpt):
    trainer = gpt(dropout=0.2)
    steps(trainer, 3)
    kept, at_3 = copy(trainer), bits(trainer)
    ahead = trainer.ahead()
    steps(trainer, 1)
    assert {name: array.tobytes() for name, array in ahead.items()} == bits(trainer)
    steps(trainer, 4)
    assert bits(kept) == at_3
    steps(kept, 5)
    assert bits(kept) == bits(trainer)


def test_inputs_that_the_batches_give_do_not_move(xor):
    trainer = xor(also=("input.X",), batch=2)
    assert "input.X" not in trainer.moving
    run(trainer)


def test_settings_that_only_a_step_reads_need_no_trainer_of_their_own(xor):
    trainer, other = xor(), xor(rate=0.3, clip=0.01)
    steps(trainer, 2)
    light = trainer.under(other.recipe)
    other.go_on_from(trainer)
    steps(light, 2)
    steps(other, 2)
    assert bits(light) == bits(other)
    assert trainer.under(replace(trainer.recipe, frozen=("layer.1",))) is None


def test_inputs_that_are_no_weights_may_move_too(gpt):
    trainer = gpt(also=("output.temperature",))
    steps(trainer, 1)
    assert trainer.weights["output.temperature"] != 1
    assert "output.temperature" not in gpt().weights


def test_as_it_is_shown_nothing_is_dropped(gpt):
    given = gpt()
    model = given.model.with_switch("input", "dropout", 0.5)
    inputs = {**given._inputs, "input.kept": np.ones(given.graph.shape("input.H"))}
    dropped, shown = (Trainer(model, inputs, examples, Recipe()) for examples in (OWN, SHOWN))
    plain = Trainer(given.model, given._inputs, OWN, Recipe())
    assert shown.step().loss == pytest.approx(plain.step().loss, rel=1e-6) != dropped.step().loss


# Settings


def test_frozen_weights_are_not_touched(gpt):
    trainer = gpt(frozen=("input.table", "decoder.1.self"))
    before = bits(trainer)
    after = bits(run(trainer))
    still = {name for name in before if before[name] == after[name]}
    assert still == {name for name in before if name == "input.table" or name.startswith("decoder.1.self.")}


def test_an_initialiser_leaves_frozen_weights_as_they_are(xor):
    given = xor(initialiser="").weights["layer.1.W"]
    trainer = xor(initialiser="uniform", frozen=("layer.1.W",))
    np.testing.assert_array_equal(trainer.weights["layer.1.W"], given)
    assert (trainer.weights["layer.2.W"] != xor(initialiser="").weights["layer.2.W"]).all()


def test_names_that_nothing_has(xor):
    with refuses(r"did you mean 'layer\.2\.W'"):
        xor(frozen=("leyer.2.W",))
    with pytest.raises(ExplorerError) as caught:
        xor(frozen=("layer.1", "layer.2"))
    assert caught.value.id == "nothing-moves"


def test_clipping_shortens_the_gradient_and_keeps_its_direction(xor):
    free, clipped = (xor(optimiser="SGD", rate=1.0, clip=clip) for clip in (0.0, 0.01))
    norm = free.step().norm
    assert clipped.step().norm == norm > 0.01
    start = xor()
    for name in free.moving:
        long, short = (trainer.weights[name] - start.weights[name] for trainer in (free, clipped))
        np.testing.assert_allclose(short, long * 0.01 / norm, rtol=1e-9)


def test_weight_decay_makes_matrices_smaller(gpt):
    free, decaying = (gpt(weight_decay=decay, rate=0.1) for decay in (0.0, 0.5))
    start = free.weights
    free.step()
    decaying.step()
    lost = free.weights["input.table"] - decaying.weights["input.table"]
    np.testing.assert_allclose(lost, 0.05 * start["input.table"], atol=1e-6)
    assert free.weights["output.b"].tobytes() == decaying.weights["output.b"].tobytes()


def test_dropout_is_for_learning_alone(gpt):
    with_it, without = gpt(dropout=0.5), gpt()
    assert with_it.validate() == pytest.approx(without.validate(), rel=1e-6)
    assert with_it.step().loss != without.step().loss
    assert with_it.weights.keys() == without.weights.keys()


def test_each_step_drops_other_numbers_the_same_each_time(gpt):
    trainer = gpt(dropout=0.5)
    batch = trainer.data.batch(0, 4, 0)
    first = trainer._kept(batch)["input.kept"]
    assert first.shape == (4, 4, 8)
    assert 0 < (first == 0).mean() < 1
    trainer.step()
    assert (trainer._kept(batch)["input.kept"] != first).any()
    assert (gpt(dropout=0.5)._kept(batch)["input.kept"] == first).all()


def test_dropout_of_the_models_own_switches(gpt):
    given = gpt()
    model = given.model.with_switch("input", "dropout", 0.5)
    inputs = {**given._inputs, "input.kept": np.ones(given.graph.shape("input.H"))}
    assert Trainer(model, inputs, given.data, given.recipe).step().loss != given.step().loss


def test_a_net_has_no_place_for_dropout(xor):
    with refuses("no place for dropout"):
        xor(dropout=0.5)


def test_the_norms_of_the_blocks_make_up_the_whole(gpt):
    record = gpt().step()
    assert list(record.norms) == ["input", "decoder.1.self", "decoder.1.ffn", "output"]
    assert record.norm == pytest.approx(sqrt(sum(norm**2 for norm in record.norms.values())))


def test_it_is_judged_when_it_is_time(gpt):
    trainer = gpt(steps=12, validate_every=5)
    judged = {record.step: record.validation for record in steps(trainer, 12) if record.validation is not None}
    assert list(judged) == [5, 10, 12]
    assert judged[12] == trainer.validate()


def test_where_nothing_is_put_aside_nothing_is_judged(xor):
    assert xor().validate() is None


def test_pinned_cells_pass_no_gradient_on(gpt):
    free = gpt()
    shape = free.graph.shape("decoder.1.ffn.hidden")
    pin = Pin(np.ones(shape, bool), np.zeros(shape))
    held = Trainer(free.model, free._inputs, free.data, free.recipe, {"decoder.1.ffn.hidden": pin})
    before = bits(held)
    held.step()
    assert bits(held)["decoder.1.ffn.W_1"] == before["decoder.1.ffn.W_1"]
    assert bits(held)["input.table"] != before["input.table"]


# Edits in mid-run


def test_an_edited_weight_is_gone_on_from(xor):
    trainer = xor(optimiser="SGD", rate=0.1)
    trainer.step()
    held = trainer.weights
    trainer.set({"layer.1.W": np.full((2, 3), 5.0)})
    trainer.step()
    assert (np.abs(trainer.weights["layer.1.W"] - 5) < 0.1).all()
    assert (held["layer.1.W"] < 5).all()  # who held the old ones keeps them


def test_an_edit_of_a_document_with_fewer_positions_leaves_the_others(gpt):
    trainer = gpt()
    was = trainer.weights["input.PE"]
    trainer.set({"input.PE": np.zeros((2, 8))})
    np.testing.assert_array_equal(trainer.weights["input.PE"], [*np.zeros((2, 8)), *was[2:]])
    assert trainer.weights["input.PE"].dtype == np.float32
    assert fitted(trainer.graph, "input.PE", np.ones((6, 8)), was).tolist() == np.ones((4, 8)).tolist()


@pytest.mark.parametrize(("name", "id"), [("layer.1.W", "bad-shape"), ("layer.1.V", "unknown-node")])
def test_an_edit_that_does_not_fit(xor, name, id):
    with pytest.raises(ExplorerError) as caught:
        xor().set({name: np.zeros((7, 7))})
    assert caught.value.id == id


def test_what_is_frozen_in_mid_run_leaves_a_gap(xor):
    first, second, third = xor(frozen=("layer.1",)), xor(), xor(frozen=("layer.1",))
    records = Records()
    for before, after in ((None, first), (first, second), (second, third)):
        if before is not None:
            after.go_on_from(before)
        for record in steps(after, 2):
            records = records.with_record(record)
    assert third.at == records.at == 6
    assert np.isnan(records.blocks["layer.1"]).tolist() == [True, True, False, False, True, True]
    assert not np.isnan(records.blocks["layer.2"]).any()


def test_adam_goes_on_remembering_under_another_rate(xor):
    whole, other = xor(), xor(rate=0.2)
    steps(whole, 3)
    other.go_on_from(whole)
    assert other.optimiser.rate == 0.2
    assert other.optimiser._moments.keys() == whole.optimiser._moments.keys()
    plain = xor(optimiser="SGD")
    plain.go_on_from(whole)
    assert type(plain.optimiser) is OPTIMISERS["SGD"]


# What goes wrong


def test_a_loss_that_is_infinite_at_once(xor):
    made = xor()
    trainer = Trainer(made.model, made._inputs, cases(np.zeros((4, 2)), np.full((4, 1), 1e200)), made.recipe)
    with refuses("not a finite number before the first step"):
        trainer.step()
    assert trainer.at == 0


@pytest.mark.parametrize("before", [0, 3])
def test_a_weight_that_is_no_number_is_named(xor, before):
    trainer = xor()
    for _ in range(before):
        trainer.step()
    trainer.set({"layer.2.b": np.array([np.nan])})
    with refuses(r"layer\.2\.b holds"):
        trainer.step()
    assert trainer.at == before


def test_the_last_good_weights_stay(xor):
    model, inputs = xor("ReLU").model, xor("ReLU")._inputs
    model = model.with_switch("layer.2", "activation", "identity")
    trainer = Trainer(model, inputs, OWN, Recipe(optimiser="SGD", rate=100.0, steps=1000))
    with refuses(r"After step \d+ the loss or a gradient is not a finite number"):
        run(trainer)
    kept, at = bits(trainer), trainer.at
    assert 0 < at < 1000
    assert all(np.isfinite(array).all() for array in trainer.weights.values())
    with refuses("finite"):
        trainer.step()
    assert (bits(trainer), trainer.at) == (kept, at)


def test_what_is_held_for_single_cases_is_refused_where_a_batch_has_others(xor):
    made, all_cases = xor(), cases(np.zeros((4, 2)), np.ones((4, 1)))
    pin = {"layer.1.hidden": Pin(np.eye(4, 3) > 0, np.ones((4, 3)))}
    whole = Trainer(made.model, made._inputs, all_cases, made.recipe, pin)
    assert whole.fingerprint != Trainer(made.model, made._inputs, all_cases, made.recipe).fingerprint
    for data, recipe in ((all_cases, replace(made.recipe, batch=2)), (all_cases.split(0.5, 1), made.recipe)):
        with refuses(r"layer\.1\.hidden is held at values for single cases"):
            Trainer(made.model, made._inputs, data, recipe, pin)
        Trainer(made.model, made._inputs, data, recipe, {"loss.value": Pin(np.array(True), np.array(0.0))})


def test_a_model_without_a_loss(xor):
    model = xor().model.with_switch("loss", "loss", "none")
    with pytest.raises(ExplorerError) as caught:
        Trainer(model, xor()._inputs, OWN, Recipe())
    assert caught.value.id == "no-loss-to-lower"


def test_a_right_word_far_behind_is_learned_in_float32(gpt):
    """The stable form of the loss: with its logit 200 behind the best the share is 0, and so is its log no more."""
    trainer = gpt(batch=0, validation=0.0)
    behind = trainer.weights["output.W"].copy()
    behind[:, 0] *= 4000
    trainer.set({"output.W": behind})
    assert trainer.step().loss > 88
    assert trainer.step().loss < np.inf
