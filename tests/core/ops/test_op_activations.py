from math import erf, erfc, sqrt

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


def test_exact_gelu_in_float32_is_right_to_the_last_bit():
    random = np.random.default_rng(0)
    usual, small = random.normal(0, 2, 60_000), random.normal(0, 1e-3, 10_000)
    x = np.concatenate([usual, small, random.uniform(-12, 20, 10_000), [0.0, -0.0, 1e-40]]).astype(np.float32)
    exact = np.array([0.5 * n * erfc(n / -sqrt(2)) for n in x.tolist()])
    found, nearest = GELU().forward(x[None])[0], exact.astype(np.float32)
    assert found.dtype == np.float32
    off = np.abs(found.astype(np.float64) - exact) / np.spacing(np.abs(nearest)).astype(np.float64)
    # Half a unit in the last place is what rounding the exact number leaves. Few numbers are less than −4.
    assert off[x > -4].max() < 0.53
    assert off.max() < 1
    assert np.mean(found != nearest, where=x > -4) < 1e-3


def test_the_slope_of_exact_gelu_in_float32_is_that_of_float64():
    x = np.linspace(-18, 18, 20_001).astype(np.float32)[None]
    of_single, of_double = (
        GELU().backward(np.ones_like(n), GELU().forward(n), n)[0] for n in (x, x.astype(np.float64))
    )
    assert of_single.dtype == np.float32
    np.testing.assert_allclose(of_single, of_double, rtol=3e-7, atol=2e-7)


def test_exact_gelu_in_float32_of_numbers_that_are_none_and_of_those_off_its_table():
    x = np.array([[-np.inf, -3e38, -16.5, 16.0, 3e38, np.inf, np.nan, 1.0]], np.float32)
    one = np.float32(0.8413447460685429)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(GELU().forward(x), [[np.nan, 0, 0, 16, np.float32(3e38), np.inf, np.nan, one]])


def test_a_number_has_one_gelu_wherever_it_stands():
    # Blocks, strides and how many there are change nothing.
    x = np.random.default_rng(1).normal(0, 2, (3, 40_001)).astype(np.float32)
    whole = GELU().forward(x)
    np.testing.assert_array_equal(GELU().forward(x[:, ::-1]), whole[:, ::-1])
    np.testing.assert_array_equal(GELU().forward(x[:1, 7:8]), whole[:1, 7:8])
    assert GELU().forward(x[:0]).shape == (0, 40_001)


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
