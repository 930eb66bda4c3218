"""Everything that makes a document what it is, as one value that never changes: an edit makes a new one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from explorer.core.forward import Pin
from explorer.core.graph import Graph
from explorer.core.model import Model
from explorer.core.models.size import build_within
from explorer.core.models.targets import with_next_words, with_tied_words
from explorer.core.ops import Array, Input
from explorer.core.training.history import History

_EMPTY: Mapping[str, Pin] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class State:
    """A model with its numbers.

    Since arrays are never written to, states share what they have in common, and going back to one is exact.

    Parameters
    ----------
    model : Model
        The structure; the graph is built from it.
    graph : Graph
        Built from `model`.
    inputs : mapping of str to numpy.ndarray
        The value of each input node. It may hold values of nodes that a switch has taken away, so that switching back
        brings them back.
    pins : mapping of str to Pin
    run : History or None
        The records of the training that its weights are from. It goes on growing while that does.
    setting, lesson : str
        Where this came from: the name of a setting, such as "printed", and the id of its lesson.
    """

    model: Model
    graph: Graph
    inputs: Mapping[str, Array]
    pins: Mapping[str, Pin] = field(default_factory=lambda: _EMPTY)
    setting: str = ""
    lesson: str = ""
    run: History | None = None

    @staticmethod
    def of(
        model: Model,
        inputs: Mapping[str, Array],
        pins: Mapping[str, Pin] = _EMPTY,
        setting: str = "",
        lesson: str = "",
    ) -> "State":
        """A state whose missing inputs start as their nodes say, from the model's seed.

        Inputs keep their values where the shape still fits. Where only a sequence or a vocabulary has become longer or
        shorter, the rows that remain keep theirs. Given arrays are taken as they are, if they have the type of the
        node's numbers, and closed against writing.

        Pins stay where their node is there and computed, in the cells that remain in this sense; the others are let go.

        Where the right words are the next words, the output vocabulary gets those that it lacks. Where the output is
        tied to the table, each gets those that the other goes on with.

        Parameters
        ----------
        model : Model
        inputs : mapping of str to numpy.ndarray
            Values of input nodes.
        pins : mapping of str to Pin
        setting, lesson : str
            As of `State`.

        Raises
        ------
        ExplorerError
            Where the model's sizes do not fit together, or are too large to be held.
        """
        model = with_tied_words(with_next_words(model))
        graph = build_within(model)
        fitted = {name: _fitted(graph, name, pin) for name, pin in pins.items() if _is_computed(graph, name)}
        kept_pins = {name: pin for name, pin in fitted.items() if pin is not None}
        return State(model, graph, _fill(model, graph, inputs), kept_pins, setting, lesson)

    @property
    def used(self) -> dict[str, Array]:
        """The inputs that the graph has: not those of nodes that a switch has taken away, or that it computes now."""
        nodes = self.graph.nodes
        return {name: array for name, array in self.inputs.items() if name in nodes and nodes[name].is_input}

    def rebuilt(self, model: Model, inputs: Mapping[str, Array]) -> "State":
        """The state with another structure: what fits of the inputs and pins stays."""
        return State.of(model, inputs, self.pins, self.setting, self.lesson)


def _is_computed(graph: Graph, name: str) -> bool:
    return name in graph.nodes and not graph.nodes[name].is_input


def _fitted(graph: Graph, name: str, pin: Pin) -> Pin | None:
    """The pin in the shape that its node has now; None where no cell of it remains."""
    shape = graph.shape(name)
    if pin.cells.shape == shape:
        return pin
    common = _common(graph, name, pin.cells.shape)
    if common is None or not pin.cells[common].any():
        return None
    cells, values = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=pin.values.dtype)
    cells[common], values[common] = pin.cells[common], pin.values[common]
    return Pin(frozen(cells), frozen(values))


def _common(graph: Graph, name: str, old: tuple[int, ...]) -> tuple[slice, ...] | None:
    """The cells that a node has kept, if only sequences or vocabularies have become longer or shorter."""
    axes, shape = graph.nodes[name].axes, graph.shape(name)
    if len(old) != len(shape):
        return None
    differing = [axis for axis, a, b in zip(axes, old, shape, strict=True) if a != b]
    if not {*graph.sequences, *graph.sequences.values(), "output.words"}.issuperset(differing):
        return None
    return tuple(slice(0, min(a, b)) for a, b in zip(old, shape, strict=True))


def _fill(model: Model, graph: Graph, given: Mapping[str, Array]) -> dict[str, Array]:
    inputs = dict(given)
    for name, node in graph.nodes.items():
        if not isinstance(node.op, Input):
            continue
        shape = graph.shape(name)
        old = inputs.get(name)
        if old is not None and old.shape == shape:
            # In one layout: the bits of a product depend on it, and equal numbers are to give equal bits.
            dtype = np.int64 if node.op.whole else model.dtype
            with np.errstate(over="ignore"):  # what float32 has no number for becomes infinite, for all to see
                inputs[name] = frozen(np.asarray(old, dtype=dtype, order="C"))
            continue
        new = node.op.start(name, shape, model.dtype, model.seed, model.initialiser)
        common = None if old is None else _common(graph, name, old.shape)
        if old is not None and common is not None:
            new[common] = old[common]
        inputs[name] = frozen(new)
    return inputs


def frozen(array: Array) -> Array:
    """The array, closed against writing."""
    array = np.asarray(array)
    array.flags.writeable = False
    return array
