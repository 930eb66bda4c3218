from math import isfinite

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from refusals import refuses

from explorer.core.errors import ExplorerError
from explorer.core.numbers import (
    FINEST,
    SQUARES,
    _strongest_in,
    alone,
    as_share,
    decimals_of,
    exact,
    farthest_apart,
    formatted,
    full_of,
    in_table,
    largest_of,
    look_through,
    percent,
    places_of_largest,
    point,
    quantity,
    read_answer,
    read_number,
    significant,
    strongest_in,
    written,
)
from explorer.sentences import sentence
from tests.samples import each


@each(
    ("value", "decimals", "text"),
    [
        (1.005, 1, "1.0"),
        (-0.5, 2, "−0.50"),
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (0.004, 2, "4×10⁻³"),
        (0.005, 2, "0.01"),
        (0.5, 0, "5×10⁻¹"),  # not 0
        (-1.5, 0, "−2"),
        (-2e-8, 2, "−2×10⁻⁸"),
        (1.23e-9, 4, "1.2×10⁻⁹"),
        (999999.0, 0, "999999"),
        (1234567.0, 2, "1.2×10⁶"),
        (-1e308, 2, "−1×10³⁰⁸"),
        (np.inf, 2, "∞"),
        (-np.inf, 2, "−∞"),
        (np.nan, 2, "NaN"),
    ],
)
def test_written(value, decimals, text):
    assert written(value, decimals) == text


@pytest.mark.parametrize("value", [0.1, -1 / 3, 1e-300, 12345678.9, np.float32(0.1), np.float64(2) / 3])
def test_exact_reads_back_as_the_same_number(value):
    assert type(value)(exact(value).replace("−", "-")) == value


def test_exact_of_what_is_no_number():
    assert [exact(x) for x in (np.inf, -np.inf, np.nan, np.int64(-3))] == ["∞", "−∞", "NaN", "−3"]
    assert [formatted(x, ".2f") for x in (-np.inf, np.nan)] == ["−∞", "NaN"]


@each(
    ("numbers", "decimals"),
    [
        ([[1, 2]], 0),
        ([[1.0, -2.0]], 1),
        ([[0.5, 12.3]], 1),
        ([[0.25, 1.0]], 3),
        ([[0.25, 1.5]], 2),
        ([[1234.5]], 1),
        ([[123456.5]], 0),
        ([[-np.inf, np.nan]], 1),
        ([[-np.inf, 0.123]], 3),
    ],
)
def test_decimals_of_a_matrix(numbers, decimals):
    assert decimals_of(np.array(numbers)) == decimals


def test_the_decimals_of_a_large_matrix_are_not_only_those_of_its_beginning():
    matrix = np.ones((30, 30))
    assert decimals_of(matrix) == 1
    matrix[29, 29] = 0.25
    assert decimals_of(matrix) == 3


@each(
    ("value", "decimals"), [(0.012345, 6), (1.5, 4), (12345.6, 0), (1e9, 0), (1e-9, 8), (0, 4), (np.nan, 4), (-0.5, 5)]
)
def test_significant(value, decimals):
    assert significant(value) == decimals


@each(
    ("typed", "meant"),
    [
        ("2", 2.0),
        (" -0.5 ", -0.5),
        ("−0.5", -0.5),
        ("–0.5", -0.5),  # as from a text processor
        ("1,25", 1.25),
        ("1e-3", 0.001),
        ("∞", np.inf),
        ("−∞", -np.inf),
    ],
)
def test_a_number_as_a_person_types_it(typed, meant):
    assert read_number(typed) == meant


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [(-0.0, "g", "0"), (-0.001, ".2f", "0.00"), (-0.5, ".1f", "−0.5"), (-10.0, "g", "−10"), (-1e-9, ".1e", "−1.0e−09")],
)
def test_0_has_no_sign(value, form, text):
    assert formatted(value, form) == text


def test_no_way_to_write_a_number_gives_0_a_sign():
    assert exact(-0.0) == exact(np.float32(-0.0)) == "0.0"
    assert written(-0.0, 4) == "0.0000"
    assert point(-0.0, -0.004, 1.25) == "(0.00, 0.00, 1.25)"


def test_nan_can_be_typed():
    assert np.isnan(read_number("NaN"))


@each("typed", ["", " ", "abc", "1.2.3", "1 2", "0x10", "--1", "1_000"])
def test_what_is_not_a_number(typed):
    with pytest.raises(ExplorerError) as caught:
        read_number(typed)
    assert caught.value.id == "bad-number"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("0,5", 0.5), (" 1 / 9", 1 / 9), ("−1/4", -0.25), ("– 47 %", -0.47), ("5e-1", 0.5), ("- 2", -2), ("12,5%", 0.125)],
)
def test_an_answer_may_be_a_fraction_or_in_per_cent(typed, meant):
    assert read_answer(typed) == meant


@each("typed", ["1/0", "1/2/3", "/2", "%", "5%%", "1 - 2", "∞", "nan", "1e308/1e-9", "1 2"])
def test_what_is_no_answer(typed):
    with refuses("not a number"):
        read_answer(typed)


@pytest.mark.parametrize("typed", ["1e999", "-1e400"])
def test_a_number_that_no_computer_number_is_as_large_as(typed):
    with refuses("too large"):
        read_number(typed)


def test_a_message_repeats_only_the_beginning_of_a_long_text():
    with pytest.raises(ExplorerError) as caught:
        read_number("x" * 100_000)
    assert len(sentence(caught.value)) < 200


@given(st.floats(-1e9, 1e9, allow_nan=False), st.integers(0, 3))
def test_a_number_of_a_table_is_no_lie_and_no_longer_than_its_column(value, decimals):
    text = in_table(value, decimals)
    again = read_number(text)
    assert np.sign(again) == np.sign(value), "neither 0 for what is none, nor another sign"
    assert abs(again - value) <= max(0.5 * 10.0**-decimals, 0.5 * abs(value))
    if "×" not in text:
        assert len(text.partition(".")[2]) <= max(decimals, 2)
    assert "-" not in text


@given(st.floats(-1e9, 1e9, allow_nan=False))
def test_a_number_that_stands_by_itself_has_three_figures_and_no_0_at_its_end(value):
    text = alone(value)
    again = read_number(text)
    assert abs(again - value) <= (0.051 if "×" in text else 0.0051) * abs(value) or abs(again - value) <= 0.5
    assert np.sign(again) == np.sign(value)
    if "." in text and "×" not in text:
        assert not text.endswith("0")
        assert len(text.strip("−0.").replace(".", "")) <= 3 or abs(value) >= 100


@each(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.0, "0"),
        (6.57, "6.57"),
        (1.0004, "1"),
        (-2e-4, "−0.0002"),
        (7e-4, "0.0007"),
        (-4.12e-5, "−4.12×10⁻⁵"),
        (2e-6, "2×10⁻⁶"),
        (1e6, "1×10⁶"),
        (-1.5e7, "−1.5×10⁷"),
    ],
)
def test_no_four_decimals_for_a_1(value, text):
    assert alone(value) == text


@given(st.floats(0, 1), st.integers(1, 4))
def test_a_share_is_never_told_as_0_and_never_as_a_power_of_ten(value, decimals):
    text = as_share(value, decimals)
    assert "×" not in text
    assert (float(text.removeprefix("< ")) > 0) == (value > 0)


@pytest.mark.parametrize("decimals", [0, 1])
def test_only_all_is_100_percent_and_only_nothing_is_0(decimals):
    """999 of 1,000 were 100%, and 1 of 1,000 was 0%."""
    for part in range(10_001):
        number = float(percent(part / 10_000, decimals).strip("<> %"))
        assert (number == 100) == (part == 10_000)
        assert (number == 0) == (part == 0)
        assert abs(number - part / 100) <= 10**-decimals


@given(
    hnp.arrays(float, st.integers(1, 12), elements=st.sampled_from([-np.inf, -1, 0, 0.5, 2, np.inf, np.nan])),
    st.integers(1, 13),
)
def test_the_largest_are_those_that_sorting_all_finds(numbers, n):
    found = places_of_largest(numbers, n)
    assert found.tolist() == np.argsort(-numbers, kind="stable")[:n].tolist()


def test_one_thing_has_its_noun_in_the_singular():
    assert [quantity(n, "step") for n in (0, 1, 2000)] == ["0 steps", "1 step", "2,000 steps"]


@pytest.mark.parametrize(
    ("numbers", "largest"),
    [([1.0, -3.0], 3.0), ([np.nan, 2.0], 2.0), ([-np.inf, 0.5], 0.5), ([np.nan], 0.0), ([], 0.0), ([0.0, -0.0], 0.0)],
)
def test_largest_of(numbers, largest):
    assert largest_of(np.array(numbers)) == largest


@pytest.mark.parametrize("shape", [(4, 576), (49_152, 64), (64, 49_152)])
def test_a_few_huge_numbers_do_not_take_the_colour_from_all_others(shape):
    usual = np.random.default_rng(0).standard_normal(shape)
    assert full_of(usual) > 0.9 * largest_of(usual)
    huge = usual.copy()
    huge[1, 3::200] = 800.0  # as in the residual stream of Llama models
    assert full_of(usual) <= full_of(huge) == full_of(huge, 800.0) < 5.5
    huge[0, :5] = np.nan, np.inf, -np.inf, np.nan, np.inf
    assert full_of(usual) <= full_of(huge) < 5.5


def test_of_few_numbers_and_of_such_that_are_nearly_all_0_the_largest_has_the_full_colour():
    few = np.r_[np.ones(500), 800.0]
    assert full_of(few) == 800.0
    one_hot = np.zeros((40, 2000))
    one_hot[np.arange(40), np.arange(40)] = 1.0
    assert full_of(one_hot) == 1.0
    assert full_of(np.zeros((40, 40))) == full_of(np.full((40, 40), np.nan)) == 0.0


def test_a_large_array_that_nobody_can_write_to_is_looked_through_once(monkeypatch):
    array, looked = np.arange(300_000.0).reshape(3, -1).copy(), []
    monkeypatch.setattr("explorer.core.numbers.isfinite", lambda one: looked.append(one) or isfinite(one))
    assert largest_of(array[1]) == largest_of(array[1]) == 199_999
    assert looked == [199_999, 100_000] * 2  # the highest and the lowest
    array.flags.writeable = False
    for part, value in ((array[1], 199_999), (array[2], 299_999), (array, 299_999), (array.T, 299_999)):
        assert largest_of(part) == largest_of(part[:]) == value
    assert looked[4:] == [199_999, 100_000, 299_999, 200_000, 299_999, 0, 299_999, 0]


def test_an_array_in_the_place_of_one_that_is_gone_is_another():
    for k in range(5):
        array = np.full(200_000, float(k))
        array.flags.writeable = False
        assert largest_of(array) == k
        del array


@given(st.integers(1, 2 * SQUARES + 3), st.integers(1, 2 * SQUARES + 3), st.booleans(), st.integers(0, 99))
def test_of_cells_that_share_a_square_the_picture_shows_the_strongest(rows, columns, turned, seed):
    array = np.random.default_rng(seed).integers(-9, 10, (rows, columns)).astype(float)
    array = np.ascontiguousarray(array.T).T if turned else array
    starts = [np.linspace(0, n, min(n, SQUARES), endpoint=False).astype(int) for n in array.shape]
    high, low = (of.reduceat(of.reduceat(array, starts[0], 0), starts[1], 1) for of in (np.maximum, np.minimum))
    np.testing.assert_array_equal(strongest_in(array, SQUARES), np.where(high >= -low, high, low))


def test_a_very_large_matrix_is_looked_through_before_its_picture_is_wanted(monkeypatch):
    """On the thread that reads it: the words of Qwen 3 0.6B held the window for 0.2 s."""
    monkeypatch.setattr("explorer.core.numbers.VERY_LARGE", 200_000)
    rng = np.random.default_rng(0)
    large, other = rng.normal(size=(700, 600)), rng.normal(size=(300, 400))
    for array in (large, other):
        array.flags.writeable = False
    for array in (large, other):
        look_through(array)
    expected = [_strongest_in(large, (most, most)) for most in (SQUARES, FINEST)]
    looked = []
    monkeypatch.setattr("explorer.core.numbers._strongest_in", lambda array, most: looked.append(array) or array)
    for most, strongest in zip((SQUARES, FINEST), expected, strict=True):
        np.testing.assert_array_equal(strongest_in(large[:], most), strongest)
    assert not looked
    strongest_in(other, SQUARES)
    assert looked == [other]


def test_how_far_an_edit_moved_a_very_large_matrix_is_found_before_it_flashes(monkeypatch):
    monkeypatch.setattr("explorer.core.numbers.VERY_LARGE", 200_000)
    was = np.random.default_rng(0).normal(size=(700, 600))
    now, later = was.copy(), was.copy()
    now[650, 3] += 2
    later[20, 500] -= 5
    for array in (was, now, later):
        array.flags.writeable = False
    look_through(now, was)
    compared = []
    equal = np.array_equal
    monkeypatch.setattr("numpy.array_equal", lambda *two: compared.append(1) or equal(*two))
    for one, other in ((now, was), (now.T, was.T)):
        found = farthest_apart(one, other, SQUARES)
        assert (found.max(), np.count_nonzero(found)) == (2, 1)
    assert not compared
    assert farthest_apart(now, later, SQUARES).max() == 5
    assert compared
