"""The document: one state, an engine with the values of that state, and the undo history.

Undo and redo are a list of states, and the place of the present one.

It also defines a pass that is computed in the background, and the interface of the worker that computes it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from threading import Lock
from typing import NamedTuple, Protocol

from explorer.core.engine import Computed, Engine, Pass, same_bytes
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import CELL, LOSS
from explorer.core.numbers import look_through
from explorer.core.ops import Array
from explorer.document.commands import Command
from explorer.document.state import State, unread

MOST_UNDO_STEPS = 1000
MOST_UNDO_BYTES = 2**30
"""The most bytes that only undo steps still hold: a hundred edits of the largest matrix of GPT-2 small."""
MOST_KEPT, MOST_KEPT_BYTES = 200, 50_000_000
"""The most steps in each direction that a file keeps, and the most bytes that only they hold."""
NODE_BYTES, LABEL_BYTES = 1000, 64
"""About how many bytes a node of a graph takes, including its share of the graph's caches, and a label of an axis."""


class _Step(Frozen, eq=False):
    state: State
    label: str
    stroke: object
    bytes: int
    """Of everything that the steps since the first state have replaced."""


class Mark(NamedTuple):
    """A snapshot of a history: its steps, and the place of the present one."""

    steps: tuple[_Step, ...]
    now: int


class UndoHistory:
    """The states of a document in order. All steps of one stroke (a drag, a wheel, a training run) count as one.

    `state`: the first.
    """

    def __init__(self, state: State) -> None:
        self._steps: tuple[_Step, ...] = (_Step(state, "", None, 0),)
        self._now = 0
        self._saved: State | None = state

    @property
    def present(self) -> State:
        """The state of the document, or the one that is being computed for it."""
        return self._steps[self._now].state

    @property
    def states(self) -> tuple[State, ...]:
        """All states that undo and redo can reach, and the present one."""
        return tuple(step.state for step in self._steps)

    @property
    def undone(self) -> tuple[State, ...]:
        """The states that redo can reach."""
        return self.states[self._now + 1 :]

    @property
    def undo_label(self) -> str | None:
        """The name of the act that undo would take back, or None."""
        return self._steps[self._now].label if self._now else None

    @property
    def redo_label(self) -> str | None:
        """The name of the act that redo would repeat, or None."""
        return self._steps[self._now + 1].label if self._now + 1 < len(self._steps) else None

    @property
    def stroke(self) -> object:
        """The stroke of the act that undo would take back, or None."""
        return self._steps[self._now].stroke

    @property
    def modified(self) -> bool:
        """Whether the present state differs from the one last marked as saved."""
        return self.present is not self._saved

    def mark_saved(self, state: State | None = None) -> None:
        """Mark a state, by default the present one, as saved."""
        self._saved = self.present if state is None else state

    def record(self, state: State, label: str, stroke: object = None) -> None:
        """Add a state after the present one; redo steps are dropped.

        A continued stroke absorbs acts in between: a weight edited during a training run is part of the run.
        """
        kept = self._steps[: self._now + 1]
        if stroke is not None:
            begun = [step.stroke == stroke for step in kept[1:]]
            kept = kept[: begun.index(True) + 1] if True in begun else kept
        last = kept[-1]
        step = _Step(state, label, stroke, last.bytes + _only_in(last.state, state))
        # The oldest steps are dropped, but one step can always be undone.
        first = max(len(kept) - MOST_UNDO_STEPS, 0)
        while first < len(kept) - 1 and step.bytes - kept[first].bytes > MOST_UNDO_BYTES:
            first += 1
        self._steps = (*kept[first:], step)
        self._now = len(self._steps) - 1

    def around(self, lesson: str) -> tuple[tuple[tuple[State, str], ...], int]:
        """What a file keeps: the states of a lesson around the present one, and the place of the present one there."""
        first = last = self._now
        while first and self._is_kept(first - 1, lesson):
            first -= 1
        while last + 1 < len(self._steps) and self._is_kept(last + 1, lesson):
            last += 1
        return tuple((step.state, step.label) for step in self._steps[first : last + 1]), self._now - first

    def _is_kept(self, place: int, lesson: str) -> bool:
        step, now = self._steps[place], self._steps[self._now]
        near = abs(place - self._now) <= MOST_KEPT and abs(step.bytes - now.bytes) <= MOST_KEPT_BYTES
        return near and step.state.lesson == lesson

    def surround(self, steps: Sequence[tuple[State, str]], now: int) -> None:
        """Put steps that a file kept around the present state, which is one of them; earlier steps stay before them."""
        made, opened = list(self._steps[: self._now]), self.undo_label or ""
        for k, (state, label) in enumerate(steps):
            held = made[-1].bytes + _only_in(made[-1].state, state) if made else 0
            made.append(_Step(state, label if k else opened, None, held))
        self._steps, self._now = tuple(made), self._now + now

    def undo(self) -> str | None:
        """Go back one step. Returns what was taken back, or None at the beginning."""
        label = self.undo_label
        if label is not None:
            self._now -= 1
        return label and f"Undo: {label}"

    def redo(self) -> str | None:
        """Go forward one step. Returns what was repeated, or None at the end."""
        label = self.redo_label
        if label is not None:
            self._now += 1
        return label and f"Redo: {label}"

    def forget(self, state: State) -> None:
        """Let undo not lead to the first state, if it is this one and not the present one."""
        if self._now and self._steps[0].state is state:
            self._steps, self._now = self._steps[1:], self._now - 1

    def mark(self) -> Mark:
        """A snapshot to return to."""
        return Mark(self._steps, self._now)

    def return_to(self, mark: Mark) -> None:
        """Return to a snapshot, as if nothing had been done since."""
        self._steps, self._now = mark


def _only_in(old: State, new: State) -> int:
    """How many bytes one state holds that the next one does not."""
    shared = set(map(id, _arrays(new)))
    found = sum(array.nbytes for array in _arrays(old) if id(array) not in shared)
    if old.graph is not new.graph:
        labels = set(map(id, new.graph.axes.values()))
        found += NODE_BYTES * len(old.graph.nodes)
        found += LABEL_BYTES * sum(len(axis) for axis in old.graph.axes.values() if id(axis) not in labels)
    return found


def _arrays(state: State) -> Iterator[Array]:
    pinned = (part for pin in state.pins.values() for part in (pin.cells, pin.values))
    remembered = () if state.optimiser is None else state.optimiser.remembered()
    return chain(unread(state.inputs).values(), state.beyond.values(), pinned, remembered)


# The document

LARGE = 1_000_000_000
"""Multiply-adds of a pass that is worth a thread: 20 ms in float32 on one core. A smaller one is computed at once: that
is hardly noticed, and a thread with many small numpy calls would block the window (measured: a repaint of 8.5 ms took
480 to 615 ms)."""


class Worker(Protocol):
    """Computes outside the event loop; the window has one."""

    def run(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        """Call `work` on another thread, and `then` on this one when it has returned."""

    def stop(self) -> None:
        """Stop waiting for the last request: its `then` need not be called."""


class Overtaken(Exception):  # noqa: N818
    """Raised inside a pass to end it, because a newer act has made it useless."""


class PendingPass:
    """A pass that is being computed and will be published.

    `state`: the state whose values it computes.
    `label`: the name of the act, for undo.
    `stroke`: the stroke of the act that began it.
    `gradients`: whether the gradients of the loss are wanted, too.
    `turn`: shared by all passes of a document, because an overtaken one may still be inside an op.
    """

    def __init__(self, begun: Pass, state: State, label: str, stroke: object, gradients: bool, turn: Lock) -> None:
        self.state, self.label, self.stroke = state, label, stroke
        self._begun, self._gradients, self._turn = begun, gradients, turn
        self.overtaken = False  # set when nobody waits for it any more: it ends before the next node
        self.done, self.total = 0, len(begun.most) + gradients * len(begun.graph.nodes)  # in nodes; `total` at most
        self.computed: Computed | None = None
        self.error: Exception | None = None  # the exception that ended it

    def work(self) -> None:
        """Compute it, on any thread; a second caller waits for the first."""
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
            except Exception as error:  # raised again where the result is awaited
                self.error = error

    def _between(self) -> None:
        if self.overtaken:
            raise Overtaken
        self.done += 1


class Change(Frozen):
    """What one act changed, for the parts that show it."""

    changed: frozenset[str]  # nodes whose value is now another one, added nodes included
    # `added`, `removed`: the nodes that the graph gained and lost.
    added: frozenset[str]
    removed: frozenset[str]
    label: str  # the name of the act
    structure: bool  # whether the graph is a new one: nodes, shapes or labels may differ

    def followed_by(self, later: "Change") -> "Change":
        """Both changes as one."""
        return Change(
            (self.changed - later.removed) | later.changed,
            (self.added - later.removed) | (later.added - self.removed),
            (self.removed - later.added) | (later.removed - self.added),
            later.label,
            self.structure or later.structure,
        )


class Document:
    """A transformer that can be edited.

    Every change goes through `do`, `undo` or `redo`, and each of them ends in one `Change`. With a background worker, a
    long pass is computed there: until it is done `state` and `engine` both stay as they are, and `wanted` is the coming
    state. A newer act overtakes an older one that is still being computed; both are undo steps, and one `Change`
    reports both.

    `background`: if missing, everything is computed at once.
    `engine`: an engine that already has all or most values of this state.
    """

    def __init__(self, state: State, background: Worker | None = None, engine: Engine | None = None) -> None:
        self.engine = Engine() if engine is None else replace(engine)  # the values; read only
        self.history = UndoHistory(state)
        self._background = background
        self._listeners: list[Callable[[Change], None]] = []
        self.recomputed: tuple[str, ...] = ()  # the nodes that the last act computed, in order
        # The old values of the nodes that the last act changed; for a drag, those at its start. Empty in a new example.
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
        """The present state, to which all values belong."""
        return self._state

    @property
    def wanted(self) -> State:
        """The state after the newest act; it differs from `state` while its values are being computed.

        An act that computes a new value from an old one must read the old one here, or it would undo the act before it.
        """
        return self.history.present

    @property
    def computing(self) -> bool:
        """Whether a pass is being computed in the background."""
        return self._pending is not None

    @property
    def progress(self) -> float:
        """The finished share of the pass that is being computed."""
        pending = self._pending
        return 0.0 if pending is None else min(pending.done / max(pending.total, 1), 1.0)

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call `listener` with every change. Returns a function that ends the subscription."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def do(self, command: Command) -> None:
        """Run a command and record the new state.

        Raises `ExplorerError` if the command cannot be done; then nothing has changed.
        """
        before = self.wanted
        try:
            state = command.apply(before)
        except MemoryError as error:
            raise _not_computed(command.label, error) from error
        if state is before:
            self.recomputed = ()
            return
        self._keep_good()
        self.history.record(state, command.label, command.stroke)
        self._reach(command.label, command.stroke)

    def compare_with(self, engine: Engine) -> None:
        """Count as changed by the last act what differs from the values of an engine, not from those before the act.

        So the way from a step of a lesson to another changes what the lesson changes, whatever a reader had edited.
        """
        now, was = self.engine.values, engine.values
        self.added, self.removed = frozenset(now.keys() - was.keys()), frozenset(was.keys() - now.keys())
        both = ((name, old, now[name]) for name, old in was.items() if name in now)
        self.before = {name: old for name, old, new in both if new is not old and not same_bytes(new, old)}

    def undo(self) -> None:
        """Go back one step, if there is one."""
        self._travel(self.history.undo)

    def redo(self) -> None:
        """Go forward one step, if there is one."""
        self._travel(self.history.redo)

    def settle(self) -> None:
        """Wait until the values are those of the newest act.

        Raises `ExplorerError`: "not-computed" if they cannot be computed: the document is then as before the act.
        """
        while self._pending is not None:
            self._pending.work()
            self._arrive(self._pending)

    def stop(self) -> None:
        """Stop computing the newest act and take it back: return to the shown state."""
        pending = self._pending
        if pending is not None:
            self._drop()
            self._take_back(pending.label)

    def close(self) -> None:
        """Stop all computing in the background."""
        self._drop()
        with self._turn:  # the process must not end inside a matrix product
            pass

    def show_gradients(self, on: bool, by: object = None) -> None:
        """Say whether gradients of the loss are needed. If they take long, they then come together with the values.

        While `computing` is true, a caller who asks the engine for a gradient waits for it.

        `by`: the part that needs them; they are computed as long as any part does.
        """
        (self._asking.add if on else self._asking.discard)(by)
        if self._pending is None:
            self._go_on()

    def words(self, sequence: str) -> tuple[str, ...]:
        """The words of a sequence after the newest act, on which the next act builds."""
        state = self.wanted if sequence in self.wanted.graph.sequences else self.state
        return state.graph.labels(sequence, state.inputs)

    def _travel(self, step: Callable[[], str | None]) -> None:
        self._keep_good()
        label = step()
        if label is not None:
            self._reach(label)

    def _keep_good(self) -> None:
        """Remember the history if its present state is the shown one."""
        if self._pending is None:
            self._good = self.history.mark()

    def _reach(self, label: str, stroke: object = None) -> None:
        """Compute the values of the wanted state, now or in the background."""
        pending, wanted = self._pending, self.wanted
        if pending is not None and stroke is not None and stroke == pending.stroke:
            return  # a drag shows what is computed so far; its newest step is computed next
        if wanted is self._state:
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
            wanted.write()
            computed = begun.compute()
        except Exception as error:
            self._take_back(label)
            if isinstance(error, MemoryError):
                raise _not_computed(label, error) from error
            raise
        self._tell(self._publish(computed, wanted, label, stroke))

    def _begin(self) -> Pass:
        state = self.wanted
        return self.engine.begin(state.graph, state.used_unread, state.pins)

    def _is_long(self, begun: Pass) -> bool:
        """Whether a pass should be computed in the background."""
        if self._background is None:
            return False
        # The backward pass takes two products for each one of the forward pass, and covers the whole model.
        back = 2 * sum(begun.graph.work.values()) if self._asking and LOSS in begun.graph.nodes else 0
        return begun.work + back + CELL * self.wanted.numbers_to_write >= LARGE

    def _start(self, begun: Pass, label: str, stroke: object) -> None:
        """Compute in the background; a pass that is running there is overtaken."""
        assert self._background is not None
        if self._pending is not None:
            self._pending.overtaken = True
        gradients = bool(self._asking) and LOSS in begun.graph.nodes
        self._pending = pending = PendingPass(begun, self.wanted, label, stroke, gradients, self._turn)
        self._background.run(pending.work, partial(self._arrive, pending))

    def _drop(self) -> None:
        """Stop waiting for the pass that is being computed."""
        if self._pending is not None and self._background is not None:
            self._pending.overtaken = True
            self._pending = None
            self._background.stop()

    def _arrive(self, pending: PendingPass) -> None:
        """Publish a finished pass, unless it was overtaken."""
        if pending is not self._pending:
            return
        self._drop()
        if pending.computed is None:
            self._take_back(pending.label)
            raise _not_computed(pending.label, pending.error) from pending.error
        if pending.state is not self._state:
            self._tell(self._publish(pending.computed, pending.state, pending.label, pending.stroke))
        else:  # only the gradients were missing
            self.engine.publish(pending.computed)
            self._tell(_nothing(pending.label))
        if self._pending is None:  # not if a listener has begun a new act
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
        """Return to the shown state after a failed or stopped act."""
        self.history.return_to(self._good)
        if self.wanted is not self._state:  # a state inside a drag, which history has not kept
            self.history.record(self._state, label)
        self._tell(_nothing(label))

    def _publish(self, computed: Computed, state: State, label: str, stroke: object = None) -> Change:
        structure = state.graph is not self.engine.graph
        outcome = self.engine.publish(computed)
        another, self._state = state.lesson != self._state.lesson, state
        self.recomputed = outcome.recomputed
        # During a drag, `before` keeps the values from its start.
        earlier = self.before if stroke is not None and stroke == self._last_stroke else {}
        self.before = {**self.engine.before, **earlier}
        self.added, self.removed = outcome.added, outcome.removed
        if another:  # two examples may share node names by chance; their values must not be compared
            self.before, self.added, self.removed = {}, frozenset(), frozenset()
        self._last_stroke, self.label = stroke, label  # of the last act, also "Undo: …"; empty if there was none
        return Change(outcome.changed, outcome.added, outcome.removed, label, structure)

    def _tell(self, change: Change) -> None:
        for listener in tuple(self._listeners):
            listener(change)


def _nothing(label: str) -> Change:
    """A change of no number: only the history differs, or gradients have become available."""
    return Change(frozenset(), frozenset(), frozenset(), label, structure=False)


def _not_computed(label: str, error: Exception | None) -> ExplorerError:
    return ExplorerError("not-computed", what=label, why=error)
