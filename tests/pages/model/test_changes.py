"""The pages about all of the model: descent, parameters, what changed, switches; and stages that are their matrices."""

from dataclasses import replace

import pytest

from explorer.core.cost import growth, parameters, total
from explorer.core.model import SWITCHES
from explorer.core.numbers import written
from explorer.core.training.recipe import length
from explorer.core.training.trainer import trainable
from explorer.document.commands import Replace, SetCells, SetSwitch, SetTokens
from explorer.lessons.document_lesson import drawn, new_lesson
from explorer.pages.controls import Switches
from explorer.pages.gestures import GoTo
from explorer.pages.levels import MOST_LISTED
from explorer.pages.model.changes import OPENED, TO_COMPARE, changes, moving
from explorer.pages.model.costs import FEW_LAYERS, LARGER
from explorer.pages.page import DescentPart, Listing, Waiting
from explorer.pages.view import Steps
from tests.pages.conftest import Elsewhere

CHANGES, PARAMETERS = "model.changes", "model.parameters"


@pytest.fixture
def start(desk):
    return desk()


class TestDescent:
    def steps(self, desk, quick=True, ready=True):
        moves = {name: True for name in ("layer.1.W", "layer.2.W") if name in desk.view.nodes}
        return {"steps": Steps(0.1, moves, quick, ready, dict)}

    def shown(self, page):
        return [part.part for part in page.all(DescentPart)]

    def test_controls_curve_surface_answers_and_what_moves(self, desk):
        xor = desk("xor")
        xor.others = self.steps(xor)
        page = xor.page("model.descent")
        assert self.shown(page) == ["steps", "curve", "surface", "cells"]
        assert page.has("answers")
        assert page.has("weights")
        assert not page.has("slow")

    def test_a_surface_over_two_weights_needs_two(self, start):
        start.others = self.steps(start)
        assert "surface" not in self.shown(start.page("model.descent"))

    def test_of_a_large_model_it_says_that_it_takes_a_while(self, desk):
        xor = desk("xor")
        xor.others = self.steps(xor, quick=False, ready=False)
        page = xor.page("model.descent")
        assert "The gradients are being computed" in page.notes
        assert "surface" not in self.shown(page)
        xor.others = self.steps(xor, quick=False)
        page = xor.page("model.descent")
        assert "takes some time" in page.notes
        assert "surface" in self.shown(page)

    def test_without_a_loss_it_says_why_and_switches_one_on(self, start, desk):
        start.do(SetSwitch("loss", "loss", "none"))
        page = start.page("model.descent")
        assert not page.all(DescentPart)
        start.do(page.the("loss on").asks.command())
        assert start.page("model.descent").all(DescentPart)
        page = desk("two-vectors").page("model.descent")
        assert "no loss" in page.notes
        assert not page.has("loss on")

    def test_the_sentence_promises_nothing_that_a_step_may_break(self, start):
        assert "the loss goes down" not in start.page("model.descent").page.header.sentence


class TestChanges:
    def lines(self, desk):
        return [[row[0].strip(), row[1], row[3]] for row in desk.page(CHANGES).texts("changed")]

    def test_at_first_there_is_nothing(self, start):
        page = start.page(CHANGES)
        assert page.notes.startswith("Nothing has changed yet")
        assert not page.has("changed")
        assert ["W_O", "Encoder 1: Heads & concat"] in [row[:2] for row in page.texts("given numbers")]

    def test_of_an_edit_without_an_effect_it_is_said_that_nothing_changed(self, start):
        start.do(SetSwitch("source", "rotary_base", 5))
        assert start.page(CHANGES).notes.startswith(
            "<b>Set Rotary base in Source: Embeddings to 5</b>. It changed no number."
        )

    def test_in_an_example_that_was_just_opened_nothing_has_changed(self, desk, start):
        start.do(Replace(desk("emma").document.state, "Open “Emma”"))
        start.others = {"given": True}
        page = start.page(CHANGES)
        assert page.notes.startswith("Nothing has changed yet")
        assert not page.has("changed")

    def test_every_stage_that_changed_with_its_matrices_and_by_how_much(self, start):
        before = start.value("encoder.1.ffn.W_2")
        first, size = float(before[0, 0]), before.size
        start.do(SetCells("encoder.1.ffn.W_2", {(0, 0): first + 1}))
        assert start.page(CHANGES).notes.startswith("<b>Set W_2 [1 → 1] in Encoder 1: Feed-forward</b>.")
        lines = self.lines(start)
        assert lines[0] == ["Encoder 1: Feed-forward", "2 matrices", ""]
        assert lines[1] == ["W_2", f"1 of {size}", "1.0000"]
        assert start.page(CHANGES).the("changed").lines[1].entries[2].value == 1 / size
        assert lines[2][0] == "output"
        titles = [line.entries[0].text for line in start.page(CHANGES).the("changed").lines if line.strong]
        assert "Output: Probabilities" in titles
        assert not any(title.startswith("Source") or "Self-attention" in title for title in titles[:2])
        start.do(SetCells("encoder.1.ffn.W_2", {(0, 0): first - 1}))
        assert self.lines(start)[1][2] == "−2.0000"

    def test_nodes_of_another_shape_and_new_and_lost_ones(self, start):
        start.do(SetTokens("source", ("You", "are", "very", "welcome")))
        assert ["X", "3 × 4 → 4 × 4", ""] in self.lines(start)
        start.do(SetSwitch("encoder.1.self", "mask", "causal"))
        assert ["mask", "new, 4 × 4", ""] in self.lines(start)
        start.document.undo()
        assert start.page(CHANGES).notes.startswith("<b>Undo: Set Mask in Encoder 1: Self-attention to causal</b>")
        gone = [["mask in Encoder 1: Self-attention", "gone", ""], ["masked in Encoder 1: Self-attention", "gone", ""]]
        assert self.lines(start)[-2:] == gone
        assert start.page(CHANGES).the("changed").lines[-1].entries[0].leads is None

    def test_large_tables_are_compared_beside_the_window(self, start, monkeypatch):
        """Of 150,000 words it held the window for 0.1 s."""
        start.do(SetCells("encoder.1.ffn.W_2", {(0, 0): 5.0}))
        start.do(SetTokens("source", ("You", "are", "very", "welcome")))
        at_once = self.lines(start)
        monkeypatch.setattr("explorer.pages.view.AT_ONCE", 1)
        monkeypatch.setattr("explorer.pages.model.changes.MANY", 1)
        elsewhere = Elsewhere()
        view = replace(start.view, aside=elsewhere)
        stage = start.stage(CHANGES)
        assert [one.id for one in changes(view, stage) if isinstance(one, Waiting)] == [TO_COMPARE]
        elsewhere.compute(TO_COMPARE)
        listing = next(one for one in changes(view, stage) if isinstance(one, Listing))
        monkeypatch.setattr("explorer.pages.model.changes.largest_change", lambda now, was: pytest.fail("once more"))
        texts = [[entry.text for entry in line.entries] for line in listing.lines]
        assert [[row[0].strip(), row[1], row[3]] for row in texts] == at_once

    def test_a_stage_and_its_matrices_lead_there(self, start):
        start.do(SetCells("encoder.1.ffn.W_2", {(0, 0): 5.0}))
        for line in start.page(CHANGES).the("changed").lines[:3]:
            assert line.entries[0].leads == GoTo("encoder.1.ffn.layers")


class TestParameters:
    def blocks(self, desk):
        return parameters(desk.document.state.graph, desk.document.state.model)

    def test_a_row_for_each_block_and_each_matrix(self, start):
        shown, expected = start.page(PARAMETERS).texts("block list"), self.blocks(start)
        names = [row[0] for row in shown if not row[0].startswith(" ")]
        assert len(names) == len(expected) + 1
        assert names[:3] == ["Source: Embeddings", "Encoder 1: Self-attention", "Encoder 1: Feed-forward"]
        query = next(row for row in shown if row[0].strip() == "W_Q")
        assert query[1:4] == ["make the queries", "2 heads × 4 d_model × 4 d_k", "32"]
        assert shown[-1][3] == f"{total(expected):,}"
        assert f"<b>{total(expected):,}</b>" in start.page(PARAMETERS).notes

    def test_each_matrix_has_words_also_in_models_of_others(self, desk):
        """Learned positions, the bias behind the heads, norms of queries and others had none."""
        of = desk("tiny-gpt")
        for block in ("decoder.1.self", "decoder.1.ffn"):
            of.do(SetSwitch(block, "norm", "both"))
        for name, value in (("bias_O", True), ("qk_norm", "each head"), ("sink", True), ("norm_by", "layer norm")):
            of.do(SetSwitch("decoder.1.self", name, value))
        of.do(SetSwitch("input", "positions", "own"))
        matrices = [row for row in of.page(PARAMETERS).texts("block list") if row[0].startswith(" ")]
        assert {row[0].strip() for row in matrices} >= {"places", "b_O", "γ_Q", "sink", "γ_out"}
        assert [row[0].strip() for row in matrices if not row[1]] == []

    def test_how_it_grows(self, start):
        counts = (total(self.blocks(start)), *(g.count for g in growth(start.document.state.model)))
        page = start.page(PARAMETERS)
        assert [row[1] for row in page.texts("growth list")] == [f"{count:,}" for count in counts]
        longer = page.texts("growth list")[-1]
        assert longer[0] == "a text twice as long"
        assert longer[2::3] == ["1.00", "4.00"]
        # Head 1 and 2 of the encoder, masked and cross-attention of the decoder: 3 words with 3 words each.
        assert page.texts("growth list")[0][4] == "36"

    def test_it_follows_the_model_and_not_its_numbers(self, start):
        before = start.page(PARAMETERS)
        start.do(SetCells("output.b", {(0,): 1.0}))
        assert start.page(PARAMETERS).page == before.page
        start.do(SetSwitch("encoder.1.ffn", "d_ff", 60))
        after = start.page(PARAMETERS).texts("block list")[-1][3]
        assert after == f"{total(self.blocks(start)):,}" != before.texts("block list")[-1][3]

    def test_a_model_that_learns_nothing(self, desk):
        page = desk("emma").page(PARAMETERS)
        assert "learns nothing" in page.notes
        assert [row[0] for row in page.texts("given numbers")] == ["Q", "K"]
        shape, numbers = page.texts("given numbers")[0][2:]
        assert (shape, numbers) == ("9 × 4", "1.1  0.7  0.9  0.0  0.0  0.0 …")
        assert page.the("given numbers").lines[0].entries[0].leads == GoTo("attention")


def test_all_switches_of_all_blocks(start):
    blocks = start.document.state.model.blocks()
    bars = start.page("model.switches").all(Switches)
    assert [(bar.block, bar.kind) for bar in bars] == list(blocks.items())
    assert all([name for name, _ in bar.values] == list(SWITCHES[bar.kind]) for bar in bars)
    start.do(SetSwitch("encoder.1.self", "norm", "none"))
    bar = start.page("model.switches").the("switches of encoder.1.self")
    assert ("norm", "none") in bar.values


def test_models_larger_than_one_of_many_layers_are_counted_beside_the_window(desk):
    """To build six of them held the window for 0.2 s."""
    state = drawn(new_lesson("gpt", ["a b c"], layers=FEW_LAYERS + 1, d_model=8, heads=2)).state()
    one, elsewhere = type(desk())(state), Elsewhere()
    one.others = {"aside": elsewhere}
    page = one.page(PARAMETERS)
    assert [waits.id for waits in page.all(Waiting)] == [LARGER]
    assert not page.has("growth list")
    told = elsewhere.compute(LARGER)
    assert elsewhere.found[LARGER] == growth(state.model)
    assert told == [(i, 6) for i in range(6)]
    page = one.page(PARAMETERS)
    assert len(page.texts("growth list")) == 7
    assert not page.all(Waiting)
    few = type(desk())(drawn(new_lesson("gpt", ["a b c"], layers=2, d_model=8, heads=2)).state())
    few.others = {"aside": Elsewhere()}
    assert few.page(PARAMETERS).has("growth list")


def test_of_many_layers_the_switches_of_one_are_listed_and_where_others_differ(desk):
    """Those of thirty were hundreds of controls: to lay them out held the window for 0.3 s."""

    def begun(layers):
        return type(desk())(drawn(new_lesson("gpt", ["a b c"], layers=layers, d_model=8, heads=2)).state())

    def blocks(page):
        return [bar.block for bar in page.all(Switches)]

    one, few = begun(MOST_LISTED + 2), begun(MOST_LISTED)
    page = one.page("model.switches")
    assert blocks(page) == [block for block in one.document.state.model.blocks() if ".1." in block or "." not in block]
    assert "All layers have the switches of layer 1." in page.notes
    one.do(SetSwitch("decoder.3.self", "norm", "none"))
    page = one.page("model.switches")
    assert "Other layers differ from layer 1 in: Norm in Layer 3: Masked attention." in page.notes
    ask = page.page.header.choices[0].asks[2]
    one.choose(ask.key, ask.value)
    page = one.page("model.switches")
    assert [block for block in blocks(page) if "." in block] == ["decoder.3.self", "decoder.3.ffn"]
    assert ("norm", "none") in page.the("switches of decoder.3.self").values
    assert blocks(few.page("model.switches")) == list(few.document.state.model.blocks())


def test_a_model_without_switches_says_so(desk):
    assert "no switches" in desk("two-vectors").page("model.switches").notes


def test_a_stage_as_its_matrices(desk, start):
    page = desk("translation-lookup").page("attention.nearest")
    assert page.names == ["output", "V", "match", "chosen"]
    assert page.sections == ["From the stages before", "Here"]
    assert [page.the("chosen").text(0, j) for j in range(2)] == ["avec", "ci-dessous"]
    start.do(SetSwitch("encoder.1.self", "dropout", 0.5))
    page = start.page("encoder.1.self.dropout")
    assert page.names[-2:] == ["encoder.1.self.kept", "encoder.1.self.dropped"]


BLOCK = "encoder.1.self"
TITLE = "Encoder 1: Self-attention"


def moves_of(here):
    return {name: usual for name, usual in trainable(here.view.graph, here.view.state.model).items() if usual}


def lines_of(here, moves, measured=False):
    return {line.entries[0].text: line.entries for line in moving(here.view, moves, measured).lines}


def test_few_weights_stand_below_each_other(desk):
    here = desk("xor")
    lines = lines_of(here, moves_of(here))
    assert list(lines) == ["W in Layer 1", "b in Layer 1", "W in Layer 2", "b in Layer 2"]
    box, opens = lines["W in Layer 1"]
    assert (box.tick, box.leads.names, box.leads.value, opens.text) == (1, ("layer.1.W",), False, "")


def test_of_many_each_block_is_a_line_that_opens(desk):
    here = desk()
    moves = moves_of(here) | {f"{BLOCK}.W_Q": False}
    box, opens = lines_of(here, moves)[TITLE]
    inside = tuple(name for name in moves if name.startswith(f"{BLOCK}."))
    assert 0 < box.tick < 1
    assert (box.leads.names, box.leads.value) == (inside, True), "of some that move all do"
    assert opens.text == f"show {len(inside)}"
    here.choose(OPENED, opens.leads.value)
    lines = lines_of(here, moves)
    assert [lines[f"    {name}"][0].tick for name in ("W_Q", "W_K")] == [0, 1]
    assert lines["    W_Q"][0].leads.names == (f"{BLOCK}.W_Q",)
    assert lines[TITLE][1].text == "hide"
    here.choose(OPENED, lines[TITLE][1].leads.value)
    assert lines_of(here, moves).keys().isdisjoint(lines.keys() - {*lines_of(desk(), moves)})


def test_beside_it_stands_how_long_the_gradient_is(desk):
    here = desk()
    moves = moves_of(here)
    inside = [name for name in moves if name.startswith(f"{BLOCK}.")]
    gradients = here.view.engine.gradients().several(inside)
    assert lines_of(here, moves, measured=True)[TITLE][1].text == written(length(gradients.values()), 4)
    here.others = {"steps": Steps(0.1, moves, False, False, dict)}
    assert {entries[1].text for entries in lines_of(here, moves, measured=True).values()} == {"…"}
