"""Attention as linked matrices, as a heat map and as lines."""

import numpy as np
import pytest
from explorer.ui.widgets.attention_lines import LEAST_SHARE, AttentionLines
from explorer.ui.widgets.heat_map import HeatMap
from PySide6.QtCore import QPointF

from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.ui.selection import Cell

ENCODER = "encoder.1.self"
WHERE = [
    ("you-are-welcome", f"{ENCODER}.attention", f"{ENCODER}.head.1.weights"),
    ("you-are-welcome", "decoder.1.cross.attention", "decoder.1.cross.head.1.weights"),
    ("emma", "attention", "weights"),
    ("translation-lookup", "attention", "weights"),
]


def heat_map(window, name):
    """The heat map of these weights: in a decoder there are two."""
    (found,) = [heat for heat in window.page().findChildren(HeatMap) if heat.name == name]
    return found


def shorts(window, eye):
    return [name.rpartition(".")[2] for name in eye.views(window)]


# Matrices


def test_self_attention_from_queries_to_output(at, eye):
    assert set(shorts(at(), eye)) == {
        *("Q", "K", "scores", "scaled", "weights", "V", "output"),
        *("H", "W_Q", "W_K", "W_V", "scale"),
    }


def test_a_masked_one_shows_its_mask(at, eye):
    window = at("you-are-welcome", "decoder.1.self.attention")
    assert "masked" not in shorts(window, eye)
    window.bench.document.do(SetSwitch("decoder.1.self", "mask", "causal"))
    eye.settle(window)
    assert {"mask", "masked"} <= set(shorts(window, eye))
    assert eye.texts(eye.views(window)["decoder.1.self.mask"]) == [["1", "0", "0"], ["1", "1", "0"], ["1", "1", "1"]]


def test_cross_attention_shows_both_that_it_reads(at, eye):
    window = at("you-are-welcome", "decoder.1.cross.attention")
    graph = window.bench.document.engine.graph
    queries, keys = (graph.nodes[f"decoder.1.cross.{letter}"].parents[0] for letter in "QK")
    assert queries != keys
    assert {queries, keys} <= set(eye.views(window))
    view = eye.views(window)["decoder.1.cross.head.1.weights"]
    assert view.matrix.axes == ("target", "source")


def test_attention_lessons_have_what_they_were_given(at, eye):
    emma = at("emma", "attention")
    assert set(shorts(emma, eye)) == {"Q", "K", "scores", "weights"}
    assert emma.bench.document.engine.graph.nodes["Q"].axes == ("feature", "query")
    lookup = at("translation-lookup", "attention")
    assert set(shorts(lookup, eye)) == {"Q", "K", "scores", "scaled", "weights", "V", "output"} | (
        {"scale"} & set(shorts(lookup, eye))
    )


# The heat map


@pytest.mark.parametrize(("lesson", "stage", "name"), WHERE)
def test_the_heat_map_is_the_weights(at, eye, lesson, stage, name):
    window = at(lesson, stage)
    heat = heat_map(window, name)
    assert np.array_equal(heat._image.image, eye.value(window, name))
    assert tuple(heat._image.levels) == (0.0, 1.0)
    engine = window.bench.document.engine
    place = engine.graph.place(name)
    words = [engine.labels(axis) for axis in engine.graph.axes_of(place)]
    for side, labels in zip(("left", "top"), words, strict=True):
        axis = heat.getAxis(side)
        assert axis.words == labels
        assert [i for i, _ in axis.written()] == list(range(len(labels)))
    assert words[0][0] in heat.accessibleName()


def test_the_heat_map_follows_edits_heads_and_words(at, eye, hand):
    window = at()
    heat = eye.plot(window, HeatMap)

    def same(head):
        return np.array_equal(heat._image.image, eye.value(window, f"{ENCODER}.head.{head}.weights"))

    before = heat._image.image.copy()
    window.bench.document.do(SetCells("source.table", {(0, 0): 9.0}))
    eye.settle(window)
    assert same(1)
    assert not np.array_equal(heat._image.image, before)
    window.bench.selection.set_head(1)
    eye.settle(window)
    assert same(2)
    assert not same(1)
    window.bench.document.do(SetTokens("source", ("You", "are", "very", "welcome")))
    eye.settle(window)
    assert heat._image.image.shape == (4, 4)
    assert same(2)


def test_its_range_of_colours_never_moves(at, eye):
    window = at()
    heat = eye.plot(window, HeatMap)
    window.bench.document.do(PinCells(f"{ENCODER}.weights", {(0, 0, 0): 25.0, (0, 1, 1): np.nan, (0, 2, 2): np.inf}))
    eye.settle(window)
    assert tuple(heat._image.levels) == (0.0, 1.0)
    assert not window.grab().isNull()


def square(heat, row, column):
    """The middle of a square, in the picture's own pixels."""
    scene = heat.getViewBox().mapViewToScene(QPointF(column + 0.5, row + 0.5))
    return heat.mapFromScene(scene)


@pytest.mark.parametrize(("lesson", "stage", "name"), WHERE)
def test_pointing_at_a_square_is_pointing_at_the_cell(at, eye, hand, qtbot, lesson, stage, name):
    window = at(lesson, stage)
    heat = heat_map(window, name)
    place = window.bench.document.engine.graph.place(name)
    rows, columns = eye.value(window, name).shape
    for row, column in ((0, 0), (rows - 1, 1), (1, columns - 1)):
        hand.hover(heat, square(heat, row, column))
        expected = Cell(place.node, (*place.index, row, column))
        qtbot.waitUntil(lambda expected=expected: window.bench.selection.cell == expected)
        assert eye.views(window)[name].marks(row, column)[0]
        assert heat._frame.isVisible()
        frame = heat._frame.rect()
        assert (frame.x(), frame.y(), frame.width(), frame.height()) == (column, row, 1, 1)


def test_a_cell_pointed_at_in_the_matrix_is_framed_in_the_picture(at, eye, hand):
    window = at()
    heat = eye.plot(window, HeatMap)
    view = eye.views(window)[f"{ENCODER}.head.1.weights"]
    hand.hover(view, hand.cell(view, 2, 1))
    assert heat._frame.isVisible()
    assert (heat._frame.rect().x(), heat._frame.rect().y()) == (1, 2)
    other = eye.views(window)[f"{ENCODER}.head.1.Q"]
    hand.hover(other, hand.cell(other, 0, 0))
    assert not heat._frame.isVisible()


def test_beside_the_squares_nothing_is_pointed_at(at, eye, hand):
    window = at()
    heat = eye.plot(window, HeatMap)
    hand.hover(heat, heat.rect().topLeft() + heat.rect().center() / 50)
    assert window.bench.selection.cell is None


def test_the_wheel_over_a_picture_is_left_to_the_page(at, eye, hand):
    window = at()
    window.resize(1000, 600)
    eye.settle(window)
    heat = eye.plot(window, HeatMap)
    bar = window.page().verticalScrollBar()
    at = square(heat, 1, 1)
    shown = heat.getViewBox().viewRect()
    hand.hover(heat, at)
    before = bar.value()
    hand.wheel(heat, at, -1 if before < bar.maximum() else 1)
    assert bar.value() != before
    assert heat.getViewBox().viewRect() == shown


# The lines


@pytest.mark.parametrize(("lesson", "stage", "name"), WHERE)
def test_the_lines_are_the_weights(at, eye, lesson, stage, name):
    window = at(lesson, stage)
    lines = eye.plot(window, AttentionLines)
    weights = eye.value(window, name)
    assert np.array_equal(lines._lines.weights, weights)
    rows, columns = weights.shape
    assert lines._lines.boundingRect().height() == max(rows, columns)
    assert f"{rows} queries" in lines.accessibleName()


def test_the_lines_follow_edits_and_heads(at, eye):
    window = at()
    lines = eye.plot(window, AttentionLines)
    window.bench.document.do(SetCells("source.table", {(0, 0): 9.0}))
    eye.settle(window)
    assert np.array_equal(lines._lines.weights, eye.value(window, f"{ENCODER}.head.1.weights"))
    window.bench.selection.set_head(1)
    eye.settle(window)
    assert np.array_equal(lines._lines.weights, eye.value(window, f"{ENCODER}.head.2.weights"))


def test_a_thick_line_has_more_ink_than_a_thin_one(at, eye):
    window = at("translation-lookup", "attention")
    lines = eye.plot(window, AttentionLines)

    def ink():
        image = lines.grab().toImage()
        ground = image.pixel(image.width() // 2, 1)
        return sum(image.pixel(x, y) != ground for x in range(40, image.width() - 90) for y in range(image.height()))

    many = ink()
    window.bench.document.do(PinCells("weights", {(i, j): 0.0 for i in range(2) for j in range(3)}))
    eye.settle(window)
    none = ink()
    window.bench.document.do(PinCells("weights", {(0, 0): 5 * LEAST_SHARE}))
    eye.settle(window)
    thin = ink()
    window.bench.document.do(PinCells("weights", {(0, 0): 1.0}))
    eye.settle(window)
    assert none < thin < ink()
    assert many > none


def test_a_word_lights_up_its_lines(at, eye, hand):
    window = at()
    lines = eye.plot(window, AttentionLines)
    hand.click(window.tokens._strips["source"].chips[1])
    assert (lines._lines.query, lines._lines.key) == (1, None)
    hand.click(window.tokens._strips["source"].chips[1])
    view = eye.views(window)[f"{ENCODER}.head.1.weights"]
    hand.hover(view, hand.cell(view, 2, 0))
    assert (lines._lines.query, lines._lines.key) == (2, 0)
    view = eye.views(window)["source.H"]
    hand.hover(view, hand.cell(view, 0, 0))
    assert (lines._lines.query, lines._lines.key) == (None, None)


def test_in_cross_attention_either_side_lights_up(at, eye, hand):
    window = at("you-are-welcome", "decoder.1.cross.attention")
    lines = eye.plot(window, AttentionLines)
    hand.click(window.tokens._strips["target"].chips[2])
    assert (lines._lines.query, lines._lines.key) == (2, None)
    hand.click(window.tokens._strips["source"].chips[1])
    assert (lines._lines.query, lines._lines.key) == (None, 1)
