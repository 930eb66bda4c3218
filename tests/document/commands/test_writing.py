"""Writing on: what a document's model says becomes what it reads."""

import numpy as np
import pytest

from explorer.core.errors import ExplorerError
from explorer.core.generation import Choice
from explorer.document.commands import PinCells, SetCells, WriteOn
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


def test_a_model_that_writes_nothing():
    document = Document(load("emma").state())
    with pytest.raises(ExplorerError) as caught:
        document.do(WriteOn(1))
    assert caught.value.id == "writes-nothing"
