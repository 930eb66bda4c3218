"""How pieces are chosen: what holds for all texts, against trying all ways."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.checkpoints.tokenizers.fields import Fields
from explorer.checkpoints.tokenizers.models import BytePairs, Unigram, WordPieces, piece_model
from explorer.core.errors import ExplorerError
from tests.samples import each

LETTERS = st.text("abc", max_size=10)
PIECES = [*"abc", "ab", "bc", "abc", "ca", "cab", "aa", "bb"]
KNOWN = {piece: i for i, piece in enumerate(PIECES)}
PAIRS = [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "bc"), ("c", "a"), ("ca", "b"), ("c", "ab"), ("a", "a"), ("b", "b")]


@given(LETTERS, st.permutations(PAIRS))
@settings(max_examples=60, deadline=None)
def test_merges_are_done_in_their_order_from_the_left(text, merges):
    ids = {(KNOWN[a], KNOWN[b]): (rank, KNOWN[a + b]) for rank, (a, b) in enumerate(merges)}
    model = BytePairs(KNOWN, ids)
    assert model.ids(text) == model.steps(text)[-1]
    assert "".join(PIECES[i] for i in model.ids(text)) == text


@given(st.text("abcd", min_size=1, max_size=9), st.lists(st.integers(-40, 0), min_size=10, max_size=10))
@settings(max_examples=60, deadline=None)
def test_no_way_to_take_a_text_apart_is_likelier_than_the_one_chosen(text, numbers):
    scores = dict(zip(PIECES, map(float, numbers), strict=True))
    model = Unigram(KNOWN, scores, None)
    unknown = min(scores.values()) - 10

    def best(rest):
        if not rest:
            return 0.0
        ways = [scores[rest[:n]] + best(rest[n:]) for n in range(1, len(rest) + 1) if rest[:n] in scores]
        return max([*ways, *([unknown + best(rest[1:])] if rest[0] not in scores else [])])

    found = model.best(text)
    assert "".join(piece for piece, _ in found) == text
    singly = [c for piece, _ in found if piece not in scores for c in piece]
    assert sum(scores[piece] for piece, _ in found if piece in scores) + unknown * len(singly) == best(text)


def test_word_pieces_are_the_longest_from_the_left_or_all_is_unknown():
    model = WordPieces({"[UNK]": 0, "un": 1, "##a": 2, "##able": 3, "una": 4, "##ble": 5}, 0)
    assert model.ids("unable") == [4, 5]
    assert model.ids("unx") == [0]
    assert model.ids("a" * 101) == [0]


def test_a_letter_that_is_not_known_becomes_bytes_or_unknown():
    known = {"a": 0, "<unk>": 1, "<0xC3>": 2, "<0xA9>": 3}
    assert BytePairs(known, {}, 1, bytes_instead=True).ids("aé") == [0, 2, 3]
    assert BytePairs(known, {}, 1, bytes_instead=True).ids("aß") == [0, 1]
    assert BytePairs(known, {}, 1, fuses_unknown=True).ids("ßßa") == [1, 0]
    assert BytePairs(known, {}, 1).ids("ßßa") == [1, 1, 0]
    assert BytePairs(known, {}).ids("ßa") == [0]


@each(
    "said",
    [
        {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]},
        {"type": "BPE", "vocab": {"a": 0}, "merges": [["a"]]},
        {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"] * 10_000},
        {"type": "BPE", "vocab": {"a": -1}, "merges": []},
        {"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.1},
        {"type": "BPE", "vocab": ["a"], "merges": []},
        {"type": "Unigram", "vocab": [["a", "b"]]},
        {"type": "Unigram", "vocab": [["a", 1]], "unk_id": 5},
        {"type": "Unigram", "vocab": [["a", 10**400]]},
        {"type": "WordPiece", "vocab": {"a": 0}},
        {"type": "Other"},
    ],
    ids=json.dumps,
)
def test_what_is_no_model_is_refused(said):
    with pytest.raises(ExplorerError) as error:
        piece_model(Fields(said))
    assert error.value.id == "tokenizer"
