from dataclasses import replace

import numpy as np
import pytest

from explorer.core.engine import Pin, fresh
from explorer.core.model import Model
from explorer.document.state import State
from explorer.lessons.loader import load
from explorer.training.head_gallery import MEASURES, Looked, gallery, grammar_of, label, score, sentences_for


@pytest.fixture(scope="module")
def state():
    return load("tiny-gpt").state()


@pytest.fixture(scope="module")
def heads(state):
    return gallery(state, sentences_for(state)[:24], costs=True)


def test_all_heads_in_all_measures(heads):
    assert [(head.block, head.head) for head in heads] == [(f"decoder.{k}.self", h) for k in (1, 2) for h in range(4)]
    assert all(head.scores.keys() == MEASURES.keys() for head in heads)


def test_some_head_looks_at_who_is_meant(heads):
    found = [head for head in heads if head.does == "foretold referent"]
    assert found
    for head in found:
        who, _, sentence = head.example.partition(": ")
        word, _, person = who.partition(" → ")
        assert {word, person} <= set(sentence.split())


def test_what_is_lost_is_what_a_document_with_the_head_switched_off_loses(state, heads):
    """Of one sentence, against a fresh engine with the head held at 0."""
    (words, who), *_ = sentences_for(state)
    (found, *_) = gallery(state, [(words, who)], costs=True)
    ids = np.array([state.model.axes["input.words"].index(word) for word in words])
    own = state.rebuilt(replace(state.model, lengths={"input": len(words)}))
    inputs = {**own.used, "input.tokens": ids}
    cells = np.zeros(own.graph.shape("decoder.1.self.output"), dtype=bool)
    cells[0] = True
    pin = {"decoder.1.self.output": Pin(cells, np.zeros(cells.shape))}
    losses = [float(fresh(own.graph, inputs, pins).values["loss.value"]) for pins in ({}, pin)]
    assert found.cost.without == pytest.approx(losses[1] - losses[0], abs=1e-4)


def test_the_mean_is_that_of_what_the_head_puts_out_at_the_words(state):
    (one,) = sentences_for(state)[:1]
    words, _ = one
    (found, *_) = gallery(state, [one])
    ids = np.array([state.model.axes["input.words"].index(word) for word in words])
    own = state.rebuilt(replace(state.model, lengths={"input": len(words)}))
    output = fresh(own.graph, {**own.used, "input.tokens": ids}, {}).values["decoder.1.self.output"]
    np.testing.assert_allclose(found.mean, output[0].mean(0), atol=1e-5)


def test_the_words_that_a_head_costs_are_words(state, heads):
    for head in heads:
        assert set(head.cost.words) <= set(state.graph.axes["output.words"])
    assert max(head.cost.without for head in heads) > 0.1


def test_costs_are_measured_only_where_they_are_asked_for(state):
    assert all(head.cost is None for head in gallery(state, sentences_for(state)[:3]))


def test_a_model_of_other_words_has_no_sentences():
    assert sentences_for(load("roses-are-red").state()) == []
    assert grammar_of(load("tiny-translator").state()) is None


def test_a_model_that_reads_pieces_is_measured_on_stories():
    state = load("stories260k").state()
    stories = sentences_for(state)
    assert len(stories) == 12
    words, ((pronoun, who),) = stories[0]
    assert (words[pronoun], words[who]) == ("␣She", "␣Lily")
    does = {(head.block, head.head + 1): head.does for head in gallery(state, stories)}
    assert len(does) == 40
    assert does["decoder.2.self", 4] == "previous"
    assert does["decoder.5.self", 5] == "foretold referent"  # the head that the lesson takes away


def test_of_one_word_that_nothing_follows_the_mean_is_what_the_head_puts_out_and_nothing_is_lost():
    model = Model("gpt", {"input": 1}, {"input.words": ("a", "b"), "output.words": ("a", "b")}, 4, 1)
    state = State.of(model, {})
    (head,) = gallery(state, [(("a",), ())], costs=True)
    engine = fresh(state.graph, state.used, {})
    np.testing.assert_array_equal(head.mean, engine.values[f"{head.block}.output"].reshape(-1))
    assert head.cost is None


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
