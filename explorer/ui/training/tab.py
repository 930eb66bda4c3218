"""The training tab: what is learned from, how, and what comes of it, live."""

import time
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from explorer.core.gradients import LOSS
from explorer.core.numbers import alone, live
from explorer.core.switches import SWITCHES
from explorer.core.training.recipe import FIRST, Recipe
from explorer.core.training.records import Records
from explorer.document.commands import SetSwitch
from explorer.document.document import Change
from explorer.sentences import sentence
from explorer.training.diagnosis import Diagnosis, diagnosis, solved
from explorer.training.run import Run
from explorer.training.stretch import Settings
from explorer.ui.theme import mark
from explorer.ui.training.moves import Moves
from explorer.ui.training.pictures import Pictures
from explorer.ui.training.recipe_form import Activations, MaterialChoice, RecipeForm
from explorer.ui.widgets.inputs import ComboBox
from explorer.ui.widgets.layouts import FlowLayout, row_in, scroll_area
from explorer.ui.workbench import Workbench

ANOTHER_START = ("initialiser", "validation", "seed")
"""Settings that a run begins with; others it can go on with."""
PACES = {"10 seconds a run": 10.0, "1 minute a run": 60.0, "full speed": 0.0}
SHOW_S = 0.02
"""How often one of the pictures is drawn anew while it runs."""
LEFT, LEAST = 330, 200
"""Pixels at text scale 1: of the settings, and of what stands beside them, which scrolls before it is narrower."""
NARROW = 760
"""Pixels at text scale 1 below which the settings give their room to the run, until somebody asks for them."""
LEARNED = 1e-4
NO_LOSS = "This model has no loss, so it learns nothing. To see a model learn, open “XOR” on the page “Lessons”."


class TrainingTab(QFrame):
    """The page "Train": the settings at the left, the run and its pictures beside them.

    `parent`: what it stands in from the start, as of `LessonPage`.
    """

    def __init__(self, bench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAccessibleName("Train")
        self.bench = bench
        self.descent = bench.descent
        self._shown_at = 0.0
        self._opened, self._begins = bench.document.state.lesson, self._recipe
        self._stale, self._worn = False, True

        self._settings, left = scroll_area(self, sideways=False), QWidget()
        self._settings.setObjectName("sidebar")
        self._settings.setWidget(left)
        self._page, right = scroll_area(self), QWidget()
        self._page.setWidget(right)
        self._left, self._right = QVBoxLayout(left), QVBoxLayout(right)
        self.source = MaterialChoice(bench)
        self.form = RecipeForm(bench, self._begins)
        self.moves = Moves(bench)
        self.activations = Activations(bench)
        for title, widgets in (
            ("Learns from", [self.source, self.activations]),
            ("How", [self.form]),
            ("What moves", [self.moves]),
        ):
            self._left.addWidget(mark(QLabel(title), role="section"))
            for widget in widgets:
                self._left.addWidget(widget)
        self.source.changed.connect(self._begin_anew)
        self.form.changed.connect(self._set)
        self._left.addStretch()
        self._make_controls()
        self.pictures = Pictures(bench)
        self._right.addWidget(self.pictures)
        self._right.addStretch()
        across = row_in(self, self._settings, spacing=0)
        beside = QVBoxLayout()
        across.addLayout(beside, 1)
        beside.setSpacing(0)
        beside.addWidget(self._page, 1)
        beside.addWidget(self._make_foot())
        bench.descent.failed.connect(lambda error: self._say_problem(sentence(error)))
        bench.descent.changed.connect(self._follow_run)
        bench.bridge.changed.connect(self.follow)
        self.pictures.follow_structure(list(self.moves.boxes))
        self._space()
        self.show_run()

    def _make_controls(self) -> None:
        line = QWidget()
        self._controls = FlowLayout(line)
        self._controls.addWidget(mark(QLabel("Train"), role="title"))
        self.play = QPushButton("Train")
        self.play.setCheckable(True)
        mark(self.play, primary="true")
        self.play.setToolTip("Take steps until it is paused or the run is over; pressed again, it takes as many more")
        self.play.clicked.connect(self._toggle)
        self.one = QPushButton("One step")
        self.one.setToolTip("Take one step")
        self.one.clicked.connect(self._step)
        self.over = QPushButton("Start over")
        self.over.setToolTip("Take the whole run back, to the weights before it")
        self.over.clicked.connect(self._start_over)
        self.pace = ComboBox()
        self.pace.addItems(list(PACES))
        self.pace.setAccessibleName("Pace")
        self.pace.setToolTip("How long a run takes at least, so that you can watch it; a large model takes longer")
        self.pace.textActivated.connect(lambda text: self.descent.set_least(PACES[text]))
        self.descent.set_least(PACES[self.pace.currentText()])
        self.fold = QPushButton("Settings")
        self.fold.setCheckable(True)
        self.fold.setToolTip("What is learned from, and how")
        self.fold.toggled.connect(self._share_width)
        for widget in (self.play, self.one, self.over, self.pace, self.fold):
            self._controls.addWidget(widget)
        self._right.addWidget(line)
        self.said = mark(QLabel(), role="strong")
        self.said.setWordWrap(True)
        self._right.addWidget(self.said)

    def _make_foot(self) -> QFrame:
        """What is said of the run, below the pictures: it comes and goes, and nothing above it moves for that."""
        self._foot = QFrame()
        self._foot.setObjectName("foot")
        self._foot.setAccessibleName("How training goes")
        self.problem = mark(QLabel(), role="error")
        self.note = QLabel()
        self.helps = QPushButton()
        self.helps.setToolTip("Change this and train")
        self.helps.clicked.connect(self._help)
        self._found: Diagnosis | None = None
        self._words = QVBoxLayout(self._foot)
        for words in (self.problem, self.note):
            words.setWordWrap(True)
            words.hide()
            self._words.addWidget(words)
        self.helps.hide()
        self._words.addWidget(self.helps, 0, Qt.AlignmentFlag.AlignLeft)
        self._foot.hide()
        return self._foot

    # The run

    def _chosen(self) -> Settings:
        """What is learned from and how, as it is set now."""
        return Settings(self.source.material(), self.form.recipe(self.descent.frozen, self.descent.also))

    def _set(self, name: str) -> None:
        """Somebody has changed a setting."""
        if name in ANOTHER_START:
            self._begin_anew()
        else:
            self._say_problem("")
            self.descent.use_settings()

    def _begin_anew(self) -> None:
        """The next step begins another run, from the weights as they are now."""
        self.descent.end()
        self._say_problem("")
        self.show_run()

    def _start_over(self) -> None:
        self.descent.start_over()
        self._say_problem("")
        self.show_run()

    def _toggle(self, on: bool) -> None:
        if on:
            self._say_problem("")
            self.form.finish()
            self.descent.play(self._chosen)
        else:
            self.descent.stop()
        self.show_run()

    def _step(self) -> None:
        self._say_problem("")
        self.form.finish()
        self.descent.take(1, self._chosen)
        self.show_run()

    @property
    def _recipe(self) -> Recipe:
        """What training of the open example begins with."""
        lesson, setting = self.bench.lesson, self.bench.document.state.setting
        return lesson.training_in(setting if setting in lesson.settings else None) or FIRST

    @property
    def _learns(self) -> str:
        """The other setting of the open lesson that learns from whatever start; empty where there is none."""
        learns = self.bench.lesson.learns
        return "" if learns == self.bench.document.state.setting else learns

    def _help(self) -> None:
        """Do what helps a run that gets nowhere, and go on, or begin anew."""
        found = self._found
        if found is None:
            return
        if found.starts_over:
            self._start_over()
        if found.opens:
            self.bench.open(self.bench.lesson, found.opens)
            self._follow_example()
        elif found.switch is not None:
            name, value = found.switch
            model = self.bench.document.state.model
            has = [block for block, kind in model.blocks().items() if name in SWITCHES[kind]]
            if model.kind == "mlp" and name == "activation":
                has = has[:-1]  # what comes out is an answer
            for block in has:
                self.bench.document.do(SetSwitch(block, name, value))
        elif found.setting is not None:
            recipe = self.form.recipe(self.descent.frozen, self.descent.also)
            changed: dict[str, Any] = dict([found.setting])
            self.form.show_recipe(replace(recipe, **changed))
            self._set(found.setting[0])
        self.play.setFocus()  # the button that was pressed goes
        self.play.setChecked(True)
        self._toggle(True)

    def _follow_run(self) -> None:
        """Somebody has begun or stopped it, here or on another page; or a process has taken steps."""
        was, going = self.play.text() == "Pause", self.descent.going
        self.play.setChecked(going)
        self.play.setText("Pause" if going else "Train")
        if was and not going:
            self.show_run()
        else:
            self._show_soon()

    def _say_problem(self, text: str) -> None:
        self.problem.setText(f"⚠ {text}" if text else "")
        self._show_foot()

    def _show_foot(self) -> None:
        """What there is to say, and no more."""
        parts = (self.problem, self.note, self.helps)
        for part in parts:
            part.setVisible(bool(part.text()))
        self._foot.setVisible(any(part.text() for part in parts))

    # Showing

    def follow(self, change: Change) -> None:
        """Show a change of the document."""
        self._follow_example()
        self._stale |= change.structure
        self._follow_structure()
        self.source.say()
        if self.descent.going:
            self._show_soon()
        else:
            self.show_run()

    def _follow_structure(self) -> None:
        """Offer what there is in another model, as soon as somebody looks."""
        if self._stale and self.isVisible():
            self._stale = False
            self.source.follow()
            self.activations.follow()
            self.moves.follow()
            self.pictures.follow_structure(list(self.moves.boxes))

    def _follow_example(self) -> None:
        """Show how another example is trained."""
        before, begun = self._opened, self._begins
        self._opened, self._begins = self.bench.document.state.lesson, self._recipe
        if before != self._opened or begun != self._begins:
            self._say_problem("")
            self.form.show_recipe(self._begins)

    def _show_soon(self) -> None:
        """Say how far it has come and draw one of the pictures, unless that was done a moment ago."""
        if time.perf_counter() - self._shown_at > SHOW_S:
            self._say()
            if self.isVisible():
                self.pictures.draw_next()
            self._shown_at = time.perf_counter()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        if not self._worn:
            self._restyle()
        self._follow_structure()
        self.show_run()

    def show_run(self) -> None:
        """Draw everything as it is now."""
        self._say()
        self.pictures.elsewhere = self.source.elsewhere
        if self.isVisible():
            self.pictures.draw()

    def _say(self) -> None:
        """How far it has come, in words."""
        records, run = self.pictures.records, self.descent.run
        loss = self.bench.document.engine.values.get(LOSS.node)
        nothing = loss is None and not self.source.from_text
        for part in (self.play, self.one):
            part.setEnabled(not nothing)
        self.pictures.setVisible(not nothing)
        self.note.clear()
        self._found = None
        if run is not None and run.at < run.records.at and self.descent.process is None:
            self.said.setText(
                f"Back after {_steps(run.at)} of the {run.records.at:,} taken: Redo goes forward, "
                "Train goes on from here in a new branch"
            )
        elif records is not None and run is not None and records.at:
            self.said.setText(" · ".join(_where(run, records, self.descent.steps)))
            if self.descent.playing and self.descent.speed:
                self.said.setText(f"{self.said.text()} · {self.descent.speed:,.0f} steps a second")
            self._found = diagnosis(self.bench.document, records, run.settings.recipe, self._learns)
            self.note.setText(self._found.sentence if self._found else "")
        elif self.descent.going:
            self.said.setText("Starting…")
        elif records is not None and records.at:
            self.said.setText(" · ".join([f"Trained in {_steps(records.at)}", *_losses(records)]))
        else:
            own = loss is not None and not self.source.from_text
            self.said.setText(
                NO_LOSS
                if nothing
                else "No step yet" + (f" · loss {_short(float(loss))}" if own and loss is not None else "")
            )
            if own and loss is not None and loss < LEARNED:
                self._found = solved(self._learns)
            from_what = self.source.said if self._settings.isHidden() and not nothing else ""
            self.note.setText(f"{from_what} {self._found.sentence if self._found else ''}".strip())
        self.helps.setText(self._found.remedy if self._found else "")
        self._show_foot()
        self.over.setEnabled(run is not None and (run.at > 0 or self.descent.process is not None))

    def restyle(self) -> None:
        """Follow the theme and the text scale, out of sight once it is looked at."""
        self._worn = False
        if self.isVisible():
            self._restyle()

    def _restyle(self) -> None:
        self._worn = True
        self.source.restyle()
        self.activations.restyle()
        self.form.restyle()
        self.moves.restyle()
        self.pictures.restyle()
        self._space()

    def close_down(self) -> None:
        """End what is running; the window is closed."""
        self.descent.close()

    def _space(self) -> None:
        px = self.bench.appearance.px
        self._settings.setFixedWidth(px(LEFT))
        self._left.setContentsMargins(px(20), px(10), px(14), px(16))
        self._left.setSpacing(px(5))
        self._right.setContentsMargins(px(24), px(16), px(16), px(20))
        self._right.setSpacing(px(10))
        self._words.setContentsMargins(px(24), px(10), px(16), px(10))
        self._words.setSpacing(px(6))
        self._controls.set_spacing(px(8), px(6))
        self._share_width()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """What is beside the settings, for words and pictures; with the bar, or they would jump when it comes."""
        px, bar = self.bench.appearance.px, self._page.verticalScrollBar().sizeHint().width()
        narrow, hidden = self.width() < px(NARROW), self._settings.isHidden()
        self.fold.setVisible(narrow)
        self._settings.setVisible(not narrow or self.fold.isChecked())
        if self._settings.isHidden() != hidden:
            self._say()
        beside = 0 if self._settings.isHidden() else self._settings.width()
        room = max(self.width() - beside - px(24) - px(16) - bar, px(LEAST))
        self.said.setMaximumWidth(room)
        self.pictures.share(room, self._page.height())


def _where(run: Run, records: Records, of: int) -> list[str]:
    """How far a run has come, of so many steps; 0 where it has no end."""
    said = [f"Step {records.at:,} of {of:,}" if of else f"Step {records.at:,}, by hand"]
    batches = run.prepared.examples.batches(run.settings.recipe.batch)
    if batches > 1:
        said.append(f"epoch {-(-records.at // batches):,}")
    losses = _losses(records, "loss of its batch" if batches > 1 else "loss")
    return [*said, *losses, f"rate {alone(records.rates[-1], 4)}"]


def _steps(number: int) -> str:
    return f"{number:,} step{'s' * (number != 1)}"


def _losses(records: Records, loss: str = "loss") -> list[str]:
    judged = [f"validation {_short(float(records.validations[-1]))}"] if len(records.validations) else []
    return [f"{loss} {_short(float(records.losses[-1]))}", *judged]


def _short(value: float) -> str:
    return live(value, 4)
