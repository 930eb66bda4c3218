"""What heads do, on synthetic heads that do exactly one thing each."""

import numpy as np
import pytest

from explorer.training.head_gallery import MEASURES, Looked, label, score

SENTENCES = [
    (
        [
            "Emma",
            "Stone",
            "met",
            "Tom",
            "Hill",
            "and",
            "later",
            "Emma",
            "Stone",
            "was",
            "sad",
            "because",
            "she",
            "lost",
            "her",
            "hat",
        ],
        [(12, 7), (14, 7)],
    ),
    (["I", "like", "Marcus", "because", "he", "sings", "and", "I", "like", "how", "he", "sings"], [(4, 2), (10, 2)]),
    (["yesterday", "Jane", "saw", "a", "cat", "and", "a", "cat", "saw", "her"], [(9, 1)]),
    (["the", "dog", "and", "the", "cat", "sat", "on", "the", "mat"], []),
]


def row_of(n, i, columns):
    """A row that looks at some columns alike; at itself where there are none."""
    row = np.zeros(n)
    row[columns or [i]] = 1 / len(columns or [i])
    return row


def synthetic(name):
    """Heads that do one thing wherever they can, and else look at the word itself."""
    found = []
    for words, referents in SENTENCES:
        cells = MEASURES[name][1](words, referents)
        n = len(words)
        weights = np.array([row_of(n, i, np.flatnonzero(cells[i]).tolist()) for i in range(n)])
        found.append(Looked(words, referents, weights[None]))
    return found


@pytest.mark.parametrize("name", MEASURES)
def test_a_head_that_does_one_thing_is_called_that_and_nothing_else(name):
    looked = synthetic(name)
    scores = {one: score(one, looked)[0] for one in MEASURES}
    assert scores[name].share == pytest.approx(1)
    assert scores[name].rows > 0
    assert label(scores) == name
    for other, one in scores.items():
        if other != name and other not in ("itself",):  # where it finds nothing a synthetic head looks at itself
            assert not one.share > 0.5, other


def uniform(words, referents):
    n = len(words)
    return Looked(words, referents, (np.tri(n) / np.arange(1, n + 1)[:, None])[None])


def test_a_head_that_looks_at_all_words_alike_is_called_nothing():
    looked = [uniform(*one) for one in SENTENCES]
    scores = {name: score(name, looked)[0] for name in MEASURES}
    assert label(scores) == ""
    for name, one in scores.items():
        assert one.share == pytest.approx(one.by_chance), name


def test_a_head_that_looks_at_the_first_word_does_not_find_the_person():
    """Where the person stands first the two cannot be told apart, so these rows do not count."""
    words = ["Emma", "hates", "games", "but", "she", "is", "a", "great", "friend"]
    n = len(words)
    first = np.zeros((1, n, n))
    first[:, :, 0] = 1
    looked = [Looked(words, [(4, 0)], first)]
    assert score("referent", looked)[0].rows == 0
    assert np.isnan(score("referent", looked)[0].share)
    assert score("first", looked)[0].share == 1
    assert label({name: score(name, looked)[0] for name in MEASURES}) == "first"


def test_heads_are_scored_each_by_itself():
    one, other = synthetic("previous"), synthetic("induction")
    both = [
        Looked(a.words, a.referents, np.concatenate([a.weights, b.weights])) for a, b in zip(one, other, strict=True)
    ]
    shares = [one.share for one in score("previous", both)]
    assert shares[0] == 1
    assert shares[1] < 0.2
