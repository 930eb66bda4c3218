import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.training.recipe import (
    BOUNDS,
    CHOICES,
    OPTIMISERS,
    SCHEDULES,
    Adam,
    Momentum,
    Optimiser,
    Recipe,
    RMSprop,
    clipped,
)
from tests.samples import each

WEIGHTS = {"w": np.array([1.0, -2.0])}
GRADIENTS = {"w": np.array([0.5, -4.0])}


def two_steps(optimiser):
    first = optimiser.step(WEIGHTS, GRADIENTS)
    return first["w"], optimiser.step(first, GRADIENTS)["w"]


def test_plain_descent_goes_against_the_gradient():
    first, second = two_steps(Optimiser(0.1))
    np.testing.assert_allclose(first, [0.95, -1.6])
    np.testing.assert_allclose(second, [0.9, -1.2])


def test_momentum_keeps_a_part_of_its_speed():
    first, second = two_steps(Momentum(0.1, momentum=0.5))
    np.testing.assert_allclose(first, [0.95, -1.6])
    np.testing.assert_allclose(second, first + 1.5 * np.array([-0.05, 0.4]))


def test_rmsprop_divides_by_the_usual_size():
    first, _ = two_steps(RMSprop(0.1, rho=0.9))
    np.testing.assert_allclose(first, WEIGHTS["w"] - 0.1 * np.sign(GRADIENTS["w"]) / np.sqrt(0.1), rtol=1e-6)


def test_adams_steps_are_as_long_as_the_rate_while_the_gradient_stays():
    first, second = two_steps(Adam(0.1))
    np.testing.assert_allclose(first, [0.9, -1.9], rtol=1e-6)
    np.testing.assert_allclose(second, [0.8, -1.8], rtol=1e-6)


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_a_copy_remembers_what_the_optimiser_does_and_nothing_is_written_to(kind):
    optimiser = OPTIMISERS[kind](0.1)
    optimiser.step(WEIGHTS, GRADIENTS)
    copy = optimiser.copy()
    np.testing.assert_array_equal(optimiser.step(WEIGHTS, GRADIENTS)["w"], copy.step(WEIGHTS, GRADIENTS)["w"])
    np.testing.assert_array_equal(WEIGHTS["w"], [1.0, -2.0])


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_each_of_many_steps_is_what_the_formulas_say_step_by_step(kind):
    random = np.random.default_rng(0)
    w = np.array([[0.3, -2.0], [1.0, 5.0]])
    optimiser, expected = OPTIMISERS[kind](0.05), w
    m, v = np.zeros_like(w), np.zeros_like(w)
    for t in range(1, 30):
        g = random.normal(size=w.shape)
        optimiser.rate = 0.05 / t  # as a schedule sets it
        w = optimiser.step({"layer.W": w}, {"layer.W": g})["layer.W"]
        match kind:
            case "SGD":
                expected = expected - optimiser.rate * g
            case "momentum":
                m = 0.9 * m - optimiser.rate * g
                expected = expected + m
            case "RMSprop":
                v = 0.9 * v + 0.1 * g**2
                expected = expected - optimiser.rate * g / (np.sqrt(v) + 1e-8)
            case _:
                m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
                step = (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
                decay = 0.01 if kind == "AdamW" else 0
                expected = expected - optimiser.rate * (step + decay * expected)
        np.testing.assert_allclose(w, expected, rtol=1e-12)


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_weight_decay_takes_a_share_of_a_matrix_whatever_its_gradient_and_leaves_biases_and_norms(kind):
    names = ["a.W_Q", "a.table", "a.PE", "a.b_Q", "a.b", "a.gamma", "a.beta", "a.scale", "output.temperature"]
    weights = {name: np.array([2.0, -3.0]) for name in names}
    gradients = {name: np.array([0.5, -4.0]) for name in names}
    without = OPTIMISERS[kind](0.1, decay=0).step(weights, gradients)
    with_decay = OPTIMISERS[kind](0.1, decay=0.2).step(weights, gradients)
    for name in names:
        lost = 0.1 * 0.2 * weights[name] if name in names[:3] else 0
        np.testing.assert_allclose(with_decay[name], without[name] - lost)


@each("kind", OPTIMISERS)
@each("dtype", ["float32", "float64"])
@each("shape", [(), (3,), (2, 2, 3)])
def test_types_and_shapes_stay_and_memory_is_not_written_into(kind, dtype, shape):
    optimiser = OPTIMISERS[kind](0.1)
    weights, gradients = {"a.W": np.ones(shape, dtype)}, {"a.W": np.full(shape, 0.5, dtype)}
    for _ in range(3):
        copy = optimiser.copy()
        before = repr(copy)
        after = optimiser.step(weights, gradients)["a.W"]
        assert (after.dtype, after.shape) == (np.dtype(dtype), shape)
        assert repr(copy) == before
        weights = {"a.W": np.asarray(after)}


def test_clipping_keeps_the_direction_of_all_gradients_together():
    gradients = {"a": np.array([3.0, 0.0]), "b": np.array([[4.0]])}
    short, norm = clipped(gradients, 1.0)
    assert norm == 5
    np.testing.assert_allclose(short["a"], [0.6, 0])
    np.testing.assert_allclose(short["b"], [[0.8]])
    assert clipped(short, 1.0)[1] == pytest.approx(1)
    np.testing.assert_array_equal(gradients["a"], [3, 0])


@pytest.mark.parametrize("limit", [5.0, 6.0, 0])
def test_what_is_short_enough_or_has_no_limit_stays_as_it_is(limit):
    gradients = {"a": np.array([3.0, 0.0]), "b": np.array([[4.0]])}
    same, norm = clipped(gradients, limit)
    assert norm == 5
    assert all(same[name] is array for name, array in gradients.items())


def rate_at(step, rate, schedule, warm_up, steps):
    return Recipe(rate=rate, schedule=schedule, warm_up=warm_up, steps=steps).rate_at(step)


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


@each("name", BOUNDS)
@each("beyond", ["low", "high", "nan"])
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
