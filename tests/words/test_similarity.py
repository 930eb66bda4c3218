"""Vectors that are evaluated beside the window can be searched meanwhile."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from explorer.words import catalogue, similarity
from explorer.words.similarity import analogy
from explorer.words.vectors import Vectors


def test_the_three_printed_cosines_come_out_to_the_printed_digits():
    vectors, reference = catalogue.load("reference"), catalogue.printed_words()
    assert list(vectors.words) == ["screen", "rock", "remote"]
    assert vectors.dims == 25
    for one in reference.cosines:
        wanted = np.float32(one.value)
        found = similarity.cosine(vectors, *one.words).cosine
        # Another machine may add in another order: one unit of float32.
        assert abs(found - wanted) <= np.spacing(wanted)
        assert one.words[0] in vectors
    assert [one.value for one in reference.cosines] == ["0.5682209", "0.4561119", "0.86155677"]


def test_the_ten_printed_neighbours_come_out_of_the_real_table(sample):
    reference = catalogue.printed_words()
    found = similarity.nearest(sample, reference.word)
    assert [one.word for one in found] == [word for word, _ in reference.neighbours]
    for one, (_, value) in zip(found, reference.neighbours, strict=True):
        assert one.cosine == pytest.approx(float(value), abs=2e-7, rel=0)


def test_a_cosine_is_its_arithmetic(table):
    one = similarity.cosine(table, "w1", "W2")
    a, b = table["w1"], table["w2"]
    assert one.words == ("w1", "w2")
    assert one.products.tolist() == (a * b).tolist()
    assert one.dot == pytest.approx(one.products.sum(), rel=1e-5)
    assert one.cosine == one.dot / (one.norms[0] * one.norms[1])
    assert one.cosine == pytest.approx(table.keyed.similarity("w1", "w2"), abs=1e-6)
    assert np.cos(np.radians(one.angle)) == pytest.approx(one.cosine, abs=1e-6)
    assert one.scaled == pytest.approx(one.dot / np.sqrt(6))
    assert one.agree.tolist() == (np.sign(a) == np.sign(b)).tolist()
    itself = similarity.cosine(table, "w1", "w1")
    assert itself.angle == pytest.approx(0, abs=0.05)
    assert replace(itself, cosine=np.nextafter(np.float32(1), np.float32(2))).angle == 0  # rounding can make it so


def test_a_vector_of_zeros_has_no_cosine_and_no_neighbours(table):
    with refuses("'nothing' is all zeros"):
        similarity.cosine(table, "w1", "nothing")
    with refuses("'nothing' is all zeros"):
        similarity.nearest(table, "nothing")


def test_nearest_words_of_a_word_and_of_a_vector(table):
    found = similarity.nearest(table, "w5", 3)
    cosines = similarity.matrix(table.array)[5]
    wanted = [i for i in np.argsort(-cosines, kind="stable") if i != 5][:3]
    assert [one.word for one in found] == [table.words[i] for i in wanted]
    assert [one.cosine for one in found] == pytest.approx([cosines[i] for i in wanted], abs=1e-6)
    assert similarity.nearest(table, table["w5"], 1)[0].word == "w5"


@given(seed=st.integers(0, 999), size=st.integers(1, 5000), n=st.integers(1, 30))
@settings(max_examples=40, deadline=None)
def test_nearest_words_are_those_of_the_largest_of_all_cosines(seed, size, n):
    array = np.random.default_rng(seed).integers(-2, 3, (size, 3)).astype(np.float32)  # many are alike
    vectors = Vectors.of("made up", [f"w{i}" for i in range(size)], array)
    likeness = vectors.keyed.most_similar(positive=[np.ones(3, np.float32)], topn=None)
    order = np.argsort(-likeness, kind="stable")[:n].tolist()
    assert similarity.nearest(vectors, np.ones(3, np.float32), n) == [(f"w{i}", likeness[i]) for i in order]


def test_an_analogy_is_a_sum_of_unit_vectors(table):
    found = similarity.analogy(table, "w1", "w2", "W3", 4)
    unit = [table[word] / np.linalg.norm(table[word]) for word in ("w1", "w2", "w3")]
    target = unit[0] - unit[1] + unit[2]
    assert found.words == ("w1", "w2", "w3")
    assert found.target == pytest.approx(target / np.linalg.norm(target), abs=1e-6)
    assert len(found.neighbours) == 4
    assert not {one.word for one in found.neighbours} & set(found.words)
    first = found.neighbours[0]
    assert first.cosine == pytest.approx(found.target @ table[first.word] / table.norm(first.word), abs=1e-6)


def test_the_odd_one_out(sample):
    words = ["breakfast", "lunch", "stone", "dinner"]
    assert similarity.centrality(sample, words)[-1].word == "stone"
    assert {one.word for one in similarity.centrality(sample, words)} == set(words)
    with refuses("3 or more different words, not 2"):
        similarity.centrality(sample, ["stone", "Stone", "lunch"])


def test_the_similarity_matrix_and_its_order(table):
    cosines = similarity.matrix(table.array)
    assert cosines.shape == (45, 45)
    assert np.diag(np.delete(np.delete(cosines, 40, 0), 40, 1)) == pytest.approx(1, abs=1e-6)
    assert not cosines[40].any()
    order = similarity.by_likeness(cosines)
    assert sorted(order) == list(range(45))
    assert similarity.by_likeness(cosines[:2, :2]) == [0, 1]
    pairs = similarity.matrix(table.array[:3], table.array[3:5])
    assert pairs == pytest.approx(cosines[:3, 3:5], abs=1e-6)


def test_like_words_are_put_side_by_side():
    far, near = np.eye(3), np.array([[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]])
    rows = np.concatenate((far, far + near[[1, 2, 0]])).astype(np.float32)
    order = similarity.by_likeness(similarity.matrix(rows))
    assert all(abs(order.index(i) - order.index(i + 3)) == 1 for i in range(3))


def test_a_sentence_is_the_mean_of_its_words_in_any_order(sample):
    one = similarity.sentence(sample, "The dog saw the man, qwzzx!")
    assert one.words == ("the", "dog", "saw", "the", "man")
    assert one.unknown == ("qwzzx",)
    assert one.vector == pytest.approx(np.mean([sample[word] for word in one.words], axis=0), abs=1e-6)
    # The weakness of this method: it cannot tell who saw whom.
    other = similarity.sentence(sample, "the man saw the dog")
    assert similarity.cosine_of((one.vector, other.vector), ("a", "b")).cosine == pytest.approx(1, abs=1e-6)
    with refuses("None of the words"):
        similarity.sentence(sample, "qwzzx 123")


def test_a_sentence_finds_words_that_a_table_has_in_capitals():
    """Of a model's own table, "I" and "AI" were said to have no vector."""
    own = Vectors.of("own", ["I", "love", "AI", "dog"], np.eye(4, dtype=np.float32))
    one = similarity.sentence(own, "I love AI, Dog's")
    assert (one.words, one.unknown) == (("I", "love", "AI", "dog"), ())


def test_a_table_of_some_words(table):
    assert similarity.table(table, ["w3", "W1"]).tolist() == [table.array[3].tolist(), table.array[1].tolist()]
    with refuses("'w99'"):
        similarity.table(table, ["w99"])


def test_a_search_while_an_evaluation_runs():
    words = ["cat", "dog", "mat", "king"]
    vectors = Vectors.of("four", words, np.eye(4) + 0.1)
    before = analogy(vectors, "king", "cat", "dog")
    places, met = vectors.keyed.key_to_index, []

    def look(progress):
        assert vectors.keyed.key_to_index is places  # gensim puts a smaller one in its place meanwhile
        met.append(analogy(vectors, "king", "cat", "dog").neighbours)

    similarity.analogies(vectors, look)
    own = similarity._own(vectors)
    own.key_to_index = {}
    assert analogy(vectors, "king", "cat", "dog").neighbours == before.neighbours
    assert set(met) <= {before.neighbours}
