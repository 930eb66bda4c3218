"""Rotary positions: queries and keys turned, nothing added to the vectors."""

import numpy as np
import pytest


def rotary(model, sequences):
    for sequence in sequences:
        model = model.with_switch(sequence, "positions", "rotary")
    return model


@pytest.mark.parametrize(("kind", "sequences"), [("gpt", ["input"]), ("encoder", ["input"])])
def test_scores_are_of_turned_queries_and_keys(examples, compute, kind, sequences):
    engine = compute(rotary(examples[kind], sequences))
    assert "input.PE" not in engine.graph.nodes
    block = next(name.removesuffix(".Q") for name in engine.graph.nodes if name.endswith(".self.Q"))
    Q, K = engine.values[f"{block}.Q_rotated"], engine.values[f"{block}.K_rotated"]
    np.testing.assert_array_equal(engine.values[f"{block}.scores"], Q @ K.mT)
    np.testing.assert_array_equal(Q[:, 0], engine.values[f"{block}.Q"][:, 0])
    assert np.abs(Q[:, 1:] - engine.values[f"{block}.Q"][:, 1:]).max() > 1e-3


def test_only_attention_within_one_sentence_is_turned(examples, compute):
    nodes = compute(rotary(examples["encoder-decoder"], ["source", "target"])).graph.nodes
    turned = {name.removesuffix(".Q_rotated") for name in nodes if name.endswith("Q_rotated")}
    assert turned == {"encoder.1.self", "decoder.1.self"}
    nodes = compute(rotary(examples["encoder-decoder"], ["source"])).graph.nodes
    assert {name for name in nodes if name.endswith("_rotated")} == {
        "encoder.1.self.Q_rotated",
        "encoder.1.self.K_rotated",
    }
    assert {"target.PE", "source.PE"} & nodes.keys() == {"target.PE"}


def test_moving_all_words_on_leaves_the_scores_of_equal_words(examples, compute):
    # Without positions all rows of equal words are alike; turned, they differ by how far apart the words are.
    engine = compute(rotary(examples["gpt"], ["input"]), {"input.tokens": [1, 1, 1]})
    scores = engine.values["decoder.1.self.scores"]
    np.testing.assert_allclose(np.diagonal(scores, axis1=1, axis2=2), scores[:, :1, 0].repeat(3, axis=1))
    np.testing.assert_allclose(scores[:, 1, 0], scores[:, 2, 1])
    assert np.abs(scores[:, 1, 0] - scores[:, 2, 0]).max() > 1e-4
