"""A view: the model with its values, and what is looked at, as one value that never changes. Pages are made of it.

Parts of a page that stay the very same while nothing that they are made of has changed.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import is_, lt
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

import numpy as np

from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError
from explorer.core.gradients import LOSS
from explorer.core.graph import Graph, Node, Place, Stage
from explorer.core.numbers import read_number, written
from explorer.core.ops import Array
from explorer.core.overview import apart
from explorer.document.document import Document
from explorer.document.state import State

T = TypeVar("T")


class Memo:
    """What a page was made of when it was last made. It lives as long as the page, and holds nothing longer than that.

    Arrays are never written into, so one that is the very same has the same numbers.
    """

    def __init__(self) -> None:
        self._of: tuple[tuple[object, ...], ...] = ()
        self._before: dict[Hashable, tuple[tuple[object, ...], object]] = {}
        self._now: dict[Hashable, tuple[tuple[object, ...], object]] = {}

    def begin(self, given: tuple[object, ...], arrays: tuple[np.ndarray | None, ...]) -> None:
        """Make the page once more; `given`, and the very arrays, are what all of its parts may depend on."""
        of = given, arrays
        same = bool(self._of) and self._of[0] == given and _are_the_same(arrays, self._of[1])
        self._before = self._now if same else {}
        self._of, self._now = of, {}

    def part(
        self, key: Hashable, of: tuple[object, ...], make: Callable[[], T], renew: Callable[[T], T] | None = None
    ) -> T:
        """The part of that key: as it was, if `of`, what it alone depends on, are the very same objects.

        `renew`: makes it of the one that was there before, where that is less to do.
        """
        kept = self._before.get(key)
        if kept is None:
            kept = of, make()
        elif not all(map(is_, of, kept[0])):
            kept = of, (make() if renew is None else renew(kept[1]))  # type: ignore[arg-type]
        self._now[key] = kept
        part: T = kept[1]  # type: ignore[assignment]
        return part


class Parts(Protocol):
    """What gives parts of a page: `Memo.part`, or what makes each anew."""

    def __call__(
        self, key: Hashable, of: tuple[object, ...], make: Callable[[], T], renew: Callable[[T], T] | None = None
    ) -> T:
        """The part of that key."""


def _made(key: Hashable, of: tuple[object, ...], make: Callable[[], T], renew: Callable[[T], T] | None = None) -> T:
    return make()


def _are_the_same(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    """Whether two tuples hold the very same objects."""
    return len(some) == len(others) and all(map(is_, some, others))


CASES = "input.X"
"""The cases that a net answers."""
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Cell:
    """One cell of a node's whole array, heads included."""

    node: str
    index: tuple[int, ...]


@dataclass(frozen=True)
class Spot:
    """Cells that are spoken of, as a step of a lesson does."""

    node: str  # a node, or a head's slice of one
    # `rows`, `columns`: of a vector, `rows` alone. With both, the cells where they cross; without any, the whole.
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    beside: tuple[str, ...] = ()  # nodes whose numbers are wanted beside it, where they are few
    goals: tuple[str, ...] = ()  # nodes whose numbers are to become others


Cells = Mapping[str, frozenset[tuple[int, ...]]]
"""Of nodes, cells of the whole array."""


@dataclass(frozen=True)
class Covered:
    """What nobody may read yet, as a question asks for it."""

    values: Cells = field(default_factory=lambda: _NOTHING)
    gradients: Cells = field(default_factory=lambda: _NOTHING)
    # The number that is asked for, where it is so peculiar that words and lists that say it, with so many decimals or
    # more, mean it, however they come to it.
    number: float | None = None
    decimals: int = 0

    def __bool__(self) -> bool:
        return bool(self.values or self.gradients)

    def inside(self, arrays: Mapping[str, Array]) -> "Covered":
        """Of another model of the same example: the cells that it has, too."""

        def there(cells: Cells) -> Cells:
            shapes = {name: arrays[name].shape for name in cells.keys() & arrays.keys()}
            of = {
                name: frozenset(one for one in cells[name] if len(one) == len(shape) and all(map(lt, one, shape)))
                for name, shape in shapes.items()
            }
            return {name: found for name, found in of.items() if found}

        return replace(self, values=there(self.values), gradients=there(self.gradients))

    def where(self, showing: str) -> Cells:
        """The cells that nobody may read where matrices show this (see `Looking.showing`)."""
        return self.gradients if showing == "gradient" else self.values


@dataclass(frozen=True)
class Looking:
    """What a reader looks at. It holds no number of the model."""

    # What matrices show: "values", "change" (by the last edit), "step" (by the last step of gradient descent),
    # "gradient" or "difference" (to the model beside).
    showing: str = "values"
    head: int = 0  # counted from 0
    averaged: bool = False  # whether the mean over the heads is looked at, where there is one
    token: tuple[str, int] | None = None  # (axis, place): the word that was chosen to stay lit
    # What was chosen on pages, by the keys of `Keep`.
    choices: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    spot: Spot | None = None  # what is spoken of
    covered: Covered = field(default_factory=Covered)  # what nobody may read yet
    # Whether letters are as large as for a class, or for those who do not see well: a picture has fewer words then.
    large: bool = False

    def hides(self, cell: Cell) -> bool:
        """Whether nobody may read a cell now."""
        return cell.index in self.covered.where(self.showing).get(cell.node, ())


@dataclass(frozen=True)
class Steps:
    """How gradient descent would go on from here."""

    rate: float  # the learning rate
    moves: Mapping[str, bool]  # the inputs that a gradient can move, and whether they are to
    quick: bool  # whether a step takes so little that nobody has to wait for it
    ready: bool  # whether the gradients are there, or come at once
    # What the next step would make of the inputs that move; it raises an `ExplorerError` where there is none.
    ahead: Callable[[], Mapping[str, Array]]


Told = Callable[[int, int], None]
"""Called now and then in a long work, with how much is done of how much; it may raise to stop."""
AT_ONCE = 1_000_000_000
"""Multiply-adds, weighed as in `Graph.work`, that are worth a thread: some 20 ms."""


class Aside(Protocol):
    """Who computes beside the window what a page waits for; the window has one."""

    def ask(self, key: str, of: tuple[object, ...], work: Callable[[Told], Any]) -> Any:
        """What the work has made of these very objects; None while it is not there."""

    def stopped(self, key: str) -> bool:
        """Whether somebody has stopped it."""


@dataclass(frozen=True)
class LastEdit:
    """What the last act changed."""

    # The old values of the nodes that it changed and that were there before.
    before: Mapping[str, Array] = field(default_factory=lambda: _NOTHING)
    # `added`, `removed`: nodes that the graph gained and lost.
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    label: str = ""  # what was done, "Undo: …" too; empty where nothing was


@dataclass(frozen=True, eq=False)
class View:
    """The model as it is seen now."""

    state: State
    engine: Engine  # a snapshot: it is never updated
    looking: Looking = field(default_factory=Looking)
    last: LastEdit = field(default_factory=LastEdit)
    ours: frozenset[str] = frozenset()  # names of nodes and slices whose values no text prints, where that is told
    # Of whoever holds a text beside it: the ids of the example and of the setting that print it.
    prints: tuple[str, str] | None = None
    beside: "View | None" = None  # the model that "difference" is a difference to
    # What the last step of gradient descent changed in a node or slice.
    last_step: Callable[[Place], Array] | None = None
    # How gradient descent would go on; None where nobody can take a step, as in a picture for print.
    steps: Steps | None = None
    given: bool = False  # whether it stands as it was opened, with nothing edited
    memo: Memo | None = field(default=None, repr=False)  # what the page was made of before; None for one made once
    aside: Aside | None = field(default=None, repr=False)  # None where nobody waits: all is computed at once
    _labels: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False)

    @staticmethod
    def of(document: Document, looking: Looking | None = None, **others: Any) -> "View":
        """A document as it is now; the further arguments are those of the view."""
        last = LastEdit(document.before, document.added, document.removed, document.label)
        # All fields of an engine are replaced by an update and none is written into, so a shallow copy keeps its values
        # for ever, and shares the gradients that are computed from now on.
        return View(document.state, copy(document.engine), looking or Looking(), last, **others)

    @cached_property
    def part(self) -> "Parts":
        """Gives a part of a page, as it was if `of` are the very same objects as before: see `Memo.part`.

        It may depend on the graph, the labels and what is looked at besides, and must show nothing but values.
        """
        return _made if self.memo is None or self.looking.showing != "values" else self.memo.part

    def awaited(self, key: str, size: float, of: tuple[object, ...], work: Callable[[Told], T]) -> T | None:
        """What a work comes to that may take long; None while it is being computed beside the window.

        A page has a `Waiting` in its place then, and is made anew once it is there.

        Parameters
        ----------
        key : str
            What it is called.
        size : float
            Multiply-adds that it takes, weighed as in `Graph.work`.
        of : tuple
            What it is made of; only for these very objects it is the same.
        work : callable
            Run on another thread. It reads values that nobody writes into, and no widget.
        """
        if self.aside is None or size < AT_ONCE:
            return work(lambda done, total: None)
        found: T | None = self.aside.ask(key, of, work)
        return found

    def begin(self) -> None:
        """Make the page once more: what all its parts may depend on is compared once."""
        if self.memo is not None:
            words = [self.values[f"{axis}.tokens"] for axis in self.graph.sequences]
            given = self.graph, self.state.model, self.looking, self.ours
            self.memo.begin(given, (*words, self.values.get(CASES)))

    # The graph

    @cached_property
    def graph(self) -> Graph:
        """Nodes, axes and stages."""
        return self.engine.graph

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """The graph's nodes by name."""
        return self.engine.graph.nodes

    @cached_property
    def values(self) -> Mapping[str, Array]:
        """The value of each node."""
        return self.engine.values

    def stage(self, name: str) -> list[Node]:
        """The nodes of a stage, in reading order."""
        return [node for node in self.nodes.values() if node.stage == name]

    def block(self, stage: Stage) -> str:
        """The path before the short names of a stage's nodes, with its dot: "encoder.1.self." or nothing."""
        first = next(node.name for node in self.nodes.values() if node.stage == stage.name)
        path = first.rpartition(".")[0]
        return f"{path}." if path else ""

    def labels(self, axis: str) -> tuple[str, ...]:
        """The labels along an axis: for a sequence its words, else the fixed labels; a case is named by its numbers."""
        if axis not in self._labels:
            labels = self.engine.labels(axis)
            cases = self.nodes.get(CASES) if axis not in self.graph.sequences else None  # words are no cases
            if cases is not None and cases.axes[0] == axis:
                rows = self.values[CASES].tolist()
                named = zip(labels, rows, strict=True)
                labels = tuple(label if _says(label, row) else _said(row) for label, row in named)
            self._labels[axis] = labels
        return self._labels[axis]

    # Heads

    def of_head(self, name: str, head: int | None = None) -> str:
        """The name of a node, or of the looked-at head's slice of it where it is stacked over heads.

        Keys and values that several heads share are those that the looked-at head shares.
        """
        heads = self.graph.heads.get(name)
        if not heads:
            return name
        block, _, short = name.rpartition(".")
        if head is None:
            of_queries = f"{block}.heads" if block else ""
            all_heads = len(self.graph.axes.get(of_queries, ())) or heads
            head = min(self.looking.head, all_heads - 1) * heads // max(all_heads, heads)
        return f"{block}.head.{head + 1}.{short}" if block else f"head.{head + 1}.{short}"

    def shares_of(self, block: str) -> str:
        """The name of a block's attention weights as one looks at them: those of a head, or their mean over the heads.

        `block`: path with its dot, such as "encoder.1.self.", or nothing.
        """
        if self.graph.n_heads(f"{block}weights") and self.averaged(block):
            return f"{block}average"
        return self.of_head(f"{block}weights")

    def averaged(self, block: str) -> bool:
        """Whether the mean over a block's heads is looked at."""
        return self.looking.averaged and f"{block}average" in self.nodes

    # Choices on pages

    def chosen(self, key: str, usual: Any) -> Any:
        """What was chosen under a key of `Keep`, or what is usual."""
        return self.looking.choices.get(key, usual)

    def number(self, key: str, usual: int, least: int, most: int) -> int:
        """The whole number that was chosen, held between two bounds: a file may say any, a longer text had more."""
        chosen = self.looking.choices.get(key)
        return max(least, min(int(chosen), most)) if isinstance(chosen, int) else usual

    def row(self, axis: str, last: bool = False) -> int:
        """The place along an axis that a page is about: the one that was chosen last, or the first, or the last.

        Of a net's cases the first that is not all 0: of zeros there is nothing to see that a net does.
        """
        n = len(self.graph.axes[axis])
        first = 0
        if CASES in self.nodes and self.nodes[CASES].is_input and self.nodes[CASES].axes[0] == axis:
            first = int(self.values[CASES].any(axis=-1).argmax())
        return self.number(row_of(axis), n - 1 if last else first, 0, n - 1)

    # Numbers

    def value(self, name: str) -> Array:
        """The array of a node or of a head's slice of it."""
        return self.engine.value(self.graph.place(name))

    def shown(self, place: Place) -> Array:
        """What a matrix shows of a node or slice, in its own shape: see `Looking.showing`."""
        value = self.engine.value(place)
        match self.looking.showing:
            case "change":
                return self.change(place)
            case "step" if self.last_step is not None:
                return self.last_step(place)
            case "gradient":
                gradient = self.engine.gradient(place) if LOSS.node in self.nodes else None
                return np.zeros(value.shape) if gradient is None else gradient
            case "difference":
                other = self.other(place)
                return np.zeros(value.shape) if other is None else apart(value, other)
            case _:
                return value

    def change(self, place: Place) -> Array:
        """What the last edit changed in a node or slice: now minus before; 0 where nothing, or all of it is new."""
        now, was = self.engine.value(place), self.last.before.get(place.node)
        if was is None or was.shape != self.values[place.node].shape:
            return np.zeros(now.shape)
        return apart(now, was[place.index])

    def is_changed(self, name: str) -> bool:
        """Whether the last edit made a node, or changed one of its cells."""
        return self.is_new(name) or any(_differing(self.values[name], self.last.before.get(name)))

    def changed(self, name: str) -> tuple[int, float]:
        """How many cells of a node the last edit changed, and by how much the one that it changed most."""
        return largest_change(self.values[name], self.last.before.get(name))

    def is_new(self, name: str) -> bool:
        """Whether the last edit made a node, or gave it another shape: then it has nothing that it changed from."""
        was = self.last.before.get(name)
        return name in self.last.added or (was is not None and was.shape != self.values[name].shape)

    def other(self, place: Place) -> Array | None:
        """The values of the same name in the model beside, if it has them in the same shape."""
        if self.beside is None or place.node not in self.beside.nodes:
            return None
        heads = self.beside.graph.n_heads(place.node)
        if place.head is not None and (heads is None or place.head >= heads):
            return None
        other = self.beside.engine.value(place)
        return other if other.shape == self.engine.value(place).shape else None


_AT_ONCE = 2**18
"""Numbers that are compared at a time."""


def largest_change(now: Array, was: Array | None) -> tuple[int, float]:
    """How many cells are other than before, and by how much the one that changed most; 0 where the shape is other."""
    count, high, low = 0, np.nan, np.nan
    for one, other in _differing(now, was):
        count += int(np.count_nonzero(one != other))
        with np.errstate(invalid="ignore"):  # ∞ − ∞, which is not the largest change where there is another
            change = np.subtract(one, other, dtype=np.float64).ravel()
        high, low = np.fmax(high, np.fmax.reduce(change)), np.fmin(low, np.fmin.reduce(change))
    return count, float(low if -low > high else high) if count else 0.0


def _differing(now: Array, was: Array | None) -> Iterator[tuple[Array, Array]]:
    """The rows that are other than before, now and then, with some around them.

    Of the words of a large model most are the same: all changes at once take a second, and a gigabyte.
    """
    if was is None or was.shape != now.shape:
        return
    step = max(_AT_ONCE * len(now) // max(now.size, 1), 1) if now.ndim else 1
    for start in range(0, len(now) if now.ndim else 1, step):
        one, other = (now[start : start + step], was[start : start + step]) if now.ndim else (now, was)
        if not np.array_equal(one, other):
            yield one, other


def row_of(axis: str) -> str:
    """The key under which the place along an axis is kept that pages are about."""
    return f"row.{axis}"


def _says(label: str, numbers: Sequence[float]) -> bool:
    """Whether the name of a case holds no other numbers than those it has."""
    try:
        named = [read_number(part) for part in label.split(",")]
    except ExplorerError:
        return True  # it is named by a word
    return len(named) != len(numbers) or np.allclose(named, numbers, atol=0.051)


def _said(numbers: Sequence[float]) -> str:
    """The numbers of a case, as its name."""
    return ", ".join(written(number, 1 if number % 1 else 0) for number in numbers)


def equation(view: View, node: Node) -> str:
    """How a node comes from its parents, in LaTeX; its symbol alone where that says it."""
    symbols = [view.nodes[parent].symbol for parent in node.parents]
    formula = "" if node.is_input else node.op.formula(*symbols)
    # A scale of 1/sqrt(d_k) is its own formula.
    if formula in ("", node.symbol):
        return node.symbol
    return f"{node.symbol} = {formula}"
