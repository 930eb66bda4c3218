"""The structure of a model's graph: which node reads which nodes, in a fixed order, and the names that people type.

It holds no values.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from math import prod
from typing import TypeAlias

from explorer.core.cell import Index
from explorer.core.errors import ExplorerError, cut, nearest
from explorer.core.frozen import Frozen
from explorer.core.ops import Array, Input, Op
from explorer.core.stored import hook_names


class Stage(Frozen):
    """One entry of the window's list of stages: a few nodes that are shown together."""

    name: str  # path, such as "encoder.1.self.attention"
    kind: str  # what is shown there, such as "masked", attention of a decoder to itself: a key of `pages.compose.KINDS`
    title: str  # its text in the list of stages
    group: str  # the heading above it in the list, such as "Encoder 1"

    @cached_property
    def where(self) -> str:
        """Its group and its title, "Encoder 1: Self-attention"; one of them where both are the same."""
        return self.title if self.title == self.group else f"{self.group}: {self.title}"


class Node(Frozen):
    """One array of the graph: how it is computed, from which arrays, and what its axes mean."""

    name: str  # its path: stack, layer, block, node, such as "encoder.1.self.scores"
    op: Op  # computes the value from the parents' values; `Input` for a node that a person edits
    parents: tuple[str, ...]  # names of the nodes the op reads, in the op's order
    axes: tuple[str, ...]  # the name of each axis; `Graph.axes` has its labels, whose number is its length
    symbol: str  # LaTeX, such as "W_Q"
    stage: str  # name of the stage it is shown in

    @property
    def is_input(self) -> bool:
        """Whether a person sets its value."""
        return isinstance(self.op, Input)

    @property
    def short(self) -> str:
        """The last part of the name, as it is used in code and headings."""
        return self.name.rsplit(".", 1)[-1]


CELL = 100
"""The cost of each number that an element-wise op computes, in multiply-adds of a large matrix product (GELU: 80,
softmax: 200), in float32 on two cores."""
READ = 25
"""The same for one number that a product reads: few tokens times a large table is mostly reading (38 million: 24 ms)"""


CASES, LOGITS, PROBABILITIES, CHOSEN = "input.X", "output.logits", "output.probabilities", "output.chosen"
TARGET, LOSS = "loss.target", "loss.value"
"""The names of the nodes that the program asks for by name, in each model that has them."""
FINAL = "final.norm"
HEAD = "output.read", "output.uncapped", LOGITS
"""The nodes that may follow the last norm: a scaled copy of it, the product with the table before a cap, the logits."""
Link: TypeAlias = tuple[str, int]
"""A node and the place of one of its parents, counted from 0: one edge of the graph."""


class Place(Frozen):
    """A node, or one head's slice of a node."""

    node: str  # name of the node
    head: int | None = None  # which slice along the first axis, counted from 0; None for the whole

    @cached_property
    def index(self) -> tuple[int, ...]:
        """The index that takes this slice out of the node's array; empty for the whole."""
        return () if self.head is None else (self.head,)


class Cell(Frozen):
    """One cell of a node's whole array, heads included."""

    node: str
    index: tuple[int, ...]


class Root(Frozen):
    """The one number that is differentiated."""

    node: str  # name of its node
    cell: tuple[int, ...] = ()  # which of the node's cells; empty for a node that is a single number


OF_LOSS = Root(LOSS)


class Graph(Frozen, eq=False):
    """All nodes in reading order, which is a topological order, and the axes of their arrays."""

    nodes: Mapping[str, Node]
    # The labels of each axis; their number is its length. The axis of a sequence has its positions as labels here; its
    # words follow from its token numbers (see `Engine.labels`).
    axes: Mapping[str, tuple[str, ...]]
    stages: tuple[Stage, ...]
    sequences: Mapping[str, str]  # for each axis of tokens, the axis of its vocabulary
    # The node that holds the output of each layer, by a name that does not depend on the kind of layer:
    # "decoder.3.out". Number 0 is the input of the first layer.
    leaving: Mapping[str, str] = field(default_factory=dict)
    children: Mapping[str, tuple[str, ...]] = field(init=False)  # for each node the nodes reading it, in reading order
    _towards: dict[str, Mapping[str, tuple[Link, ...]]] = field(default_factory=dict, init=False, repr=False)
    _places: dict[str, Place] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        children: dict[str, list[str]] = {name: [] for name in self.nodes}
        for node in self.nodes.values():
            for parent in dict.fromkeys(node.parents):
                children[parent].append(node.name)
        object.__setattr__(self, "children", {name: tuple(c) for name, c in children.items()})

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a node's array."""
        return tuple([len(self.axes[axis]) for axis in self.nodes[name].axes])  # a list, because a generator is slower

    def size(self, name: str) -> int:
        """How many numbers a node's array holds."""
        return prod(self.shape(name))

    def equation(self, name: str) -> str:
        """The LaTeX equation that computes a node; only its symbol if it is an input or says it all (a scale)."""
        node = self.nodes[name]
        formula = "" if node.is_input else node.op.formula(*(self.nodes[parent].symbol for parent in node.parents))
        return node.symbol if formula in ("", node.symbol) else f"{node.symbol} = {formula}"

    def towards(self, name: str) -> Mapping[str, tuple[Link, ...]]:
        """For `name` and each node that it depends on: the links that lead from that node towards `name`."""
        if name not in self._towards:
            links: dict[str, list[Link]] = {one: [] for one in {name} | self.ancestors(name)}
            for child in self.nodes:
                if child in links:
                    for place, parent in enumerate(self.nodes[child].parents):
                        links[parent].append((child, place))
            self._towards[name] = {one: tuple(own) for one, own in links.items()}
        return self._towards[name]

    @cached_property
    def hooks(self) -> Mapping[str, str]:
        """The node of each name that TransformerLens has."""
        return hook_names(self.nodes, self.leaving)

    @cached_property
    def node_names(self) -> frozenset[str]:
        """The names of all nodes."""
        return frozenset(self.nodes)

    @cached_property
    def inputs(self) -> frozenset[str]:
        """The nodes whose values a person sets."""
        return frozenset(name for name, node in self.nodes.items() if node.is_input)

    @cached_property
    def position(self) -> Mapping[str, int]:
        """The place of each node in reading order, counted from 0."""
        return {name: i for i, name in enumerate(self.nodes)}

    @cached_property
    def work(self) -> Mapping[str, int]:
        """About how many multiply-adds each node costs: those of its product, and `CELL` or `READ` for each number."""
        return {name: self._work(node) for name, node in self.nodes.items()}

    def _work(self, node: Node) -> int:
        if node.is_input:
            return 0
        terms, summed = _read_along(node.op.subscripts)
        lengths: dict[str, int] = {}
        for term, parent in zip(terms, node.parents, strict=False):
            lengths |= dict(zip(term, reversed(self.shape(parent)), strict=False))
        read = READ * sum(map(self.size, node.parents)) if summed else 0
        return self.size(node.name) * (CELL + (prod(lengths.get(one, 1) for one in summed) if summed else 0)) + read

    def ancestors(self, name: str) -> set[str]:
        """The nodes that a node depends on."""
        above: set[str] = set()
        queue = [name]
        while queue:
            for parent in self.nodes[queue.pop()].parents:
                if parent not in above:
                    above.add(parent)
                    queue.append(parent)
        return above

    def with_dependents(self, names: Iterable[str]) -> set[str]:
        """Some nodes, and all that depend on them."""
        found = set(names)
        for name, node in self.nodes.items():
            if not found.isdisjoint(node.parents):
                found.add(name)
        return found

    def inputs_of(self, name: str) -> list[str]:
        """The inputs that a node depends on, in reading order."""
        above = self.ancestors(name)
        return [n for n in self.nodes if n in above and self.nodes[n].is_input]

    def labels(self, axis: str, values: Mapping[str, Array]) -> tuple[str, ...]:
        """The labels of an axis: for a sequence the words of its tokens, for other axes the fixed labels."""
        vocabulary = self.sequences.get(axis)
        if vocabulary is None:
            return self.axes[axis]
        words = self.axes[vocabulary]
        return tuple([words[i] for i in values[f"{axis}.tokens"].tolist()])

    def vocabulary(self, sequence: str) -> tuple[str, ...]:
        """The words that a sequence can have."""
        return self.axes[self.sequences[sequence]]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The axes of words: the sequences; or those of an attention by itself, whose words are fixed."""
        return tuple(self.sequences) or tuple(axis for axis in ("query", "key") if axis in self.axes)

    def follows_text(self, axis: str) -> bool:
        """Whether an axis is as long as a text: a sequence, or the rows of its table of positions."""
        return axis.removesuffix(".room") in self.sequences

    @cached_property
    def n_heads(self) -> Mapping[str, int]:
        """The number of heads of each node whose first axis counts heads."""
        first = {name: node.axes[0] for name, node in self.nodes.items() if node.axes}
        return {name: len(self.axes[axis]) for name, axis in first.items() if axis.endswith(".heads")}

    def place(self, name: str) -> Place:
        """The node, or the head's slice of one, that `name` means: "encoder.1.self.head.2.Q" is a slice of "….Q".

        Raises `ExplorerError`: "unknown-node", with the most similar name.
        """
        place = self._places.get(name) or self.find(name)
        if place is None:
            others = self.hooks if "hook_" in name else ()
            meant = next((node for node in self.nodes if node.endswith(f".{name}")), "")  # only the last part is given
            near = meant or nearest(name, [*self.names(), *self.leaving, *others])
            raise ExplorerError("unknown-node", name=name, near=near)
        self._places[name] = place
        return place

    def find(self, name: str) -> Place | None:
        """The same as `place`, but None for an unknown name, without a search for the most similar one."""
        if name in self.nodes:
            return Place(name)
        if name in self.leaving:
            return Place(self.leaving[name])
        if ".hook_" in f".{name}" and name in self.hooks:
            return Place(self.hooks[name])
        block, rest = within(name)
        number, _, short = rest.partition(".")
        whole = f"{block}.{short}"
        if whole in self.nodes:
            for head in range(self.n_heads.get(whole, 0)):
                if number == str(head + 1):
                    return Place(whole, head)
        return None

    def names(self) -> Iterable[str]:
        """All names of arrays: each node, followed by the slices of its heads."""
        for node in self.nodes.values():
            yield from self.names_of(node)

    def names_of(self, node: Node) -> Iterable[str]:
        """The name of a node, then the names of the slices of its heads."""
        yield node.name
        for head in range(self.n_heads.get(node.name, 0)):
            yield name_of_head(node.name, head)

    def axes_of(self, place: Place) -> tuple[str, ...]:
        """The axes of a node or slice."""
        axes = self.nodes[place.node].axes
        return axes if place.head is None else axes[1:]


@lru_cache(256)
def counted(n: int, before: str = "") -> tuple[str, ...]:
    """The labels "1", "2", … of an axis that only counts, each with `before` in front. All graphs share the tuples."""
    numbers = map(str, range(1, n + 1))  # a vocabulary may have 150,000
    return tuple(map(before.__add__, numbers) if before else numbers)


@lru_cache(maxsize=256)
def _read_along(subscripts: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The letters of each operand, last axis first; and those summed over: in several operands, not in the result."""
    terms, _, result = subscripts.partition("->")
    operands = terms.split(",")
    shared = Counter(letter for term in operands for letter in set(term))
    summed = tuple(letter for letter, times in shared.items() if times > 1 and letter not in result)
    return tuple(term[::-1] for term in operands), summed


class GraphBuilder:
    """Collects nodes in reading order. A node can only read nodes added before it, so a graph has no cycles."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._axes: dict[str, tuple[str, ...]] = {}
        self._stages: dict[str, Stage] = {}
        self._sequences: dict[str, str] = {}
        self._leaving: dict[str, str] = {}
        self._stage = ""

    def axis(self, name: str, labels: Iterable[str] | int) -> str:
        """Declare an axis by its labels, or by its length: then the labels count from 1. Returns the name."""
        # A tuple is not copied: the tuple of a tokenizer's pieces is of a class that knows the tokenizer.
        named = labels if isinstance(labels, tuple) else None
        self._axes[name] = counted(labels) if isinstance(labels, int) else named or tuple(labels)
        return name

    def sequence(self, name: str, length: int, vocabulary: str) -> str:
        """Declare the axis of a sequence of tokens, whose labels are words of the vocabulary axis. Returns the name."""
        self._sequences[name] = vocabulary
        return self.axis(name, length)

    def __contains__(self, name: str) -> bool:
        """Whether a node has been added."""
        return name in self._nodes

    def length(self, axis: str) -> int:
        """Length of a declared axis."""
        return len(self._axes[axis])

    def number(self, axis: str, label: str) -> int:
        """The place of a label on a declared axis; -1 for a label that the axis does not have."""
        labels = self._axes[axis]
        return labels.index(label) if label in labels else -1

    def stage(self, name: str, kind: str, title: str, group: str) -> None:
        """Start a stage, with the parameters of `Stage`: the nodes that follow belong to it."""
        self._stages[name] = Stage(name, kind, title, group)
        self._stage = name

    def add(self, name: str, op: Op, *parents: str, axes: tuple[str, ...], symbol: str = "") -> str:
        """Add a node with the parameters of `Node`, its parents after the op. Returns its name.

        The default symbol is the last part of the name.
        """
        assert name not in self._nodes, name
        assert self._nodes.keys() >= set(parents), (name, parents)
        assert self._axes.keys() >= set(axes), (name, axes)
        self._nodes[name] = Node(name, op, parents, axes, symbol or name.rsplit(".", 1)[-1], self._stage)
        return name

    def leave(self, name: str, node: str) -> None:
        """Name the node that holds the output of a layer; see `Graph.leaving`."""
        self._leaving[name] = node

    def build(self) -> Graph:
        """The finished graph; stages without a node are left out."""
        used = {node.stage for node in self._nodes.values()}
        stages = tuple(stage for stage in self._stages.values() if stage.name in used)
        return Graph(self._nodes, self._axes, stages, self._sequences, self._leaving)


# Names that people type

_CELL = re.compile(r"(?P<name>[^\[\]=\s]+)\s*(?:\[(?P<index>[^\[\]]*)\])?")
# As many digits as any index into an array can have.
_INDEX = re.compile(r"\s*[0-9]{1,18}\s*")

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
    return name_of_head(node, index[0])


@lru_cache(4096)  # each page asks for dozens at each edit
def name_of_head(node: str, head: int) -> str:
    """The name of a head's slice of a node, or of an expert's, which only nets have; it is counted from 0."""
    block, _, short = node.rpartition(".")
    word = "expert" if block.rpartition(".")[2] == "ffn" else "head"
    return f"{block}.{word}.{head + 1}.{short}" if block else f"{word}.{head + 1}.{short}"


def within(name: str) -> tuple[str, str]:
    """The block of the name of a head's slice, or an expert's, and what stands behind that word; "" if it is none."""
    for word in (".head.", ".expert."):
        block, found, rest = name.rpartition(word)
        if found:
            return block, rest
    return "", ""


def cell_of(graph: Graph, node: str, index: Index) -> str:
    """Cells of a node as people type them, ":" for a whole axis: "encoder.1.self.head.1.scores[0,:]"."""
    name = name_of(graph, node, index)
    rest = index if name == node else index[1:]
    return f"{name}[{written_index(rest)}]" if rest else name


def written_index(index: Index) -> str:
    """An index as people type it between brackets: "0,:" or "1:3"."""
    return ",".join(map(_written, index))


def _written(part: int | slice) -> str:
    if not isinstance(part, slice):
        return str(part)
    start, stop = ("" if end is None else str(end) for end in (part.start, part.stop))
    return f"{start}:{stop}" + (f":{part.step}" if part.step not in (None, 1) else "")


def stage_of(graph: Graph, node: Node) -> str:
    """The stage of a node as the window's list of stages names it."""
    stage = next(stage for stage in graph.stages if stage.name == node.stage)
    return stage.title if stage.group == stage.title else f"{stage.group} › {stage.title}"


def after_norm(graph: Graph) -> list[Node]:
    """The nodes from the last norm to the logits, in order: a factor (T5), the output layer, a soft cap (Gemma 2).

    Empty if the residual stream is normalised elsewhere, too, or any other node follows: then a logit is no sum of what
    the blocks add.
    """
    if not {FINAL, LOGITS} <= graph.nodes.keys():
        return []
    node, found = graph.nodes[LOGITS], list[Node]()
    while node.name in HEAD:
        found.insert(0, node)
        node = graph.nodes[node.parents[0]]
    return found if node.name == FINAL else []
