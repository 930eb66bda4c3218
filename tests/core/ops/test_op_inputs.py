from zlib import crc32

import numpy as np
import pytest

from explorer.core.ops import Input
from explorer.core.ops.inputs import INITIALISERS


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


@pytest.mark.parametrize("initialiser", INITIALISERS)
@pytest.mark.parametrize(
    ("shape", "corner"),
    [
        ((), ()),
        ((5,), (3,)),
        ((5, 4), (3, 4)),
        ((5, 4), (5, 2)),
        ((5, 4), (3, 2)),
        ((2, 5, 4), (2, 3, 2)),
        ((5, 4), (5, 4)),
        ((400, 400), (1, 1)),
        ((400, 400), (399, 400)),
    ],
)
def test_the_start_of_an_array_is_the_same_where_a_corner_of_it_is_left_out(initialiser, shape, corner):
    op = Input()
    whole = op.start("input.table", shape, "float32", 3, initialiser)
    array = np.full(shape, np.nan, dtype="float32")
    op.write_start(array, "input.table", 3, initialiser, corner)
    left_out = tuple(map(slice, corner))
    assert np.isnan(array[left_out]).all()
    array[left_out] = whole[left_out]
    assert array.tobytes() == whole.tobytes()


@pytest.mark.parametrize("initialiser", INITIALISERS)
def test_weights_start_as_numpy_draws_them_at_once(initialiser):
    shape = (300, 500)  # several blocks
    at_once = {
        "xavier": lambda random: random.uniform(-np.sqrt(6 / 800), np.sqrt(6 / 800), shape),
        "uniform": lambda random: random.uniform(-1, 1, shape),
        "he": lambda random: random.normal(0, np.sqrt(2 / 300), shape),
        "zeros": lambda random: np.zeros(shape),
    }
    expected = at_once[initialiser](np.random.default_rng([7, crc32(b"layer.1.W")]))
    assert Input().start("layer.1.W", shape, "float64", 7, initialiser).tobytes() == expected.tobytes()
