"""What a model reads: its words as rows of a table, and the encoding of their positions."""

import numpy as np
import pytest

from explorer.core.graph import Cell
from explorer.core.model import Model
from explorer.core.numbers import quantity
from explorer.core.ops.positions import exponents, waves
from explorer.document.commands import PinCells, SetArray, SetCells, SetSwitch, SetTokens
from explorer.document.state import State
from explorer.pages.drawing import ACCENT, LINE, MUTED, Arrow, Band, Curve, Dot, Image, reach
from explorer.pages.page import Row
from explorer.pages.view import Covered, row_of

STAGE, PE = "source.positions", "source.PE"
MAP, ALIKE, CURVES = "encoding map", "likeness map", "encoding curves"


@pytest.fixture
def source(desk):
    found = desk()
    found.do(SetSwitch("source", "positions", "sinusoidal"))
    return found


def image(page, id):
    (found,) = page.marks(id, Image)
    return found


def test_the_sum_and_the_pictures_show_the_engines_numbers(source):
    page = source.page(STAGE)
    assert {"source.X", PE, "source.H", "source.likeness"} <= set(page.names)
    assert image(page, MAP).own == (3, 4)
    np.testing.assert_array_equal(image(page, MAP).array[:3], source.value(PE))
    np.testing.assert_array_equal(image(page, MAP).array, waves(np.arange(40), 4, "paper"))
    np.testing.assert_allclose(image(page, ALIKE).array[:3, :3], source.value("source.likeness"), rtol=1e-12)
    assert page.marks(MAP, Band)[0].place == (0, 0, 4, 3), "the model's own part is framed"
    for name, value, read in (("embedding_scale", True, "source.scaled"), ("segments", 2, "source.with_segments")):
        source.do(SetSwitch("source", name, value))
        first, added, total = (source.value(item.element.name) for item in source.page(STAGE).the("sum").items)
        np.testing.assert_array_equal(first, source.value(read))
        np.testing.assert_array_equal(first + added, total)


def test_more_positions_and_dimensions_are_what_the_formula_gives(source):
    positions, dimensions = (source.page(STAGE).the(f"{PE}.{what}") for what in ("positions", "dimensions"))
    assert (positions.value, dimensions.value) == (40, 4)
    source.choose(positions.asks.key, 512)
    source.choose(dimensions.asks.key, 512)
    page = source.page(STAGE)
    np.testing.assert_array_equal(image(page, MAP).array, waves(np.arange(512), 512, "paper"))
    assert image(page, ALIKE).array.shape == (512, 512)
    assert image(page, ALIKE).node is None, "other dimensions: none of these numbers is the model's"
    assert {dot.cell for dot in page.marks(CURVES, Dot)} == {None}
    assert "other numbers" in page.notes
    assert source.value(PE).shape == (3, 4)
    assert source.page(STAGE) is not page
    assert source.page(STAGE).the(MAP) == page.the(MAP), "what depends on nothing else is computed once"
    assert source.page(STAGE).the(ALIKE) == page.the(ALIKE)


def test_the_models_own_part_alone(source):
    source.choose(source.page(STAGE).the(f"{PE}.own").asks.key, True)
    page = source.page(STAGE)
    assert image(page, MAP).array is source.value(PE)
    assert image(page, ALIKE).array is source.value("source.likeness")
    assert "that is what is drawn" in page.notes
    assert not page.the(f"{PE}.positions").on
    assert not page.marks(MAP, Band)


def test_fewer_positions_than_the_model_has(source):
    source.choose(f"{PE}.positions", 2)
    page = source.page(STAGE)
    assert image(page, MAP).own == (2, 4)
    assert "of its positions the first 2 are drawn" in page.notes


def test_a_pinned_cell_is_drawn_too(source):
    source.do(PinCells(PE, {(1, 2): 0.5}))
    page = source.page(STAGE)
    array = image(page, MAP).array
    assert array[1, 2] == 0.5
    np.testing.assert_array_equal(array[3:], waves(np.arange(40), 4, "paper")[3:])
    np.testing.assert_allclose(image(page, ALIKE).array, array @ array.T)


def test_curves_carry_the_positions_of_the_words(source):
    page = source.page(STAGE)
    assert [curve.name for curve in page.marks(CURVES, Curve)] == ["1", "2", "3", "4"]
    assert [curve.dashed for curve in page.marks(CURVES, Curve)] == [False, True, False, True]
    encoding = source.value(PE)
    found = {(dot.x, dot.y, dot.cell.index, dot.token) for dot in page.marks(CURVES, Dot)}
    assert found == {(i, encoding[i, j], (i, j), ("source", i)) for i in range(3) for j in range(4)}


@pytest.mark.parametrize("positions", [3, 40, 512])
def test_between_positions_a_curve_bends_as_the_formula_does(source, positions):
    source.choose(f"{PE}.positions", positions)
    for j, curve in enumerate(source.page(STAGE).marks(CURVES, Curve)):
        whole = curve.x == np.rint(curve.x)
        np.testing.assert_array_equal(curve.y[whole], waves(np.arange(whole.sum()), 4, "paper")[:, j])
        steps = np.diff(curve.y)
        turns = np.arctan2(np.diff(steps), np.diff(curve.x)[:-1])
        assert np.abs(turns).max() < 0.11, "no corner is seen"


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_fewer_dimensions_than_the_model_has(source, dimensions):
    source.choose(f"{PE}.dimensions", dimensions)
    page = source.page(STAGE)
    assert f"in {quantity(dimensions, 'dimension')}" in page.drawing(MAP).summary
    assert page.the(f"{PE}.to").value == dimensions
    assert f"{'other' if dimensions > 2 else 'the same'} wavelengths" in page.notes  # one or two turn once in 2π


def test_other_dimensions_as_curves(source):
    page = source.page(STAGE)
    assert (page.the(f"{PE}.from").value, page.the(f"{PE}.to").value) == (1, 4)
    source.choose(page.the(f"{PE}.from").asks.key, 3)
    assert [curve.name for curve in source.page(STAGE).marks(CURVES, Curve)] == ["3", "4"]
    source.choose(f"{PE}.to", 1)
    assert [curve.name for curve in source.page(STAGE).marks(CURVES, Curve)] == ["1", "2", "3"]


def test_the_exponents_of_sines_first_stand_beside_the_others(source):
    source.do(SetSwitch("source", "positions", "sines first"))
    page = source.page(STAGE)
    (used,) = [at for at, column in enumerate(page.the("exponent list").columns) if "in use" in column.title][:1]
    for j, row in enumerate(page.texts("exponent list")):
        assert float(row[used]) == pytest.approx(exponents(4, "sines first")[j], abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "title", "column"), [("paper", "paper", 2), ("004", "tables", 3), ("004-script", "script", 4)]
)
def test_exponents_side_by_side_and_which_are_in_use(source, kind, title, column):
    source.do(SetSwitch("source", "positions", "sinusoidal" if kind == "paper" else kind))
    page = source.page(STAGE)
    texts = page.texts("exponent list")
    assert [row[1] for row in texts] == ["sine", "cosine", "sine", "cosine"]
    for j, row in enumerate(texts):
        for at, which in ((2, "paper"), (3, "004"), (4, "004-script")):
            assert float(row[at]) == pytest.approx(exponents(4, which)[j], abs=1e-4)
    listing = page.the("exponent list")
    assert listing.columns[-1].title == "divisor in use"  # a wavelength is 2π times as long (Vaswani et al. 2017, §3.5)
    (used,) = [c.title for c in listing.columns if "in use)" in c.title]
    assert title in used
    assert [entry.muted for entry in listing.lines[0].entries[2:5]] == [k != column for k in (2, 3, 4)]
    np.testing.assert_array_equal(image(page, MAP).array, waves(np.arange(40), 4, kind))


def test_a_typed_table_has_no_formula(source):
    source.do(SetSwitch("source", "positions", "table"))
    page = source.page(STAGE)
    assert not page.has("exponent list")
    assert not page.has(f"{PE}.positions")
    assert image(page, MAP).array is source.value(PE)
    assert "not a formula" in page.notes


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(source, count):
    source.do(SetTokens("source", tuple(f"w{i}" for i in range(count))))
    page = source.page(STAGE)
    assert image(page, MAP).own == (count, 4)
    np.testing.assert_array_equal(image(page, MAP).array[:count], source.value(PE))
    assert image(page, ALIKE).own == (count, count)


def test_of_very_many_words_the_chosen_one_has_dots(source):
    source.do(SetTokens("source", tuple(f"w{i}" for i in range(200))))
    source.choose(row_of("source"), 7)
    page = source.page(STAGE)
    assert [dot.cell for dot in page.marks(CURVES, Dot)] == [Cell(PE, (7, j)) for j in range(4)]
    assert "the position of the chosen word" in page.notes


def test_pictures_are_said_in_words(source):
    page = source.page(STAGE)
    assert "40 positions in 4 dimensions" in page.drawing(MAP).summary
    assert "0 and 1" in page.drawing(ALIKE).summary
    assert "dimensions 1, 2" in page.drawing(CURVES).summary


@pytest.mark.parametrize(("positions", "drawn"), [(512, 40), (30, 30)])
def test_of_very_many_waves_a_few_are_drawn(source, positions, drawn):
    source.choose(f"{PE}.positions", positions)
    page = source.page(STAGE)
    # Dimensions 1 to 4 have waves of less than 7 positions, or of more than 600.
    source.choose(f"{PE}.to", 2)
    page = source.page(STAGE)
    assert {curve.x[-1] for curve in page.marks(CURVES, Curve)} == {drawn - 1}
    assert ("Of 512 positions the first 40" in page.notes) == (positions > drawn)


def test_the_longest_waves_of_the_script_stop_nothing(source):
    source.do(SetSwitch("source", "positions", "004-script"))
    source.choose(f"{PE}.dimensions", 400)
    source.choose(f"{PE}.from", 396)
    source.choose(f"{PE}.to", 400)
    assert len(source.page(STAGE).marks(CURVES, Curve)) == 5


def test_a_table_with_more_positions_than_the_words_is_said_to_have_them(source):
    source.do(SetSwitch("source", "positions", "own"))
    assert "no more positions than are drawn" in source.page(STAGE).notes
    source.do(SetSwitch("source", "room", 1024))
    notes = source.page(STAGE).notes
    assert "The encoding is a table of 1,024 positions, not a formula. Those of the words are drawn." in notes
    assert "no more positions" not in notes


def test_the_map_of_likeness_has_the_models_own_numbers(source):
    """A pinned one was not there, and one that a question asks for stood in the map all the same."""
    asked = source.view.values["source.likeness"][2, 1]
    source.do(PinCells("source.likeness", {(2, 1): 9.0}))
    drawn = image(source.page(STAGE), ALIKE).array
    assert drawn[2, 1] == 9.0
    assert drawn[1, 2] == asked


def test_positions_that_no_text_has_taught_are_told(desk):
    """A text may be longer than those that were learned; its last positions are random, and nothing said so."""
    desk = desk("tiny-gpt")
    desk.do(SetSwitch("input", "positions", "learned"))
    table = "input.PE"
    assert not desk.page("input.positions").has("not learned"), "a new table has learned nothing at all"
    desk.do(SetArray(table, desk.document.state.inputs[table] + 0.5))
    assert not desk.page("input.positions").has("not learned")
    desk.do(SetTokens("input", [*desk.view.labels("input"), "mat"]))
    said = desk.page("input.positions").the("not learned").text
    assert said == "The position of the last word has its starting numbers: no text as long as this has been learned."
    desk.do(SetTokens("input", [*desk.view.labels("input"), "and"]))
    assert "The positions of the last 2 words have" in desk.page("input.positions").the("not learned").text
    desk.do(SetTokens("input", ["the", "cat"]))
    assert not desk.page("input.positions").has("not learned")


# The embedding


EMBEDDING, PLANE = "source.embedding", "plane of source.table"


@pytest.fixture
def welcome(desk):
    return desk()


def arrows(page):
    return page.marks(PLANE, Arrow)


def test_a_word_number_picks_a_row_of_the_table(welcome):
    page = welcome.page(EMBEDDING)
    assert page.names == ["source.tokens", "source.onehot", "source.table", "source.X"]
    assert [page.the(name).editable for name in page.names] == [True, False, True, False]
    assert page.the("source.tokens").array.tolist() == [[0], [1], [2]], "each stands beside its one-hot row"
    assert [item.sign for item in page.the("from words to vectors").items] == ["", "→", "×", "=", ""]
    welcome.do(SetCells("source.tokens", {(0,): 2}))
    page = welcome.page(EMBEDDING)
    np.testing.assert_array_equal(page.the("source.X").array[0], page.the("source.table").array[2])


@pytest.mark.parametrize(
    "looking",
    [{"showing": "change"}, {"covered": Covered({"source.X": frozenset({(0, 0)})})}],
    ids=["change", "covered"],
)
def test_the_one_hot_rows_are_the_first_to_become_a_small_picture_whatever_is_shown(welcome, looking):
    welcome.look(**looking)
    (row,) = welcome.page(EMBEDDING).all(Row)[:1]
    assert [item.yields for item in row.items] == [False, True, False, False, False]


def test_looked_up_by_number_there_is_no_one_hot(welcome):
    welcome.do(SetSwitch("source", "lookup", "index"))
    page = welcome.page(EMBEDDING)
    assert page.names == ["source.tokens", "source.table", "source.X"]
    assert [item.sign for item in page.the("from words to vectors").items] == ["", "→", "→", ""]


def test_the_plane_shows_the_rows_of_the_table(welcome):
    page, table = welcome.page(EMBEDDING), welcome.value("source.table")
    assert [arrow.tip for arrow in arrows(page)] == [tuple(row) for row in table[:, :2].tolist()]
    assert [arrow.name for arrow in arrows(page)] == ["You", "are", "welcome"]
    assert "You (0.10, 0.20)" in page.drawing(PLANE).summary
    assert "Strong arrows" not in page.notes, "all words are in the sentence"
    welcome.do(SetCells("source.table", {(1, 0): 4.5}))
    page = welcome.page(EMBEDDING)
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


def test_which_dimensions_the_plane_shows(welcome):
    across, up = welcome.page(EMBEDDING).the("dimensions of source.table").controls
    assert (across.value, up.value) == (1, 2)
    assert across.most == up.most == 4
    welcome.choose(across.asks.key, 3)
    welcome.choose(up.asks.key, 4)
    page = welcome.page(EMBEDDING)
    assert [arrow.tip for arrow in arrows(page)] == [
        tuple(row) for row in welcome.value("source.table")[:, 2:].tolist()
    ]
    assert page.drawing(PLANE).x.title == "dimension 3"


def test_new_words_are_in_the_plane_and_those_in_the_sentence_stand_out(welcome):
    welcome.do(SetTokens("source", ("You", "rock")))
    drawn = {arrow.name: arrow.ink for arrow in arrows(welcome.page(EMBEDDING))}
    assert drawn == {"You": ACCENT, "are": MUTED, "welcome": MUTED, "rock": ACCENT}
    assert "Strong arrows" in welcome.page(EMBEDDING).notes


def test_a_word_or_a_cell_lights_up_its_arrow(welcome):
    welcome.do(SetCells("source.tokens", {(0,): 2}))
    you, _, welcome = arrows(welcome.page(EMBEDDING))
    assert welcome.token == ("source.words", 2)
    assert welcome.also == (("source", 0), ("source", 2))
    assert you.also == ()
    assert Cell("source.table", (2,)) in welcome.cells


@pytest.mark.parametrize("value", [1e308, -1e300, float("inf"), float("nan")])
def test_what_cannot_be_drawn_has_no_arrow(welcome, value):
    welcome.do(SetCells("source.table", {(0, 0): value}))
    page = welcome.page(EMBEDDING)
    assert [arrow.name for arrow in arrows(page)] == ["are", "welcome"]
    assert np.isfinite(page.drawing(PLANE).window).all()


def test_the_decoders_words_have_a_page_of_their_own(welcome):
    page = welcome.page("target.embedding")
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
