"""The line with the least squared error."""

import numpy as np

from explorer.core.explain import Source, operands
from explorer.core.ops import Intercept, Slope

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
