"""A matrix as it stands on a page: formula, name and shape above, the table below."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from explorer.core.shapes import written_shape
from explorer.document.commands import Release
from explorer.pages.matrix import Matrix
from explorer.ui.matrix.view import MatrixView
from explorer.ui.theme import NODE, mark
from explorer.ui.widgets.formula import Formula
from explorer.ui.workbench import Workbench


class MatrixBox(QWidget):
    """A matrix with its heading.

    Parameters
    ----------
    bench : Workbench
    matrix : Matrix
    """

    def __init__(self, bench: Workbench, matrix: Matrix, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.view = MatrixView(bench, matrix)
        self._formula = Formula(em=1.15)
        self._formula.setCursor(Qt.CursorShape.WhatsThisCursor)
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
        self._show_heading()

    @property
    def matrix(self) -> Matrix:
        """What is shown."""
        return self.view.matrix

    def tell(self, matrix: Matrix) -> None:
        """Show another matrix, or the same with other numbers."""
        self.view.tell(matrix)
        self._show_heading()

    def give_room(self, pixels: int) -> None:
        """Be no wider than so many pixels; what has more columns scrolls."""
        self.view.give_room(pixels)

    def baseline(self) -> int:
        """Pixels from the top to the first row of cells: matrices beside each other have theirs at one height."""
        return self._head.sizeHint().height() + self._column.spacing() + self.view.labels_height

    def _show_heading(self) -> None:
        matrix, theme = self.matrix, self._bench.appearance.theme
        if self._formula.latex() != matrix.formula:
            self._formula.set_latex(matrix.formula)
        if self._formula.toolTip() != matrix.name:
            self._formula.setToolTip(matrix.name)
            for part in (self._formula, self._caption):
                part.setProperty(NODE, matrix.name)
        words = [matrix.title, written_shape(matrix.shape) or "one number"]
        if matrix.editable:
            words.append(f"<span style='color:{theme.accent_text}'>editable</span>")
        if matrix.ours:
            words.append(
                f"<span style='color:{theme.accent_text}' title='Chosen by us, not by the reference'>ours</span>"
            )
        if matrix.pins is not None:
            words.append(f"<a href='release' style='color:{theme.link}'>given, release</a>")
        text = " · ".join(filter(None, words))
        if text != self._caption.text():
            self._caption.setText(text)
        if self._head.contentsMargins().left() != self.view.labels_width:
            self._head.setContentsMargins(self.view.labels_width, 0, 0, 0)

    def _release(self) -> None:
        self._bench.document.do(Release(self.matrix.name))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self.view.setFocus(Qt.FocusReason.MouseFocusReason)
