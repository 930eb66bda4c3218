"""The training tab by hand: settings, a run, its pictures, and what stops it."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtWidgets import QFileDialog, QPushButton, QScrollArea
from training_tab import ask, click_weight, field, learn_from, plot, said, says, ticks_of, words_of

from explorer.core.engine import same_bytes
from explorer.core.training.recipe import FIRST
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.document.storage import save
from explorer.lessons.document_lesson import new_lesson, opened
from explorer.lessons.loader import load
from explorer.pages.drawing import Words
from explorer.pages.training.pictures import weight_map
from explorer.pages.training.settings import OWN, learned_from
from explorer.ui.drawing.view import DrawingView
from explorer.ui.errors import Message
from explorer.ui.training import descent

pytestmark = pytest.mark.usefixtures("kept", "page_rests")
Key = Qt.Key


@pytest.fixture(scope="module")
def kept_lesson():
    return "xor"


@pytest.fixture
def gpt(train):
    return train(new_lesson("gpt", ["the sun is up"], d_model=8, heads=2, initialiser="xavier"))


def run(qtbot, tab, hand):
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: not tab.descent.going)


def weights(window):
    return {name: window.bench.document.state.inputs[name] for name in window.bench.descent.run.trainer.moving}


def test_a_run_ends_at_its_last_step_is_undone_in_one_and_gives_the_same_bits_again(train, hand, qtbot):
    window, tab = train()
    ask(tab, "initialiser", "uniform")
    before = window.bench.document.state
    run(qtbot, tab, hand)
    first = weights(window)
    assert tab.descent.run.at == 30
    assert said(tab).startswith("Step 30 of 30 · loss ")
    assert "problem" not in tab.foot.widgets
    assert all(same_bytes(array, tab.descent.run.trainer.weights[name]) for name, array in first.items())
    window.bench.document.undo()
    assert window.bench.document.state is before
    run(qtbot, tab, hand)
    assert all(same_bytes(array, first[name]) for name, array in weights(window).items())


def test_steps_by_hand_and_pictures_of_them(train, hand, eye):
    window, tab = train()
    window.bench.open(window.bench.lesson, "random")
    eye.settle(window)
    for _ in range(3):
        hand.click(tab.control("one"))
    eye.settle(window)
    assert tab.descent.run.at == 3
    assert "3" in plot(tab, "loss curves").accessibleName() or "2 steps" in plot(tab, "loss curves").accessibleName()
    assert all(block in plot(tab, "length curves").accessibleName() for block in ("Layer 1", "Layer 2"))
    assert tab.pictures.widgets["watched"].control.currentText() in plot(tab, "weight map").accessibleName()
    said = window.bench.document.engine.values["layer.2.activation"][0, 0]
    assert f"{said:.3f}".replace("-", "−")[:4] in says(tab) or "e" in says(tab)


def test_before_the_first_step_the_pictures_show_the_start(train, hand, eye):
    window, tab = train("xor")
    for setting in ("textbook", "random", "zeros", "nothing"):
        window.bench.open(window.bench.lesson, setting)
        eye.settle(window)
        assert_start(window, tab, setting)
        hand.click(tab.control("one"))
        eye.settle(window)
        assert "after 1 steps" in plot(tab, "loss curves").accessibleName()


def assert_start(window, tab, setting):
    values = window.bench.document.engine.values
    loss = float(values["loss.value"])
    assert (
        plot(tab, "loss curves").accessibleName()
        == f"Curves of loss: training from {loss:.4g} to {loss:.4g} after 0 steps"
    )
    assert not plot(tab, "loss curves").nothing.isVisible()
    assert plot(tab, "loss curves")._dot.pos() == QPointF(0, loss)
    still = setting in ("textbook", "zeros")
    assert plot(tab, "length curves").nothing.isVisible() == still
    if still:
        assert plot(tab, "length curves").nothing.text() == "All are 0."
    else:
        assert len(plot(tab, "length curves")._shapes.points()) == 2, "a block each"
    written = [one.text for one in weight_map(window.bench.view, "layer.1.W").marks if isinstance(one, Words)]
    assert written[0] == f"{values['layer.1.W'][0, 0]:.2f}".replace("-", "−"), (
        "colours alone say nothing where all are alike"
    )


def test_where_a_text_is_learned_from_the_loss_of_the_sentence_is_no_start_and_another_model_has_its_own(gpt, eye):
    window, tab = gpt
    assert not plot(tab, "loss curves").nothing.isVisible()
    learn_from(tab, 1)
    eye.settle(window)
    assert plot(tab, "loss curves").nothing.isVisible()
    window.bench.open(load("xor"))
    window.bench.selection.keep("anything", 1)  # it is looked at before the news of it come
    assert tab.plan.source == OWN
    eye.settle(window)
    assert "activation layer.1" in tab.settings.widgets


def test_a_weight_without_its_mark_is_frozen_and_zeros_keep_the_hidden_units_alike(train, hand, qtbot):
    window, tab = train()
    before = window.bench.document.state.inputs["layer.1.W"]
    click_weight(hand, tab.settings, "W in Layer 1")
    run(qtbot, tab, hand)
    assert window.bench.document.state.inputs["layer.1.W"] is before
    assert "layer.1.W" not in tab.descent.run.trainer.moving
    window.bench.document.undo()
    click_weight(hand, tab.settings, "W in Layer 1")
    ask(tab, "initialiser", "zeros")
    run(qtbot, tab, hand)
    W = window.bench.document.state.inputs["layer.1.W"]  # W x: a row is a hidden unit
    assert W is not before
    assert same_bytes(W[0], W[1])
    assert "The 2 units of Layer 1 are alike" in words_of(tab.foot, "note")
    assert "is exactly 0: nothing moves there" in words_of(tab.foot, "note")


def test_an_edit_in_mid_run_goes_on_and_undo_stops_it_although_the_next_slice_comes_before_the_news(train, hand, qtbot):
    window, tab = train(steps=1_000_000)
    document, bridge = window.bench.document, window.bench.bridge
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.descent.at > 2)
    document.do(SetCells("layer.2.b", {(0,): 5.0}))
    at = tab.descent.run.at
    qtbot.waitUntil(lambda: tab.descent.run.at > at)
    assert tab.descent.going
    document.undo()
    undone = document.state
    qtbot.waitUntil(lambda: not tab.descent.going)
    assert document.state is undone

    def undo_while_a_slice_is_due():
        bridge.changed.disconnect(undo_while_a_slice_is_due)
        document.undo()
        bridge.blockSignals(True)

    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.descent.at > 2)
    bridge.changed.connect(undo_while_a_slice_is_due)
    qtbot.waitUntil(lambda: not tab.descent.going)
    assert document.history.redo_label is not None
    bridge.blockSignals(False)


def test_settings_may_change_in_mid_run(train, hand, qtbot, eye):
    window, tab = train(steps=1_000_000)
    before = window.bench.document.state
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.descent.at > 2)
    field(tab, "rate").setFocus()
    field(tab, "rate").selectAll()
    hand.type("0.5")
    assert tab.descent.run.trainer.recipe.rate == 0.1  # it is still being typed
    hand.key(Key.Key_Return)
    qtbot.waitUntil(lambda: tab.progress.records.rates[-1] == 0.5)
    assert tab.descent.going
    click_weight(hand, tab.settings, "b in Layer 1")
    click_weight(hand, tab.settings, "W in Layer 1")
    qtbot.waitUntil(lambda: np.isnan(tab.progress.records.blocks["layer.1"][-1]))
    hand.click(tab.control("train"))
    history = tab.progress.records
    assert history.rates[0] == 0.1
    assert history.at == tab.descent.run.at
    assert all(len(column) == history.at for column in history.blocks.values())
    window.bench.document.undo()
    assert window.bench.document.state is before


def test_who_presses_train_at_the_end_goes_on_for_as_many_steps(train, hand, qtbot, eye):
    window, tab = train()
    ask(tab, "initialiser", "xavier")
    run(qtbot, tab, hand)
    losses, stood = tab.progress.records.losses.tolist(), weights(window)
    hand.click(tab.control("one"))
    assert said(tab).startswith("Step 31 of 60")
    W = window.bench.document.state.inputs["layer.1.W"]
    assert np.abs(W - stood["layer.1.W"]).max() < 0.5  # it is not drawn anew
    run(qtbot, tab, hand)
    assert tab.progress.records.losses[:30].tolist() == losses
    assert tab.progress.records.at == 60


def test_starting_over_takes_the_run_back_with_all_edits_of_weights(train, hand, qtbot, eye):
    window, tab = train("sin")
    document = window.bench.document
    before = document.state
    assert not tab.control("over").isEnabled()
    hand.click(tab.control("one"))
    document.do(SetCells("layer.3.b", {(0,): 5.0}))
    hand.click(tab.control("one"))
    hand.click(tab.control("over"))
    eye.settle(window)
    assert all(same_bytes(document.state.inputs[name], array) for name, array in before.inputs.items())
    assert said(tab).startswith("No step yet")
    assert not tab.control("over").isEnabled()


def test_what_is_learned_may_change_in_mid_run(train, hand, qtbot, eye):
    window, tab = train("sin", steps=1_000_000)
    document = window.bench.document
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.descent.at > 2)
    document.do(SetCells("loss.target", {(0, 0): 9.0}))
    qtbot.waitUntil(lambda: tab.descent.run.trainer.data.arrays["loss.target"][0, 0] == 9.0)
    document.do(SetSwitch("layer.1", "activation", "sigmoid"))
    qtbot.waitUntil(lambda: tab.descent.run.trainer.model.switch("layer.1", "activation") == "sigmoid")
    at = tab.descent.run.at
    qtbot.waitUntil(lambda: tab.descent.run.at > at)
    assert tab.descent.going
    assert tab.problem == ""
    hand.click(tab.control("train"))
    assert tab.progress.records.at == tab.descent.run.at  # one curve


def test_what_is_being_typed_counts_for_a_click_on_a_button_or_is_said_to_be_wrong(train, hand, eye):
    """The number of before was trained with, though the box showed another one."""
    window, tab = train("xor")
    before = window.bench.document.state

    def typed(name, text):
        field(tab, name).setFocus()
        field(tab, name).selectAll()
        hand.type(text)

    typed("rate", "-3")
    field(tab, "batch").setFocus()
    assert "'Learning rate' is -3" in tab.problem, "it is said when the field is left, and not only at Train"
    assert "problem" in tab.foot.widgets
    typed("rate", "0.25")
    field(tab, "batch").setFocus()
    assert tab.problem == ""
    typed("rate", "abc")
    hand.click(tab.control("train"))
    eye.settle(window)
    assert not tab.descent.going
    assert "problem" in tab.foot.widgets
    assert "not a number" in tab.problem
    assert window.bench.document.state is before
    for name, number in (("rate", 0.5), ("seed", 7)):
        typed(name, str(number))
        hand.click(tab.control("one"))
        assert getattr(tab.descent.run.settings.recipe, name) == number
    at = tab.descent.at
    field(tab, "seed").setValue(5)  # another start is another run
    assert tab.descent.run is None
    assert said(tab).startswith(f"Trained in {at} step")


def test_another_example_is_another_run_as_it_begins_there(train, hand, qtbot, eye):
    window, tab = train("xor")
    run(qtbot, tab, hand)
    window.bench.open(load("sin"))
    eye.settle(window)
    assert tab.descent.run is None
    assert tab.plan.recipe.optimiser == "Adam"
    assert (tab.plan.recipe.rate, tab.plan.recipe.steps, tab.plan.recipe.batch) == (0.001, 4000, 32)
    hand.click(tab.control("one"))
    assert tab.problem == ""
    assert said(tab).startswith("Step 1 of 4,000 · epoch 1 · loss of its batch ")
    window.bench.open(load("sin"), "linear")
    eye.settle(window)
    assert said(tab).startswith("No step yet")
    hand.click(tab.control("one"))
    window.bench.open(load("sin"), "linear")  # the same one anew
    eye.settle(window)
    assert said(tab).startswith("No step yet")


def test_what_the_net_answers_where_one_points_is_in_sight_below_its_plane(train, qtbot, eye):
    window, tab = train("xor")
    window.bench.open(load("xor"), "textbook")  # the words below are higher in its column than in the room beside
    window.resize(1280, 720)

    eye.settle(window)

    def is_whole():
        """Its place is as high as the picture, at whose lower end the words stand."""
        planes = [one for one in tab.findChildren(DrawingView) if one.drawing.probe is not None and one.isVisible()]
        return [one.parentWidget().height() >= one.height() > 100 for one in planes] == [True]

    qtbot.waitUntil(is_whole)


def test_a_run_can_be_slow_enough_to_watch_and_gives_way_to_gradient_descent_by_hand(train, hand, qtbot, eye):
    window, tab = train("xor")
    tab.descent.set_least(1e6)
    hand.click(tab.control("train"))
    eye.settle(window)
    assert tab.descent.going
    assert tab.descent.run.at == 1
    tab.control("pace").control.setFocus()
    hand.type("f")  # full speed
    hand.key(Key.Key_Return)
    qtbot.waitUntil(lambda: not tab.descent.going)
    assert tab.descent.run.at == 30
    field(tab, "steps").setValue(1_000_000)
    hand.click(tab.control("train"))
    qtbot.waitUntil(lambda: tab.descent.at > 32)
    window.bench.descent.take(3)
    qtbot.waitUntil(lambda: not tab.descent.going)


def test_the_activation_may_change_in_mid_run(train, hand, eye):
    window, tab = train("xor")
    assert [name for name in tab.settings.widgets if "activation " in name] == [f"activation layer.{k}" for k in (1, 2)]
    hand.click(tab.control("one"))
    box = field(tab, "activation layer.1")
    box.setFocus()
    hand.type("R")  # ReLU
    hand.key(Key.Key_Return)
    eye.settle(window)
    assert window.bench.document.state.model.switch("layer.1", "activation") == "ReLU"
    hand.click(tab.control("one"))
    assert tab.descent.run.at == 2
    assert tab.descent.run.trainer.model.switch("layer.1", "activation") == "ReLU"
    window.bench.open(load("you-are-welcome"))
    eye.settle(window)
    assert not any("activation " in name for name in tab.settings.widgets)


def net_picture(tab):
    """What the picture of the net says of itself."""
    return tab.pictures.widgets["answers"].picture.accessibleName()


def net_note(tab):
    """What stands above it."""
    return tab.pictures.widgets["losses"].text()


def test_a_line_learns_beside_the_net(train, hand, qtbot, eye):
    window, tab = train("sin", steps=40)
    assert tab.descent.line is None
    run(qtbot, tab, hand)
    assert tab.descent.line.run.at == 40
    assert "line" in plot(tab, "loss curves").accessibleName()
    assert "trained line " in net_picture(tab)
    assert "The line, trained in the same steps" in net_note(tab)
    hand.click(tab.control("over"))
    eye.settle(window)
    assert "trained line" not in net_picture(tab)


def test_cells_held_for_single_cases_have_no_place_in_a_batch(train, hand, eye):
    window, tab = train("sin")
    window.bench.document.do(PinCells("layer.1.activation", {(0, 0): 3.0}))
    hand.click(tab.control("one"))
    assert "layer.1.activation is held" in tab.problem
    field(tab, "batch").setValue(0)
    hand.click(tab.control("one"))
    assert tab.problem == ""
    assert tab.descent.run.at == 1


def test_a_run_that_diverges_stops_with_a_word(train, hand, qtbot, eye):
    window, tab = train(steps=100_000)
    ask(tab, "optimiser", "SGD")
    ask(tab, "type rate", "1000")
    for k in (1, 2):
        window.bench.document.do(SetCells(f"layer.{k}.b", {(0,): 1.0}))
    for k in (1, 2):
        window.bench.document.do(SetSwitch(f"layer.{k}", "activation", "identity"))
    eye.settle(window)
    run(qtbot, tab, hand)
    assert "problem" in tab.foot.widgets
    assert all(np.isfinite(array).all() for array in weights(window).values())


def test_a_text_is_learned_and_its_words_are_taken_in(gpt, hand, qtbot, eye):
    window, tab = gpt
    learn_from(tab, 1)
    field(tab, "window").setValue(4)
    share = field(tab, "validation")
    share.selectAll()
    qtbot.keyClicks(share, "0.2")
    run(qtbot, tab, hand)
    assert tab.problem == ""
    assert "moon" in window.bench.document.state.model.axes["input.words"]
    history = tab.descent.run.records
    assert np.mean(history.losses[-5:]) < np.mean(history.losses[:5])
    assert "validation" in said(tab)
    assert "validation" in plot(tab, "loss curves").accessibleName()


def test_words_to_try_are_given_to_the_model_and_give_way_to_what_it_is_given_elsewhere(gpt, hand, eye):
    window, tab = gpt
    document, line = window.bench.document, lambda: tab.pictures.widgets["tried"].edit
    line().setFocus()
    line().selectAll()
    hand.type("the sun")
    hand.key(Key.Key_Return)
    eye.settle(window)
    assert document.engine.labels("input") == ("the", "sun")
    assert "sun" in says(tab)
    line().setFocus()
    line().selectAll()
    hand.type("sun is")
    window.show_tab("Pipeline")
    eye.settle(window)
    window.show_tab("Train")
    eye.settle(window)
    assert line().text() == "sun is"
    document.do(SetTokens("input", ("sun", "is", "up")))
    eye.settle(window)
    assert line().text() == "sun is up"
    window.bench.open(load("you-are-welcome"))
    eye.settle(window)
    assert line().text() == " ".join(document.engine.labels("source"))


def test_a_model_without_a_loss_says_so_and_offers_nothing(train, eye):
    window, tab = train("translation-lookup")
    assert "no loss" in said(tab)
    parts = tab.control("train"), tab.control("one"), tab.pictures
    assert [part.isEnabled() and part.isVisible() for part in parts] == [False] * 3
    window.bench.open(load("xor"))
    eye.settle(window)
    assert [part.isEnabled() and part.isVisible() for part in parts] == [True] * 3


def test_in_another_look_the_keys_stay_and_pictures_follow_out_of_sight_too(train, eye, appearance):
    """In the turn that dresses the window it took 75 ms of 170: so a turn of its own makes all anew."""
    window, tab = train()
    field(tab, "rate").setFocus()
    before = tab.settings
    appearance.set_scale(1.5)
    assert tab.settings is before
    assert not tab.updatesEnabled(), "the screen keeps its picture until then"
    eye.settle(window)
    assert tab.settings is not before
    assert tab.updatesEnabled()
    assert window.focusWidget() is field(tab, "rate")
    window.show_tab("Pipeline")
    eye.settle(window)
    appearance.set_mode("dark")
    eye.settle(window)
    window.show_tab("Train")
    eye.settle(window)
    curve = plot(tab, "loss curves")
    assert curve.height() == pytest.approx(min(curve.width() / 2, appearance.px(220)), abs=2)
    for picture in (plot(tab, "loss curves"), plot(tab, "weight map")):
        assert picture.grab().toImage().pixelColor(1, 1).name() == appearance.theme.page
    eye.by_name(tab.controls, "Train", QPushButton).setFocus()  # the heading has the same name
    appearance.set_scale(1.0)
    eye.settle(window)
    assert window.focusWidget() is eye.by_name(tab.controls, "Train", QPushButton)


def test_settings_and_pictures_stay_where_they_are_read_in_another_look(train, eye, appearance):
    window, tab = train("you-are-welcome")
    appearance.set_scale(1.5)
    window.resize(1280, 620)
    eye.settle(window)
    bars = [area.verticalScrollBar() for area in (tab._area, tab._page)]
    for bar in bars:
        assert bar.maximum() > 50
        bar.setValue(bar.maximum() // 2)
    window.bench.bridge.acted.emit(QEvent(QEvent.Type.Wheel))
    for act in (lambda: appearance.set_mode("dark"), lambda: appearance.set_scale(2.0)):
        act()
        eye.settle(window)
        assert [bar.value() / bar.maximum() for bar in bars] == pytest.approx([0.5, 0.5], abs=0.02)


def test_where_it_is_narrow_pictures_stand_below_each_other_and_settings_wait_until_they_are_asked_for(
    train, eye, appearance
):
    window, tab = train()

    def wide(width, height):
        window.resize(width, height)
        eye.settle(window)
        return plot(tab, "loss curves").width()

    assert tab._area.isVisible()
    with pytest.raises(KeyError):
        tab.control("fold")
    usual, narrow = wide(1440, 900), wide(1280, 720)
    assert narrow < usual
    assert plot(tab, "length curves").width() == narrow
    assert tab._page.horizontalScrollBar().maximum() == 0
    assert wide(900, 720) > narrow, "one in a line has all of it"
    appearance.set_scale(2.0)
    wide(1280, 720)
    assert not tab._area.isVisible()
    assert learned_from(tab.plan, window.bench.view) in unescape(words_of(tab.foot, "note"))
    assert tab._page.horizontalScrollBar().maximum() == 0
    tab.control("fold").click()
    assert tab._area.isVisible()
    tab.control("fold").click()
    wide(1900, 900)
    assert tab._area.isVisible()
    appearance.set_scale(3.0)
    assert wide(900, 560) > 100, "Qt warns of a negative one"


def test_in_the_smallest_window_beside_a_step_letters_of_300_percent_do_not_scroll_sideways(
    open_window, eye, appearance
):
    """The margins took a fifth of the width."""
    appearance.set_scale(3.0)
    window = open_window("you-are-welcome", size=(1024, 640))
    window.lessons.begin_steps()
    window.show_tab("Train")
    eye.settle(window)
    for area in window.tabs.training.findChildren(QScrollArea):
        assert area.horizontalScrollBar().maximum() == 0


def test_of_many_weights_each_block_is_a_line_that_opens(train, hand, eye):
    _window, tab = train("you-are-welcome")
    block, frozen = "Encoder 1: Self-attention", lambda: tab.descent.frozen
    names = [name for name in tab.descent.weights() if name.startswith("encoder.1.self.")]
    assert "W_Q" not in ticks_of(tab.settings)
    click_weight(hand, tab.settings, block, column=1)
    assert {"W_Q", "W_K"} < ticks_of(tab.settings).keys()
    click_weight(hand, tab.settings, "W_Q")
    assert frozen() == ("encoder.1.self.W_Q",)
    assert 0 < ticks_of(tab.settings)[block] < 1
    click_weight(hand, tab.settings, block)
    assert frozen() == ()
    click_weight(hand, tab.settings, block)
    assert set(frozen()) == set(names)
    table = tab.settings.widgets["weights"]
    table.setFocus()
    table.setCurrentIndex(table.table.index(list(ticks_of(tab.settings)).index(block), 0))
    hand.key(Key.Key_Space)
    assert frozen() == ()
    hand.key(Key.Key_Right)
    hand.key(Key.Key_Return)
    assert "W_Q" not in ticks_of(tab.settings)
    assert table.currentIndex().row() == list(ticks_of(tab.settings)).index(block)


def test_a_translator_says_a_whole_sentence_by_itself_and_words_that_are_tried_have_no_right_one(train, hand, eye):
    window, tab = train("you-are-welcome")
    window.bench.open(window.bench.lesson, "printed")
    eye.settle(window)
    assert "→" not in says(tab)  # as printed there is no mask: each place sees the answer
    window.bench.open(window.bench.lesson, "textbook")
    eye.settle(window)
    said = re.search(r"You are welcome → <b[^>]*>(.*?)</b>", says(tab))[1].split()
    engine, words = window.bench.document.engine, window.bench.document.engine.labels("target")
    window.bench.document.do(SetTokens("target", [words[0], *said][:3]))
    chosen = [engine.labels("output.words")[i] for i in engine.values["output.probabilities"].argmax(1)]
    assert [word for word in chosen[: len(said)] if word != "<end>"] == said
    window.bench.open(window.bench.lesson, "textbook")
    eye.settle(window)
    assert "it says next" in says(tab)
    tab.pictures.widgets["tried"].edit.setFocus()
    tab.pictures.widgets["tried"].edit.selectAll()
    hand.type("welcome you")
    hand.key(Key.Key_Return)
    eye.settle(window)
    assert "welcome you → " in says(tab)
    assert "it says next" not in says(tab)
    window.bench.document.undo()
    eye.settle(window)
    assert "it says next" in says(tab)


def test_a_run_can_begin_with_another_setting(train, eye):
    window, _tab = train("xor-linear")
    (sigmoid,) = [b for b in window.top_bar.findChildren(QPushButton) if b.text() == "With a sigmoid"]
    assert sigmoid.isVisible()
    sigmoid.click()
    eye.settle(window)
    assert window.bench.document.state.setting == "sigmoid"


def test_a_full_disk_is_spoken_of(gpt, hand, eye, monkeypatch):
    _window, tab = gpt
    monkeypatch.setattr(descent, "LARGE_STEP", 0)  # only a process needs files
    learn_from(tab, 1)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    hand.click(tab.control("train"))
    assert "No space left on device" in tab.problem
    assert not tab.descent.going
    assert tab.descent.run.at == 0


def test_a_trained_document_shows_how_it_was_trained(train, hand, qtbot, eye, tmp_path):
    window, tab = train("xor")
    run(qtbot, tab, hand)
    losses = tab.progress.records.losses.tolist()
    save(window.bench.document.state, "A net", tmp_path / "xor.explorer")
    window.bench.open(load("sin"))
    eye.settle(window)
    assert tab.progress.records is None
    window.bench.open_state(*opened(tmp_path / "xor.explorer"))
    eye.settle(window)
    assert tab.progress.records.losses.tolist() == losses
    assert said(tab).startswith("Trained in 30 steps · loss ")
    assert "29 steps" in plot(tab, "loss curves").accessibleName()  # the loss before the last one
    hand.click(tab.control("one"))
    assert said(tab).startswith("Step 31 of ")
    hand.click(tab.control("over"))
    assert tab.progress.records.losses.tolist() == losses


def test_nothing_moves_when_it_is_said_why_it_does_not_learn_and_the_switch_takes_it_back(gpt, hand, qtbot, eye):
    window, tab = gpt
    tab.plan.begin(replace(FIRST, rate=300.0, optimiser="SGD", warm_up=0, steps=12))
    before = window.bench.document.state.inputs
    hand.click(tab.control("one"))
    eye.settle(window)
    assert "help" not in tab.foot.widgets
    parts = (tab.controls, tab.pictures, plot(tab, "loss curves"), plot(tab, "length curves"), tab.settings)
    places = [(part.mapTo(window, QPoint()), part.size()) for part in parts]
    run(qtbot, tab, hand)
    eye.settle(window)
    assert "help" in tab.foot.widgets
    assert "risen" in words_of(tab.foot, "note")
    assert places == [(part.mapTo(window, QPoint()), part.size()) for part in parts]
    descent, going = tab.descent, []
    descent.changed.connect(lambda: going.append(descent.going))  # twelve steps may be over before the click is
    hand.click(tab.foot.widgets["help"])
    assert field(tab, "rate").text() == "0.1"
    qtbot.waitUntil(lambda: not tab.descent.going)
    assert True in going, "it trains, too"
    first = tab.descent.run.first.inputs
    assert all(same_bytes(array, first[name]) for name, array in before.items())


def test_a_switch_that_helps_is_set_in_all_blocks_that_have_it_and_the_run_begins(gpt, hand, qtbot, eye):
    window, tab = gpt
    document = window.bench.document
    for block in ("self", "ffn"):
        document.do(SetSwitch(f"decoder.1.{block}", "residual", False, True))
    document.do(SetCells("decoder.1.self.W_O", dict.fromkeys(np.ndindex(8, 8), 0.0)))
    tab.plan.begin(replace(FIRST, rate=1e-6, batch=0, steps=2))
    run(qtbot, tab, hand)
    eye.settle(window)
    assert words_of(tab.foot, "help") == "Switch all residuals on"
    went, began = [], document.state.inputs["decoder.1.ffn.W_1"]
    tab.descent.changed.connect(lambda: went.append(tab.descent.going))
    hand.click(tab.foot.widgets["help"])
    qtbot.waitUntil(lambda: True in went and not tab.descent.going)
    assert [document.state.model.switch(f"decoder.1.{block}", "residual") for block in ("self", "ffn")] == [True, True]
    assert not same_bytes(document.state.inputs["decoder.1.ffn.W_1"], began), "now something moves there"


def test_a_text_is_opened_from_a_file_or_refused_and_what_was_there_stays(gpt, hand, tmp_path, monkeypatch, qtbot):
    window, tab = gpt
    learn_from(tab, 1)
    file = tmp_path / "rhymes.txt"
    file.write_text("the sun is up\nthe moon is up\n")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    hand.click(tab.settings.widgets["open"])
    assert tab.plan.text == "the sun is up\nthe moon is up\n"
    file.write_bytes(b"\xff\xfe\x00")
    hand.click(tab.settings.widgets["open"])
    qtbot.waitUntil(lambda: any("rhymes.txt" in one.text() for one in window.findChildren(Message) if one.isVisible()))
    assert tab.plan.text == "the sun is up\nthe moon is up\n"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    hand.click(tab.settings.widgets["open"])
    assert tab.plan.text == "the sun is up\nthe moon is up\n", "nothing was chosen"


def test_learning_from_nothing_is_offered_where_nothing_is_to_learn_and_it_succeeds(train, hand, qtbot, eye):
    window, tab = train("xor")
    assert "already solve the task" in words_of(tab.foot, "note")
    window.bench.open(load("xor"), "random")
    eye.settle(window)
    assert words_of(tab.foot, "note") == "", "these weights are not right yet"
    window.bench.document.undo()
    eye.settle(window)
    assert words_of(tab.foot, "help") == "Learn from nothing"
    hand.click(tab.foot.widgets["help"])
    assert tab.descent.going
    state = window.bench.document.state
    assert (state.setting, state.graph.shape("layer.1.W")) == ("nothing", (2, 8))
    assert (field(tab, "rate").text(), field(tab, "steps").value()) == ("0.05", 500)
    qtbot.waitUntil(lambda: not tab.descent.going)
    assert tab.descent.run.records.losses[-1] < 0.01
    assert words_of(tab.foot, "help") == ""


def test_another_start_starts(train, hand, qtbot, eye, monkeypatch):
    """It had only filled in the seed."""
    window, tab = train("xor", steps=300)
    tab.plan.begin(replace(tab.plan.recipe, initialiser="xavier", seed=0))
    before = window.bench.document.state.inputs
    monkeypatch.setattr(type(tab), "_learns", "")  # as in a lesson that has no such setting
    run(qtbot, tab, hand)
    eye.settle(window)
    assert words_of(tab.foot, "help") == "Another start: seed 1"
    stuck = tab.descent.run
    hand.click(tab.foot.widgets["help"])
    assert field(tab, "seed").value() == 1
    assert tab.descent.going
    qtbot.waitUntil(lambda: not tab.descent.going)
    assert tab.descent.run is not stuck
    assert tab.descent.run.at == 300
    first = tab.descent.run.first.inputs
    assert all(same_bytes(array, first[name]) for name, array in before.items()), "the run before is taken back"


def test_a_start_that_fails_names_the_dead_unit_and_leads_to_one_that_learns(train, hand, qtbot, eye):
    window, tab = train("xor")
    window.bench.open(window.bench.lesson, "dead")
    eye.settle(window)
    field(tab, "steps").setValue(500)
    run(qtbot, tab, hand)
    eye.settle(window)
    assert "1 of 2 units of layer 1 is 0 for every case, so nothing moves it" in words_of(tab.foot, "note")
    assert words_of(tab.foot, "help") == "Learn from nothing"
    hand.click(tab.foot.widgets["help"])
    qtbot.waitUntil(lambda: not tab.descent.going)
    assert window.bench.document.state.setting == "nothing"
    assert tab.descent.run.records.losses[-1] < 0.01


def test_a_run_that_ends_before_the_answers_are_right_can_go_on(train, hand, qtbot, eye):
    window, tab = train("sin", steps=120)
    run(qtbot, tab, hand)
    eye.settle(window)
    assert "answers are still off by more than" in words_of(tab.foot, "note")
    assert words_of(tab.foot, "help") == "Learn from nothing", "the setting of the lesson that follows the wave"
