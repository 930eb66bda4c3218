"""How strongly what an edit has changed flashes."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.core.numbers import exact, read_number, written
from explorer.document.commands import SetArray, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.lessons.walk import Walk
from explorer.pages import view as view_file
from explorer.pages.matrix import LEAST_FLASH, PLAIN, SHARES, SIGNED, Matrix, _spoken, matrix, strengths, symbol_of
from explorer.pages.view import Covered, Looking, View


@pytest.fixture
def document():
    return Document(load("you-are-welcome").state("printed"))


@pytest.fixture
def shown(document):
    """A matrix as it is seen now."""
    return lambda name, **looking: matrix(View.of(document, Looking(**looking)), name)


def texts(shown):
    return [[shown.text(i, j) for j in range(len(shown.columns))] for i in range(len(shown.rows))]


@pytest.mark.parametrize(
    ("was", "now", "cells", "largest"),
    [
        ([1.0, 2.0], [1.5, 0.5], 2, -1.5),
        ([1.0, 2.0], [3.5, 2.0], 1, 2.5),
        ([0.0, 1.0], [-0.0, 1.0], 0, 0.0),
        ([np.inf, 1.0], [np.inf, 1.5], 1, 0.5),
        ([np.nan, 1.0], [np.nan, 0.5], 2, -0.5),
        ([1.0, 1.0], [np.inf, -np.inf], 2, np.inf),
    ],
)
def test_how_much_the_last_edit_changed(document, was, now, cells, largest):
    for numbers in (was, now):
        table = document.state.inputs["source.table"].copy()
        table[0, :2] = numbers
        document.do(SetArray("source.table", table))
    view = View.of(document, Looking())
    assert view.changed("source.table") == (cells, largest)
    assert np.count_nonzero(view.change(document.engine.graph.place("source.table"))) == cells
    assert view.changed("target.table") == (0, 0.0)


def test_the_numbers_of_a_matrix_have_the_same_decimals(shown):
    assert texts(shown("source.table"))[0] == ["0.1", "0.2", "−0.1", "0.4"]
    assert texts(shown("source.H"))[1] == ["0.54", "1.50", "0.10", "0.80"]
    assert texts(shown("encoder.1.self.W_O"))[0] == ["0.377", "0.833", "0.373", "0.146"]


def test_beside_very_large_numbers_small_ones_have_their_first_figure(shown, document):
    cells = {(0, 0): -1e300, (0, 1): 0.5, (0, 2): -0.04, (0, 3): 2e-7, (1, 0): 2.0}
    document.do(SetCells("source.table", cells))
    table = shown("source.table")
    assert texts(table)[0] == ["−1×10³⁰⁰", "0.5", "−0.04", "2×10⁻⁷"]
    assert [table.behind(text) for text in ("−1×10³⁰⁰", "2", "0.5", "−0.04", "2×10⁻⁷", "NaN")] == [0, 2, 1, 0, 0, 0]


@pytest.mark.parametrize("name", ["encoder.1.self.scale", "decoder.1.cross.scale", "output.temperature"])
def test_the_gradient_of_a_single_number_is_that_gradient_without_a_power_beside_it(shown, document, name):
    document.do(SetCells("source.table", {(0, 0): 0.7}))
    one = shown(name, showing="gradient")
    gradient = float(document.engine.gradient(document.engine.graph.place(name)))
    said = read_number(one.text(0, 0))
    assert one.power == 0
    assert said == pytest.approx(gradient, rel=0.5, abs=0.005)


@pytest.mark.parametrize(
    ("number", "text"), [(-0.0645, "−0.06"), (3e-5, "+3×10⁻⁵"), (123.4, "+123"), (-51234.0, "−5×10⁴"), (0.0, "·")]
)
def test_a_change_of_a_single_number(shown, number, text):
    one = replace(shown("output.temperature"), showing="change", array=np.array([[number]]))
    assert one.text(0, 0) == text


def test_a_change_by_the_smallest_number_there_is(shown, document):
    document.do(SetArray("source.table", np.zeros((3, 4))))
    document.do(SetCells("source.table", {(0, 0): 5e-324}))
    assert texts(shown("source.table", showing="change"))[0] == ["+0.005", "·", "·", "·"]


@pytest.mark.parametrize("lesson", ["you-are-welcome", "i-love-ai", "tiny-gpt", "tiny-translator"])
def test_no_equation_has_its_symbol_on_both_sides(lesson):
    view = View.of(Document(load(lesson).state()))
    for node in view.nodes.values():
        formula, symbols = view.graph.equation(node.name), {view.nodes[parent].symbol for parent in node.parents}
        assert symbol_of(formula) == node.symbol
        assert node.symbol not in symbols, node.name


def test_a_heads_slice_is_a_matrix_of_its_own(shown, document):
    whole = document.engine.values["encoder.1.self.W_Q"]
    for head in (1, 2):
        one = shown(f"encoder.1.self.head.{head}.W_Q")
        assert one.array.shape == whole.shape[1:]
        assert texts(one) == [[written(v, one.decimals) for v in row] for row in whole[head - 1].tolist()]


def test_a_vector_is_one_row_and_a_number_one_cell(shown):
    vector, single = shown("encoder.1.ffn.b_1"), shown("output.temperature")
    assert vector.array.shape == (1, 6)
    assert single.array.shape == (1, 1)
    assert vector.cell(0, 4) == (4,)
    assert single.cell(0, 0) == ()
    assert single.own.shape == ()
    assert texts(single) == [["1.0"]]


def test_labels_are_words_and_dimensions(shown):
    assert shown("source.X").rows == ("You", "are", "welcome")
    assert shown("source.X").columns == ("1", "2", "3", "4")


def test_the_engines_array_is_shown_and_not_a_copy_of_it(shown, document):
    assert shown("source.X").array is document.engine.values["source.X"]


def test_the_tooltip_has_every_digit(shown, document):
    one = shown("encoder.1.self.head.1.weights")
    value = document.engine.values["encoder.1.self.weights"][0, 1, 2].item()
    assert len(one.text(1, 2)) < 8
    assert float(one.told(View.of(document), 1, 2)) == value
    assert shown("source.table").told(View.of(document), 0, 2) == "−0.1"


def test_the_tooltip_says_what_the_last_edit_changed(shown, document):
    document.do(SetCells("source.table", {(0, 0): 2.5}))
    assert shown("source.table").told(View.of(document), 0, 0) == "2.5\nchanged by 2.4"
    assert shown("source.table").told(View.of(document), 0, 1) == "0.2"


def test_a_cell_is_named_by_both_labels(shown):
    assert shown("source.table").label(0, 2) == "You → 3"
    assert shown("encoder.1.ffn.b_1").label(0, 0) == "1"


def test_only_inputs_are_editable_without_a_pin(shown):
    assert shown("source.table").editable
    assert shown("encoder.1.self.head.2.W_K").editable
    assert not shown("source.X").editable
    assert not shown("encoder.1.self.head.2.K").editable


def test_which_colours_stand_for_what(shown, document):
    document.do(SetSwitch("decoder.1.self", "mask", "causal"))
    colours = {n: shown(f"decoder.1.self.{n}").colours for n in ("weights", "scores", "masked", "Q", "W_Q")}
    assert colours == {"weights": SHARES, "scores": SIGNED, "masked": SIGNED, "Q": PLAIN, "W_Q": PLAIN}
    assert shown("decoder.1.self.weights", showing="gradient").colours == SIGNED


def test_masked_cells_and_what_is_no_number(shown, document):
    document.do(SetSwitch("decoder.1.self", "mask", "causal"))
    masked = shown("decoder.1.self.head.1.masked")
    assert [row.count("−∞") for row in texts(masked)] == [2, 1, 0]
    assert np.isfinite(masked.limit)
    document.do(SetCells("source.table", {(0, 0): np.nan, (0, 1): np.inf}))
    assert texts(shown("source.table"))[0][:2] == ["NaN", "∞"]


def test_tiny_and_huge_numbers_are_not_shown_as_something_else(shown, document):
    document.do(SetCells("source.table", {(0, 0): 2e-8, (0, 1): 0.0, (0, 2): -0.25}))
    assert texts(shown("source.table"))[0][:3] == ["2×10⁻⁸", "0.000", "−0.250"]
    document.do(SetCells("source.table", {(0, 0): 1e300}))
    assert texts(shown("source.table"))[0][0] == "1×10³⁰⁰"


def test_a_matrix_stays_what_it_was_when_the_model_is_edited(shown, document):
    before = shown("source.X")
    document.do(SetCells("source.table", {(0, 0): 2.5}))
    after = shown("source.X")
    assert (before.text(0, 0), after.text(0, 0)) == ("0.1", "2.5")
    assert before != after
    assert after == shown("source.X")


def test_shape_and_labels_are_those_of_the_sentence(shown, document):
    document.do(SetTokens("source", ("You", "are", "very", "welcome")))
    assert shown("source.X").rows == ("You", "are", "very", "welcome")


def test_pinned_cells_are_known(shown):
    first, second = (shown(f"encoder.1.self.head.{k}.output") for k in (1, 2))
    assert not first.pinned(0, 0)
    assert all(second.pinned(i, j) for i in range(3) for j in range(4))
    assert not shown("source.X").pinned(0, 0)


def test_a_change_has_its_sign_and_nothing_is_a_dot(shown, document):
    document.do(SetCells("source.table", {(0, 0): 0.35}))
    assert texts(shown("source.table", showing="change"))[0] == ["+0.250", "·", "·", "·"]
    assert shown("source.table", showing="change").formula.startswith(r"\Delta")


def test_of_a_chosen_word_that_changed_the_new_word_is_shown_and_not_a_difference_of_numbers(desk):
    """Δw said +3.00 where “rat” had taken the place of “mat”, by their places in the list of words."""
    cat = desk("cat-sat-on-the")
    cat.do(SetCells("output.logits", {(0, 3): 5.0}))
    cat.look(showing="change")
    found = matrix(cat.view, "output.chosen")
    assert texts(found) == [["rat"]]
    assert found.told(cat.view, 0, 0) == "3\nbefore: mat"
    cat.do(SetCells("output.logits", {(0, 3): 6.0}))
    assert texts(matrix(cat.view, "output.chosen")) == [["·"]]


def test_what_is_new_has_no_change(shown, document):
    document.do(SetTokens("source", ("You", "are", "very", "welcome")))
    assert {text for row in texts(shown("source.X", showing="change")) for text in row} == {"–"}


def test_joined_heads_are_bands_of_columns(shown):
    assert shown("encoder.1.self.concat").bands == (0, 2)
    assert shown("encoder.1.self.head.1.Q").bands == (0, 0)


def test_what_is_shown_for_editing_can_be_typed_back(shown, document):
    for value in [1 / 3, -2e-17, 1e300, np.inf, -np.inf, 0.0]:
        document.do(SetCells("source.table", {(0, 0): value}))
        assert read_number(exact(shown("source.table").values[0, 0])) == value


def found(desk, name):
    return strengths(desk.view, matrix(desk.view, name))


def test_only_what_changed_flashes_and_the_more_the_stronger(desk):
    emma = desk("emma")
    emma.do(SetCells("Q", {(0, 0): 1.1 + 0.25 * 1.1, (3, 2): -9.0}))
    now = found(emma, "Q")
    assert set(zip(*now.nonzero(), strict=True)) == {(0, 0), (3, 2)}
    assert now[3, 2] == pytest.approx(1.0)
    assert LEAST_FLASH < now[0, 0] < 0.3
    scores = found(emma, "scores")
    assert set(scores.nonzero()[0]) == {0, 3}, "the rows of the two words"
    assert (0 <= scores).all()
    assert (scores <= 1).all()
    assert found(emma, "K") is None


def test_of_a_large_matrix_a_part_flashes_or_squares_as_strongly_as_what_changed_most_in_them(desk):
    """All cells of the logits of GPT-2, one by one, held the window for 17 seconds after an edit."""
    emma = desk("emma")
    emma.do(SetCells("Q", {(0, 0): 2.0, (1, 1): -3.0, (3, 2): -9.0}))
    shown, whole = matrix(emma.view, "scores"), found(emma, "scores")
    middles = [n // 2 for n in whole.shape]
    squares = [[part.max() for part in np.split(rows, middles[1:], 1)] for rows in np.split(whole, middles[:1], 0)]
    np.testing.assert_allclose(strengths(emma.view, shown, most=2), squares)
    np.testing.assert_array_equal(strengths(emma.view, shown, (slice(3, 4), slice(1, 3))), whole[3:4, 1:3])
    emma.look(covered=Covered({"scores": frozenset({(3, 1)})}))
    shown = matrix(emma.view, "scores")
    assert strengths(emma.view, shown, (slice(3, 4), slice(1, 2)), most=1) is None


@pytest.mark.parametrize("at_once", [1, 7, 2**18])
def test_what_changed_is_counted_part_by_part(desk, monkeypatch, at_once):
    """A gigabyte was taken to count what an edit of the words of a large model has changed."""
    monkeypatch.setattr(view_file, "_AT_ONCE", at_once)
    emma = desk("emma")
    was = emma.view.values["scores"]
    emma.do(SetCells("Q", {(0, 0): 2.0, (3, 2): -9.5}))
    change = (emma.view.values["scores"] - was).ravel()
    largest = change.min() if -change.min() > change.max() else change.max()
    assert emma.view.changed("scores") == (np.count_nonzero(change), largest)
    assert emma.view.changed("K") == (0, 0.0)
    emma.do(SetCells("Q", {(0, 0): np.nan, (1, 1): np.inf}))
    assert emma.view.changed("Q") == (2, np.inf)


def test_nothing_flashes_as_an_example_is_opened_or_where_changes_are_shown_anyway(desk):
    emma = desk("emma")
    assert found(emma, "Q") is None
    emma.do(SetCells("Q", {(0, 0): 3.0}))
    emma.look(showing="change")
    assert found(emma, "Q") is None


def test_what_changes_by_next_to_nothing_or_is_new_does_not_flash(desk):
    emma = desk("emma")
    emma.do(SetCells("Q", {(0, 0): 1.1 + 1e-4}))
    assert found(emma, "Q") is None
    gpt = desk("tiny-gpt")
    gpt.do(SetTokens("input", ("the", "dog")))
    assert found(gpt, "input.X") is None, "another shape: it has nothing that it changed from"


def test_a_covered_cell_does_not_tell_that_it_changed(desk):
    emma = desk("emma")
    emma.do(SetCells("Q", {(0, 0): 5.0}))
    emma.look(covered=Covered({"scores": frozenset({(0, 0)})}))
    now = found(emma, "scores")
    assert now[0, 0] == 0.0
    assert now[0].any()


def test_a_head_that_is_gone_has_no_strengths(desk):
    """A page may be in sight for a turn longer than its model has its heads."""
    welcome = desk("you-are-welcome")
    shown = matrix(welcome.view, "encoder.1.self.head.2.weights")
    welcome.do(SetSwitch("encoder.1.self", "heads", 1))
    welcome.do(SetCells("encoder.1.self.W_Q", {(0, 0, 0): 9.0}))
    assert "encoder.1.self.weights" in welcome.view.last.before
    assert strengths(welcome.view, shown) is None


def test_numbers_that_are_none_are_no_strengths(desk):
    emma = desk("emma")
    emma.do(SetCells("Q", {(0, 0): np.inf, (1, 1): 4.0}))
    for name in ("Q", "scores", "weights"):
        now = found(emma, name)
        assert now is None or (np.isfinite(now).all() and now.max() <= 1.0)


def test_a_matrix_that_is_still_to_follow_does_not_flash(desk):
    """A page may be in sight once more before it shows what has other words now."""
    welcome, name = desk(), "encoder.1.self.head.1.scores"
    shown = matrix(welcome.view, name)
    welcome.do(SetTokens("source", ("You", "are", "very", "welcome")))
    welcome.do(SetCells("encoder.1.self.W_Q", {(0, 0, 0): 9.0}))
    assert strengths(welcome.view, matrix(welcome.view, name)) is not None
    assert strengths(welcome.view, shown) is None


@pytest.mark.parametrize(("short", "said"), [("W_1_codes", "codes"), ("Q_rotated", "Q rotated")])
def test_a_heading_says_a_name_in_words(short, said):
    assert _spoken(short) == said


def test_what_rounding_left_of_0_is_written_as_0_but_not_in_shares(desk):
    of = desk("roses-are-red")
    V = next(one for one in of.page("decoder.1.self.attention").all(Matrix) if one.name.endswith(".V"))
    assert (np.abs(V.values) < 1e-15).any(), "else there is nothing to see"
    assert not [text for text in V.texts(range(V.values.shape[0]), range(V.values.shape[1])) if "10⁻¹" in text]
    assert V.text(*np.argwhere((np.abs(V.values) < 1e-15) & (V.values != 0))[0]) == "0.00"
    assert replace(V, colours=SHARES).text(*np.argwhere((np.abs(V.values) < 1e-15) & (V.values != 0))[0]) != "0.00"


def test_a_number_beside_a_very_large_one_is_not_written_as_0(desk):
    start = desk()
    start.do(SetCells("source.table", {(0, 0): 1e30}))
    X = matrix(start.view, "source.X")
    assert [X.text(0, 0), X.text(0, 1), X.text(1, 0)] == ["1×10³⁰", "0.2", "−0.3"]


def test_a_single_number_that_rounding_left_of_0_is_written_as_0(desk):
    found = desk("sin")
    b = matrix(found.view, "regression.b")
    assert b.values != 0
    assert b.text(0, 0) == "0.0"
    for change in (1e-9, 0.5):  # it is told again with other numbers, and what is small but true stays
        found.do(SetCells("loss.target", {(0, 0): found.value("loss.target")[0, 0] + change}))
        assert read_number(matrix(found.view, "regression.b").text(0, 0)) != 0


def test_a_gradient_too_small_for_its_decimals_is_nearly_0_as_everywhere_else(shown):
    """It was ~0 in tables and ≈ 0 in pictures."""
    one = shown("decoder.1.self.weights", showing="gradient")
    tiny = 10.0 ** (one.power - one.decimals - 3)
    assert [one._said(value) for value in (tiny, -tiny, 0.0)] == ["≈ 0", "≈ 0", "·"]


def test_a_gradient_of_ten_less_a_rounding_error_has_no_figure_more_than_ten():
    """The gradient at a probability of 0.1 was −10.000, which is longer than its column, and its minus was cut."""
    lesson = load("cat-sat-on-the")
    number = next(i for i, step in enumerate(lesson.steps) if step.id == "through")
    view = View.of(Document(Walk(lesson).state(number)), Looking(showing="gradient"))
    assert matrix(view, "output.probabilities").text(0, 0) == "−10.00"
