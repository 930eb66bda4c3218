"""The small models of each kind: as many weights and steps, three seeds each, and what they came to."""

import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from explorer import paths
from explorer.checkpoints.architectures import as_member, differing, member
from explorer.core.training.trainer import trainable
from explorer.training import recipes
from explorer.training.preparation import prepare
from explorer.training.recipes import kinds, steps

NAMES = [name for name in recipes.names() if name.startswith("small-")]
KINDS = {
    "small-gpt2": "GPT-2",
    "small-gpt-neox": "Pythia 160M",
    "small-llama": "Llama 3 8B",
    "small-gemma": "Gemma 2B",
    "small-qwen3": "Qwen3 0.6B",
    "tiny-t5": "T5 small",
    "tiny-bert": "BERT base",
}
FREE = {"tied", "epsilon", "rotary_base", "key_heads", "window"}


@cache
def prepared_with_few(name):
    """A recipe, with few of its sentences."""
    task = recipes.load(name)
    return prepare(replace(task, material=replace(task.material, sentences=200)))


def test_each_recipe_has_its_scores_and_they_agree_in_weights_and_steps():
    assert sorted(kind.recipe for kind in kinds()) == NAMES
    assert steps() == 1500
    assert {len(kind.losses) for kind in kinds()} == {3}
    counts = [kind.weights for kind in kinds()]
    assert max(counts) <= 1.01 * min(counts)
    assert [kind.mean for kind in kinds()] == sorted(kind.mean for kind in kinds())


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_has_as_many_weights_as_its_score_says(name):
    prepared = prepared_with_few(name)
    weights = trainable(prepared.state.graph, prepared.state.model)
    (kind,) = [kind for kind in kinds() if kind.recipe == name]
    assert sum(prepared.state.inputs[n].size for n, usual in weights.items() if usual) == kind.weights


@pytest.mark.parametrize(("recipe", "name"), KINDS.items())
def test_a_recipe_of_a_kind_has_the_switches_with_which_its_checkpoints_are_opened(recipe, name):
    model = prepared_with_few(recipe).state.model
    became = as_member(member(name), model)
    for block in model.blocks():
        last = block.rpartition(".")[2]
        for part, switch in differing():
            if part == last and switch not in FREE and model.has_switch(block, switch):
                assert became.switch(block, switch) == model.switch(block, switch), (block, switch)


@pytest.mark.long
def test_trained_again_a_small_llama_comes_to_the_loss_that_is_told(monkeypatch):
    monkeypatch.syspath_prepend(str(paths.resources().parent / "packaging"))
    module = __import__("shipped")
    loss = module.held_out(*module.trained("small-llama", 1))
    (kind,) = [kind for kind in kinds() if kind.recipe == "small-llama"]
    assert loss == pytest.approx(kind.losses[0], abs=5e-3)
    assert np.isfinite(loss)
    sys.modules.pop("shipped")
