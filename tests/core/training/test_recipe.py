"""The settings of a run and their bounds.

How the rate runs: against the formulas, and within its bounds for all settings.
"""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.training.recipe import BOUNDS, CHOICES, SCHEDULES, Recipe, rate_at


def test_the_transformers_own_schedule():
    """Vaswani et al. 2017, equation 3, with its d_model and warm-up."""
    rate = (512 * 4000) ** -0.5
    for step in (1, 100, 3999, 4000, 4001, 100_000):
        printed = 512**-0.5 * min(step**-0.5, step * 4000**-1.5)
        assert rate_at(step, rate, "inverse square root", 4000, 100_000) == pytest.approx(printed, rel=1e-12)


def test_the_ways_down():
    steps = [1, 2, 3, 4]
    np.testing.assert_allclose([rate_at(s, 1.0, "constant", 0, 4) for s in steps], [1, 1, 1, 1])
    np.testing.assert_allclose([rate_at(s, 1.0, "linear", 0, 4) for s in steps], [0.8, 0.6, 0.4, 0.2])
    cosine = [(1 + np.cos(np.pi * s / 5)) / 2 for s in steps]
    np.testing.assert_allclose([rate_at(s, 1.0, "cosine", 0, 4) for s in steps], cosine)


def test_a_warm_up_rises_evenly():
    assert [rate_at(s, 1.0, "cosine", 4, 10) for s in (1, 2, 3)] == [0.25, 0.5, 0.75]
    assert rate_at(4, 1.0, "cosine", 4, 10) == 1.0


@given(st.sampled_from(SCHEDULES), st.integers(1, 200), st.integers(0, 150), st.integers(1, 100))
def test_a_rate_is_above_0_during_the_run_and_never_above_the_highest(schedule, step, warm_up, steps):
    rate = rate_at(step, 0.5, schedule, warm_up, steps)
    assert 0 <= rate <= 0.5
    assert rate > 0 or step > steps


@given(st.sampled_from(SCHEDULES), st.integers(0, 50), st.integers(1, 100))
def test_behind_the_warm_up_it_never_rises(schedule, warm_up, steps):
    rates = [rate_at(s, 1.0, schedule, warm_up, steps) for s in range(max(warm_up, 1), steps + 2)]
    assert all(a >= b for a, b in pairwise(rates))


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
