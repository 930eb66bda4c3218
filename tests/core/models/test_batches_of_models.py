"""A model over a batch is the model over each example, and its weights' gradients add up: each kind, every switch."""

import numpy as np
import pytest

from explorer.core.engine import fresh
from explorer.core.graph import LOSS, OF_LOSS, Root
from explorer.core.models import build
from explorer.core.ops import CrossEntropy
from tests.core.conftest import about, assert_near

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
