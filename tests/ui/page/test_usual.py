"""In windows of the usual sizes, lists and pictures take the room that there is, and no more."""

import pytest
from PySide6.QtCore import QPoint, QRect

from explorer.document.commands import SetSwitch, SetTokens
from explorer.lessons.document_lesson import new_lesson
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.listing import ListingView
from tests.ui.page.test_wide import parts_of

pytestmark = pytest.mark.usefixtures("no_pictures", "kept")


@pytest.fixture(scope="module")
def kept_lesson():
    return "tiny-gpt"


def test_a_bar_goes_that_qt_has_left_where_there_is_nothing_to_scroll(bring):
    page = bring("tiny-gpt", "input.embedding").page()
    bar = page.horizontalScrollBar()
    bar.parentWidget().show()  # as Qt does where the range becomes nothing while it lays itself out
    assert bar.isVisibleTo(page)
    assert not bar.maximum()
    page._share_room()
    assert not bar.isVisibleTo(page)


def test_what_stands_in_a_part_of_a_page_is_no_wider_than_that(bring):
    """The arrows beside a long table were cut at their right, and so were the words below them."""
    window = bring("tiny-gpt", "input.embedding")
    elements = window.page().elements
    (*_, part) = parts_of(window.page())[0]
    for id in ("plane of input.table", "who is in the plane of input.table"):
        one = elements.widgets[id]
        assert QRect(one.mapTo(elements, QPoint()), one.size()).right() <= part.right(), id
    words = elements.widgets["who is in the plane of input.table"]
    assert words.height() >= words.heightForWidth(words.width()), "all of its lines are there"


def test_a_page_of_lists_is_as_large_as_fits_however_many_lines_they_have(bring, eye):
    window = bring("tiny-gpt", "generation.pieces", (1500, 1540))
    document, (sequence,) = window.bench.document, window.bench.document.wanted.graph.sequences
    word, drawn = document.words(sequence)[3], []
    for count in (5, 10, 1, 10, 5):
        document.do(SetTokens(sequence, (word,) * count))
        eye.settle(window)
        page = window.page()
        assert page.verticalScrollBar().maximum() == 0, count
        drawn.append(page.elements._sharing.growth.drawn)
    assert drawn == drawn[::-1], drawn
    assert len(set(drawn)) > 1, drawn


@pytest.mark.parametrize("lesson", ["roses-are-red", "cat-sat-on-the"])
def test_a_page_of_gradient_descent_is_in_sight_whole_and_its_pictures_are_not_smaller_for_it(bring, lesson):
    """The weights to choose from stood on three lines, and curve and surface were made a third smaller for that."""
    window = bring(lesson, "model.descent")
    page, px = window.page(), window.bench.appearance.px
    assert page.verticalScrollBar().maximum() == 0
    assert page.elements.widgets["curve"].width() >= px(340)
    assert page.elements.widgets["surface"].width() >= px(330)


def test_a_list_has_no_larger_letters_where_its_bars_would_be_short_for_them(bring):
    """The bars of Parameters were 44 pixels long, beside sizes on two lines."""
    blocks = bring("sin", "model.parameters", (1280, 720)).page().elements.widgets["block list"]
    assert blocks.columnWidth(4) >= 100
    rows = [blocks.rowHeight(row) for row in range(len(blocks.listing.lines))]
    assert len(set(rows)) == 1, "no words on two lines"


def test_a_list_takes_the_room_that_is_too_little_for_the_model_below_it(bring):
    window = bring("positions-cat-mat", "model.changes")
    page, px = window.page(), window.bench.appearance.px
    (one,) = (one for one in page.elements.widgets.values() if isinstance(one, ListingView))
    assert not page.elements.widgets["model"].isVisibleTo(page.elements)
    assert page.elements.height() <= page.viewport().height()
    assert one.verticalHeader().defaultSectionSize() > 1.25 * px(26)
    usual, now = window.bench.appearance.fonts.ui, one.font_of(0, number=False, here=False)
    assert 1.1 < now.pointSizeF() / usual.pointSizeF() <= 1.31, "no letter is larger than those of headings"
    assert one.whole_width <= page.elements.width(), "none of it is cut"


def test_rows_of_a_very_wide_matrix_are_seen_where_the_page_has_room(anew, eye):
    """The pictures of a large model's vectors were strips of thirty pixels at the top of an empty page."""
    window = anew(lesson=new_lesson("gpt", ["a b c d e f g h"], d_model=768, heads=2), size=(1280, 720))
    window.bench.document.do(SetSwitch("decoder.1.self", "norm", "pre"))
    window.bench.document.settle()
    page = eye.go_to(window, "decoder.1.self.after")
    assert page.elements.height() <= page.viewport().height()
    for one in page.elements.widgets.values():
        if isinstance(one, MatrixBox) and one.matrix.array.shape[1] == 768:
            assert one.small
            assert one.shape.picture.height() >= 5 * one.matrix.array.shape[0]
