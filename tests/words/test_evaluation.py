"""Vectors that are evaluated beside the window can be searched meanwhile."""

import numpy as np

from explorer.words import evaluation
from explorer.words.similarity import analogy
from explorer.words.vectors import Vectors


def test_a_search_while_an_evaluation_runs():
    words = ["cat", "dog", "mat", "king"]
    vectors = Vectors.of("four", words, np.eye(4) + 0.1)
    before = analogy(vectors, "king", "cat", "dog")
    places, met = vectors.keyed.key_to_index, []

    def look(progress):
        assert vectors.keyed.key_to_index is places  # gensim puts a smaller one in its place meanwhile
        met.append(analogy(vectors, "king", "cat", "dog").neighbours)

    evaluation.analogies(vectors, look)
    own = evaluation._own(vectors)
    own.key_to_index = {}
    assert analogy(vectors, "king", "cat", "dog").neighbours == before.neighbours
    assert set(met) <= {before.neighbours}
