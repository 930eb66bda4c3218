"""A net as a playground: its cases, its answers to them and to all others, its weights and descent, on one page."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from explorer.core.gradients import LOSS
from explorer.ui.panels.panel import Later, Panel
from explorer.ui.theme import mark
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.widgets.net_picture import net_picture
from explorer.ui.widgets.stepper import Stepper
from explorer.ui.widgets.switch_bar import SwitchBar

WIDE, BESIDE = 500, 296
"""Pixels: beside pictures that are less wide there is room for a column in the smallest window."""


class NetPanel(Panel):
    """The space that the cases are points of, painted with the answers, beside the weights that make them."""

    def build(self) -> None:
        nodes = self.bench.document.engine.graph.nodes
        picture = net_picture(self.bench)
        if picture is not None:
            px = self.bench.appearance.px
            place = Later(picture.make, px(picture.width), px(picture.height))
            beside = self._beside()
            if picture.width < WIDE:
                beside.setFixedWidth(px(BESIDE))
            self.row([("", self.titled(picture.title, place)), ("", beside)])
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

    def _beside(self) -> QWidget:
        """Gradient descent, and the weights that it moves, layer by layer, which can be edited at any time."""
        px, nodes = self.bench.appearance.px, self.bench.document.engine.graph.nodes
        holder = QWidget()
        holder.setProperty("at_top", True)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(8))
        if LOSS.node in nodes:
            column.addWidget(mark(QLabel("Gradient descent"), role="section"))
            column.addWidget(Stepper(self.bench))
        for block, kind in self.bench.document.state.model.blocks().items():
            switch = {"layer": "activation", "regression": "on"}.get(kind)
            if switch is None:
                continue
            title = f"Layer {block.rpartition('.')[2]}" if kind == "layer" else "Beside the net"
            column.addWidget(mark(QLabel(title), role="section"))
            column.addWidget(SwitchBar(self.bench, block, (switch,), everywhere=False))
            weights = QWidget()
            flow = FlowLayout(weights, px(14), px(10))
            for name in (f"{block}.W", f"{block}.b"):
                if name in nodes:
                    box = self.box(name)
                    flow.addWidget(box)
                    flow.setAlignment(box, Qt.AlignmentFlag.AlignBaseline)
            column.addWidget(weights)
        column.addStretch()
        return holder
