"""Level lines: where they run, and that they have no gaps."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from explorer.pages.contour import level_lines

X, Y = np.linspace(-1, 1, 9), np.linspace(0, 3, 7)


def test_of_a_plane_it_is_the_straight_line():
    surface = 2 * X + Y[:, None]
    pieces = level_lines(surface, X, Y, 1.5)
    assert len(pieces)
    np.testing.assert_allclose(2 * pieces[..., 0] + pieces[..., 1], 1.5, atol=1e-12)


def test_of_one_square_it_is_exact():
    ends = level_lines(np.array([[-1.0, 3.0], [-1.0, 3.0]]), np.array([0.0, 1.0]), np.array([0.0, 2.0]), 0.0)
    np.testing.assert_allclose(sorted(ends[0].tolist()), [[0.25, 0.0], [0.25, 2.0]])


def test_around_a_hill_it_is_closed():
    surface = -(X**2) - (Y[:, None] - 1.5) ** 2
    ends = Counter(tuple(np.round(end, 9)) for piece in level_lines(surface, X, Y, -0.7) for end in piece)
    assert set(ends.values()) == {2}


@pytest.mark.parametrize("surface", [np.zeros((7, 9)), np.full((7, 9), np.nan), np.full((7, 9), np.inf)])
def test_where_nothing_crosses_there_is_no_line(surface):
    assert level_lines(surface, X, Y, 0.5).shape == (0, 2, 2)


@given(hnp.arrays(float, (7, 9), elements=st.floats(allow_nan=True, allow_infinity=True)), st.floats(-10, 10))
def test_whatever_the_numbers_the_pieces_lie_on_the_map(surface, level):
    pieces = level_lines(surface, X, Y, level)
    assert np.isfinite(pieces).all()
    assert ((pieces >= [X[0] - 1e-9, Y[0] - 1e-9]) & (pieces <= [X[-1] + 1e-9, Y[-1] + 1e-9])).all()
