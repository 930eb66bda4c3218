"""Positions: where a token stands, as numbers that are added to its vector."""

from dataclasses import replace

import numpy as np
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QSpinBox, QWidget

from explorer.core.numbers import written
from explorer.core.ops import Array, Sinusoidal
from explorer.core.ops.positions import exponents
from explorer.ui.page.listing import Listing
from explorer.ui.panels.panel import Later, Panel
from explorer.ui.theme import mark
from explorer.ui.widgets.boxes import SpinBox
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.rows import NUMBER, Column, Rows
from explorer.ui.workbench import Workbench

MOST = 512
USUAL = 40  # positions that are drawn, so that a few words do not hide the waves
MOST_CURVES = 5
MOST_WAVES = 6  # of the longest wave that is drawn

KINDS = {
    "paper": ("paper", "2⌊j/2⌋ / d", "A sine and its cosine share a wavelength."),
    "004": ("004, printed", "2j / d", "Each dimension has a wavelength of its own."),
    "004-script": ("004, script", "2⌊j/2⌋ + (j mod 2)/2", "Each pair's wavelength is 10⁸ times the last one's."),
}


class PositionsPanel(Panel):
    """X + PE = H; the encoding as a map, its curves, how alike positions are; the exponents."""

    def build(self) -> None:
        px = self.bench.appearance.px
        table = f"{self.block}PE"
        self.row(
            [
                ("", self.box(f"{self.block}X", "embeddings")),
                ("+", self.box(table)),
                ("=", self.box(f"{self.block}H")),
            ]
        )
        self.view = Drawn(self.bench, self.block)
        self.section("The encoding as a picture")
        self._sizes()
        said = Note(self._said_of_sizes, [table]), Note(self._said_of_curves, [table])
        heat, curves, alike = (Later(make, px(280), px(290)) for make in (self._map, self._curves, self._likeness))
        curves.setFixedWidth(px(380))
        self.row([("", self.titled("Encoding", heat)), ("", self.titled("Curves", curves))])
        for note in said:
            self.page.addWidget(note)
        self.section("Likeness: the dot product of two positions")
        self.row([("", self._at_top(alike)), ("", self.box(f"{self.block}likeness", "positions with positions"))])
        self.later(heat, curves, alike)
        if self.view.op is not None:
            self.section("Exponents: what 10000 is raised to in each dimension")
            words = Note(self._said_of_exponents, [table])
            self.page.addWidget(words)
            listing = Listing(self.bench, Exponents(self.view), [table])
            self.page.addWidget(listing)
            self.follows(words, listing)
        self.follows(*said)

    def structure(self) -> tuple[object, ...]:
        nodes = self.bench.document.engine.graph.nodes
        kind = type(nodes[f"{self.block}PE"].op) if f"{self.block}PE" in nodes else None
        return super().structure(), kind

    def _at_top(self, widget: QWidget) -> QWidget:
        widget.setProperty("at_top", True)
        return widget

    # Choices

    def _sizes(self) -> None:
        """How many positions and dimensions are drawn, and which of them as curves."""
        view, px = self.view, self.bench.appearance.px
        line = QWidget()
        self._flow = FlowLayout(line, horizontal=px(18), vertical=px(6))
        sizes = (("positions", view.n), ("dimensions", view.d)) if view.op is not None else ()
        self._spins = [self._spin("", value, MOST, f"Draw so many {what}", what) for what, value in sizes]
        for spin in self._spins:
            spin.valueChanged.connect(self._resize)
        self._own = QCheckBox("Only the model's own")
        self._own.setToolTip("Draw just the positions and dimensions that the model has")
        self._own.toggled.connect(self._resize)
        self._own.setVisible(view.op is not None)
        self._flow.addWidget(self._own)
        ends = (("curves of dimensions", 1, "from"), ("to", min(view.d, 4), "to"))
        self._range = [
            self._spin(word, value, view.d, f"Curves of dimensions: {end}; up to {MOST_CURVES} at once")
            for word, value, end in ends
        ]
        for spin in self._range:
            spin.valueChanged.connect(self._redraw)
        self.page.addWidget(line)

    def _spin(self, before: str, value: int, most: int, tip: str, after: str = "") -> QSpinBox:
        pair = QWidget()
        layout = QHBoxLayout(pair)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.bench.appearance.px(6))
        spin = SpinBox(minimum=1, maximum=most, value=value)
        spin.setKeyboardTracking(False)
        spin.setAccessibleName(tip)
        spin.setToolTip(tip)
        for widget in (before and QLabel(before), spin, after and QLabel(after)):
            if widget:
                layout.addWidget(widget if widget is spin else mark(widget, role="small"))
        self._flow.addWidget(pair)
        return spin

    def _resize(self) -> None:
        for spin in self._spins:
            spin.setEnabled(not self._own.isChecked())
        positions, dimensions = (spin.value() for spin in self._spins)
        self.view.resize(None if self._own.isChecked() else (positions, dimensions))
        for spin in self._range:
            spin.setMaximum(self.view.d)
        self._redraw()

    def _redraw(self) -> None:
        for plot in self.plots:
            plot.refresh()

    # Pictures

    def _map(self) -> QWidget:
        from explorer.ui.widgets.signed_map import Sheet, SignedMap

        view = self.view

        def read() -> Sheet:
            summary = f"Position encoding of {view.n} positions in {view.d} dimensions"
            labels = view.positions(), view.dimensions()
            return Sheet(view.name, view.encoding(), *labels, view.own, ("position", "dimension"), summary)

        return SignedMap(self.bench, read, [view.name])

    def _likeness(self) -> QWidget:
        from explorer.ui.widgets.signed_map import Sheet, SignedMap

        view = self.view

        def read() -> Sheet:
            array, labels = view.likeness(), view.positions()
            nearest = "; ".join(f"0 and {i}: {written(float(array[0, i]), 2)}" for i in range(min(len(array), 8)))
            own = (view.own[0], view.own[0]) if view.d == view.own[1] else (0, 0)
            titles = ("position", "position")
            return Sheet(f"{self.block}likeness", array, labels, labels, own, titles, f"Likeness of {nearest}")

        return SignedMap(self.bench, read, [f"{self.block}likeness", view.name])

    def _curves(self) -> QWidget:
        from explorer.ui.widgets.curves import Curve, Curves, Dot, Drawing
        from explorer.ui.widgets.plot import DRAWABLE

        view = self.view

        def draw() -> Drawing:
            array, cell = view.encoding()[: self._told_apart()], self.bench.selection.cell
            n = len(array)
            x = np.arange(n)
            curves, dots = [], []
            for k, j in enumerate(self.shown_dimensions()):
                curves.append(Curve(x, array[:, j], str(j + 1), k, dashed=bool(j % 2)))
                for i in range(min(view.own[0], n)):
                    here = cell is not None and cell.node == view.name and cell.index == (i, j)
                    dots.append(Dot(i, float(array[i, j]), "", k, here=here))
            finite = array[np.abs(array) < DRAWABLE]
            reach = float(np.abs(finite).max(initial=0.5)) * 1.15
            names = ", ".join(str(j + 1) for j in self.shown_dimensions())
            return Drawing(
                curves,
                dots if len(dots) <= MOST else [dot for dot in dots if dot.here],
                ("position", "encoding"),
                (-0.5, max(n - 1, 1) * 1.08, -reach, reach),
                f"The encoding over {n} positions in dimensions {names}",
            )

        return Curves(self.bench, draw, [view.name])

    def shown_dimensions(self) -> list[int]:
        """The dimensions that are drawn as curves, counted from 0."""
        first, last = sorted(min(spin.value(), self.view.d) for spin in self._range)
        return list(range(first - 1, min(last, first - 1 + MOST_CURVES)))

    def _told_apart(self) -> int:
        """Over how many positions the curves are drawn: of very many waves one would see a black mat."""
        if self.view.op is None:
            return self.view.n
        drawn = exponents(self.view.d, self.view.op.exponents)[self.shown_dimensions()]
        longest = 2 * np.pi * 10000.0 ** float(drawn.max())
        return min(self.view.n, max(USUAL, round(MOST_WAVES * longest)))

    # Words

    def _said_of_sizes(self) -> str:
        n, d = self.view.own
        if self.view.op is None:
            return "The encoding is a table of numbers; no formula gives more positions than there are words."
        model = f"The model has {n} position{'s' * (n != 1)} and {d} dimension{'s' * (d != 1)}"
        if (self.view.n, self.view.d) == (n, d):
            return f"{model}; that is what is drawn."
        if self.view.d == d:
            return f"{model}: the framed part. The rest is what the same formula gives further on."
        return f"{model}. Drawn is what the same formula gives for {self.view.d}: other wavelengths, so other numbers."

    def _said_of_curves(self) -> str:
        if self.view.op is None:
            return "Dots: the positions of the words."
        drawn = "Solid: sine, in dimensions 1, 3, 5 … Dashed: cosine, in dimensions 2, 4, 6 …"
        n = self._told_apart()
        part = f" Of {self.view.n} positions the first {n}, where one can tell the waves apart." * (n < self.view.n)
        return f"{drawn} Dots: the positions of the words.{part}"

    def _said_of_exponents(self) -> str:
        assert self.view.op is not None
        title, _, words = KINDS[self.view.op.exponents]
        ink = self.bench.appearance.theme.text
        formulas = "; ".join(f"{name}: {formula}" for name, formula, _ in KINDS.values())
        return (
            f"In use: <b style='color:{ink}'>{title}</b>. {words} Dimension j is counted from 0 here: {formulas}. "
            "The wavelength is 10000 to that power, the angle the position divided by it."
        )


class Drawn:
    """What is drawn of an encoding: the model's own numbers, and what its op gives for other sizes.

    Parameters
    ----------
    bench : Workbench
    block : str
        Path of the sequence, with its dot.
    """

    def __init__(self, bench: Workbench, block: str) -> None:
        self._bench = bench
        self._block = block
        self.name = f"{block}PE"
        self._sizes: tuple[int, int] | None = (max(USUAL, self.own[0]), self.own[1]) if self.op is not None else None

    @property
    def op(self) -> Sinusoidal | None:
        """The formula, where there is one."""
        op = self._bench.document.engine.graph.nodes[self.name].op
        return op if isinstance(op, Sinusoidal) else None

    @property
    def own(self) -> tuple[int, int]:
        """How many positions and dimensions the model has."""
        n, d = self._bench.document.engine.graph.shape(self.name)
        return n, d

    def resize(self, sizes: tuple[int, int] | None) -> None:
        """Draw so many positions and dimensions; with None, what the model has."""
        self._sizes = sizes

    @property
    def n(self) -> int:
        """Positions drawn."""
        return (self._sizes or self.own)[0]

    @property
    def d(self) -> int:
        """Dimensions drawn."""
        return (self._sizes or self.own)[1]

    def encoding(self) -> Array:
        """The encoding, (n, d): the model's own, and beyond it what its op computes."""
        value, op = self._bench.document.engine.values[self.name], self.op
        if op is None or (self.n, self.d) == self.own:
            return value
        array = replace(op, n=self.n, d=self.d).forward()
        if self.d == self.own[1]:
            array[: self.own[0]] = value[: self.n]  # cells may be pinned
        return array

    def likeness(self) -> Array:
        """How alike positions are, (n, n), by the op of the model's own node."""
        engine = self._bench.document.engine
        name = f"{self._block}likeness"
        if (self.n, self.d) == self.own:
            return engine.values[name]
        encoding = self.encoding()
        return engine.graph.nodes[name].op.forward(encoding, encoding)

    def positions(self) -> tuple[str, ...]:
        """What stands beside the rows: positions, behind the words where the words are all there is."""
        words = self._bench.document.engine.labels(self._block.removesuffix("."))
        return tuple(f"{words[i]} {i}" if i < len(words) and self.n <= 12 else str(i) for i in range(self.n))

    def dimensions(self) -> tuple[str, ...]:
        """What stands above the columns, counted from 1."""
        return tuple(str(j + 1) for j in range(self.d))


class Exponents(Rows):
    """The exponent of each dimension after the paper and after 004, and the wavelength in use."""

    name = "Exponents of each dimension"

    @property
    def columns(self) -> tuple[Column, ...]:  # type: ignore[override]
        """What is in use says so."""
        kinds = [f"{title}{' (in use)' * (kind == self._used)}" for kind, (title, _, _) in KINDS.items()]
        return (
            Column("dimension", NUMBER),
            Column("curve"),
            *(Column(title, NUMBER) for title in kinds),
            Column("wavelength in use", NUMBER),
        )

    def __init__(self, view: Drawn) -> None:
        super().__init__()
        self._view = view
        self._all: list[Array] = []
        self._used = "paper"

    def read(self) -> None:
        d = self._view.own[1]
        self._all = [exponents(d, kind) for kind in KINDS]
        if self._view.op is not None:
            self._used = self._view.op.exponents

    def count(self) -> int:
        return len(self._all[0]) if self._all else 0

    def text(self, row: int, column: int) -> str:
        match column:
            case 0:
                return str(row + 1)
            case 1:
                return "cosine" if row % 2 else "sine"
            case 5:
                exponent = float(self._all[list(KINDS).index(self._used)][row])
                return written(10000.0**exponent, 2)
            case _:
                return written(float(self._all[column - 2][row]), 4)

    def muted(self, row: int, column: int) -> bool:
        return 2 <= column <= 4 and list(KINDS)[column - 2] != self._used
