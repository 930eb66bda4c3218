"""Attention, one head at a time: from queries and keys to shares, and from shares to the output."""

from functools import partial

from PySide6.QtWidgets import QWidget

from explorer.ui.panels.panel import Later, Panel


class AttentionPanel(Panel):
    """scores → scaled → masked → weights → output as linked matrices, the heat map, the lines, and the weights."""

    def build(self) -> None:
        px = self.bench.appearance.px
        row: list[tuple[str, QWidget]] = [
            ("", self.box(self.of_head("Q"), "queries")),
            ("×", self.box(self.of_head("K"), "keys")),
            ("→", self.box(self.of_head("scores"))),
        ]
        if self.has("scaled"):
            row.append(("→", self.box(self.of_head("scaled"))))
        if self.has("masked"):
            row += [("", self.box(self.of_head("mask"))), ("→", self.box(self.of_head("masked")))]
        heat, lines = (Later(make, px(280), px(150)) for make in (self._heat_map, self._lines))
        row += [("→", self.box(self.of_head("weights"))), ("", lines)]
        if self.has("V"):
            row += [("×", self.box(self.of_head("V"), "values")), ("=", self.box(self.of_head("output")))]
        self.row([*row, ("", heat)])
        self.later(lines, heat)

        if self.has("W_Q"):
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

    def _warp(self, letter: str, after: bool) -> QWidget:
        from explorer.ui.widgets.warp import Warp

        vectors = self.bench.document.engine.graph.nodes[self.block + letter].parents[0]
        return Warp(self.bench, self.of_head(f"W_{letter}"), vectors, self.of_head(letter), after)

    def _heat_map(self) -> QWidget:
        from explorer.ui.widgets.heat_map import HeatMap

        return HeatMap(self.bench, self.of_head("weights"))

    def _lines(self) -> QWidget:
        from explorer.ui.widgets.attention_lines import AttentionLines

        return AttentionLines(self.bench, self.of_head("weights"))
