"""Add & norm: the moments are the op's own."""

import numpy as np
import pytest
from explorer.ui.widgets.note import Note

from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.ui.page.listing import Listing
from explorer.ui.selection import Cell

STAGE = "encoder.1.self.after"


@pytest.fixture
def textbook(window, eye):
    document = window.bench.document
    for switch, value in (("residual", True), ("norm", "post"), ("epsilon", 1e-5), ("epsilon_in", "root")):
        document.do(SetSwitch("encoder.1.self", switch, value))
    eye.settle(window)
    return document


@pytest.fixture
def panel(window, textbook, eye):
    return eye.go_to(window, STAGE)


def strips(panel):
    """Before and after."""
    from explorer.ui.widgets.strips import Strips

    return [picture._strips.strip for picture in panel.findChildren(Strips)]


def moments(panel):
    (listing,) = panel.findChildren(Listing)
    rows = listing.rows
    return [[rows.text(i, j) for j in range(rows.columnCount())] for i in range(rows.rowCount())]


def number(text):
    return float(text.removeprefix("≈").replace("−", "-"))


def notes(panel):
    return " ".join(note.text() for note in panel.findChildren(Note))


def test_the_sum_and_the_norm_stand_there(window, panel, eye):
    block = "encoder.1.self"
    shown = {"source.H", f"{block}.projected", f"{block}.residual", f"{block}.gamma", f"{block}.beta", f"{block}.norm"}
    assert eye.views(window).keys() == shown


def test_moments_of_each_row(window, panel, eye):
    x, N = eye.value(window, "encoder.1.self.residual"), eye.value(window, "encoder.1.self.norm")
    texts = moments(panel)
    assert [row[0] for row in texts] == ["You", "are", "welcome"]
    for i, row in enumerate(texts):
        mean, variance, sigma, mean_after, variance_after = map(number, row[1:])
        assert mean == pytest.approx(x[i].mean(), abs=1e-4)
        assert variance == pytest.approx(x[i].var(), abs=1e-4)
        assert sigma == pytest.approx(np.sqrt(x[i].var() + 1e-5), abs=1e-4)
        assert mean_after == pytest.approx(N[i].mean(), abs=1e-4)
        assert variance_after == pytest.approx(N[i].var(), abs=1e-4)


def test_what_rounding_leaves_of_a_mean_of_0_is_no_number_to_puzzle_over(window, panel, textbook, eye):
    for i, row in enumerate(moments(panel)):
        mean = eye.value(window, "encoder.1.self.norm")[i].mean()
        assert abs(mean) < 1e-14
        assert row[4] == ("≈ 0" if mean else "0.0000")
    textbook.do(SetCells("encoder.1.self.beta", {(0,): 4e-12}))
    eye.settle(window)
    assert [row[4] for row in moments(panel)] == ["1e−12"] * 3


def test_strips_hold_the_numbers(window, panel, eye):
    before, after = strips(panel)
    np.testing.assert_array_equal(before.numbers, eye.value(window, "encoder.1.self.residual"))
    np.testing.assert_array_equal(after.numbers, eye.value(window, "encoder.1.self.norm"))
    np.testing.assert_allclose(before.sigma**2, before.numbers.var(-1))
    assert before.labels == ("You", "are", "welcome")


def test_gamma_and_beta_show_after_only(window, textbook, panel, eye):
    before = strips(panel)[0].numbers
    textbook.do(SetCells("encoder.1.self.gamma", {(j,): 2.0 for j in range(4)}))
    textbook.do(SetCells("encoder.1.self.beta", {(j,): 1.0 for j in range(4)}))
    eye.settle(window)
    np.testing.assert_array_equal(strips(panel)[0].numbers, before)
    for row in moments(panel):
        assert number(row[4]) == pytest.approx(1, abs=1e-4)
        assert number(row[5]) == pytest.approx(4, abs=1e-3)


@pytest.mark.parametrize(("place", "said"), [("root", "√(σ² + 0.5)"), ("sigma", "σ + 0.5")])
def test_epsilon_is_said_where_it_stands(window, textbook, panel, eye, place, said):
    textbook.do(SetSwitch("encoder.1.self", "epsilon", 0.5))
    textbook.do(SetSwitch("encoder.1.self", "epsilon_in", place))
    eye.settle(window)
    assert said in notes(panel)
    variance, sigma = (number(moments(panel)[0][column]) for column in (2, 3))
    expected = np.sqrt(variance + 0.5) if place == "root" else np.sqrt(variance) + 0.5
    assert sigma == pytest.approx(expected, abs=2e-4)
    (listing,) = panel.findChildren(Listing)
    assert ("√" in listing.rows.columns[3].title) == (place == "root")


def test_without_a_norm_only_the_sum_is_left(window, textbook, panel, eye):
    textbook.do(SetSwitch("encoder.1.self", "norm", "none"))
    eye.settle(window)
    panel = eye.go_to(window, STAGE)
    assert eye.views(window).keys() == {"source.H", "encoder.1.self.projected", "encoder.1.self.residual"}
    assert not panel.findChildren(Listing)


def test_without_a_residual_the_norm_reads_the_block(window, textbook, panel, eye):
    textbook.do(SetSwitch("encoder.1.self", "residual", False))
    eye.settle(window)
    assert "encoder.1.self.residual" not in eye.views(window)
    assert strips(panel)[0].node == "encoder.1.self.projected"


def test_pre_norm_has_a_page_of_its_own(window, textbook, eye):
    textbook.do(SetSwitch("encoder.1.self", "norm", "pre"))
    eye.settle(window)
    panel = eye.go_to(window, "encoder.1.self.norm")
    block = "encoder.1.self"
    assert eye.views(window).keys() == {"source.H", f"{block}.gamma", f"{block}.beta", f"{block}.norm"}
    assert strips(panel)[0].node == "source.H"
    eye.go_to(window, STAGE)
    assert f"{block}.residual" in eye.views(window)
    assert f"{block}.norm" not in eye.views(window)


@pytest.mark.parametrize("count", [1, 40])
def test_one_word_and_forty(window, textbook, panel, eye, count):
    textbook.do(SetTokens("source", tuple(f"w{i}" for i in range(count))))
    eye.settle(window)
    assert len(moments(panel)) == count
    assert strips(panel)[1].numbers.shape == (count, 4)
    assert not window.grab().isNull()


def test_a_row_of_equal_numbers_and_a_nan_are_shown(window, textbook, panel, eye):
    textbook.do(PinCells("encoder.1.self.residual", {(0, j): 3.0 for j in range(4)}))
    textbook.do(PinCells("encoder.1.self.residual", {(1, 0): float("nan")}))
    eye.settle(window)
    assert number(moments(panel)[0][2]) == 0
    assert moments(panel)[1][1] == "NaN"
    assert not window.grab().isNull()


def test_the_pointed_cell_stands_out(window, panel, eye):
    from explorer.ui.widgets.strips import Strips

    window.bench.selection.point(Cell("encoder.1.self.norm", (2, 3)))
    before, after = panel.findChildren(Strips)
    assert (before._strips.here, after._strips.here) == (None, 2)
    assert after._strips.cell == (2, 3)
    assert "You: mean" in before.accessibleName()


def test_batch_norm_measures_columns(open_window, eye):
    window = open_window("jump")
    panel = eye.go_to(window, "batch")
    x, N = eye.value(window, "input.X"), eye.value(window, "batch.norm")
    before, after = strips(panel)
    np.testing.assert_array_equal(before.numbers, x.T)
    np.testing.assert_array_equal(after.numbers, N.T)
    for j, row in enumerate(moments(panel)):
        assert number(row[1]) == pytest.approx(x[:, j].mean(), rel=1e-3, abs=1e-4)
    window.bench.selection.point(Cell("batch.norm", (1, 0)))
    from explorer.ui.widgets.strips import Strips

    assert panel.findChildren(Strips)[1]._strips.cell == (0, 1)
    assert "column" in notes(panel)


def test_every_strip_has_its_name_from_the_first_paint(window, panel):
    from explorer.ui.widgets.strips import Strips
    from PySide6.QtGui import QPainter, QPicture

    for picture in panel.findChildren(Strips):
        axis, drawn = picture.getAxis("left"), QPicture()
        painter = QPainter(drawn)
        _, _, texts = axis.generateDrawSpecs(painter)
        painter.end()
        assert [text for *_, text in texts] == ["You", "are", "welcome"]


def test_switches_that_stand_alone_need_not_be_asked_for(open_window, eye):
    jump = open_window("jump")
    switches = eye.go_to(jump, "layer").header.switches
    assert not switches.more.isVisible()
    assert all(control.isVisible() for control in switches._controls.values())
