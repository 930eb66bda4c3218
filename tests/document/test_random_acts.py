"""Any sequence of acts leaves the document with the bits of one computed afresh, and can be undone to the bit."""

import contextlib
import math

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from explorer.core.engine import fresh, same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.model import SWITCHES
from explorer.core.models import build
from explorer.document.commands import (
    AddWords,
    PinCells,
    Release,
    Replace,
    SendWords,
    SetArray,
    SetCells,
    SetInputs,
    SetSwitch,
    SetTokens,
)
from explorer.document.document import Document
from explorer.document.state import read_only

KINDS = ("attention", "encoder", "encoder-decoder", "gpt", "mlp", "norm", "output", "vectors")
numbers = st.one_of(
    st.floats(-4, 4).map(lambda x: round(x, 2)),
    st.integers(-1, 4),
    st.sampled_from((0.0, -0.0, math.nan, math.inf, -math.inf, 1e308, -1e308)),
)
known = ("you", "are", "welcome", "<pad>", "<start>", "de", "nada", "a", "b", "c", "d", "e")
good_words = st.lists(st.sampled_from((*known, "new", "newer")), min_size=1, max_size=5)
bad_words = st.sampled_from(([], ["two words"], ["a", ""]))


def seldom(draw):
    """Whether to try what is refused."""
    return draw(st.integers(0, 9)) == 9


@st.composite
def cells_of(draw, shape):
    """Up to three cells of an array of this shape, now and then one beside it."""
    beside = seldom(draw)
    chosen = st.tuples(*(st.integers(-1 if beside else 0, size if beside else size - 1) for size in shape))
    return draw(st.dictionaries(chosen, numbers, max_size=3))


@st.composite
def switches(draw, model):
    """Any switch of any block, with a value it has or one it refuses."""
    # Two vectors have no switches: any block is refused.
    block, kind = draw(st.sampled_from(list(model.blocks().items()) or [("nowhere", "loss")]))
    name, switch = draw(st.sampled_from(list(SWITCHES[kind].items())))
    everywhere = draw(st.integers(0, 4)) == 4
    if seldom(draw):
        return SetSwitch(block, name, draw(st.sampled_from(("nonsense", -1, math.nan, None))), everywhere)
    if isinstance(switch.default, bool):
        values = st.booleans()
    elif switch.choices:
        values = st.sampled_from(switch.choices)
    elif isinstance(switch.default, int):
        values = st.integers(int(switch.least), 4)
    else:
        values = st.sampled_from((0.0, 1e-5, 0.5))
    return SetSwitch(block, name, draw(values), everywhere)


@st.composite
def arrays_of(draw, values):
    """Other numbers in the place of an array of numbers; words stay those that they are."""
    if values.dtype.kind == "i":
        return values.copy()
    random = np.random.default_rng(draw(st.integers(0, 3)))
    return random.normal(size=values.shape).astype(values.dtype)


@st.composite
def acts(draw, document, states):
    """Something a person may ask of the document as it is, or "undo" or "redo"."""
    graph, model = document.state.graph, document.state.model
    names = list(graph.names())
    inputs = [name for name in names if graph.nodes[graph.place(name).node].is_input]
    kinds = ["cells", "cells", "array", "inputs", "pin", "release", "switch", "switch", "undo", "redo"]
    kinds += ["tokens", "tokens", "vectors", "vocabulary"] if graph.sequences else []
    kind = "replace" if seldom(draw) else draw(st.sampled_from(kinds))
    stroke = draw(st.sampled_from((None, None, "drag")))
    match kind:
        case "cells" | "pin":
            fitting = [name for name in names if (name in inputs) is (kind == "cells")]
            name = draw(st.sampled_from(names if seldom(draw) else fitting))
            cells = draw(cells_of(document.engine.value(graph.place(name)).shape))
            return (SetCells if kind == "cells" else PinCells)(name, cells, stroke)
        case "array":
            name = draw(st.sampled_from(names if seldom(draw) else inputs))
            return SetArray(name, draw(arrays_of(document.engine.value(graph.place(name)))))
        case "inputs":
            chosen = draw(st.sets(st.sampled_from([name for name in inputs if ".head." not in name]), max_size=3))
            arrays = {name: read_only(draw(arrays_of(document.engine.values[name]))) for name in sorted(chosen)}
            return SetInputs(arrays, "Set some", stroke)
        case "replace":
            return Replace(states[draw(st.sampled_from(KINDS))], "Open another")
        case "vectors":
            words = draw(good_words)
            vectors = np.ones((len(words), draw(st.sampled_from((model.d_model, 4, 2)))))
            return SendWords(draw(st.sampled_from(list(graph.sequences))), words, vectors)
        case "vocabulary":
            return AddWords({draw(st.sampled_from(list(graph.sequences.values()))): draw(good_words)})
        case "release":
            name = draw(st.sampled_from([*document.state.pins, *names]))
            cells = draw(cells_of(document.engine.value(graph.place(name)).shape))
            return Release(name, tuple(cells))
        case "tokens":
            sequence = "nowhere" if seldom(draw) else draw(st.sampled_from(list(graph.sequences)))
            return SetTokens(sequence, tuple(draw(bad_words if seldom(draw) else good_words)))
        case "switch":
            return draw(switches(model))
    return kind


def bits(document):
    """Every value of the document, as it can be compared later even if somebody writes into an array."""
    return {name: (array.shape, array.dtype, array.tobytes()) for name, array in document.engine.values.items()}


def assert_as_afresh(document):
    state = document.state
    graph = build(state.model)
    assert (graph.nodes, graph.axes, graph.sequences) == (state.graph.nodes, state.graph.axes, state.graph.sequences)
    expected = fresh(graph, state.used, state.pins).values
    assert document.engine.values.keys() == expected.keys()
    for name, array in expected.items():
        assert same_bytes(document.engine.values[name], array), name


def assert_needed(document, was):
    """See that each node that was recomputed had a reason of its own, or another value above it."""
    now, nodes, old = document.state, document.state.graph.nodes, was.graph.nodes
    changed = document.engine.before.keys() | (nodes.keys() - old.keys())
    for name in document.recomputed:
        same = name in old and (old[name].op, old[name].parents) == (nodes[name].op, nodes[name].parents)
        same = same and now.pins.get(name) is was.pins.get(name)
        assert not same or not changed.isdisjoint(nodes[name].parents), name


def carry_out(document, act):
    """Do it; a refused act changes nothing."""
    state, values = document.state, document.engine.values
    if act == "undo":
        document.undo()
    elif act == "redo":
        document.redo()
    else:
        try:
            document.do(act)
        except ExplorerError as error:
            event(error.id)
            assert document.state is state
            assert document.engine.values is values


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12)
@given(data=st.data())
def test_any_acts_leave_the_bits_of_a_fresh_computation_and_can_be_undone(kind, states, data):
    document = Document(states[kind])
    seen = {document.state: bits(document)}
    for _ in range(data.draw(st.integers(1, 15), label="acts")):
        before, was = bits(document), document.state
        carry_out(document, data.draw(acts(document, states)))
        assert_as_afresh(document)
        if document.state is not was:
            assert_needed(document, was)
        # Only what was recomputed or typed is another value.
        now = bits(document)
        assert seen.setdefault(document.state, now) == now
        assert {n for n in now if now[n] != before.get(n)} <= {
            *document.recomputed,
            *(n for n, node in document.state.graph.nodes.items() if node.is_input),
        }

    for travel, label in ((document.undo, "undo_label"), (document.redo, "redo_label"), (document.undo, "undo_label")):
        while getattr(document.history, label) is not None:
            travel()
            assert bits(document) == seen[document.state]
    assert document.state is states[kind]
    assert not document.history.modified


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=10)
@given(data=st.data())
def test_a_change_tells_exactly_what_is_another_value(kind, states, data):
    document = Document(states[kind])
    told = []
    document.subscribe(told.append)
    for _ in range(data.draw(st.integers(1, 6), label="acts")):
        before, graph = bits(document), document.state.graph
        told.clear()
        carry_out(document, data.draw(acts(document, states)))
        now = bits(document)
        if not told:
            assert now == before
            continue
        (change,) = told
        assert change.changed == {name for name in now if now[name] != before.get(name)}
        assert change.added == now.keys() - before.keys()
        assert change.removed == before.keys() - now.keys()
        assert change.structure is (document.state.graph is not graph)
        kept = {name for name in change.changed if name in before}
        assert document.engine.before.keys() == kept
        assert all(document.engine.before[name].tobytes() == before[name][2] for name in kept)


class Hand:
    """In the place of a thread: it works, and its work is told, when the test says so."""

    def __init__(self):
        self.works, self.then = [], None

    def run(self, work, then):
        self.works.append(work)
        self.then = then

    def stop(self):
        self.then = None

    def compute(self):
        for work in self.works:
            work()
        self.works = []

    def tell(self):
        self.compute()
        if self.then is not None:
            self.then()


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8)
@given(data=st.data())
def test_a_document_that_computes_in_the_background_comes_to_the_same_bits(kind, states, data):
    hand = Hand()
    document, twin = Document(states[kind], hand), Document(states[kind])
    with pytest.MonkeyPatch.context() as patch:
        for _ in range(data.draw(st.integers(1, 12), label="acts")):
            # Some passes are long and some are not.
            patch.setattr("explorer.document.document.LARGE", data.draw(st.sampled_from((0, 0, 3000, 10**9))))
            # Some inputs are large and some are not.
            patch.setattr("explorer.document.state.MOST_WRITTEN_AT_ONCE", data.draw(st.sampled_from((0, 10, 10**9))))
            act = data.draw(acts(twin, states))
            carry_out(twin, act)
            shown, values = document.state, document.engine.values
            if act in ("undo", "redo"):
                getattr(document, act)()
            else:
                with contextlib.suppress(ExplorerError):
                    document.do(act)
            if document.computing:
                assert (document.state, document.engine.values) == (shown, values)
            for step in data.draw(st.lists(st.sampled_from(("compute", "tell", "settle")), max_size=2)):
                {"compute": hand.compute, "tell": hand.tell, "settle": document.settle}[step]()
            # Whatever is on its way: what is shown is whole, and history is that of the acts.
            assert_as_afresh(document)
            for name, array in twin.state.inputs.items():
                assert same_bytes(document.wanted.inputs[name], array)
            for label in ("undo_label", "redo_label"):
                assert getattr(document.history, label) == getattr(twin.history, label)
        document.settle()
        assert bits(document) == bits(twin)
        while twin.history.undo_label is not None:
            twin.undo()
            document.undo()
        document.settle()
        assert document.state is twin.state is states[kind]
        assert bits(document) == bits(twin)


def test_arrays_of_a_state_are_never_written_to(states):
    # `bits` above would show it, but only if the writing changed a number.
    for state in states.values():
        assert not any(array.flags.writeable for array in state.inputs.values())
        assert all(isinstance(array, np.ndarray) for array in state.inputs.values())
