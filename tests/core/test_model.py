import pytest
from refusals import refuses

from explorer.core.errors import ExplorerError
from explorer.core.model import KINDS, Model
from explorer.core.models import build
from explorer.sentences import sentence


def test_blocks_are_those_of_the_graph_in_reading_order(example):
    graph = build(example)
    # Switches that start off have no nodes; "attention" has the short names.
    absent = {"final", "encoder.final"}
    absent |= {"attention": {"attention"}, "encoder": {"output", "loss"}}.get(example.kind, set())
    blocks = [block for block in example.blocks() if block not in absent]
    first = [next(i for i, name in enumerate(graph.nodes) if name.startswith(f"{block}.")) for block in blocks]
    assert first == sorted(first)


@pytest.mark.parametrize(
    ("block", "mask"),
    [("encoder.1.self", "none"), ("decoder.1.self", "causal"), ("decoder.1.cross", "none")],
)
def test_only_a_decoder_masks_the_future_by_itself(examples, block, mask):
    assert examples["encoder-decoder"].switch(block, "mask") == mask


def test_a_switch_not_set_is_the_textbooks(examples):
    model = examples["encoder-decoder"]
    assert model.switch("encoder.1.self", "scale") == "1/sqrt(d_k)"
    assert model.switch("encoder.1.self", "norm") == "post"
    assert model.switch("encoder.1.self", "epsilon") == 1e-5
    assert model.switch("encoder.1.self", "heads") == 2  # set


def test_setting_a_switch_makes_another_model(examples):
    model = examples["gpt"]
    other = model.with_switch("decoder.1.self", "heads", "4")
    assert other.switch("decoder.1.self", "heads") == 4
    assert model.switch("decoder.1.self", "heads") == 2


@pytest.mark.parametrize(
    ("block", "name", "value", "id", "says"),
    [
        ("encoder.2.self", "scale", "none", "unknown-block", "encoder.1.self"),
        ("encoder.1.self", "scales", "none", "unknown-switch", "scale, mask"),
        ("encoder.1.self", "scale", "d_k", "bad-switch-value", "none, 1/d_k, 1/sqrt(d_k), free"),
        ("encoder.1.self", "heads", 0, "bad-switch-value", "a whole number from 1 to 128"),
        ("encoder.1.self", "residual", "maybe", "bad-switch-value", "on or off"),
    ],
)
def test_a_refused_switch_is_answered_with_what_there_is(examples, block, name, value, id, says):
    with pytest.raises(ExplorerError) as caught:
        examples["encoder-decoder"].with_switch(block, name, value)
    assert caught.value.id == id
    assert says in sentence(caught.value)


def test_an_unknown_kind_is_answered_with_the_kinds():
    known = "choose " + ", ".join(KINDS)
    for ask in (build, Model.blocks):
        with refuses(known) as caught:
            ask(Model("rnn"))
        assert caught.value.id == "unknown-kind"
