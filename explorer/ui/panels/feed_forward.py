"""Feed-forward: out to the hidden units, through the activation, and back; and a layer of a net by itself."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from explorer.core.numbers import decimals_of, written
from explorer.core.ops import Array, Identity, MatMul, Op, ReLU, Sigmoid
from explorer.ui.page.listing import Listing
from explorer.ui.panels.panel import Later, Panel
from explorer.ui.selection import Cell
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.row_choice import RowChoice
from explorer.ui.widgets.rows import BAR, NUMBER, Column, Rows
from explorer.ui.workbench import Workbench

CURVE_POINTS = 241
NAMED = 12  # units that a sentence lists
SIGMOID_MIDDLE = 0.5
NAMES = {"GELU": "GELU", "Sigmoid": "sigmoid", "Identity": "identity", "ReLU": "ReLU"}


class _Hidden(Panel):
    """What both kinds of page share: a product, and what the activation makes of it."""

    def product(self, result: str, *titles: str) -> list[tuple[str, QWidget]]:
        """The parents of a product with the signs between them, and the product."""
        node = self.bench.document.engine.graph.nodes[result]
        assert isinstance(node.op, MatMul)
        turned = "transposed in the product" if node.op.transposed else ""
        names = (*titles, *("" for _ in node.parents))
        row = []
        for sign, name, title in zip(("", "×", "+"), node.parents, names, strict=False):
            row.append((sign, self.box(name, title or turned * (sign == "×"))))
        return [*row, ("=", self.box(result))]

    def units(self, hidden: str, activation: str, what: str) -> None:
        """The units as bars before and after, and the curve they lie on."""
        graph = self.bench.document.engine.graph
        choice = RowChoice(self.bench, graph.nodes[hidden].axes[0], what)
        units = Units(self.bench, hidden, activation, choice)
        reads = [hidden, activation]
        listing = Listing(self.bench, UnitRows(units), reads)
        words = Note(lambda: units.words(choice.said), reads)
        px = self.bench.appearance.px
        curve = Later(lambda: self._curve(units), px(310), px(250))
        self.page.addWidget(choice, 0, Qt.AlignmentFlag.AlignLeft)
        self.page.addWidget(words)
        title = "The activation, and the units on it"
        self.row([("", self.titled("The units one by one", listing)), ("", self.titled(title, curve))])
        self.later(curve)
        self.follows(choice, words, listing)
        choice.changed.connect(self._redraw)
        self._pictures: Sequence[Any] = (words, listing)

    def _redraw(self) -> None:
        self.redraw(*self._pictures, *(plot for plot in self.plots if plot not in self._pictures))

    def _curve(self, units: "Units") -> QWidget:
        from explorer.ui.widgets.curves import Curve, Curves, Dot, Drawing
        from explorer.ui.widgets.plot import DRAWABLE

        def draw() -> Drawing:
            before, after, cell = units.before(), units.after(), self.bench.selection.cell
            drawable = before[np.abs(before) < DRAWABLE]
            reach = max(float(np.abs(drawable).max(initial=0)) * 1.1, 3.0)
            x = np.linspace(-reach, reach, CURVE_POINTS, dtype=before.dtype)
            with np.errstate(all="ignore"):
                y = units.op.forward(x)
            pointed = cell.index if cell is not None and cell.node in (units.hidden, units.activation) else None
            dots = [
                Dot(float(a), float(b), name, 0, hollow=b == 0, here=pointed == (units.row, j))
                for j, (a, b, name) in enumerate(zip(before, after, units.labels(), strict=True))
            ]
            low, high = min(float(y.min()), 0.0), max(float(y.max()), 0.5)
            room = (high - low) * 0.15
            titles = ("before: h", "after: a")
            return Drawing(
                [Curve(x, y)], dots, titles, (-reach, reach, low - room, high + room), f"Activation. {units.words()}"
            )

        return Curves(self.bench, draw, units.reads())


class FeedForwardPanel(_Hidden):
    """x W₁ + b₁ = hidden → activation; activation W₂ + b₂ = output."""

    def build(self) -> None:
        hidden, activation, output = (f"{self.block}{short}" for short in ("hidden", "activation", "output"))
        width = Note(self._width, [hidden])
        self.page.addWidget(width)
        self.section("Out: d_model numbers become d_ff hidden units")
        self.row([*self.product(hidden), ("→", self.box(activation, "after the activation"))])
        self.section("Activation: what is below zero is switched off" if self._relu() else "Activation: each by itself")
        self.units(hidden, activation, "Position")
        self.section("Back: the units that are on add their rows of W_2")
        self.row(self.product(output))
        self.follows(width)

    def structure(self) -> tuple[object, ...]:
        graph = self.bench.document.engine.graph
        mine = (node for node in graph.nodes.values() if node.stage == self.stage.name)
        return super().structure(), *(node.op for node in mine)

    def _relu(self) -> bool:
        return isinstance(self.bench.document.engine.graph.nodes[f"{self.block}activation"].op, ReLU)

    def _width(self) -> str:
        graph = self.bench.document.engine.graph
        d_model = len(graph.axes[graph.nodes[f"{self.block}output"].axes[-1]])
        d_ff = len(graph.axes[graph.nodes[f"{self.block}hidden"].axes[-1]])
        usual = 4 * d_model
        same = "as usual" if d_ff == usual else f"usual are 4 × {d_model} = {usual}"
        return f"Each word by itself: {d_model} numbers → {d_ff} hidden units ({same}) → {d_model} numbers."


class LayerPanel(_Hidden):
    """A layer of a net: x W + b = hidden → activation."""

    def build(self) -> None:
        hidden, activation = f"{self.block}hidden", f"{self.block}activation"
        self.row([*self.product(hidden, "each case"), ("→", self.box(activation, "after the activation"))])
        self.section("Activation")
        self.units(hidden, activation, "Case")

    def structure(self) -> tuple[object, ...]:
        graph = self.bench.document.engine.graph
        mine = (node for node in graph.nodes.values() if node.stage == self.stage.name)
        return super().structure(), *(node.op for node in mine)


class Units:
    """The hidden units of one row, before and after the activation, read from the engine.

    Parameters
    ----------
    bench : Workbench
    hidden, activation : str
    choice : RowChoice
        Says which row.
    """

    def __init__(self, bench: Workbench, hidden: str, activation: str, choice: RowChoice) -> None:
        self._bench = bench
        self.hidden, self.activation = hidden, activation
        self._choice = choice

    @property
    def row(self) -> int:
        """Which row."""
        return self._choice.row

    @property
    def op(self) -> Op:
        """The activation."""
        return self._bench.document.engine.graph.nodes[self.activation].op

    def before(self) -> Array:
        """Their numbers before, (d_ff,)."""
        row: Array = self._bench.document.engine.values[self.hidden][self.row]
        return row

    def after(self) -> Array:
        """Their numbers after it, (d_ff,)."""
        row: Array = self._bench.document.engine.values[self.activation][self.row]
        return row

    def labels(self) -> tuple[str, ...]:
        """The units' names."""
        engine = self._bench.document.engine
        return engine.labels(engine.graph.nodes[self.hidden].axes[-1])

    def reads(self) -> set[str]:
        """The nodes whose change concerns it."""
        return {self.hidden, self.activation}

    def words(self, who: str = "") -> str:
        """Which units are off, for the row as `who` names it."""
        off, names = np.flatnonzero(self.after() == 0), self.labels()
        name = NAMES.get(type(self.op).__name__, "The activation")
        who = who or f"“{self._choice.label}”"
        if isinstance(self.op, Identity):
            return f"For {who}: the identity changes nothing, so two layers are no more than one."
        if isinstance(self.op, Sigmoid):
            near = (("1", self.after() >= SIGMOID_MIDDLE), ("0", self.after() < SIGMOID_MIDDLE))
            sides = (f"nearer to {end}: {_listed(names, np.flatnonzero(which))}" for end, which in near if which.any())
            return f"For {who}: sigmoid makes of each a number between 0 and 1; {'; '.join(sides)}."
        if not len(off):
            left = "none is below zero" if isinstance(self.op, ReLU) else f"{name} makes none of them exactly 0"
            return f"For {who}: all {len(names)} units are on; {left}."
        listed = _listed(names, off)
        units = f"unit {listed} is" if len(off) == 1 else f"units {listed} are"
        return f"For {who}: {len(off)} of {len(names)} off: {units} 0 after {name}. The others pass."


def _listed(names: Sequence[str], which: Array) -> str:
    """The names of some units."""
    return ", ".join(escape(names[i]) for i in which[:NAMED]) + (" …" if len(which) > NAMED else "")


class UnitRows(Rows):
    """A row for each hidden unit: its number and bar before and after."""

    name = "Hidden units before and after the activation"
    columns = (
        Column("Unit"),
        Column("before h", NUMBER),
        Column("", BAR, 90),
        Column("after a", NUMBER),
        Column("", BAR, 90),
        Column(""),
    )

    def __init__(self, units: Units) -> None:
        super().__init__()
        self._units = units
        self._labels: tuple[str, ...] = ()
        self._numbers: tuple[Array, Array] = (np.zeros(0), np.zeros(0))
        self._decimals = 2
        self._reach = (0.0, 1.0)

    def read(self) -> None:
        units = self._units
        self._labels, self._numbers = units.labels(), (units.before(), units.after())
        both = np.concatenate(self._numbers)
        finite = both[np.isfinite(both)]
        self._decimals = decimals_of(both)
        low, high = min(float(finite.min(initial=0)), 0.0), max(float(finite.max(initial=0)), 0.0)
        self._reach = (low, high) if high > low else (0.0, 1.0)

    def count(self) -> int:
        return len(self._labels)

    def text(self, row: int, column: int) -> str:
        match column:
            case 0:
                return self._labels[row]
            case 5:
                return "off" if self._numbers[1][row] == 0 else ""
            case _:
                return written(self.value(row, column), self._decimals)

    def tip(self, row: int, column: int) -> str:
        exact = " → ".join(str(float(numbers[row])).replace("-", "−") for numbers in self._numbers)
        return f"unit {self._labels[row]}: {exact}"

    def value(self, row: int, column: int) -> float:
        return float(self._numbers[column > 2][row])

    def reach(self, column: int) -> tuple[float, float]:
        # What a sigmoid gives would be lost beside what it is given.
        return (0.0, 1.0) if column > 2 and isinstance(self._units.op, Sigmoid) else self._reach

    def off(self, row: int, column: int) -> bool:
        return bool(self._numbers[1][row] == 0)

    def muted(self, row: int, column: int) -> bool:
        return self.off(row, column)

    def cell(self, row: int) -> Cell | None:
        return Cell(self._units.activation, (self._units.row, row))
