"""What the blocks of the picture of the whole hold since 2017: gates, experts, shared keys, norms behind, positions."""

import pytest

from explorer.document.commands import SetSwitch
from explorer.document.state import State
from explorer.pages.drawing import Box, FlowLine, Image, Words
from explorer.pages.levels import WHOLE
from tests.core.models.test_modern import CASES, made
from tests.pages.conftest import Desk
from tests.pages.whole.test_page import apart, inside

LARGE = [False, True]


def picture(name, *switches, large=False):
    model, _, inputs = made(CASES[name], n=4)
    state = State.of(model, inputs)
    for block, switch, value in switches:
        state = SetSwitch(block, switch, value).apply(state)
    desk = Desk(state)
    desk.look(large=large)
    return desk.page(WHOLE.name)


def named(eyes):
    return {box.name: box for box in eyes.marks("model", Box)}


def nodes(eyes):
    return [mark.node.node for mark in eyes.marks("model", Image)]


@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_model_has_a_picture_whose_images_are_tables(name, large):
    eyes = picture(name, large=large)
    assert all(mark.array.ndim == 2 for mark in eyes.marks("model", Image))
    names = [box.name for box in eyes.marks("model", Box)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("large", LARGE)
def test_a_gated_net_shows_its_gate_and_what_stands_behind_it(large):
    eyes = picture("Llama", large=large)
    assert {"decoder.1.ffn.activation", "decoder.1.ffn.hidden"} <= set(nodes(eyes))
    assert "⊙" in [words.text for words in eyes.marks("model", Words)]
    (box,) = [box for box in eyes.marks("model", Box) if box.title == "Gated feed-forward"]
    assert large or "→2×" in box.note


@pytest.mark.parametrize("large", LARGE)
def test_experts_are_shown_as_which_word_goes_to_which(large):
    eyes = picture("Mixtral", large=large)
    (image,) = [mark for mark in eyes.marks("model", Image) if mark.node.node == "decoder.1.ffn.routed"]
    assert image.array.shape == (4, 4)
    assert ((image.array > 0).sum(-1) == 2).all()
    (box,) = [box for box in eyes.marks("model", Box) if box.title == "Experts"]
    assert large or box.note == "2 of 4 experts + 1 shared" or box.note == "2 of 4 experts"


def test_heads_that_share_their_keys_stand_in_one_frame():
    eyes = picture("Llama")
    frames = [box for name, box in named(eyes).items() if "share keys and values" in name]
    heads = [mark for mark in eyes.marks("model", Image) if mark.node.node == "decoder.1.self.weights"]
    assert len(frames) == 2
    assert len(heads) == 4
    for frame, own in zip(frames, (heads[:2], heads[2:]), strict=True):
        assert all(inside(head.place, frame.place) == (head in own) for head in heads)
    assert apart(frames[0].place, frames[1].place)
    assert not [name for name in named(picture("ALiBi")) if "share keys and values" in name]


@pytest.mark.parametrize(
    ("case", "said"), [("Llama", "rotary"), ("ALiBi", "ALiBi"), ("T5", "distances"), ("GPT-2", None), ("Phi", None)]
)
def test_positions_that_are_a_part_of_attention_are_named_in_it(case, said):
    eyes = picture(case)
    found = [box.title for box in eyes.marks("model", Box) if box.title in ("rotary", "ALiBi", "distances")]
    assert found == ([said] if said else [])


def test_norms_on_both_sides_of_a_block_are_drawn_on_both():
    found = named(picture("Gemma 2"))
    for block in ("self", "ffn"):
        before, behind = (found[f"Layer 1: norm {where} {block}"] for where in ("before", "behind"))
        assert before.place[0] < behind.place[0]
        assert behind.leads is not None
    only = named(picture("OLMo 2"))
    assert "Layer 1: norm behind ffn" in only
    assert "Layer 1: norm before ffn" not in only


def test_a_net_beside_attention_reads_where_that_does():
    plain, beside = picture("GPT-2"), picture("GPT-NeoX")
    assert "beside attention" in [words.text for words in beside.marks("model", Words)]
    assert "beside attention" not in [words.text for words in plain.marks("model", Words)]
    found = named(beside)
    attention, net = (found[f"Layer 1: norm before {block}"].place for block in ("self", "ffn"))
    lines = [mark.points for mark in beside.marks("model", FlowLine) if len(mark.points) == 3]
    starts = [points for points in lines if points[0][0] == attention[0] + 13 and points[-1][0] == net[0] + 13]
    assert len(starts) == 1
    shared = picture("Phi")
    norm = named(shared)["Layer 1: norm before self"].place
    assert norm[0] + norm[2] in [mark.points[0][0] for mark in shared.marks("model", FlowLine) if len(mark.points) == 3]
