from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from explorer.core.errors import ExplorerError
from explorer.core.vocabulary import MOST_TOKENS
from explorer.document.commands import AddWords, PinCells, Release, Replace, SetArray, SetCells, SetSwitch, SetTokens
from explorer.document.commands.words import MOST_TOKEN_LENGTH
from explorer.document.document import Document
from explorer.document.state import State
from explorer.document.storage import load, save
from explorer.sentences import sentence


def test_a_cell_of_an_input(translator, values):
    translator.do(SetCells("encoder.1.self.W_O", {(1, 2): 0.5, (0, 0): -3}))
    assert values(translator, "encoder.1.self.W_O")[1, 2] == 0.5
    assert values(translator, "encoder.1.self.W_O")[0, 0] == -3


def test_a_cell_of_a_heads_slice_is_a_cell_of_the_whole(translator, values):
    translator.do(SetCells("encoder.1.self.head.2.W_Q", {(3, 1): 0.5}))
    assert values(translator, "encoder.1.self.W_Q")[1, 3, 1] == 0.5
    assert values(translator, "encoder.1.self.head.2.W_Q")[3, 1] == 0.5


def test_an_edit_leaves_the_arrays_that_were_there_alone(translator):
    before = translator.state
    copies = {name: array.copy() for name, array in before.inputs.items()}
    translator.do(SetCells("encoder.1.self.W_O", {(1, 2): 0.5}))
    assert all((array == copies[name]).all() for name, array in before.inputs.items())
    unchanged = [n for n, array in translator.state.inputs.items() if array is before.inputs[n]]
    assert set(before.inputs) - set(unchanged) == {"encoder.1.self.W_O"}


def test_no_array_of_a_state_can_be_written_to(translator, values):
    translator.do(SetCells("encoder.1.self.W_O", {(1, 2): 0.5}))
    translator.do(PinCells("encoder.1.self.weights", {(0, 0, 0): 1}))
    pin = translator.state.pins["encoder.1.self.weights"]
    for array in (*translator.state.inputs.values(), pin.cells, pin.values):
        assert not array.flags.writeable


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e308, -0.0])
def test_any_number_may_be_typed(gpt, value, values):
    # In float32 1e308 is infinity; no warning is given.
    gpt.do(SetCells("output.W", {(0, 0): value}))
    with np.errstate(over="ignore"):
        np.testing.assert_equal(values(gpt, "output.W")[0, 0], np.float32(value))


@pytest.mark.parametrize("lookup", ["one-hot", "index"])
def test_a_token_number(translator, lookup):
    translator.do(SetSwitch("source", "lookup", lookup))
    translator.do(SetCells("source.tokens", {(0,): 3}))
    assert translator.engine.labels("source") == ("<pad>", "are", "welcome")
    with pytest.raises(ExplorerError, check=lambda error: error.fields["last"] == 3):
        translator.do(SetCells("source.tokens", {(0,): 4}))


def test_the_right_answer_of_an_mlp(mlp):
    mlp.do(SetSwitch("loss", "loss", "cross-entropy"))
    mlp.do(SetCells("loss.target", {(0,): 0}))
    with pytest.raises(ExplorerError) as caught:
        mlp.do(SetCells("loss.target", {(0,): 1}))
    assert caught.value.fields == {"name": "loss.target", "first": 0, "last": 0, "value": 1}


def test_the_same_numbers_once_more_are_no_step(translator, values):
    for name in ("encoder.1.self.W_O", "encoder.1.self.head.2.W_Q"):
        translator.do(SetArray(name, values(translator, name).copy()))
    assert translator.history.undo_label is None
    translator.do(SetArray("encoder.1.self.head.2.W_Q", np.zeros((4, 2))))
    assert translator.history.undo_label == "Set encoder.1.self.head.2.W_Q"


def test_two_commands_with_other_arrays_are_not_equal():
    """A part of a page is shown anew only if its gesture differs."""
    assert SetArray("a", np.zeros(2)) != SetArray("b", np.ones(3))


def test_pins_add_up_and_are_released_one_by_one(translator, values):
    name, before = "source.X", values(translator, "source.X")
    translator.do(PinCells(name, {(0, 0): 7.0}))
    translator.do(PinCells(name, {(1, 1): 8.0, (0, 0): 9.0}))
    pinned = before.copy()
    pinned[0, 0], pinned[1, 1] = 9, 8
    np.testing.assert_array_equal(values(translator, name), pinned)
    assert translator.engine.pinned(name, (1, 1))
    assert not translator.engine.pinned(name, (1, 0))
    translator.do(Release(name, ((0, 0),)))
    pinned[0, 0] = before[0, 0]
    np.testing.assert_array_equal(values(translator, name), pinned)
    translator.do(Release(name))
    np.testing.assert_array_equal(values(translator, name), before)
    assert translator.state.pins == {}


def test_a_pin_of_whole_numbers(translator, values):
    translator.do(PinCells("output.chosen", {(1,): 2}))
    assert values(translator, "output.chosen")[1] == 2
    translator.do(PinCells("decoder.1.self.mask", {(0, 1): 1}))
    assert values(translator, "decoder.1.self.mask").tolist() == [[1, 1], [1, 1]]


def test_a_pin_of_a_code_may_be_any_code_and_is_saved(translator, values, tmp_path):
    name = "encoder.1.self.W_Q_codes"
    translator.do(SetSwitch("encoder.1.self", "quantised", "8 bits"))
    translator.do(PinCells(name, {(0, 0, 0): -90, (0, 1, 0): 3}))
    assert values(translator, name)[0, :2, 0].tolist() == [-90, 3]
    translator.do(SetSwitch("encoder.1.self", "quantised", "4 bits"))
    save(translator.state, "", tmp_path / "pinned.explorer")
    state, _ = load(tmp_path / "pinned.explorer")
    assert state.pins[name].values[0, :2, 0].tolist() == [-90, 3]


def test_a_pin_of_a_single_number(translator, values):
    translator.do(PinCells("encoder.1.self.scale", {(): 2.0}))
    np.testing.assert_array_equal(
        values(translator, "encoder.1.self.scaled"), 2 * values(translator, "encoder.1.self.scores")
    )


def test_a_pin_goes_where_its_node_becomes_editable_or_has_other_heads(translator, values):
    translator.do(PinCells("source.PE", {(0, 0): 7.0}))
    translator.do(PinCells("output.logits", {(0, 0): 7.0}))
    translator.do(PinCells("encoder.1.self.weights", {(1, 0, 0): 0.5}))
    translator.do(SetSwitch("source", "positions", "table"))
    assert translator.state.pins.keys() == {"output.logits", "encoder.1.self.weights"}
    assert not translator.engine.pinned("source.PE", (0, 0))
    translator.do(SetSwitch("encoder.1.self", "heads", 4))
    assert translator.state.pins.keys() == {"output.logits"}
    translator.undo()
    assert values(translator, "encoder.1.self.weights")[1, 0, 0] == 0.5


def test_a_pin_keeps_the_cells_that_another_sentence_has_too(translator, values):
    translator.do(PinCells("encoder.1.self.weights", {(0, 0, 1): 0.25, (1, 2, 2): 0.75}))
    translator.do(PinCells("decoder.1.cross.scores", {(1, 1, 0): 3.0}))
    translator.do(SetTokens("source", ("you", "are")))
    assert values(translator, "encoder.1.self.weights")[0, 0, 1] == 0.25
    assert translator.state.pins["encoder.1.self.weights"].cells.sum() == 1
    translator.do(SetTokens("source", ("you", "are", "very", "welcome")))
    assert np.argwhere(translator.state.pins["encoder.1.self.weights"].cells).tolist() == [[0, 0, 1]]
    assert values(translator, "decoder.1.cross.scores")[1, 1, 0] == 3
    # Nothing remains of it, so nothing is held.
    translator.do(SetTokens("target", ("de",)))
    assert "decoder.1.cross.scores" not in translator.state.pins
    translator.undo()
    assert values(translator, "decoder.1.cross.scores")[1, 1, 0] == 3


def test_a_pin_keeps_its_words_when_the_vocabulary_grows(translator, values):
    translator.do(PinCells("output.logits", {(1, 2): 7.0}))
    translator.do(SetTokens("target", ("<start>", "gracias")))
    assert values(translator, "output.logits")[1, 2] == 7
    assert translator.state.pins["output.logits"].cells.sum() == 1


@pytest.mark.parametrize(
    ("block", "name", "by_hand", "computed", "node"),
    [
        ("encoder.1.self", "scale", "free", "1/d_k", "encoder.1.self.scale"),
        ("decoder.1.self", "mask", "hand", "causal", "decoder.1.self.mask"),
        ("decoder.1.self", "mask", "hand", "causal + padding", "decoder.1.self.mask"),
        ("source", "positions", "table", "004", "source.PE"),
    ],
)
def test_a_node_that_can_be_computed_or_typed(translator, block, name, by_hand, computed, node, values):
    translator.do(SetSwitch(block, name, computed))
    as_computed = values(translator, node)
    # By hand it starts with what was computed…
    translator.do(SetSwitch(block, name, by_hand))
    np.testing.assert_array_equal(values(translator, node), as_computed)
    cell = (0, 1)[: as_computed.ndim] if as_computed.ndim else ()
    translator.do(SetCells(node, {cell: 0.75}))
    typed = values(translator, node)
    # …computed, it is computed, and by hand again it is what was typed.
    translator.do(SetSwitch(block, name, computed))
    np.testing.assert_array_equal(values(translator, node), as_computed)
    translator.do(SetSwitch(block, name, by_hand))
    np.testing.assert_array_equal(values(translator, node), typed)


def test_by_hand_it_starts_with_what_was_pinned_too(translator, values):
    translator.do(PinCells("decoder.1.self.mask", {(0, 1): 1}))
    translator.do(SetSwitch("decoder.1.self", "mask", "hand"))
    assert values(translator, "decoder.1.self.mask").tolist() == [[1, 1], [1, 1]]
    assert not translator.state.pins


def test_positions_that_overflow_can_be_taken_over(gpt, values):
    wide = replace(gpt.state.model, d_model=160, switches={})  # 10000^158 is no number
    document = Document(State.of(wide, {"input.tokens": np.array([0, 1, 2])}))
    document.do(SetSwitch("input", "positions", "004-script"))
    computed = values(document, "input.PE")
    document.do(SetSwitch("input", "positions", "table"))
    np.testing.assert_array_equal(values(document, "input.PE"), computed)
    assert np.isfinite(computed).all()


def test_inputs_come_back_with_the_nodes_a_switch_took_away(translator, values):
    translator.do(SetCells("encoder.1.ffn.W_1", {(0, 0): 9.0}))
    translator.do(SetCells("encoder.1.ffn.gamma", {(0,): 9.0}))
    probabilities = values(translator, "output.probabilities")
    translator.do(SetSwitch("encoder.1.ffn", "on", False))
    assert "encoder.1.ffn.W_1" not in translator.engine.values
    translator.do(SetSwitch("encoder.1.ffn", "on", True))
    np.testing.assert_array_equal(values(translator, "output.probabilities"), probabilities)


def test_another_layout_is_another_picture_of_the_same_numbers(lesson, values):
    Q, weights = values(lesson, "Q"), values(lesson, "weights")
    lesson.do(SetSwitch("attention", "layout", "(C, T)"))
    np.testing.assert_array_equal(values(lesson, "Q"), Q.T)
    np.testing.assert_allclose(values(lesson, "weights"), weights, rtol=1e-12)
    lesson.do(SetSwitch("attention", "layout", "(T, C)"))
    np.testing.assert_array_equal(values(lesson, "Q"), Q)


def test_square_matrices_are_read_the_other_way_round(translator, values):
    names = [f"decoder.1.self.W_{letter}" for letter in "QKVO"]
    before, Q = [values(translator, name) for name in names], values(translator, "decoder.1.self.Q")
    translator.do(SetSwitch("decoder.1.self", "weights", "W x"))
    assert all(values(translator, name) is array for name, array in zip(names, before, strict=True))
    assert (values(translator, "decoder.1.self.Q") != Q).all()


def test_matrices_that_are_not_square_are_transposed(translator, values):
    W, Q = values(translator, "encoder.1.self.W_Q"), values(translator, "encoder.1.self.Q")
    translator.do(SetSwitch("encoder.1.self", "weights", "W x"))
    np.testing.assert_array_equal(values(translator, "encoder.1.self.W_Q"), W.swapaxes(-1, -2))
    np.testing.assert_allclose(values(translator, "encoder.1.self.Q"), Q, rtol=1e-12)


@pytest.mark.parametrize(("block", "result"), [("ffn", "output"), ("self", "projected")])
def test_transposed_matrices_in_few_bits_have_the_same_blocks(gpt, values, block, result):
    """Their blocks ran along the outputs, so that other weights shared a scale, and the results changed."""
    block = f"decoder.1.{block}"
    gpt.do(SetSwitch(block, "quantised", "4 bits"))
    gpt.do(SetSwitch(block, "quantised_block", 3))
    before = values(gpt, f"{block}.{result}")
    gpt.do(SetSwitch(block, "weights", "W x"))
    np.testing.assert_allclose(values(gpt, f"{block}.{result}"), before, rtol=1e-5)


def test_weights_of_experts_are_not_transposed_only_those_of_the_one_that_all_share(gpt, values):
    gpt.do(SetSwitch("decoder.1.ffn", "experts", 3))
    gpt.do(SetSwitch("decoder.1.ffn", "shared", 5))
    names = [f"decoder.1.ffn.{short}" for short in ("W_r", "W_1", "W_2", "W_s1", "together")]
    *before, shared, together = [values(gpt, name) for name in names]
    gpt.do(SetSwitch("decoder.1.ffn", "weights", "W x"))
    assert all(values(gpt, name) is array for name, array in zip(names, before, strict=False))
    np.testing.assert_array_equal(values(gpt, "decoder.1.ffn.W_s1"), shared.T)
    np.testing.assert_allclose(values(gpt, "decoder.1.ffn.together"), together, rtol=1e-5)


def test_a_switch_set_everywhere_is_one_step(translator):
    translator.do(SetSwitch("encoder.1.self", "scale", "none", everywhere=True))
    blocks = ("encoder.1.self", "decoder.1.self", "decoder.1.cross")
    assert [translator.state.model.switch(block, "scale") for block in blocks] == ["none"] * 3
    assert not any(name.endswith((".self.scaled", ".cross.scaled")) for name in translator.engine.values)
    translator.undo()
    assert translator.history.undo_label is None


def test_replace_puts_another_state_in_place(translator, states):
    translator.do(Replace(states["gpt"], "Open a lesson"))
    assert translator.state is states["gpt"]
    assert translator.engine.values.keys() == states["gpt"].graph.nodes.keys()
    assert translator.history.undo_label == "Open a lesson"
    translator.undo()
    assert translator.state is states["encoder-decoder"]


nan, inf = np.nan, np.inf


@pytest.mark.parametrize(
    ("command", "id", "says"),
    [
        (SetCells("encoder.1.self.Q", {(0, 0, 0): 1}), "not-editable", "encoder.1.self.W_Q"),
        (SetCells("encoder.1.self.head.1.Q", {(0, 0): 1}), "not-editable", "or pin the cell"),
        (SetCells("source.P", {}), "unknown-node", "source.PE"),
        (
            SetCells("encoder.1.self.W_O", {(0, 4): 1}),
            "bad-cell",
            "no cell [0, 4]; its shape is 4 × 4: name one from [0,0] to",
        ),
        (SetCells("encoder.1.self.W_O", {(-1, 0): 1}), "bad-cell", "[-1, 0]"),
        (SetCells("encoder.1.self.W_O", {(0,): 1}), "bad-cell", "4 × 4"),
        (SetCells("encoder.1.self.head.1.W_Q", {(0, 0, 0): 1}), "bad-cell", "4 × 2"),
        (SetCells("output.temperature", {(0,): 1}), "bad-cell", "a single number: write its name alone."),
        (SetCells("source.tokens", {(0,): 4}), "bad-token-id", "from 0 to 3; 4 is not"),
        (SetCells("source.tokens", {(0,): -1}), "bad-token-id", "-1"),
        (SetCells("source.tokens", {(0,): 0.5}), "bad-token-id", "0.5"),
        (SetCells("source.tokens", {(0,): nan}), "bad-token-id", "nan"),
        (SetCells("source.tokens", {(0,): inf}), "bad-token-id", "inf"),
        (SetCells("loss.target", {(0,): 3}), "bad-token-id", "from 0 to 2"),
        (PinCells("source.X", {(0, 9): 1}), "bad-cell", "3 × 4"),
        (PinCells("source.table", {(0, 0): 1}), "pin-of-input", "source.table"),
        (PinCells("output.chosen", {(0,): 3}), "bad-token-id", "from 0 to 2"),
        (PinCells("output.chosen", {(0,): nan}), "bad-token-id", "nan"),
        (PinCells("decoder.1.self.mask", {(0, 1): 0.5}), "bad-token-id", "from 0 to 1"),
        (Release("source.X", ((0, 9),)), "bad-cell", "3 × 4"),
        (Release("nowhere"), "unknown-node", "nowhere"),
        (SetTokens("input", ("a",)), "unknown-sequence", "source, target"),
        (SetTokens("source", ()), "empty-tokens", "at least one"),
        (SetTokens("source", ("a",) * (MOST_TOKENS + 1)), "too-many-tokens", "513"),
        (SetTokens("source", ("two words",)), "bad-token", "two words"),
        (SetTokens("source", ("",)), "bad-token", "''"),
        (SetTokens("source", ("line\n",)), "bad-token", "without spaces"),
        (SetTokens("source", ("\u200b",)), "bad-token", r"'\u200b'"),
        (SetTokens("source", ("a\u202eb",)), "bad-token", r"'a\u202eb'"),
        (SetTokens("source", ("\u200d",)), "bad-token", r"'\u200d'"),
        (SetTokens("source", ("w" * (MOST_TOKEN_LENGTH + 1),)), "bad-token", "up to 64"),
        (SetSwitch("encoder.2.self", "scale", "none"), "unknown-block", "encoder.1.self"),
        (SetSwitch("encoder.1.self", "scalar", "none"), "unknown-switch", "scale"),
        (SetSwitch("encoder.1.self", "scale", "2"), "bad-switch-value", "1/d_k"),
        (SetSwitch("encoder.1.self", "heads", 3), "heads-do-not-divide", "choose 1, 2 or 4 heads"),
        (SetSwitch("decoder.1.cross", "mask", "causal"), "causal-needs-one-sequence", "decoder.1.cross"),
        (SetSwitch("decoder.1.self", "mask", "causal", everywhere=True), "causal-needs-one-sequence", "cross"),
    ],
    ids=repr,
)
def test_what_cannot_be_done_says_why_and_changes_nothing(translator, command, id, says):
    translator.do(PinCells("source.X", {(0, 0): 7.0}))
    changes = []
    translator.subscribe(changes.append)
    state, held = translator.state, translator.engine.values
    with pytest.raises(ExplorerError) as caught:
        translator.do(command)
    assert caught.value.id == id
    assert says in sentence(caught.value)
    assert translator.state is state
    assert translator.engine.values is held
    assert (changes, translator.history.redo_label) == ([], None)


def test_a_lesson_without_sequences_has_no_tokens_to_set(lesson):
    with refuses("this model has none"):
        lesson.do(SetTokens("input", ("a",)))


@pytest.mark.parametrize(
    "command",
    [
        SetCells("encoder.1.self.W_O", {}),
        SetCells("source.tokens", {(0,): 0}),
        PinCells("source.X", {}),
        PinCells("source.X", {(0, 0): 7.0}),
        Release("source.H"),
        Release("source.X", ((1, 1),)),
        SetTokens("source", ("you", "are", "welcome")),
        AddWords({"source.words": ("are", "you")}),
        SetSwitch("encoder.1.self", "heads", "2"),
        SetSwitch("encoder.1.self", "mask", "none"),
    ],
    ids=repr,
)
def test_what_changes_nothing_is_no_step(translator, command):
    translator.do(PinCells("source.X", {(0, 0): 7.0}))
    changes, state = [], translator.state
    translator.subscribe(changes.append)
    translator.do(command)
    assert translator.state is state
    assert changes == []
    assert translator.history.undo_label == "Pin 1 cell of source.X"
