"""What holds for every model, whatever its sizes and switches."""

import gc
from dataclasses import replace
from weakref import ref

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.cell import steps
from explorer.core.derivation import chain, rows
from explorer.core.engine import same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS, OF_LOSS, Root
from explorer.core.model import KINDS, SWITCHES, Model
from explorer.core.models import build
from explorer.sentences import sentence
from tests.core.conftest import typeset
from tests.samples import each, long

# What a person can ask for and not get; anything else that is raised is a bug.
DO_NOT_FIT = {
    "heads-do-not-divide",
    "widths-differ",
    "causal-needs-one-sequence",
    "tied-widths",
    "no-next-word",
    "key-heads-do-not-divide",
    "too-many-chosen",
}


def labels(name, count):
    return tuple(f"{name} {i + 1}" for i in range(count))


@st.composite
def models(draw, kind):
    """A model with any sizes and any switches that fit together."""
    size = st.integers(1, 4)
    layers = draw(st.integers(1, 2))
    match kind:
        case "attention":
            lengths, names = {}, ["query", "feature", *draw(st.sets(st.sampled_from(["key", "value feature"])))]
        case "mlp":
            lengths, names = {}, ["input", *(f"layer.{k}" for k in range(layers + 1))]
        case "gpt" | "encoder":
            lengths, names = {"input": draw(size)}, ["input.words"]
        case "norm" | "output" | "vectors":
            lengths, names = (
                {},
                {"norm": ["input", "feature"], "output": ["input", "output.words"]}.get(kind, ["feature"]),
            )
        case _:
            lengths, names = {"source": draw(size), "target": draw(size)}, ["source.words", "target.words"]
    if kind in ("gpt", "encoder-decoder"):
        names += draw(st.sets(st.just("output.words")))
    # Two words at least: `compute` reads words 0 and 1.
    words = {"input.words", "source.words", "target.words", "output.words", f"layer.{layers}"}
    axes = {name: labels(name, draw(st.integers(2, 4) if name in words else size)) for name in names}
    for name in axes:
        if name.endswith(".words") and draw(st.booleans()):
            axes[name] += ("<pad>", "<end>")
    dtype = draw(st.sampled_from(("float64", "float32")))
    width = draw(st.sampled_from((4, 4, 6, 3, 1)))
    if draw(st.booleans()):
        axes["d_model"] = labels("d_model", draw(st.sampled_from((width, 2))))
    model = Model(kind, lengths, axes, width, layers, seed=draw(size), dtype=dtype)
    for _ in range(draw(st.integers(0, 8)) if model.blocks() else 0):
        block, block_kind = draw(st.sampled_from(list(model.blocks().items())))
        name, switch = draw(st.sampled_from(list(SWITCHES[block_kind].items())))
        if isinstance(switch.default, bool):
            value = not switch.default
        elif switch.choices:
            value = draw(st.sampled_from(switch.choices))
        elif isinstance(switch.default, int):
            value = draw(st.integers(int(switch.least), 3))
        else:
            value = draw(st.sampled_from([x for x in (0.0, 1e-5, 0.5, 3.0) if switch.least <= x <= switch.most]))
        model = model.with_switch(block, name, value)
    try:
        build(model)
    except ExplorerError as error:
        assert error.id in DO_NOT_FIT  # noqa: PT017
        assume(False)
    return model


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12)
@given(data=st.data())
def test_any_model_is_built_in_reading_order_and_computes_what_it_declares(kind, compute, data):
    model = data.draw(models(kind))
    engine = compute(model)
    graph = engine.graph

    assert engine.values.keys() == graph.nodes.keys()
    read = set()
    for name, node in graph.nodes.items():
        assert node.name == name
        assert read.issuperset(node.parents), f"{name} stands before what it reads"
        read.add(name)
        value = engine.values[name]
        assert value.shape == graph.shape(name), name
        assert value.dtype in (model.dtype, "int64"), name
        for axis in node.axes:
            assert len(engine.labels(axis)) == len(graph.axes[axis]), name

    # Stages stand in reading order, each in one piece.
    in_order = list(dict.fromkeys(node.stage for node in graph.nodes.values()))
    assert [stage.name for stage in graph.stages] == in_order
    changes = sum(a.stage != b.stage for a, b in zip([*graph.nodes.values()][1:], graph.nodes.values(), strict=False))
    assert changes == len(in_order) - 1


def test_every_name_can_be_read_and_a_slice_is_a_part_of_its_node(example, compute):
    engine = compute(example)
    graph = engine.graph
    for name in graph.names():
        place = graph.place(name)
        value = engine.value(place)
        assert value.shape == tuple(len(graph.axes[axis]) for axis in graph.axes_of(place))
        if ".head." in name:
            assert np.shares_memory(value, engine.values[place.node])
            assert same_bytes(value, engine.values[place.node][place.head])


def test_words_label_a_sequence_and_numbers_the_rest(compute):
    model = Model("gpt", {"input": 3}, {"input.words": ("a", "b", "c")})
    engine = compute(model, {"input.tokens": [2, 0, 2]})
    assert engine.labels("input") == ("c", "a", "c")
    assert engine.labels("input.words") == ("a", "b", "c")
    assert engine.labels("d_model") == ("1", "2", "3", "4")


def test_every_cell_of_every_node_has_a_derivation_that_ends_there(example, compute):
    engine = compute(example)
    for name, node in engine.graph.nodes.items():
        if node.is_input:
            continue
        for cell, value in np.ndenumerate(engine.values[name]):
            np.testing.assert_allclose(engine.explain(name, cell).value, value, 1e-12, 1e-12, err_msg=f"{name}{cell}")


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=10)
@given(data=st.data())
def test_every_cell_of_a_gradient_has_a_derivation_that_adds_up(kind, compute, data):
    engine = compute(data.draw(models(kind)))
    numbers = [name for name, value in engine.values.items() if value.dtype.kind == "f"]
    root = OF_LOSS
    if LOSS not in engine.values:
        name = data.draw(st.sampled_from(numbers[len(numbers) // 2 :]), label="root")
        root = Root(name, tuple(size - 1 for size in engine.values[name].shape))
    name = data.draw(st.sampled_from(numbers), label="node")
    gradients = engine.gradients(root)
    children = [gradients.of(child) for child in engine.graph.children[name]]
    assume(all(np.isfinite(gradient).all() for gradient in children if gradient is not None))
    for cell, gradient in np.ndenumerate(gradients.of(name)):
        last = engine.explain_gradient(name, cell, root)
        # A sum may cancel: it agrees to the last digits of its largest term, or of what that was made from.
        terms = [np.multiply(*(a.value for a in s.arguments)) if s.function == "dot" else s.value for s in steps(last)]
        largest = max(1e-3, *(np.abs(term).max() for term in terms))
        rtol = 1e-12 if engine.values[name].dtype == np.float64 else 1e-5
        np.testing.assert_allclose(last.value, gradient, rtol, rtol * largest, err_msg=f"{root}: {name}{cell}")
        assert rows(last, lambda name, axis: engine.labels(engine.graph.nodes[name].axes[axis]))[-1].kind == "result"


@pytest.mark.parametrize("typed", [np.nan, long(np.inf), long(-np.inf), 1e308])
def test_whatever_is_typed_into_an_input_gives_defined_values_and_derivations(example, compute, typed):
    # Python warnings fail tests.
    engine = compute(example)
    graph, start = engine.graph, dict(engine.values)
    inputs = {name: array for name, array in start.items() if graph.nodes[name].is_input}
    for name, array in inputs.items():
        if array.dtype.kind == "i":
            continue
        edited = array.copy()
        edited[(0,) * array.ndim] = typed
        outcome = engine.update(graph, {**inputs, name: edited}, {})
        assert all(name in graph.ancestors(node) for node in outcome.recomputed)
        for changed in outcome.changed:
            value = engine.values[changed]
            assert (value.shape, value.dtype) == (start[changed].shape, start[changed].dtype)
            cell = tuple(size - 1 for size in value.shape)
            for node, at, last in chain(engine, changed, cell):
                if typed != 1e308:  # an overflow on the way depends on the order of a sum
                    np.testing.assert_equal(np.isnan(last.value), np.isnan(engine.values[node][at]))
                assert rows(last, lambda name, axis: engine.labels(graph.nodes[name].axes[axis]))
        engine.update(graph, inputs, {})
        assert all(same_bytes(engine.values[n], start[n]) for n in start), f"{name} does not go back"


@pytest.mark.parametrize("typed", [np.nan, np.inf])
def test_nan_or_infinity_in_a_weight_is_seen_at_the_output(examples, compute, typed):
    engine = compute(examples["gpt"])
    table = engine.values["output.W"].copy()
    table[0, 0] = typed
    inputs = {name: array for name, array in engine.values.items() if engine.graph.nodes[name].is_input}
    engine.update(engine.graph, {**inputs, "output.W": table}, {})
    # +∞ logits (or NaN) make the row NaN, −∞ only takes its own word away; either way the loss says so.
    assert np.isnan(engine.values["output.probabilities"]).any()
    assert np.isnan(engine.values["loss.value"])


@pytest.mark.parametrize("variant", ["plain", "other"])
def test_every_formula_of_every_model_can_be_typeset(example, variant):
    model = example
    if variant == "other":
        others = {"GELU": "activation", "cosine": "similarity", "row sum": "normalise", "pre": "norm", "W x": "weights"}
        others |= {"hand": "mask", "004": "positions", "(C, T)": "layout", "index": "lookup", True: "bias"}
        for value, name in others.items():
            for block, kind in model.blocks().items():
                if name in SWITCHES[kind] and SWITCHES[kind][name].parse(value) is not None:
                    model = model.with_switch(block, name, value)
    graph = build(model)
    formulas = {node.symbol for node in graph.nodes.values()}
    for node in graph.nodes.values():
        if not node.is_input:
            formulas.add(node.op.formula(*(graph.nodes[parent].symbol for parent in node.parents)))
    for latex in formulas:
        typeset(latex)


def test_equal_models_share_a_graph_and_a_switch_that_is_on_is_not_one_at_1():
    first, second = (Model("gpt", {"input": 2}, {"input.words": ("a", "b")}) for _ in range(2))
    assert build(first) is build(second)
    switched = [replace(first, switches={"output.tied": choice}) for choice in (True, False)]
    assert build(switched[0]) is not build(switched[1])
    one, on = (replace(first, switches={"output.tied": choice}) for choice in (1, True))
    assert one == on
    assert build(one) is not build(on)


def test_no_graph_is_kept_that_nobody_keeps():
    graph = ref(build(Model("gpt", {"input": 3}, {"input.words": ("only here", "b")})))
    gc.collect()
    assert graph() is None


@pytest.mark.parametrize(
    ("kind", "block", "changes", "id", "says"),
    [
        ("encoder-decoder", "encoder.1.self", {"heads": 3}, "heads-do-not-divide", "choose 1, 2 or 4 heads"),
        ("encoder-decoder", "encoder.1.self", {"d_v": 3, "W_O": False}, "widths-differ", "6 numbers a token"),
        ("encoder-decoder", "decoder.1.cross", {"mask": "causal"}, "causal-needs-one-sequence", "decoder.1.cross"),
    ],
)
def test_sizes_that_do_not_fit_are_named(examples, kind, block, changes, id, says):
    model = examples[kind]
    for name, value in changes.items():
        model = model.with_switch(block, name, value)
    with pytest.raises(ExplorerError) as caught:
        build(model)
    assert caught.value.id == id
    assert says in sentence(caught.value)


def test_a_tied_output_needs_the_vocabulary_that_is_read(examples):
    axes = {**examples["gpt"].axes, "output.words": ("x", "y")}
    model = Model("gpt", {"input": 2}, axes).with_switch("output", "tied", True)
    with refuses("5 words, the output 2"):
        build(model)


@each("kind", KINDS)
def test_a_model_without_sizes_names_what_it_needs(kind):
    with pytest.raises(ExplorerError) as caught:
        build(Model(kind))
    assert caught.value.id == "missing-size"


@pytest.mark.parametrize(
    ("kind", "stack", "end", "reads"),
    [
        ("encoder", "encoder", "final", None),
        ("gpt", "decoder", "final", "output.logits"),
        ("encoder-decoder", "encoder", "encoder.final", "decoder.1.cross.V"),
        ("encoder-decoder", "decoder", "final", "output.logits"),
    ],
)
def test_a_stack_with_its_norms_before_the_blocks_ends_in_one(examples, compute, kind, stack, end, reads):
    model = examples[kind]
    block = f"{stack}.{model.layers}.ffn"
    assert f"{end}.norm" not in build(model.with_switch(block, "norm", "post")).nodes
    pre = model.with_switch(block, "norm", "pre")
    engine = compute(pre)
    values = engine.values[f"{end}.norm"]
    np.testing.assert_allclose(values.mean(-1), 0, atol=1e-12)
    np.testing.assert_allclose(values.std(-1), 1, rtol=1e-2)
    assert engine.graph.nodes[f"{end}.norm"].parents[0] == f"{block}.residual"
    without = build(pre.with_switch(end, "at_end", False)).nodes
    assert f"{end}.norm" not in without
    if reads is not None:
        assert engine.graph.nodes[reads].parents[0] == f"{end}.norm"
        assert without[reads].parents[0] == f"{block}.residual"
    other = build(pre.with_switch(end, "norm_by", "RMS norm")).nodes
    assert f"{end}.beta" not in other


@pytest.mark.parametrize(
    ("kind", "end", "layer", "last"),
    [("gpt", "final", "decoder", "self"), ("encoder-decoder", "final", "decoder", "cross")],
)
def test_the_last_norm_follows_the_block_that_writes_last(examples, kind, end, layer, last):
    """The norm of a net that is switched off is that of no block."""
    model = examples[kind]
    layer = f"{layer}.{model.layers}"
    off = model.with_switch(f"{layer}.ffn", "on", False)
    for of_net in ("pre", "post"):
        without = off.with_switch(f"{layer}.ffn", "norm", of_net)
        assert f"{end}.norm" not in build(without).nodes
        assert f"{end}.norm" in build(without.with_switch(f"{layer}.{last}", "norm", "pre")).nodes


def test_heads_may_have_widths_of_their_own(examples, compute):
    model = examples["encoder-decoder"]
    for name, value in {"heads": 3, "d_k": 5, "d_v": 2}.items():
        model = model.with_switch("encoder.1.self", name, value)
    values = compute(model).values
    assert values["encoder.1.self.K"].shape == (3, 3, 5)
    assert values["encoder.1.self.output"].shape == (3, 3, 2)
    assert values["encoder.1.self.concat"].shape == (3, 6)
    assert values["encoder.1.self.W_O"].shape == (6, 4)


def test_a_hand_drawn_mask_may_hide_a_whole_row(examples, compute):
    model = examples["gpt"].with_switch("decoder.1.self", "mask", "hand")
    mask = [[0, 0, 0], [1, 0, 1], [1, 1, 1]]
    weights = compute(model, {"decoder.1.self.mask": mask}).values["decoder.1.self.weights"]
    assert (weights[:, 0] == 0).all()
    assert (weights[:, 1, 1] == 0).all()
    np.testing.assert_allclose(weights[:, 1:].sum(-1), 1)


def test_masked_keys_get_nothing_from_row_sums_either(examples, compute):
    model = examples["gpt"].with_switch("decoder.1.self", "normalise", "row sum")
    weights = compute(model).values["decoder.1.self.weights"]
    assert (weights[:, 0, 1:] == 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1)


def test_padding_is_not_looked_at(examples, compute):
    model = examples["encoder-decoder"].with_switch("encoder.1.self", "mask", "padding")
    values = compute(model, {"source.tokens": [0, 3, 1]}).values
    assert (values["encoder.1.self.weights"][:, :, 1] == 0).all()
    np.testing.assert_allclose(values["encoder.1.self.weights"].sum(-1), 1)


def test_look_up_by_index_is_look_up_by_one_hot_product(examples, compute):
    values = compute(examples["gpt"]).values
    by_index = compute(examples["gpt"].with_switch("input", "lookup", "index")).values
    np.testing.assert_array_equal(by_index["input.X"], values["input.X"])
    assert "input.onehot" not in by_index
