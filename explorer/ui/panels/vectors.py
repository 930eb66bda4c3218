"""Two vectors: dot product, lengths, cosine and angle, and the shadow of one on the other."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.ui.panels.panel import Later, Panel

BESIDE = ("x", "y", "dot", "cosine", "angle")
SHADOW = (
    ("c", "times y is the shadow"),
    ("x_p", "the shadow"),
    ("x_o", "the rest"),
    ("x_o_y", "a right angle gives 0"),
)
LENGTHS = (
    ("length_x", "length of x"),
    ("length_y", "length of y"),
    ("scale", "d_k numbers in a vector"),
    ("scaled", ""),
)


class VectorsPanel(Panel):
    """x and y as numbers and as arrows to drag, and everything that follows from them."""

    def build(self) -> None:
        px = self.bench.appearance.px
        plane = Later(self._plane, px(390), px(370))
        holder = QWidget()
        holder.setProperty("at_top", True)
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        for name in BESIDE:
            layout.addWidget(self.box(name))
        self.row([("", self.titled("Drag the tips of x and y", plane)), ("", holder)])
        for title, names in (("The shadow of x on y", SHADOW), ("Lengths, and what attention divides by", LENGTHS)):
            self.section(title)
            self.row([("", self.box(name, what)) for name, what in names])
        self.later(plane)

    def _plane(self) -> QWidget:
        from explorer.ui.widgets.vector_plane import VectorPlane

        return VectorPlane(self.bench)
