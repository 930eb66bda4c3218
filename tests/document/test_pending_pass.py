"""A document that computes in the background, with a hand in the place of the thread, so that a test says what when."""

import threading

import pytest
from refusals import refuses

from explorer.core.engine import Pass, same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.graph import LOSS, Place
from explorer.core.ops import Input, Op
from explorer.document import document as documents
from explorer.document import state as states_module
from explorer.document.commands import Replace, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.document.state import State

TEMPERATURE = "output.temperature"


class Hand:
    """Does the work when it is told to."""

    def __init__(self):
        self.works, self.then, self.busy = [], None, []

    def run(self, work, then):
        self.works.append(work)
        self.then = then
        self.busy.append(True)

    def stop(self):
        self.then = None
        self.busy.append(False)

    def compute(self):
        """All that was ever asked for, as if the threads had waited for one another."""
        for work in self.works:
            work()
        self.works = []

    def tell(self):
        self.then()

    def finish(self):
        self.compute()
        self.tell()


@pytest.fixture
def hand(monkeypatch):
    monkeypatch.setattr(documents, "LARGE", 1)
    return Hand()


@pytest.fixture
def document(states, hand):
    return Document(states["encoder-decoder"], hand)


@pytest.fixture
def told(document):
    changes = []
    document.subscribe(changes.append)
    return changes


def heat(value, stroke=None):
    return SetCells(TEMPERATURE, {(): value}, stroke)


def shown(document):
    """What stands on the screen, once in the state and once in the values."""
    in_state, in_values = document.state.inputs[TEMPERATURE], document.engine.values[TEMPERATURE]
    assert in_state is in_values
    assert document.state.graph is document.engine.graph
    return float(in_values)


def assert_equal(document, twin):
    assert document.engine.values.keys() == twin.engine.values.keys()
    for name, array in twin.engine.values.items():
        assert same_bytes(document.engine.values[name], array), name


def test_an_act_is_shown_when_it_is_computed_and_told(document, hand, told, states):
    document.do(heat(2.0))
    assert (shown(document), document.computing, told) == (1.0, True, [])
    assert document.wanted.inputs[TEMPERATURE] == 2
    assert document.history.undo_label == f"Set {TEMPERATURE}"
    hand.compute()
    assert (shown(document), told) == (1.0, [])
    hand.tell()
    assert (shown(document), document.computing) == (2.0, False)
    twin = Document(states["encoder-decoder"])
    expected = []
    twin.subscribe(expected.append)
    twin.do(heat(2.0))
    assert told == expected
    assert document.recomputed == twin.recomputed
    assert_equal(document, twin)
    assert hand.busy == [True, False]


def test_small_work_is_computed_at_once(monkeypatch, document, hand, told):
    monkeypatch.setattr(documents, "LARGE", 10**9)
    document.do(heat(2.0))
    assert (shown(document), len(told), hand.busy) == (2.0, 1, [])


def test_a_newer_act_overtakes_an_older_one_and_both_can_be_undone(document, hand, told):
    document.do(heat(2.0))
    older = hand.then
    document.do(SetCells("source.table", {(0, 0): 5.0}))
    older()
    assert (shown(document), told) == (1.0, [])
    hand.finish()
    assert shown(document) == 2
    assert document.engine.values["source.table"][0, 0] == 5
    (change,) = told
    assert {TEMPERATURE, "source.table", "encoder.1.self.Q"} <= change.changed
    document.undo()
    hand.finish()
    assert (shown(document), document.history.undo_label) == (2.0, f"Set {TEMPERATURE}")
    document.undo()
    hand.finish()
    assert shown(document) == 1


def test_an_overtaken_pass_stops_before_its_next_node(monkeypatch, document, hand):
    document.do(heat(2.0))
    document.do(heat(3.0))
    asked = []
    compute = Pass.compute
    monkeypatch.setattr(Pass, "compute", lambda begun, between: compute(begun, lambda: (asked.append(1), between())))
    hand.works[0]()
    assert len(asked) == 1
    hand.finish()
    assert shown(document) == 3


def test_undo_takes_back_the_newest_act_that_is_still_computed(document, hand, told):
    document.do(heat(2.0))
    document.do(heat(3.0))
    document.undo()
    hand.finish()
    assert shown(document) == 2
    document.do(heat(4.0))
    told.clear()
    document.undo()
    # Nothing to compute: what is wanted is shown.
    assert (document.computing, document.wanted is document.state) == (False, True)
    assert [(change.changed, change.label) for change in told] == [(frozenset(), f"Undo: Set {TEMPERATURE}")]
    document.redo()
    hand.finish()
    assert shown(document) == 4


def test_redo_while_computing(document, hand):
    for value in (2.0, 3.0):
        document.do(heat(value))
        hand.finish()
    document.undo()
    document.undo()
    document.redo()
    hand.finish()
    assert shown(document) == 2
    document.redo()
    hand.finish()
    assert shown(document) == 3


def test_a_refused_act_leaves_what_is_computed_going(document, hand, told):
    document.do(heat(2.0))
    with refuses("heads"):
        document.do(SetSwitch("encoder.1.self", "heads", 3))
    hand.finish()
    assert shown(document) == 2
    assert len(told) == 1


def test_an_act_that_changes_nothing_leaves_it_going_too(document, hand):
    document.do(heat(2.0))
    document.do(heat(2.0))
    hand.finish()
    assert shown(document) == 2
    document.undo()
    assert document.history.undo_label is None


def test_acts_build_on_the_newest_state(document, hand, states):
    document.do(SetTokens("source", ("you", "are", "new")))
    assert document.words("source") == ("you", "are", "new")
    assert document.engine.labels("source") == ("you", "are", "welcome")
    document.do(SetCells("source.table", {(4, 0): 9.0}))  # the row of the new word
    hand.finish()
    assert document.engine.values["source.X"][2, 0] == 9
    document.do(Replace(states["mlp"], "Open another, which has no words"))
    assert document.words("source") == ("you", "are", "new")


def test_a_drag_shows_what_it_can_and_ends_at_its_end(document, hand, told):
    for value in (2.0, 3.0, 4.0):
        document.do(heat(value, "drag"))
    assert len(hand.works) == 1
    hand.finish()
    assert shown(document) == 2
    assert document.computing
    document.do(heat(5.0, "drag"))
    hand.finish()
    assert shown(document) == 4
    hand.finish()
    assert (shown(document), document.computing) == (5.0, False)
    assert document.before[TEMPERATURE] == 1
    document.undo()
    hand.finish()
    assert (shown(document), document.history.undo_label) == (1.0, None)


def test_settle_waits_for_the_newest(document, hand, told):
    document.do(heat(2.0, "drag"))
    document.do(heat(3.0, "drag"))
    document.settle()
    assert (shown(document), document.computing, hand.busy[-1]) == (3.0, False, False)
    assert len(told) == 2
    document.settle()
    assert len(told) == 2


def test_settle_waits_for_a_thread_that_is_at_it(document, hand):
    document.do(heat(2.0))
    thread = threading.Thread(target=hand.works[0])
    thread.start()
    document.settle()
    assert shown(document) == 2
    thread.join()


def test_small_work_overtakes_large_work(monkeypatch, document, hand, states):
    document.do(heat(2.0))
    late = hand.then
    monkeypatch.setattr(documents, "LARGE", 10**9)
    document.do(Replace(states["gpt"], "Open another"))
    assert document.state is states["gpt"]
    assert hand.busy == [True, False]
    hand.compute()
    late()
    assert document.state is states["gpt"]
    document.undo()
    assert shown(document) == 2


def test_a_second_document_takes_over_the_values_of_the_first(document, states):
    twin = Document(document.state, engine=document.engine)
    assert twin.recomputed == ()
    assert twin.engine.values["output.logits"] is document.engine.values["output.logits"]
    twin.do(heat(2.0))
    assert (shown(twin), shown(document)) == (2.0, 1.0)
    with_others = Document(states["gpt"], engine=document.engine)
    assert_equal(with_others, Document(states["gpt"]))


def test_closed_it_publishes_nothing(document, hand, told):
    document.do(heat(2.0))
    late = hand.then
    document.close()
    hand.compute()
    late()
    assert (shown(document), told, document.computing) == (1.0, [], False)


# What goes wrong


class Fails(Op):
    """In the place of an op: there is no memory for what it makes."""

    error: type = MemoryError

    def forward(self, *parents):
        raise self.error("Unable to allocate 1 TiB")


@pytest.fixture
def fail(monkeypatch):
    """Lets the softmax of the output fail, or work again."""

    def change(document, error=MemoryError):
        node = document.engine.graph.nodes["output.probabilities"]
        op = node.op if error is None else Fails(error)
        monkeypatch.setattr(type(node.op), "forward", lambda self, *parents: op.forward(*parents))

    yield change
    monkeypatch.undo()


@pytest.mark.parametrize("error", [MemoryError, ZeroDivisionError])
def test_what_cannot_be_computed_is_taken_back_and_nothing_else(document, hand, told, fail, error):
    document.do(heat(2.0))
    hand.finish()
    document.do(heat(3.0))
    hand.finish()
    document.undo()
    hand.finish()
    told.clear()
    fail(document, error)
    document.do(SetCells("source.table", {(0, 0): 5.0}))
    hand.compute()
    with refuses(r"source\.table.*Unable to allocate 1 TiB") as raised:
        hand.tell()
    assert isinstance(raised.value.__cause__, error)
    assert (shown(document), document.computing, hand.busy[-1]) == (2.0, False, False)
    assert document.wanted is document.state
    # What could be redone still can.
    assert (document.history.undo_label, document.history.redo_label) == (f"Set {TEMPERATURE}",) * 2
    assert [change.changed for change in told] == [frozenset()]


def test_an_undo_that_cannot_be_computed_is_not_done(document, hand, fail):
    document.do(heat(2.0))
    hand.finish()
    fail(document)
    document.undo()
    with pytest.raises(ExplorerError):
        document.settle()
    assert (shown(document), document.wanted is document.state) == (2.0, True)
    assert document.history.undo_label == f"Set {TEMPERATURE}"


def test_the_end_of_a_drag_that_cannot_be_computed_leaves_its_middle(document, hand, fail):
    document.do(heat(2.0, "drag"))
    document.do(heat(3.0, "drag"))
    hand.compute()
    fail(document)
    hand.tell()
    hand.compute()
    with pytest.raises(ExplorerError):
        hand.tell()
    assert (shown(document), document.wanted is document.state) == (2.0, True)


def test_small_work_that_cannot_be_computed_leaves_no_step(states, fail):
    document = Document(states["encoder-decoder"])
    fail(document)
    with refuses("Unable to allocate 1 TiB"):
        document.do(heat(2.0))
    assert (shown(document), document.wanted is document.state, document.history.undo_label) == (1.0, True, None)


# Gradients


def gradient(document, name):
    return document.engine.gradient(Place(name))


def test_gradients_that_are_shown_come_with_the_values(document, hand, told, states):
    document.show_gradients(True)
    assert document.computing
    hand.finish()
    assert document.engine.has_gradients
    assert [change.changed for change in told] == [frozenset()]
    document.do(heat(2.0))
    hand.finish()
    assert document.engine.has_gradients
    twin = Document(states["encoder-decoder"])
    twin.do(heat(2.0))
    for name in twin.engine.values:
        ours, asked = gradient(document, name), gradient(twin, name)
        assert ours is asked is None or same_bytes(ours, asked)
    document.show_gradients(False)
    document.do(heat(3.0))
    hand.finish()
    assert not document.engine.has_gradients


def test_looking_at_gradients_is_no_edit(document, hand):
    document.do(heat(2.0))
    hand.finish()
    before, recomputed = document.before, document.recomputed
    document.show_gradients(True)
    hand.finish()
    assert (document.before is before, document.recomputed is recomputed) == (True, True)
    assert document.history.undo_label == f"Set {TEMPERATURE}"


def test_gradients_asked_for_while_computing_come_after(document, hand):
    document.do(heat(2.0))
    document.show_gradients(True)
    hand.finish()
    assert (shown(document), document.engine.has_gradients, document.computing) == (2.0, False, True)
    hand.finish()
    assert (document.engine.has_gradients, document.computing) == (True, False)


def test_gradients_come_also_where_the_act_they_waited_for_is_undone(document, hand):
    document.do(heat(2.0))
    document.show_gradients(True)
    document.undo()
    hand.finish()
    assert (shown(document), document.engine.has_gradients, document.computing) == (1.0, True, False)


def test_without_a_loss_there_are_none_to_wait_for(document, hand):
    document.show_gradients(True)
    hand.finish()
    document.do(SetSwitch("loss", "loss", "none"))
    assert LOSS not in document.engine.graph.nodes
    assert (document.engine.has_gradients, document.computing) == (False, False)


def test_of_a_small_model_each_is_computed_when_it_is_asked_for(monkeypatch, document, hand):
    monkeypatch.setattr(documents, "LARGE", 10**9)
    document.show_gradients(True)
    document.do(heat(2.0))
    assert (hand.busy, document.engine.has_gradients) == ([], False)


# Inputs of a large model


def test_the_table_that_a_new_word_makes_longer_is_written_in_the_background(monkeypatch, document, hand):
    monkeypatch.setattr(states_module, "MOST_WRITTEN_AT_ONCE", 0)
    document.do(SetTokens("source", ["you", "newest"]))
    table = document.wanted.inputs.deferred["source.table"]
    assert table.waiting
    hand.compute()
    assert not table.waiting
    hand.tell()
    twin = Document(State.of(document.state.model, document.state.inputs))
    assert document.engine.values["source.table"] is table.array
    assert_equal(document, twin)


def test_a_table_that_cannot_be_written_leaves_what_was_there(monkeypatch, document, hand):
    monkeypatch.setattr(states_module, "MOST_WRITTEN_AT_ONCE", 0)
    before = document.state
    document.do(SetTokens("source", ["you", "newest"]))
    with monkeypatch.context() as patch:
        patch.setattr(Input, "write_start", lambda *arguments: (_ for _ in ()).throw(MemoryError("no room")))
        hand.compute()
    with refuses("no room"):
        hand.tell()
    assert document.state is document.wanted is before


def test_what_takes_too_long_is_stopped_and_taken_back(document, hand):
    shown, heard = document.state, []
    document.subscribe(heard.append)
    document.do(SetCells("encoder.1.self.W_O", {(0, 0): 3.0}))
    document.do(SetCells("encoder.1.self.W_O", {(0, 1): 4.0}))
    assert document.wanted is not shown
    document.stop()
    assert document.state is document.wanted is shown
    assert not document.computing
    assert document.history.undo_label is None
    assert [change.changed for change in heard] == [frozenset()]
    hand.compute()
    assert document.state is shown
    document.stop()
    assert len(heard) == 1


def test_how_far_a_pass_has_come(document, hand):
    assert document.progress == 0
    seen = []
    document.do(SetCells("encoder.1.self.W_O", {(0, 0): 3.0}))
    between = document._pending._between
    document._pending._between = lambda: between() or seen.append(document.progress)
    hand.compute()
    assert seen == sorted(set(seen))
    assert 0 < seen[0] < seen[-1] <= 1
