"""How much of a picture is drawn on, and whose that is."""

import numpy as np
import pytest

from explorer.pages.steps.ink import drawn, empty_share, named_share, strength

GROUND = (247, 246, 242)


def picture(*rects):
    """A picture of 320 × 160 pixels of the ground with black rectangles (top, left, bottom, right)."""
    pixels = np.full((160, 320, 3), GROUND, dtype=np.uint8)
    for top, left, bottom, right in rects:
        pixels[top:bottom, left:right] = 0
    return drawn(pixels, GROUND)


def test_a_blank_page_is_empty_and_a_full_one_is_not():
    assert empty_share(picture()) == 1
    assert empty_share(picture((0, 0, 160, 320))) == 0


def test_a_square_with_one_pixel_is_not_empty():
    assert empty_share(picture((15, 15, 16, 16))) == pytest.approx(1 - 1 / (32 * 16))


@pytest.mark.parametrize(("half", "share"), [((0, 0, 80, 320), 0.5), ((0, 0, 160, 80), 0.75)])
def test_the_empty_share_is_that_of_the_squares(half, share):
    assert empty_share(picture(half)) == share


def test_a_colour_that_nobody_tells_from_the_ground_is_no_ink():
    pixels = np.full((10, 10, 3), GROUND, dtype=np.uint8)
    pixels[0, 0] = np.array(GROUND) - 3
    assert not drawn(pixels, GROUND).any()
    assert not strength(pixels, GROUND).any()
    pixels[0, 0] = 0
    assert strength(pixels, GROUND).sum() == pytest.approx(sum(GROUND) / (3 * 255))


def test_the_share_of_what_is_named_counts_ink_alone():
    ink = picture((0, 0, 10, 10), (50, 50, 60, 80))
    named = np.zeros_like(ink)
    named[:40] = True
    assert named_share(ink, named) == pytest.approx(100 / 400)
    assert named_share(picture(), named) == 0
