"""The head of a page: title, layer, head, switches. And products as one computes them by hand."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.document.commands import SetSwitch, SetTokens
from explorer.lessons.document_lesson import new_lesson
from explorer.pages.by_hand import LAYOUT
from explorer.pages.compose import block_of
from explorer.pages.gestures import ChooseHead, GoTo, hold
from explorer.pages.page import Row, Scheme


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


# By hand: rows at the left, columns above


STAGE = "encoder.1.self.attention"


def schemes(page):
    return {scheme.result.name: scheme for scheme in page.all(Scheme)}


@pytest.fixture
def by_hand(desk):
    start = desk()
    start.look(choices={LAYOUT: True})
    return start


@pytest.mark.parametrize("stage", ["source.embedding", STAGE, "encoder.1.self.heads", "encoder.1.ffn.layers", "output"])
def test_in_each_cell_a_row_at_the_left_meets_a_column_above(by_hand, stage):
    found = schemes(by_hand.page(stage)).values()
    assert found
    for scheme in found:
        right, *added = scheme.above
        assert scheme.left.rows == scheme.result.rows
        assert scheme.left.columns == right.rows
        assert all(above.columns == scheme.result.columns for above in scheme.above)
        product = scheme.left.array @ right.array + sum(bias.array for bias in added)
        pins = scheme.result.pins
        assert np.allclose(product, scheme.result.array) or pins is not None


def test_keys_stand_as_columns_and_an_edit_of_one_is_an_edit_of_its_own_cell(by_hand):
    keys = schemes(by_hand.page(STAGE))["encoder.1.self.head.1.scores"].above[0]
    assert keys.columns == ("You", "are", "welcome")
    assert keys.formula == r"K^\top"
    assert keys.index(3, 1) == (0, 1, 3)
    assert keys.at((0, 1, 3)) == (3, 1)


def test_what_stands_in_a_scheme_stands_nowhere_else(by_hand):
    page = by_hand.page(STAGE)
    ids = [element.id for element in page.elements]
    assert len(ids) == len(set(ids))
    assert "encoder.1.self.W_Q" not in ids


def test_the_scale_does_not_stand_alone(by_hand):
    (row,) = [row for row in by_hand.page(STAGE).all(Row) if any(i.element.id.endswith("scale") for i in row.items)]
    assert len(row.items) > 1


def test_products_that_nobody_multiplies_by_hand_stay_in_a_row(by_hand):
    assert by_hand.page(STAGE).the(LAYOUT).value
    by_hand.do(SetTokens("source", tuple(f"word{i}" for i in range(20))))
    assert not schemes(by_hand.page(STAGE))
    assert not by_hand.page(STAGE).the(LAYOUT).on


def test_a_cosine_is_no_plain_product(by_hand):
    by_hand.do(SetSwitch("encoder.1.self", "similarity", "cosine"))
    assert "encoder.1.self.head.1.scores" not in schemes(by_hand.page(STAGE))


@pytest.mark.parametrize("head", [0, 1, 5, 7])
def test_heads_that_share_keys_and_values_are_multiplied_with_those(desk, head):
    """stories260K has eight heads and four of keys and values: the second head multiplies with the first keys."""
    own = desk("stories260k")
    own.look(choices={LAYOUT: True}, head=head)
    for stage in ("attention", "heads"):
        found = schemes(own.page(f"decoder.1.self.{stage}"))
        products = [name for name in found if name.rpartition(".")[2] in ("scores", "output")]
        assert len(products) == {"attention": 2, "heads": 8}[stage]
        for name in products:
            scheme = found[name]
            assert np.allclose(scheme.left.array @ scheme.above[0].array, scheme.result.array, atol=1e-5), name


def test_a_page_says_below_its_title_that_its_part_is_switched_off(desk):
    """The page of a net that was off had its switch ticked, and only the numbers far below were 0."""
    of, net = desk("tiny-gpt"), "decoder.1.ffn"
    stages = f"{net}.layers", "decoder.1.self.attention", "decoder.1.self.heads"
    said = [head(of, stage).sentence for stage in stages]
    for name in (f"{net}.output", "decoder.1.self.head.2.output", "decoder.1.self.projected"):
        of.do(hold(of.view, name).command())
    of.look(head=1)
    now = [head(of, stage).sentence for stage in stages]
    assert [after.removeprefix(before) for before, after in zip(said, now, strict=True)] == [
        f" Switched off: {of.view.nodes[name].symbol} is held at 0."
        for name in (f"{net}.output", "decoder.1.self.output", "decoder.1.self.projected")
    ]
    of.look(head=0)
    assert head(of, stages[1]).sentence == said[1]
