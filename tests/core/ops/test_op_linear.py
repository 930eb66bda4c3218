import numpy as np

from explorer.core.ops import Concat, MatMul


def test_concat_puts_the_heads_side_by_side():
    heads = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    np.testing.assert_array_equal(Concat().forward(heads), [[1, 2, 5, 6], [3, 4, 7, 8]])


def test_a_layer_as_x_w_and_as_printed_w_x():
    x, W, b = np.array([[1.0, 2.0]]), np.array([[1.0, 10.0], [100.0, 1000.0]]), np.array([0.5, 0.25])
    np.testing.assert_array_equal(MatMul().forward(x, W, b), [[201.5, 2010.25]])
    np.testing.assert_array_equal(MatMul(transposed=True).forward(x, W, b), [[21.5, 2100.25]])
