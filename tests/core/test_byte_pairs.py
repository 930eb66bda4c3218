"""Byte-pair encoding, against the example of its paper and against the plainest way to write it."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorer.core.byte_pairs import (
    BYTES,
    LONGEST,
    Merge,
    are_pieces,
    encode,
    label,
    labels,
    learn,
    merged,
    merges_of,
    piece_of,
    pieces_of,
    steps,
    text_of,
    vocabulary,
    words,
)

# Sennrich et al. 2016, figure 1 learns from these four words, with a sign for their ends that we do not have.
SENNRICH = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3)


def test_the_pairs_of_the_paper_come_first():
    first = learn(SENNRICH, 2)
    assert [(merge.left, merge.right, merge.count) for merge in first] == [(b"e", b"s", 9), (b"es", b"t", 9)]


@given(st.text(alphabet="abc d", max_size=60), st.integers(0, 12))
def test_each_merge_is_the_most_frequent_pair(text, n):
    pieces, made = [tuple(bytes([b]) for b in word) for word in words(text)], set()
    for merge in learn(text, n):
        counts = Counter(pair for word in pieces for pair in pairwise(word) if b"".join(pair) not in made)
        made.add(merge.piece)
        assert counts[merge.left, merge.right] == merge.count == max(counts.values())
        pieces = [merged(word, merge.left, merge.right) for word in pieces]


@given(st.text(max_size=80), st.text(max_size=80), st.integers(0, 20))
def test_nothing_is_lost_and_nothing_unknown(taught, text, n):
    merges = learn(taught, n)
    pieces = encode(text, merges)
    assert b"".join(pieces).decode() == text
    assert set(pieces) <= vocabulary(merges).keys()


def test_a_frequent_word_becomes_one_piece_and_a_new_one_falls_apart():
    merges = learn("the cat and the dog and the bird and the duck " * 3, 40)
    assert b" the" in encode("in the end", merges)
    assert len(encode("xyz", merges)) == 3


def test_the_steps_of_a_word_are_merges_in_order():
    merges = learn(SENNRICH, 20)
    found = steps(b" lowest", merges)
    assert found[0] == (-1, tuple(b" lowest"[i : i + 1] for i in range(7)))
    numbers = [number for number, _ in found]
    assert numbers == sorted(numbers)
    assert found[-1][1] == tuple(encode(" lowest", merges))


def test_merges_stay_within_words():
    for merge in learn("a b a b a b", 9):
        assert b" " not in merge.piece[1:]


@pytest.mark.parametrize("sign", ["=", "😂", "\u200b"])
def test_a_long_line_of_signs_makes_no_piece_that_is_too_long_for_a_file(sign):
    text = f"{sign * 300}\n" * 3
    merges = learn(text, 40)
    assert max(map(len, labels(merges))) <= LONGEST
    assert text_of(pieces_of(text, labels(merges))) == text


def test_a_pair_that_stands_once_is_not_merged():
    assert learn("abc", 5) == []
    assert learn("", 5) == []


@pytest.mark.parametrize("n", [0, 3])
def test_ids_are_bytes_and_then_merges(n):
    merges = learn(SENNRICH, n)
    ids = vocabulary(merges)
    assert ids[b"a"] == 97
    assert [ids[merge.piece] for merge in merges] == list(range(256, 256 + len(merges)))


@given(st.text(alphabet="abca d", max_size=80), st.text(max_size=40), st.integers(0, 20))
def test_the_pieces_of_a_model_tell_its_merges(taught, text, n):
    merges = learn(taught, n)
    known = (*labels(merges), "<end>")
    assert merges_of(known) == tuple(Merge(one.left, one.right) for one in merges)
    assert text_of(pieces_of(text, known)) == text
    assert are_pieces(known)
    assert not are_pieces(known[1:])


@example("␣".encode())
@given(st.binary(min_size=1, max_size=6))
def test_a_label_can_be_seen_and_says_which_piece_it_is(piece):
    assert piece_of(label(piece)) == piece
    assert label(piece).isprintable()
    assert " " not in label(piece)


def test_no_two_bytes_have_one_label():
    assert len(set(map(label, BYTES))) == 256
