"""A drawing of a whole: boxes that lead somewhere, words, images and bars among them, and looking closer.

A screen reader meets each block of it as a child of the drawing, with its name and summary.
"""

import base64
import re
from dataclasses import replace

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QBuffer, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QAccessible, QContextMenuEvent, QFont, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from explorer.core.graph import Cell, Place
from explorer.core.numbers import FINEST
from explorer.document.commands import SetCells
from explorer.pages.drawing import Axis, Bars, Box, Drawing, FlowLine, Image, Segments, Words
from explorer.pages.gestures import GoTo, Switch
from explorer.pages.levels import WHOLE
from explorer.pages.matrix import matrix
from explorer.ui.drawing import images as painting
from explorer.ui.drawing.blocks import TIGHT, TINY, Blocks
from explorer.ui.drawing.strokes import Sight
from explorer.ui.drawing.zoom import ZoomedView
from explorer.ui.widgets.written import written_in

ATTENTION, FFN = "encoder.1.self.attention", "encoder.1.ffn.layers"
WEIGHTS = Place("encoder.1.self.weights", 0)
OFF = Switch("encoder.1.ffn", "residual", True)
NONE = Axis(labels=())


@pytest.fixture
def picture(bench, show):
    """Two boxes beside each other, one of them with an image, and a third below."""
    weights = bench.document.engine.value(WEIGHTS)
    marks = (
        Box((0, 0, 300, 200), "Layer", "Layer", around=True),
        FlowLine(((100, 50), (200, 50))),
        Box((20, 20, 90, 80), "Attention", "Attention", "2 heads", "Words look", GoTo(ATTENTION)),
        Image(weights, 1.0, place=(30, 40, 60, 30), node=WEIGHTS, token="source", across="source"),
        Box((190, 20, 90, 80), "Feed-forward", "Feed-forward", tip="A net", leads=GoTo(FFN), menu=(("Turn it", OFF),)),
        Box((20, 130, 90, 50), "Below", "Below", leads=GoTo("source.embedding")),
        Words(200, 150, "You", fixed=True, token=("source", 0), size=14),
        Bars((120, 110, 60, 80), ("a", "b"), (0.7, 0.3), (Cell("source.X", (0, 0)), Cell("source.X", (1, 1)))),
    )
    drawing = Drawing(marks, (0, 300, 0, 200), "A picture", NONE, NONE, down=True, square=True, zoom=True)
    return show(ZoomedView(bench, drawing), 600, 400)


@pytest.fixture
def at(spot):
    return lambda picture, x, y: QPoint(round(spot(picture, x, y).x()), round(spot(picture, x, y).y()))


def click(picture, place):
    QTest.mouseClick(picture.viewport(), Qt.MouseButton.LeftButton, pos=place)


def seen(picture):
    return picture.getViewBox().viewRect()


def test_a_click_goes_where_a_box_leads(picture, bench, at):
    click(picture, at(picture, 240, 90))
    assert bench.selection.stage == FFN
    click(picture, at(picture, 25, 25))
    assert bench.selection.stage == ATTENTION


def test_a_click_on_an_image_chooses_its_cell_and_goes_there(picture, bench, at):
    click(picture, at(picture, 40, 65))
    assert bench.selection.cell == Cell(WEIGHTS.node, (0, 2, 0))
    assert bench.selection.stage == ATTENTION


def test_pointing_at_a_row_lights_its_word_and_a_word_lights_its_row(picture, bench, at):
    QTest.mouseMove(picture.viewport(), at(picture, 60, 55))
    assert bench.selection.token == ("source", 1)
    assert bench.selection.cell == Cell(WEIGHTS.node, (0, 1, 1))
    picture.grab()
    QTest.mouseMove(picture.viewport(), at(picture, 200, 150))
    assert bench.selection.token == ("source", 0)
    theme = bench.appearance.theme
    frame = picture.grab().toImage().pixelColor(at(picture, 60, 40))
    assert frame.name() == theme.here
    click(picture, at(picture, 200, 150))
    assert bench.selection.chosen_token == ("source", 0)


def test_a_word_that_is_lit_has_its_lines_lit_through_the_whole(picture, bench, at):
    ends = np.array([[[150.0, 20.0], [180.0, 20.0]], [[150.0, 60.0], [180.0, 60.0]]])
    lines = Segments(ends, width=4.0, token="source", whose=np.array([0, 1]))
    marks = (*picture.drawing.marks[:1], lines, picture.drawing.marks[6])
    picture.tell(Drawing(marks, (0, 300, 0, 200), "Lines", NONE, NONE, down=True, square=True, zoom=True))
    theme = bench.appearance.theme

    def colours():
        image = picture.grab().toImage()
        return [image.pixelColor(at(picture, 165, y)).name() for y in (20, 60)]

    assert theme.here not in colours()
    bench.selection.set_token(("source", 0))
    assert colours()[0] == theme.here
    assert colours()[1] != theme.here


def test_of_words_that_would_lie_on_each_other_some_are_written_and_all_can_be_pointed_at(picture, bench, at):
    words = tuple(Words(150, 40 + 3 * i, f"w{i}", fixed=True, token=("source", i)) for i in range(3))
    picture.tell(Drawing(words, (0, 300, 0, 200), "Words", NONE, NONE, down=True, square=True, zoom=True))
    picture.grab()
    for i in (0, 2, 1):
        QTest.mouseMove(picture.viewport(), at(picture, 150, 40 + 3 * i))
        assert bench.selection.token == ("source", i)


def test_what_is_out_of_sight_is_not_painted(picture, monkeypatch):
    painted = []
    paint = picture._marks._paint_mark
    monkeypatch.setattr(
        picture._marks, "_paint_mark", lambda painter, i, lit: painted.append(i) or paint(painter, i, lit)
    )
    picture.grab()
    assert sorted(painted) == list(range(len(picture.drawing.marks)))
    painted.clear()
    picture.zoom(6.0, QPointF(240, 60))
    picture.grab()
    assert 4 in painted
    assert {2, 3, 5, 7}.isdisjoint(painted)


def test_words_that_have_little_room_are_smaller_and_cut_where_that_is_not_enough(picture):
    words = (Words(150, 50, "welcome", fixed=True, align=1.0, token=("source", 0), room=24.0),)
    picture.tell(Drawing(words, (0, 300, 0, 200), "Words", NONE, NONE, down=True, square=True, zoom=True))
    picture.grab()
    ((spot, _),) = picture._marks.blocks.spots
    assert spot.adjusted(4, 0, -4, 0).width() <= 24.0 * picture._marks.blocks._unit


def test_pointing_at_a_bar_points_at_its_cell(picture, bench, at):
    QTest.mouseMove(picture.viewport(), at(picture, 150, 170))
    assert bench.selection.cell == Cell("source.X", (1, 1))


def test_a_box_is_raised_under_the_mouse_and_says_what_it_is(picture, bench, at):
    theme, place = bench.appearance.theme, at(picture, 200, 60)
    assert picture.grab().toImage().pixelColor(place).name() == theme.surface
    QTest.mouseMove(picture.viewport(), place)
    assert picture.grab().toImage().pixelColor(place).name() == theme.raised
    assert picture.told_at(QPointF(place))[0] == "A net"
    assert picture.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor


def test_a_number_of_an_image_is_told_with_its_words(picture, bench, at):
    number = bench.document.engine.value(WEIGHTS)[0, 2]
    assert picture.told_at(QPointF(at(picture, 80, 45)))[0] == f"Words look\nYou → welcome: {number}"
    bench.selection.show("difference")  # from no other model
    assert picture.told_at(QPointF(at(picture, 80, 45)))[0] == "Words look\nYou → welcome: –"


def test_arrows_go_from_box_to_box_and_enter_goes_in(picture, bench):
    picture.setFocus()
    names = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Down):
        QTest.keyClick(picture, key)
        names.append(picture.accessibleDescription().partition(".")[0])
    assert names == ["Attention", "Feed-forward", "Feed-forward", "Attention", "Below"]
    QTest.keyClick(picture, Qt.Key.Key_Return)
    assert bench.selection.stage == "source.embedding"


def test_the_focus_stays_on_its_box_when_an_edit_draws_more_lines_or_fewer(picture, bench):
    before = picture.drawing
    layer, way, *others = before.marks
    box = others[2]
    picture._stand_at(before.marks.index(box), picture.sceneRect())
    for lines in ((way,) * 4, (), (way,)):
        picture.tell(replace(before, marks=(layer, *lines, *others)))
        assert picture.drawing.marks[picture._marks.here] == box
        assert picture.accessibleDescription().startswith("Feed-forward")
    off = replace(box, name="Feed-forward, switched off")
    picture.tell(replace(before, marks=(layer, way, *others[:2], off, *others[3:])))
    assert picture.drawing.marks[picture._marks.here] == off
    picture.tell(replace(before, marks=(layer,)))
    assert picture._marks.here is None


def test_the_wheel_looks_closer_around_the_mouse(picture, at, hand):
    whole, place = seen(picture), at(picture, 75, 60)
    before = picture.at(QPointF(place))
    hand.wheel(picture.viewport(), place, 3.0)
    assert seen(picture).width() < whole.width()
    after = picture.at(QPointF(place))
    assert (before - after).manhattanLength() < 2
    hand.double_click(picture.viewport(), place)
    assert seen(picture) == whole


def test_keys_look_closer_and_show_all(picture):
    whole = seen(picture)
    picture.setFocus()
    QTest.keyClicks(picture, "++")
    close = seen(picture)
    QTest.keyClicks(picture, "-")
    assert close.width() < seen(picture).width() < whole.width()
    QTest.keyClicks(picture, "0")
    assert seen(picture) == whole


def test_dragging_moves_and_does_not_click(picture, bench, at):
    picture.setFocus()
    QTest.keyClicks(picture, "+++")
    before, stage = seen(picture), bench.selection.stage
    start = at(picture, before.center().x(), before.center().y())
    QTest.mousePress(picture.viewport(), Qt.MouseButton.LeftButton, pos=start)
    for k in range(1, 5):
        QTest.mouseMove(picture.viewport(), start + QPoint(-10 * k, 0))
    QTest.mouseRelease(picture.viewport(), Qt.MouseButton.LeftButton, pos=start + QPoint(-40, 0))
    assert seen(picture).left() > before.left()
    assert bench.selection.stage == stage


def test_an_edit_leaves_the_part_that_one_looks_at(picture):
    picture.setFocus()
    QTest.keyClicks(picture, "+++")
    close, drawing = seen(picture), picture.drawing
    picture.tell(Drawing(drawing.marks[:-1], drawing.window, "Another", NONE, NONE, down=True, square=True, zoom=True))
    assert seen(picture) == close


def test_a_right_click_offers_what_can_be_turned_off(picture, bench, at):
    place = at(picture, 200, 60)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, picture.mapToGlobal(place))
    QApplication.sendEvent(picture.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == ["Turn it"]
    menu.actions()[0].trigger()
    assert bench.document.state.model.switch("encoder.1.ffn", "residual") is True
    menu.close()


def test_words_grow_along_and_are_left_out_where_nobody_could_read_them(picture):
    small = picture._marks.blocks
    small.begin(0.3)
    assert small.font(12.0) is None
    small.begin(1.0)
    one = small.font(12.0).pixelSize()
    small.begin(1.5)
    assert small.font(12.0).pixelSize() > one == 12


def test_it_is_named_for_a_screen_reader(picture):
    assert picture.accessibleName() == "A picture"
    assert picture.focusPolicy() == Qt.FocusPolicy.TabFocus
    assert isinstance(picture, QWidget)


def test_once_a_number_fits_into_its_square_it_is_written(window, eye):
    """Also where there is no end to looking closer: squares of 100 pixels had stayed blank."""
    eye.go_to(window, "model.encoder.1.self")
    eye.settle(window)
    picture = window.page().elements.widgets["model"].picture
    numbers = {cell for row in eye_texts(window, "encoder.1.self.Q") for cell in row}
    assert not numbers & {one.text for one in written_in(picture)}
    image = next(one for one in picture.drawing.marks if isinstance(one, Image) and one.node.node == "encoder.1.self.Q")
    left, top, wide, high = image.place
    while picture.pixel(left + wide, top).x() - picture.pixel(left, top).x() < 100 * image.array.shape[1]:
        before = picture.pixel(left + wide, top).x() - picture.pixel(left, top).x()
        picture.zoom(1.25, QPointF(left + wide / 2, top + high / 2))
        assert picture.pixel(left + wide, top).x() - picture.pixel(left, top).x() > before
    assert numbers & {one.text for one in written_in(picture)}


def eye_texts(window, name):
    shown = matrix(window.bench.view, window.bench.view.of_head(name, 0))
    return [[shown.text(i, j) for j in range(len(shown.columns))] for i in range(len(shown.rows))]


def test_a_title_for_which_there_is_no_room_is_written_lighter_before_it_is_cut(bench):
    blocks, title = Blocks(bench), "Feed-forward"
    bold, light = (blocks._advance(blocks._sized(int(TIGHT), strong), strong, title) for strong in (True, False))
    assert light < bold
    for room, weight, text in ((bold + 1, True, title), ((light + bold) / 2, False, title), (light / 2, False, None)):
        font, written = blocks._fitted(blocks._sized(12, True), True, title, room)
        assert (font.weight() >= QFont.Weight.DemiBold) is weight
        assert written == title if text else written.endswith("…")


def test_a_short_word_is_made_smaller_before_it_is_cut(bench):
    """Beside another model the boxes of norms said "no…"."""
    blocks = Blocks(bench)
    font = blocks._sized(int(TIGHT), False)
    room = blocks._advance(font, False, "norm") - 2
    small, text = blocks._fitted(font, False, "norm", room)
    assert text == "norm"
    assert TINY <= small.pixelSize() < TIGHT
    assert blocks._fitted(font, False, "norm", room / 3)[1].endswith("…")


def test_of_a_name_that_is_cut_the_number_at_its_end_stays(bench):
    blocks = Blocks(bench)
    font = blocks._sized(12, False)
    cut = [blocks._fitted(font, False, name, 50)[1] for name in ("a long example 1", "a long example 2")]
    assert all("…" in text for text in cut)
    assert [text[-1] for text in cut] == ["1", "2"]


def test_a_bar_gives_way_to_a_word_that_would_be_cut(picture):
    words, cells = ("<0x9C>", "b"), (Cell("source.X", (0, 0)), Cell("source.X", (1, 1)))
    marks = (Bars((120, 110, 76, 40), words, (0.7, 0.3), cells),)
    picture.tell(Drawing(marks, (0, 300, 0, 200), "Bars", NONE, NONE, down=True, square=True, zoom=True))
    assert [one.text for one in written_in(picture)] == ["<0x9C>", "0.70", "b", "0.30"]


def test_the_likeliest_word_which_is_bold_stays_within_its_bars(picture, at):
    """Its width was measured in letters that are not bold, and it began outside of its box."""
    words, cells = ("Category A", "Category B"), (Cell("source.X", (0, 0)), Cell("source.X", (1, 1)))
    marks = (Bars((20, 110, 136, 30), words, (0.7, 0.3), cells),)
    picture.tell(Drawing(marks, (0, 300, 0, 200), "Bars", NONE, NONE, down=True, square=True, zoom=True))
    assert [one.text for one in written_in(picture)] == ["Category A", "0.70", "Category B", "0.30"]
    assert all(one.place.left() >= at(picture, 20, 110).x() for one in written_in(picture))


@pytest.mark.parametrize(("width", "written"), [(280, ["Layer 1 of 2", "all alike: × 2"]), (100, ["Layer 1 of 2"])])
def test_a_frame_has_its_note_at_the_right_if_there_is_room_for_all_of_it(picture, width, written):
    marks = (Box((10, 10, width, 80), "Layer", "Layer 1 of 2", "all alike: × 2", around=True),)
    picture.tell(Drawing(marks, (0, 300, 0, 200), "A frame", NONE, NONE, down=True, square=True, zoom=True))
    assert [one.text for one in written_in(picture)] == written


@pytest.mark.parametrize(("width", "written"), [(140, ["loss", "a single number"]), (60, ["loss"])])
def test_a_matrix_has_its_size_beside_its_name_if_there_is_room_for_all_of_it(picture, width, written):
    marks = (Box((10, 10, width, 80), "loss", "loss", "a single number", formula=""),)
    picture.tell(Drawing(marks, (0, 300, 0, 200), "A matrix", NONE, NONE, down=True, square=True, zoom=True))
    assert [one.text for one in written_in(picture)] == written


def test_a_matrix_narrower_than_its_name_that_says_no_size_is_painted(picture):
    """The room beside the name was less than none, and was divided by."""
    marks = (Box((10, 10, 12, 80), "loss", "a long name", "", formula=""),)
    picture.tell(Drawing(marks, (0, 300, 0, 200), "A matrix", NONE, NONE, down=True, square=True, zoom=True))
    assert len(list(written_in(picture))) == 1


def test_the_letters_of_a_low_title_do_not_lie_on_its_formula(picture):
    """At three fifths of its size the title of a matrix was written over its formula, and over the frame."""
    marks = (Box((10, 10, 200, 80), "scores", "scores", "3 × 3", formula=r"S = Q K"),)
    picture.tell(Drawing(marks, (0, 840, 0, 560), "A matrix", NONE, NONE, down=True, square=True, zoom=True))
    assert {one.font.pixelSize() for one in written_in(picture)} == {9}


def test_words_of_low_bars_do_not_lie_on_each_other(picture, at):
    high = 1000.0 / (at(picture, 0, 100).y() - at(picture, 0, 0).y())  # numbers of the window that are ten pixels
    cells = tuple(Cell("source.X", (0, i)) for i in range(3))
    marks = (Bars((20, 20, 200, 3 * high), ("one", "two", "three"), (0.5, 0.3, 0.2), cells),)
    picture.tell(Drawing(marks, (0, 300, 0, 200), "Bars", NONE, NONE, down=True, square=True, zoom=True))
    sizes = [one.font.pixelSize() for one in written_in(picture)]
    assert len(sizes) == 6
    assert max(sizes) <= 10


def test_an_image_that_fades_or_moves_is_not_coloured_anew_and_one_with_other_numbers_is(picture, monkeypatch):
    made = []
    coloured = painting._strengths
    monkeypatch.setattr(painting, "_strengths", lambda *given: made.append(given) or coloured(*given))

    def show_with(**how):
        marks = [replace(mark, **how) if isinstance(mark, Image) else mark for mark in picture.drawing.marks]
        picture.tell(replace(picture.drawing, marks=tuple(marks)))
        QApplication.processEvents()

    show_with(faint=0.5)
    show_with(place=(40, 40, 60, 30))
    assert not made
    show_with(array=np.eye(3))
    assert len(made) == 1


def test_a_masked_score_is_grey_in_a_picture_as_it_is_in_its_matrix(picture, at):
    """It had the colour of the strongest number below 0, so that the eye met what the mask hides."""
    scores = np.array([[0.5, -np.inf], [-1.0, 0.5]])
    marks = [
        replace(mark, array=scores, node=None) if isinstance(mark, Image) else mark for mark in picture.drawing.marks
    ]
    picture.tell(replace(picture.drawing, marks=tuple(marks)))
    seen, theme = picture.grab().toImage(), picture.bench.appearance.theme
    masked, least = (seen.pixelColor(at(picture, x, y)).name() for x, y in ((82, 44), (38, 59)))
    assert masked == theme.hatch
    assert least == theme.diverging_ramp.colors[0].name()


def test_of_an_image_of_millions_of_numbers_a_few_are_coloured_and_the_strongest_is_seen(picture, at, monkeypatch):
    coloured, theme = [], picture.bench.appearance.theme
    index = type(theme.diverging_ramp).index
    monkeypatch.setattr(
        type(theme.diverging_ramp),
        "index",
        lambda ramp, values, *ends: coloured.append(values.size) or index(ramp, values, *ends),
    )
    table = np.zeros((20_000, 100))
    table[10_000:10_300, 40:60] = -1.0
    marks = [
        replace(mark, array=table, node=None) if isinstance(mark, Image) else mark for mark in picture.drawing.marks
    ]
    picture.tell(replace(picture.drawing, marks=tuple(marks)))
    image = picture.grab().toImage()
    assert coloured == [FINEST * 100]
    middle, beside = at(picture, 60, 55.2), at(picture, 60, 48)
    assert image.pixelColor(beside) == theme.diverging_ramp.colors[128]
    assert image.pixelColor(middle) != image.pixelColor(beside)

    drawn, generator = QBuffer(), QSvgGenerator()  # who shows a file takes means of what is finer than its pixels
    generator.setOutputDevice(drawn)
    painter = QPainter(generator)
    QWidget.render(picture.viewport(), painter, QPoint())
    painter.end()
    (inside,) = set(re.findall(r"data:image/png;base64,([^\"]+)", drawn.data().data().decode()))
    inside = QImage.fromData(base64.b64decode(inside))
    assert inside.height() < picture.height()
    assert theme.diverging_ramp.colors[0] in [inside.pixelColor(inside.width() // 2, y) for y in range(inside.height())]

    # To compare all of two tables of 50,000 words took half a second of each paint.
    compared, equal = [], np.array_equal
    monkeypatch.setattr(
        np, "array_equal", lambda one, other, **how: compared.append(one.size) or equal(one, other, **how)
    )
    for other in (table.copy(), table.copy()):
        marks = [replace(mark, array=other) if isinstance(mark, Image) else mark for mark in picture.drawing.marks]
        picture.tell(replace(picture.drawing, marks=tuple(marks)))
        picture.grab()
        picture.grab()
    assert coloured == [FINEST * 100], "it looks as it did"
    assert compared == [FINEST * 100] * 2, "in the second paint of each there is nothing to compare"


def test_where_marks_are_is_the_same_whether_those_before_are_known_or_not(picture):
    drawing = picture.drawing
    faded = tuple(replace(mark, faint=0.5) for mark in drawing.marks)
    moved = (*faded[:-2], replace(faded[-2], text="You all"), replace(faded[-1], place=(100, 110, 60, 80)), faded[0])
    known = None
    for marks in (drawing.marks, faded, moved, drawing.marks):
        now = replace(drawing, marks=marks)
        known = Sight(now, known)
        fresh = Sight(now)
        assert np.array_equal(known._places, fresh._places)
        assert np.array_equal(known._words, fresh._words)


@pytest.mark.parametrize(("columns", "written"), [(2, True), (12, False), (13, True)])
def test_small_matrices_in_boxes_with_formulas_all_show_their_numbers_or_none_does(picture, columns, written):
    """In some boxes one read numbers, in others of the same picture dashes; a large one never has numbers."""
    one, other = np.array([[1.0, 2.0]]), np.full((1, columns), 7.0)
    marks = (
        Box((10, 10, 100, 80), "Q", "Q", formula="", tip="a"),
        Image(one, 2.0, place=(20, 40, 80, 40)),
        Box((150, 10, 100, 80), "K", "K", formula="", tip="b"),
        Image(other, 7.0, place=(160, 40, 80, 40)),
    )
    picture.tell(Drawing(marks, (0, 300, 0, 200), "Two", NONE, NONE, down=True, square=True, zoom=True))
    assert ("1.0" in [text.text for text in written_in(picture)]) == written


def test_the_numbers_of_all_small_matrices_have_one_size(picture):
    """Those of a table of two rows were half as large again as those of one of four beside it."""
    marks = (
        Box((10, 10, 100, 80), "X", "X", formula="", tip="a"),
        Image(np.eye(4, 2), 1.0, place=(20, 30, 80, 58)),
        Box((150, 10, 100, 80), "W", "W", formula="", tip="b"),
        Image(np.eye(2), 1.0, place=(160, 30, 80, 58)),
    )
    picture.resize(900, 600)
    picture.tell(Drawing(marks, (0, 300, 0, 200), "Two", NONE, NONE, down=True, square=True, zoom=True))
    sizes = [text.font.pixelSize() for text in written_in(picture) if text.text in ("0.0", "1.0")]
    assert (len(sizes), len(set(sizes))) == (12, 1)


Text = QAccessible.Text


@pytest.fixture
def whole(open_window, eye):
    page = eye.go_to(open_window("you-are-welcome"), WHOLE.name)
    (found,) = page.findChildren(ZoomedView)
    return found


def met(whole):
    return QAccessible.queryAccessibleInterface(whole)


def children(whole):
    one = met(whole)
    return [one.child(k) for k in range(one.childCount())]


def test_each_block_is_a_child_with_name_summary_and_place(whole):
    boxes = [mark for mark in whole.drawing.marks if isinstance(mark, Box) and mark.leads is not None]
    found = children(whole)
    assert [one.text(Text.Name) for one in found] == [box.name for box in boxes]
    assert [one.text(Text.Description) for one in found] == [box.tip.replace("\n", ", ") for box in boxes]
    attention = next(one for one in found if one.text(Text.Name).startswith("Encoder 1: Self-attention"))
    assert "96 parameters" in attention.text(Text.Description)
    assert met(whole).text(Text.Name) == whole.drawing.summary
    for one in found:
        assert whole.window().geometry().contains(one.rect())
        middle = one.rect().center()
        assert met(whole).childAt(middle.x(), middle.y()).rect().contains(middle)


def test_the_keys_are_seen_at_one_of_them(whole):
    assert not any(one.state().focused for one in children(whole))
    whole.setFocus()
    for _ in range(3):
        QTest.keyClick(whole, Qt.Key.Key_Right)
    (focused,) = [one for one in children(whole) if one.state().focused]
    assert focused.text(Text.Name) == whole.drawing.marks[whole._marks.here].name
    assert met(whole).focusChild() is focused


def test_a_drawing_that_is_gone_has_none(whole):
    first = children(whole)[0]
    assert first.isValid()
    shiboken6.delete(whole)
    assert not first.isValid()
    assert first.text(Text.Name) == ""
    assert first.state().invalid


def test_a_picture_that_nobody_sees_is_made_for_a_screen_reader(open_window, eye):
    window = open_window("you-are-welcome")
    page = eye.go_to(window, "encoder.1.self.attention")
    plane = page.elements.widgets["plane of encoder.1.self.moved"]
    assert plane.visibleRegion().isEmpty()
    before, said = plane.picture.drawing, met(plane.picture).text(Text.Name)
    window.bench.document.do(SetCells("encoder.1.self.head.1.W_V", {(0, 0): 2.5}))
    window.bench.bridge.flush()
    assert plane.picture.drawing is before
    assert met(plane.picture).text(Text.Name) != said
    assert met(plane.picture).text(Text.Name) == plane.data.drawing.summary
    assert plane.picture.drawing != before


def test_a_picture_that_nobody_sees_is_made_when_one_scrolls_to_it(open_window, eye, qtbot):
    window = open_window("you-are-welcome")
    page = eye.go_to(window, "encoder.1.self.attention")
    plane = page.elements.widgets["plane of encoder.1.self.Q"]
    window.bench.document.do(SetCells("encoder.1.self.head.1.W_Q", {(0, 0): 2.5}))
    window.bench.bridge.flush()
    assert "drawing" not in vars(plane.data)
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    qtbot.waitUntil(lambda: plane.picture.drawing == plane.data.drawing)
    seen = plane.data
    window.bench.document.do(SetCells("encoder.1.self.head.1.W_Q", {(0, 0): -1.5}))
    window.bench.bridge.flush()
    assert plane.data is not seen
    assert plane.picture.drawing == plane.data.drawing


def test_a_box_that_is_too_narrow_for_its_title_says_it_briefly_before_it_cuts_it(bench, monkeypatch):
    """Beside another model one read “Masked atte…” and “Gated feed-for…”, and of W_O only its first letter."""
    blocks, said = Blocks(bench), []
    monkeypatch.setattr("explorer.ui.drawing.blocks.draw_named", lambda painter, rect, place, text: said.append(text))
    image = QImage(400, 100, QImage.Format.Format_RGB32)
    blocks.begin(0.6)
    for width in (140.0, 65.0, 20.0):
        painter = QPainter(image)
        box = Box((0, 0, 1, 1), "masked", "Masked attention", briefly="Attention")
        blocks.box(painter, box, QRectF(0, 0, width, 90), False, False)
        painter.end()
    assert said[:2] == ["Masked attention", "Attention"]
    assert said[2].endswith("…")
    font = blocks._sized(9, False)
    typed, typeset = (blocks._advance(font, False, "W_O", names) for names in (False, True))
    assert typeset < typed
    assert blocks._fitted(font, False, "W_O", typeset + 0.5) == (font, "W_O")


@pytest.mark.parametrize("unit", [0.45, 0.6, 0.8, 1.2])
def test_letters_are_no_higher_than_their_line_in_a_small_picture(bench, monkeypatch, unit):
    """Beside another model the squares below covered half of “Feed-forward”, and the words of bars overlapped."""
    blocks, high = Blocks(bench), {}

    def draw(painter, rect, place, text):
        high[text] = painter.fontInfo().pixelSize(), rect

    monkeypatch.setattr("explorer.ui.drawing.blocks.draw_named", draw)
    image = QImage(400, 400, QImage.Format.Format_RGB32)
    blocks.begin(unit)
    painter = QPainter(image)
    for width in (90.0, 110.0, 150.0):  # the title stands as it is, in smaller letters, or briefly
        box = Box((0, 0, 1, 1), "net", "Gated feed-forward", briefly="Feed-forward")
        blocks.box(painter, box, QRectF(0, 0, width * unit, 90 * unit), False, False)
    blocks.box(painter, Box((0, 0, 1, 1), "pill", "rotary"), QRectF(0, 0, 90 * unit, 15 * unit), False, False)
    for said, (letters, _) in high.items():
        assert letters <= max(12.5 * unit + 0.5, 7), said
    high.clear()
    monkeypatch.setattr(QPainter, "drawText", draw)
    blocks.bars(painter, Bars((0, 0, 1, 1), ("one", "two"), (0.5, 0.5)), QRectF(0, 0, 90 * unit, 34 * unit), None)
    painter.end()
    assert len(high) >= 2
    for said, (letters, line) in high.items():
        assert letters <= max(line.height() + 0.5, 7), said
