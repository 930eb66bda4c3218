"""The training tab: what is learned from, how, and what comes of it, live."""

import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from explorer.core.numbers import significant, written
from explorer.core.training.recipe import Recipe
from explorer.document.document import Change
from explorer.lessons.plan import Material
from explorer.ui.theme import mark
from explorer.ui.training.moves import Moves
from explorer.ui.training.pictures import Pictures
from explorer.ui.training.recipe_form import RecipeForm
from explorer.ui.training.run import LiveRun
from explorer.ui.training.source import Source
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.workbench import Workbench

SHOW_S = 0.02
"""How often one of the pictures is drawn anew while it runs."""
LEFT = 330  # pixels at text scale 1
FIRST = Recipe(rate=0.01, batch=8, steps=1000, validate_every=20)


class TrainingTab(QFrame):
    """The page "Train": the settings at the left, the run and its pictures beside them.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAccessibleName("Train")
        self.bench = bench
        self.run = LiveRun(bench.document, self._chosen, self)
        self._shown_at = 0.0

        self.source = Source(bench)
        self.form = RecipeForm(bench, FIRST)
        self.moves = Moves(bench)
        left = QWidget()
        self._left = QVBoxLayout(left)
        for title, widget in (("Learns from", self.source), ("How", self.form), ("What moves", self.moves)):
            widget.changed.connect(self._begin_anew)
            self._left.addWidget(mark(QLabel(title), role="section"))
            self._left.addWidget(widget)
        self._left.addStretch()
        self._settings = QScrollArea()
        self._settings.setObjectName("sidebar")
        self._settings.setWidget(left)
        right = QWidget()
        self._right = QVBoxLayout(right)
        self._make_controls()
        self.pictures = Pictures(bench, lambda: self.run.history)
        self._right.addWidget(self.pictures)
        self._right.addStretch()
        self._page = page = QScrollArea()
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
        self.run.stepped.connect(self._show_soon)
        self.run.failed.connect(self._say_problem)
        self.run.paused.connect(lambda: self.play.setChecked(False))
        bench.bridge.changed.connect(self.follow)
        self.pictures.follow_structure(list(self.moves.boxes))
        self._space()
        self.show_run()

    def _make_controls(self) -> None:
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

    # The run

    def _chosen(self, folder: Path) -> tuple[Material, str, Recipe]:
        """What is learned from and how, as it is set now."""
        recipe = self.form.recipe(self.moves.frozen)
        return *self.source.material(folder), recipe

    def _begin_anew(self) -> None:
        """Other settings are another run."""
        self.play.setChecked(False)
        self.run.end()
        self._say_problem("")
        self.show_run()

    def _toggle(self, on: bool) -> None:
        self.play.setText("Pause" if on else "Train")
        if on:
            self._say_problem("")
            self.run.play()
        else:
            self.run.pause()
            self.show_run()

    def _step(self) -> None:
        self.play.setChecked(False)
        self._say_problem("")
        self.run.step()
        if self.run.process is not None and self.run.process.running:
            self.play.setChecked(True)  # another process does not stop after one
        self.show_run()

    def _say_problem(self, text: str) -> None:
        self.problem.setText(f"⚠ {text}" if text else "")
        self.problem.setVisible(bool(text))

    # Showing

    def follow(self, change: Change) -> None:
        """Show a change of the document."""
        self.run.follow()
        if change.structure:
            self.source.follow()
            self.moves.follow()
            self.pictures.follow_structure(list(self.moves.boxes))
        if self.run.in_slices or self.run.process is not None:
            self._show_soon()
        else:
            self.show_run()

    def _show_soon(self) -> None:
        """Say how far it has come and draw one of the pictures, unless that was done a moment ago."""
        if time.perf_counter() - self._shown_at > SHOW_S:
            self._say()
            if self.isVisible():
                self.pictures.draw_next()
            self._shown_at = time.perf_counter()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self.show_run()

    def show_run(self) -> None:
        """Draw everything as it is now."""
        self._say()
        if self.isVisible():
            self.pictures.draw()

    def _say(self) -> None:
        """How far it has come, in words."""
        history, session = self.run.history, self.run.session
        if history is not None and session is not None and history.losses:
            steps = len(history.losses)
            text = f"Step {steps:,} of {session.trainer.recipe.steps:,} · loss {_short(history.losses[-1])}"
            if history.validations:
                text += f" · validation {_short(history.validations[-1][1])}"
            text += f" · rate {_short(history.rates[-1])}"
            if self.run.in_slices and self.run.speed:
                text += f" · {self.run.speed:,.0f} steps a second"
            self.said.setText(text)
        else:
            self.said.setText("Starting…" if self.play.isChecked() else "No step yet")
        self.one.setVisible(self.run.process is None)

    def restyle(self) -> None:
        """Follow the theme and the text scale."""
        self.source.restyle()
        self.form.restyle()
        self.moves.restyle()
        self.pictures.restyle()
        self._space()

    def close_down(self) -> None:
        """End what is running; the window is closed."""
        self.play.setChecked(False)
        self.run.close()

    def _space(self) -> None:
        px = self.bench.appearance.px
        self._settings.setFixedWidth(px(LEFT))
        self._left.setContentsMargins(px(20), px(10), px(14), px(16))
        self._left.setSpacing(px(5))
        self._right.setContentsMargins(px(24), px(16), px(16), px(20))
        self._right.setSpacing(px(10))
        self._controls.set_spacing(px(8), px(6))
        self._share_width()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """What is beside the settings, for words and pictures; with the bar, or they would jump when it comes."""
        px, bar = self.bench.appearance.px, self._page.verticalScrollBar().sizeHint().width()
        room = self.width() - self._settings.width() - px(24) - px(16) - bar
        for words in (self.said, self.problem):
            words.setMaximumWidth(room)
        self.pictures.share(room)


def _short(value: float) -> str:
    return written(value, significant(value, 4))
