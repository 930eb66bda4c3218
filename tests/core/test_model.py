import pytest
from refusals import refuses

from explorer.core.errors import ExplorerError
from explorer.core.model import KINDS, SWITCHES, Model, Switch
from explorer.core.models import build
from explorer.sentences import sentence
from tests.samples import each


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


ALL = {f"{kind}.{name}": switch for kind, switches in SWITCHES.items() for name, switch in switches.items()}


@each("switch", ALL.values(), ids=ALL)
def test_what_a_switch_holds_it_takes_from_text_too(switch):
    for value in (switch.default, *switch.choices):
        for given in (value, str(value)):
            parsed = switch.parse(given)
            assert parsed == value
            assert type(parsed) is type(switch.default)


@each("switch", ALL.values(), ids=ALL)
def test_what_is_not_one_of_its_values_is_refused(switch):
    for value in ("", "nonsense", None, "nan", "inf", float("inf"), -1, "-1", 10**400, [], {}):
        assert switch.parse(value) is None, value


@each(
    ("value", "parsed"),
    [("on", True), ("Off", False), ("true", True), ("False", False), (True, True), ("1", None), (1, None), (2.0, None)],
)
def test_yes_and_no(value, parsed):
    assert Switch(False, "yes or no").parse(value) is parsed


@pytest.mark.parametrize(("value", "parsed"), [("3", 3), (3.0, 3), (2.5, None), ("2.5", None), (True, None), (0, None)])
def test_a_whole_number_is_not_rounded(value, parsed):
    assert Switch(1, "count", least=1).parse(value) == parsed


def test_a_number_has_limits():
    switch = Switch(0.5, "number", least=0.25, most=2)
    assert [switch.parse(x) for x in (0.25, 2, "1e0", 0.2, 2.1)] == [0.25, 2, 1, None, None]


@pytest.mark.parametrize(
    ("switch", "allowed"),
    [
        (Switch(True, "a"), "on or off"),
        (Switch("x", "a", ("x", "y")), "x, y"),
        (Switch(1, "a", least=1), "a whole number of 1 or more"),
        (Switch(1, "a", most=8), "a whole number from 0 to 8"),
        (Switch(1.0, "a", least=1, most=1e6), "a number from 1 to 1,000,000"),
        (Switch(0.5, "a"), "a number of 0 or more"),
    ],
)
def test_a_message_says_what_is_allowed(switch, allowed):
    assert switch.allowed == allowed
