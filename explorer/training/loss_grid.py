"""The loss over two weights, with all else unchanged: on a coarse grid first, then finer, with its round levels."""

from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter

import numpy as np

from explorer.core.engine import Engine, same_bytes
from explorer.core.frozen import Frozen
from explorer.core.graph import LOSS, Cell
from explorer.core.ops import Array
from explorer.document.document import Document

FINEST = 65
"""Points along each side of the finest grid."""
TOGETHER, AT_ONCE = 2_500_000, 27
"""Multiply-adds of the passes that are computed together, in half a millisecond; and the most points of them."""
NEAR, FAR = 4, 16
"""The coarsest grid has every fourth point of the finest one if passes go together, otherwise every sixteenth."""
TOO_LARGE = 20
"""A window so many times larger than the points need gives way: in it a run that is mended cannot be seen."""


class Window(Frozen):
    """The part of the plane of two weights that the picture shows."""

    left: float
    right: float
    bottom: float
    top: float

    def contains(self, x: float, y: float) -> bool:
        """Whether a point lies in the window."""
        return self.left <= x <= self.right and self.bottom <= y <= self.top


class LossGrid:
    """Losses at the points of a grid, computed from the engine's values at the time when the grid was made.

    `cells`: cells of inputs: that of the horizontal axis and that of the vertical one.
    """

    def __init__(self, document: Document, cells: Sequence[Cell], window: Window) -> None:
        self.cells, self.window = tuple(cells), window
        self._document, self._state = document, document.state
        now = document.engine
        self._engine = Engine(now.graph, now.values, now.pins)
        self._all = np.full((FINEST, FINEST), np.nan)
        self._across = np.linspace(window.left, window.right, FINEST)
        self._up = np.linspace(window.bottom, window.top, FINEST)
        # `x`, `y`: where the points of `surface` are, (n,) and (n,).
        # `surface`: the losses of the finest complete grid, (n, n), lowest row first; (0, 0) before there is one.
        self.x, self.y, self.surface = self._across[:0], self._up[:0], self._all[:0, :0]
        self._points = self._go()
        self.whole = False

    def at(self, x: float, y: float) -> float:
        """The loss at one point."""
        return float(self._engine.what_if(moved(self._engine.values, self.cells, (x, y)), LOSS))

    def more(self, until: float, coarse: bool = False) -> bool:
        """Compute more points until a time (`time.perf_counter`).

        `coarse`: stop after the coarsest grid.
        Returns whether `surface` has become finer.
        """
        before = len(self.x)
        while not (self.whole or (coarse and len(self.x))):
            self.whole = next(self._points, None) is None
            if perf_counter() >= until:
                break
        return len(self.x) != before

    def fits(self) -> bool:
        """Whether nothing of the document but the two cells has changed since the grid was made."""
        then, now = self._state, self._document.state
        if then is now:
            return True
        if then.graph is not now.graph or dict(then.pins) != dict(now.pins):
            return False
        return all(self._same(name, then.inputs[name], array) for name, array in now.inputs.items())

    def _same(self, name: str, then: Array, now: Array) -> bool:
        if then is now:
            return True
        chosen = [cell.index for cell in self.cells if cell.node == name]
        now = now.copy() if chosen else now
        for index in chosen:
            now[index] = then[index]
        return same_bytes(then, now)

    def _go(self) -> Iterator[bool]:
        graph = self._engine.graph
        work = sum(graph.work[name] for name in graph.towards(LOSS))
        together = min(max(TOGETHER // max(work, 1), 1), AT_ONCE)
        every = NEAR if together > 1 else FAR
        while every:
            missing = np.argwhere(np.isnan(self._all[::every, ::every])) * every
            for start in range(0, len(missing), together):
                up, across = missing[start : start + together].T
                to = zip(self._across[across].tolist(), self._up[up].tolist(), strict=True)
                found = self._engine.what_ifs([moved(self._engine.values, self.cells, point) for point in to], LOSS)
                self._all[up, across] = np.where(np.isnan(found), np.inf, found)
                yield True
            self.x, self.y = self._across[::every], self._up[::every]
            self.surface = self._all[::every, ::every].copy()
            every //= 2


def moved(values: Mapping[str, Array], cells: Sequence[Cell], to: Sequence[float]) -> dict[str, Array]:
    """Copies of the arrays that contain the given cells, with new numbers in those cells."""
    arrays: dict[str, Array] = {}
    for cell, number in zip(cells, to, strict=True):
        if cell.node not in arrays:
            arrays[cell.node] = values[cell.node].copy()
        with np.errstate(over="ignore"):
            arrays[cell.node][cell.index] = number
    return arrays


def steepest(document: Document, weights: Sequence[str]) -> tuple[Cell, ...]:
    """The two cells with the largest gradients; fewer if there are fewer."""
    gradients = document.engine.gradients().several(weights)
    found: list[tuple[float, int, Cell]] = []
    for order, (name, gradient) in enumerate(gradients.items()):
        sizes = np.nan_to_num(np.abs(gradient), nan=0.0).ravel()
        for _ in range(min(2, sizes.size)):
            place = int(sizes.argmax())
            index = tuple(int(i) for i in np.unravel_index(place, gradient.shape))
            found.append((-float(sizes[place]), order, Cell(name, index)))
            sizes[place] = -1
    return tuple(cell for _, _, cell in sorted(found, key=lambda one: one[:2])[:2])


def around(low: Array, high: Array, before: Window | None) -> Window:
    """The window that shows all points with a margin. The window before stays while they are in it and not tiny there.

    `low`, `high`: the least and the largest x and y of the points.
    """
    middle = (low + high) / 2
    # Equally wide and high, so that the same slope looks the same in both directions.
    half = max(float((high - low).max()) * 0.8, 0.15 * float(np.abs(middle).max()), 1.0)
    shows_all = before is not None and before.contains(*low.tolist()) and before.contains(*high.tolist())
    if before is not None and shows_all and before.right - before.left < 2 * TOO_LARGE * half:
        return before
    return Window(middle[0] - half, middle[0] + half, middle[1] - half, middle[1] + half)


def levels(surface: Array, most: int = 9) -> list[float]:
    """Round numbers between the lowest and the highest of a surface."""
    finite = surface[np.isfinite(surface)]
    if not finite.size:
        return []
    low, high = float(finite.min()), float(finite.max())
    if not high > low:
        return []
    if low > 0 and high / low > 8:
        powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
        series = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        series = [level for level in series if low < level < high]
        series = series if len(series) <= most else series[:: 3 * (-(-len(series) // (3 * most)))]
    else:
        rough = (high - low) / most
        power = 10.0 ** np.floor(np.log10(rough))
        step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough)
        series = [k * step for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]
    return [float(f"{level:.6g}") for level in series if low < level < high]
