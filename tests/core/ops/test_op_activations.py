from math import erf, sqrt

import numpy as np
import pytest

from explorer.core.ops import GELU, Argmax, Identity, ReLU, Sigmoid, Threshold

X = np.array([[-3.0, -1.0, -0.1, 0.0, 0.1, 1.0, 3.0]])


def test_exact_gelu_against_math_erf():
    expected = [x * 0.5 * (1 + erf(x / sqrt(2))) for x in X[0]]
    np.testing.assert_allclose(GELU().forward(X)[0], expected, rtol=1e-12)


def test_gelu_of_known_points():
    # Φ(1) = 0.8413447460685429, and GELU(−x) = GELU(x) − x.
    np.testing.assert_allclose(GELU().forward(np.array([[1.0, -1.0]])), [[0.8413447460685429, -0.1586552539314571]])


def test_tanh_gelu_is_near_the_exact_one_but_not_it():
    apart = np.abs(GELU(tanh=True).forward(X) - GELU().forward(X))
    assert 1e-5 < apart.max() < 1e-3


@pytest.mark.parametrize("op", [GELU(), GELU(tanh=True)])
def test_gelu_lets_large_numbers_through_and_stops_large_negative_ones(op):
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(op.forward(np.array([[1e308, -1e308]])), [[1e308, 0]])


def test_relu_and_identity():
    np.testing.assert_array_equal(ReLU().forward(X), np.where(X > 0, X, 0))
    np.testing.assert_array_equal(Identity().forward(X), X)


def test_sigmoid_is_symmetric_and_saturates():
    y = Sigmoid().forward(X)
    np.testing.assert_allclose(y + Sigmoid().forward(-X), 1)
    assert y[0, 3] == 0.5
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(Sigmoid().forward(np.array([[-1e308, 1e308]])), [[0, 1]])


def test_threshold_counts_reaching_it_and_nan_does_not():
    np.testing.assert_array_equal(Threshold(0.5).forward(np.array([[0.49, 0.5, 1.0, np.nan]])), [[0, 1, 1, 0]])


def test_argmax_takes_the_first_of_equals():
    np.testing.assert_array_equal(Argmax().forward(np.array([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0]])), [1, 0])
