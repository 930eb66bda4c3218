"""Curves of training."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QTextDocumentFragment
from PySide6.QtWidgets import QWidget

from explorer.pages.page import Trace, Traces
from explorer.ui.drawing.curves import MOST_POINTS, SHAPES, CurvesView, _thinned
from explorer.ui.render import WRITERS, Rendering


@pytest.fixture
def curve(bench, qtbot):
    curve = CurvesView(bench, Traces("curves", ()))
    qtbot.addWidget(curve)
    return curve


def show(curve, lines=None, here=None, until=0.0, log=False):
    traces = curve._traces if lines is None else Traces("curves", tuple(lines), here=here, until=until)
    curve.tell(replace(traces, log=log))


def drawn(curve):
    return {item.name(): np.column_stack(item.getData()) for item in curve._items}


def test_several_lines_each_over_its_own_steps(curve):
    train, validation = np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.5])
    show(curve, [Trace("train", train), Trace("validation", validation, np.array([0, 2]))])
    found = drawn(curve)
    assert found["train"].tolist() == [[0, 3], [1, 2], [2, 1]]
    assert found["validation"].tolist() == [[0, 3], [2, 1.5]]
    assert "validation" in curve.names.text()
    said = "Curves of loss: train from 3 to 1 after 2 steps; validation from 3 to 1.5 after 2 steps"
    assert curve.accessibleName() == said
    show(curve, [Trace("train", np.array([3.0]))])
    assert list(drawn(curve)) == ["train"]
    assert curve.names.isHidden()


def test_several_lines_are_told_apart_without_their_colours(curve):
    names = [f"block {k}" for k in range(4)]
    show(curve, [Trace(name, np.full(80, 1.0 + k)) for k, name in enumerate(names)], until=100)
    spots = curve._shapes.points()
    shapes = {float(y): {spot.symbol() for spot in spots if spot.pos().y() == y} for y in range(1, 5)}
    assert all(len(each) == 1 for each in shapes.values())
    assert len(set().union(*shapes.values())) == 4
    assert len({spot.pos().x() for spot in spots}) == len(spots)  # none lies on another where lines run together
    written = QTextDocumentFragment.fromHtml(curve.names.text()).toPlainText().split()
    assert [SHAPES[shape] for (shape,) in shapes.values()] == written[::3]
    before = {(spot.pos().x(), spot.pos().y()) for spot in spots}
    show(curve, [Trace(name, np.full(90, 1.0 + k)) for k, name in enumerate(names)], until=100)
    assert before <= {(spot.pos().x(), spot.pos().y()) for spot in curve._shapes.points()}  # a run goes on; they stay
    show(curve, [Trace("train", np.arange(1.0, 80.0))])
    assert not len(curve._shapes.points())


def test_in_an_svg_each_shape_stands_by_itself(curve):
    show(curve, [Trace("train", np.array([3.0, 2.0, 1.0])), Trace("validation", np.array([3.0, 1.5, 1.0]))], (2.0, 1.0))
    page = QWidget()
    curve.setParent(page)
    curve.setCacheMode(CurvesView.CacheModeFlag.CacheNone)
    for widget in (page, curve):
        widget.resize(400, 240)
    page.grab()
    svg = WRITERS[".svg"](Rendering(page, 1.0, page.size(), QColor("white"), "", ""))
    curve.setParent(None)  # or it would go with the page
    assert b"<image" not in svg  # nor a picture with all of them in each place


def test_an_empty_picture_says_so(curve):
    assert not curve.nothing.isHidden()
    assert curve.nothing.text() == "No steps yet: each is drawn here."
    show(curve, [Trace("train", np.array([3.0, 2.0]))])
    assert curve.nothing.isHidden()


def test_names_take_as_many_lines_as_they_need(curve):
    curve.setFixedSize(430, 240)
    curve.resize(430, 240)
    show(curve, [Trace(f"encoder.{k}.self", np.array([1.0, 2.0])) for k in range(8)])
    curve.grab()  # lays it out
    assert curve.names.width() == 430
    assert 2 * curve.names.fontMetrics().lineSpacing() <= curve.names.height() < curve.getViewBox().y() + 1
    assert len({item.opts["pen"].color().name() for item in curve._items}) == 8


def test_the_highest_number_is_not_cut(curve, monkeypatch):
    curve.resize(430, 200)
    side, written = curve.side("left"), []
    monkeypatch.setattr(side, "_write", lambda painter, rect, at, word: written.append((at, painter.fontMetrics())))
    show(curve, [Trace("train", np.array([0.08, 0.0]))])
    curve.grab()
    assert written
    for at, metrics in written:
        assert curve.mapFromScene(side.mapToScene(0, at - metrics.height() / 2)).y() >= 0


def test_a_log_scale(curve):
    show(curve, [Trace("loss", np.array([100.0, 1.0, 0.0, 0.01]))], here=(1, 1.0))
    show(curve, log=True)
    assert drawn(curve)["loss"][:, 1].tolist() == pytest.approx([2, 0, np.nan, -2], nan_ok=True)
    show(curve, log=False)
    assert drawn(curve)["loss"][:, 1].tolist() == [100, 1, 0, 0.01]


@pytest.mark.parametrize("log", [False, True])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
@given(losses=st.lists(st.floats(), max_size=6), here=st.none() | st.tuples(st.floats(0, 5), st.floats()))
def test_whatever_is_measured_can_be_drawn(curve, log, losses, here):
    show(curve, [Trace("loss", np.array(losses))], here, log=log)
    assert not curve.grab().isNull()


def test_the_axes_stay_while_a_run_goes_a_step_on(curve):
    show(curve, [Trace("loss", np.linspace(3, 1, 103))])
    box = curve.extent
    show(curve, [Trace("loss", np.linspace(3, 1, 104))])
    assert curve.extent is box
    assert box.right() >= 101


def test_it_reaches_as_far_as_is_meant_to(curve):
    show(curve, [Trace("loss", np.array([2.0, 1.0]), np.array([1, 2]))], until=60)
    assert curve.extent.right() == 60


@given(st.integers(1, 20_000), st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_of_a_long_curve_no_peak_is_lost(n, seed):
    y = np.random.default_rng(seed).normal(size=n)
    x, thin = _thinned(np.arange(n), y)
    assert len(thin) <= max(n if n <= MOST_POINTS else 0, 2 * MOST_POINTS)
    assert {y.min(), y.max(), y[0], y[-1]} <= set(thin)
    np.testing.assert_array_equal(y[x], thin)


def test_the_line_of_a_goal_goes_with_the_goal(curve):
    curve.tell(Traces("curves", (Trace("loss", np.array([2.0, 1.0])),), goal=0.5))
    assert len(curve._goal.getData()[0]) == 2
    show(curve, [Trace("loss", np.array([2.0, 1.0]))])
    assert curve._goal.getData()[0] is None or not len(curve._goal.getData()[0])
