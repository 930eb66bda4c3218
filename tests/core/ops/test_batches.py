"""What every op promises for a batch: it does what it does for each element alone, and shared parents add up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import ops
from tests.core.conftest import assert_near
from tests.core.ops.test_every_gradient import POSITIVE
from tests.core.ops.test_every_op import CASES, Sizes

sizes = st.builds(Sizes, n=st.integers(2, 5), m=st.integers(2, 5), d=st.integers(1, 5))
batches = st.sampled_from(((1,), (3,), (2, 2)))


def drawn(name, kinds, s):
    """Values of parents where no curve has a corner or a pole."""
    random = np.random.default_rng(0)
    signs = [1] if name in POSITIVE else [-1, 1]
    draw = {
        "real": lambda shape: random.choice(signs, shape) * random.uniform(0.1, 1, shape),
        "ids": lambda shape: random.integers(0, s.m, shape),
        "0/1": lambda shape: random.integers(0, 2, shape),
    }
    return [np.asarray(draw[kind](shape)) for kind, shape in kinds]


def shares(op, parents, batched, batch):
    """By what the value of each element goes into that of the batch, for an op that makes one number of everything."""
    elements = list(np.ndindex(batch))
    if isinstance(op, ops.LogLikelihood):
        return dict.fromkeys(elements, 1.0)  # a sum
    if isinstance(op, ops.CrossEntropy):
        counted = {b: np.count_nonzero(parents[1][b] != op.pad) for b in elements}
        return {b: count / max(sum(counted.values()), 1) for b, count in counted.items()}
    return dict.fromkeys(elements, 1 / len(elements))


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=5)
@given(s=sizes, batch=batches)
def test_a_batch_is_each_of_its_elements_and_a_shared_parent_gets_the_sum(name, s, batch):
    case = CASES[name]
    alone = case.parents(Sizes((), s.n, s.m, s.d))
    together = case.parents(Sizes(batch, s.n, s.m, s.d))
    op, parents = case.op(s), drawn(name, together, s)
    batched = [one != many for one, many in zip(alone, together, strict=True)]
    value = op.forward(*parents)
    if not any(batched):
        return
    gradient = np.random.default_rng(1).uniform(-1, 1, value.shape)
    found = op.backward(gradient, value, *parents)

    one_number = value.ndim == 0
    share = shares(op, parents, batched, batch) if one_number else dict.fromkeys(np.ndindex(batch), 1.0)
    total, sums = 0.0, [np.zeros(p.shape) for p in parents]
    for b in np.ndindex(batch):
        own = [p[b] if has else p for p, has in zip(parents, batched, strict=True)]
        part = op.forward(*own)
        total += share[b] * part if one_number else 0
        if not one_number:
            assert_near(value[b], part, 1e-12, 1e-12)
        passed = op.backward(share[b] * (gradient if one_number else gradient[b]), part, *own)
        for i, one in enumerate(passed):
            assert (one is None) == (found[i] is None)
            if one is not None:
                sums[i][b if batched[i] else ()] += one
    if one_number:
        np.testing.assert_allclose(value, total, rtol=1e-12)
    for i, one in enumerate(found):
        if one is not None:
            assert_near(one, sums[i], 1e-11, 1e-12, f"parent {i}")


def test_as_many_sentences_as_heads_are_not_taken_for_them():
    random = np.random.default_rng(2)
    x, W, b = random.normal(size=(3, 4, 5)), random.normal(size=(3, 5, 2)), random.normal(size=(3, 2))
    result = ops.MatMul(heads=True).forward(x, W, b)
    assert result.shape == (3, 3, 4, 2)
    for sentence in range(3):
        for head in range(3):
            np.testing.assert_allclose(result[sentence, head], x[sentence] @ W[head] + b[head])
    mask = random.integers(0, 2, (3, 4, 4))
    masked = ops.Mask(heads=True).forward(random.normal(size=(3, 3, 4, 4)), mask)
    np.testing.assert_array_equal(masked == -np.inf, np.broadcast_to(mask[:, None] == 0, masked.shape))
