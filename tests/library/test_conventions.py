"""Conventions are asked for from Python and on the command line, and what is found opens."""

import json

import numpy as np
import pytest

import explorer
from explorer.cli import main
from tests.refusals import refuses

NUMBERS = "0 0 8.33; 0 8.33 0"


def test_what_is_found_opens():
    m = explorer.open("translation-lookup", "textbook")
    found = m.conventions({"scaled": NUMBERS})
    assert len(found) == 1
    assert found[0].changed == {"attention.scale": "1/d_k"}
    other = found[0].open()
    np.testing.assert_allclose(other["scaled"], [[0, 0, 25 / 3], [0, 25 / 3, 0]])
    assert m.switches["attention.scale"] == "1/sqrt(d_k)"
    assert not m.document.history.modified


def test_a_vector_and_a_single_number_need_no_shape():
    m = explorer.open("cat-sat-on-the", "printed")
    loss = f"{float(m['loss.value']):.3f}"
    assert len(m.conventions({"loss.value": loss})) > 0
    m = explorer.open("two-vectors", "alike")
    assert len(m.conventions({"length_x": m["length_x"].value})) > 0


def test_a_matrix_alone_opens():
    found = explorer.conventions("2 1 0.2", "0.6522 0.2399 0.1078", seconds=600)
    assert str(found) == "1  output.probabilities: as it stands"
    assert str(explorer.conventions([2, 1, 0.2], [0.6522, 0.2399, 0.1078])) == str(found)
    np.testing.assert_allclose(found[0].open()["output.probabilities"][0, 0], 0.6522, atol=1e-4)
    for wrong in ("1 nan", "1 2; 3"):
        with refuses("not a matrix|equally long"):
            explorer.conventions(wrong, "1")


@pytest.mark.parametrize("printed", ["? …", "?; ?", np.full((1, 3), np.nan), np.zeros((0, 3)), []])
def test_where_nothing_is_printed_there_is_nothing_to_look_for(printed):
    """All that has the same shape was found, as it stands."""
    with refuses("no numbers to look for"):
        explorer.conventions("2 1 0.2", printed)
    with refuses("no numbers to look for"):
        explorer.open("softmax").conventions({"output.probabilities": printed})


def test_numbers_that_nothing_gives():
    found = explorer.open("softmax").conventions({"output.probabilities": "0.45 0.25 0.12"})
    assert len(found) == 0
    assert str(found).startswith("No setting that was tried gives the printed numbers of output.probabilities.")


def test_the_command(capsys, tmp_path):
    out = tmp_path / "found.explorer"
    assert (
        main(["conventions", "translation-lookup", "--setting", "textbook", f"scaled={NUMBERS}", "--out", str(out)])
        == 0
    )
    assert capsys.readouterr().out.splitlines()[0] == "1  attention.scale = 1/d_k"
    assert explorer.open(out).switches["attention.scale"] == "1/d_k"
    file = tmp_path / "printed.txt"
    file.write_text(NUMBERS.replace("; ", "\n"), "utf-8")
    given = ["conventions", "translation-lookup", "--setting", "textbook", f"scaled=@{file}"]
    assert main([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ways"][0]["changed"] == {"attention.scale": "1/d_k"}
    none = tmp_path / "none.explorer"
    assert main(["conventions", "--given", "2 1 0.2", "--printed", "0.5 0.1 0.3", "--out", str(none)]) == 1
    assert "No setting" in capsys.readouterr().out
    assert not none.exists()
    assert main([*given, "--json", "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert len(json.loads(said.out)["ways"]) == 1, "with --json, standard output is JSON alone"
    assert said.err == f"wrote {out}\n"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "Name a LESSON"),
        (["softmax"], "Name a LESSON"),
        (["--given", "1 2", "--printed", "1 2", "--seconds", "nan"], "--seconds is a number above 0"),
        (["--given", "1 2", "--printed", "1 2", "--number", "99", "--out", "x.explorer"], "no setting number 99"),
        (["softmax", "output.probabilities"], "behind the node"),
        (["--given", "1 2"], "--printed"),
        (["softmax", "x=1"], "no node 'x'"),
        (["softmax", "output.probabilities=@/nowhere"], "cannot be read"),
    ],
)
def test_what_the_command_refuses(capsys, given, said):
    assert main(["conventions", *given]) == 2
    assert said in capsys.readouterr().err


def test_numbers_of_another_shape_are_told():
    """A row typed for a matrix ended in "no setting gives the numbers", as numbers that are wrong do."""
    said = str(explorer.open("emma").conventions({"scores": "1 2 3"}))
    assert said.splitlines()[1] == "scores is 9 × 9, its printed numbers are 1 × 3."
    assert "×" not in str(explorer.open("softmax").conventions({"output.probabilities": "0.1 0.2 0.3"}))
