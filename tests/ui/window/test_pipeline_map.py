"""The map at the left is the graph's stages; a click or a key goes there."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from explorer.document.commands import SetSwitch
from explorer.lessons.document_lesson import new_lesson
from explorer.pages.gestures import hold
from explorer.pages.levels import ABOUT_THE_MODEL, WHOLE
from tests.samples import long

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")

Key = Qt.Key


def stops(window):
    return [button.stage for button in window.map.buttons]


def button(window, stage):
    return next(b for b in window.map.buttons if b.stage.name == stage)


def active(window):
    return [b.stage.name for b in window.map.buttons if b.active]


@pytest.mark.parametrize("lesson", ["you-are-welcome", "emma", "translation-lookup"])
def test_one_button_for_each_stage_in_reading_order(open_window, lesson):
    window = open_window(lesson)
    stages = window.bench.document.engine.graph.stages
    assert stops(window) == list(window.bench.selection.stops)
    assert stops(window)[: len(stages) + 1] == [WHOLE, *stages]
    assert stops(window)[-len(ABOUT_THE_MODEL) :] == list(ABOUT_THE_MODEL)
    tops = [b.mapTo(window, b.rect().topLeft()).y() for b in window.map.buttons]
    assert tops == sorted(set(tops))
    groups = [label.text() for label in window.map.findChildren(QLabel) if label.isVisible()]
    assert groups == list(dict.fromkeys(stage.group for stage in stops(window)))
    assert [b.accessibleName() for b in window.map.buttons] == [s.where for s in stops(window)]


def test_the_lesson_says_where_to_begin(open_window):
    window = open_window()
    assert active(window) == [WHOLE.name] == [window.bench.lesson.start_stage]
    other = open_window("translation-lookup")
    assert active(other) == ["attention"]


def test_a_click_goes_to_the_stage(window, hand, eye):
    for name in ("encoder.1.self.attention", "output", "source.embedding"):
        hand.click(button(window, name))
        eye.settle(window)
        assert window.bench.selection.stage == name
        assert active(window) == [name]
        assert window.page().stage.name == name
        assert window.page().isVisible()
        assert eye.views(window)


def test_keys_go_from_stage_to_stage(window, hand, eye):
    first = window.map.buttons[0]
    first.setFocus()
    names = [stage.name for stage in stops(window)]
    hand.key(Key.Key_Down, times=2)
    assert window.bench.selection.stage == names[2]
    assert QApplication.focusWidget() is window.map.buttons[2]
    hand.key(Key.Key_Up)
    assert window.bench.selection.stage == names[1]
    hand.key(Key.Key_Up, times=3)
    assert window.bench.selection.stage == names[0]


def test_tab_and_a_key_choose_a_stage(window, hand):
    for at, key in enumerate((Key.Key_Return, Key.Key_Enter, Key.Key_Space), 1):
        window.map.buttons[at].setFocus()
        hand.key(Key.Key_Tab)
        assert QApplication.focusWidget() is window.map.buttons[at + 1]
        assert window.bench.selection.stage == stops(window)[at].name
        hand.key(key)
        assert window.bench.selection.stage == stops(window)[at + 1].name


def test_the_last_stage_is_reached_by_scrolling(window, hand, eye):
    window.resize(900, 560)
    eye.settle(window)
    last = window.map.buttons[-1]
    window.bench.selection.go_to(last.stage.name)
    QApplication.processEvents()
    viewport = window.map._scroll.viewport()
    assert viewport.rect().contains(last.mapTo(viewport, last.rect().center()))


def test_a_switch_that_takes_a_stage_away_and_brings_it_back(window, eye):
    document = window.bench.document
    document.do(SetSwitch("decoder.1.ffn", "on", False))
    eye.settle(window)
    before = stops(window)
    assert "decoder.1.ffn.layers" not in [s.name for s in before]
    document.do(SetSwitch("decoder.1.ffn", "on", True))
    eye.settle(window)
    names = [stage.name for stage in stops(window)]
    assert names[names.index("decoder.1.ffn.layers") + 1] == "decoder.1.ffn.after"
    assert names.index("decoder.1.ffn.layers") < names.index("output")
    assert active(window) == ["source.embedding"]
    assert button(window, "decoder.1.ffn.layers").isVisible()
    document.undo()
    eye.settle(window)
    assert stops(window) == before


def test_when_the_stage_one_is_in_goes_one_is_not_lost(window, hand, eye):
    document = window.bench.document
    document.do(SetSwitch("decoder.1.ffn", "on", True))
    eye.settle(window)
    hand.click(button(window, "decoder.1.ffn.layers"))
    document.do(SetSwitch("decoder.1.ffn", "on", False))
    eye.settle(window)
    here = window.bench.selection.stage
    assert here in [stage.name for stage in stops(window)]
    assert active(window) == [here]
    assert window.page().isVisible()
    assert eye.views(window) or here in (WHOLE.name, ABOUT_THE_MODEL[0].name)


def test_the_map_keeps_its_buttons_when_only_numbers_change(window, eye):
    before = window.map.buttons
    window.bench.document.do(SetSwitch("decoder.1.self", "scale", "1/d_k"))
    eye.settle(window)
    assert window.map.buttons is before


def test_of_many_layers_the_one_that_one_is_in_is_open(open_window, hand, eye):
    window = open_window("you-are-welcome")
    window.bench.open(new_lesson("gpt", ["a b c"], layers=4, d_model=4))
    eye.settle(window)

    def open_layers():
        return {b.stage.group for b in window.map.buttons if b.isVisible() and b.stage.group.startswith("Layer")}

    assert open_layers() == set()
    headings = {b.accessibleName(): b for b in window.map.findChildren(QPushButton) if b.text() != "«"}
    assert list(headings) == ["Layer 1", "Layer 2", "Layer 3", "Layer 4"]
    assert all(b.text().endswith(" ▸") for b in headings.values()), "other headings cannot be opened"
    hand.click(headings["Layer 3"])
    eye.settle(window)
    assert window.bench.selection.stage == "decoder.3.self.attention"
    assert open_layers() == {"Layer 3"}
    assert [b.text() for b in window.map.findChildren(QPushButton) if "▾" in b.text()] == ["Layer 3  ▾"]
    button(window, "decoder.3.self.attention").setFocus()
    while window.bench.selection.stage.startswith("decoder.3"):
        hand.key(Key.Key_Down)
    assert window.bench.selection.stage == "decoder.4.self.attention"
    assert open_layers() == {"Layer 4"}
    assert QApplication.focusWidget() is button(window, "decoder.4.self.attention")


def test_of_very_many_layers_the_first_the_last_and_the_nearest_are_listed_and_the_keys_stay_where_they_open(
    anew, hand, eye
):
    window = anew()
    window.bench.open(new_lesson("gpt", ["a b c"], layers=20, d_model=4))
    eye.settle(window)

    def layers():
        found = window.map.findChildren(QPushButton)
        return {b.accessibleName(): b for b in found if b.accessibleName().startswith("Layer")}

    assert list(layers()) == ["Layer 1", "Layer 2", "Layer 3", "Layer 4 to 19", "Layer 20"]
    for name, then in (("Layer 2", "Layer 2"), ("Layer 5 to 19", "Layer 5: Masked attention")):
        eye.by_name(window.map, name).setFocus(Qt.FocusReason.TabFocusReason)
        hand.key(Key.Key_Space)
        eye.settle(window)
        assert QApplication.focusWidget().accessibleName() == then
    window.bench.selection.go_to("model")
    eye.settle(window)
    hand.click(layers()["Layer 4 to 19"])
    eye.settle(window)
    assert window.bench.selection.stage == "decoder.4.self.attention"
    window.bench.selection.go_to("decoder.10.ffn.layers")
    eye.settle(window)
    around = [f"Layer {k}" for k in range(8, 13)]
    assert list(layers()) == ["Layer 1", "Layer 2 to 7", *around, "Layer 13 to 19", "Layer 20"]


def test_of_numbers_only_more_stand_in_sight_since_a_group_without_a_name_is_a_gap(open_window, eye):
    """Of 26 stages 21 were in sight at 1024 × 640: five groups took a row each, with nothing in it."""
    window = open_window("start-here")
    window.lessons.guide.go(0)
    window.resize(1024, 640)
    eye.settle(window)
    assert not any(b.titled for b in window.map.buttons)
    port = window.map._scroll.viewport()
    seen = [b for b in window.map.buttons if b.mapTo(port, b.rect().bottomLeft()).y() < port.height()]
    assert len(seen) >= 23
    fold, first = window.map._folds, window.map.buttons[0]
    assert fold.mapTo(window, fold.rect().bottomLeft()).y() <= first.mapTo(window, first.rect().center()).y()


@pytest.mark.parametrize("scale", [1.0, long(1.25), long(1.5), 2.0])
def test_no_title_is_cut_in_large_text(window, eye, scale):
    window.resize(1280, 720)
    window.bench.appearance.set_scale(scale)
    eye.settle(window)
    bold = window.font()
    bold.setBold(True)
    longest = max(QFontMetrics(bold).horizontalAdvance(b.stage.title) for b in window.map.buttons)
    titled = [b for b in window.map.buttons if b.titled]
    assert all(b.room() >= longest for b in titled)
    assert bool(titled) == (scale < 1.5)
    assert window.map.buttons[0].toolTip() == "Overview: The model"


def test_what_is_switched_off_is_said_at_its_stage(open_window):
    """A page said so itself, but the list showed a net that is off like one that works."""
    window = open_window("you-are-welcome")
    document, bridge = window.bench.document, window.bench.bridge
    attention, net = button(window, "encoder.1.self.attention"), button(window, "encoder.1.ffn.layers")
    plain = [one.accessibleName() for one in (attention, net)]
    before = net.grab().toImage()
    for name in ("encoder.1.self.head.2.output", "encoder.1.ffn.output"):
        document.do(hold(window.bench.view, name).command())
    bridge.flush()
    assert [one.accessibleName() for one in (attention, net)] == [f"{plain[0]}, 1 head off", f"{plain[1]}, off"]
    assert net.toolTip().endswith(", off")
    assert net.grab().toImage() != before
    document.do(hold(window.bench.view, "encoder.1.self.head.1.output").command())
    bridge.flush()
    assert attention.accessibleName() == f"{plain[0]}, off", "all of its heads are"
    while document.history.undo_label:
        document.undo()
    bridge.flush()
    assert [one.accessibleName() for one in (attention, net)] == plain
    assert net.grab().toImage() == before
