import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from refusals import refuses

from explorer.core.errors import ExplorerError
from explorer.core.numbers import (
    alone,
    as_share,
    decimals_of,
    exact,
    formatted,
    in_table,
    percent,
    places_of_largest,
    point,
    quantity,
    read_answer,
    read_number,
    significant,
    written,
)
from explorer.sentences import sentence


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("value", "decimals"), [(0.012345, 6), (1.5, 4), (12345.6, 0), (1e9, 0), (1e-9, 8), (0, 4), (np.nan, 4), (-0.5, 5)]
)
def test_significant(value, decimals):
    assert significant(value) == decimals


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("typed", ["", " ", "abc", "1.2.3", "1 2", "0x10", "--1", "1_000"])
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


@pytest.mark.parametrize("typed", ["1/0", "1/2/3", "/2", "%", "5%%", "1 - 2", "∞", "nan", "1e308/1e-9", "1 2"])
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


@pytest.mark.parametrize(
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
