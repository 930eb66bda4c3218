import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from explorer.words.vectors import Vectors, Words, lengths
from tests.samples import each

WORD = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1, max_size=6)


def words(*spelt):
    return Words.of(word.encode() for word in spelt)


@given(st.lists(WORD, max_size=30))
def test_words_are_a_sequence_like_a_list(spelt):
    found = words(*spelt)
    assert list(found) == spelt
    assert [found[i] for i in range(len(found))] == spelt
    for part in (slice(None), slice(2, 5), slice(-3, None), slice(None, None, -2), slice(9, 3)):
        assert found[part] == spelt[part]
    assert [found.find(word) for word in spelt] == [spelt.index(word) for word in spelt]
    assert found.find("not\nthere") == -1
    with pytest.raises(IndexError):
        found[len(spelt)]


@given(st.lists(WORD, max_size=30), st.text(max_size=2))
def test_beginnings_are_found_in_order(spelt, start):
    assert words(*spelt).starting(start, 4) == ([] if "\n" in start else [w for w in spelt if w.startswith(start)][:4])


def test_two_words_with_the_same_check_sum_are_told_apart():
    found = words("plumless", "buckeroo")  # the classic pair of CRC-32
    assert found.hashes[0] == found.hashes[1]
    assert [found.find("plumless"), found.find("buckeroo"), found.find("other")] == [0, 1, -1]


def test_a_word_is_also_found_in_lower_case(table):
    assert table.rank("W7") == table.rank("w7") == 7
    assert table.spelt("NAÏVE") == "naïve"
    assert table["w7"].tolist() == table.array[7].tolist()
    assert table.norm("w7") == pytest.approx(np.linalg.norm(table.array[7]))
    assert "w7" in table
    assert "W7" not in table


def test_an_unknown_word_is_named_with_what_was_meant():
    vectors = Vectors.of("x", ["the", "screen", "remote"], np.eye(3))
    with refuses(r"'scren' is not among the words of the vectors 'x' \(did you mean 'screen'\?\)"):
        vectors.rank("scren")
    with refuses("'qqqqqq' is not among the words of the vectors 'x'\\."):
        vectors.rank("qqqqqq")
    with refuses("'scren' and 'qqqqqq' are not among the words of the vectors 'x'\\."):
        vectors.all_spelt(["scren", "The", "qqqqqq", "scren"])
    assert vectors.all_spelt(["The", "remote"]) == ["the", "remote"]


@each(
    ("typed", "meant"),
    [
        ("screne", ["screen"]),
        ("REMOTTE", ["remote"]),
        ("teh", ["the"]),
        ("tha", ["the"]),
        ("s", ["is", "o"]),
        ("zo", ["o"]),
        ("😀", []),
        ("7", []),
    ],
)
def test_slips_of_one_letter(typed, meant):
    assert Vectors.of("x", ["the", "screen", "remote", "is", "o"], np.eye(5)).suggest(typed) == meant


def test_completion_goes_by_rank_and_ignores_capitals():
    vectors = Vectors.of("x", ["the", "remote", "rest", "read"], np.eye(4))
    assert vectors.complete("re", 2) == ["remote", "rest"]
    assert vectors.complete("RE") == ["remote", "rest", "read"]
    assert vectors.complete("", 2) == ["the", "remote"]
    assert vectors.complete("\n") == []


def test_gensim_shares_the_arrays(table):
    keyed = table.keyed
    assert keyed.vectors is table.array
    assert len(keyed) == len(table)
    assert "w3" in keyed
    assert "W3" not in keyed
    assert keyed.get_index("日本") == 42
    assert dict(keyed.key_to_index) == {word: i for i, word in enumerate(table.words)}


def test_a_vector_of_zeros_has_cosine_nought_with_all(table):
    found = dict(table.keyed.most_similar("w0", topn=100))
    assert found["nothing"] == 0
    assert np.isfinite(list(found.values())).all()


def test_lengths():
    array = np.random.default_rng(0).standard_normal((100_000, 3)).astype(np.float32)
    assert lengths(array).tobytes() == np.linalg.norm(array, axis=1).tobytes()
