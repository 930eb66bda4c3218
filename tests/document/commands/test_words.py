import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.decoder import Decoding
from explorer.core.errors import ExplorerError
from explorer.core.model import Model
from explorer.core.vocabulary import MOST_TOKENS
from explorer.document.commands import AddWords, PinCells, SendWords, SetArray, SetCells, SetSwitch, SetTokens, WriteOn
from explorer.document.continuation import decoder_of, ends_of, output_words, sequence_of
from explorer.document.document import Document
from explorer.document.state import State
from explorer.lessons.loader import load


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


GREEDY = Decoding(greedy=True)


@pytest.fixture
def document():
    return Document(load("tiny-gpt").state())


def words(document):
    return document.engine.labels("input")


def test_a_run_stops_behind_the_sentence_and_is_one_step_to_undo(document):
    document.do(WriteOn(5, 20, GREEDY))
    assert words(document) == ("the", "cat", "sat", "on", "the", "mat")
    document.undo()
    assert words(document) == ("the", "cat", "sat", "on", "the")


def test_where_the_sentence_is_complete_that_is_said(document):
    document.do(WriteOn(5, 20, GREEDY))
    with pytest.raises(ExplorerError) as caught:
        document.do(WriteOn(6, 1, GREEDY))
    assert caught.value.id == "text-ends"
    assert words(document)[-1] == "mat"


def test_behind_the_longest_text_nothing_can_be_written(document):
    document.do(SetTokens("input", ["the"] * MOST_TOKENS))
    with pytest.raises(ExplorerError) as caught:
        document.do(WriteOn(MOST_TOKENS, 1, GREEDY))
    assert caught.value.id == "too-many-tokens"


@pytest.mark.parametrize("pinned", [False, True])
def test_behind_the_last_position_of_a_model_that_others_trained_nothing_is_written(pinned):
    """A position more would be one that nobody has trained."""
    switches = {"input.positions": "own", "input.room": 6, "input.first": 1}
    model = Model("gpt", {"input": 3}, {"input.words": ("a", "b", "c")}, switches=switches)
    document = Document(State.of(model, {"input.tokens": np.array([0, 1, 2])}))
    if pinned:
        document.do(PinCells("input.X", {(0, 0): 0.5}))
    document.do(WriteOn(3, 20, GREEDY))
    assert len(words(document)) == 5
    assert document.state.inputs["input.places"].shape[0] == 6
    with pytest.raises(ExplorerError) as caught:
        document.do(WriteOn(5, 1, GREEDY))
    assert caught.value.id == "no-positions"


@pytest.mark.parametrize("initialiser", ["xavier", "zeros"])
@pytest.mark.parametrize("kind", ["learned", "table", "own"])
def test_behind_the_last_learned_position_nothing_is_written(kind, initialiser):
    """A text may be written as long as no position has been learned; then a further one would be random."""
    switches = {"input.positions": kind}
    words_known = {"input.words": ("a", "b", "c")}
    model = Model("gpt", {"input": 1}, words_known, switches=switches, initialiser=initialiser)
    document = Document(State.of(model, {}))
    document.do(SetCells("output.b", {(0,): 100.0}))
    document.do(WriteOn(1, 3, GREEDY))
    assert len(words(document)) == 4
    table = "input.places" if kind == "own" else "input.PE"
    document.do(SetArray(table, document.state.inputs[table] + 0.5))
    document.do(SetTokens("input", ["a", "b"]))
    document.do(WriteOn(2, 20, GREEDY))
    assert len(words(document)) == 4
    with pytest.raises(ExplorerError) as caught:
        document.do(WriteOn(4, 1, GREEDY))
    assert caught.value.id == "no-positions"
    document.do(SetTokens("input", ["a"] * 6))  # typed words get random rows, but the model writes none behind them
    with pytest.raises(ExplorerError) as caught:
        document.do(WriteOn(6, 1, GREEDY))
    assert (caught.value.id, caught.value.fields["limit"]) == ("no-positions", 4)
    assert decoder_of(document.state, 6, 3).room == 6  # a search tells the next word there
    document.do(WriteOn(3, 20, GREEDY))
    assert len(words(document)) == 4


def test_a_model_that_others_trained_stops_at_the_end_mark_of_its_tokenizer():
    document = Document(load("inside-a-storyteller").state())
    (end,) = ends_of(document.state)
    assert output_words(document.state)[end] == "</s>"
    last = len(words(document)) - 1
    document.do(PinCells("output.logits", {(last, end): 100.0}))
    with pytest.raises(ExplorerError, check=lambda error: error.fields["end"] == "</s>"):
        document.do(WriteOn(last + 1, 3, GREEDY))


def test_the_models_own_temperature_is_used(document):
    document.do(SetCells("output.temperature", {(): 100.0}))
    said = set()
    for seed in range(8):
        document.do(WriteOn(5, 1, Decoding(seed=seed)))
        said.add(words(document)[5])
        document.undo()
    assert len(said) > 5  # all words are about equally likely then


@pytest.mark.parametrize("node", ["output.logits", "output.scaled", "output.probabilities"])
def test_pins_are_held_while_writing(document, node):
    """A word that is held at the top is the one that is said."""
    rug = document.engine.labels("output.words").index("rug")
    document.do(PinCells(node, {(4, rug): 100.0}))
    document.do(WriteOn(5, 1, GREEDY))
    assert words(document)[5] == "rug"
    assert np.isfinite(document.engine.values["output.logits"]).all()


def test_pins_of_words_that_give_way_go_with_them(document):
    """A run held them at the new words, and yet did not write by them; word by word they were gone."""
    document.do(PinCells("output.logits", {(2, document.engine.labels("output.words").index("rug")): 100.0}))
    document.do(WriteOn(1, 3, GREEDY))
    assert words(document) == ("the", "cat", "sat", "on")
    assert not document.state.pins


def test_words_that_were_added_can_be_said_while_pins_are_held():
    """The right words follow the shorter sentence, so the model gets a word to say that it had none for."""
    document = Document(load("you-are-welcome").state("printed"))
    assert document.state.pins
    document.do(AddWords({"target.words": ["c"]}))
    assert "c" not in document.engine.labels("output.words")
    document.do(SetCells("output.temperature", {(): 5.0}))
    document.do(WriteOn(1, 1, Decoding(seed=4)))
    assert document.engine.labels("target") == ("<start>", "c")


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-translator", "tiny-reader"])
def test_a_decoder_that_masks_padding_alone_writes_on(name):
    """What a word sees changes with each word behind it, so the whole graph is made for each anew."""
    document = Document(load(name).state())
    sequence = sequence_of(document.state)
    begun = document.engine.labels(sequence)[:1]
    for block in ("decoder.1.self", "decoder.2.self"):
        document.do(SetSwitch(block, "mask", "padding"))
    document.do(WriteOn(len(begun), 3, GREEDY))
    written = document.engine.labels(sequence)[len(begun) :]
    for i, word in enumerate(written):
        document.do(SetTokens(sequence, (*begun, *written[:i])))
        assert output_words(document.state)[int(document.engine.values["output.logits"][-1].argmax())] == word


@st.composite
def writers(draw):
    """A small GPT that may say other words than it reads, or the same in another order."""
    known = draw(st.lists(st.sampled_from("abcde"), min_size=1, max_size=4, unique=True))
    said = draw(st.lists(st.sampled_from([*"abcde", "<end>"]), min_size=1, max_size=5, unique=True))
    switches = {"input.lookup": draw(st.sampled_from(("one-hot", "index"))), "loss.loss": "none"}
    axes = {"input.words": tuple(known), "output.words": tuple(said)}
    model = Model("gpt", {"input": 1}, axes, 4, 1, switches, draw(st.integers(0, 99)))
    return Document(SetTokens("input", known[:1]).apply(State.of(model, {})))


def follows(document, text):
    """The word that the model says behind a text, read as a whole."""
    document.do(SetTokens("input", text))
    return output_words(document.state)[int(document.engine.values["output.probabilities"][-1].argmax())]


@settings(max_examples=60)
@given(document=writers(), pinned=st.booleans(), n=st.integers(1, 5))
def test_writing_on_agrees_with_reading_the_grown_text_each_time(document, pinned, n):
    if pinned:
        document.do(PinCells("output.scaled", {(0, 0): 0.25}))
    text, reads, refused = list(words(document)), document.state.graph.axes["input.words"], ""
    before = document.state
    try:
        document.do(WriteOn(1, n, GREEDY))
    except ExplorerError as error:
        refused = error.id
    written = words(document)[1:]
    again = Document(before)
    for word in written:
        assert follows(again, text) == word
        text.append(word)
    if len(written) < n:
        last = follows(again, text)
        assert last == "<end>" or last not in reads
        if not written:
            assert refused == ("text-ends" if last == "<end>" else "not-read")


def test_a_model_that_writes_nothing():
    document = Document(load("emma").state())
    with pytest.raises(ExplorerError) as caught:
        document.do(WriteOn(1))
    assert caught.value.id == "writes-nothing"
