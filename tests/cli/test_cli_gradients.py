"""``--grad`` of show and explain."""

import csv
import io
import json
import re

import numpy as np
import pytest

from explorer.cli import main
from explorer.core.graph import Root
from explorer.document.document import Document
from explorer.lessons.loader import load

WELCOME = ("you-are-welcome", "--setting", "textbook")


@pytest.fixture
def engine():
    return Document(load(WELCOME[0]).state(WELCOME[2])).engine


@pytest.fixture
def out(capsys):
    """A function that runs a command and returns what it prints."""

    def out(*argv):
        assert main(argv) == 0
        return capsys.readouterr().out

    return out


def test_json_holds_the_gradient_of_every_node_and_head_bit_for_bit_but_for_the_sign_of_0(engine, out):
    nodes = json.loads(out("show", *WELCOME, "--grad", "--format", "json"))["nodes"]
    assert list(nodes) == list(engine.graph.names())
    for name, node in nodes.items():
        gradient = engine.gradient(engine.graph.place(name))
        if gradient is None:  # whole numbers
            assert "grad" not in node
        else:
            assert np.array(node["grad"]).tobytes() == np.ascontiguousarray(gradient + 0).tobytes(), name


def test_json_has_no_gradient_unasked(out):
    nodes = json.loads(out("show", *WELCOME, "output.b", "--format", "json"))["nodes"]
    assert "grad" not in nodes["output.b"]


def test_csv_has_one_column_more(engine, out):
    text = out("show", *WELCOME, "output.b", "output.chosen", "--grad", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    expected = engine.gradient(engine.graph.place("output.b"))
    assert [float(row["grad"]) for row in rows[:8]] == expected.tolist()
    assert {row["grad"] for row in rows[8:]} == {""}


def test_table_writes_the_gradient_below_the_value(engine, out):
    lines = out("show", *WELCOME, "output.temperature", "--grad").splitlines()
    gradient = engine.gradient(engine.graph.place("output.temperature"))
    assert lines[-3:] == ["  1", "  gradient", f"  {gradient:.8g}"]
    assert "gradient" not in out("show", *WELCOME, "output.chosen", "--grad")


def test_latex_writes_a_second_matrix(out):
    text = out("show", *WELCOME, "encoder.1.self.head.2.Q", "--grad", "--format", "latex")
    assert r"\[ \frac{\partial L}{\partial {Q}^{(2)}} =" in text
    assert text.count(r"\begin{pmatrix}") == 2
    text = out("show", "emma", "Q", "--grad-of", "weights[0,1]", "--format", "latex")
    assert r"\[ \frac{\partial {A}_{0,1}}{\partial Q} =" in text


def test_another_number_than_the_loss(out):
    engine = Document(load("emma").state("textbook")).engine
    text = out("show", "emma", "K", "--setting", "textbook", "--grad-of", "weights[5,1]", "--format", "json")
    found = json.loads(text)["nodes"]["K"]["grad"]
    assert found == engine.gradient(engine.graph.place("K"), Root("weights", (5, 1))).tolist()


def test_explain_derives_and_checks_a_gradient(engine, out):
    lines = out("explain", *WELCOME, "encoder.1.self.head.2.W_Q[1,0]", "--grad").splitlines()
    gradient = engine.gradient(engine.graph.place("encoder.1.self.W_Q"))[1, 1, 0]
    assert lines[0] == f"∂ loss.value / ∂ encoder.1.self.head.2.W_Q[1,0] = {gradient}"
    assert lines[1] == "head 2, row 2, column 1 · Encoder 1 › Self-attention"
    assert [line.split()[0] for line in lines[3:6]] == ["You", "are", "welcome"]
    assert lines[6].startswith("=  through encoder.1.self.Q")
    slope = float(lines[-1].rpartition("slope ")[2].partition(",")[0])
    assert slope == pytest.approx(gradient, rel=1e-6)


def test_explain_says_that_the_gradient_agrees_or_names_the_corner(out):
    agreed = out("explain", *WELCOME, "output.b[0]", "--grad")
    assert re.search(r"slope \S+, the same to \d+ digits\n$", agreed)
    # Both hidden units of the first case are 0, where ReLU has its corner, and the next layer's weights are not.
    moved = ("--setting", "textbook", "--set", "layer.2.b[0]=0.5")
    cornered = out("explain", "xor", "layer.1.hidden[0,0]", *moved, "--grad")
    assert cornered.endswith(", ≠ within ±h loss.value has a corner, or is too flat for its digits\n")
    assert "= 0.0\n" in cornered


def test_an_infinite_loss_has_the_gradient_that_its_derivation_has(out):
    """Of an output of 0 the cross-entropy is infinite; 0 · ∞ on the way to a weight made its gradient NaN."""
    text = out(
        *("explain", "xor", "layer.2.W[1,0]", "--setting", "textbook", "--switch", "loss.loss=cross-entropy", "--grad")
    )
    assert "∂ layer.2.W[1,0] = -inf\n" in text
    assert "−∞ × 1.0  −∞" in text


@pytest.mark.parametrize("form", ["table", "json", "csv", "tsv", "markdown", "latex"])
@pytest.mark.parametrize("lesson", [("sin",), ("xor", "--setting", "textbook"), WELCOME])
def test_0_is_shown_without_a_sign(out, lesson, form):
    text = out("show", *lesson, *["--grad"] * (form not in ("tsv", "markdown")), "--format", form)
    assert not re.search(r"(?<![\w.])[-−]0(\.0+)?(?![\d.e])", text)


def test_a_perfect_loss_is_0(out):
    perfect = ("xor", "--setting", "textbook", "--switch", "loss.loss=cross-entropy")
    sets = [part for i in range(4) for part in ("--set", f"layer.2.activation[{i},0]=1")]
    assert out("show", *perfect, *sets, "loss.value").endswith("\n  0\n")


def test_explain_another_root_and_pins(out):
    last = "masked[5,1]"
    lines = out("explain", "emma", "scores[5,1]", "--setting", "textbook", "--grad-of", last).splitlines()
    assert lines[0].startswith(f"∂ {last} / ∂ scores[5,1] = ")
    pinned = ("--set", "scaled[5,1]=2")
    lines = out("explain", "emma", "scores[5,1]", "--setting", "textbook", "--grad-of", last, *pinned).splitlines()
    assert lines[0] == f"∂ {last} / ∂ scores[5,1] = 0.0"
    assert lines[3].split(maxsplit=3) == ["=", "through", "scaled", "pinned: nothing passes on  0"]


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (("show", "emma", "--grad"), ("no loss", "loss.loss", "`--grad-of CELL`")),
        (("explain", "emma", "Q[0,0]", "--grad"), ("no loss", "`--grad-of CELL`")),
        (("show", "emma", "--grad-of", "weights"), ("9 × 9",)),
        (("show", "emma", "--grad-of", "weights[9,0]"), ("[9, 0]", "9 × 9")),
        (("show", "emma", "--grad-of", "wieghts[0,0]"), ("did you mean 'weights'?",)),
        (("show", "emma", "--grad-of", "weights[0"), ("NODE[row,column]",)),
        (("show", "you-are-welcome", "--grad-of", "output.chosen[0]"), ("whole numbers",)),
        (("explain", "you-are-welcome", "source.tokens[0]", "--grad"), ("'source.tokens'", "whole numbers")),
        (("explain", "you-are-welcome", "output.b[99]", "--grad"), ("[99]",)),
        (("show", "you-are-welcome", "--grad", "--format", "python"), ("--grad", "format")),
    ],
)
def test_one_line_says_what_was_wrong(capsys, argv, names):
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    for name in names:
        assert name in line
