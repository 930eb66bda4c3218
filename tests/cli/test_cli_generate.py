"""`explorer generate`."""

import json

import numpy as np
import pytest

from explorer.cli import main
from explorer.core.model import Model
from explorer.document.commands import SetTokens
from explorer.document.state import State
from explorer.document.storage import save

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
    assert found.keys() == {"model", "tokens", "new", "ids", "steps"}
    assert main(["show", "roses-are-red", "output.logits", "--ids", " ".join(map(str, found["ids"]))]) == 0
    assert "red" in capsys.readouterr().out


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


def saved(folder, reads, says, **switches):
    """A small GPT in a file, which may read other words than it says."""
    axes = {"input.words": tuple(reads.split()), "output.words": tuple(says.split())}
    model = Model("gpt", {"input": 1}, axes, 4, 1, {"loss.loss": "none", **switches}, seed=0)
    file = folder / "model.explorer"
    save(SetTokens("input", ["a"]).apply(State.of(model, {})), "small", file)
    return str(file)


def shown(capsys, model, *texts):
    """The word that `show` says comes behind a text."""
    assert main(["show", model, "output.chosen", "output.probabilities", *texts, "--format", "json"]) == 0
    nodes = json.loads(capsys.readouterr().out)["nodes"]
    return nodes["output.probabilities"]["columns"][nodes["output.chosen"]["value"][-1]]


def test_words_are_read_by_what_they_are_not_by_their_number(capsys, tmp_path):
    model = saved(tmp_path, "a b c <end>", "b c a <end>")
    assert main(["generate", model, "a", "--greedy", "-n", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    text = found["tokens"]
    assert len(found["new"]) == 4
    for word in found["new"]:
        assert shown(capsys, model, "--tokens", " ".join(text)) == word
        text.append(word)
    assert main(["generate", model, "a", "--beams", "1", "-n", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["new"] == found["new"]


@pytest.mark.parametrize("how", ["--greedy", "--beams=2"])
def test_a_word_that_is_not_read_ends_the_text_and_that_is_said(capsys, tmp_path, how):
    """It was an IndexError: three words to say, two to read, which are looked up by their numbers."""
    model = saved(tmp_path, "a b", "x y z", **{"input.lookup": "index"})
    assert main(["generate", model, "a", how, "-n", "4"]) == 0
    written, note = capsys.readouterr()
    word = written.split("\n")[0].split()[1]
    assert note == f"explorer: nothing is written behind “{word}”, which the model says but does not read\n"
    assert main(["generate", model, "a", how, "-n", "1"]) == 0
    assert capsys.readouterr().err == ""  # no more was asked for


@pytest.mark.parametrize(
    ("model", "texts"),
    [
        ("roses-are-red", ("--tokens", "roses")),
        ("tiny-gpt", ("--tokens", "the cat")),
        ("tiny-translator", ("--tokens", "the cat sees the screen", "--target", "<es>")),
        ("you-are-welcome", ("--tokens", "You are welcome", "--target", "<start>")),
        ("you-are-welcome", ("--tokens", "You", "--target", "<start> de")),
        ("i-love-ai", ("--tokens", "I love")),
    ],
)
def test_writing_agrees_word_by_word_with_showing_the_grown_text(capsys, model, texts):
    typed = [texts[1], *texts[2:]]
    assert main(["generate", model, *typed, "--greedy", "-n", "6", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    text = found["tokens"]
    for word in found["new"]:
        assert shown(capsys, model, *texts[:-1], " ".join(text)) == word
        text.append(word)


WRONG = [
    (["roses-are-red", "tulips are"], "does not know the word 'tulips'"),
    (["roses-are-red", "violet are"], "for example: violets"),
    (["roses-are-red", " "], "no word in the text"),
    (["roses-are-red", "roses", "-n", "0"], "-n may be 1 to 500"),
    (["roses-are-red", "roses", "--top-p", "2"], "'top-p' is 2.0; it must lie between"),
    (["roses-are-red", "roses", "--beams", "2", "--greedy"], "leave out --greedy"),
    (["roses-are-red", "roses", "--target", "red"], "does not translate"),
    (["xor", "roses"], "has no next word to say"),
    (["no-such-model", "roses"], "There is no lesson, model or file 'no-such-model'"),
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
    assert "does not know the word 'catt'. It knows, for example: cat, " in capsys.readouterr().err
    assert main(["generate", "tiny-gpt", "the elephant sat"]) == 2
    assert "It knows, for example: cat, dog, bird." in capsys.readouterr().err, "it was: slept, plant, talent"


def test_an_unknown_mark_is_named_whole_and_others_beside_it(capsys):
    """Of “<de>” it was said that the model does not know the word “<”."""
    assert main(["generate", "tiny-translator", "You are welcome", "--target", "<de>"]) == 2
    assert "the word '<de>'. It knows, for example: <es>, <fr>." in capsys.readouterr().err


def test_a_translator(capsys):
    for language, said in (("es", "de nada"), ("fr", "de rien")):
        assert main(["generate", "tiny-translator", "You are welcome", "--target", f"<{language}>", "--greedy"]) == 0
        assert capsys.readouterr().out == f"{said}\n"
    assert main(["generate", "tiny-translator", "you are welcome"]) == 2
    assert "begins with (`target`): words that the model knows, such as <es>, <fr>." in capsys.readouterr().err


def test_a_translator_that_knows_no_mark_to_begin_with(tmp_path, capsys):
    words = ("<pad>", "<unk>", *"abcdefg", "<end>")
    model = Model("encoder-decoder", {"source": 1, "target": 1}, {"source.words": words, "target.words": words})
    tokens = {f"{side}.tokens": np.array([2]) for side in ("source", "target")}
    save(State.of(model, tokens), "Mine", tmp_path / "mine.explorer")
    assert main(["generate", str(tmp_path / "mine.explorer"), "a b"]) == 2
    assert "begins with (`target`): words that the model knows, such as a, b, c, d, e." in capsys.readouterr().err


def test_a_temperature_of_0_is_what_greedy_means(capsys):
    assert main([*ROSES, "roses are", "--temperature", "0"]) == 2
    assert "--greedy always takes the most probable word" in capsys.readouterr().err
