"""The page of byte-pair encoding."""

import pytest

from explorer.core.byte_pairs import encode, label, learn
from explorer.document.commands import SetTokens
from explorer.pages.pieces import MERGES, TAUGHT, TEXT, WORD
from explorer.pages.stops import PIECES


@pytest.fixture
def low(desk):
    """A sentence that teaches something, learned from itself."""
    of = desk("tiny-gpt")
    of.do(SetTokens("input", ["low", "low", "lower", "newest", "newest", "widest"]))
    of.choose(TAUGHT, 0)
    return of


def test_the_pieces_are_those_of_the_merges(low):
    low.choose(MERGES, 4)
    page = low.page(PIECES.name)
    sentence = "low low lower newest newest widest"
    merges = learn(sentence, 4)
    pieces, ids, _ = page.texts("pieces")
    assert pieces == [label(piece) for piece in encode(sentence, merges)]
    assert [row[2] for row in page.texts("merge list")] == [label(merge.piece) for merge in merges]
    assert all(int(number) < 256 + 4 for number in ids)


def test_without_merges_there_are_bytes(low):
    low.choose(MERGES, 0)
    page = low.page(PIECES.name)
    sentence = "low low lower newest newest widest"
    assert len(page.texts("pieces")[0]) == len(sentence)
    assert page.texts("merge list") == []


def test_a_word_is_followed_from_bytes_to_pieces(low):
    low.choose(WORD, 2)
    rows = low.page(PIECES.name).texts("steps")
    assert rows[0][:2] == ["bytes", "␣ · l · o · w · e · r"]
    assert [int(row[2]) for row in rows] == sorted((int(row[2]) for row in rows), reverse=True)


def test_a_grammar_teaches_more_than_a_sentence(desk):
    of = desk("tiny-gpt")
    from_grammar = of.page(PIECES.name).the("merge list").lines
    of.choose(TAUGHT, 0)
    assert len(of.page(PIECES.name).the("merge list").lines) < len(from_grammar)


def test_a_model_that_reads_pieces_shows_its_own(desk):
    of = desk("tiny-reader")
    page = of.page(PIECES.name)
    pieces, ids, _ = page.texts("pieces")
    assert tuple(pieces) == of.view.labels("input")
    assert [int(i) for i in ids] == of.value("input.tokens").tolist()
    assert len(page.the("merge list").lines) == 512


def test_merges_are_learned_from_a_text_that_somebody_types(desk):
    of = desk("tiny-reader")
    own = len(of.page(PIECES.name).the("taught").options) - 1
    of.choose(TAUGHT, own)
    of.choose(TEXT, "low low lower newest newest widest")
    page = of.page(PIECES.name)
    assert page.the("own text").value == "low low lower newest newest widest"
    merges = learn("low low lower newest newest widest", 60)
    assert [row[2] for row in page.texts("merge list")] == [label(merge.piece) for merge in merges]
