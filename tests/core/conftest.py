"""Models that are computed without a document: starting values from the seed, or given ones."""

import re
from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
import ziamath

from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.core.model import SWITCHES, Model
from explorer.core.models import build
from tests.samples import long

EXAMPLES = {
    "attention": Model(
        "attention",
        axes={"query": ("I", "see", "you"), "feature": ("f1", "f2"), "value feature": ("v1", "v2", "v3")},
        switches={"attention.nearest": True},
        seed=1,
    ),
    "encoder": Model(
        "encoder",
        lengths={"input": 3},
        axes={"input.words": ("a", "b", "c"), "d_model": ("likes", "has", "is", "rest")},
        switches={"encoder.1.self.mask": "related", "encoder.1.self.heads": 2, "encoder.1.ffn.norm": "pre"},
        seed=5,
    ),
    "encoder-decoder": Model(
        "encoder-decoder",
        lengths={"source": 3, "target": 2},
        axes={
            "source.words": ("you", "are", "welcome", "<pad>"),
            "target.words": ("<start>", "de", "nada"),
            "output.words": ("<end>", "<start>", "nada", "de"),
        },
        switches={"encoder.1.self.heads": 2, "decoder.1.cross.heads": 2, "encoder.1.ffn.d_ff": 6},
        seed=2,
    ),
    "gpt": Model(
        "gpt",
        lengths={"input": 3},
        axes={"input.words": ("a", "b", "c", "d", "<end>")},
        layers=2,
        switches={
            "decoder.1.self.heads": 2,
            "decoder.1.self.window": 2,
            "decoder.2.self.bias": True,
            "input.positions": "learned",
            "loss.L_1": True,
        },
        seed=3,
    ),
    "mlp": Model(
        "mlp",
        axes={
            "input": ("case 1", "case 2", "case 3"),
            "layer.0": ("x1", "x2"),
            "layer.1": ("h1", "h2", "h3", "h4"),
            "layer.2": ("y1", "y2"),
        },
        layers=2,
        switches={"loss.loss": "mean squared error", "decision.threshold": 0.5},
        seed=4,
    ),
    "norm": Model("norm", axes={"input": ("case 1", "case 2", "case 3"), "feature": ("x1", "x2")}, seed=6),
    "output": Model("output", axes={"input": ("first", "second"), "output.words": ("a", "b", "c")}, seed=7),
    "vectors": Model("vectors", axes={"feature": tuple("123456")}, seed=8),
}


@pytest.fixture(scope="session", params=EXAMPLES)
def example(request):
    """A small model of each kind."""
    return EXAMPLES[request.param]


@cache
def typeset(latex):
    """Fails where a formula cannot be typeset."""
    assert latex.count("{") == latex.count("}"), latex
    assert "\\" not in ziamath.Latex(latex).mathmlstr(), f"ziamath does not know a command in {latex}"


def switched_models(model):
    """The model as it is and with each switch of its blocks at each of its values, by what was switched.

    Of blocks that do the same in several layers, one: the first, as a decoder stands alone in another model.
    """
    yield "nothing", model
    seen = set()
    for block, block_kind in model.blocks().items():
        for name, switch in SWITCHES[block_kind].items():
            key = block_kind, block.rpartition(".")[2], name
            if key in seen:
                continue
            seen.add(key)
            values = switch.choices or ((True, False) if isinstance(switch.default, bool) else (1, 2, 3, 0.5))
            for value in values:
                if switch.parse(value) is None or model.switch(block, name) == value:
                    continue
                changed = model.with_switch(block, name, value)
                try:
                    build(changed)
                except ExplorerError:  # sizes that do not fit
                    continue
                yield f"{block}.{name}={value}", changed


@cache
def all_switched(kind):
    return dict(switched_models(EXAMPLES[kind]))


def first_with_each_value(kind):
    """The switched models of a kind, without those values of a block that another kind has before it."""
    before = list(EXAMPLES)[: list(EXAMPLES).index(kind)]
    seen = {of_any_layer(said) for other in before for said in all_switched(other)} - {"nothing"}
    return {said: model for said, model in all_switched(kind).items() if of_any_layer(said) not in seen}


def of_any_layer(said):
    return re.sub(r"\.\d+\.", ".", said)


@pytest.fixture(scope="session", params=[*EXAMPLES, *(long(f"all of {kind}") for kind in EXAMPLES)])
def switched(request):
    """Small models of a kind, one switch set in each, by which: every value of every switch in one kind, or in all."""
    kind = request.param.removeprefix("all of ")
    return first_with_each_value(kind) if kind == request.param else all_switched(kind)


@pytest.fixture(scope="session")
def with_fitting_loss(switched):
    """The switched models with a loss that fits their output."""
    return {said: fitted(model) for said, model in switched.items()}


def assert_near(found, expected, rtol, atol, said=""):
    """As numpy's `assert_allclose`, which takes longer than all else where there is nothing to tell."""
    with np.errstate(invalid="ignore"):
        near = np.abs(np.subtract(found, expected)) <= atol + rtol * np.abs(expected)
    if np.shape(found) != np.shape(expected) or not near.all():
        np.testing.assert_allclose(found, expected, rtol, atol, err_msg=said)


@contextmanager
def about(said):
    """Says with what goes wrong which of many models it was."""
    try:
        yield
    except Exception as error:
        error.add_note(f"with {said}")
        raise


def fitted(model):
    """A model whose loss fits its output: cross-entropy needs probabilities."""
    if "identity" in model.switches.values() and "output" in model.blocks():
        model = model.with_switch("loss", "loss", "mean squared error")
    if model.kind == "mlp" and model.switch("loss", "loss") == "cross-entropy":
        model = model.with_switch("layer.2", "activation", "sigmoid")
    return model


@pytest.fixture(scope="session")
def examples():
    """The small models by their kind."""
    return EXAMPLES


def starting(model, given=None):
    """The graph of a model, and its starting values, with the given ones in their place."""
    graph = build(model)
    inputs = {}
    for name, node in graph.nodes.items():
        if node.is_input:
            inputs[name] = node.op.start(name, graph.shape(name), model.dtype, model.seed)
            # Word 0 everywhere would hide which row is looked up.
            if inputs[name].dtype.kind == "i":
                few = model.switch(name.partition(".")[0], "segments") == 1 if name.endswith("segments") else False
                inputs[name] += np.arange(inputs[name].size) % (1 if few else 2)
    for name, value in (given or {}).items():
        assert np.shape(value) == inputs[name].shape, name
        inputs[name] = np.asarray(value, inputs[name].dtype)
    return graph, inputs


@pytest.fixture(scope="session")
def compute():
    """A function that computes a model from its starting values, the given ones in their place."""
    return lambda model, given=None: fresh(*starting(model, given), {})
