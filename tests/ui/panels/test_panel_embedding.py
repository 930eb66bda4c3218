"""Tokens and embeddings: word number, one-hot row, table, and the vectors in a plane."""

import numpy as np
import pytest
from explorer.ui.widgets.plane import Plane
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSpinBox

from explorer.document.commands import SetCells, SetSwitch, SetTokens


@pytest.fixture
def panel(window, eye):
    return eye.go_to(window, "source.embedding")


@pytest.fixture
def plane(window, eye, panel):
    return eye.plot(window, Plane)


def test_a_word_number_picks_a_row_of_the_table(window, eye, panel):
    views = eye.views(window)
    assert list(views) == ["source.tokens", "source.onehot", "source.table", "source.X"]
    assert eye.texts(views["source.tokens"]) == [["0", "1", "2"]]
    assert [[float(t) for t in row] for row in eye.texts(views["source.onehot"])] == np.eye(3).tolist()
    assert views["source.table"].matrix.editable
    assert not views["source.X"].matrix.editable
    window.bench.document.do(SetCells("source.tokens", {(0,): 2}))
    eye.settle(window)
    assert eye.texts(views["source.X"])[0] == eye.texts(views["source.table"])[2]


def test_looked_up_by_number_there_is_no_one_hot(window, eye, panel):
    window.bench.document.do(SetSwitch("source", "lookup", "index"))
    eye.settle(window)
    assert list(eye.views(window)) == ["source.tokens", "source.table", "source.X"]


def test_the_plane_shows_the_rows_of_the_table(window, eye, plane):
    table = eye.value(window, "source.table")
    assert np.array_equal(plane._arrows.points, table[:, :2])
    assert plane._arrows.labels == ("You", "are", "welcome")
    assert "You (0.10, 0.20)" in plane.accessibleName()
    window.bench.document.do(SetCells("source.table", {(1, 0): 4.5}))
    eye.settle(window)
    assert plane._arrows.points[1].tolist() == [4.5, 0.5]
    reach = plane.getViewBox().viewRect()
    assert reach.left() < -4.5
    assert reach.right() > 4.5


def test_which_dimensions_the_plane_shows(window, hand, eye, plane, panel):
    across, up = (
        eye.by_name(panel, f"Plane {title}: dimension", QSpinBox) for title in ("across", "up")
    )  # fmt: skip
    assert (across.value(), up.value()) == (1, 2)
    assert across.maximum() == up.maximum() == 4
    across.setFocus()
    hand.key(Qt.Key.Key_Up, times=2)
    up.setFocus()
    hand.key(Qt.Key.Key_Up, times=9)
    assert (across.value(), up.value()) == (3, 4)
    assert np.array_equal(plane._arrows.points, eye.value(window, "source.table")[:, 2:])
    assert plane.getAxis("bottom").labelText == "dimension 3"


def test_new_words_are_in_the_plane_and_those_in_the_sentence_stand_out(window, eye, plane):
    window.bench.document.do(SetTokens("source", ("You", "rock")))
    eye.settle(window)
    plane = eye.plot(window, Plane)
    assert plane._arrows.labels == ("You", "are", "welcome", "rock")
    assert plane._arrows.strong == {0, 3}


def test_a_word_or_a_cell_lights_up_its_arrow(window, hand, eye, plane):
    hand.click(window.tokens._strips["source"].chips[2])
    assert plane._arrows.here == 2
    hand.click(window.tokens._strips["source"].chips[2])
    view = eye.views(window)["source.table"]
    hand.hover(view, hand.cell(view, 1, 3))
    assert plane._arrows.here == 1
    hand.hover(view, hand.label(view, Qt.Orientation.Vertical, 0))
    assert plane._arrows.here == 0


def test_what_is_no_number_has_no_arrow(window, eye, plane):
    window.bench.document.do(SetCells("source.table", {(0, 0): np.nan, (1, 0): np.inf}))
    eye.settle(window)
    assert not plane.grab().isNull()
    assert np.isfinite(plane.getViewBox().viewRect().width())


def test_the_decoders_words_have_a_page_of_their_own(window, eye):
    eye.go_to(window, "target.embedding")
    assert list(eye.views(window))[2] == "target.table"
    plane = eye.plot(window, Plane)
    assert plane._arrows.labels[:3] == ("<start>", "de", "nada")


@pytest.mark.parametrize("value", [1e308, -1e300, float("inf"), float("nan")])
def test_a_number_that_cannot_be_drawn_stops_nothing(window, eye, value):
    eye.go_to(window, "source.embedding")
    window.bench.document.do(SetCells("source.table", {(0, 0): value}))
    eye.settle(window)
    assert not window.grab().isNull()


@pytest.mark.parametrize("value", [1e308, float("inf"), float("nan")])
def test_nor_does_one_in_a_vector(open_window, eye, value):
    window = open_window("two-vectors")
    eye.go_to(window, "vectors")
    window.bench.document.do(SetCells("x", {(0, 0): value}))
    eye.settle(window)
    assert not window.grab().isNull()
