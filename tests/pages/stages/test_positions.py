"""Positions: the model's own numbers, and true numbers beyond them."""

import numpy as np
import pytest

from explorer.core.numbers import quantity
from explorer.core.ops.positions import exponents, waves
from explorer.document.commands import PinCells, SetArray, SetSwitch, SetTokens
from explorer.pages.drawing import Band, Curve, Dot, Image
from explorer.pages.view import Cell, row_of

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
