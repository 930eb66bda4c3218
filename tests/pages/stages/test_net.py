"""The playground of a net: its answers as a surface or a curve, its weights and descent.

Level lines: where they run, and that they have no gaps.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from explorer.core.graph import Cell
from explorer.core.numbers import alone, written
from explorer.document.commands import PinCells, SetArray, SetCells, SetInputs, SetSwitch
from explorer.document.document import Document
from explorer.lessons.document_lesson import new_lesson
from explorer.pages.controls import Switches
from explorer.pages.drawing import HERE, TEXT, Curve, Dot, Image, Segments, Words
from explorer.pages.page import DescentPart
from explorer.pages.stages.net_answers import Net, level_lines, net_picture
from explorer.pages.view import View

ANSWERS = "answers"


@pytest.fixture
def xor(desk):
    return desk("xor", "printed")


@pytest.fixture
def sin(desk):
    return desk("sin")


def border(page):
    (found,) = [mark for mark in page.marks(ANSWERS, Segments) if mark.ink == HERE]
    return found.ends


def hidden(page):
    """The lines of the hidden units, and their feet."""
    found = [mark for mark in page.marks(ANSWERS, Segments) if mark.ink == TEXT]
    return [mark.ends[0] for mark in found if mark.dashed], [mark.ends[0] for mark in found if not mark.dashed]


def test_a_case_is_named_by_the_numbers_that_it_has_now(xor, sin):
    xor.do(SetCells("input.X", {(0, 0): 0.5, (1, 1): -1.0}))
    assert xor.page("input").the("input.X").rows == ("0.5, 0", "0, −1", "1, 0", "1, 1")
    assert xor.page("layer.1").the("layer.1.activation").rows[0] == "0.5, 0"
    rows = sin.page("input").the("input.X").rows
    assert rows == sin.view.engine.labels("input"), "written with one decimal, they are the same numbers"


def test_a_word_that_looks_like_the_numbers_of_a_case_keeps_its_name():
    lesson = new_lesson("gpt", ["7,8 a"], d_model=2, heads=1)
    assert View.of(Document(lesson.state())).labels("input") == ("7,8", "a")


def test_everything_stands_beside_each_other(xor):
    page = xor.page("input")
    assert {"input.X", "loss.target", "layer.1.W", "layer.1.b", "layer.2.W", "layer.2.b"} <= set(page.names)
    assert [part.part for part in page.all(DescentPart)] == ["steps"]
    assert [bar.block for bar in page.all(Switches)] == ["layer.1", "layer.2"]
    assert all(bar.several == 1 for bar in page.all(Switches))
    assert "colour" in page.page.header.sentence


def test_another_activation(xor):
    before = xor.page("input")
    xor.do(SetSwitch("layer.1", "activation", "ReLU"))
    page = xor.page("input")
    assert page.the("switches of layer.1").values == (("activation", "ReLU"),)
    assert page.the(ANSWERS) != before.the(ANSWERS)


def test_without_a_loss_there_is_no_descent(xor):
    xor.do(SetSwitch("loss", "loss", "none"))
    page = xor.page("input")
    assert not page.all(DescentPart)
    assert "There are no right answers to compare with" in page.notes
    assert all(dot.share is None and not dot.wrong and not dot.inside for dot in page.marks(ANSWERS, Dot))


class TestSurface:
    def test_it_shows_the_answers_of_the_graph(self, xor):
        page, net = xor.page("input"), Net(xor.view)
        (image,) = page.marks(ANSWERS, Image)
        left, right, bottom, top = page.drawing(ANSWERS).window
        x = np.linspace(left, right, image.array.shape[1])
        for row, y in ((0, bottom), (-1, top)):
            points = np.stack([x, np.full_like(x, y)], -1)
            np.testing.assert_allclose(image.array[row], net.over(points, "layer.2.activation")[:, 0])
        # The middle of the first square lies in the corner of the window.
        assert image.place[0] + image.place[2] / 120 == pytest.approx(left)
        answers = xor.value("layer.2.activation")[:, 0]
        assert [dot.below for dot in page.marks(ANSWERS, Dot)] == [written(answer, 2) for answer in answers.tolist()]
        np.testing.assert_allclose(net.over(net.cases, "layer.2.activation")[:, 0], answers)

    def test_for_a_class_it_takes_all_of_a_wide_place(self, xor):
        """Its axes were empty at the sides: as much across as down stood in the middle of them."""
        assert xor.page("input").the(ANSWERS).drawing.square
        xor.look(large=True)
        assert not xor.page("input").the(ANSWERS).drawing.square

    def test_asking_the_net_changes_nothing(self, xor):
        before = dict(xor.document.engine.values)
        Net(xor.view).over(np.zeros((5, 2)), "layer.2.activation")
        assert dict(xor.document.engine.values) == before

    def test_the_border_and_the_lines_of_the_hidden_units(self, xor):
        """The reference's units: 20 x_1 + 20 x_2 = 10 and = 30; the border is hardly beside them."""
        page, net = xor.page("input"), Net(xor.view)
        lines, feet = hidden(page)
        for line, at in zip(lines, (0.5, 1.5), strict=True):
            np.testing.assert_allclose(line.sum(-1), at)
        assert [mark.text for mark in page.marks(ANSWERS, Words)] == ["h₁", "h₂"]
        sums = border(page).sum(-1)
        assert np.minimum(np.abs(sums - 0.5), np.abs(sums - 1.5)).max() < 0.03
        for unit, (line, foot) in enumerate(zip(lines, feet, strict=True)):
            np.testing.assert_allclose(foot[0], line.mean(0))
            assert net.over(foot[1:], "layer.1.hidden")[0, unit] > 0, "the foot stands where the sum is above 0"

    def test_an_edited_weight_moves_its_line_and_the_colours(self, xor):
        before = xor.page("input")
        xor.do(SetCells("layer.1.b", {(0,): -14.0}))
        page = xor.page("input")
        np.testing.assert_allclose(hidden(page)[0][0].sum(-1), 0.7)
        assert page.marks(ANSWERS, Image) != before.marks(ANSWERS, Image)
        xor.document.undo()
        assert xor.page("input").the(ANSWERS) == before.the(ANSWERS)

    def test_cases_on_the_wrong_side_are_counted_and_marked(self, xor):
        assert "<b>4 of 4</b> cases are on the right side of 0.5" in xor.page("input").notes
        xor.do(SetCells("loss.target", {(0, 0): 1.0}))
        page = xor.page("input")
        assert [dot.wrong for dot in page.marks(ANSWERS, Dot)] == [True, False, False, False]
        assert [dot.inside for dot in page.marks(ANSWERS, Dot)] == ["1", "1", "1", "0"]
        assert [dot.share for dot in page.marks(ANSWERS, Dot)] == [1, 1, 1, 0]
        assert "3 of 4" in page.notes
        assert "3 of 4" in page.drawing(ANSWERS).summary
        xor.do(SetCells("layer.2.b", {(0,): np.nan}))
        assert "0 of 4" in xor.page("input").notes

    def test_the_threshold_of_the_model_is_the_border(self, desk):
        relu = desk("xor", "printed-relu")
        page = relu.page("input")
        np.testing.assert_allclose(np.abs(border(page)[..., 0] - border(page)[..., 1]), 1.0, atol=1e-9)
        assert not any(dot.wrong for dot in page.marks(ANSWERS, Dot))
        relu.do(SetSwitch("decision", "threshold", 0.25))
        page = relu.page("input")
        np.testing.assert_allclose(np.abs(border(page)[..., 0] - border(page)[..., 1]), 0.75, atol=1e-9)
        assert "Thick line: the answer is 0.25." in page.notes

    def test_where_all_answers_are_alike_there_is_no_border(self, desk):
        page = desk("xor-linear", "best").page("input")
        assert not len(border(page))
        assert hidden(page) == ([], [])
        assert "Nothing here bends" in page.notes
        assert "It is 0.5 everywhere." in page.drawing(ANSWERS).summary
        assert "The answer is 0.5 everywhere here." in page.notes
        assert "Thick line" not in page.notes

    def test_where_all_answers_are_too_small_there_is_no_border(self, desk):
        best = desk("xor-linear", "best")
        best.do(SetCells("layer.1.b", {(0,): 0.25}))
        page = best.page("input")
        assert not len(border(page))
        assert "nowhere here" in page.drawing(ANSWERS).summary
        assert "The answer is nowhere 0.5 here." in page.notes

    def test_a_case_stands_for_its_answer_and_can_be_dragged(self, xor):
        before = xor.document.state
        dot = xor.page("input").marks(ANSWERS, Dot)[2]
        assert dot.cell == Cell("layer.2.activation", (2, 0))
        assert dot.also == (Cell("input.X", (2,)), Cell("loss.target", (2,)))
        stroke = object()
        for place in ((0.9, 0.1), (0.5, 0.504)):
            xor.do(dot.drag.at(place).command(stroke))
        assert xor.value("input.X")[2].tolist() == [0.5, 0.5]
        xor.document.undo()
        assert xor.document.state is before

    def test_anywhere_else_the_net_is_asked(self, xor):
        probe = xor.page("input").drawing(ANSWERS).probe
        assert probe.invitation == "Point anywhere to ask the net."
        assert probe.said(0.6, 0.6) == "At x₁ = 0.60, x₂ = 0.60 it answers 1.000"

    @pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e300, 1e-300])
    @pytest.mark.parametrize("node", ["input.X", "layer.1.W", "layer.2.b", "loss.target"])
    def test_it_stands_whatever_is_typed(self, xor, node, number):
        array = xor.document.state.inputs[node].copy()
        array.flat[0] = number
        xor.do(SetArray(node, array))
        page = xor.page("input")
        assert np.isfinite(page.drawing(ANSWERS).window).all()
        assert np.isfinite(page.marks(ANSWERS, Image)[0].array).all()

    def test_a_pinned_cell_belongs_to_its_case(self, xor):
        before = xor.page("input").marks(ANSWERS, Image)
        xor.do(PinCells("layer.1.activation", {(0, 0): 1.0}))
        page = xor.page("input")
        assert page.marks(ANSWERS, Image) == before
        assert page.marks(ANSWERS, Dot)[0].wrong

    def test_the_scale_goes_from_the_least_target_to_the_largest(self, xor):
        xor.do(SetArray("loss.target", np.array([[-1.0], [3.0], [3.0], [-1.0]])))
        page = xor.page("input")
        (image,) = page.marks("scale of answers", Image)
        assert (image.low, image.high) == (-1, 3)
        assert "Colours from −1 to 3; the threshold is 1" in page.drawing("scale of answers").summary
        assert [one.text for one in page.marks("scale of answers", Words)] == ["−1", "1", "3"]
        xor.do(SetSwitch("decision", "threshold", 5))
        said = [one.text for one in xor.page("input").marks("scale of answers", Words)]
        assert said == ["−1", "3"], "5 and 3 stood over each other"


class TestFit:
    def test_the_curve_is_what_the_net_answers_between_its_examples(self, sin):
        page, net = sin.page("input"), Net(sin.view)
        curve = page.marks(ANSWERS, Curve)[0]
        np.testing.assert_allclose(curve.y, net.over(curve.x[:, None], net.output)[:, 0])
        x, target = sin.value("input.X")[:, 0], sin.value("loss.target")[:, 0]
        assert [(dot.x, dot.y) for dot in page.marks(ANSWERS, Dot)] == list(zip(x, target, strict=True))
        assert "curve" in page.page.header.sentence

    def test_of_examples_above_each_other_there_is_no_best_line(self, sin):
        sin.do(SetSwitch("regression", "on", True), SetArray("input.X", np.full_like(sin.value("input.X"), 2.0)))
        notes = sin.page("input").notes
        assert "There is no best line: all examples have the same x." in notes
        assert "NaN" not in notes

    def test_the_line_of_the_regression_and_its_loss(self, sin):
        sin.do(SetSwitch("regression", "on", True))
        page = sin.page("input")
        net, line = page.marks(ANSWERS, Curve)
        assert (net.name, line.name, line.dashed) == ("net", "line", True)
        W, b = (float(sin.value(f"regression.{name}").item()) for name in "Wb")
        np.testing.assert_allclose(line.y, W * line.x + b)
        loss = alone(float(sin.value("regression.loss")))
        assert f"loss <b>{loss}</b>; it is known without training" in page.notes
        assert f"loss <b>{alone(float(sin.value('loss.value')))}</b>" in page.notes
        assert {"regression.W", "regression.b"} <= set(sin.page("regression").names)

    def test_a_line_that_learns_beside_it_has_a_curve_and_a_loss(self, sin, desk):
        sin.do(SetSwitch("regression", "on", True))
        line = desk("sin", "linear").document.engine
        found = net_picture(sin.view, line)
        note, picture = found.elements
        curves = [mark for mark in picture.drawing.marks if isinstance(mark, Curve)]
        assert [(curve.name, curve.dashed) for curve in curves] == [("net", False), ("best", True), ("line", False)]
        ends = line.values["layer.1.activation"][[0, -1], 0]
        np.testing.assert_array_equal(curves[-1].y, ends)
        assert f"trained in the same steps: loss <b>{alone(float(line.values['loss.value']))}</b>" in note.text

    def test_an_example_is_dragged_up_and_down_only(self, sin):
        x = sin.value("input.X").copy()
        dot = sin.page("input").marks(ANSWERS, Dot)[3]
        assert dot.cell == Cell("layer.3.activation", (3, 0))
        sin.do(dot.drag.at((5.0, 0.75)).command(object()))
        assert sin.value("loss.target")[3, 0] == 0.75
        np.testing.assert_array_equal(sin.value("input.X"), x)

    def test_a_net_that_cannot_bend_says_so(self, desk):
        assert "Nothing here bends" in desk("sin", "linear").page("input").notes

    def test_the_activation_of_the_answer_bends_the_curve(self, desk):
        sin = desk("sin", "linear")
        sin.do(SetSwitch("layer.3", "activation", "sigmoid"))
        assert "Nothing here bends" not in sin.page("input").notes

    @pytest.mark.parametrize("number", [np.nan, np.inf, 1e300])
    def test_it_stands_whatever_is_typed(self, sin, number):
        sin.do(SetInputs({"input.X": np.full(sin.value("input.X").shape, number)}, "Set all"))
        assert np.isfinite(sin.page("input").drawing(ANSWERS).window).all()


X, Y = np.linspace(-1, 1, 9), np.linspace(0, 3, 7)


def test_of_a_plane_it_is_the_straight_line():
    surface = 2 * X + Y[:, None]
    pieces = level_lines(surface, X, Y, 1.5)
    assert len(pieces)
    np.testing.assert_allclose(2 * pieces[..., 0] + pieces[..., 1], 1.5, atol=1e-12)


def test_of_one_square_it_is_exact():
    ends = level_lines(np.array([[-1.0, 3.0], [-1.0, 3.0]]), np.array([0.0, 1.0]), np.array([0.0, 2.0]), 0.0)
    np.testing.assert_allclose(sorted(ends[0].tolist()), [[0.25, 0.0], [0.25, 2.0]])


def test_around_a_hill_it_is_closed():
    surface = -(X**2) - (Y[:, None] - 1.5) ** 2
    ends = Counter(tuple(np.round(end, 9)) for piece in level_lines(surface, X, Y, -0.7) for end in piece)
    assert set(ends.values()) == {2}


@pytest.mark.parametrize("surface", [np.zeros((7, 9)), np.full((7, 9), np.nan), np.full((7, 9), np.inf)])
def test_where_nothing_crosses_there_is_no_line(surface):
    assert level_lines(surface, X, Y, 0.5).shape == (0, 2, 2)


@given(hnp.arrays(float, (7, 9), elements=st.floats(allow_nan=True, allow_infinity=True)), st.floats(-10, 10))
def test_whatever_the_numbers_the_pieces_lie_on_the_map(surface, level):
    pieces = level_lines(surface, X, Y, level)
    assert np.isfinite(pieces).all()
    assert ((pieces >= [X[0] - 1e-9, Y[0] - 1e-9]) & (pieces <= [X[-1] + 1e-9, Y[-1] + 1e-9])).all()


def test_a_valley_of_single_points_has_no_rings_if_they_are_not_wanted():
    """In a valley that runs aslant each point of the grid had a ring, which looked like a sign."""
    aslant = np.where(np.eye(12, dtype=bool), 0.0, 1.0)
    x = np.arange(12.0)
    assert len(level_lines(aslant, x, x, 0.5)) > 20
    assert not len(level_lines(aslant, x, x, 0.5, thin=False))
    broad = np.hypot(*np.meshgrid(x - 5.5, x - 5.5))
    assert len(level_lines(broad, x, x, 3.0, thin=False)) == len(level_lines(broad, x, x, 3.0))


def test_the_curve_of_a_net_is_seen_where_it_is_off_the_examples(desk):
    sin = desk("sin").page("input").drawing("answers")
    (net,) = [mark for mark in sin.marks if isinstance(mark, Curve) and mark.name == "net"]
    _, _, low, high = sin.window
    assert low <= net.y.min()
    assert net.y.max() <= high
