from collections import Counter

import numpy as np
import pytest
from refusals import refuses

from explorer.core.cell import operands
from explorer.core.engine import Pin, fresh, same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.gradients import Gradients, planned, walk
from explorer.core.graph import LOSS, GraphBuilder, Place, Root
from explorer.core.model import Model
from explorer.core.ops import Add, Argmax, CrossEntropy, Input, MatMul, ReLU, Sigmoid, Softmax
from tests.core.conftest import about

inf, nan = np.inf, np.nan
ran = Counter()


class Counting(ReLU):
    """One that counts how often it is asked for its rule."""

    def backward(self, gradient, value, *parents):
        ran[value.shape] += 1
        return super().backward(gradient, value, *parents)


def net(activation=None, output=None, product=None):
    """x W → hidden → activation → logits (+ hidden) → P → loss; P → chosen."""
    g = GraphBuilder()
    n, d, words = g.axis("n", 2), g.axis("d", 3), g.axis("words", 3)
    g.stage("net", "layer", "Net", "Net")
    g.add("x", Input(), axes=(n, d))
    g.add("W", Input(), axes=(d, words))
    g.add("aside", ReLU(), "x", axes=(n, d))
    g.add("hidden", product or MatMul(), "x", "W", axes=(n, words))
    g.add("activation", activation or ReLU(), "hidden", axes=(n, words))
    g.add("logits", Add(), "activation", "hidden", axes=(n, words))
    g.add("P", output or Softmax(), "logits", axes=(n, words))
    g.add("chosen", Argmax(), "P", axes=(n,))
    g.add("loss.target", Input("ids"), axes=(n,))
    g.add("loss.value", CrossEntropy(), "P", "loss.target", axes=())
    return g.build()


INPUTS = {
    "x": np.array([[1.0, -2.0, 0.5], [0.5, 1.0, -1.0]]),
    "W": np.array([[0.1, 0.2, 0.3], [-0.4, 0.5, 0.6], [0.7, -0.8, 0.9]]),
    "loss.target": np.array([0, 2]),
}


@pytest.fixture
def engine():
    return fresh(net(), INPUTS, {})


def grad(engine, name, root=None):
    return engine.gradient(Place(name)) if root is None else engine.gradient(Place(name), root)


def edit(engine, pins=None, **inputs):
    all_inputs = {name: engine.values[name] for name in INPUTS} | inputs
    engine.update(engine.graph, all_inputs, engine.pins if pins is None else pins)


def pin(shape, *cells, value=0.5):
    held = np.zeros(shape, bool)
    for cell in cells:
        held[cell] = True
    return Pin(held, np.full(shape, value))


def test_a_gradient_by_hand(engine):
    # Softmax and cross-entropy over two positions: (P − y) / 2; logits are hidden + ReLU(hidden).
    P, x, hidden = engine.values["P"], INPUTS["x"], engine.values["hidden"]
    of_logits = (P - np.eye(3)[[0, 2]]) / 2
    of_hidden = of_logits * (1 + (hidden > 0))
    np.testing.assert_allclose(grad(engine, "logits"), of_logits, rtol=1e-14)
    np.testing.assert_allclose(grad(engine, "hidden"), of_hidden, rtol=1e-14)
    np.testing.assert_allclose(grad(engine, "W"), x.T @ of_hidden, rtol=1e-14)
    np.testing.assert_allclose(grad(engine, "x"), of_hidden @ INPUTS["W"].T, rtol=1e-14)
    assert grad(engine, "loss.value") == 1


def test_what_the_loss_does_not_depend_on_has_gradient_0_and_whole_numbers_have_none(engine):
    np.testing.assert_array_equal(grad(engine, "aside"), np.zeros((2, 3)))
    assert grad(engine, "chosen") is None
    assert grad(engine, "loss.target") is None


def test_several_are_found_in_one_walk_and_whole_numbers_left_out(engine):
    found = engine.gradients().several(["x", "W", "loss.target"])
    assert found.keys() == {"x", "W"}
    np.testing.assert_array_equal(found["W"], grad(fresh(net(), INPUTS, {}), "W"))


def test_the_gradient_of_probabilities_is_computed_only_where_somebody_asks(engine):
    gradients = engine.gradients()
    gradients.of("W")
    assert "P" not in gradients._found
    expected = np.zeros((2, 3))
    expected[[0, 1], [0, 2]] = -1 / (2 * engine.values["P"][[0, 1], [0, 2]])
    np.testing.assert_allclose(gradients.of("P"), expected)


# What is computed, and when


def test_only_what_is_needed_is_computed_and_each_rule_runs_once():
    ran.clear()
    engine = fresh(net(Counting()), INPUTS, {})
    grad(engine, "logits")
    assert not ran
    first = grad(engine, "hidden")
    grad(engine, "W")
    grad(engine, "x")
    assert sum(ran.values()) == 1
    assert grad(engine, "hidden") is first


class Telling(MatMul):
    """One that tells what it is asked for."""

    def backward_to(self, wanted, *arrays):
        asked.append(list(wanted))
        return super().backward_to(wanted, *arrays)


asked = []


def test_no_product_is_made_for_a_parent_that_nobody_asks_about():
    asked.clear()
    graph = net(product=Telling())
    engine = fresh(graph, INPUTS, {})
    alone = grad(engine, "W")
    assert asked == [[False, True]]
    of_x = grad(engine, "x")
    assert asked == [[False, True], [True, False]]
    together = fresh(graph, INPUTS, {}).gradients().several(["x", "W"])
    assert asked[2:] == [[True, True]]
    assert (together["x"].tobytes(), together["W"].tobytes()) == (of_x.tobytes(), alone.tobytes())


def test_gradients_are_kept_until_values_change(engine):
    first = grad(engine, "W")
    edit(engine, W=INPUTS["W"] + 1)
    second = grad(engine, "W")
    assert (first != second).any()
    edit(engine, W=INPUTS["W"])
    np.testing.assert_array_equal(grad(engine, "W"), first)


def test_a_pin_at_the_computed_value_changes_gradients_but_no_value(engine):
    before = grad(engine, "W")
    hidden = engine.values["hidden"]
    edit(engine, {"hidden": Pin(np.array([[True, False, False], [False] * 3]), hidden)})
    assert engine.values["hidden"] is hidden
    after = grad(engine, "W")
    assert (after[:, 0] != before[:, 0]).all()
    np.testing.assert_array_equal(after[:, 1:], before[:, 1:])


def test_asking_writes_into_no_array(engine):
    copies = {name: value.copy() for name, value in engine.values.items()}
    found = {name: None if g is None else g.copy() for name in engine.values for g in [grad(engine, name)]}
    for name, value in engine.values.items():
        np.testing.assert_array_equal(value, copies[name])
        for cell in np.ndindex(value.shape):
            if found[name] is not None:
                engine.explain_gradient(name, cell)
        np.testing.assert_array_equal(grad(engine, name), found[name])


# Pins


def test_nothing_flows_above_a_pinned_cell_which_has_a_gradient_itself(engine):
    edit(engine, {"hidden": pin((2, 3), (0, 0), (0, 1), (0, 2))})
    assert (grad(engine, "hidden")[0] != 0).all()
    np.testing.assert_array_equal(grad(engine, "x")[0], [0, 0, 0])
    assert (grad(engine, "x")[1] != 0).all()
    edit(engine, {"hidden": pin((2, 3), *np.ndindex(2, 3))})
    assert not grad(engine, "W").any()
    edit(engine, {})
    assert grad(engine, "W").all()


def test_a_pinned_share_leaves_the_slopes_of_the_others_as_they_are_computed(engine):
    # dP[0,1]/dlogits[0,0] = −p₁ p₀ with the p₀ that softmax computes, not the pinned one.
    p = engine.values["P"][0].copy()
    edit(engine, {"P": pin((2, 3), (0, 0), value=0.9)})
    found = grad(engine, "logits", Root("P", (0, 1)))
    np.testing.assert_allclose(found[0], [-p[1] * p[0], p[1] * (1 - p[1]), -p[1] * p[2]], rtol=1e-14)


def test_an_infinite_gradient_stops_at_a_pin(engine):
    # The pinned probability of 0 makes the loss infinite, and its gradient; what stands above does not notice.
    edit(engine, {"P": pin((2, 3), (0, 0), value=0)})
    assert engine.values["loss.value"] == inf
    assert grad(engine, "P")[0, 0] == -inf
    np.testing.assert_array_equal(grad(engine, "logits")[0], [0, 0, 0])
    assert np.isfinite(grad(engine, "W")).all()
    assert engine.explain_gradient("logits", (0, 1)).value == 0


def test_a_pinned_root_depends_on_nothing(engine):
    edit(engine, {"loss.value": pin((), ())})
    assert grad(engine, "loss.value") == 1
    assert not grad(engine, "W").any()
    assert engine.explain_gradient("W", (0, 0)).value == 0


# Certainty: probabilities rounded to 0


def test_softmax_and_cross_entropy_together_stay_finite_where_a_probability_is_0(engine):
    edit(engine, W=INPUTS["W"] * -1e5)
    P = engine.values["P"]
    assert P[0, 0] == 0
    assert grad(engine, "P")[0, 0] == -inf
    np.testing.assert_array_equal(grad(engine, "logits"), (P - np.eye(3)[[0, 2]]) / 2)
    for cell in np.ndindex(2, 3):
        assert engine.explain_gradient("logits", cell).value == grad(engine, "logits")[cell]


@pytest.mark.parametrize("output", [ReLU(), Sigmoid()], ids=["ReLU", "sigmoid"])
def test_an_infinite_gradient_does_not_pass_a_slope_of_0(output):
    engine = fresh(net(output=output), {**INPUTS, "W": np.full((3, 3), -1e5)}, {})
    of_P, of_logits = grad(engine, "P"), grad(engine, "logits")
    closed = engine.values["P"] == 0
    assert closed.any()
    assert (of_P[closed & (np.eye(3)[[0, 2]] == 1)] == -inf).all()
    assert (of_logits[closed] == 0).all()
    assert np.isfinite(grad(engine, "W")).all()
    for cell in np.ndindex(2, 3):
        assert engine.explain_gradient("logits", cell).value == of_logits[cell]


@pytest.mark.parametrize("typed", [nan, inf, -inf, 1e308])
def test_whatever_is_typed_has_gradients_and_derivations_and_warns_nobody(engine, typed):
    edit(engine, x=np.array([[typed, 1.0, 1.0], [0.5, 1.0, -1.0]]))
    for name, value in engine.values.items():
        if value.dtype.kind == "f":
            assert grad(engine, name).shape == value.shape
            for cell in np.ndindex(value.shape):
                engine.explain_gradient(name, cell)


# Another root


def test_any_cell_of_any_node_may_be_the_root(engine):
    root = Root("hidden", (1, 2))
    np.testing.assert_array_equal(grad(engine, "hidden", root), [[0, 0, 0], [0, 0, 1]])
    np.testing.assert_array_equal(grad(engine, "x", root), [[0, 0, 0], INPUTS["W"][:, 2]])
    assert not grad(engine, "logits", root).any()  # below it
    assert engine.explain_gradient("hidden", (1, 2), root).value == 1
    assert engine.explain_gradient("hidden", (0, 2), root).value == 0
    assert grad(engine, "hidden")[1, 2] != 1


@pytest.mark.parametrize(
    ("root", "id"),
    [
        (Root("loss.vale"), "unknown-node"),
        (Root("hidden"), "bad-cell"),
        (Root("hidden", (0, 3)), "bad-cell"),
        (Root("hidden", (-1, 0)), "bad-cell"),
        (Root("loss.value", (0,)), "bad-cell"),
        (Root("chosen", (0,)), "no-gradient"),
    ],
)
def test_a_root_that_is_none_is_named(engine, root, id):
    with pytest.raises(ExplorerError) as caught:
        grad(engine, "W", root)
    assert caught.value.id == id


def test_a_model_without_a_loss_says_so(compute, examples):
    engine = compute(examples["attention"])
    with refuses("has no loss") as caught:
        engine.gradient(Place("Q"))
    assert caught.value.id == "no-loss"
    assert grad(engine, "Q", Root("output", (0, 0))).any()


def test_whole_numbers_have_no_derivation(engine):
    with refuses("'chosen' holds whole numbers") as caught:
        engine.explain_gradient("chosen", (0,))
    assert caught.value.id == "no-gradient"


# Derivations


def test_a_derivation_has_a_term_for_each_child_with_the_childs_gradient(engine):
    last = engine.explain_gradient("hidden", (0, 1))
    assert last.label == "sum over what it goes into"
    assert [term.label for term in last.arguments] == ["through activation", "through logits"]
    gradients = [operand for operand in operands(last) if operand.of == "gradient"]
    assert [(operand.node, operand.index) for operand in gradients] == [("activation", (0, 1)), ("logits", (0, 1))]
    assert all(operand.value == grad(engine, operand.node)[0, 1] for operand in gradients)


def test_a_weight_meets_the_numbers_it_is_multiplied_with(engine):
    last = engine.explain_gradient("W", (1, 2))
    gradient, numbers = operands(last)
    assert (gradient.node, gradient.index, gradient.of) == ("hidden", (slice(None), 2), "gradient")
    assert (numbers.node, numbers.index, numbers.of) == ("x", (slice(None), 1), "value")


def test_pinned_cells_are_left_out_of_a_derivation(engine):
    edit(engine, {"hidden": pin((2, 3), (0, 2))})
    (gradient, number) = operands(engine.explain_gradient("W", (1, 2)))
    assert (gradient.node, gradient.index) == ("hidden", (1, 2))
    assert (number.node, number.index, number.value) == ("x", (1, 1), 1.0)


def test_a_node_read_by_several_heads_adds_them_up_by_name(compute):
    model = Model("gpt", {"input": 2}, {"input.words": ("a", "b")}, switches={"decoder.1.self.heads": 2})
    engine = compute(model)
    last = engine.explain_gradient("input.H", (0, 1))
    through_Q = next(term for term in last.arguments if term.label == "through decoder.1.self.Q")
    assert [line.label for line in through_Q.arguments] == ["head 1, together", "head 2, together"]


def test_a_heads_slice_is_a_part_of_the_gradient(compute, examples):
    engine = compute(examples["encoder-decoder"])
    whole = grad(engine, "encoder.1.self.W_Q")
    for head in range(2):
        place = engine.graph.place(f"encoder.1.self.head.{head + 1}.W_Q")
        np.testing.assert_array_equal(engine.gradient(place), whole[head])
    assert engine.gradient(engine.graph.place("source.tokens")) is None


def test_gradients_that_come_with_the_values_are_those_that_are_asked_for_later(engine):
    pins = {"activation": pin((2, 3), (0, 1))}
    later = fresh(net(), INPUTS, pins)
    assert not later.has_gradients
    computed = engine.begin(engine.graph, INPUTS, pins).compute().with_gradients()
    engine.publish(computed)
    assert engine.has_gradients
    for name, node in later.graph.nodes.items():
        ours, asked = grad(engine, name), grad(later, name)
        assert (ours is None) == (asked is None), node
        assert ours is None or ours.tobytes() == asked.tobytes()
    edit(engine, x=INPUTS["x"] + 1)
    assert not engine.has_gradients


def test_gradients_on_the_way_can_be_stopped(engine):
    def between():
        raise InterruptedError

    computed = engine.begin(engine.graph, INPUTS, {}).compute()
    with pytest.raises(InterruptedError):
        computed.with_gradients(between)


def weights_of(engine):
    return [name for name in engine.graph.inputs_of(LOSS) if engine.values[name].dtype.kind == "f"]


def walked(graph, values, names, held, way):
    found = {LOSS: np.ones_like(values[LOSS])}
    passed = {}
    walk(graph, values, held, way, found, passed, keep=names)
    assert not passed
    assert found.keys() <= {*names, LOSS}
    return found


def check(engine, names, held):
    way = planned(engine.graph, names, held, LOSS, {LOSS}, ())
    found = walked(engine.graph, engine.values, names, held, way)
    one_by_one = Gradients(engine.graph, engine.values, held)
    together = Gradients(engine.graph, engine.values, held).several(names)
    for name in names:
        assert same_bytes(found[name], together[name]), name
        assert same_bytes(found[name], one_by_one.of(name)), name


def test_the_gradients_of_all_weights_are_the_same_bits(switched, compute):
    for said, model in switched.items():
        with np.errstate(all="ignore"), about(said):  # logits that are taken for probabilities
            engine = compute(model)
            if LOSS in engine.values:
                check(engine, weights_of(engine), {})


@pytest.mark.parametrize("kind", ["gpt", "encoder-decoder", "output", "mlp"])
def test_pins_stop_them_and_nodes_on_the_way_may_be_asked_for_too(examples, compute, kind):
    engine = compute(examples[kind])
    random = np.random.default_rng(0)
    pins = {
        name: Pin(random.random(engine.values[name].shape) < 0.5, engine.values[name] + 0.1)
        for name in engine.graph.ancestors(LOSS)
        if engine.graph.nodes[name].parents and engine.values[name].dtype.kind == "f" and random.random() < 0.4
    }
    assert pins
    inputs = {name: engine.values[name] for name, node in engine.graph.nodes.items() if node.is_input}
    engine = fresh(engine.graph, inputs, pins)
    held = {name: pin.cells for name, pin in pins.items()}
    above = [name for name in engine.graph.ancestors(LOSS) if engine.values[name].dtype.kind == "f"]
    check(engine, weights_of(engine), held)
    check(engine, above, held)


def test_one_way_is_taken_for_many_values_and_leaves_them_alone(examples, compute):
    model = examples["gpt"]
    engine = compute(model)
    names = weights_of(engine)
    way = planned(engine.graph, names, {}, LOSS, {LOSS}, ())
    for scale in (1, 2):
        inputs = {n: engine.values[n] for n, node in engine.graph.nodes.items() if node.is_input}
        moved = fresh(engine.graph, {**inputs, **{n: inputs[n] * scale for n in names}}, {})
        before = {name: value.tobytes() for name, value in moved.values.items()}
        found = walked(engine.graph, moved.values, names, {}, way)
        assert {name: value.tobytes() for name, value in moved.values.items()} == before
        assert all(same_bytes(found[name], moved.gradients().of(name)) for name in names)
