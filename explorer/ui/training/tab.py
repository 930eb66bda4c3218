"""The training tab: what is learned from, how, and what comes of it, live."""

import tempfile
import time
from itertools import cycle
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from explorer.core.errors import ExplorerError
from explorer.core.numbers import significant, written
from explorer.core.training.recipe import Recipe
from explorer.core.training.trainer import History
from explorer.document.commands import SetTokens
from explorer.document.document import Change
from explorer.document.training import trainable
from explorer.lessons.session import Session, take_words
from explorer.ui.errors import show_error
from explorer.ui.theme import mark
from explorer.ui.training import pictures
from explorer.ui.training.process import ProcessRun
from explorer.ui.training.recipe_form import RecipeForm
from explorer.ui.training.source import Source
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.widgets.loss_curve import LossCurve
from explorer.ui.widgets.net_picture import net_picture
from explorer.ui.workbench import Workbench

SLICE_S = 0.008
"""How long training holds the event loop: half of a frame."""
LARGE_STEP = 100_000_000
"""Multiply-adds of a step from which on it takes longer than a slice: such runs go to a process of their own."""
SHOW_S = 0.02
"""How often one of the pictures is drawn anew while it runs: all at once would take longer than a frame."""
LEFT = 330  # pixels at text scale 1
FIRST = Recipe(rate=0.01, batch=8, steps=1000, validate_every=20)


class TrainingTab(QFrame):
    """The page "Train".

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAccessibleName("Train")
        self.bench = bench
        self.session: Session | None = None
        self.process: ProcessRun | None = None
        # Ends with the tab, and takes the files of its runs with it.
        self._folder = tempfile.TemporaryDirectory(prefix="explorer-", ignore_cleanup_errors=True)
        self._shown_at = 0.0
        self._speed = 0.0
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._slice)

        self.source = Source(bench)
        self.form = RecipeForm(bench, FIRST)
        self._moves = QWidget()
        self._moves_list = QVBoxLayout(self._moves)
        self._moves_list.setContentsMargins(0, 0, 0, 0)
        self._boxes: dict[str, QCheckBox] = {}
        self.source.changed.connect(self._begin_anew)
        self.form.changed.connect(self._begin_anew)

        left = QWidget()
        self._left = QVBoxLayout(left)
        for title, widget in (("Learns from", self.source), ("How", self.form), ("What moves", self._moves)):
            self._left.addWidget(mark(QLabel(title), role="section"))
            self._left.addWidget(widget)
        self._left.addStretch()
        self._settings = QScrollArea()
        self._settings.setObjectName("sidebar")
        self._settings.setWidget(left)
        right = QWidget()
        self._right = QVBoxLayout(right)
        self._make_run()
        self._make_pictures()
        self._right.addStretch()
        page = QScrollArea()
        page.setWidget(right)
        across = QHBoxLayout(self)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(0)
        for area, stretch in ((self._settings, 0), (page, 1)):
            area.setWidgetResizable(True)
            area.setFrameShape(QFrame.Shape.NoFrame)
            area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            across.addWidget(area, stretch)
        self._settings.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        bench.bridge.changed.connect(self.follow)
        self._list_weights()
        self._space()
        self.show_run()

    # The page

    def _make_run(self) -> None:
        self._right.addWidget(mark(QLabel("Train"), role="title"))
        line = QWidget()
        self._controls = FlowLayout(line)
        self.play = QPushButton("Train")
        self.play.setCheckable(True)
        mark(self.play, primary="true")
        self.play.setToolTip("Take steps until it is paused or the run is over")
        self.play.toggled.connect(self._toggle)
        self.one = QPushButton("One step")
        self.one.setToolTip("Take one step")
        self.one.clicked.connect(self._step)
        self.anew = QPushButton("New run")
        self.anew.setToolTip("Begin another run with these settings, from the weights as they are now")
        self.anew.clicked.connect(self._begin_anew)
        for button in (self.play, self.one, self.anew):
            self._controls.addWidget(button)
        self._right.addWidget(line)
        self.said = QLabel()
        mark(self.said, role="strong")
        self.said.setWordWrap(True)
        self._right.addWidget(self.said)
        self.problem = QLabel()
        mark(self.problem, role="error")
        self.problem.setWordWrap(True)
        self.problem.hide()
        self._right.addWidget(self.problem)

    def _make_pictures(self) -> None:
        self.losses = LossCurve(self.bench)
        self.norms = LossCurve(self.bench, beside="length")
        self.norms.set_log(True)
        self.log = QCheckBox("powers of ten at equal distances")
        self.log.setToolTip("A loss that falls for long can be seen to the end")
        self.log.toggled.connect(self.losses.set_log)
        self.weight = QComboBox()
        self.weight.setAccessibleName("Weight to watch")
        self.weight.setToolTip("Which weight is drawn")
        self.map = pictures.weight_map(self.bench, self.weight.currentText)
        self.weight.currentTextChanged.connect(self.map.refresh)
        self.tried = QLineEdit()
        self.tried.setAccessibleName("Words to try")
        self.tried.setToolTip("Other words for the model to read; Enter gives them to it")
        self.tried.returnPressed.connect(self._try)
        self.predictions = pictures.Predictions(self.bench)
        holder = QWidget()
        self._flow = FlowLayout(holder)
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
        self._net: Any = None
        self._draws = (self._draw_losses, self._draw_norms, self.map.refresh, self._draw_answers)
        self._turns = cycle(self._draws)
        self._right.addWidget(holder)
        self._draw_net()

    def _draw_net(self) -> None:
        """What a small net answers, where the model is one."""
        if self._net is not None:
            self._flow.removeWidget(self._net)
            self._net.deleteLater()
        found = net_picture(self.bench)
        self._net = None if found is None else found.make()
        if found is not None:
            px = self.bench.appearance.px
            self._net.setFixedSize(px(found.width), px(found.height))
            self._flow.insert_widget(0, self._net)
            self._flow.setAlignment(self._net, Qt.AlignmentFlag.AlignTop)

    def _list_weights(self) -> None:
        """A box for each weight that can move; without its mark it is frozen."""
        names = trainable(self.bench.document)
        if list(names) == list(self._boxes):
            return
        checked = {name: box.isChecked() for name, box in self._boxes.items()}
        for box in self._boxes.values():
            box.deleteLater()
        self._boxes = {}
        for name, moves in names.items():
            if not moves:
                continue
            box = QCheckBox(name)
            box.setChecked(checked.get(name, True))
            box.setToolTip("Freeze it by taking the mark away")
            box.toggled.connect(self._begin_anew)
            self._moves_list.addWidget(box)
            self._boxes[name] = box
        chosen = self.weight.currentText()
        self.weight.blockSignals(True)
        self.weight.clear()
        self.weight.addItems(list(self._boxes))
        self.weight.setCurrentText(chosen if chosen in self._boxes else next(iter(self._boxes), ""))
        self.weight.blockSignals(False)

    # The run

    @property
    def history(self) -> History | None:
        """The records of the run that there is."""
        if self.process is not None:
            return self.process.history
        return self.session.trainer.history if self.session is not None else None

    def _begin_anew(self) -> None:
        """Other settings are another run."""
        self.play.setChecked(False)
        self._end()
        self._say_problem("")
        self.show_run()

    def _end(self) -> None:
        """Let go of the run; the document keeps what it has learned."""
        if self.process is not None:
            self.process.close()
            self.process.deleteLater()
        self.session = self.process = None

    def _begin(self) -> Session:
        """The run: a new one, where there is none."""
        if self.session is None:
            frozen = tuple(name for name, box in self._boxes.items() if not box.isChecked())
            recipe = self.form.recipe(frozen)
            folder = Path(tempfile.mkdtemp(dir=self._folder.name))
            material, text = self.source.material(folder)
            take_words(self.bench.document, material, text)
            self.session = session = Session(self.bench.document, material, recipe)
            if session.work >= LARGE_STEP:
                self.process = ProcessRun(self.bench.document, session, material, folder, self)
                self.process.stepped.connect(self._show_soon)
                self.process.failed.connect(self._say_problem)
                self.process.ended.connect(lambda: self.play.setChecked(False))
        return self.session

    def _toggle(self, on: bool) -> None:
        self.play.setText("Pause" if on else "Train")
        if not on:
            self._timer.stop()
            if self.process is not None:
                self.process.stop()
            self.show_run()
            return
        self._say_problem("")
        # At least one step: who has taken steps back and presses this wants to go on from there.
        if self._advance(0.0) and self.process is None:
            self._timer.start()

    def _step(self) -> None:
        self.play.setChecked(False)
        self._say_problem("")
        self._advance(0.0)
        self.show_run()

    def _slice(self) -> None:
        """As many steps as half a frame has room for; the window paints in the other half."""
        if self.session is not None and self.session.undone:
            self.play.setChecked(False)
            return
        self._advance(SLICE_S)
        self._show_soon()

    def _advance(self, seconds: float) -> bool:
        """Go on for so long. Returns whether there is more to do."""
        going = False
        try:
            session = self._begin()
            if self.process is not None:
                self.process.start()
                going = self.process.running
            else:
                start = time.perf_counter()
                records = session.advance(seconds)
                self._speed = len(records) / max(time.perf_counter() - start, 1e-9)
                going = not session.trainer.finished
        except ExplorerError as error:
            self._say_problem(str(error))
        finally:
            if not going:  # or what went wrong would go wrong again, for ever
                self.play.setChecked(False)
        return going

    def _say_problem(self, text: str) -> None:
        self.problem.setText(f"⚠ {text}" if text else "")
        self.problem.setVisible(bool(text))

    def _try(self) -> None:
        sequence = self._sequence()
        if sequence is None:
            return
        try:
            self.bench.document.do(SetTokens(sequence, self.tried.text().split()))
        except ExplorerError as error:
            show_error(error, self.tried)

    def _sequence(self) -> str | None:
        """What the model reads first."""
        return next(iter(self.bench.document.engine.graph.sequences), None)

    # Showing

    def follow(self, change: Change) -> None:
        """Show a change of the document."""
        if self.process is not None:
            try:
                self.process.follow()
            except ExplorerError as error:
                self.play.setChecked(False)
                self._say_problem(str(error))
        if change.structure:
            self.source.follow()
            self._list_weights()
            self._draw_net()
        if self._timer.isActive() or self.process is not None:
            self._show_soon()
        else:
            self.show_run()

    def _show_soon(self) -> None:
        """Say how far it has come and draw one of the pictures, unless that was done a moment ago."""
        if time.perf_counter() - self._shown_at > SHOW_S:
            self._say()
            if self.isVisible():
                next(self._turns)()
            self._shown_at = time.perf_counter()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self.show_run()

    def show_run(self) -> None:
        """Draw everything as it is now."""
        self._say()
        if self.isVisible():
            for draw in self._draws:
                draw()

    def _say(self) -> None:
        """How far it has come, in words."""
        history = self.history
        if history is not None and self.session is not None and history.losses:
            steps = len(history.losses)
            text = f"Step {steps:,} of {self.session.trainer.recipe.steps:,} · loss {_short(history.losses[-1])}"
            if history.validations:
                text += f" · validation {_short(history.validations[-1][1])}"
            text += f" · rate {_short(history.rates[-1])}"
            if self._timer.isActive() and self._speed:
                text += f" · {self._speed:,.0f} steps a second"
            self.said.setText(text)
        else:
            self.said.setText("Starting…" if self.play.isChecked() else "No step yet")
        self.one.setVisible(self.process is None)

    def _draw_losses(self) -> None:
        self.losses.show_lines(pictures.loss_lines(self.history) if self.history else [])

    def _draw_norms(self) -> None:
        self.norms.show_lines(pictures.norm_lines(self.history) if self.history else [])

    def _draw_answers(self) -> None:
        """What the model says, and to what."""
        self.predictions.refresh()
        if self._net is not None:
            self._net.refresh()
        sequence = self._sequence()
        self.tried.setVisible(sequence is not None)
        if sequence is not None and not self.tried.hasFocus():
            self.tried.setText(" ".join(self.bench.document.engine.labels(sequence)))

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self.source.restyle()
        self.form.restyle()
        for picture in (self.losses, self.norms, self.map, self.predictions):
            picture.restyle()
        self._draw_net()
        self._space()

    def close_down(self) -> None:
        """End what is running; the window is closed."""
        self.play.setChecked(False)
        self._end()
        self._folder.cleanup()

    def _space(self) -> None:
        px = self.bench.appearance.px
        self._settings.setFixedWidth(px(LEFT))
        self._left.setContentsMargins(px(20), px(10), px(14), px(16))
        self._left.setSpacing(px(5))
        self._right.setContentsMargins(px(24), px(16), px(16), px(20))
        self._right.setSpacing(px(10))
        self._controls.set_spacing(px(8), px(6))
        self._flow.set_spacing(px(28), px(16))
        for picture in (self.losses, self.norms):
            picture.setFixedSize(px(430), px(220))
        self.map.setFixedSize(px(430), px(260))
        self.tried.setFixedWidth(px(400))


def _short(value: float) -> str:
    return written(value, significant(value, 4))
