"""Models of a sentence that somebody types."""

import pytest
from refusals import refuses

from explorer.document.document import Document
from explorer.lessons import new
from explorer.lessons.new import drawn, new_lesson


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
    with refuses("up to 511 tokens; 512"):
        new_lesson("encoder-decoder", ["a", "w " * 512])


def test_a_model_of_the_size_of_gpt_2_small_can_be_made():
    lesson = new_lesson("gpt", ["a b c"], vocabulary="w " * 1000, layers=12, heads=12, d_model=768)
    assert lesson.model.dtype == "float32"
    assert new_lesson("gpt", ["a b c"]).model.dtype == "float64"


def test_a_model_larger_than_memory_cannot():
    with refuses("302,"):
        new_lesson("gpt", ["a b c"], layers=24, heads=16, d_model=1024)


def test_weights_of_a_large_model_are_drawn_where_they_are_asked_for(monkeypatch):
    monkeypatch.setattr("explorer.document.state.MOST_WRITTEN_AT_ONCE", 0)
    lesson = new_lesson("gpt", ["a b c"], d_model=4)
    assert lesson.state().numbers_to_write
    assert not drawn(lesson).state().numbers_to_write


@pytest.mark.parametrize("smallest", [1, 10**9])
def test_weights_that_were_drawn_are_those_that_would_be(monkeypatch, smallest):
    monkeypatch.setattr(new, "FLOAT32_FROM", smallest)
    lesson = new_lesson("encoder-decoder", ["a b c", "d e"], d_model=4)
    ready, state = drawn(lesson), lesson.state()
    first, again = ready.state(), ready.state()
    assert first.inputs.keys() == state.inputs.keys()
    for name, array in state.inputs.items():
        assert array.tobytes() == first.inputs[name].tobytes()
        # All states share them: nobody writes into an array.
        assert first.inputs[name] is again.inputs[name] is ready.inputs[name]
    assert first.inputs["encoder.1.self.W_Q"].dtype == lesson.model.dtype
