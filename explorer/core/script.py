"""Export as Python: a straight-line numpy script that computes every number again and checks it."""

import ast
import builtins
import keyword
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import numpy as np

from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import Graph, Node
from explorer.core.numbers import in_python
from explorer.core.ops import Array
from explorer.files import whole_file

MOST_CELLS = 1024
"""Larger arrays are stored in the .npz file, not in the script."""
MOST_NUMBERS = 20_000
"""If the script would contain more numbers than this, arrays of more than `FEW` cells go into the .npz file, too."""
FEW = 16
WIDTH = 120


class Script(Frozen, eq=False):
    """A script and the arrays that are too large for it."""

    text: str  # Python, for numpy 2.1 or later and nothing else
    arrays: Mapping[str, Array]  # the arrays for the .npz file beside the script; if there are none, there is no file


def export(engine: Engine, title: str, names: Collection[str] = ()) -> Script:
    """Write nodes as a script.

    `engine`: the graph with its values.
    `title`: lesson and setting, for the head of the script.
    `names`: nodes or slices of heads; they and all their ancestors are written. Default: all nodes.
    Raises `ExplorerError`: "unknown-node".
    """
    return _Writer(engine, _needed(engine.graph, names)).script(title)


def save(script: Script, path: Path) -> tuple[Path, ...]:
    """Write a script, and its arrays into a file of the same name with ".npz" appended.

    Returns the files written. Each appears under its name only when it is complete.
    Raises an `ExplorerError`: "not-a-script-name" or "not-written".
    """
    if path.suffix.lower() != ".py":
        raise ExplorerError("not-a-script-name", file=path)
    beside = path.with_name(path.name + ".npz")
    # The script is written last, so that a script never lacks its numbers.
    if script.arrays:
        with whole_file(beside) as stream:
            np.savez(stream, **script.arrays)  # type: ignore[arg-type]
    with whole_file(path) as stream:
        stream.write(script.text.encode())
    return (path, beside) if script.arrays else (path,)


def _needed(graph: Graph, names: Collection[str]) -> list[Node]:
    """The named nodes and their ancestors, in reading order; all nodes if none is named."""
    wanted = {graph.place(name).node for name in names}
    needed = wanted.union(*map(graph.ancestors, wanted))
    return [node for name, node in graph.nodes.items() if not names or name in needed]


_HEAD = """\
# Every number of a transformer, computed with numpy (2.1 or later) and nothing else.
#
# {title}
#
# Written by Transformer Explorer. Inputs stand before the step that reads them, each step is one line; in the end
# all results are compared with those that the program had.{beside}

import numpy as np
{load}
# A masked row, an overflow or a NaN typed by hand are things to look at, not to warn about.
np.seterr(all="ignore")
"""
_BESIDE = """
# Large arrays stand in the file that is called like this one with ".npz" behind it."""
_LOAD = """
with np.load(__file__ + ".npz", allow_pickle=False) as file:
    stored = dict(file)
"""
_CHECK = """

# --- Are these the numbers that the program had? ---

checked = []


def bits(array):
    return np.where(np.isnan(array), np.nan, array).tobytes()  # of NaN there are many; they all mean the same


def check(name, found, expected):
    # Another machine may add up in another order: equal means as near as 12 digits (float32: 4) of the largest number.
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
    near = {"float64": 1e-12, "float32": 1e-4}.get(expected.dtype.name, 0) * largest
    np.testing.assert_allclose(found, expected, rtol=0, atol=near, err_msg=name, strict=True)
    checked.append((expected.size, bits(found) == bits(expected)))


"""
_END = """
how = "bit for bit" if all(same for _, same in checked) else "but not bit for bit"
print(f"{sum(size for size, _ in checked)} numbers of {len(checked)} nodes checked: equal, {how}.")
"""
_INDENT = " " * len("check(")
_TAKEN = frozenset(
    {"np", "file", "stored", "checked", "bits", "check", "how", "allow_pickle"}
    | {*keyword.kwlist, *keyword.softkwlist, *dir(builtins)}
)


class _Writer:
    """One export.

    `nodes`: what to write, in reading order, each after its parents.
    """

    def __init__(self, engine: Engine, nodes: list[Node]) -> None:
        self._engine = engine
        self._nodes = nodes
        self._called = identifiers(nodes)
        self._stored: dict[str, Array] = {}
        sizes = [engine.values[node.name].size for node in nodes]
        together = sum(size for size in sizes if size <= MOST_CELLS)
        self._most = MOST_CELLS if together <= MOST_NUMBERS else FEW

    def script(self, title: str) -> Script:
        steps = [line for node in self._nodes for line in self._step(node)]
        checks = [self._check(node) for node in self._nodes if not node.is_input]
        beside, load = (_BESIDE, _LOAD) if self._stored else ("", "")
        head = _HEAD.format(title=_plain(title), beside=beside, load=load)
        called = [f"\n{definition}" for definition in definitions(self._nodes)]
        return Script("\n".join([head, *called, *self._headed(steps), _CHECK + "\n".join(checks), _END]), self._stored)

    def _step(self, node: Node) -> Iterator[tuple[str, str]]:
        """The lines of a node, each with the name of the node's stage."""
        name, value = self._called[node.name], self._engine.values[node.name]
        lines: list[str]
        if node.is_input:
            lines = [*self._labels(node), f"{name} = {self._array(name, value, f'{name} = ')}"]
        else:
            short = [axis.rpartition(".")[2] for axis in node.axes]
            shape = f"({', '.join(short)}) = {value.shape}" if short else "one number"
            code = node.op.code(*(self._called[parent] for parent in node.parents))
            lines = [f"{name} = {code}  # {_plain(shape)}", *self._pins(node)]
        return ((node.stage, line) for line in lines)

    def _headed(self, lines: list[tuple[str, str]]) -> Iterator[str]:
        """The lines with a heading above each stage."""
        stages = {stage.name: stage for stage in self._engine.graph.stages}
        now = ""
        for name, line in lines:
            if name != now:
                now, stage = name, stages[name]
                title = stage.where
                yield f"\n# --- {_plain(title)} ---\n"
            yield line

    def _labels(self, node: Node) -> Iterator[str]:
        """Comments with the labels of an input's rows and columns, unless the labels only count."""
        for axis, what in zip(node.axes[-2:], ("rows", "columns") if len(node.axes) > 1 else ("cells",), strict=False):
            labels = self._engine.labels(axis)
            if not all(label.isdecimal() for label in labels):
                text = f"# {node.name}, {what}: {_plain(', '.join(labels))}"
                yield text if len(text) <= WIDTH else text[: WIDTH - 2] + " …"

    def _pins(self, node: Node) -> Iterator[str]:
        pin = self._engine.pins.get(node.name)
        if pin is None or not pin.cells.any():
            return
        name, value = self._called[node.name], self._engine.values[node.name]
        if pin.cells.all():
            yield f"{name} = {self._array(name, value, f'{name} = ')}  # pinned: given, not computed"
        elif pin.cells.sum() <= FEW:
            for cell in zip(*np.nonzero(pin.cells), strict=True):
                yield f"{name}[{', '.join(map(str, cell))}] = {in_python(value[cell])}  # pinned"
        else:
            which = self._array(f"{name}.pinned", pin.cells, f"{name}[")
            values = self._array(f"{name}.given", value[pin.cells], f"{name}[] = ")
            yield f"{name}[{which}] = {values}  # pinned"

    def _check(self, node: Node) -> str:
        name = self._called[node.name]
        expected = self._array(name, self._engine.values[node.name], _INDENT)
        return f'check("{node.name}", {name},\n{_INDENT}{expected})'

    def _array(self, name: str, array: Array, before: str) -> str:
        """An array as an expression that gives the same bits; a large one is added to the stored arrays."""
        if array.size > self._most:
            self._stored[name] = array
            return f'stored["{name}"]'
        numbers = np.array2string(
            np.asarray(array),
            max_line_width=WIDTH - 1,
            separator=", ",
            prefix=f"{before}np.array(",
            threshold=array.size + 1,
            formatter={"all": in_python},
        )
        return f"np.array({numbers}{'' if array.dtype.name in ('float64', 'bool') else f', dtype=np.{array.dtype}'})"


def definitions(nodes: Collection[Node]) -> list[str]:
    """The functions that the expressions of nodes call, apart from numpy's, each once."""
    return [found for found in dict.fromkeys(node.op.definition for node in nodes) if found]


def identifiers(nodes: Collection[Node]) -> dict[str, str]:
    """A variable name for each node: "encoder.1.self.W_Q" becomes encoder_1_self_W_Q.

    Each differs from the others, from Python's keywords and builtins, and from the names that expressions define.
    """
    taken = set(_TAKEN)
    for definition in definitions(nodes):
        taken |= {n.name for n in ast.walk(ast.parse(definition)) if isinstance(n, ast.FunctionDef)}
    for node in nodes:
        if not node.is_input:
            tree = ast.parse(node.op.code(*("np" for _ in node.parents)))
            taken |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    called: dict[str, str] = {}
    for node in nodes:
        name = re.sub(r"\W", "_", node.name, flags=re.ASCII)
        if not name.isidentifier():
            name = f"_{name}"
        while name in taken:
            name += "_"
        taken.add(name)
        called[node.name] = name
    return called


def _plain(text: str) -> str:
    """Text from a person made safe for a comment: no line breaks, no invisible characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
