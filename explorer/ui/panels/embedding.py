"""Tokens and embeddings: a word's number, its one-hot row, its row of the table, and the vectors in a plane."""

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from explorer.ui.panels.panel import Later, Panel
from explorer.ui.theme import mark
from explorer.ui.widgets.boxes import SpinBox


class EmbeddingPanel(Panel):
    """One-hot × table = X, and the table's rows as arrows."""

    def build(self) -> None:
        px = self.bench.appearance.px
        row: list[tuple[str, QWidget]] = [("", self.box(self.block + "tokens", "word numbers"))]
        if self.has("onehot"):
            row.append(("→", self.box(self.block + "onehot", "one-hot")))
        row += [("×" if self.has("onehot") else "→", self.box(self.block + "table", "embedding table"))]
        row.append(("=", self.box(self.block + "X", "embeddings")))
        holder = QWidget()
        holder.setProperty("at_top", True)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        plane = Later(self._plane, px(430), px(330))
        self._choice = QHBoxLayout()
        column.addWidget(mark(QLabel("The table's rows as arrows"), role="section"))
        column.addWidget(plane)
        column.addLayout(self._choice)
        self.row([*row, ("", holder)])
        self.later(plane)

    def _plane(self) -> QWidget:
        from explorer.ui.widgets.plane import Plane

        plane = Plane(self.bench, self.block + "table", self.block.removesuffix("."))
        width = len(self.bench.document.engine.graph.axes["d_model"])
        boxes = []
        for title, value in (("across: dimension", 1), ("up: dimension", min(2, width))):
            spin = SpinBox(minimum=1, maximum=width, value=value)
            spin.setAccessibleName(f"Plane {title}")
            spin.setToolTip("Which number of each vector to draw")
            self._choice.addWidget(mark(QLabel(title), role="small"))
            self._choice.addWidget(spin)
            boxes.append(spin)
        self._choice.addStretch()
        for spin in boxes:
            spin.valueChanged.connect(lambda: plane.set_dimensions(*(box.value() - 1 for box in boxes)))
        return plane
