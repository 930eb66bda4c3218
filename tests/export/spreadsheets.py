"""Workbooks computed anew by LibreOffice, and their cells read back."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import numpy as np

from explorer.core.cell import MINUS_INFINITY, letters
from explorer.core.engine import fresh
from explorer.export.layout import lay_out
from explorer.export.workbook import workbook

SOFFICE = shutil.which("soffice")
_NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>
"""


def written(state, title="A model", setting=""):
    """An engine of a state, and its workbook."""
    engine = fresh(state.graph, state.used, state.pins)
    return engine, workbook(engine, state.model, title, setting)


def forgotten(book: bytes) -> bytes:
    """The workbook without the numbers that it remembers for its formulas: whoever shows some has computed them."""
    out = BytesIO()
    with ZipFile(BytesIO(book)) as source, ZipFile(out, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.startswith("xl/worksheets/"):
                content = re.sub(rb"</f><v>[^<]*</v>", b"</f>", content)
            target.writestr(name, content)
    return out.getvalue()


def typed(book: bytes, graph, name: str, cell: tuple, what) -> bytes:
    """The workbook after somebody has typed a number into a cell of a node, or a word before its row."""
    layout = lay_out(graph)
    placed = layout.nodes[name]
    sheet = list(layout.sheets.values()).index(placed.sheet) + 2  # behind the contents
    row, column = placed.block.row + cell[0], 0 if isinstance(what, str) else placed.block.column + cell[1]
    content = f't="inlineStr"><is><t>{what}</t></is></c>' if isinstance(what, str) else f"><v>{what}</v></c>"
    found, out = 0, BytesIO()
    with ZipFile(BytesIO(book)) as source, ZipFile(out, "w") as target:
        for part in source.namelist():
            text = source.read(part)
            if part == f"xl/worksheets/sheet{sheet}.xml":
                old = rf'(<c r="{letters(column)}{row + 1}" s="\d+")( t="s")?><v>[^<]*</v></c>'
                text, found = re.subn(old.encode(), rb"\1 " + content.encode(), text)
            target.writestr(part, text)
    assert found == 1
    return out.getvalue()


def recomputed(books: dict[str, bytes], folder: Path) -> dict[str, dict]:
    """The cells of workbooks, by (sheet, row, column), as LibreOffice computes them."""
    profile = folder / "profile" / "user"
    profile.mkdir(parents=True)
    (profile / "registrymodifications.xcu").write_text(_ALWAYS)
    files = []
    for name, book in books.items():
        files.append(folder / f"{name}.xlsx")
        files[-1].write_bytes(forgotten(book))
    command = [SOFFICE, f"-env:UserInstallation={profile.parent.as_uri()}", "--headless", "--convert-to", "xlsx"]
    done = subprocess.run([*command, "--outdir", folder / "out", *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {name: read((folder / "out" / f"{name}.xlsx").read_bytes()) for name in books}


def read(book: bytes) -> dict:
    """The cells of a workbook by (sheet, row, column), counted from 0: numbers, texts, and errors as NaN."""
    cells = {}
    with ZipFile(BytesIO(book)) as file:
        names = [one.get("name") for one in ET.fromstring(file.read("xl/workbook.xml")).iter(f"{_NS}sheet")]
        shared = []
        if "xl/sharedStrings.xml" in file.namelist():
            strings = ET.fromstring(file.read("xl/sharedStrings.xml")).iter(f"{_NS}si")
            shared = ["".join(t.text or "" for t in si.iter(f"{_NS}t")) for si in strings]
        for number, name in enumerate(names, 1):
            for cell in ET.fromstring(file.read(f"xl/worksheets/sheet{number}.xml")).iter(f"{_NS}c"):
                value = cell.find(f"{_NS}v")
                if value is None or value.text is None:
                    continue
                letters, row = re.fullmatch(r"([A-Z]+)(\d+)", cell.get("r")).groups()
                column = 0
                for letter in letters:
                    column = 26 * column + ord(letter) - ord("A") + 1
                kind = cell.get("t", "n")
                known = {"n": float, "e": lambda _: np.nan, "s": lambda i: shared[int(i)]}.get(kind, str)
                cells[name, int(row) - 1, column - 1] = known(value.text)
    return cells


def values_of(cells: dict, graph) -> dict:
    """The array of each node that a workbook shows."""
    found = {}
    for name, placed in lay_out(graph).nodes.items():
        array = np.empty(graph.shape(name))
        parts = array.reshape(placed.heads, *placed.block.table)
        for part, (top, left, bottom, right) in zip(parts, placed.areas(), strict=True):
            for row in range(top, bottom + 1):
                for column in range(left, right + 1):
                    part[row - top, column - left] = cells[placed.sheet, row, column]
        array[array == float(MINUS_INFINITY)] = -np.inf
        found[name] = array
    return found
