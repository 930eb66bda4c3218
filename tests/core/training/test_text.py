import pytest
from refusals import refuses

from explorer.core.errors import ExplorerError
from explorer.core.training.text import MOST_IN_SENTENCE, pairs_of, read_text, vocabulary, words_of
from explorer.sentences import sentence


def test_words_and_punctuation_marks():
    assert words_of("Don't wait,\n sail!") == ["don't", "wait", ",", "sail", "!"]
    assert words_of("Sail", lower=False) == ["Sail"]


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
    with refuses("not a file"):
        read_text(tmp_path)
    (tmp_path / "latin.txt").write_bytes(b"one\ncaf\xe9")
    with refuses("line 2 is not text in UTF-8"):
        read_text(tmp_path / "latin.txt")
    monkeypatch.setattr("explorer.core.training.text.MOST_BYTES", 3)
    with refuses("more than 3 bytes"):
        read_text(tmp_path / "latin.txt")
