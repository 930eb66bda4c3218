"""Pictures that move: each frame is another moment, and the window does not move with them."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image, ImageSequence

from explorer.ui.animation import MOST, _some, frames, gif, pngs
from tests.refusals import refuses

ATTENTION = "encoder.1.self.attention"


def shown(picture):
    return [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(picture)]


def test_attention_word_by_word_while_the_window_stays_as_it_is(window, eye):
    window.bench.selection.set_head(1)
    told = []
    moving = frames(window.bench, ATTENTION, on=lambda number, of: told.append((number, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert window.bench.selection.chosen_token is None
    assert "Matrix encoder.1.self.head.2.scores" in moving.words, "the head that is looked at"
    with Image.open(BytesIO(gif(moving))) as picture:
        assert (picture.n_frames, picture.info["loop"]) == (3, 0)
        assert b"The last is Word 3 of 3: welcome." in picture.info["comment"]
        first, second, third = shown(picture)
    assert not np.array_equal(first, second)
    assert not np.array_equal(second, third)
    exact = [np.asarray(Image.open(BytesIO(png)).convert("RGB")).astype(int) for png in pngs(moving)]
    assert np.abs(exact[1] - second).mean() < 2, "256 colours are enough"


@pytest.mark.parametrize("lesson", ["xor"])
def test_a_model_that_learns_shows_what_it_learns_and_the_document_learns_nothing(open_window, lesson):
    window = open_window(lesson)
    window.bench.open(window.bench.lesson, "random")
    window.bench.bridge.flush()
    before = window.bench.document.state
    moving = frames(window.bench, "layer.2", steps=30)
    assert len(moving.images) == 31
    assert "The last is After 30 steps." in moving.words
    assert window.bench.document.state is before
    assert moving.images[0] != moving.images[-1]


def test_where_nothing_moves_that_is_said(open_window):
    window = open_window("two-vectors")
    with refuses("Nothing moves on the page"):
        frames(window.bench, window.bench.document.engine.graph.stages[0].name)


def test_a_long_way_is_shown_by_some_of_its_moments_with_both_ends():
    assert _some(3) == [0, 1, 2, 3]
    long = _some(1000)
    assert (len(long), long[0], long[-1]) == (MOST, 0, 1000)
