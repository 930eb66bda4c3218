"""Gradient descent on a document: every step is an edit of its weights, and a run is one step to undo."""

from array import array
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from explorer.core.errors import ExplorerError
from explorer.core.gradients import LOSS
from explorer.core.graph import Place
from explorer.core.ops import Array
from explorer.core.parameters import parameters
from explorer.core.training.optimisers import Optimiser
from explorer.document.commands import Replace
from explorer.document.document import Document
from explorer.document.state import State
from explorer.document.step import Moment, Way, label, step_from

MOST_STEPS = 1_000_000
BUDGET = 64 * 2**20
"""Bytes of earlier states that a run keeps."""


class Run:
    """Steps of gradient descent, and the way back.

    Of a small model all states on the way are kept. Where they take more than the budget, every second one is let go,
    again and again; one that is asked for later is computed anew from the kept one before it, to the same bits.

    Parameters
    ----------
    document : Document
    optimiser : Optimiser
    weights : collection of str
        The inputs that move; the others are frozen.
    budget : int
        Bytes of earlier states that may be kept.

    Attributes
    ----------
    way : Way
        How the next step is taken; it may be another one than before.
    at : int
        After how many steps the document is, or was before it was edited.
    losses : array of float
        At the beginning, and after each step.
    kept : dict of int to Moment
        The states at hand, by the number of steps.

    Raises
    ------
    ExplorerError
        "no-loss" where there is nothing to go down.
    """

    def __init__(
        self, document: Document, optimiser: Optimiser, weights: Collection[str], budget: int = BUDGET
    ) -> None:
        self.losses = array("d", [loss_of(document)])
        self.way = Way(optimiser.rate, tuple(weights))
        self.at = 0
        self._document, self._graph, self._budget = document, document.state.graph, budget
        self._stroke = object()
        self._here = Moment(document.state, optimiser)
        self._other: Optimiser | None = None
        self.kept = {0: self._here}
        self._never_let_go = {0}
        self._every = 1
        self._ways = {0: self.way}
        # States that somebody may come back to, by undo too: after how many steps, and the optimiser there.
        self._known: WeakKeyDictionary[State, tuple[int, Optimiser]] = WeakKeyDictionary()
        self._known[document.state] = 0, optimiser
        self._values: tuple[Mapping[str, Array], Mapping[str, Array]] | None = ({}, {})
        self._awaited: tuple[State, Callable[[], None]] | None = None

    @property
    def underway(self) -> bool:
        """Whether the document is being computed where the run has taken it."""
        return self._awaited is not None

    @property
    def fits(self) -> bool:
        """Whether the document still has the graph that the run began with."""
        return self._document.state.graph is self._graph

    def follow(self) -> bool:
        """See where the document is: a step may have been computed, and undo and redo go to states of the run, too.

        Returns
        -------
        bool
            Whether it is after `at` steps; else it was edited there.
        """
        state = self._document.state
        if self._awaited is not None:
            awaited, arrive = self._awaited
            if awaited is state or awaited is not self._document.wanted:
                self._awaited = None
            if awaited is state:
                arrive()
        if state is not self._here.state and state in self._known:
            self.at, optimiser = self._known[state]
            self._here, self._values = Moment(state, optimiser), None
        return state is self._here.state

    def use(self, optimiser: Optimiser) -> None:
        """Take the next steps with another optimiser, which remembers nothing yet."""
        self._other = optimiser

    def step(self) -> None:
        """One step from where the document is now; a weight that was edited meanwhile is gone on from.

        Raises
        ------
        ExplorerError
            "diverged" where a gradient is no finite number, "run-too-long": nothing has happened then.
        """
        self._document.settle()
        self.begin()
        self._document.settle()
        self.follow()

    def begin(self) -> None:
        """The same, but what takes long is left to the background: `follow` sees when the step has been computed.

        Gradients that are not there yet are waited for.
        """
        self.follow()
        if self.at >= MOST_STEPS:
            raise ExplorerError("run-too-long", limit=MOST_STEPS)
        document, way, other = self._document, self.way, self._other
        start, values = Moment(document.state, other or self._here.optimiser), document.engine.values
        step, optimiser = step_from(document, start.optimiser, way, self.at, self._stroke)
        document.do(step)
        self._awaited = document.wanted, lambda: self._stepped(start, optimiser, way, other, values)
        self.follow()

    def _stepped(
        self, start: Moment, optimiser: Optimiser, way: Way, other: Optimiser | None, values: Mapping[str, Array]
    ) -> None:
        """The document, which had those values at the start, has taken a step, perhaps the first of an optimiser."""
        document, at = self._document, self.at
        self._forget_after(at)
        if start.state is not self._here.state or other:
            # This place does not follow from the step before, so it cannot be computed anew.
            self.losses[at], self.kept[at] = float(values[LOSS.node]), start
            self._never_let_go.add(at)
            self._known[start.state] = at, start.optimiser
        if other is self._other:
            self._other = None
        if way != self._way(at):
            self._ways[at] = way
        self.at = at + 1
        self.losses.append(loss_of(document))
        self._here = Moment(document.state, optimiser)
        self._known[document.state] = self.at, optimiser
        self._values = values, document.engine.values
        if self.at % self._every == 0:
            self.kept[self.at] = self._here
            self._let_go()

    def ahead(self) -> Mapping[str, Array]:
        """What the next step would make of the inputs that move; it is not taken.

        Raises
        ------
        ExplorerError
            "diverged"
        """
        self.follow()
        step, _ = step_from(self._document, self._other or self._here.optimiser, self.way, self.at, self._stroke)
        return step.arrays

    def travel(self, step: int) -> None:
        """Go to where the run was after so many steps."""
        for _ in self.travelling(step):
            pass

        self._document.settle()
        self.follow()

    def travelling(self, step: int) -> Iterator[None]:
        """The same, with a rest after each step that has to be computed anew; the document moves at the end.

        What takes long then is left to the background, as in `begin`.
        """
        if self.follow() and step == self.at:
            return
        moment = yield from self._moment(step)
        self._known[moment.state] = step, moment.optimiser
        self._document.do(Replace(moment.state, label(step), self._stroke))
        self._awaited = self._document.wanted, lambda: self._travelled(step, moment)
        self.follow()

    def _travelled(self, step: int, moment: Moment) -> None:
        self.at, self._here, self._values = step, moment, None

    def change(self, place: Place) -> Array:
        """What the last step changed in a node or slice: after it minus before, 0 before the first step."""
        if self._values is None:
            self._values = self._around_last_step()
        before, after = (values.get(place.node) for values in self._values)
        if before is None or after is None:
            return np.zeros(self._document.engine.value(place).shape)
        with np.errstate(invalid="ignore"):
            now, was = after[place.index], before[place.index]
            change: Array = np.where(now == was, 0.0, now - was)
        return change

    def path(self, cells: Sequence[tuple[str, tuple[int, ...]]], most: int = 500) -> tuple[Array, Array]:
        """Where some cells of inputs were on the way, as far as states are at hand.

        Parameters
        ----------
        cells : sequence of (name of an input, cell)
        most : int
            Of more places, so many.

        Returns
        -------
        steps : numpy.ndarray of int
            (n,)
        values : numpy.ndarray
            (n, number of cells)
        """
        steps = sorted(self.kept)
        steps = sorted({*steps[:: max(1, -(-len(steps) // most))], steps[-1]})
        values = [[self.kept[step].state.inputs[name][cell] for name, cell in cells] for step in steps]
        return np.array(steps), np.array(values, dtype=float)

    def _way(self, step: int) -> Way:
        return self._ways[max(k for k in self._ways if k <= step)]

    def _forget_after(self, step: int) -> None:
        """Who has travelled back and goes on from there takes another way than before."""
        if len(self.losses) > step + 1:
            del self.losses[step + 1 :]
            self.kept = {k: moment for k, moment in self.kept.items() if k <= step}
            self._ways = {k: way for k, way in self._ways.items() if k <= step}
            self._never_let_go = {k for k in self._never_let_go if k <= step}
            for state in [state for state, (k, _) in self._known.items() if k > step]:
                del self._known[state]

    def _let_go(self) -> None:
        """Keep within the budget."""
        each = self._here.bytes(self.way.weights)
        while len(self.kept) * each > self._budget and self.kept.keys() > self._never_let_go:
            self._every *= 2
            self.kept = {k: m for k, m in self.kept.items() if k % self._every == 0 or k in self._never_let_go}

    def _moment(self, step: int) -> Generator[None, None, Moment]:
        """Where the run was after so many steps, if need be computed anew in a document of its own."""
        if step in self.kept:
            return self.kept[step]
        start = max(k for k in self.kept if k < step)
        moment = self.kept[start]
        other, optimiser = Document(moment.state), moment.optimiser
        for k in range(start, step):
            next_step, optimiser = step_from(other, optimiser, self._way(k), k, self._stroke)
            other.do(next_step)
            other.settle()
            yield
        return Moment(other.state, optimiser)

    def _around_last_step(self) -> tuple[Mapping[str, Array], Mapping[str, Array]]:
        """The values before and after the last step, where the document did not come here by it."""
        if not self.at:
            return {}, {}
        way = self._moment(self.at - 1)
        while True:
            try:
                next(way)
            except StopIteration as end:
                return Document(end.value.state).engine.values, Document(self._here.state).engine.values


def loss_of(document: Document) -> float:
    """The loss of a document.

    Raises
    ------
    ExplorerError
        "no-loss"
    """
    value = document.engine.values.get(LOSS.node)
    if value is None:
        raise ExplorerError("no-loss")
    return float(value)


def trainable(document: Document) -> dict[str, bool]:
    """The inputs that a gradient can move, in reading order, and whether training moves them if nobody says otherwise.

    That is the model's weights; where a lesson has none, such as the logits of one word, all of them.
    """
    graph = document.engine.graph
    above = set(graph.inputs_of(LOSS.node)) if LOSS.node in graph.nodes else set()
    names = [
        n for n in graph.nodes if n in above and document.engine.values[n].dtype.kind == "f" and n != "loss.target"
    ]
    weights = {one.name for block in parameters(graph, document.state.model) for one in block.weights}
    # A lesson without weights, such as the logits of one word, moves what it has; a temperature or a scale is a choice.
    none = weights.isdisjoint(names)
    return {name: name in weights or (none and bool(graph.shape(name))) for name in names}
