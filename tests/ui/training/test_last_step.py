"""Matrices show what the last step of gradient descent changed."""

import numpy as np
import pytest

from explorer.document.commands import SetCells, SetSwitch
from explorer.lessons.loader import load

pytestmark = pytest.mark.usefixtures("kept")
LOGITS = "output.logits"


@pytest.fixture(scope="module")
def kept_lesson():
    return "cat-sat-on-the"


@pytest.fixture
def window(anew):
    return anew("output")


def button(window, text):
    (found,) = [b for b in window.top_bar.showing.group.buttons() if b.text() in (text, text.replace("last ", ""))]
    return found


def shown(window, eye):
    return eye.views(window)[LOGITS].matrix.array[0]


def test_it_is_offered_as_long_as_there_is_a_run(window, hand, eye):
    assert not button(window, "Δ last step").isEnabled()
    window.bench.descent.take(1)
    window.bench.bridge.flush()
    hand.click(button(window, "Δ last step"))
    assert window.bench.selection.showing == "step"
    window.bench.document.do(SetSwitch("loss", "L_1", True))  # the same weights: the same run
    window.bench.bridge.flush()
    assert button(window, "Δ last step").isEnabled()
    window.bench.open(load("xor"))
    window.bench.bridge.flush()
    assert not button(window, "Δ last step").isEnabled()
    assert window.bench.selection.showing == "values"


def test_a_matrix_shows_the_last_step_alone_and_the_whole_run(window, qtbot, eye):
    descent, document, selection = window.bench.descent, window.bench.document, window.bench.selection
    states = [document.state.inputs[LOGITS][0]]
    for _ in range(3):
        descent.take(1)
        states.append(document.state.inputs[LOGITS][0])
    window.bench.bridge.flush()
    selection.show("step")
    np.testing.assert_array_equal(shown(window, eye), states[3] - states[2])
    selection.show("change")
    np.testing.assert_array_equal(shown(window, eye), states[3] - states[0])
    selection.show("step")
    descent.travel(2)
    qtbot.waitUntil(lambda: not descent.going)
    window.bench.bridge.flush()
    np.testing.assert_array_equal(shown(window, eye), states[2] - states[1])
    document.do(SetCells(LOGITS, {(0, 0): 3.0}))  # an edit is no step
    window.bench.bridge.flush()
    np.testing.assert_array_equal(shown(window, eye), states[2] - states[1])


def test_small_changes_have_digits(window, eye):
    window.bench.descent.set_rate(1e-3)
    window.bench.descent.take(1)
    window.bench.bridge.flush()
    window.bench.selection.show("step")
    assert eye.texts(eye.views(window)[LOGITS])[0] == ["+300", "−100", "−100", "−100"]


def test_a_page_that_is_made_while_gradients_are_shown_shows_them(window, eye):
    window.bench.selection.show("gradient")
    eye.look_at(window, "loss")
    gradient = window.bench.document.engine.gradients().of("output.probabilities")
    view = eye.views(window)["output.probabilities"]
    np.testing.assert_array_equal(view.matrix.array, gradient)
    assert not window.grab().isNull()


def test_a_step_of_the_training_tab_is_one_too(anew, eye, hand):
    window = anew(lesson="xor")
    window.bench.open(window.bench.lesson, "random")
    eye.look_at(window, "layer.1")
    assert not button(window, "Δ last step").isEnabled()
    window.show_tab("Train")
    eye.settle(window)
    states = [window.bench.document.state.inputs["layer.1.W"]]
    for _ in range(3):
        hand.click(window.tabs.training.control("one"))
        states.append(window.bench.document.state.inputs["layer.1.W"])
    window.show_tab("Pipeline")
    eye.settle(window)
    hand.click(button(window, "Δ last step"))
    np.testing.assert_array_equal(eye.views(window)["layer.1.W"].matrix.array, states[3] - states[2])
    window.tabs.training.control("over").click()
    eye.settle(window)
    assert not button(window, "Δ last step").isEnabled()
