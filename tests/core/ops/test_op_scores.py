import numpy as np
import pytest

from explorer.core.ops import ScaleFactor, Scores

Q = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]])
K = np.array([[6.0, 8.0], [-4.0, 3.0], [0.0, 0.0], [-2.0, 0.0]])


def test_dot():
    np.testing.assert_array_equal(Scores().forward(Q, K), [[50, 0, 0, -6], [0, 0, 0, 0], [6, -4, 0, -2]])


def test_cosine_is_zero_with_a_vector_that_has_no_direction():
    expected = [[1, 0, 0, -0.6], [0, 0, 0, 0], [0.6, -0.8, 0, -1]]
    np.testing.assert_allclose(Scores("cosine").forward(Q, K), expected, atol=1e-15)


@pytest.mark.parametrize("similarity", ["dot", "cosine"])
def test_the_layout_with_tokens_in_columns_gives_the_same_scores(similarity):
    by_columns = Scores(similarity, columns=True).forward(Q.T.copy(), K.T.copy())
    np.testing.assert_allclose(by_columns, Scores(similarity).forward(Q, K), rtol=1e-14)


def test_scale_factors():
    factors = {kind: float(ScaleFactor(kind, 16).forward()) for kind in ("1/d_k", "1/sqrt(d_k)")}
    assert factors == {"1/d_k": 1 / 16, "1/sqrt(d_k)": 1 / 4}
