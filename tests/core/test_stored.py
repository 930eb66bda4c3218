"""Where a checkpoint has the numbers of an input: cells of a tensor by cells of the input, and back."""

import numpy as np

from explorer.core.stored import Stored


def test_a_part_that_is_cut_out_and_turned_is_found_in_both_directions():
    """Keys of two heads out of GPT-2's c_attn, (in, out), which has queries, keys and values side by side."""
    tensor = np.arange(4 * 18).reshape(4, 18)
    keys = np.split(tensor, 3, 1)[1].T.reshape(2, 3, 4).swapaxes(-1, -2)
    stored = Stored("c_attn.weight", tensor.shape, 6, tuple(step // tensor.itemsize for step in keys.strides))
    for index in np.ndindex(keys.shape):
        cell = stored.cell(index)
        assert tensor[cell] == keys[index]
        assert stored.index(cell, keys.shape) == index
    for row, column in ((0, 5), (0, 12), (3, 17), (4, 6), (-1, 6)):
        assert stored.index((row, column), keys.shape) is None, "a query, a value, or outside"
    assert stored.index((0,), keys.shape) is None
    assert stored.cell((0, 1)) is None


def test_an_input_that_has_grown_has_cells_that_no_tensor_has():
    table = Stored("wte.weight", (5, 4), 0, (4, 1))
    assert table.cell((4, 3)) == (4, 3)
    assert table.cell((5, 0)) is None
    assert Stored("wte.weight").cell((0, 0)) is None, "only its name is known"
