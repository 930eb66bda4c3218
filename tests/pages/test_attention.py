"""Attention as linked matrices, as a heat map and as lines."""

import numpy as np
import pytest

from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.lessons.new import new_lesson
from explorer.pages.page import Row
from explorer.pages.view import Spot
from explorer.pages.word_pictures import AttentionLines, HeatMap

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
    start.do(SetSwitch("decoder.1.self", "mask", "hand"))
    mask = start.page(stage).the("decoder.1.self.mask")
    assert mask.editable
    _, _, scores, *_ = start.page(stage).all(Row)
    assert ("", "mask") in short(scores), "where one sees what a click does"
    assert "a click opens or closes a cell" in mask.title


def test_a_mask_that_is_made_of_the_scores_stands_behind_them(desk):
    _, _, scores, *_ = desk("apple-orange").page(STAGE).all(Row)
    assert short(scores)[:3] == [("", "scores"), ("", "mask"), ("", "masked")]


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
