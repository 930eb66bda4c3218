"""A matrix as it stands on a page: formula, name and shape above, the table below."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from explorer.core.node import Node
from explorer.document.commands import Release
from explorer.document.document import Change
from explorer.ui.theme import mark
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.matrix_view import MatrixView
from explorer.ui.workbench import Workbench


class MatrixBox(QWidget):
    """A node, or a head's slice of it, with its heading.

    Parameters
    ----------
    bench : Workbench
    name : str
        Of the node or slice.
    title : str
        Said instead of the node's short name.
    """

    def __init__(self, bench: Workbench, name: str, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self._title = title
        self.view = MatrixView(bench, name)
        self._formula = Formula(em=1.15)
        self._caption = QLabel()
        mark(self._caption, role="small")
        self._caption.setTextFormat(Qt.TextFormat.RichText)
        self._caption.linkActivated.connect(self._release)
        self._head = QHBoxLayout()
        self._head.setSpacing(bench.appearance.px(8))
        self._head.addWidget(self._formula, 0, Qt.AlignmentFlag.AlignVCenter)
        self._head.addWidget(self._caption, 0, Qt.AlignmentFlag.AlignVCenter)
        self._head.addStretch()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(bench.appearance.px(2))
        self._column.addLayout(self._head)
        self._column.addWidget(self.view, 0, Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        bench.selection.showing_changed.connect(self._retitle)
        self._retitle()

    @property
    def name(self) -> str:
        """The node or slice shown."""
        return self.view.matrix.name

    @property
    def node(self) -> str:
        """The node it belongs to."""
        return self.view.matrix.place.node

    def baseline(self) -> int:
        """Pixels from the top to the first row of cells: matrices beside each other have theirs at one height."""
        return self._head.sizeHint().height() + self._column.spacing() + self.view.labels_height

    def show_node(self, name: str) -> None:
        """Show another node or slice, such as the same of another head."""
        if name != self.name:
            self.view.show_node(name)
            self._retitle()

    def follow(self, change: Change) -> None:
        """Repaint what a change touches."""
        labels = {f"{axis}.tokens" for axis in self.view.matrix.axes}
        if change.structure or not labels.isdisjoint(change.changed):
            self.view.rebuild()
            self._retitle()
        elif self.node in change.changed or self.bench.selection.showing != "values":
            self.view.refresh()
        elif self._pins_shown != self._pinned():
            self.view.viewport().update()
        if self._pins_shown != self._pinned():
            self._retitle()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self.view.restyle()
        self._retitle()

    def _pinned(self) -> bool:
        pin = self.bench.document.engine.pins.get(self.node)
        place = self.view.matrix.place
        return pin is not None and bool(pin.cells[place.index].any())

    def _retitle(self) -> None:
        engine = self.bench.document.engine
        if not self.view.matrix.fits:
            return  # the model is another now; the page follows
        node = engine.graph.nodes[self.node]
        self._formula.set_latex(self._what(node))
        self._formula.setToolTip(self.name)
        shape = " × ".join(str(n) for n in engine.value(self.view.matrix.place).shape) or "one number"
        theme = self.bench.appearance.theme
        name = self._title or node.short
        name = "" if name == node.symbol else name  # which stands before it
        words = [name, shape] if name else [shape]
        if node.is_input:
            words.append(f"<span style='color:{theme.accent_text}'>editable</span>")
        if self.name in self.bench.ours or self.node in self.bench.ours:
            words.append(
                f"<span style='color:{theme.accent_text}' title='Chosen by us, not by the reference'>ours</span>"
            )
        self._pins_shown = self._pinned()
        if self._pins_shown:
            words.append(f"<a href='release' style='color:{theme.link}'>given, release</a>")
        self._caption.setText(" · ".join(words))
        self._head.setContentsMargins(self.view.labels_width, 0, 0, 0)

    def _what(self, node: Node) -> str:
        """What the numbers are: the node by its formula, its gradient, or a change of it."""
        showing, engine = self.bench.selection.showing, self.bench.document.engine
        if showing == "gradient" and engine.values[node.name].dtype.kind == "f":
            return rf"\partial L / \partial {node.symbol}"
        if showing in ("change", "step", "difference"):
            return rf"\Delta {node.symbol}"
        formula = "" if node.is_input else node.op.formula(*(engine.graph.nodes[p].symbol for p in node.parents))
        # A scale of 1/sqrt(d_k) is its own formula.
        return node.symbol if formula in ("", node.symbol) else f"{node.symbol} = {formula}"

    def _release(self) -> None:
        self.bench.document.do(Release(self.name))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self.view.setFocus(Qt.FocusReason.MouseFocusReason)
