"""A walk that frees what it no longer needs finds, bit for bit, what is found when each node is asked for by itself."""

import numpy as np
import pytest

from explorer.core.engine import Pin, fresh, same_bytes
from explorer.core.gradients import Gradients, planned, walk
from explorer.core.graph import LOSS
from tests.core.conftest import about


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
