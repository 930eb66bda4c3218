"""The pages of a decoder: cross-attention between two sentences, and what it should say."""

import numpy as np
import pytest

from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.lessons.new import new_lesson
from explorer.pages.attention import attention

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
    assert "There is no mask here" in page.notes
    assert "are typed" in page.notes


def test_a_gpt_has_it_too(translator):
    translator.document = type(translator.document)(new_lesson("gpt", ["the cat sat"], d_model=4).state())
    assert row(translator.page(MASKED), "should say") == ("cat", "sat", "<end>")


def test_the_source_stands_above_and_the_encoder_runs_once(translator):
    page = translator.page(CROSS)
    assert row(page, "source") == ("the", "cat", "sat")
    assert ("decoder.1.cross.scores", ("target", "source")) in page.the("sentences").lights
    for said in ("The encoder runs once", "3 × 4", "all 2 layers"):
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
    assert "the strongest line of each is drawn" in translator.page(CROSS).notes
