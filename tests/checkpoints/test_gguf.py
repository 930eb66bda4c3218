"""GGUF files, written here: facts, tensors, tokenizers."""

import random
import struct
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from explorer.checkpoints import checkpoint, gguf, hugging_face
from explorer.checkpoints.gguf import opened, tokenizer_of
from explorer.checkpoints.tokenizers.fields import BYTE_OF_LETTER
from explorer.cli import main
from explorer.core.engine import fresh
from explorer.core.errors import ExplorerError
from explorer.document.state import State
from explorer.lessons.document_lesson import opened as opened_lesson
from tests.checkpoints.small import check_cells, weights, write
from tests.refusals import refuses

FACTS = {
    "general.architecture": "llama",
    "llama.embedding_length": 8,
    "llama.block_count": 2,
    "llama.feed_forward_length": 6,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "llama.context_length": 64,
    "llama.rope.dimension_count": 2,
}
OWN = {theirs: ours for ours, theirs in gguf._TENSORS.items()}


def text(words):
    return struct.pack("<Q", len(words.encode())) + words.encode()


def fact(value):
    if isinstance(value, list):
        kind = 8 if isinstance(value[0], str) else 5 if isinstance(value[0], int) else 6
        items = b"".join(text(one) if kind == 8 else struct.pack("<i" if kind == 5 else "<f", one) for one in value)
        return struct.pack("<IIQ", 9, kind, len(value)) + items
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    return struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<I", 8) + text(value)


def file_of(path, facts, tensors, kind=0):
    """`tensors`: arrays of float32, or (shape, bytes) of the type that `kind` counts."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(facts))
    head += b"".join(text(name) + fact(value) for name, value in facts.items())
    body = b""
    for name, one in tensors.items():
        shape, raw = one if isinstance(one, tuple) else (one.shape, one.astype("<f4").tobytes())
        number = kind if isinstance(one, tuple) else 0
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], number, len(body))
        body += raw + bytes(-len(raw) % 32)
    path.write_bytes(head + bytes(-len(head) % 32) + body)
    return path


def own_names(tensors):
    """The names of GGUF, and queries and keys with the two that turn together side by side."""
    found = {}
    for name, array in tensors.items():
        parts = name.removesuffix(".weight").split(".")
        layered = parts[:2] == ["model", "layers"]
        own = f"blk.{parts[2]}.{OWN['.'.join(parts[3:])]}" if layered else OWN[".".join(parts)]
        if parts[-1] in ("q_proj", "k_proj"):
            heads = 4 if parts[-1] == "q_proj" else 2
            array = array.reshape(heads, 2, -1, array.shape[1]).swapaxes(1, 2).reshape(array.shape)
        found[f"{own}.weight"] = np.ascontiguousarray(array)
    return found


def logits(found, ids=(5, 7, 3, 0)):
    model = replace(found.model, lengths={"input": len(ids)})
    state = State.of(model, {**found.inputs, "input.tokens": np.array(ids)})
    return fresh(state.graph, state.inputs, {}).values["output.logits"]


def test_it_has_the_numbers_of_the_same_folder(tmp_path):
    lists = {"general.tags": ["a", "bc"], "general.ids": [1, 2, 3], "general.parts": [0.5]}
    file = file_of(tmp_path / "small.gguf", {**lists, **FACTS}, own_names(weights()))
    found = opened(file)
    np.testing.assert_allclose(logits(found), logits(hugging_face.opened(write(tmp_path))), rtol=1e-12)
    assert found.model.switch("final", "epsilon") == 1e-5  # in the file a float32, which is 9.99999974738e-06


def with_biases():
    rng = np.random.default_rng(4)
    found = weights()
    found |= {
        name.replace("weight", "bias"): rng.normal(0, 0.5, array.shape[0]).astype(np.float32)
        for name, array in found.items()
        if "_proj" in name
    }
    return found


def test_biases_of_queries_and_of_nets_are_read(tmp_path):
    """The two of a query's or key's head that turn together stand side by side, in the biases, too."""
    own = own_names({name: array for name, array in with_biases().items() if name.endswith("weight")})
    for name, array in with_biases().items():
        if name.endswith("bias"):
            layer, part = name.split(".")[2], ".".join(name.removesuffix(".bias").split(".")[3:])
            own[f"blk.{layer}.{OWN[part]}.bias"] = array  # d_k is 2: one pair a head, in either order the same
    folder = hugging_face.opened(write(tmp_path, {"attention_bias": True, "mlp_bias": True}, with_biases()))
    found = opened(file_of(tmp_path / "small.gguf", FACTS, own))
    assert found.notices == ("it has no tokenizer: words are the numbers of the pieces",)
    np.testing.assert_allclose(logits(found), logits(folder), rtol=1e-9)


LONG = {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0, "rope_theta": 1000.0}


@pytest.mark.parametrize(("room", "width"), [(8192, 8), (64, 8), (32, 8), (16, 8), (8192, 2)])
def test_factors_for_longer_texts_give_back_the_rule_of_llama_3(tmp_path, room, width):
    waves = 2 * np.pi * 1000.0 ** (np.arange(0, width, 2) / width)
    share = np.clip((room / waves - 1) / 3, 0, 1)
    factors = (1 / ((1 - share) / 8 + share)).astype(np.float32)
    tensors = weights(8)
    for k in range(2):
        for x, n in (("q", 4), ("k", 2), ("v", 2)):
            rng = np.random.default_rng(k)
            tensors[f"model.layers.{k}.self_attn.{x}_proj.weight"] = rng.normal(0, 1, (n * width, 8)).astype(np.float32)
        tensors[f"model.layers.{k}.self_attn.o_proj.weight"] = np.ones((8, 4 * width), np.float32)
    own = {}
    for name, array in tensors.items():
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            array = array.reshape(-1, 2, width // 2, 8).swapaxes(1, 2).reshape(array.shape)
        parts = name.removesuffix(".weight").split(".")
        layered = parts[:2] == ["model", "layers"]
        called = f"blk.{parts[2]}.{OWN['.'.join(parts[3:])]}" if layered else OWN[".".join(parts)]
        own[f"{called}.weight"] = np.ascontiguousarray(array)
    facts = FACTS | {"llama.rope.dimension_count": width, "llama.attention.key_length": width}
    facts |= {"llama.attention.value_length": width, "llama.rope.freq_base": 1000.0}
    found = opened(file_of(tmp_path / "long.gguf", facts, own | {"rope_freqs.weight": factors}))
    said = LONG | {"factor": 8.0, "original_max_position_embeddings": room}
    folder = hugging_face.opened(write(tmp_path, {"head_dim": width, "rope_parameters": said}, tensors))
    np.testing.assert_allclose(logits(found), logits(folder), rtol=1e-6)


def test_factors_by_another_rule_are_refused(tmp_path):
    own = own_names(weights()) | {"rope_freqs.weight": np.array([3.0], np.float32)}
    assert opened(file_of(tmp_path / "one.gguf", FACTS, own)).model  # one pair fits any room
    facts = FACTS | {"llama.attention.head_count": 2, "llama.attention.head_count_kv": 1}
    facts["llama.rope.dimension_count"] = 4
    with pytest.raises(ExplorerError) as error:
        opened(file_of(tmp_path / "two.gguf", facts, own | {"rope_freqs.weight": np.array([4.0, 2.0], np.float32)}))
    assert "another rule" in error.value.fields["problem"]


GEMMA_2 = {"attn_logit_softcapping": 3.0, "final_logit_softcapping": 5.0}


@pytest.mark.parametrize(("kind", "biased"), [("gemma", False), ("gemma", True), ("gemma2", False), ("gemma3", False)])
def test_gemma_has_1_added_to_its_norms(tmp_path, kind, biased):
    """Gemma 2 has norms behind its blocks, caps, and a window in every other layer besides; Gemma 3 no caps."""
    both_sides = kind in ("gemma2", "gemma3")
    activation = "hidden_activation" if both_sides else "hidden_act"
    changes = {
        "model_type": "gemma3_text" if kind == "gemma3" else kind,
        "head_dim": 2,
        "hidden_act": "absent",
        activation: "gelu_pytorch_tanh",
    }
    tensors = {name: array for name, array in weights().items() if not name.startswith("lm_head")}
    facts = {name.replace("llama", kind): one for name, one in FACTS.items()}
    facts |= {"general.architecture": kind, f"{kind}.attention.key_length": 2}
    names = dict(OWN)
    if both_sides:
        names |= {theirs: ours for ours, theirs in gguf._NORMS_ON_BOTH_SIDES.items()}
        caps = GEMMA_2 if kind == "gemma2" else {}
        changes |= {**caps, "sliding_window": 2, "query_pre_attn_scalar": 2}
        facts |= {f"{kind}.{name}": one for name, one in caps.items()}
        facts[f"{kind}.attention.sliding_window"] = 2
        rng = np.random.default_rng(2)
        for k in range(2):
            for name in ("pre_feedforward_layernorm", "post_feedforward_layernorm"):
                tensors[f"model.layers.{k}.{name}.weight"] = rng.normal(0, 0.5, 8).astype(np.float32)
            if kind == "gemma3":
                tensors |= {f"model.layers.{k}.self_attn.{x}_norm.weight": rng.normal(0, 0.5, 2) for x in "qk"}
    if biased:
        changes["attention_bias"] = True
        tensors |= {name: one for name, one in with_biases().items() if name.endswith("bias") and "self_attn" in name}
    own = {}
    for name, array in tensors.items():
        *parts, part = name.split(".")
        layered = parts[:2] == ["model", "layers"]
        called = f"blk.{parts[2]}.{names['.'.join(parts[3:])]}" if layered else names[".".join(parts)]
        own[f"{called}.{part}"] = array + 1 if "norm" in name else array
    found = opened(file_of(tmp_path / "g.gguf", facts, own))
    (tmp_path / "folder").mkdir()
    folder = hugging_face.opened(write(tmp_path / "folder", changes, tensors))
    np.testing.assert_allclose(logits(found), logits(folder), rtol=1e-5)
    last = "blk.1.post_ffw_norm.weight" if both_sides else "blk.1.ffn_norm.weight"
    assert found.model.in_file(f"decoder.2.ffn.gamma{'_out' if both_sides else ''}") == last


def test_a_folder_of_one_file_opens_by_its_bare_name_too(tmp_path, monkeypatch, capsys):
    """It was said to have no config.json, while ./folder was opened."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "folder"
    (folder / "notes").mkdir(parents=True)
    file_of(folder / "a-Q4.gguf", FACTS, own_names(weights()))
    for name in ("folder", "./folder"):
        assert main(["show", name, "output.logits", "--ids", "1 2"]) == 0
    file_of(folder / "a-Q8.GGUF", FACTS, own_names(weights()))
    capsys.readouterr()
    for name in ("folder", "./folder"):
        assert main(["show", name, "output.logits", "--ids", "1 2"]) == 2
        assert "; name the file a-Q" in capsys.readouterr().err


def test_quantised_weights_are_told_of(tmp_path):
    facts = {**FACTS, "llama.embedding_length": 32, "llama.attention.key_length": 8, "llama.rope.dimension_count": 8}
    wide = own_names(weights(32))
    wide["blk.0.ffn_up.weight"] = ((6, 32), (b"\0\x3c" + bytes(range(32))) * 6)  # a factor of 1, then 0 to 31
    found = opened(file_of(tmp_path / "q.gguf", facts, wide, 8))
    np.testing.assert_array_equal(found.inputs["decoder.1.ffn.W_1"].T, np.tile(np.arange(32), (6, 1)))
    assert found.notices[0] == "its weights are stored as Q8_0"


MERGED = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256)), "▁", "a", "b", "▁a", "▁ab"]


def test_pieces_with_scores_are_those_of_sentencepiece():
    facts = {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": MERGED,
        "tokenizer.ggml.scores": [0.0] * 259 + [-3.0, -4.0, -5.0, -1.0, -2.0],
        "tokenizer.ggml.token_type": [2, 3, 3, *[6] * 256, *[1] * 5],
        "tokenizer.ggml.bos_token_id": 1,
    }
    found = tokenizer_of(facts)
    assert [found.pieces[i] for i in found.encode("ab é")] == ["<s>", "▁ab", "▁", "<0xC3>", "<0xA9>"]
    assert found.decode(found.encode("ab é")) == "ab é"
    without = tokenizer_of({**facts, "tokenizer.ggml.add_space_prefix": False})
    assert [without.pieces[i] for i in without.encode("ab", False)] == ["a", "b"]
    del facts["tokenizer.ggml.bos_token_id"]  # SentencePiece's is 1
    assert tokenizer_of(facts).encode("")[0] == 1


@pytest.mark.parametrize(
    ("cuts", "pieces"),
    [("qwen2", 2), ("llama-bpe", 1), ("llama3", 1), ("gpt-2", 1), ("olmo", 1), ("smollm", 2), ("starcoder", 2)],
)
def test_what_cuts_a_text_is_known_by_name(cuts, pieces):
    letters = list(BYTE_OF_LETTER)
    facts = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": cuts,
        "tokenizer.ggml.tokens": [*letters, "12", "<|end|>"],
        "tokenizer.ggml.token_type": [*[1] * 257, 3],
        "tokenizer.ggml.merges": ["1 2"],
    }
    found = tokenizer_of(facts)
    assert len(found.encode("12")) == pieces, "digits stand by themselves, or together"
    assert found.encode("a<|end|>")[-1] == 257
    assert found.decode(found.encode("Été 12")) == "Été 12"
    begins = tokenizer_of({**facts, "tokenizer.ggml.bos_token_id": 257}).encode("a")[0] == 257
    assert begins == cuts.startswith("llama"), "only Llama 3's begins with a mark without being told to"
    with pytest.raises(ExplorerError) as error:
        tokenizer_of({**facts, "tokenizer.ggml.pre": "deepseek-v3"})
    assert "deepseek-v3" in error.value.fields["problem"]


def test_it_is_shown_by_ids_and_opens_with_what_is_to_be_said(tmp_path, capsys):
    file = file_of(tmp_path / "small.gguf", FACTS, own_names(weights()))
    assert main(["generate", str(file), "--ids", "5 7", "-n", "3", "--greedy", "--json"]) == 0
    assert '"tokens": ["5", "7"]' in capsys.readouterr().out
    lesson, _ = opened_lesson(file)
    assert lesson.title == "small.gguf (llama, GGUF)"
    assert "it has no tokenizer" in lesson.setting("saved").paragraph


def test_each_cell_has_its_number_where_the_file_is_said_to_have_it(tmp_path):
    tensors = own_names(weights())
    assert check_cells(opened(file_of(tmp_path / "a.gguf", FACTS, tensors), "float64"), tensors)


def test_tensors_are_told_by_the_names_that_the_file_has(tmp_path):
    """A GGUF file was said to lack a tensor of a name that none has, and not to fit a config that it has not."""
    without = {name: one for name, one in own_names(weights()).items() if name != "blk.1.ffn_up.weight"}
    with refuses("lacks the tensor blk.1.ffn_up.weight; get the file again."):
        opened(file_of(tmp_path / "a.gguf", FACTS, without))
    turned = {**own_names(weights()), "blk.0.ffn_down.weight": own_names(weights())["blk.0.ffn_up.weight"]}
    with refuses(r"has blk.0.ffn_down.weight in the shape \(6, 8\), which does not fit its header"):
        opened(file_of(tmp_path / "b.gguf", FACTS, turned))
    odd = weights()
    odd["model.layers.1.post_attention_layernorm.weight"][2] = np.nan
    found = opened(file_of(tmp_path / "c.gguf", FACTS, own_names(odd)))
    assert "blk.1.ffn_norm.weight holds 1 number that is not finite" in found.notices


REFUSED = {
    "architecture": ({"general.architecture": "mamba"}, "architecture 'mamba'"),
    "longrope": ({"llama.rope.scaling.type": "longrope"}, "rope.scaling.type is 'longrope'"),
    "experts": ({"llama.expert_count": 8}, "'llama.expert_count'"),
    "part": ({"llama.rope.dimension_count": 1}, "rope.dimension_count"),
    "parts": ({"split.count": 3}, "is one of 3 parts of a model"),
    "both ways": ({"llama.attention.causal": False}, "words look ahead (attention.causal is false)"),
    "layers": ({"llama.block_count": 3}, "fewer layers than the 3"),
    "heads": ({"llama.attention.head_count": 3}, "3 heads"),
    "alignment": ({"general.alignment": 33}, "general.alignment"),
}


@pytest.mark.parametrize(("changes", "said"), REFUSED.values(), ids=REFUSED)
def test_what_would_change_the_numbers_is_refused_by_name(tmp_path, changes, said):
    with pytest.raises(ExplorerError) as error:
        opened(file_of(tmp_path / "a.gguf", {**FACTS, **changes}, own_names(weights())))
    assert error.value.id == "checkpoint"
    assert said in error.value.fields["problem"]


K, Q = text("blk.0.attn_k.weight"), text("blk.0.attn_q.weight")
CHANGED = {
    "is too short": (slice(20, None), b""),
    "is no GGUF file": (slice(0, 4), b"GGML"),
    "is GGUF of version 1 ": (slice(4, 5), b"\1"),
    "is GGUF for computers that store the highest byte": (slice(4, 8), b"\0\0\0\3"),
    "more tensors or facts": (slice(12, 13), b"\1"),
    "has more tensors or facts": (slice(20, 21), b"\1"),
    "says 'llama.attention.head_count' twice": (b"llama.rope.dimension_count", b"llama.attention.head_count"),
    "has the tensor 'blk.0.attn_q.weight' twice": (K, Q),
    "with 67 axes": (K + b"\2", K + b"C"),
    "as type 4, which is not read here (known": (
        K + struct.pack("<IQQI", 2, 8, 4, 0),
        K + struct.pack("<IQQI", 2, 8, 4, 4),
    ),
    "as IQ2_S, which is not read here (known": (
        K + struct.pack("<IQQI", 2, 8, 4, 0),
        K + struct.pack("<IQQI", 2, 8, 4, 22),
    ),
    "that overlap": (K + struct.pack("<IQQ", 2, 8, 4), K + struct.pack("<IQQ", 2, 8, 8)),
    "is cut short: 32 bytes of its tensors are missing": (slice(-32, None), b""),
    "is a pointer of Git LFS in the place": (
        slice(0, None),
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0",
    ),
    "it begins with '<!doctype html>'": (slice(0, None), b"<!doctype html>\n<html>" + b"x" * 100),
    "a fact of a type that is not known here (13)": (b"block_count\4", b"block_count\r"),
}


@pytest.mark.parametrize(("said", "change"), CHANGED.items(), ids=CHANGED)
def test_a_file_that_is_not_as_it_says_is_refused(tmp_path, said, change):
    raw, (place, instead) = file_of(tmp_path / "a.gguf", FACTS, own_names(weights())).read_bytes(), change
    place = place if isinstance(place, slice) else slice(raw.index(place), raw.index(place) + len(place))
    (tmp_path / "a.gguf").write_bytes(raw[: place.indices(len(raw))[0]] + instead + raw[place.indices(len(raw))[1] :])
    with pytest.raises(ExplorerError) as error:
        opened(tmp_path / "a.gguf")
    assert said in error.value.fields["problem"]


def test_what_is_cut_short_or_changed_by_chance_is_refused_or_opens_and_never_ends_in_a_traceback(tmp_path):
    good = file_of(tmp_path / "a.gguf", FACTS, own_names(weights())).read_bytes()
    chance, file, opens = random.Random(1), tmp_path / "b.gguf", 0
    header = good.index(b"\0" * 16, 200)
    for turn in range(300):
        raw = bytearray(good)
        if turn % 3 == 0:
            raw = raw[: chance.randrange(len(raw))]
        else:
            for _ in range(chance.randrange(1, 4)):
                raw[chance.randrange(min(header + 2000, len(raw)))] = chance.choice((0, 1, 127, 128, 255))
        file.write_bytes(raw)
        with suppress(ExplorerError):
            opened(file)
            opens += 1
    assert opens < 250


@pytest.mark.parametrize("form", ["<f4", "<f2", "<f8"])
def test_a_transposed_tensor_is_copied_in_strips(tmp_path, form):
    numbers = np.arange(3 * 37 * 5).reshape(3, 37, 5).astype(form)
    (tmp_path / "t").write_bytes(numbers.tobytes())
    tensor = checkpoint.Tensor(tmp_path / "t", checkpoint.plain("any", form), numbers.shape, 0)
    for turn in (np.transpose, lambda array: array.swapaxes(-1, -2), lambda array: array[0], checkpoint.as_it_is):
        found = tensor.read("float32", turn)
        np.testing.assert_array_equal(found, turn(numbers))
        assert (found.dtype, found.flags.c_contiguous, found.flags.owndata) == (np.float32, True, True)
