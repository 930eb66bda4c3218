"""What each act refuses, and what is no step."""

import numpy as np
import pytest
from refusals import refuses

from explorer.core.errors import ExplorerError
from explorer.core.vocabulary import MOST_TOKENS
from explorer.document.commands import AddWords, PinCells, Release, SetCells, SetSwitch, SetTokens
from explorer.document.commands.words import MOST_TOKEN_LENGTH
from explorer.sentences import sentence

nan, inf = np.nan, np.inf


@pytest.mark.parametrize(
    ("command", "id", "says"),
    [
        (SetCells("encoder.1.self.Q", {(0, 0, 0): 1}), "not-editable", "encoder.1.self.W_Q"),
        (SetCells("encoder.1.self.head.1.Q", {(0, 0): 1}), "not-editable", "or pin the cell"),
        (SetCells("source.P", {}), "unknown-node", "source.PE"),
        (SetCells("encoder.1.self.W_O", {(0, 4): 1}), "bad-cell", "no cell [0, 4]; its shape is 4 × 4"),
        (SetCells("encoder.1.self.W_O", {(-1, 0): 1}), "bad-cell", "[-1, 0]"),
        (SetCells("encoder.1.self.W_O", {(0,): 1}), "bad-cell", "4 × 4"),
        (SetCells("encoder.1.self.head.1.W_Q", {(0, 0, 0): 1}), "bad-cell", "4 × 2"),
        (SetCells("output.temperature", {(0,): 1}), "bad-cell", "a single number"),
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
