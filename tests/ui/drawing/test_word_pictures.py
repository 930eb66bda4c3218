"""Pictures of long texts: words that can be read, a lens, and the mouse."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QLineF, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QToolTip, QWidget

from explorer.core.graph import Cell
from explorer.document.commands import PinCells, SetTokens
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.pages.drawing import AttentionLines, WordRoom
from explorer.pages.matrix import ALONE, matrix
from explorer.pages.pointing import MOST_OF_ONE
from explorer.pages.stages.attention import heat_map, lights
from explorer.pages.view import Looking, View
from explorer.ui.drawing.side import CLOSEST, WELL_APART
from explorer.ui.drawing.strokes import draw_weights
from explorer.ui.drawing.weights import AttentionLinesView, HeatMapView
from explorer.ui.drawing.word_picture import FEWEST, MOST_IN_SIGHT
from tests.ui.conftest import lesson_of

CONTROL = Qt.KeyboardModifier.ControlModifier
N = 90
LONG, SHORT = "decoder.1.self.", "encoder.1.self."
WEIGHTS = f"{LONG}weights"


class Paintings(QObject):
    """Counts how often a window is painted until all of some pictures are."""

    def __init__(self, window, pictures):
        super().__init__()
        self.count, self.left = 0, {picture.viewport() for picture in pictures}
        for widget in (window, *self.left):
            widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.left.discard(watched)
        self.count += event.type() == QEvent.Type.UpdateRequest and bool(self.left)
        return False


class Pair(QWidget):
    """The two pictures of an attention, which are told what the model is now."""

    def __init__(self, bench, block):
        super().__init__()
        self.bench, self.block = bench, block
        self.pictures = [HeatMapView(bench, self.elements()[0]), AttentionLinesView(bench, self.elements()[1])]
        layout = QHBoxLayout(self)
        for picture in self.pictures:
            layout.addWidget(picture)

    def elements(self, **looking):
        view = View.of(self.bench.document, Looking(**looking))
        weights = matrix(view, view.shares_of(self.block))
        return heat_map(view, self.block, "Title"), AttentionLines("lines", weights, "Lines", lights(view, self.block))

    def follow(self, **looking):
        for picture, element in zip(self.pictures, self.elements(**looking), strict=True):
            picture.tell(element)


@pytest.fixture
def open_pair(bench_of, show):
    """Shows the two pictures of an attention of a lesson."""
    return lambda lesson, block: show(Pair(bench_of(lesson), block))


@pytest.fixture
def pair(open_pair):
    """The attention of ninety words: several of them on the room that one needs."""
    made = open_pair(new_lesson("gpt", [" ".join(f"word{i}" for i in range(N))], heads=2), LONG)
    made.bench.document.do(PinCells(WEIGHTS, {(0, 50, j): 0.01 * (j == 70) for j in range(N)}))
    made.follow()
    return made


@pytest.fixture
def short(open_pair):
    """The attention of three words."""
    return open_pair(lesson_of("you-are-welcome"), SHORT)


@pytest.fixture
def heat(pair):
    return pair.pictures[0]


@pytest.fixture
def lines(pair):
    return pair.pictures[1]


def spot(picture, row, column):
    """A place in rows and columns, in the picture's own pixels."""
    return picture.mapFromScene(picture.getViewBox().mapViewToScene(QPointF(column, row)))


def part(picture):
    seen = picture.seen
    return pytest.approx((seen.x(), seen.y(), seen.width(), seen.height()))


def button(picture, spoken):
    (found,) = [b for b in picture.findChildren(QPushButton) if b.accessibleName() == spoken]
    return found


# Words


def apart(axis):
    """The least distance of two written words, in heights of a line."""
    middles = sorted(middle for _, middle in axis.written())
    return min(np.diff(middles)) / QFontMetrics(axis._bench.appearance.fonts.small).height()


@pytest.mark.parametrize(("room", "least", "most"), [(2.0, 0.45, 0.7), (20.0, 0.3, 0.5)])
def test_lines_of_many_words_do_not_cover_each_other(appearance, room, least, most):
    """At two pixels a word, lines of nine pixels were one blue area."""
    n, image = 20, QImage(60, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter, each = QPainter(image), np.arange(n)
    painter.setRenderHint(painter.RenderHint.Antialiasing)
    lines = [QLineF(0, (i + 0.5) * room, 60, (i + 0.5) * room) for i in range(n)]
    draw_weights(painter, appearance.theme, lines, (each, each), np.ones(n), (None, None), (0.15, 0.4), room)
    painter.end()
    inked = sum((255 - image.pixelColor(30, y).red()) / 255 for y in range(round(n * room))) / (n * room)
    assert least < inked < most


def test_words_thin_out_instead_of_overlapping(heat):
    for side in ("left", "top"):
        axis = heat.side(side)
        assert 10 < len(axis.written()) < N
        assert apart(axis) >= WELL_APART


def test_words_are_smaller_where_all_have_room_then(open_window, eye):
    window = open_window(load("jane"))
    window.resize(1280, 720)
    maps = eye.go_to(window, "encoder.1.self.heads").findChildren(HeatMapView)
    assert len(maps) == 3
    for one in maps:
        assert len(one.side("top").written()) == 16
        letters = QFontMetrics(one.side("top")._fonts[0]).height()
        assert min(np.diff(sorted(at for _, at in one.side("top").written()))) >= CLOSEST * letters
    assert len(maps[0].side("left").written()) == 16


def test_closer_every_word_is_written(heat):
    heat.zoom(4.0)
    axis = heat.side("left")
    seen = heat.seen
    assert sorted(i for i, _ in axis.written()) == [i for i in range(N) if seen.top() <= i + 0.5 <= seen.bottom()]
    assert apart(axis) >= CLOSEST


def test_the_words_of_the_cell_pointed_at_are_always_written(heat, pair):
    for row, column in ((31, 7), (89, 0), (44, 45)):
        pair.bench.selection.point(Cell(WEIGHTS, (0, row, column)))
        for side, place in (("left", row), ("top", column)):
            axis = heat.side(side)
            assert axis.written()[0][0] == place
            assert apart(axis) >= WELL_APART


def test_a_word_that_is_looked_at_is_written_at_both_sides(heat, pair):
    pair.bench.selection.set_token(("input", 33))
    assert [heat.side(side).written()[0][0] for side in ("left", "top")] == [33, 33]


def test_a_long_word_is_cut(open_pair):
    heat = open_pair(new_lesson("gpt", ["a " + "long" * 16]), LONG).pictures[0]
    first, second = heat.side("left").words
    assert first == "a"
    assert second.startswith("long")
    assert second.endswith("…")


# The lens


def test_a_short_text_has_no_lens(short, hand):
    heat = short.pictures[0]
    assert not [one for one in heat._buttons if one.isVisible()]
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


def test_buttons_look_closer_from_farther_away_and_at_all(heat, hand):
    closer = button(heat, "Look closer: heat map")
    for _ in range(12):
        hand.click(closer)
    assert heat.seen.width() == FEWEST
    hand.click(button(heat, "Look from farther away: heat map"))
    assert heat.seen.width() > FEWEST
    hand.click(button(heat, "Show all words: heat map"))
    assert heat.seen == heat.whole
    hand.click(closer)
    hand.double_click(heat, spot(heat, 45, 45))
    assert heat.seen == heat.whole


@pytest.mark.parametrize("which", [0, 1])
def test_dragging_moves_the_part_in_sight_and_not_beyond_the_words(pair, hand, which):
    picture = pair.pictures[which]
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
    selection = pair.bench.selection
    assert (selection.kept, selection.chosen_token) == (None, None)  # moving is not choosing


def test_a_cell_pointed_at_elsewhere_comes_into_sight(heat, pair):
    heat.zoom(8.0)
    pair.bench.selection.point(Cell(WEIGHTS, (0, 3, 80)))
    assert heat.seen.contains(QPointF(80.5, 3.5))
    part_now = part(heat)
    pair.bench.selection.point(Cell(WEIGHTS, (0, 4, 81)))
    seen = heat.seen
    assert (seen.x(), seen.y(), seen.width(), seen.height()) == part_now


def test_an_edit_keeps_the_part_in_sight(heat, pair):
    heat.zoom(4.0)
    before = part(heat)
    pair.bench.document.do(PinCells(WEIGHTS, {(0, 1, 1): 0.5}))
    pair.follow()
    seen = heat.seen
    assert (seen.x(), seen.y(), seen.width(), seen.height()) == before


# The mouse


def test_pointing_and_clicking_at_a_square_of_many(heat, pair, hand):
    row = heat.viewport().rect().adjusted(spot(heat, 0, 20).x(), spot(heat, 40, 0).y(), 0, 0)
    row.setBottom(spot(heat, 41, 0).y())
    bare = heat.grab(row).toImage()
    hand.hover(heat, spot(heat, 40.5, 12.5))
    pointed = pair.bench.selection.cell
    assert (pointed.node, pointed.index[0]) == (WEIGHTS, 0)
    assert abs(pointed.index[1] - 40) <= 1
    assert abs(pointed.index[2] - 12) <= 1
    assert heat.grab(row).toImage() != bare, "a line leads to the square, which is small"
    hand.click(heat, spot(heat, 40.5, 12.5))
    hand.hover(heat, spot(heat, 60.5, 30.5))
    assert pair.bench.selection.cell != pointed
    hand.away(pair.window())
    assert pair.bench.selection.cell == pointed


def tip():
    (found,) = [
        w for w in QApplication.topLevelWidgets() if w.metaObject().className() == "QTipLabel" and w.isVisible()
    ]
    return found


def test_a_tooltip_leaves_the_row_and_the_column_free(short, eye, hand, qtbot):
    heat = short.pictures[0]
    hand.hover(heat, spot(heat, 1.5, 1.5))
    qtbot.waitUntil(QToolTip.isVisible)
    assert QToolTip.text() == f"are → are\n{eye.value(short, f'{SHORT}head.1.weights')[1, 1]}"
    corner = heat.mapToGlobal(spot(heat, 2, 2))
    assert tip().geometry().left() >= corner.x()
    assert tip().geometry().top() >= corner.y()


def test_beside_the_words_there_is_nothing_to_tell(heat):
    assert heat.said_at(QPointF(-3, 5))[0] == ""


# Lines


def test_of_a_long_text_each_word_shows_its_strongest_line(lines, pair, eye):
    queries, keys = lines.shown()
    weights = eye.value(pair, "decoder.1.self.head.1.weights")
    assert queries.tolist() == list(range(N))
    assert keys.tolist() == weights.argmax(-1).tolist()
    assert keys[50] == 70


def test_the_word_looked_at_shows_the_strongest_of_its_own_and_names_them(lines, pair, eye, hand):
    hand.hover(lines, spot(lines, 80.5, 0.1))
    (side, query), node = (pair.bench.selection.token, "decoder.1.self.head.1.weights")
    assert side == "input"
    queries, keys = lines.shown()
    row = eye.value(pair, node)[query]
    assert set(queries.tolist()) == {query}
    assert keys.tolist() == np.argsort(-row, kind="stable")[:MOST_OF_ONE].tolist()
    assert lines.side("left").written()[0][0] == query
    assert lines.side("right").written()[0][0] == keys[0]
    hand.hover(lines, spot(lines, 20.5, 0.9))
    key = pair.bench.selection.token[1]
    queries, keys = lines.shown()
    assert set(keys.tolist()) == {key}
    column = eye.value(pair, node)[:, key]
    assert queries.tolist() == np.argsort(-column, kind="stable")[:MOST_OF_ONE].tolist()
    told, _ = lines.said_at(QPointF(0.9, key + 0.5))
    assert told.splitlines()[0] == f"word{key} is looked at by"
    hand.away(pair.window())
    assert pair.bench.selection.token is None


def test_a_share_too_small_for_a_line_has_one_while_it_is_pointed_at(lines, pair):
    pair.bench.selection.point(Cell(WEIGHTS, (0, 60, 61)))  # masked
    queries, keys = lines.shown()
    assert (60, 61) in zip(queries.tolist(), keys.tolist(), strict=True)


def test_a_click_keeps_the_word(lines, pair, hand):
    hand.click(lines, spot(lines, 30.5, 0.2))
    token = pair.bench.selection.chosen_token
    hand.away(pair.window())
    assert pair.bench.selection.token == token
    assert lines.query == token[1]


# Colours


def test_the_colours_of_many_words_go_as_far_as_their_shares(heat, pair, eye):
    weights = eye.value(pair, WEIGHTS)
    top = np.quantile(weights[weights > 0], 0.99)
    image = heat.shares
    assert np.allclose(image, np.clip(weights[0] / top, 0, 1))
    assert heat._legend.accessibleName().startswith("Colours from 0 to ≥ 0.")
    assert max(image.shape) > MOST_IN_SIGHT


def test_numbers_that_are_none_are_drawn_as_nothing(heat, lines, pair, eye):
    pair.bench.document.do(PinCells(WEIGHTS, {(0, 1, j): v for j, v in enumerate((np.nan, np.inf, -np.inf))}))
    pair.follow()
    pair.bench.selection.point(Cell(WEIGHTS, (0, 1, 0)))
    assert not pair.grab().isNull()
    assert lines.said_at(QPointF(0.1, 1.5))[0]


def test_pictures_that_are_hidden_take_no_notice_of_cells_that_they_do_not_have(lines, pair):
    lines._shares = np.ones((3, 3)) / 3
    pair.bench.selection.point(Cell(WEIGHTS, (0, 60, 61)))
    assert (lines.query, lines.key) == (None, None)


def test_a_place_that_is_pressed_and_left_is_no_drag(heat, hand, pair):
    before = heat.seen
    hand.press(heat, spot(heat, 10, 10))
    hand.move(1)
    hand.release(1)
    assert heat.seen == before
    assert pair.bench.selection.cell is not None


# The keys


def test_arrows_go_from_square_to_square(heat, pair, hand):
    heat.setFocus()
    hand.key(Qt.Key.Key_Right)
    assert pair.bench.selection.cell == Cell(WEIGHTS, (0, 0, 0))
    for key, square in (
        (Qt.Key.Key_Right, (0, 1)),
        (Qt.Key.Key_Down, (1, 1)),
        (Qt.Key.Key_Left, (1, 0)),
        (Qt.Key.Key_Left, (1, 0)),  # the end
        (Qt.Key.Key_Up, (0, 0)),
    ):
        hand.key(key)
        assert pair.bench.selection.cell == Cell(WEIGHTS, (0, *square))
    hand.key(Qt.Key.Key_Down, times=50)
    assert heat.accessibleDescription() == "word50 → word0: 0.0"
    pair.bench.selection.forget()
    assert heat.accessibleDescription() == ""


def test_plus_minus_and_0_look_closer_at_the_cell_pointed_at_and_at_all(heat, pair, hand):
    pair.bench.selection.choose(Cell(WEIGHTS, (0, 50, 70)))
    heat.setFocus()
    hand.key(Qt.Key.Key_Plus, times=4)
    assert heat.seen.width() < N / 4
    assert heat.seen.contains(QPointF(70.5, 50.5))
    hand.key(Qt.Key.Key_Minus)
    assert N / 4 < heat.seen.width() < N
    hand.key(Qt.Key.Key_0)
    assert heat.seen == heat.whole


def test_arrows_go_from_word_to_word_of_the_lines(lines, pair, hand):
    lines.setFocus()
    hand.key(Qt.Key.Key_Down, times=3)
    (axis,) = set(lines.matrix.axes)
    assert pair.bench.selection.chosen_token == (axis, 2)
    assert (lines.query, lines.key) == (2, None)
    hand.key(Qt.Key.Key_Right)
    assert (lines.query, lines.key) == (None, 2)
    assert lines.accessibleDescription().startswith("word2 is looked at by")
    shares = np.zeros((N, N))
    shares[7, 2] = 0.25
    lines.tell(replace(lines.element, matrix=replace(lines.matrix, values=shares)))
    assert lines.accessibleDescription() == "word2 is looked at by\nword7 0.25"
    pair.bench.selection.choose_token(None)
    assert lines.accessibleDescription() == ""


def test_a_picture_that_has_the_keys_looks_so(heat):
    heat.clearFocus()
    before = heat.grab().toImage()
    heat.setFocus()
    assert heat.grab().toImage() != before


# What is told


def test_other_words_show_all(pair, heat):
    heat.zoom(4.0)
    pair.bench.document.do(SetTokens("input", tuple(f"word{i}" for i in range(N - 1))))
    pair.follow()
    assert heat.seen == heat.whole
    assert heat.whole.height() == N - 1


def test_the_head_that_is_looked_at_and_the_mean(short, eye):
    heat, lines = short.pictures
    for looking, name in (({}, "head.1.weights"), ({"head": 1}, "head.2.weights"), ({"averaged": True}, "average")):
        short.follow(**looking)
        weights = eye.value(short, f"{SHORT}{name}")
        assert np.allclose(heat.shares, weights)
        assert np.array_equal(lines._shares, weights)
        heat.choose_at(QPointF(1.5, 0.5))
        assert short.bench.selection.cell == Cell(heat.matrix.place.node, (*heat.matrix.place.index, 0, 1))


def test_a_change_is_signed_and_the_lines_say_that_they_show_the_weights(short):
    short.bench.document.do(PinCells(f"{SHORT}weights", {(0, 0, 0): 0.9, (0, 2, 1): 0.0}))
    short.follow(showing="change")
    heat, lines = short.pictures
    assert heat._caption.text() == "Title · Δ edit"
    assert heat._caption.width() >= heat._caption.sizeHint().width(), "it ended in the middle of a word"
    assert heat._legend.accessibleName().startswith("Colours from −")
    assert heat.accessibleName().startswith("Heat map of change by the last edit. You most at You")
    assert lines._caption.text() == "Lines · the weights themselves"
    assert np.isclose(lines._shares[0, 0], 0.9)
    image, dashed = heat.grab().toImage(), np.zeros_like(heat.matrix.array, bool)
    for row, column in np.ndindex(dashed.shape):
        middle, beside = (
            heat.mapFromScene(heat.getViewBox().mapViewToScene(QPointF(column + 0.5, row + y))) for y in (0.5, 0.8)
        )
        dashed[row, column] = image.pixel(middle) != image.pixel(beside)
    assert dashed.tolist() == (heat.matrix.array < 0).tolist()
    assert dashed.any()


def test_where_there_is_nothing_to_compare_a_heat_map_says_so(short):
    short.follow(showing="difference")
    heat, _ = short.pictures
    for said in (heat._caption.text(), heat.accessibleName(), heat.said_at(QPointF(0.5, 0.5))[0]):
        assert said.endswith(ALONE)


def test_a_cell_of_the_same_attention_lights_its_lines(short):
    lines, selection = short.pictures[1], short.bench.selection
    selection.point(Cell(f"{SHORT}scores", (0, 1, 2)))
    assert (lines.query, lines.key) == (1, 2)
    selection.point(Cell(f"{SHORT}V", (0, 2, 0)))
    assert (lines.query, lines.key) == (2, None)
    selection.point(Cell("decoder.1.self.scores", (0, 1, 1)))
    assert (lines.query, lines.key) == (None, None)


def test_a_heat_map_gets_narrower_and_wider_again(heat):
    wide = heat.width()
    heat.give(WordRoom(wide - 150, 2000))
    assert heat.width() <= wide - 150
    heat.give(WordRoom(2000, 2000))
    assert heat.width() == wide


def test_one_of_many_has_the_size_that_it_is_told_and_only_the_first_of_a_line_names_the_rows(heat):
    words = heat.matrix.rows
    heat.give(WordRoom(side=120, names_rows=True))
    assert heat.side("left").words == words
    first = heat.size()
    heat.give(WordRoom(side=120, names_rows=False))
    assert heat.side("left").words == ()
    assert (heat.height(), heat.width()) == (first.height(), min(heat.width(), first.width()))
    assert heat._legend.isVisible()
    heat.give(WordRoom(side=120, names_rows=False, scaled=False))
    assert not heat._legend.isVisible()
    assert heat.height() == first.height(), "its squares stand beside those of the others"
    heat.give(WordRoom(2000, 2000))
    assert heat._legend.isVisible()
    assert heat.side("left").words == words


def test_the_wheel_is_left_to_the_page(heat, hand, pair):
    seen = part(heat)
    hand.wheel(heat, QPoint(100, 100), -2)
    now = heat.seen
    assert (now.x(), now.y(), now.width(), now.height()) == seen


def test_pointing_at_a_cell_paints_both_pictures_in_one_picture_of_the_window(short, qtbot):
    for column in (0, 1):
        paintings = Paintings(short.window(), short.pictures)
        short.bench.selection.point(Cell(f"{SHORT}weights", (0, 1, column)))
        qtbot.waitUntil(lambda paintings=paintings: not paintings.left)
        assert paintings.count == 1


def test_what_is_painted_anew_is_all_that_has_changed_and_not_the_buttons(pair, heat, lines, qtbot, hand):
    """Each picture says itself what to paint; the buttons above it took a tenth of the time of a move of the mouse."""
    window, screen = pair.window(), pair.screen()

    def seen():
        return screen.grabWindow(window.winId()).toImage()

    def painted_by(act):
        """Which heads were painted until the screen showed something else; all of it must be what is to be seen."""
        heads, before = Paintings(window, ()), seen()
        heads.left = {picture.head for picture in pair.pictures}
        for head in heads.left:
            head.installEventFilter(heads)
        act()
        qtbot.waitUntil(lambda: seen() != before)
        painted, partly = 2 - len(heads.left), seen()
        window.repaint()
        assert partly == seen()
        return painted

    point = pair.bench.selection.point
    assert [painted_by(lambda at=at: point(Cell(WEIGHTS, (0, *at)))) for at in ((20, 60), (70, 5), (50, 70))] == [0] * 3
    painted_by(lambda: hand.wheel(heat, spot(heat, 20, 60), 3, CONTROL))
    painted_by(lambda: hand.wheel(lines, spot(lines, 20, 0.5), 3, CONTROL))
    heat.setFocus()
    painted_by(lambda: hand.key(Qt.Key.Key_0))
    painted_by(lambda: point(Cell(WEIGHTS, (0, 3, 2))))
    pair.bench.document.do(PinCells(WEIGHTS, {(0, 50, 70): 0.5}))
    painted_by(pair.follow)
    pair.follow(showing="change")  # the caption of the lines then takes two lines, and all moves
    qtbot.waitUntil(lambda: not any(picture.height() != picture.minimumHeight() for picture in pair.pictures))
    QApplication.processEvents()
    painted_by(lambda: pair.follow(showing="gradient"))


def test_a_title_is_not_cut_where_there_are_few_words(open_pair):
    pair = open_pair(new_lesson("gpt", ["a"], d_model=4), LONG)
    picture, title = pair.pictures[0], "Self-attention: target → target"
    picture.tell(heat_map(View.of(pair.bench.document), LONG, title))
    assert picture._caption.text() == title
    assert picture.width() >= picture._caption.sizeHint().width()


def test_a_caption_without_room_takes_several_lines(open_pair):
    """In large text, "the strongest of each word" was cut, and a title made the picture wider than the page."""
    pair = open_pair(new_lesson("gpt", ["a"], d_model=4), LONG)
    heat, lines = pair.pictures
    heat.tell(heat_map(View.of(pair.bench.document), LONG, "Self-attention: target → target"))
    for picture in (heat, lines):
        picture.give(WordRoom(150, 150))
    lines.tell(pair.elements(showing="change")[1])
    assert heat.width() <= 150
    for picture in (heat, lines):
        said = picture._caption
        assert said.fontMetrics().horizontalAdvance(said.text()) > picture.width()
        assert said.height() >= 2 * said.fontMetrics().height()


def test_lines_that_are_spread_stay_so_where_the_room_is_shared_anew(short):
    """They went back, and grew again: each told of another size, so that the room was shared for ever."""
    lines = short.pictures[1]
    usual = lines.width()
    lines.spread(usual + 80)
    wide = lines.width()
    assert wide == pytest.approx(usual + 80, abs=2)
    lines.give(WordRoom(1000, 1000))
    assert lines.width() == wide
    lines.give(WordRoom(usual - 40, 1000))
    assert lines.width() < usual
    lines.give(WordRoom(1000, 1000))
    lines.spread(0)
    assert lines.width() == usual
