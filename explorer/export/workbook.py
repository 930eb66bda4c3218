"""A whole model as a file: a spreadsheet with working formulas, or a numpy script.

In the spreadsheet, all numbers follow after a change of a teal one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from math import inf, isfinite, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer import PROGRAM
from explorer.core import script
from explorer.core.cell import MINUS_INFINITY, CellBlock, letters
from explorer.core.engine import Engine
from explorer.core.errors import written_shape
from explorer.core.graph import name_of_head
from explorer.core.model import SWITCHES, Model
from explorer.core.numbers import decimals_of
from explorer.document.document import Document
from explorer.export.layout import FIRST_COLUMN, FIRST_ROW, WORDS, Layout, Placed, lay_out, quoted
from explorer.files import write_file
from explorer.lessons.schema import Lesson
from explorer.lessons.symbols import UnknownNameError, formula_text

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

ENDINGS = (".xlsx", ".py")


def save_model(document: Document, lesson: Lesson, path: Path) -> tuple[Path, ...]:
    """Write all numbers of a document, and how they are computed, into a file in the format of its ending (`ENDINGS`).

    `lesson`: the lesson that the document belongs to.
    Returns the files written: a script may have its large arrays in a second one.
    Raises `ExplorerError`: "sheet-too-large", "not-a-script-name" or "not-written".
    """
    return writing(document, lesson, path)()


def writing(document: Document, lesson: Lesson, path: Path) -> Callable[[], tuple[Path, ...]]:
    """A function that does `save_model` with the present numbers, and may be called later and on any thread."""
    document.settle()
    engine, model = replace(document.engine), document.state.model
    setting = lesson.settings.get(document.state.setting)
    said = setting.title if setting else document.state.setting
    if document.history.modified:
        said = f"{said}, edited"
    if path.suffix.lower() != ".xlsx":
        title = f"{lesson.cited}, {said}"
        return lambda: script.save(script.export(engine, title), path)
    return lambda: write_file(path, workbook(engine, model, lesson.title, said))


LABELS, NUMBERS = 18, 9.5
"""The widths of columns with labels and with numbers, in characters."""
FITTED = 26
"""The most columns of a sheet that is printed on the width of one page; a wider sheet would not be readable."""
BARS = 40
"""The most words, and the most positions, of a chart."""
LONGEST_FORMULA = 8000
"""The most characters of a formula; Excel takes 8,192."""
# The light theme of the window.
TEXT, MUTED, LINE = "#1b2430", "#5b6472", "#e3e0da"
TEAL, TEAL_SOFT, TEAL_LINE = "#0b5f58", "#e8f5f2", "#a9d8cf"
ORANGE, ORANGE_SOFT = "#b0470c", "#fdeee0"
BLUE = "#5b8fd6"
SERIES = ("#1d5fbf", "#8a6d0b", "#9a4d94", "#1b2430", "#477a1c", "#5b6472")
_FONT = {"font_name": "Calibri", "font_size": 11, "font_color": TEXT}
_LOOKS: Mapping[str, dict[str, Any]] = {
    "text": {},
    "title": {"bold": True, "font_size": 16},
    "heading": {"bold": True, "font_size": 12, "top": 1, "top_color": LINE},
    "strong": {"bold": True},
    "muted": {"font_color": MUTED},
    "wrapped": {"text_wrap": True, "valign": "top"},
    "link": {"font_color": "#1d5fbf", "underline": 1},
    "row": {"font_color": MUTED, "align": "right", "shrink": True},
    "column": {"font_color": MUTED, "align": "right", "shrink": True, "bottom": 1, "bottom_color": LINE},
    "word": {"font_color": TEAL, "bg_color": TEAL_SOFT, "border": 1, "border_color": TEAL_LINE, "align": "right"},
    "input": {"font_color": TEAL, "bg_color": TEAL_SOFT, "border": 1, "border_color": TEAL_LINE},
    "computed": {"border": 1, "border_color": LINE},
    "pinned": {"bold": True, "font_color": TEAL, "pattern": 14, "fg_color": TEAL_LINE, "bg_color": "#ffffff",
               "border": 2, "border_color": TEAL_LINE},
    "given": {"border": 1, "border_color": LINE, "italic": True},
    "before": {"font_color": MUTED, "italic": True},
    "changed": {"font_color": ORANGE, "bg_color": ORANGE_SOFT},
    "small": {},
    "masked": {"font_color": MUTED},
}  # fmt: skip

LEGEND = (
    ("input", "Teal: yours to change, numbers and words alike. Everything that depends on it follows."),
    ("computed", "White: a formula; click on it to see which cells it reads."),
    ("pinned", "Hatched: pinned, held at a number typed by hand where a formula would stand."),
    ("changed", "Orange: no longer what the program had, so this is how far your edit reaches."),
    ("before", "Grey, at the right of each matrix: the numbers that the program had, for comparison."),
)


def workbook(engine: Engine, model: Model, title: str, setting: str = "") -> bytes:
    """The graph, with its values and pins, as an .xlsx; the model's switches are listed in it.

    `title`, `setting`: the title of the lesson and of its setting, for the head of the first sheet.
    Raises `ExplorerError`: "sheet-too-large".
    """
    from xlsxwriter import Workbook  # takes 50 ms to import

    layout = lay_out(engine.graph)
    stream = BytesIO()
    book = Workbook(stream, {"in_memory": True, "strings_to_urls": False})
    _Writer(engine, model, layout, book).write(title, setting)
    book.close()
    return stream.getvalue()


class _Writer:
    """Writes one workbook."""

    def __init__(self, engine: Engine, model: Model, layout: Layout, book: Workbook) -> None:
        self._engine, self._model, self._layout, self._book = engine, model, layout, book
        self._formats: dict[tuple[str, str], Format] = {}
        self._only_numbers: dict[str, str] = {}
        """The computed nodes that are written as plain numbers, each with the reason."""
        self._odd = 0
        """How many numbers are infinite or NaN."""

    def write(self, title: str, setting: str) -> None:
        engine, layout, book = self._engine, self._layout, self._book
        about = f"Every number of “{title}”{f', {setting}' if setting else ''}, with working formulas"
        book.set_properties({"title": title, "subject": setting, "comments": about, "author": PROGRAM})
        book.set_size(2400, 1500)
        contents = book.add_worksheet("Contents")
        sheets = {name: book.add_worksheet(name) for name in layout.sheets.values()}
        stages = {stage: sheets[name] for stage, name in layout.sheets.items()}
        for stage in engine.graph.stages:
            self._begin(stages[stage.name], layout.sheets[stage.name])
        for placed in layout.nodes.values():
            self._node(stages[placed.node.stage], placed)
        for stage in engine.graph.stages:
            self._chart(stages[stage.name], [p for p in layout.nodes.values() if p.node.stage == stage.name])
        if layout.vocabularies:
            self._words(book.add_worksheet(WORDS))
        self._contents(contents, title, setting)
        contents.activate()

    def look(self, name: str, numbers: str = "") -> Format:
        """The format of a kind of cells."""
        if (name, numbers) not in self._formats:
            own = ({} if name == "changed" else _FONT) | _LOOKS[name] | ({"num_format": numbers} if numbers else {})
            self._formats[name, numbers] = self._book.add_format(own)
        return self._formats[name, numbers]

    # A stage

    def _begin(self, sheet: Worksheet, title: str) -> None:
        """Write the title and the legend of a stage, and set up its page."""
        own = [placed for placed in self._layout.nodes.values() if placed.sheet == title]
        sheet.set_column(0, 0, LABELS)
        widest = max(placed.beside + placed.block.table[1] for placed in own)
        sheet.set_column(1, widest, NUMBERS)
        sheet.write_string(0, 0, title, self.look("title"))
        sheet.write_url(1, 0, "internal:'Contents'!A1", self.look("link"), "← Contents")
        legend = "Teal: yours to change. White: formulas. Grey, at the right: the numbers that the program had."
        sheet.write_string(1, 1, legend, self.look("muted"))
        sheet.freeze_panes(2, 1)
        sheet.repeat_rows(0)
        self._page(sheet, "&A", fitted=widest <= FITTED)

    def _page(self, sheet: Worksheet, foot: str, fitted: bool = True) -> None:
        """Set up how a sheet looks on screen and paper."""
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.set_paper(9)
        if fitted:
            sheet.fit_to_pages(1, 0)
        sheet.set_footer(f"&L{foot}&RPage &P of &N")

    def _node(self, sheet: Worksheet, placed: Placed) -> None:
        """Write a node: its heading, its labels, its numbers, and the numbers that the program had."""
        node, value = placed.node, self._engine.values[placed.node.name]
        sheet.write_string(placed.head, 0, node.short, self.look("heading"))
        about = f"     {written_shape(value.shape)}     {node.name}"
        parts = self.look("text"), _formula(self._engine, node), self.look("muted"), about
        sheet.write_rich_string(placed.head, 1, *parts)
        self._labels(sheet, placed)
        decimals = "0" if placed.words or node.op.whole else f"0.{'0' * decimals_of(value)}".rstrip(".")
        shown = f'{decimals};"−"{decimals}'
        formulas, pin = self._formulas(placed), self._engine.pins.get(node.name)
        held = np.zeros(value.shape, dtype=bool) if pin is None else pin.cells
        computed, before, pinned = (self.look(name, shown) for name in ("computed", "before", "pinned"))
        given = self.look("input" if node.is_input else "given", shown)
        self._odd += int(np.count_nonzero(~np.isfinite(value) & ~np.isneginf(value)))
        places = zip(_places(placed.block), (value + 0).ravel().tolist(), held.ravel().tolist(), strict=True)
        for i, ((row, column), number, is_held) in enumerate(places):
            if is_held:
                _number(sheet, row, column, number, pinned)
            elif formulas is None:
                _number(sheet, row, column, number, given)
            else:
                sheet.write_formula(row, column, f"={formulas[i]}", computed, _held(number))
            if not node.is_input:
                _number(sheet, row, column + placed.beside - FIRST_COLUMN, number, before)
        self._conditions(sheet, placed, decimals)
        for head, area in enumerate(placed.areas()):
            name = placed.block.name or name_of_head(node.name, head)
            self._book.define_name(name, f"={quoted(placed.sheet)}!{_range(area)}")

    def _formulas(self, placed: Placed) -> list[str] | None:
        """The formula of each cell; None if the node is written as numbers."""
        node = placed.node
        if node.is_input:
            axis = self._layout.graph.sequences.get(node.name.removesuffix(".tokens"))
            if axis is None:
                return None
            numbers, words = self._layout.word_list(axis)  # a token's word is looked up in it, case-sensitively
            tops = range(placed.block.row, placed.bottom)
            return [f"SUMPRODUCT(EXACT({words},$A{row + 1})*{numbers})" for row in tops]
        parents = self._layout.parents(placed)
        found = [node.op.sheet(cell, *parents) for cell in np.ndindex(placed.block.shape)]
        if max(map(len, found), default=0) > LONGEST_FORMULA:
            self._only_numbers[node.name] = "its formula would be longer than spreadsheets take"
            return None
        return found

    def _labels(self, sheet: Worksheet, placed: Placed) -> None:
        """Write the labels of rows and columns; words of a sentence refer to the cells where its tokens are chosen."""
        node, block = placed.node, placed.block
        for head, (top, left, _, _) in enumerate(placed.areas()):
            if block.ndim > 2:
                sheet.write_string(top - 1, 0, f"head {head + 1}", self.look("strong"))
            if placed.labelled:
                self._line(sheet, node.axes[-1], [(top - 1, left), (top - 1, placed.beside)][: 2 - node.is_input])
            if block.ndim > 1:
                self._line(sheet, node.axes[-2], [(top, 0)], across=False)
        if block.upright:
            axis = node.axes[0]
            if node.name == f"{axis}.tokens":
                self._sentence(sheet, placed, axis)
            else:
                self._line(sheet, axis, [(block.row, 0)], across=False)
                if placed.words:
                    self._meanings(sheet, placed)

    def _line(self, sheet: Worksheet, axis: str, starts: list[tuple[int, int]], across: bool = True) -> None:
        """Write the labels of an axis, starting from each of some cells, to the right or down."""
        look = self.look("column" if across else "row")
        for i, label in enumerate(self._engine.labels(axis)):
            word = self._layout.word_cell(axis, i)
            for row, column in starts:
                at = (row, column + i) if across else (row + i, column)
                if word is None:
                    sheet.write_string(*at, label, look)
                else:
                    sheet.write_formula(*at, f"={word}", look, label)

    def _sentence(self, sheet: Worksheet, placed: Placed, sequence: str) -> None:
        """Write the words of a sentence, each with a drop-down list of the vocabulary."""
        top, bottom = placed.block.row, placed.bottom - 1
        for i, word in enumerate(self._engine.labels(sequence)):
            sheet.write_string(top + i, 0, word, self.look("word"))
        _, words = self._layout.word_list(self._layout.graph.sequences[sequence])
        choice = {"validate": "list", "source": f"={words}", "error_title": "Not in the vocabulary"}
        choice |= {"error_message": "Choose a word of the list; the sheet “Words” shows it whole."}
        choice |= {"input_title": "A word of the sentence", "input_message": "Choose another one: everything follows."}
        sheet.data_validation(top, 0, bottom, 0, choice)

    def _meanings(self, sheet: Worksheet, placed: Placed) -> None:
        """Write the words that whole numbers stand for, beside the numbers."""
        _, words = self._layout.word_list(placed.words)
        known, numbers = self._layout.graph.axes[placed.words], self._engine.values[placed.node.name]
        column = placed.block.column
        for row, number in enumerate(numbers.tolist(), placed.block.row):
            meant = known[number] if 0 <= number < len(known) else "#REF!"
            formula = f"=INDEX({words},{letters(column)}{row + 1}+1)"
            sheet.write_formula(row, column + 1, formula, self.look("strong"), meant)

    def _conditions(self, sheet: Worksheet, placed: Placed, decimals: str) -> None:
        """Set the conditional formats of cells that are −∞, very small, changed by an edit, or shares of 1."""
        node, value = placed.node, self._engine.values[placed.node.name]
        near = 1e-4 if value.dtype == np.float32 else 1e-9
        for area, before in zip(placed.areas(), placed.areas(placed.beside), strict=True):
            here, there = (f"{letters(left)}{top + 1}" for top, left, _, _ in (area, before))

            def when(where: Sequence[int], criterion: str, look: Format) -> None:
                sheet.conditional_format(*where, {"type": "formula", "criteria": f"={criterion}", "format": look})

            for where, at in ((area, here), (before, there))[: 2 - node.is_input]:
                if placed.block.masked:
                    when(where, f"{at}<0.1*{MINUS_INFINITY}", self.look("masked", '"−∞"'))
                if value.dtype.kind == "f":
                    least = 0.5 * 0.1 ** (len(decimals) - 2)
                    when(where, f"AND({at}<>0,ABS({at})<{least:g})", self.look("small", '0E+0;"−"0E+0'))
            if not node.is_input:
                when(area, f"ABS({here}-{there})>{near}*MAX(1,ABS({there}))", self.look("changed"))
            if node.op.shares:
                shares = {"type": "2_color_scale", "min_type": "num", "min_value": 0, "min_color": "#ffffff"}
                sheet.conditional_format(*area, {**shares, "max_type": "num", "max_value": 1, "max_color": BLUE})

    def _chart(self, sheet: Worksheet, own: Sequence[Placed]) -> None:
        """Add a chart with the probabilities of words, which follow every edit, below all matrices."""
        for placed in own:
            rows, columns = placed.block.table
            is_of_words = placed.node.op.softens and placed.node.axes[-1] in self._layout.vocabularies
            if not is_of_words or rows > BARS or columns > BARS:
                continue
            ((top, left, bottom, right),) = placed.areas()
            chart = self._book.add_chart({"type": "column"})
            for row in range(top, bottom + 1):
                words, values = [placed.sheet, top - 1, left, top - 1, right], [placed.sheet, row, left, row, right]
                look = {"fill": {"color": SERIES[(row - top) % len(SERIES)]}, "gap": 60}
                chart.add_series({"name": [placed.sheet, row, 0], "categories": words, "values": values, **look})
            chart.set_title({"name": f"{placed.node.short}: the probability of each word", "name_font": {"size": 12}})
            chart.set_y_axis({"min": 0, "max": 1, "major_gridlines": {"visible": True, "line": {"color": LINE}}})
            chart.set_legend({"position": "bottom"})
            chart.set_size({"width": 760, "height": 300})
            said = f"Bars for {placed.node.name}: the probability of each of {columns} words at each of {rows} places."
            sheet.insert_chart(max(one.bottom for one in own) + 1, 1, chart, {"description": said})

    # The sheets around the stages

    def _words(self, sheet: Worksheet) -> None:
        """Write the sheet of the vocabularies, each word with its number."""
        self._page(sheet, "&A")
        sheet.write_string(0, 0, "Words that the model knows, with their numbers", self.look("title"))
        sheet.write_url(1, 0, "internal:'Contents'!A1", self.look("link"), "← Contents")
        sheet.freeze_panes(FIRST_ROW, 0)
        for i, vocabulary in enumerate(self._layout.vocabularies):
            sheet.set_column(3 * i, 3 * i, 8)
            sheet.set_column(3 * i + 1, 3 * i + 1, 16)
            sheet.write_string(FIRST_ROW - 1, 3 * i, vocabulary, self.look("strong"))
            for number, word in enumerate(self._layout.graph.axes[vocabulary]):
                sheet.write_number(FIRST_ROW + number, 3 * i, number, self.look("muted"))
                sheet.write_string(FIRST_ROW + number, 3 * i + 1, word, self.look("text"))

    def _contents(self, sheet: Worksheet, title: str, setting: str) -> None:
        """Write the first sheet: a legend, all matrices with their largest change by an edit, switches, and notes."""
        self._page(sheet, PROGRAM)
        for column, width in enumerate((30, 36, 46, 14, 14, 16)):
            sheet.set_column(column, column, width)
        sheet.write_string(0, 0, title, self.look("title"))
        sheet.write_string(1, 0, setting, self.look("muted"))
        for row, (look, words) in enumerate(LEGEND, 3):
            sheet.write_string(row, 0, "0.5", self.look(look))
            sheet.write_string(row, 1, words, self.look("text"))
        row += 2
        heads = ("Sheet", "Matrix (also its name in formulas)", "Formula", "Shape", "Kind", "Largest change")
        for column, head in enumerate(heads):
            sheet.write_string(row, column, head, self.look("heading"))
        first, shown = row + 1, ""
        for row, placed in enumerate(self._layout.nodes.values(), first):
            self._entry(sheet, row, placed, placed.sheet != shown)
            shown = placed.sheet
        bar = {"type": "data_bar", "bar_solid": True, "bar_color": "#f3c9a8", "min_type": "num", "min_value": 0}
        sheet.conditional_format(first, 5, row, 5, bar)
        row = self._switches(sheet, row + 2)
        sheet.write_string(row, 0, "What a sheet cannot hold", self.look("heading"))
        for note in self._notes():
            row += 1
            sheet.write_string(row, 0, note, self.look("text"))
        sheet.freeze_panes(2, 0)

    def _entry(self, sheet: Worksheet, row: int, placed: Placed, first: bool) -> None:
        """Write the line of a matrix in the table of contents."""
        node = placed.node
        if first:
            sheet.write_url(row, 0, f"internal:{quoted(placed.sheet)}!A1", self.look("link"), placed.sheet)
        at = f"internal:{quoted(placed.sheet)}!A{placed.head + 1}"
        sheet.write_url(row, 1, at, self.look("link"), node.name)
        sheet.write_string(row, 2, _formula(self._engine, node), self.look("text"))
        sheet.write_string(row, 3, written_shape(placed.block.shape), self.look("muted"))
        pin = self._engine.pins.get(node.name)
        kind = "input" if node.is_input else "numbers" if node.name in self._only_numbers else ""
        if pin is not None and pin.cells.any():
            kind = "pinned" if pin.cells.all() else "partly pinned"
        sheet.write_string(row, 4, kind, self.look("muted"))
        if not node.is_input:
            sides = zip(placed.areas(), placed.areas(placed.beside), strict=True)
            pairs = ((f"{quoted(placed.sheet)}!{_range(one)}" for one in pair) for pair in sides)
            parts = ",".join(f"SUMPRODUCT(MAX(ABS({here}-{there})))" for here, there in pairs)
            change = f'=IFERROR(ROUND(MAX({parts}),{9 if self._model.dtype == "float64" else 4}),"undefined")'
            if len(change) <= LONGEST_FORMULA:  # not where a hundred heads stand in it
                sheet.write_formula(row, 5, change, self.look("text", '0.0000;"−"0.0000;"–"'), 0)

    def _switches(self, sheet: Worksheet, row: int) -> int:
        """Write the switches that differ from their defaults. Returns the row below them."""
        sheet.write_string(row, 0, "Switches: set in the program, before the export", self.look("heading"))
        for block, kind in self._model.blocks().items():
            choices = ((switch, self._model.switch(block, name)) for name, switch in SWITCHES[kind].items())
            said = [f"{switch.title}: {_said(value)}" for switch, value in choices if value != switch.default]
            if said:
                row += 1
                sheet.write_string(row, 0, block, self.look("muted"))
                sheet.write_string(row, 1, " · ".join(said), self.look("text"))
        sheet.write_string(row + 1, 0, "All others", self.look("muted"))
        sheet.write_string(row + 1, 1, "as textbooks do it", self.look("text"))
        return row + 3

    def _notes(self) -> Iterator[str]:
        """Notes on what the file lacks, or does differently from the program."""
        yield "Gradients, training and writing on word by word: the program has them; this file has one forward pass."
        yield "Longer sentences and other switches, for which the formulas themselves change: set them in the program."
        yield "−∞, where a mask forbids a key: −1E+300 stands for it, shown as −∞; e to its power is 0 all the same."
        yield "The last digits: formulas have 15 and add up in another order than the program."
        if self._model.dtype == "float32":
            yield "This model computes in float32, some 7 digits; the formulas are more exact than the program."
        if self._odd:
            yield f"{self._odd} numbers are infinite or undefined: #N/A stands for them, or a formula ends in an error."
        for name, why in self._only_numbers.items():
            yield f"{name} stands as plain numbers: {why}."


def _said(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _formula(engine: Engine, node: Any) -> str:
    """The symbol of a node and its formula, in plain text."""
    try:
        return formula_text(engine.graph.equation(node.name))
    except UnknownNameError:
        return str(node.short)


def _places(block: CellBlock) -> Iterator[tuple[int, int]]:
    rows, columns = block.table
    for head in range(prod(block.shape[:-2])):
        for row in range(rows):
            for column in range(columns):
                yield block.row + head * block.apart + row, block.column + column


def _held(number: float) -> float | str:
    """The stored result of a cell's formula for a number."""
    return number if isfinite(number) else float(MINUS_INFINITY) if number == -inf else "#NUM!"


def _number(sheet: Worksheet, row: int, column: int, number: float, look: Format) -> None:
    if isfinite(number) or number == -inf:
        sheet.write_number(row, column, max(number, float(MINUS_INFINITY)), look)
    else:
        sheet.write_formula(row, column, "=NA()", look, "#N/A")


def _range(area: Sequence[int]) -> str:
    """An area in the notation of formulas."""
    top, left, bottom, right = area
    return CellBlock((bottom - top + 1, right - left + 1), top, left)[:, :]
