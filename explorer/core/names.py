"""Nodes and cells by the names that people type."""

import re
from collections.abc import Sequence

from explorer.core.cell import Index
from explorer.core.errors import ExplorerError
from explorer.core.gradients import OF_LOSS, Root
from explorer.core.graph import LOSS, Graph, Node

_CELL = re.compile(r"(?P<name>[^\[\]=\s]+)\s*(?:\[(?P<index>[^\[\]]*)\])?")
# As many digits as any index into an array can have.
_INDEX = re.compile(r"\s*[0-9]{1,18}\s*")
_SHOWN = 80

NamedCell = tuple[str, tuple[int, ...]]


def parse_cell(text: str) -> NamedCell:
    """The name and index in "NODE[row,column]"; a node that is a single number is written "NODE" or "NODE[]".

    Raises `ExplorerError`: "bad-cell-syntax".
    """
    cell = written_cell(text)
    if cell is None:
        raise ExplorerError("bad-cell-syntax", text=cut(text))
    return cell


def written_cell(text: str) -> NamedCell | None:
    """The same as `parse_cell`, but None for a text that names no cell."""
    match = _CELL.fullmatch(text.strip())
    if match is None:
        return None
    index = match["index"] or ""
    parts = index.split(",") if index.strip() else []
    if not all(_INDEX.fullmatch(part) for part in parts):
        return None
    return match["name"], tuple(int(part) for part in parts)


def cut(text: str) -> str:
    """A typed text, cut so that it fits into a message."""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def root_of(graph: Graph, text: str) -> Root:
    """The number that a text names as the root of gradients: "loss", or a cell.

    Raises `ExplorerError`: "no-loss", "bad-cell-syntax" or "unknown-node".
    """
    if text == "loss":
        if LOSS not in graph.nodes:
            raise ExplorerError("no-loss")
        return OF_LOSS
    name, cell = parse_cell(text)
    place = graph.place(name)
    return Root(place.node, place.index + cell)


def select(graph: Graph, wanted: Sequence[str]) -> list[str]:
    """The names that are meant: nodes, slices of heads, everything below the beginning of a path; all if none is given.

    Raises `ExplorerError`: "unknown-node".
    """
    every = list(graph.names())
    if not wanted:
        return every
    chosen: dict[str, None] = {}
    for name in wanted:
        path = name.rstrip(".")
        below = [one for one in every if one == path or one.startswith(f"{path}.")]
        if not below:
            place = graph.place(name)
            below = [name_of(graph, place.node, place.index)]
        chosen.update(dict.fromkeys(below))
    return list(chosen)


def by_head(graph: Graph, names: Sequence[str]) -> list[str]:
    """The names; a node stacked over heads is replaced by the slices of its heads, each once."""
    split: dict[str, None] = {}
    for name in names:
        heads = range(graph.n_heads.get(name, 0))
        split.update(dict.fromkeys([name_of(graph, name, (head,)) for head in heads] or [name]))
    return list(split)


def name_of(graph: Graph, node: str, index: Index) -> str:
    """The name of a node, or of the head's slice that the first number of an index selects."""
    if node not in graph.n_heads or not index or isinstance(index[0], slice):
        return node
    block, _, short = node.rpartition(".")
    return f"{block}.head.{index[0] + 1}.{short}"


def cell_of(graph: Graph, node: str, index: Index) -> str:
    """Cells of a node as people type them, ":" for a whole axis: "encoder.1.self.head.1.scores[0,:]"."""
    name = name_of(graph, node, index)
    rest = index if name == node else index[1:]
    written = ",".join(_part(i) for i in rest)
    return f"{name}[{written}]" if rest else name


def _part(part: int | slice) -> str:
    if not isinstance(part, slice):
        return str(part)
    return ":" if part == slice(None) else f"{part.start}:{part.stop}"


def stage_of(graph: Graph, node: Node) -> str:
    """The stage of a node as the window's list of stages names it."""
    stage = next(stage for stage in graph.stages if stage.name == node.stage)
    return stage.title if stage.group == stage.title else f"{stage.group} › {stage.title}"
