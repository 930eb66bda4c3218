"""Drawings on the screen: what is painted, lit, pointed at, dragged, walked and said."""

from dataclasses import replace

import numpy as np
import pytest
from pixels import colours, pixels
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter

from explorer.core.graph import Cell, Place
from explorer.core.numbers import read_number
from explorer.document.commands import SetCells
from explorer.pages.drawing import (
    ACCENT,
    ERROR,
    HERE,
    LINE,
    TEXT,
    Arc,
    Arrow,
    Axis,
    Band,
    Box,
    Curve,
    Dot,
    Drawing,
    Image,
    Probe,
    Segments,
    Strips,
    Words,
    series,
    zoomed,
)
from explorer.pages.gestures import MoveTo, SetNumber
from explorer.pages.matrix import SHARES
from explorer.ui.drawing.side import Side
from explorer.ui.drawing.strokes import line_ink
from explorer.ui.drawing.view import EMPTY, DrawingView
from explorer.ui.drawing.zoom import ZoomedView

TABLE = "encoder.1.ffn.W_1"
"""An input of the lesson, (4, 6)."""
WINDOW = (0.0, 4.0, 0.0, 3.0)


def drawing(*marks, window=WINDOW, **others):
    return Drawing(marks, window, "Summary", **others)


def dot(row, column, **others):
    return Dot(row + 0.5, column + 0.5, f"dot {row}", cell=Cell(TABLE, (row, column)), **others)


def painted(picture):
    """How many pixels have each colour."""
    return colours(pixels(picture.grab().toImage()))


def labels(picture):
    picture.grab()
    return {label.text: label for label in picture._marks.names.laid if label.wanted}


@pytest.fixture
def view(bench, show):
    """Shows marks."""

    def shown(*marks, **others):
        return show(DrawingView(bench, drawing(*marks, **others)), 360, 300)

    return shown


def test_what_stands_below_a_disc_is_above_it_where_the_picture_ends(view):
    picture = view(Dot(1, 2, below="inside"), Dot(3, 0.1, below="at the foot"))
    found, point = labels(picture), picture._marks.names._pixels.point
    assert found["inside"].rect.top() > point(1, 2).y()
    assert found["at the foot"].rect.bottom() < point(3, 0.1).y()


# Painting


@pytest.mark.parametrize(
    ("mark", "ink"),
    [
        (Curve(np.array([0.5, 3.5]), np.array([0.5, 2.5]), ink=series(2), width=4), series(2)),
        (Segments(np.array([[[0.5, 0.5], [3.5, 0.5]]]), ACCENT, 6), ACCENT),
        (Band((1, 1, 2, 1), ERROR, filled=False, width=4), ERROR),
        (Dot(2, 1, ink=series(0)), series(0)),
        (Arrow((1, 1), (3, 1), ink=TEXT, width=4), TEXT),
        (Strips("n", np.array([[1.0, 2.0]]), np.array([1.5]), np.array([0.5])), series(0)),
        (Words(2, 1.5, "█████", ERROR), ERROR),
        (Dot(2, 1, ink=TEXT, inside="1", wrong=True), ERROR),
    ],
)
def test_every_mark_is_painted_in_its_ink(view, bench, mark, ink):
    found = painted(view(mark))
    assert found.get(QColor(line_ink(bench.appearance.theme, ink)).name(), 0) > 5


def test_an_arc_has_its_words(view):
    picture = view(Arc(0, 90, "α 90°"), window=(-1.0, 1.0, -1.0, 1.0))
    assert set(labels(picture)) == {"α 90°"}
    middle = picture.pixel(0, 0)
    rect = labels(picture)["α 90°"].rect
    assert rect.left() > middle.x(), "between the two directions"
    assert rect.bottom() < middle.y()


def test_between_narrow_directions_an_arc_has_its_letter(view):
    """The words stood on the other side of the origin, outside the angle."""
    picture = view(Arc(20, 45, "α 45°"), window=(-1.0, 1.0, -1.0, 1.0))
    middle, rect = picture.pixel(0, 0), labels(picture)["α"].rect
    assert rect.left() > middle.x()
    assert rect.bottom() < middle.y()
    assert set(labels(view(Arc(20, 10, "α 10°"), window=(-1.0, 1.0, -1.0, 1.0)))) == {"α 10°"}


def test_an_image_shows_its_numbers_in_the_colours_of_its_map(view, bench):
    array = np.array([[0.0, 1.0, 0.0, 0.0]] * 3)
    found = painted(view(Image(array, 1.0, colours=SHARES, place=(0, 0, 4, 3))))
    deepest = bench.appearance.theme.sequential_ramp.colors[255].name()
    assert max(found, key=found.get) != deepest
    assert found[deepest] > 1000


def test_words_on_a_coloured_box_are_read(show, bench):
    for share in (0.1, 0.9):
        marks = (
            Box((0.0, 0.0, 200.0, 150.0), "a block", share=share),
            Words(100.0, 75.0, "0.357", size=90.0, fixed=True, on=share),
        )
        found = painted(show(ZoomedView(bench, zoomed(marks, (0.0, 200.0, 0.0, 150.0), "Summary")), 360, 300))
        ramp = bench.appearance.theme.sequential_ramp
        colour = int(ramp.index(np.array(share), 0.0, 1.0))
        assert found[ramp.text[colour].name()] > 30, share


@pytest.mark.parametrize("down", [False, True])
def test_the_first_row_of_an_image_is_where_counting_begins(view, down):
    array = np.zeros((3, 4))
    array[0] = 1.0
    picture = view(Image(array, 1.0, place=(0, 0, 4, 3)), down=down)
    pixels = picture.grab().toImage()
    first, last = (pixels.pixelColor(picture.pixel(2.1, y).toPoint()).lightness() for y in (0.5, 2.5))
    assert first < last
    assert (picture.pixel(0, 0).y() < picture.pixel(0, 3).y()) is down


def test_numbers_that_cannot_be_drawn_leave_the_others_standing(view):
    odd = np.array([0.5, np.nan, np.inf, 1e300, 3.5])
    picture = view(
        Curve(np.arange(5.0), odd),
        Segments(np.array([[[0, 0], [np.nan, 1]], [[0, 0], [1, 1]]])),
        Strips("n", odd[None], odd[:1], odd[1:2]),
        Strips("n", odd[None], odd, odd, 1),
        Image(odd[None], 1e300, place=(0, 0, 4, 3)),
        Image(odd[None], 1e300, -1e300, SHARES, place=(0, 0, 4, 3)),
        *(Dot(x, 1, "name", below="below") for x in odd),
        *(Arrow((0, 0), (x, x), "name") for x in odd),
        Words(np.nan, 0, "words"),
        Band((0, 0, np.inf, 1)),
    )
    assert not picture.grab().isNull()


@pytest.mark.parametrize(
    "window", [(0.0, 0.0, 1.0, 2.0), (np.nan, 1.0, 0.0, 1.0), (0.0, np.inf, 0.0, 1.0), (0.0, 1e300, 0.0, 1.0)]
)
def test_a_window_that_cannot_be_drawn(view, window):
    picture = view(Dot(0, 0), window=window)
    assert picture.extent == EMPTY
    assert not picture.grab().isNull()


@pytest.mark.parametrize("size", [1e-12, 1e-5, 1.0, 1e7, 1e28])
def test_numbers_stand_along_the_sides_whatever_their_size(view, size):
    picture = view(window=(0.0, 4 * size, 1e6 * size, (1e6 + 1) * size))
    for side, (low, high) in (("bottom", (0, 4 * size)), ("left", (1e6 * size, (1e6 + 1) * size))):
        ticks = picture.side(side).ticks(low, high, 250)
        assert 2 <= len(ticks) <= 11
        assert len({text for _, text in ticks}) == len(ticks)
        assert all(read_number(text) == pytest.approx(number, rel=1e-6) for number, text in ticks)


def test_of_a_title_that_is_longer_than_its_side_the_end_is_written(view, appearance):
    name = "decoder.1.self.W_V [head 1 → 2 → 7]"
    picture = view(x=Axis("steps"), y=Axis(2 * name))
    picture.grab()
    written = picture.side("left").title_written()
    assert written.endswith(name[-18:])
    assert QFontMetrics(appearance.fonts.ui).horizontalAdvance(written) <= picture.height()
    assert picture.side("bottom").title_written() == "steps"


def test_of_a_title_that_is_longer_than_its_side_fewer_words_are_written_where_there_are_some(view):
    picture = view(x=Axis("steps"), y=Axis("million multiplications a token " * 3, short="millions a token"))
    picture.grab()
    assert picture.side("left").title_written() == "millions a token"


def test_the_last_label_above_is_not_cut(view, monkeypatch):
    picture = view(
        window=(0.0, 36.0, 0.0, 3.0), x=Axis("position", tuple(f"{k}" for k in range(100, 136)), most=8), down=True
    )
    side, ends = picture.side("top"), []
    corner = side._corner

    def noted(rect, at, wide, high, end):
        found = corner(rect, at, wide, high, end)
        ends.append(side.mapToScene(found.x() + wide, 0))
        return found

    monkeypatch.setattr(side, "_corner", noted)
    picture.grab()
    assert [word for word, _ in side._laid][-1] == "135"
    assert picture.mapFromScene(ends[-1]).x() <= picture.width()


def test_a_square_drawing_has_units_of_one_length(view):
    picture = view(square=True)
    origin, across, up = picture.pixel(0, 0), picture.pixel(1, 0), picture.pixel(0, 1)
    assert across.x() - origin.x() == pytest.approx(origin.y() - up.y(), abs=1.5)


def test_labels_that_count_down_stand_above(view):
    words = tuple("abcd")
    picture = view(x=Axis(labels=words), y=Axis("row", labels=tuple("xyz")), down=True)
    assert picture.sides == ("left", "top")
    assert [i for i, _ in picture.side("top").written()] == [0, 1, 2, 3]
    assert picture.side("left").title == "row"


def test_of_many_labels_as_many_are_written_as_wanted(view):
    many = tuple(map(str, range(100)))
    picture = view(window=(0.0, 100.0, 0.0, 1.0), x=Axis(labels=many, most=10), y=Axis(labels=()), down=True)
    assert len(picture.side("top").written()) == 10
    assert picture.sides == ("top",)


# Words


def test_names_lie_neither_on_each_other_nor_on_a_dot(view):
    rng = np.random.default_rng(0)
    spots = rng.uniform((0.2, 0.2), (3.8, 2.8), (30, 2)).tolist()
    picture = view(*(Dot(x, y, f"word{i}") for i, (x, y) in enumerate(spots)))
    rects = [label.rect for label in labels(picture).values()]
    assert len(rects) > 15
    assert not any(a.intersects(b) for k, a in enumerate(rects) for b in rects[:k])
    assert not any(rect.contains(picture.pixel(x, y)) for rect in rects for x, y in spots)


def test_dots_that_lie_on_each_other_are_named_together(view):
    picture = view(*(Dot(2, 1, name) for name in "abcde"))
    assert set(labels(picture)) == {"a, b, c +2"}
    picture.tell(drawing(*(Dot(2, 1, name) for name in "aab")))
    assert set(labels(picture)) == {"a, b"}, "the same word twice"


def test_names_of_curves_stand_at_their_right_ends(view):
    x = np.linspace(0, 3, 5)
    picture = view(*(Curve(x, np.full(5, y), name) for name, y in (("low", 1.0), ("high", 1.05), ("top", 2.5))))
    found = labels(picture)
    assert found["high"].rect.bottom() <= found["low"].rect.top()
    end = picture.pixel(3, 2.5)
    assert abs(found["top"].rect.center().y() - end.y()) < 3
    assert 0 < found["top"].rect.left() - end.x() < 12
    longer = np.linspace(0, 3.9, 400)
    picture.tell(drawing(Curve(x, np.full(5, 1.0), "short"), Curve(longer, np.full(400, 1.0))))
    assert not labels(picture)["short"].rect.contains(picture.pixel(3.3, 1.0)), "no other curve strikes it out"


def test_an_arrow_is_named_at_its_tip_beside_its_shaft(view):
    picture = view(Arrow((1, 1), (2, 2), "name"))
    rect, tip = labels(picture)["name"].rect, picture.pixel(2, 2)
    assert not rect.contains(tip)
    assert (rect.center() - tip).manhattanLength() < 60
    assert rect.center().x() > tip.x()


def test_what_stands_out_is_named_at_its_tip_though_faint_arrows_end_all_around(view):
    rng = np.random.default_rng(0)
    tips = rng.uniform((0.5, 0.5), (3.5, 2.5), (200, 2)).tolist()
    faint = [Arrow((2, 1.5), tip, f"other{i}", LINE, 1.2) for i, tip in enumerate(tips)]
    picture = view(*faint, Arrow((2, 1.5), (3, 2), "word", ACCENT, 2.0))
    found = labels(picture)
    assert (found["word"].rect.center() - picture.pixel(3, 2)).manhattanLength() < 60
    for i, tip in enumerate(tips):
        if label := found.get(f"other{i}"):
            assert (label.rect.center() - picture.pixel(*tip)).manhattanLength() < 60, "or it would seem another's"


def test_words_stay_where_they_are_when_another_mark_is_lit(view, bench):
    picture = view(*(dot(i, 0) for i in range(3)))
    before = {text: label.rect for text, label in labels(picture).items()}
    bench.selection.point(Cell(TABLE, (1, 0)))
    assert {text: label.rect for text, label in labels(picture).items()} == before


def test_many_dots_are_small_and_the_lit_one_is_large(view, bench):
    theme = bench.appearance.theme
    many = [
        Dot(x, y, cell=Cell(TABLE, (0, i)), hollow=i > 5) for i, (x, y) in enumerate(np.argwhere(np.ones((9, 9))) / 3)
    ]
    picture = view(*many)
    few = view(*many[:4])
    blue = QColor(theme.series[0]).name()
    assert painted(picture)[blue] < painted(few)[blue] * 20
    bench.selection.point(Cell(TABLE, (0, 5)))
    assert painted(picture)[theme.here] > 30


# What is lit


def lit(picture, bench):
    theme = bench.appearance.theme
    found = painted(picture)
    return found.get(theme.here, 0) + found.get(theme.here_soft, 0)


@pytest.mark.parametrize(
    "mark",
    [
        dot(1, 2),
        Dot(1, 2, also=(Cell(TABLE, (1, 2)),)),
        Arrow((0, 0), (3, 2), width=3, cells=(Cell(TABLE, (1,)),)),
        Strips(TABLE, np.full((4, 6), 2.0), np.full(4, 2.0), np.full(4, 1.0)),
        Strips(TABLE, np.full((4, 6), 2.0), np.full(6, 2.0), np.full(6, 1.0), 1),
        Image(np.zeros((4, 6)), 1.0, place=(0, 0, 4, 3), node=Place(TABLE)),
    ],
)
def test_a_mark_of_the_cell_pointed_at_is_orange(view, bench, mark):
    picture = view(mark)
    assert not lit(picture, bench)
    bench.selection.point(Cell(TABLE, (1, 2)))
    assert lit(picture, bench) > 8
    bench.selection.point(Cell(TABLE, (0, 0)))
    assert (lit(picture, bench) > 8) is isinstance(mark, Image | Strips), "another cell of the same"


def test_a_mark_of_the_lit_word_is_orange_and_goes_before_the_cell(view, bench):
    picture = view(dot(0, 0), Arrow((0, 0), (3, 2), also=(("source", 1),)), Dot(3, 1, token=("source", 0)))
    bench.selection.point(Cell(TABLE, (0, 0)))
    assert picture._marks.lit == {0}
    bench.selection.set_token(("source", 1))
    assert picture._marks.lit == {1}
    bench.selection.set_token(("source", 2))
    assert picture._marks.lit == {0}, "a word that is not drawn"


def test_a_lit_word_stands_out_along_a_side(view, bench):
    picture = view(y=Axis(labels=("You", "are", "welcome"), token="source"), down=True)
    bench.selection.set_token(("source", 2))
    assert picture.side("left").marked == (2,)
    bench.selection.set_token(("source", 1))
    assert picture.side("left").marked == (1,)


def test_the_part_of_an_image_that_is_the_nodes_own(view, bench, hand, spot):
    own = Image(np.zeros((6, 8)), 1.0, place=(0, 0, 4, 3), node=Place(TABLE), own=(2, 3))
    picture = view(own, down=True)
    hand.hover(picture.viewport(), spot(picture, 1.2, 0.7))
    assert bench.selection.cell == Cell(TABLE, (1, 2))
    hand.hover(picture.viewport(), spot(picture, 3.2, 2.7))
    assert bench.selection.cell == Cell(TABLE, (1, 2)), "no cell of the node"
    assert painted(picture)[bench.appearance.theme.text] > 100


# The mouse


def test_pointing_points_at_the_cell_and_a_click_chooses_it(view, bench, hand, spot):
    picture = view(dot(0, 1), dot(2, 1))
    hand.hover(picture.viewport(), spot(picture, 2.5, 1.5))
    assert bench.selection.cell == Cell(TABLE, (2, 1))
    assert picture.accessibleDescription() == "dot 2; x: 2.5; y: 1.5"
    hand.click(picture.viewport(), spot(picture, 0.5, 1.5))
    hand.hover(picture.viewport(), spot(picture, 2.5, 1.5))
    hand.away(picture.window())
    assert bench.selection.cell == Cell(TABLE, (0, 1))


def test_pointing_lights_the_word_and_a_click_keeps_it(view, bench, hand, spot):
    picture = view(Dot(1, 1, token=("source", 0)), Arrow((0, 0), (3, 2), token=("source", 2)))
    hand.hover(picture.viewport(), spot(picture, 3, 2))
    assert bench.selection.token == ("source", 2)
    hand.hover(picture.viewport(), spot(picture, 2, 0.3))
    assert bench.selection.token is None
    hand.click(picture.viewport(), spot(picture, 1, 1))
    hand.away(picture.window())
    assert bench.selection.token == ("source", 0)
    hand.click(picture.viewport(), spot(picture, 1, 1))
    assert bench.selection.chosen_token is None, "another click lets it go"


def test_dragging_asks_for_what_the_mark_says_in_one_step(view, bench, hand, spot):
    document = bench.document
    before, window = document.state, WINDOW
    drag = MoveTo((TABLE, (0, 0)), (TABLE, (0, 1)))
    picture = view(dot(0, 1, drag=drag), dot(2, 1))
    start, end = spot(picture, 0.5, 1.5), spot(picture, 2.0, 2.0)
    hand.press(picture.viewport(), start)
    for part in (3, 2, 1):
        hand.move((end.x() - start.x()) // part, (start.y() - end.y()) // part)
        picture.tell(drawing(Dot(2, 2, drag=drag), window=(0.0, 9.0, 0.0, 9.0)))
        assert picture.extent == window, "the window stays while a mark is held"
    hand.release(end.x() - start.x(), start.y() - end.y())
    assert picture.extent == (0.0, 9.0, 0.0, 9.0)
    np.testing.assert_allclose(document.engine.values[TABLE][0, :2], (2.0, 2.0), atol=0.02)
    document.undo()
    assert document.state is before


def test_what_a_drag_may_not_is_said(view, bench, hand, spot, said):
    picture = view(Dot(1, 1, drag=SetNumber("no.such", (0,))))
    hand.press(picture.viewport(), spot(picture, 1, 1))
    hand.move(20)
    assert said()
    hand.release(20)


def test_a_press_beside_the_marks_holds_none(view, bench, hand, spot):
    before = bench.document.state
    picture = view(Dot(1, 1, drag=SetNumber(TABLE, (0, 0))))
    hand.press(picture.viewport(), spot(picture, 3, 2))
    hand.move(20)
    hand.release(20)
    assert bench.document.state is before


def test_the_tooltip_has_all_digits_and_leaves_what_it_is_about_free(view, bench, spot):
    image = Image(np.array([[0.1, 1 / 3]]), 1.0, place=(0, 0, 4, 3), node=Place(TABLE))
    picture = view(image, x=Axis(labels=("a", "b", "c", "d")), y=Axis(labels=("x", "y", "z")))
    picture.grab()
    text, rect = picture.told_at(QPointF(spot(picture, 3, 1)))
    assert text == f"y → d\n{1 / 3}"
    assert rect.right() >= spot(picture, 4, 0).x() - 2
    picture.tell(drawing(Dot(1, 1 / 3, "me", drag=SetNumber(TABLE, (0, 0))), x=Axis("width")))
    text, rect = picture.told_at(QPointF(spot(picture, 1, 1 / 3)))
    assert text.splitlines() == ["me", "width: 1", f"y: {1 / 3}", "Drag to move it"]
    assert rect.contains(spot(picture, 1, 1 / 3))
    assert picture.told_at(QPointF(spot(picture, 3, 2)))[0] == "A point here can be dragged"


class Sum(Probe):
    more: float = 0.0

    def said(self, x, y):
        return f"{x + y + self.more:.0f}"


def test_a_probe_says_something_of_every_place(view, hand, spot):
    picture = view(probe=Sum("Point anywhere"))
    assert picture._said.text() == "Point anywhere"
    hand.hover(picture.viewport(), spot(picture, 3, 2))
    assert picture._said.text() == "5"
    picture.tell(drawing(probe=Sum("Point anywhere", 4.0)))  # the model answers otherwise
    assert picture._said.text() == "9"
    picture.tell(drawing())
    assert picture._said is None


# The keys


@pytest.mark.parametrize("down", [True, False])
def test_arrows_go_from_square_to_square(view, bench, hand, down):
    array = np.arange(6.0).reshape(2, 3)
    picture = view(Image(array, 1.0, place=(0, 0, 4, 3), node=Place(TABLE)), down=down)
    picture.setFocus()
    ways = []
    bench.selection.chosen.connect(lambda cell, by: ways.append(by))
    ahead, back = (Qt.Key.Key_Down, Qt.Key.Key_Up) if down else (Qt.Key.Key_Up, Qt.Key.Key_Down)
    for key, square in (
        (Qt.Key.Key_Right, (0, 0)),
        (Qt.Key.Key_Right, (0, 1)),
        (ahead, (1, 1)),
        (ahead, (1, 1)),  # the end
        (Qt.Key.Key_Left, (1, 0)),
        (back, (0, 0)),
    ):
        hand.key(key)
        assert bench.selection.cell == Cell(TABLE, square)
        assert picture.accessibleDescription() == str(array[square])
    assert set(ways) == {"arrow"}  # of none of them somebody has said that it is the one


def test_arrows_go_from_dot_to_dot(view, bench, hand):
    picture = view(dot(0, 0), Dot(3, 1), dot(1, 0), Arrow((0, 0), (2, 2), token=("source", 1)))
    picture.setFocus()
    ways = []
    bench.selection.chosen.connect(lambda cell, by: ways.append(by))
    bench.selection.token_chosen.connect(ways.append)
    for key, cell in ((Qt.Key.Key_Right, 0), (Qt.Key.Key_Right, 1), (Qt.Key.Key_Left, 0), (Qt.Key.Key_Left, 0)):
        hand.key(key)
        assert bench.selection.cell == Cell(TABLE, (cell, 0))
    hand.key(Qt.Key.Key_Right, times=2)
    assert bench.selection.chosen_token == ("source", 1)
    assert set(ways) == {"arrow"}


def test_tab_comes_only_where_there_is_something_to_walk(view):
    picture = view(Curve(np.arange(3.0), np.arange(3.0)))
    assert picture.focusPolicy() == Qt.FocusPolicy.NoFocus
    picture.tell(drawing(dot(0, 0)))
    assert picture.focusPolicy() == Qt.FocusPolicy.TabFocus
    before = picture.grab().toImage()
    picture.setFocus()
    assert picture.grab().toImage() != before


# Following


def test_another_drawing_is_shown_and_what_is_the_same_is_left_alone(view, bench):
    image = Image(np.zeros((2, 2)), 1.0, place=(0, 0, 4, 3))
    picture = view(image, Dot(1, 1, "a"))
    set_images = []
    item = picture._images[0][1]
    item.setImage = lambda *args, **others: set_images.append(args)
    picture.tell(drawing(replace(image, array=np.zeros((2, 2))), Dot(1, 1, "b")))
    assert not set_images
    assert set(labels(picture)) == {"b"}
    picture.tell(Drawing((replace(image, array=np.ones((2, 2))),), (0.0, 2.0, 0.0, 2.0), "Another"))
    assert len(set_images) == 1
    assert picture.accessibleName() == "Another"
    assert picture.extent == (0.0, 2.0, 0.0, 2.0)
    picture.tell(drawing())
    assert not picture._images


def test_an_edit_of_the_model_asks_for_nothing(view, bench):
    """A drawing is data: the view reads no engine."""
    picture = view(dot(0, 0))
    bench.document.do(SetCells(TABLE, {(0, 0): 5.0}))
    bench.bridge.flush()
    assert picture.drawing.marks[0].x == 0.5


def test_in_the_dark_it_has_the_dark_inks(bench, show, appearance):
    appearance.set_mode("dark")
    picture = show(DrawingView(bench, drawing(Dot(1, 1, ink=HERE))), 300, 200)
    assert painted(picture)[appearance.theme.here] > 5
    assert picture.grab().toImage().pixelColor(1, 1).name() == appearance.theme.page


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_numbers_beside_a_picture_are_whole_in_the_letters_of_a_slide(bench, side):
    """They were cut above and below where they were higher than 40 pixels."""
    image = QImage(300, 300, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    font = QFont(bench.appearance.fonts.ui)
    font.setPixelSize(90)
    painter.setFont(font)
    Side(bench, side)._write(painter, QRectF(0, 0, 300, 300), 150, "5")
    painter.end()
    ink = np.flatnonzero((pixels(image) & 0xFF < 128).any(axis=1))
    assert ink[-1] - ink[0] + 1 >= QFontMetrics(font).tightBoundingRect("5").height() - 2
