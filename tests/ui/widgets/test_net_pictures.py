"""The decision surface and the fitted curve: they show what the net answers, and follow every edit."""

import numpy as np
import pytest
from explorer.ui.widgets.decision_surface import DecisionSurface
from explorer.ui.widgets.fit_curves import FitCurves
from explorer.ui.widgets.net_picture import net_picture
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QLabel

from explorer.document.commands import PinCells, SetArray, SetCells, SetInputs, SetSwitch
from explorer.ui.selection import Cell


@pytest.fixture
def xor(open_window):
    return open_window("xor")


@pytest.fixture
def surface(xor, eye):
    return eye.plot(xor, DecisionSurface)


@pytest.fixture
def sin(open_window):
    return open_window("sin")


@pytest.fixture
def fit(sin, eye):
    return eye.plot(sin, FitCurves)


def document(plot):
    return plot.bench.document


def pixel(plot, x, y):
    """Where a point of the plane is in the plot's viewport."""
    return plot.mapFromScene(plot.getViewBox().mapViewToScene(QPointF(x, y)))


def said(plot):
    return " ".join(label.text() for label in plot.parentWidget().findChildren(QLabel))


class TestSurface:
    def test_it_shows_the_answers_of_the_graph(self, surface):
        x = np.linspace(surface.window.left(), surface.window.right(), surface._image.image.shape[1])
        row = surface.net.over(np.stack([x, np.full_like(x, surface.window.top())], -1), "layer.2.activation")
        np.testing.assert_allclose(surface._image.image[0], row[:, 0])
        answers = document(surface).engine.values["layer.2.activation"][:, 0]
        assert [case[3] for case in surface.cases] == answers.tolist()
        np.testing.assert_allclose(surface.net.over(surface.net.cases(), "layer.2.activation")[:, 0], answers)

    def test_asking_the_net_changes_nothing(self, surface):
        before = dict(document(surface).engine.values)
        surface.net.over(np.zeros((5, 2)), "layer.2.activation")
        assert dict(document(surface).engine.values) == before

    def test_the_border_and_the_lines_of_the_hidden_units(self, surface):
        """The reference's units: 20 x_1 + 20 x_2 = 10 and = 30; the border is hardly beside them."""
        sums = {name: ends.sum(-1) for name, ends, _ in surface.lines}
        np.testing.assert_allclose(sums["h_1"], 0.5)
        np.testing.assert_allclose(sums["h_2"], 1.5)
        border = surface.border.sum(-1)
        assert np.minimum(np.abs(border - 0.5), np.abs(border - 1.5)).max() < 0.03
        for name, ends, side in surface.lines:
            inside = document(surface).engine.graph.axes["layer.1"].index(name)
            beyond = surface.net.over(ends.mean(0)[None] + 0.01 * side[None], "layer.1.hidden")[0, inside]
            assert beyond > 0, "the foot stands where the sum is above 0"

    def test_an_edited_weight_moves_its_line_and_the_colours(self, surface, xor, eye):
        image = surface._image.image.copy()
        document(surface).do(SetCells("layer.1.b", {(0,): -14.0}))
        eye.settle(xor)
        np.testing.assert_allclose(surface.lines[0][1].sum(-1), 0.7)
        assert not np.array_equal(surface._image.image, image)
        document(surface).undo()
        eye.settle(xor)
        np.testing.assert_array_equal(surface._image.image, image)

    def test_cases_on_the_wrong_side_are_counted_and_marked(self, surface, xor, eye):
        assert "<b>4 of 4</b> cases are on the right side of 0.5" in said(surface)
        document(surface).do(SetCells("loss.target", {(0, 0): 1.0}))
        eye.settle(xor)
        assert [case[4] for case in surface.cases] == [False, True, True, True]
        assert "3 of 4" in said(surface)
        assert "3 of 4" in surface.accessibleName()

    def test_the_threshold_of_the_model_is_the_border(self, surface, xor, eye):
        xor.bench.open(xor.bench.lesson, "printed-relu")
        eye.settle(xor)
        plot = eye.plot(xor, DecisionSurface)
        np.testing.assert_allclose(np.abs(plot.border[..., 0] - plot.border[..., 1]), 1.0, atol=1e-9)
        assert all(case[4] for case in plot.cases)
        document(plot).do(SetSwitch("decision", "threshold", 0.25))
        eye.settle(xor)
        plot = eye.plot(xor, DecisionSurface)
        np.testing.assert_allclose(np.abs(plot.border[..., 0] - plot.border[..., 1]), 0.75, atol=1e-9)

    def test_where_all_answers_are_alike_there_is_no_border(self, open_window, eye):
        window = open_window("xor-linear")
        window.bench.open(window.bench.lesson, "best")
        eye.settle(window)
        plot = eye.plot(window, DecisionSurface)
        assert not len(plot.border)
        assert not plot.lines
        assert "Nothing here bends" in said(plot)

    def test_pointing_at_a_case_is_pointing_at_its_answer(self, surface, hand):
        hand.hover(surface.viewport(), pixel(surface, 1, 0))
        assert surface.bench.selection.cell == Cell("layer.2.activation", (2, 0))

    def test_anywhere_else_the_net_is_asked(self, surface, hand):
        hand.hover(surface.viewport(), pixel(surface, 0.6, 0.6))
        assert "At x_1 = 0.6" in said(surface)
        assert "it answers 1.000" in said(surface)

    def test_dragging_a_case_edits_it_in_one_step(self, surface, hand, xor, eye):
        before = document(surface).state
        window = surface.window
        start, end = pixel(surface, 0, 0), pixel(surface, 0.5, 0.5)
        hand.press(surface.viewport(), start)
        for part in (2, 1):
            hand.move((end.x() - start.x()) // part, (start.y() - end.y()) // part)
        assert surface.window == window, "the frame stays while a case is held"
        hand.release(end.x() - start.x(), start.y() - end.y())
        eye.settle(xor)
        np.testing.assert_allclose(document(surface).engine.values["input.X"][0], [0.5, 0.5], atol=0.02)
        assert surface.cases[0][4] is False
        document(surface).undo()
        assert document(surface).state is before

    @pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e300, 1e-300])
    @pytest.mark.parametrize("node", ["input.X", "layer.1.W", "layer.2.b", "loss.target"])
    def test_it_stands_whatever_is_typed(self, surface, xor, eye, node, number):
        array = document(surface).state.inputs[node].copy()
        array.flat[0] = number
        document(surface).do(SetArray(node, array))
        eye.settle(xor)
        assert not xor.grab().isNull()

    def test_a_pinned_cell_belongs_to_its_case(self, surface, xor, eye):
        image = surface._image.image.copy()
        document(surface).do(PinCells("layer.1.activation", {(0, 0): 1.0}))
        eye.settle(xor)
        np.testing.assert_array_equal(surface._image.image, image)
        assert surface.cases[0][4] is False


class TestFit:
    def test_it_shows_the_net_and_the_line(self, fit):
        net, line = fit.drawing.curves
        np.testing.assert_allclose(net.y, fit.net.over(net.x[:, None], "layer.3.activation")[:, 0])
        values = document(fit).engine.values
        np.testing.assert_array_equal(line.y, values["regression.output"][[0, 99], 0])
        assert (net.name, line.name) == ("net", "line")
        assert len(fit.drawing.dots) == 100
        assert "0.4605" in said(fit)
        assert "y = 0.0212 · x:" in said(fit)

    def test_it_follows_training_steps(self, fit, sin, eye, qtbot):
        before = fit.drawing.curves[0].y
        sin.bench.descent.take(20)
        qtbot.waitUntil(lambda: not sin.bench.descent.going)
        eye.settle(sin)
        now = fit.drawing.curves[0]
        assert not np.array_equal(now.y, before)
        np.testing.assert_array_equal(now.y, fit.net.over(now.x[:, None], "layer.3.activation")[:, 0])

    def test_without_the_regression_the_net_stands_alone(self, fit, sin, eye):
        document(fit).do(SetSwitch("regression", "on", False))
        eye.settle(sin)
        assert len(eye.plot(sin, FitCurves).drawing.curves) == 1

    def test_dragging_an_example_moves_the_line(self, fit, hand, sin, eye):
        x, y = fit.places()[99]
        slope = float(document(fit).engine.values["regression.W"][0, 0])
        start = pixel(fit, x, y)
        hand.press(fit.viewport(), start)
        hand.move(0, 40)
        hand.release(0, 40)
        eye.settle(sin)
        assert document(fit).engine.values["loss.target"][99, 0] > y + 0.2
        assert document(fit).engine.values["regression.W"][0, 0] > slope

    def test_pointing_at_an_example_is_pointing_at_its_answer(self, fit, hand):
        hand.hover(fit.viewport(), pixel(fit, *fit.places()[10]))
        assert fit.bench.selection.cell == Cell("layer.3.activation", (10, 0))
        assert [dot.here for dot in fit.drawing.dots].index(True) == 10

    @pytest.mark.parametrize("number", [np.nan, np.inf, 1e300])
    @pytest.mark.parametrize("node", ["input.X", "layer.1.W", "loss.target"])
    def test_it_stands_whatever_is_typed(self, fit, sin, eye, node, number):
        array = document(fit).state.inputs[node].copy()
        array.flat[0] = number
        document(fit).do(SetArray(node, array))
        eye.settle(sin)
        assert not sin.grab().isNull()

    def test_all_examples_at_one_place(self, fit, sin, eye):
        same = {"input.X": np.ones((100, 1)), "loss.target": np.zeros((100, 1))}
        document(fit).do(SetInputs(same, "Set"))
        eye.settle(sin)
        assert not sin.grab().isNull()


def test_only_nets_over_one_or_two_inputs_have_a_picture(open_window):
    window = open_window("softmax")
    assert net_picture(window.bench) is None


def test_far_off_the_window(surface, hand):
    """A corner of the plot is no case."""
    hand.press(surface.viewport(), QPoint(3, 3))
    hand.release()
    assert not surface.held
