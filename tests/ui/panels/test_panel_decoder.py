"""The pages of a decoder: cross-attention between two sentences, and what it should say."""

from itertools import pairwise

import numpy as np
import pytest
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.sentences import Sentences
from PySide6.QtCore import QPoint, QPointF

from explorer.document.commands import PinCells, SetSwitch, SetTokens
from explorer.lessons.new import new_lesson
from explorer.ui.selection import Cell

CROSS, MASKED = "decoder.1.cross.attention", "decoder.1.self.attention"

pytestmark = pytest.mark.usefixtures("no_pictures")


@pytest.fixture
def translator(open_window):
    return open_window(new_lesson("encoder-decoder", ["the cat sat", "le chat"], d_model=4, heads=2, layers=2))


def sentences(panel):
    (found,) = panel.findChildren(Sentences)
    return found


def row(picture, title):
    return next(row.words for row in picture._rows if row.title == title)


def note(panel):
    return " ".join(note.text() for note in panel.findChildren(Note))


def word(picture, axis, place, title):
    """The middle of a word."""
    layout = picture._laid(picture.width())
    found = next(w for w in layout.words if (w.axis, w.place, w.title) == (axis, place, title))
    return found.rect.center().toPoint()


def between(picture, query, key):
    """A point on the line between two words."""
    starts, ends = picture._laid(picture.width()).ends
    return (QPointF(starts[query]) * 0.7 + QPointF(ends[key]) * 0.3).toPoint()


# Both


@pytest.mark.parametrize("stage", [CROSS, MASKED])
def test_reads_should_say_and_says(translator, eye, stage):
    picture = sentences(eye.go_to(translator, stage))
    assert row(picture, "reads") == ("<start>", "le", "chat")
    assert row(picture, "should say") == ("le", "chat", "<end>")
    words = translator.bench.document.engine.labels("output.words")
    assert row(picture, "says") == tuple(words[i] for i in eye.value(translator, "output.chosen"))
    assert "should say: le chat <end>" in picture.accessibleName()


@pytest.mark.parametrize("stage", [CROSS, MASKED])
def test_another_sentence_is_followed(translator, eye, stage):
    picture = sentences(eye.go_to(translator, stage))
    translator.bench.document.do(SetTokens("target", ("<start>", "un", "autre", "chat")))
    eye.settle(translator)
    assert row(picture, "should say") == ("un", "autre", "chat", "<end>")
    translator.bench.document.do(PinCells("loss.target", {(0,): 1}))
    eye.settle(translator)
    assert row(picture, "should say") == ("le", "autre", "chat", "<end>")


def test_without_a_loss_there_is_only_what_it_says(translator, eye):
    picture = sentences(eye.go_to(translator, MASKED))
    translator.bench.document.do(SetSwitch("loss", "loss", "none"))
    eye.settle(translator)
    assert [r.title for r in picture._rows] == ["reads", "says"]
    assert "no loss" in note(translator.panel())


# Masked self-attention


def test_the_page_says_what_the_mask_is_for(translator, eye):
    eye.go_to(translator, MASKED)
    assert "The mask makes this a task" in note(translator.panel())
    assert "one place on" in note(translator.panel())
    translator.bench.document.do(SetSwitch("decoder.1.self", "mask", "none"))
    translator.bench.document.do(SetSwitch("loss", "targets", "typed"))
    eye.settle(translator)
    assert "There is no mask here" in note(translator.panel())
    assert "is typed" in note(translator.panel())


@pytest.mark.parametrize("count", [1, 40, 512])
def test_long_sentences_scroll_on_their_page(translator, eye, count):
    translator.bench.document.do(SetTokens("target", tuple(f"w{i}" for i in range(count))))
    picture = sentences(eye.go_to(translator, MASKED))
    assert len(row(picture, "reads")) == count
    assert picture.height() < 200
    assert not translator.grab().isNull()


def test_a_gpt_has_it_too(open_window, eye):
    window = open_window(new_lesson("gpt", ["the cat sat"], d_model=4))
    picture = sentences(eye.go_to(window, MASKED))
    assert row(picture, "should say") == ("cat", "sat", "<end>")


# Cross-attention


def test_the_source_stands_above_and_the_encoder_runs_once(translator, eye):
    picture = sentences(eye.go_to(translator, CROSS))
    assert row(picture, "source") == ("the", "cat", "sat")
    np.testing.assert_array_equal(picture._shares, eye.value(translator, "decoder.1.cross.head.1.weights"))
    assert "The encoder runs once" in note(translator.panel())
    assert "3 × 4" in note(translator.panel())
    assert "all 2 layers" in note(translator.panel())


def test_another_head_and_their_mean(translator, eye):
    picture = sentences(eye.go_to(translator, CROSS))
    translator.bench.selection.set_head(1)
    np.testing.assert_array_equal(picture._shares, eye.value(translator, "decoder.1.cross.head.2.weights"))
    translator.bench.selection.set_head(None)
    np.testing.assert_array_equal(picture._shares, eye.value(translator, "decoder.1.cross.average"))


def test_pointing_at_a_word_lights_it_everywhere(translator, eye, hand):
    picture = sentences(eye.go_to(translator, CROSS))
    hand.hover(picture, word(picture, "source", 1, "source"))
    assert translator.bench.selection.token == ("source", 1)
    hand.hover(picture, word(picture, "target", 2, "says"))
    assert translator.bench.selection.token == ("target", 2)
    hand.hover(picture, QPoint(2, picture.height() - 2))
    assert translator.bench.selection.token is None
    hand.click(picture, word(picture, "target", 0, "reads"))
    assert translator.bench.selection.chosen_token == ("target", 0)
    hand.click(picture, word(picture, "target", 0, "reads"))
    assert translator.bench.selection.chosen_token is None


def test_pointing_at_a_line_is_pointing_at_its_weight(translator, eye, hand):
    picture = sentences(eye.go_to(translator, CROSS))
    best = int(eye.value(translator, "decoder.1.cross.head.1.weights")[2].argmax())
    hand.hover(picture, between(picture, 2, best))
    assert translator.bench.selection.cell == Cell("decoder.1.cross.weights", (0, 2, best))
    assert picture._lit() == (2, best)


def test_the_word_that_is_looked_at_changes_the_picture(translator, eye):
    picture = sentences(eye.go_to(translator, CROSS))
    plain = picture.grab().toImage()
    translator.bench.selection.set_token(("target", 1))
    assert picture.grab().toImage() != plain
    translator.bench.selection.set_token(None)
    translator.bench.selection.point(Cell("decoder.1.cross.scores", (0, 1, 2)))
    assert picture._lit() == (1, 2)


def test_short_sentences_stand_above_each_other_and_long_ones_beside(translator, eye):
    picture = sentences(eye.go_to(translator, CROSS))
    layout = picture._laid(picture.width())
    assert len({w.rect.y() for w in layout.words if w.axis == "source"}) == 1
    document = translator.bench.document
    document.do(SetTokens("source", tuple(f"word{i}" for i in range(40))))
    document.do(SetTokens("target", tuple(f"mot{i}" for i in range(40))))
    eye.settle(translator)
    picture = sentences(translator.panel())
    layout = picture._laid(picture.width())
    assert len({w.rect.x() for w in layout.words if w.axis == "source"}) == 1
    assert layout.every == (1, 1)
    assert all(w.rect.right() <= picture.width() for w in layout.words)
    assert all(w.rect.bottom() <= picture.height() for w in layout.words)


@pytest.mark.parametrize("counts", [(1, 1), (512, 512), (3, 512)])
def test_any_number_of_words(translator, eye, counts):
    source, target = counts
    document = translator.bench.document
    document.do(SetTokens("source", tuple(f"word{i}" for i in range(source))))
    document.do(SetTokens("target", tuple(f"mot{i}" for i in range(target))))
    picture = sentences(eye.go_to(translator, CROSS))
    assert len(picture._queries) <= max(1024, target)
    translator.bench.selection.set_token(("source", 0))
    assert not translator.grab().isNull()
    assert picture.height() < 1200
    # A short sentence is written in full, however long the other one is.
    layout = picture._laid(picture.width())
    assert (layout.every[1] == 1) == (source < 40)
    written = sorted(w.rect.y() for w in layout.words if w.axis == "source") if layout.every[0] > 1 else []
    assert source > 40 or all(b - a > 10 for a, b in pairwise(written))


def test_weights_that_are_no_numbers_do_no_harm(translator, eye):
    eye.go_to(translator, CROSS)
    translator.bench.document.do(PinCells("decoder.1.cross.weights", {(0, 0, 0): np.nan, (0, 1, 1): np.inf}))
    eye.settle(translator)
    assert not translator.grab().isNull()


def test_a_picture_of_words_that_are_gone_can_be_painted(translator, eye):
    # Between an edit and its being shown the window may paint.
    picture = sentences(eye.go_to(translator, CROSS))
    selection, document = translator.bench.selection, translator.bench.document
    selection.choose(Cell("decoder.1.cross.scaled", (0, 2, 2)))
    document.do(SetSwitch("decoder.1.cross", "scale", "none"))
    picture.grab()
    eye.settle(translator)
    picture = sentences(translator.panel())
    document.do(SetTokens("source", tuple("abcdefgh")))
    selection.set_token(("source", 7))
    picture.grab()
    eye.settle(translator)
    assert not translator.grab().isNull()
