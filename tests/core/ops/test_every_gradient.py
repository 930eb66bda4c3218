"""What every op promises of its gradients: they are its slopes, and each slope says where it comes from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import ops
from explorer.core.cell import Source, cells_of
from tests.core.conftest import about, assert_near
from tests.core.ops.test_every_op import CASES, LEADS, Sizes, cells, every_case, problems, sources
from tests.samples import each

# Where a log or a sum of the row must not come near 0.
POSITIVE = {"LogLikelihood", "LogLikelihood, padded", "RowShares", "Route", "Route, shares as they are"}
POSITIVE |= {name for name in CASES if name.startswith("CrossEntropy")}


def smooth(name, lead=(2,), dtype="float64"):
    """An op and values of its parents where its curve has no corner, no jump and no pole."""
    case, s = CASES[name], Sizes(lead=lead, dtype=dtype)
    random = np.random.default_rng(1)
    signs = [1] if name in POSITIVE else [-1, 1]
    draw = {
        "real": lambda shape: random.choice(signs, shape) * random.uniform(0.1, 0.9, shape),
        "ids": lambda shape: random.integers(0, s.m, shape),
        "0/1": lambda shape: random.choice([0, 1, 1], shape),
    }
    parents = [np.asarray(draw[kind](shape)) for kind, shape in case.parents(s)]
    return case.op(s), [p.astype(dtype) if p.dtype.kind == "f" else p for p in parents]


def differences(op, weights, parents, i, h=1e-5):
    """Central differences of the weighted sum of all results, for each cell of parent i; −∞ counts as 0."""

    def root(way, cell):
        moved = [p.copy() for p in parents]
        moved[i][cell] += way
        result = op.forward(*moved)
        return np.sum(weights * np.where(np.isfinite(result), result, 0))

    slopes = [(root(h, cell) - root(-h, cell)) / (2 * h) for cell in cells(parents[i])]
    return np.reshape(slopes, parents[i].shape)


STRAIGHT_THROUGH = {"FromCodes", "FromCodes, W x"}
"""Rounding has slope 0; the gradient passes as if it had slope 1, and says so."""


@each("name", [name for name in CASES if name not in STRAIGHT_THROUGH])
def test_backward_agrees_with_central_differences(name):
    for lead in LEADS:
        with about(lead):
            assert_slopes(*smooth(name, lead))


def assert_slopes(op, parents):
    result = op.forward(*parents)
    weights = np.random.default_rng(2).uniform(-1, 1, result.shape)
    gradients = op.backward(weights, result, *parents)
    for i, (parent, gradient) in enumerate(zip(parents, gradients, strict=True)):
        if parent.dtype.kind == "i":
            assert gradient is None
            continue
        slopes = differences(op, weights, parents, i)
        if gradient is None:  # nothing flows, because nothing changes
            assert not slopes.any()
            continue
        assert_near(gradient, slopes, 1e-6, 1e-9, f"parent {i}")


@each("name", CASES)
def test_a_parent_is_passed_the_same_whoever_else_is_wanted(name):
    for lead in LEADS:
        with about(lead):
            assert_same_alone(*smooth(name, lead))


def assert_same_alone(op, parents):
    result = op.forward(*parents)
    gradient = np.random.default_rng(2).uniform(-1, 1, result.shape)
    together = op.backward(gradient, result, *parents)
    for i in range(len(parents)):
        alone = op.backward_to([place == i for place in range(len(parents))], gradient, result, *parents)
        assert (alone[i] is None) == (together[i] is None)
        assert alone[i] is None or alone[i].tobytes() == together[i].tobytes()


@every_case
@settings(max_examples=6)
@given(data=st.data())
def test_values_and_gradients_are_new_arrays_of_the_right_type_whatever_is_typed(case, data):
    op, parents = data.draw(problems(case))
    typed = [parent.tobytes() for parent in parents]
    with np.errstate(all="ignore"):
        result = op.forward(*parents)
        gradient = np.ones(result.shape, result.dtype)
        given = [gradient.tobytes(), result.tobytes(), *typed]
        gradients = op.backward(gradient, result, *parents)
    assert [array.tobytes() for array in (gradient, result, *parents)] == given
    assert type(result) is np.ndarray
    assert not any(np.shares_memory(result, parent) for parent in parents)
    assert result.dtype.kind == "i" or {p.dtype for p in parents if p.dtype.kind == "f"} <= {result.dtype}
    for parent, passed in zip(parents, gradients, strict=True):
        if passed is not None:
            assert type(passed) is np.ndarray
            assert (passed.shape, passed.dtype) == (parent.shape, parent.dtype)


@each("name", CASES)
def test_the_derivatives_of_one_cell_are_those_that_backward_adds_up(name):
    for lead in LEADS:
        with about(lead):
            assert_derivatives_add_up(*smooth(name, lead))


def assert_derivatives_add_up(op, parents):
    result = op.forward(*parents)
    weights = np.random.default_rng(2).uniform(-1, 1, result.shape)
    value, gradients = Source("value", result), op.backward(weights, result, *parents)
    for i, gradient in enumerate(gradients):
        if gradient is None:
            continue
        for cell in cells(gradient):

            def slope(at, i=i, cell=cell):
                return op.derivative(i, cell, at, value, *sources(parents)).value

            fed = op.feeds(i, cell, parents[i].shape, result.shape)
            total = sum(weights[at] * slope(at) for at in cells_of(fed, result.shape))
            assert_near(total, gradient[cell], 1e-10, 1e-14, f"parent {i}{cell}")
            # A whole line is given the same numbers.
            free = [axis for axis, part in enumerate(fed) if isinstance(part, slice)]
            if free:
                at = tuple(0 if axis in free[:-1] else part for axis, part in enumerate(fed))
                one_by_one = [slope(one) for one in cells_of(at, result.shape)]
                assert_near(slope(at), one_by_one, 1e-10, 1e-14)


@each("name", CASES)
def test_a_slope_says_where_it_comes_from(name):
    op, parents = smooth(name)
    result = op.forward(*parents)
    value, gradients = Source("value", result), op.backward(np.ones_like(result), result, *parents)
    for i, gradient in enumerate(gradients):
        if gradient is not None:
            at = cells(result)[0]
            cell = next(
                c for c in cells(gradient) if at in cells_of(op.feeds(i, c, gradient.shape, result.shape), result.shape)
            )
            slope = op.derivative(i, cell, at, value, *sources(parents))
            # 1 and −1 need no words; any other bare number would.
            assert getattr(slope, "of", "") != "derivative" or abs(slope.value) == 1, f"parent {i}"


# Where ∞ − ∞ or 0 · ∞ is what the rule says, because each number of a row acts on all of it.
WHOLE_ROWS = ("Softmax", "SinkSoftmax", "RowShares", "LayerNorm", "RMSNorm", "BatchNorm", "HeadsNorm", "Scores, ")
WHOLE_ROWS += ("Route", "Mixture", "BlockScale", "Temperature", "Length", "ShadowFactor", "Slope", "Intercept", "Mean")


@each("name", [name for name in CASES if not name.startswith(WHOLE_ROWS)])
def test_nothing_passes_through_a_slope_of_0_not_even_an_infinite_gradient(name):
    op, parents = smooth(name, lead=())
    for parent in parents if name not in POSITIVE else ():
        parent.flat[::2] *= parent.dtype.kind == "i"
    with np.errstate(all="ignore"):
        result = op.forward(*parents)
        for at in cells(result)[:: max(result.size - 1, 1)]:
            gradient = np.zeros(result.shape)
            gradient[at] = np.inf
            for i, passed in enumerate(op.backward(gradient, result, *parents)):
                slopes = np.zeros(parents[i].shape)
                for cell in cells(slopes) if passed is not None else ():
                    if at in cells_of(op.feeds(i, cell, slopes.shape, result.shape), result.shape):
                        slopes[cell] = op.derivative(i, cell, at, Source("value", result), *sources(parents)).value
                assert passed is None or np.array_equal(passed, np.where(slopes, slopes * np.inf, 0)), f"parent {i}"


def test_an_op_without_a_rule_says_so():
    class NoRule(ops.Op):
        pass

    with pytest.raises(NotImplementedError, match="NoRule has no rule for its gradient"):
        NoRule().backward(np.ones(1), np.ones(1), np.ones(1))


# Where a rule has a case of its own

ZERO = np.array([[0.0, 0.0], [0.3, -0.4]])
ONE = np.ones(2)
SPECIAL = {
    "LayerNorm, a constant row": (ops.LayerNorm(), [np.array([[2.0, 2.0], [0.3, -0.4]]), ONE, ONE]),
    "LayerNorm, a constant row, ε with σ": (ops.LayerNorm(inside=False), [np.array([[2.0, 2.0], [1, 3]]), ONE, ONE]),
    "LayerNorm, γ = 0": (ops.LayerNorm(), [np.array([[1.0, 2.0], [0.3, -0.4]]), np.array([0.0, 2.0]), ONE]),
    "BatchNorm, a constant column": (ops.BatchNorm(inside=False), [np.array([[2.0, 1.0], [2.0, 3.0]]), ONE, ONE]),
    "Softmax, a row masked whole": (ops.Softmax(), [np.array([[-np.inf, -np.inf], [-np.inf, 1.0]])]),
    "RowShares, masked": (ops.RowShares(), [np.array([[-np.inf, -np.inf], [-np.inf, 2.0], [1.0, -1.0], [1.0, 3.0]])]),
    "Scores, cosine with a zero vector": (ops.Scores("cosine"), [ZERO, np.array([[0.1, 0.7], [0, 0]])]),
    "Length, a zero vector": (ops.Length(), [ZERO]),
    "Cosine, a zero vector": (ops.Cosine(), [ZERO, np.array([0.0, 0.5]), np.array([0.7, 0.5])]),
    "ShadowFactor, a zero vector": (ops.ShadowFactor(), [ZERO + 0.5, ZERO]),
    "Angle, of parallel vectors": (ops.Angle(), [np.array([[1.0, -1.0], [0.5, -0.5]])]),
    "Mask, a query that sees nothing": (ops.Mask(), [ZERO + 1, np.array([[0, 0], [0, 1]])]),
    "ReLU, at its corner": (ops.ReLU(), [ZERO]),
}


@each("name", SPECIAL)
def test_special_cases_have_the_slopes_that_backward_adds_up(name):
    op, parents = SPECIAL[name]
    with np.errstate(all="ignore"):
        result = op.forward(*parents)
        weights = np.random.default_rng(2).uniform(-1, 1, result.shape)
        gradients = op.backward(weights, result, *parents)
        value = Source("value", result)
        for i, gradient in enumerate(gradients):
            if gradient is None:
                continue
            assert np.isfinite(gradient).all(), f"parent {i}"
            for cell in cells(gradient):
                fed = cells_of(op.feeds(i, cell, parents[i].shape, result.shape), result.shape)
                slopes = {at: op.derivative(i, cell, at, value, *sources(parents)).value for at in fed}
                total = sum(weights[at] * slope for at, slope in slopes.items() if slope != 0)
                assert_near(total, gradient[cell], 1e-9, 1e-12, f"parent {i}{cell}")
