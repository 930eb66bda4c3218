"""What the last edit changed, and the way there."""

import pytest
from explorer.ui.widgets.note import Note
from PySide6.QtCore import Qt

from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.ui.page.listing import Listing

PAGE = "model.changes"


@pytest.fixture
def page(window, eye):
    return eye.go_to(window, PAGE)


def listing(window):
    (found,) = window.page().findChildren(Listing)
    return found


def lines(window):
    rows = listing(window).rows
    return [[rows.text(r, c) for c in range(3)] for r in range(rows.rowCount())]


def said(window):
    (note,) = window.page().findChildren(Note)
    return note.text()


def edit(window, value):
    window.bench.document.do(SetCells("encoder.1.ffn.W_2", {(0, 0): value}))
    window.bench.bridge.flush()


def test_at_first_there_is_nothing(window, page):
    assert said(window).startswith("Nothing has changed yet")
    assert window.page().findChildren(Listing) == []


def test_every_node_that_changed_with_how_many_cells_and_by_how_much(window, page):
    before = window.bench.document.engine.values["encoder.1.ffn.W_2"]
    first, size = float(before[0, 0]), before.size
    edit(window, first + 1)
    assert said(window).startswith("<b>Set encoder.1.ffn.W_2[0, 0]</b>.")
    assert lines(window)[0] == ["encoder.1.ffn.W_2", f"1 of {size}", "1.0000"]
    names = [line[0] for line in lines(window)]
    assert names[1] == "encoder.1.ffn.output"
    assert "output.logits" in names
    assert not any(name.startswith(("source", "encoder.1.self")) for name in names)
    edit(window, first - 1)
    assert lines(window)[0][2] == "−2.0000"


def test_the_page_stays_while_the_graph_does(window, page):
    edit(window, 5.0)
    before = listing(window)
    edit(window, 6.0)
    assert listing(window) is before
    window.bench.document.do(SetSwitch("encoder.1.self", "residual", True))
    window.bench.bridge.flush()
    assert listing(window) is not before
    assert "encoder.1.self.norm" in [line[0] for line in lines(window)]


def test_nodes_of_another_shape_and_new_and_lost_ones(window, page):
    document = window.bench.document
    document.do(SetTokens("source", ("You", "are", "very", "welcome")))
    window.bench.bridge.flush()
    assert ["source.X", "3 × 4 → 4 × 4", ""] in lines(window)
    document.do(SetSwitch("encoder.1.self", "mask", "causal"))
    window.bench.bridge.flush()
    assert ["encoder.1.self.mask", "new, 4 × 4", ""] in lines(window)
    document.undo()
    window.bench.bridge.flush()
    assert lines(window)[-2:] == [["encoder.1.self.mask", "gone", ""], ["encoder.1.self.masked", "gone", ""]]
    rows = listing(window).rows
    assert not rows.link(rows.rowCount() - 1, 0)


def test_a_click_or_enter_goes_to_the_node(window, page, hand, eye):
    edit(window, 5.0)
    eye.settle(window)
    view = listing(window)
    hand.click(view.viewport(), view.visualRect(view.rows.index(0, 1)).center())
    assert window.bench.selection.stage == PAGE
    hand.click(view.viewport(), view.visualRect(view.rows.index(0, 0)).center())
    assert window.bench.selection.stage == "encoder.1.ffn.layers"
    eye.go_to(window, PAGE)
    view = listing(window)
    view.setFocus()
    view.setCurrentIndex(view.rows.index(len(lines(window)) - 1, 0))
    hand.key(Qt.Key.Key_Return)
    assert window.bench.selection.stage != PAGE
