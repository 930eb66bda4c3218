"""The tab "References": compared, filtered, and from a number to what computes it and back."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton

from explorer.core.graph import Cell
from explorer.lessons.loader import load
from explorer.pages.surfaces.references import REFERENCE, ROW, STATUS, WHAT, places_in

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")


@pytest.fixture
def window(anew):
    return anew(tab="References")


@pytest.fixture
def tab(window, qtbot):
    qtbot.waitUntil(lambda: window.tabs.references.list() is not None)
    return window.tabs.references


def place_of(tab, title, cell=None):
    return next(i for i, row in enumerate(tab.rows) if row.title == title and cell in (None, row.cell))


def test_all_numbers_are_listed_and_filtered(window, tab):
    assert tab.list().table.rowCount() == len(tab.rows) > 1000
    window.bench.selection.keep(REFERENCE, "003")
    window.bench.selection.keep(STATUS, "differs")
    assert tab.list().table.rowCount() == sum((row.reference, row.status) == ("003", "differs") for row in tab.rows)


def test_a_number_leads_to_its_cell_and_the_tab_back_to_its_line(window, tab, hand, qtbot):
    window.bench.selection.keep(REFERENCE, "003")
    place = place_of(tab, "Scores", (8, 0))
    tab.choose(place)
    table = tab.list()
    row = table.currentIndex().row()
    assert places_in(table.listing)[row] == place
    table.setFocus()
    hand.key(Qt.Key.Key_Return)
    assert window.bench.lesson.id == "emma"
    assert window.tabs.currentIndex() == 0
    assert window.bench.selection.stage == "attention"
    assert window.bench.selection.cell == Cell("scores", (8, 0))
    window.show_tab("References")
    assert tab.list().listing.lines[row].here
    assert tab.list().currentIndex().row() == row


def test_what_is_typed_in_beside_a_lesson_is_typed_in(window, tab, eye):
    title = "Q of the target, with the encoder's weights"
    window.bench.selection.printed_asked.emit(place_of(tab, title, (1, 0)))
    eye.settle(window)
    assert window.bench.selection.cell == Cell("decoder.1.self.Q", (0, 1, 0))
    assert eye.value(window, "decoder.1.self.head.1.Q")[1, 0] == pytest.approx(1.7415)


def test_a_line_is_told_in_full_below_the_list(window, tab):
    place = place_of(tab, "Score of friend with Emma")
    tab.choose(place)
    assert window.bench.selection.looking.choices[ROW] == place
    assert "2.42" in tab.elements.widgets["detail"].text()


def test_it_follows_theme_and_text_scale_and_becomes_narrower(window, tab, eye, qtbot):
    rows = tab.list().table.rowCount()
    window.bench.appearance.set_mode("dark")
    assert tab.list().table.rowCount() == rows
    window.bench.appearance.set_scale(3.0)
    eye.settle(window)
    window.resize(1100, 900)
    eye.settle(window)
    qtbot.waitUntil(lambda: tab.elements.width() <= tab.area.viewport().width() < 1100)


def test_what_can_be_followed_is_a_link(tab):
    lines = tab.list().listing.lines
    assert all(
        (line.entries[WHAT].leads is None) == (row.scene is None) for line, row in zip(lines, tab.rows, strict=True)
    )


def test_who_comes_from_a_printed_number_sees_the_example_as_printed(window, tab, eye, qtbot):
    assert window.bench.document.state.setting == "textbook"
    assert window.bench.prints is None
    window.bench.selection.printed_asked.emit(place_of(tab, "Weights of head 1", (1, 2)))
    eye.settle(window)
    assert window.bench.document.state.setting == "printed"
    assert window.bench.prints == ("you-are-welcome", "printed")
    qtbot.waitUntil(window.inspector.elements.widgets["said"].isVisible)


def test_the_print_of_an_example_is_told_only_to_those_who_come_from_it(window, tab, eye):
    window.bench.open(load("cat-sat-on-the"))
    eye.settle(window)
    assert window.bench.prints is None
    window.bench.selection.printed_asked.emit(place_of(tab, "Loss of a good guess"))
    eye.settle(window)
    assert window.bench.prints == ("cat-sat-on-the", "printed")
    window.bench.open(load("emma"))
    eye.settle(window)
    assert window.bench.prints is None


def test_each_text_leads_to_the_lesson_on_what_is_wrong(window, tab, eye):
    buttons = {one.text(): one for one in tab.findChildren(QPushButton) if one.text().startswith("What ")}
    assert list(buttons) == [f"What {text} gets wrong" for text in ("000", "001", "003", "004")]
    buttons["What 003 gets wrong"].click()
    eye.settle(window)
    assert window.bench.lesson.id == "errata-003"
    assert window.tabs.currentIndex() == 0
    assert window.bench.prints == ("emma", "printed")


def test_from_a_cell_to_its_line(window, hand, eye, qtbot):
    window.bench.open(window.bench.lesson, "printed")
    eye.go_to(window, "encoder.1.self.attention")
    window.bench.selection.choose(Cell("encoder.1.self.weights", (0, 1, 2)))
    window.inspector.elements.widgets["printed"].label.linkActivated.emit("0")
    tab = window.tabs.references
    qtbot.waitUntil(lambda: ROW in window.bench.selection.looking.choices)
    row = tab.rows[window.bench.selection.looking.choices[ROW]]
    assert (row.title, row.cell, row.printed) == ("Weights of head 1", (1, 2), "0.70401897")
    assert tab.isVisible()


def test_only_the_list_scrolls(window, tab, qtbot):
    """The page scrolled, too, by the few lines that did not fit."""
    page, longest = tab.area.verticalScrollBar(), max(range(len(tab.rows)), key=lambda i: len(tab.rows[i].why))
    for size in ((1280, 720), (1600, 900), (1024, 640)):
        window.resize(*size)
        tab.choose(0)
        qtbot.waitUntil(lambda: tab.list().verticalScrollBar().isVisible() and page.maximum() == 0)
        tab.choose(longest)
        qtbot.waitUntil(lambda: page.maximum() == 0)
        assert tab.list().viewport().rect().contains(tab.list().visualRect(tab.list().currentIndex())), size


def test_the_list_is_as_long_as_there_is_room(window, tab, qtbot):
    window.bench.selection.keep(STATUS, "differs")

    def fits():
        ends = [one.mapTo(tab, one.rect().bottomLeft()).y() for one in (tab.list(), tab.elements.widgets["detail"])]
        starts = tab.elements.widgets["detail"].mapTo(tab, QPoint(0, 0)).y()
        return ends[0] <= starts < ends[1] <= tab.height() and tab.height() > height - 200

    for height in (1200, 800):
        window.resize(window.width(), height)
        qtbot.waitUntil(fits)
        assert tab.list().height() > height // 2


def test_out_of_sight_it_wears_another_look_once_it_is_looked_at(window, tab, eye, appearance):
    before = tab.elements
    window.show_tab("Pipeline")
    appearance.zoom(1)
    eye.settle(window)
    assert tab.elements is before
    window.show_tab("References")
    assert tab.elements is not before
    assert tab.elements.spacing == appearance.px(10)
    again = tab.elements
    window.show_tab("Pipeline")
    window.show_tab("References")
    assert tab.elements is again
