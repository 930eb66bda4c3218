"""What came of an answer, said in one way for all kinds of question."""

from collections.abc import Mapping, Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from explorer.lessons.answers import Verdict
from explorer.lessons.mistakes import Part
from explorer.ui.inspector.derivation_view import DerivationView
from explorer.ui.lesson.enlarged import least_letters
from explorer.ui.lesson.room import column_height, height_at
from explorer.ui.lesson.words import Words
from explorer.ui.theme import mark
from explorer.ui.widgets.layouts import column_in
from explorer.ui.widgets.steady import SteadyLabel
from explorer.ui.workbench import Workbench

THEIRS, OURS = "How one gets your number", "How it is computed"


def has_both(verdict: Verdict | None) -> bool:
    """Whether it is known how one gets the wrong number as well as the right one."""
    mistake = None if verdict is None or verdict.right else verdict.mistake
    return mistake is not None and bool(mistake.derivation) and verdict is not None and bool(verdict.derivation)


class VerdictView(QWidget):
    """What came of an answer: right or not, which mistake it was, and how the number is computed.

    Where it is known how one gets the wrong number, too, both derivations stand side by side before the page; for a
    class the right one stands beside the question anyway.
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._large = least_letters(bench.appearance) > 0
        self._sentence = Words()
        self._sentence.index = least_letters(bench.appearance)
        self.both = mark(QPushButton("Both derivations side by side"), link="true")
        self.both.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.both.setToolTip("Show before the page how one gets your number, and how it is computed")
        self.side = DerivationSide(bench, THEIRS if self._large else OURS)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(bench.appearance.px(4))
        column.addWidget(self._sentence)
        column.addWidget(self.both, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.side)
        self.hide()

    def show_verdict(self, verdict: Verdict | None, numbers: Mapping[str, str] | None = None) -> None:
        """Say what came of the last answer; nothing where there is none.

        `numbers`: what stands for braces, where the sentence is Markdown; else it is plain words.
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
        both = has_both(verdict) and not self._large
        theirs = () if verdict.mistake is None else verdict.mistake.derivation
        parts = theirs if self._large else () if verdict.right or both else verdict.derivation
        self.both.setVisible(both)
        self.side.setVisible(bool(parts))
        self.side.show_parts(parts)

    def height_at(self, width: int) -> int:
        """Pixels that it is high in a width."""
        return column_height([self._sentence, self.both, self.side], width, self._column.spacing())


class DerivationSide(QWidget):
    """A derivation with its title."""

    def __init__(self, bench: Workbench, title: str) -> None:
        super().__init__()
        self._title = SteadyLabel(escape(title), role="section")
        self._rows = DerivationView(bench)
        column = column_in(self, self._title, self._rows, spacing=0)
        column.addStretch(1)

    def height_at(self, width: int) -> int:
        """Pixels that it is high in a width."""
        return self._title.height_at(width) + height_at(self._rows, width)

    def show_parts(self, parts: Sequence[Part]) -> None:
        """Show the rows of a derivation."""
        self._rows.show_rows([row for _, rows in parts for row in rows])
