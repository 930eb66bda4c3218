"""A matrix as text: each format gives back the numbers and the labels."""

import csv
from io import StringIO

import numpy as np
import pytest

from explorer.export.matrix import (
    ENDINGS,
    FORMATS,
    LabelledMatrix,
    as_csv,
    html_table,
    latex,
    markdown,
    numpy,
    save,
    tsv,
)
from tests.refusals import refuses

VALUE = np.array([[0.1, -np.inf, 1e-9], [1 / 3, np.nan, -2e12]])
TABLE = LabelledMatrix("encoder.1.self.head.2.masked", "Z'", VALUE, ("<start>", "a|b_c"), ("x", "y,z", "ü"))


def evaluated(text):
    names = {"np": np}
    exec(text, names)
    return names


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_numpy_gives_the_same_bits(dtype):
    value = np.array([[1, 2], [3, 0]]).astype(dtype) / (1 if dtype == "int64" else np.asarray(3, dtype))
    array = evaluated(numpy(LabelledMatrix("layer.1.W", "W", value)))["W"]
    assert array.dtype == value.dtype
    assert array.tobytes() == value.tobytes()
    np.testing.assert_array_equal(evaluated(numpy(TABLE))["masked"], VALUE)


def test_numpy_gives_the_same_bits_also_where_the_shortest_digits_are_rounded_twice():
    given = np.array([[0x15AE43FD]], np.uint32).view(np.float32)
    found = {"np": np}
    exec(numpy(LabelledMatrix("a", "a", given)), found)
    assert found["a"].tobytes() == given.tobytes()


def test_labels_stay_in_their_comment():
    """A document from others may have a line break in its words; what is behind it ran as Python when it was pasted."""
    table = LabelledMatrix("a", "a", np.eye(1), ("x\nraise ValueError",), ("y\rz",))
    exec(numpy(table), {"np": np})
    assert "% columns: y z\n" in latex(table)


@pytest.mark.parametrize(("write", "delimiter"), [(tsv, "\t"), (as_csv, ",")])
def test_separated_values_have_all_digits_and_the_labels(write, delimiter):
    quoted = LabelledMatrix("E", "E", np.eye(2), ('"', '"a'))  # pieces of a tokenizer
    assert [line[0] for line in csv.reader(StringIO(write(quoted)), delimiter=delimiter)] == ["E", '"', '"a']
    head, *lines = csv.reader(StringIO(write(TABLE)), delimiter=delimiter)
    assert head == ["encoder.1.self.head.2.masked", "x", "y,z", "ü"]
    assert [line[0] for line in lines] == ["<start>", "a|b_c"]
    np.testing.assert_array_equal([[float(cell) for cell in line[1:]] for line in lines], VALUE)


def test_markdown_shows_labels_as_they_are():
    head, rule, first, second = markdown(TABLE).splitlines()
    assert head.startswith(r"| encoder.1.self.head.2.masked | x |")
    assert rule == "| --- | ---: | ---: | ---: |"
    assert first == "| &lt;start&gt; | 0.1 | -inf | 1e-09 |"
    assert second == r"| a\|b\_c | 0.33333333 | nan | -2e+12 |"


def test_markdown_takes_no_word_for_its_signs():
    """Pieces of a tokenizer may be any signs: "`x`" lost its backquotes, and a backslash ate the sign after it."""
    table = LabelledMatrix("W", "W", np.ones((5, 1)), ("`x`", r"\!", r"\|", "$a$", "~~s~~"))
    labels = [line.rpartition(" | ")[0][2:] for line in markdown(table).splitlines()[2:]]
    assert labels == [r"\`x\`", r"\\!", r"\\\|", r"\$a\$", r"\~\~s\~\~"]


def test_labels_are_written_in_letters_that_latex_knows():
    """pdflatex, tried by hand, ends in an error at others."""
    table = LabelledMatrix("x", "x", np.ones((5, 1)), ("x₁₀", "␣the", "⏎", "−3", "√dₖ σ²"))
    labels = (r"x$_1$$_0$", r"$\sqcup$the", r"$\hookleftarrow$", "$-$3", r"$\surd$d$_k$ $\sigma$²")
    assert r" \\ ".join(rf"\text{{{one}}}" for one in labels) in latex(table)


def test_latex_is_one_equation():
    text = latex(TABLE)
    assert r"\text{\textless{}start\textgreater{}} \\ \text{a|b\_c}" in text
    assert r"0.1 & -\infty & 1 \times 10^{-9} \\" in text
    assert "MaxMatrixCols" not in text
    assert r"\setcounter{MaxMatrixCols}{12}" in latex(LabelledMatrix("W", "W", np.ones((2, 12))))
    assert latex(LabelledMatrix("T", "T", np.array([[2.0]]))).splitlines()[1:] == [r"\[ T =", "2", r"\]"]


def test_a_table_shows_the_largest_numbers_that_there_are():
    """A net that had diverged ended in an error in a notebook: twice 1e308 is infinite, and has no colour."""
    for value in (1e308, -1.7e308):
        assert "×10³⁰⁸<" in html_table(LabelledMatrix("a", "a", np.array([[value, 1.0, np.nan, np.inf]])))


def test_a_file_has_the_format_of_its_ending(tmp_path):
    for ending, name in ENDINGS.items():
        (path,) = save(TABLE, tmp_path / f"m{ending}")
        if ending == ".npy":
            assert np.load(path).tobytes() == VALUE.tobytes()
        elif ending == ".py":  # a file that runs, unlike what is pasted into one
            found = {}
            exec(path.read_text("utf-8"), found)
            assert found["masked"].tobytes() == VALUE.tobytes()
        else:
            assert path.read_text("utf-8") == FORMATS[name](TABLE)
    with refuses("'.doc' is not a format; choose .tsv, .csv"):
        save(TABLE, tmp_path / "m.doc")
