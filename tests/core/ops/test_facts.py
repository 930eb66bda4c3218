import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.core import ops
from explorer.core.cell import operands
from explorer.core.model import SWITCHES
from explorer.core.ops.attention import Scores
from explorer.core.ops.base import Surroundings
from explorer.core.ops.linear import Add, MatMul
from explorer.core.ops.logits import Scale, ScaleFactor
from tests.core.conftest import assert_near
from tests.core.ops.test_every_gradient import POSITIVE, smooth
from tests.core.ops.test_every_op import CASES, Sizes, cells, sources
from tests.samples import each

OPS = "|".join(name for name, one in vars(ops).items() if isinstance(one, type) and issubclass(one, ops.Op))
ASKS = re.compile(rf"isinstance\([^)]*\bop\b|type\([\w.]*\bop\)|^\s*case (?:{OPS})\(", re.MULTILINE)
MOST = 8
"""What is left: that an input is one, where a type is needed for what only it has (the logs of a cross-entropy), and
the answers that are about one op."""


def test_the_program_asks_ops_for_facts_and_not_which_they_are():
    root = Path(explorer.__file__).parent
    inside = root / "core" / "ops"
    found = {
        str(path.relative_to(root)): len(ASKS.findall(path.read_text("utf-8")))
        for path in root.rglob("*.py")
        if inside not in path.parents
    }
    assert found["core/graph.py"] == 1  # the pattern finds what it is for
    assert sum(found.values()) <= MOST, {path: n for path, n in found.items() if n}


@pytest.mark.parametrize("kind", sorted(SWITCHES["last norm"]["norm_by"].choices))
@pytest.mark.parametrize("inside", [True, False])
def test_what_reads_a_normed_row_reads_the_row_before(kind, inside):
    rng = np.random.default_rng(3)
    norm = ops.NORMS[kind].__class__(1e-3, inside, ops.NORMS[kind].offset)
    x, reader, gamma, beta = rng.normal(size=(4, 6))
    weights = (gamma, beta) if norm.moves else (gamma,)
    sigma, read, constant = norm.reading(reader, x, *weights)
    assert x @ read + constant == pytest.approx(norm.forward(x[None], *weights)[0] @ reader, rel=1e-12)
    assert sigma == pytest.approx(norm.moments(x[None]).sigma[0, 0], rel=1e-15)


def test_rms_norm_is_the_formula_of_the_paper():
    rng = np.random.default_rng(1)
    x, gamma = rng.normal(size=(5, 7)), rng.normal(size=7)
    straight = np.empty_like(x)
    for i, row in enumerate(x):
        straight[i] = row / np.sqrt(sum(number * number for number in row) / 7 + 1e-6) * gamma
    np.testing.assert_allclose(ops.NORMS["RMS norm"].__class__(1e-6).forward(x, gamma), straight, rtol=1e-12)
    from_one = ops.NORMS["RMS norm, 1 + γ"]
    assert from_one.gamma == "zeros"
    np.testing.assert_allclose(from_one.forward(x, gamma - 1), ops.NORMS["RMS norm"].forward(x, gamma), rtol=1e-12)


def test_slips_of_an_rms_norm_are_its_own():
    norm = ops.NORMS["RMS norm"]
    around = Surroundings("norm", ("source", "d_model"), ((3, 4), (4,)))
    slips = {slip.name: slip.op for slip in norm.slips(around)}
    assert list(slips) == ["mean subtracted", "no ε", "ε elsewhere", "no norm"]
    rng = np.random.default_rng(2)
    x, gamma = rng.normal(size=(3, 4)), rng.normal(size=4)
    centred = x - x.mean(-1, keepdims=True)
    np.testing.assert_allclose(slips["mean subtracted"].forward(x, gamma), norm.forward(centred, gamma), rtol=1e-12)


def test_a_cosine_divides_by_the_lengths_of_what_it_is_of():
    assert Scores("cosine").formula("O", "V") == r"\frac{O \, V^\top}{\| o \| \, \| v \|}"


@pytest.mark.parametrize(
    ("op", "name", "axes", "says"),
    [
        (Add(), "residual", ("input", "d_model"), "without the residual, which is what went in"),
        (Add(), "biased", ("head", "input", "input"), "without the biases by distance"),
        (Add(), "with_segments", ("input", "d_model"), "without the segments"),
        (Add(), "together", ("input", "d_model"), "without the shared expert"),
        (Scale(), "scaled", ("head", "input", "input"), "if the scores are not scaled"),
        (Scale(), "scaled", ("input", "d_model"), "if the vectors are not scaled"),
        (ScaleFactor("1/sqrt(d_k)", 4, letters="d_{model}"), "scale", (), "if one divides by d_model"),
    ],
)
def test_a_slip_is_told_in_words_of_its_node(op, name, axes, says):
    """Whoever left out the biases of ALiBi was told of a residual."""
    shapes = ((2, 3), (2, 3))
    assert next(op.slips(Surroundings(name, axes, shapes))).sentence == says


NOTHING_TO_FORGET = {"Clip", "LayerNorm, no ε", "RMSNorm, 1 + γ, no ε"}


@each("case", CASES)
def test_each_slip_has_another_number_and_a_derivation_that_ends_there(case):
    op, parents = smooth(case, lead=())
    value = op.forward(*parents)
    around = Surroundings("value", ("input", "d_model"), tuple(parent.shape for parent in parents))
    for slip in op.slips(around):
        wrong, cell = slip.op.forward(*parents), cells(value)[-1]
        assert case in NOTHING_TO_FORGET or not np.array_equal(wrong, value), slip.name
        derived = slip.op.explain(cell, *sources(parents))
        assert derived.value == pytest.approx(wrong[cell]), slip.name
        for one in operands(derived):
            assert np.array_equal(one.value, parents[int(one.node[1:])][one.index]), slip.name


def test_what_is_said_of_rows_and_columns_is_what_is_computed():
    """Of a K that is not transposed it was said that rows meet rows, which is what is right."""
    Q, K = np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3) ** 2
    around = Surroundings("scores", ("query", "key"), (Q.shape, K.shape), scaled=True)
    for columns, lines, product in ((False, "row times column", Q @ K), (True, "column times row", Q.T @ K.T)):
        slip = next(Scores(columns=columns).slips(around))
        np.testing.assert_array_equal(slip.op.forward(Q, K), product)
        assert f": {lines}, not " in slip.sentence
    for transposed, taken, product in ((False, "a row", Q @ K.T), (True, "a column", Q @ K)):
        slip = next(MatMul(transposed).slips(around))
        np.testing.assert_array_equal(slip.op.forward(Q, K), product)
        assert slip.sentence.startswith(f"if {taken} of the weights")


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


@each("name", CASES)
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
