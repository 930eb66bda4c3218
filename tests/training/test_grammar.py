"""Grammars: what is drawn, what is held out, and the entropy, exactly."""

from collections import Counter
from functools import cache
from itertools import combinations, product
from math import exp, log

import numpy as np
import pytest

from best import entropy, entropy_per_word, next_words
from explorer import paths
from explorer.core.errors import ExplorerError
from explorer.core.vocabulary import END
from explorer.training.grammar import load

SMALL = """
[classes.person]
forms = ["name", "he"]
words = ["Ann she*2", "Bob he", "Eve she"]

[classes.seat]
words = ["mat*3", "rug"]

[[sentences]]
weight = 3
text = "{person} sat because {person.he} likes the {seat}"

[[sentences]]
text = "the {seat} and the {seat#2}"
"""


@pytest.fixture
def grammar(tmp_path):
    """A function that reads a grammar from its text."""

    def read(text):
        file = tmp_path / "g.toml"
        file.write_text(text, "utf-8")
        return load(file)

    return read


def every_sentence(of):
    """All sentences of a grammar with their probabilities, by trying all draws."""
    found = Counter()
    for pattern in of.patterns:
        draws = [range(len(one.rows)) for one in pattern.draws.values()]
        for rows in product(*draws):
            drawn = dict(zip(pattern.draws, rows, strict=True))
            share = pattern.share
            for name, row in drawn.items():
                share *= pattern.draws[name].shares[row]
            gaps = pattern.gaps["text"]
            words = [pattern.draws[g.draw].rows[drawn[g.draw]][g.form] if g.draw else g.word for g in gaps]
            found[tuple(words)] += share
    return found


def test_the_entropy_is_that_of_all_sentences(grammar):
    of = grammar(SMALL)
    shares = every_sentence(of)
    assert sum(shares.values()) == pytest.approx(1)
    assert entropy(of) == pytest.approx(-sum(p * log(p) for p in shares.values()))


def test_the_entropy_of_a_word_is_the_mean_surprise_of_the_right_next_words(grammar):
    of = grammar(SMALL)
    nats = words = 0.0
    for sentence, share in every_sentence(of).items():
        for i, word in enumerate((*sentence[1:], END)):
            nats -= share * log(next_words(of, sentence[: i + 1])[word])
        words += share * len(sentence)
    assert entropy_per_word(of) == pytest.approx(nats / words)


def test_the_next_words_are_those_of_the_sentences_that_begin_so(grammar):
    of = grammar(SMALL)
    shares = every_sentence(of)
    for before in [("Ann",), ("Bob", "sat", "because"), ("the",), ("the", "mat", "and", "the", "rug")]:
        expected = Counter()
        for sentence, share in shares.items():
            if sentence[: len(before)] == before:
                expected[(*sentence, END)[len(before)]] += share
        whole = sum(expected.values())
        assert next_words(of, before) == {word: pytest.approx(share / whole) for word, share in expected.items()}
    assert next_words(of, ("Ann", "sat", "because", "he")) == {}


def test_draws_that_look_alike_are_no_source_of_surprise(grammar):
    """Ann and Eve are both "she": where the name is not said, that is one word."""
    of = grammar(
        '[classes.person]\nforms = ["name", "he"]\nwords = ["Ann she", "Bob he", "Eve she"]\n'
        '[[sentences]]\ntext = "there {person.he} is"\n'
    )
    third = 1 / 3
    assert entropy(of) == pytest.approx(-third * log(third) - 2 * third * log(2 * third))


def test_sentences_come_as_often_as_they_should(grammar):
    of = grammar(SMALL)
    counts = Counter(one.words() for one in of.sample(4000, 1, held_out=False))
    for words, share in every_sentence(of).items():
        assert counts[words] / 4000 == pytest.approx(share, abs=0.03)


def test_of_sentences_that_look_alike_none_is_held_out(grammar):
    """A hundred names that none of the sentences says are two sentences; a search for a third one did not end."""
    people = ", ".join(f'"n{i} {"he" if i % 2 else "she"}"' for i in range(120))
    of = grammar(f'[classes.p]\nforms = ["name", "he"]\nwords = [{people}]\n[[sentences]]\ntext = "{{p.he}} sleeps"')
    assert not of.patterns[0].many
    assert {one.key for one in of.sample(20, 0, held_out=True)} == {"he sleeps", "she sleeps"}
    assert entropy(of) == pytest.approx(log(2))


def test_the_same_seed_draws_the_same_sentences(grammar):
    of = grammar(SMALL)

    def keys(seed):
        return [one.key for one in of.sample(20, seed, held_out=False)]

    assert keys(1) == keys(1) != keys(2)


def test_a_draw_is_that_of_numpy_so_a_model_can_be_trained_again(grammar):
    of = grammar(SMALL)
    kind = max((kind for pattern in of.patterns for kind in pattern.draws.values()), key=lambda kind: len(kind.rows))
    ours, numpys = np.random.default_rng(5), np.random.default_rng(5)
    drawn = [kind.draw(ours) for _ in range(200)]
    assert drawn == [numpys.choice(len(kind.shares), p=kind.shares) for _ in range(200)]
    assert len(set(drawn)) > 1


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-translator"])
def test_nothing_that_is_learned_is_held_out(name):
    of = load(paths.resources() / "grammars" / f"{name}.toml")
    learned = {one.key for one in of.sample(3000, 1, held_out=False)}
    judged = [one for one in of.sample(1000, 1, held_out=True) if one.pattern.many]
    assert len(judged) > 500
    assert learned.isdisjoint(one.key for one in judged)
    assert not {one.key for one in judged} & set(of.shown)


def overlaps(of):
    """Pairs of patterns that might give the same sentence."""

    def possible(pattern, gap):
        return {row[gap.form] for row in pattern.draws[gap.draw].rows} if gap.draw else {gap.word}

    sets = [[possible(p, gap) for gap in p.gaps[of.languages[0]]] for p in of.patterns]
    return [
        (of.patterns[i], of.patterns[j])
        for i, j in combinations(range(len(sets)), 2)
        if len(sets[i]) == len(sets[j]) and all(a & b for a, b in zip(sets[i], sets[j], strict=True))
    ]


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-translator"])
def test_no_sentence_comes_about_in_two_ways(name):
    assert overlaps(load(paths.resources() / "grammars" / f"{name}.toml")) == []


def test_overlaps_are_found(grammar):
    of = grammar('[classes.a]\nwords = ["x", "y"]\n[[sentences]]\ntext = "{a} z"\n[[sentences]]\ntext = "y z"\n')
    assert len(overlaps(of)) == 1


def test_tiny_gpts_grammar_has_the_sentences_of_the_references():
    of = load(paths.resources() / "grammars" / "tiny-gpt.toml")
    for sentence in of.shown:
        assert END in next_words(of, sentence.split()), sentence
    assert {"the cat sat on the mat", "roses are red", "I love AI"} <= set(of.shown)
    assert max(next_words(of, ["the", "cat", "sat", "on", "the"]).items(), key=lambda one: one[1])[0] == "mat"
    assert 200 <= len(of.words()) <= 400
    assert exp(entropy_per_word(of)) < 3


def test_its_entropy_is_the_mean_surprise_of_sentences_drawn_from_it():
    of = load(paths.resources() / "grammars" / "tiny-gpt.toml")
    nats, after = [], cache(lambda *words: next_words(of, words))
    for one in of.sample(1500, 3, held_out=False):
        words = one.words()
        nats += [-log(after(*words[: i + 1])[word]) for i, word in enumerate((*words[1:], END))]
    assert np.mean(nats) == pytest.approx(entropy_per_word(of), rel=0.03)


def test_a_pronoun_is_where_its_person_is_meant(grammar):
    (one,) = [s for s in grammar(SMALL).sample(9, 1, held_out=False) if s.words()[:1] == ("Bob",)][:1]
    assert one.places("person", "name") == [("person", 0)]
    assert one.places("person", "he") == [("person", 3)]


def test_one_word_may_be_two_in_another_language():
    of = load(paths.resources() / "grammars" / "tiny-translator.toml")
    found = {one.words("en"): one.words("es") for one in of.sample(4000, 1, held_out=False)}
    assert found["you", "are", "welcome"] == ("de", "nada")
    assert any("de" in spanish and "la" in spanish for spanish in found.values())


def test_two_words_in_one_gap_of_a_sentence_are_two_words_of_the_vocabulary(grammar):
    """The vocabulary had New_York, and the sentences New and York, so that no model could be trained."""
    of = grammar('[classes.a]\nwords = ["Ann", "Li_Na"]\n[[sentences]]\ntext = "{a} sees New_York"')
    assert of.words() == ("Ann", "Li", "Na", "sees", "New", "York")
    assert {word for one in of.sample(20, 0, held_out=False) for word in one.words()} == set(of.words())
    assert not any("_" in word for language in of.languages for word in of.words(language))


WRONG = [
    ("", "sentences", "is missing"),
    ('[[sentences]]\ntext = "{cat} sat"', "text", "there is no class 'cat'"),
    ('[classes.a]\nwords = ["x"]\n[[sentences]]\ntext = "{a.b}"', "text", "has no form 'b'"),
    ('[classes.a]\nforms = ["p", "q"]\nwords = ["x"]\n[[sentences]]\ntext = "{a}"', "classes.a.words", "no row of it"),
    ('[classes.a]\nwords = ["x*b"]\n[[sentences]]\ntext = "{a}"', "classes.a.words", "no row of it"),
    ('[classes.a]\nwords = ["x*0"]\n[[sentences]]\ntext = "{a}"', "classes.a.words", "no row of it"),
    ('[classes.a]\nwords = ["x_"]\n[[sentences]]\ntext = "{a}"', "classes.a.words", "no row of it"),
    ('[classes.Cat]\nwords = ["x"]\n[[sentences]]\ntext = "{Cat} sat"', "text", "not that of a gap"),
    ('[[sentences]]\ntext = "a _ b"', "text", "'_' is no word"),
    ("[[sentences]]\nweight = 2", "text", "is missing"),
    ('[[sentences]]\nweight = 0\ntext = "a"', "weight", "out of range"),
]


@pytest.mark.parametrize(("text", "key", "problem"), WRONG)
def test_what_is_wrong_is_said(grammar, text, key, problem):
    with pytest.raises(ExplorerError) as caught:
        grammar(text)
    assert key in str(caught.value)
    assert problem in str(caught.value)
