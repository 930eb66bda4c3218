"""A list on a page: more lines where they are asked for, narrower columns where the page is narrow."""

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication

from explorer.core.graph import Cell
from explorer.pages.gestures import GoTo
from explorer.pages.page import BAR, HEAT, NUMBER, RING, WORDS, Column, Entry, Line, Listing
from explorer.ui.page.listing import ListingView
from explorer.ui.theme import qcolor
from explorer.ui.widgets.written import written_in

COLUMNS = Column("word"), Column("a title of several words", NUMBER), Column("share", BAR, 400)


def listing(count, **other):
    lines = tuple(Line((Entry(f"word {i}"), Entry("1.00"), Entry("1", 0.5))) for i in range(count))
    return Listing("list", "A list", COLUMNS, lines, **other)


@pytest.fixture
def hundred(bench, show):
    return show(ListingView(bench, listing(100)))


def said(view):
    return [one.text for one in written_in(view)]


def lines_in_sight(view):
    return sum(view.rowAt(y) >= 0 for y in range(0, view.viewport().height(), view.rowHeight(0)))


def test_it_has_no_scroll_bar_but_says_how_many_more_there_are(hundred, hand):
    assert hundred.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    assert hundred._more.text() == "12 of 100 · more"
    assert lines_in_sight(hundred) == 12
    hand.click(hundred._more)
    assert lines_in_sight(hundred) == 48
    hundred.tell(listing(100, order="another"))
    assert lines_in_sight(hundred) == 12
    hundred.tell(listing(9))
    assert not hundred._more.isVisible()


def test_where_few_more_would_be_asked_for_all_are_in_sight(bench, show):
    """ "24 of 25 · more" took the room of the line that it hid."""
    assert lines_in_sight(show(ListingView(bench, listing(14)))) == 14
    assert lines_in_sight(show(ListingView(bench, listing(15)))) == 12


def test_a_label_is_cut_only_beyond_the_letters_that_it_may_have(bench, show):
    name = "Maria-Magdalena Gräfin von Habsburg-Lothringen"  # 46 letters
    for letters, label in ((24, f"{name[:23]}…"), (46, name)):
        view = show(ListingView(bench, listing(3, labels=(name, "Bo", "Cy"), letters=letters)))
        side, model = view.verticalHeader(), view.model()
        assert model.headerData(0, Qt.Orientation.Vertical, Qt.ItemDataRole.DisplayRole) == label
        assert side.width() >= QFontMetrics(bench.appearance.fonts.bold.small).horizontalAdvance(label)
        tip = model.headerData(0, Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole)
        assert tip == (None if label == name else name)


def test_lines_are_broken_once_it_is_known_how_wide_they_are(bench, show, monkeypatch):
    """They were broken twice before: half of what a list of 200 lines takes."""
    broken = []
    lines_of = ListingView.lines_of
    monkeypatch.setattr(ListingView, "lines_of", lambda *given: broken.append(1) or lines_of(*given))
    words = (Column("word", WORDS), *COLUMNS[1:])
    view = ListingView(bench, replace(listing(100), columns=words))
    view.sizeHint()
    assert not broken
    show(view)
    assert len(broken) >= 100


def test_a_copied_line_has_numbers_that_a_spreadsheet_reads(bench, show, hand):
    line = Line((Entry("one − two"), Entry("−1.50"), Entry("1", 0.5)))
    view = show(ListingView(bench, replace(listing(1), lines=(line,))))
    view.setFocus()
    hand.key(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "one − two\t-1.50"


def test_keys_go_on_beyond_the_lines_in_sight(hundred, hand):
    hundred.setFocus()
    hand.key(Qt.Key.Key_Down, times=12)
    assert hundred.currentIndex().row() == 12
    assert hundred.viewport().rect().contains(hundred.visualRect(hundred.currentIndex()))
    assert lines_in_sight(hundred) > 12


def test_where_it_is_narrow_bars_are_short_and_titles_take_two_lines(hundred):
    header, whole = hundred.horizontalHeader(), hundred.whole_width
    hundred.setFixedWidth(whole)
    high = header.height()
    hundred.setFixedWidth(whole - 200)
    bar = header.sectionSize(2)
    hundred.setFixedWidth(hundred.shares_line)
    assert header.height() > high
    assert header.length() <= hundred.shares_line
    assert hundred.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    hundred.setFixedWidth(whole)
    assert header.sectionSize(2) == 400 > bar


def test_lines_grow_by_what_they_are_given_and_no_higher_than_four_lines(hundred):
    shown, before, row = lines_in_sight(hundred), hundred.minimumHeight(), hundred.rowHeight(0)
    hundred.grow(10 * shown + 3)
    assert hundred.rowHeight(0) == row + 10
    assert hundred.grown == 10 * shown == hundred.minimumHeight() - before
    hundred.grow(1000 * shown)
    assert hundred.rowHeight(0) == 4 * row
    hundred.grow(0)
    assert (hundred.minimumHeight(), hundred.grown) == (before, 0)


def test_the_line_below_a_link_begins_where_its_words_do(bench, show):
    entry = Entry("        word", leads=GoTo("output"))
    view = show(ListingView(bench, Listing("list", "A list", (Column("word"),), (Line((entry,)),))))
    indent = QFontMetrics(view.font_of(0, False, False)).horizontalAdvance(" " * 8)
    row = view.visualRect(view.table.index(0, 0))
    picture = view.viewport().grab(row).toImage()
    places = [(x, y) for x in range(row.width()) for y in range(row.height())]
    assert min(x for x, y in places if picture.pixel(x, y) != picture.pixel(0, y)) >= view.padding + indent


def test_a_line_is_no_higher_only_because_it_becomes_bold_under_the_mouse(bench, show):
    """Such a line was twice as high as the others, also while nobody pointed at it."""
    cell, words = Cell("Q", (0, 0)), "4  the cat sat on the"
    titles = Column("after"), Column("p", NUMBER)
    view = show(ListingView(bench, Listing("list", "A list", titles, (Line((Entry(words), Entry("0.5")), cell),))))
    plain, bold = (QFontMetrics(view.font_of(0, False, here)).horizontalAdvance(words) for here in (False, True))
    view.setFixedWidth((plain + bold) // 2 + 2 * view.padding + view.columnWidth(1))
    assert plain <= view.columnWidth(0) - 2 * view.padding < bold
    assert view.rowHeight(0) == view._least_row
    view.pointed = cell
    assert said(view)[:2] == [words, "0.5"]


def test_where_it_is_narrow_a_long_sentence_goes_on_in_more_lines_and_short_words_stay_on_one(bench, show):
    columns = Column("size", width=260), Column("what it says", width=640)
    line = Line((Entry("numbers that are learned"), Entry("a sentence of many words " * 3)))
    view = show(ListingView(bench, Listing("sizes", "Sizes", columns, (line, Line.of("few", "words")))))
    short, long = (column.wanted for column in view._columns)
    view.setFixedWidth(view.whole_width)
    row = view.rowHeight(1)
    assert view.rowHeight(0) == row
    view.setFixedWidth(view.whole_width - long // 3)
    assert view.horizontalHeader().sectionSize(0) == short
    assert view.horizontalHeader().length() == view.width()
    spacing = QFontMetrics(view.font_of(0, False, False)).lineSpacing()
    assert (view.rowHeight(0), view.rowHeight(1)) == (row + spacing, row)
    many = "a sentence of many words " * 3
    assert " ".join(said(view)).startswith(f"numbers that are learned {many}few words")
    view.setFixedWidth(short + short // 2)
    assert view.horizontalHeader().sectionSize(0) == view.horizontalHeader().sectionSize(1) < short
    assert not any("…" in text for text in said(view))
    assert view.height() == view.horizontalHeader().height() + view.rowHeight(0) + view.rowHeight(1)
    view.setFixedWidth(view.whole_width)
    assert view.rowHeight(0) == row


def test_words_behind_a_box_have_less_room_and_their_line_is_higher_where_they_are_broken(bench, show):
    """Two lines of words stood in the height of one, over those of the lines above and below."""
    words = "Decoder 1: Self-attention"
    line = Line((Entry(words, tick=1.0), Entry("0.5")))
    view = show(ListingView(bench, Listing("list", "A list", (Column("weight"), Column("p", NUMBER)), (line,))))
    across = QFontMetrics(view.font_of(0, False, False)).horizontalAdvance(words)
    view.setFixedWidth(across + 2 * view.padding + view.tick_room // 2 + view.columnWidth(1))
    spacing = QFontMetrics(view.font_of(0, False, False)).lineSpacing()
    assert said(view)[:2] == ["Decoder 1:", "Self-attention"]
    assert view.rowHeight(0) == view._least_row + spacing


def test_all_that_goes_on_below_is_fitted_once_for_each_size(bench, show, monkeypatch):
    """Each was measured, and fitted three times, by the one above it, and with it all below."""
    columns = tuple(Column(f"title{i}", NUMBER) for i in range(24))
    line = Line(tuple(Entry("1,000,000.00") for _ in columns))
    view = show(ListingView(bench, Listing("list", "A list", columns, (line,) * 3)))
    view.resize(330, view.height())
    fits, fit = [], ListingView._fit
    assert len(view._rest) > 4
    monkeypatch.setattr(ListingView, "_fit", lambda one: fits.append(one) or fit(one))
    view.resize(250, view.height())
    assert list(map(fits.count, view._rest)) == [1] * len(view._rest)
    places = [view.viewport().geometry(), *(rest.geometry() for rest in view._rest)]
    assert all(above.bottom() < below.top() for above, below in pairwise(places))
    assert view.rect().contains(places[-1])
    seen = [column for i, column in enumerate(columns) if not view.isColumnHidden(i)]
    assert [*seen, *(column for rest in view._rest for column in rest.listing.columns[1:])] == list(columns)


def test_a_word_that_is_longer_than_its_column_is_cut(bench, show):
    line = Line.of("x" * 60, "short")
    view = show(ListingView(bench, Listing("long", "Long", (Column("a"), Column("b")), (line,))))
    view.setFixedWidth(view.whole_width - 60)
    assert [text[-1] for text in said(view)] == ["…", "t", "a", "b"]


def test_a_list_that_fills_a_page_without_a_bar_has_its_own(bench, show):
    view = show(ListingView(bench, listing(100, scrolls=True)))
    assert view.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOn
    assert not view._more.isVisible()


def test_columns_that_have_no_room_stand_below_the_others(bench, show):
    columns = Column("who"), *(Column(f"number {i}", NUMBER) for i in range(6))
    lines = tuple(Line((Entry(f"row {i}"), *(Entry(f"{i}.{j}") for j in range(6)))) for i in range(3))
    view = show(ListingView(bench, Listing("wide", "A wide list", columns, lines)))
    view.setFixedWidth(view.whole_width)
    low = view.height()
    view.setFixedWidth(view.shares_line // 2)
    rest, last = view._rest
    assert rest.isVisible()
    assert last.isVisible()
    assert view.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    shown = [i for i in range(7) if not view.isColumnHidden(i)]
    assert rest.listing.columns[0] == last.listing.columns[0] == columns[0]
    assert [*rest.listing.columns[1:], *last.listing.columns[1:]] == list(columns[len(shown) :])
    assert rest.table.line(2).entries[1].text == f"2.{len(shown) - 1}"
    assert view.rect().contains(rest.geometry())
    assert not view.viewport().geometry().intersects(rest.geometry())
    assert not rest.geometry().intersects(last.geometry())
    view.tell(Listing("wide", "A wide list", columns, lines[:2]))
    assert len(rest.listing.lines) == len(last.listing.lines) == 2
    view.setFixedWidth(view.whole_width)
    assert not rest.isVisible()
    assert not last.isVisible()
    assert view.height() < low


def test_words_break_sooner_where_no_other_column_would_have_room_and_a_bar_covers_no_line(bench, show, appearance):
    """In large text beside a step, a table of the loss scrolled sideways, and its bar covered half of the last line."""
    appearance.set_scale(3.0)
    columns = Column("after", WORDS), Column("right", WORDS), Column("p", NUMBER)
    lines = tuple(Line((Entry(f"{i} <start> de nada"), Entry("<end>"), Entry("0.929"))) for i in range(3))
    view = show(ListingView(bench, Listing("terms", "The terms", columns, lines)))
    longest = view.fontMetrics().horizontalAdvance("<start>")
    for room, scrolls in ((600, False), (longest + 60, True)):
        view.setFixedHeight(view.height_at(room))
        assert (view.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOn) == scrolls, room
        assert bool(view.goes_on) != scrolls
        body = view.verticalHeader().length() + view.horizontalHeader().height()
        bar = view.horizontalScrollBar().sizeHint().height() * scrolls
        assert view.height_at(room) >= body + bar


def test_a_cell_that_is_not_needed_is_grey_and_a_label_stands_in_the_middle_of_its_line(bench, show, appearance):
    lines = (Line((Entry("–", muted=True), Entry("0", 0.0))),)
    grey = Listing("grey", "Grey", (Column("a", HEAT), Column("b", HEAT)), lines, labels=("H",))
    view = show(ListingView(bench, grey))
    picture = view.viewport().grab().toImage()
    grey, white = (
        picture.pixelColor(view.visualRect(view.model().index(0, k)).topLeft() + QPoint(4, 4)) for k in (0, 1)
    )
    assert grey.name() == appearance.theme.line
    assert white.lightness() > grey.lightness()
    label = view.verticalHeader().viewport().grab().toImage()
    paper, across = label.pixelColor(0, 0), range(label.width())
    ink = [y for y in range(label.height()) if any(label.pixelColor(x, y) != paper for x in across)]
    assert abs(ink[0] + ink[-1] + 1 - view.rowHeight(0)) <= 3


def test_a_share_is_blue_and_a_number_of_either_sign_gold_or_blue(bench, show, appearance):
    """The shares of attention were gold in "What heads do", and blue wherever else they are drawn."""
    theme = appearance.theme
    lines = (Line((Entry("1", 1.0), Entry("1", 1.0), Entry("−1", -1.0))),)
    columns = Column("a", HEAT), Column("b", HEAT, signed=True), Column("c", HEAT, signed=True)
    view = show(ListingView(bench, Listing("heat", "Heat", columns, lines, labels=("H",))))
    picture = view.viewport().grab().toImage()
    grounds = [picture.pixelColor(view.visualRect(view.model().index(0, k)).topLeft() + QPoint(4, 4)) for k in range(3)]
    assert grounds == [theme.sequential_ramp.colors[255], *(theme.diverging_ramp.colors[k] for k in (255, 0))]


def test_a_long_title_goes_on_in_the_next_line_and_is_not_cut(bench, show):
    columns = Column("model"), Column("Divided by the root of d_model"), Column("x" * 40)
    view = show(ListingView(bench, Listing("list", "A list", columns, (Line((Entry("a"), Entry("on"), Entry("b"))),))))
    shown = [view.table.headerData(i, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole) for i in range(3)]
    assert shown == ["model", "Divided by the root of d_model", "x" * 23 + "…"]
    view.setFixedWidth(view.whole_width)
    one_line = view.horizontalHeader().height()
    view.setFixedWidth(view.shares_line)
    assert view.horizontalHeader().height() >= one_line + 2 * QFontMetrics(bench.appearance.fonts.small).height()


def test_a_positive_bar_has_the_colour_of_its_sign_also_where_none_is_negative(bench, show):
    """Blue means negative everywhere else."""
    ramps = bench.appearance.theme.diverging_ramp, bench.appearance.theme.sequential_ramp
    for signed, colour in ((True, ramps[0].colors[230]), (False, ramps[1].colors[160])):
        columns = (Column("share", BAR, 400, signed=signed),)
        view = show(ListingView(bench, Listing("list", "A list", columns, (Line((Entry("1", 0.9),)),))))
        middle = view.visualRect(view.model().index(0, 0)).center()
        assert view.viewport().grab().toImage().pixelColor(middle) == colour


def test_a_ring_is_filled_by_its_share_and_has_a_tick_when_it_is_whole(bench, show):
    columns = (Column("", RING), Column("", width=100))
    lines = tuple(Line.of(Entry(f"{share:.0%}", share), "chapter") for share in (0.0, 0.5, 1.0))
    view = show(ListingView(bench, Listing("rings", "Rings", columns, lines)))
    image, accent = view.viewport().grab().toImage(), qcolor(bench.appearance.theme.accent).rgb()
    rects = [view.visualRect(view.table.index(row, 0)) for row in range(3)]
    filled = [
        sum(image.pixel(x, y) == accent for x in range(r.left(), r.right()) for y in range(r.top(), r.bottom()))
        for r in rects
    ]
    assert filled[0] == 0
    assert filled[1] == pytest.approx(filled[2] / 2, rel=0.2)
    assert view.table.data(view.table.index(1, 0), Qt.ItemDataRole.AccessibleTextRole) == "50%"


def test_only_columns_with_another_number_are_painted_again(bench, show):
    titles = Column("weight", names=True), Column("length", NUMBER), Column("")
    lines = tuple(Line.of(f"W_{one}", "1.5", "") for one in "QKV")
    view = show(ListingView(bench, Listing("list", "Weights", titles, lines)))
    changed = []
    view.table.dataChanged.connect(lambda first, last, _: changed.append((first.column(), last.column())))

    view.tell(Listing("list", "Weights", titles, (Line.of("W_Q", "1.7", ""), *lines[1:])))
    view.tell(Listing("list", "Weights", titles, (Line.of("W_Q", "1.7", "", here=True), *lines[1:])))
    view.tell(Listing("list", "Weights", titles, (Line.of("W_Q", "1.7", "", here=True), *lines[1:])))

    assert changed == [(1, 1), (0, 2)]
    assert view.table.index(0, 1).data() == "1.7"
