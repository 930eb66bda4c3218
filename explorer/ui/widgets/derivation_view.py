"""A derivation on the screen: aligned rows of arithmetic, the result in orange."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.derivation import Row
from explorer.ui.theme import qcolor
from explorer.ui.workbench import Workbench

GAP = 10


class DerivationView(QWidget):
    """Rows of a derivation: what it is, the arithmetic, the number; a line above each sum.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._rows: Sequence[Row] = ()
        self._lines: list[tuple[Row, list[str]]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Derivation")

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows."""
        self._rows = rows
        self.setAccessibleDescription("; ".join(f"{r.label} {r.expression} = {r.value}" for r in rows))
        self._arrange()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._arrange()

    def _fonts(self) -> tuple[QFont, QFont]:
        fonts = self._bench.appearance.fonts
        bold = QFont(fonts.number)
        bold.setBold(True)
        return fonts.number, bold

    def _arrange(self) -> None:
        number, bold = self._fonts()
        metrics, bold_metrics = QFontMetrics(number), QFontMetrics(bold)
        self._row_height = metrics.height() + 4
        self._value_width = max((bold_metrics.horizontalAdvance(r.value) for r in self._rows), default=0)
        width = self.width()
        self._lines = []
        for row in self._rows:
            # A name and an expression that do not fit side by side stand one above the other.
            text = f"{row.label}  {row.expression}" if row.label and row.expression else row.label or row.expression
            room = width - self._value_width - 3 * GAP - 8
            if metrics.horizontalAdvance(text) <= room or not (row.label and row.expression):
                self._lines.append((row, [""]))
            else:
                self._lines.append((row, [row.label, row.expression]))
        self.setFixedHeight(sum(self._row_height * len(lines) for _, lines in self._lines) + 6)
        self.update()

    def resizeEvent(self, event: object) -> None:
        self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self._bench.appearance.theme
        number, bold = self._fonts()
        y = 2
        right = self.width() - 2
        equals = right - self._value_width - GAP // 2
        for at, (row, lines) in enumerate(self._lines):
            result = row.kind == "result"
            height = self._row_height
            if row.kind != "term" and at and self._lines[at - 1][0].kind == "term" and not row.expression:
                painter.setPen(qcolor(theme.muted))
                painter.drawLine(right - self._value_width, y, right, y)
            middle = Qt.AlignmentFlag.AlignVCenter
            left_flag, right_flag = Qt.AlignmentFlag.AlignLeft | middle, Qt.AlignmentFlag.AlignRight | middle
            painter.setFont(number)
            if len(lines) == 2:
                painter.setPen(qcolor(theme.muted))
                painter.drawText(QRect(2, y, right, height), left_flag, row.label)
                y += height
                label = ""
            else:
                label = row.label
            line = QRect(2, y, equals - GAP - 8, height)
            painter.setPen(qcolor(theme.muted))
            painter.drawText(line, left_flag, label)
            painter.setPen(qcolor(theme.text))
            metrics = painter.fontMetrics()
            text = metrics.elidedText(row.expression, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, right_flag, text)
            painter.setPen(qcolor(theme.muted))
            painter.drawText(QRect(equals - GAP, y, GAP, height), Qt.AlignmentFlag.AlignCenter, "=")
            painter.setPen(qcolor(theme.here_text if result else theme.text))
            painter.setFont(bold if result else number)
            painter.drawText(QRect(equals, y, right - equals, height), right_flag, row.value)
            y += height
