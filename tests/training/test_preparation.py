"""From a task to a trainer, and back to a document."""

import json
from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from explorer.checkpoints.tokenizers.tokenizer import from_json, named
from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.core.graph import TARGET
from explorer.core.model import Model
from explorer.core.ops import CrossEntropy
from explorer.core.training.recipe import Recipe
from explorer.core.training.records import Records
from explorer.core.vocabulary import Merge, labels, learn, merges_of, text_of
from explorer.document import storage
from explorer.document.state import State
from explorer.lessons.loader import load as lesson
from explorer.training import preparation
from explorer.training.preparation import prepare, prepare_document, shaped, trained
from explorer.training.recipes import ExistingModel, Material, NewModel, Task, load, names
from tests.samples import long

TEXT = "The sea is deep, the sky is high. The sea is wide, the night is long."


@pytest.fixture
def text(tmp_path):
    """A text file."""
    file = tmp_path / "text.txt"
    file.write_text(TEXT, "utf-8")
    return Material("text", file, window=4, words=9)


def a_gpt(text, recipe=None, **made):
    return prepare(Task("Sea", "", NewModel("gpt", 8, 1, **made), text, recipe or Recipe(steps=5, batch=3)))


def computed(state):
    used = {name: state.inputs[name] for name, node in state.graph.nodes.items() if node.is_input}
    return fresh(state.graph, used, state.pins)


@pytest.mark.parametrize("name", [long(name) if name.startswith("small-") else name for name in names()])
def test_the_programs_recipes_take_a_step_and_make_a_document(name, tmp_path):
    task = load(name)
    if task.material.merges:  # its text is left to whoever trains
        task = replace(task, material=replace(task.material, content="the sea is calm and the sky is grey .\n" * 40))
    if task.material.kind == "grammar":  # 20,000 sentences take seconds to draw
        task = replace(task, material=replace(task.material, sentences=400))
    prepared = prepare(task)
    trainer = prepared.trainer()
    trainer.step()
    file = tmp_path / "out.explorer"
    storage.save(trained(prepared.document, trainer, Records()), prepared.title, file)
    state, title = storage.load(file)
    assert title == prepared.title
    for weight in trainer.moving:
        assert state.inputs[weight].tobytes() == trainer.weights[weight].tobytes()


def test_a_new_gpt_that_reads_pieces_has_the_merges_of_its_text():
    text = "the sea is calm\n\n  and the sky is grey\n"
    prepared = a_gpt(Material("text", content=text * 9, window=8, merges=20))
    known = prepared.document.model.axes["input.words"]
    merges = learn(text * 9, 20)
    assert known == (*labels(merges), "<end>")
    assert merges_of(known) == tuple(Merge(one.left, one.right) for one in merges)
    said = [known[i] for i in prepared.examples.arrays["input.tokens"][:, 0]]
    assert text_of(said[: said.index("<end>")]) == "the sea is calm"  # a paragraph ends; blanks at its edges go


def test_a_recipe_that_leaves_its_text_to_others_says_so():
    with refuses("--text"):
        prepare(load("tiny-reader"))


def test_a_recipe_that_names_nothing_to_learn_from_takes_the_text_of_the_command(tmp_path):
    recipe, text = tmp_path / "my.toml", tmp_path / "my.txt"
    recipe.write_text('[model]\nkind = "gpt"\n', "utf-8")
    text.write_text("the sea is calm\n" * 9, "utf-8")
    assert "sea" in prepare(load(recipe, str(text))).document.model.axes["input.words"]
    with refuses("cannot learn from nothing"):
        load(recipe)


@pytest.mark.parametrize("mark", ["<|endoftext|>", "<bos>"])
def test_a_model_that_others_trained_reads_its_own_end_mark_after_a_paragraph(mark):
    """Without an end mark, the line breaks stay. `<end>`, which it has not, had been looked for."""
    said = {
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "Ċ": 2, mark: 3, "ab": 4}, "merges": [["a", "b"]]},
        "added_tokens": [{"id": 3, "content": mark, "special": True}],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "decoder": {"type": "ByteLevel"},
    }
    words = named(from_json(json.dumps(said)), 5)
    document = State.of(Model("gpt", {"input": 1}, {"input.words": words}), {})
    prepared = prepare_document(document, Material("text", content="abab\nba\n", window=1), Recipe())
    pieces = [words[i] for i in prepared.examples.arrays["input.tokens"][:, 0]]
    assert pieces == ["ab", "ab", mark if mark == "<|endoftext|>" else "⏎", "b", "a"]


def test_words_are_not_learned_by_the_squared_error_nor_numbers_by_the_cross_entropy(text):
    """Each word has one number; with as many words in a window as texts in a batch, it even went through."""
    state = a_gpt(text).document
    squared = state.rebuilt(state.model.with_switch("loss", "loss", "mean squared error"))
    with refuses("to learn from a text it must be the cross-entropy"):
        prepare_document(squared, text, Recipe())
    assert prepare_document(squared, Material(), Recipe()).trainer().step().loss > 0
    xor, table = lesson("xor").state(), Material("set", set="xor")
    crossed, silent = (xor.rebuilt(xor.model.with_switch("loss", "loss", loss)) for loss in ("cross-entropy", "none"))
    with refuses("to learn from a table of cases it must be the mean squared error"):
        prepare_document(crossed, table, Recipe())
    with refuses("no loss that training could lower"):
        prepare_document(silent, table, Recipe()).trainer()


def test_a_new_gpt_has_the_words_of_its_text(text):
    prepared = a_gpt(text)
    words = prepared.document.model.axes["input.words"]
    assert words[:3] == ("<unk>", "the", "is")
    assert len(words) == 9
    assert prepared.examples.lengths == {"input": 4}
    engine = computed(prepared.document)
    assert engine.labels("input") == ("the", "sea", "is", "deep")
    assert [words[i] for i in prepared.document.inputs[TARGET]] == ["sea", "is", "deep", ","]


def test_learned_positions_are_all_kept(text):
    prepared = a_gpt(replace(text, window=14), switches={"input.positions": "learned"})
    assert prepared.document.graph.shape("input.PE") == (14, 8)


def test_an_examples_weights_are_gone_on_from():
    prepared = prepare(
        Task("", "", ExistingModel("you-are-welcome", "printed"), Material(), Recipe(steps=3, rate=0.001))
    )
    before = prepared.document
    trainer = prepared.trainer()
    assert trainer.step().loss == float(computed(before).values["loss.value"])
    after = trained(prepared.document, trainer, Records())
    assert float(computed(after).values["loss.value"]) < float(computed(before).values["loss.value"])
    assert prepared.title == lesson("you-are-welcome").title
    assert (after.model, after.lesson, after.setting) == (before.model, before.lesson, before.setting)


def test_a_document_is_gone_on_with(text, tmp_path):
    prepared = a_gpt(text)
    trainer = prepared.trainer()
    trainer.step()
    storage.save(trained(prepared.document, trainer, Records()), "Sea", tmp_path / "sea.explorer")
    again = prepare(Task("", "", ExistingModel(str(tmp_path / "sea.explorer")), text, Recipe(steps=5)))
    assert again.title == "Sea"
    np.testing.assert_array_equal(again.trainer().weights["output.W"], trainer.weights["output.W"])


def test_weights_of_more_positions_are_cut_to_the_document(text):
    prepared = a_gpt(text, switches={"input.positions": "learned"})
    trainer = prepared.trainer()
    trainer.step()
    longer = shaped(a_gpt(replace(text, window=6), switches={"input.positions": "learned"}).document, trainer.weights)
    assert longer["input.PE"].shape == (6, 8)
    np.testing.assert_array_equal(longer["input.PE"][:4], trainer.weights["input.PE"])


def test_padding_is_not_counted(tmp_path):
    (tmp_path / "pairs.tsv").write_text("two cats sleep\tdos gatos duermen\nred\trojo\n", "utf-8")
    material = Material("pairs", tmp_path / "pairs.tsv")
    prepared = prepare(Task("", "", NewModel("encoder-decoder", 8, 1, dtype="float64"), material, Recipe(batch=0)))
    words = prepared.document.model.axes["target.words"]
    assert prepared.state.graph.nodes["loss.value"].op == CrossEntropy(words.index("<pad>"))
    loss = prepared.trainer().step().loss
    short = {name: array[1] for name, array in prepared.examples.arrays.items()}
    alone = {"source.tokens": short["source.tokens"][:1], "target.tokens": short["target.tokens"][:2]}
    lengths = {"source": 1, "target": 2}
    cut = prepared.state.with_inputs(alone).rebuilt(replace(prepared.state.model, lengths=lengths))
    cut = replace(cut, inputs={**cut.inputs, TARGET: short[TARGET][:2]})
    first = float(computed(prepared.document).values["loss.value"])
    second = float(computed(cut).values["loss.value"])
    assert loss == pytest.approx((4 * first + 2 * second) / 6, rel=1e-12)


# What does not fit


@pytest.mark.parametrize(
    ("name", "kind", "wanted"),
    [
        ("xor", "text", "a table of cases"),
        ("roses-are-red", "set", "a text or a grammar"),
        ("emma", "text", "its own example"),
    ],
)
def test_material_that_a_model_cannot_learn_from(text, name, kind, wanted):
    material = text if kind == "text" else Material("set", set="xor")
    with pytest.raises(ExplorerError) as caught:
        prepare_document(lesson(name).state(), material, Recipe())
    assert caught.value.id == "material-does-not-fit"
    assert caught.value.fields["wanted"] == wanted


def test_cases_of_another_width():
    material = Material("cases", X=np.zeros((2, 3)), target=np.zeros((2, 1)))
    with refuses(r"have 3 numbers in 'input\.X', the model 2"):
        prepare_document(lesson("xor").state(), material, Recipe())


def test_words_that_a_document_does_not_have(text):
    with refuses("'the' is not in the vocabulary"):
        prepare_document(lesson("roses-are-red").state(), text, Recipe())


@pytest.mark.parametrize(
    ("made", "material", "recipe", "id"),
    [
        ({"d_model": 2048, "layers": 4}, {}, {}, "model-too-large"),
        ({"switches": {"decoder.1.self.heads": 128, "decoder.1.self.d_k": 16384}}, {}, {}, "too-many-labels"),
        ({}, {"window": 14}, {"batch": 4}, "batch-too-large"),
    ],
)
def test_sizes_are_looked_at_before_anything_is_made(text, monkeypatch, made, material, recipe, id):
    if id == "batch-too-large":
        monkeypatch.setattr(preparation, "MOST_IN_A_STEP", 5_000)
    sizes = {"kind": "gpt", "d_model": 8, "layers": 1} | made
    with pytest.raises(ExplorerError) as caught:
        prepare(Task("", "", NewModel(**sizes), replace(text, **material), Recipe(**recipe)))
    assert caught.value.id == id


def test_an_encoder_learns_to_say_the_masked_words_of_a_grammars_sentences():
    task = load("tiny-bert")
    few = replace(task.material, sentences=60)
    ready = prepare(replace(task, material=few, recipe=replace(task.recipe, steps=30, warm_up=5, schedule="constant")))
    words = ready.document.model.axes["input.words"]
    read = [words[i] for i in ready.document.inputs["input.tokens"]]
    said = [words[i] for i in ready.document.inputs["loss.target"]]
    assert len(read) == len(said)
    assert "<pad>" not in read
    assert [one == "<mask>" for one in read] == [one != "<pad>" for one in said]
    assert len(ready.examples.validation) == 1000
    trainer = ready.trainer()
    first = trainer.step().loss
    while not trainer.finished:
        last = trainer.step().loss
    assert last < 0.8 * first


def test_a_grammar_has_the_languages_that_a_model_needs(tmp_path):
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text('[[sentences]]\ntext = "a b"\n')
    two.write_text('[[sentences]]\nen = "a b"\nes = "c d"\n')
    for name, file, said in (
        ("tiny-gpt", two, "cannot learn from a grammar without 'text'"),
        ("tiny-bert", two, "cannot learn from a grammar without 'text'"),
        ("tiny-translator", one, "cannot learn from a grammar of one language; give it one of two or more"),
    ):
        task = load(name)
        with refuses(said):
            prepare(replace(task, material=Material("grammar", file)))


def test_an_encoder_learns_from_a_grammar_alone():
    task = load("tiny-bert")
    ready = prepare(replace(task, material=replace(task.material, sentences=5)))
    with refuses("A model of kind 'encoder' cannot learn from a text; give it a grammar"):
        prepare_document(ready.document, Material("text", content="a b c"), task.recipe)
