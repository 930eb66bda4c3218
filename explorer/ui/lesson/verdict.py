"""The outcome of an answer, shown in one way for all kinds of questions."""

from collections.abc import Mapping, Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from explorer.lessons.mistakes import Part
from explorer.lessons.walk import Attempt
from explorer.ui.lesson.presenter_look import least_letters
from explorer.ui.lesson.room import column_height, height_at
from explorer.ui.lesson.words import SentenceButton, Words
from explorer.ui.page.note import DerivationView
from explorer.ui.widgets.labels import SteadyLabel
from explorer.ui.widgets.layouts import column_in
from explorer.ui.workbench import Workbench

OURS = "How it is computed"
MORE = {1: "One more try.", 2: "Two more tries."}


def theirs(typed: float) -> str:
    """The title above the derivation of a number that a person typed."""
    return f"How one gets {typed:.12g}".replace("-", "−")


class VerdictView(QWidget):
    """The outcome of an answer: right or not, which mistake it was, and how the number is computed.

    If it is known how the wrong number comes about, both derivations can be shown side by side over the page; a class
    sees the right one beside the question anyway.
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self._large = least_letters(bench.appearance) > 0
        self._sentence = Words()
        self._sentence.index = least_letters(bench.appearance)
        self.both = SentenceButton("Both derivations side by side")
        self.both.setToolTip("Show side by side how one gets your number and how the right number is computed")
        self.side = DerivationSide(bench, OURS)
        self._column = column = column_in(self, self._sentence, spacing=bench.appearance.px(4))
        column.addWidget(self.both, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.side)
        self.hide()

    def show_attempt(
        self, attempt: Attempt, numbers: Mapping[str, str] | None = None, counts: bool = False, derived: bool = False
    ) -> None:
        """Show the outcome of the last answer; nothing if there is none.

        Parameters
        ----------
        numbers : mapping of str to str, optional
            What replaces braces, if the sentence is Markdown; without it, the sentence is plain text.
        counts : bool
            Whether to say how many tries are left.
        derived : bool
            Whether the derivation of the number is shown already.
        """
        verdict = attempt.verdict
        self.setVisible(verdict is not None)
        if verdict is None:
            return
        theme = self._bench.appearance.theme
        ink, sign = (theme.accent_text, "✓") if verdict.right else (theme.here_text, "✗")
        sign = f"<b style='color:{ink}'>{sign}</b>"
        hinted = "With a hint." if verdict.right and attempt.hints else ""
        more = MORE.get(attempt.tries_left, "") if counts else ""
        said = " ".join(filter(None, (verdict.said(attempt.done), hinted, more)))
        if numbers is None:
            self._sentence.setText(f"{sign} {escape(said)}")
        else:
            self._sentence.say(said, numbers, sign)
        compared, parts = attempt.compared, verdict.derivation
        if verdict.right or not attempt.done or (not self._large and (compared is not None or derived)):
            parts = ()
        elif self._large:
            parts = () if compared is None else compared[1]
            self.side.title = "" if compared is None else theirs(compared[0])
        self.both.setVisible(compared is not None and not self._large)
        self.side.setVisible(bool(parts))
        self.side.show_parts(parts)

    def restyle(self) -> None:
        """Follow the text scale."""
        self.side.restyle()

    @property
    def line(self) -> int:
        """The height in pixels of a sentence on one line."""
        return self._sentence.label.fontMetrics().height()

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        return column_height([self._sentence, self.both, self.side], width, self._column.spacing())


class DerivationSide(QWidget):
    """A derivation with its title."""

    def __init__(self, bench: Workbench, title: str) -> None:
        super().__init__()
        self._title = SteadyLabel(escape(title), role="section")
        self._rows = DerivationView(bench)
        column = column_in(self, self._title, self._rows, spacing=0)
        column.addStretch(1)

    @property
    def title(self) -> str:
        """The title above the derivation."""
        return self._title.text()

    @title.setter
    def title(self, text: str) -> None:
        self._title.setText(escape(text))

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        return self._title.height_at(width) + height_at(self._rows, width)

    def restyle(self) -> None:
        """Follow the text scale."""
        self._rows.restyle()

    def show_parts(self, parts: Sequence[Part]) -> None:
        """Show the rows of a derivation."""
        self._rows.show_rows([row for _, rows in parts for row in rows])
