"""The sentences of a decoder: words above each other, lines between them, and what is lit."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF

from explorer.core.graph import Cell
from explorer.document.commands import PinCells
from explorer.lessons.document_lesson import new_lesson
from explorer.pages.drawing import Sentences
from explorer.pages.stages.attention import cross, masked
from explorer.pages.view import View
from explorer.ui.drawing.sentences import SentencesView

CROSS = "decoder.1.cross."


def element(bench, kind=cross, stage="decoder.1.cross.attention"):
    view = View.of(bench.document)
    (stage,) = [s for s in view.graph.stages if s.name == stage]
    (found,) = [e for e in kind(view, stage) if isinstance(e, Sentences)]
    return found


def word(picture, axis, place):
    """The middle of a word, in the first row of its axis."""
    words = picture._laid(picture.width()).words
    return next(w.rect.center().toPoint() for w in words if (w.axis, w.place) == (axis, place))


@pytest.fixture
def picture(bench, show):
    return show(SentencesView(bench, element(bench)), 620, 300)


def test_it_says_the_rows_and_where_each_word_looks(picture, bench):
    said = picture.accessibleName()
    rows = picture.element.rows
    assert [row.title for row in rows][1] == "reads"
    assert said.startswith(f"{rows[0].title}: {' '.join(rows[0].words)}. reads: ")
    weights = bench.document.engine.values[f"{CROSS}weights"][0]
    best = int(weights[0].argmax())
    assert f"{rows[1].words[0]} looks most at {rows[0].words[best]} ({weights[0, best]:.3f})" in said


def test_a_word_lights_up_under_the_mouse_and_stays_after_a_click(picture, bench, hand):
    hand.hover(picture, word(picture, "target", 1))
    assert bench.selection.token == ("target", 1)
    assert picture._lit() == (1, None)
    hand.away(picture.window())
    assert bench.selection.token is None
    hand.click(picture, word(picture, "source", 2))
    hand.away(picture.window())
    assert picture._lit() == (None, 2)
    hand.click(picture, word(picture, "source", 2))
    assert bench.selection.chosen_token is None


def test_pointing_at_a_line_is_pointing_at_its_weight(picture, bench, hand):
    starts, ends = picture._laid(picture.width()).ends
    query, key = (int(places[0]) for places in picture.shown())
    at = starts[query] + (ends[key] - starts[query]) * 0.03  # where no other line is
    hand.hover(picture, at.toPoint())
    assert bench.selection.cell.node == f"{CROSS}weights"
    assert bench.selection.cell.index[:2] == (0, query)
    hand.away(picture.window())
    hand.click(picture, word(picture, "source", 2))
    hand.click(picture, at.toPoint())
    hand.away(picture.window())
    assert bench.selection.cell.index[:2] == (0, query), "a click holds it"
    assert bench.selection.chosen_token is None


def test_a_cell_of_the_attention_lights_its_words(picture, bench):
    bench.selection.point(Cell(f"{CROSS}scores", (0, 1, 2)))
    assert picture._lit() == (1, 2)
    bench.selection.point(Cell(f"{CROSS}K", (0, 2, 0)))
    assert picture._lit() == (None, 2)
    bench.selection.point(Cell("encoder.1.self.scores", (0, 1, 2)))
    assert picture._lit() == (None, None)


def test_it_shows_what_it_is_told(picture, bench):
    before, height = picture.grab().toImage(), picture.sizeHint()
    bench.document.do(PinCells(f"{CROSS}weights", {(0, 0, 0): 0.0, (0, 0, 1): 1.0}))
    picture.tell(element(bench))
    assert picture.grab().toImage() != before
    rows = tuple(replace(row, words=(*row.words, "more")) for row in picture.element.rows)
    weights = replace(picture.element.weights, values=np.ones((len(rows[1].words), len(rows[0].words))) / 4)
    picture.tell(replace(picture.element, rows=rows, weights=weights))
    assert picture.sizeHint().width() > height.width()
    assert not picture.grab().isNull()


@pytest.fixture
def long(bench_of, show):
    """Two sentences of about forty words."""
    words = [" ".join(f"{letter}{i}" for i in range(40)) for letter in "ab"]
    bench = bench_of(new_lesson("encoder-decoder", words))
    return show(SentencesView(bench, element(bench)), 700, 500)


def test_where_the_sentences_are_too_long_they_stand_beside_each_other(long):
    assert long.minimumSizeHint().width() < long.sizeHint().width()
    above, beside = long._laid(long.sizeHint().width()), long._laid(long.minimumSizeHint().width())
    assert beside.height > above.height
    axis = long.element.rows[0].axis
    assert len({round(w.rect.left()) for w in beside.words if w.axis == axis}) == 1
    assert len({round(w.rect.top()) for w in above.words if w.axis == axis}) == 1


def test_of_many_words_each_has_its_strongest_line_and_the_one_looked_at_all_its_own(long):
    queries, keys = long.shown()
    assert queries.tolist() == list(range(len(long._shares)))
    assert keys.tolist() == long._shares.argmax(-1).tolist()
    queries, keys = long.shown(3)
    assert set(queries.tolist()) == {3}
    assert len(keys) > 1
    long.bench.selection.set_token((long.element.rows[1].axis, 3))
    assert long._lit() == (3, None)
    assert not long.grab().isNull()


def test_without_weights_a_long_sentence_takes_several_lines(long, show):
    data = element(long.bench, masked, "decoder.1.self.attention")
    assert data.weights is None
    picture = show(SentencesView(long.bench, data), 700, 500)
    assert picture._line_at(QPointF(100, 20)) is None
    layout = picture._laid(700)
    assert max(word.rect.right() for word in layout.words) <= 700
    assert [word.place for word in layout.words if word.title == "reads"] == list(range(len(data.rows[0].words)))
    tops = {word.rect.top() for word in layout.words}
    assert len(tops) % len(data.rows) == 0
    assert len(tops) == len(layout.titles) > len(data.rows)
    assert picture.heightForWidth(700) == layout.height > picture.sizeHint().height()
    picture.tell(replace(data, rows=tuple(replace(row, words=row.words[:3]) for row in data.rows)))
    assert len(picture._laid(700).titles) == len(data.rows)


def test_it_has_nothing_under_its_corner(picture, bench, hand):
    hand.hover(picture, QPoint(picture.width() - 2, picture.height() - 2))
    assert bench.selection.token is None
