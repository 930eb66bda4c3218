import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from explorer.core.engine import same_bytes
from explorer.core.ops import RowShares, Softmax
from explorer.core.ops.shares import largest

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


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_largest_of_many_short_rows_is_the_largest_of_each(dtype):
    z = np.random.default_rng(0).normal(size=(40, 5, 4, 7)).astype(dtype)
    z[0, 0, 0, 3], z[1, 0, 0, 3], z[2, 0, 0, 3], z[3, 0, 0] = np.nan, np.inf, -np.inf, -np.inf
    assert z.size > 4096
    assert same_bytes(largest(z), z.max(-1, keepdims=True))
    assert same_bytes(largest(z[:2]), z[:2].max(-1, keepdims=True))
    assert same_bytes(largest(z.swapaxes(0, 1)), z.swapaxes(0, 1).max(-1, keepdims=True))
