"""A net as a playground: its cases, its answers to them and to all others, its weights and descent, on one page."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from explorer.core.gradients import LOSS
from explorer.ui.panels.panel import MOST, Later, Panel
from explorer.ui.theme import mark
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.widgets.net_picture import net_picture
from explorer.ui.widgets.stepper import Stepper
from explorer.ui.widgets.switch_bar import SwitchBar

WIDE, BESIDE, BETWEEN = 500, 296, 14
"""Pixels: beside pictures that are less wide there is room for a column in the smallest window."""


class NetPanel(Panel):
    """The space that the cases are points of, painted with the answers, beside the weights that make them."""

    def build(self) -> None:
        nodes = self.bench.document.engine.graph.nodes
        self._picture = picture = net_picture(self.bench)
        if picture is not None:
            px = self.bench.appearance.px
            place = Later(picture.make, px(picture.width), px(picture.height))
            self._descent, self._weights = self._stepper(), self._layers()
            self._beside = list(self.boxes) if picture.width < WIDE else []
            columns = [self._together()] if picture.width < WIDE else [self._descent, self._weights]
            self.row([("", widget) for widget in (self.titled(picture.title, place), *columns)])
            self.later(place)
            self.section("The cases, one a row")
        layers = self.bench.document.state.model.layers
        row = [("", self.box("input.X", "each case"))]
        row.append(("→", self.box(f"layer.{layers}.activation", "what the net answers")))
        if "loss.target" in nodes:
            row.append(("", self.box("loss.target", "what would be right")))
        self.row(row)

    def structure(self) -> tuple[object, ...]:
        graph = self.bench.document.engine.graph
        return self.bench.document.state.model.layers, *((n.name, n.op, n.axes) for n in graph.nodes.values())

    def _share_room(self) -> None:
        """Beside the picture stand as many columns as there is room for."""
        super()._share_room()
        if self._picture is None:
            return
        px = self.bench.appearance.px
        room = self.viewport().width() - px(24 + 16 + self._picture.width + BETWEEN)
        if self._picture.width >= WIDE:
            self._descent.setMaximumWidth(px(BESIDE) if room >= px(BESIDE) else MOST)
            return
        two = px(2 * BESIDE + BETWEEN)
        self._holder.setFixedWidth(two if room >= two else px(BESIDE))
        for box in self._beside:
            box.view.give_room(px(BESIDE))

    def _together(self) -> QWidget:
        """Gradient descent and the weights that it moves, beside each other, or one below the other."""
        px = self.bench.appearance.px
        self._holder = QWidget()
        flow = FlowLayout(self._holder, px(BETWEEN), px(8))
        for column in (self._descent, self._weights):
            column.setFixedWidth(px(BESIDE))
            flow.addWidget(column)
            flow.setAlignment(column, Qt.AlignmentFlag.AlignTop)
        self._holder.setProperty("at_top", True)
        return self._holder

    def _stepper(self) -> QWidget:
        """Gradient descent, if there is a loss to go down."""
        column, page = self._column()
        if LOSS.node in self.bench.document.engine.graph.nodes:
            page.addWidget(mark(QLabel("Gradient descent"), role="section"))
            page.addWidget(Stepper(self.bench))
        else:
            column.hide()
        return column

    def _layers(self) -> QWidget:
        """The weights, layer by layer, which can be edited at any time."""
        px, nodes = self.bench.appearance.px, self.bench.document.engine.graph.nodes
        column, page = self._column()
        for block, kind in self.bench.document.state.model.blocks().items():
            switch = {"layer": "activation", "regression": "on"}.get(kind)
            if switch is None:
                continue
            title = f"Layer {block.rpartition('.')[2]}" if kind == "layer" else "Beside the net"
            page.addWidget(mark(QLabel(title), role="section"))
            page.addWidget(SwitchBar(self.bench, block, (switch,), everywhere=False))
            weights = QWidget()
            flow = FlowLayout(weights, px(14), px(10))
            for name in (f"{block}.W", f"{block}.b"):
                if name in nodes:
                    box = self.box(name)
                    flow.addWidget(box)
                    flow.setAlignment(box, Qt.AlignmentFlag.AlignBaseline)
            page.addWidget(weights)
        return column

    def _column(self) -> tuple[QWidget, QVBoxLayout]:
        column = QWidget()
        column.setProperty("at_top", True)
        page = QVBoxLayout(column)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(self.bench.appearance.px(8))
        return column, page
