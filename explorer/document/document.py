"""The model object: one state, the engine that keeps its values true, and the history of what was done.

A pass that is computed beside the event loop: what it is, and who runs it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Protocol

from explorer.core.engine import Computed, Engine, Pass
from explorer.core.errors import ExplorerError
from explorer.core.gradients import LOSS
from explorer.core.graph import CELL
from explorer.core.ops import Array
from explorer.core.overview import look_through
from explorer.document.commands import Command
from explorer.document.state import State
from explorer.document.undo import UndoHistory

LARGE = 1_000_000_000
"""Multiply-adds of a pass that is worth a thread: 20 ms in float32 on one core. Smaller ones are computed at once: one
can hardly see that, and a thread of many small numpy calls would starve the window (measured: a repaint of 8.5 ms
became 480 to 615 ms)."""


class Worker(Protocol):
    """What can compute beside the event loop; the window has one."""

    def run(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        """Call `work` on another thread, and `then` on this one when it has returned."""

    def stop(self) -> None:
        """What was asked for last is not waited for any more: its `then` need not be called."""


class Overtaken(Exception):  # noqa: N818
    """Raised in the midst of a pass to end it, where a newer act has made it useless."""


class PendingPass:
    """A pass on its way to be published.

    Parameters
    ----------
    state : State
        What the values will be those of.
    label : str
        What was done, as undo names it.
    stroke : object
        Of the act that began it.
    gradients : bool
        Whether the gradients of the loss are wanted, too.
    turn : Lock
        Shared by all of a document: an overtaken one may still be within an op.
    """

    def __init__(self, begun: Pass, state: State, label: str, stroke: object, gradients: bool, turn: Lock) -> None:
        self.state, self.label, self.stroke = state, label, stroke
        self._begun, self._gradients, self._turn = begun, gradients, turn
        self.overtaken = False  # set where nobody waits for it any more: it ends before the next node
        self.done, self.total = 0, len(begun.most) + gradients * len(begun.graph.nodes)  # in nodes; `total` at most
        self.computed: Computed | None = None
        self.error: Exception | None = None  # what came out of it

    def work(self) -> None:
        """Compute it, on whatever thread; who comes second waits for the first."""
        with self._turn:
            if self.computed is not None or self.error is not None:
                return
            try:
                self.state.write()
                computed = self._begun.compute(self._between)
                for name, was in computed.before.items():
                    look_through(computed.values[name], was)
                self.computed = computed.with_gradients(self._between) if self._gradients else computed
            except Overtaken:
                pass
            except Exception as error:  # told where it is waited for
                self.error = error

    def _between(self) -> None:
        if self.overtaken:
            raise Overtaken
        self.done += 1


@dataclass(frozen=True)
class Change:
    """What one act changed, for those who show it."""

    changed: frozenset[str]  # nodes whose value is another one now, the added ones among them
    # `added`, `removed`: nodes that the graph gained and lost.
    added: frozenset[str]
    removed: frozenset[str]
    label: str  # what was done
    structure: bool  # whether the graph is another one: nodes, shapes or labels may differ

    def followed_by(self, later: "Change") -> "Change":
        """The two as one act."""
        return Change(
            (self.changed - later.removed) | later.changed,
            (self.added - later.removed) | (later.added - self.removed),
            (self.removed - later.added) | (later.removed - self.added),
            later.label,
            self.structure or later.structure,
        )


class Document:
    """A transformer that can be edited.

    Everything that changes it goes through `do`, `undo` and `redo`, and each of them ends in one `Change`. With a
    background, a long pass is computed there: `state` and `engine` stay as they are, together, until it is done, and
    `wanted` is what they will be then. A newer act overtakes an older one that is still being computed; both are steps
    to undo, and one `Change` tells of both.

    Parameters
    ----------
    state : State
        What it starts with.
    background : Worker, optional
        Without one, everything is computed at once.
    engine : Engine, optional
        One that has the values of this state, or most of them, already.

    Attributes
    ----------
    engine : Engine
        The values, to be read.
    history : UndoHistory
    recomputed : tuple of str
        The nodes that the last act has executed, in order.
    before : mapping of str to numpy.ndarray
        The old values of what the last act changed; of a drag, since it began. Empty where it led to another example.
    label : str
        The last act, "Undo: …" too; empty where there was none.
    """

    def __init__(self, state: State, background: Worker | None = None, engine: Engine | None = None) -> None:
        self.engine = Engine() if engine is None else replace(engine)
        self.history = UndoHistory(state)
        self._background = background
        self._listeners: list[Callable[[Change], None]] = []
        self.recomputed: tuple[str, ...] = ()
        self.before: Mapping[str, Array] = {}
        self._last_stroke: object = None
        self._pending: PendingPass | None = None
        self._turn = Lock()
        self._good = self.history.mark()
        self._asking: set[object] = set()
        self._state = state
        state.write()
        self._publish(self._begin().compute(), state, "")
        self.added: frozenset[str] = frozenset()
        self.removed: frozenset[str] = frozenset()

    @property
    def state(self) -> State:
        """The present state: what all values are those of."""
        return self._state

    @property
    def wanted(self) -> State:
        """The state after the newest act; another one than `state` while its values are being computed.

        An act that makes a new value of an old one reads the old one here, or it would undo the act before it.
        """
        return self.history.present

    @property
    def computing(self) -> bool:
        """Whether something is being computed in the background."""
        return self._pending is not None

    @property
    def progress(self) -> float:
        """Which share of what is being computed is done."""
        pending = self._pending
        return 0.0 if pending is None else min(pending.done / max(pending.total, 1), 1.0)

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call `listener` with every change. Returns a function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def do(self, command: Command) -> None:
        """Run a command, then record it.

        Raises `ExplorerError` where it cannot be done; nothing has happened then.
        """
        try:
            state = command.apply(self.wanted)
        except MemoryError as error:
            raise _not_computed(command.label, error) from error
        if state is self.wanted:
            self.recomputed = ()
            return
        self._keep_good()
        self.history.record(state, command.label, command.stroke)
        self._reach(command.label, command.stroke)

    def undo(self) -> None:
        """Go back one step, if there is one."""
        self._travel(self.history.undo)

    def redo(self) -> None:
        """Go forward one step, if there is one."""
        self._travel(self.history.redo)

    def settle(self) -> None:
        """Wait until the values are those of the newest act.

        Raises `ExplorerError`: "not-computed" where they cannot be: the document is then what it was before.
        """
        while self._pending is not None:
            self._pending.work()
            self._arrive(self._pending)

    def stop(self) -> None:
        """Compute the newest act no further, and take it back: be what is shown."""
        pending = self._pending
        if pending is not None:
            self._drop()
            self._take_back(pending.label)

    def close(self) -> None:
        """Compute nothing more in the background."""
        self._drop()
        with self._turn:  # a process must not end within a matrix product
            pass

    def show_gradients(self, on: bool, by: object = None) -> None:
        """Say whether gradients of the loss are shown, or needed. Where they take long they then come with the values.

        While `computing` says so, who asks the engine for one waits for it.

        `by`: who wants them: they come as long as anybody does.
        """
        (self._asking.add if on else self._asking.discard)(by)
        if self._pending is None:
            self._go_on()

    def words(self, sequence: str) -> tuple[str, ...]:
        """The words of a sequence as the newest act has them: what the next one goes on from."""
        state = self.wanted if sequence in self.wanted.graph.sequences else self.state
        return state.graph.labels(sequence, state.inputs)

    def _travel(self, step: Callable[[], str | None]) -> None:
        self._keep_good()
        label = step()
        if label is not None:
            self._reach(label)

    def _keep_good(self) -> None:
        """Remember the history while its present state is the one that is shown."""
        if self._pending is None:
            self._good = self.history.mark()

    def _reach(self, label: str, stroke: object = None) -> None:
        """Make the values those of the wanted state, now or soon."""
        pending = self._pending
        if pending is not None and stroke is not None and stroke == pending.stroke:
            return  # a drag is shown as far as it has been computed, and its newest step next
        if self.wanted is self._state:
            self._drop()
            self.recomputed = ()
            self._tell(_nothing(label))
            self._go_on()
            return
        begun = self._begin()
        if self._is_long(begun):
            self._start(begun, label, stroke)
            return
        self._drop()
        try:
            self.wanted.write()
            computed = begun.compute()
        except Exception as error:
            self._take_back(label)
            if isinstance(error, MemoryError):
                raise _not_computed(label, error) from error
            raise
        self._tell(self._publish(computed, self.wanted, label, stroke))

    def _begin(self) -> Pass:
        state = self.wanted
        return self.engine.begin(state.graph, state.used_unread, state.pins)

    def _is_long(self, begun: Pass) -> bool:
        """Whether a pass is to be computed in the background."""
        if self._background is None:
            return False
        # The way back takes two products for each one of the way there, and goes through all of the model.
        back = 2 * sum(begun.graph.work.values()) if self._asking and LOSS.node in begun.graph.nodes else 0
        return begun.work + back + CELL * self.wanted.numbers_to_write >= LARGE

    def _start(self, begun: Pass, label: str, stroke: object) -> None:
        """Compute in the background; what was being computed there is overtaken."""
        assert self._background is not None
        if self._pending is not None:
            self._pending.overtaken = True
        gradients = bool(self._asking) and LOSS.node in begun.graph.nodes
        self._pending = pending = PendingPass(begun, self.wanted, label, stroke, gradients, self._turn)
        self._background.run(pending.work, partial(self._arrive, pending))

    def _drop(self) -> None:
        """Wait no more for what is being computed."""
        if self._pending is not None and self._background is not None:
            self._pending.overtaken = True
            self._pending = None
            self._background.stop()

    def _arrive(self, pending: PendingPass) -> None:
        """Publish what has been computed, unless it was overtaken."""
        if pending is not self._pending:
            return
        self._drop()
        if pending.computed is None:
            self._take_back(pending.label)
            raise _not_computed(pending.label, pending.error) from pending.error
        if pending.state is not self._state:
            self._tell(self._publish(pending.computed, pending.state, pending.label, pending.stroke))
        else:  # the values were there already, their gradients were not
            self.engine.publish(pending.computed)
            self._tell(_nothing(pending.label))
        if self._pending is None:  # or somebody who was told has done something
            self._go_on(pending.stroke)

    def _go_on(self, stroke: object = None) -> None:
        """Compute what is still missing: the newest step of a drag, or gradients that take long."""
        if self.wanted is not self._state:
            self._reach(self.history.undo_label or "", stroke)
        elif self._asking and not self.engine.has_gradients:
            begun = self._begin()
            if self._is_long(begun):
                self._start(begun, "", stroke)

    def _take_back(self, label: str) -> None:
        """Be what is shown again, after what could not be computed."""
        self.history.return_to(self._good)
        if self.wanted is not self._state:  # the middle of a drag, which history has not kept
            self.history.record(self._state, label)
        self._tell(_nothing(label))

    def _publish(self, computed: Computed, state: State, label: str, stroke: object = None) -> Change:
        structure = state.graph is not self.engine.graph
        outcome = self.engine.publish(computed)
        another, self._state = state.lesson != self._state.lesson, state
        self.recomputed = outcome.recomputed
        # What a drag changed is what it changed since it began.
        earlier = self.before if stroke is not None and stroke == self._last_stroke else {}
        self.before = {**self.engine.before, **earlier}
        self.added, self.removed = outcome.added, outcome.removed
        if another:  # two examples have nodes of one name by chance: nothing of this one has changed
            self.before, self.added, self.removed = {}, frozenset(), frozenset()
        self._last_stroke, self.label = stroke, label
        return Change(outcome.changed, outcome.added, outcome.removed, label, structure)

    def _tell(self, change: Change) -> None:
        for listener in tuple(self._listeners):
            listener(change)


def _nothing(label: str) -> Change:
    """An act that no number shows: history is another one, or there are gradients now."""
    return Change(frozenset(), frozenset(), frozenset(), label, structure=False)


def _not_computed(label: str, error: Exception | None) -> ExplorerError:
    return ExplorerError("not-computed", what=label, why=error)
