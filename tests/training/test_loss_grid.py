"""The loss over two weights: its grids, its window and its levels."""

from math import inf
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.graph import Cell
from explorer.document.commands import PinCells, SetCells, SetSwitch
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.pages.drawing import extent
from explorer.training.loss_grid import FINEST, LossGrid, Window, around, levels, moved, steepest

CELLS = (Cell("output.logits", (0, 0)), Cell("output.logits", (0, 3)))
WINDOW = Window(-1.0, 1.0, -2.0, 0.0)


@pytest.fixture
def document():
    return Document(load("cat-sat-on-the").state("script"))


def whole(grid):
    while not grid.whole:
        grid.more(perf_counter() + 1)
    return grid


def test_each_point_is_the_loss_that_the_document_would_have(document):
    grid = whole(LossGrid(document, CELLS, WINDOW))
    assert grid.surface.shape == (FINEST, FINEST)
    for i, j in ((0, 0), (4, 31), (64, 64)):
        document.do(SetCells("output.logits", {(0, 0): float(grid.x[j]), (0, 3): float(grid.y[i])}))
        assert grid.surface[i, j] == document.engine.values["loss.value"]


def test_a_few_points_come_first(document):
    grid = LossGrid(document, CELLS, WINDOW)
    assert not grid.surface.size
    assert grid.more(inf, coarse=True)
    assert grid.surface.shape == (17, 17)
    assert not grid.more(inf, coarse=True)
    coarse = grid.surface
    np.testing.assert_array_equal(whole(grid).surface[::4, ::4], coarse)


def test_it_is_of_the_moment_it_was_made_at(document):
    grid = LossGrid(document, CELLS, WINDOW)
    here = grid.at(0.0, 0.0)
    document.do(SetCells("output.logits", {(0, 1): 7.0}))
    assert grid.at(0.0, 0.0) == here


@pytest.mark.parametrize(
    ("command", "fits"),
    [
        (SetCells("output.logits", {(0, 0): 3.0, (0, 3): -1.0}), True),
        (SetCells("output.logits", {(0, 1): 3.0}), False),
        (SetCells("output.temperature", {(): 2.0}), False),
        (SetCells("loss.target", {(0,): 2}), False),
        (PinCells("output.scaled", {(0, 0): 2.0}), False),
        (SetSwitch("loss", "L_1", True), False),
    ],
)
def test_it_fits_until_anything_else_changes(document, command, fits):
    grid = LossGrid(document, CELLS, WINDOW)
    document.do(command)
    assert grid.fits() == fits


def test_two_weights_of_two_matrices():
    document = Document(load("xor").state())
    cells = Cell("layer.1.W", (0, 1)), Cell("layer.2.b", (0,))
    arrays = moved(document.state.inputs, cells, (2.5, -3.5))
    assert arrays["layer.1.W"][0, 1] == 2.5
    assert arrays["layer.2.b"][0] == -3.5
    assert LossGrid(document, cells, WINDOW).at(2.5, -3.5) == document.engine.what_if(arrays, "loss.value")


def test_the_steepest_two(document):
    # P − y of the wrong word that is likeliest, and of the right one.
    assert steepest(document, ["output.logits"]) == CELLS
    assert steepest(document, ["output.temperature"]) == (Cell("output.temperature", ()),)


numbers = st.floats(-1e9, 1e9)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5), st.tuples(numbers, numbers))
def test_the_window_holds_all_points_and_stays_while_it_does(points, another):
    window = around(*extent(np.array(points)), None)
    assert all(window.contains(*point) for point in points)
    assert around(*extent(np.array(points)), window) is window
    wider = around(*extent(np.array([*points, another])), window)
    assert wider.contains(*another)


def test_points_that_cannot_be_drawn_are_left_out():
    assert around(*extent(np.array([[np.inf, 0.0], [np.nan, 1.0]])), None) == Window(-1.0, 1.0, -1.0, 1.0)


@given(st.lists(st.floats(allow_nan=False, width=32), min_size=1, max_size=20))
def test_levels_lie_between_and_rise(heights):
    surface = np.array([heights])
    found = levels(surface)
    finite = surface[np.isfinite(surface)]
    assert found == sorted(set(found))
    assert len(found) <= 12
    assert all(finite.min() < level < finite.max() for level in found)


def test_levels_are_round():
    assert levels(np.array([[0.02, 6.0]])) == [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0]
    assert levels(np.array([[-1.0, 1.1]])) == [-0.5, 0.0, 0.5, 1.0]
    assert levels(np.array([[3.0, 3.0]])) == []
