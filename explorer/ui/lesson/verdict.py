"""What came of an answer, said in one way for all kinds of question."""

from collections.abc import Mapping, Sequence
from html import escape

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from explorer.lessons.answers import Verdict
from explorer.lessons.mistakes import Part
from explorer.ui.inspector.derivation_view import DerivationView
from explorer.ui.lesson.enlarged import least_letters
from explorer.ui.lesson.room import column_height, height_at
from explorer.ui.lesson.words import Words
from explorer.ui.widgets.steady import SteadyLabel
from explorer.ui.workbench import Workbench

BESIDE = 460
"""Pixels at text scale 1 from which on two derivations stand beside each other."""


class VerdictView(QWidget):
    """What came of an answer: right or not, which mistake it was, and both derivations side by side.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._large = least_letters(bench.appearance) > 0
        self._sentence = Words()
        self._sentence.index = least_letters(bench.appearance)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(bench.appearance.px(4))
        column.addWidget(self._sentence)
        self._both = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        column.addLayout(self._both)
        self._sides = [_Side(bench, title) for title in ("How one gets your number", "How it is computed")]
        for side in self._sides:
            self._both.addWidget(side, 1)
        self.hide()

    def show_verdict(self, verdict: Verdict | None, numbers: Mapping[str, str] | None = None) -> None:
        """Say what came of the last answer; nothing where there is none.

        Parameters
        ----------
        verdict : Verdict or None
        numbers : mapping of str to str, optional
            What stands for braces, where the sentence is Markdown; else it is plain words.
        """
        self.setVisible(verdict is not None)
        if verdict is None:
            return
        theme = self._bench.appearance.theme
        ink, sign = (theme.accent_text, "✓") if verdict.right else (theme.here_text, "✗")
        sign = f"<b style='color:{ink}'>{sign}</b>"
        if numbers is None:
            self._sentence.setText(f"{sign} {escape(verdict.sentence)}")
        else:
            self._sentence.say(verdict.sentence, numbers, sign)
        theirs = () if verdict.mistake is None else verdict.mistake.derivation
        ours = () if verdict.right or self._large else verdict.derivation  # a class sees it beside the question
        for side, parts in zip(self._sides, (theirs, ours), strict=True):
            side.setVisible(bool(parts))
            side.show_parts(parts)

    def height_at(self, width: int) -> int:
        """Pixels that it is high in a width."""
        sides = [side for side in self._sides if not side.isHidden()]
        if width >= self._bench.appearance.px(BESIDE) and sides:
            across = (width - self._both.spacing() * (len(sides) - 1)) // len(sides)
            both = max(side.height_at(across) for side in sides)
        else:
            both = column_height([*sides], width, self._both.spacing())
        return self._sentence.height_at(width) + both + self._column.spacing() * bool(sides)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = self.width() >= self._bench.appearance.px(BESIDE)
        way = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if self._both.direction() != way:
            self._both.setDirection(way)


class _Side(QWidget):
    """One of two derivations."""

    def __init__(self, bench: Workbench, title: str) -> None:
        super().__init__()
        self._title = SteadyLabel(escape(title), role="section")
        self._rows = DerivationView(bench)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._title)
        column.addWidget(self._rows)
        column.addStretch(1)

    def height_at(self, width: int) -> int:
        """Pixels that it is high in a width."""
        return self._title.height_at(width) + height_at(self._rows, width)

    def show_parts(self, parts: Sequence[Part]) -> None:
        """Show the rows of a derivation."""
        self._rows.show_rows([row for _, rows in parts for row in rows])
