"""The whole model in one picture: what goes in, what comes out, and what stands between. No window anywhere."""

import itertools
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from explorer.core.cost import cost, parameters, total
from explorer.core.graph import Place
from explorer.document.commands import SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.pages.compose import page
from explorer.pages.controls import Choice, Player
from explorer.pages.drawing import LONG, Bars, Box, Dot, FlowLine, HeatMap, Image, Segments, Words, series
from explorer.pages.gestures import Edit, GoTo, Keep
from explorer.pages.levels import ALL, LAYER, WHOLE, places
from explorer.pages.matrix import SHARES
from explorer.pages.view import Looking, View
from explorer.pages.whole.lane import amount, depth, length
from explorer.pages.whole.page import PLAYED, READABLE, SHEETS, whole_sentence
from explorer.pages.whole.sublayers import BRIDGE
from tests.examples import EXAMPLES as DISTINCT
from tests.pages.whole.test_columns import crosses

EXAMPLES = [(lesson.id, setting) for lesson in DISTINCT for setting in lesson.settings]
TEXTBOOK = "you-are-welcome", "textbook"


@pytest.fixture
def whole(desk):
    """The picture of an example, and its desk."""

    def picture(lesson="you-are-welcome", setting=None, **looking):
        made = desk(lesson, setting)
        made.look(**looking)
        return made, made.page(WHOLE.name)

    return picture


@cache
def deep():
    text = "one two three four five six seven eight"
    return new_lesson("gpt", [text], d_model=8, layers=12, heads=4).state()


@cache
def deep_translator():
    texts = ["you are welcome", "gern geschehen bitte"]
    return new_lesson("encoder-decoder", texts, d_model=16, layers=12, heads=4).state()


def boxes(eyes):
    return {mark.name: mark for mark in eyes.marks("model", Box)}


def images(eyes, short):
    return [mark for mark in eyes.marks("model", Image) if mark.node.node.rpartition(".")[2] == short]


def inside(place, outer):
    left, top, width, height = place
    return (
        outer[0] <= left
        and outer[1] <= top
        and left + width <= outer[0] + outer[2] + 1e-9
        and top + height <= outer[1] + outer[3] + 1e-9
    )


def apart(one, other):
    across = one[0] + one[2] <= other[0] or other[0] + other[2] <= one[0]
    return across or one[1] + one[3] <= other[1] or other[1] + other[3] <= one[1]


# Every example


def test_the_last_norm_of_each_stack_is_drawn_at_its_end(whole):
    _, eyes = whole("tiny-translator")
    found = boxes(eyes)
    source, target = found["Encoder 2: norm"], found["Output: norm"]
    assert source.leads == GoTo("model.encoder.final")
    assert target.leads == GoTo("model.final")
    layer = next(box for name, box in found.items() if name.startswith("Encoder 1 of 2"))
    assert source.place[0] > layer.place[0] + layer.place[2]


@pytest.mark.parametrize(
    ("positions", "before"), [("sinusoidal", "Input: embeddings with positions"), ("ALiBi", "Input: embeddings")]
)
def test_the_dropout_of_the_embeddings_stands_beside_them(desk, positions, before):
    made = desk("i-love-ai")
    made.do(SetSwitch("input", "dropout", 0.5), SetSwitch("input", "positions", positions))
    found = boxes(made.page(WHOLE.name))
    assert apart(found[before].place, found["Input: dropout"].place)


def test_the_norm_of_the_embeddings_stands_in_the_stream(desk):
    """BERT's picture led from the embeddings with positions into the layers, as if nothing stood between."""
    made = desk("i-love-ai")
    made.do(SetSwitch("input", "embedding_norm", True), SetSwitch("input", "dropout", 0.5))
    found = {mark.name: mark for mark in made.page(WHOLE.name).marks("model", Box)}
    order = [found[f"Input: {name}"].place[0] for name in ("embeddings with positions", "norm", "dropout")]
    assert order == sorted(order)
    assert found["Input: norm"].leads == found["Input: embeddings"].leads


def test_the_way_from_the_encoder_does_not_cross_the_title_of_the_decoder(whole):
    _, eyes = whole("tiny-translator")
    frame = next(box for box in eyes.marks("model", Box) if box.title == "Decoder 1 of 2")
    left, top, width, _ = frame.place
    ways = [way.points[-1][0] for way in eyes.marks("model", FlowLine) if way.points[0][1] < top < way.points[-1][1]]
    crossing = [x for x in ways if left <= x <= left + width]
    assert crossing
    # Its letters are 9 pixels high at least, in the smallest usual window some 16 numbers of the drawing.
    assert min(crossing) > left + 0.6 * 16 * len(frame.title)


@pytest.mark.parametrize(("lesson", "setting"), EXAMPLES, ids=map("-".join, EXAMPLES))
def test_every_example_has_a_picture_whose_boxes_lead_to_its_blocks_and_stages(whole, lesson, setting):
    desk, _ = whole(lesson, setting)
    desk.choose(LAYER, ALL)
    eyes = desk.page(WHOLE.name)
    drawing, names = eyes.drawing("model"), {stage.name for stage in places(desk.view.graph)}
    assert drawing.zoom
    assert drawing.summary
    left, right, top, bottom = drawing.window
    for box in eyes.marks("model", Box):
        assert isinstance(box.leads, Keep) or box.leads is None or box.leads.value in names
        assert inside(box.place, (left, top, right - left, bottom - top)), box.name
    led = {box.leads.value for box in eyes.marks("model", Box) if isinstance(box.leads, GoTo)}
    names_of_boxes = [box.name for box in eyes.marks("model", Box)]
    assert all(names_of_boxes)
    assert [name for name in names_of_boxes if names_of_boxes.count(name) > 1] == []
    for block in [name for name in led if name.startswith(f"{WHOLE.name}.")]:
        led |= {box.leads.value for box in desk.page(block).marks("model", Box)}
    shown = {stage.name for stage in desk.view.graph.stages}
    assert shown - led <= {"regression"}


@pytest.mark.parametrize(("lesson", "setting"), EXAMPLES[::2], ids=map("-".join, EXAMPLES[::2]))
def test_images_hold_what_matrices_show(whole, lesson, setting):
    desk, _ = whole(lesson, setting)
    for showing in ("values", "change", "gradient", "step", "difference"):
        desk.look(showing=showing)
        eyes = desk.page(WHOLE.name)
        for image in eyes.marks("model", Image):
            np.testing.assert_array_equal(image.array, np.atleast_2d(desk.view.shown(image.node)))
        for box in eyes.marks("model", Box):
            assert box.share is None or 0 <= box.share <= 1


# Lanes


def test_an_encoder_stands_above_its_decoder():
    view = View.of(Document(load("you-are-welcome").state()))
    marks = page(view, WHOLE).elements[-1].drawing.marks
    frames = {mark.name: mark for mark in marks if isinstance(mark, Box) and mark.around}
    encoder, decoder = frames["Encoder 1"], frames["Decoder 1"]
    assert encoder.place[1] + encoder.place[3] < decoder.place[1]


def test_each_word_stands_before_its_row(whole):
    _, eyes = whole()
    at_the_left = [mark for mark in eyes.marks("model", Words) if mark.x < 0]
    words = {mark.token: mark for mark in at_the_left if mark.token is not None}
    assert [words["source", i].text for i in range(3)] == ["You", "are", "welcome"]
    for image in images(eyes, "X"):
        _, top, _, height = image.place
        for i in range(3):
            assert words[image.token, i].y == pytest.approx(top + (i + 0.5) * height / 3)


def test_lines_join_words_only_in_attention(whole):
    desk, eyes = whole(*TEXTBOOK)
    joining = np.concatenate([m.ends[m.ends[:, 0, 1] != m.ends[:, 1, 1]] for m in eyes.marks("model", Segments)])
    names = "Encoder 1: Self-attention, 2 heads", "Decoder 1: Self-attention", "Decoder 1: Cross-attention"
    attention = [boxes(eyes)[name].place for name in names]
    assert len(joining)
    for (start, _), (end, _) in joining.tolist():
        assert any(left <= start and end <= left + width for left, _, width, _ in attention)
    # Each line is a share of the mean of the heads: of the 9 pairs of the encoder, 6 that a decoder may look at, and 9
    # of words of the target and of the source.
    weights = [
        desk.value(f"{block}.weights").mean(0) for block in ("encoder.1.self", "decoder.1.self", "decoder.1.cross")
    ]
    straight = sum(int((np.diag(w) >= 0.04).sum()) for w in weights)
    assert len(joining) == sum(int((w >= 0.04).sum()) for w in weights) - straight


def test_cross_attention_joins_the_words_of_the_source_with_those_of_the_target(whole):
    desk, eyes = whole(*TEXTBOOK)
    (card,) = [box for box in eyes.marks("model", Box) if box.name == "The source, to look at"]
    words = [m for m in eyes.marks("model", Words) if m.token is not None and m.token[0] == "source" and m.x > 0]
    assert [mark.text for mark in words] == ["You", "are", "welcome"]
    left, top, wide, high = card.place
    assert all(left <= mark.x <= left + wide and top <= mark.y <= top + high for mark in words)
    lines = [m for m in eyes.marks("model", Segments) if m.whose is not None and len(m.ends)]
    lines = [m for m in lines if (m.ends[:, 0, 0] == left + wide).all()]
    assert sum(len(mark.ends) for mark in lines) == (desk.value("decoder.1.cross.weights").mean(0) >= 0.04).sum()
    assert {mark.token for mark in lines} == {"target"}


def test_the_numbers_of_an_edit_move_no_mark_to_another_number(whole):
    """Lines of another thickness came between, and all that is drawn behind them was painted again."""
    desk, eyes = whole(*TEXTBOOK)
    before = eyes.marks("model", object)
    for weight in (5.0, -5.0):
        desk.do(SetCells("encoder.1.self.W_Q", {(0, 0, 0): weight}))
        after = desk.page(WHOLE.name).marks("model", object)
        thick = [[m.width for m in marks if isinstance(m, Segments) and len(m.ends)] for marks in (before, after)]
        assert thick[0] != thick[1], "the edit shows in lines of other thickness"
        assert [(type(m), getattr(m, "place", None)) for m in after] == [
            (type(m), getattr(m, "place", None)) for m in before
        ]


def test_however_many_words_each_is_joined_with_the_one_that_it_looks_at_most(desk):
    text = " ".join(f"word{i}" for i in range(40))
    made = desk()
    made.document = Document(new_lesson("gpt", [text], d_model=8, heads=2).state())
    lines = [m for m in made.page(WHOLE.name).marks("model", Segments) if m.whose is not None and m.ink == series(0)]
    most = made.value("decoder.1.self.weights").mean(0).argmax(-1)
    ends = {int(whose): line[:, 1] for m in lines for line, whose in zip(m.ends, m.whose, strict=True)}
    assert set(ends) == set(range(40))
    rows = np.array([ends[i][0] - ends[i][1] for i in range(40)])
    each = rows[-1] / (most[-1] - 39)
    np.testing.assert_allclose(rows, (most - np.arange(40)) * each)


def test_lines_of_many_words_leave_room_between_each_other(desk):
    """Each was as thick as among three words: of 250 words, all lines were one blue area."""
    made = desk()
    made.document = Document(new_lesson("gpt", [" ".join(f"w{i}" for i in range(250))], d_model=4).state())
    lines = [m for m in made.page(WHOLE.name).marks("model", Segments) if m.whose is not None and m.ink == series(0)]
    place = {int(whose): line[1, 1] for m in lines for line, whose in zip(m.ends, m.whose, strict=True)}
    assert 0 < max(m.width for m in lines) < 0.7 * (place[200] - place[100]) / 100


def test_each_line_knows_the_word_that_it_belongs_to(whole):
    _, eyes = whole(*TEXTBOOK)
    words = {m.token: m.y for m in eyes.marks("model", Words) if m.token is not None and m.x < 0}
    marks = [mark for mark in eyes.marks("model", Segments) if mark.whose is not None]
    assert marks
    for mark in marks:
        for (_, (_, y)), place in zip(mark.ends.tolist(), mark.whose.tolist(), strict=True):
            assert y == pytest.approx(words[mark.token, place])


def test_all_layers_stand_in_rows_of_about_the_shape_of_a_page(desk):
    made = desk()
    made.document = Document(deep())
    made.choose(LAYER, ALL)
    eyes = made.page(WHOLE.name)
    left, right, top, bottom = eyes.drawing("model").window
    assert 1.2 < (right - left) / (bottom - top) < 3.5
    frames = [mark.place for mark in eyes.marks("model", Box) if mark.around]
    assert all(apart(one, other) for one, other in itertools.combinations(frames, 2))


def test_the_title_of_a_single_word_in_large_letters_does_not_lie_on_its_vector(desk):
    made = desk()
    made.document = Document(new_lesson("gpt", ["one"], d_model=8, layers=4).state())
    made.choose(LAYER, ALL)
    eyes = made.page(WHOLE.name)
    title = next(mark for mark in eyes.marks("model", Words) if mark.text == "Words in")
    assert title.y + title.size / 2 < boxes(eyes)["Input: embeddings"].place[1]


@pytest.mark.parametrize("every", [True, False])
def test_in_a_deep_translator_nothing_lies_on_a_layer_that_is_not_its_own(desk, every):
    made = desk()
    made.document = Document(deep_translator())
    if every:
        made.choose(LAYER, ALL)
    eyes = made.page(WHOLE.name)
    frames = [mark.place for mark in eyes.marks("model", Box) if mark.around and isinstance(mark.leads, Keep)]
    words = [(m.x - m.align * m.room, m.y, m.room, 0.0) for m in eyes.marks("model", Words) if m.room and m.x < 0]
    ends = [mark.place for mark in (*eyes.marks("model", Bars), boxes(eyes)["Loss"])]
    assert len(words) == 7
    left, right, top, bottom = eyes.drawing("model").window
    for place in (*words, *ends):
        assert inside(place, (left, top, right - left, bottom - top))
        assert all(apart(place, frame) for frame in frames)
    if every:  # the ways from the encoder cross no layer: they bend between the rows
        for way in eyes.marks("model", FlowLine):
            for (x, y), (_, end) in itertools.pairwise(way.points):
                crossed = [
                    f for f in frames if f[0] < x < f[0] + f[2] and min(y, end) < f[1] < f[1] + f[3] < max(y, end)
                ]
                assert not crossed


# In one row the answers stand above the decoder; at its end if there are more, of the encoder or of the decoder.
@pytest.mark.parametrize(("layers", "behind"), [(2, 0), (4, 0), (6, 2)])
def test_the_answers_of_a_translator_with_many_words_lie_within_the_picture_and_on_no_layer(desk, layers, behind):
    made = desk()
    texts = ["one two three four five", "one two three four five six seven eight nine ten eleven"]
    state = new_lesson("encoder-decoder", texts, d_model=8, layers=layers, heads=4).state()
    made.document = Document(state.rebuilt(replace(state.model, behind=behind)))
    made.choose(LAYER, ALL)
    eyes = made.page(WHOLE.name)
    left, right, top, bottom = eyes.drawing("model").window
    frames = [mark.place for mark in eyes.marks("model", Box) if mark.around and isinstance(mark.leads, Keep)]
    found = boxes(eyes)
    for name in ("What comes after “eleven”", "Loss"):
        place = found[name].place
        assert inside(place, (left, top, right - left, bottom - top))
        assert all(apart(place, frame) for frame in frames)
    words = [mark.text for mark in eyes.marks("model", Words)]
    assert words.count(BRIDGE) == 1, "several times at one place they look bold"


def test_heads_stand_side_by_side_in_their_block(whole):
    _, eyes = whole("jane")
    heads = images(eyes, "weights")
    assert [image.node for image in heads] == [Place("encoder.1.self.weights", k) for k in range(3)]
    block = boxes(eyes)["Layer 1: Self-attention, 3 heads"]
    assert all(inside(image.place, block.place) for image in heads)


def test_what_is_added_is_drawn_only_with_a_residual(whole):
    plus = [
        sum(box.title == "+" for box in boxes(whole("you-are-welcome", s)[1]).values()) for s in ("printed", "textbook")
    ]
    assert plus[0] < plus[1]


def test_what_comes_next_is_told_with_its_probabilities(whole):
    desk, eyes = whole()
    (bars,) = eyes.marks("model", Bars)
    probabilities = desk.value("output.probabilities")
    assert bars.values == tuple(np.sort(probabilities[-1])[::-1][: len(bars.values)])
    words = desk.view.labels(desk.view.nodes["output.probabilities"].axes[1])
    assert bars.words[0] == words[probabilities[-1].argmax()]
    assert [probabilities[cell.index] for cell in bars.cells] == list(bars.values)
    assert bars.before == ()


def test_many_layers_fold_into_one_and_open_on_demand(desk):
    document = Document(deep())
    view = View.of(document)
    folded = page(view, WHOLE)
    (frame,) = [m for m in folded.elements[-1].drawing.marks if isinstance(m, Box) and m.around]
    assert frame.folded
    assert "12" in frame.title
    assert frame.leads == Keep(LAYER, ALL)
    made = desk()
    made.document = document
    made.choose(LAYER, ALL)
    opened = [m for m in made.page(WHOLE.name).marks("model", Box) if m.around]
    assert [m.name for m in opened] == [f"Layer {k}" for k in range(1, 13)]
    assert not any(m.folded for m in opened)
    made.choose(LAYER, 7)
    eyes = made.page(WHOLE.name)
    assert eyes.the("layer").chosen == 6
    assert {m.node.node for m in images(eyes, "weights")} == {"decoder.7.self.weights"}
    assert {"after layer 6", "after layer 12"} <= {m.text for m in eyes.marks("model", Words)}
    assert frame.name == "Layer 1 of 12, all alike: × 12"
    assert eyes.the("layer").tip.endswith("the others have the same blocks")
    made.do(SetSwitch("decoder.2.ffn", "on", False))
    eyes = made.page(WHOLE.name)
    assert "Layer 7 of 12, not all alike: × 12" in boxes(eyes)
    assert "are not all alike" in eyes.the("layer").tip


# In large letters


@pytest.mark.parametrize(("lesson", "setting"), [TEXTBOOK, ("jane", None), ("i-love-ai", None)])
@pytest.mark.parametrize("showing", ["values", "gradient"])
def test_in_large_letters_blocks_stand_below_each_other_and_lead_where_others_do(whole, lesson, setting, showing):
    desk, plain = whole(lesson, setting, showing=showing)
    desk.look(large=True)
    eyes = desk.page(WHOLE.name)
    drawing, large = eyes.drawing("model"), boxes(eyes)
    left, right, top, bottom = drawing.window
    assert all(inside(box.place, (left, top, right - left, bottom - top)) for box in large.values())
    alone = [box.place for box in large.values() if not box.around]
    assert all(apart(one, other) for one, other in itertools.combinations(alone, 2))
    for layer in (box for box in large.values() if box.around):
        first = min(box.place[1] for box in large.values() if box is not layer and inside(box.place, layer.place))
        assert first - layer.place[1] > 1.35 * 11.7 * layer.letters, "the title's letters reach below their line"
    led = {box.leads for box in boxes(plain).values() if isinstance(box.leads, GoTo)}
    assert {box.leads for box in large.values() if isinstance(box.leads, GoTo)} == led - {GoTo("final.norm")}
    offers = {box.name: (box.share, [words for words, _ in box.menu]) for box in large.values() if box.menu}
    assert offers == {
        box.name: (box.share, [words for words, _ in box.menu]) for box in boxes(plain).values() if box.menu
    }
    for image in eyes.marks("model", Image):
        np.testing.assert_array_equal(image.array, np.atleast_2d(desk.view.shown(image.node)))


def test_in_large_letters_boxes_without_a_stream_stand_closer_together_and_as_high_as_their_titles_need(whole):
    for lesson, setting in (("emma", "plain"), ("two-vectors", "alike")):
        windows = [whole(lesson, setting, large=large)[1].drawing("model").window for large in (False, True)]
        usual, large = (right - left for left, right, _, _ in windows)
        assert large < 0.65 * usual
        _, _, top, bottom = windows[1]
        picture = whole(lesson, setting, large=True)[1].the("model")
        assert picture.height == round(READABLE * (bottom - top))


def test_in_large_letters_all_layers_have_their_colours_and_a_click_draws_another_one(desk):
    """A slide asked which of twelve layers has the longest gradient, and showed the first."""
    made = desk()
    made.document = Document(new_lesson("gpt", ["one two"], d_model=8, layers=3).state())
    made.look(large=True, showing="gradient")
    found = boxes(made.page(WHOLE.name))
    frame = found["Layer 1 of 3"]
    assert frame.leads == Keep(LAYER, 2)
    layers = [box for box in found.values() if box.title in {"1", "2", "3"}]
    assert [box.leads for box in layers] == [Keep(LAYER, k) for k in (1, 2, 3)]
    assert all(inside(box.place, frame.place) for box in layers)
    blocks = [box for box in found.values() if box.menu]
    assert layers[0].share == max(box.share for box in blocks) > 0
    assert layers[0].name.startswith("Decoder: layer 1, ∂L")
    made.choose(LAYER, 3)
    assert boxes(made.page(WHOLE.name))["Layer 3 of 3"].leads == Keep(LAYER, 1)
    made.look(large=True, showing="values")
    assert "3" not in {box.title for box in boxes(made.page(WHOLE.name)).values()}, "there are no colours to compare"


def test_in_large_letters_words_are_joined_only_in_attention(whole):
    desk, _ = whole(*TEXTBOOK, large=True)
    eyes = desk.page(WHOLE.name)
    joining = np.concatenate([m.ends[m.ends[:, 0, 0] != m.ends[:, 1, 0]] for m in eyes.marks("model", Segments)])
    attention = [box.place for name, box in boxes(eyes).items() if "attention" in name]
    assert len(joining)
    for (start, top), (end, bottom) in joining.tolist():
        assert any(inside((min(start, end), top, abs(end - start), bottom - top), place) for place in attention)


def test_in_large_letters_a_single_long_word_stands_once(desk):
    made = desk("i-love-ai")
    made.do(SetTokens("input", ("a" * 60,)))
    made.look(large=True)
    texts = [mark.text for mark in made.page(WHOLE.name).marks("model", Words)]
    assert texts[:2] == ["Words in", "a" * 60]


def test_in_large_letters_words_of_an_encoder_without_room_are_told_by_the_first_and_the_last(desk):
    made = desk()
    made.look(large=True)
    for words, told in ((("a" * 9,) * 8, "aaaaaaaaa … aaaaaaaaa"), (("a" * 20, "b" * 20), f"{'a' * 20} {'b' * 20}")):
        made.document = Document(new_lesson("encoder", [" ".join(words)]).state())
        texts = [mark.text for mark in made.page(WHOLE.name).marks("model", Words)]
        assert texts == ["Words in", told, "+", "Each word in its context", told]


def test_in_large_letters_one_layer_stands_for_all(desk):
    made = desk()
    made.document = Document(deep_translator())
    made.look(large=True, choices={LAYER: ALL})
    eyes = made.page(WHOLE.name)
    assert [box.title for box in boxes(eyes).values() if box.folded] == ["Encoder 1 of 12", "Decoder 1 of 12"]
    assert eyes.the("layer").options[-1] == "12"
    for layer in (box for box in boxes(eyes).values() if box.folded):
        left, top, width, high = layer.place
        behind = left + SHEETS, top - SHEETS, width, high  # the last of the sheets
        others = [box.place for box in boxes(eyes).values() if not inside(box.place, layer.place)]
        assert all(apart(behind, other) for other in others if other[1] < top)
    assert "<start> … bitte" in {mark.text for mark in eyes.marks("model", Words)}


# Numbers beside colours


def test_a_change_is_told_as_part_of_what_stood_there(desk):
    made = desk(*TEXTBOOK)
    was = {name: value.copy() for name, value in made.view.values.items()}
    made.do(SetCells("source.table", {(0, 0): 2.5}))
    made.look(showing="change")
    name = "encoder.1.self.projected"
    moved = np.linalg.norm(made.value(name) - was[name]) / np.linalg.norm(was[name])
    note, share = amount(made.view, name)
    assert float(note.removeprefix("Δ ").removesuffix("%")) == pytest.approx(100 * moved, rel=0.06)
    assert share == pytest.approx(np.clip((np.log10(moved) + 4) / 5, 0, 1))
    assert boxes(made.page(WHOLE.name))["Encoder 1: Self-attention, 2 heads"].note == note
    assert amount(made.view, "decoder.1.self.projected") == ("same", 0.0)
    assert made.page(WHOLE.name).page.header.sentence.endswith("the more its numbers changed.")
    made.look(showing="step")
    assert made.page(WHOLE.name).page.header.sentence.startswith("What the last step changed")


def test_what_the_other_model_does_not_have_is_not_said_to_be_the_same(desk):
    made, other = desk("i-love-ai"), desk("i-love-ai")
    other.do(SetTokens("input", ("I", "love")))
    made.look(showing="difference")
    made.others = {"beside": other.view}
    assert amount(made.view, "input.X") == ("–", 0.0)
    assert amount(made.view, "decoder.1.self.W_Q") == ("same", 0.0)


def test_a_gradient_is_as_long_as_differences_say(desk):
    made = desk(*TEXTBOOK)
    made.look(showing="gradient")
    name, step = "source.table", 1e-6
    table, squares = made.value(name), 0.0
    for cell in np.ndindex(table.shape):
        losses = []
        for sign in (1, -1):
            other = Document(made.document.state)
            other.do(SetCells(name, {cell: table[cell] + sign * step}))
            losses.append(float(other.engine.values["loss.value"]))
        squares += ((losses[0] - losses[1]) / (2 * step)) ** 2
    assert amount(made.view, name)[1] == pytest.approx(depth(squares**0.5), abs=1e-4)


# One word's way


def test_what_is_added_to_a_vector_of_zeros_is_not_said_to_be_nothing(desk):
    made = desk("i-love-ai")
    made.do(SetSwitch("input", "positions", "none"))
    word = int(made.value("input.tokens")[0])
    made.do(SetCells("input.table", {(word, j): 0.0 for j in range(made.value("input.table").shape[1])}))
    made.look(token=("input", 0))
    assert "adds to a vector of zeros" in [mark.text for mark in made.page(WHOLE.name).marks("model", Words)]


def test_the_way_of_a_word_is_drawn_and_measured(desk):
    made = desk(*TEXTBOOK)
    plain = made.page(WHOLE.name)
    made.look(token=("target", 1))
    made.choose("row.target", 1)
    eyes = made.page(WHOLE.name)
    told = [mark.text for mark in eyes.marks("model", Words) if mark.text.startswith("adds")]
    assert not [mark for mark in plain.marks("model", Words) if mark.text.startswith("adds")]
    added, before = made.value("decoder.1.self.projected")[1], made.value("target.H")[1]
    assert told[0] == f"adds {100 * np.linalg.norm(added) / np.linalg.norm(before):.0f}% of its length"
    assert len(told) == 3
    here = np.concatenate([m.ends for m in eyes.marks("model", Segments) if m.ink == "here"])
    shares = [made.value(f"decoder.1.{block}.weights")[0, 1] for block in ("self", "cross")]
    assert len(here) == sum((some >= 0.04).sum() for some in shares)
    blue = [m.whose.tolist() for m in eyes.marks("model", Segments) if m.ink == series(0)]
    assert blue == [[2]], "the word behind it looks at it"
    assert {m.ink for m in eyes.marks("model", Segments) if m.dashed} == {series(0)}
    assert not any(m.dashed for m in plain.marks("model", Segments))
    made.do(SetSwitch("decoder.1.self", "norm", "both"))
    told = [mark.text for mark in made.page(WHOLE.name).marks("model", Words) if mark.text.startswith("adds")]
    added, before = made.value("decoder.1.self.output_norm")[1], made.value("target.H")[1]
    assert told[0] == f"adds {100 * np.linalg.norm(added) / np.linalg.norm(before):.0f}% of its length"
    assert {image.token for image in eyes.marks("model", Image)} >= {"source", "target"}
    (bars,) = eyes.marks("model", Bars)
    assert bars.cells[0].index[0] == 1


# A pass, played


@pytest.mark.parametrize("lesson", ["you-are-welcome", "xor", "translation-lookup"])
def test_a_pass_reaches_one_node_after_the_other(desk, lesson):
    made = desk(lesson)
    player = made.page(WHOLE.name).the("player")
    assert isinstance(player, Player)
    assert player.value == len(player.steps)
    faint = []
    for step in range(len(player.steps) + 1):
        made.choose(PLAYED, step)
        faint.append(sum(mark.faint for mark in made.page(WHOLE.name).drawing("model").marks))
    assert faint[-1] == 0
    assert all(a > b for a, b in itertools.pairwise(faint))


def test_gradients_are_played_backward(desk):
    made = desk()
    forward = made.page(WHOLE.name).the("player").steps
    made.look(showing="gradient")
    player = made.page(WHOLE.name).the("player")
    assert player.steps == forward[::-1]
    made.choose(PLAYED, 1)
    marks = boxes(made.page(WHOLE.name))
    assert not marks["Loss"].faint
    assert marks["Encoder 1: Self-attention, 2 heads"].faint


# Turning parts off


def test_a_block_is_turned_off_and_on_again(desk):
    made = desk(*TEXTBOOK)
    before = made.value("output.probabilities").copy()
    menu = dict(boxes(made.page(WHOLE.name))["Decoder 1: Cross-attention"].menu)
    act = menu["Turn cross-attention off"]
    assert isinstance(act, Edit)
    made.do(act.command())
    assert not made.value("decoder.1.cross.projected").any()
    eyes = made.page(WHOLE.name)
    off = boxes(eyes)["Decoder 1: Cross-attention, switched off"]
    (bars,) = eyes.marks("model", Bars)
    assert off.off
    assert bars.before == tuple(before[cell.index] for cell in bars.cells)
    made.do(dict(off.menu)["Turn cross-attention on"].command())
    np.testing.assert_array_equal(made.value("output.probabilities"), before)


def test_where_experts_are_turned_off_the_one_that_all_words_use_is_too(desk):
    made = desk("i-love-ai")
    made.do(SetSwitch("decoder.1.ffn", "experts", 2), SetSwitch("decoder.1.ffn", "shared", 3))
    menu = dict(boxes(made.page(WHOLE.name))["Layer 1: Experts"].menu)
    made.do(menu["Turn feed-forward off"].command())
    reads, _ = made.view.nodes["decoder.1.ffn.residual"].parents
    np.testing.assert_array_equal(made.value("decoder.1.ffn.residual"), made.value(reads))


def test_a_head_a_residual_and_a_norm_can_be_turned_off(desk):
    made = desk(*TEXTBOOK)
    menu = dict(boxes(made.page(WHOLE.name))["Encoder 1: Self-attention, 2 heads"].menu)
    made.do(menu["Turn head 2 off"].command())
    assert not made.value("encoder.1.self.output")[1].any()
    assert made.value("encoder.1.self.output")[0].any()
    eyes = made.page(WHOLE.name)
    (cross,) = [mark for mark in eyes.marks("model", Words) if mark.text == "✕"]
    left, top, width, height = next(i.place for i in images(eyes, "weights") if i.node.index == (1,))
    assert (cross.x, cross.y) == pytest.approx((left + width / 2, top + height / 2))
    made.do(menu["Turn the residual off"].command(), menu["Turn the norm off"].command())
    assert {"encoder.1.self.residual", "encoder.1.self.norm"}.isdisjoint(made.view.nodes)
    menu = dict(boxes(made.page(WHOLE.name))["Encoder 1: Self-attention, 2 heads"].menu)
    assert {"Turn head 2 on", "Turn the residual on", "Turn the norm on"} <= menu.keys()


def test_a_norm_that_is_turned_off_and_on_stands_where_it_stood(desk):
    """In a model with its norms before the blocks, one that was turned on again stood behind its block."""
    made = desk("tiny-gpt")
    before = made.value("output.logits")
    for turned in ("off", "on"):
        (block,) = [one for one in boxes(made.page(WHOLE.name)).values() if one.title.endswith("Feed-forward")]
        made.do(dict(block.menu)[f"Turn the norm {turned}"].command())
    np.testing.assert_array_equal(made.value("output.logits"), before)


# Models without a stream


def test_a_net_is_drawn_as_its_neurons(desk):
    made = desk("xor")
    made.choose("row.input", 2)
    eyes = made.page(WHOLE.name)
    assert isinstance(eyes.the("example"), Choice)
    assert eyes.the("example").chosen == 2
    dots = eyes.marks("model", Dot)
    assert [dot.cell.node for dot in dots] == ["input.X"] * 2 + ["layer.1.activation"] * 2 + ["layer.2.activation"]
    assert {dot.cell.index[0] for dot in dots} == {2}
    assert all(dot.signed for dot in dots)
    edges = np.concatenate([mark.ends for mark in eyes.marks("model", Segments)])
    assert len(edges) == np.count_nonzero(made.value("layer.1.W")) + np.count_nonzero(made.value("layer.2.W"))
    taking = sum(len(mark.ends) for mark in eyes.marks("model", Segments) if mark.dashed)
    assert taking == np.sum(made.value("layer.1.W") < 0) + np.sum(made.value("layer.2.W") < 0) > 0


def test_a_chain_shows_each_node_behind_what_it_is_made_from(whole):
    _, eyes = whole("translation-lookup")
    places = {box.title: box.place for box in eyes.marks("model", Box)}
    assert places["Q"][0] == places["K"][0]
    for one, other in itertools.pairwise(["Q", "scores", "weights", "output"]):
        assert places[other][0] > places[one][0] or places[other][1] > places[one][1] + places[one][3]
    assert {"avec", "ci-dessous"} <= {mark.text for mark in eyes.marks("model", Words)}


def test_crumbs_lead_back(desk):
    made = desk()
    assert made.page(WHOLE.name).page.header.crumbs == ()
    crumbs = made.page("encoder.1.ffn.layers").page.header.crumbs
    assert [(crumb.text, crumb.asks.value) for crumb in crumbs] == [
        ("The model", WHOLE.name),
        ("Encoder 1: Feed-forward block", "model.encoder.1.ffn"),
    ]
    (crumb,) = made.page("model.encoder.1.ffn").page.header.crumbs
    assert crumb.asks == GoTo(WHOLE.name)
    assert [crumb.text for crumb in made.page("loss").page.header.crumbs] == ["The model"]


@pytest.mark.parametrize(("numbers", "long"), [([3.0, 4.0], 5.0), ([3e200, -4e200, np.inf], 5e200), ([np.nan], 0.0)])
def test_a_gradient_may_be_so_large_that_its_square_cannot_be_written(numbers, long):
    assert length(np.array(numbers)) == pytest.approx(long)


def test_what_is_computed_in_two_stages_under_one_name_is_told_apart_by_its_stage(whole):
    _, eyes = whole("jump")
    titles = [box.title for box in eyes.marks("model", Box)]
    assert [title for title in titles if title.endswith("norm")] == [
        *("γ of layer norm", "β of layer norm", "Layer norm"),
        *("γ of batch norm", "β of batch norm", "Batch norm"),
    ]
    brief = {box.title: box.briefly for box in eyes.marks("model", Box)}  # in a small picture
    assert (brief["γ of batch norm"], brief["Batch norm"]) == ("γ", "")


@pytest.mark.parametrize(("lesson", "name"), [("cat-sat-on-the", "logits"), ("translation-lookup", "weights")])
def test_a_box_is_as_wide_as_the_numbers_of_a_short_row_need(whole, lesson, name):
    """Their pictures showed a dash for each number below 0, and no number, beside boxes that were mostly empty."""
    made, eyes = whole(lesson)
    (box,) = (box for box in eyes.marks("model", Box) if box.title == name)
    (node,) = (one for one in made.view.nodes.values() if one.short == name)
    assert box.place[2] >= 25 * made.value(node.name).shape[-1] + 14


@pytest.mark.parametrize(
    ("number", "said"), [(-10.0, "−10.0"), (2.0, "2.00"), (-4.815, "−4.82"), (123.456, "123.5"), (5e-5, "≈ 0")]
)
def test_a_number_in_a_neuron_is_short_enough_for_its_circle(desk, number, said):
    sin = desk("sin")
    sin.do(SetCells("input.X", {(0, 0): number}))
    first = next(dot for dot in sin.page(WHOLE.name).marks("model", Dot) if dot.cell.node == "input.X")
    assert first.inside == said


@pytest.mark.parametrize(("lesson", "stage"), [("emma", "attention"), ("you-are-welcome", "encoder.1.self.attention")])
def test_weights_have_the_colours_that_they_have_on_their_page(whole, lesson, stage):
    made, model = whole(lesson)
    (one, *_), (page, *_) = images(model, "weights"), made.page(stage).all(HeatMap)
    assert (one.colours, one.high) == (SHARES, page.full) == (SHARES, 1.0)


def test_of_shares_among_many_words_one_sees_where_they_go(desk):
    text = " ".join(f"word{i}" for i in range(LONG + 1))
    made = desk()
    made.document = Document(new_lesson("gpt", [text], d_model=8, heads=2).state())
    weights = images(made.page(WHOLE.name), "weights")
    assert weights
    assert all(0 < one.high < 1 for one in weights)


def test_a_weight_of_a_net_is_as_thick_in_each_layer(desk):
    """Thickness was measured within a layer: 1.0 of one was as thick as −2.0 of the next."""
    xor = desk("xor", "textbook")
    marks = [mark for mark in xor.page(WHOLE.name).marks("model", Segments) if not mark.dashed]
    assert len(marks) == 2, "1.0 in both layers"
    assert marks[0].width == marks[1].width
    (less,) = [mark for mark in xor.page(WHOLE.name).marks("model", Segments) if mark.dashed]
    assert less.width > marks[0].width, "−2.0"
    keys = []
    for showing in ("values", "gradient"):
        xor.look(showing=showing)
        keys.append(xor.page(WHOLE.name).marks("model", Words)[-1].text)
    assert "gold adds" in keys[0]
    assert "gold: above 0" in keys[1], "a gradient adds nothing"


def test_a_net_names_its_few_units_and_begins_with_a_case_in_which_something_passes(desk):
    eyes = desk("xor", "textbook").page(WHOLE.name)
    assert {mark.text for mark in eyes.marks("model", Words)} >= {"x₁", "x₂", "h₁", "h₂", "y", "0, 1"}
    assert [dot.inside for dot in eyes.marks("model", Dot)] == ["0.00", "1.00", "1.00", "0.00", "1.00"]


def test_what_comes_into_a_layer_of_a_net_and_what_it_makes_have_symbols_of_their_own(desk):
    nodes = desk("sin").view.nodes
    assert [nodes[f"layer.{k}.hidden"].symbol for k in (1, 2, 3)] == ["h", "h'", "h''"]
    assert [nodes[f"layer.{k}.activation"].symbol for k in (1, 2, 3)] == ["a", "a'", "a''"]


def test_who_looks_at_many_words_alike_has_faint_lines(desk):
    """256 equal lines hid the words that heads are about."""
    jane = desk("jane")
    mean = jane.value("encoder.1.self.weights").mean(0)
    uneven = set(np.flatnonzero(mean.max(-1) > 1.01 / len(mean)).tolist())
    strong = [mark for mark in jane.page(WHOLE.name).marks("model", Segments) if mark.ink == series(0)]
    assert 0 < len(uneven) < len(mean)
    assert {int(i) for mark in strong for i in mark.whose} == uneven


@pytest.mark.parametrize("lesson", ["tiny-gpt", "stories260k"])
def test_a_box_has_the_share_of_the_multiplications_that_the_page_of_costs_counts(whole, lesson):
    made, shown = whole(lesson)
    found = cost(made.view.state.model, made.view.graph)
    (output,) = [one.tip for one in shown.marks("model", Box) if one.leads == GoTo("model.output")]
    assert f"{100 * found.multiplications['output'] / found.together:.0f}% of the multiplications" in output
    norms = [one.tip for one in shown.marks("model", Box) if one.title == "norm"]
    assert norms
    assert not any("multiplications" in tip for tip in norms)


def test_boxes_together_have_the_parameters_of_the_model_and_waves_have_none(desk):
    made = desk()
    made.document = Document(new_lesson("gpt", ["one two three"], d_model=8, heads=2).state())
    tips = [box.tip for box in made.page(WHOLE.name).marks("model", Box)]
    counts = re.findall(r"([\d,]+) parameter", " ".join(tips))
    every = total(parameters(made.view.graph, made.view.state.model))
    assert sum(int(count.replace(",", "")) for count in counts) == every
    assert not any("parameter" in tip for tip in tips if "Positions" in tip)


def test_words_look_back_only_where_the_mask_makes_them(desk):
    made = desk("tiny-gpt")

    def said():
        shown = made.page(WHOLE.name)
        captions = {mark.text for mark in shown.marks("model", Words)}
        return captions, " ".join(mark.tip for mark in shown.marks("model", Box))

    captions, tips = said()
    assert "words look back" in captions
    assert "looks at itself and at the words before it" in tips
    for mask, caption, tip in (
        ("none", "all look at all", "each looks at all words"),
        ("hand", "as the mask lets them", "each looks at those that the mask lets it see"),
        ("causal", "words look back a little", "at the nearest words before it"),
    ):
        made.do(SetSwitch("decoder.1.self", "window", 2))
        made.do(SetSwitch("decoder.1.self", "mask", mask))
        captions, tips = said()
        assert caption in captions
        assert tip in tips
        assert "words look back" not in captions
        assert "the words before it" not in tips


def test_where_words_look_at_another_text_too_no_attention_is_called_the_only_one(desk):
    tips = " ".join(mark.tip for mark in desk("you-are-welcome").page(WHOLE.name).marks("model", Box))
    assert "Each word looks at all words of its own text" in tips
    assert "The words of the target look at those of the source" in tips
    assert "Only here" not in tips


def test_a_sum_without_a_norm_is_not_said_to_normalise(desk):
    shown = desk("tiny-gpt").page("model.decoder.1.self")
    (tip,) = [mark.tip for mark in shown.marks("model", Box) if mark.leads == GoTo("decoder.1.self.after")]
    assert "added to what came in" in tip


def test_an_encoder_that_says_words_is_said_to_do_so():
    document = Document(new_lesson("encoder", ["one two three"], d_model=4).state())
    assert "comes out at the right as a vector" in whole_sentence(View.of(document), WHOLE)
    for large in (False, True):
        (picture,) = (one for one in page(View.of(document, Looking(large=large)), WHOLE).elements if one.id == "model")
        assert "from the words one two three to each word in its context" in picture.drawing.summary
    document.do(SetSwitch("output", "on", True))
    assert "the words that may stand there come out at the right" in whole_sentence(View.of(document), WHOLE)


@pytest.mark.parametrize("reads", ["beside attention", "beside attention, its norm"])
def test_beside_the_attention_of_a_translator_a_net_reads_what_self_attention_reads(reads):
    """Its line began at cross-attention, which reads something else."""
    document = Document(new_lesson("encoder-decoder", ["a b c", "x y z"], d_model=4, layers=1).state())
    for part in ("self", "cross", "ffn"):
        document.do(SetSwitch(f"decoder.1.{part}", "norm", "pre"))
    document.do(SetSwitch("decoder.1.ffn", "reads", reads))
    picture = page(View.of(document), WHOLE).elements[-1].drawing
    places = {mark.name: mark.place for mark in picture.marks if isinstance(mark, Box)}
    left = places["Decoder 1: Cross-attention"][0]
    net = places["Decoder 1: Feed-forward"]
    (way,) = [
        mark.points
        for mark in picture.marks
        if isinstance(mark, FlowLine)
        and len(mark.points) > 2
        and net[0] < mark.points[-1][0] < net[0] + net[2]
        and mark.points[-1][1] == net[1] + net[3]
    ]
    assert way[0][0] < left
    norm = places["Decoder 1: norm before cross"]
    assert not any(crosses(start, end, norm) for start, end in itertools.pairwise(way))
