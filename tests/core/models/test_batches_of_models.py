import numpy as np
import pytest

from explorer.core.derivation import rows
from explorer.core.engine import Pin, check_cell, fresh
from explorer.core.gradients import Gradients
from explorer.core.graph import LOSS, OF_LOSS, Root
from explorer.core.models import build
from explorer.core.ops import CrossEntropy
from tests.core.conftest import about, assert_near, starting

BATCH = 2
GIVEN = ("tokens", "kept", "Q", "K", "V", "X", "x", "y", "logits")
"""Short names of the inputs that an example sets; "loss.target" is another. All others are shared."""


@pytest.fixture(scope="module")
def batches(with_fitting_loss):
    """For each switched model a batch in an engine, and an engine for each of its examples."""
    return {said: batch_of(model) for said, model in with_fitting_loss.items()}


def batch_of(model):
    graph = build(model)
    random, together = np.random.default_rng(0), {}
    for name, node in graph.nodes.items():
        if not node.is_input:
            continue
        shape = graph.shape(name)
        lead = (BATCH,) if node.short in GIVEN or name == "loss.target" else ()
        if node.op.initial == "ids":
            block = name.rpartition(".")[0]
            segments = graph.axes.get(f"{block}.segment") if node.short == "segments" else None
            words = (
                segments or graph.axes.get(f"{block}.words") or graph.axes.get("output.words") or graph.axes["layer.2"]
            )
            together[name] = random.integers(0, len(words), (*lead, *shape))
        elif name.endswith("mask"):
            together[name] = np.tril(np.ones(shape))
        else:
            together[name] = np.asarray(
                random.uniform(0.2, 1, (*lead, *shape)) * random.choice([-1, 1], (*lead, *shape))
            )
    alone = [
        {name: array if array.ndim == len(graph.shape(name)) else array[b] for name, array in together.items()}
        for b in range(BATCH)
    ]
    return fresh(graph, together, {}), [fresh(graph, inputs, {}) for inputs in alone]


def shares(whole, parts):
    """How much each example counts in the loss: as much as any other, or as it has words that are counted."""
    op = whole.graph.nodes[LOSS].op
    if not isinstance(op, CrossEntropy):
        return [1 / BATCH] * BATCH
    target = whole.graph.nodes[LOSS].parents[1]
    counts = [np.count_nonzero(one.values[target] != op.pad) for one in parts]
    return [count / max(sum(counts), 1) for count in counts]


def test_each_example_of_a_batch_is_computed_as_if_it_were_alone(batches):
    for said, (whole, parts) in batches.items():
        with about(said):
            assert_values_of_each(whole, parts)


def assert_values_of_each(whole, parts):
    for name, value in whole.values.items():
        if not value.shape and whole.graph.nodes[name].parents:
            continue  # one number of all examples: below
        alone = np.stack([one.values[name] for one in parts])
        together = np.broadcast_to(value, alone.shape)  # or the whole, where all share it
        assert_near(together, alone, 1e-10, 1e-12, name)
    if LOSS in whole.values:
        losses = [share * one.values[LOSS] for share, one in zip(shares(whole, parts), parts, strict=True)]
        np.testing.assert_allclose(whole.values[LOSS], sum(losses), rtol=1e-12)
    if "loss.L_1" in whole.values:
        np.testing.assert_allclose(whole.values["loss.L_1"], sum(one.values["loss.L_1"] for one in parts), rtol=1e-12)


def test_gradients_of_what_all_share_are_the_sum_over_the_examples(batches):
    for said, (whole, parts) in batches.items():
        with about(said):
            assert_sum_of_gradients(whole, parts)


def assert_sum_of_gradients(whole, parts):
    inputs = [n for n, node in whole.graph.nodes.items() if node.is_input and whole.values[n].dtype.kind == "f"]
    for root, factors in roots(whole, parts):
        found = whole.gradients(root).several(inputs)
        own = Root(root.node, root.cell[-len(whole.graph.shape(root.node)) :] if root.cell else ())
        each = [one.gradients(own).several(inputs) for one in parts]
        for name in inputs:
            weighted = [factor * gradients[name] for factor, gradients in zip(factors, each, strict=True)]
            if found[name].ndim > weighted[0].ndim:
                assert_near(found[name], np.array(weighted), 1e-9, 1e-12, f"{root}: {name}")
            else:
                assert_near(found[name], sum(weighted), 1e-9, 1e-12, f"{root}: {name}")


def roots(whole, parts):
    """The loss, or else a cell of one example in each node that feeds no other, with what each example counts."""
    if LOSS in whole.values:
        return [(OF_LOSS, shares(whole, parts))]
    graph, found = whole.graph, []
    for name, node in graph.nodes.items():
        # How evenly experts are used is a product of means over all words: no sum over the examples.
        if node.short == "balance":
            continue
        if node.parents and not graph.children[name] and whole.values[name].dtype.kind == "f":
            value = whole.values[name]
            has_batch = value.ndim > len(graph.shape(name))
            factors = [float(b == BATCH - 1) for b in range(BATCH)]
            found.append(
                (
                    Root(name, tuple(size - 1 for size in value.shape)),
                    factors if has_batch else [1.0] + [0.0] * (BATCH - 1),
                )
            )
    return found


def test_alternatives_in_one_pass_are_what_each_gives_alone(batches):
    """Two and three: a model with two heads, or three words, must not take an alternative for one of these."""
    random = np.random.default_rng(1)
    for said, (_, (engine, *_)) in batches.items():
        nodes = engine.graph.nodes
        inputs = [n for n, node in nodes.items() if node.is_input and engine.values[n].dtype.kind == "f"]
        ends = [n for n, node in nodes.items() if node.parents and not engine.graph.children[n]]
        for count in (2, 3):
            varied = [inputs[k] for k in random.permutation(len(inputs))[:2]]
            given = [{n: engine.values[n] + random.normal(0, 0.1, engine.values[n].shape) for n in varied}] * count
            given = [{n: array + 0.1 * k for n, array in one.items()} for k, one in enumerate(given)]
            with about(f"{said}, {varied}"):
                for end in ends:
                    alone = np.stack([engine.what_if(one, end) for one in given])
                    assert_near(engine.what_ifs(given, end), alone, 1e-10, 1e-12, end)


CELLS = pytest.mark.parametrize("count", [2, pytest.param(40, marks=pytest.mark.long)])


@pytest.fixture(scope="module")
def engines(with_fitting_loss):
    """Switched models with nothing special about their numbers."""
    return {said: varied(*starting(model)) for said, model in with_fitting_loss.items()}


def varied(graph, inputs, pins=None):
    """A model with its float inputs moved a little, and a few masks drawn."""
    random = np.random.default_rng(0)
    for name, value in inputs.items():
        if name.endswith("mask"):
            inputs[name] = np.tril(value)
        elif value.dtype.kind == "f":
            inputs[name] = np.asarray(value + random.uniform(-0.3, 0.3, value.shape))
    return fresh(graph, inputs, pins or {})


def inputs_of(engine):
    return {name: engine.values[name] for name, node in engine.graph.nodes.items() if node.is_input}


def roots_of(engine):
    """The loss, or else a cell of each node of numbers that no other such node is computed from."""
    if LOSS in engine.values:
        return [OF_LOSS]
    numbers = [name for name, value in engine.values.items() if value.dtype.kind == "f"]
    children = engine.graph.children
    last = [n for n in numbers if children[n] == () or not set(numbers).intersection(children[n])]
    return [Root(n, tuple(size - 1 for size in engine.values[n].shape)) for n in last if engine.graph.nodes[n].parents]


def smooth(engines):
    """All but weights in few bits: their gradient goes straight through the rounding, whose own slope is 0."""
    return ((said, engine) for said, engine in engines.items() if "quantised" not in said)


def test_along_any_direction_the_loss_changes_as_the_gradients_say(engines):
    for said, engine in smooth(engines):
        with about(said):
            assert_slope_along_a_direction(engine)


def assert_slope_along_a_direction(engine):
    # One number that all gradients of all inputs go into.
    random = np.random.default_rng(1)
    inputs = inputs_of(engine)
    # A mask is no quantity: what is not 0 lets through.
    numbers = {name: value for name, value in inputs.items() if value.dtype.kind == "f" and not name.endswith("mask")}
    ways = {name: random.uniform(-1, 1, value.shape) for name, value in numbers.items()}
    for root in roots_of(engine):
        gradients = Gradients(engine.graph, engine.values, {}, root).several(ways)  # the engine's are asked one by one
        expected = sum(np.sum(gradients[name] * way) for name, way in ways.items())
        h, results = 1e-5, []
        for step in (h, -h):
            moved = {**inputs, **{name: np.asarray(value + step * ways[name]) for name, value in numbers.items()}}
            results.append(fresh(engine.graph, moved, {}).values[root.node][root.cell])
        slope = (results[0] - results[1]) / (2 * h)
        assert np.isfinite(slope)
        np.testing.assert_allclose(expected, slope, rtol=1e-6, atol=1e-7, err_msg=str(root))


@CELLS
def test_cells_of_any_node_change_the_loss_as_their_gradient_says(engines, count):
    for said, engine in smooth(engines):
        for root in roots_of(engine):
            for name, cell in sample(engine, count):
                if name.endswith("routed") and engine.values[name][cell] == 0 and root.node.endswith("balance"):
                    continue  # an expert that is not chosen: any share above 0 counts as chosen, so the count jumps
                with about(f"{said}: {root}: {name}{cell}"):
                    check = check_cell(engine, name, cell, h=1e-5, root=root)
                    assert_near(check.gradient, check.slope, 1e-6, 1e-9)


@CELLS
def test_the_derivation_of_a_gradient_adds_up_and_can_be_written(engines, count):
    for said, engine in engines.items():
        for root in roots_of(engine):
            for name, cell in sample(engine, count):
                with about(said):
                    assert_adds_up(engine, name, cell, root)


@pytest.mark.parametrize("held", [0.2, 1.0])
def test_with_pins_gradients_are_still_the_slopes_and_their_derivations_add_up(example, compute, held):
    engine = compute(example)
    random = np.random.default_rng(2)
    pins = {}
    for name, node in engine.graph.nodes.items():
        value = engine.values[name]
        if not node.is_input and value.dtype.kind == "f" and value.shape and random.random() < 0.3:
            cells = random.random(value.shape) < held
            pins[name] = Pin(cells, value + random.uniform(0.01, 0.1, value.shape))
    assert pins
    engine = varied(engine.graph, inputs_of(engine), pins)
    for root in roots_of(engine):
        for name, cell in sample(engine, 20):
            check = check_cell(engine, name, cell, h=1e-5, root=root)
            np.testing.assert_allclose(check.gradient, check.slope, rtol=1e-6, atol=1e-9, err_msg=f"{name}{cell}")
            assert_adds_up(engine, name, cell, root)


def sample(engine, count):
    """Some cells of nodes of numbers, inputs and computed ones."""
    random = np.random.default_rng(3)
    numbers = [name for name, value in engine.values.items() if value.dtype.kind == "f" and "mask" not in name]
    for i in random.integers(0, len(numbers), count):
        yield numbers[i], tuple(int(random.integers(0, size)) for size in engine.values[numbers[i]].shape)


def assert_adds_up(engine, name, cell, root=OF_LOSS):
    last = engine.explain_gradient(name, cell, root)
    expected = engine.gradients(root).of(name)[cell]
    np.testing.assert_allclose(last.value, expected, rtol=1e-10, atol=1e-13, err_msg=f"{root}: {name}{cell}")
    written = rows(last, lambda node, axis: engine.labels(engine.graph.nodes[node].axes[axis]))
    assert written[-1].kind == "result"
