import numpy as np

from explorer.core.ops import CausalMask, CausalPaddingMask, Mask, PaddingMask, RelatedMask


def test_masks():
    np.testing.assert_array_equal(CausalMask(3).forward(), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    np.testing.assert_array_equal(PaddingMask(3, 2).forward(np.array([0, 3, 1])), [[1, 0, 1], [1, 0, 1]])


def test_mask_hides_even_nan():
    masked = Mask().forward(np.array([[1.0, np.nan, 3.0]]), np.array([[1, 0, 0.5]]))
    np.testing.assert_array_equal(masked, [[1, -np.inf, 3]])


def test_a_window_ends_behind_and_never_before_the_token_itself():
    np.testing.assert_array_equal(CausalMask(4, 1).forward(), np.eye(4))
    np.testing.assert_array_equal(CausalMask(3, 2).forward(), [[1, 0, 0], [1, 1, 0], [0, 1, 1]])
    np.testing.assert_array_equal(CausalMask(3, 9).forward(), CausalMask(3).forward())


def test_related_is_what_has_something_in_common():
    np.testing.assert_array_equal(RelatedMask().forward(np.array([[0.7, 0.0, -0.0, -0.7, np.nan]])), [[1, 0, 0, 0, 0]])


def test_a_decoder_needs_both_masks_at_once():
    np.testing.assert_array_equal(
        CausalPaddingMask(3, 4).forward(np.array([0, 3, 1, 3])),
        [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0], [1, 0, 1, 0]],
    )
    np.testing.assert_array_equal(
        CausalPaddingMask(3, 3, window=2).forward(np.array([0, 1, 2])), CausalMask(3, 2).forward()
    )
