"""What one watches while a model learns: losses, gradients, a weight, and what the model says."""

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.numbers import written
from explorer.core.training.trainer import History
from explorer.document.commands import SetTokens
from explorer.ui.errors import show_error
from explorer.ui.theme import mark
from explorer.ui.training.predictions import Predictions
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.widgets.loss_curve import Line, LossCurve
from explorer.ui.widgets.net_picture import net_picture
from explorer.ui.widgets.signed_map import Sheet, SignedMap
from explorer.ui.workbench import Workbench

BETWEEN, NARROWEST, WIDEST = 28, 420, 620
"""Pixels at text scale 1: from a picture to the next, and how wide one is."""


class Pictures(QWidget):
    """Pictures of a run, side by side.

    Parameters
    ----------
    bench : Workbench
    history : callable
        The records of the run that there is, if there is one.
    """

    def __init__(self, bench: Workbench, history: Callable[[], History | None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench, self._history = bench, history
        self.losses = LossCurve(bench)
        self.norms = LossCurve(bench, beside="length")
        self.norms.set_log(True)
        self.log = QCheckBox("powers of ten at equal distances")
        self.log.setToolTip("A loss that falls for long can be seen to the end")
        self.log.toggled.connect(self.losses.set_log)
        self.weight = QComboBox()
        self.weight.setAccessibleName("Weight to watch")
        self.weight.setToolTip("Which weight is drawn")
        self.map = _weight_map(bench, self.weight.currentText)
        self.weight.currentTextChanged.connect(self.map.refresh)
        self.tried = QLineEdit()
        self.tried.setAccessibleName("Words to try")
        self.tried.setToolTip("Other words for the model to read; Enter gives them to it")
        self.tried.returnPressed.connect(self._try)
        self.predictions = Predictions(bench)
        self._flow = FlowLayout(self)
        parts: tuple[tuple[str, list[QWidget]], ...] = (
            ("Loss", [self.losses, self.log]),
            ("Length of the gradient, block by block", [self.norms]),
            ("A weight as it changes", [self.weight, self.map]),
            ("What it says", [self.tried, self.predictions]),
        )
        for title, widgets in parts:
            part = QWidget()
            column = QVBoxLayout(part)
            column.setContentsMargins(0, 0, 0, 0)
            column.addWidget(mark(QLabel(title), role="section"))
            for widget in widgets:
                column.addWidget(widget)
            column.addStretch()
            self._flow.addWidget(part)
            self._flow.setAlignment(part, Qt.AlignmentFlag.AlignTop)
        self._pair: tuple[str, tuple[str, ...]] = "", ()
        """The example, and what it read before somebody tried other words."""
        self._net: Any = None
        self._draws = (self._draw_losses, self._draw_norms, self.map.refresh, self._draw_answers)
        self._turns = cycle(self._draws)
        self._space()

    def follow_structure(self, weights: Sequence[str]) -> None:
        """The model is another one: offer its weights to watch, and draw its net, if it is a small one."""
        chosen = self.weight.currentText()
        self.weight.blockSignals(True)
        self.weight.clear()
        self.weight.addItems(weights)
        self.weight.setCurrentText(chosen if chosen in weights else next(iter(weights), ""))
        self.weight.blockSignals(False)
        self._make_net()

    def draw(self) -> None:
        """Draw everything as it is now."""
        for draw in self._draws:
            draw()

    def draw_next(self) -> None:
        """Draw one of the pictures anew, by turns: all at once would take longer than a frame."""
        next(self._turns)()

    def _make_net(self) -> None:
        """What a small net answers, where the model is one."""
        if self._net is not None:
            self._flow.removeWidget(self._net)
            self._net.hide()
            self._net.deleteLater()
        found = net_picture(self._bench)
        self._net = None if found is None else found.make()
        if found is not None:
            px = self._bench.appearance.px
            self._net.setFixedSize(px(found.width), px(found.height))
            self._flow.insert_widget(0, self._net)
            self._flow.setAlignment(self._net, Qt.AlignmentFlag.AlignTop)

    def _draw_losses(self) -> None:
        history = self._history()
        self.losses.show_lines(_loss_lines(history) if history else [])

    def _draw_norms(self) -> None:
        history = self._history()
        self.norms.show_lines(_norm_lines(history) if history else [])

    def _draw_answers(self) -> None:
        """What the model says, and to what."""
        self.predictions.unpaired = self._unpaired
        self.predictions.refresh()
        if self._net is not None:
            self._net.refresh()
        sequence = self._sequence()
        self.tried.setVisible(sequence is not None)
        if sequence is not None and not self.tried.hasFocus():
            self.tried.setText(" ".join(self._bench.document.engine.labels(sequence)))

    def _sequence(self) -> str | None:
        """What the model reads first."""
        return next(iter(self._bench.document.engine.graph.sequences), None)

    def _try(self) -> None:
        sequence = self._sequence()
        if sequence is None:
            return
        before = self._bench.lesson.id, self._bench.document.engine.labels(sequence)
        try:
            self._bench.document.do(SetTokens(sequence, self.tried.text().split()))
        except ExplorerError as error:
            show_error(error, self.tried)
            return
        if not self._unpaired:
            self._pair = before
        if self._bench.document.engine.labels(sequence) == self._pair[1]:
            self._pair = "", ()

    @property
    def _unpaired(self) -> bool:
        """Whether somebody tries words: then the translation in the document is not the one of what is read."""
        lesson, source = self._pair
        return lesson == self._bench.lesson.id and source != self._bench.document.engine.labels(self._sequence() or "")

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        for picture in (self.losses, self.norms, self.map, self.predictions):
            picture.restyle()
        self._make_net()
        self._space()

    def _space(self) -> None:
        px = self._bench.appearance.px
        self._flow.set_spacing(px(BETWEEN), px(16))

    def share(self, room: int) -> None:
        """Two pictures beside each other, as wide as so many pixels allow; where they are too few, one."""
        px = self._bench.appearance.px
        both = (room - px(BETWEEN)) // 2
        width = min(both if both >= px(NARROWEST) else room, px(WIDEST))
        for widget in (self.losses, self.norms, self.weight, self.map, self.tried, self.predictions):
            widget.setFixedWidth(width)
        for picture, most in ((self.losses, 240), (self.norms, 240), (self.map, 280)):
            picture.setFixedHeight(min(round(width * 0.55), px(most)))


def _loss_lines(history: History) -> list[Line]:
    """The loss of each step's batch, and of what is put aside to judge by."""
    judged = np.array(history.validations, dtype=float).reshape(-1, 2)
    lines = [Line("training", np.array(history.losses), np.arange(1, len(history.losses) + 1))]
    return [*lines, Line("validation", judged[:, 1], judged[:, 0])] if len(judged) else lines


def _norm_lines(history: History) -> list[Line]:
    """How long the gradient of each block is, step by step."""
    steps = np.arange(1, len(history.losses) + 1)
    return [Line(block, np.array(lengths), steps) for block, lengths in history.blocks.items()]


def _weight_map(bench: Workbench, name: Callable[[], str]) -> SignedMap:
    """A weight of the document as colours; of stacked heads, the heads below each other."""

    def read() -> Sheet:
        engine = bench.document.engine
        node = name()
        if node not in engine.graph.nodes:
            return Sheet("", np.zeros((1, 1)), ("",), ("",), (0, 0), ("", ""), "no weight")
        array = engine.values[node]
        flat = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
        axes = engine.graph.nodes[node].axes
        rows = engine.labels(axes[0]) if array.ndim == 2 else [str(i + 1) for i in range(len(flat))]
        own = flat.shape if array.ndim == 2 else (0, 0)
        limit = float(np.abs(flat).max(initial=0.0))
        summary = f"{node}, {' × '.join(map(str, array.shape))}, largest {written(limit, 3)}"
        return Sheet(node, flat, rows, engine.labels(axes[-1]), own, ("", ""), summary)

    return SignedMap(bench, read, ())
