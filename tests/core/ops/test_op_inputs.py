import numpy as np

from explorer.core.ops import Input


def test_starting_values_depend_on_name_and_seed_alone():
    start = Input().start
    weights = start("encoder.1.self.W_Q", (2, 4, 3), "float64", 7)
    np.testing.assert_array_equal(start("encoder.1.self.W_Q", (2, 4, 3), "float64", 7), weights)
    assert (start("encoder.1.self.W_K", (2, 4, 3), "float64", 7) != weights).all()
    assert (start("encoder.1.self.W_Q", (2, 4, 3), "float64", 8) != weights).all()
    assert np.abs(weights).max() <= np.sqrt(6 / 7)  # Glorot & Bengio 2010
    assert start("a", (2,), "float32", 0).dtype == "float32"


def test_other_starting_values():
    assert Input("zeros").start("b", (2,), "float32", 0).tolist() == [0, 0]
    assert Input("ones").start("gamma", (2,), "float64", 0).tolist() == [1, 1]
    ids = Input("ids").start("tokens", (2,), "float64", 0)
    assert ids.tolist() == [0, 0]
    assert ids.dtype == np.int64
