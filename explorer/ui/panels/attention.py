"""Attention, one head at a time: from queries and keys to shares, and from shares to the output."""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from explorer.ui.panels.panel import Later, Panel
from explorer.ui.widgets.dimensions import Dimensions
from explorer.ui.widgets.note import Note

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
        mask = graph.nodes.get(f"{self.block}mask")
        by_hand = mask is not None and mask.is_input
        # The dimensions that one can choose from.
        widths = [graph.shape(f"{self.block}{letter}")[-1] for letter in "QKV" if self.has(letter)]
        model = self.bench.document.state.model
        heads = graph.n_heads(f"{beside}weights") if beside else 0
        return *stage, self._long, by_hand, beside, heads, model.d_model, *widths

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
            by_hand = self.bench.document.engine.graph.nodes[f"{self.block}mask"].is_input
            title = "mask: a click opens or closes a cell" if by_hand else ""
            row += [("", self.box(self.of_head("mask"), title)), ("→", self.box(self.of_head("masked")))]
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
        """A plane of two dimensions, before and behind each of the three matrices, and what attention does to words."""
        engine = self.bench.document.engine
        graph = engine.graph
        arrays = {letter: engine.value(graph.place(self.of_head(letter))) for letter in "QKV"}
        given = {letter: graph.nodes[self.block + letter].parents[0] for letter in "QKV"}
        if min(array.shape[-1] for array in (*arrays.values(), engine.values[given["Q"]])) < 2:
            return
        same = given["Q"] == given["K"]
        self.section("What W_Q, W_K and W_V do to the plane")
        said = "The grid is a plane of two dimensions. What words have in others can move them off it."
        self.page.addWidget(Note(lambda: said))
        befores: dict[str, Dimensions] = {}
        row: list[tuple[str, QWidget]] = []
        for node, title in {given["K"]: "Before W_K and W_V", given["Q"]: "Before" if same else "Before W_Q"}.items():
            befores[node] = Dimensions(self.bench, engine.values[node], title)
            letter = "Q" if node == given["Q"] else "K"
            row.insert(0, ("", self._plane(title, befores[node], partial(self._warp, letter, befores[node], None))))
        for letter, array in arrays.items():
            title = f"Behind W_{letter}"
            choice = Dimensions(self.bench, array, title)
            make = partial(self._warp, letter, befores[given[letter]], choice)
            row.append(("", self._plane(title, choice, make)))
        if same:
            title = "Moved by attention: V to O"
            choice = Dimensions(self.bench, arrays["V"], title)
            row.append(("", self._plane(title, choice, partial(self._moved, choice))))
        self.row(row)

    def _plane(self, title: str, choice: Dimensions, make: Callable[[], QWidget]) -> QWidget:
        """A picture that is made later, and below it which dimensions it draws."""
        px = self.bench.appearance.px  # so wide that three stand beside each other
        place = Later(make, px(215), px(210))
        self.later(place)
        return self.titled(title, place, choice)

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

    def _follow_room(self) -> None:
        super()._follow_room()
        if self.fits:
            self._share_width()

    def _share_width(self) -> None:
        """Of long texts the two heat maps of a decoder share the width, so that they stand beside each other."""
        px = self.bench.appearance.px
        room = self.viewport().width() - px(24 + 16 + 14 + 2)  # the page's margins, and what is between the two
        for heat in self._maps if len(self._maps) > 1 else ():
            heat.be_at_most(max(room / 2, px(LEAST)))

    def _warp(self, letter: str, before: Dimensions, behind: Dimensions | None) -> QWidget:
        from explorer.ui.widgets.warp import Warp

        vectors = self.bench.document.engine.graph.nodes[self.block + letter].parents[0]
        return Warp(self.bench, self.of_head(f"W_{letter}"), vectors, self.of_head(letter), before, behind)

    def _moved(self, choice: Dimensions) -> QWidget:
        from explorer.ui.widgets.warp import Moved

        return Moved(self.bench, self.of_head("V"), self.of_head("output"), choice)

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
