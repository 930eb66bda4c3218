import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from explorer.cli import main
from explorer.cli import words as command
from explorer.cli.parser import SIGNALS
from explorer.core.progress import Cancelled, Progress
from explorer.words import catalogue, download


@pytest.fixture
def run(capsys):
    """What a command prints, its exit code being 0."""

    def run(*argv):
        code = main(["words", *map(str, argv)])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return json.loads(out) if "--json" in argv else out

    return run


@pytest.fixture
def fails(capsys):
    """The one line that a command prints to standard error, its exit code being 2."""

    def fails(*argv):
        assert main(["words", *map(str, argv)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        (line,) = err.splitlines()
        return line

    return fails


def test_similar(run, sample_file):
    found = run("similar", "remote", "Screen", "-n", 3, "--vectors", sample_file, "--json")
    assert found["vectors"] == sample_file.name
    assert [one["word"] for one in found["similar"]] == ["remote", "screen"]
    near = found["similar"][0]["neighbours"]
    assert [one["word"] for one in near] == ["keyboard", "monitor", "plug"]
    assert near[0]["cosine"] == pytest.approx(0.9022769331932068, abs=2e-7)
    assert run("similar", "remote", "-n", 2, "--vectors", sample_file).split() == [
        *("keyboard", "0.9022769", "monitor", "0.9000158")
    ]


def test_cosine_as_arithmetic(run):
    found = run("cosine", "screen", "rock", "--vectors", "reference", "--json")
    assert found["cosine"] == pytest.approx(0.5682209, abs=1e-7)
    assert sum(found["products"]) == pytest.approx(found["dot"], rel=1e-6)
    assert [len(values) for values in found["values"]] == [25, 25]
    printed = run("cosine", "screen", "rock", "--vectors", "reference")
    assert len(printed.splitlines()) == 1 + 25 + 1 + 7
    assert "= 0.568220" in printed
    assert "14 of 25 dimensions have the same sign" in printed


def test_cosines_of_more_than_two_words(run):
    found = run("cosine", "screen", "rock", "remote", "--vectors", "reference", "--json")
    assert np.array(found["cosines"])[2, 0] == pytest.approx(0.86155677, abs=1e-6)
    assert "0.8616" in run("cosine", "screen", "rock", "remote", "--vectors", "reference")


def test_analogy(run, sample_file):
    found = run("analogy", "king", "man", "woman", "-n", 3, "--vectors", sample_file, "--json")
    assert found["words"] == ["king", "man", "woman"]
    assert "queen" in [one["word"] for one in found["neighbours"]]
    assert run("analogy", "king", "man", "woman", "--vectors", sample_file).startswith("king - man + woman\n  ")


def test_odd_one_out(run, sample_file):
    words = ("breakfast", "lunch", "stone", "dinner")
    assert run("odd-one-out", *words, "--vectors", sample_file, "--json")["odd"] == "stone"
    last = run("odd-one-out", *words, "--vectors", sample_file).splitlines()[-1]
    assert last.startswith("stone ")
    assert last.endswith("the odd one out")


def test_evaluate(run, tmp_path):
    (tmp_path / "few.txt").write_text("xyz 1 0\nzyx 0 1\n", "utf-8")
    found = run("evaluate", "--vectors", tmp_path / "few.txt", "--json")["scores"]
    assert [(one["name"], one["value"], one["asked"]) for one in found] == [
        ("WordSim-353", None, 0),
        ("SimLex-999", None, 0),
        ("analogies", None, 0),
    ]
    assert "WordSim-353  Spearman" in run("evaluate", "--vectors", tmp_path / "few.txt")
    alike = ["tiger", "cat", "book", "paper", "computer", "keyboard", "plane", "car"]
    (tmp_path / "alike.txt").write_text("".join(f"{word} 1\n" for word in alike), "utf-8")
    first = run("evaluate", "--vectors", tmp_path / "alike.txt", "--json")["scores"][0]
    assert (first["value"], first["asked"]) == (None, 5)


def test_list(run):
    found = run("list", "--json")["vectors"]
    assert [one["name"] for one in found if one["here"]] == ["books", "reference"]
    assert {one["licence"] for one in found if not one["here"]} == {"PDDL"}
    assert ["glove-twitter-25", "to", "download", "110", "MB", "PDDL"] in [
        row.split()[:6] for row in run("list").splitlines()
    ]


def test_get_says_where_the_file_is(run, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "download", lambda one, report: tmp_path / one.name)
    assert run("get", "glove-twitter-25") == f"{tmp_path / 'glove-twitter-25'}\n"


def test_what_comes_with_the_program_is_there(run):
    """It was said that there were no such vectors."""
    assert Path(run("get", "books").strip()).stat().st_size > 1_000_000
    assert run("get", "reference", "--json")["file"].endswith("reference.txt")


def test_train_and_use(run, tmp_path, story):
    (tmp_path / "story.txt").write_text(story, "utf-8")
    out = tmp_path / "mine.safetensors"
    options = ("--dims", 8, "--window", 4, "--epochs", 15, "--x-max", 20, "--least", 1, "--words", 50, "--no-numba")
    said = run("train", tmp_path / "story.txt", "--out", out, *options)
    words = len(set(story.split()))
    assert said == f"{out}: {words} words, 8 numbers each\n"
    days = {"monday", "tuesday", "friday"}
    near = run("similar", "monday", "-n", 2, "--vectors", out, "--json")["similar"][0]["neighbours"]
    assert {"monday", *(one["word"] for one in near)} == days


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("sing", "a"), "`explorer words sing` is not known; choose similar, cosine, analogy,"),
        (("similar",), "`explorer words similar` takes one word or more, not 0."),
        (("cosine", "a"), "takes two words or more, not 1."),
        (("analogy", "a", "b"), "takes three words, not 2."),
        (("analogy", "a", "b", "c", "d"), "takes three words, not 4."),
        (("similar", "screen", "-n", "0"), "-n may be from 1 to 1000; 0 is not."),
        (("similar", "scren", "--vectors", "reference"), "among the words of the vectors 'reference' (did you mean"),
        (("similar", "a", "--vectors", "referense"), "no vectors 'referense' (did you mean 'reference'?), and no such"),
        (("similar", "a", "--vectors", "./none.txt"), "none.txt: cannot be read: there is no such file."),
        (("similar", "a", "--vectors", "glove-twitter-25"), "`explorer words get glove-twitter-25` does it (110 MB)."),
        (("get", "glove-twitter-52"), "no vectors 'glove-twitter-52' (did you mean 'glove-twitter-50'?)"),
        (("train", "a.txt"), "`explorer words train` needs --out FILE"),
        (("train", "a.txt", "--out", "x.doc"), "x.doc: the ending says how to write vectors"),
        (("train", "none.txt", "--out", "x.npz"), "none.txt: cannot be read: there is no such file."),
        (("train", "a.txt", "--out", "x.npz", "--dims", "0"), "'dims' is 0; it must lie between 1 and 1,000."),
        (("train", "a.txt", "--out", "x.npz", "--seed", "-1"), "it must lie between 0 and 4,294,967,295."),
        (("train", "a.txt", "--out", "x.npz", "--cores", "-1"), "--cores is 1 or more; -1 is not."),
        (("list", "--what"), "see `explorer words --help`"),
    ],
)
def test_wrong_input_is_one_line(fails, argv, said):
    assert said in fails(*argv)


@pytest.mark.parametrize("number", SIGNALS)
def test_ctrl_c_ends_at_a_place_to_go_on_from(monkeypatch, capsys, number):
    before = signal.getsignal(signal.SIGINT)

    def load(name, report):
        report(Progress("parsing", 1, 2))
        os.kill(os.getpid(), number)
        assert signal.getsignal(signal.SIGINT) is before  # a second one stops at once
        report(Progress("parsing", 2, 2))
        pytest.fail("it went on")

    monkeypatch.setattr(catalogue, "load", load)
    assert main(["words", "similar", "a"]) == 130
    assert signal.getsignal(signal.SIGINT) is before
    assert capsys.readouterr() == ("", "stopped\n")


def test_a_terminal_that_closes_takes_nothing_with_it(monkeypatch):
    def gone(*_args, **_more):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.write", gone)
    with command.progress() as report, pytest.raises(Cancelled):
        report(Progress("training", 3, 12))


def test_a_training_that_is_stopped_says_how_to_go_on(monkeypatch, capsys, tmp_path):
    def stop(*_args):
        raise Cancelled

    monkeypatch.setattr("explorer.words.glove.train_files", stop)
    assert main(["words", "train", "a.txt", "--out", str(tmp_path / "a.txt")]) == 130
    assert capsys.readouterr().err == "stopped; the same command goes on from there\n"


def test_a_training_that_is_refused_leaves_no_folder(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for content in (b"word", b"\xff\xfe"):
        (tmp_path / "a.txt").write_bytes(content)
        assert main(["words", "train", "a.txt", "--out", "out.npz"]) == 2
        assert capsys.readouterr().err.startswith("explorer: a.txt: ")
        assert os.listdir() == ["a.txt"]


def test_a_terminal_shows_progress_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with command.progress() as report:
        report(Progress("training", 3, 12, 61.4, 0.5))
        report(Progress("training", 12, 12, 0, 0.25))
    first, second, end = capsys.readouterr().err.split("\r\x1b[K")[1:]
    assert first == "training,  25%, loss 0.50000, 1:01 left"
    assert second == "training, 100%, loss 0.25000"
    assert end == ""


def test_elsewhere_a_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr("explorer.cli.status.LINE_EVERY", 0)
    with command.progress() as report:
        report(Progress("downloading", 5, 0))
    assert capsys.readouterr().err == "downloading\n"
