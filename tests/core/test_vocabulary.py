from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.training.data import vocabulary
from explorer.core.vocabulary import (
    BYTES,
    LONGEST,
    Merge,
    Vocabulary,
    are_pieces,
    encode,
    label,
    labels,
    learn,
    merged,
    merges_of,
    piece_numbers,
    piece_of,
    pieces_of,
    steps,
    text_of,
    token_ids,
    tokens_of,
    typed,
    unit,
    with_words,
    words,
)


@given(st.lists(st.sampled_from("abcdefgh")), st.integers(2, 9))
def test_a_vocabulary_numbers_every_word_of_its_text(words, most):
    known = vocabulary(words, most)
    assert len(known) == len(set(known)) <= most
    for word, number in zip(words, token_ids(words, known), strict=True):
        assert known[number] == (word if word in known else "<unk>")


def test_an_unknown_word():
    with refuses("'mat' is not in the vocabulary"):
        token_ids(["cat", "mat"], ("cat",))


class Letters:
    """A blank and the letters a to c; a text has a blank before it, and <s> stands before that."""

    source = "letters"

    def encode(self, text, marks=True):
        return [*([0] if marks else []), *(" abc".index(c) + 1 for c in f" {text}")]

    def decode(self, ids):
        return "".join("#\0"[i == 0] if i > 4 else " abc"[i - 1] for i in ids if i)[1:]


KNOWN = Vocabulary(("<s>", "␣", "a", "b", "c", "␣a"), Letters())


def test_a_whole_text_has_its_marks_and_a_part_has_none():
    assert tokens_of("ab", KNOWN) == ["<s>", "␣", "a", "b"]
    assert tokens_of("ab", KNOWN, whole=False) == ["␣", "a", "b"]


def test_the_blank_that_the_tokenizer_puts_there_is_not_put_twice():
    assert tokens_of("␣ab", KNOWN, whole=False) == ["␣", "a", "b"]


def test_a_blank_that_the_tokenizer_adds_only_where_there_is_none_stays():
    class AtMostOne(Letters):
        def encode(self, text, marks=True):
            return super().encode(text.removeprefix(" "), marks)

    assert tokens_of("␣␣b", Vocabulary(KNOWN, AtMostOne()), whole=False) == ["␣", "␣", "b"]


def test_the_pieces_of_a_model_may_be_fewer_than_those_of_its_tokenizer():
    assert tokens_of("␣ab", Vocabulary(("<s>",), Letters()), whole=False) == []


def test_a_piece_that_is_typed_as_it_is_shown_is_that_piece():
    assert tokens_of("␣a", KNOWN, whole=False) == ["␣a"]
    assert tokens_of("b", KNOWN, whole=False) == ["b"]


def test_what_was_taken_apart_is_typed_as_it_was():
    assert typed(tokens_of("ab c", KNOWN), KNOWN) == "ab c"
    assert are_pieces(KNOWN)
    assert unit(KNOWN) == "piece"


def test_a_word_more_leaves_the_tokenizer_where_it_is():
    longer = with_words(KNOWN, ["<end>"])
    assert isinstance(longer, Vocabulary)
    assert longer == (*KNOWN, "<end>")
    assert with_words(KNOWN, ["a"]) is KNOWN


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
    assert set(pieces) <= piece_numbers(merges).keys()


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
    ids = piece_numbers(merges)
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
