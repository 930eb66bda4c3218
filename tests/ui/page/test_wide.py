"""A wide window: parts of a page stand beside each other, lines of words stay short; no bar is there for nothing."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QRect

from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.lessons.document_lesson import new_lesson
from explorer.pages.element import leaves
from explorer.pages.page import Row, Stack
from explorer.ui.appearance import GROWS
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.heading import TALL
from explorer.ui.page.elements import Drawn
from explorer.ui.page.growth import Growth
from explorer.ui.page.header import HeaderView
from explorer.ui.page.listing import ListingView
from explorer.ui.page.note import NoteLabel, SectionLabel
from explorer.ui.widgets.labels import LETTERS, SHORT, Prose, line_of

WIDE, SMALL = (2560, 1440), (1280, 720)


def parts_of(page):
    """Where the parts stand that are beside each other, row by row."""
    rows = [one for element in page.page.elements for one in leaves(element) if isinstance(one, Row)]
    found = []
    for row in rows:
        stacks = [one for one in row.inside if isinstance(one, Stack) and one.width and not one.title]
        holders = [page.elements.holder_of(one) for one in stacks]
        if holders:
            found.append([QRect(one.mapTo(page.elements, QPoint()), one.size()) for one in holders])
    return found


def test_a_page_does_not_try_how_large_it_can_be_in_letters_that_it_will_not_keep(open_window, eye, monkeypatch):
    """A window that became so large was held for most of the time by that, for a quarter of a second."""
    window = open_window("tiny-gpt", stage="decoder.1.self.attention")
    tried, grow, look = [], Growth.grow, window.bench.appearance
    monkeypatch.setattr(Growth, "grow", lambda *given: tried.append(look.scale) or grow(*given))
    (times, *size), *_ = reversed(GROWS)
    window.resize(*size)
    eye.settle(window)
    assert set(tried) == {times}


@pytest.mark.usefixtures("no_pictures")
def test_parts_stand_beside_each_other_where_there_is_room(open_window, eye):
    pages = "model.card", "model.parameters", "generation.costs", "generation.heads"
    window = open_window("tiny-gpt", stage=pages[0], size=WIDE)
    for size in (WIDE, SMALL):
        window.resize(*size)
        for stage in (*pages, "generation.why"):
            page = eye.go_to(window, stage)
            found = parts_of(page)
            assert len(found) == (1 if stage in pages else 2), stage
            for rects in found:
                if size == WIDE:
                    assert len({rect.top() for rect in rects}) == 1, stage
                    assert all(one.right() < other.left() for one, other in pairwise(rects)), stage
                else:
                    assert all(one.bottom() < other.top() for one, other in pairwise(rects)), stage
                    room = page.elements.contentsRect().width()
                    assert {rect.width() for rect in rects} == {room}, f"{stage}: what stands alone has all of the line"
                assert all(rect.right() <= page.elements.contentsRect().right() for rect in rects), stage


@pytest.mark.usefixtures("no_pictures")
def test_lines_of_words_stay_short(open_window, eye):
    stages = "model.card", "generation.why", "generation.pieces", "loss"
    window = open_window("tiny-gpt", stage=stages[0], size=WIDE)
    for stage in stages:
        elements = eye.go_to(window, stage).elements
        notes = [one for one in elements.widgets.values() if isinstance(one, NoteLabel)]
        long = [one for one in notes if len(one.text()) > SHORT]
        assert long, stage
        for note in long:
            assert note.contentsRect().width() <= line_of(note) == LETTERS * note.fontMetrics().averageCharWidth(), (
                stage
            )
            assert note.height() >= note.heightForWidth(note.width()), f"{stage}: its last line is cut"


def test_a_table_that_goes_on_below_has_its_place_as_soon_as_its_page_is_seen(open_window, eye):
    window = open_window("tiny-gpt", stage="model.changes", size=(WIDE[0], 1800))
    page = eye.look_at(window, "model.family")  # shown, and nothing that comes in a later turn
    table, below = page.elements.widgets["members"], page.elements.widgets["trained"]
    assert isinstance(table, ListingView)
    assert [one for one in table._rest if one.isVisibleTo(table)]
    assert table.geometry().bottom() < below.geometry().top()


@pytest.mark.usefixtures("no_pictures")
def test_a_bar_goes_that_qt_has_left_where_there_is_nothing_to_scroll(open_window):
    window = open_window(stage="source.embedding")
    page = window.page()
    bar = page.horizontalScrollBar()
    bar.parentWidget().show()  # as Qt does where the range becomes nothing while it lays itself out
    assert bar.isVisibleTo(page)
    assert not bar.maximum()
    page._share_room()
    assert not bar.isVisibleTo(page)


def test_words_of_a_card_wrap_before_their_place_ends(qtbot):
    words = Prose("word " * 60)
    qtbot.addWidget(words)
    words.resize(2000, words.heightForWidth(2000))
    words.show()
    assert words.contentsRect().width() == line_of(words) < 2000
    assert words.height() >= 4 * words.fontMetrics().lineSpacing()
    words.resize(200, words.heightForWidth(200))
    assert words.contentsRect().width() == 200
    words.setText("A short sentence.")
    words.resize(2000, 40)
    assert words.contentsRect().width() == 2000


def reach_of(page):
    """How much of the page in sight its elements reach across and down, as shares; and whether all is in sight."""
    port, right, low = page.viewport(), 0, 0
    for widget in page.elements.widgets.values():
        if widget.isVisibleTo(page.elements) and not isinstance(widget, (NoteLabel, HeaderView, SectionLabel)):
            at = widget.mapTo(page.elements, QPoint())
            right, low = max(right, at.x() + widget.width()), max(low, at.y() + widget.height())
    return right / port.width(), low / port.height(), page.elements.height() <= port.height()


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(
    ("lesson", "stages"),
    [
        ("xor", ("layer.1", "layer.2")),
        (
            "you-are-welcome",
            ("source.embedding", "encoder.1.self.heads", "encoder.1.self.after", "decoder.1.self.heads"),
        ),
    ],
)
def test_a_page_of_little_uses_a_large_window_across_or_down_and_is_whole(open_window, eye, qtbot, lesson, stages):
    window = open_window(lesson, stage=stages[0], size=WIDE)
    for stage in stages:
        eye.go_to(window, stage)
        qtbot.waitUntil(lambda: reach_of(window.page())[2])  # once formulas are typeset, the room is shared again
        across, down, _ = reach_of(window.page())
        assert max(across, down) > 0.75, f"{stage} reaches {across:.0%} across and {down:.0%} down"


@pytest.mark.usefixtures("no_pictures")
def test_small_pictures_take_the_room_that_a_page_leaves_down(open_window, eye):
    window = open_window("tiny-gpt", stage="decoder.1.self.after", size=SMALL)
    for size in (SMALL, (1920, 1080), WIDE):
        window.resize(*size)
        eye.settle(window)
        page, px = window.page(), window.bench.appearance.px
        assert page.elements.height() <= page.viewport().height(), size
        for one in page.elements.widgets.values():
            if isinstance(one, MatrixBox) and one.small:  # as wide as it can be, and its rows higher than that
                rows, columns = one.matrix.array.shape
                picture = one.shape.picture
                assert picture.height() / rows > (picture.width() - one.form.lined) / columns, size
                assert picture.height() / rows <= px(TALL * one.form.times) + 1, size


@pytest.mark.usefixtures("no_pictures")
def test_what_stands_in_a_part_of_a_page_is_no_wider_than_that(open_window, eye):
    """The arrows beside a long table were cut at their right, and so were the words below them."""
    window = open_window("tiny-gpt", stage="input.embedding")
    elements = window.page().elements
    (*_, part) = parts_of(window.page())[0]
    for id in ("plane of input.table", "who is in the plane of input.table"):
        one = elements.widgets[id]
        assert QRect(one.mapTo(elements, QPoint()), one.size()).right() <= part.right(), id
    words = elements.widgets["who is in the plane of input.table"]
    assert words.height() >= words.heightForWidth(words.width()), "all of its lines are there"


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(("lesson", "stage"), [("i-want-to-buy", "input.embedding"), ("xor", "input")])
def test_a_page_that_is_slightly_too_high_has_smaller_pictures_and_is_whole(open_window, eye, lesson, stage):
    window = open_window(lesson, stage=stage)
    assert window.page().verticalScrollBar().maximum() == 0
    places = [one for one in window.page().elements.widgets.values() if isinstance(one, Drawn)]
    assert all(one.width() >= 0.7 * one.data.width for one in places)


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("lesson", ["roses-are-red", "cat-sat-on-the"])
def test_a_page_of_gradient_descent_is_in_sight_whole_and_its_pictures_are_not_smaller_for_it(open_window, eye, lesson):
    """The weights to choose from stood on three lines, and curve and surface were made a third smaller for that."""
    window = open_window(lesson, stage="model.descent")
    page, px = window.page(), window.bench.appearance.px
    assert page.verticalScrollBar().maximum() == 0
    assert page.elements.widgets["curve"].width() >= px(340)
    assert page.elements.widgets["surface"].width() >= px(330)


@pytest.mark.usefixtures("no_pictures")
def test_a_part_is_not_wider_for_a_single_number_in_it(open_window, eye):
    """The temperature made the part of the words so wide that the costs stood below it, out of sight."""
    window = open_window("roses-are-red", stage="generation.next", size=(2560, 1440))
    page = window.page()
    (words, costs), *_ = parts_of(page)
    assert words.right() < costs.left()
    assert page.verticalScrollBar().maximum() == 0


@pytest.mark.usefixtures("no_pictures")
def test_a_list_has_no_larger_letters_where_its_bars_would_be_short_for_them(open_window, eye):
    """The bars of Parameters were 44 pixels long, beside sizes on two lines."""
    window = open_window("sin", stage="model.parameters", size=(1280, 720))
    blocks = window.page().elements.widgets["block list"]
    assert blocks.columnWidth(4) >= 100
    rows = [blocks.rowHeight(row) for row in range(len(blocks.listing.lines))]
    assert len(set(rows)) == 1, "no words on two lines"


@pytest.mark.usefixtures("no_pictures")
def test_a_list_takes_the_room_that_is_too_little_for_the_model_below_it(open_window, eye):
    window = open_window("positions-cat-mat", stage="model.changes")
    page, px = window.page(), window.bench.appearance.px
    (one,) = (one for one in page.elements.widgets.values() if isinstance(one, ListingView))
    assert not page.elements.widgets["model"].isVisibleTo(page.elements)
    assert page.elements.height() <= page.viewport().height()
    assert one.verticalHeader().defaultSectionSize() > 1.25 * px(26)
    usual, now = window.bench.appearance.fonts.ui, one.font_of(0, number=False, here=False)
    assert 1.1 < now.pointSizeF() / usual.pointSizeF() <= 1.31, "no letter is larger than those of headings"
    assert one.whole_width <= page.elements.width(), "none of it is cut"


@pytest.mark.usefixtures("no_pictures")
def test_rows_of_a_very_wide_matrix_are_seen_where_the_page_has_room(open_window, eye):
    """The pictures of a large model's vectors were strips of thirty pixels at the top of an empty page."""
    window = open_window()
    window.bench.open(new_lesson("gpt", ["a b c d e f g h"], d_model=768, heads=2))
    window.bench.document.do(SetSwitch("decoder.1.self", "norm", "pre"))
    window.bench.document.settle()
    window.bench.bridge.flush()
    window.resize(*SMALL)
    eye.go_to(window, "decoder.1.self.after")
    eye.settle(window)
    page = window.page()
    assert page.elements.height() <= page.viewport().height()
    for one in page.elements.widgets.values():
        if isinstance(one, MatrixBox) and one.matrix.array.shape[1] == 768:
            assert one.small
            assert one.shape.picture.height() >= 5 * one.matrix.array.shape[0]


@pytest.mark.usefixtures("no_pictures")
def test_what_grows_in_a_large_window_keeps_its_size_while_its_numbers_change(open_window, eye):
    window = open_window("xor")
    window.resize(*WIDE)
    eye.settle(window)
    eye.go_to(window, "layer.1")
    boxes = window.page().findChildren(MatrixBox)
    before = {box.matrix.name: box.form.times for box in boxes}
    assert min(before.values()) * window.bench.appearance.scale > 1.5
    window.bench.document.do(SetCells("layer.1.W", {(0, 0): -12345.678}))
    eye.settle(window)
    assert {box.matrix.name: box.form.times for box in boxes} == before


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(
    ("lesson", "stage"),
    [
        ("xor", "model.card"),
        ("xor", "model.switches"),
        ("xor", "model.parameters"),
        ("emma", "model.parameters"),
        ("apple-orange", "model.descent"),
    ],
)
def test_the_model_stands_below_a_page_about_it_where_it_leaves_room(open_window, eye, lesson, stage):
    window = open_window(lesson, stage=stage, size=WIDE)
    for size in (WIDE, (1280, 560), WIDE):
        window.resize(*size)
        eye.settle(window)
        page = window.page()
        picture, room = page.elements.widgets["model"], page.viewport()
        assert picture.isVisibleTo(page.elements) == (size == WIDE)
        assert not page.verticalScrollBar().maximum() or size != WIDE
        if size == WIDE:
            assert picture.height() > 0.4 * room.height()


@pytest.mark.parametrize("size", [SMALL, (1600, 900), WIDE])
def test_all_heads_are_in_sight_at_once_in_even_lines(open_window, eye, qtbot, size):
    window = open_window("changed-since-2017", stage="decoder.1.self.heads", size=size)
    page = window.page()
    names = [f"decoder.1.self.heat map of head {k + 1}" for k in range(8)]

    def places():
        found = [page.elements.widgets[name] for name in names]
        assert all(one.picture is not None for one in found)
        return [QRect(one.picture.mapTo(page.viewport(), QPoint()), one.picture.size()) for one in found]

    qtbot.waitUntil(lambda: all(page.elements.widgets[name].picture is not None for name in names))
    qtbot.waitUntil(lambda: page.viewport().rect().contains(places()[-1]))
    there = places()
    lines = {rect.top(): [one for one in there if one.top() == rect.top()] for rect in there}
    assert len({len(line) for line in lines.values()}) == 1, "as many on each line"
    assert len({rect.height() for rect in there}) == 1


def test_pictures_of_few_words_take_the_room_that_a_page_leaves(open_window, eye, qtbot):
    window = open_window("ten-questions-before", stage="attention", size=WIDE)

    def high(size):
        window.resize(*size)
        page = eye.go_to(window, "attention")
        qtbot.waitUntil(lambda: page.elements.widgets["heat map"].picture is not None)
        eye.settle(window)
        assert not page.verticalScrollBar().maximum()
        return page.elements.widgets["heat map"].height()

    assert high(WIDE) > 2 * high(SMALL)


def test_a_page_of_lists_is_as_large_as_fits_however_many_lines_they_have(open_window, eye):
    window = open_window("tiny-gpt", stage="generation.pieces")
    document, (sequence,) = window.bench.document, window.bench.document.wanted.graph.sequences
    word, drawn = document.words(sequence)[3], []
    window.resize(1500, 1540)
    for count in (5, 10, 1, 10, 5):
        document.do(SetTokens(sequence, (word,) * count))
        eye.settle(window)
        page = window.page()
        assert page.verticalScrollBar().maximum() == 0, count
        drawn.append(page.elements._sharing.growth.drawn)
    assert drawn == drawn[::-1], drawn
    assert len(set(drawn)) > 1, drawn
