"""All heads side by side, their outputs joined, and W_O."""

from functools import partial

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from explorer.document.commands import PinCells, Release
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.panels.panel import Later, Panel
from explorer.ui.theme import mark

MOST_WORDS = 9
SIDE = 232  # pixels of a head's picture: so that heads stand beside each other


class HeadsPanel(Panel):
    """A column for each head; then the heads' outputs as one matrix, a band of columns for each head, times W_O."""

    def build(self) -> None:
        graph = self.bench.document.engine.graph
        heads = graph.n_heads(self.block + "output") or 1
        self.section("Each head by itself")
        self.row([("", self._head(head)) for head in range(heads)])
        if self._long:
            self.section("What each head puts out")
            self.row([("", self._of("output", head, f"head {head + 1}")) for head in range(heads)])
        self.section("Side by side, then through W_O" if self.has("W_O") else "Side by side")
        row: list[tuple[str, QWidget]] = [("", self.box(self.block + "concat"))]
        if self.has("W_O"):
            row += [("×", self.box(self.block + "W_O")), ("=", self.box(self.block + "projected"))]
        self.row(row)

    def structure(self) -> tuple[object, ...]:
        # The heads' matrices belong to the stage before.
        graph, long = self.bench.document.engine.graph, self._long
        # A head that is switched off has another button.
        pin = self.bench.document.engine.pins.get(self.block + "output")
        return *super().structure(), graph.n_heads(self.block + "output"), long, id(pin)

    @property
    def _long(self) -> bool:
        """Whether a table of the weights shows nothing; a picture does, and pointing at it gives the number."""
        return max(self.bench.document.engine.graph.shape(self.block + "weights")[-2:]) > MOST_WORDS

    def _of(self, short: str, head: int, title: str = "") -> MatrixBox:
        """A matrix of a head, which stays when another head is looked at."""
        box = self.box(self.of_head(short, head), title)
        box.setProperty("fixed_head", True)
        return box

    def _head(self, head: int) -> QWidget:
        holder = QWidget()
        layout = QVBoxLayout(holder)
        px = self.bench.appearance.px
        layout.setContentsMargins(0, 0, px(4), 0)
        color = self.bench.appearance.theme.series[head % 6]
        top = QWidget()
        line = QHBoxLayout(top)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(mark(QLabel(f"<span style='color:{color}'>■</span>&nbsp; Head {head + 1}"), role="strong"))
        line.addWidget(self._switch(head))
        line.addStretch()
        layout.addWidget(top)
        if self._long:
            picture = Later(partial(self._heat_map, head), px(SIDE), px(SIDE))
            layout.addWidget(picture)
            self.later(picture)
        else:
            for short in ("weights", "output"):
                layout.addWidget(self._of(short, head))
        return holder

    def _switch(self, head: int) -> QPushButton:
        """Takes a head out, by pinning its output to 0, or lets it work again."""
        name = self.of_head("output", head)
        place = self.bench.document.engine.graph.place(name)
        pin = self.bench.document.engine.pins.get(place.node)
        off = pin is not None and bool(pin.cells[place.index].all()) and not pin.values[place.index].any()
        button = QPushButton("Switch on" if off else "Switch off")
        mark(button, link="true")
        button.setAccessibleName(f"{button.text()} head {head + 1}")
        button.setToolTip(
            "Let the head work again" if off else "Hold what the head puts out at 0 and see what is missed"
        )
        button.clicked.connect(partial(self._turn, name, off))
        return button

    def _turn(self, name: str, on: bool, _: bool = False) -> None:
        document = self.bench.document
        if on:
            document.do(Release(name))
        else:
            shape = document.engine.value(document.engine.graph.place(name)).shape
            document.do(PinCells(name, dict.fromkeys(np.ndindex(shape), 0.0)))

    def _heat_map(self, head: int) -> QWidget:
        from explorer.ui.widgets.heat_map import HeatMap

        picture = HeatMap(self.bench, self.of_head("weights", head), most=SIDE)
        picture.fixed = True
        return picture
