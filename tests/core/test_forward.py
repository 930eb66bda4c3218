"""What a forward pass is made of; passes themselves are in test_engine.py."""

import numpy as np
import pytest

from explorer.core.forward import Pin, same_bytes

nan = np.nan


def test_a_pin_keeps_the_type_of_the_numbers():
    held = Pin(np.array([True, False]), np.array([2.0, 0.0]))
    for dtype in ("float32", "int64"):
        over = held.over(np.array([0, 1], dtype))
        assert over.dtype == dtype
        assert over.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ([1.0, 2.0], [1.0, 2.0], True),
        ([1.0, nan], [1.0, nan], True),
        ([0.0], [-0.0], False),
        ([1.0], [[1.0]], False),
        (np.array([1], "int64"), np.array([1], "int32"), False),
        (np.zeros(1000), np.zeros(1000), True),
        (np.zeros(1000), np.eye(1, 1000, 999)[0], False),
        (np.arange(1000.0).reshape(10, 100).T, np.arange(1000.0).reshape(10, 100).T.copy(), True),
    ],
)
def test_same_bytes(a, b, same):
    assert same_bytes(np.array(a), np.array(b)) is same


def large(*cells):
    """Enough numbers to be compared in blocks, 1 in some cells."""
    array = np.zeros(200_000)
    array[list(cells)] = 1
    return array


@pytest.mark.parametrize("cell", [0, 255, 256, 2**16 - 1, 2**16, 199_999])
def test_same_bytes_of_large_arrays_sees_any_cell(cell):
    assert not same_bytes(large(), large(cell))
    assert same_bytes(large(cell), large(cell))
    assert not same_bytes(large(), -large())
    assert same_bytes(large() * nan, large() * nan)
