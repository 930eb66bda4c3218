"""What a person can do to a document: one small class for each act. A command turns a state into a new one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from explorer.core.engine import Pin, same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.graph import Graph, Place
from explorer.core.models.targets import READ, follows_words, next_words
from explorer.core.ops import Argmax, Array
from explorer.document.state import State, frozen

MAX_TOKENS = 512
MAX_TOKEN_LENGTH = 64

Cells = Mapping[tuple[int, ...], float]


class Command:
    """An act. `stroke` marks the parts of one drag, which history keeps as one undo step."""

    stroke: object = None

    @property
    def label(self) -> str:
        """What was done, as undo names it."""
        raise NotImplementedError(type(self).__name__)

    def apply(self, state: State) -> State:
        """The state afterwards.

        Raises
        ------
        ExplorerError
            Where it cannot be done; nothing has happened then.
        """
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True)
class SetCells(Command):
    """Set cells of an input node, or of a head's slice of one.

    Parameters
    ----------
    name : str
        Such as "encoder.1.self.head.1.W_Q".
    cells : mapping of cell to float
        A cell is counted from 0 in the node's, or the slice's, own shape.
    stroke : object
        Equal for all steps of one drag.
    """

    name: str
    cells: Cells
    stroke: object = field(default=None, compare=False)

    @property
    def label(self) -> str:
        if len(self.cells) == 1:
            ((cell, _),) = self.cells.items()
            return f"Set {self.name}[{', '.join(map(str, cell))}]" if cell else f"Set {self.name}"
        return f"Set {len(self.cells)} cells of {self.name}"

    def apply(self, state: State) -> State:
        place = _input(state, self.name)
        old = state.inputs[place.node]
        array = old.copy()
        _write(state, self.name, place, array, self.cells)
        # Not the whole: a large matrix would be read twice for one number of it.
        if all(array[place.index + cell].tobytes() == old[place.index + cell].tobytes() for cell in self.cells):
            return state
        return replace(state, inputs={**state.inputs, place.node: frozen(array)})


@dataclass(frozen=True, eq=False)
class SetArray(Command):
    """Set all of an input node, or of a head's slice of one.

    Parameters
    ----------
    name : str
    values : numpy.ndarray
        In the node's or slice's shape.
    what : str
        As undo names it: "Randomise".
    """

    name: str
    values: Array
    what: str = "Set"

    @property
    def label(self) -> str:
        return f"{self.what} {self.name}"

    def apply(self, state: State) -> State:
        place = _input(state, self.name)
        array = state.inputs[place.node].copy()
        if array[place.index].shape != self.values.shape:
            shape, given = _written(array[place.index].shape), _written(self.values.shape)
            raise ExplorerError("bad-shape", name=self.name, shape=shape, given=given)
        array[place.index] = self.values
        return replace(state, inputs={**state.inputs, place.node: frozen(array)})


@dataclass(frozen=True, eq=False)
class SetInputs(Command):
    """Set several input nodes at once, such as all weights at a step of training.

    Parameters
    ----------
    arrays : mapping of str to numpy.ndarray
        In the nodes' shapes.
    title : str
        As undo names it.
    stroke : object
        Equal for all steps of one run.
    """

    arrays: Mapping[str, Array]
    title: str
    stroke: object = None

    @property
    def label(self) -> str:
        return self.title

    def apply(self, state: State) -> State:
        for name, array in self.arrays.items():
            shape = state.inputs[_input(state, name).node].shape
            if array.shape != shape:
                raise ExplorerError("bad-shape", name=name, shape=_written(shape), given=_written(array.shape))
        return replace(state, inputs={**state.inputs, **self.arrays})


@dataclass(frozen=True)
class PinCells(Command):
    """Hold cells of a computed node at values typed by hand.

    Parameters
    ----------
    name : str
        A computed node, or a head's slice of one.
    cells : mapping of cell to float
    """

    name: str
    cells: Cells
    stroke: object = field(default=None, compare=False)

    @property
    def label(self) -> str:
        return f"Pin {len(self.cells)} cell{'s' * (len(self.cells) > 1)} of {self.name}"

    def apply(self, state: State) -> State:
        place = state.graph.place(self.name)
        node = state.graph.nodes[place.node]
        if node.is_input:
            raise ExplorerError("pin-of-input", name=self.name)
        shape, dtype = state.graph.shape(place.node), np.int64 if node.op.whole else state.model.dtype
        old = state.pins.get(place.node) or Pin(np.zeros(shape, dtype=bool), np.zeros(shape, dtype=dtype))
        held, values = old.cells.copy(), old.values.copy()
        _write(state, self.name, place, values, self.cells)
        for cell in self.cells:
            held[place.index + cell] = True
        if same_bytes(held, old.cells) and same_bytes(values, old.values):
            return state
        return replace(state, pins={**state.pins, place.node: Pin(frozen(held), frozen(values))})


@dataclass(frozen=True)
class Release(Command):
    """Let pinned cells be computed again.

    Parameters
    ----------
    name : str
    cells : tuple of cells
        Empty: all of the node or slice.
    """

    name: str
    cells: tuple[tuple[int, ...], ...] = ()

    @property
    def label(self) -> str:
        return f"Release {self.name}"

    def apply(self, state: State) -> State:
        place = state.graph.place(self.name)
        shape = state.graph.shape(place.node)[len(place.index) :]
        for cell in self.cells:
            _check_cell(self.name, cell, shape)
        if place.node not in state.pins:
            return state
        pin = state.pins[place.node]
        held = pin.cells.copy()
        for cell in self.cells or ((),):
            held[place.index + cell] = False
        if same_bytes(held, pin.cells):
            return state
        pins = {n: p for n, p in state.pins.items() if n != place.node}
        if held.any():
            pins[place.node] = Pin(frozen(held), pin.values)
        return replace(state, pins=pins)


@dataclass(frozen=True)
class SetTokens(Command):
    """Give a sequence other words. A word that the vocabulary lacks gets a row of its own in the table.

    Targets that were typed, but are the next words of the sentence, are those of the new sentence from now on.

    Parameters
    ----------
    sequence : str
        "source", "target" or "input".
    words : sequence of str
    """

    sequence: str
    words: Sequence[str]

    @property
    def label(self) -> str:
        return f"Set {self.sequence} to “{' '.join(self.words)}”"

    def apply(self, state: State) -> State:
        sequence, model = self.sequence, state.model
        if sequence not in state.graph.sequences:
            known = ", ".join(state.graph.sequences) or "none"
            raise ExplorerError("unknown-sequence", name=sequence, known=known)
        checked_words(sequence, self.words, MAX_TOKENS)
        axis = state.graph.sequences[sequence]
        vocabulary = list(model.axes[axis])
        known_words = {word: i for i, word in enumerate(vocabulary)}
        for word in self.words:
            if word not in known_words:
                known_words[word] = len(vocabulary)
                vocabulary.append(word)
        ids = frozen(np.array([known_words[word] for word in self.words], dtype=np.int64))
        if same_bytes(ids, state.inputs[f"{sequence}.tokens"]):
            return state
        if sequence == READ.get(model.kind) and _are_next_words(state):
            state = SetSwitch("loss", "targets", "next word").apply(state)
            model = state.model
        inputs = {**state.inputs, f"{sequence}.tokens": ids}
        if len(vocabulary) == len(model.axes[axis]) and len(ids) == model.lengths[sequence]:
            return replace(state, inputs=inputs)
        axes = {**model.axes, axis: tuple(vocabulary)}
        lengths = {**model.lengths, sequence: len(ids)}
        return state.rebuilt(replace(model, axes=axes, lengths=lengths), inputs)


def _are_next_words(state: State) -> bool:
    """Whether the right words are typed, but the same as if they followed the sentence."""
    target = state.inputs.get("loss.target")
    if target is None or "loss.target" not in state.graph.nodes or follows_words(state.model):
        return False
    try:
        following = next_words(state.model)
    except ExplorerError:
        return False
    return same_bytes(following.forward(state.inputs[f"{READ[state.model.kind]}.tokens"]), target)


@dataclass(frozen=True, eq=False)
class SendWords(Command):
    """Give a sequence words together with their vectors: its tokens, and their rows of its embedding table.

    Where the vectors are wider or narrower than the model, it becomes as wide as they are; weights that no longer fit
    start anew.

    Parameters
    ----------
    sequence : str
        "source", "target" or "input".
    words : sequence of str
    vectors : numpy.ndarray
        (n_words, d_model); of a word that stands there twice the last one counts.
    """

    sequence: str
    words: Sequence[str]
    vectors: Array

    @property
    def label(self) -> str:
        return f"Send “{' '.join(self.words)}” to {self.sequence}"

    def apply(self, state: State) -> State:
        after = SetTokens(self.sequence, self.words).apply(state)
        name, width = f"{self.sequence}.table", self.vectors.shape[1]
        if width != after.model.d_model:
            axes = {axis: labels for axis, labels in after.model.axes.items() if axis != "d_model"}
            after = after.rebuilt(replace(after.model, d_model=width, axes=axes), after.inputs)
        rows = {word: i for i, word in enumerate(after.model.axes[after.graph.sequences[self.sequence]])}
        table = after.inputs[_input(after, name).node].copy()
        table[[rows[word] for word in self.words]] = self.vectors
        return replace(after, inputs={**after.inputs, name: frozen(table)})


def checked_words(sequence: str, words: Sequence[str], most: int | None) -> Sequence[str]:
    """The words, if they can be the tokens of a sequence.

    Raises
    ------
    ExplorerError
        "empty-tokens", "too-many-tokens" or "bad-token".
    """
    if not words:
        raise ExplorerError("empty-tokens", sequence=sequence)
    if most is not None and len(words) > most:
        raise ExplorerError("too-many-tokens", sequence=sequence, limit=most, given=len(words))
    for word in words:
        if not word or len(word) > MAX_TOKEN_LENGTH or not word.isprintable() or " " in word:
            raise ExplorerError("bad-token", token=word[:MAX_TOKEN_LENGTH], limit=MAX_TOKEN_LENGTH)
    return words


@dataclass(frozen=True)
class SetSwitch(Command):
    """Set a switch of a block, such as ("encoder.1.self", "scale", "none").

    Another layout of Q and K is another picture of the same numbers, so they are carried over transposed. "W x" instead
    of "x W" reads the same printed matrices the other way: where all matrices of the block are square they stay as they
    are and the results change; where one is not, it would not fit, so all are transposed and the results stay. Targets
    that follow the words are those of these words when they are typed next, whatever was typed for others before.

    Parameters
    ----------
    block, name : str
    value : object
        What is chosen, or its text.
    everywhere : bool
        In all blocks of the same kind.
    """

    block: str
    name: str
    value: object
    everywhere: bool = False

    @property
    def label(self) -> str:
        return f"Set {self.block}.{self.name} to {self.value}{' everywhere' * self.everywhere}"

    def apply(self, state: State) -> State:
        blocks = state.model.blocks()
        state_now = self._set(state, self.block)
        if not self.everywhere:
            return state_now
        for block, kind in blocks.items():
            if kind == blocks[self.block]:
                state_now = self._set(state_now, block)
        return state_now

    def _set(self, state: State, block: str) -> State:
        model = state.model.with_switch(block, self.name, self.value)
        if model.switch(block, self.name) == state.model.switch(block, self.name):
            return state
        changed = state.rebuilt(model, self._carried(state, block))
        return replace(changed, inputs={**changed.inputs, **_taken_over(state, changed)})

    def _carried(self, state: State, block: str) -> Mapping[str, Array]:
        """The inputs: without what the switch replaces, those transposed whose rows and columns it exchanges."""
        prefix = f"{block}.W"
        match self.name:
            case "layout":
                names = ["Q", "K"]
            case "weights":
                names = [n for n in state.inputs if n == prefix or n.startswith(f"{prefix}_")]
                if all(state.inputs[n].shape[-1] == state.inputs[n].shape[-2] for n in names):
                    return state.inputs
            case "targets":
                return {name: array for name, array in state.inputs.items() if name != "loss.target"}
            case _:
                return state.inputs
        return {**state.inputs, **{n: frozen(state.inputs[n].swapaxes(-1, -2).copy()) for n in names}}


def _taken_over(old: State, new: State) -> dict[str, Array]:
    """Values of nodes that a switch makes editable for the first time: they start with what they were computed as.

    So a mask drawn by hand starts as the causal or the padding one, and a free scale as 1/sqrt(d_k).
    """
    nodes, given = old.graph.nodes, old.inputs
    names = [
        name
        for name, node in new.graph.nodes.items()
        if node.is_input
        and name not in given
        and name in nodes
        and given.keys() >= set(nodes[name].parents)
        # A row of words is no table of numbers.
        and nodes[name].axes == node.axes
    ]
    with np.errstate(all="ignore"):  # as in the engine
        values = {n: nodes[n].op.forward(*(given[p] for p in nodes[n].parents)) for n in names}
    values |= {n: pin.over(values[n]) for n, pin in old.pins.items() if n in values}
    return {n: frozen(value.astype(new.inputs[n].dtype)) for n, value in values.items()}


@dataclass(frozen=True, eq=False)
class Replace(Command):
    """Put a whole state in place of the present one: a lesson, one of its settings, a file."""

    state: State
    title: str
    stroke: object = None

    @property
    def label(self) -> str:
        return self.title

    def apply(self, state: State) -> State:
        return self.state


def _input(state: State, name: str) -> Place:
    """The place of an input node or of a head's slice of one."""
    place = state.graph.place(name)
    if not state.graph.nodes[place.node].is_input:
        inputs = ", ".join(state.graph.inputs_of(place.node)) or "none"
        raise ExplorerError("not-editable", name=name, inputs=inputs)
    return place


def _write(state: State, name: str, place: Place, array: Array, cells: Cells) -> None:
    """Write cells into a copy of a node's array, checked."""
    shape = array.shape[len(place.index) :]
    for cell, value in cells.items():
        _check_cell(name, cell, shape)
        if array.dtype.kind == "i":
            last = last_number(state.graph, place.node)
            if not (float(value).is_integer() and 0 <= value <= last):
                raise ExplorerError("bad-token-id", name=name, last=last, value=value)
        with np.errstate(over="ignore"):  # float32 has no number as large: infinity
            array[place.index + cell] = value


def _check_cell(name: str, cell: tuple[int, ...], shape: tuple[int, ...]) -> None:
    if len(cell) != len(shape) or not all(0 <= i < size for i, size in zip(cell, shape, strict=True)):
        raise ExplorerError("bad-cell", name=name, cell=", ".join(map(str, cell)), shape=_written(shape))


def last_number(graph: Graph, name: str) -> int:
    """The largest number that a node of whole numbers may hold."""
    node = graph.nodes[name]
    if isinstance(node.op, Argmax):
        return len(graph.axes[graph.nodes[node.parents[0]].axes[-1]]) - 1
    if name == "loss.target":
        return len(graph.axes[graph.nodes[graph.nodes["loss.value"].parents[0]].axes[-1]]) - 1
    if len(node.axes) == 1:
        return len(graph.axes[graph.sequences[node.axes[0]]]) - 1
    return 1  # a mask


def _written(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) or "a single number"
