from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from explorer.core.cell import cells_of
from explorer.core.engine import CLOSE, Check, Engine, Outcome, Pin, check_cell, fresh, same_bytes
from explorer.core.graph import GraphBuilder, Root
from explorer.core.model import Model
from explorer.core.ops import Add, Input, Op, ReLU, Scale, Scores, Softmax
from tests.samples import each

nan, inf = np.nan, np.inf


def small_graph(activation=None):
    """a → relu; relu and b → sum; sum and factor → scaled; scaled → weights."""
    g = GraphBuilder()
    n = g.axis("n", 3)
    row = g.axis("row", 1)
    g.stage("net", "layer", "Net", "Net")
    g.add("a", Input(), axes=(row, n))
    g.add("b", Input(), axes=(row, n))
    g.add("factor", Input(), axes=())
    g.add("relu", activation or ReLU(), "a", axes=(row, n))
    g.add("sum", Add(), "relu", "b", axes=(row, n))
    g.add("scaled", Scale(), "sum", "factor", axes=(row, n))
    g.add("weights", Softmax(), "scaled", axes=(row, n))
    return g.build()


GRAPH = small_graph()
INPUTS = {"a": np.array([[-1.0, 2.0, 3.0]]), "b": np.array([[1.0, 1.0, 1.0]]), "factor": np.array(2.0)}


@pytest.fixture
def engine():
    return fresh(GRAPH, INPUTS, {})


def edit(engine, pins=None, **changes):
    """Update the engine with some inputs changed."""
    inputs = {name: engine.values[name] for name in INPUTS}
    inputs.update({name: np.array(value, float) for name, value in changes.items()})
    return engine.update(engine.graph, inputs, engine.pins if pins is None else pins)


def pin(cells, values):
    return Pin(np.array([cells], bool), np.array([values], float))


def test_the_first_update_computes_everything_in_order():
    engine = Engine()
    outcome = engine.update(GRAPH, INPUTS, {})
    assert outcome == Outcome(
        recomputed=("relu", "sum", "scaled", "weights"),
        changed=frozenset(GRAPH.nodes),
        added=frozenset(GRAPH.nodes),
        removed=frozenset(),
    )
    assert engine.before == {}
    np.testing.assert_array_equal(engine.values["scaled"], [[2, 6, 8]])


def test_the_same_again_recomputes_nothing(engine):
    assert edit(engine) == Outcome()


def test_an_edit_recomputes_what_it_feeds_and_nothing_else(engine):
    outcome = edit(engine, b=[[0, 1, 1]])
    assert outcome.recomputed == ("sum", "scaled", "weights")
    assert outcome.changed == {"b", "sum", "scaled", "weights"}


def test_a_node_with_two_changed_parents_is_recomputed_once(engine):
    assert edit(engine, a=[[5, 5, 5]], b=[[7, 7, 7]]).recomputed == ("relu", "sum", "scaled", "weights")


def test_equal_bytes_stop_the_spread(engine):
    outcome = edit(engine, a=[[-2, 2, 3]])  # stays off behind ReLU
    assert outcome.recomputed == ("relu",)
    assert outcome.changed == {"a"}


def test_an_input_written_anew_with_the_same_numbers_changes_nothing(engine):
    array = np.array([[-1.0, 2.0, 3.0]])
    outcome = engine.update(GRAPH, {**INPUTS, "a": array}, {})
    assert outcome == Outcome()
    assert engine.values["a"] is array


def test_minus_zero_is_another_number_than_zero(engine):
    edit(engine, b=[[0.0, 1, 1]])
    assert edit(engine, b=[[-0.0, 1, 1]]).recomputed[0] == "sum"


def test_nan_equals_itself(engine):
    assert edit(engine, b=[[nan, 1, 1]]).recomputed == ("sum", "scaled", "weights")
    assert edit(engine, b=[[nan, 1, 1]]) == Outcome()
    # All weights are NaN already.
    outcome = edit(engine, b=[[nan, 2, 1]])
    assert outcome.recomputed == ("sum", "scaled", "weights")
    assert "weights" not in outcome.changed


def test_values_are_new_arrays_and_the_old_ones_are_kept_as_before(engine):
    old = dict(engine.values)
    copies = {name: array.copy() for name, array in old.items()}
    edit(engine, b=[[0, 1, 1]])
    assert engine.before.keys() == {"b", "sum", "scaled", "weights"}
    for name, array in old.items():
        np.testing.assert_array_equal(array, copies[name])
        if name in engine.before:
            assert engine.before[name] is array
            assert not np.shares_memory(engine.values[name], array)
        else:
            assert engine.values[name] is array


def test_what_is_computed_cannot_be_written_to(engine):
    edit(engine, {"sum": pin([True, False, False], [9, 0, 0])})
    for name in ("relu", "sum", "scaled", "weights"):
        with pytest.raises(ValueError, match="read-only"):
            engine.values[name][0, 0] = 1


def test_a_reader_who_holds_the_values_never_sees_half_of_an_edit(engine):
    held = engine.values
    sum_then = held["sum"]
    edit(engine, b=[[0, 1, 1]])
    assert held["sum"] is sum_then
    assert engine.values is not held


class Fails(Op):
    def forward(self, *parents):
        if parents[0][0, 0] > 0:
            raise MemoryError("too large")
        return parents[0].copy()


def test_an_op_that_raises_leaves_everything_as_it_was():
    engine = fresh(small_graph(Fails()), INPUTS, {})
    held, graph, before, pins = engine.values, engine.graph, engine.before, engine.pins
    with pytest.raises(MemoryError):
        edit(engine, a=[[1, 1, 1]], b=[[5, 5, 5]])
    assert (engine.values is held, engine.graph is graph, engine.before is before, engine.pins is pins) == (True,) * 4
    assert edit(engine, b=[[0, 1, 1]]).recomputed == ("sum", "scaled", "weights")


def test_infinities_and_overflow_warn_nobody(engine):
    # Warnings fail tests.
    edit(engine, a=[[inf, 1e308, nan]], b=[[-inf, 1e308, 0]], factor=1e308)
    assert np.isnan(engine.values["weights"]).all()


# Pins


def test_a_pinned_cell_holds_its_value_and_the_others_follow(engine):
    outcome = edit(engine, {"sum": pin([True, False, False], [9, 0, 0])})
    assert outcome.recomputed == ("sum", "scaled", "weights")
    edit(engine, a=[[7, 8, 9]])
    np.testing.assert_array_equal(engine.values["sum"], [[9, 9, 10]])


def test_an_edit_above_a_pinned_cell_stops_there(engine):
    edit(engine, {"sum": pin([True, False, False], [9, 0, 0])})
    outcome = edit(engine, b=[[4, 1, 1]])
    assert outcome.recomputed == ("sum",)
    assert outcome.changed == {"b"}


def test_releasing_a_pin_computes_again(engine):
    then = engine.values["weights"]
    edit(engine, {"sum": pin([True, True, True], [9, 8, 7])})
    outcome = edit(engine, {})
    assert outcome.recomputed == ("sum", "scaled", "weights")
    assert same_bytes(engine.values["weights"], then)


def test_an_unchanged_pin_recomputes_nothing(engine):
    pins = {"sum": pin([True, False, False], [9, 0, 0])}
    edit(engine, pins)
    assert edit(engine, dict(pins)) == Outcome()


def test_a_pin_at_the_computed_value_changes_nothing_below(engine):
    assert edit(engine, {"sum": pin([True, False, False], [1, 0, 0])}).recomputed == ("sum",)


# Another graph


def test_another_op_recomputes_from_its_node_on_and_keeps_the_rest(engine):
    kept = engine.values["a"]
    outcome = engine.update(small_graph(Softmax()), INPUTS, {})
    assert outcome.recomputed == ("relu", "sum", "scaled", "weights")
    assert outcome.added == outcome.removed == frozenset()
    assert engine.values["a"] is kept


def test_an_equal_graph_recomputes_nothing(engine):
    graph = small_graph()
    assert engine.update(graph, INPUTS, {}) == Outcome()
    assert engine.graph is graph


def test_nodes_come_and_go(engine):
    g = GraphBuilder()
    n, row = g.axis("n", 3), g.axis("row", 1)
    g.add("a", Input(), axes=(row, n))
    g.add("factor", Input(), axes=())
    g.add("relu", ReLU(), "a", axes=(row, n))
    g.add("scaled", Scale(), "relu", "factor", axes=(row, n))
    g.add("twice", Add(), "scaled", "scaled", axes=(row, n))
    outcome = engine.update(g.build(), {name: INPUTS[name] for name in ("a", "factor")}, {})
    assert outcome.recomputed == ("scaled", "twice")  # a new parent, a new node
    assert outcome.added == {"twice"}
    assert outcome.removed == {"b", "sum", "weights"}
    assert outcome.changed == {"scaled", "twice"}
    assert engine.values.keys() == engine.graph.nodes.keys()
    assert engine.before.keys() == {"scaled"}


# Reading


def test_a_cell_is_explained_unless_nothing_computes_it(engine):
    edit(engine, {"sum": pin([True, False, False], [9, 0, 0])})
    assert engine.explain("a", (0, 0)) is None
    assert engine.explain("sum", (0, 0)) is None
    assert [engine.pinned("sum", (0, i)) for i in range(3)] == [True, False, False]
    assert engine.explain("sum", (0, 1)).value == 3


def test_explaining_infinities_warns_nobody(engine):
    edit(engine, a=[[inf, 1e308, nan]], b=[[-inf, 1e308, 0]], factor=0)
    for name in ("relu", "sum", "scaled", "weights"):
        for i in range(3):
            np.testing.assert_equal(engine.explain(name, (0, i)).value, engine.values[name][0, i])


def test_what_a_cell_feeds(engine):
    assert engine.feeds("a", (0, 1)) == {"relu": (0, 1)}
    assert engine.feeds("factor", ()) == {"scaled": (slice(None), slice(None))}
    assert engine.feeds("scaled", (0, 1)) == {"weights": (0, slice(None))}
    assert engine.feeds("weights", (0, 1)) == {}


def test_a_cell_feeds_a_node_that_reads_it_twice_in_each_place():
    # x · x^T: a cell of row i is read by row i as a query and by column i as a key.
    g = GraphBuilder()
    n, d = g.axis("n", 2), g.axis("d", 1)
    g.add("x", Input(), axes=(n, d))
    g.add("scores", Scores(), "x", "x", axes=(n, n))
    engine = fresh(g.build(), {"x": np.array([[2.0], [3.0]])}, {})
    fed = set(cells_of(engine.feeds("x", (1, 0))["scores"], (2, 2)))
    assert fed >= {(1, 0), (1, 1), (0, 1)}


def test_cells_of_an_index():
    assert cells_of((1, slice(None)), (2, 3)) == [(1, 0), (1, 1), (1, 2)]
    assert cells_of((), ()) == [()]


def test_what_if_is_what_an_edit_would_give_and_publishes_nothing(engine):
    before = dict(engine.values)
    asked = engine.what_if({"a": np.array([[5.0, -1.0, 0.5]])}, "weights")
    assert engine.values == before
    edit(engine, a=[[5.0, -1.0, 0.5]])
    assert same_bytes(asked, engine.values["weights"])


def test_what_if_takes_more_rows_and_batches(engine):
    rows = np.array([[[-1.0, 2.0, 3.0]], [[4.0, 0.0, -2.0]]])
    both = engine.what_if({"a": rows}, "scaled")
    assert both.shape == (2, 1, 3)
    for row, got in zip(rows, both, strict=True):
        assert same_bytes(engine.what_if({"a": row}, "scaled"), got)


def test_what_if_keeps_pins_and_answers_for_what_does_not_depend_on_it(engine):
    edit(engine, pins={"relu": pin([True, False, False], [7.0, 0.0, 0.0])})
    assert engine.what_if({"a": np.array([[9.0, 9.0, 9.0]])}, "sum").tolist() == [[8.0, 10.0, 10.0]]
    assert engine.what_if({"b": np.zeros((1, 3))}, "relu") is engine.values["relu"]
    given = np.ones((1, 3))
    assert engine.what_if({"b": given}, "b") is given


def test_several_what_ifs_keep_pins_and_answer_for_what_does_not_depend_on_them(engine):
    edit(engine, pins={"relu": pin([True, False, False], [7.0, 0.0, 0.0])})
    before = dict(engine.values)
    given = [{"a": np.array([[x, 9.0, 9.0]])} for x in (-1.0, 9.0, nan)]
    for name in ("relu", "sum", "weights", "a", "b"):
        alone = [engine.what_if(one, name) for one in given]
        np.testing.assert_array_equal(engine.what_ifs(given, name), alone)
    assert engine.values == before


# A pass on its own: begun, computed anywhere, published


def state_of(engine):
    return engine.graph, engine.values, engine.pins, engine.before


def test_a_pass_computed_and_published_is_an_update(engine):
    twin = fresh(GRAPH, INPUTS, {})
    inputs = {**INPUTS, "a": np.array([[5.0, -1.0, 0.5]])}
    pins = {"sum": pin([True, False, False], [9, 0, 0])}
    begun = engine.begin(GRAPH, inputs, pins)
    shown = state_of(engine)
    computed = begun.compute()
    assert all(now is then for now, then in zip(state_of(engine), shown, strict=True))
    assert engine.publish(computed) == twin.update(GRAPH, inputs, pins)
    assert engine.values.keys() == twin.values.keys()
    for name, value in twin.values.items():
        assert same_bytes(engine.values[name], value)
        assert (name in engine.before) == (name in twin.before)


def test_a_pass_that_is_stopped_has_run_no_further_node_and_publishes_nothing(engine):
    steps = []

    def between():
        steps.append(None)
        if len(steps) == 3:  # before a and relu; then before sum
            raise InterruptedError

    shown = state_of(engine)
    with pytest.raises(InterruptedError):
        engine.begin(GRAPH, {**INPUTS, "a": np.ones((1, 3))}, {}).compute(between)
    assert all(now is then for now, then in zip(state_of(engine), shown, strict=True))


def test_a_pass_is_only_published_over_the_values_it_began_with(engine):
    computed = engine.begin(GRAPH, {**INPUTS, "b": np.ones((1, 3))}, {}).compute()
    edit(engine, a=[[5, 5, 5]])
    with pytest.raises(AssertionError, match="other values"):
        engine.publish(computed)


def test_the_work_of_a_pass_is_that_of_all_it_may_run(engine):
    work = GRAPH.work
    assert engine.begin(GRAPH, INPUTS, {}).work == 0
    edited = {**INPUTS, "factor": np.array(3.0)}
    assert engine.begin(GRAPH, edited, {}).work == work["scaled"] + work["weights"]
    pinned = {"weights": pin([True, True, True], [9, 8, 7])}
    assert engine.begin(GRAPH, INPUTS, pinned).work == work["weights"]


def test_a_pin_keeps_the_type_of_the_numbers():
    held = Pin(np.array([True, False]), np.array([2.0, 0.0]))
    for dtype in ("float32", "int64"):
        over = held.over(np.array([0, 1], dtype))
        assert over.dtype == dtype
        assert over.tolist() == [2, 1]


@each(
    ("a", "b", "same"),
    [
        ([1.0, 2.0], [1.0, 2.0], True),
        ([1.0, nan], [1.0, nan], True),
        ([0.0], [-0.0], False),
        ([1.0], [[1.0]], False),
        (np.array([1], "int64"), np.array([1], "int32"), False),
        (np.zeros(1000), np.zeros(1000), True),
        (np.zeros(1000), np.eye(1, 1000, 999)[0], False),
        (np.arange(1000.0).reshape(10, 100).T, np.arange(1000.0).reshape(10, 100).T.copy(), True),
    ],
)
def test_same_bytes(a, b, same):
    assert same_bytes(np.array(a), np.array(b)) is same


def large(*cells):
    """Enough numbers to be compared in blocks, 1 in some cells."""
    array = np.zeros(200_000)
    array[list(cells)] = 1
    return array


@pytest.mark.parametrize("cell", [0, 255, 256, 2**16 - 1, 2**16, 199_999])
def test_same_bytes_of_large_arrays_sees_any_cell(cell):
    assert not same_bytes(large(), large(cell))
    assert same_bytes(large(cell), large(cell))
    assert not same_bytes(large(), -large())
    assert same_bytes(large() * nan, large() * nan)


@pytest.fixture
def net(compute, examples):
    return compute(examples["mlp"].with_switch("layer.2", "activation", "sigmoid"))


def test_an_input_is_nudged_both_ways(net):
    check = check_cell(net, "layer.1.W", (0, 1), h=1e-4)
    assert check.h == 1e-4
    assert check.slope == pytest.approx((check.above - check.below) / 2e-4)
    assert check.gradient == net.gradients().of("layer.1.W")[0, 1]
    assert check.error < 1e-6


def test_without_h_the_step_fits_the_type_of_the_numbers(net, compute, examples):
    assert check_cell(net, "layer.1.W", (0, 1)).h == pytest.approx(6e-6, rel=0.02)
    single = compute(replace(examples["mlp"], dtype="float32"))
    check = check_cell(single, "layer.2.b", (0,))
    assert check.h == pytest.approx(5e-3, rel=0.02)
    assert check.error < 1e-3


def test_a_computed_cell_is_nudged_whatever_feeds_it(net):
    assert check_cell(net, "layer.1.activation", (0, 0)).error < 1e-6


def test_a_pinned_cell_is_nudged_and_the_other_pins_stay(net):
    inputs = {name: net.values[name] for name, node in net.graph.nodes.items() if node.is_input}
    held = np.zeros((3, 4), bool)
    held[0] = True
    pins = {"layer.1.activation": Pin(held, np.full((3, 4), 0.7))}
    net.update(net.graph, inputs, pins)
    check = check_cell(net, "layer.1.activation", (0, 0))
    assert check.gradient != 0
    assert check.error < 1e-6
    other = check_cell(net, "layer.1.W", (0, 0))
    assert other.error < 1e-6


def test_the_engine_stays_as_it_is(net):
    values, before, pins, gradients = net.values, net.before, net.pins, net.gradients()
    check_cell(net, "layer.1.W", (0, 1))
    check_cell(net, "layer.1.hidden", (0, 1))
    assert (net.values is values, net.before is before, net.pins is pins) == (True,) * 3
    assert net.gradients() is gradients


def test_another_root(net):
    root = Root("layer.2.activation", (0, 0))
    assert check_cell(net, "layer.1.W", (0, 1), root=root).error < 1e-6


def test_a_corner_shows_as_half_a_slope(compute, examples):
    # At the corner of ReLU the two sides differ; the gradient takes the flat one.
    engine = compute(examples["mlp"], {"input.X": np.zeros((3, 2)), "layer.2.b": [1.0, 1.0]})
    check = check_cell(engine, "layer.1.hidden", (0, 0))
    assert check.gradient == 0
    assert check.slope != 0
    assert check.error == 1


def test_an_infinite_number_cannot_be_nudged_and_so_changes_nothing(compute, examples):
    engine = compute(examples["mlp"], {"layer.1.b": [-np.inf, 0.0, 0.0, 0.0]})  # ReLU lets nothing of it through
    check = check_cell(engine, "layer.1.b", (0,))
    assert (check.slope, check.gradient, check.error) == (0, 0, 0)


def test_whole_numbers_are_not_nudged(compute, examples):
    with refuses("whole numbers"):
        check_cell(compute(examples["gpt"]), "loss.target", (0,))


def test_where_the_loss_bends_within_h_a_smaller_one_is_taken(compute, examples):
    # A right word with a probability hardly larger than h: the log is far from straight there.
    logits = [[0.0, 11.0, 0.0], [0.0, 0.0, 0.0]]
    engine = compute(examples["output"].with_switch("loss", "loss", "cross-entropy"), {"output.logits": logits})
    cell = (0, 0)
    assert 0 < engine.values["output.probabilities"][cell] < 1e-4
    assert check_cell(engine, "output.probabilities", cell, h=6e-6).error > CLOSE
    check = check_cell(engine, "output.probabilities", cell)
    assert check.h < 1e-8
    assert check.error < 1e-4


def test_a_corner_is_named(compute):
    axes = {"input": ("case",), "layer.0": ("x",), "layer.1": ("h",), "layer.2": ("y",)}
    model = Model("mlp", axes=axes, layers=2).with_switch("loss", "loss", "mean squared error")
    model = model.with_switch("layer.2", "activation", "identity")
    given = {"input.X": [[0.0]], "layer.1.W": [[1.0]], "layer.2.W": [[1.0]], "loss.target": [[1.0]]}
    check = check_cell(compute(model, given), "layer.1.hidden", (0, 0))  # at the corner of ReLU
    assert (check.gradient, check.slope) == (0, pytest.approx(-1, rel=1e-3))
    assert check.agreement("loss.value") == "≠ within ±h loss.value has a corner, or is too flat for its digits"
    assert not check.agrees


def test_a_gradient_that_goes_straight_through_a_rounding_says_so(compute):
    """A weight in 8 bits: a little more of it is rounded to the same code, and yet it learns (Bengio et al. 2013)."""
    plain = Model("gpt", lengths={"input": 3}, axes={"input.words": ("a", "b", "c")})
    for model in (plain, plain.with_switch("decoder.1.ffn", "quantised", "8 bits")):
        engine = compute(model)
        name = next(one for one, node in engine.graph.nodes.items() if node.is_input and one.endswith("ffn.W_1"))
        cells = [
            cell for cell in np.ndindex(engine.values[name].shape) if abs(engine.gradients().of(name)[cell]) > 1e-3
        ]
        checks = [check_cell(engine, name, cell, h=1e-7) for cell in cells]
        words = [check.agreement() for check in checks if not check.agrees]
        if model is plain:
            assert not any("straight through" in one for one in words)
        else:
            assert len(words) > len(cells) / 2
            assert all("straight through the rounding" in one for one in words)
            assert not check_cell(engine, "output.logits", (0, 0)).rounded
            # The gradient goes straight to the weights, so that their scales have none.
            scale = check_cell(engine, "decoder.1.ffn.W_1_scale", (0, 0))
            assert (scale.gradient, scale.rounded) == (0, True)
            assert "straight through the rounding" in scale.agreement()


def test_agreement_in_words():
    assert Check(1e-5, 2, 2, 0, 0).agreement() == "the same"
    assert Check(1e-5, 2, 2, 1, 1.00002).agreement() == "the same to 4 digits"
    assert Check(1e-5, np.nan, np.inf, np.nan, -np.inf).agreement() == "on one side the loss is not a finite number"


def test_error_of_nothing_is_nothing():
    assert Check(1e-5, 2, 2, 0, 0).error == 0
    assert Check(1e-5, 2, 2, 1, 2).error == 0.5
