from math import erf, erfc, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from explorer.core.cell import Source
from explorer.core.engine import same_bytes
from explorer.core.ops import (
    GELU,
    Argmax,
    BatchNorm,
    CrossEntropy,
    Identity,
    LayerNorm,
    Likelihood,
    LogLikelihood,
    MeanSquaredError,
    ReLU,
    RowShares,
    Sigmoid,
    Softmax,
    Threshold,
)
from explorer.core.ops.base import Surroundings
from explorer.core.ops.shares import largest
from tests.samples import each

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


def test_cross_entropy_of_a_word_that_got_nothing_is_infinite():
    probabilities = np.array([[0.5, 0.5], [0.0, 1.0]])
    with np.errstate(divide="ignore"):
        assert CrossEntropy().forward(probabilities, np.array([0, 0])) == np.inf
    assert CrossEntropy().forward(probabilities, np.array([0, 1])) == np.log(2) / 2


def test_cross_entropy_is_the_mean_over_the_positions():
    probabilities = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]])
    assert CrossEntropy().forward(probabilities, np.array([1, 0])) == (np.log(4) + np.log(8)) / 2


def test_padding_is_not_counted():
    probabilities = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]])
    assert CrossEntropy(pad=2).forward(probabilities, np.array([1, 2])) == np.log(4)
    gradient, _ = CrossEntropy(pad=2).backward(np.array(1.0), np.array(0.0), probabilities, np.array([1, 2]))
    np.testing.assert_array_equal(gradient, [[0, -4, 0], [0, 0, 0]])
    assert CrossEntropy(pad=2).forward(probabilities, np.array([2, 2])) == 0


def test_mean_squared_error_is_the_mean_over_all_numbers():
    output, target = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 2.0], [3.0, 7.0]])
    assert MeanSquaredError().forward(output, target) == (1 + 9) / 4


def test_l_1_is_minus_n_times_the_cross_entropy():
    probabilities, target = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]), np.array([1, 0])
    right = Likelihood().forward(probabilities, target)
    np.testing.assert_array_equal(right, [0.25, 0.125])
    L_1 = LogLikelihood().forward(right)
    np.testing.assert_allclose(L_1, -2 * CrossEntropy().forward(probabilities, target), rtol=1e-15)


@pytest.mark.parametrize("lead", [(), (2,)], ids=str)
@pytest.mark.parametrize("pad", [-1, 1])
def test_through_softmax_in_one_step_is_through_both(pad, lead):
    random = np.random.default_rng(0)
    logits, target = random.normal(size=(*lead, 4, 3)), random.integers(0, 3, (*lead, 4))
    assert (target == 1).any()
    softmax, loss = Softmax(), CrossEntropy(pad)
    P = softmax.forward(logits)
    of_P, _ = loss.backward(np.array(0.7), loss.forward(P, target), P, target)
    (both,) = softmax.backward(of_P, P, logits)
    one = loss.through_softmax(np.array(0.7), P, target)
    np.testing.assert_allclose(one, both, rtol=1e-12, atol=1e-15)
    assert (one[target == pad] == 0).all()


def scored(*rows, dtype="float32"):
    """Scores, and what softmax makes of them."""
    z = np.array(rows, dtype=dtype)
    return Softmax().forward(z), z


def test_a_share_that_is_rounded_away_costs_what_its_scores_say():
    """In float32 exp(−104) is 0, and a mean with −log 0 in it would be no finite number."""
    P, z = scored([0.0, 104.0, 0.0], [0.0, 90.0, 1.0], [1.0, 2.0, 3.0])
    target = np.array([0, 2, 1])
    assert P[0, 0] == 0
    loss = CrossEntropy()
    with np.errstate(divide="ignore"):  # as in the engine
        costs, value = -loss.logs(P, target, z), loss.forward(P, target, z)
        derived = loss.explain((), Source("P", P), Source("y", target), Source("z", z))
        again = eval(loss.code("P", "y", "z"), {"np": np, "P": P, "y": target, "z": z})
        assert loss.forward(P, target) == np.inf
    np.testing.assert_allclose(costs, [104, 89, 1.40760596], rtol=1e-6)
    assert value == costs.mean() == again
    np.testing.assert_allclose(derived.value, value, rtol=1e-6)


def test_a_share_with_all_its_digits_is_never_taken_from_the_scores():
    P, z = scored([1.0, 2.0, 3.0], [0.0, 80.0, -0.5])
    target = np.array([2, 0])
    assert CrossEntropy().forward(P, target, z) == CrossEntropy().forward(P, target)


def test_a_probability_pinned_at_0_costs_infinity_whatever_the_scores_say():
    P, z = scored([1.0, 2.0, 3.0])
    with np.errstate(divide="ignore"):
        assert CrossEntropy().forward(np.where(P == P.max(), 0, P), np.array([2]), z) == np.inf


def test_the_sum_that_is_not_divided_leaves_out_pad_too():
    """The mean over two words was multiplied by all three positions, which nobody would do."""
    P, y = np.array([[0.5, 0.25, 0.25], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]), np.array([0, 1, 2])
    slips = {one.name: one.op for one in CrossEntropy(pad=2).slips(Surroundings("value", (), (P.shape, y.shape)))}
    assert slips["not averaged"].forward(P, y) == pytest.approx(-np.log(0.5) - np.log(0.7))
    found = slips["not averaged"].explain((), Source("P", P), Source("y", y))
    assert found.value == pytest.approx(-np.log(0.5) - np.log(0.7))


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


@each(
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
@each("dtype", ["float64", "float32"])
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
