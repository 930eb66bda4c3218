"""Tokens and embeddings: word number, one-hot row, table, and the vectors in a plane."""

import numpy as np
import pytest

from explorer.core.model import Model
from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.document.state import State
from explorer.pages.drawing import ACCENT, LINE, MUTED, Arrow, reach
from explorer.pages.page import Row
from explorer.pages.view import Cell, Covered

STAGE, PLANE = "source.embedding", "plane of source.table"


@pytest.fixture
def source(desk):
    return desk()


def arrows(page):
    return page.marks(PLANE, Arrow)


def test_a_word_number_picks_a_row_of_the_table(source):
    page = source.page(STAGE)
    assert page.names == ["source.tokens", "source.onehot", "source.table", "source.X"]
    assert [page.the(name).editable for name in page.names] == [True, False, True, False]
    assert page.the("source.tokens").array.tolist() == [[0], [1], [2]], "each stands beside its one-hot row"
    assert [item.sign for item in page.the("from words to vectors").items] == ["", "→", "×", "=", ""]
    source.do(SetCells("source.tokens", {(0,): 2}))
    page = source.page(STAGE)
    np.testing.assert_array_equal(page.the("source.X").array[0], page.the("source.table").array[2])


@pytest.mark.parametrize(
    "looking",
    [{"showing": "change"}, {"covered": Covered({"source.X": frozenset({(0, 0)})})}],
    ids=["change", "covered"],
)
def test_the_one_hot_rows_are_the_first_to_become_a_small_picture_whatever_is_shown(source, looking):
    source.look(**looking)
    (row,) = source.page(STAGE).all(Row)[:1]
    assert [item.yields for item in row.items] == [False, True, False, False, False]


def test_looked_up_by_number_there_is_no_one_hot(source):
    source.do(SetSwitch("source", "lookup", "index"))
    page = source.page(STAGE)
    assert page.names == ["source.tokens", "source.table", "source.X"]
    assert [item.sign for item in page.the("from words to vectors").items] == ["", "→", "→", ""]


def test_the_plane_shows_the_rows_of_the_table(source):
    page, table = source.page(STAGE), source.value("source.table")
    assert [arrow.tip for arrow in arrows(page)] == [tuple(row) for row in table[:, :2].tolist()]
    assert [arrow.name for arrow in arrows(page)] == ["You", "are", "welcome"]
    assert "You (0.10, 0.20)" in page.drawing(PLANE).summary
    assert "Strong arrows" not in page.notes, "all words are in the sentence"
    source.do(SetCells("source.table", {(1, 0): 4.5}))
    page = source.page(STAGE)
    assert arrows(page)[1].tip == (4.5, 0.5)
    left, right, *_ = page.drawing(PLANE).window
    assert left < -4.5
    assert right > 4.5


def test_a_table_of_one_column_is_drawn_in_no_plane(desk):
    gpt = desk("i-love-ai")
    gpt.do(SetSwitch("input", "table_width", 1))
    page = gpt.page("input.embedding")
    assert page.the("input.table").array.shape[1] == 1
    assert not page.has("plane of input.table")


def test_which_dimensions_the_plane_shows(source):
    across, up = source.page(STAGE).the("dimensions of source.table").controls
    assert (across.value, up.value) == (1, 2)
    assert across.most == up.most == 4
    source.choose(across.asks.key, 3)
    source.choose(up.asks.key, 4)
    page = source.page(STAGE)
    assert [arrow.tip for arrow in arrows(page)] == [tuple(row) for row in source.value("source.table")[:, 2:].tolist()]
    assert page.drawing(PLANE).x.title == "dimension 3"


def test_new_words_are_in_the_plane_and_those_in_the_sentence_stand_out(source):
    source.do(SetTokens("source", ("You", "rock")))
    drawn = {arrow.name: arrow.ink for arrow in arrows(source.page(STAGE))}
    assert drawn == {"You": ACCENT, "are": MUTED, "welcome": MUTED, "rock": ACCENT}
    assert "Strong arrows" in source.page(STAGE).notes


def test_a_word_or_a_cell_lights_up_its_arrow(source):
    source.do(SetCells("source.tokens", {(0,): 2}))
    you, _, welcome = arrows(source.page(STAGE))
    assert welcome.token == ("source.words", 2)
    assert welcome.also == (("source", 0), ("source", 2))
    assert you.also == ()
    assert Cell("source.table", (2,)) in welcome.cells


@pytest.mark.parametrize("value", [1e308, -1e300, float("inf"), float("nan")])
def test_what_cannot_be_drawn_has_no_arrow(source, value):
    source.do(SetCells("source.table", {(0, 0): value}))
    page = source.page(STAGE)
    assert [arrow.name for arrow in arrows(page)] == ["are", "welcome"]
    assert np.isfinite(page.drawing(PLANE).window).all()


def test_the_decoders_words_have_a_page_of_their_own(source):
    page = source.page("target.embedding")
    assert "target.table" in page.names
    assert [arrow.name for arrow in page.marks("plane of target.table", Arrow)][:3] == ["<start>", "de", "nada"]


def test_of_a_large_vocabulary_the_words_of_the_sentence_are_drawn_and_some_others(desk):
    words = tuple(f"w{i}" for i in range(50_000))
    large = desk()
    large.document = type(large.document)(State.of(Model("encoder", {"input": 2}, {"input.words": words}), {}))
    large.do(SetTokens("input", ("w49999", "w3")))
    page = large.page("input.embedding")
    drawn = page.marks("plane of input.table", Arrow)
    assert len(drawn) == 200
    assert [arrow.name for arrow in drawn if arrow.ink == ACCENT] == ["w3", "w49999"]
    assert [arrow.name for arrow in drawn][-2:] == ["w3", "w49999"], "they lie on the others"
    assert {arrow.ink for arrow in drawn[:-2]} == {LINE}
    assert "Of all 50,000 words 200 are drawn." in page.notes


@pytest.mark.parametrize(
    ("numbers", "least", "reaches"),
    [([3, -4], 1, 4), ([0.3], 1, 1), ([0.06, -0.02], 0.5, 0.1), ([0.004], 1, 0.008), ([], 0.5, 0.5), ([0], 0.5, 0.5)],
)
def test_where_all_numbers_are_much_smaller_a_plane_is_smaller_too(numbers, least, reaches):
    """The words of a large model were a dot in the middle of it."""
    assert reach(np.array(numbers), least) == pytest.approx(reaches)
