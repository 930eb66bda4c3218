"""Each optimiser's first steps against its formulas, written out."""

import numpy as np
import pytest

from explorer.core.training.optimisers import OPTIMISERS, Adam, Momentum, Optimiser, RMSprop

WEIGHTS = {"w": np.array([1.0, -2.0])}
GRADIENTS = {"w": np.array([0.5, -4.0])}


def two_steps(optimiser):
    first = optimiser.step(WEIGHTS, GRADIENTS)
    return first["w"], optimiser.step(first, GRADIENTS)["w"]


def test_plain_descent_goes_against_the_gradient():
    first, second = two_steps(Optimiser(0.1))
    np.testing.assert_allclose(first, [0.95, -1.6])
    np.testing.assert_allclose(second, [0.9, -1.2])


def test_momentum_keeps_a_part_of_its_speed():
    first, second = two_steps(Momentum(0.1, keep=0.5))
    np.testing.assert_allclose(first, [0.95, -1.6])
    np.testing.assert_allclose(second, first + 1.5 * np.array([-0.05, 0.4]))


def test_rmsprop_divides_by_the_usual_size():
    first, _ = two_steps(RMSprop(0.1, keep=0.9))
    np.testing.assert_allclose(first, WEIGHTS["w"] - 0.1 * np.sign(GRADIENTS["w"]) / np.sqrt(0.1), rtol=1e-6)


def test_adams_steps_are_as_long_as_the_rate_while_the_gradient_stays():
    first, second = two_steps(Adam(0.1))
    np.testing.assert_allclose(first, [0.9, -1.9], rtol=1e-6)
    np.testing.assert_allclose(second, [0.8, -1.8], rtol=1e-6)


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_a_copy_remembers_what_the_optimiser_does_and_nothing_is_written_to(kind):
    optimiser = OPTIMISERS[kind](0.1)
    optimiser.step(WEIGHTS, GRADIENTS)
    copy = optimiser.copy()
    np.testing.assert_array_equal(optimiser.step(WEIGHTS, GRADIENTS)["w"], copy.step(WEIGHTS, GRADIENTS)["w"])
    np.testing.assert_array_equal(WEIGHTS["w"], [1.0, -2.0])
