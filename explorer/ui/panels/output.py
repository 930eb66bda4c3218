"""Output: a number for each word, the temperature, shares that add up to 1, and the word that is chosen."""

from html import escape

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from explorer.core.numbers import decimals_of, written
from explorer.core.ops import Array, Softmax
from explorer.ui.page.listing import Listing
from explorer.ui.panels.panel import Panel
from explorer.ui.selection import Cell
from explorer.ui.theme import mark
from explorer.ui.widgets.note import Note
from explorer.ui.widgets.number_slider import NumberSlider
from explorer.ui.widgets.row_choice import RowChoice
from explorer.ui.widgets.rows import BAR, NUMBER, Column, Rows
from explorer.ui.workbench import Workbench

LOGITS, SCALED, PROBABILITIES, CHOSEN = (f"output.{s}" for s in ("logits", "scaled", "probabilities", "chosen"))
TEMPERATURE = "output.temperature"


class OutputPanel(Panel):
    """x W + b = logits; ÷ T; softmax; the bars of one position."""

    def build(self) -> None:
        graph = self.bench.document.engine.graph
        self._logits()
        choice = RowChoice(
            self.bench, graph.nodes[PROBABILITIES].axes[0], "Row" if self._given else "Position", last=True
        )
        rows = WordRows(self.bench, choice)
        reads = [LOGITS, SCALED, PROBABILITIES, CHOSEN]
        listing = Listing(self.bench, rows, reads, most=14)
        words = Note(lambda: self._words(choice), reads)
        self.section("One row as bars" if self._given else "What comes next, after this position")
        line = QWidget()
        across = QHBoxLayout(line)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(self.bench.appearance.px(20))
        across.addWidget(choice)
        across.addWidget(self._order(rows, listing))
        across.addStretch()
        self.page.addWidget(line)
        self.page.addWidget(words)
        self.row([("", self._at_top(listing)), ("", self._temperature())])
        self.section("All rows" if self._given else "All positions")
        self.row(
            [
                ("", self.box(SCALED)),
                ("→", self.box(PROBABILITIES)),
                ("→", self.box(CHOSEN, "the one with the largest share")),
            ]
        )
        self.follows(choice, words, listing)
        choice.changed.connect(lambda: self.redraw(words, listing))

    def _logits(self) -> None:
        """What the logits come from; some examples give them."""
        node = self.bench.document.engine.graph.nodes[LOGITS]
        self.section("The logits" if self._given else "A number for each word")
        if node.is_input:
            self.row([("", self.box(LOGITS, "given"))])
            return
        x, W, *b = node.parents
        title = "a column for each word" if W.startswith("output.") else f"{W}, transposed: tied"
        self.row(
            [
                ("", self.box(x, "each position's vector")),
                ("×", self.box(W, title)),
                *(("+", self.box(name)) for name in b),
                ("=", self.box(LOGITS)),
            ]
        )

    @property
    def _given(self) -> bool:
        """Whether the logits are given: then the rows need be no positions of a text, and the columns no words."""
        return self.bench.document.engine.graph.nodes[LOGITS].is_input

    def structure(self) -> tuple[object, ...]:
        nodes = self.bench.document.engine.graph.nodes
        return super().structure(), type(nodes[PROBABILITIES].op) if PROBABILITIES in nodes else None

    def _at_top(self, widget: QWidget) -> QWidget:
        widget.setProperty("at_top", True)
        return widget

    def _order(self, rows: "WordRows", listing: Listing) -> QCheckBox:
        box = QCheckBox("Largest first")
        box.setToolTip("Sort the words by probability; else they stand as in the vocabulary")

        def sort(on: bool) -> None:
            rows.sorted = on
            listing.refresh()
            listing.scrollToTop()

        box.toggled.connect(sort)
        return box

    def _temperature(self) -> QWidget:
        """The editable cell, and a slider that edits the same cell."""
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self.bench.appearance.px(6))
        column.addWidget(mark(QLabel("Temperature"), role="section"))
        column.addWidget(self.box(TEMPERATURE, "divides all logits"))
        slider = NumberSlider(self.bench, TEMPERATURE, "Temperature")
        column.addWidget(slider)
        ends = QHBoxLayout()
        for text, side in (("0.1", "Left"), ("1", "HCenter"), ("10", "Right")):
            label = mark(QLabel(text), role="small")
            assert isinstance(label, QLabel)
            label.setAlignment(getattr(Qt.AlignmentFlag, f"Align{side}"))
            ends.addWidget(label, 1)
        column.addLayout(ends)
        note = QLabel("Below 1: the largest takes all.<br>Above 1: all become alike.<br>The order stays the same.")
        column.addWidget(mark(note, role="small"))
        column.addStretch()
        holder.setProperty("at_top", True)
        self.follows(slider)
        return holder

    def _words(self, choice: RowChoice) -> str:
        engine = self.bench.document.engine
        row = choice.row
        words = engine.labels(engine.graph.nodes[PROBABILITIES].axes[1])
        chosen = int(engine.values[CHOSEN][row])
        share = float(engine.values[PROBABILITIES][row, chosen])
        color = self.bench.appearance.theme.here_text
        word = f"“<b style='color:{color}'>{escape(words[chosen])}</b>”"
        softmax = isinstance(engine.graph.nodes[PROBABILITIES].op, Softmax)
        if self._given:
            return f"For “{escape(choice.label)}” the largest of {len(words):,} is that of {word}: {written(share, 3)}."
        what = f"with a share of {written(share, 3)}" if softmax else f"with {written(share, 3)}"
        return f"After “{escape(choice.label)}” the model chooses {word}, {what}, out of {len(words):,} words."


class WordRows(Rows):
    """A row for each word of the vocabulary: logit, share and bar at one position."""

    name = "Words and their probabilities"

    def __init__(self, bench: Workbench, choice: RowChoice) -> None:
        super().__init__()
        self._bench = bench
        self._choice = choice
        self.sorted = False
        self._words: tuple[str, ...] = ()
        self._logits: Array = np.zeros(0)
        self._shares: Array = np.zeros(0)
        self._order: Array | None = None
        self._chosen = -1
        self._decimals = 2, 3
        self._reach = (0.0, 1.0)
        self._softmax = True
        self._given = False

    @property
    def columns(self) -> tuple[Column, ...]:  # type: ignore[override]
        """What the last number is called depends on the output's activation."""
        name = "probability" if self._softmax else "output"
        first = Column("" if self._given else "Word")
        return first, Column("logit", NUMBER), Column(name, NUMBER), Column("", BAR, 260), Column("")

    def read(self) -> None:
        engine, row = self._bench.document.engine, self._choice.row
        self._words = engine.labels(engine.graph.nodes[PROBABILITIES].axes[1])
        self._logits, self._shares = engine.values[LOGITS][row], engine.values[PROBABILITIES][row]
        self._chosen = int(engine.values[CHOSEN][row])
        self._order = np.argsort(-self._shares, kind="stable") if self.sorted else None
        self._softmax = isinstance(engine.graph.nodes[PROBABILITIES].op, Softmax)
        self._given = engine.graph.nodes[LOGITS].is_input
        self._decimals = decimals_of(self._logits), 3 if self._softmax else decimals_of(self._shares)
        finite = self._shares[np.isfinite(self._shares)]
        low, high = min(float(finite.min(initial=0)), 0.0), max(float(finite.max(initial=0)), 0.0)
        self._reach = (0.0, 1.0) if self._softmax or high == low else (low, high)

    def word(self, row: int) -> int:
        """The number of the word that stands in a row."""
        return row if self._order is None else int(self._order[row])

    def count(self) -> int:
        return len(self._words)

    def text(self, row: int, column: int) -> str:
        word = self.word(row)
        match column:
            case 0:
                return self._words[word]
            case 1:
                return written(float(self._logits[word]), self._decimals[0])
            case 4:
                return "chosen" if word == self._chosen else ""
            case _:
                return written(float(self._shares[word]), self._decimals[1])

    def tip(self, row: int, column: int) -> str:
        word = self.word(row)
        return f"{self._words[word]}: {self._shares[word]}".replace("-", "−")

    def value(self, row: int, column: int) -> float:
        return float(self._shares[self.word(row)])

    def reach(self, column: int) -> tuple[float, float]:
        return self._reach

    def here(self, row: int) -> bool:
        return self.word(row) == self._chosen

    def cell(self, row: int) -> Cell | None:
        return Cell(PROBABILITIES, (self._choice.row, self.word(row)))
