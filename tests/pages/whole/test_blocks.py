"""The matrices of a block, with formula and shape; and what blocks in the picture of the whole hold since 2017."""

import itertools
from functools import cache

import numpy as np
import pytest

from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.document_lesson import new_lesson
from explorer.pages.compose import page
from explorer.pages.controls import Choice, Player
from explorer.pages.drawing import Box, FlowLine, Image, Mark, Words
from explorer.pages.gestures import GoTo, Keep
from explorer.pages.levels import ALL, LAYER, WHOLE, block_of, blocks, places
from explorer.pages.view import Looking, View
from explorer.pages.whole.lane import amount
from explorer.pages.whole.page import READABLE
from tests.core.models.test_modern import CASES, made
from tests.pages.conftest import Desk
from tests.pages.whole.test_columns import crosses
from tests.pages.whole.test_page import apart, inside
from tests.samples import each

SELF, FFN = "model.encoder.1.self", "model.encoder.1.ffn"
TEXTBOOK = "you-are-welcome", "textbook"


@cache
def deep():
    return new_lesson("gpt", ["one two three"], d_model=8, layers=12, heads=2).state()


def boxes(eyes):
    return {mark.title: mark for mark in eyes.marks("model", Box)}


def test_the_blocks_of_a_model_are_its_sublayers_and_ends(desk):
    names = [block.name for block in blocks(desk(*TEXTBOOK).view.graph)]
    assert names == [
        "model.source", SELF, FFN, "model.target",
        "model.decoder.1.self", "model.decoder.1.cross", "model.decoder.1.ffn", "model.output",
    ]  # fmt: skip


def test_words_know_the_colour_of_the_box_that_they_stand_on(desk):
    """The words of rows, the loss and ⊙ were dark on dark blue."""
    found = 0
    for lesson, setting in (TEXTBOOK, ("cat-sat-on-the", None), ("changed-since-2017", None)):
        eyes = desk(lesson, setting)
        for showing, place in itertools.product(("gradient", "change"), (WHOLE, *blocks(eyes.view.graph))):
            eyes.look(showing=showing)
            marks = [mark for mark in eyes.page(place.name).marks("model", Mark) if isinstance(mark, (Box, Words))]
            shares = [mark for mark in marks if isinstance(mark, Box) and mark.share is not None]
            for words in (mark for mark in marks if isinstance(mark, Words)):
                for box in (one for one in shares if inside((words.x, words.y, 0.0, 0.0), one.place)):
                    assert words.on == box.share, (lesson, place.name, words.text, box.name)
                    found += 1
    assert found > 50


def test_a_model_without_blocks_has_none(desk):
    assert blocks(desk("emma").view.graph) == ()


def test_a_block_that_a_norm_stands_in_front_of_is_not_called_after_it(desk):
    titles = [block.title for block in blocks(desk("tiny-translator").view.graph) if block.group == "Decoder 1"]
    assert titles == ["Self-attention block", "Cross-attention block", "Feed-forward block"]


def test_every_block_of_every_kind_of_model_has_a_page(desk):
    for lesson, setting in (TEXTBOOK, ("jane", None), ("i-love-ai", None), ("sin", None), ("xor", "textbook")):
        made = desk(lesson, setting)
        for block in blocks(made.view.graph):
            drawing = made.page(block.name).drawing("model")
            assert drawing.zoom
            assert drawing.summary.startswith(block.group)
            assert drawing.out == GoTo(WHOLE.name)
            for way in (mark for mark in drawing.marks if isinstance(mark, FlowLine)):
                for start, end in itertools.pairwise(way.points):
                    assert not any(crosses(start, end, one.place) for one in drawing.marks if isinstance(one, Box))


def test_it_shows_each_matrix_with_its_formula_and_shape(desk):
    made = desk(*TEXTBOOK)
    eyes = made.page(SELF)
    shown = boxes(eyes)
    assert list(shown) == [
        "H", "W_Q", "Q", "W_K", "K", "W_V", "V", "scores", "scaled", "weights", "output",
        "concat", "W_O", "projected", "residual", "γ", "β", "norm",
    ]  # fmt: skip
    assert shown["Q"].formula == r"Q = H \, W_Q"
    assert shown["W_Q"].formula == ""
    assert shown["scores"].note == "2 × 3 × 3"
    assert shown["scaled"].formula == r"Z = S \times 1 / \sqrt{d_k}"
    for image in eyes.marks("model", Image):
        np.testing.assert_array_equal(image.array, np.atleast_2d(made.view.shown(image.node)))


def test_reading_order_is_from_left_to_right_and_from_band_to_band(desk):
    shown = boxes(desk(*TEXTBOOK).page(SELF))
    order = ["H", "Q", "scores", "scaled", "weights", "output", "concat", "projected", "residual", "norm"]
    places = [shown[name].place for name in order]
    for (left, top, _, high), (left2, top2, _, _) in itertools.pairwise(places):
        assert left2 > left or top2 >= top + high


def test_edges_are_those_of_the_graph(desk):
    made = desk(*TEXTBOOK)
    eyes = made.page(SELF)
    marks = eyes.drawing("model").marks
    shown = boxes(eyes)
    read = {title: {marks[i].title for i in box.after} for title, box in shown.items()}
    assert read["Q"] == {"H", "W_Q"}
    assert read["scores"] == {"Q", "K"}
    assert read["output"] == {"weights", "V"}
    assert read["residual"] == {"H", "projected"}
    assert read["H"] == set()
    assert len(eyes.marks("model", FlowLine)) == sum(map(len, read.values()))


def test_cross_attention_says_where_its_keys_are_from(desk):
    """A matrix of the same layer comes from a stage of it: "from Decoder 1" said nothing inside decoder 1."""
    words = [mark.text for mark in desk(*TEXTBOOK).page("model.decoder.1.cross").marks("model", Words)]
    assert {"from Add & norm", "from Encoder 1"} <= set(words)


def test_below_a_box_the_words_on_where_it_is_from_have_room(desk):
    eyes = desk("sin", "nothing").page("model.layer.1")
    (words,) = (mark for mark in eyes.marks("model", Words) if mark.text.startswith("from "))
    assert eyes.marks("model", Box)[0].place[2] >= 0.5 * words.size * len(words.text)


def test_the_picture_of_a_block_is_high_enough_for_its_titles(desk):
    element = desk("tiny-gpt", None).page("model.decoder.1.self").the("model")
    _, _, top, bottom = element.drawing.window
    assert element.height >= READABLE * abs(bottom - top) - 1


def test_every_box_leads_to_the_page_with_its_cells(desk):
    made = desk(*TEXTBOOK)
    shown = boxes(made.page(SELF))
    assert shown["scores"].leads == GoTo("encoder.1.self.attention")
    assert shown["W_O"].leads == GoTo("encoder.1.self.heads")
    assert shown["H"].leads == GoTo("source.positions")


def test_it_is_live_and_coloured_like_the_whole(desk):
    made = desk(*TEXTBOOK)
    made.do(SetCells("encoder.1.self.W_Q", {(0, 0, 0): 5.0}))
    made.look(showing="change")
    shown = boxes(made.page(SELF))
    for short in ("Q", "K", "scores", "projected"):
        note, share = amount(made.view, f"encoder.1.self.{short}")
        assert (shown[short].note, shown[short].share) == (note, share)
    assert shown["Q"].share > 0
    assert shown["K"].share == 0
    made.look(showing="gradient")
    assert boxes(made.page(SELF))["Q"].note.startswith("∂L")


def test_another_head_or_layer_is_chosen_in_the_head_of_the_page(desk):
    made = desk(*TEXTBOOK)
    made.look(head=1)
    eyes = made.page(SELF)
    choice = eyes.the("head")
    assert isinstance(choice, Choice)
    assert choice.chosen == 1
    assert {image.node.head for image in eyes.marks("model", Image) if image.node.node.endswith("scores")} == {1}
    view = View.of(Document(deep()))
    (block,) = [one for one in places(view.graph) if one.name == "model.decoder.3.self"]
    layer = next(one for one in page(view, block).header.choices if one.id == "layer")
    assert layer.chosen == 2
    assert layer.asks[4] == GoTo("model.decoder.5.self")


def test_a_pass_is_played_in_a_block_by_itself(desk):
    made = desk(*TEXTBOOK)
    player = made.page(SELF).the("player")
    assert isinstance(player, Player)
    made.choose(player.asks.key, 3)
    assert any(mark.faint for mark in made.page(SELF).drawing("model").marks)
    assert not any(mark.faint for mark in made.page(FFN).drawing("model").marks)
    assert not any(mark.faint for mark in made.page(WHOLE.name).drawing("model").marks)


def test_a_short_vector_beside_few_matrices_has_room_for_its_numbers(desk):
    """The squares of b were so small that no matrix beside it showed its numbers, either."""
    images = desk("xor").page("model.layer.1").marks("model", Image)
    cells = [(one.place[2] / one.array.shape[1], one.place[3] / one.array.shape[0]) for one in images]
    assert [one.array.shape for one in images] == [(4, 2), (2, 2), (1, 2), (4, 2), (4, 2)]
    assert min(across for across, _ in cells) == cells[2][0] >= 30
    assert min(down for _, down in cells) >= 13


def test_who_goes_out_of_a_layer_finds_it_drawn():
    document = Document(deep())
    view = View.of(document)
    (block,) = [one for one in places(view.graph) if one.name == "model.decoder.7.ffn"]
    made = page(view, block)
    assert made.header.crumbs[-1].asks == made.elements[-1].drawing.out == GoTo(WHOLE.name, Keep(LAYER, 7))
    opened = View.of(document, Looking(choices={LAYER: ALL}))
    assert page(opened, block).header.crumbs[-1].asks == GoTo(WHOLE.name)


@pytest.mark.parametrize(
    ("stage", "block"),
    [("encoder.1.self.heads", SELF), ("source.positions", "model.source"), ("loss", None), ("model.changes", None)],
)
def test_each_stage_has_its_block(desk, stage, block):
    found = block_of(desk(*TEXTBOOK).view.graph, stage)
    assert (found and found.name) == block


def test_whole_numbers_are_words_only_where_they_are_numbers_of_words(desk):
    made = desk("i-love-ai")
    switches = {"positions": "own", "skips_padding": True, "first": 1, "segments": 2}
    made.do(SetTokens("input", ("AI", "love", "I")), SetSwitch("loss", "L_1", True))
    made.do(SetSwitch("loss", "targets", "next word"), *(SetSwitch("input", *one) for one in switches.items()))

    def told(block, title):
        marks = made.page(block).marks("model", (Box, Words))
        at = next(i for i, mark in enumerate(marks) if isinstance(mark, Box) and mark.title == title)
        return [mark.text for mark in itertools.takewhile(lambda mark: isinstance(mark, Words), marks[at + 1 :])]

    assert told("model.loss", "target") == ["love", "I", "<end>"]
    assert told("model.input", "segments") == ["0", "0", "0"]
    assert told("model.input", "place") == [str(place) for place in made.value("input.place")]


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


@each("large", LARGE)
@each("name", CASES)
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
