"""What the reference prints where one is, beside what is computed, and its slips."""

from collections.abc import Sequence
from html import escape

from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from explorer.core.gradients import LOSS
from explorer.lessons.references import Slip, figure_for, prints_in, slips_at
from explorer.ui.later import later
from explorer.ui.selection import Cell
from explorer.ui.theme import mark
from explorer.ui.workbench import Workbench


class Printed(QWidget):
    """Of the cell pointed at, or, where there is none, of the stage. Hidden where the reference prints nothing.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.heading, self.text = QLabel(), QLabel()
        mark(self.heading, role="section")
        self._page = QVBoxLayout(self)
        self._page.setContentsMargins(0, 0, 0, 0)
        for label in (self.heading, self.text):
            label.setWordWrap(True)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            self._page.addWidget(label)
        # The prints are read from files: the page is there before them.
        self._looking_up = later(self, self._show_stage)
        bench.selection.stage_changed.connect(self.look_up)
        self.restyle()

    def restyle(self) -> None:
        """Follow the text scale."""
        self._page.setSpacing(self._bench.appearance.px(5))

    def show_cell(self, cell: Cell, value: float) -> None:
        """The number in the reference beside the computed one, as far as the print vouches for it."""
        graph, lesson = self._bench.document.engine.graph, self._bench.lesson
        setting = self._bench.document.state.setting
        name, index = cell.node, cell.index
        shape = self._bench.document.engine.values[name].shape
        figure = figure_for(lesson.id, setting, name, shape)
        if figure is None and graph.n_heads(name):
            block, _, short = name.rpartition(".")
            name, index = f"{block}.head.{index[0] + 1}.{short}", index[1:]
            figure = figure_for(lesson.id, setting, name, shape[1:])
        printed = figure.printed(index) if figure else None
        parts = []
        if figure is not None and printed is not None:
            theme = self._bench.appearance.theme
            same = figure.agrees_at(index, value)
            sign = f"<span style='color:{theme.accent_text}'>✓</span>" if same else "≠"
            parts.append(f"Printed {printed} · computed {figure.rounded(index, value)} {sign}".replace("-", "−"))
            if same and (figure.note or figure.why):
                parts[0] += f"<br><span style='color:{theme.muted}'>{figure.note or figure.why}</span>"
        self._say([*parts, *map(_said, slips_at(lesson.id, setting, {cell.node, name}))])

    def look_up(self, *_: object) -> None:
        """Say soon what the reference prints at the stage."""
        self._looking_up.start()

    def _show_stage(self) -> None:
        """Where no cell is pointed at: what the reference prints at this stage, and its slips."""
        bench = self._bench
        if bench.selection.cell is not None:
            return
        graph, at = bench.document.engine.graph, (bench.lesson.id, bench.document.state.setting)
        names = {n for n in graph.names() if graph.nodes[graph.place(n).node].stage == bench.selection.stage}
        short = ("loss" if n == LOSS.node else n.rpartition(".")[2] for n in prints_in(*at).figures if n in names)
        printed = ", ".join(dict.fromkeys(f"<b>{name}</b>" for name in short))
        parts = [f"Prints {printed}: point at a number to compare it."] if printed else []
        self._say([*parts, *map(_said, slips_at(*at, names))])

    def _say(self, parts: Sequence[str]) -> None:
        self.heading.setText(f"In reference {self._bench.lesson.reference}")
        self.text.setText("".join(f"<p style='margin: 0 0 8px 0'>{part}</p>" for part in parts))
        self.setVisible(bool(parts))


def _said(slip: Slip) -> str:
    return f"<b>A slip</b> in “{escape(slip.section)}”: {escape(slip.printed)} <b>Right:</b> {escape(slip.right)}"
