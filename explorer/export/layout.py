"""Where everything stands in a workbook: a sheet for each stage, on it the matrices of its nodes below one another."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from explorer.core.cell import CellBlock
from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph, Node

MOST_CELLS = 300_000
"""Of more cells a spreadsheet program takes minutes to compute; an input takes one, a computed number two."""
MOST_COLUMNS = 16_384
"""Of a sheet, in Excel."""
FIRST_ROW, FIRST_COLUMN = 4, 1
BESIDE = 12
"""Matrices up to so many columns have the program's numbers beside them in one column of the sheet."""
WORDS = "Words"
"""The sheet of the vocabularies."""
_LONGEST_SHEET, _LONGEST_NAME = 31, 250


@dataclass(frozen=True)
class Placed:
    """A node in the workbook."""

    node: Node
    sheet: str  # the name of its sheet
    head: int  # the row of its heading; counted from 0, like all places here
    block: CellBlock  # of its numbers
    beside: int  # the column where the numbers begin that the program had
    words: str = ""  # the vocabulary whose words its whole numbers mean; empty where they mean none

    @property
    def labelled(self) -> bool:
        """Whether labels stand above its columns."""
        return self.block.ndim > 0 and not self.block.upright

    @property
    def heads(self) -> int:
        """How many matrices stand one below the other."""
        return prod(self.block.shape[:-2])

    @property
    def bottom(self) -> int:
        """The row below its last one."""
        return self.block.row + (self.heads - 1) * self.block.apart + self.block.table[0]

    def areas(self, column: int | None = None) -> list[tuple[int, int, int, int]]:
        """The first row and column and the last ones of each matrix, of its numbers or of those beside."""
        rows, columns = self.block.table
        left = self.block.column if column is None else column
        tops = (self.block.row + head * self.block.apart for head in range(self.heads))
        return [(top, left, top + rows - 1, left + columns - 1) for top in tops]


@dataclass(frozen=True)
class Layout:
    """The places of all nodes."""

    graph: Graph
    sheets: Mapping[str, str]  # the name of the sheet of each stage
    nodes: Mapping[str, Placed]

    def parents(self, placed: Placed) -> list[CellBlock]:
        """The parents of a node, as formulas on its sheet refer to them."""
        found = (self.nodes[parent] for parent in placed.node.parents)
        return [p.block if p.sheet == placed.sheet else replace(p.block, sheet=f"{quoted(p.sheet)}!") for p in found]

    @cached_property
    def vocabularies(self) -> list[str]:
        """The axes whose labels are the words that numbers mean."""
        return list(
            dict.fromkeys([*self.graph.sequences.values(), *filter(None, (p.words for p in self.nodes.values()))])
        )

    def word_cell(self, axis: str, i: int) -> str | None:
        """Where the word at a place of a sequence is chosen; None for an axis that is no sequence."""
        placed = self.nodes.get(f"{axis}.tokens") if axis in self.graph.sequences else None
        if placed is None:
            return None
        return f"{quoted(placed.sheet)}!$A${placed.block.row + i + 1}"

    def word_list(self, vocabulary: str) -> tuple[str, str]:
        """Where the numbers and the words of a vocabulary stand."""
        column = 3 * self.vocabularies.index(vocabulary)
        block = CellBlock((len(self.graph.axes[vocabulary]),), FIRST_ROW, column, upright=True, sheet=f"{WORDS}!")
        return block[:], replace(block, column=column + 1)[:]


def lay_out(graph: Graph) -> Layout:
    """Give each node its place.

    Raises `ExplorerError`: "sheet-too-large".
    """
    cells = sum(graph.size(name) * (1 if node.is_input else 2) for name, node in graph.nodes.items())
    widest = 2 * max((len(graph.axes[axis]) for node in graph.nodes.values() for axis in node.axes), default=0)
    if cells > MOST_CELLS or widest + BESIDE > MOST_COLUMNS:
        raise ExplorerError("sheet-too-large", numbers=f"{cells:,}", limit=f"{MOST_CELLS:,}")
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
    """The numbers of a node, its heading above them."""
    shape = graph.shape(node.name)
    upright = len(shape) == 1 and (node.axes[0] in graph.sequences or node.op.subscripts.endswith("->i"))
    top += bool(shape) and not upright  # labels above the columns
    apart = shape[-2] + 2 if len(shape) > 2 else 0
    return CellBlock(shape, top, FIRST_COLUMN, apart, upright, masked=node.op.hides)


def _meant(graph: Graph) -> dict[str, str]:
    """For nodes of whole numbers that mean words: the axis of these words."""
    meant = {f"{sequence}.tokens": axis for sequence, axis in graph.sequences.items()}
    for node in graph.nodes.values():
        if node.op.picks:
            meant[node.name] = graph.nodes[node.parents[0]].axes[-1]
        elif node.op.picked is not None:
            meant[node.parents[node.op.picked]] = graph.nodes[node.parents[0]].axes[-1]
    return meant


def _sheet_name(title: str, taken: Collection[str]) -> str:
    """A name that spreadsheet programs take, unlike all others."""
    plain = re.sub(r"[\[\]:*?/\\']", " ", title).strip() or "Stage"
    for number in range(1, len(taken) + 2):
        end = "" if number == 1 else f" ({number})"
        name = plain[: _LONGEST_SHEET - len(end)] + end
        if name.lower() not in taken:
            return name
    raise AssertionError(title)


def _name(node: str, taken: set[str]) -> str:
    """What the workbook calls a node: its name, unless spreadsheet programs read that as something else."""
    name = re.sub(r"[^\w.]", "_", node)[:_LONGEST_NAME]
    if re.fullmatch(r"[RrCc]|[A-Za-z]{1,3}\d+|[Rr]\d*[Cc]\d*", name) or not re.match(r"[^\W\d]", name):
        name = f"_{name}"
    while name.lower() in taken:
        name += "_"
    taken.add(name.lower())
    return name


def quoted(sheet: str) -> str:
    """The name of a sheet as formulas write it."""
    return f"'{sheet}'"
