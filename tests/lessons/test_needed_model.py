"""Lessons on models that do not come along: on random weights of the same shapes, and refused on any other."""

from hashlib import sha256

import numpy as np
import pytest

from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.document.commands import PinCells
from explorer.lessons.document_lesson import lesson_of, opened
from explorer.lessons.loader import catalogue, load, load_with, ready
from explorer.lessons.needed_model import sizes_of
from explorer.lessons.replay import replay
from explorer.sentences import sentence
from tests.lessons.needed import narrow, written
from tests.refusals import refuses

NEEDING = [lesson.id for lesson in catalogue() if lesson.needed is not None]
both = pytest.mark.parametrize("id", NEEDING)


def test_there_are_lessons_on_gpt2_and_on_a_pythia():
    assert NEEDING == ["inside-gpt2-small", "inside-pythia"]


@both
def test_without_its_model_a_lesson_is_not_run_on_other_numbers_in_silence(id):
    with pytest.raises(ExplorerError) as error:
        ready(id)
    said = sentence(error.value)
    needed = load(id).needed
    for part in (needed.name, needed.published, needed.licence, "model.safetensors", "MB"):
        assert part in said
    with refuses("needs a model that does not come along"):
        opened(id)


@both
def test_every_step_is_walked_on_random_weights_of_its_shape(tmp_path, id):
    file = narrow(id, tmp_path)
    lesson = load_with(file, written(file, tmp_path / "model"))
    assert lesson.needed is None
    assert sizes_of(lesson.model) == load(file).needed.sizes
    done = replay(lesson)
    assert done.questions == lesson.questions >= 5


@both
def test_its_numbers_are_those_of_the_folder(tmp_path, id):
    file = narrow(id, tmp_path)
    one, other = (load_with(file, written(file, tmp_path / f"model {seed}", seed)) for seed in (1, 2))
    for lesson, seed in ((one, 1), (other, 2)):
        again = load_with(file, tmp_path / f"model {seed}")
        np.testing.assert_array_equal(lesson.inputs["input.table"], again.inputs["input.table"])
    assert not np.array_equal(one.inputs["input.table"], other.inputs["input.table"])


@both
@pytest.mark.parametrize(
    ("change", "said"),
    [({"d_ff": 40}, "d_ff is 40, not 24"), ({"words": 301}, "words is 301, not 300")],
)
def test_a_model_of_another_size_is_refused(tmp_path, id, change, said):
    file = narrow(id, tmp_path)
    with refuses(said):
        load_with(file, written(file, tmp_path / "model", **change))


def test_a_model_of_another_kind_is_refused_and_so_is_any_other_folder(tmp_path):
    gpt2, pythia = narrow("inside-gpt2-small", tmp_path), narrow("inside-pythia", tmp_path)
    folder = written(pythia, tmp_path / "model")
    with refuses("is not GPT-2 small: its config.json does not say that it is a gpt2"):
        load_with(gpt2, folder)
    with refuses("is not GPT-2 small: it has no config.json"):
        load_with(gpt2, tmp_path)


@both
def test_a_folder_without_its_tokenizer_is_refused(tmp_path, id):
    file = narrow(id, tmp_path)
    folder = written(file, tmp_path / "model")
    (folder / "tokenizer.json").unlink()
    with refuses("its tokenizer.json may be missing"):
        load_with(file, folder)


@both
def test_weights_that_were_not_published_are_refused(tmp_path, id):
    folder = written(narrow(id, tmp_path), tmp_path / "model")
    weights = (folder / "model.safetensors").read_bytes()
    file = narrow(id, tmp_path, sha256=sha256(weights).hexdigest(), bytes=len(weights))
    told = []
    assert load_with(file, folder, lambda done, of: told.append(done / of)).needed is None
    assert told
    assert all(0 <= share <= 1 for share in told)
    (folder / "model.safetensors").write_bytes(weights[:-1] + b"\1")
    with refuses("its model.safetensors is not the one that was published"):
        load_with(file, folder)
    (folder / "model.safetensors").write_bytes(weights + b"0")
    with refuses("its model.safetensors is not the one that was published"):
        load_with(file, folder)


def test_the_true_hash_refuses_random_weights(tmp_path):
    with refuses("is not the one that was published"):
        load_with("inside-gpt2-small", written(narrow("inside-gpt2-small", tmp_path), tmp_path / "model"))


def test_in_a_pythia_the_net_does_not_read_what_its_attention_adds(tmp_path):
    file = narrow("inside-pythia", tmp_path)
    state = load_with(file, written(file, tmp_path / "model")).state()
    off = PinCells("decoder.1.self.projected", {(6, 0): 5.0}).apply(state)
    before, after = (fresh(one.graph, one.used, one.pins).values for one in (state, off))
    name = "decoder.1.ffn.output"
    np.testing.assert_array_equal(before[name], after[name])
    assert not np.array_equal(before["decoder.2.ffn.output"], after["decoder.2.ffn.output"])


@both
def test_a_saved_document_of_it_is_a_lesson_of_its_own(tmp_path, id):
    file = narrow(id, tmp_path)
    lesson = load_with(file, written(file, tmp_path / "model"))
    found, state = lesson_of(lesson.state(), "mine")
    assert found.id != id
    assert found.state() is state


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ('kind = "gpt3"', "'gpt3' is not one of its values"),
        ('sha256 = "abc"', "is no SHA-256"),
        ("colour = 1", "is not a known key"),
    ],
)
def test_what_is_wrong_in_its_table_is_named(tmp_path, change, said):
    file = narrow("inside-pythia", tmp_path)
    key = change.split(" = ")[0]
    lines = [line for line in file.read_text("utf-8").splitlines() if not line.startswith(f"{key} =")]
    lines.insert(lines.index("[checkpoint]") + 1, change)
    file.write_text("\n".join(lines), "utf-8")
    with refuses(said):
        load(file)


def test_a_column_that_the_model_cannot_have_is_refused_without_the_model(tmp_path):
    """The model that stands in is narrower, so that it lacks columns; but none has a column 0."""
    file = narrow("inside-pythia", tmp_path)
    file.write_text(file.read_text("utf-8").replace("ffn.output[6, 1]", "ffn.output[6, 0]"), "utf-8")
    with refuses("counted from 1"):
        load(file)


def test_a_model_of_its_own_is_refused_beside_it(tmp_path):
    file = narrow("inside-pythia", tmp_path)
    file.write_text(file.read_text("utf-8") + '\n[model]\nkind = "gpt"\n', "utf-8")
    with refuses("belongs to the model that the lesson needs"):
        load(file)


@pytest.mark.long
@both
def test_the_true_shapes(tmp_path, id):
    file = narrow(id, tmp_path, **load(id).needed.sizes)
    done = replay(load_with(file, written(file, tmp_path / "model")))
    assert done.questions >= 5
