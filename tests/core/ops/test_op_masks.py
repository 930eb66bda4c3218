import numpy as np

from explorer.core.ops import CausalMask, Mask, PaddingMask


def test_masks():
    np.testing.assert_array_equal(CausalMask(3).forward(), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    np.testing.assert_array_equal(PaddingMask(3, 2).forward(np.array([0, 3, 1])), [[1, 0, 1], [1, 0, 1]])


def test_mask_hides_even_nan():
    masked = Mask().forward(np.array([[1.0, np.nan, 3.0]]), np.array([[1, 0, 0.5]]))
    np.testing.assert_array_equal(masked, [[1, -np.inf, 3]])
