"""Every switch can be set where its stage is, and says so when a choice is impossible."""

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLineEdit, QPushButton, QSpinBox

from explorer.core.model import SWITCHES
from explorer.document.commands import SetSwitch
from explorer.pages.compose import EVERYWHERE, KINDS, MORE, block_of
from explorer.pages.levels import block_title
from explorer.ui.page.controls import CheckView, ChoiceView, FieldView, NumberView
from explorer.ui.page.header import HeaderView, SwitchBar
from explorer.ui.widgets.inputs import ComboBox, SpinBox, WordLine
from explorer.ui.widgets.names import set_names
from tests.samples import long

pytestmark = pytest.mark.usefixtures("no_pictures", "kept", "page_rests")

Key, Modifier = Qt.Key, Qt.KeyboardModifier
ENCODER, DECODER = "encoder.1.self", "decoder.1.self"
ALL = "model.switches"


@pytest.fixture(autouse=True)
def as_printed(no_pictures, window):
    """The tests below throw switches as the text has them: no residual stream, ε = 10⁻⁶."""
    for block in window.bench.document.state.model.blocks():
        window.bench.selection.let_go(f"{block}: ")
    window.bench.open(window.bench.lesson, "printed")
    window.bench.bridge.flush()


@pytest.fixture
def bar(window, eye):
    """The switches of a stage, all of them unfolded."""

    def find(stage, unfolded=True):
        panel = eye.go_to(window, stage)
        (header,) = panel.findChildren(HeaderView)
        if unfolded and header.switches.switches.more and not header.switches.switches.unfolded:
            header.switches.controls[MORE].click()
            eye.settle(window)
        return header.switches

    return find


@pytest.fixture
def switch(window):
    """What the model has at a switch."""
    return lambda block, name: window.bench.document.state.model.switch(block, name)


def control(bar, name):
    return within(bar.controls[name])


def within(one):
    """What takes the keys in a control of a page."""
    return getattr(one, {ChoiceView: "control", NumberView: "box", FieldView: "edit"}.get(type(one), "self"), one)


def controls(bar):
    """The controls of the switches that are shown, by name."""
    return {id: within(one) for id, one in bar.controls.items() if one.isVisible() and id not in (MORE, EVERYWHERE)}


def choose(hand, combo, text):
    """Open a list of choices and pick one by keys."""
    hand.click(combo)
    assert QApplication.activePopupWidget() is not None
    hand.key(Key.Key_Home)
    hand.key(Key.Key_Down, times=combo.findText(text))
    hand.key(Key.Key_Return)


def test_which_block_a_stage_belongs_to():
    blocks = ["encoder.1.self", "encoder.1.ffn", "encoder.10.self", "output"]
    assert block_of("encoder.1.self.attention", blocks) == "encoder.1.self"
    assert block_of("encoder.10.self.heads", blocks) == "encoder.10.self"
    assert block_of("output", blocks) == "output"
    assert block_of("source.embedding", blocks) is None


# Every kind of control


def test_all_numbers_stand_at_the_right(bar):
    """Those in boxes stood at the right, and those that are typed at the left: one column had both."""
    boxes = [one for one in controls(bar("encoder.1.self.attention")).values() if isinstance(one, QSpinBox | QLineEdit)]
    assert any(isinstance(one, QLineEdit) for one in boxes)
    assert any(isinstance(one, QSpinBox) for one in boxes)
    assert all(one.alignment() & Qt.AlignmentFlag.AlignRight for one in boxes)


def test_a_choice_among_words_and_yes_or_no_by_mouse_and_keys(window, hand, eye, bar, switch):
    bar = bar("encoder.1.self.attention")
    scale = control(bar, "scale")
    assert isinstance(scale, QComboBox)
    assert scale.currentText() == "1/√dₖ"
    choose(hand, scale, "1/dₖ")
    assert switch(ENCODER, "scale") == "1/d_k"
    eye.settle(window)
    assert eye.value(window, f"{ENCODER}.scale") == 0.25
    assert window.bench.document.history.undo_label == "Set encoder.1.self.scale to 1/d_k"
    hand.key(Key.Key_Z, Modifier.ControlModifier)
    eye.settle(window)
    assert switch(ENCODER, "scale") == "1/sqrt(d_k)"
    assert control(window.page().header.switches, "scale").currentText() == "1/√dₖ"
    box = control(window.page().header.switches, "bias")
    assert isinstance(box, QCheckBox)
    assert not box.isChecked()
    hand.click(box, box.rect().center() - box.rect().center() / 2)
    eye.settle(window)
    assert switch(ENCODER, "bias") is True
    assert f"{ENCODER}.b_Q" in window.page().elements.widgets
    control(window.page().header.switches, "bias").setFocus()
    hand.key(Key.Key_Space)
    eye.settle(window)
    assert switch(ENCODER, "bias") is False
    assert f"{ENCODER}.b_Q" not in window.page().elements.widgets
    control(window.page().header.switches, "similarity").setFocus()
    hand.key(Key.Key_Down)
    eye.settle(window)
    assert switch(ENCODER, "similarity") == "cosine"


def test_a_number_by_an_arrow_or_typed_which_sets_it_once(window, hand, eye, bar, switch):
    """Not at 1 on the way to 12."""
    spin = control(bar("encoder.1.ffn.layers"), "d_ff")
    assert isinstance(spin, QSpinBox)
    assert spin.value() == 6
    spin.setFocus()
    spin.selectAll()
    hand.type("12")
    assert switch("encoder.1.ffn", "d_ff") == 6
    hand.key(Key.Key_Return)
    eye.settle(window)
    assert switch("encoder.1.ffn", "d_ff") == 12
    assert window.bench.document.history.undo_label.endswith("to 12")
    window.bench.document.undo()
    assert window.bench.document.history.undo_label.endswith("As printed”")
    eye.settle(window)
    hand.key(Key.Key_Up)
    eye.settle(window)
    assert switch("encoder.1.ffn", "d_ff") == 7
    assert eye.views(window)["encoder.1.ffn.W_1"].table.columnCount() == 7


def test_a_switch_that_makes_the_page_anew_keeps_the_keys(window, hand, eye, bar, switch):
    again = control(bar("encoder.1.self.heads"), "heads")
    again.setFocus()
    again.selectAll()
    hand.type("1")
    hand.key(Key.Key_Return)
    eye.settle(window)
    assert switch(ENCODER, "heads") == 1
    assert QApplication.focusWidget() is control(window.page().header.switches, "heads")


def test_a_page_that_is_built_again_has_its_further_switches_and_what_is_ticked(window, hand, eye, bar, switch):
    """A switch among the further ones was gone, and the next one was set in one block only."""
    again = bar("source.embedding")
    again.controls[EVERYWHERE].setChecked(True)
    lookup = control(again, "lookup")
    lookup.setFocus()
    hand.key(Key.Key_Down if lookup.currentIndex() == 0 else Key.Key_Up)
    eye.settle(window)
    assert again is not window.page().header.switches
    again = window.page().header.switches
    assert again.controls[EVERYWHERE].isChecked()
    assert again.controls[MORE].text() == "Fewer switches"
    assert QApplication.focusWidget() is control(again, "lookup")


def test_the_keys_stay_on_the_page_when_a_switch_ends_its_stage(window, hand, eye, bar):
    on = control(bar("encoder.1.ffn.layers"), "on")
    on.setFocus()
    hand.key(Key.Key_Space)
    eye.settle(window)
    assert window.bench.selection.stage != "encoder.1.ffn.layers"
    assert QApplication.focusWidget() is window.area


def test_a_number_that_may_be_left_to_the_model(bar):
    spin = control(bar("decoder.1.self.attention"), "d_k")
    assert spin.value() == 0
    assert spin.text() == "auto"


def test_a_small_number(window, hand, eye, bar, switch):
    edit = control(bar("encoder.1.self.after"), "epsilon")
    assert isinstance(edit, QLineEdit)
    assert float(edit.text()) == switch(ENCODER, "epsilon") == 1e-6
    edit.setFocus()
    edit.selectAll()
    hand.type("0.25")
    hand.key(Key.Key_Return)
    eye.settle(window)
    assert switch(ENCODER, "epsilon") == 0.25
    assert control(window.page().header.switches, "epsilon").text() == "0.25"
    window.bench.document.do(SetSwitch(ENCODER, "epsilon", 0.123456789))
    eye.settle(window)
    control(window.page().header.switches, "epsilon").setFocus()
    hand.key(Key.Key_Return)
    window.setFocus()
    eye.settle(window)
    assert switch(ENCODER, "epsilon") == 0.123456789, "it is not rounded by looking at it"


def test_what_is_being_typed_stays_when_something_else_changes(window, bar, eye, hand, switch):
    """Such as the switch before, which a large model was still computing."""
    edit = control(bar("encoder.1.self.after"), "epsilon")
    edit.setFocus()
    edit.selectAll()
    hand.type("0.")
    window.bench.document.do(SetSwitch(ENCODER, "residual", True))
    eye.settle(window)
    hand.type("5")
    assert edit.text() == "0.5"
    hand.key(Key.Key_Return)
    assert switch(ENCODER, "epsilon") == 0.5


@pytest.mark.parametrize(
    "stage", [*map(long, ["encoder.1.self.attention", "encoder.1.ffn.layers", "encoder.1.self.after"]), ALL]
)
def test_every_control_shows_what_the_model_has_and_has_a_name(window, eye, stage, switch):
    panel = eye.go_to(window, stage)
    bars = panel.findChildren(SwitchBar)
    if stage == ALL:  # also those whose stage another switch has taken away
        blocks = window.bench.document.state.model.blocks()
        found = {(bar.switches.block, name) for bar in bars for name in controls(bar)}
        assert found == {(block, name) for block, kind in blocks.items() for name in SWITCHES[kind]}
    assert bars
    for bar in bars:
        for name, one in controls(bar).items():
            value = switch(bar.switches.block, name)
            known = SWITCHES[bar.switches.kind][name].choices
            shown = {
                CheckView: lambda c: c.isChecked(),
                ComboBox: lambda c, known=known: known[c.currentIndex()],
                SpinBox: lambda c: c.value(),
                WordLine: lambda c: float(c.text()),
            }[type(one)](one)
            assert shown == value, (bar.switches.block, name)
            said = SWITCHES[bar.switches.kind][name].title
            graph = window.bench.document.engine.graph
            assert one.accessibleName() == f"{said} in {block_title(graph, bar.switches.block)}"
            assert one.toolTip().startswith(set_names(f"{said}: "))


def test_a_switch_on_the_page_of_all_switches_works(window, hand, eye, switch):
    panel = eye.go_to(window, ALL)
    (bar,) = [b for b in panel.findChildren(SwitchBar) if b.switches.block == "decoder.1.ffn"]
    on = control(bar, "on")
    assert not on.isChecked()
    on.setFocus()
    hand.key(Key.Key_Space)
    eye.settle(window)
    assert switch("decoder.1.ffn", "on") is True
    assert "decoder.1.ffn.layers" in [b.stage.name for b in window.map.buttons]
    (bar,) = [b for b in window.page().findChildren(SwitchBar) if b.switches.block == "decoder.1.ffn"]
    assert control(bar, "on").isChecked()
    window.bench.document.undo()
    eye.settle(window)
    assert not control(bar, "on").isChecked()


# What cannot be


def test_the_blocks_of_a_short_page_stand_close_to_each_other_and_no_line_is_asked_how_high_it_is(anew, monkeypatch):
    """Nothing is to be brought into sight."""
    window = anew(ALL, lesson="xor-linear")
    page, asked = window.page(), []
    places = page.elements.places
    monkeypatch.setattr(page.elements, "places", lambda *given: asked.append(given) or places(*given))
    page.share()
    assert asked == []
    bars = page.findChildren(SwitchBar)
    tops = sorted(bar.mapTo(window, QPoint()).y() for bar in bars)
    assert len(tops) > 2
    assert max(after - before for before, after in pairwise(tops)) < 3 * bars[0].height()


def test_heads_that_do_not_divide_are_refused_at_the_place(window, hand, eye, bar, switch, said):
    spin = control(bar("decoder.1.self.attention"), "heads")
    spin.setFocus()
    spin.selectAll()
    hand.type("3")
    hand.key(Key.Key_Return)
    words = said()
    assert "cannot be split over 3 heads" in words
    assert "choose 1, 2 or 4 heads" in words
    assert spin.value() == 1
    assert switch(DECODER, "heads") == 1
    assert window.bench.document.history.undo_label.endswith("As printed”")


def test_a_choice_that_is_impossible_is_refused_and_goes_back(window, eye, bar, switch):
    """Whether the list offers it or not: the model refuses, the control shows what is."""
    bar = bar("decoder.1.cross.attention")
    mask = control(bar, "mask")
    before = mask.currentText()
    if mask.findText("causal") >= 0 and mask.model().item(mask.findText("causal")).isEnabled():
        mask.setCurrentIndex(mask.findText("causal"))
        mask.activated.emit(mask.findText("causal"))
    assert mask.currentText() == before
    assert switch("decoder.1.cross", "mask") == "none"


def test_what_is_no_number_is_refused(hand, bar, switch, said):
    edit = control(bar("encoder.1.self.after"), "epsilon")
    for typed in ("-1", "nan", "abc", ""):
        edit.setFocus()
        edit.selectAll()
        hand.key(Key.Key_Delete)
        hand.type(typed)
        hand.key(Key.Key_Return)
        assert "a number of 0 or more" in said(), typed
        assert float(edit.text()) == 1e-6, typed
        assert switch(ENCODER, "epsilon") == 1e-6, typed


# Everywhere, and more


def test_everywhere_sets_all_blocks_of_the_kind(window, hand, eye, bar, switch):
    bar = bar("encoder.1.self.attention")
    bar.controls[EVERYWHERE].setFocus()
    hand.key(Key.Key_Space)
    assert bar.controls[EVERYWHERE].isChecked()
    choose(hand, control(bar, "scale"), "none")
    eye.settle(window)
    attentions = [ENCODER, DECODER, "decoder.1.cross"]
    assert {switch(block, "scale") for block in attentions} == {"none"}
    assert window.bench.document.history.undo_label.endswith("everywhere")
    window.bench.document.undo()
    assert switch("decoder.1.cross", "scale") == "free"


def test_everywhere_has_no_say_once_it_is_out_of_sight(window, hand, eye, bar, switch):
    bar = bar("encoder.1.self.attention")
    bar.controls[EVERYWHERE].setChecked(True)
    bar.controls[MORE].setFocus()
    hand.key(Key.Key_Space)
    assert not bar.controls[EVERYWHERE].isVisible()
    choose(hand, control(bar, "scale"), "none")
    eye.settle(window)
    assert switch(ENCODER, "scale") == "none"
    assert switch("decoder.1.cross", "scale") == "free"


def test_everywhere_is_there_only_where_there_are_several(anew, eye, window):
    source = eye.go_to(window, "source.embedding").header.switches
    assert source.switches.several > 1
    assert eye.go_to(window, "output").header.switches.switches.several == 1
    alone = anew("attention", lesson="emma")
    assert EVERYWHERE not in alone.page().header.switches.controls


def test_more_switches_unfold_and_stay_unfolded(window, hand, eye, bar):
    window.area._drop(list(window.area._pages))
    bar = bar("encoder.1.self.attention", unfolded=False)
    assert list(controls(bar)) == [name for name, _ in bar.switches.values]  # the others are made once they are wanted
    assert control(bar, "scale").isVisible()
    hand.click(bar.controls[MORE])
    assert control(bar, "heads").isVisible()
    assert list(controls(bar)) == [name for name, _ in (*bar.switches.values, *bar.switches.more)]
    bar.controls[MORE].setFocus()
    for name, _ in bar.switches.more:  # though they are younger than what follows them on the page
        hand.key(Key.Key_Tab)
        assert QApplication.focusWidget() is control(bar, name)
    hand.key(Key.Key_Tab)
    assert QApplication.focusWidget() is bar.controls[EVERYWHERE]
    assert bar.controls[MORE].text() == "Fewer switches"
    window.bench.document.do(SetSwitch(ENCODER, "bias", True))  # builds the page anew
    eye.settle(window)
    bar = window.page().header.switches
    assert control(bar, "heads").isVisible()
    hand.click(bar.controls[MORE])
    assert not control(bar, "heads").isVisible()
    assert bar.controls[MORE].text() == "More switches"


def test_no_control_is_cut_off(window, eye, bar):
    window.resize(1280, 720)
    bar = bar("encoder.1.self.attention")
    eye.settle(window)
    viewport = window.page().viewport()
    for one in bar.controls.values():
        assert bar.rect().contains(QRect(one.mapTo(bar, QPoint()), one.size())), one.accessibleName()
        assert one.width() >= one.minimumSizeHint().width(), one.accessibleName()
        assert one.mapTo(viewport, one.rect().topRight()).x() < viewport.width(), one.accessibleName()


def test_the_button_of_all_switches_is_only_there_with_a_use(window, eye, monkeypatch):
    def buttons():
        return [b for b in window.page().findChildren(QPushButton) if b.isVisible() and "switches" in b.text()]

    eye.go_to(window, "output")
    assert buttons()
    monkeypatch.setitem(KINDS, "loss", replace(KINDS["loss"], more=()))
    bar = eye.go_to(window, "loss").header.switches
    assert not bar.switches.more
    assert not buttons()


def test_a_scale_by_a_number_is_listed_with_it(anew, eye):
    """The formula said 1/√24, and the list beside it 1/√d_k."""
    block = "decoder.1.self"
    window = anew(f"{block}.attention", lesson="tiny-gpt")
    header = window.page().findChildren(HeaderView)[0]
    scale = control(header.switches, "scale")
    texts = [scale.itemText(i) for i in range(scale.count())]
    for width, said in {24: "24", 0: "dₖ"}.items():
        window.bench.document.do(SetSwitch(block, "scale_width", width))
        eye.settle(window)
        header = window.page().findChildren(HeaderView)[0]
        scale = control(header.switches, "scale")
        assert [scale.itemText(i) for i in range(scale.count())] == [text.replace("dₖ", said) for text in texts]
        assert scale.currentText() == f"1/√{said}"
