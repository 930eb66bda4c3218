from math import isfinite

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.overview import (
    FINEST,
    SQUARES,
    _strongest_in,
    farthest_apart,
    full_of,
    largest_of,
    look_through,
    strongest_in,
)


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
    monkeypatch.setattr("explorer.core.overview.isfinite", lambda one: looked.append(one) or isfinite(one))
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
    monkeypatch.setattr("explorer.core.overview.VERY_LARGE", 200_000)
    rng = np.random.default_rng(0)
    large, other = rng.normal(size=(700, 600)), rng.normal(size=(300, 400))
    for array in (large, other):
        array.flags.writeable = False
    for array in (large, other):
        look_through(array)
    expected = [_strongest_in(large, (most, most)) for most in (SQUARES, FINEST)]
    looked = []
    monkeypatch.setattr("explorer.core.overview._strongest_in", lambda array, most: looked.append(array) or array)
    for most, strongest in zip((SQUARES, FINEST), expected, strict=True):
        np.testing.assert_array_equal(strongest_in(large[:], most), strongest)
    assert not looked
    strongest_in(other, SQUARES)
    assert looked == [other]


def test_how_far_an_edit_moved_a_very_large_matrix_is_found_before_it_flashes(monkeypatch):
    monkeypatch.setattr("explorer.core.overview.VERY_LARGE", 200_000)
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
