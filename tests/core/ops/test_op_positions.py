from math import cos, sin

import numpy as np
import pytest

from explorer.core.ops import Rotary, Sinusoidal


def test_position_encoding_of_the_paper():
    # Position 3, d_model 4: dimensions 0 and 1 share 10000^0, 2 and 3 share 10000^(2/4) = 100.
    np.testing.assert_allclose(Sinusoidal(4, 4).forward()[3], [sin(3), cos(3), sin(0.03), cos(0.03)], rtol=1e-14)


@pytest.mark.parametrize(
    ("exponents", "powers"), [("004", [0, 0.5, 1, 1.5]), ("004-script", [0, 0.5, 2, 2.5]), ("paper", [0, 0, 0.5, 0.5])]
)
def test_exponents_as_documented(exponents, powers):
    expected = [f(3 / 10000**p) for f, p in zip((sin, cos, sin, cos), powers, strict=True)]
    np.testing.assert_allclose(Sinusoidal(4, 4, exponents).forward()[3], expected, rtol=1e-14)


def test_rotary_is_the_sum_of_cosines_and_sines_in_the_paper():
    # Su et al. 2021, equation 34: (x1, x2, x3, x4) ⊗ cos + (−x2, x1, −x4, x3) ⊗ sin.
    x = np.random.default_rng(0).normal(size=(2, 5, 4))
    angle = np.arange(5)[:, None] * np.array([1.0, 1.0, 0.01, 0.01])
    other = np.stack([-x[..., 1], x[..., 0], -x[..., 3], x[..., 2]], axis=-1)
    np.testing.assert_allclose(Rotary(4).forward(x), x * np.cos(angle) + other * np.sin(angle))


def test_turned_queries_and_keys_know_only_how_far_apart_they_are():
    random = np.random.default_rng(1)
    q, k = np.repeat(random.normal(size=(2, 1, 6)), 7, axis=1)
    scores = Rotary(6).forward(q) @ Rotary(6).forward(k).T
    for distance in range(-6, 7):
        diagonal = np.diagonal(scores, distance)
        np.testing.assert_allclose(diagonal, diagonal[0])
    assert np.ptp(scores[0]) > 0.1


def test_the_last_of_an_odd_number_of_dimensions_is_not_turned():
    x = np.random.default_rng(2).normal(size=(3, 5))
    turned = Rotary(5).forward(x)
    np.testing.assert_array_equal(turned[:, 4], x[:, 4])
    np.testing.assert_array_equal(turned[0], x[0])
    np.testing.assert_allclose((turned**2).sum(-1), (x**2).sum(-1))
    np.testing.assert_array_equal(Rotary(1).forward(x[:, :1]), x[:, :1])
