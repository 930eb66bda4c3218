"""A view: the model, its values and what the reader looks at, as one immutable value. Pages are made from it.

`Memo` keeps the parts of a page from one view to the next while nothing that they depend on has changed.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import field, replace
from functools import cached_property
from operator import is_
from types import MappingProxyType
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from explorer.core.cell import is_cell_of
from explorer.core.engine import Engine
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import CASES, LOSS, Cell, Graph, Node, Place, Stage, name_of_head
from explorer.core.numbers import apart, read_number, written
from explorer.core.ops import Array
from explorer.core.vocabulary import MASKS
from explorer.document.document import Document
from explorer.document.state import State

T = TypeVar("T")


class Memo:
    """The parts of a page as it was last made, and the objects that they depend on. It lives as long as the page.

    Arrays are never written into, so the identical array has the same numbers.
    """

    def __init__(self) -> None:
        self._of: tuple[tuple[object, ...], ...] = ()
        self._before: dict[Hashable, tuple[tuple[object, ...], object]] = {}
        self._now: dict[Hashable, tuple[tuple[object, ...], object]] = {}

    def begin(self, given: tuple[object, ...], arrays: tuple[np.ndarray | None, ...]) -> None:
        """Start to make the page again; all its parts may depend on `given` (by value) and `arrays` (by identity)."""
        of = given, arrays
        same = bool(self._of) and self._of[0] == given and len(arrays) == len(self._of[1])
        self._before = self._now if same and all(map(is_, arrays, self._of[1])) else {}
        self._of, self._now = of, {}

    def part(
        self, key: Hashable, of: tuple[object, ...], make: Callable[[], T], renew: Callable[[T], T] | None = None
    ) -> T:
        """The part with this key: the former one if `of`, the objects that only this part depends on, are identical.

        `renew`: makes the part from the former one, where that is less work than `make`.
        """
        kept = self._before.get(key)
        if kept is None:
            kept = of, make()
        elif not all(map(is_, of, kept[0])):
            kept = of, (make() if renew is None else renew(kept[1]))  # type: ignore[arg-type]
        self._now[key] = kept
        part: T = kept[1]  # type: ignore[assignment]
        return part


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Spot(Frozen):
    """The cells that a step of a lesson speaks of."""

    node: str  # a node, or a head's slice of one
    # `rows`, `columns`: with both, the cells where they cross; with neither, the whole; a vector has only `rows`.
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    beside: tuple[str, ...] = ()  # nodes whose numbers should be in sight beside it, if they are few
    goals: tuple[str, ...] = ()  # nodes whose numbers the reader should change


Cells = Mapping[str, frozenset[tuple[int, ...]]]
"""Cells by node, as indices in the node's whole array."""


class Covered(Frozen):
    """The cells that nobody may read yet, because an open question asks for them."""

    values: Cells = field(default_factory=lambda: _NOTHING)
    gradients: Cells = field(default_factory=lambda: _NOTHING)
    # The asked number, if it is so peculiar that any text or list with this number, written with at least `decimals`
    # decimals, must mean it.
    number: float | None = None
    decimals: int = 0

    def __bool__(self) -> bool:
        return bool(self.values or self.gradients)

    def inside(self, arrays: Mapping[str, Array]) -> "Covered":
        """The same for another model of the example: without the cells that this model does not have."""

        def there(cells: Cells) -> Cells:
            shapes = {name: arrays[name].shape for name in cells.keys() & arrays.keys()}
            of = {name: frozenset(c for c in cells[name] if is_cell_of(c, shape)) for name, shape in shapes.items()}
            return {name: found for name, found in of.items() if found}

        return replace(self, values=there(self.values), gradients=there(self.gradients))

    def where(self, showing: str) -> Cells:
        """The covered cells of what matrices show: gradients or values (see `Looking.showing`)."""
        return self._beside_gradients if showing == "gradient" else self.values

    @cached_property
    def _beside_gradients(self) -> Cells:
        """The covered cells while gradients are shown: what is told of a cell then names its value, too."""
        if not self.values:
            return self.gradients
        names = self.values.keys() | self.gradients.keys()
        return {name: self.values.get(name, frozenset()) | self.gradients.get(name, frozenset()) for name in names}


class Looking(Frozen):
    """What the reader looks at and has chosen. It holds no number of the model."""

    # What matrices show: "values", "change" (by the last edit), "step" (by the last step of gradient descent),
    # "gradient" or "difference" (to the model beside).
    showing: str = "values"
    head: int = 0  # counted from 0
    averaged: bool = False  # whether the mean over the heads is chosen, instead of one head
    token: tuple[str, int] | None = None  # (axis, index): the word that was chosen to stay lit
    # The choices made on pages, by the keys of `Keep`.
    choices: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    spot: Spot | None = None  # the cells that a step of a lesson speaks of
    covered: Covered = field(default_factory=Covered)  # the cells that nobody may read yet
    # Whether the text is large, for a class or for readers who do not see well: then pictures have fewer words.
    large: bool = False

    def hides(self, cell: Cell) -> bool:
        """Whether a cell is covered now."""
        return cell.index in self.covered.where(self.showing).get(cell.node, ())


class Steps(Frozen):
    """How gradient descent would continue from the present state."""

    rate: float  # the learning rate
    moves: Mapping[str, bool]  # the inputs that a gradient can move, and whether the steps move them
    quick: bool  # whether a step is so fast that nobody has to wait for it
    ready: bool  # whether the gradients are computed already, or are quick to compute
    # Gives the moved inputs as they would be after the next step; raises an `ExplorerError` if no step is possible.
    ahead: Callable[[], Mapping[str, Array]]


Told = Callable[[int, int], None]
"""Called now and then during long work with how much is done, and how much there is in all; may raise to stop it."""
AT_ONCE = 1_000_000_000
"""Work of this many multiply-adds, weighed as in `Graph.work`, is worth a thread: some 20 ms."""


class Aside(Protocol):
    """Computes on a thread what a page waits for; the window has one."""

    def ask(self, key: str, of: tuple[object, ...], work: Callable[[Told], Any]) -> Any:
        """The result of the work on these identical objects; None until it is computed."""

    def stopped(self, key: str) -> bool:
        """Whether somebody has stopped the work with this key."""


class LastEdit(Frozen):
    """What the last act changed: an edit, an undo or a step of a lesson."""

    # The old values of those changed nodes that existed before.
    before: Mapping[str, Array] = field(default_factory=lambda: _NOTHING)
    # `added`, `removed`: nodes that the graph gained and lost.
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    label: str = ""  # what was done, also "Undo: …"; "" if nothing was done


class View(Frozen, eq=False):
    """The model with its values, and all that decides how a page shows them."""

    state: State
    engine: Engine  # a snapshot: it is never updated
    looking: Looking = field(default_factory=Looking)
    last: LastEdit = field(default_factory=LastEdit)
    ours: frozenset[str] = frozenset()  # names of nodes and slices whose values are ours, not those of a text
    # To compare with a printed text: the ids of the example and of the setting that the text prints.
    prints: tuple[str, str] | None = None
    beside: "View | None" = None  # the other model of the comparison, for "difference"
    # The change of a node or slice by the last step of gradient descent.
    last_step: Callable[[Place], Array] | None = None
    # How gradient descent would continue; None where no step can be taken, as in a picture for print.
    steps: Steps | None = None
    given: bool = False  # whether the model is as it was opened, without any edit
    memo: Memo | None = field(default=None, repr=False)  # the former parts of the page; None for a page made once
    aside: Aside | None = field(default=None, repr=False)  # computes on a thread; None: everything is computed at once
    _labels: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False)

    @staticmethod
    def of(document: Document, looking: Looking | None = None, **others: Any) -> "View":
        """The view of a document's present state; `others` are further fields of the view."""
        last = LastEdit(document.before, document.added, document.removed, document.label)
        # An update replaces the fields of an engine and writes into none, so a shallow copy keeps its values for ever.
        # It shares the gradients that are computed from now on.
        return View(document.state, copy(document.engine), looking or Looking(), last, **others)

    def part(
        self, key: Hashable, of: tuple[object, ...], make: Callable[[], T], renew: Callable[[T], T] | None = None
    ) -> T:
        """A part of a page, the former one if `of` are identical objects: see `Memo.part`.

        The part may also depend on the graph, the labels and `looking`. Only while values are shown are parts kept.
        """
        memo = self.memo if self.looking.showing == "values" else None
        return make() if memo is None else memo.part(key, of, make, renew)

    def awaited(self, key: str, size: float, of: tuple[object, ...], work: Callable[[Told], T]) -> T | None:
        """The result of work that may take long; None while a thread is computing it.

        Meanwhile the page has an element `Waiting` there; the page is made anew once the result is ready.

        `key`: the name of the work.
        `size`: the multiply-adds of the work, weighed as in `Graph.work`.
        `of`: the objects that the result depends on; it is valid only for these identical objects.
        `work`: runs on another thread. It may read values, which nobody writes into, but no widget.
        """
        if self.aside is None or size < AT_ONCE:
            return work(lambda done, total: None)
        found: T | None = self.aside.ask(key, of, work)
        return found

    def begin(self) -> None:
        """Start to make the page again: compare once what all its parts may depend on."""
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

    @cached_property
    def stages(self) -> Mapping[str, Stage]:
        """The graph's stages by name, in reading order."""
        return {stage.name: stage for stage in self.graph.stages}

    def stage(self, name: str) -> list[Node]:
        """The nodes of a stage, in reading order."""
        return [node for node in self.nodes.values() if node.stage == name]

    def block(self, stage: Stage) -> str:
        """The path before the short names of a stage's nodes, with a dot at its end: "encoder.1.self.", or ""."""
        first = next(node.name for node in self.nodes.values() if node.stage == stage.name)
        return first[: first.rfind(".") + 1]

    def labels_along(self, node: str, axis: int) -> tuple[str, ...]:
        """The labels along an axis of a node, by its number."""
        return self.labels(self.nodes[node].axes[axis])

    def labels(self, axis: str) -> tuple[str, ...]:
        """The labels along an axis: the words of a sequence, the numbers of a net's cases, or the fixed labels."""
        if axis not in self._labels:
            labels = self.engine.labels(axis)
            cases = self.nodes.get(CASES) if axis not in self.graph.sequences else None  # words are no cases
            if cases is not None and cases.axes[0] == axis:
                rows = self.values[CASES].tolist()
                labels = tuple(
                    label if _says(label, row) else ", ".join(written(x, 1 if x % 1 else 0) for x in row)
                    for label, row in zip(labels, rows, strict=True)
                )
            self._labels[axis] = labels
        return self._labels[axis]

    # Heads

    def of_head(self, name: str, head: int | None = None) -> str:
        """The name of a node or, if the node is stacked over heads, of the slice of a head: by default the chosen one.

        If several heads share keys and values, it is the slice that the chosen head uses.
        """
        heads = self.graph.n_heads.get(name)
        if not heads:
            return name
        if head is None:
            block = name.rpartition(".")[0]
            of_queries = f"{block}.heads" if block else ""
            all_heads = len(self.graph.axes.get(of_queries, ())) or heads
            head = min(self.looking.head, all_heads - 1) * heads // max(all_heads, heads)
        return name_of_head(name, head)

    def shares_of(self, block: str) -> str:
        """The name of the attention weights that the reader looks at: those of the chosen head, or the mean over heads.

        `block`: a path with a dot at its end, such as "encoder.1.self.", or "".
        """
        if self.graph.n_heads.get(f"{block}weights") and self.averaged(block):
            return f"{block}average"
        return self.of_head(f"{block}weights")

    def averaged(self, block: str) -> bool:
        """Whether the reader chose the mean over the heads, and the block has it."""
        return self.looking.averaged and f"{block}average" in self.nodes

    # Choices on pages

    def chosen(self, key: str, usual: Any) -> Any:
        """The choice kept under a key of `Keep`; the usual one if there is none of its kind: a file may hold any."""
        chosen = self.looking.choices.get(key, usual)
        return chosen if usual is None or isinstance(chosen, type(usual)) else usual

    def number(self, key: str, usual: int, least: int, most: int) -> int:
        """The chosen whole number, kept within bounds: a file may hold any, and a longer text allowed a larger one."""
        chosen = self.looking.choices.get(key)
        return max(least, min(int(chosen), most)) if isinstance(chosen, int) else usual

    def row(self, axis: str, last: bool = False) -> int:
        """The index along an axis that a page is about: the one chosen last, else the one that a step speaks of.

        If it speaks of none, it is the first or, with `last`, the last. For the cases of a net, the first is the first
        case that is not all 0: with zeros there is little to see. For an encoder, the last is the first masked word, if
        there is one: at all others it has seen what it says.
        """
        n = len(self.graph.axes[axis])
        usual = n - 1 if last else 0
        if last and self.state.model.kind == "encoder" and axis in self.graph.sequences:
            usual = next((i for i, word in enumerate(self.labels(axis)) if word in MASKS), usual)
        if not last and CASES in self.nodes and self.nodes[CASES].is_input and self.nodes[CASES].axes[0] == axis:
            usual = int(self.values[CASES].any(axis=-1).argmax())
        spoken = self._spoken_rows(axis)
        if spoken and usual not in spoken:
            usual = min(spoken[0], n - 1)  # the text may be shorter than the step's
        return self.number(row_of(axis), usual, 0, n - 1)

    def _spoken_rows(self, axis: str) -> tuple[int, ...]:
        """The indices along an axis of the rows that a step speaks of; () if it names no rows of a matrix with it."""
        spot = self.looking.spot
        place = None if spot is None or not spot.rows else self.graph.find(spot.node)
        return () if spot is None or place is None or self.graph.axes_of(place)[:1] != (axis,) else spot.rows

    # Numbers

    def value(self, name: str) -> Array:
        """The array of a node or of a head's slice of it."""
        return self.engine.value(self.graph.place(name))

    def shown(self, place: Place) -> Array:
        """The numbers that a matrix shows of a node or slice, in its own shape: see `Looking.showing`."""
        value = self.engine.value(place)
        match self.looking.showing:
            case "change":
                return self.change(place)
            case "step" if self.last_step is not None:
                return self.last_step(place)
            case "gradient":
                gradient = self.engine.gradient(place) if LOSS in self.nodes else None
                return np.zeros(value.shape) if gradient is None else gradient
            case "difference":
                other = self.other(place)
                return np.zeros(value.shape) if other is None else apart(value, other)
            case _:
                return value

    def change(self, place: Place) -> Array:
        """The change of a node or slice by the last edit: now minus before; 0 everywhere if the node is new."""
        now, was = self.engine.value(place), self.last.before.get(place.node)
        if was is None or was.shape != self.values[place.node].shape:
            return np.zeros(now.shape)
        return apart(now, was[place.index])

    def is_changed(self, name: str) -> bool:
        """Whether the last edit created a node, or changed one of its cells."""
        return self.is_new(name) or any(_differing(self.values[name], self.last.before.get(name)))

    def changed(self, name: str) -> tuple[int, float]:
        """How many cells of a node the last edit changed, and the largest change."""
        return largest_change(self.values[name], self.last.before.get(name))

    def is_new(self, name: str) -> bool:
        """Whether the last edit created a node, or gave it another shape: then no former values can be compared."""
        was = self.last.before.get(name)
        return name in self.last.added or (was is not None and was.shape != self.values[name].shape)

    def other(self, place: Place) -> Array | None:
        """The values of the same node or slice in the model beside; None if it has none of this shape."""
        if self.beside is None or place.node not in self.beside.nodes:
            return None
        heads = self.beside.graph.n_heads.get(place.node)
        if place.head is not None and (heads is None or place.head >= heads):
            return None
        other = self.beside.engine.value(place)
        return other if other.shape == self.engine.value(place).shape else None


def once_a_graph(make: Callable[[View], T]) -> Callable[[View], T]:
    """A function of what a graph fixes, whatever its numbers: its result is kept as long as the graph."""
    kept: WeakKeyDictionary[Graph, T] = WeakKeyDictionary()

    def of(view: View) -> T:
        if view.graph not in kept:
            kept[view.graph] = make(view)
        return kept[view.graph]

    return of


_AT_ONCE = 2**18
"""How many numbers are compared at a time."""


def largest_change(now: Array, was: Array | None) -> tuple[int, float]:
    """How many cells differ from before, and the largest change with its sign; 0 and 0.0 if the shape differs."""
    count, high, low = 0, np.nan, np.nan
    for one, other in _differing(now, was):
        count += int(np.count_nonzero(one != other))
        with np.errstate(invalid="ignore"):  # ∞ − ∞ is NaN, which `fmax` and `fmin` ignore
            change = np.subtract(one, other, dtype=np.float64).ravel()
        high, low = np.fmax(high, np.fmax.reduce(change)), np.fmin(low, np.fmin.reduce(change))
    return count, float(low if -low > high else high) if count else 0.0


def _differing(now: Array, was: Array | None) -> Iterator[tuple[Array, Array]]:
    """Groups of rows in which something differs, as they are now and as they were.

    In the table of a large model most rows stay the same: comparing all at once takes a second, and a gigabyte.
    """
    if was is None or was.shape != now.shape:
        return
    step = max(_AT_ONCE * len(now) // max(now.size, 1), 1) if now.ndim else 1
    for start in range(0, len(now) if now.ndim else 1, step):
        one, other = (now[start : start + step], was[start : start + step]) if now.ndim else (now, was)
        if not np.array_equal(one, other):
            yield one, other


def row_of(axis: str) -> str:
    """The key that keeps the index along an axis that pages are about."""
    return f"row.{axis}"


def _says(label: str, numbers: Sequence[float]) -> bool:
    """Whether the label of a case still fits its numbers; a label in words always does."""
    try:
        named = [read_number(part) for part in label.split(",")]
    except ExplorerError:
        return True  # the label is a word
    return len(named) != len(numbers) or np.allclose(named, numbers, atol=0.051)


def where(view: View) -> str:
    """What stands before a row of outputs: "After" a word that is read; of an encoder "At", of given scores "For"."""
    return {"encoder": "At", "output": "For"}.get(view.state.model.kind, "After")


def where_said(view: View, word: str) -> str:
    """The place of an output in words."""
    return f"{where(view)} “{word}”"
