"""Each kind of stage is explained to a beginner."""

import re

import pytest

from explorer.pages.about import ABOUT
from explorer.pages.compose import KINDS

QUESTIONS = {
    "attention": ("dot product", "√d_k"),
    "heads": ("several heads",),
    "norm": ("normalise",),
    "ffn": ("expand and shrink",),
    "embedding": ("one-hot",),
    "output": ("logit",),
}


def test_every_kind_of_stage_is_explained():
    assert ABOUT.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", sorted(ABOUT))
def test_an_answer_has_two_to_four_short_sentences(kind):
    for question, text in ABOUT[kind]:
        assert question.endswith("?")
        sentences = re.findall(r"[^.?]+(?:\.\d[^.?]*)*[.?]", text)
        assert 2 <= len(sentences) <= 4, text
        assert max(len(sentence.split()) for sentence in sentences) <= 32, text


@pytest.mark.parametrize(("kind", "about"), [(kind, one) for kind, some in QUESTIONS.items() for one in some])
def test_what_beginners_ask_is_answered(kind, about):
    assert any(about in question for question, _ in ABOUT[kind])
