"""Two vectors: dot product, lengths, cosine and angle, and the shadow of one on the other."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.ui.panels.panel import Later, Panel


class VectorsPanel(Panel):
    """x and y as numbers and as arrows to drag, and everything that follows from them."""

    def build(self) -> None:
        px = self.bench.appearance.px
        graph = self.bench.document.engine.graph
        rest = [n.name for n in graph.nodes.values() if n.stage == self.stage.name and n.name not in ("x", "y")]
        plane = Later(self._plane, px(430), px(400))
        holder = QWidget()
        holder.setProperty("at_top", True)
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        for name in ("x", "y", *rest[:2]):
            layout.addWidget(self.box(name))
        self.row([("", self.titled("Drag the tips of x and y", plane)), ("", holder)])
        self.section("What follows from them")
        self.row([("", self.box(name)) for name in rest[2:]])
        self.later(plane)

    def _plane(self) -> QWidget:
        from explorer.ui.widgets.vector_plane import VectorPlane

        return VectorPlane(self.bench)
