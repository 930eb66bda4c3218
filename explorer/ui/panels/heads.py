"""All heads side by side, their outputs joined, and W_O."""

from functools import partial

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from explorer.ui.panels.panel import Later, Panel
from explorer.ui.theme import mark
from explorer.ui.widgets.matrix_box import MatrixBox

MOST_WORDS = 9


class HeadsPanel(Panel):
    """A column for each head; then the heads' outputs as one matrix, a band of columns for each head, times W_O."""

    def build(self) -> None:
        graph = self.bench.document.engine.graph
        heads = graph.n_heads(self.block + "output") or 1
        self.section("Each head by itself")
        self.row([("", self._head(head)) for head in range(heads)])
        self.section("Side by side, then through W_O" if self.has("W_O") else "Side by side")
        row: list[tuple[str, QWidget]] = [("", self.box(self.block + "concat"))]
        if self.has("W_O"):
            row += [("×", self.box(self.block + "W_O")), ("=", self.box(self.block + "projected"))]
        self.row(row)

    def structure(self) -> tuple[object, ...]:
        # The heads' matrices belong to the stage before.
        graph = self.bench.document.engine.graph
        long = max(graph.shape(self.block + "weights")[-2:]) > MOST_WORDS
        return *super().structure(), graph.n_heads(self.block + "output"), long

    def _head(self, head: int) -> QWidget:
        holder = QWidget()
        layout = QVBoxLayout(holder)
        px, graph = self.bench.appearance.px, self.bench.document.engine.graph
        layout.setContentsMargins(0, 0, px(20), 0)
        color = self.bench.appearance.theme.series[head % 6]
        layout.addWidget(mark(QLabel(f"<span style='color:{color}'>■</span>&nbsp; Head {head + 1}"), role="strong"))
        # Of a long sentence a table of numbers shows nothing; the picture does, and pointing at it gives the number.
        as_picture = max(graph.shape(self.block + "weights")[-2:]) > MOST_WORDS
        for short in ("output",) if as_picture else ("weights", "output"):
            box: MatrixBox = self.box(self.of_head(short, head))
            box.setProperty("fixed_head", True)
            layout.addWidget(box)
        if as_picture:
            picture = Later(partial(self._heat_map, head), px(300), px(260))
            layout.insertWidget(1, picture)
            self.later(picture)
        return holder

    def _heat_map(self, head: int) -> QWidget:
        from explorer.ui.widgets.heat_map import HeatMap

        picture = HeatMap(self.bench, self.of_head("weights", head))
        picture.fixed = True
        return picture
