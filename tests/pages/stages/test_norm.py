"""Add & norm: the moments are the op's own.

Examples as points, and where each norm takes them.
"""

import numpy as np
import pytest

from explorer.core.graph import Cell
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.pages.drawing import Dot, Strips
from explorer.pages.page import Picture
from explorer.pages.view import Covered

BLOCK = "encoder.1.self"
STAGE = f"{BLOCK}.after"
BEFORE, AFTER = "strips before", "strips after"


@pytest.fixture
def textbook(desk):
    found = desk()
    for switch, value in (("residual", True), ("norm", "post"), ("epsilon", 1e-5), ("epsilon_in", "root")):
        found.do(SetSwitch(BLOCK, switch, value))
    return found


def moments(page):
    return page.texts("moments")


def test_the_sum_and_the_norm_stand_there(textbook):
    page = textbook.page(STAGE)
    shown = {"source.H", f"{BLOCK}.projected", f"{BLOCK}.residual", f"{BLOCK}.gamma", f"{BLOCK}.beta", f"{BLOCK}.norm"}
    assert set(page.names) == shown
    assert "added to what came in" in page.page.header.sentence
    assert "mean 0 and variance 1" in page.page.header.sentence


def test_moments_of_each_row(textbook, number):
    x, N = textbook.value(f"{BLOCK}.residual"), textbook.value(f"{BLOCK}.norm")
    texts = moments(textbook.page(STAGE))
    assert [row[0] for row in texts] == ["You", "are", "welcome"]
    for i, row in enumerate(texts):
        mean, variance, sigma, mean_after, variance_after = map(number, row[1:])
        assert mean == pytest.approx(x[i].mean(), abs=6e-3)
        assert variance == pytest.approx(x[i].var(), abs=6e-3)
        assert sigma == pytest.approx(np.sqrt(x[i].var() + 1e-5), abs=6e-3)
        assert mean_after == pytest.approx(N[i].mean(), abs=6e-3)
        assert variance_after == pytest.approx(N[i].var(), abs=6e-3)


def test_what_rounding_leaves_of_a_mean_of_0_is_no_number_to_puzzle_over(textbook):
    page = textbook.page(STAGE)
    for i, row in enumerate(moments(page)):
        mean = textbook.value(f"{BLOCK}.norm")[i].mean()
        assert abs(mean) < 1e-14
        assert row[4] == ("≈ 0" if mean else "0.0000")
    assert "≈ 0: the mean is 0, except for rounding" in page.notes
    assert "10⁻" not in page.drawing("strips after").summary  # a screen reader was told a mean of 5.6×10⁻¹⁷
    textbook.do(SetCells(f"{BLOCK}.beta", {(0,): 4e-12}))
    page = textbook.page(STAGE)
    assert [row[4] for row in moments(page)] == ["1×10⁻¹²"] * 3
    assert "rounding leaves" not in page.notes


def test_strips_hold_the_numbers(textbook):
    page = textbook.page(STAGE)
    for id, name in ((BEFORE, f"{BLOCK}.residual"), (AFTER, f"{BLOCK}.norm")):
        (strips,) = page.marks(id, Strips)
        assert strips.array is textbook.value(name)
        np.testing.assert_allclose(strips.mean, strips.array.mean(-1), atol=1e-12)
        np.testing.assert_allclose(strips.sigma, strips.array.std(-1))
        assert (strips.node, strips.axis, strips.token) == (name, 0, "source")
        assert page.drawing(id).y.labels == ("You", "are", "welcome")
    assert "You: mean" in page.drawing(BEFORE).summary


def test_gamma_and_beta_show_after_only(textbook, number):
    before = textbook.page(STAGE)
    textbook.do(SetCells(f"{BLOCK}.gamma", {(j,): 2.0 for j in range(4)}))
    textbook.do(SetCells(f"{BLOCK}.beta", {(j,): 1.0 for j in range(4)}))
    page = textbook.page(STAGE)
    assert page.the(BEFORE) == before.the(BEFORE)
    assert page.the(AFTER) != before.the(AFTER)
    for row in moments(page):
        assert number(row[4]) == pytest.approx(1, abs=6e-3)
        assert number(row[5]) == pytest.approx(4, abs=6e-3)


@pytest.mark.parametrize(("place", "said"), [("root", "√(σ² + 0.5)"), ("sigma", "σ + 0.5")])
def test_epsilon_is_said_where_it_stands(textbook, number, place, said):
    textbook.do(SetSwitch(BLOCK, "epsilon", 0.5), SetSwitch(BLOCK, "epsilon_in", place))
    page = textbook.page(STAGE)
    assert said in page.notes
    variance, sigma = (number(moments(page)[0][column]) for column in (2, 3))
    expected = np.sqrt(variance + 0.5) if place == "root" else np.sqrt(variance) + 0.5
    assert sigma == pytest.approx(expected, abs=6e-3)
    assert ("√" in page.the("moments").columns[3].title) == (place == "root")
    textbook.do(SetSwitch(BLOCK, "epsilon", 1e-12))
    notes = textbook.page(STAGE).notes
    assert said.replace("0.5", "1×10⁻¹²") in notes
    assert "ε\u00a0=\u00a01×10⁻¹²" in notes  # a line ended between ε and its number


def test_without_epsilon_nothing_is_kept_from_a_division_by_0(textbook):
    textbook.do(SetSwitch(BLOCK, "epsilon", 0.0))
    assert "With ε = 0 nothing keeps" in textbook.page(STAGE).notes


def test_without_a_norm_only_the_sum_is_left(textbook):
    textbook.do(SetSwitch(BLOCK, "norm", "none"))
    page = textbook.page(STAGE)
    assert set(page.names) == {"source.H", f"{BLOCK}.projected", f"{BLOCK}.residual"}
    assert not page.has("moments")
    assert "mean 0" not in page.page.header.sentence


def test_without_a_residual_the_norm_reads_the_block(textbook):
    textbook.do(SetSwitch(BLOCK, "residual", False))
    page = textbook.page(STAGE)
    assert f"{BLOCK}.residual" not in page.names
    assert page.marks(BEFORE, Strips)[0].node == f"{BLOCK}.projected"
    assert "added" not in page.page.header.sentence


def test_pre_norm_has_a_page_of_its_own(textbook):
    textbook.do(SetSwitch(BLOCK, "norm", "pre"))
    page = textbook.page(f"{BLOCK}.norm")
    assert set(page.names) == {"source.H", f"{BLOCK}.gamma", f"{BLOCK}.beta", f"{BLOCK}.norm"}
    assert page.marks(BEFORE, Strips)[0].node == "source.H"
    after = textbook.page(STAGE)
    assert f"{BLOCK}.residual" in after.names
    assert f"{BLOCK}.norm" not in after.names


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(textbook, count):
    textbook.do(SetTokens("source", tuple(f"w{i}" for i in range(count))))
    page = textbook.page(STAGE)
    assert len(moments(page)) == count
    assert page.marks(AFTER, Strips)[0].array.shape == (count, 4)
    assert page.the(AFTER).height == max(120, min(40 + 28 * count, 760))


def test_a_row_of_equal_numbers_and_a_nan_are_shown(textbook, number):
    textbook.do(PinCells(f"{BLOCK}.residual", {(0, j): 3.0 for j in range(4)}))
    textbook.do(PinCells(f"{BLOCK}.residual", {(1, 0): float("nan")}))
    page = textbook.page(STAGE)
    assert number(moments(page)[0][2]) == 0
    assert moments(page)[1][1] == "NaN"
    assert np.isfinite(page.drawing(BEFORE).window).all()


def test_rms_norm_has_no_mean_and_no_beta(textbook, number):
    textbook.do(SetSwitch(BLOCK, "norm_by", "RMS norm"))
    page = textbook.page(STAGE)
    assert f"{BLOCK}.gamma" in page.names
    assert f"{BLOCK}.beta" not in page.names
    assert page.page.header.sentence.endswith("Each row is brought to a root mean square of 1, then stretched.")
    assert "divided by √(RMS² + 1×10⁻⁵), times γ." in page.notes
    x = textbook.value(f"{BLOCK}.residual")
    for i, row in enumerate(moments(page)):
        before, divisor, after = map(number, row[1:])
        assert before == pytest.approx((x[i] ** 2).mean(), abs=6e-3)
        assert divisor == pytest.approx(np.sqrt((x[i] ** 2).mean() + 1e-5), abs=6e-3)
        assert after == pytest.approx((textbook.value(f"{BLOCK}.norm")[i] ** 2).mean(), abs=6e-3)


def test_batch_norm_measures_columns(desk, number):
    jump = desk("jump")
    page, x = jump.page("batch"), jump.value("input.X")
    (strips,) = page.marks(AFTER, Strips)
    assert strips.array is jump.value("batch.norm")
    assert strips.axis == 1
    assert len(strips.mean) == x.shape[1]
    for j, row in enumerate(moments(page)):
        assert number(row[1]) == pytest.approx(x[:, j].mean(), rel=1e-3, abs=6e-3)
    assert page.the("moments").lines[1].cell == Cell("batch.norm", (0, 1))
    assert "column" in page.notes
    assert page.page.header.sentence.startswith("Each column")


@pytest.fixture
def jump(desk):
    return desk("jump")


def points(page):
    """The coordinates of the dots of each plane."""
    drawn = {picture.id: picture.drawing.marks for picture in page.all(Picture)}
    return {id: [(dot.x, dot.y) for dot in marks if isinstance(dot, Dot)] for id, marks in drawn.items()}


def test_the_examples_and_what_each_norm_makes_of_them(jump):
    jump.do(SetCells("input.X", {(2, 0): 0.9}))
    found = points(jump.page("input"))
    names = ("input.X", "layer.norm", "batch.norm")
    assert found == {f"points of {name}": [tuple(row) for row in jump.value(name).tolist()] for name in names}


def test_a_point_is_dragged_to_other_numbers(jump):
    (plane,) = [one for one in jump.page("input").all(Picture) if one.id == "points of input.X"]
    jump.do(plane.drawing.marks[1].drag.at((0.25, 0.75)).command())
    assert jump.value("input.X")[1].tolist() == [0.25, 0.75]
    assert all(dot.drag is None for dot in jump.page("input").the("points of layer.norm").drawing.marks)


def test_the_list_of_moments_does_not_fill_the_gaps_of_a_worked_step(textbook):
    """“Compute the root on paper”, said the step, and the root stood in the list below."""
    norm = f"{BLOCK}.norm"
    textbook.look(covered=Covered({norm: frozenset({(1, 2)})}))
    page = textbook.page(STAGE)
    assert [line[1:] == ["?"] * 5 for line in moments(page)] == [False, True, False]
    assert "are: mean" not in page.drawing(BEFORE).summary
    assert "You: mean" in page.drawing(BEFORE).summary
