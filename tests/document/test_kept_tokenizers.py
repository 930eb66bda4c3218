"""A document of a model that came with a tokenizer keeps it."""

import json

import numpy as np
import pytest

from explorer.checkpoints.tokenizers.tokenizer import from_json, named
from explorer.core.decoder import Decoding
from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.vocabulary import Vocabulary
from explorer.document.commands import PinCells, SetArray, SetSwitch, SetTokens, WriteOn
from explorer.document.document import Document
from explorer.document.manifest import packed
from explorer.document.state import State
from explorer.document.storage import load, save
from explorer.library.answers import continued
from explorer.pages.element import leaves
from explorer.pages.levels import NEXT_WORD
from explorer.pages.model.next_word import next_word
from explorer.pages.view import View
from tests.checkpoints.small import translator

SAID = {
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "<s>": 3}, "merges": [["a", "b"]]},
    "added_tokens": [{"id": 3, "content": "<s>", "special": True}],
    "decoder": {"type": "Fuse"},
}


class TwoThings:
    """JSON, but no tokenizer."""

    source = "[1, 2]"


@pytest.fixture
def state():
    model = Model("gpt", {"input": 1}, {"input.words": named(from_json(json.dumps(SAID)), 4)}, d_model=4)
    return State.of(model, {"input.tokens": np.zeros(1, np.int64)})


def test_the_tokenizer_is_there_again(state, tmp_path):
    save(SetTokens("input", ["ab", "b"]).apply(state), "with pieces", tmp_path / "it.explorer")
    again, _ = load(tmp_path / "it.explorer")
    words = again.graph.axes[again.graph.sequences["input"]]
    assert isinstance(words, Vocabulary)
    assert words[:4] == ("a", "b", "ab", "<s>")
    assert words.pieces_of("abba") == ["ab", "b", "a"]
    assert again.graph.labels("input", again.inputs) == ("ab", "b")


def test_padding_is_no_next_word():
    """Marian gives it the logit 0, and its config forbids it."""
    mark = {"id": 3, "content": "<pad>", "special": True}
    vocabulary = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "<pad>": 3}, "merges": [["a", "b"]]}
    words = named(from_json(json.dumps({**SAID, "model": vocabulary, "added_tokens": [mark]})), 4)
    model = Model("gpt", {"input": 1}, {"input.words": words}, d_model=4)
    state = State.of(model, {"input.tokens": np.zeros(1, np.int64)})
    bias = np.full(len(state.graph.axes["output.words"]), -9.0)
    bias[[2, 3]] = 50, 99
    state = SetArray("output.b", bias).apply(state)
    pinned = PinCells("decoder.1.self.weights", {(0, 0, 0): 1}).apply(state)
    for one in (state, pinned):
        for choice in (Decoding(greedy=True), Decoding()):
            written = WriteOn(1, 2, choice).apply(one)
            assert written.graph.labels("input", written.inputs) == ("a", "ab", "ab")
    for beams in (None, 2):
        assert continued(state, ["a"], 1, None, Decoding(greedy=True), beams).new == ("ab",)
    page = next_word(View(state, Document(state).engine), NEXT_WORD)
    (append,) = (one for part in page for one in leaves(part) if one.id == "append")
    assert append.text == "Append “ab”"


def test_two_tokenizers_of_the_same_pieces_are_kept_apart(state, tmp_path):
    """A model and the same one trained further may split a text differently; each keeps its own, open or saved."""
    bare = {**SAID, "model": {**SAID["model"], "merges": []}}
    words = named(from_json(json.dumps(bare)), 4)
    other = State.of(Model("gpt", {"input": 1}, {"input.words": words}, d_model=4), {})
    for number, (one, pieces) in enumerate(((state, ["ab"]), (other, ["a", "b"]))):
        assert one.graph.axes["input.words"].pieces_of("ab") == pieces
        save(one, "", tmp_path / f"{number}.explorer")
        again, _ = load(tmp_path / f"{number}.explorer")
        assert again.graph.axes["input.words"].pieces_of("ab") == pieces


@pytest.mark.parametrize("said", ["bm90aGluZw==", "not base64", "", packed(Vocabulary((), TwoThings()))])
def test_what_is_no_tokenizer_could_not_be_opened_so_it_is_not_saved(state, tmp_path, monkeypatch, said):
    monkeypatch.setattr("explorer.document.manifest.packed", lambda words: said)
    with pytest.raises(ExplorerError) as error:
        save(state, "with pieces", tmp_path / "it.explorer")
    assert error.value.id == "not-saved"
    assert not (tmp_path / "it.explorer").exists()


def test_a_text_ends_with_a_mark_and_not_with_a_piece_that_looks_like_one():
    """`</s>` is a piece of HTML in Gemma, whose texts end with `<eos>`, and in Qwen."""
    added = [{"id": 3, "content": "</s>", "special": False}, {"id": 4, "content": "<eos>", "special": True}]
    said = {**SAID, "model": {**SAID["model"], "vocab": {"a": 0, "b": 1, "ab": 2, "</s>": 3, "<eos>": 4}}}
    assert named(from_json(json.dumps({**said, "added_tokens": added})), 5).ends == ("<eos>",)
    assert named(from_json(json.dumps({**said, "added_tokens": added[:1]})), 4).ends == ("</s>",)
    added[1]["content"] = "<｜end▁of▁sentence｜>"  # DeepSeek R1, as Qwen or Llama
    assert named(from_json(json.dumps({**said, "added_tokens": added})), 5).ends == ("<｜end␣of␣sentence｜>",)
    added[0] = {"id": 3, "content": "<|im_end|>", "special": True}  # behind what one side of a dialogue says
    said["model"]["vocab"] = {"a": 0, "b": 1, "ab": 2, "<|im_end|>": 3, added[1]["content"]: 4}
    both = "<｜end␣of␣sentence｜>", "<|im_end|>"
    assert named(from_json(json.dumps({**said, "added_tokens": added})), 5).ends == both


def test_a_loss_that_is_switched_on_is_of_the_next_pieces_and_their_own_end(tmp_path):
    """Not `<end>`: with it a model of others would have one row more than it was trained with."""
    ends = {**SAID, "added_tokens": [{"id": 3, "content": "</s>", "special": True}]}
    ends["model"] = {**SAID["model"], "vocab": {"a": 0, "b": 1, "ab": 2, "</s>": 3}}
    model = Model("gpt", {"input": 2}, {"input.words": named(from_json(json.dumps(ends)), 4)}, d_model=4)
    silent = State.of(model.with_switch("loss", "loss", "none"), {"input.tokens": np.array([0, 2])})
    state = SetSwitch("loss", "loss", "cross-entropy").apply(silent)
    assert len(state.graph.axes["input.words"]) == 4
    assert fresh(state.graph, state.used, {}).values["loss.target"].tolist() == [2, 3]
    # A translator's start mark is its <pad>: behind it the first word is to be said, behind a further one nothing.
    answer = SetTokens("target", ["<pad>", "b", "<pad>"]).apply(translator())
    state = SetSwitch("loss", "loss", "cross-entropy").apply(answer)
    assert fresh(state.graph, state.used, {}).values["loss.target"].tolist() == [1, 4, 3]
