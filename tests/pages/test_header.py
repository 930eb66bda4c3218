"""The head of a page: title, layer, head, switches."""

from dataclasses import replace

import pytest

from explorer.document.commands import SetSwitch
from explorer.lessons.document_lesson import new_lesson
from explorer.pages.gestures import ChooseHead, GoTo
from explorer.pages.header import block_of


@pytest.fixture
def deep(desk):
    found = desk()
    lesson = new_lesson("encoder-decoder", ["a b c", "d e"], d_model=4, heads=2, layers=3)
    found.document = type(found.document)(lesson.state())
    return found


def head(desk, stage):
    return desk.page(stage).page.header


def test_a_title_names_what_several_stages_share(deep):
    assert head(deep, "encoder.2.self.attention").title == "Encoder 2: Self-attention, head 1"
    assert head(deep, "output").title == "Probabilities"
    deep.look(head=1)
    assert head(deep, "encoder.2.self.attention").title == "Encoder 2: Self-attention, head 2"
    deep.look(averaged=True)
    assert head(deep, "encoder.2.self.attention").title == "Encoder 2: Self-attention, heads averaged"


def test_layers_and_heads_are_chosen_there(deep):
    layer, heads, _ = head(deep, "encoder.2.self.attention").choices
    assert (layer.options, layer.chosen) == (("1", "2", "3"), 1)
    assert layer.asks == tuple(GoTo(f"encoder.{k}.self.attention") for k in (1, 2, 3))
    assert (heads.options, heads.chosen) == (("1", "2", "averaged"), 0)
    assert heads.asks == (ChooseHead(0), ChooseHead(1), ChooseHead(None))
    assert head(deep, "loss").choices == ()


@pytest.mark.parametrize("stage", ["encoder.{}.ffn.layers", "model.encoder.{}.ffn"])
def test_a_layer_without_that_stage_cannot_be_chosen(deep, stage):
    deep.do(SetSwitch("encoder.2.ffn", "on", False))
    layer = head(deep, stage.format(3)).choices[0]
    assert (layer.options, layer.chosen) == (("1", "3"), 1)
    assert layer.asks == tuple(GoTo(stage.format(k)) for k in (1, 3))


def test_a_decoder_may_have_other_layers_than_its_encoder(deep):
    state = deep.document.state
    deep.document = type(deep.document)(state.rebuilt(replace(state.model, behind=5)))
    chosen = {side: head(deep, f"{side}.2.self.attention").choices[0] for side in ("encoder", "decoder")}
    assert {side: len(layer.options) for side, layer in chosen.items()} == {"encoder": 3, "decoder": 5}
    assert chosen["decoder"].asks[-1] == GoTo("decoder.5.self.attention")


def test_switches_are_those_of_the_stage_and_those_on_request(deep):
    bar = head(deep, "encoder.1.self.attention").switches
    assert [name for name, _ in bar.values] == ["scale", "mask", "similarity"]
    more = [name for name, _ in bar.more]
    assert [
        name for name in more if name in ("normalise", "heads", "key_heads", "d_k", "window", "weights", "sink")
    ] == [
        *("normalise", "heads", "key_heads", "d_k", "window", "weights", "sink"),
    ]
    assert {"V", "nearest"}.isdisjoint(more)  # those of a given attention
    assert bar.several == 9
    deep.do(SetSwitch("encoder.1.self", "mask", "causal"))
    assert ("mask", "causal") in head(deep, "encoder.1.self.attention").switches.values


def test_switches_that_stand_alone_need_not_be_asked_for(desk):
    bar = head(desk("jump"), "layer").switches
    assert [name for name, _ in bar.values] == ["epsilon", "epsilon_in"]
    assert bar.more == ()


@pytest.mark.parametrize(
    ("stage", "block"),
    [("encoder.1.self.heads", "encoder.1.self"), ("loss", "loss"), ("model.switches", None), ("encoder.10.self", None)],
)
def test_the_block_of_a_stage_is_the_longest_that_it_begins_with(stage, block):
    assert block_of(stage, ["encoder.1", "encoder.1.self", "loss"]) == block


def test_a_switch_that_changes_nothing_is_left_out(desk):
    found = desk("xor")
    assert [name for name, _ in head(found, "loss").switches.values] == ["loss"]  # squares have no logs to add up
    assert "L_1" in dict(head(desk(), "loss").switches.values)
