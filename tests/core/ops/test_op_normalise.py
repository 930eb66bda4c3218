import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from explorer.core.ops import BatchNorm, LayerNorm


def test_layer_norm_with_epsilon_inside_the_root():
    x, gamma, beta = np.array([[1.0, 2.0, 4.0, 9.0]]), np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.5, 0.0, -0.5, 1.0])
    # Mean 4, deviations −3 −2 0 5, variance (9 + 4 + 0 + 25) / 4 = 9.5.
    sigma = (9.5 + 0.25) ** 0.5
    expected = [-3 / sigma * 1 + 0.5, -2 / sigma * 2, -0.5, 5 / sigma * 4 + 1]
    np.testing.assert_allclose(LayerNorm(0.25, inside=True).forward(x, gamma, beta)[0], expected, rtol=1e-14)


def test_layer_norm_with_epsilon_added_to_sigma():
    x, one, zero = np.array([[1.0, 2.0, 4.0, 9.0]]), np.ones(4), np.zeros(4)
    sigma = 9.5**0.5 + 0.25
    expected = [-3 / sigma, -2 / sigma, 0, 5 / sigma]
    np.testing.assert_allclose(LayerNorm(0.25, inside=False).forward(x, one, zero)[0], expected, rtol=1e-14)


@pytest.mark.parametrize("inside", [True, False])
def test_layer_norm_of_a_constant_row(inside):
    x, one, zero = np.full((1, 3), 7.0), np.ones(3), np.zeros(3)
    np.testing.assert_array_equal(LayerNorm(1e-5, inside).forward(x, one, zero), [[0, 0, 0]])
    with np.errstate(invalid="ignore"):
        assert np.isnan(LayerNorm(0.0, inside).forward(x, one, zero)).all()


@given(hnp.arrays(float, (3, 4), elements=st.floats(-100, 100).map(lambda x: round(x, 3))), st.booleans())
def test_batch_norm_is_layer_norm_of_the_columns(x, inside):
    ones, zeros = np.ones(4), np.zeros(4)
    by_columns = BatchNorm(1e-3, inside).forward(x, ones, zeros)
    by_rows = LayerNorm(1e-3, inside).forward(x.T, np.ones(3), np.zeros(3)).T
    np.testing.assert_allclose(by_columns, by_rows, rtol=1e-9, atol=1e-9)


def test_batch_norm_forgets_the_size_of_a_feature_and_layer_norm_does_not():
    x, sizes = np.array([[0.2, 0.9], [0.8, 0.3], [0.4, 0.6]]), np.array([1000.0, 1.0])
    parameters = np.ones(2), np.zeros(2)
    np.testing.assert_allclose(
        BatchNorm(0).forward(x * sizes, *parameters), BatchNorm(0).forward(x, *parameters), rtol=1e-12
    )
    np.testing.assert_allclose(LayerNorm(0).forward(x * sizes, *parameters), [[1, -1]] * 3, rtol=1e-12)
