"""Documents to edit."""

import numpy as np
import pytest

from explorer.core.model import Model
from explorer.document.document import Document
from explorer.document.state import State

MODELS = {
    "attention": Model(
        "attention",
        axes={"query": ("I", "see", "you"), "feature": ("f1", "f2"), "value feature": ("v1", "v2", "v3")},
        switches={"attention.nearest": True, "attention.mask": "hand"},
        seed=1,
    ),
    "encoder": Model(
        "encoder",
        lengths={"input": 3},
        axes={"input.words": ("a", "b", "c", "d", "e"), "d_model": ("likes", "has", "is", "rest")},
        switches={"encoder.1.self.mask": "related", "encoder.1.self.heads": 2},
        seed=5,
    ),
    "encoder-decoder": Model(
        "encoder-decoder",
        lengths={"source": 3, "target": 2},
        axes={"source.words": ("you", "are", "welcome", "<pad>"), "target.words": ("<start>", "de", "nada")},
        switches={"encoder.1.self.heads": 2, "decoder.1.cross.heads": 2, "encoder.1.ffn.d_ff": 6},
        seed=2,
    ),
    "gpt": Model(
        "gpt",
        lengths={"input": 3},
        axes={"input.words": ("a", "b", "c", "d", "e")},
        layers=2,
        switches={"decoder.1.self.heads": 2, "decoder.2.self.bias": True, "input.positions": "learned"},
        seed=3,
        dtype="float32",
    ),
    "mlp": Model(
        "mlp",
        axes={"input": ("case 1", "case 2"), "layer.0": ("x1", "x2"), "layer.1": ("h1", "h2", "h3"), "layer.2": ("y",)},
        layers=2,
        seed=4,
    ),
    "norm": Model("norm", axes={"input": ("case 1", "case 2"), "feature": ("x1", "x2")}, seed=6),
    "output": Model("output", axes={"input": ("first", "second"), "output.words": ("a", "b", "c")}, seed=7),
    "vectors": Model("vectors", axes={"feature": ("1", "2")}, seed=8),
}
TOKENS = {"source.tokens": [0, 1, 2], "target.tokens": [0, 1], "input.tokens": [4, 0, 2]}


def state_of(kind):
    model = MODELS[kind]
    tokens = {f"{sequence}.tokens": np.array(TOKENS[f"{sequence}.tokens"]) for sequence in model.lengths}
    return State.of(model, tokens)


@pytest.fixture(scope="session")
def states():
    """A first state of each kind of model; states never change."""
    return {kind: state_of(kind) for kind in MODELS}


@pytest.fixture
def values():
    """A function that gives the value of a node, or of a head's slice of one."""
    return lambda document, name: document.engine.value(document.engine.graph.place(name))


@pytest.fixture
def translator(states):
    """A document of an encoder-decoder: two heads in the encoder and in cross-attention, six hidden units."""
    return Document(states["encoder-decoder"])


@pytest.fixture
def gpt(states):
    """A document of a GPT of two layers in float32."""
    return Document(states["gpt"])


@pytest.fixture
def lesson(states):
    """A document of attention alone, with a mask drawn by hand."""
    return Document(states["attention"])


@pytest.fixture
def mlp(states):
    return Document(states["mlp"])
