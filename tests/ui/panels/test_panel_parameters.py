"""Parameters: a page about the model as it is."""

import pytest
from explorer.ui.widgets.note import Note

from explorer.core.parameters import growth, parameters, total
from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.ui.page.listing import Listing

STAGE = "model.parameters"


@pytest.fixture
def panel(window, eye):
    return eye.go_to(window, STAGE)


def texts(panel, which=0):
    rows = panel.findChildren(Listing)[which].rows
    return [[rows.text(i, j) for j in range(rows.columnCount())] for i in range(rows.rowCount())]


def blocks(window):
    state = window.bench.document.state
    return parameters(state.graph, state.model)


def test_a_row_for_each_block_and_each_matrix(window, panel):
    shown = texts(panel)
    expected = blocks(window)
    assert [row[0] for row in shown if not row[0].startswith(" ")] == [block.name for block in expected] + ["All"]
    query = next(row for row in shown if row[0].strip() == "W_Q")
    assert query[1:4] == ["what heads ask", "2 heads × 4 d_model × 4 d_k", "32"]
    assert shown[-1][3] == f"{total(expected):,}"


def test_the_total_is_said(window, panel):
    assert f">{total(blocks(window)):,}<" in panel.findChildren(Note)[0].text()


def test_how_it_grows(window, panel):
    model = window.bench.document.state.model
    assert [row[1] for row in texts(panel, 1)] == [
        f"{count:,}" for count in (total(blocks(window)), *(g.count for g in growth(model)))
    ]


def test_twice_the_words_have_four_times_the_scores(window, panel):
    longer = texts(panel, 1)[-1]
    assert longer[0] == "a text twice as long"
    assert longer[2::3] == ["1.00", "4.00"]
    # Head 1 and 2 of the encoder, masked and cross-attention of the decoder: 3 words with 3 words each.
    assert texts(panel, 1)[0][4] == "36"


def test_it_follows_the_model(window, panel, eye):
    before = texts(panel)[-1][3]
    window.bench.document.do(SetSwitch("encoder.1.ffn", "d_ff", 60))
    eye.settle(window)
    assert texts(panel)[-1][3] == f"{total(blocks(window)):,}" != before


def test_an_edited_number_leaves_the_page_as_it_is(window, panel, eye):
    (first, *_) = panel.findChildren(Listing)
    window.bench.document.do(SetCells("output.b", {(0,): 1.0}))
    eye.settle(window)
    assert panel.findChildren(Listing)[0] is first


def test_a_model_that_learns_nothing(open_window, eye):
    panel = eye.go_to(open_window("emma"), STAGE)
    assert not panel.findChildren(Listing)
    assert "learns nothing" in panel.findChildren(Note)[0].text()


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(window, panel, eye, count):
    window.bench.document.do(SetTokens("source", tuple(f"w{i}" for i in range(count))))
    eye.settle(window)
    assert texts(panel)[-1][3] == f"{total(blocks(window)):,}"
    assert not window.grab().isNull()
