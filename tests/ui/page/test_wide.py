"""A wide window: parts of a page stand beside each other, lines of words stay short; no bar is there for nothing."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QRect

from explorer.document.commands import SetCells, SetTokens
from explorer.pages.element import leaves
from explorer.pages.page import Row, Stack
from explorer.ui.appearance import GROWS
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.heading import TALL
from explorer.ui.page.growth import Growth
from explorer.ui.page.header import HeaderView
from explorer.ui.page.listing import ListingView
from explorer.ui.page.note import NoteLabel, SectionLabel
from explorer.ui.page.pictures import Drawn
from explorer.ui.widgets.labels import LETTERS, SHORT, line_of

WIDE, SMALL = (2560, 1440), (1280, 720)
DECODER = "decoder.1.self"


def parts_of(page):
    """Where the parts stand that are beside each other, row by row."""
    rows = [one for element in page.page.elements for one in leaves(element) if isinstance(one, Row)]
    found = []
    for row in rows:
        stacks = [one for one in row.inside if isinstance(one, Stack) and one.width and not one.title]
        if stacks:
            at, scene = page.elements.contentsRect(), page.elements.scene(page.elements.contentsRect().width())
            found.append([QRect(*scene.places[one.id]).translated(at.topLeft()) for one in stacks])
    return found


@pytest.mark.usefixtures("no_pictures")
def test_where_there_is_room_parts_stand_beside_each_other_and_lines_of_words_stay_short(open_window, eye):
    pages = "model.card", "generation.costs"
    window = open_window("tiny-gpt", stage=pages[0], size=WIDE)
    for stage in (*pages, "generation.why"):
        found = parts_of(eye.go_to(window, stage))
        assert len(found) == (1 if stage in pages else 2), stage
        for rects in found:
            assert len({rect.top() for rect in rects}) == 1, stage
            assert all(one.right() < other.left() for one, other in pairwise(rects)), stage
            assert rects[-1].right() <= window.page().elements.contentsRect().right(), stage
        if stage in ("model.card", "generation.why"):
            assert_lines_are_short(window.page())
    for stage in ("generation.pieces", "loss"):
        assert_lines_are_short(eye.go_to(window, stage))
    window.resize(*SMALL)
    for stage in (*pages, "generation.why"):
        elements = eye.go_to(window, stage).elements
        for rects in parts_of(window.page()):
            assert all(one.bottom() < other.top() for one, other in pairwise(rects)), stage
            room = elements.contentsRect()
            assert {rect.width() for rect in rects} == {room.width()}, f"{stage}: what stands alone has all of the line"
            assert all(rect.right() <= room.right() for rect in rects), stage


@pytest.mark.usefixtures("no_pictures")
def test_beside_another_part_a_sum_keeps_its_numbers_if_the_other_can_be_narrower(open_window, eye):
    """The bias of the second product was a tiny picture beside tables, in the widest window."""
    window = open_window("you-are-welcome", stage="encoder.1.ffn.layers", size=WIDE)
    eye.settle(window)
    page = window.page()
    assert len(parts_of(page)) == 1
    (first, then), room = parts_of(page)[0], page.elements.contentsRect()
    assert first.top() == then.top()
    assert then.right() <= room.right()
    boxes = [one for one in page.elements.widgets.values() if isinstance(one, MatrixBox)]
    assert [box.matrix.id for box in boxes if box.small] == []


def assert_lines_are_short(page):
    notes = [one for one in page.elements.widgets.values() if isinstance(one, NoteLabel) and len(one.text()) > SHORT]
    assert notes, page.stage.name
    for note in notes:
        width = LETTERS * note.fontMetrics().averageCharWidth()
        assert note.contentsRect().width() <= line_of(note) == width, page.stage.name
        assert note.height() >= note.heightForWidth(note.width()), f"{page.stage.name}: its last line is cut"


def test_a_table_that_goes_on_below_has_its_place_as_soon_as_its_page_is_seen(open_window, eye):
    window = open_window("tiny-gpt", stage="model.changes", size=(WIDE[0], 1800))
    page = eye.look_at(window, "model.family")  # shown, and nothing that comes in a later turn
    table, below = page.elements.widgets["members"], page.elements.widgets["trained"]
    assert isinstance(table, ListingView)
    assert [one for one in table._rest if one.isVisibleTo(table)]
    assert table.geometry().bottom() < below.geometry().top()


def reach_of(page):
    """How much of the page in sight its elements reach across and down, as shares; and whether all is in sight."""
    port, right, low = page.viewport(), 0, 0
    for widget in page.elements.widgets.values():
        if widget.isVisibleTo(page.elements) and not isinstance(widget, (NoteLabel, HeaderView, SectionLabel)):
            at = widget.mapTo(page.elements, QPoint())
            right, low = max(right, at.x() + widget.width()), max(low, at.y() + widget.height())
    return right / port.width(), low / port.height(), page.elements.height() <= port.height()


@pytest.mark.usefixtures("no_pictures")
def test_a_page_of_little_uses_a_large_window_across_or_down_and_is_whole(open_window, eye, qtbot):
    stages = "source.embedding", "encoder.1.self.heads", "encoder.1.self.after", "decoder.1.self.heads"
    window = open_window("you-are-welcome", stage=stages[0], size=WIDE)
    for stage in stages:
        eye.go_to(window, stage)
        assert_uses_the_room(qtbot, window)


def assert_uses_the_room(qtbot, window):
    qtbot.waitUntil(lambda: reach_of(window.page())[2])  # once formulas are typeset, the room is shared again
    across, down, _ = reach_of(window.page())
    assert max(across, down) > 0.75, f"{window.page().stage.name}: {across:.0%} across and {down:.0%} down"


@pytest.mark.usefixtures("no_pictures")
def test_in_a_large_window_a_page_of_little_and_its_matrices_are_large_and_the_model_stands_below(
    open_window, eye, qtbot, monkeypatch
):
    """Sizes were tried in the letters of the small window, too: that held it for a quarter of a second."""
    window = open_window("xor", stage="layer.2")
    tried, grow, look = [], Growth.grow, window.bench.appearance
    monkeypatch.setattr(Growth, "grow", lambda *given: tried.append(look.scale) or grow(*given))
    times, *size = GROWS[0]
    assert size < [*WIDE]
    window.resize(*WIDE)
    eye.settle(window)
    assert set(tried) == {times}
    assert_uses_the_room(qtbot, window)
    eye.go_to(window, "layer.1")
    assert_uses_the_room(qtbot, window)
    boxes = window.page().findChildren(MatrixBox)
    before = {box.matrix.name: box.form.times for box in boxes}
    assert min(before.values()) * window.bench.appearance.scale > 1.5
    window.bench.document.do(SetCells("layer.1.W", {(0, 0): -12345.678}))
    eye.settle(window)
    assert {box.matrix.name: box.form.times for box in boxes} == before, "they keep it while numbers change"
    window.bench.document.undo()
    assert_the_model_stands_below(window, eye, "model.card", "model.switches", "model.parameters")


def assert_the_model_stands_below(window, eye, *stages):
    """Below a page about it, where that leaves room: in a large window, and not in a low one."""
    for size in (WIDE, (1280, 560), WIDE):
        window.resize(*size)
        for stage in stages:
            page = eye.go_to(window, stage)
            picture = page.elements.widgets["model"]
            assert picture.isVisibleTo(page.elements) == (size == WIDE), stage
            if size == WIDE:
                assert not page.verticalScrollBar().maximum(), stage
                assert picture.height() > 0.4 * page.viewport().height(), stage


@pytest.mark.usefixtures("no_pictures")
def test_the_model_stands_below_its_pictures_of_descent_too(open_window, eye):
    assert_the_model_stands_below(open_window("apple-orange", stage="model.descent", size=WIDE), eye, "model.descent")


@pytest.mark.usefixtures("no_pictures")
def test_small_pictures_take_the_room_that_a_page_leaves_down(open_window, eye):
    window = open_window("tiny-gpt", stage=f"{DECODER}.after", size=SMALL)
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
@pytest.mark.parametrize(("lesson", "stage"), [("i-want-to-buy", "input.embedding"), ("xor", "input")])
def test_a_page_that_is_slightly_too_high_has_smaller_pictures_and_is_whole(open_window, lesson, stage):
    window = open_window(lesson, stage=stage)
    assert window.page().verticalScrollBar().maximum() == 0
    places = [one for one in window.page().elements.widgets.values() if isinstance(one, Drawn)]
    assert all(one.width() >= 0.7 * one.data.width for one in places)


@pytest.mark.usefixtures("no_pictures")
def test_a_part_is_not_wider_for_a_single_number_in_it(open_window):
    """The temperature made the part of the words so wide that the costs stood below it, out of sight."""
    page = open_window("roses-are-red", stage="generation.next", size=WIDE).page()
    (words, costs), *_ = parts_of(page)
    assert words.right() < costs.left()
    assert page.verticalScrollBar().maximum() == 0


def test_all_heads_are_in_sight_at_once_in_even_lines(open_window, eye, qtbot):
    window = open_window("changed-since-2017", stage=f"{DECODER}.heads", size=SMALL)

    def heads():
        return [window.page().elements.widgets[f"{DECODER}.heat map of head {k + 1}"] for k in range(8)]

    def places():
        port = window.page().viewport()
        return [QRect(one.picture.mapTo(port, QPoint()), one.picture.size()) for one in heads()]

    for size in (SMALL, WIDE):
        window.resize(*size)
        eye.settle(window)
        qtbot.waitUntil(lambda: all(one.picture is not None for one in heads()))
        qtbot.waitUntil(lambda: window.page().viewport().rect().contains(places()[-1]))
        there = places()
        lines = {rect.top(): [one for one in there if one.top() == rect.top()] for rect in there}
        assert len({len(line) for line in lines.values()}) == 1, f"{size}: as many on each line"
        assert len({rect.height() for rect in there}) == 1, size
    # With 40 words each has buttons to look closer: they were not counted, and head 4 stood alone on a line.
    window.bench.document.do(SetTokens("input", ("she",) * 40))
    for size in ((1440, 900), (1600, 900)):
        window.resize(*size)
        eye.settle(window)
        qtbot.waitUntil(lambda: all(one.picture is not None for one in heads()))
        tops = [rect.top() for rect in places()]
        counts = [tops.count(top) for top in dict.fromkeys(tops)]
        assert len({*counts[:-1]}) <= 1, f"{size}: as many on each line"
        assert counts[-1] <= counts[0], size


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
