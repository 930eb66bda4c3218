"""The inspector: the cell pointed at, how it is computed with true numbers, as numpy, and what it feeds."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from math import floor, log10

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from explorer.core.derivation import Row, chain, only_rounding, rows
from explorer.core.explain import Index, cells_of
from explorer.core.gradients import LOSS
from explorer.core.graph import Place
from explorer.core.nudge import CLOSE, Check, check_cell
from explorer.core.numbers import exact, significant, written
from explorer.ui.background import Background
from explorer.ui.selection import Cell
from explorer.ui.theme import mark
from explorer.ui.widgets.derivation_view import DerivationView
from explorer.ui.widgets.formula import Formula
from explorer.ui.widgets.matrix_model import ROUNDING
from explorer.ui.widgets.printed import Printed
from explorer.ui.workbench import Workbench

CHAIN_RULE = "Gradient of what it feeds × how much that changes with this cell:"
MOST_CHILDREN = 2
"""So many terms of the chain rule stand beside each other; of more there is a sum."""
NUDGED = 10
"""Decimals of the losses beside a nudged cell: they differ late."""

HINT = "".join(
    f"<p style='margin: 0 0 8px 0'>{line}</p>"
    for line in (
        "Point at a number to see how it is made.",
        "<b>Teal</b> ones are yours: type, drag, or turn the wheel. What follows from them changes at once.",
        "The others are computed. Enter holds one at a value of yours, Delete lets it go.",
        "A right click fills a matrix, or brings the lesson's values back. Ctrl+C and Ctrl+V work with a spreadsheet.",
        "F6 takes the keys from part to part of the window, Ctrl+Page Down to the next stage.",
        "Esc brings these words back.",
    )
)


class Inspector(QFrame):
    """Formula, derivation, numpy, what it feeds, and what the reference printed, of one cell.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self._bench = bench
        self._title = self._label("")
        self._title.setTextFormat(Qt.TextFormat.RichText)
        self._value = self._label("", role="small")
        self._formula = Formula(em=1.4)
        self._derivations: list[tuple[QLabel, DerivationView]] = []
        self._cell_heading = self._label("This cell", role="section")
        self._how = self._label("", role="small")
        self._derived = QVBoxLayout()
        self._check = QPushButton("Check this cell")
        self._check.setToolTip("Move the cell a little both ways and compare the slope of the loss with the gradient")
        self._check.clicked.connect(self._check_cell)
        self._checked = self._label("")
        self._numpy_heading = self._label("numpy", role="section")
        self._code = self._label("", role="code")
        self._code.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._feeds_heading = self._label("Feeds", role="section")
        self._feeds = self._label("")
        self._feeds.setTextFormat(Qt.TextFormat.RichText)
        links = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        self._feeds.setTextInteractionFlags(links)
        self._feeds.linkActivated.connect(self._go)
        self._printed = Printed(bench)
        self._hint = self._label(HINT, role="muted")
        self._hint.setTextFormat(Qt.TextFormat.RichText)

        content = QWidget()
        self._page = QVBoxLayout(content)
        self._page.addWidget(self._title)
        self._page.addWidget(self._value)
        self._page.addWidget(self._formula)
        self._page.addWidget(self._check, 0, Qt.AlignmentFlag.AlignLeft)
        self._page.addWidget(self._checked)
        self._page.addWidget(self._cell_heading)
        self._page.addWidget(self._how)
        self._page.addLayout(self._derived)
        for widget in (
            self._numpy_heading,
            self._code,
            self._feeds_heading,
            self._feeds,
            self._hint,
            self._printed,
        ):
            self._page.addWidget(widget)
        self._page.addStretch()
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll)
        self._worker = Background(self)
        bench.selection.pointed.connect(self.show_cell)
        self.restyle()
        self.show_cell(None)

    def _label(self, text: str, role: str = "") -> QLabel:
        label = QLabel(text)
        label.setWordWrap(True)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        if role:
            mark(label, role=role)
        return label

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        px = self._bench.appearance.px
        self._page.setContentsMargins(px(20), px(16), px(20), px(16))
        self._page.setSpacing(px(5))
        for _, view in self._derivations:
            view.restyle()
        self._printed.restyle()
        self.show_cell(self._bench.selection.cell)

    def show_cell(self, cell: Cell | None) -> None:
        """Show another cell, or the same with other numbers."""
        parts = (
            self._title,
            self._value,
            self._formula,
            self._cell_heading,
            self._how,
            self._numpy_heading,
            self._code,
            self._feeds_heading,
            self._feeds,
            self._printed,
            self._check,
            self._checked,
        )
        if cell is None:
            for part in parts:
                part.hide()
            self._show_derivations([])
            self._hint.show()
            self._printed.look_up()
            return
        self._hint.hide()
        engine = self._bench.document.engine
        node = engine.graph.nodes[cell.node]
        value = engine.values[cell.node][cell.index]
        theme = self._bench.appearance.theme
        self._title.setText(
            f"<b>{node.short}</b> <span style='color:{theme.muted}'>[{escape(self._where(cell))}]</span>"
        )
        self._title.show()
        rounding = f"\n{ROUNDING}" if only_rounding(engine, cell.node, cell.index) else ""
        self._value.setText(f"{cell.node} = {exact(value)}{rounding}")
        self._how.hide()
        self._value.show()
        self._check.setVisible(self._bench.selection.showing == "gradient")
        self._checked.hide()
        if self._bench.selection.showing == "gradient":
            self._show_gradient(cell)
        else:
            self._show_value(cell, float(value))
        self._show_feeds(cell)

    def _labels(self, node: str, axis: int) -> Sequence[str]:
        engine = self._bench.document.engine
        return engine.labels(engine.graph.nodes[node].axes[axis])

    def _show_value(self, cell: Cell, value: float) -> None:
        """How a cell is computed from those that it reads."""
        engine = self._bench.document.engine
        node = engine.graph.nodes[cell.node]
        symbols = [engine.graph.nodes[parent].symbol for parent in node.parents]
        self._formula.setVisible(not node.is_input)
        if not node.is_input:
            self._formula.set_latex(f"{node.symbol} = {node.op.formula(*symbols)}")
        derivation = chain(engine, cell.node, cell.index)
        self._cell_heading.show()
        if derivation:
            self._cell_heading.setText("This cell")
        elif node.is_input:
            self._cell_heading.setText("An input: type, drag or turn the wheel on it")
        else:
            self._cell_heading.setText("Given: held at a value typed by hand")
        self._show_derivations(
            [(name if name != cell.node else "", rows(last, self._labels)) for name, _, last in derivation]
        )
        for part in (self._numpy_heading, self._code):
            part.setVisible(not node.is_input)
        if not node.is_input:
            names = [parent.rpartition(".")[2] for parent in node.parents]
            self._code.setText(f"{node.short} = {node.op.code(*names)}")
        self._printed.show_cell(cell, value)

    def _show_gradient(self, cell: Cell) -> None:
        """How the loss depends on a cell: the chain rule with numbers, one term for each node that it feeds."""
        for part in (self._numpy_heading, self._code, self._printed):
            part.hide()
        step = self._bench.selection.derivation(cell)
        self._formula.setVisible(step is not None)
        if step is not None:
            self._formula.set_latex(self._chain_rule(cell.node))
        self._cell_heading.show()
        self._cell_heading.setText("How the loss changes with it" if step else "It has no gradient")
        self._check.setVisible(step is not None)
        self._how.setText(CHAIN_RULE if step else "It is no quantity that could change a little.")
        self._how.setVisible(cell.node != LOSS.node)
        if step is not None:
            self._value.setText(f"{self._value.text()}<br>its gradient = {exact(step.value)}")
        self._show_derivations([("", rows(step, self._labels))] if step else [])

    def _chain_rule(self, name: str) -> str:
        """The chain rule for a node: a term for each of those that it feeds and the loss depends on."""
        graph = self._bench.document.engine.graph
        children = dict.fromkeys(child for child, _ in graph.towards(LOSS.node).get(name, ()))
        own, fed = graph.nodes[name].symbol, [graph.nodes[child].symbol for child in children]
        left = rf"\frac{{\partial L}}{{\partial {own}}}"
        each = rf"\frac{{\partial L}}{{\partial {{%s}}}} \frac{{\partial {{%s}}}}{{\partial {own}}}"
        if not fed:
            return left
        if len(fed) > MOST_CHILDREN:
            return rf"{left} = \sum_{{C \in \{{ {', '.join(fed)} \}}}} {each % ('C', 'C')}"
        return f"{left} = {' + '.join(each % (child, child) for child in fed)}"

    def _check_cell(self) -> None:
        """Nudge the cell both ways and compare the slope of the loss with the gradient."""
        cell = self._bench.selection.cell
        if cell is None:
            return
        engine = self._bench.document.engine
        if self._bench.descent.quick:
            self._show_check(check_cell(engine, cell.node, cell.index), cell)
            return
        now = replace(engine)  # whatever becomes of the model meanwhile
        self._checked.setText("The loss is being computed on both sides …")
        self._checked.show()

        def done(check: Check) -> None:
            if cell == self._bench.selection.cell and self._checked.isVisible():
                self._show_check(check, cell)

        self._worker.ask(lambda report: check_cell(now, cell.node, cell.index), done)

    def _show_check(self, check: Check, cell: Cell) -> None:
        value = float(self._bench.document.engine.values[cell.node][cell.index])
        lines = [
            ("this cell", "loss"),
            (f"{written(value, significant(value))} − h", written(check.below, NUDGED)),
            (f"{written(value, significant(value))} + h", written(check.above, NUDGED)),
            ("difference ÷ 2h", written(check.slope, NUDGED)),
            ("gradient", f"<b>{written(check.gradient, NUDGED)}</b>"),
        ]
        cells = "".join(f"<tr><td>{left}&nbsp;&nbsp;</td><td align='right'>{right}</td></tr>" for left, right in lines)
        self._checked.setText(f"<table>{cells}</table>{self._agreement(check)}")
        self._checked.show()

    def _agreement(self, check: Check) -> str:
        """In words, how far slope and gradient agree."""
        h = f"h is {written(check.h, 2)}"
        theme = self._bench.appearance.theme
        if not check.error:
            return f"{h}. <span style='color:{theme.accent_text}'>✓ the same</span>"
        if check.error < CLOSE:
            digits = floor(-log10(check.error))
            return f"{h}. <span style='color:{theme.accent_text}'>✓ the same to {digits} digits</span>"
        return f"{h}. ≠ within ±h the loss has a corner, or is too flat for its digits."

    def _where(self, cell: Cell) -> str:
        engine = self._bench.document.engine
        labels = [
            engine.labels(axis)[i] for axis, i in zip(engine.graph.nodes[cell.node].axes, cell.index, strict=True)
        ]
        head = f"{labels.pop(0)}, " if len(labels) == 3 and engine.graph.n_heads(cell.node) != 1 else ""
        return head + " → ".join(labels[-2:]) if labels else "one number"

    def _show_derivations(self, parts: list[tuple[str, list[Row]]]) -> None:
        while len(self._derivations) < len(parts):
            name, view = self._label("", role="small"), DerivationView(self._bench)
            self._derived.addWidget(name)
            self._derived.addWidget(view)
            self._derivations.append((name, view))
        for i, (label, view) in enumerate(self._derivations):
            label.setVisible(i < len(parts) and bool(parts[i][0]))
            view.setVisible(i < len(parts))
            if i < len(parts):
                label.setText(parts[i][0])
                view.show_rows(parts[i][1])

    def _show_feeds(self, cell: Cell) -> None:
        engine = self._bench.document.engine
        theme = self._bench.appearance.theme
        lines = []
        for child, (index,) in self._bench.selection.fed.items():
            node = engine.graph.nodes[child]
            values = np.ravel(engine.values[child][index])
            what = (
                f"{len(values)} cells" if len(values) > 1 else written(values[0].item(), significant(values[0].item()))
            )
            lines.append(
                f"<a href='{node.stage}{self._onward(child, index)}' style='color:{theme.link}'>{node.short}</a> "
                f"<span style='color:{theme.muted}'>{node.name.rpartition('.')[0]} · {what}</span>"
            )
        self._feeds.setText("<br>".join(lines))
        self._feeds.setVisible(bool(lines))
        self._feeds_heading.setVisible(bool(lines))

    def _onward(self, child: str, index: Index) -> str:
        """Behind a link, the cell of a child with the largest gradient: so one follows a gradient to the loss."""
        engine = self._bench.document.engine
        shown = self._bench.selection.showing == "gradient" and LOSS.node in engine.graph.nodes
        gradient = engine.gradient(Place(child)) if shown else None
        if gradient is None:
            return ""
        steepest = max(cells_of(index, gradient.shape), key=lambda cell: abs(gradient[cell]))
        return f" {child} {','.join(map(str, steepest))}"

    def _go(self, where: str) -> None:
        stage, *cell = where.split(" ")
        self._bench.selection.go_to(stage)
        if cell:
            node, index = cell
            self._bench.selection.choose(Cell(node, tuple(int(i) for i in index.split(",") if i)))
