"""Gradients of whole models against central differences, and their derivations: each kind, every value of a switch."""

import numpy as np
import pytest

from explorer.core.derivation import rows
from explorer.core.engine import Pin, check_cell, fresh
from explorer.core.gradients import Gradients
from explorer.core.graph import LOSS, OF_LOSS, Root
from tests.core.conftest import about, assert_near

CELLS = pytest.mark.parametrize("count", [4, pytest.param(40, marks=pytest.mark.long)])


@pytest.fixture(scope="module")
def engines(with_fitting_loss, compute):
    """Switched models with nothing special about their numbers."""
    return {said: varied(compute(model)) for said, model in with_fitting_loss.items()}


def varied(engine, pins=None):
    """The same model with its float inputs moved a little, and a few masks drawn."""
    random = np.random.default_rng(0)
    inputs = inputs_of(engine)
    for name, value in inputs.items():
        if name.endswith("mask"):
            inputs[name] = np.tril(value)
        elif value.dtype.kind == "f":
            inputs[name] = np.asarray(value + random.uniform(-0.3, 0.3, value.shape))
    return fresh(engine.graph, inputs, pins or {})


def inputs_of(engine):
    return {name: engine.values[name] for name, node in engine.graph.nodes.items() if node.is_input}


def roots(engine):
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
    for root in roots(engine):
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
        for root in roots(engine):
            for name, cell in sample(engine, count):
                with about(f"{said}: {root}: {name}{cell}"):
                    check = check_cell(engine, name, cell, h=1e-5, root=root)
                    assert_near(check.gradient, check.slope, 1e-6, 1e-9)


@CELLS
def test_the_derivation_of_a_gradient_adds_up_and_can_be_written(engines, count):
    for said, engine in engines.items():
        for root in roots(engine):
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
    engine = varied(engine, pins)
    for root in roots(engine):
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
