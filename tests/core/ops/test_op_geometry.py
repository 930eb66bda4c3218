import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from explorer.core.ops import Angle, Cosine, Length, Scores, ShadowFactor, Subtract

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
