"""What is learned from: nothing that is judged by, in an order that the seed and the step alone decide."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from explorer.core.errors import ExplorerError
from explorer.core.graph import TARGET
from explorer.core.training.data import (
    MASKED,
    MOST_IN_SENTENCE,
    MOST_JUDGED,
    OWN,
    cases,
    masked_sentences,
    pairs_of,
    read_text,
    sentence_pairs,
    vocabulary,
    windows,
    words_of,
)
from explorer.sentences import sentence


def test_words_and_punctuation_marks():
    assert words_of("Don't wait,\n sail!") == ["don't", "wait", ",", "sail", "!"]
    assert words_of("Sail", lower=False) == ["Sail"]
    assert words_of("Don’t, c’est l’été") == ["don’t", ",", "c’est", "l’été"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("می\u200cخواهم بروم.", ["می\u200cخواهم", "بروم", "."]),  # Persian: a joiner
        ("हिन्दी में", ["हिन्दी", "में"]),  # Hindi: vowel signs
        ("क्\u200dष \u200d", ["क्\u200dष"]),
        ("cafe\u0301, cafe\u0301s", ["cafe\u0301", ",", "cafe\u0301s"]),
        ("İstanbul", ["i\u0307stanbul"]),  # Turkish: in lower case a letter and a mark
        ("👩\u200d🚀 goes ❤\ufe0f!", ["👩\u200d🚀", "goes", "❤\ufe0f", "!"]),
        ("🇫🇷🇮🇷 1\ufe0f\u20e3 👍🏽👍", ["🇫🇷", "🇮🇷", "1\ufe0f\u20e3", "👍🏽", "👍"]),
    ],
)
def test_marks_and_joiners_belong_to_a_word(text, words):
    """A word of Persian or Hindi fell into letters, and its joiners were left out of the vocabulary."""
    assert words_of(text) == words
    assert vocabulary(words_of(text), 100) == tuple(words)


def test_the_most_frequent_words_the_earlier_first():
    words = list("bacabd")
    assert vocabulary(words, 3) == ("<unk>", "b", "a")
    assert vocabulary(words, 3, ("<pad>", "<unk>")) == ("<pad>", "<unk>", "b")


def test_where_all_words_have_their_place_there_is_no_unknown_one():
    assert vocabulary(["b", "a"], 2) == ("b", "a")
    assert vocabulary(["b", "a"], 3, ("<pad>", "<unk>")) == ("<pad>", "b", "a")


def test_a_word_too_long_to_be_shown_is_unknown():
    assert vocabulary(["a", "b" * 1000], 10) == ("<unk>", "a")


def test_pairs_of_sentences(tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("Two cats\tdos gatos\n\nThe sea\tel mar\n", "utf-8")
    assert pairs_of(read_text(file)) == [(["two", "cats"], ["dos", "gatos"]), (["the", "sea"], ["el", "mar"])]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("no tab", "is no pair of sentences; write two sentences with a tab or | between them"),
        ("a\tb\tc", "is no pair"),
        ("a\t ", "is no pair"),
        ("a\t" + "b " * (MOST_IN_SENTENCE + 1), f"has {MOST_IN_SENTENCE + 1} words in a sentence"),
    ],
)
def test_a_line_that_is_no_pair(tmp_path, line, problem):
    file = tmp_path / "pairs.tsv"
    file.write_text(f"a\tb\n{line}\n", "utf-8")
    with pytest.raises(ExplorerError) as caught:
        pairs_of(read_text(file), str(file))
    assert caught.value.fields["line"] == 2
    assert problem in sentence(caught.value)


def test_no_sentences():
    with refuses("holds no sentences"):
        pairs_of("\n")


def test_files_that_are_no_text(tmp_path, monkeypatch):
    with refuses("no such file"):
        read_text(tmp_path / "none.txt")
    with refuses("it is a folder"):
        read_text(tmp_path)
    (tmp_path / "latin.txt").write_bytes(b"one\ncaf\xe9")
    with refuses("line 2 is not text in UTF-8"):
        read_text(tmp_path / "latin.txt")
    monkeypatch.setattr("explorer.core.training.data.MOST_BYTES", 3)
    with refuses("more than 3 bytes"):
        read_text(tmp_path / "latin.txt")


# Windows of a text

lengths = st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.integers(2 * n + 2, 80)))


@given(lengths, st.floats(0.01, 0.9), st.integers(0, 2**32 - 1))
def test_no_word_is_learned_that_is_judged_by(sizes, share, seed):
    n, length = sizes
    made = windows(np.arange(length), n, share, seed)
    learned, judged = (
        {int(place) for i in numbers for place in (*made.arrays["input.tokens"][i], *made.arrays[TARGET][i])}
        for numbers in (made.training, made.validation)
    )
    assert len(made.training)
    assert len(made.validation)
    assert learned.isdisjoint(judged)


@given(lengths)
def test_each_word_of_a_window_has_the_next_one_as_its_target(sizes):
    n, length = sizes
    made = windows(np.arange(length), n)
    assert made.lengths == {"input": n}
    assert len(made.training) == length - n
    np.testing.assert_array_equal(made.arrays[TARGET], made.arrays["input.tokens"] + 1)


def test_judged_windows_do_not_overlap():
    made = windows(np.arange(1000), 4, 0.5, 3)
    targets = made.arrays[TARGET][made.validation]
    assert len(np.unique(targets)) == targets.size >= 490


def test_the_output_may_have_a_vocabulary_of_its_own():
    made = windows(np.array([0, 1, 2, 3]), 2, targets=np.array([10, 11, 12, 13]))
    assert made.arrays[TARGET].tolist() == [[11, 12], [12, 13]]


def test_a_text_shorter_than_a_window():
    with refuses("4 of the 5 words that stretches of 4 words .the window. need"):
        windows(np.arange(4), 4)


# The order


def table(n):
    return cases(np.arange(n, dtype=float)[:, None], np.zeros((n, 1)))


def seen(examples, steps, size, seed):
    return [int(x) for step in steps for x in examples.batch(step, size, seed)["input.X"][:, 0]]


@given(st.integers(2, 12), st.integers(1, 11), st.integers(0, 2**32 - 1))
def test_every_example_comes_once_before_any_comes_again(n, size, seed):
    order = seen(table(n), range(n), size, seed)
    for start in range(0, len(order) - n + 1, n):
        assert sorted(order[start : start + n]) == list(range(n))


@given(st.integers(2, 12), st.integers(1, 5), st.integers(0, 1000), st.integers(0, 2**32 - 1))
def test_a_batch_depends_on_the_seed_and_the_step_alone(n, size, step, seed):
    alone = seen(table(n), [step], size, seed)
    assert alone == seen(table(n), [step + 7, 0, step], size, seed)[-len(alone) :]


@given(st.integers(2, 30), st.integers(1, 12), st.integers(0, 5))
def test_in_an_epoch_each_is_seen_once(n, size, epoch):
    batches = table(n).batches(size)
    steps = range(epoch * batches, (epoch + 1) * batches)
    assert sorted(seen(table(n), steps, size, 1)) == list(range(n))
    assert [len(seen(table(n), [step], size, 1)) for step in steps][:-1] == [min(size, n)] * (batches - 1)


def test_another_seed_is_another_order():
    assert seen(table(50), [0], 20, 1) != seen(table(50), [0], 20, 2)


@pytest.mark.parametrize("size", [0, 5, 9])
def test_all_of_them_come_in_their_order(size):
    assert seen(table(5), [3], size, 1) == [0, 1, 2, 3, 4]


@given(st.integers(2, 30), st.floats(0.01, 0.9), st.integers(0, 2**32 - 1))
def test_a_share_is_put_aside(n, share, seed):
    made = table(n).split(share, seed)
    assert sorted([*made.training, *made.validation]) == list(range(n))
    assert 1 <= len(made.validation) < n
    assert abs(len(made.validation) - share * n) <= 1


def test_no_share_leaves_all():
    assert len(table(4).split(0, 1).training) == 4
    assert not list(table(4).judged(2))


def test_many_are_judged_by_some_of_them_always_the_same():
    made = table(10 * MOST_JUDGED).split(0.5, 1)
    first, again = ([b["input.X"].tolist() for b in made.judged(50)] for _ in range(2))
    assert first == again
    assert sum(map(len, first)) == MOST_JUDGED
    assert max(map(len, first)) == 50


def test_the_models_own_example_sets_nothing():
    assert OWN.batch(3, 32, 0) == {}


def test_other_data_have_another_fingerprint():
    assert table(4).fingerprint != table(5).fingerprint
    assert windows(np.arange(9), 2).fingerprint != windows(np.arange(9), 3).fingerprint


# Pairs of sentences

SOURCE = ("<pad>", "two", "cats", "sleep")
WRITTEN = ("<start>", "<end>", "<pad>", "dos", "gatos", "duermen")


def test_a_pair_as_decoder_and_teacher_have_it():
    made = sentence_pairs([(["two", "cats"], ["dos", "gatos"]), (["cats"], ["gatos"])], SOURCE, WRITTEN)
    assert made.lengths == {"source": 2, "target": 3}
    assert made.arrays["source.tokens"].tolist() == [[1, 2], [2, 0]]
    assert made.arrays["target.tokens"].tolist() == [[0, 3, 4], [0, 4, 2]]
    assert made.arrays[TARGET].tolist() == [[3, 4, 1], [4, 1, 2]]


@pytest.mark.parametrize("missing", ["<pad>", "<start>", "<end>"])
def test_a_vocabulary_without_what_is_needed(missing):
    pairs = [(["two", "cats"], ["dos", "gatos"]), (["cats"], ["gatos"])]
    known = (*(word for word in WRITTEN if word != missing), "<unk>")
    with refuses(missing):
        sentence_pairs(pairs, SOURCE, known)


def test_of_each_sentence_some_words_are_masked_and_these_alone_are_to_be_said():
    known = ("<mask>", "<pad>", *"abcdef")
    sentences = [["a"], *(list("abcdef") for _ in range(400)), ["b", "c"]]
    examples = masked_sentences(sentences, known, judged=2, seed=3)
    read, said = examples.arrays["input.tokens"], examples.arrays[TARGET]
    masked = read == 0
    assert np.array_equal(masked, said != 1)
    assert masked.any(axis=1).all()
    whole = np.where(masked, said, read)
    assert [[known[i] for i in row if i != 1] for row in whole] == sentences
    lots = 6 * 400  # and where none has a lot below the share, the one with the smallest is masked
    assert MASKED < masked[1:-1].sum() / lots < MASKED + (1 - MASKED) ** 6 / 6 + 0.05
    assert (len(examples.training), len(examples.validation)) == (400, 2)
    again = masked_sentences(sentences, known, judged=2, seed=3).arrays["input.tokens"]
    assert np.array_equal(again, read)
    assert not np.array_equal(masked_sentences(sentences, known, judged=2, seed=4).arrays["input.tokens"], read)
