"""What every op promises, on arrays that hypothesis makes up: one table, one row for each way an op is used."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import ops
from explorer.core.cell import Source, cells_of, operands
from explorer.core.engine import same_bytes
from tests.core.conftest import typeset
from tests.samples import each

LEADS = ((), (1,), (2,), (2, 3))


@dataclass(frozen=True)
class Sizes:
    """Sizes of one problem: leading batch axes, rows, columns or keys, width."""

    lead: tuple[int, ...] = (2,)
    n: int = 3
    m: int = 4
    d: int = 2
    dtype: str = "float64"


def real(*shape):
    return "real", shape


def ids(*shape):
    """Token numbers from 0 to m − 1."""
    return "ids", shape


def zero_or_one(*shape):
    return "0/1", shape


@dataclass(frozen=True)
class Case:
    """An op and its parents, for given sizes.

    `rounds`: the op adds in an order of its own (BLAS) or cancels, so that the derivation agrees to the last digits of
    its operands, not of its result, and numbers near the limits may overflow in one and not in the other.
    """

    op: Callable[[Sizes], ops.Op]
    parents: Callable[[Sizes], list]
    rounds: bool = False


def scores(similarity, columns, keys_have_lead=True):
    def parents(s):
        lead = s.lead if keys_have_lead else ()
        if columns:
            return [real(*s.lead, s.d, s.n), real(*lead, s.d, s.m)]
        return [real(*s.lead, s.n, s.d), real(*lead, s.m, s.d)]

    return Case(lambda s: ops.Scores(similarity, columns), parents, rounds=True)


def elementwise(op):
    return Case(lambda s: op, lambda s: [real(*s.lead, s.n, s.m)])


def norm(epsilon, inside, over=ops.LayerNorm):
    parents = lambda s: [real(*s.lead, s.n, s.m), real(s.m), real(s.m)]  # noqa: E731
    return Case(lambda s: over(epsilon, inside), parents)


def rms_norm(**parameters):
    return Case(lambda s: replace(ops.NORMS["RMS norm"], **parameters), lambda s: [real(*s.lead, s.n, s.m), real(s.m)])


def shared_scores(similarity):
    parents = lambda s: [real(*s.lead, 4, s.n, s.d), real(*s.lead, 2, s.m, s.d)]  # noqa: E731
    return Case(lambda s: ops.Scores(similarity, sharing=2), parents, rounds=True)


def relative_bias(both):
    return Case(lambda s: ops.RelativeBias(s.n, s.m, 8, 6, both), lambda s: [real(8, 2)])


def from_nothing(make):
    return Case(make, lambda s: [])


CASES = {
    "MatMul": Case(lambda s: ops.MatMul(), lambda s: [real(*s.lead, s.n, s.d), real(s.d, s.m)], rounds=True),
    "MatMul, W x": Case(
        lambda s: ops.MatMul(transposed=True),
        lambda s: [real(*s.lead, s.n, s.d), real(s.m, s.d), real(s.m)],
        rounds=True,
    ),
    "MatMul, weights with leading axes": Case(
        lambda s: ops.MatMul(),
        lambda s: [real(s.n, s.d), real(*s.lead, s.d, s.m), real(*s.lead, s.m)],
        rounds=True,
    ),
    "MatMul, W x, weights with leading axes": Case(
        lambda s: ops.MatMul(transposed=True),
        lambda s: [real(s.n, s.d), real(*s.lead, s.m, s.d)],
        rounds=True,
    ),
    "MatMul, heads": Case(
        lambda s: ops.MatMul(heads=True),
        lambda s: [real(*s.lead, s.n, s.d), real(3, s.d, s.m), real(3, s.m)],
        rounds=True,
    ),
    "MatMul, heads, W x": Case(
        lambda s: ops.MatMul(transposed=True, heads=True),
        lambda s: [real(*s.lead, s.n, s.d), real(2, s.m, s.d)],
        rounds=True,
    ),
    "MatMul, heads, weights with leading axes": Case(
        lambda s: ops.MatMul(heads=True),
        lambda s: [real(s.n, s.d), real(*s.lead, 3, s.d, s.m), real(*s.lead, 3, s.m)],
        rounds=True,
    ),
    "Add": Case(lambda s: ops.Add(), lambda s: [real(*s.lead, s.n, s.d), real(*s.lead, s.n, s.d)]),
    "Add, one without batch": Case(lambda s: ops.Add(), lambda s: [real(*s.lead, s.n, s.d), real(s.n, s.d)]),
    "Dropout": Case(lambda s: ops.Dropout(), lambda s: [real(*s.lead, s.n, s.d), real(*s.lead, s.n, s.d)]),
    "Multiply": Case(lambda s: ops.Multiply(), lambda s: [real(*s.lead, s.n, s.d), real(*s.lead, s.n, s.d)]),
    "Multiply, one without batch": Case(lambda s: ops.Multiply(), lambda s: [real(*s.lead, s.n, s.d), real(s.n, s.d)]),
    "HeadMean": Case(lambda s: ops.HeadMean(), lambda s: [real(*s.lead, s.d, s.n, s.m)]),
    "Concat": Case(lambda s: ops.Concat(), lambda s: [real(*s.lead, s.m, s.n, s.d)]),
    "Scores": scores("dot", columns=False),
    "Scores, columns": scores("dot", columns=True),
    "Scores, cosine": scores("cosine", columns=False),
    "Scores, cosine, columns": scores("cosine", columns=True),
    "Scores, keys without batch": scores("dot", columns=False, keys_have_lead=False),
    "Scores, shared keys": shared_scores("dot"),
    "Scores, shared keys, cosine": shared_scores("cosine"),
    "WeightedSum, shared values": Case(
        lambda s: ops.WeightedSum(sharing=2),
        lambda s: [real(*s.lead, 4, s.n, s.m), real(*s.lead, 2, s.m, s.d)],
        rounds=True,
    ),
    "ALiBi": Case(lambda s: ops.ALiBi(s.d, s.n, s.dtype), lambda s: []),
    "ALiBi, 6 heads": Case(lambda s: ops.ALiBi(6, s.n, s.dtype), lambda s: []),
    "RelativeBias": relative_bias(both=True),
    "RelativeBias, one direction": relative_bias(both=False),
    "FirstRows": Case(lambda s: ops.FirstRows(s.n, 2), lambda s: [real(s.n + 3, s.d)]),
    "CountedPlaces": Case(lambda s: ops.CountedPlaces(1), lambda s: [ids(*s.lead, s.n)]),
    "Cap": elementwise(ops.Cap(5.0)),
    "Clip": elementwise(ops.Clip(1.5)),
    "SiLU": elementwise(ops.ACTIVATIONS["SiLU"]),
    "SinkSoftmax": Case(lambda s: ops.SinkSoftmax(), lambda s: [real(*s.lead, 2, s.n, s.m), real(2)], rounds=True),
    "HeadsNorm": Case(lambda s: ops.HeadsNorm(1e-5), lambda s: [real(*s.lead, 2, s.n, s.d), real(2, s.d)], rounds=True),
    "Route": Case(lambda s: ops.Route(2), lambda s: [real(*s.lead, s.n, s.m)]),
    "Route, shares as they are": Case(lambda s: ops.Route(1, again=False), lambda s: [real(*s.lead, s.n, s.m)]),
    "Mixture": Case(
        lambda s: ops.Mixture(), lambda s: [real(*s.lead, 3, s.n, s.d), real(*s.lead, s.n, 3)], rounds=True
    ),
    "Balance": Case(lambda s: ops.Balance(), lambda s: [real(s.n, s.m), zero_or_one(s.n, s.m)], rounds=True),
    "BlockScale": Case(lambda s: ops.BlockScale(8, 2), lambda s: [real(*s.lead, s.n, s.m)]),
    "BlockScale, W x": Case(lambda s: ops.BlockScale(8, 2, True), lambda s: [real(*s.lead, s.m, s.n)]),
    "BlockCodes": Case(
        lambda s: ops.BlockCodes(4, 3), lambda s: [real(*s.lead, s.n, s.m), real(*s.lead, -(-s.n // 3), s.m)]
    ),
    "BlockCodes, W x": Case(
        lambda s: ops.BlockCodes(4, 3, True), lambda s: [real(*s.lead, s.m, s.n), real(*s.lead, s.m, -(-s.n // 3))]
    ),
    "FromCodes": Case(
        lambda s: ops.FromCodes(2),
        lambda s: [real(*s.lead, s.n, s.m), zero_or_one(*s.lead, s.n, s.m), real(*s.lead, -(-s.n // 2), s.m)],
    ),
    "FromCodes, W x": Case(
        lambda s: ops.FromCodes(2, True),
        lambda s: [real(*s.lead, s.m, s.n), zero_or_one(*s.lead, s.m, s.n), real(*s.lead, s.m, -(-s.n // 2))],
    ),
    "Rotary, halves": Case(lambda s: ops.Rotary(4, halves=True), lambda s: [real(*s.lead, s.n, 4)]),
    "Rotary, a part": Case(lambda s: ops.Rotary(6, width=4, base=500.0), lambda s: [real(*s.lead, s.n, 6)]),
    "Rotary, a part in halves": Case(
        lambda s: ops.Rotary(6, halves=True, width=4, base=1e6), lambda s: [real(*s.lead, s.n, 6)]
    ),
    "Rotary, an odd part": Case(lambda s: ops.Rotary(6, True, 3), lambda s: [real(*s.lead, s.n, 6)]),
    "Rotary, YaRN": Case(
        lambda s: ops.Rotary(8, True, 6, 100.0, "yarn", 8.0, 32, stretch=1.25), lambda s: [real(*s.lead, s.n, 8)]
    ),
    "Rotary, YaRN between": Case(
        lambda s: ops.Rotary(8, False, 0, 100.0, "yarn", 8.0, 32, 0.5, 3.0, rounded=False),
        lambda s: [real(*s.lead, s.n, 8)],
    ),
    "Rotary, linear": Case(lambda s: ops.Rotary(4, scaling="linear", factor=4.0), lambda s: [real(*s.lead, s.n, 4)]),
    "Rotary, dynamic": Case(
        lambda s: ops.Rotary(4, True, scaling="dynamic", factor=2.0, room=2), lambda s: [real(*s.lead, s.n, 4)]
    ),
    "Rotary, llama 3": Case(
        lambda s: ops.Rotary(8, True, 0, 500000.0, "llama 3", 8.0, 64), lambda s: [real(*s.lead, s.n, 8)]
    ),
    "ScaleFactor, √d, and by layer": Case(lambda s: ops.ScaleFactor("sqrt(d_k)", 3, s.dtype), lambda s: []),
    "ScaleFactor, by layer": Case(lambda s: ops.ScaleFactor("1/sqrt(d_k)", 3, s.dtype, layer=2), lambda s: []),
    "WeightedSum": Case(
        lambda s: ops.WeightedSum(), lambda s: [real(*s.lead, s.n, s.m), real(*s.lead, s.m, s.d)], rounds=True
    ),
    "Scale": Case(lambda s: ops.Scale(), lambda s: [real(*s.lead, s.n, s.m), real()]),
    "ScaleFactor, 1/d_k": from_nothing(lambda s: ops.ScaleFactor("1/d_k", s.d, s.dtype)),
    "ScaleFactor, 1/sqrt(d_k)": from_nothing(lambda s: ops.ScaleFactor("1/sqrt(d_k)", s.d, s.dtype)),
    "Temperature": Case(lambda s: ops.Temperature(), lambda s: [real(*s.lead, s.n, s.m), real()]),
    "Mask": Case(lambda s: ops.Mask(), lambda s: [real(*s.lead, s.n, s.m), zero_or_one(s.n, s.m)]),
    "Mask, heads": Case(
        lambda s: ops.Mask(heads=True), lambda s: [real(*s.lead, 3, s.n, s.m), zero_or_one(*s.lead, s.n, s.m)]
    ),
    "CausalMask": from_nothing(lambda s: ops.CausalMask(s.n)),
    "CausalMask, window": from_nothing(lambda s: ops.CausalMask(s.n, s.d)),
    "RelatedMask": elementwise(ops.RelatedMask()),
    "PaddingMask": Case(lambda s: ops.PaddingMask(0, s.n), lambda s: [ids(*s.lead, s.m)]),
    "CausalPaddingMask": Case(lambda s: ops.CausalPaddingMask(0, s.m), lambda s: [ids(*s.lead, s.m)]),
    "CausalPaddingMask, window": Case(lambda s: ops.CausalPaddingMask(0, s.m, s.d), lambda s: [ids(*s.lead, s.m)]),
    "PaddingMask, no <pad>": Case(lambda s: ops.PaddingMask(-1, s.n), lambda s: [ids(*s.lead, s.m)]),
    "Softmax": elementwise(ops.Softmax()),
    "RowShares": elementwise(ops.RowShares()),
    "LayerNorm": norm(1e-5, inside=True),
    "LayerNorm, ε with σ": norm(1e-5, inside=False),
    "LayerNorm, no ε": norm(0.0, inside=True),
    "RMSNorm": rms_norm(epsilon=1e-5),
    "RMSNorm, ε with RMS": rms_norm(epsilon=1e-5, inside=False),
    "RMSNorm, 1 + γ, no ε": rms_norm(epsilon=0.0, offset=1.0),
    "BatchNorm": norm(1e-5, inside=True, over=ops.BatchNorm),
    "BatchNorm, ε with σ": norm(1e-5, inside=False, over=ops.BatchNorm),
    "ReLU": elementwise(ops.ReLU()),
    "Sigmoid": elementwise(ops.Sigmoid()),
    "Identity": elementwise(ops.Identity()),
    "GELU": Case(lambda s: ops.GELU(), lambda s: [real(*s.lead, s.n, s.m)], rounds=True),
    "GELU, tanh": Case(lambda s: ops.GELU(tanh=True), lambda s: [real(*s.lead, s.n, s.m)], rounds=True),
    "Argmax": elementwise(ops.Argmax()),
    "Threshold": elementwise(ops.Threshold(0.5)),
    "LookUp": Case(lambda s: ops.LookUp(), lambda s: [ids(*s.lead, s.n), real(s.m, s.d)]),
    "OneHot": Case(lambda s: ops.OneHot(s.m, s.dtype), lambda s: [ids(*s.lead, s.n)]),
    "Sinusoidal": from_nothing(lambda s: ops.Sinusoidal(s.n, s.m, "paper", s.dtype)),
    "Sinusoidal, 004": from_nothing(lambda s: ops.Sinusoidal(s.n, s.m, "004", s.dtype)),
    "Sinusoidal, 004-script": from_nothing(lambda s: ops.Sinusoidal(s.n, s.m, "004-script", s.dtype)),
    "Sinusoidal, sines first": from_nothing(lambda s: ops.Sinusoidal(s.n, s.m, "sines first", s.dtype)),
    "Rotary": Case(lambda s: ops.Rotary(s.d), lambda s: [real(*s.lead, s.n, s.d)]),
    "Rotary, odd": Case(lambda s: ops.Rotary(2 * s.d - 1), lambda s: [real(*s.lead, s.n, 2 * s.d - 1)]),
    "NextWords": Case(lambda s: ops.NextWords(s.m), lambda s: [ids(*s.lead, s.n)]),
    "NextWords, numbered otherwise": Case(
        lambda s: ops.NextWords(0, tuple(range(s.m, 0, -1))), lambda s: [ids(*s.lead, s.n)]
    ),
    "NextWords, padded": Case(lambda s: ops.NextWords(s.m, pad=0), lambda s: [ids(*s.lead, s.n)]),
    "CrossEntropy": Case(lambda s: ops.CrossEntropy(), lambda s: [real(*s.lead, s.n, s.m), ids(*s.lead, s.n)]),
    "CrossEntropy, padded": Case(
        lambda s: ops.CrossEntropy(pad=0), lambda s: [real(*s.lead, s.n, s.m), ids(*s.lead, s.n)]
    ),
    "CrossEntropy, of a softmax": Case(
        lambda s: ops.CrossEntropy(), lambda s: [real(*s.lead, s.n, s.m), ids(*s.lead, s.n), real(*s.lead, s.n, s.m)]
    ),
    "CrossEntropy, of a softmax, padded": Case(
        lambda s: ops.CrossEntropy(pad=0),
        lambda s: [real(*s.lead, s.n, s.m), ids(*s.lead, s.n), real(*s.lead, s.n, s.m)],
    ),
    "CrossEntropy, with balance": Case(
        lambda s: ops.WithBalance(weight=0.5), lambda s: [real(*s.lead, s.n, s.m), ids(*s.lead, s.n), real()]
    ),
    "CrossEntropy, of a softmax, padded, with two balances": Case(
        lambda s: ops.WithBalance(pad=0, weight=0.01, layers=2),
        lambda s: [real(*s.lead, s.n, s.m), ids(*s.lead, s.n), real(*s.lead, s.n, s.m), real(), real()],
    ),
    "Likelihood": Case(lambda s: ops.Likelihood(), lambda s: [real(*s.lead, s.n, s.m), ids(*s.lead, s.n)]),
    "LogLikelihood": Case(lambda s: ops.LogLikelihood(), lambda s: [real(*s.lead, s.n)]),
    "LogLikelihood, padded": Case(
        lambda s: ops.LogLikelihood(pad=0), lambda s: [real(*s.lead, s.n), ids(*s.lead, s.n)]
    ),
    "Length": elementwise(ops.Length()),
    "Cosine": Case(lambda s: ops.Cosine(), lambda s: [real(*s.lead, s.n, s.m), real(*s.lead, s.n), real(*s.lead, s.m)]),
    "ShadowFactor": Case(lambda s: ops.ShadowFactor(), lambda s: [real(*s.lead, s.n, s.m), real(*s.lead, s.m, s.d)]),
    "Angle": elementwise(ops.Angle()),
    "Subtract": Case(lambda s: ops.Subtract(), lambda s: [real(*s.lead, s.n, s.d), real(*s.lead, s.n, s.d)]),
    "Slope": Case(lambda s: ops.Slope(), lambda s: [real(*s.lead, s.n, s.d), real(*s.lead, s.n, s.m)]),
    "Intercept": Case(
        lambda s: ops.Intercept(), lambda s: [real(*s.lead, s.n, s.d), real(*s.lead, s.n, s.m), real(*s.lead, s.d, s.m)]
    ),
    "MeanSquaredError": Case(
        lambda s: ops.MeanSquaredError(),
        lambda s: [real(*s.lead, s.n, s.m), real(*s.lead, s.n, s.m)],
        rounds=True,
    ),
}

every_case = each("case", CASES.values(), ids=CASES)
sizes = st.builds(
    Sizes,
    n=st.integers(1, 4),
    m=st.integers(1, 4),
    d=st.integers(1, 4),
    dtype=st.sampled_from(("float64", "float32")),
)
SPECIAL = (np.nan, np.inf, -np.inf)
EXTREME = (0.5e-300, -0.5e-300, -0.0, 1e30, -1e30, 1e308, -1e308, np.finfo(float).max, -np.finfo(float).max)


def numbers(random, shape, odd):
    """Numbers as they are typed, in half of the arrays whole ones, which are often equal; and some odd ones."""
    array = np.round(random.uniform(-10, 10, shape), random.choice((0, 6)))
    at = random.random(shape) < random.choice((0.1, 0.5))
    return np.where(at, random.choice(odd, shape), array) if odd else array


@st.composite
def problems(draw, case, wild=True, leads=LEADS):
    """An op and the values of its parents; wild ones hold infinities, NaN and numbers near the limits, too."""
    s = replace(draw(sizes), lead=draw(st.sampled_from(leads)))
    odd = ()
    if wild and draw(st.booleans()):
        odd = SPECIAL if case.rounds else SPECIAL + EXTREME
    # Number by number, hypothesis would take most of the time of these tests.
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    make = {
        "real": lambda shape: numbers(random, shape, odd),
        "ids": lambda shape: random.integers(0, s.m, shape),
        "0/1": lambda shape: random.integers(0, 2, shape),
    }
    with np.errstate(over="ignore"):
        parents = [np.asarray(make[kind](shape)) for kind, shape in case.parents(s)]
        return case.op(s), [parent.astype(s.dtype) if parent.dtype.kind == "f" else parent for parent in parents]


def generic(case):
    """An op and values of its parents that have nothing special about them."""
    s = Sizes()
    random = np.random.default_rng(0)
    draw = {
        "real": lambda shape: random.uniform(0.1, 1, shape),
        "ids": lambda shape: random.integers(0, s.m, shape),
        "0/1": lambda shape: random.integers(0, 2, shape),
    }
    return case.op(s), [draw[kind](shape) for kind, shape in case.parents(s)]


def cells(array):
    return list(np.ndindex(array.shape))


def sources(parents):
    return [Source(f"p{i}", parent) for i, parent in enumerate(parents)]


def read_by(derivation, parents):
    """The cells of parents that a derivation reads, as (parent, cell)."""
    read = set()
    for operand in operands(derivation):
        i = int(operand.node[1:])
        read.update((i, cell) for cell in cells_of(operand.index, parents[i].shape))
    return read


def test_no_op_is_forgotten():
    exported = {name for name, one in vars(ops).items() if isinstance(one, type) and issubclass(one, ops.Op)}
    exported -= {"Op", "Input"}
    exported |= {type(one).__name__ for one in (*ops.ACTIVATIONS.values(), *ops.NORMS.values())}
    tried = {type(case.op(Sizes())).__name__ for case in CASES.values()}
    assert exported - tried == set(), "each needs a row in CASES"
    assert tried - exported == set(), "the __init__.py of the ops does not name them"


@every_case
def test_equal_parameters_make_equal_ops(case):
    assert case.op(Sizes()) == case.op(Sizes())
    assert hash(case.op(Sizes())) == hash(case.op(Sizes()))


@every_case
@settings(max_examples=8)
@given(data=st.data())
def test_the_derivation_of_each_cell_ends_at_its_number(case, data):
    op, parents = data.draw(problems(case))
    with np.errstate(all="ignore"):
        result = op.forward(*parents)
        single = np.float32 in {parent.dtype.type for parent in (*parents, result)}
        rtol = 1e-5 if single else 1e-12
        for cell in cells(result):
            last = op.explain(cell, *sources(parents))
            assert np.ndim(last.value) == 0
            if last.value == result[cell]:
                continue  # most are, and assert_allclose takes longer than all else here
            largest = 0.0
            if case.rounds:
                values = np.concatenate([np.ravel(operand.value) for operand in operands(last)])
                largest = np.abs(values[np.isfinite(values)]).max(initial=0)
            np.testing.assert_allclose(
                last.value, result[cell], rtol, atol=max(rtol * largest, 1e-300), err_msg=f"{op}{cell}"
            )


@every_case
@settings(max_examples=6)
@given(data=st.data())
def test_the_expression_evaluates_to_the_same_bits(case, data):
    # An expression is written for one sentence: where heads meet a batch it lacks an axis, and a product over a batch
    # is added up in another order.
    op = case.op(Sizes())
    alone = isinstance(op, ops.MatMul) or getattr(op, "heads", False)
    op, parents = data.draw(problems(case, leads=LEADS[:1] if alone else LEADS))
    names = {f"p{i}": parent for i, parent in enumerate(parents)}
    with np.errstate(all="ignore"):
        result = op.forward(*parents)
        known = {"np": np, **names}
        exec(op.definition, known)
        evaluated = eval(op.code(*names), known)
    assert type(evaluated) is np.ndarray
    assert same_bytes(evaluated, result), (op, evaluated, result)


@every_case
@settings(max_examples=6)
@given(data=st.data())
def test_a_cell_changes_only_what_it_feeds(case, data):
    op, parents = data.draw(problems(case, wild=False))
    with np.errstate(all="ignore"):
        result = op.forward(*parents)
        derivations = {cell: op.explain(cell, *sources(parents)) for cell in cells(result)}
    for i, parent in enumerate(parents):
        cell = data.draw(st.sampled_from(cells(parent)), label=f"cell of parent {i}")
        fed = set(cells_of(op.feeds(i, cell, parent.shape, result.shape), result.shape))
        assert {at for at, derivation in derivations.items() if (i, cell) in read_by(derivation, parents)} <= fed

        edited = [p.copy() for p in parents]
        edited[i][cell] = (parent[cell] + 1) % max(parent.max() + 1, 1) if parent.dtype.kind == "i" else 3.25
        with np.errstate(all="ignore"):
            after = op.forward(*edited)
        assert {at for at in cells(result) if after[at].tobytes() != result[at].tobytes()} <= fed


# A look-up and what a right word picks may read any row of their table: which one, their other parent says. And with
# <pad> a word may decide that another one is not read.
PICKS = {"LookUp", "Likelihood", "LogLikelihood, padded", "NextWords, padded"}
PICKS |= {name for name in CASES if name.startswith(("CrossEntropy", "RelativeBias"))}
PICKS |= {"FromCodes", "FromCodes, W x"}  # its gradient goes straight through to what it does not read


@each("name", [name for name in CASES if name not in PICKS])
def test_a_cell_feeds_no_more_than_what_reads_it(name):
    op, parents = generic(CASES[name])
    result = op.forward(*parents)
    read = {cell: read_by(op.explain(cell, *sources(parents)), parents) for cell in cells(result)}
    for i, parent in enumerate(parents):
        for cell in cells(parent):
            fed = set(cells_of(op.feeds(i, cell, parent.shape, result.shape), result.shape))
            assert fed == {at for at in read if (i, cell) in read[at]}


@every_case
def test_an_op_that_alters_reads_one_cell_of_its_first_parent(case):
    op, parents = generic(case)
    result = op.forward(*parents)
    reads = [read_by(op.explain(cell, *sources(parents)), parents) for cell in cells(result)]
    one_each = all(len({cell for i, cell in read if i == 0}) == 1 for read in reads)
    of_numbers = bool(parents) and parents[0].dtype.kind == "f"
    # A sum or product of two matrices starts at neither; the mask of dropout is computed by nothing.
    assert op.alters is (one_each and of_numbers and type(op) not in (ops.Add, ops.Multiply))


@every_case
def test_the_formula_can_be_typeset(case):
    op, parents = generic(case)
    if isinstance(op, ops.CrossEntropy):
        # The scores behind the probabilities are a matter of rounding.
        parents = [*parents[:2], *parents[-op.layers :]] if isinstance(op, ops.WithBalance) else parents[:2]
    # Symbols that have a subscript or are a command, each in each place.
    for symbols in (("z_T", "W_Q", r"\beta", "L_b"), (r"\beta", "z_T", "W_Q", "L_b")):
        latex = op.formula(*symbols[: len(parents)])
        assert all(symbol in latex for symbol in symbols[: len(parents)])
        typeset(latex)
