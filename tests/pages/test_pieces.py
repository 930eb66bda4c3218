"""The page of byte-pair encoding."""

import pytest

from explorer.core.byte_pairs import encode, learn
from explorer.document.commands import SetTokens
from explorer.pages.pieces import MERGES, PIECES, TAUGHT, WORD, shown


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
    assert pieces == [shown(piece) for piece in encode(sentence, merges)]
    assert [row[2] for row in page.texts("merge list")] == [shown(merge.piece) for merge in merges]
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


def test_a_part_of_a_letter_is_shown_as_its_bytes():
    assert shown("é".encode()) == "é"
    assert shown("é".encode()[:1]) == "c3"
    assert shown(b" the") == "␣the"
