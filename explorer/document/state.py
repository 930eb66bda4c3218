"""Everything that defines a document, as one immutable value: an edit makes a new one.

The numbers of large arrays are written when they are first read: no act on a large model waits for them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from threading import Lock
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from explorer.core.cost import build_within
from explorer.core.engine import Pin, same_bytes
from explorer.core.frozen import Frozen
from explorer.core.graph import Graph
from explorer.core.model import Model
from explorer.core.models.ends import with_next_words, with_tied_words
from explorer.core.ops import Array, Op
from explorer.core.training.recipe import Optimiser
from explorer.core.training.records import Records


class Deferred:
    """An array that already has its place in memory, but not its numbers.

    `array`: its shape, type and identity are final; its content must not be read before `write`.
    `writer`: writes the numbers into it; None after they have been written.
    """

    def __init__(self, array: Array, writer: Callable[[Array], None]) -> None:
        self.array = array
        self.writer: Callable[[Array], None] | None = writer
        self._lock = Lock()

    @property
    def waiting(self) -> bool:
        """Whether its numbers have not been written yet."""
        return self.writer is not None

    def write(self) -> None:
        """Write its numbers, once, on any thread; a second caller waits for the first."""
        with self._lock:
            if self.writer is not None:
                self.writer(self.array)
                self.array.flags.writeable = False
                self.writer = None


class Writing(Frozen, eq=False):
    """Numbers that are computed directly into the array that holds them."""

    shape: tuple[int, ...]
    into: Callable[[Array], None]  # writes them into an array of that shape; it may read the old numbers there


Part: TypeAlias = tuple[tuple[int, ...], Array | Writing]
"""One part of an edit: the index of a cell, of a head's slice, or () for the whole array; and the new numbers."""


class Edited(Frozen, eq=False):
    """The writer of an edited array: it copies another array and sets parts of it."""

    base: Array | Deferred
    parts: tuple[Part, ...]  # in order, the newest last

    @staticmethod
    def of(base: Array | Deferred, parts: tuple[Part, ...]) -> "Edited":
        """A writer that sets parts of an array; if the base also only waits for edits, all are merged into one copy."""
        writer = base.writer if isinstance(base, Deferred) else None
        # Edits with computed numbers are not merged: random numbers would be drawn again, and differ.
        if isinstance(writer, Edited) and not any(isinstance(numbers, Writing) for _, numbers in writer.parts):
            return Edited(writer.base, (*writer.parts, *parts))
        return Edited(base, parts)

    def __call__(self, array: Array) -> None:
        """Write the array."""
        if isinstance(self.base, Deferred):
            self.base.write()
        np.copyto(array, self.base.array if isinstance(self.base, Deferred) else self.base)
        with np.errstate(over="ignore"):  # a number too large for float32 becomes infinite
            for index, numbers in self.parts:
                if isinstance(numbers, Writing):
                    at: tuple[Any, ...] = (*index, ...)  # a view, even of a single cell
                    numbers.into(array[at])
                else:
                    array[index] = numbers

    def number(self, cell: tuple[int, ...]) -> Any:
        """The number in a cell; None if it is not known before the array is written."""
        for index, numbers in reversed(self.parts):
            if cell[: len(index)] == index:
                return None if isinstance(numbers, Writing) else numbers[cell[len(index) :]]
        return None if isinstance(self.base, Deferred) else self.base[cell]


class DeferredArrays(Mapping[str, Array]):
    """Arrays by name; reading a deferred one writes it first.

    `arrays`: all arrays. Their names, shapes and types can be asked for without writing anything.
    `deferred`: those of the arrays that may still have to be written.
    """

    def __init__(self, arrays: Mapping[str, Array], deferred: Mapping[str, Deferred]) -> None:
        self.arrays, self.deferred = arrays, deferred

    def __getitem__(self, name: str) -> Array:
        if name in self.deferred:
            self.deferred[name].write()
        return self.arrays[name]

    def __contains__(self, name: object) -> bool:
        return name in self.arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)


def unread(arrays: Mapping[str, Array]) -> Mapping[str, Array]:
    """The same arrays for their names, shapes and identity; none is written for it."""
    return arrays.arrays if isinstance(arrays, DeferredArrays) else arrays


def with_others(arrays: Mapping[str, Array], others: Mapping[str, Array | Deferred]) -> Mapping[str, Array]:
    """The arrays with some replaced or added; deferred arrays stay deferred."""
    together = {**unread(arrays)}
    waiting = {name: one for name, one in still_waiting(arrays).items() if name not in others}
    for name, other in others.items():
        if isinstance(other, Deferred):
            waiting[name] = other
        together[name] = other.array if isinstance(other, Deferred) else other
    return DeferredArrays(together, waiting) if waiting else together


def still_waiting(arrays: Mapping[str, Array]) -> Mapping[str, Deferred]:
    """Those arrays whose numbers have not been written yet."""
    if not isinstance(arrays, DeferredArrays):
        return {}
    return {name: one for name, one in arrays.deferred.items() if one.waiting}


MOST_WRITTEN_AT_ONCE = 300_000
"""From this many numbers on an array is deferred; smaller ones take 2 ms to draw, less than 1 ms to copy."""


# The state

_EMPTY: Mapping[str, Pin] = MappingProxyType({})
_NO_ARRAYS: Mapping[str, Array] = MappingProxyType({})


class State(Frozen, eq=False):
    """A model with its numbers.

    Arrays are never written to, so states share their common arrays, and to go back to a state is exact.
    """

    model: Model  # the structure; the graph is built from it
    graph: Graph  # built from `model`
    # The value of each input node. It may also hold values of nodes that a switch has removed, so that switching back
    # restores them. Large arrays may be written only when they are read; see `DeferredArrays`.
    inputs: Mapping[str, Array]
    pins: Mapping[str, Pin] = field(default_factory=lambda: _EMPTY)
    # `setting`, `lesson`: where the state comes from: the name of a setting, such as "printed", and the lesson's id.
    setting: str = ""
    lesson: str = ""
    records: Records | None = None  # of the training that gave its weights, up to these
    # For inputs that were longer because a sentence was longer: their longer values, so that a longer sentence gets
    # back what lies beyond the end of the present one. A table of positions belongs to the model, not to a sentence.
    beyond: Mapping[str, Array] = field(default_factory=lambda: _NO_ARRAYS)
    # With its memory after these steps, so that the training can continue with the same bits.
    optimiser: Optimiser | None = None

    @staticmethod
    def of(
        model: Model,
        inputs: Mapping[str, Array],
        pins: Mapping[str, Pin] = _EMPTY,
        setting: str = "",
        lesson: str = "",
        beyond: Mapping[str, Array] = _NO_ARRAYS,
        by_rows: bool = False,
    ) -> "State":
        """A state in which missing inputs get the starting values of their nodes, from the model's seed.

        Inputs keep their values if the shape still fits. If only a sequence or a vocabulary has another length, the
        common rows keep their values, and rows that a longer sequence had before come back. Given arrays are used as
        they are if they have the number type of the node, and are closed against writing.

        Pins stay if their node exists and is computed, in the cells that remain in this sense; others are dropped.

        If the targets are the next words, words missing in the output vocabulary are added. If the output is tied to
        the table and one vocabulary extends the other, both get the longer one.

        `inputs`: values of input nodes.
        `setting`, `lesson`, `beyond`: as in `State`.
        `by_rows`: as in `build_within`.
        Raises `ExplorerError` if the model's sizes do not fit together, or it needs too much memory.
        """
        model = with_tied_words(with_next_words(model))
        graph = build_within(model, unread(inputs), by_rows)
        computed = graph.node_names - graph.inputs
        fitted = {name: _fitted(graph, name, pin) for name, pin in pins.items() if name in computed}
        kept_pins = {name: pin for name, pin in fitted.items() if pin is not None}
        inputs, beyond = _filled(model, graph, inputs, beyond)
        return State(model, graph, inputs, kept_pins, setting, lesson, beyond=beyond)

    @property
    def used(self) -> dict[str, Array]:
        """The inputs of the graph, without those of nodes that a switch has removed or that are computed now."""
        self.write()
        return self.used_unread

    @property
    def used_unread(self) -> dict[str, Array]:
        """The same arrays by identity and shape: their numbers must not be read before `write`."""
        names = self.graph.inputs
        return {name: array for name, array in unread(self.inputs).items() if name in names}

    @property
    def numbers_to_write(self) -> int:
        """How many numbers of inputs have not been written yet."""
        return sum(one.array.size for one in still_waiting(self.inputs).values())

    def write(self) -> None:
        """Write the numbers of all deferred inputs, on any thread."""
        for one in still_waiting(self.inputs).values():
            one.write()

    def number(self, name: str, cell: tuple[int, ...]) -> Any:
        """One number of an input. If edits determine it, their copy of the array need not be written for it."""
        waiting = still_waiting(self.inputs).get(name)
        writer = None if waiting is None else waiting.writer
        found = writer.number(cell) if isinstance(writer, Edited) else None
        return self.inputs[name][cell] if found is None else found

    def with_inputs(self, arrays: Mapping[str, Array]) -> "State":
        """The state with other values of some inputs, in the same shapes."""
        return replace(self, inputs=with_others(self.inputs, arrays))

    def edited(self, name: str, *parts: Part) -> "State":
        """The state with other numbers in parts of an input; the same state if the bits are the same.

        A large array is copied only when it is first read: by the pass that uses it, not while a key is held down.
        Edits before that, such as those of a drag, make a single copy together.
        """
        base = still_waiting(self.inputs).get(name) or unread(self.inputs)[name]
        array = np.empty(self.graph.shape(name), unread(self.inputs)[name].dtype)
        edited = Edited.of(base, parts)
        if array.size < MOST_WRITTEN_AT_ONCE:
            edited(array)
            old = self.inputs[name]
            return self if same_bytes(array, old) else self.with_inputs({name: read_only(array)})
        # New whole arrays are not compared, because that would write and read them here.
        cells = [(np.asarray(self.number(name, at)), new) for at, new in parts if len(at) == array.ndim]
        if len(cells) == len(parts) and all(old.tobytes() == np.asarray(new).tobytes() for old, new in cells):
            return self
        return replace(self, inputs=with_others(self.inputs, {name: Deferred(array, edited)}))

    def with_beyond(self, longer: Mapping[str, Array]) -> "State":
        """The state, keeping rows of longer inputs that its own sentences do not reach: positions trained on others."""
        kept = dict(self.beyond)
        for name, array in longer.items():
            node, shape = self.graph.nodes[name], self.graph.shape(name)
            parts = [part for part in (self.beyond, {name: array}) if _common(self.graph, name, part) is not None]
            if node.is_input and any(_exceeds(part, name, shape) for part in parts):
                kept[name] = _longest(node.op, name, self.model, shape, parts)
        return replace(self, beyond=kept)

    def rebuilt(self, model: Model) -> "State":
        """The state with another structure; inputs and pins that fit are kept."""
        return State.of(model, self.inputs, self.pins, self.setting, self.lesson, self.beyond)


def _fitted(graph: Graph, name: str, pin: Pin) -> Pin | None:
    """The pin in the present shape of its node; None if no pinned cell remains."""
    shape = graph.shape(name)
    if (values := _of_rows(graph, name, pin.values)) is not pin.values:
        pin = Pin(pin.cells, read_only(values))
    if pin.cells.shape == shape:
        return pin
    common = _common(graph, name, {name: pin.cells})
    if common is None or not pin.cells[common].any():
        return None
    cells, values = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=pin.values.dtype)
    cells[common], values[common] = pin.cells[common], pin.values[common]
    return Pin(read_only(cells), read_only(values))


def _filled(
    model: Model, graph: Graph, given: Mapping[str, Array], beyond: Mapping[str, Array]
) -> tuple[Mapping[str, Array], Mapping[str, Array]]:
    """A value for each input node, plus the values of nodes that the graph lacks; and `State.beyond`."""
    inputs, longer = dict(unread(given)), dict(beyond)
    deferred = dict(still_waiting(given))
    for name, node in graph.nodes.items():
        if not node.is_input:
            continue
        op = node.op
        shape, dtype = graph.shape(name), np.dtype(np.int64 if op.whole else model.dtype)
        old = inputs.get(name)
        if old is not None and op.whole:
            inputs[name] = old = _of_rows(graph, name, old)
        if old is not None and old.shape == shape:
            if name not in deferred:
                # In one memory layout: the bits of a product depend on it, and equal numbers must give equal bits.
                if old.dtype != dtype or not old.flags.c_contiguous:
                    with np.errstate(over="ignore"):  # a number too large for float32 becomes infinite
                        old = np.asarray(old, dtype=dtype, order="C")
                inputs[name] = read_only(old)
            continue
        deferred.pop(name, None)
        kept = [arrays for arrays in (beyond, given) if _common(graph, name, arrays) is not None]
        inputs[name] = array = np.empty(shape, dtype)
        write = partial(_write, op=op, name=name, model=model, kept=kept)
        if array.size >= MOST_WRITTEN_AT_ONCE:
            deferred[name] = Deferred(array, write)
        else:
            write(array)
            read_only(array)
        longer.pop(name, None)
        if not op.whole and any(_exceeds(arrays, name, shape) for arrays in kept):
            longer[name] = _longest(op, name, model, shape, kept)
    return DeferredArrays(inputs, deferred) if deferred else inputs, longer


def _of_rows(graph: Graph, name: str, numbers: Array) -> Array:
    """Numbers of rows of a table, such as segments: those beyond a table that has become shorter name its last row."""
    for child in (graph.nodes[child] for child in graph.children[name]):
        if child.op.looks_up is not None and child.parents[0] == name:
            last = graph.shape(child.parents[child.op.looks_up])[0] - 1
            return np.minimum(numbers, last) if numbers.max(initial=0) > last else numbers
    return numbers


def _write(array: Array, op: Op, name: str, model: Model, kept: Sequence[Mapping[str, Array]]) -> None:
    """Write an input: its starting value, then the older values over it, the newest last."""
    cells = [_overlap(array.shape, unread(arrays)[name].shape) for arrays in kept]
    # Cells that will be overwritten are not drawn: a table may have tens of millions of numbers.
    corner = tuple(cut.stop for cut in cells[-1]) if cells else None
    op.write_start(array, name, model.seed, model.initialiser, corner)
    with np.errstate(over="ignore"):  # as in `_filled`
        for arrays, cut in zip(kept, cells, strict=True):
            array[cut] = arrays[name][cut]


def _longest(op: Op, name: str, model: Model, shape: tuple[int, ...], kept: Sequence[Mapping[str, Array]]) -> Array:
    """An input at its greatest length so far, if its present shape is shorter: sentences may be as long again."""
    longest = tuple(np.max([unread(arrays)[name].shape for arrays in kept], axis=0).tolist())
    oldest, newest = kept[0], kept[-1]
    if unread(newest)[name].shape == longest:
        return read_only(newest[name])
    if not _exceeds(newest, name, shape):
        return oldest[name]
    array = np.empty(longest, model.dtype)
    _write(array, op, name, model, kept)
    return read_only(array)


def _exceeds(arrays: Mapping[str, Array], name: str, shape: tuple[int, ...]) -> bool:
    """Whether an array has cells that an array of that shape lacks."""
    return any(was > n for was, n in zip(unread(arrays)[name].shape, shape, strict=True))


def _common(graph: Graph, name: str, arrays: Mapping[str, Array]) -> tuple[slice, ...] | None:
    """The cells that a node shares with its old array, if only sequences or vocabularies have another length."""
    if name not in arrays:
        return None
    axes, shape, old = graph.nodes[name].axes, graph.shape(name), unread(arrays)[name].shape
    if len(old) != len(shape):
        return None
    differing = [axis for axis, a, b in zip(axes, old, shape, strict=True) if a != b]
    words = {*graph.sequences.values(), "output.words"}
    if not all(graph.follows_text(axis) or axis in words for axis in differing):
        return None
    return _overlap(old, shape)


def _overlap(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[slice, ...]:
    """The cells that arrays of both shapes have."""
    return tuple(slice(min(n, m)) for n, m in zip(one, other, strict=True))


def read_only(array: Array) -> Array:
    """The array, closed against writing."""
    array = np.asarray(array)
    array.flags.writeable = False
    return array
