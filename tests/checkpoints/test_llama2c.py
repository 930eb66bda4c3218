"""llama2.c's files, made here: sizes, then weights; and the tokenizer beside them."""

import json
import os
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from explorer.checkpoints.llama2c import opened, tokenizer_of
from explorer.cli import main
from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.core.models import build
from explorer.lessons.loader import load
from tests.refusals import refuses

MARKS = [("<unk>", 0.0), ("\n<s>\n", 0.0), ("\n</s>\n", 0.0)]
BYTES = [(f"<0x{i:02X}>", 0.0) for i in range(256)]
LETTERS = [(" a", -0.0), ("b", -2.0), (" ", -3.0), ("a", -4.0), (" ab", -1.0)]
D, HIDDEN, LAYERS, HEADS, KEY_HEADS, ROOM = 8, 6, 2, 4, 2, 5


def tokenizer(tmp_path):
    pieces = [*MARKS, *BYTES, *LETTERS]
    raw = struct.pack("<i", 7)
    for piece, score in pieces:
        raw += struct.pack("<fi", score, len(piece.encode())) + piece.encode()
    (tmp_path / "tok.bin").write_bytes(raw)
    return tmp_path / "tok.bin"


def model(tmp_path, change=lambda raw: raw):
    words = len(MARKS) + len(BYTES) + len(LETTERS)
    shapes = [(words, D), (LAYERS, D), (LAYERS, D, D), (LAYERS, D // 2, D), (LAYERS, D // 2, D), (LAYERS, D, D)]
    shapes += [(LAYERS, D), (LAYERS, HIDDEN, D), (LAYERS, D, HIDDEN), (LAYERS, HIDDEN, D), (D,), (ROOM, D // HEADS)]
    rng = np.random.default_rng(3)
    arrays = [rng.normal(0, 0.5, shape).astype("<f4") for shape in shapes]
    head = struct.pack("<7i", D, HIDDEN, LAYERS, HEADS, KEY_HEADS, words, ROOM)
    (tmp_path / "model.bin").write_bytes(change(head + b"".join(array.tobytes() for array in arrays)))
    return tmp_path / "model.bin", arrays


def test_its_numbers_are_those_of_a_straight_line(tmp_path):
    file, arrays = model(tmp_path)
    checkpoint = opened(file, "float64", tokenizer(tmp_path))
    found, inputs = checkpoint.model, checkpoint.inputs
    table, before, Q, K, V, W_O, above, gate, down, up, last, _ = (array.astype(np.float64) for array in arrays)
    ids = [1, 259, 260, 259]
    inputs = {**inputs, "input.tokens": np.array(ids)}
    logits = fresh(build(with_length(found, len(ids))), inputs, {}).values["output.logits"]

    def norm(x, gamma):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gamma

    def turned(x):  # heads of width 2: one pair of neighbours each, by the angle of the position
        m = np.arange(len(x))[:, None]
        return np.hstack([x[:, :1] * np.cos(m) - x[:, 1:] * np.sin(m), x[:, :1] * np.sin(m) + x[:, 1:] * np.cos(m)])

    x = table[ids]
    for k in range(LAYERS):
        read = norm(x, before[k])
        q, key, v = read @ Q[k].T, read @ K[k].T, read @ V[k].T
        heads = []
        for h in range(HEADS):
            own, shared = slice(2 * h, 2 * h + 2), slice(2 * (h // 2), 2 * (h // 2) + 2)
            scores = np.where(np.tri(len(ids)) > 0, turned(q[:, own]) @ turned(key[:, shared]).T / np.sqrt(2), -np.inf)
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            heads.append(shares / shares.sum(-1, keepdims=True) @ v[:, shared])
        x = x + np.hstack(heads) @ W_O[k].T
        read = norm(x, above[k])
        gated = read @ gate[k].T
        x = x + (gated / (1 + np.exp(-gated)) * (read @ up[k].T)) @ down[k].T
    np.testing.assert_allclose(logits, norm(x, last) @ table.T, rtol=1e-10, atol=1e-12)


def with_length(found, n):
    return replace(found, lengths={"input": n})


def test_the_piece_with_the_best_score_is_merged_first(tmp_path):
    found = tokenizer_of(tokenizer(tmp_path))
    assert [found.pieces[i] for i in found.encode("ab a")] == ["<s>", "▁ab", "▁a"]
    assert found.decode(found.encode("ab é")) == "ab é"


def as_version(n, arrays, shared=1, group=2):
    """The same weights as export.py writes them in versions 1 and 2."""
    words = len(MARKS) + len(BYTES) + len(LETTERS)
    table, before, Q, K, V, W_O, above, gate, down, up, last, _ = arrays
    head = struct.pack("<Ii7iB", 0x616B3432, n, D, HIDDEN, LAYERS, HEADS, KEY_HEADS, words, ROOM, shared)
    raw = (head + (struct.pack("<i", group) if n == 2 else b"")).ljust(256, b"\0")
    raw += b"".join(one.tobytes() for one in (before, above, last))
    matrices = [table, *(layer for each in (Q, K, V, W_O, gate, down, up) for layer in each)]
    for one in matrices:
        if n == 1:
            raw += one.tobytes()
            continue
        rows = one.reshape(-1, group)
        factors = (abs(rows).max(1) / 127).astype("<f4")
        raw += np.round(rows / factors[:, None]).astype(np.int8).tobytes() + factors.tobytes()
    return raw


def test_version_1_has_the_same_numbers_and_version_2_those_of_its_bytes(tmp_path):
    file, arrays = model(tmp_path)
    tokenizer(tmp_path)
    first = opened(file)
    assert first.model.axes["input.words"][260] == "b", "the tokenizer beside it names the words"
    (tmp_path / "one.bin").write_bytes(as_version(1, arrays))
    again = opened(tmp_path / "one.bin")
    assert again.model == first.model
    for name, array in first.inputs.items():
        np.testing.assert_array_equal(again.inputs[name], array, name)
    (tmp_path / "two.bin").write_bytes(as_version(2, arrays))
    bytes_ = opened(tmp_path / "two.bin").inputs
    gate = arrays[7][1].astype(np.float64)  # the second layer's
    for (i, j), number in np.ndenumerate(bytes_["decoder.2.ffn.W_g"].T):
        largest = np.float32(max(abs(gate[i, j // 2 * 2]), abs(gate[i, j // 2 * 2 + 1]))) / np.float32(127)
        assert number == pytest.approx(round(gate[i, j] / largest) * largest, rel=1e-6)
    np.testing.assert_array_equal(bytes_["final.gamma"], arrays[10])


@pytest.mark.parametrize("n", [1, 2])
def test_later_versions_are_not_believed_either(tmp_path, n):
    raw = as_version(n, model(tmp_path)[1])
    for change in (raw[:-1], raw + b"\0", raw[:4] + b"\7" + raw[5:], raw[:36] + b"\2" + raw[37:], raw[:200]):
        (tmp_path / "other.bin").write_bytes(change)
        with pytest.raises(ExplorerError) as error:
            opened(tmp_path / "other.bin")
        assert error.value.id == "checkpoint"


def test_a_pickle_is_not_opened(tmp_path, capsys):
    (tmp_path / "pytorch_model.bin").write_bytes(b"PK\3\4" + bytes(300))
    assert main(["show", str(tmp_path / "pytorch_model.bin"), "output.logits"]) == 2
    assert "is a pickle, which can run code" in capsys.readouterr().err


def test_a_file_is_shown_and_written_on_with_the_tokenizer_that_is_named(tmp_path, capsys):
    file, _ = model(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    named = tokenizer(tmp_path).rename(tmp_path / "elsewhere" / "other")
    assert main(["generate", str(file), "ab a", "-n", "2", "--greedy", "--json", "--tokenizer", str(named)]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"] == ["<s>", "␣ab", "␣a"]
    assert main(["generate", str(file), "--ids", "1 263 259", "-n", "2", "--greedy", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"] == ["1", "263", "259"]
    assert main(["generate", str(tmp_path), "--ids", "1 263 259", "-n", "2", "--greedy", "--json"]) == 0  # its folder
    assert json.loads(capsys.readouterr().out)["tokens"] == ["1", "263", "259"]


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw[:20],
        lambda raw: raw[:-4],
        lambda raw: raw + b"\0",
        lambda raw: struct.pack("<i", 7) + raw[4:],
        lambda raw: raw[:8] + struct.pack("<i", 2**24 - 1) + raw[12:],  # layers: for none of them is anything made
    ],
)
def test_a_file_whose_sizes_do_not_fit_is_refused(tmp_path, change):
    with pytest.raises(ExplorerError) as error:
        opened(model(tmp_path, change)[0])
    assert error.value.id == "checkpoint"


def test_a_tokenizer_that_is_cut_short_is_refused(tmp_path):
    file = tokenizer(tmp_path)
    for n in (3, 40, 600):
        file.write_bytes(file.read_bytes()[: -n or None])
        with pytest.raises(ExplorerError) as error:
            tokenizer_of(file)
        assert error.value.id == "tokenizer"


def test_a_device_is_no_tokenizer():
    """It was read until the memory was full."""
    with refuses(f"The tokenizer {os.devnull} cannot be read: it is not a file"):
        tokenizer_of(Path(os.devnull))


def test_the_one_that_comes_along_tells_the_published_story(capsys):
    assert main(["generate", "stories260k", "Once upon a time", "-n", "60", "--greedy"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(
        "Once upon a time, there was a little girl named Lily. She loved to play outside in the park. One day, she saw "
        "a big, red ball. She wanted to play with it, but it was too high."
    )
    assert load("stories260k").state().model.layers == 5


def test_a_tokenizer_given_as_a_model_is_refused(tmp_path):
    with refuses("no model of llama2.c: its first numbers are no sizes of one"):
        opened(tokenizer(tmp_path))


def test_it_is_read_as_a_folder_is(tmp_path, monkeypatch):
    """It had a way of its own: what is not finite was not told, nor how much is read, and memory was not asked for."""
    file, _ = model(tmp_path)
    before = file.read_bytes()
    file.write_bytes(before[:-4] + struct.pack("<f", np.nan))  # an angle, which nobody reads
    told = []
    checkpoint = opened(file, told=lambda done, total: told.append(done / total))
    assert told[0] == 0
    assert 0.5 < told[-1] <= 1
    assert all(array.flags.c_contiguous and array.flags.owndata for array in checkpoint.inputs.values())
    assert checkpoint.notices == ("no tokenizer for it lies beside it (tok*.bin): words are the numbers of the pieces",)
    first = struct.calcsize("<7i")
    file.write_bytes(before[:first] + struct.pack("<f", np.inf) + before[first + 4 :])
    assert opened(file).notices[1:] == ("model.embed_tokens.weight holds 1 number that is not finite",)
    monkeypatch.setattr("explorer.checkpoints.checkpoint.available", lambda: 1000)
    with refuses("needs 0.0 GB of memory for its weights, and 0.0 GB are free here; end other programs"):
        opened(file)
