"""The page of the inspector, as data: what is said of a cell, also while it is played, and of a stage."""

import re
from dataclasses import replace

import numpy as np
import pytest

from explorer.core.engine import Check
from explorer.core.graph import Cell
from explorer.core.numbers import alone
from explorer.core.stored import Stored
from explorer.document.commands import SetSwitch
from explorer.lessons.loader import load
from explorer.pages.compose import KINDS
from explorer.pages.controls import Button
from explorer.pages.gestures import ForInspector, GoTo, OpenLesson
from explorer.pages.levels import WHOLE
from explorer.pages.page import Derivation, Maths, Passage
from explorer.pages.surfaces.inspector import (
    Printed,
    Told,
    about,
    answers,
    check_said,
    derivation,
    inspected,
    inspector_page,
    played,
    played_key,
    printed_at,
)
from explorer.pages.view import Covered
from tests.pages.conftest import Desk
from tests.samples import each

LESSON = load("you-are-welcome")
ENCODER = "encoder.1.self"


@pytest.fixture
def you(desk):
    """The example in a setting."""
    return lambda setting="textbook", **looking: _looking(desk("you-are-welcome", setting), looking)


def _looking(desk, looking):
    desk.look(**looking)
    return desk


def of_stage(desk, stage, **told):
    """What is said of a stage after a cell has been pointed at, by element."""
    elements = inspector_page(desk.document.engine.graph, desk.stage(stage), Told(met=True, **told), LESSON)
    return {one.id: one for one in elements}


def of_cell(desk, cell, **told):
    """What is said of a cell, by element."""
    told = Told(at(desk, cell), met=True, **told)
    return {one.id: one for one in inspector_page(desk.document.engine.graph, None, told, LESSON)}


def empty(page):
    """The elements that say nothing, and so are hidden."""
    says = {Passage: "text", Button: "text", Maths: "latex", Derivation: "rows"}
    return {id for id, one in page.items() if type(one) in says and not getattr(one, says[type(one)])}


def test_all_elements_stay_whatever_is_pointed_at(you):
    desk = you()
    pages = [
        of_stage(desk, f"{ENCODER}.attention"),
        *(of_cell(desk, Cell(f"{ENCODER}.{node}", (0, 0, 1))) for node in ("scores", "scaled", "W_Q")),
    ]
    assert len({tuple(page) for page in pages}) == 1, "nothing is laid out anew where only the cell is another one"
    first = inspector_page(desk.document.engine.graph, desk.stage(f"{ENCODER}.attention"), Told(), LESSON)
    assert not any(isinstance(one, Derivation) for one in first), "a window opens with no widgets for cells"


def test_a_stage_is_explained_and_its_terms_lead_on_once_the_glossary_is_there(you):
    page = of_stage(you(), f"{ENCODER}.attention")
    assert page["stage"].text.startswith("<p style='margin: 0 0 8px 0'><b>What is it for?</b>")
    assert {"title", "value", "formula", "check", "derivation 0", "code", "fed", "printed"} <= empty(page)
    assert "hint" not in empty(page)
    assert page["cell"].steps == ()
    assert '<a href="glossary:query">' in of_stage(you(), f"{ENCODER}.attention", linked=True)["stage"].text


def test_a_cell_leads_to_what_it_feeds(you):
    page = of_cell(you(), Cell(f"{ENCODER}.Q", (0, 0, 1)))
    assert page["fed"].text == "<a href='0'>scores</a> <muted>Encoder 1: Self-attention · 3 cells</muted>"
    assert page["value"].text.startswith("encoder.\u200b1.\u200bself.\u200bQ = "), "a name that may take two lines"
    assert page["fed"].leads == (GoTo(f"{ENCODER}.attention"),)
    assert {"stage", "hint", "check"} <= empty(page)


def test_a_word_in_angle_brackets_is_written(you):
    assert "&lt;start&gt;" in of_cell(you(), Cell("output.logits", (0, 1)))["title"].text


def test_the_loss_is_called_so(you):
    """Above its derivation stood “value [one number]”."""
    assert "loss" in of_cell(you(), Cell("loss.value", ()))["title"].text


def test_an_input_has_no_derivation(you):
    page = of_cell(you(), Cell("source.table", (0, 0)))
    assert page["heading"].text.startswith("An input")
    assert {"derivation 0", "formula", "numpy", "code"} <= empty(page)


def test_the_code_evaluated_on_the_parents_is_the_value(you):
    desk = you()
    name, _, expression = of_cell(desk, Cell(f"{ENCODER}.projected", (0, 0)))["code"].text.partition(" = ")
    assert name == "projected"
    values = {short: desk.value(f"{ENCODER}.{short}") for short in ("concat", "W_O")}
    assert np.array_equal(eval(expression, {"np": np, **values}), desk.value(f"{ENCODER}.projected"))


# Gradients


@pytest.mark.parametrize(
    ("node", "index", "rule"),
    [
        (
            "encoder.1.self.residual",
            (0, 1),
            r"\frac{\partial L}{\partial {N_{enc}}} \frac{\partial {N_{enc}}}{\partial R_{enc}}",
        ),
        (
            "encoder.1.self.norm",
            (0, 1),
            r"{\partial {h}}{\partial N_{enc}} + \frac{\partial L}{\partial {R'_{enc}}} \frac{",
        ),
        ("source.H", (0, 1), r"\sum_{C \in \{ Q, K, V, R_{enc} \}} \frac{\partial L}{\partial {C}} \frac{"),
        ("loss.value", (), r"\frac{\partial L}{\partial L}"),
    ],
)
def test_the_chain_rule_names_the_nodes_that_a_gradient_comes_through(you, node, index, rule):
    page = of_cell(you(showing="gradient"), Cell(node, index))
    assert rule in page["formula"].latex
    assert page["check"].text == "Check this cell"


def test_a_whole_number_says_why_it_has_no_gradient(you):
    page = of_cell(you(showing="gradient"), Cell("source.tokens", (0,)))
    assert page["heading"].text == "It has no gradient"
    assert "cannot change a little" in page["how"].text
    assert "check" in empty(page)


def test_a_check_says_how_far_slope_and_gradient_agree():
    same = check_said(Check(6.1e-6, 0.0636369033, 0.0636370220, 0.0098010625, 0.0098010626), 0.0)
    assert "<td>0 − h&nbsp;&nbsp;</td><td align='right'>0.0636369033</td>" in same
    assert same.endswith("h is 6.1×10⁻⁶. <good>✓ the same to 7 digits</good>")
    other = check_said(Check(0.5, 0.0, 1.0, 1.0, 2.0), 0.0)
    assert "✓" not in other
    assert other.endswith(".")


# In the printed text


def test_the_number_of_a_cell_leads_to_its_line_among_all_printed_numbers(you):
    desk = you("printed")
    desk.others = {"prints": ("you-are-welcome", "printed")}
    page = of_cell(desk, Cell(f"{ENCODER}.weights", (0, 0, 0)))
    assert page["printed"].text == "<a href='0'>In the printed text (004)</a>"
    assert page["printed"].leads == (ForInspector("source"),)
    assert page["errata"].leads == (OpenLesson("errata-004"),)
    desk.others = {}
    page = of_cell(desk, Cell(f"{ENCODER}.weights", (0, 0, 0)))
    assert {"printed", "said", "notes", "slips", "errata"} <= empty(page), "whoever does not hold it hears nothing"


def test_the_slips_of_a_stage_are_counted_and_told_on_request(you):
    desk = you("printed")
    desk.others = {"prints": ("you-are-welcome", "printed")}
    printed = printed_at(desk.view, f"{ENCODER}.attention")
    page = of_stage(desk, f"{ENCODER}.attention", printed=printed)
    assert page["printed"].text == "In the printed text (004)"
    assert page["notes"].text == "<a href='0'>▸ 6 notes on the printed text</a>"
    assert "slips" in empty(page)
    page = of_stage(desk, f"{ENCODER}.attention", printed=printed, notes=True)
    assert page["slips"].text.count("<b>A slip</b>") == 6
    one = of_stage(desk, f"{ENCODER}.attention", printed=Printed((), ("x",)))
    assert "▸ 1 note on" in one["notes"].text


def test_what_a_text_prints_at_a_stage_is_named_as_on_its_page(desk):
    """One was called x_o_y."""
    desk = desk("two-vectors", "alike")
    desk.others = {"prints": ("two-vectors", "alike")}
    assert printed_at(desk.view, "vectors").said == ("Prints <b>⟨x_o, y⟩</b>: point at a number to compare it.",)


# Played, row by row


SCORE = Cell("scores", (0, 0))


def at(desk, cell, taken=None):
    """What is said of a cell as far as it has been played."""
    if taken is not None:
        desk.choose(played_key(cell), taken)
    fed = desk.document.engine.feeds(cell.node, cell.index)
    return inspected(desk.view, cell, {child: [index] for child, index in fed.items()})


def numbers(about):
    return [row.value for _, some in about.parts for row in some]


def test_who_has_not_played_sees_all_of_it(desk):
    about = at(desk("emma"), SCORE)
    assert (about.player.value, len(about.player.steps)) == (5, 5)
    assert about.player.steps == ("Pers", "Anim", "Noun", "Adj", "sum of the products")
    assert "?" not in numbers(about)


@pytest.mark.parametrize("taken", range(6))
def test_row_by_row_products_come_and_the_sum_drops_in_at_the_end(desk, taken):
    emma = desk("emma")
    whole, about = at(emma, SCORE), at(emma, SCORE, taken)
    assert numbers(about) == numbers(whole)[:taken] + ["?"] * (5 - taken)
    assert [row.label for _, some in about.parts for row in some] == list(whole.player.steps), "nothing moves"
    assert (about.value == whole.value) is (taken == 5)
    if taken < 5:
        assert about.value == "scores = ?"


def test_what_copies_its_number_does_not_tell_it(desk):
    start, cell = desk(), Cell("encoder.1.self.output", (0, 0, 0))
    fed = [[one.what for one in at(start, cell, taken).feeds] for taken in (None, 1)]
    assert fed == [[alone(start.value(cell.node)[cell.index], 5)], ["?"]]


@pytest.mark.parametrize(("taken", "cells"), [(0, None), (1, 0), (3, 2), (5, None)])
def test_each_term_lights_the_two_numbers_that_it_multiplies(desk, taken, cells):
    emma = desk("emma")
    emma.choose(played_key(SCORE), taken)
    row, more = played(emma.view, SCORE, derivation(emma.document.engine, SCORE, "values"))
    assert more is (taken < 5)
    assert (None if row is None else row.reads) == (
        None if cells is None else (("Q", (0, cells)), ("K", (0, cells)))
    )  # fmt: skip


def test_a_choice_of_another_model_does_no_harm(desk):
    emma = desk("emma")
    for wrong in (99, -3, "two", 1.5):
        about = at(emma, SCORE, wrong)
        assert len(numbers(about)) == 5
        played(emma.view, SCORE, derivation(emma.document.engine, SCORE, "values"))


def test_an_input_and_a_covered_number_cannot_be_played(desk):
    emma = desk("emma")
    assert at(emma, Cell("Q", (0, 0))).player is None
    assert at(emma, Cell("weights", (0, 0))).player is not None
    emma.look(covered=Covered({"scores": frozenset({(0, 0)})}))
    assert at(emma, Cell("weights", (0, 0))).player is None
    assert at(emma, Cell("scores", (1, 1))).player is not None


def test_a_gradient_is_played_backward_through_its_chain_rule(desk):
    welcome = desk()
    welcome.look(showing="gradient")
    cell = Cell("encoder.1.ffn.W_1", (0, 0))
    whole = at(welcome, cell)
    begun = at(welcome, cell, 0)
    assert set(numbers(begun)) - {""} == {"?"}
    assert whole.value.split("\n")[0] == begun.value.split("\n")[0], "its value is no secret"
    assert begun.value.endswith("its gradient = ?")
    row, more = played(welcome.view, cell, derivation(welcome.document.engine, cell, "gradient"))
    assert (row, more) == (None, True)


def test_of_a_model_of_others_the_name_in_its_file_stays_and_the_gradient_waits(desk):
    """The line with the name in the file was taken for that of the gradient, which was told at once."""
    state = desk().document.state
    named = replace(state, model=replace(state.model, called={"ffn.W_1": Stored("layers.{k}.fc.weight")}))
    welcome = Desk(named)
    welcome.look(showing="gradient")
    begun = at(welcome, Cell("encoder.1.ffn.W_1", (0, 0)), 0)
    _, in_file, gradient = begun.value.split("\n")
    assert in_file == "in its file: layers.0.fc.weight"
    assert gradient == "its gradient = ?"


def test_a_long_name_in_a_file_breaks_at_its_points_and_not_within_its_index():
    """The name of an expert was cut at the edge, and the index stood on two lines."""
    state = load("you-are-welcome").state()
    called = {"ffn.W_1": Stored("model.layers.{k}.mlp.experts.up_proj.weight", (64, 4), 0, (1, 4))}
    named = Desk(replace(state, model=replace(state.model, called=called)))
    cell = Cell("encoder.1.ffn.W_1", (1, 2))
    page = of_cell(named, cell).values()
    (said,) = [one.text for one in page if isinstance(one, Passage) and "in its file" in one.text]
    name = "model.layers.0.mlp.experts.up_proj.weight[2, 1]"
    assert said.split("in its file: ")[1] == name.replace(".", ".\u200b").replace(", ", ",\xa0")


# What a stage is for


ABOUT = about()
QUESTIONS = {
    "attention": ("dot product", "√d_k"),
    "heads": ("several heads",),
    "norm": ("normalise",),
    "ffn": ("expand and shrink",),
    "embedding": ("one-hot",),
    "output": ("logit",),
}


def test_every_kind_of_stage_is_explained():
    assert KINDS.keys() - ABOUT.keys() == set(), "resources/about.toml says nothing of these"
    assert ABOUT.keys() - KINDS.keys() == set(), "explorer/pages/compose.py has no page for these"


@each("kind", sorted(ABOUT))
def test_an_answer_has_two_to_four_short_sentences(kind):
    for question, text, *_ in ABOUT[kind]:
        assert question.endswith("?")
        sentences = re.findall(r"[^.?]+(?:\.\d[^.?]*)*[.?]", text)
        assert 2 <= len(sentences) <= 4, text
        assert max(len(sentence.split()) for sentence in sentences) <= 32, text


@pytest.mark.parametrize(("kind", "about"), [(kind, one) for kind, some in QUESTIONS.items() for one in some])
def test_what_beginners_ask_is_answered(kind, about):
    assert any(about in question for question, *_ in ABOUT[kind])


def asked(desk, stage):
    """The questions of a stage, and all that is answered."""
    told = answers(desk.stage(stage), desk.document.engine.graph)
    return [one.question for one in told], " ".join(one.text for one in told)


@pytest.mark.parametrize(("name", "about"), [("xor", "Why the square?"), ("roses-are-red", "Why the logarithm?")])
def test_of_a_loss_what_it_is_made_of_is_explained(desk, name, about):
    """A logarithm was explained where the loss is the mean squared error."""
    assert asked(desk(name), "loss")[0][1:] == [about]


def test_that_a_window_hides_earlier_words_is_said_where_there_is_one(desk):
    """That "it knows only the words so far" was said of models whose words see only the last few of them."""
    of = desk("roses-are-red")
    for window, said in ((0, False), (2, True), (1, True), (len(of.view.labels("input")), False)):
        of.do(SetSwitch("decoder.1.self", "window", window))
        assert ("Why a window?" in asked(of, "decoder.1.self.attention")[0]) is said, window


@pytest.mark.parametrize(("name", "drawn"), [("xor", "Each circle is a unit"), ("emma", "Each small square")])
def test_the_colours_of_the_picture_that_is_there_are_explained(desk, name, drawn):
    """Small squares and attention were explained beside the neurons of a net."""
    told = [one.text for one in answers(WHOLE, desk(name).document.engine.graph)]
    assert len(told) == 2
    assert told[1].startswith(drawn)


def test_of_a_norm_only_what_is_done_there_is_explained(desk):
    """γ and β, mean and variance were said of an RMS norm, and a sum where nothing is added."""
    of, stage, block = desk(), "encoder.1.ffn.after", "encoder.1.ffn"
    questions, text = asked(of, stage)
    assert questions == ["Why add what came in?", "Why normalise?"]
    assert "variance 1. With γ and β" in text
    of.do(SetSwitch(block, "norm_by", "RMS norm"), SetSwitch(block, "residual", False))
    questions, text = asked(of, stage)
    assert questions == ["Why normalise?"]
    assert "root mean square of 1" in text
    assert "β" not in text
    of.do(SetSwitch(block, "norm", "none"), SetSwitch(block, "residual", True))
    assert asked(of, stage)[0] == ["Why add what came in?"]


def test_neither_one_hot_rows_nor_waves_are_explained_where_there_are_none(desk):
    of = desk("i-love-ai", "textbook")
    assert asked(of, "input.positions")[0] == ["What is it for?"]
    assert "Why one-hot?" in asked(of, "input.embedding")[0]
    of.do(SetSwitch("input", "lookup", "index"), SetSwitch("input", "positions", "sinusoidal"))
    assert asked(of, "input.positions")[0] == ["What is it for?", "Why waves?"]
    assert "Why one-hot?" not in asked(of, "input.embedding")[0]


def test_neither_a_mask_nor_a_softmax_is_explained_where_there_is_none(desk):
    """A decoder without a mask was said to hide later words, and scores that are not divided to be divided."""
    of, stage = desk("tiny-gpt"), "decoder.1.self.attention"
    assert "A mask sets the scores of later words to −∞" in asked(of, stage)[1]
    assert "Why divide by √d_k?" in asked(of, stage)[0]
    assert "Why softmax?" in asked(of, "output")[0]
    for switch, value in (("mask", "none"), ("scale", "none")):
        of.do(SetSwitch("decoder.1.self", switch, value))
    questions, text = asked(of, stage)
    assert "mask" not in text
    assert "the shares of a word add up to 1" in text
    assert "Why divide by √d_k?" not in questions
    of.do(SetSwitch("output", "activation", "sigmoid"))
    questions, text = asked(of, "output")
    assert questions == ["What is a logit?"]
    assert "2.7" not in text


def test_why_scores_are_scaled_is_said_of_the_scale_that_is_there(desk):
    """Of 1/d_k, of a scale of the model's own and of Gemma's number it was asked why they are divided by √d_k."""
    of = desk("tiny-gpt")

    def why(block="decoder.1.self"):
        return [one for one in asked(of, f"{block}.attention")[0] if "divide" in one or "multiply" in one]

    for kind, question in {"1/d_k": "Why divide by d_k?", "free": "Why multiply by s?"}.items():
        of.do(SetSwitch("decoder.1.self", "scale", kind))
        assert why() == [question]
    width = of.view.graph.shape("decoder.1.self.K")[-1]
    for number, question in {width: "Why divide by √d_k?", 24: "Why divide by another number than √d_k?"}.items():
        of.do(SetSwitch("decoder.1.self", "scale", "1/sqrt(d_k)"), SetSwitch("decoder.1.self", "scale_width", number))
        assert why() == [question]
    assert of.view.nodes["decoder.1.self.scale"].symbol == r"1 / \sqrt{24}"
    of.do(SetSwitch("decoder.2.self", "scale_layer", True))
    assert why("decoder.2.self") == ["Why divide by another number than √d_k?"]


def test_with_a_sink_the_shares_are_not_said_to_add_up_to_1(desk):
    """They were."""
    of = desk("tiny-gpt")
    for switch, value in (("mask", "none"), ("sink", True)):
        of.do(SetSwitch("decoder.1.self", switch, value))
    questions, text = asked(of, "decoder.1.self.attention")
    assert questions[0] == "What is it for?"
    assert "add up to less than 1" in text
    assert "add up to 1" not in text


def test_what_a_stage_is_for_is_not_told_while_a_question_is_open_that_it_answers(you):
    """Beside “compared with that of B?” stood that a score larger by 1 has a share 2.7 times as large."""
    desk = you()
    open_, told = (of_stage(desk, "output", asked=asked)["stage"].text for asked in (True, False))
    assert "Only differences count" in told
    assert "differences" not in open_
    assert "when the question is answered" in open_


def test_of_experts_it_is_not_said_that_all_words_have_the_same_weights(desk):
    """The router chooses a few of several nets for each word, and the page spoke of one net."""
    own, stage = desk("tiny-gpt"), "decoder.1.ffn.layers"
    _, told = asked(own, stage)
    assert "the same weights for all words" in told
    assert "router" not in told
    assert "a small net by itself" in KINDS["ffn"].sentence(own.view, own.stage(stage))
    own.do(SetSwitch("decoder.1.ffn", "experts", 4))
    questions, told = asked(own, stage)
    assert questions[0] == "What is it for?"
    assert "the same weights" not in told
    assert "the router chooses a few for each word" in told
    assert "a few of several small nets" in KINDS["ffn"].sentence(own.view, own.stage(stage))
