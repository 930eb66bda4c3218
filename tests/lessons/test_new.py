"""Models of a sentence that somebody types."""

import pytest

from explorer.core.errors import ExplorerError
from explorer.document.document import Document
from explorer.lessons.new import new_lesson


def right_words(state):
    words = state.graph.axes["output.words"]
    return [words[i] for i in Document(state).engine.values["loss.target"]]


@pytest.mark.parametrize(
    ("kind", "texts", "right"),
    [
        ("gpt", ["the cat\nsat"], ["cat", "sat", "<end>"]),
        ("encoder-decoder", ["the cat", "le chat"], ["le", "chat", "<end>"]),
        ("encoder-decoder", ["the cat", "<start> le chat"], ["le", "chat", "<end>"]),
    ],
)
def test_a_new_model_should_say_its_sentence_one_place_on(kind, texts, right):
    state = new_lesson(kind, texts, d_model=4).state()
    assert right_words(state) == right
    assert "<end>" in state.graph.axes["output.words"]


def test_a_new_model_with_rotary_positions():
    graph = new_lesson("gpt", ["a b c"], positions="rotary").state().graph
    assert "decoder.1.self.Q_rotated" in graph.nodes
    assert "input.PE" not in graph.nodes


def test_a_translation_that_is_too_long_with_its_start():
    with pytest.raises(ExplorerError, match="up to 511 tokens; 512"):
        new_lesson("encoder-decoder", ["a", "w " * 512])
