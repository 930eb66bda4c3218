"""When two parts of a page are equal."""

import numpy as np
import pytest

from explorer.pages.element import SMALL, Data


class Shown(Data):
    array: np.ndarray
    words: tuple[object, ...] = ()


LARGE = SMALL // 8 + 1


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (np.arange(3.0), np.arange(3.0), True),
        (np.array([np.nan]), np.array([np.nan]), True),
        (np.array([0.0]), np.array([-0.0]), False),
        (np.arange(3), np.arange(3.0), False),
        (np.arange(4.0), np.arange(4.0).reshape(2, 2), False),
        (np.arange(4.0), None, False),
        (None, np.arange(4.0), False),
    ],
)
def test_small_arrays_are_compared_by_their_bits(a, b, equal):
    assert (Shown(a) == Shown(b)) == equal


def test_large_arrays_are_equal_if_they_are_the_same_memory():
    whole = np.zeros((2, LARGE))
    assert Shown(whole) == Shown(whole)
    assert Shown(whole[0]) == Shown(whole[0])
    assert Shown(np.atleast_2d(whole[0])) == Shown(np.atleast_2d(whole[0]))
    assert Shown(whole[0]) != Shown(whole[1])
    assert Shown(whole[:, ::2]) != Shown(whole[:, : whole.shape[1] // 2 + 1])
    assert Shown(whole) != Shown(whole.copy())


def test_parts_are_compared_one_by_one():
    inner = Shown(np.arange(2.0))
    assert Shown(np.arange(3.0), (inner, "a")) == Shown(np.arange(3.0), (Shown(np.arange(2.0)), "a"))
    assert Shown(np.arange(3.0), (inner, "a")) != Shown(np.arange(3.0), (inner, "b"))
    assert Shown(np.arange(3.0), (inner,)) != Shown(np.arange(3.0), (inner, inner))


def test_what_is_no_number_is_equal_to_itself():
    one = Shown(np.arange(3.0), (float("nan"), 1.0))
    assert one == Shown(np.arange(3.0), (float("nan"), 1.0))
    assert one != Shown(np.arange(3.0), (0.0, 1.0))
    assert one != Shown(np.arange(3.0), (1.0, float("nan")))
