"""The playground of a net: picture, descent and weights beside each other."""

import numpy as np
import pytest
from explorer.ui.widgets.decision_surface import DecisionSurface
from PySide6.QtWidgets import QPushButton

from explorer.document.commands import SetSwitch
from explorer.ui.matrix.view import MatrixView
from explorer.ui.widgets.stepper import Stepper


@pytest.fixture
def window(open_window):
    window = open_window("xor")
    window.bench.open(window.bench.lesson, "random")
    window.bench.bridge.flush()
    return window


def test_it_opens_there(open_window, eye):
    window = open_window("xor")
    assert window.page().stage.name == "input"
    assert {"input.X", "loss.target", "layer.1.W", "layer.1.b", "layer.2.W", "layer.2.b"} <= {
        view.matrix.name for view in window.page().findChildren(MatrixView)
    }


def test_the_surface_is_painted_anew_while_descent_plays(window, eye, hand, qtbot):
    eye.settle(window)
    plot = eye.plot(window, DecisionSurface)
    images = [plot._image.image.copy()]
    (stepper,) = [stepper for stepper in window.page().findChildren(Stepper) if stepper.isVisible()]
    hand.click(stepper.play)

    def moved():
        now = plot._image.image
        if not np.array_equal(now, images[-1]):
            images.append(now.copy())
        return len(images) > 5

    qtbot.waitUntil(moved)
    hand.click(stepper.play)
    qtbot.waitUntil(lambda: not window.bench.descent.going)
    eye.settle(window)
    answers = window.bench.document.engine.values["layer.2.activation"][:, 0].tolist()
    assert [case[3] for case in plot.cases] == answers


def test_descent_begins_as_the_example_has_it(window, open_window):
    assert (window.bench.descent.kind, window.bench.descent.rate) == ("Adam", 0.1)
    window.bench.open(next(lesson for lesson in [window.bench.lesson]), "zeros")
    window.bench.descent.set_rate(0.5)
    window.bench.open(window.bench.lesson, "random")
    assert window.bench.descent.rate == 0.5, "another setting of the same example leaves it as it was set"


def test_another_activation_makes_the_page_anew(window, eye):
    eye.settle(window)
    before = window.page().page
    window.bench.document.do(SetSwitch("layer.1", "activation", "ReLU"))
    eye.settle(window)
    assert window.page().page is not before
    assert eye.plot(window, DecisionSurface).isVisible()


@pytest.mark.parametrize("loss", ["none", "cross-entropy"])
def test_without_targets_it_still_shows_the_answers(window, eye, loss):
    window.bench.document.do(SetSwitch("loss", "loss", loss))
    eye.settle(window)
    plot = eye.plot(window, DecisionSurface)
    assert plot.levels == (0.0, 1.0)
    assert [case[2] for case in plot.cases] == [None] * 4
    assert not window.grab().isNull()


def test_every_control_can_be_named(window, eye):
    eye.settle(window)
    for button in window.page().findChildren(QPushButton):
        assert button.text() or button.accessibleName()
