"""Small runs: a net on XOR, and a GPT on a few words."""

import numpy as np
import pytest

from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.training.data import cases, vocabulary, windows
from explorer.core.training.recipe import Recipe
from explorer.core.training.trainer import Trainer
from explorer.core.vocabulary import token_ids

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
Y = np.array([[0.0], [1.0], [1.0], [0.0]])
TEXT = [*["roses", "are", "red", "violets", "are", "blue", "sugar", "is", "sweet", "and", "so", "are", "you"]] * 3


def started(model):
    """Values of all inputs as their nodes say."""
    graph = build(model)
    return {
        name: node.op.start(name, graph.shape(name), model.dtype, model.seed, model.initialiser)
        for name, node in graph.nodes.items()
        if node.is_input
    }


@pytest.fixture(scope="session")
def xor():
    """A function that makes a trainer of a net with three hidden units."""

    def xor(activation="sigmoid", **settings):
        switches = {"loss.loss": "mean squared error"}
        switches |= {"layer.1.activation": activation, "layer.2.activation": "sigmoid"}
        axes = {"input": ("1", "2", "3", "4"), "layer.0": ("x_1", "x_2"), "layer.1": tuple("abc"), "layer.2": ("y",)}
        model = Model("mlp", axes=axes, layers=2, switches=switches)
        recipe = Recipe(**{"rate": 0.1, "batch": 0, "steps": 400, "initialiser": "xavier", "seed": 1} | settings)
        data = cases(X, Y).split(recipe.validation, recipe.seed)
        return Trainer(model, started(model), data, recipe)

    return xor


@pytest.fixture(scope="session")
def gpt():
    """A function that makes a trainer of a GPT in float32."""

    def gpt(**settings):
        recipe = Recipe(**{"rate": 0.01, "batch": 4, "steps": 12, "validation": 0.2, "validate_every": 5} | settings)
        words = vocabulary(TEXT, 50)
        data = windows(token_ids(TEXT, words), 4, recipe.validation, recipe.seed)
        switches = {"input.lookup": "index", "decoder.1.self.heads": 2, "input.positions": "learned"}
        model = Model(
            "gpt", lengths=data.lengths, axes={"input.words": words}, d_model=8, switches=switches, dtype="float32"
        )
        return Trainer(model, started(model), data, recipe)

    return gpt
