import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from explorer.core.engine import same_bytes
from explorer.core.ops import BatchNorm, LayerNorm, RowShares, Softmax
from explorer.core.ops.normalise import largest

softmax = Softmax().forward
inf, nan = np.inf, np.nan
finite = st.floats(allow_nan=False, allow_infinity=False)


@given(hnp.arrays(float, hnp.array_shapes(min_dims=2, max_dims=3, max_side=5), elements=finite))
def test_softmax_of_any_finite_numbers_is_shares(z):
    with np.errstate(over="ignore"):  # the distance between ±1e308 is inf, and exp(−inf) is 0
        shares = softmax(z)
    assert ((shares >= 0) & (shares <= 1)).all()
    np.testing.assert_allclose(shares.sum(-1), 1, rtol=1e-12)
    # A larger score never gets a smaller share.
    order = np.argsort(z, axis=-1)
    assert (np.diff(np.take_along_axis(shares, order, -1)) >= 0).all()


def test_softmax_is_the_textbook_formula():
    z = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]])
    np.testing.assert_allclose(softmax(z), np.exp(z) / np.exp(z).sum(-1, keepdims=True), rtol=1e-14)


@pytest.mark.parametrize(
    ("row", "shares"),
    [
        ([1e308, -1e308, 1e308], [0.5, 0, 0.5]),
        ([1e308, 1e308, 1e308], [1 / 3] * 3),
        ([-1e308, -1e308, -inf], [0.5, 0.5, 0]),
        ([-np.finfo(float).max, -inf, -inf], [1, 0, 0]),
        ([0, -inf, 0], [0.5, 0, 0.5]),
        ([-inf, -inf, -inf], [0, 0, 0]),
        ([nan, 0, 1], [nan] * 3),
        ([nan, -inf, -inf], [nan] * 3),
        ([inf, 0, 1], [nan] * 3),
        ([inf, inf, -inf], [nan] * 3),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_softmax_of_extremes(row, shares, dtype):
    with np.errstate(all="ignore"):
        z = np.array([row, [0, 1, 2]]).astype(dtype)
        if dtype == "float32":  # as near the limit there as 1e308 is in float64
            z[0] = np.where(np.isfinite(row), np.clip(row, -3e38, 3e38), row)
        result = softmax(z)
    assert result.dtype == dtype
    np.testing.assert_allclose(result[0], np.array(shares, dtype), rtol=1e-6 if dtype == "float32" else 1e-14)
    # The row beside it is not touched.
    np.testing.assert_array_equal(result[1], softmax(z[1:])[0])


def test_row_shares():
    x = np.array([[1.0, 3.0], [1.0, -1.0], [0.0, 0.0], [-1.0, -1.0]])
    np.testing.assert_array_equal(RowShares().forward(x), [[0.25, 0.75], [0, 0], [0, 0], [0.5, 0.5]])


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


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_largest_of_many_short_rows_is_the_largest_of_each(dtype):
    z = np.random.default_rng(0).normal(size=(40, 5, 4, 7)).astype(dtype)
    z[0, 0, 0, 3], z[1, 0, 0, 3], z[2, 0, 0, 3], z[3, 0, 0] = np.nan, np.inf, -np.inf, -np.inf
    assert z.size > 4096
    assert same_bytes(largest(z), z.max(-1, keepdims=True))
    assert same_bytes(largest(z[:2]), z[:2].max(-1, keepdims=True))
    assert same_bytes(largest(z.swapaxes(0, 1)), z.swapaxes(0, 1).max(-1, keepdims=True))
