"""Attention, one head at a time: from queries and keys to shares, and from shares to the output."""

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
        if self._differs("scaled"):
            row.append(("→", self.box(self.of_head("scaled"))))
        if self._differs("masked"):
            row += [("", self.box(self.block + "mask")), ("→", self.box(self.of_head("masked")))]
        row.append(("→", self.box(self.of_head("weights"))))
        if self.has("V"):
            row += [("×", self.box(self.of_head("V"), "values")), ("=", self.box(self.of_head("output")))]
        self.row(row)

        heat = Later(self._heat_map, px(300), px(230))
        lines = Later(self._lines, px(300), px(230))
        self.row([("", heat), ("", lines)])
        self.later(heat, lines)

        if self.has("W_Q"):
            self.section("Where Q, K and V come from")
            graph = self.bench.document.engine.graph
            for_queries, for_keys = (graph.nodes[self.block + letter].parents[0] for letter in "QK")
            given = [for_queries] if for_queries == for_keys else [for_queries, for_keys]
            shorts = [s for s in ("W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V", "scale") if self.has(s)]
            weights = [("", self.box(self.of_head(short))) for short in shorts]
            self.row([("", self.box(name)) for name in given] + weights)

    def structure(self) -> tuple[object, ...]:
        return (*super().structure(), self._differs("scaled"), self._differs("masked"))

    def _differs(self, short: str) -> bool:
        """Whether this step does anything: with no scale or no mask its matrix would be the one before again."""
        engine = self.bench.document.engine
        switch = {"scaled": "scale", "masked": "mask"}[short]
        block = self.block.removesuffix(".") or "attention"
        pinned = self.block + short in engine.pins or self.block + switch in engine.pins
        return pinned or self.bench.document.state.model.switch(block, switch) != "none"

    def _heat_map(self) -> QWidget:
        from explorer.ui.widgets.heat_map import HeatMap

        return HeatMap(self.bench, self.of_head("weights"))

    def _lines(self) -> QWidget:
        from explorer.ui.widgets.attention_lines import AttentionLines

        return AttentionLines(self.bench, self.of_head("weights"))
