"""Which setting each lesson opens with: one that shows a learner what its title says."""

import pytest

from explorer.document.document import Document
from explorer.lessons.loader import catalogue, load

OPENS = {
    "start-here": "textbook",
    "ten-questions-before": "plain",
    "two-vectors": "alike",
    "softmax": "printed",  # the only one: three scores, right to the last digit
    "apple-orange": "printed",  # the sentence of the title, with as few shares as can be
    "i-want-to-buy": "likeness",
    "translation-lookup": "textbook",
    "words-as-vectors": "screen-rock",
    "cat-sat-on-the": "printed",  # "A good guess": the loss is small because the guess is right
    "emma": "plain",  # a word a row, before anything is divided or masked: the steps add the two later
    "positions-cat-mat": "off",  # the question comes before its answer
    "jane": "heads",  # three heads, as the title says; the steps begin with one, to show what is lacking
    "jump": "before",
    "xor-linear": "start",
    "xor": "textbook",  # its answers are 0, 1, 1 and 0 exactly
    "i-love-ai": "textbook",  # "AI" follows "I love"
    "sin": "printed",  # "Two ReLU layers", before they learn
    "roses-are-red": "two",
    "you-are-welcome": "textbook",  # it says "de nada <end>"
    "one-word-at-a-time": "cat",
    "what-a-trained-head-does": "cat",
    "what-the-cache-saves": "cat",
    "where-the-answer-comes-from": "cat",
    "changed-since-2017": "paper",  # the model that the others changed
    "inside-a-storyteller": "once",
    "inside-gpt2-small": "mat",
    "inside-pythia": "twice",  # the text that it looks for a head with
    "ten-questions-after": "plain",
}


def test_each_lesson_opens_with_what_was_chosen_for_the_learner():
    assert {one.id: one.state().setting for one in catalogue() if not one.errata} == OPENS


def test_what_is_there_for_those_who_hold_the_text_is_never_first():
    for lesson in catalogue():
        if not lesson.errata:
            assert not lesson.setting().printed, lesson.id


def test_what_a_newcomer_sees_first_works():
    engine = Document(load("you-are-welcome").state()).engine
    said = [engine.labels("output.words")[i] for i in engine.values["output.chosen"]]
    assert said == ["de", "nada", "<end>"]
    after_nada = dict(zip(engine.labels("output.words"), engine.values["output.probabilities"][2], strict=True))
    assert after_nada["<end>"] == pytest.approx(0.93, abs=0.005)
