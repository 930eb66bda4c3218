"""Attention, one head at a time: from queries and keys to shares, and from shares to the output."""

from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from explorer.ui.panels.panel import Later, Panel

LONG = 24
"""Words beyond which a table shows a small part only, and the pictures come first."""


LEAST = 300
"""Pixels that a heat map beside another has at least."""


class AttentionPanel(Panel):
    """scores → scaled → masked → weights → output as linked matrices, the weights as pictures, and the weights W.

    In a decoder the other attention of the same layer stands beside the heat map: one sees at once where a word of the
    target looks in its own sentence and where in the source. Of several heads' mean there are only the pictures and its
    matrix: queries, keys and values are each head's own.
    """

    def build(self) -> None:
        self._maps: list[Any] = []
        self._of_one_head: list[QWidget] = []
        self._of_the_mean: list[QWidget] = []
        if self._long:
            self._pictures()
        start = self.page.count()
        self._matrices()
        between = self.page.count()
        if not self._long:
            self._pictures()
        behind = self.page.count()
        if self.has("W_Q"):
            self._projections()
        for i in (*range(start, between), *range(behind, self.page.count())):
            item = self.page.itemAt(i)
            widget = item.widget() if item is not None else None
            if widget is not None:
                self._of_one_head.append(widget)
        for widget in self._of_one_head if self._averaged else self._of_the_mean:
            widget.hide()

    def structure(self) -> tuple[object, ...]:
        stage, graph = super().structure(), self.bench.document.engine.graph
        if not any(node.stage == self.stage.name for node in graph.nodes.values()):
            return stage
        beside = self._beside
        return *stage, self._long, beside, graph.n_heads(f"{beside}weights") if beside else 0

    @property
    def _long(self) -> bool:
        """Whether there are more words than a table shows well."""
        return max(self.bench.document.engine.graph.shape(f"{self.block}weights")[-2:]) > LONG

    @property
    def _beside(self) -> str:
        """The path of the other attention of a decoder's layer, or nothing."""
        layer, _, kind = self.block.rstrip(".").rpartition(".")
        other = {"self": f"{layer}.cross.", "cross": f"{layer}.self."}.get(kind, "")
        return other if f"{other}weights" in self.bench.document.engine.graph.nodes and other else ""

    def _matrices(self) -> None:
        """From queries and keys to the output, of one head."""
        row: list[tuple[str, QWidget]] = []
        for sign, letter, what in (("", "Q", "queries"), ("×", "K", "keys")):
            row.append((sign, self.box(self.of_head(letter), what)))
            if self.has(f"{letter}_rotated"):
                row.append(("→", self.box(self.of_head(f"{letter}_rotated"), "turned by their place")))
        row.append(("→", self.box(self.of_head("scores"))))
        if self.has("scaled"):
            row.append(("→", self.box(self.of_head("scaled"))))
        if self.has("masked"):
            row += [("", self.box(self.of_head("mask"))), ("→", self.box(self.of_head("masked")))]
        row.append(("→", self.box(self.of_head("weights"))))
        if self.has("V"):
            row += [("×", self.box(self.of_head("V"), "values")), ("=", self.box(self.of_head("output")))]
        self.row(row)

    def _pictures(self) -> None:
        """The weights as heat map and as lines, and the other attention of a decoder's layer."""
        self.section("Who looks at whom")
        px, side = self.bench.appearance.px, self.block
        size = px(520 if self._long else 150)
        heat, lines = Later(partial(self._heat_map, side), size, size), Later(self._lines, px(300), size)
        places = [heat, lines]
        if self._beside:
            places.insert(1, Later(partial(self._heat_map, self._beside), size, size))
        for place in places:
            place.setProperty("at_top", True)
        row: list[tuple[str, QWidget]] = [("", place) for place in places]
        if self.has("average"):
            mean = self.box(f"{self.block}average", "mean of the weights")
            self._of_the_mean.append(mean)
            row.insert(0, ("", mean))
        self.row(row)
        self.later(*places)

    def _projections(self) -> None:
        """The weights that make Q, K and V, and what they do to the plane."""
        self.section("Where Q, K and V come from")
        graph = self.bench.document.engine.graph
        for_queries, for_keys = (graph.nodes[self.block + letter].parents[0] for letter in "QK")
        given = [for_queries] if for_queries == for_keys else [for_queries, for_keys]
        shorts = [s for s in ("W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V", "scale") if self.has(s)]
        weights = [("", self.box(self.of_head(short))) for short in shorts]
        self.row([("", self.box(name)) for name in given] + weights)
        self._planes()

    def _planes(self) -> None:
        """The plane of the first two dimensions, before and behind each of the three matrices."""
        px = self.bench.appearance.px
        graph, model = self.bench.document.engine.graph, self.bench.document.state.model
        if min(graph.shape(self.block + "Q")[-1], graph.shape(self.block + "V")[-1], model.d_model) < 2:
            return
        self.section("What they do to the plane of the first two dimensions; the words are moved by all of them")
        places = [Later(partial(self._warp, "Q", False), px(230), px(220))]
        places += [Later(partial(self._warp, letter, True), px(230), px(220)) for letter in "QKV"]
        titles = ("Before", "Behind W_Q", "Behind W_K", "Behind W_V")
        self.row([("", self.titled(title, place)) for title, place in zip(titles, places, strict=True)])
        self.later(*places)

    @property
    def _averaged(self) -> bool:
        """Whether the mean over the heads is looked at."""
        return self.bench.selection.averaged and self.has("average")

    def _show_head(self) -> None:
        super()._show_head()
        if self.fits:
            for widget in self._of_one_head:
                widget.setVisible(not self._averaged)
            for widget in self._of_the_mean:
                widget.setVisible(self._averaged)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if self._shown_structure:  # Qt sends one while the page is made
            self._share_width()

    def _share_width(self) -> None:
        """Of long texts the two heat maps of a decoder share the width, so that they stand beside each other."""
        px = self.bench.appearance.px
        room = self.viewport().width() - px(24 + 16 + 14 + 2)  # the page's margins, and what is between the two
        for heat in self._maps if len(self._maps) > 1 else ():
            heat.be_at_most(max(room / 2, px(LEAST)))

    def _warp(self, letter: str, after: bool) -> QWidget:
        from explorer.ui.widgets.warp import Warp

        vectors = self.bench.document.engine.graph.nodes[self.block + letter].parents[0]
        return Warp(self.bench, self.of_head(f"W_{letter}"), vectors, self.of_head(letter), after)

    def _heat_map(self, block: str) -> QWidget:
        from explorer.ui.widgets.heat_map import HeatMap

        self._maps.append(HeatMap(self.bench, self.bench.selection.shares_of(block), self._title(block)))
        self._share_width()
        return self._maps[-1]

    def _lines(self) -> QWidget:
        from explorer.ui.widgets.attention_lines import AttentionLines

        return AttentionLines(self.bench, self.bench.selection.shares_of(self.block), "Lines")

    def _title(self, block: str) -> str:
        """What a heat map is of; in a decoder there are two."""
        if not self._beside:
            return "Heat map"
        graph = self.bench.document.engine.graph
        node = graph.nodes[f"{block}weights"]
        queries, keys = node.axes[-2:]
        stage = next(stage for stage in graph.stages if stage.name == node.stage)
        return f"{stage.title}: {queries} → {keys}"
