"""Writing on: what a document's model says becomes what it reads."""

import numpy as np
import pytest

from explorer.core.errors import ExplorerError
from explorer.core.generation import Choice
from explorer.document.commands import AddWords, PinCells, SetCells, SetSwitch, SetTokens, WriteOn
from explorer.document.continuation import output_words, sequence_of
from explorer.document.document import Document
from explorer.lessons.loader import load

GREEDY = Choice(greedy=True)


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


def test_the_models_own_temperature_is_used(document):
    document.do(SetCells("output.temperature", {(): 100.0}))
    said = set()
    for seed in range(8):
        document.do(WriteOn(5, 1, Choice(seed=seed)))
        said.add(words(document)[5])
        document.undo()
    assert len(said) > 5  # all words are about equally likely then


def test_pins_are_held_while_writing(document):
    """A word that is held at the top is the one that is said."""
    rug = document.engine.labels("output.words").index("rug")
    document.do(PinCells("output.logits", {(4, rug): 100.0}))
    document.do(WriteOn(5, 1, GREEDY))
    assert words(document)[5] == "rug"
    assert np.isfinite(document.engine.values["output.logits"]).all()


def test_words_that_were_added_can_be_said_while_pins_are_held():
    """The right words follow the shorter sentence, so the model gets a word to say that it had none for."""
    document = Document(load("you-are-welcome").state("printed"))
    assert document.state.pins
    document.do(AddWords({"target.words": ["c"]}))
    assert "c" not in document.engine.labels("output.words")
    document.do(SetCells("output.temperature", {(): 5.0}))
    document.do(WriteOn(1, 1, Choice(seed=4)))
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


def test_a_model_that_writes_nothing():
    document = Document(load("emma").state())
    with pytest.raises(ExplorerError) as caught:
        document.do(WriteOn(1))
    assert caught.value.id == "writes-nothing"
