"""Each kind of stage is explained to a beginner."""

import re

import pytest

from explorer.document.commands import SetSwitch
from explorer.pages.about import about, answers
from explorer.pages.compose import KINDS

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


@pytest.mark.parametrize("kind", sorted(ABOUT))
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
