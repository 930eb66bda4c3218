"""A derivation on the screen: aligned rows of arithmetic, the result in orange."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.core.derivation import Row
from explorer.ui.colour import qcolor
from explorer.ui.workbench import Workbench

GAP = 8
EQUALS = 22  # pixels at text scale 1 for the sign before the number
LARGE = 1.5  # text scale from which lines stand close
SHORT = 0.3  # of the width: a longer name stands on a line of its own where the arithmetic does not fit beside it


@dataclass(frozen=True)
class Line:
    """One line on the screen; the last line of a row carries its number, and a heading has none."""

    row: Row | None
    label: str
    expression: str
    heading: bool = False


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
        self._lines: list[Line] = []
        self._broken_at: dict[int, list[Line]] = {}
        self._row_height = self._value_width = 0
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName("Derivation")

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows."""
        self._rows = rows
        said = (f"{r.label} {r.expression} = {r.value}" if r.value else f"{r.label}:" for r in rows)
        self.setAccessibleDescription("; ".join(said))
        self._measure()

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self._measure()

    @property
    def _equals(self) -> int:
        return self._bench.appearance.px(EQUALS)

    def _fonts(self) -> tuple[QFont, QFont]:
        fonts = self._bench.appearance.fonts
        bold = QFont(fonts.number)
        bold.setBold(True)
        return fonts.number, bold

    def _measure(self) -> None:
        number, bold = self._fonts()
        metrics = QFontMetrics(bold)
        large = self._bench.appearance.scale > LARGE  # where each pixel counts
        self._row_height = QFontMetrics(number).height() + (0 if large else 4)
        self._value_width = max((metrics.horizontalAdvance(row.value) for row in self._rows), default=0)
        self._broken_at = {}
        self._lines = self._broken(self.width())
        self.updateGeometry()
        self.update()

    def _broken(self, width: int) -> list[Line]:
        """The rows in lines of a width: what does not fit beside its number goes above it."""
        # A layout asks for a few widths, several times each.
        if width not in self._broken_at:
            self._broken_at[width] = self._break(width)
        return self._broken_at[width]

    def _break(self, width: int) -> list[Line]:
        metrics = QFontMetrics(self._fonts()[0])
        width -= 4
        room = width - self._value_width - self._equals
        lines: list[Line] = []
        for row in self._rows:
            if row.kind == "heading":
                lines += [Line(None, text, "", heading=True) for text in wrapped(row.label, metrics, *[width] * 3)]
                continue
            both = bool(row.label and row.expression)
            beside = metrics.horizontalAdvance(row.label) + both * GAP
            if beside + metrics.horizontalAdvance(row.expression) <= room:
                lines.append(Line(row, row.label, row.expression))
                continue
            short = both and beside < SHORT * width
            first = width - beside if short else width
            *above, last = wrapped(row.expression or row.label, metrics, width, room, first)
            if both and not (short and above):
                lines += [Line(None, text, "") for text in wrapped(row.label, metrics, *[width] * 3)]
                short = False
            lines += [Line(None, row.label if short and not i else "", text) for i, text in enumerate(above)]
            lines.append(Line(row, "", last))
        return lines

    # The height depends on the width, and Qt has to be told so. Setting it from `resizeEvent` makes a scroll bar come,
    # which makes the width another, which makes the bar go, and so on without end.

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._row_height * len(self._broken(width)) + 6

    def sizeHint(self) -> QSize:
        width = self.width() or 200
        return QSize(200, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self._row_height)

    def resizeEvent(self, event: object) -> None:
        self._lines = self._broken(self.width())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self._bench.appearance.theme
        number, bold = self._fonts()
        middle = Qt.AlignmentFlag.AlignVCenter
        at_left, at_right = Qt.AlignmentFlag.AlignLeft | middle, Qt.AlignmentFlag.AlignRight | middle
        height, right = self._row_height, self.width() - 2
        equals = right - self._value_width - self._equals
        y, was = 2, ""
        for line in self._lines:
            row = line.row
            whole = QRect(2, y, (equals if row else right) - 2, height)
            painter.setFont(number)
            painter.setPen(qcolor(theme.text if line.heading else theme.muted))
            painter.drawText(whole, at_left, line.label)
            painter.setPen(qcolor(theme.text))
            painter.drawText(whole, at_right if row or line.label else at_left, line.expression)
            if row is not None:
                adds_up = row.kind != "term" and was == "term" and not row.expression
                was = row.kind
                painter.setPen(qcolor(theme.muted))
                if adds_up:
                    painter.drawLine(right - self._value_width, y, right, y)
                painter.drawText(QRect(equals, y, self._equals, height), Qt.AlignmentFlag.AlignCenter, "=")
                result = row.kind == "result"
                painter.setPen(qcolor(theme.here_text if result else theme.text))
                painter.setFont(bold if result else number)
                painter.drawText(QRect(equals, y, right - equals, height), at_right, row.value)
            y += height


def wrapped(text: str, metrics: QFontMetrics, width: int, last_width: int, first_width: int) -> list[str]:
    """Text in lines of a width, the first and the last of them in smaller ones."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and metrics.horizontalAdvance(longer) > (width if len(lines) > 1 else first_width):
            lines.append(word)
        else:
            lines[-1] = longer
    if metrics.horizontalAdvance(lines[-1]) > last_width:
        lines.append("")
    return lines
