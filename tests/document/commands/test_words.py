"""Other words for a sequence."""

import numpy as np
import pytest
from refusals import refuses

from explorer.core.model import Model
from explorer.core.vocabulary import MOST_TOKENS
from explorer.document.commands import SendWords, SetCells, SetSwitch, SetTokens
from explorer.document.state import State


def test_a_new_word_gets_a_row_of_its_own_and_the_others_keep_theirs(translator, values):
    table = values(translator, "source.table")
    translator.do(SetTokens("source", ("you", "see", "you", "there")))
    assert translator.engine.labels("source") == ("you", "see", "you", "there")
    assert translator.engine.labels("source.words") == ("you", "are", "welcome", "<pad>", "see", "there")
    np.testing.assert_array_equal(values(translator, "source.table")[:4], table)
    assert values(translator, "source.tokens").tolist() == [0, 4, 0, 5]
    assert values(translator, "source.H").shape == (4, 4)


def test_a_new_word_leaves_the_output_layer_as_it_was(translator, values):
    W, b = values(translator, "output.W"), values(translator, "output.b")
    translator.do(SetTokens("target", ("<start>", "gracias")))
    assert values(translator, "output.W").shape == (4, 4)
    np.testing.assert_array_equal(values(translator, "output.W")[:, :3], W)
    np.testing.assert_array_equal(values(translator, "output.b")[:3], b)


def test_a_model_of_others_without_its_words_takes_numbers_of_its_words_alone():
    model = Model("gpt", {"input": 2}, {"input.words": ("0", "1", "2")}, d_model=4)
    tokens = {"input.tokens": np.array([0, 1])}
    state = State.of(model.with_switch("input", "lookup", "index"), tokens)
    assert SetTokens("input", ("2", "0", "1")).apply(state).inputs["input.tokens"].tolist() == [2, 0, 1]
    with refuses("from 0 to 2"):
        SetTokens("input", ("2", "3")).apply(state)
    own = SetTokens("input", ("2", "3")).apply(State.of(model, tokens))
    assert own.model.axes["input.words"] == ("0", "1", "2", "3")


def test_learned_positions_and_a_drawn_mask_keep_what_remains(gpt, values):
    gpt.do(SetSwitch("decoder.1.self", "mask", "hand"))
    gpt.do(SetCells("decoder.1.self.mask", {(0, 1): 1}))
    PE, mask = values(gpt, "input.PE"), values(gpt, "decoder.1.self.mask")
    gpt.do(SetTokens("input", ("a", "b")))
    np.testing.assert_array_equal(values(gpt, "input.PE"), PE[:2])
    gpt.do(SetTokens("input", ("a", "b", "c", "d")))
    np.testing.assert_array_equal(values(gpt, "input.PE")[:2], PE[:2])
    np.testing.assert_array_equal(values(gpt, "decoder.1.self.mask")[:2, :2], mask[:2, :2])
    assert values(gpt, "decoder.1.self.mask").shape == (4, 4)


def test_no_padding_word_means_no_padding_and_a_new_one_is_masked(gpt, values):
    gpt.do(SetSwitch("decoder.1.self", "mask", "padding"))
    assert (values(gpt, "decoder.1.self.mask") == 1).all()
    gpt.do(SetTokens("input", ("a", "<pad>", "c")))
    assert values(gpt, "decoder.1.self.mask").tolist() == [[1, 0, 1]] * 3


@pytest.mark.parametrize("word", ["👩‍💻", "می‌خواهم", "日本", "naïve", "<b>", "\U0001fae9"])
def test_a_word_may_be_of_any_script(translator, word):
    """Also of one that Python does not know yet, as the last."""
    translator.do(SetTokens("source", (word,)))
    assert translator.words("source") == (word,)


def test_as_many_words_as_a_sequence_may_have(translator):
    translator.do(SetTokens("source", ("you",) * MOST_TOKENS))
    assert translator.state.model.lengths["source"] == MOST_TOKENS


def test_words_sent_with_their_vectors(translator, values):
    vectors = np.arange(12.0).reshape(3, 4)
    translator.do(SendWords("source", ("sea", "you", "sea"), vectors))
    assert translator.engine.labels("source") == ("sea", "you", "sea")
    np.testing.assert_array_equal(values(translator, "source.X"), vectors[[2, 1, 2]])
    translator.undo()
    assert translator.history.undo_label is None


def test_vectors_have_the_width_of_a_table_that_has_one_of_its_own(translator, values):
    translator.do(SetSwitch("source", "table_width", 3))
    translator.do(SendWords("source", ("you",), np.ones((1, 3))))
    assert translator.state.model.d_model == 4
    np.testing.assert_array_equal(values(translator, "source.X")[0], np.ones(3))
    translator.do(SendWords("source", ("you", "sea"), np.ones((2, 6))))
    assert translator.state.model.d_model == 4
    np.testing.assert_array_equal(values(translator, "source.X"), np.ones((2, 6)))


def test_wider_vectors_make_the_model_as_wide(translator, values):
    translator.do(SendWords("source", ("you", "sea"), np.ones((2, 6))))
    assert translator.state.model.d_model == 6
    np.testing.assert_array_equal(values(translator, "source.X"), np.ones((2, 6)))
    assert values(translator, "encoder.1.self.W_Q").shape == (2, 6, 3)
