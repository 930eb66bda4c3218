"""Nodes by the names people type, with all that is said about them."""

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.core.engine import Engine
from explorer.core.explain import Index
from explorer.core.gradients import Root
from explorer.core.graph import Graph
from explorer.core.node import Node
from explorer.core.ops import Array


def select(graph: Graph, wanted: Sequence[str]) -> list[str]:
    """The names that are meant: nodes, heads' slices, and what stands below the beginning of a path; all, for none.

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
    """The names, those of nodes stacked over heads replaced by the slices of the heads, each once."""
    split: dict[str, None] = {}
    for name in names:
        heads = range(graph.n_heads(name) or 0) if name in graph.nodes else range(0)
        split.update(dict.fromkeys([name_of(graph, name, (head,)) for head in heads] or [name]))
    return list(split)


def name_of(graph: Graph, node: str, index: Index) -> str:
    """The name of a node, or of the head's slice of it that the first number of an index means."""
    if graph.n_heads(node) is None or not index or isinstance(index[0], slice):
        return node
    block, _, short = node.rpartition(".")
    return f"{block}.head.{index[0] + 1}.{short}"


def cell_of(graph: Graph, node: str, index: Index) -> str:
    """Cells of a node as one types them, ":" for a whole axis: "encoder.1.self.head.1.scores[0,:]"."""
    name = name_of(graph, node, index)
    rest = index if name == node else index[1:]
    written = ",".join(_part(i) for i in rest)
    return f"{name}[{written}]" if rest else name


def _part(part: int | slice) -> str:
    if not isinstance(part, slice):
        return str(part)
    return ":" if part == slice(None) else f"{part.start}:{part.stop}"


def stage_of(graph: Graph, node: Node) -> str:
    """Where a node is shown, as the map of the window names it."""
    stage = next(stage for stage in graph.stages if stage.name == node.stage)
    return stage.title if stage.group == stage.title else f"{stage.group} › {stage.title}"


@dataclass(frozen=True, eq=False)
class Shown:
    """A node, or a head's slice of one, as it is printed."""

    name: str
    node: Node
    head: int | None  # counted from 0
    stage: str  # as the map of the window names it
    value: Array
    labels: tuple[tuple[str, ...], ...]  # along each axis of the value
    words: tuple[str, ...] = ()  # for columns that `Argmax` found: what stands in them
    held: str = ""  # "pinned" or "partly pinned"; empty where all is computed
    gradient: Array | None = None  # where one is asked for and the node has one

    @property
    def rows(self) -> tuple[str, ...] | None:
        """The labels of the last axis but one, or of a vector's only one."""
        return self.labels[-2:][0] if self.labels else None

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The labels of the last axis; None for a vector."""
        return self.labels[-1] if len(self.labels) > 1 else None


def read(engine: Engine, name: str, root: Root | None = None) -> Shown:
    """A node or slice, by its name; with the gradient of a root, if there is one."""
    graph, place = engine.graph, engine.graph.place(name)
    node, value = graph.nodes[place.node], engine.value(place)
    labels = tuple(engine.labels(axis) for axis in graph.axes_of(place))
    words: tuple[str, ...] = ()
    if node.op.picks:
        known = engine.labels(graph.nodes[node.parents[0]].axes[-1])
        # A pinned number may lie outside.
        words = tuple(known[i] if 0 <= i < len(known) else "?" for i in value.flat)
    held = ""
    if (pin := engine.pins.get(place.node)) and pin.cells[place.index].any():
        held = "pinned" if pin.cells[place.index].all() else "partly pinned"
    gradient = engine.gradient(place, root) if root else None
    # 0 has no sign.
    given = None if gradient is None else gradient + 0
    return Shown(name, node, place.head, stage_of(graph, node), value + 0, labels, words, held, given)
