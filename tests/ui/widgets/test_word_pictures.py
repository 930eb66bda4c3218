"""Pictures of long texts: words that can be read, a lens, and the mouse."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QToolTip

from explorer.document.commands import PinCells
from explorer.lessons.new import new_lesson
from explorer.ui.selection import Cell
from explorer.ui.widgets.attention_lines import MOST_LINES, AttentionLines
from explorer.ui.widgets.heat_map import HeatMap
from explorer.ui.widgets.word_axis import CLOSEST, WELL_APART
from explorer.ui.widgets.word_picture import FEWEST, MOST_IN_SIGHT

CONTROL = Qt.KeyboardModifier.ControlModifier
N = 90
WEIGHTS = "decoder.1.self.weights"


@pytest.fixture
def window(open_window, eye):
    """The attention of ninety words: several of them on the room that one needs."""
    window = open_window(new_lesson("gpt", [" ".join(f"word{i}" for i in range(N))], heads=2))
    window.bench.document.do(PinCells(WEIGHTS, {(0, 50, j): 0.01 * (j == 70) for j in range(N)}))
    eye.go_to(window, "decoder.1.self.attention")
    return window


@pytest.fixture
def heat(window, eye):
    return eye.plot(window, HeatMap)


@pytest.fixture
def lines(window, eye):
    return eye.plot(window, AttentionLines)


def spot(picture, row, column):
    """A place in rows and columns, in the picture's own pixels."""
    return picture.mapFromScene(picture.getViewBox().mapViewToScene(QPointF(column, row)))


def part(picture):
    seen = picture.seen
    return pytest.approx((seen.x(), seen.y(), seen.width(), seen.height()))


# Words


def apart(axis):
    """The least distance of two written words, in heights of a line."""
    middles = sorted(middle for _, middle in axis.written())
    return min(np.diff(middles)) / QFontMetrics(axis._bench.appearance.fonts.small).height()


def test_words_thin_out_instead_of_overlapping(heat):
    for side in ("left", "top"):
        axis = heat.getAxis(side)
        assert 10 < len(axis.written()) < N
        assert apart(axis) >= WELL_APART


def test_closer_every_word_is_written(heat, eye):
    heat.zoom(4.0)
    axis = heat.getAxis("left")
    seen = heat.seen
    assert sorted(i for i, _ in axis.written()) == [i for i in range(N) if seen.top() <= i + 0.5 <= seen.bottom()]
    assert apart(axis) >= CLOSEST


def test_the_words_of_the_cell_pointed_at_are_always_written(heat, window):
    for row, column in ((31, 7), (89, 0), (44, 45)):
        window.bench.selection.point(Cell(WEIGHTS, (0, row, column)))
        for side, place in (("left", row), ("top", column)):
            axis = heat.getAxis(side)
            assert axis.written()[0][0] == place
            assert apart(axis) >= WELL_APART


def test_a_word_that_is_looked_at_is_written_at_both_sides(heat, window):
    window.bench.selection.set_token(("input", 33))
    assert [heat.getAxis(side).written()[0][0] for side in ("left", "top")] == [33, 33]


def test_a_long_word_is_cut(open_window, eye):
    window = open_window(new_lesson("gpt", ["a " + "long" * 16]))
    eye.go_to(window, "decoder.1.self.attention")
    first, second = eye.plot(window, HeatMap).getAxis("left").words
    assert first == "a"
    assert second.startswith("long")
    assert second.endswith("…")


# The lens


def test_a_short_text_has_no_lens(open_window, eye, hand):
    window = open_window()
    eye.go_to(window, "encoder.1.self.attention")
    heat = eye.plot(window, HeatMap)
    assert not [button for button in heat._buttons if button.isVisible()]
    hand.wheel(heat, spot(heat, 1, 1), 1, CONTROL)
    assert heat.seen == heat.whole


def test_the_wheel_with_control_looks_closer_and_what_is_pointed_at_stays(heat, hand):
    at = spot(heat, 20, 60)
    before = heat.at(QPointF(at))
    hand.wheel(heat, at, 3, CONTROL)
    assert heat.seen.width() < N / 2
    assert (heat.at(QPointF(at)) - before).manhattanLength() < 0.5
    hand.wheel(heat, at, -3, CONTROL)
    assert heat.seen.width() == pytest.approx(N, rel=0.01)


def test_buttons_look_closer_from_farther_away_and_at_all(heat, hand, eye, window):
    closer = eye.by_name(heat, "Look closer: heat map")
    for _ in range(12):
        hand.click(closer)
    assert heat.seen.width() == FEWEST
    hand.click(eye.by_name(heat, "Look from farther away: heat map"))
    assert heat.seen.width() > FEWEST
    hand.click(eye.by_name(heat, "Show all words: heat map"))
    assert heat.seen == heat.whole
    hand.click(closer)
    hand.double_click(heat, spot(heat, 45, 45))
    assert heat.seen == heat.whole


@pytest.mark.parametrize("kind", [HeatMap, AttentionLines])
def test_dragging_moves_the_part_in_sight_and_not_beyond_the_words(window, eye, hand, kind):
    picture = eye.plot(window, kind)
    picture.zoom(3.0)
    before = picture.seen
    hand.press(picture, spot(picture, before.center().y(), before.center().x()))
    hand.move(0, 60)
    assert picture.seen.y() > before.y()
    assert picture.seen.height() == pytest.approx(before.height())
    for _ in range(12):
        hand.move(0, 100)
        hand.move(0, -100)
        hand.move(0, 200)
    hand.release()
    seen = picture.seen
    assert 0 <= seen.y() <= seen.bottom() <= N + 1e-6
    selection = window.bench.selection
    assert (selection._chosen, selection.chosen_token) == (None, None)  # moving is not choosing


def test_a_cell_pointed_at_elsewhere_comes_into_sight(heat, window):
    heat.zoom(8.0)
    window.bench.selection.point(Cell(WEIGHTS, (0, 3, 80)))
    assert heat.seen.contains(QPointF(80.5, 3.5))
    part_now = part(heat)
    window.bench.selection.point(Cell(WEIGHTS, (0, 4, 81)))
    seen = heat.seen
    assert (seen.x(), seen.y(), seen.width(), seen.height()) == part_now


def test_an_edit_keeps_the_part_in_sight_and_more_words_show_all(heat, window, eye):
    heat.zoom(4.0)
    before = part(heat)
    window.bench.document.do(PinCells(WEIGHTS, {(0, 1, 1): 0.5}))
    eye.settle(window)
    seen = heat.seen
    assert (seen.x(), seen.y(), seen.width(), seen.height()) == before


# The mouse


def test_pointing_and_clicking_at_a_square_of_many(heat, window, hand):
    hand.hover(heat, spot(heat, 40.5, 12.5))
    pointed = window.bench.selection.cell
    assert (pointed.node, pointed.index[0]) == (WEIGHTS, 0)
    assert abs(pointed.index[1] - 40) <= 1
    assert abs(pointed.index[2] - 12) <= 1
    assert heat._guides[0].isVisible()
    hand.click(heat, spot(heat, 40.5, 12.5))
    hand.hover(heat, spot(heat, 60.5, 30.5))
    assert window.bench.selection.cell != pointed
    hand.away(window)
    assert window.bench.selection.cell == pointed


def tip():
    (found,) = [
        w for w in QApplication.topLevelWidgets() if w.metaObject().className() == "QTipLabel" and w.isVisible()
    ]
    return found


def test_a_tooltip_leaves_the_row_and_the_column_free(open_window, eye, hand, qtbot):
    window = open_window()
    window.resize(900, 600)  # the tests' screen has 800 × 800 pixels, and a tooltip stays on the screen
    eye.go_to(window, "encoder.1.self.attention")
    view = eye.views(window)["encoder.1.self.head.1.Q"]
    hand.hover(view, hand.cell(view, 1, 1))
    qtbot.waitUntil(QToolTip.isVisible)
    cell = view.visualRect(view.table.index(1, 1))
    corner = view.viewport().mapToGlobal(cell.bottomRight())
    assert tip().geometry().left() >= corner.x()
    assert tip().geometry().top() >= corner.y()
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
    heat = eye.plot(window, HeatMap)
    hand.hover(heat, spot(heat, 1.5, 1.5))
    qtbot.waitUntil(QToolTip.isVisible)
    assert QToolTip.text() == f"are → are\n{eye.value(window, 'encoder.1.self.head.1.weights')[1, 1]}"
    corner = heat.mapToGlobal(spot(heat, 2, 2))
    assert tip().geometry().left() >= corner.x()
    assert tip().geometry().top() >= corner.y()


def test_beside_the_words_there_is_nothing_to_tell(heat):
    assert heat.told_at(QPointF(-3, 5))[0] == ""


# Lines


def test_of_a_long_text_each_word_shows_its_strongest_line(lines, window, eye):
    queries, keys = lines._lines.shown()
    weights = eye.value(window, "decoder.1.self.head.1.weights")
    assert queries.tolist() == list(range(N))
    assert keys.tolist() == weights.argmax(-1).tolist()
    assert keys[50] == 70


def test_the_word_looked_at_shows_the_strongest_of_its_own_and_names_them(lines, window, eye, hand):
    hand.hover(lines, spot(lines, 80.5, 0.1))
    (side, query), node = (window.bench.selection.token, "decoder.1.self.head.1.weights")
    assert side == "input"
    queries, keys = lines._lines.shown()
    row = eye.value(window, node)[query]
    assert set(queries.tolist()) == {query}
    assert keys.tolist() == np.argsort(-row, kind="stable")[:MOST_LINES].tolist()
    assert lines.getAxis("left").written()[0][0] == query
    assert lines.getAxis("right").written()[0][0] == keys[0]
    hand.hover(lines, spot(lines, 20.5, 0.9))
    key = window.bench.selection.token[1]
    queries, keys = lines._lines.shown()
    assert set(keys.tolist()) == {key}
    column = eye.value(window, node)[:, key]
    assert queries.tolist() == np.argsort(-column, kind="stable")[:MOST_LINES].tolist()
    told, _ = lines.told_at(QPointF(0.9, key + 0.5))
    assert told.splitlines()[0] == f"word{key} is looked at by"
    hand.away(window)
    assert window.bench.selection.token is None


def test_a_share_too_small_for_a_line_has_one_while_it_is_pointed_at(lines, window):
    window.bench.selection.point(Cell(WEIGHTS, (0, 60, 61)))  # masked
    queries, keys = lines._lines.shown()
    assert (60, 61) in zip(queries.tolist(), keys.tolist(), strict=True)


def test_a_click_keeps_the_word(lines, window, hand):
    hand.click(lines, spot(lines, 30.5, 0.2))
    token = window.bench.selection.chosen_token
    hand.away(window)
    assert window.bench.selection.token == token
    assert lines._lines.query == token[1]


# Colours


def test_the_colours_of_many_words_go_as_far_as_their_shares(heat, window, eye):
    weights = eye.value(window, WEIGHTS)
    top = np.quantile(weights[weights > 0], 0.99)
    image = heat._image.image
    assert np.allclose(image, np.clip(weights[0] / top, 0, 1))
    assert heat._legend.accessibleName().startswith("Colours from 0 to ≥ 0.")
    assert max(image.shape) > MOST_IN_SIGHT


def test_numbers_that_are_none_are_drawn_as_nothing(heat, lines, window, eye):
    window.bench.document.do(PinCells(WEIGHTS, {(0, 1, j): v for j, v in enumerate((np.nan, np.inf, -np.inf))}))
    eye.settle(window)
    window.bench.selection.point(Cell(WEIGHTS, (0, 1, 0)))
    assert not window.grab().isNull()
    assert lines.told_at(QPointF(0.1, 1.5))[0]


def test_pictures_that_are_hidden_take_no_notice_of_cells_that_they_do_not_have(lines, window):
    lines._lines.weights = np.ones((3, 3)) / 3
    window.bench.selection.point(Cell(WEIGHTS, (0, 60, 61)))
    assert (lines._lines.query, lines._lines.key) == (None, None)


def test_a_place_that_is_pressed_and_left_is_no_drag(heat, hand, window):
    before = heat.seen
    hand.press(heat, spot(heat, 10, 10))
    hand.move(1)
    hand.release(1)
    assert heat.seen == before
    assert window.bench.selection.cell is not None


# The keys


def test_arrows_go_from_square_to_square(heat, window, hand):
    heat.setFocus()
    hand.key(Qt.Key.Key_Right)
    assert window.bench.selection.cell == Cell(WEIGHTS, (0, 0, 0))
    for key, square in (
        (Qt.Key.Key_Right, (0, 1)),
        (Qt.Key.Key_Down, (1, 1)),
        (Qt.Key.Key_Left, (1, 0)),
        (Qt.Key.Key_Left, (1, 0)),  # the end
        (Qt.Key.Key_Up, (0, 0)),
    ):
        hand.key(key)
        assert window.bench.selection.cell == Cell(WEIGHTS, (0, *square))
    hand.key(Qt.Key.Key_Down, times=50)
    assert heat.accessibleDescription() == "word50 → word0: 0.0"


def test_plus_minus_and_0_look_closer_at_the_cell_pointed_at_and_at_all(heat, window, hand):
    window.bench.selection.choose(Cell(WEIGHTS, (0, 50, 70)))
    heat.setFocus()
    hand.key(Qt.Key.Key_Plus, times=4)
    assert heat.seen.width() < N / 4
    assert heat.seen.contains(QPointF(70.5, 50.5))
    hand.key(Qt.Key.Key_Minus)
    assert N / 4 < heat.seen.width() < N
    hand.key(Qt.Key.Key_0)
    assert heat.seen == heat.whole


def test_arrows_go_from_word_to_word_of_the_lines(lines, window, hand):
    lines.setFocus()
    hand.key(Qt.Key.Key_Down, times=3)
    (axis,) = set(lines._axes)
    assert window.bench.selection.chosen_token == (axis, 2)
    assert (lines._lines.query, lines._lines.key) == (2, None)
    hand.key(Qt.Key.Key_Right)
    assert (lines._lines.query, lines._lines.key) == (None, 2)
    assert lines.accessibleDescription().startswith("word2 is looked at by")


def test_a_picture_that_has_the_keys_looks_so(heat):
    before = heat.grab().toImage()
    heat.setFocus()
    assert heat.grab().toImage() != before
