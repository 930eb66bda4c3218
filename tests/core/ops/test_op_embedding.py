import numpy as np

from explorer.core.ops import LookUp, MatMul, OneHot


def test_a_one_hot_row_times_the_table_is_the_row_of_the_word():
    tokens, table = np.array([2, 0, 2]), np.array([[1.5, 2.0], [3.0, 4.0], [-5.0, 6.25]])
    onehot = OneHot(3).forward(tokens)
    np.testing.assert_array_equal(onehot, [[0, 0, 1], [1, 0, 0], [0, 0, 1]])
    np.testing.assert_array_equal(MatMul().forward(onehot, table), LookUp().forward(tokens, table))
