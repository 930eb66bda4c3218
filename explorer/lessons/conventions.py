"""Finds the conventions under which a model gives the numbers that a text prints, by trying its switches.

A text seldom says everything that it does: whether it divides by the root of d_k, whether ε stands below the root,
along which axis softmax runs, which logarithm it takes. Its digits tell. If several numbers of a text are known, they
are explained in the order in which they are computed, so that each leaves few switches to decide.

`read_matrix` reads numbers that somebody copied from a text, and how many decimals of each are printed.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import groupby, islice
from time import monotonic
from typing import Any, TypeAlias

import numpy as np

from explorer.core.cell import is_cell_of
from explorer.core.engine import Pin, run
from explorer.core.errors import ExplorerError
from explorer.core.frozen import Frozen
from explorer.core.graph import CASES, LOGITS, counted
from explorer.core.model import SWITCHES, Model, SwitchValue
from explorer.core.numbers import read_number
from explorer.core.ops import ACTIVATIONS, Array
from explorer.core.ops.base import Surroundings
from explorer.document.commands import SetSwitch
from explorer.document.state import State, read_only
from explorer.lessons.references import SLACK, units_off

MOST_CELLS = 100_000
LONGEST = 60
"""The most letters that an error repeats of what is no matrix."""
_ENDS = re.compile(r"\\\\|[;\n\]]")
_BETWEEN = re.compile(r"[\s,&\[\]()|]+")
_COMMAS = re.compile(r"[-−–+]?\d+,\d+([eE][-+−–]?\d+)?")
_NOTHING = frozenset(("?", "…", "...", "–", "_", "nan", "·"))
_NUMBER = re.compile(r"[-−–+]?\d*\.?(?P<behind>\d*)([eE](?P<power>[-−–+]?\d{1,9}))?")


def read_matrix(given: Any) -> tuple[Array, Array]:
    """Printed numbers, and how many decimals of each are printed: (rows, columns), NaN where nothing is printed.

    Rows of a text end with a line break, ";", "]" or the two backslashes of LaTeX; numbers are separated by blanks,
    commas, "&" or tabs; "?" and "…" mean that nothing is printed there. For anything else that numpy can make an array
    from, its shape is kept, and the decimals of a number are those that are needed to write it.

    Raises `ExplorerError`: "no-prints", "paste-uneven", "paste-too-long" or "bad-number".
    """
    if not isinstance(given, str):
        try:
            array = np.asarray(given)
            if array.dtype.kind != "f":
                array = array.astype(float)
        except ValueError:  # lists of different lengths, or words
            raise ExplorerError("bad-number", text=f"{given}"[:LONGEST]) from None
        # Written in its own type: the 0.1 of float32 is not 0.10000000149.
        if np.isnan(array).all():  # of no numbers, too
            raise ExplorerError("no-prints")
        texts = [np.format_float_scientific(number, trim="-") for number in array.ravel()]
        return array.astype(float), np.array([max(_decimals(text), 0) for text in texts], int).reshape(array.shape)
    lines = [line for line in (_cells(line) for line in _ENDS.split(given)) if line]
    if not lines:
        raise ExplorerError("no-prints")
    if len({len(line) for line in lines}) > 1:
        raise ExplorerError("paste-uneven")
    if len(lines) * len(lines[0]) > MOST_CELLS:
        raise ExplorerError("paste-too-long", limit=f"{MOST_CELLS:,}")
    values = [[np.nan if cell.lower() in _NOTHING else read_number(cell) for cell in line] for line in lines]
    if np.isnan(values).all():
        raise ExplorerError("no-prints")
    return np.array(values), np.array([[_decimals(cell) for cell in line] for line in lines])


def _cells(line: str) -> list[str]:
    words = line.split()
    if "." not in line and any(map(_COMMAS.fullmatch, words)):
        return words  # decimal commas, as in 0,53
    return [cell for cell in _BETWEEN.split(line) if cell]


def _decimals(text: str) -> int:
    """The number of decimals of a written number; negative for a number such as 2e3."""
    match = _NUMBER.fullmatch(text.replace(",", "."))
    if match is None:
        return 0
    behind = len(match["behind"]) if "." in text or "," in text else 0
    return behind - int(read_number(match["power"] or "0"))


SECONDS = 10.0
MOST = 12
"""The most answers that are kept."""
_BEAM, _DEPTH, _PATIENCE = 16, 5, 2
_ROUNDED = (4, 3, 2, 1)  # decimals to which a text may have rounded its intermediate results
_NEAR = 3.0  # the largest error, as in `_Search._error`, with which one more choice is also tried with rounding

TRIED: Mapping[str, tuple[SwitchValue, ...]] = {
    "similarity": ("dot", "cosine"),
    "layout": ("(T, C)", "(C, T)"),
    "scale": ("1/sqrt(d_k)", "none", "free", "1/d_k"),
    "mask": ("none", "causal", "padding", "related", "causal + padding"),
    "normalise": ("softmax", "row sum"),
    "nearest": (False, True),
    "weights": ("x W", "W x"),
    "W_O": (True, False),
    "bias": (True, False),
    "residual": (True, False),
    "norm": ("post", "none", "pre", "both", "output"),
    "norm_by": ("layer norm", "RMS norm"),
    "epsilon": (1e-5, 1e-6, 0.0, 1e-8, 1e-12, 1e-3),
    "epsilon_in": ("root", "sigma"),
    "activation": tuple(dict.fromkeys(("ReLU", "GELU", "GELU tanh", "identity", "sigmoid", "softmax", *ACTIVATIONS))),
    "on": (True, False),
    "at_end": (True, False),
    "positions": ("sinusoidal", "none", "sines first", "004", "004-script", "table"),
    "first": (0, 1),
    "embedding_scale": (False, True),
    "threshold": (0.0, 0.5),
    "L_1": (False, True),
}
"""The values that are tried at each switch, the likeliest first; the other switches set the size or kind of a model."""
_NEEDS = {"free": "scale", "table": "PE"}
"""For a value of a switch, the input of the block that must have been typed before the value can be chosen."""


class Print(Frozen, eq=False):
    """Numbers that a text prints for a node, or for a head's slice of one."""

    node: str
    values: Array  # as printed, in the shape of the node; NaN where nothing is printed
    decimals: Array  # the number of printed decimals, in the same shape
    cell: tuple[int, ...] | None = None  # the only printed cell, if it is only one; `values` is then a single number
    units: int = 0  # how many units of the last decimal the print may be off in addition to rounding

    def off(self, computed: Array) -> Array | None:
        """By how many units of the last decimal the computed values are off; None if their shape differs."""
        if self.cell is not None:
            if not is_cell_of(self.cell, computed.shape):
                return None
            computed = np.asarray(computed[self.cell])
        if computed.shape != self.values.shape:
            return None
        with np.errstate(all="ignore"):
            off = units_off(computed, self.values, self.decimals)
        off = np.where(computed == self.values, 0, off)
        return np.maximum(np.nan_to_num(off, nan=np.inf) - self.units, 0)


Group: TypeAlias = tuple[Print, ...]
"""All prints of one node."""


class Convention(Frozen, eq=False):
    """Choices that give the printed numbers."""

    state: State  # the model with these choices
    changed: Mapping[str, SwitchValue] = field(default_factory=dict)  # the choices that were changed, by "BLOCK.NAME"
    slip: str = ""  # a deviation that has no switch: "if softmax runs down the columns …"
    rounded: int | None = None  # the decimals to which intermediate results are rounded; None: not rounded
    cost: float = 0.0  # larger for less likely choices

    def __str__(self) -> str:
        said = [f"{name} = {value}" for name, value in self.changed.items()]
        said += [self.slip] * bool(self.slip)
        said += [f"rounded to {self.rounded} decimals on the way"] * (self.rounded is not None)
        return ", ".join(said) or "as it stands"


class Finding(Frozen, eq=False):
    """The result of a search."""

    found: tuple[Convention, ...]  # the conventions that give all printed digits, the likeliest first
    nearest: Convention  # the first of these or, if there is none, the convention that comes nearest
    unexplained: tuple[str, ...] = ()  # the nodes whose printed numbers no convention gives
    undecided: Mapping[str, tuple[SwitchValue, ...]] = field(default_factory=dict)
    """The switches at which other values give the same digits, with these values."""
    tried: int = 0  # how many models were computed


def print_of(state: State, node: str, given: Any) -> Print:
    """The numbers that somebody copied for a node; a row, a column or one number is brought to the node's shape.

    Raises `ExplorerError`: those of `explorer.lessons.conventions.read_matrix`.
    """
    values, decimals = read_matrix(given)
    place = state.graph.find(node)
    if place is not None:
        shape = state.graph.shape(place.node)[len(place.index) :]
        if values.size == np.prod(shape) and values.shape != shape and 1 in (*values.shape, *shape):
            values, decimals = values.reshape(shape), decimals.reshape(shape)
    return Print(node, values, decimals)


def conventions(
    state: State, prints: Sequence[Print], seconds: float = SECONDS, told: Callable[[int], object] = lambda tried: None
) -> Finding:
    """Find the choices under which a model gives printed numbers, in at most so many seconds.

    `state`: the model with the input numbers of the text; the search begins at its switches. `told`: called with the
    number of models tried, again and again; it may raise to end the search.

    Raises `ExplorerError`: "unknown-node" if no choice of switches makes a name a node, "no-prints" without prints.
    """
    if not prints:
        raise ExplorerError("no-prints")
    for one in prints:
        if not one.node.startswith(tuple(f"{block}." for block in state.model.blocks())):
            state.graph.place(one.node)
    return _Search(state, seconds, told).answer(prints)


Choices: TypeAlias = frozenset[tuple[str, SwitchValue]]


class _Search:
    def __init__(
        self,
        state: State,
        seconds: float,
        told: Callable[[int], object] = lambda tried: None,
        states: dict[Choices, State | None] | None = None,
    ) -> None:
        """`states`: those that another search from the same state has made; this one adds its own."""
        self.start, self.end, self.tried, self._told = state, monotonic() + seconds, 0, told
        self._states = states
        self._values: tuple[State, dict[str, Array]] = state, {}  # the values computed for the last state

    def answer(self, prints: Sequence[Print]) -> Finding:
        order = self.start.graph.position

        def place(one: Print) -> tuple[int, str]:
            found = self.start.graph.find(one.node)
            return order[found.node] if found else len(order), one.node

        frontier, known, unexplained = [Convention(self.start)], list[Group](), list[str]()
        for node, group in groupby(sorted(prints, key=place), lambda one: one.node):
            known.append(tuple(group))
            good = [way for way in frontier if self._error(way.state, known[-1]) == 0]
            good = good or self._widened(frontier, known) or self._otherwise(frontier, known)
            if good:
                frontier = good[:MOST]
            else:
                known.pop()
                unexplained.append(node)
        found = () if unexplained else tuple(sorted(frontier, key=lambda way: way.cost))
        best = found[0] if found else frontier[0]
        undecided = self._undecided(best, known) if found else {}
        return Finding(found, best, tuple(dict.fromkeys(unexplained)), undecided, self.tried)

    def _is_late(self) -> bool:
        """Whether the time is over; here the caller may end the search, too."""
        self._told(self.tried)
        return monotonic() > self.end

    # One state against one print

    def _error(self, state: State, group: Group) -> float:
        """The error of a state for the prints of a node: 0 if they agree, else the mean of log(1 + units off)."""
        if self._values[0] is not state:
            self._values = state, {}
            self.tried += 1
        value = value_of(state, group[0].node, self._values[1])
        off = [None if value is None else one.off(value) for one in group]
        found = [np.ravel(one) for one in off if one is not None]
        if len(found) < len(group):
            return np.inf
        every = np.concatenate(found)
        return 0.0 if np.all(every <= SLACK) else float(np.mean(np.log1p(np.minimum(every, 1e12))))

    def _agrees(self, state: State, groups: Sequence[Group]) -> bool:
        return all(self._error(state, one) == 0 for one in groups)

    # Switches

    def _widened(self, frontier: Sequence[Convention], known: Sequence[Group]) -> list[Convention]:
        """The conventions with the fewest additional choices that explain the last print; undecided blocks first."""
        *before, last = known
        decided = _above(self.start, [one.node for one, *_ in before])
        for settled in [decided, frozenset[str]()] if decided else [decided]:
            beam, nearest, waited = list(frontier), np.inf, 0
            while beam and waited < _PATIENCE and len(beam[0].changed) < len(frontier[0].changed) + _DEPTH:
                made = set[Choices]()
                ways = [more for way in beam for more in self._with_one_more(way, last[0].node, settled, made)]
                rated = [(self._error(way.state, last), way) for way in ways if not self._is_late()]
                rated.sort(key=lambda one: (one[0], one[1].cost))
                if exact := [way for error, way in rated if error == 0 and self._agrees(way.state, before)]:
                    return exact
                kept = ((error, way) for error, way in rated if error > 0 and self._agrees(way.state, before))
                near = list(islice(kept, _BEAM))
                beam = [way for _, way in near]
                waited = 0 if near and near[0][0] < nearest else waited + 1
                nearest = min(nearest, near[0][0]) if near else nearest
        return []

    def _with_one_more(
        self, way: Convention, node: str, decided: frozenset[str], made: set[Choices]
    ) -> Iterator[Convention]:
        """The convention with each possible further choice, without sets of choices that are in `made` already."""
        model = way.state.model
        above = _blocks_above(way.state, node)
        for block, kind in model.blocks().items():
            if block not in above or block in decided:
                continue
            for name in SWITCHES[kind]:
                if name not in TRIED or f"{block}.{name}" in way.changed:
                    continue
                for place, value in enumerate(TRIED[name]):
                    if value == model.switch(block, name) or self._is_late():
                        continue
                    changed = {**way.changed, f"{block}.{name}": value}
                    choices = frozenset(changed.items())
                    if choices in made:
                        continue
                    made.add(choices)
                    if self._states is not None and choices in self._states:
                        state = self._states[choices]
                    else:
                        state = switched(way.state, block, name, value)
                        if self._states is not None:
                            self._states[choices] = state
                    if state is not None:
                        yield replace(way, state=state, changed=changed, cost=way.cost + 1 + place / 10)

    def _undecided(self, best: Convention, known: Sequence[Group]) -> dict[str, tuple[SwitchValue, ...]]:
        """The switches of the printed blocks at which other values give the same digits, with these values."""
        found = dict[str, tuple[SwitchValue, ...]]()
        model = best.state.model
        for block in dict.fromkeys(_block_of(one[0].node) for one in known):
            for name in SWITCHES[model.blocks()[block]] if block in model.blocks() else ():
                others = []
                for value in TRIED.get(name, ()):
                    if value == model.switch(block, name) or self._is_late():
                        continue
                    state = switched(best.state, block, name, value)
                    if state is not None and self._agrees(state, known):
                        others.append(value)
                if others:
                    found[f"{block}.{name}"] = tuple(others)
        return found

    # What has no switch

    def _otherwise(self, frontier: Sequence[Convention], known: Sequence[Group]) -> list[Convention]:
        """The conventions with a slip in the last op, or with rounded intermediate results, that explain the print."""
        *before, last = known
        node = last[0].node
        more = (one for way in frontier[:2] for one in self._with_one_more(way, node, frozenset(), set()))
        for ways in (frontier, more):
            found = list[Convention]()
            for way in ways:
                if self._is_late() or not self._agrees(way.state, before):
                    continue
                found += [one for one in done_otherwise(way, node) if self._error(one.state, last) == 0]
                is_near = ways is frontier or self._error(way.state, last) < _NEAR
                if is_near and way.state.graph.find(node) is not None:
                    rounded = (with_rounding(way, node, decimals) for decimals in _ROUNDED)
                    found += [one for one in rounded if self._error(one.state, last) == 0]
            if found:
                return sorted(found, key=lambda one: one.cost)
        return []


def of_matrix(given: Array, values: Array, decimals: Array, seconds: float = SECONDS) -> list[tuple[str, Convention]]:
    """The computations that turn a matrix, (rows, columns), into printed numbers, if nobody says which one was used.

    It tries a softmax or another output, layer and batch norm, attention of the rows to each other with the matrix as
    queries, keys and values, and adding positions. `values`, `decimals`: as in `Print`. Returns the node that has the
    printed numbers, and the model; the likeliest first.
    """
    end, found = monotonic() + seconds, list[tuple[str, Convention]]()
    for state, below in _models_of(given):
        states = dict[Choices, State | None]()  # small ones: most of the time would go into making them for each node
        for name, node in state.graph.nodes.items():
            if node.is_input or node.op.whole or not name.startswith(below):
                continue
            if state.graph.shape(name) == values.shape:
                left = min(end - monotonic(), seconds / 8)
                search = _Search(state, left, states=states)
                found += [(name, one) for one in search.answer([Print(name, values, decimals)]).found]
    plain = [one for one in found if not one[1].slip]
    return sorted(plain or found, key=lambda one: one[1].cost)[:MOST]


def _models_of(given: Array) -> Iterator[tuple[State, str]]:
    """Small models with the matrix as input; and the beginning of the names of the nodes to look at."""
    rows, across = given.shape
    names, features = counted(rows), counted(across)
    each = read_only(np.asarray(given, float))
    logits = {"input": names, "output.words": features}
    yield State.of(Model("output", {}, logits, switches={"loss.loss": "none"}), {LOGITS: each}), ""
    yield State.of(Model("norm", {}, {"input": names, "feature": features}), {CASES: each}), ""
    words = {"query": names, "feature": features}
    yield State.of(Model("attention", {}, words), {"Q": each, "K": each, "V": each}), ""
    encoder = Model("encoder", {"input": rows}, {"input.words": names}, across)
    yield State.of(encoder, {"input.table": each, "input.tokens": read_only(np.arange(rows))}), "input."


def value_of(state: State, name: str, values: dict[str, Array] | None = None) -> Array | None:
    """The value of a node of a state, or of a head's slice of one; None if there is no such node.

    `values`: the values of the state that are known already; newly computed values are added.
    """
    place = state.graph.find(name)
    if place is None:
        return None
    values = {} if values is None else values
    if place.node not in values:
        wanted = state.graph.towards(place.node)
        missing = [node for node in state.graph.nodes.values() if node.name in wanted and node.name not in values]
        run(missing, state.used, values, state.pins, [node.name for node in missing])
    value = values[place.node]
    return value if place.head is None else np.asarray(value[place.head])


def switched(state: State, block: str, name: str, value: SwitchValue) -> State | None:
    """The state with another value of a switch and the same input numbers; None if that is impossible."""
    needs = _NEEDS.get(str(value), "")
    if needs and f"{block}.{needs}" not in state.inputs:
        return None
    try:
        if name == "layout":
            return _read_otherwise(state, block, value)
        return SetSwitch(block, name, value).apply(state)
    except ExplorerError:
        return None


def _read_otherwise(state: State, block: str, value: SwitchValue) -> State | None:
    """The same numbers of Q and K, but read with words as columns instead of rows, or the other way round."""
    axes = dict(state.model.axes)
    if "key" in axes and len(axes["key"]) != len(axes["feature"]):
        return None
    axes["query"], axes["feature"] = axes["feature"], axes["query"]
    model = replace(state.model, axes=axes).with_switch(block, "layout", value)
    return state.rebuilt(model)


def _blocks_above(state: State, node: str) -> frozenset[str]:
    """The blocks that a node depends on, including its own."""
    place = state.graph.find(node)
    names = {place.node, *state.graph.ancestors(place.node)} if place else {node}
    blocks = state.model.blocks()
    if list(blocks) == ["attention"]:  # the names of its nodes have no path
        return frozenset(blocks)
    return frozenset(block for block in blocks if any(name.startswith(f"{block}.") for name in names))


def _block_of(node: str) -> str:
    """The block of a node or of a head's slice of one; "attention" if its name has no path."""
    return node.split(".head.")[0].rpartition(".")[0] or "attention"


def _above(state: State, nodes: Sequence[str]) -> frozenset[str]:
    """The blocks that the prints of these nodes have decided: all blocks before the block of a print."""
    return frozenset[str]().union(*(_blocks_above(state, node) - {_block_of(node)} for node in nodes))


def done_otherwise(way: Convention, node: str) -> Iterator[Convention]:
    """The convention with each slip in the op of a node: softmax down the columns, another logarithm, n − 1, ….

    In the model that opens, the node is pinned to these numbers, because there is no switch for them.
    """
    state = way.state
    place = state.graph.find(node)
    if place is None or state.graph.nodes[place.node].is_input:
        return
    one = state.graph.nodes[place.node]
    parents = [value_of(state, parent) for parent in one.parents]
    given = [parent for parent in parents if parent is not None]
    around = Surroundings(one.short, one.axes, tuple(parent.shape for parent in given))
    shape = state.graph.shape(place.node)
    for slip in one.op.slips(around):
        with np.errstate(all="ignore"):
            value = np.asarray(slip.op.forward(*given), state.model.dtype)
        if value.shape == shape:
            pin = Pin(read_only(np.ones(shape, bool)), read_only(value))
            held = replace(state, pins={**state.pins, place.node: pin})
            yield replace(way, state=held, slip=slip.sentence, cost=way.cost + 3)


def with_rounding(way: Convention, node: str, decimals: int) -> Convention:
    """The convention with all results before a node rounded, as in a computation by hand from written numbers."""
    state = way.state
    place = state.graph.find(node)
    assert place is not None
    above, values, pins = state.graph.ancestors(place.node), dict[str, Array](), dict(state.pins)
    used = state.used
    for one in state.graph.nodes.values():
        if one.name not in above:
            continue
        run([one], used, values, pins, [one.name])
        if not one.is_input and values[one.name].dtype.kind == "f":
            values[one.name] = read_only(np.round(values[one.name], decimals))
            pins[one.name] = Pin(read_only(np.ones(values[one.name].shape, bool)), values[one.name])
    return replace(way, state=replace(state, pins=pins), rounded=decimals, cost=way.cost + 2 - decimals / 10)
