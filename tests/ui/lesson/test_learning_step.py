"""A step of a lesson that lets a model learn: how fast it plays, the loss beside what is asked, and where it stops."""

from math import inf

import pytest

from explorer.lessons.loader import load
from explorer.ui.drawing.view import DrawingView
from explorer.ui.training.parts import RunCurve, Stepper

pytestmark = pytest.mark.usefixtures("kept")
STEPS = [("xor", "watch", "loss.value"), ("cat-sat-on-the", "walk-down", "output.probabilities")]


@pytest.fixture(scope="module")
def kept_lesson():
    return "xor"


@pytest.fixture
def learning(anew):
    """A function that opens the window at a step, and finds the controls of gradient descent there."""

    def open_it(lesson, step):
        window = anew(
            step=[one.id for one in load(lesson).steps].index(step), lesson=None if lesson == "xor" else lesson
        )
        (stepper,) = window.page().findChildren(Stepper)
        return window, stepper

    return open_it


@pytest.fixture
def clock(monkeypatch):
    """The time that runs are paced by, which stands until it is set."""
    now = [100.0]
    monkeypatch.setattr("explorer.ui.training.descent.perf_counter", lambda: now[0])
    return now


def test_play_begins_at_ten_steps_a_second(learning, hand, clock, qtbot):
    window, stepper = learning("xor", "watch")
    descent = window.bench.descent
    assert stepper.widgets["pace"].text() == "10 steps a second"
    hand.click(stepper.widgets["play"])
    for at in (1, 2, 3):
        qtbot.waitUntil(lambda at=at: descent.at == at)
        qtbot.wait(5)
        assert descent.at == at, "the next one is not due yet"
        clock[0] += 0.1 + 1e-9
    clock[0] += 0.4
    qtbot.waitUntil(lambda: descent.at == 8)
    descent.stop()


def test_it_can_be_slower_and_faster_and_the_next_step_begins_at_ten_again(learning, hand, eye):
    window, stepper = learning("xor", "watch")
    descent = window.bench.descent
    hand.click(stepper.widgets["slower"])
    assert (descent.pace, stepper.widgets["pace"].text()) == (3.0, "3 steps a second")
    hand.click(stepper.widgets["slower"])
    assert stepper.widgets["pace"].text() == "1 step a second"
    assert not stepper.widgets["slower"].isEnabled()
    while stepper.widgets["faster"].isEnabled():
        hand.click(stepper.widgets["faster"])
    assert (descent.pace, stepper.widgets["pace"].text()) == (inf, "as fast as it goes")
    window.lessons.guide.next()
    assert descent.pace == 10.0


@pytest.mark.parametrize(("lesson", "step", "node"), STEPS)
def test_it_stops_with_the_first_step_that_reaches_the_goal(learning, hand, qtbot, lesson, step, node):
    window, stepper = learning(lesson, step)
    descent, guide = window.bench.descent, window.lessons.guide
    (condition,) = guide.question.conditions
    assert condition.node == node
    descent.set_pace(inf)
    hand.click(stepper.widgets["play"])
    qtbot.waitUntil(lambda: not descent.going)
    qtbot.waitUntil(lambda: guide.question is None)  # it is answered
    assert stepper.widgets["play"].text() == "Play"

    def number():
        return float(window.bench.document.engine.values[node][condition.cell])

    above = condition.sign == ">"
    assert (number() > condition.number) == above
    last = descent.at
    assert last < 500
    descent.travel(last - 1)
    qtbot.waitUntil(lambda: not descent.going)
    assert (number() > condition.number) != above, "one step before it was not reached"


def test_who_plays_on_after_the_goal_is_not_stopped_again(learning, hand, qtbot):
    window, stepper = learning("xor", "watch")
    descent = window.bench.descent
    descent.set_pace(inf)
    hand.click(stepper.widgets["play"])
    qtbot.waitUntil(lambda: not descent.going)
    last = descent.at
    hand.click(stepper.widgets["play"])
    qtbot.waitUntil(lambda: descent.at > last + 5)
    assert descent.going
    descent.stop()


def test_the_loss_on_the_way_stands_beside_what_is_asked(learning, hand, eye):
    window, stepper = learning("xor", "watch")
    (curve,) = window.lessons.panel.findChildren(RunCurve)
    assert curve.isVisible()
    assert not curve.visibleRegion().isEmpty()
    assert curve.accessibleName().endswith("wanted: 0.01")
    assert curve.extent.top() <= 0.01 <= curve.extent.bottom()
    hand.click(stepper.widgets["one"])
    hand.click(stepper.widgets["one"])
    eye.settle(window)
    assert "after 2 steps" in curve.accessibleName()


def test_a_step_that_is_not_about_learning_shows_no_loss(anew):
    window = anew(step=[one.id for one in load("emma").steps].index("make"), lesson="emma")
    assert not window.lessons.panel.findChildren(RunCurve)


def test_in_a_small_window_play_the_plane_and_the_loss_are_in_sight_together(learning, eye):
    window, stepper = learning("xor", "watch")
    window.resize(1024, 640)
    eye.settle(window)
    (plane,) = [
        one
        for one in window.page().findChildren(DrawingView)
        if one.accessibleName().startswith("Answers in the plane")
    ]
    for widget in (plane, stepper.widgets["play"], stepper.widgets["faster"], stepper.widgets["loss"]):
        assert widget.visibleRegion().boundingRect() == widget.rect()
    (curve,) = window.lessons.panel.findChildren(RunCurve)
    assert curve.visibleRegion().boundingRect().height() > 0.8 * curve.height()
