"""The two steps that are compared do the same. Nothing here is timed."""

import numpy as np
import pytest

from benchmarks import training
from benchmarks.straight_training import loss_and_gradients
from explorer.core.gradients import Gradients


@pytest.fixture
def small():
    return training.both(layers=2, heads=2, d_model=8, tokens=5, words=11, batch=3)


def test_the_straight_line_finds_the_loss_and_all_gradients_of_the_graph(small):
    trainer, straight, tokens, target = small
    # Weights of which none is 0 or 1.
    random = np.random.default_rng(1)
    weights = {n: a + random.normal(0, 0.1, a.shape).astype(a.dtype) for n, a in straight.weights.items()}
    trainer.set(weights)
    values = trainer._forward(trainer.data.batch(0, 0, 0))
    expected = Gradients(trainer.graph, values, {}).several(trainer.moving)
    loss, gradients = loss_and_gradients(weights, 2, tokens, target)
    np.testing.assert_allclose(values["loss.value"], loss, rtol=1e-5)
    assert gradients.keys() == expected.keys()
    for name, gradient in gradients.items():
        assert gradient.dtype == np.float32
        np.testing.assert_allclose(gradient, expected[name], rtol=1e-3, atol=1e-6, err_msg=name)


def test_both_take_the_same_steps(small):
    trainer, straight, tokens, target = small
    losses = [(trainer.step().loss, straight.step(tokens, target)) for _ in range(5)]
    np.testing.assert_allclose(*zip(*losses, strict=True), rtol=1e-5)
    assert losses[-1][0] < losses[0][0]
    # But for the keys' biases, which softmax does not notice: Adam makes steps of what is only rounding there.
    for name in set(trainer.moving) - {"decoder.1.self.b_K", "decoder.2.self.b_K"}:
        np.testing.assert_allclose(straight.weights[name], trainer.weights[name], rtol=1e-3, atol=1e-4, err_msg=name)


def test_the_limit_is_what_is_asked_for():
    # 0.7 of PyTorch's 94 steps, where straight numpy takes 76.
    assert [figure.__name__ for figure in training.figures()] == ["steps"]
    assert training.BY_HAND / (training.SHARE * training.PYTORCH) == pytest.approx(1.155, abs=1e-3)
