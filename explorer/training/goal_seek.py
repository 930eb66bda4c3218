"""Goal seeking: the user names a value that one number should have; gradient descent looks for inputs that give it.

The number has one gradient g. If the number were linear, the step (wished − now) · g / |g|² would be exact (Newton's
method for one equation in many unknowns, which takes the shortest such step). A step that does not lead nearer to the
wished value is halved until it does.
"""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, sqrt

import numpy as np

from explorer.core.engine import Engine, fresh
from explorer.core.errors import ExplorerError, require_cell
from explorer.core.frozen import Frozen
from explorer.core.graph import Root
from explorer.core.numbers import quantity
from explorer.core.ops import Array
from explorer.document.commands import SetInputs
from explorer.document.commands.model import input_place
from explorer.document.state import State, read_only

MOST_STEPS = 200
_CLOSE = 1e-9  # relative to the wished number, or to 1 if that is smaller
_SLOW = 0.05  # `_PATIENCE` steps in a row that each reduce the distance by less than this share lead nowhere
_PATIENCE = 20
_SHOWN = 20  # most lines of the printed path
_LEAST_SHARE = 2.0**-30  # of a full step


class Move(Frozen):
    """One step of the search."""

    value: float  # the number after the step
    length: float  # how far the inputs moved: the root of the sum of the squares
    share: float  # the share of the full step: 1, or 1/2, 1/4, … if a longer step would have led away


class Sought(Frozen, eq=False):
    """The result of a search."""

    wished: float
    began: float  # the number before the first step
    moves: tuple[Move, ...]
    inputs: Mapping[str, Array]  # the inputs that may change, at the end
    reason: str = ""  # why the number was not reached; "" if it was

    @property
    def value(self) -> float:
        """The number at the end."""
        return self.moves[-1].value if self.moves else self.began

    @property
    def reached(self) -> bool:
        """Whether the search reached the wished number."""
        return not self.reason

    def __str__(self) -> str:
        """The path, one line for each step, and the outcome."""
        lines = [f"{0:>4}  {self.began:.10g}"]
        for number, move in enumerate(self.moves, 1):
            part = "" if move.share == 1 else f", {move.share:g} of a full step"
            lines.append(f"{number:>4}  {move.value:.10g}  (moved by {move.length:.3g}{part})")
        if len(lines) > _SHOWN:
            lines[_SHOWN // 2 : -_SHOWN // 2] = [f"      … {quantity(len(lines) - _SHOWN, 'more step')}"]
        steps = quantity(len(self.moves), "step")
        outcome = f"is reached in {steps}" if self.reached else f"is not reached: {self.reason}"
        return "\n".join([*lines, f"{self.wished:g} {outcome}."])

    __repr__ = __str__


def seek(
    state: State,
    root: Root,
    wished: float,
    change: Sequence[tuple[str, tuple[int, ...]]],
    told: Callable[[int], object] = lambda step: None,
) -> Sought:
    """Look for inputs that give one number a wished value.

    `change`: the inputs that may change: nodes, or heads' slices, each with a cell, or with () for all cells.
    `told`: called with the number of steps done, before each pass; it may raise to end the search.
    Raises `ExplorerError`: "not-editable" for a computed node; "unknown-node", "bad-cell"; "no-gradient" for whole
    numbers; "bad-number" if the wished value is not finite.
    """
    if not isfinite(wished):
        raise ExplorerError("bad-number", text=f"{wished}")
    mask = _may_change(state, change)
    engine = fresh(state.graph, state.used, state.pins)
    inputs = {name: state.used[name] for name in mask}
    began = _number(engine, root)
    close = _CLOSE * max(1.0, abs(wished)) if state.model.dtype == "float64" else 1e-5 * max(1.0, abs(wished))
    moves, slow = list[Move](), 0
    while not abs((now := _number(engine, root)) - wished) <= close:  # NaN is near to nothing
        if not isfinite(now):
            return Sought(wished, began, tuple(moves), inputs, "it is not a finite number")
        slopes = {name: _slope(engine, name, root) * allowed for name, allowed in mask.items()}
        size = sqrt(sum(float(np.sum(np.square(slope, dtype=np.float64))) for slope in slopes.values()))
        if not isfinite(size) or size**2 == 0 or not isfinite(abs(wished - now) / size**2):
            still = "nothing that may change moves it"
            reason = still if now == began else f"at {now:.6g} {still} any more"
            return Sought(wished, began, tuple(moves), inputs, reason)
        if len(moves) == MOST_STEPS or slow == _PATIENCE:
            return Sought(wished, began, tuple(moves), inputs, f"it comes no nearer than {now:.6g}")
        share = 1.0
        while share >= _LEAST_SHARE:
            told(len(moves))
            factor = share * (wished - now) / size**2
            tried = {
                name: read_only(inputs[name] + (factor * slope).astype(inputs[name].dtype))
                for name, slope in slopes.items()
            }
            engine.update(state.graph, {**state.used, **tried}, state.pins)
            if abs(_number(engine, root) - wished) < abs(now - wished):
                break
            share /= 2
        else:
            engine.update(state.graph, {**state.used, **inputs}, state.pins)
            return Sought(wished, began, tuple(moves), inputs, f"no step leads nearer than {now:.6g}")
        inputs = tried
        left = abs(_number(engine, root) - wished) / abs(now - wished)
        slow = slow + 1 if left > 1 - _SLOW else 0
        moves.append(Move(_number(engine, root), abs(factor) * size, share))
    return Sought(wished, began, tuple(moves), inputs)


def command(sought: Sought, cell: str) -> SetInputs:
    """The command that puts the result of a search into a document, as one undo step."""
    return SetInputs(sought.inputs, f"Seek {cell} = {sought.wished:g}")


def _number(engine: Engine, root: Root) -> float:
    return float(engine.values[root.node][root.cell])


def _slope(engine: Engine, name: str, root: Root) -> Array:
    found = engine.gradient(engine.graph.place(name), root)
    assert found is not None  # `_may_change` refuses whole numbers
    return found


def _may_change(state: State, change: Sequence[tuple[str, tuple[int, ...]]]) -> dict[str, Array]:
    """For each input node that may change, the mask of its changeable cells."""
    found: dict[str, Array] = {}
    for name, cell in change:
        place = input_place(state, name)
        if state.graph.nodes[place.node].op.whole:
            raise ExplorerError("no-gradient", name=name)
        shape = state.graph.shape(place.node)
        if cell:
            require_cell(name, cell, shape[len(place.index) :])
        mask = found.setdefault(place.node, np.zeros(shape, bool))
        mask[place.index + cell] = True
    return found
