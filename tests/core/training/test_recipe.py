"""The settings of a run and their bounds."""

import json

import pytest
from refusals import refuses

from explorer.core.training.recipe import BOUNDS, CHOICES, Recipe


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize("beyond", ["low", "high", "nan"])
def test_a_number_out_of_its_bounds(name, beyond):
    low, high = BOUNDS[name]
    value = {"low": low - 1, "high": high + 1, "nan": float("nan")}[beyond]
    with refuses(f"'{name}' is"):
        Recipe(**{name: value})


@pytest.mark.parametrize("name", CHOICES)
def test_a_word_that_cannot_be_chosen(name):
    with refuses(f"'none of them' is not a value of {name}; choose [A-Za-z]"):
        Recipe(**{name: "none of them"})


def test_a_recipe_as_json_has_all_settings():
    recipe = Recipe(
        optimiser="SGD", frozen=("input.table", "decoder.1"), also=("output.temperature",), initialiser="he", rate=0.1
    )
    settings = json.loads(json.dumps(recipe.as_dict()))
    assert Recipe(**{**settings, **{name: tuple(settings[name]) for name in ("frozen", "also")}}) == recipe


def test_the_rate_follows_the_schedule():
    recipe = Recipe(rate=1.0, schedule="linear", steps=4)
    assert [recipe.rate_at(step) for step in (1, 4)] == [0.8, pytest.approx(0.2)]
