"""What is compared does the same. Nothing here is timed."""

import numpy as np

from benchmarks import generating


def test_the_straight_line_writes_what_the_decoder_writes():
    decoder, straight = generating.both(layers=2, heads=2, d_model=8, room=9, words=11)
    assert decoder.cached
    for word in (3, 1, 4, 1, 5, 9, 2, 6):
        np.testing.assert_allclose(straight.read(word), decoder.read([word]), rtol=1e-4, atol=1e-6)


def test_the_limit_is_what_is_asked_for():
    assert generating.LIMIT == 1.3
