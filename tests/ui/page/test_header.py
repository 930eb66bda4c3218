"""The title of a stage, and the layer and head that all panels look at."""

from dataclasses import replace

import pytest
from pixels import pixels
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton

from explorer.core.model import Model
from explorer.document.commands import Replace, SetSwitch
from explorer.document.state import State
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.pages import compose
from explorer.pages.levels import stops
from explorer.ui.page.column import Elements

pytestmark = pytest.mark.usefixtures("no_pictures", "kept")

Key = Qt.Key
ENCODER = "encoder.1.self"


def title(window):
    return window.page().header._title.accessibleName()


def segment(window, spoken):
    """The button of a choice above the stage, or None."""
    buttons = window.page().header.findChildren(QPushButton)
    found = [button for button in buttons if button.accessibleName() == spoken and button.isVisible()]
    return found[0] if found else None


@pytest.fixture
def attention(anew):
    """The window on attention with two heads."""
    return anew(f"{ENCODER}.attention")


def test_the_title_says_where_one_is(window, eye):
    eye.go_to(window, "source.embedding")
    stage = window.page().stage
    assert title(window) == f"Source: {stage.title}"
    eye.go_to(window, "encoder.1.self.attention")
    assert title(window) == "Encoder 1: Self-attention, head 1"
    eye.go_to(window, "decoder.1.cross.attention")
    assert title(window) == "Decoder 1: Cross-attention"
    eye.go_to(window, "output")
    assert title(window) == "Probabilities"


def test_the_title_stands_still_from_page_to_page(window, eye):
    """It moved by 3 pixels, and all below it by 6, where there is a choice of the head beside it."""

    def places(stage):
        header = eye.go_to(window, stage).header
        parts = header._title, header._sentence, header.switches
        return [one.mapTo(window, QPoint()).y() for one in parts]

    assert places("encoder.1.self.attention") == places("encoder.1.self.after") == places("source.embedding")


def test_a_click_or_an_arrow_shows_another_head(attention, hand, eye):
    window = attention
    assert segment(window, "Head 1").isChecked()
    assert segment(window, "Layer 1") is None, "one layer is no choice"
    assert f"{ENCODER}.head.1.Q" in eye.views(window)
    hand.click(segment(window, "Head 2"))
    assert segment(window, "Head 2").isChecked()
    assert not segment(window, "Head 1").isChecked()
    assert title(window).endswith("head 2")
    names = eye.views(window)
    assert f"{ENCODER}.head.2.Q" in names
    assert not any(".head.1." in name for name in names)
    assert (eye.views(window)[f"{ENCODER}.head.2.Q"].matrix.array == eye.value(window, f"{ENCODER}.Q")[1]).all()
    segment(window, "Head 2").setFocus()
    hand.key(Key.Key_Left)
    assert QApplication.focusWidget() is segment(window, "Head 1")
    if not segment(window, "Head 1").isChecked():
        hand.key(Key.Key_Space)
    assert window.bench.selection.head == 0
    assert f"{ENCODER}.head.1.Q" in eye.views(window)


def test_one_choice_of_head_for_all_panels_of_which_one_with_fewer_shows_its_last(attention, hand, eye):
    window = attention
    hand.click(segment(window, "Head 2"))
    eye.go_to(window, "decoder.1.self.attention")
    assert segment(window, "Head 1") is None
    assert "decoder.1.self.head.1.Q" in eye.views(window)
    window.bench.document.do(SetSwitch("decoder.1.self", "heads", 2))
    eye.settle(window)
    assert segment(window, "Head 2").isChecked()
    assert "decoder.1.self.head.2.Q" in eye.views(window)
    hand.click(segment(window, "Head 1"))
    eye.go_to(window, f"{ENCODER}.attention")
    assert segment(window, "Head 1").isChecked()
    assert f"{ENCODER}.head.1.Q" in eye.views(window)


def test_the_choice_follows_the_number_of_heads(attention, hand, eye):
    window = attention
    window.bench.document.do(SetSwitch(ENCODER, "heads", 4))
    eye.settle(window)
    hand.click(segment(window, "Head 4"))
    assert f"{ENCODER}.head.4.Q" in eye.views(window)
    window.bench.document.undo()
    eye.settle(window)
    assert segment(window, "Head 3") is None
    assert segment(window, "Head 2").isChecked()
    assert f"{ENCODER}.head.2.Q" in eye.views(window)
    window.bench.document.do(SetSwitch(ENCODER, "heads", 1))
    eye.settle(window)
    assert segment(window, "Head 1") is None
    assert f"{ENCODER}.head.1.Q" in eye.views(window)
    assert title(window) == "Encoder 1: Self-attention"


def test_heads_that_go_while_another_stage_is_shown(attention, hand, eye):
    """What hides must not look for what is gone, whatever is pointed at meanwhile."""
    window = attention
    hand.click(segment(window, "Head 2"))
    eye.go_to(window, "encoder.1.self.heads")
    window.bench.document.do(SetSwitch(ENCODER, "heads", 1))
    eye.settle(window)
    views = eye.views(window)
    view = views[f"{ENCODER}.concat"]
    hand.hover(view, hand.cell(view, 0, 0))
    hand.click(window.tokens._strips["source"].chips[1])
    eye.go_to(window, "encoder.1.self.attention")
    assert f"{ENCODER}.head.1.Q" in eye.views(window)


def test_another_head_while_a_hidden_stage_has_lost_a_matrix(attention, hand, eye):
    window = attention
    window.bench.document.do(SetSwitch("decoder.1.self", "heads", 2))
    eye.go_to(window, "decoder.1.self.attention")
    window.bench.document.do(SetSwitch(ENCODER, "scale", "none"))
    eye.settle(window)
    hand.click(segment(window, "Head 2"))
    eye.go_to(window, "encoder.1.self.attention")
    names = eye.views(window)
    assert f"{ENCODER}.head.2.scores" in names
    assert f"{ENCODER}.head.2.scaled" not in names


def test_layers_are_chosen_above_the_stage(window, hand, eye):
    model = Model(
        "gpt",
        lengths={"input": 3},
        axes={"input.words": ("a", "b", "c")},
        layers=3,
        switches={f"decoder.{k}.self.heads": 2 for k in (1, 2, 3)},
    )
    deep = window
    deep.bench.document.do(Replace(State.of(model, {}, setting="printed"), "Open a deep one"))
    deep.bench.bridge.flush()
    eye.go_to(deep, "decoder.1.self.attention")
    assert segment(deep, "Layer 1").isChecked()
    hand.click(segment(deep, "Layer 3"))
    eye.settle(deep)
    assert deep.bench.selection.stage == "decoder.3.self.attention"
    assert segment(deep, "Layer 3").isChecked()
    assert "decoder.3.self.head.1.Q" in eye.views(deep)
    hand.click(segment(deep, "Head 2"))
    hand.click(segment(deep, "Layer 2"))
    eye.settle(deep)
    assert "decoder.2.self.head.2.Q" in eye.views(deep)
    eye.go_to(deep, "decoder.2.ffn.layers")
    assert segment(deep, "Layer 2").isChecked()
    assert segment(deep, "Head 1") is None


def test_beside_what_is_too_wide_words_and_switches_stay_in_sight(window, eye):
    page = eye.go_to(window, "encoder.1.ffn.after")
    assert page.header.geometry().right() == page.elements.contentsRect().right()
    page.elements.share_room(80, 600)  # too narrow for what stands below them, too
    assert page.header.width() == page.header.minimumSizeHint().width() < page.elements.contentsRect().width()


def test_a_title_longer_than_the_window_ends_in_dots_and_one_that_fits_moves_no_tab(window, eye, appearance):
    def places():
        return [tab.mapTo(window, QPoint(0, 0)) for tab in window.top_bar._tabs.values()]

    window.resize(1840, 900)  # in more, all letters are larger
    eye.settle(window)
    before = places()
    assert window.top_bar.title.text() == f"{window.bench.lesson.title}  ▾"
    window.files.open_lesson(load("xor"))
    eye.settle(window)
    assert places() == before, "the tabs stand in the same places whatever the title"
    window.files.open_lesson(replace(load("xor"), title="A title for more than two lines " * 4))
    window.resize(900, 600)
    appearance.set_scale(2.0)
    eye.settle(window)
    assert "…" in window.top_bar.title.text()
    assert window.bench.lesson.title in window.top_bar.title.toolTip()


@pytest.mark.parametrize(("heads", "scale"), [(16, 1.0), (8, 2.0)])
def test_more_heads_than_have_room_stand_in_a_list(open_window, appearance, hand, heads, scale):
    appearance.set_scale(scale)
    lesson = new_lesson("gpt", ["a b c"], d_model=16, heads=heads)
    panel = open_window(lesson, stage="decoder.1.self.attention", size=(1280, 720)).page()
    window = panel.window()
    (choice,) = [box for box in panel.header.findChildren(QComboBox) if box.accessibleName() == "Head"]
    assert choice.count() == heads + 1
    assert choice.currentText() == "1"
    choice.setFocus()
    hand.key(Qt.Key.Key_Down, times=3)
    assert window.bench.selection.head == 3
    assert panel.header._title.accessibleName().endswith("head 4")
    window.bench.selection.set_head(None)
    assert choice.currentText() == "averaged"
    right = choice.mapTo(panel.viewport(), choice.rect().topRight()).x()
    assert right <= panel.viewport().width()


def test_the_focus_of_the_way_back_crosses_no_letter(attention):
    crumbs = attention.page().header._crumbs
    before = pixels(crumbs.grab().toImage())
    crumbs.setFocus(Qt.FocusReason.TabFocusReason)
    assert crumbs.hasFocus()
    after = pixels(crumbs.grab().toImage())
    assert after.shape == before.shape  # nothing moves
    differs = (after != before).any(axis=1)
    assert differs[-2:].all()
    assert not differs[:-2].any()


def test_a_long_title_takes_two_lines_and_makes_a_narrow_page_in_large_text_no_wider(bench_of, appearance, qtbot):
    appearance.set_scale(3.0)
    bench = bench_of(load("emma"))
    stage = next(one for one in stops(bench.view.graph) if one.name == "model.changes")
    page = compose.page(bench.view, stage)
    elements = Elements(bench, 12)
    qtbot.addWidget(elements)
    elements.tell((page.header, *page.elements))
    elements.share_room(448, 400)
    elements.resize(448, elements.height_at(448))
    elements.stand()
    assert elements.minimumSizeHint().width() <= 448
    title = elements.widgets["header"]._title
    assert title.height_at(448) > title.sizeHint().height()
