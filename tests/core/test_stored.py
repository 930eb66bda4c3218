"""Where a checkpoint has the numbers of an input, and TransformerLens' names, by what it computes at them."""

import numpy as np
import pytest

import explorer
from explorer.core.models import build
from explorer.core.stored import Stored, hook_names
from explorer.library.transformer import Transformer
from tests.checkpoints.small import write
from tests.refusals import refuses


def test_a_part_that_is_cut_out_and_turned_is_found_in_both_directions():
    """Keys of two heads out of GPT-2's c_attn, (in, out), which has queries, keys and values side by side."""
    tensor = np.arange(4 * 18).reshape(4, 18)
    keys = np.split(tensor, 3, 1)[1].T.reshape(2, 3, 4).swapaxes(-1, -2)
    stored = Stored("c_attn.weight", tensor.shape, 6, tuple(step // tensor.itemsize for step in keys.strides))
    for index in np.ndindex(keys.shape):
        cell = stored.cell(index)
        assert tensor[cell] == keys[index]
        assert stored.index(cell, keys.shape) == index
    for row, column in ((0, 5), (0, 12), (3, 17), (4, 6), (-1, 6)):
        assert stored.index((row, column), keys.shape) is None, "a query, a value, or outside"
    assert stored.index((0,), keys.shape) is None
    assert stored.cell((0, 1)) is None


def test_an_input_that_has_grown_has_cells_that_no_tensor_has():
    table = Stored("wte.weight", (5, 4), 0, (4, 1))
    assert table.cell((4, 3)) == (4, 3)
    assert table.cell((5, 0)) is None
    assert Stored("wte.weight").cell((0, 0)) is None, "only its name is known"


@pytest.fixture
def llama(tmp_path) -> Transformer:
    m = explorer.open(write(tmp_path))
    m.tokens = [1, 5, 2]
    return m


def test_hooks_are_the_numbers_that_transformer_lens_has_there(llama):
    def at(hook):
        return llama[f"blocks.1.{hook}"].value

    np.testing.assert_array_equal(llama["hook_embed"].value, llama["input.table"].value[[1, 5, 2]])
    np.testing.assert_array_equal(at("hook_resid_pre"), llama["blocks.0.hook_resid_post"].value)
    np.testing.assert_allclose(at("hook_resid_mid"), at("hook_resid_pre") + at("hook_attn_out"))
    np.testing.assert_allclose(at("hook_resid_post"), at("hook_resid_mid") + at("hook_mlp_out"))
    np.testing.assert_allclose(at("attn.hook_q"), at("ln1.hook_normalized") @ llama["decoder.2.self.W_Q"].value)
    powers = np.exp(at("attn.hook_attn_scores"))
    np.testing.assert_allclose(at("attn.hook_pattern"), powers / powers.sum(-1, keepdims=True))
    keys = at("attn.hook_rot_k").repeat(2, axis=0)  # two heads share one of keys
    scores = at("attn.hook_rot_q") @ keys.swapaxes(1, 2) / np.sqrt(2)
    seen = np.tri(3) > 0
    np.testing.assert_allclose(at("attn.hook_attn_scores")[:, seen], scores[:, seen])
    z = at("attn.hook_pattern") @ at("attn.hook_v").repeat(2, axis=0)
    np.testing.assert_allclose(at("attn.hook_z"), z)
    gate = at("mlp.hook_pre")
    np.testing.assert_allclose(at("mlp.hook_post"), gate / (1 + np.exp(-gate)) * at("mlp.hook_pre_linear"))
    np.testing.assert_allclose(at("hook_mlp_out"), at("mlp.hook_post") @ llama["decoder.2.ffn.W_2"].value)
    logits = llama["ln_final.hook_normalized"].value @ llama["output.W"].value
    np.testing.assert_allclose(llama["output.logits"].value, logits)


def test_a_hook_is_explained_and_pinned_like_a_node(llama):
    assert llama.explain("blocks.0.attn.hook_pattern[0,2,1]").cell == "decoder.1.self.head.1.weights[2,1]"
    llama.set("blocks.0.attn.hook_pattern", {(0, 2, 1): 0.5})
    assert llama["decoder.1.self.weights"][0, 2, 1] == 0.5
    with refuses("did you mean 'blocks.1.attn.hook_pattern'"):
        llama["blocks.1.attn.hook_patern"]
    with refuses("There is no node 'blocks.2.hook_resid_pre'"):  # behind the last layer
        llama["blocks.2.hook_resid_pre"]


def test_a_layer_without_a_gate_or_with_its_norms_behind_has_hooks_of_its_own(examples):
    before = build(examples["encoder"])
    assert before.hooks["blocks.0.mlp.hook_pre"] == "encoder.1.ffn.hidden"
    assert "blocks.0.mlp.hook_pre_linear" not in before.hooks
    assert "blocks.0.hook_normalized_resid_post" not in before.hooks
    behind = build(examples["gpt"])
    assert behind.hooks["blocks.0.hook_normalized_resid_post"] == behind.leaving["decoder.1.out"]
    assert behind.hooks["blocks.0.hook_resid_post"] == "decoder.1.ffn.residual"
    assert hook_names((), {}) == build(examples["encoder-decoder"]).hooks == {}
