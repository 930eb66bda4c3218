"""Attention as linked matrices, as a heat map and as lines.

The pages of a decoder: cross-attention between two sentences, and what it should say.

All heads side by side, joined, and W_O.
"""

import numpy as np
import pytest

from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.lessons.document_lesson import new_lesson
from explorer.pages.controls import Button
from explorer.pages.drawing import AttentionLines, HeatMap
from explorer.pages.page import Row, Stack, maps_alike
from explorer.pages.stages.attention import attention
from explorer.pages.view import Spot

ENCODER = "encoder.1.self"
STAGE = f"{ENCODER}.attention"
WHERE = [
    ("you-are-welcome", STAGE, f"{ENCODER}.head.1.weights"),
    ("you-are-welcome", "decoder.1.cross.attention", "decoder.1.cross.head.1.weights"),
    ("emma", "attention", "weights"),
    ("translation-lookup", "attention", "weights"),
]


@pytest.fixture
def start(desk):
    return desk()


def shorts(page):
    return {name.rpartition(".")[2] for name in page.names}


def maps(page):
    return {heat.matrix.name: heat for heat in page.all(HeatMap)}


# Matrices


def test_self_attention_from_queries_to_output(start):
    page = start.page(STAGE)
    assert shorts(page) == {
        *("Q", "K", "scores", "scaled", "weights", "V", "output"),
        *("H", "W_Q", "W_K", "W_V", "scale"),
    }
    assert page.the(f"{ENCODER}.Q").name == f"{ENCODER}.head.1.Q"
    start.look(head=1)
    assert start.page(STAGE).the(f"{ENCODER}.Q").name == f"{ENCODER}.head.2.Q"


def test_keys_that_heads_share_say_which_heads(desk):
    """Heads 1 and 2 of a Llama show the same keys, and nothing said that they are the same."""
    storyteller = desk("stories260k")
    for head, shared in ((0, "heads 1 and 2"), (1, "heads 1 and 2"), (6, "heads 7 and 8")):
        storyteller.look(head=head)
        page = storyteller.page("decoder.1.self.attention")
        assert page.the("decoder.1.self.K").title == f"keys, shared by {shared}"
        assert page.the("decoder.1.self.V").title == f"values, shared by {shared}"
    storyteller.do(SetSwitch("decoder.1.self", "key_heads", 2))
    assert storyteller.page("decoder.1.self.attention").the("decoder.1.self.K").title == "keys, shared by heads 5 to 8"
    storyteller.look(spot=Spot("decoder.1.self.K"))
    page = storyteller.page("decoder.1.self.attention")
    assert page.the("decoder.1.self.K").title == "keys", "a step asks which heads share them"
    storyteller.look(spot=None)
    storyteller.do(SetSwitch("decoder.1.self", "key_heads", 0))
    assert storyteller.page("decoder.1.self.attention").the("decoder.1.self.K").title == "keys"


def short(row):
    return [(item.sign, item.element.id.rpartition(".")[2]) for item in row.items]


def test_it_begins_with_what_it_reads_and_the_weights_then_what_they_make_of_it(start):
    read, made, scores, *_ = start.page(STAGE).all(Row)
    assert short(read) == [("", name) for name in ("H", "W_Q", "W_K", "W_V", "scale")]
    assert read.folds, "small pictures, where there is no room for their numbers"
    assert short(made) == [("", name) for name in "QKV"]
    pictured = [("", "heat map"), ("", "lines")]
    assert short(scores) == [("", "scores"), ("→", "scaled"), ("→", "weights"), ("", "output"), *pictured]
    start.do(SetSwitch(ENCODER, "bias", True))
    read, *_ = start.page(STAGE).all(Row)
    assert short(read)[:4] == [("", name) for name in ("H", "W_Q", "b_Q", "W_K")]


def test_no_product_and_no_sum_is_written_with_signs_that_a_line_could_begin_or_end_with(start):
    signs = {item.sign for row in start.page(STAGE).all(Row) for item in row.items}
    assert signs <= {"", "→"}


def test_a_free_scale_stands_with_the_weights(start):
    start.do(SetSwitch(ENCODER, "scale", "free"))
    read, *_ = start.page(STAGE).all(Row)
    assert short(read)[-1] == ("", "scale")
    assert start.page(STAGE).the(f"{ENCODER}.scale").editable


def test_a_masked_one_shows_its_mask(start):
    stage = "decoder.1.self.attention"
    start.do(SetSwitch("decoder.1.self", "mask", "none"))
    assert "masked" not in shorts(start.page(stage))
    start.do(SetSwitch("decoder.1.self", "mask", "causal"))
    page = start.page(stage)
    assert {"mask", "masked"} <= shorts(page)
    assert page.the("decoder.1.self.mask").array.tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert not page.the("decoder.1.self.mask").editable
    read, _, scores, *_ = page.all(Row)
    assert short(read)[-1] == ("", "mask"), "with what else is given"
    assert ("", "mask") not in short(scores)
    assert ("→", "masked") in short(scores), "there was no arrow from Z to Z′"
    start.do(SetSwitch("decoder.1.self", "mask", "hand"))
    mask = start.page(stage).the("decoder.1.self.mask")
    assert mask.editable
    _, _, scores, *_ = start.page(stage).all(Row)
    assert ("", "mask") in short(scores), "where one sees what a click does"
    assert "a click opens or closes a cell" in mask.title


def test_a_mask_that_is_made_of_the_scores_stands_behind_them(desk):
    _, _, scores, *_ = desk("apple-orange").page(STAGE).all(Row)
    assert short(scores)[:3] == [("", "scores"), ("", "mask"), ("→", "masked")]


def test_cross_attention_shows_both_that_it_reads(start):
    page, nodes = start.page("decoder.1.cross.attention"), start.view.nodes
    queries, keys = (nodes[f"decoder.1.cross.{letter}"].parents[0] for letter in "QK")
    assert queries != keys
    assert {queries, keys} <= set(page.names)
    assert page.the("decoder.1.cross.weights").axes == ("target", "source")


def test_few_numbers_that_are_wanted_beside_those_spoken_of_are_shown(desk):
    emma = desk("emma")
    emma.look(spot=Spot("scores", (8,), (0,), ("Q", "weights")))
    page = emma.page("attention")
    assert [page.the(name).open for name in ("Q", "K", "scores", "weights")] == [True, None, True, None]


def test_attention_lessons_have_what_they_were_given(desk):
    emma = desk("emma").page("attention")
    assert shorts(emma) == {"Q", "K", "scores", "weights"}
    assert emma.the("Q").axes == ("query", "feature")
    assert desk("emma", "printed").page("attention").the("Q").axes == ("feature", "query")
    lookup = desk("translation-lookup").page("attention")
    assert shorts(lookup) == {"Q", "K", "scores", "scale", "scaled", "weights", "V", "output"}


def test_a_free_scale_can_be_edited_where_there_are_no_weights(desk):
    lookup = desk("translation-lookup")
    lookup.do(SetSwitch("attention", "scale", "free"))
    assert lookup.page("attention").the("scale").editable


# Pictures


@pytest.mark.parametrize(("lesson", "stage", "name"), WHERE)
def test_heat_map_and_lines_are_the_weights(desk, lesson, stage, name):
    found = desk(lesson)
    page = found.page(stage)
    heat = maps(page)[name]
    np.testing.assert_array_equal(heat.matrix.array, found.value(name))
    assert heat.full == 1.0
    (lines,) = page.all(AttentionLines)
    np.testing.assert_array_equal(lines.matrix.values, found.value(name))


def test_they_follow_edits_heads_and_words(start):
    def same(head):
        weights = start.value(f"{ENCODER}.head.{head}.weights")
        page = start.page(STAGE)
        (heat,), (lines,) = page.all(HeatMap), page.all(AttentionLines)
        return np.array_equal(heat.matrix.array, weights) and np.array_equal(lines.matrix.values, weights)

    start.do(SetCells("source.table", {(0, 0): 9.0}))
    assert same(1)
    start.look(head=1)
    assert same(2)
    assert not same(1)
    start.do(SetTokens("source", ("You", "are", "very", "welcome")))
    assert same(2)


def test_the_range_of_colours_does_not_move_with_what_is_typed(start):
    start.do(PinCells(f"{ENCODER}.weights", {(0, 0, 0): 25.0, (0, 1, 1): np.nan, (0, 2, 2): np.inf}))
    assert [heat.full for heat in start.page(STAGE).all(HeatMap)] == [1.0]


def test_of_a_long_text_the_pictures_come_first_and_their_colours_tell_small_shares_apart(start):
    text = " ".join(f"word{i}" for i in range(60))
    start.document = type(start.document)(new_lesson("gpt", [text], heads=2).state())
    page = start.page("decoder.1.self.attention")
    assert page.elements.index(page.the("pictures")) < page.elements.index(page.the("decoder.1.self.W_Q"))
    assert page.elements.index(page.the("decoder.1.self.W_Q")) < page.elements.index(page.the("decoder.1.self.scores"))
    (heat,) = page.all(HeatMap)
    weights = start.value("decoder.1.self.weights")
    assert 0 < heat.full < 1
    assert (weights[weights > 0] <= heat.full).mean() == pytest.approx(0.99, abs=0.005)


@pytest.mark.parametrize("stage", ["decoder.1.self.attention", "decoder.1.cross.attention"])
def test_in_a_decoder_source_and_target_stand_beside_the_targets_own(start, stage):
    found = maps(start.page(stage))
    own, other = (found[f"decoder.1.{kind}.head.1.weights"] for kind in ("self", "cross"))
    assert own.title == "Self-attention: target → target"
    assert other.title == "Cross-attention: target → source"
    assert other.matrix.columns == ("You", "are", "welcome")


def test_the_one_beside_follows_its_own_edits_heads_and_switches(start):
    start.do(SetSwitch("decoder.1.self", "heads", 2))
    start.look(head=1)
    name = "decoder.1.self.head.2.weights"
    start.do(PinCells(name, {(0, 0): 0.625}))
    assert maps(start.page("decoder.1.cross.attention"))[name].matrix.array[0, 0] == 0.625


# Heads averaged


def test_of_the_mean_over_the_heads_there_are_its_pictures_and_its_matrix(start):
    start.look(averaged=True)
    page, name = start.page(STAGE), f"{ENCODER}.average"
    mean = start.value(f"{ENCODER}.weights").mean(0)
    assert set(page.names) == {name}
    np.testing.assert_allclose(page.the(name).array, mean, rtol=1e-15)
    assert page.page.header.title == "Encoder 1: Self-attention, heads averaged"
    start.look(averaged=False, head=1)
    assert name not in start.page(STAGE).names


def test_where_there_is_one_head_only_that_is_shown(start):
    start.look(averaged=True)
    page = start.page("decoder.1.cross.attention")
    assert "decoder.1.cross.head.1.scores" in page.names
    start.do(SetSwitch(ENCODER, "heads", 1))
    page = start.page(STAGE)
    assert f"{ENCODER}.head.1.scores" in page.names
    assert list(maps(page)) == [f"{ENCODER}.head.1.weights"]


# Changes and gradients


def test_the_heat_map_shows_what_the_matrices_show_and_the_lines_the_weights(start):
    name = f"{ENCODER}.head.1.weights"
    start.do(SetSwitch(ENCODER, "scale", "none"), SetCells(f"{ENCODER}.head.1.W_Q", {(0, 0): 2.0}))
    for showing in ("change", "gradient"):
        start.look(showing=showing)
        page = start.page(STAGE)
        table = page.the(f"{ENCODER}.weights")
        assert table.array.any()
        np.testing.assert_array_equal(maps(page)[name].matrix.array, table.array)
        assert maps(page)[name].matrix.showing == showing
        np.testing.assert_array_equal(page.all(AttentionLines)[0].matrix.values, start.value(name))


CROSS, MASKED = "decoder.1.cross.attention", "decoder.1.self.attention"


@pytest.fixture
def translator(desk):
    found = desk()
    lesson = new_lesson("encoder-decoder", ["the cat sat", "le chat"], d_model=4, heads=2, layers=2)
    found.document = type(found.document)(lesson.state())
    return found


def row(page, title):
    return next(row.words for row in page.the("sentences").rows if row.title == title)


@pytest.mark.parametrize("stage", [CROSS, MASKED])
def test_reads_should_say_and_says(translator, stage):
    page = translator.page(stage)
    assert row(page, "reads") == ("<start>", "le", "chat")
    assert row(page, "should say") == ("le", "chat", "<end>")
    words = translator.view.labels("output.words")
    assert row(page, "says") == tuple(words[i] for i in translator.value("output.chosen"))


@pytest.mark.parametrize("stage", [CROSS, MASKED])
def test_another_sentence_is_followed(translator, stage):
    translator.do(SetTokens("target", ("<start>", "un", "autre", "chat")))
    assert row(translator.page(stage), "should say") == ("un", "autre", "chat", "<end>")
    translator.do(PinCells("loss.target", {(0,): 1}))
    assert row(translator.page(stage), "should say") == ("le", "autre", "chat", "<end>")


@pytest.mark.parametrize("stage", [CROSS, MASKED])
def test_it_begins_as_every_attention_does_and_the_sentences_stand_with_the_pictures(translator, stage):
    elements = translator.page(stage).page.elements
    names = [element.id for element in elements]
    assert names[0] == "what it reads, and the weights"
    assert names.index("sentences") > names.index("from scores to weights")
    plain = attention(translator.view, translator.stage(stage))
    at = names.index("sentences")
    assert (*elements[: at - 2], *elements[at + 1 :]) == plain


def test_without_a_loss_there_is_only_what_it_says(translator):
    translator.do(SetSwitch("loss", "loss", "none"))
    page = translator.page(MASKED)
    assert [row.title for row in page.the("sentences").rows] == ["reads", "says"]
    assert "no loss" in page.notes


def test_the_page_says_what_the_mask_is_for(translator):
    page = translator.page(MASKED)
    assert "Without the mask each word could look at the next word" in page.notes
    assert "shifted by one word" in page.notes
    translator.do(SetSwitch("decoder.1.self", "mask", "hand"), SetCells("decoder.1.self.mask", {(0, 2): 1}))
    assert "these words may see their answer" in translator.page(MASKED).notes
    translator.do(SetSwitch("decoder.1.self", "mask", "none"), SetSwitch("loss", "targets", "typed"))
    page = translator.page(MASKED)
    assert "There is no mask here, so each word can look at the next word, which is its answer" in page.notes
    assert "stay if the sentence changes" in page.notes
    translator.do(SetCells("loss.target", {(0,): 2}))
    said = translator.page(MASKED).notes
    assert "these are not the next words of the sentence" in said
    assert "its answer" not in said
    assert "are typed" in page.notes


def test_a_gpt_has_it_too(translator):
    translator.document = type(translator.document)(new_lesson("gpt", ["the cat sat"], d_model=4).state())
    assert row(translator.page(MASKED), "should say") == ("cat", "sat", "<end>")


def test_the_source_stands_above_and_the_encoder_runs_once(translator):
    page = translator.page(CROSS)
    assert row(page, "source") == ("the", "cat", "sat")
    assert ("decoder.1.cross.scores", ("target", "source")) in page.the("sentences").lights
    for said in ("The encoder runs once", "3 × 4", "both layers"):
        assert said in page.notes


def test_the_weights_of_the_head_that_is_looked_at_or_their_mean(translator):
    for looking, name in (
        ({"head": 0}, "decoder.1.cross.head.1.weights"),
        ({"head": 1}, "decoder.1.cross.head.2.weights"),
        ({"averaged": True}, "decoder.1.cross.average"),
    ):
        translator.look(**looking)
        weights = translator.page(CROSS).the("sentences").weights
        assert weights.name == name
        np.testing.assert_array_equal(weights.array, translator.value(name))


def test_of_many_words_only_the_strongest_lines_are_promised(translator):
    assert "strongest line" not in translator.page(CROSS).notes
    translator.do(SetTokens("source", tuple(f"word{i}" for i in range(512))))
    assert "the strongest line of each word is drawn" in translator.page(CROSS).notes


JOINED = f"{ENCODER}.heads"


@pytest.fixture
def two(desk):
    return desk()


def test_a_column_for_each_head_then_concat_and_W_O(two):
    page = two.page(JOINED)
    assert page.names == [
        *(f"{ENCODER}.head.{head}.{short}" for head in (1, 2) for short in ("weights", "output")),
        *(f"{ENCODER}.{short}" for short in ("concat", "W_O", "projected")),
    ]
    outputs = [two.value(f"{ENCODER}.head.{head}.output") for head in (1, 2)]
    np.testing.assert_array_equal(page.the(f"{ENCODER}.concat").array, np.hstack(outputs))
    assert page.the(f"{ENCODER}.concat").bands == (0, 2)
    assert page.the(f"{ENCODER}.W_O").bands == (2, 0)


def test_headings_have_the_marks_of_the_bands(two):
    assert [(stack.title, stack.head) for stack in two.page(JOINED).all(Stack)] == [("Head 1", 0), ("Head 2", 1)]


def test_it_shows_all_heads_whatever_head_is_looked_at(two):
    before = two.page(JOINED).page.elements
    two.look(head=1)
    assert two.page(JOINED).page.elements == before


@pytest.mark.parametrize("heads", [3, 1, 2])
def test_another_number_of_heads(two, heads):
    two.do(SetSwitch(ENCODER, "heads", heads))
    page = two.page(JOINED)
    assert {n for n in page.names if ".head." in n} == {
        f"{ENCODER}.head.{k + 1}.{short}" for k in range(heads) for short in ("weights", "output")
    }
    assert len(page.the(f"{ENCODER}.concat").columns) == 4 * heads
    assert len(page.all(Stack)) == heads
    # Beside a single head there is room for where it looks.
    assert [lines.matrix.name for lines in page.all(AttentionLines)] == [f"{ENCODER}.head.1.weights"] * (heads == 1)


def test_without_W_O_it_ends_side_by_side(two):
    cross = "decoder.1.cross"
    two.do(SetSwitch(cross, "W_O", False))
    page = two.page(f"{cross}.heads")
    assert not [name for name in page.names if name.endswith(("W_O", "projected"))]
    assert "Side by side" in page.sections
    two.do(SetSwitch(cross, "W_O", True))
    assert {f"{cross}.W_O", f"{cross}.projected"} <= set(two.page(f"{cross}.heads").names)


def test_a_head_is_switched_off_and_on(two):
    before = two.value(f"{ENCODER}.concat")
    button = two.page(JOINED).the("switch of head 1")
    assert (button.text, button.name) == ("Switch off", "Switch off head 1")
    two.do(button.asks.command())
    assert not two.value(f"{ENCODER}.concat")[:, :4].any()
    np.testing.assert_array_equal(two.value(f"{ENCODER}.concat")[:, 4:], before[:, 4:])
    page = two.page(JOINED)
    assert [page.the(f"switch of head {k}").text for k in (1, 2)] == ["Switch on", "Switch off"]
    assert [page.the(f"head {k}").title for k in (1, 2)] == ["Head 1, off", "Head 2"]
    two.do(page.the("switch of head 1").asks.command())
    np.testing.assert_array_equal(two.value(f"{ENCODER}.concat"), before)


def test_of_a_long_sentence_each_head_is_a_picture_that_stays(desk):
    jane = desk("jane")
    names = [f"{ENCODER}.head.{head}.weights" for head in (1, 2, 3)]
    for looking in ({"head": 0}, {"head": 2}, {"averaged": True}):
        jane.look(**looking)
        maps = jane.page(JOINED).all(HeatMap)
        assert [picture.matrix.name for picture in maps] == names
        for name, picture in zip(names, maps, strict=True):
            np.testing.assert_array_equal(picture.matrix.array, jane.value(name))
    # Jane and her job, Harvard and Google, graduated and starting.
    words = jane.view.labels("input")
    for name, query, key in zip(names, ("Jane", "Harvard", "graduated"), ("job", "Google", "starting"), strict=True):
        assert words[int(jane.value(name)[words.index(query)].argmax())] == key


def test_of_many_heads_each_is_a_picture_and_all_that_they_put_out_stands_below(desk):
    page = desk("tiny-gpt").page("decoder.1.self.heads")
    weights = [f"decoder.1.self.head.{k + 1}.weights" for k in range(4)]
    assert [one.matrix.name for one in page.all(HeatMap)] == weights
    assert [one.matrix.name for one in maps_alike(page.the("heads"))] == weights
    assert [button.text for button in page.all(Button) if button.id.startswith("switch of head")] == ["Mute"] * 4
    assert page.the("outputs of heads").folds


def test_heads_share_the_scale_of_what_changes_in_them(desk):
    """Each had its own: a change in one head looked as large as one a hundred times smaller in another."""
    tiny = desk("tiny-gpt")
    tiny.look(showing="gradient")
    maps = tiny.page("decoder.1.self.heads").all(HeatMap)
    largest = [float(np.abs(one.matrix.array).max()) for one in maps]
    assert len(set(largest)) > 1
    assert len({one.matrix.limit for one in maps}) == 1
    assert maps[0].matrix.limit >= max(largest)


def test_of_a_long_sentence_what_each_head_puts_out_stands_below(two):
    lesson = new_lesson("gpt", [" ".join(f"word{i}" for i in range(40))], d_model=32, heads=8)
    two.document = type(two.document)(lesson.state())
    page = two.page("decoder.1.self.heads")
    assert len(page.all(HeatMap)) == 8
    assert [name for name in page.names if name.endswith(".output")] == [
        f"decoder.1.self.head.{k + 1}.output" for k in range(8)
    ]
