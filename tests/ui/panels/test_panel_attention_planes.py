"""Attention: the planes before and behind W_Q, W_K and W_V, and where the words are moved."""

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from explorer.document.commands import SetCells, SetSwitch
from explorer.lessons.loader import load
from explorer.ui.widgets.boxes import SpinBox

BLOCK = "encoder.1.self"
HEAD = f"{BLOCK}.head.1"


def planes(panel):
    """Every picture by its name, those before a matrix as "before"."""
    from explorer.ui.widgets.warp import Moved, Warp

    found = {}
    for plane in [*panel.findChildren(Warp), *panel.findChildren(Moved)]:
        short = plane.name.rpartition(".")[2]
        found[short if isinstance(plane, Moved) or plane._after else f"before {short}"] = plane
    return found


def box(panel, name):
    return next(spin for spin in panel.findChildren(SpinBox) if spin.accessibleName() == name)


def test_a_grid_is_laid_as_the_matrix_lays_it(at, eye):
    window = at()
    shown = planes(eye.go_to(window, f"{BLOCK}.attention"))
    assert set(shown) == {"before W_Q", "W_Q", "W_K", "W_V", "output"}
    H, Q, W = (eye.value(window, name) for name in ("source.H", f"{HEAD}.Q", f"{HEAD}.W_Q"))
    np.testing.assert_array_equal(shown["before W_Q"].picture.matrix, np.eye(2))
    np.testing.assert_array_equal(shown["before W_Q"].picture.points, H[:, :2])
    np.testing.assert_array_equal(shown["W_Q"].picture.matrix, W[:2, :2])
    np.testing.assert_array_equal(shown["W_Q"].picture.points, Q[:, :2])
    window.bench.document.do(SetCells(f"{HEAD}.W_Q", {(0, 1): 3.0}))
    window.bench.document.do(SetSwitch(BLOCK, "weights", "W x"))
    eye.settle(window)
    shown = planes(eye.go_to(window, f"{BLOCK}.attention"))
    np.testing.assert_array_equal(shown["W_Q"].picture.matrix, eye.value(window, f"{HEAD}.W_Q").T[:2, :2])


def test_other_dimensions_are_chosen_by_hand(at, eye):
    window = at()
    panel = eye.go_to(window, f"{BLOCK}.attention")
    shown, W = planes(panel), eye.value(window, f"{HEAD}.W_Q")
    QTest.keyClick(box(panel, "Before: dimension across"), Qt.Key.Key_Up)
    QTest.keyClick(box(panel, "Behind W_Q: dimension up"), Qt.Key.Key_Up)
    np.testing.assert_array_equal(shown["before W_Q"].picture.points, eye.value(window, "source.H")[:, [1, 1]])
    np.testing.assert_array_equal(shown["W_Q"].picture.matrix, W[np.ix_([1, 1], [0, 2])])
    np.testing.assert_array_equal(shown["W_K"].picture.matrix, eye.value(window, f"{HEAD}.W_K")[np.ix_([1, 1], [0, 1])])


def test_words_go_from_their_value_to_the_output(at, eye):
    window = at()
    moved = planes(eye.go_to(window, f"{BLOCK}.attention"))["output"]
    for head in (1, 2):
        np.testing.assert_array_equal(moved.picture.starts, eye.value(window, f"{BLOCK}.head.{head}.V")[:, :2])
        np.testing.assert_array_equal(moved.picture.points, eye.value(window, f"{BLOCK}.head.{head}.output")[:, :2])
        window.bench.selection.set_head(1)
        eye.settle(window)
    assert "You from (" in moved.accessibleName()


def test_dimensions_in_which_all_words_are_alike_are_not_the_first_to_be_drawn(at, eye):
    window = at("i-want-to-buy", f"{BLOCK}.attention")
    shown = planes(eye.go_to(window, f"{BLOCK}.attention"))
    assert shown["W_V"].dimensions.pair == [4, 5]
    assert shown["W_Q"].dimensions.pair == [0, 1]


def test_between_two_sentences_each_has_its_own_plane(at, eye):
    window = at(stage="decoder.1.cross.attention")
    shown = planes(eye.go_to(window, "decoder.1.cross.attention"))
    assert set(shown) == {"before W_Q", "before W_K", "W_Q", "W_K", "W_V"}
    assert tuple(shown["before W_Q"].picture.labels) == ("<start>", "de", "nada")
    assert tuple(shown["before W_K"].picture.labels) == ("You", "are", "welcome")


def test_numbers_that_cannot_be_drawn_stop_nothing(at, eye):
    window = at()
    for value in (1e308, float("nan"), float("-inf")):
        window.bench.document.do(SetCells(f"{HEAD}.W_V", {(0, 0): value}))
        eye.settle(window)
        assert all(not plane.grab().isNull() for plane in planes(eye.go_to(window, f"{BLOCK}.attention")).values())


def test_a_narrower_model_has_fewer_dimensions(at, eye):
    window = at("i-want-to-buy", f"{BLOCK}.attention")
    window.bench.open(load("positions-cat-mat"), "off-swapped")
    eye.settle(window)
    shown = planes(eye.go_to(window, f"{BLOCK}.attention"))
    assert shown["W_V"].dimensions.pair == [0, 1]
    np.testing.assert_array_equal(shown["W_V"].picture.points, eye.value(window, f"{HEAD}.V")[:, :2])
