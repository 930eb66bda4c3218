"""Facts of ops: outside `core/ops` hardly anybody asks which op an op is."""

import re
from pathlib import Path

import numpy as np
import pytest

import explorer
from explorer.core import ops
from explorer.core.cell import operands
from explorer.core.model import SWITCHES
from explorer.core.ops.attention import Scores
from explorer.core.ops.base import Surroundings
from explorer.core.ops.linear import Add, MatMul
from explorer.core.ops.logits import Scale, ScaleFactor
from tests.core.ops.test_every_gradient import smooth
from tests.core.ops.test_every_op import CASES, cells, sources

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


@pytest.mark.parametrize("case", CASES)
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
