"""The vectors that come with the program do what their card says."""

import tomllib
from hashlib import sha256

import numpy as np
import pytest
from refusals import refuses

from explorer.paths import resources
from explorer.words import catalogue, formats, similarity


@pytest.fixture(scope="module")
def books():
    return catalogue.load()


@pytest.fixture(scope="module")
def card():
    return tomllib.loads((resources() / "vectors" / "books.toml").read_text("utf-8"))


def test_they_are_small(books):
    assert (len(books), books.dims) == (20_000, 100)
    assert sum(file.stat().st_size for file in (resources() / "vectors").iterdir()) <= 2_500_000


def test_the_list_says_how_large_they_are():
    for one in catalogue.SHIPPED:
        vectors = catalogue.load(one.name)
        assert (one.words, one.dims) == (len(vectors), vectors.dims)


def test_they_rank_pairs_of_words_as_people_do(books, card):
    found = {one.name: one for one in similarity.pairs(books)}
    assert found["WordSim-353"].value >= 0.44
    for name, said in (("WordSim-353", "wordsim353"), ("SimLex-999", "simlex999")):
        assert found[name].value == pytest.approx(card["scores"][said]["spearman"], abs=5e-4)
        assert found[name].asked == card["scores"][said]["pairs"]
        assert found[name].missing == pytest.approx(card["scores"][said]["missing"], abs=5e-4)


def test_some_neighbours(books):
    near = {one.word for one in similarity.nearest(books, "sea", 20)}
    assert near & {"ocean", "waters", "shore", "ship", "waves"}
    assert similarity.centrality(books, ["father", "mother", "brother", "ship"])[-1].word == "ship"


def test_the_card_names_the_limits_and_the_command(books, card):
    assert not {"laptop", "television"} & set(books.words)
    for word in card["limits"]["absent"]:
        assert word not in books, word
    assert "explorer words train" in card["training"]["command"]
    assert card["vocabulary"]["words"] == len(books)


def test_the_file_is_the_one_that_the_command_gave(card):
    file = resources() / "vectors" / "books.int8.safetensors"
    assert sha256(file.read_bytes()).hexdigest() == card["training"]["sha256"]


def test_analogies_section_by_section(books, monkeypatch):
    text = ": capital\nAthens Greece Paris France\nlondon england rome italy\n: none\nqwx qwy qwz qww\n"
    file = "questions-words.txt"

    def data(name, monkey=similarity.test_data):
        return type("Path", (), {"read_text": lambda self, encoding: text})() if name == file else monkey(name)

    monkeypatch.setattr(similarity, "test_data", data)
    seen = []
    found = similarity.evaluate(books, seen.append)[-1]
    assert (found.name, found.measure, found.asked) == ("analogies", "accuracy", 2)
    assert found.value in (0, 0.5, 1)
    assert found.missing == pytest.approx(1 / 3)
    assert (seen[-1].what, seen[-1].done) == ("evaluating", 3)


def test_the_evaluation_is_gensims_own(books):
    _, (rank, _), missing = books.keyed.evaluate_word_pairs(str(similarity.test_data("wordsim353.tsv")))
    score = similarity.pairs(books)[0]
    assert score.value == rank
    assert score.missing * 100 == pytest.approx(missing)


def test_vectors_by_the_name_of_a_file(tmp_path, table):
    formats.save(table, tmp_path / "mine.npz")
    vectors = catalogue.load(str(tmp_path / "mine.npz"))
    assert vectors.name == "mine.npz"
    assert vectors.array.tobytes() == table.array.tobytes()


def test_a_set_that_was_downloaded(tmp_path, monkeypatch, sample_file):
    one = catalogue.Offered("glove-twitter-25", sample_file.stat().st_size, "", 1, 25, "")
    monkeypatch.setattr(catalogue, "OFFERED", (one,))
    with refuses("has not been downloaded"):
        catalogue.load("glove-twitter-25")
    (tmp_path / "downloads").mkdir()
    (tmp_path / "downloads" / "glove-twitter-25.gz").write_bytes(sample_file.read_bytes())
    assert catalogue.load("glove-twitter-25")["screen"][0] == np.float32(0.31098)
