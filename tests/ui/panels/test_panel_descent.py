"""Gradient descent by hand."""

import pytest
from PySide6.QtWidgets import QPushButton

from explorer.document.commands import SetSwitch


@pytest.fixture
def panel(open_window, eye):
    window = open_window("cat-sat-on-the")
    window.bench.open(window.bench.lesson, "script")
    return eye.go_to(window, "model.descent")


def button(panel, text):
    return next(b for b in panel.findChildren(QPushButton) if b.text() == text)


def loss(panel):
    return float(panel.bench.document.engine.values["loss.value"])


def test_steps_go_down_and_one_undo_goes_back(panel, hand, qtbot):
    before = loss(panel)
    hand.click(button(panel, "10 steps"))
    after = loss(panel)
    assert after < before
    assert "after 10 steps" in panel._loss.text()
    panel.bench.document.undo()
    assert loss(panel) == before


def test_the_slider_goes_back(panel, hand):
    hand.click(button(panel, "10 steps"))
    losses = [moment.loss for moment in panel._run.moments]
    panel._slider.setValue(4)
    assert loss(panel) == losses[4]
    hand.click(button(panel, "One step"))
    assert loss(panel) == losses[5]
    assert panel._slider.maximum() == 5


def test_play_goes_on_until_paused(panel, hand, qtbot):
    hand.click(button(panel, "Play"))
    qtbot.waitUntil(lambda: panel._run is not None and panel._run.at > 20)
    hand.click(button(panel, "Pause"))
    at = panel._run.at
    qtbot.waitUntil(lambda: not panel._play.isActive())
    assert panel._run.at == at


def test_leaving_the_page_pauses(panel, hand, eye, qtbot):
    hand.click(button(panel, "Play"))
    panel.bench.selection.go_to("loss")
    qtbot.waitUntil(lambda: not panel._play.isActive())


def test_a_rate_that_is_none_is_said(panel, hand, said):
    hand.click(panel._rate)
    hand.enter("fast")
    hand.click(button(panel, "One step"))
    assert "not a number" in said()
    assert panel._run is None


def test_a_frozen_weight_stays(panel, hand):
    (box,) = [box for name, box in panel._moves.items() if name == "output.logits"]
    box.setChecked(False)
    before = loss(panel)
    hand.click(button(panel, "One step"))
    assert loss(panel) == before


def test_without_a_loss_it_says_so(panel, eye, qtbot):
    panel.bench.document.do(SetSwitch("loss", "loss", "none"))
    qtbot.waitUntil(lambda: panel._play is None)
    panel.bench.selection.go_to("model.switches")
    panel.bench.document.do(SetSwitch("loss", "loss", "cross-entropy"))
    panel.bench.selection.go_to("model.descent")
    qtbot.waitUntil(lambda: panel._play is not None)
