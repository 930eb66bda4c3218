"""A document from a file has a lesson: the program's own, or one around its numbers.

Models of a sentence that somebody types.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from explorer.checkpoints.tokenizers.tokenizer import from_json, named
from explorer.core.engine import same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.document.state import State
from explorer.document.storage import load, save
from explorer.lessons import document_lesson
from explorer.lessons.document_lesson import drawn, is_document, lesson_of, new_lesson, opened
from explorer.lessons.loader import load as load_lesson
from explorer.pages.view import View
from tests.checkpoints.small import weights, write


@pytest.fixture
def edited():
    """ "You are welcome", edited."""
    document = Document(load_lesson("you-are-welcome").state("textbook"))
    document.do(SetCells("encoder.1.self.head.1.W_Q", {(0, 0): np.nan}))
    document.do(PinCells("encoder.1.self.weights", {(0, 1, 1): 0.5}))
    document.do(SetTokens("source", ["You", "are", "new"]))
    return document.state


@pytest.fixture
def made():
    """A new model, edited."""
    document = Document(new_lesson("gpt", ["a b c"], d_model=4, heads=2).state())
    document.do(SetCells("output.W", {(0, 0): -0.0}))
    document.do(PinCells("output.probabilities", {(0, 1): 1}))
    return document.state


def assert_same(a, b):
    assert a.model == b.model
    assert a.inputs.keys() == b.inputs.keys()
    assert all(same_bytes(array, b.inputs[name]) for name, array in a.inputs.items())
    assert a.pins.keys() == b.pins.keys()
    for name, pin in a.pins.items():
        assert same_bytes(pin.cells, b.pins[name].cells)
        assert same_bytes(pin.values, b.pins[name].values)


@pytest.mark.parametrize(("words", "reads"), [(10, "0 1 2 3 4"), (3, "0 1 2")])
def test_without_a_tokenizer_a_model_of_others_opens_on_several_numbers(tmp_path, words, reads):
    """It opened on one, of which all of the attention goes to itself."""
    cut = {name: array[:words] if array.shape[0] == 10 else array for name, array in weights().items()}
    _, state = opened(write(tmp_path, {"vocab_size": words}, cut))
    assert Document(state).words("input") == tuple(reads.split())


def test_a_model_that_says_masked_words_has_one_to_say():
    """A BERT opened on a text without a mask, and told what it would say in the place of its last mark."""
    marks = {"[MASK]": 2, "[SEP]": 3}
    said = {"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, **marks}, "unk_token": "b"}}
    said["added_tokens"] = [{"id": number, "content": mark, "special": True} for mark, number in marks.items()]
    words = named(from_json(json.dumps(said)), 4)
    axes = {"input.words": words}
    for kind, switches, first in (
        ("encoder", {"output.on": True}, "Once upon a [MASK]."),
        ("encoder", {}, "Once upon a time"),
        ("gpt", {}, "Once upon a time"),
    ):
        model = Model(kind, {"input": 3}, axes, switches=switches)
        assert document_lesson._first_text(words, model) == first
    view = View.of(Document(State.of(Model("encoder", {"input": 3}, axes, switches={"output.on": True}), {})))
    assert view.row("input", last=True) == 2
    masked = SetTokens("input", ("a", "[MASK]", "[SEP]")).apply(view.state)
    assert View.of(Document(masked)).row("input", last=True) == 1
    assert View.of(Document(masked)).row("input") == 0
    assert words.text_of(("a", "[MASK]", "[SEP]")) == "a [MASK]", "typing all of it anew keeps the mask"
    assert words.text_of(("[MASK]", "a")) == "[MASK] a"
    assert words.with_own_mask("a <mask>, [MASK]") == "a [MASK], [MASK]", "the marks of two tokenizers mean the same"
    assert named(from_json(json.dumps(said | {"added_tokens": []})), 4).with_own_mask("a <mask>") == "a <mask>"


def test_a_document_made_from_a_lesson_has_that_lesson(edited, tmp_path):
    save(edited, "Greetings", tmp_path / "a.explorer")
    lesson, state = opened(tmp_path / "a.explorer")
    assert_same(edited, state)
    assert (state.lesson, state.setting) == ("you-are-welcome", "textbook")
    assert (lesson.id, lesson.title) == ("you-are-welcome", "Greetings")
    own = load_lesson("you-are-welcome")
    assert list(lesson.settings) == list(own.settings)
    assert lesson.ours == own.ours
    assert_same(lesson.state("printed"), own.state("printed"))


def test_a_document_without_a_title(edited, made):
    assert lesson_of(edited, "")[0].title == load_lesson("you-are-welcome").title
    assert lesson_of(made, "")[0].title == "A document"


def test_a_document_of_no_lesson_has_one_around_its_numbers(made, tmp_path):
    save(made, "Mine", tmp_path / "a.explorer")
    lesson, state = opened(str(tmp_path / "a.explorer"))
    assert_same(made, state)
    assert (lesson.id, lesson.title, list(lesson.settings)) == (state.lesson, "Mine", [state.setting])
    assert lesson.state() is state
    assert lesson.state("saved") is state
    with refuses("'Mine' has no setting 'printed'"):
        lesson.state("printed")
    assert lesson.start_stage in [stage.name for stage in state.graph.stages]
    assert {name for name in lesson.ours if not state.graph.nodes[name].is_input} == set()


def test_a_document_opened_twice_is_two(made, tmp_path):
    save(made, "Mine", tmp_path / "a.explorer")
    assert opened(tmp_path / "a.explorer")[0].id != opened(tmp_path / "a.explorer")[0].id


def test_a_document_saved_again_keeps_its_numbers(made, tmp_path):
    save(made, "Mine", tmp_path / "a.explorer")
    lesson, state = opened(tmp_path / "a.explorer")
    document = Document(state)
    document.do(SetSwitch("decoder.1.ffn", "on", False))
    save(document.state, lesson.title, tmp_path / "b.explorer")
    again, second = opened(tmp_path / "b.explorer")
    assert again.title == "Mine"
    assert_same(document.state, second)


@pytest.mark.parametrize(
    "id", ["", "nothing", "new 12", "../../lessons/emma", "/tmp/emma.toml", "emma.toml", "a.explorer", "émma", "emma"]
)
def test_a_lesson_that_is_not_this_documents(made, id):
    # "emma" is a lesson, but not of a model of this kind.
    lesson, state = lesson_of(replace(made, lesson=id, setting="printed"), "Mine")
    assert list(lesson.settings) == ["saved"]
    assert_same(made, state)


def test_a_setting_that_the_lesson_does_not_have(edited):
    lesson, state = lesson_of(replace(edited, setting="later"), "Mine")
    assert list(lesson.settings) == [state.setting] == ["saved"]


def test_a_lesson_by_its_name_or_file():
    lesson, state = opened("emma")
    assert (lesson.id, state.setting) == ("emma", next(iter(lesson.settings)))
    with pytest.raises(ExplorerError) as caught:
        opened("nothing.toml")
    assert caught.value.id == "lesson-not-read"
    with pytest.raises(ExplorerError) as caught:
        opened("nothing.explorer")
    assert caught.value.id == "document-not-read"


def test_which_files_are_documents(tmp_path):
    assert is_document("a.explorer")
    assert is_document(tmp_path / "A.EXPLORER")
    assert not is_document("emma")
    assert not is_document("explorer")
    assert not is_document("a.explorer/emma.toml")


def test_every_lesson_and_setting_comes_back(tmp_path):
    from explorer.lessons.loader import catalogue

    for lesson in catalogue():
        if lesson.needed is not None:  # what is saved of one has its model, and the file of the lesson has not
            continue
        for setting in list(lesson.settings)[: None if lesson.model.dtype == "float64" else 1]:
            save(lesson.state(setting), lesson.title, tmp_path / "a.explorer")
            assert_same(lesson.state(setting), load(tmp_path / "a.explorer")[0])
            again, state = opened(tmp_path / "a.explorer")
            assert (again.id, again.title, state.setting) == (lesson.id, lesson.title, setting)


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


@pytest.mark.parametrize(("d_model", "numbers"), [(1024, "302,"), (2048, "1,208,")])
def test_a_model_of_too_many_weights_cannot(d_model, numbers):
    with refuses(f"have {numbers}.* up to 200,000,000"):
        new_lesson("gpt", ["a b c"], layers=24, heads=16, d_model=d_model)


def test_weights_of_a_large_model_are_drawn_where_they_are_asked_for(monkeypatch):
    monkeypatch.setattr("explorer.document.state.MOST_WRITTEN_AT_ONCE", 0)
    lesson = new_lesson("gpt", ["a b c"], d_model=4)
    assert lesson.state().numbers_to_write
    assert not drawn(lesson).state().numbers_to_write


@pytest.mark.parametrize("smallest", [1, 10**9])
def test_weights_that_were_drawn_are_those_that_would_be(monkeypatch, smallest):
    monkeypatch.setattr(document_lesson, "FLOAT32_FROM", smallest)
    lesson = new_lesson("encoder-decoder", ["a b c", "d e"], d_model=4)
    ready, state = drawn(lesson), lesson.state()
    first, again = ready.state(), ready.state()
    assert first.inputs.keys() == state.inputs.keys()
    for name, array in state.inputs.items():
        assert array.tobytes() == first.inputs[name].tobytes()
        # All states share them: nobody writes into an array.
        assert first.inputs[name] is again.inputs[name] is ready.inputs[name]
    assert first.inputs["encoder.1.self.W_Q"].dtype == lesson.model.dtype
