"""Single ops, where they do what the tables of all ops do not test."""

from dataclasses import replace
from math import cos, sin
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from explorer.core.cell import Source, operands
from explorer.core.derivation import rows
from explorer.core.model import Model
from explorer.core.models import build
from explorer.core.ops import (
    Angle,
    CausalMask,
    CausalPaddingMask,
    Concat,
    Cosine,
    Input,
    Intercept,
    Length,
    LookUp,
    Mask,
    MatMul,
    OneHot,
    PaddingMask,
    RelatedMask,
    Rotary,
    Route,
    ScaleFactor,
    Scores,
    ShadowFactor,
    Sinusoidal,
    Slope,
    Subtract,
)
from explorer.core.ops.positions import bucket
from explorer.core.ops.weights import INITIALISERS
from tests.samples import each


def test_a_one_hot_row_times_the_table_is_the_row_of_the_word():
    tokens, table = np.array([2, 0, 2]), np.array([[1.5, 2.0], [3.0, 4.0], [-5.0, 6.25]])
    onehot = OneHot(3).forward(tokens)
    np.testing.assert_array_equal(onehot, [[0, 0, 1], [1, 0, 0], [0, 0, 1]])
    np.testing.assert_array_equal(MatMul().forward(onehot, table), LookUp().forward(tokens, table))


numbers = st.floats(-100, 100).map(lambda x: round(x, 3))


@given(hnp.arrays(float, (2, 3), elements=numbers), hnp.arrays(float, (4, 3), elements=numbers))
def test_cosine_of_dot_and_lengths_is_the_cosine_of_scores(x, y):
    lengths = Length().forward
    cosines = Cosine().forward(x @ y.T, lengths(x), lengths(y))
    np.testing.assert_allclose(cosines, Scores("cosine").forward(x, y), atol=1e-12)


def test_length():
    np.testing.assert_array_equal(Length().forward(np.array([[3.0, 4.0], [0.0, 0.0]])), [5, 0])


@pytest.mark.parametrize(("cosine", "degrees"), [(1, 0), (0.5, 60), (0, 90), (-1, 180), (1 + 1e-15, 0), (-1.5, 180)])
def test_angle_in_degrees(cosine, degrees):
    np.testing.assert_allclose(Angle().forward(np.array([[cosine]])), degrees, rtol=1e-12)


def test_nothing_falls_on_a_vector_of_length_0():
    dot, y = np.array([[3.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 0.0]])
    np.testing.assert_array_equal(ShadowFactor().forward(dot, y), [[1.5, 0]])
    np.testing.assert_array_equal(Cosine().forward(dot, np.array([1.0]), np.array([2.0, 0.0])), [[1.5, 0]])


def test_subtract():
    np.testing.assert_array_equal(Subtract().forward(np.array([[1.0, 3.0]]), np.array([[2.0, 1.0]])), [[-1, 2]])


def test_starting_values_depend_on_name_and_seed_alone():
    start = Input().start
    weights = start("encoder.1.self.W_Q", (2, 4, 3), "float64", 7)
    np.testing.assert_array_equal(start("encoder.1.self.W_Q", (2, 4, 3), "float64", 7), weights)
    assert (start("encoder.1.self.W_K", (2, 4, 3), "float64", 7) != weights).all()
    assert (start("encoder.1.self.W_Q", (2, 4, 3), "float64", 8) != weights).all()
    assert np.abs(weights).max() <= np.sqrt(6 / 7)  # Glorot & Bengio 2010
    assert start("a", (2,), "float32", 0).dtype == "float32"


def test_other_starting_values():
    assert Input("zeros").start("b", (2,), "float32", 0).tolist() == [0, 0]
    assert Input("ones").start("gamma", (2,), "float64", 0).tolist() == [1, 1]
    ids = Input("ids").start("tokens", (2,), "float64", 0)
    assert ids.tolist() == [0, 0]
    assert ids.dtype == np.int64


@pytest.mark.parametrize("weights", ["x W", "W x"])
def test_he_divides_by_the_inputs_of_a_layer_in_both_orientations(weights):
    """400 units read 2 numbers: the variance is 2 / 2, however the matrix is written (He et al. 2015, equation 10)."""
    axes = {"input": ("1",), "layer.0": ("x", "y"), "layer.1": tuple(map(str, range(400)))}
    graph = build(Model("mlp", axes=axes, switches={"layer.1.weights": weights}))
    W = graph.nodes["layer.1.W"].op.start("layer.1.W", graph.shape("layer.1.W"), "float64", 1, "he")
    assert W.shape == ((2, 400) if weights == "x W" else (400, 2))
    assert W.var() == pytest.approx(1, rel=0.15)


@each("initialiser", INITIALISERS)
@each(
    ("shape", "corner"),
    [
        ((), ()),
        ((5,), (3,)),
        ((5, 4), (3, 4)),
        ((5, 4), (5, 2)),
        ((5, 4), (3, 2)),
        ((2, 5, 4), (2, 3, 2)),
        ((5, 4), (5, 4)),
        ((400, 400), (1, 1)),
        ((400, 400), (399, 400)),
    ],
)
def test_the_start_of_an_array_is_the_same_where_a_corner_of_it_is_left_out(initialiser, shape, corner):
    op = Input()
    whole = op.start("input.table", shape, "float32", 3, initialiser)
    array = np.full(shape, np.nan, dtype="float32")
    op.write_start(array, "input.table", 3, initialiser, corner)
    left_out = tuple(map(slice, corner))
    assert np.isnan(array[left_out]).all()
    array[left_out] = whole[left_out]
    assert array.tobytes() == whole.tobytes()


@pytest.mark.parametrize("initialiser", INITIALISERS)
def test_weights_start_as_numpy_draws_them_at_once(initialiser):
    shape = (300, 500)  # several blocks
    at_once = {
        "xavier": lambda random: random.uniform(-np.sqrt(6 / 800), np.sqrt(6 / 800), shape),
        "uniform": lambda random: random.uniform(-1, 1, shape),
        "he": lambda random: random.normal(0, np.sqrt(2 / 300), shape),
        "zeros": lambda random: np.zeros(shape),
    }
    expected = at_once[initialiser](np.random.default_rng([7, crc32(b"layer.1.W")]))
    assert Input().start("layer.1.W", shape, "float64", 7, initialiser).tobytes() == expected.tobytes()


def test_concat_puts_the_heads_side_by_side():
    heads = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    np.testing.assert_array_equal(Concat().forward(heads), [[1, 2, 5, 6], [3, 4, 7, 8]])


def test_a_layer_as_x_w_and_as_printed_w_x():
    x, W, b = np.array([[1.0, 2.0]]), np.array([[1.0, 10.0], [100.0, 1000.0]]), np.array([0.5, 0.25])
    np.testing.assert_array_equal(MatMul().forward(x, W, b), [[201.5, 2010.25]])
    np.testing.assert_array_equal(MatMul(transposed=True).forward(x, W, b), [[21.5, 2100.25]])


def test_masks():
    np.testing.assert_array_equal(CausalMask(3).forward(), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    np.testing.assert_array_equal(PaddingMask(3, 2).forward(np.array([0, 3, 1])), [[1, 0, 1], [1, 0, 1]])


def test_mask_hides_even_nan():
    masked = Mask().forward(np.array([[1.0, np.nan, 3.0]]), np.array([[1, 0, 0.5]]))
    np.testing.assert_array_equal(masked, [[1, -np.inf, 3]])


def test_a_window_ends_behind_and_never_before_the_token_itself():
    np.testing.assert_array_equal(CausalMask(4, 1).forward(), np.eye(4))
    np.testing.assert_array_equal(CausalMask(3, 2).forward(), [[1, 0, 0], [1, 1, 0], [0, 1, 1]])
    np.testing.assert_array_equal(CausalMask(3, 9).forward(), CausalMask(3).forward())


def test_related_is_what_has_something_in_common():
    np.testing.assert_array_equal(RelatedMask().forward(np.array([[0.7, 0.0, -0.0, -0.7, np.nan]])), [[1, 0, 0, 0, 0]])


def test_a_decoder_needs_both_masks_at_once():
    np.testing.assert_array_equal(
        CausalPaddingMask(3, 4).forward(np.array([0, 3, 1, 3])),
        [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0], [1, 0, 1, 0]],
    )
    np.testing.assert_array_equal(
        CausalPaddingMask(3, 3, window=2).forward(np.array([0, 1, 2])), CausalMask(3, 2).forward()
    )


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


def test_of_an_odd_part_the_next_dimension_is_turned_as_gpt_neox_does():
    """Three of six: two pairs, the second by the angle with the exponent 2/3."""
    x = np.random.default_rng(2).normal(size=(4, 6))
    turned, m = Rotary(6, halves=True, width=3).forward(x), np.arange(4)
    for i, j, slower in ((0, 2, 1), (1, 3, 10000 ** (2 / 3))):
        pair = (x[:, i] + 1j * x[:, j]) * np.exp(1j * m / slower)
        np.testing.assert_allclose(turned[:, i] + 1j * turned[:, j], pair)
    np.testing.assert_array_equal(turned[:, 4:], x[:, 4:])


X = np.array([[-1.0], [0.0], [2.0], [5.0]])
Y = np.array([[0.5, 1.0], [0.0, -1.0], [2.5, 0.5], [3.0, 4.0]])


def test_numpy_fits_the_same_line():
    W = Slope().forward(X, Y)
    b = Intercept().forward(X, Y, W)
    expected = np.polyfit(X[:, 0], Y, 1)
    np.testing.assert_allclose(W, expected[:1], rtol=1e-13)
    np.testing.assert_allclose(b, expected[1], rtol=1e-13)


def test_no_other_line_is_nearer():
    W = Slope().forward(X, Y)
    b = Intercept().forward(X, Y, W)
    error = np.square(X @ W + b - Y).mean()
    for h in (-1e-3, 1e-3):
        assert np.square(X @ (W + h) + b - Y).mean() > error
        assert np.square(X @ W + b + h - Y).mean() > error


def test_where_x_does_not_change_there_is_no_slope():
    with np.errstate(all="ignore"):
        assert np.isnan(Slope().forward(np.ones((3, 1)), Y[:3])).all()


def test_the_slope_is_derived_from_all_examples():
    last = Slope().explain((0, 1), Source("x", X), Source("y", Y))
    read = [(operand.node, operand.index) for operand in operands(last)]
    assert read == [("x", (slice(None), 0)), ("y", (slice(None), 1))]
    np.testing.assert_allclose(last.value, np.polyfit(X[:, 0], Y[:, 1], 1)[0])


Q = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]])
K = np.array([[6.0, 8.0], [-4.0, 3.0], [0.0, 0.0], [-2.0, 0.0]])


def test_dot():
    np.testing.assert_array_equal(Scores().forward(Q, K), [[50, 0, 0, -6], [0, 0, 0, 0], [6, -4, 0, -2]])


def test_cosine_is_zero_with_a_vector_that_has_no_direction():
    expected = [[1, 0, 0, -0.6], [0, 0, 0, 0], [0.6, -0.8, 0, -1]]
    np.testing.assert_allclose(Scores("cosine").forward(Q, K), expected, atol=1e-15)


def reason(shares, cell):
    labels = [f"expert {i + 1}" for i in range(shares.shape[-1])]
    return rows(Route(2).explain(cell, Source("p", shares)), lambda *_: labels)[-1].expression


def test_a_share_says_why_it_is_chosen():
    assert reason(np.array([[0.5, 0.2, 0.3]]), (0, 0)) == "because 0.500 ≥ 0.300: 0.625"
    assert reason(np.array([[0.5, 0.2, 0.3]]), (0, 1)) == "because 0.2 < 0.3: 0"
    assert reason(np.array([[0.25, 0.25, 0.25]]), (0, 2)) == "because of equal shares the first are chosen: 0"
    assert reason(np.array([[np.nan, 0.25]]), (0, 1)).startswith("because a share that is no number comes last")


def test_an_expert_that_is_not_chosen_gets_nothing_even_where_the_chosen_shares_sum_to_0():
    shares = np.array([[-6.0, -2.0, 2.0, -5.0]])  # a person has pinned them
    with np.errstate(all="ignore"):  # as in a forward pass
        np.testing.assert_array_equal(Route(2).forward(shares), [[0, -np.inf, np.inf, 0]])
        np.testing.assert_array_equal(eval(Route(2).code("p"), {"np": np, "p": shares}), [[0, -np.inf, np.inf, 0]])
        assert Route(2).explain((0, 0), Source("p", shares)).value == 0


@pytest.mark.parametrize("similarity", ["dot", "cosine"])
def test_the_layout_with_tokens_in_columns_gives_the_same_scores(similarity):
    by_columns = Scores(similarity, columns=True).forward(Q.T.copy(), K.T.copy())
    np.testing.assert_allclose(by_columns, Scores(similarity).forward(Q, K), rtol=1e-14)


def test_scale_factors():
    factors = {kind: float(ScaleFactor(kind, 16).forward()) for kind in ("1/d_k", "1/sqrt(d_k)")}
    assert factors == {"1/d_k": 1 / 16, "1/sqrt(d_k)": 1 / 4}


@given(
    scaling=st.sampled_from(("none", "linear", "dynamic", "llama 3", "yarn")),
    base=st.floats(1, 1e9),
    factor=st.floats(1, 1e6),
    room=st.integers(0, 2**24),
    low=st.floats(0, 1e6),
    high=st.floats(0, 1e6),
    stretch=st.floats(0, 1e6),
    rounded=st.booleans(),
)
def test_angles_are_numbers_whatever_switches_say(scaling, base, factor, room, low, high, stretch, rounded):
    """Yarn's ends were divided by a switch that may be 0."""
    op = Rotary(4, base=base, scaling=scaling, factor=factor, room=room, low=low, high=high, stretch=stretch)
    assert np.isfinite(replace(op, rounded=rounded).forward(np.ones((3, 4)))).all()


@given(buckets=st.integers(2, 70), most=st.integers(2, 70), both=st.booleans())
def test_distances_have_buckets_whatever_switches_say(buckets, most, both):
    """Where all that the switches leave for far ones lies behind `most`, its logarithm was divided by 0."""
    found = [bucket(distance, buckets, most, both) for distance in range(-150, 151)]
    assert all(0 <= one < buckets for one in found)
    back = found[150::-1]
    assert back == sorted(back)
