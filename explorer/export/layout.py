"""The layout of a workbook: a sheet for each stage, with the matrices of its nodes one below the other."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property
from math import prod

from explorer.core.cell import CellBlock
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import Graph, Node

MOST_CELLS = 300_000
"""The most cells: more take a spreadsheet program minutes to compute. An input takes one, a computed number two."""
MOST_COLUMNS = 16_384
"""The most columns of a sheet in Excel."""
FIRST_ROW, FIRST_COLUMN = 4, 1
BESIDE = 12
"""The program's numbers of all matrices with at most this many columns begin in the same column of a sheet."""
WORDS = "Words"
"""The name of the sheet with the vocabularies."""
_LONGEST_SHEET, _LONGEST_NAME = 31, 250


class Placed(Frozen):
    """The place of a node in the workbook; rows and columns count from 0."""

    node: Node
    sheet: str  # the name of its sheet
    head: int  # the row of its heading
    block: CellBlock  # the cells of its numbers
    beside: int  # the first column of the numbers that the program had
    words: str = ""  # the vocabulary of its whole numbers; "" if they mean no words

    @property
    def labelled(self) -> bool:
        """Whether its columns have labels above them."""
        return self.block.ndim > 0 and not self.block.upright

    @property
    def heads(self) -> int:
        """How many matrices stand one below the other."""
        return prod(self.block.shape[:-2])

    @property
    def bottom(self) -> int:
        """The row below its last row."""
        return self.block.row + (self.heads - 1) * self.block.apart + self.block.table[0]

    def areas(self, column: int | None = None) -> list[tuple[int, int, int, int]]:
        """(first row, first column, last row, last column) of each matrix, starting at `column` or at its block's."""
        rows, columns = self.block.table
        left = self.block.column if column is None else column
        tops = (self.block.row + head * self.block.apart for head in range(self.heads))
        return [(top, left, top + rows - 1, left + columns - 1) for top in tops]


class Layout(Frozen):
    """The places of all nodes."""

    graph: Graph
    sheets: Mapping[str, str]  # the name of the sheet of each stage
    nodes: Mapping[str, Placed]

    def parents(self, placed: Placed) -> list[CellBlock]:
        """The parents of a node, in the way in which formulas on its sheet refer to them."""
        found = (self.nodes[parent] for parent in placed.node.parents)
        return [p.block if p.sheet == placed.sheet else replace(p.block, sheet=f"{quoted(p.sheet)}!") for p in found]

    @cached_property
    def vocabularies(self) -> list[str]:
        """The axes whose labels are words that numbers stand for."""
        meant = filter(None, (placed.words for placed in self.nodes.values()))
        return list(dict.fromkeys([*self.graph.sequences.values(), *meant]))

    def word_cell(self, axis: str, i: int) -> str | None:
        """The cell in which a word of a sequence is chosen; None for an axis that is no sequence."""
        placed = self.nodes.get(f"{axis}.tokens") if axis in self.graph.sequences else None
        if placed is None:
            return None
        return f"{quoted(placed.sheet)}!$A${placed.block.row + i + 1}"

    def word_list(self, vocabulary: str) -> tuple[str, str]:
        """The ranges of the numbers and of the words of a vocabulary."""
        column = 3 * self.vocabularies.index(vocabulary)
        block = CellBlock((len(self.graph.axes[vocabulary]),), FIRST_ROW, column, upright=True, sheet=f"{WORDS}!")
        return block[:], replace(block, column=column + 1)[:]


def require_room(graph: Graph) -> None:
    """Raise `ExplorerError` "sheet-too-large" if a model has more numbers than a spreadsheet computes."""
    cells = sum(graph.size(name) * (1 if node.is_input else 2) for name, node in graph.nodes.items())
    widest = 2 * max((len(graph.axes[axis]) for node in graph.nodes.values() for axis in node.axes), default=0)
    if cells > MOST_CELLS or widest + BESIDE > MOST_COLUMNS:
        raise ExplorerError("sheet-too-large", numbers=f"{cells:,}", limit=MOST_CELLS)


def lay_out(graph: Graph) -> Layout:
    """Give each node its place.

    Raises `ExplorerError`: "sheet-too-large".
    """
    require_room(graph)
    words = _meant(graph)
    nodes: dict[str, Placed] = {}
    taken: set[str] = set()
    sheets: dict[str, str] = {}
    for stage in graph.stages:
        title = stage.title if stage.title == stage.group else f"{stage.group} – {stage.title}"
        sheets[stage.name] = sheet = _sheet_name(title, {"contents", WORDS.lower(), *map(str.lower, sheets.values())})
        own = [node for node in graph.nodes.values() if node.stage == stage.name]
        widths = [_block(graph, node, 0).table[1] for node in own]
        beside = max((width for width in widths if width <= BESIDE), default=0)
        row = FIRST_ROW
        for node, width in zip(own, widths, strict=True):
            name = "" if len(node.axes) > 2 else _name(node.name, taken)
            block = replace(_block(graph, node, row + 1), name=name)
            aside = FIRST_COLUMN + max(beside, width) + 1 + (node.name in words)
            nodes[node.name] = placed = Placed(node, sheet, row, block, aside, words.get(node.name, ""))
            row = placed.bottom + 2
    return Layout(graph, sheets, nodes)


def _block(graph: Graph, node: Node, top: int) -> CellBlock:
    """The cells of the numbers of a node; `top`: the row below its heading."""
    shape = graph.shape(node.name)
    upright = len(shape) == 1 and (node.axes[0] in graph.sequences or node.op.subscripts.endswith("->i"))
    top += bool(shape) and not upright  # a row for the labels of the columns
    apart = shape[-2] + 2 if len(shape) > 2 else 0
    return CellBlock(shape, top, FIRST_COLUMN, apart, upright, masked=node.op.hides)


def _meant(graph: Graph) -> dict[str, str]:
    """For each node of whole numbers that stand for words, the axis of these words."""
    meant = {f"{sequence}.tokens": axis for sequence, axis in graph.sequences.items()}
    for node in graph.nodes.values():
        if node.op.picks:
            meant[node.name] = graph.nodes[node.parents[0]].axes[-1]
        elif node.op.picked is not None:
            meant[node.parents[node.op.picked]] = graph.nodes[node.parents[0]].axes[-1]
    return meant


def _sheet_name(title: str, taken: Collection[str]) -> str:
    """A unique name for a sheet that spreadsheet programs accept."""
    plain = re.sub(r"[\[\]:*?/\\']", " ", title).strip() or "Stage"
    for number in range(1, len(taken) + 2):
        end = "" if number == 1 else f" ({number})"
        name = plain[: _LONGEST_SHEET - len(end)] + end
        if name.lower() not in taken:
            return name
    raise AssertionError(title)


def _name(node: str, taken: set[str]) -> str:
    """The name of a node in formulas, changed if spreadsheet programs would read it as something else."""
    name = re.sub(r"[^\w.]", "_", node)[:_LONGEST_NAME]
    if re.fullmatch(r"[RrCc]|[A-Za-z]{1,3}\d+|[Rr]\d*[Cc]\d*", name) or not re.match(r"[^\W\d]", name):
        name = f"_{name}"
    while name.lower() in taken:
        name += "_"
    taken.add(name.lower())
    return name


def quoted(sheet: str) -> str:
    """The name of a sheet in formulas."""
    return f"'{sheet}'"
