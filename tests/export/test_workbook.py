"""The spreadsheet: what its formulas come to, computed anew by LibreOffice, and how it says what it holds."""

import os
import re
from io import BytesIO
from zipfile import ZipFile

import numpy as np
import pytest

from explorer.cli import main
from explorer.core.errors import ExplorerError
from explorer.document.commands import PinCells, SetCells, SetTokens
from explorer.document.document import Document
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load, model_titles, titles
from tests.export.spreadsheets import SOFFICE, read, recomputed, typed, values_of, written
from tests.refusals import refuses

FEW = ("roses-are-red.textbook", "apple-orange.phone")
"""Settings that together have most ops that a lesson has; `EXPLORER_ALL_SHEETS=1` takes all settings of all."""

needs_libreoffice = pytest.mark.skipif(
    SOFFICE is None,
    reason="LibreOffice is not here (apt-get install libreoffice-calc-nogui: 87 MB; .ci/run does that); "
    "tests/core/ops/test_every_formula.py computes the formula of every op by itself",
)


def settings_wanted():
    if "EXPLORER_ALL_SHEETS" not in os.environ:
        return FEW
    return [f"{id}.{name}" for id in (*titles(), *model_titles()) for name in load(id).settings]


def assert_same(found, engine, about):
    """Every cell is ours; what is infinite or undefined with us is an error in a sheet. Returns how many there are."""
    for name, array in found.items():
        expected = engine.values[name].astype(float)
        finite = np.isfinite(expected) | np.isneginf(expected)
        assert np.isnan(array[~finite]).all(), (about, name)
        single = engine.values[name].dtype == np.float32
        largest = np.abs(expected[np.isfinite(expected)]).max(initial=1)
        near = (1e-4 if single else 1e-12) * largest
        np.testing.assert_allclose(array[finite], expected[finite], rtol=0, atol=near, err_msg=f"{about} {name}")
    return sum(array.size for array in found.values())


def edited(lesson, setting, *commands):
    document = Document(load(lesson).state(setting))
    for command in commands:
        document.do(command)
    return document.state


@needs_libreoffice
def test_libreoffice_computes_every_cell_of_examples_and_of_edited_ones(tmp_path):
    states = {name: load(name.split(".")[0]).state(name.split(".")[1]) for name in settings_wanted()}
    states["edited"] = edited(
        "you-are-welcome",
        "textbook",
        SetTokens("source", ["are", "You"]),
        SetCells("encoder.1.self.W_Q", {(0, 1, 2): 1.75}),
        PinCells("decoder.1.self.masked", {(0, 0, 0): -np.inf}),  # a row that is masked whole
        PinCells("output.probabilities", {(0, 1): 0.0}),
    )
    engines, books = {}, {}
    for name, state in states.items():
        try:
            engines[name], books[name] = written(state)
        except ExplorerError as error:
            if error.id != "sheet-too-large":  # as a model that came trained is, and it is said
                raise
            print("too large for a spreadsheet:", name)
    # What is typed into the spreadsheet comes to the same as what is typed into the program.
    given, changed = load("you-are-welcome").state("textbook"), {"source.table": (1, 2), "encoder.1.self.W_O": (3, 0)}
    _, book = written(given)
    for node, cell in changed.items():
        book = typed(book, given.graph, node, cell, 0.625)
    books["typed"] = typed(book, given.graph, "source.tokens", (0,), "welcome")
    commands = (SetCells(node, {cell: 0.625}) for node, cell in changed.items())
    engines["typed"], _ = written(
        edited("you-are-welcome", "textbook", *commands, SetTokens("source", ["welcome", "are", "welcome"]))
    )
    cells = 0
    for name, sheet in recomputed(books, tmp_path).items():
        cells += assert_same(values_of(sheet, engines[name].graph), engines[name], name)
    print(f"{cells} cells of {len(books)} workbooks")
    assert cells > 1500


def test_what_the_formulas_remember_are_our_numbers_so_that_a_reader_without_a_calculator_shows_them():
    engine, book = written(load("start-here").state("printed"))
    assert_same(values_of(read(book), engine.graph), engine, "start-here")


def test_no_cell_holds_a_0_with_a_sign():
    engine, book = written(SetCells("input.X", {(0, 0): -0.0}).apply(load("xor").state("textbook")))
    zeros = {name: value for name, value in engine.values.items() if np.signbit(value[value == 0]).any()}
    assert zeros  # or this test would say nothing
    with ZipFile(BytesIO(book)) as file:
        sheets = [file.read(name).decode() for name in file.namelist() if name.startswith("xl/worksheets/")]
    assert not re.search(r"<v>-0(\.0+)?</v>", "".join(sheets))


def texts_of(book):
    return [text for text in read(book).values() if isinstance(text, str)]


def parts_of(book, part):
    with ZipFile(BytesIO(book)) as file:
        return file.read(part).decode()


def test_words_are_chosen_from_a_list_and_label_everything():
    _, book = written(edited("you-are-welcome", "printed", SetTokens("source", ["are", "You"])))
    sheet = parts_of(book, "xl/worksheets/sheet2.xml")
    assert '<dataValidation type="list"' in sheet
    assert "SUMPRODUCT(EXACT(Words!$B$5:$B$7,$A6)*Words!$A$5:$A$7)" in sheet
    assert [text for text in texts_of(book) if text in ("are", "You", "welcome")][:2] == ["are", "You"]


def test_names_pins_switches_and_what_is_missing_stand_in_it():
    state = edited("you-are-welcome", "textbook", PinCells("encoder.1.self.weights", {(0, 0, 0): np.nan}))
    _, book = written(state, "Greeting", "Textbook")
    names = parts_of(book, "xl/workbook.xml")
    assert 'name="encoder.1.self.head.1.weights">' in names
    assert 'name="output.W">' in names
    said = "\n".join(texts_of(book))
    assert "partly pinned" in said
    assert "numbers are infinite or undefined" in said
    assert "What a sheet cannot hold" in said
    assert "Greeting" in parts_of(book, "docProps/core.xml")
    assert "the probability of each of 8 words" in parts_of(book, "xl/drawings/drawing1.xml")


def test_names_that_a_spreadsheet_reads_as_something_else():
    _, book = written(new_lesson("gpt", ["=A1 'r' c:[1]/*? <b>"], d_model=4).state())
    words = texts_of(book)
    assert "=A1" in words
    assert "c:[1]/*?" in words


def test_no_formula_of_a_model_with_a_hundred_heads_is_longer_than_excel_takes():
    _, book = written(new_lesson("encoder", ["a"], d_model=96, heads=96, d_ff=1).state())
    assert max(map(len, re.findall("<f>(.*?)</f>", parts_of(book, "xl/worksheets/sheet1.xml")))) <= 8192


def test_a_model_that_is_too_large_is_refused_before_anything_is_written(tmp_path, capsys):
    large = new_lesson("gpt", [" ".join(f"w{i}" for i in range(300))], d_model=64, layers=2).state()
    with refuses("A spreadsheet with formulas takes up to 300,000 cells"):
        written(large)


def test_the_command_line_writes_both_kinds(tmp_path, capsys):
    out = tmp_path / "emma.xlsx"
    assert main(["export", "emma", str(out), "--set", "Q[0,0]=1.5"]) == 0
    assert capsys.readouterr().out == f"wrote {out}\n"
    assert "edited" in "".join(texts_of(out.read_bytes()))
    assert main(["export", "emma", str(tmp_path / "emma.py")]) == 0
    assert main(["export", "emma", str(tmp_path / "emma.ods")]) == 2
    assert ".xlsx or .py" in capsys.readouterr().err
