"""`explorer generate`."""

import json

import pytest

from explorer.cli import main

ROSES = ["generate", "roses-are-red"]


def test_greedy(capsys):
    assert main([*ROSES, "roses are", "--greedy", "-n", "2"]) == 0
    assert capsys.readouterr().out == "roses are red violets\n"


def test_json(capsys):
    assert main([*ROSES, "Roses ARE", "--greedy", "-n", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["model"] == "roses-are-red"
    assert found["tokens"] == ["roses", "are"]
    assert found["new"] == ["red", "violets"]
    assert [step["chosen"] for step in found["steps"]] == ["red", "violets"]
    (first, share), *others = found["steps"][0]["candidates"]
    assert first == "red"
    assert 0.5 < share < 1
    assert share + sum(one for _, one in others) == pytest.approx(1)
    assert found.keys() == {"model", "tokens", "new", "steps"}


def test_candidates_are_what_top_k_leaves(capsys):
    assert main([*ROSES, "roses are", "--top-k", "2", "-n", "1", "--json"]) == 0
    (step,) = json.loads(capsys.readouterr().out)["steps"]
    assert len(step["candidates"]) == 2
    assert sum(share for _, share in step["candidates"]) == pytest.approx(1)
    assert step["candidates"][0][1] >= step["candidates"][1][1]
    assert step["chosen"] in [word for word, _ in step["candidates"]]


def test_the_same_seed_gives_the_same_words(capsys):
    said = []
    for seed in ("1", "1", "2"):
        assert main([*ROSES, "roses", "--temperature", "5", "--seed", seed, "-n", "12"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != said[2]


def test_beams(capsys):
    assert main([*ROSES, "roses are", "--beams", "3", "-n", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    scores = [beam["score"] for beam in found["beams"]]
    assert scores == sorted(scores, reverse=True)
    assert found["beams"][0]["new"] == found["new"]
    assert len(found["steps"]) == 3


WRONG = [
    (["roses-are-red", "tulips are"], "does not know the word 'tulips'"),
    (["roses-are-red", "violet are"], "nearest words that it knows are violets"),
    (["roses-are-red", " "], "no word in the text"),
    (["roses-are-red", "roses", "-n", "0"], "-n may be 1 to 500"),
    (["roses-are-red", "roses", "--top-p", "2"], "'top-p' is 2.0; it must lie between"),
    (["roses-are-red", "roses", "--beams", "2", "--greedy"], "leave out --greedy"),
    (["roses-are-red", "roses", "--target", "red"], "is no translator"),
    (["xor", "roses"], "foretells no next word"),
    (["no-such-model", "roses"], "There is no lesson 'no-such-model'"),
]


@pytest.mark.parametrize(("typed", "said"), WRONG)
def test_what_is_wrong_is_said_in_a_line(capsys, typed, said):
    assert main(["generate", *typed]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_tiny_gpt_says_mat(capsys):
    assert main(["generate", "tiny-gpt", "The cat sat on the", "--greedy"]) == 0
    assert capsys.readouterr().out == "the cat sat on the mat\n"
    assert main(["generate", "tiny-gpt", "The cat sat on the", "--greedy", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["new"] == ["mat", "<end>"]


def test_tiny_gpt_says_which_words_it_knows(capsys):
    assert main(["generate", "tiny-gpt", "the catt sat"]) == 2
    assert "does not know the word 'catt'; the nearest words that it knows are cat" in capsys.readouterr().err


def test_a_translator(capsys):
    for language, said in (("es", "de nada"), ("fr", "de rien")):
        assert main(["generate", "tiny-translator", "You are welcome", "--target", f"<{language}>", "--greedy"]) == 0
        assert capsys.readouterr().out == f"{said}\n"
    assert main(["generate", "tiny-translator", "you are welcome"]) == 2
    assert "--target and one of <es>, <fr>" in capsys.readouterr().err
