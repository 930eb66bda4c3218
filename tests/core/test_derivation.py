import numpy as np
import pytest

from explorer.core.cell import Constant, Source, cells_of, operands, step, steps
from explorer.core.derivation import Row, chain, only_rounding, rows, shortened
from explorer.core.engine import Pin
from explorer.core.graph import Root
from explorer.core.model import Model
from explorer.document.document import Document
from explorer.lessons.loader import load
from tests.samples import each


@pytest.fixture
def lesson(compute):
    model = Model("attention", axes={"query": ("you", "are"), "feature": ("f1", "f2"), "value feature": ("v",)})
    model = model.with_switch("attention", "mask", "causal").with_switch("attention", "scale", "1/d_k")
    return compute(model, {"Q": [[1, 2], [3, -4]], "K": [[0.5, 1], [-2, 1.5]], "V": [[10], [20]]})


def write(engine, name, cell, **options):
    def labels(node, axis):
        return engine.labels(engine.graph.nodes[node].axes[axis])

    return rows(engine.explain(name, cell), labels, **options)


def test_a_product_of_a_row_and_a_column_lists_its_terms_by_name(lesson):
    assert write(lesson, "scores", (1, 1), decimals=2) == [
        Row("f1", "3.00 × −2.00", "−6.00", "term"),
        Row("f2", "−4.00 × 1.50", "−6.00", "term"),
        Row("sum of the products", "", "−12.00", "result"),
    ]


def test_more_terms_than_wanted_are_summed_up_in_one_row(lesson):
    assert [row.value for row in write(lesson, "scores", (1, 1), decimals=1, most=2)] == ["−6.0", "−6.0", "−12.0"]
    terms = write(lesson, "scores", (1, 1), decimals=1, most=1)
    assert [(row.expression, row.value) for row in terms] == [("… and 2 more, together", "−12.0"), ("", "−12.0")]


def test_a_rounded_number_keeps_its_zeros(compute):
    """A share of 0.17003 was written as 0.17, in a table of three decimals."""
    model = Model("attention", axes={"query": ("you",), "feature": ("f1",), "value feature": ("v",)})
    engine = compute(model.with_switch("attention", "scale", "none"), {"Q": [[0.5]], "K": [[0.34006]], "V": [[1]]})
    assert [(row.expression, row.value) for row in write(engine, "scores", (0, 0))] == [
        ("0.5000 × 0.3401", "0.1700"),
        ("", "0.1700"),
    ]


def test_terms_that_are_summed_up_count_among_those_that_are_left_out(compute):
    """Of 25 products a slide showed eight and “… 4 more”."""
    features = tuple(map(str, range(25)))
    model = Model("attention", axes={"query": ("you",), "feature": features, "value feature": ("v",)})
    engine = compute(model, {"Q": [[1] * 25], "K": [[2] * 25], "V": [[1]]})
    written = write(engine, "scores", (0, 0))
    assert [row.expression for row in written[10:12]] == ["1.0 × 2.0", "… and 14 more, together"]
    assert [row.expression for row in shortened(written, 9)][8:] == ["… 17 more", ""]


def test_each_list_has_only_the_decimals_that_it_needs(compute):
    """Beside one length of 6.0828 whole numbers were written as “4.0000 × 1.0000 = 4.0000”."""
    model = Model("attention", axes={"query": ("you", "are"), "feature": ("f1", "f2"), "value feature": ("v",)})
    model = model.with_switch("attention", "similarity", "cosine")
    engine = compute(model, {"Q": [[1, 3], [1, 1]], "K": [[1.5, 2], [1, 1]], "V": [[1], [2]]})
    assert [(row.expression, row.value) for row in write(engine, "scores", (0, 0))] == [
        ("1.0 × 1.5", "1.5"),
        ("3.0 × 2.0", "6.0"),
        ("", "7.5"),
        ("length of 1.0, 3.0", "3.1623"),
        ("length of 1.5, 2.0", "2.5"),
        ("7.5000 ÷ (3.1623 × 2.5000)", "0.9487"),
    ]


def test_softmax_is_written_with_its_largest_its_powers_and_its_sum(lesson):
    written = write(lesson, "weights", (1, 0), decimals=3)
    assert written[-1].kind == "result"
    assert written[-1].value == f"{1 / (1 + np.exp((-12 + 2.5) / 2)):.3f}"
    assert [row.label for row in written if row.kind == "term"] == ["you", "are"]


def test_what_is_masked_has_no_arithmetic_in_softmax(lesson):
    written = write(lesson, "weights", (0, 0), decimals=1)
    assert [(row.expression, row.value) for row in written] == [
        ("largest of 1.2", "1.2"),
        ("", ""),
        ("e^(1.2 − 1.2)", "1.0"),
        ("masked", "0.0"),
        ("", "1.0"),
        ("e^(1.2 − 1.2) ÷ 1.0", "1.0"),
    ]
    assert write(lesson, "weights", (0, 1), decimals=1)[-1].expression == "0.0 ÷ 1.0"


def test_what_is_masked_has_no_arithmetic_in_a_row_sum(compute):
    model = Model("attention", axes={"query": ("you", "are"), "feature": ("f",), "value feature": ("v",)})
    model = model.with_switch("attention", "mask", "causal").with_switch("attention", "normalise", "row sum")
    model = model.with_switch("attention", "scale", "none")
    engine = compute(model, {"Q": [[1], [2]], "K": [[3], [4]], "V": [[1], [1]]})
    written = write(engine, "weights", (0, 1), decimals=1)
    assert [(row.label, row.expression, row.value) for row in written] == [
        ("you", "3.0", "3.0"),
        ("are", "masked", "0.0"),
        ("sum over the row", "", "3.0"),
        ("share", "0.0 ÷ 3.0", "0.0"),
    ]


def test_a_chain_goes_up_to_the_sum_that_a_number_comes_from(lesson):
    found = chain(lesson, "masked", (1, 0))
    assert [(name, cell) for name, cell, _ in found] == [("scores", (1, 0)), ("scaled", (1, 0)), ("masked", (1, 0))]
    for name, cell, last in found:
        assert last.value == lesson.values[name][cell]


def test_a_chain_starts_below_a_pinned_cell(lesson):
    inputs = {name: lesson.values[name] for name, node in lesson.graph.nodes.items() if node.is_input}
    pin = Pin(np.array([[False, False], [True, False]]), np.full((2, 2), 7.0))
    lesson.update(lesson.graph, inputs, {"scores": pin})
    assert [name for name, _, _ in chain(lesson, "masked", (1, 0))] == ["scaled", "masked"]
    assert chain(lesson, "scores", (1, 0)) == []
    assert chain(lesson, "Q", (0, 0)) == []


def test_every_derivation_of_every_model_can_be_written(example, compute):
    engine = compute(example)
    for name, node in engine.graph.nodes.items():
        if node.is_input:
            continue
        cell = tuple(size - 1 for size in engine.values[name].shape)
        written = write(engine, name, cell)
        assert [row.kind for row in written].count("result") == 1
        assert written[-1].kind == "result"
        assert all(row.value or row.kind == "heading" for row in written)
        assert chain(engine, name, cell)[-1][:2] == (name, cell)


@pytest.mark.parametrize(
    ("keys", "rounding"),
    [
        ([[0.1, 0.2, -0.3], [1e-17, 0, 0]], True),  # 0.1 + 0.2 − 0.3 is 5.6e−17
        ([[1e-16, 0, 0], [1, 1, 1]], False),  # small, but all of it is there
        ([[0, 0, 0], [1, 1, 1]], False),  # 0 itself
    ],
)
def test_what_is_0_but_for_rounding(compute, keys, rounding):
    axes = {"query": ("a",), "key": ("b", "c"), "feature": ("f1", "f2", "f3"), "value feature": ("v",)}
    model = Model("attention", axes={k: v for k, v in axes.items() if k != "key"})
    engine = compute(model, {"Q": [[1, 1, 1]], "K": keys[:1], "V": [[1]]})
    assert only_rounding(engine, "scores", (0, 0)) is rounding
    # What is made of such a number alone is one, too.
    assert only_rounding(engine, "scaled", (0, 0)) is rounding
    assert not only_rounding(engine, "weights", (0, 0))


def test_a_difference_of_means_is_rounding_where_the_numbers_of_both_cancel():
    engine = Document(load("sin").state()).engine
    assert engine.values["regression.b"] != 0
    assert only_rounding(engine, "regression.b", (0,))
    assert not only_rounding(engine, "regression.W", (0, 0))


# Brackets


def number(value):
    return Constant(value, str(value).replace("-", "−"))


def sign(function, a, b):
    return step(function, *(number(one) if isinstance(one, int) else one for one in (a, b)))


@each(
    ("written", "last"),
    [
        ("1 − 2 × 3", sign("subtract", 1, sign("multiply", 2, 3))),
        ("(1 − 2) × 3", sign("multiply", sign("subtract", 1, 2), 3)),
        ("1 − 2 − 3", sign("subtract", sign("subtract", 1, 2), 3)),
        ("1 − (2 − 3)", sign("subtract", 1, sign("subtract", 2, 3))),
        ("1 × 2 ÷ 3", sign("divide", sign("multiply", 1, 2), 3)),
        ("1 ÷ (2 × 3)", sign("divide", 1, sign("multiply", 2, 3))),
        ("1 + (−2)", sign("add", 1, -2)),
        ("0 − (−2 × 3)", sign("subtract", 0, sign("multiply", -2, 3))),
        ("−(−2 ÷ 4)", step("negate", sign("divide", -2, 4))),
        ("−(−2)", step("negate", number(-2))),
        ("√(1 + 3)", step("sqrt", sign("add", 1, 3))),
    ],
)
def test_brackets_stand_where_the_arithmetic_needs_them(written, last):
    assert rows(last, lambda name, axis: ())[-1].expression == written


# Gradients


def test_the_slope_of_a_norm_is_written_out(compute, examples):
    model = examples["encoder-decoder"].with_switch("encoder.1.self", "norm", "post")
    engine = compute(model)
    last = engine.explain_gradient("encoder.1.self.residual", (0, 1))
    written = rows(last, lambda node, axis: engine.labels(engine.graph.nodes[node].axes[axis]), decimals=3)
    assert [row.label for row in written if row.kind in ("heading", "step")] == [
        "mean μ",
        "variance σ²",
        "root",
        "with mean 0, variance 1",
        "slope of the root",
        "slope of μ",
        "slope of the norm",
        "gradient × slope",
    ]
    x = engine.values["encoder.1.self.residual"][0]
    d, mean, root = len(x), x.mean(), np.sqrt(x.var() + 1e-5)
    unit = (x - mean) / root
    for j in range(d):
        slope = ((j == 1) - 1 / d - unit[j] * unit[1] / d) / root
        row = [row for row in written if row.kind == "term"][2 * d + j]
        assert row.label == str(j + 1)
        assert row.expression.startswith("(1 − " if j == 1 else "(0 − ")
        assert row.expression.endswith(f"1.000 ÷ {root:.3f}")
        assert float(row.value.replace("−", "-")) == pytest.approx(slope, abs=6e-4)


def test_a_list_that_is_not_added_up_has_no_sum(lesson):
    last = lesson.explain_gradient("masked", (1, 0), Root("output", (1, 0)))
    labels = lambda node, axis: lesson.labels(lesson.graph.nodes[node].axes[axis])  # noqa: E731
    slopes, products = [row for row in rows(last, labels, most=1) if row.expression.startswith("… and")]
    assert (slopes.expression, slopes.value) == ("… and 2 more", "…")
    assert products.expression == "… and 2 more, together"


# What each row reads


def test_a_term_reads_one_number_of_the_row_and_one_of_the_column(lesson):
    first, second, total = write(lesson, "scores", (1, 1))
    assert first.reads == (("Q", (1, 0)), ("K", (1, 0)))
    assert second.reads == (("Q", (1, 1)), ("K", (1, 1)))
    assert total.reads == (), "it adds up the rows above"


@pytest.mark.parametrize(
    ("node", "cell"),
    [(name, cell) for name in ("scores", "scaled", "masked", "weights") for cell in ((0, 0), (1, 0), (1, 1))]
    + [("output", (0, 0)), ("output", (1, 0))],
)
def test_all_rows_together_read_what_the_derivation_does(lesson, node, cell):
    last = lesson.explain(node, cell)

    def cells(found):
        return {(name, one) for name, index in found for one in cells_of(index, lesson.values[name].shape)}

    of_rows = cells(one for row in write(lesson, node, cell) for one in row.reads)
    of_all = cells((operand.node, operand.index) for operand in operands(last))
    assert of_rows <= of_all
    arithmetic = {one for one in of_all if not np.isneginf(lesson.values[one[0]][one[1]])}
    assert arithmetic <= of_rows, "but for what is masked, which has none"


Q = Source("Q", np.array([[1.0, 2.0], [3.0, 4.0]]))


def test_an_operand_is_a_cell_or_a_line_of_a_node():
    cell, line = Q[1, 0], Q[1, :]
    assert (cell.node, cell.index, cell.value) == ("Q", (1, 0), 3)
    assert line.index == (1, slice(None))
    assert line.value.tolist() == [3, 4]
    assert Source("scale", np.array(0.5))[()].index == ()
    assert Source("gamma", np.array([1.0, 2.0]))[1].index == (1,)


def test_a_step_computes_its_value_from_its_arguments():
    squares = step("square", Q[0, :])
    assert squares.value.tolist() == [1, 4]
    assert step("sum", squares).value == 5
    assert step("norm", Q[1, :]).value == 5
    assert step("dot", Q[0, :], Q[1, :]).value == 11
    assert step("subtract", Constant(1, "1"), Q[1, 1]).value == -3
    assert step("where", Q[0, 0], Q[1, 0], Constant(-np.inf, "−∞")).value == 3
    assert step("mean_of", Q[0, 0], Q[0, 1]).value == 1.5


def test_steps_stand_in_the_order_they_are_carried_out_each_once():
    mean = step("mean", Q[0, :])
    centred = step("subtract", Q[0, 0], mean)
    deviation = step("sqrt", step("mean", step("square", step("subtract", Q[0, :], mean))))
    last = step("divide", centred, deviation)
    order = list(steps(last))
    assert [one.function for one in order] == ["mean", "subtract", "subtract", "square", "mean", "sqrt", "divide"]
    assert order[-1] is last


def test_operands_in_reading_order_each_once():
    top = step("max", Q[0, :])
    last = step("subtract", Q[0, 1], step("add", top, step("exp", Q[0, 1])))
    assert [(operand.node, operand.index) for operand in operands(last)] == [("Q", (0, slice(None))), ("Q", (0, 1))]
