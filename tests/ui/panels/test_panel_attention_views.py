"""Two attentions beside each other, the mean over the heads, changes and gradients, padding."""

import numpy as np
import pytest
from explorer.ui.widgets.attention_lines import AttentionLines
from explorer.ui.widgets.heat_map import HeatMap
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.lessons.new import new_lesson
from explorer.ui.selection import Cell

ENCODER = "encoder.1.self"


def heat_map(window, name):
    """The heat map of these weights: in a decoder there are two."""
    (found,) = [heat for heat in window.page().findChildren(HeatMap) if heat.name == name]
    return found


def square(heat, row, column):
    """The middle of a square, in the picture's own pixels."""
    return heat.mapFromScene(heat.getViewBox().mapViewToScene(QPointF(column + 0.5, row + 0.5)))


# A decoder's two attentions


@pytest.mark.parametrize("stage", ["decoder.1.self.attention", "decoder.1.cross.attention"])
def test_in_a_decoder_source_and_target_stand_beside_the_targets_own(at, eye, hand, stage):
    window = at("you-are-welcome", stage)
    own, other = (heat_map(window, f"decoder.1.{kind}.head.1.weights") for kind in ("self", "cross"))
    assert own._caption.text() == "Self-attention: target → target"
    assert other._caption.text() == "Cross-attention: target → source"
    assert own.mapToGlobal(own.rect().topLeft()).y() == other.mapToGlobal(other.rect().topLeft()).y()
    assert other.getAxis("left").words == own.getAxis("left").words == own.getAxis("top").words
    assert other.getAxis("top").words == ("You", "are", "welcome")
    hand.hover(own, square(own, 1, 0))
    assert window.bench.selection.cell == Cell("decoder.1.self.weights", (0, 1, 0))
    hand.hover(other, square(other, 2, 1))
    assert window.bench.selection.cell == Cell("decoder.1.cross.weights", (0, 2, 1))


def test_the_one_beside_follows_its_own_edits_heads_and_switches(at, eye):
    window = at("you-are-welcome", "decoder.1.cross.attention")
    window.bench.document.do(SetSwitch("decoder.1.self", "heads", 2))
    eye.settle(window)
    window.bench.selection.set_head(1)
    name = "decoder.1.self.head.2.weights"
    assert np.array_equal(heat_map(window, name)._image.image, eye.value(window, name))
    window.bench.document.do(PinCells(name, {(0, 0): 0.625}))
    eye.settle(window)
    assert heat_map(window, name)._image.image[0, 0] == 0.625


@pytest.mark.parametrize("width", [1280, 1600])
def test_of_long_texts_the_two_share_the_width(open_window, eye, width):
    texts = [" ".join(f"{word}{i}" for i in range(60)) for word in ("source", "target")]
    window = open_window(new_lesson("encoder-decoder", texts))
    window.resize(width, 720)
    eye.go_to(window, "decoder.1.cross.attention")
    eye.settle(window)
    own, other = (heat_map(window, f"decoder.1.{kind}.head.1.weights") for kind in ("self", "cross"))
    assert own.mapToGlobal(own.rect().topLeft()).y() == other.mapToGlobal(other.rect().topLeft()).y()
    assert own.width() + other.width() > 0.7 * window.page().viewport().width()


# Heads averaged


def test_the_mean_over_the_heads_is_chosen_like_a_head(at, eye, hand):
    window = at()
    hand.click(eye.by_name(window.page(), "Head averaged", QPushButton))
    eye.settle(window)
    name = f"{ENCODER}.average"
    mean = eye.value(window, f"{ENCODER}.weights").mean(0)
    assert list(eye.views(window)) == [name]
    assert np.array_equal(eye.views(window)[name].array, mean)
    assert np.array_equal(heat_map(window, name)._image.image, mean)
    assert np.array_equal(eye.plot(window, AttentionLines)._lines.weights, mean)
    assert "Encoder 1: Self-attention, heads averaged" in [label.text() for label in window.page().findChildren(QLabel)]
    heat = heat_map(window, name)
    hand.hover(heat, square(heat, 1, 2))
    assert window.bench.selection.cell == Cell(name, (1, 2))
    hand.click(eye.by_name(window.page(), "Head 2", QPushButton))
    eye.settle(window)
    assert f"{ENCODER}.head.2.weights" in eye.views(window)
    assert name not in eye.views(window)
    assert heat.name == f"{ENCODER}.head.2.weights"


def test_where_there_is_one_head_only_that_is_shown(at, eye):
    window = at()
    window.bench.selection.set_head(None)
    eye.go_to(window, "decoder.1.cross.attention")
    assert heat_map(window, "decoder.1.cross.head.1.weights").isVisible()
    assert "decoder.1.cross.head.1.scores" in eye.views(window)
    eye.go_to(window, f"{ENCODER}.attention")
    window.bench.document.do(SetSwitch(ENCODER, "heads", 1))
    eye.settle(window)
    assert f"{ENCODER}.head.1.scores" in eye.views(window)
    assert eye.plot(window, HeatMap).name == f"{ENCODER}.head.1.weights"


# Changes and gradients


def test_the_heat_map_shows_what_the_matrices_show(at, eye):
    window = at("you-are-welcome")
    name = f"{ENCODER}.head.1.weights"
    heat, lines = heat_map(window, name), eye.plot(window, AttentionLines)
    view = eye.views(window)[name]
    window.bench.document.do(SetSwitch(ENCODER, "scale", "none"))
    window.bench.document.do(SetCells(f"{ENCODER}.head.1.W_Q", {(0, 0): 2.0}))
    eye.settle(window)
    heat, lines = heat_map(window, name), eye.plot(window, AttentionLines)
    view = eye.views(window)[name]
    for showing, words in (("change", "change by the last edit"), ("gradient", "gradient")):
        window.bench.selection.show(showing)
        assert view.array.any()
        assert np.allclose(heat._image.image, view.array / view.matrix.limit)
        assert tuple(heat._image.levels) == (-1.0, 1.0)
        assert heat._caption.text() == f"Heat map · {words}"
        assert lines._caption.text() == "Lines · the weights themselves"
        assert np.array_equal(lines._lines.weights, eye.value(window, name))
    # A gradient is another one after any edit, also of what the weights do not read.
    before = heat._image.image.copy()
    window.bench.document.do(SetCells("output.W", {(0, 0): 7.0}))
    eye.settle(window)
    assert not np.array_equal(heat._image.image, before)
    window.bench.selection.show("values")
    assert np.array_equal(heat._image.image, eye.value(window, name))
    assert (heat._caption.text(), lines._caption.text()) == ("Heat map", "Lines")


def test_a_page_out_of_sight_whose_nodes_are_gone_takes_no_harm(at, eye):
    window = at("you-are-welcome", "decoder.1.self.attention")
    window.bench.document.do(SetSwitch("decoder.1.self", "mask", "causal"))
    eye.settle(window)
    eye.go_to(window, "model.switches")
    window.bench.document.do(SetSwitch("decoder.1.self", "mask", "none"))
    window.bench.selection.show("change")
    window.bench.selection.set_head(None)
    eye.go_to(window, "decoder.1.self.attention")
    assert "masked" not in [name.rpartition(".")[2] for name in eye.views(window)]
    assert eye.views(window)["decoder.1.self.head.1.weights"].array.any()


# Padding


def test_padding_that_is_typed_gets_no_attention(at, eye, hand):
    window = at("you-are-welcome", f"{ENCODER}.attention")
    hand.double_click(window.tokens._strips["source"].chips[2])
    hand.enter("welcome <pad> <pad>")
    eye.settle(window)
    name = f"{ENCODER}.head.1.weights"
    assert (eye.value(window, name)[:, 3:] > 0).all()
    masks = eye.by_name(window.page(), f"Mask of {ENCODER}", QComboBox)
    masks.setFocus()
    hand.key(Qt.Key.Key_P)
    hand.key(Qt.Key.Key_Return)
    eye.settle(window)
    assert window.bench.document.state.model.switch(ENCODER, "mask") == "padding"
    assert eye.texts(eye.views(window)[f"{ENCODER}.mask"]) == [["1", "1", "1", "0", "0"]] * 5
    assert not eye.value(window, name)[:, 3:].any()
    assert np.allclose(eye.value(window, name).sum(-1), 1)
    assert heat_map(window, name).getAxis("top").words == ("You", "are", "welcome", "<pad>", "<pad>")


def test_a_decoder_masks_what_comes_and_padding_at_once(at, eye):
    window = at("you-are-welcome", "decoder.1.self.attention")
    window.bench.document.do(SetTokens("target", ("<start>", "de", "nada", "<pad>")))
    window.bench.document.do(SetSwitch("decoder.1.self", "mask", "causal + padding"))
    eye.settle(window)
    mask = [["1", "0", "0", "0"], ["1", "1", "0", "0"], ["1", "1", "1", "0"], ["1", "1", "1", "0"]]
    assert eye.texts(eye.views(window)["decoder.1.self.mask"]) == mask
    weights = eye.value(window, "decoder.1.self.head.1.weights")
    assert (weights > 0).astype(int).astype(str).tolist() == mask
    # By hand it goes on from there.
    window.bench.document.do(SetSwitch("decoder.1.self", "mask", "hand"))
    eye.settle(window)
    assert eye.value(window, "decoder.1.self.mask").astype(int).astype(str).tolist() == mask
    window.bench.document.do(SetCells("decoder.1.self.mask", {(0, 2): 1}))
    eye.settle(window)
    assert eye.value(window, "decoder.1.self.head.1.weights")[0, 2] > 0
