"""The settings of a run, each with a control."""

from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QLabel, QLineEdit, QSpinBox, QWidget

from explorer.core.numbers import read_number
from explorer.core.ops.inputs import INITIALISERS
from explorer.core.training.optimisers import OPTIMISERS
from explorer.core.training.recipe import BOUNDS, SCHEDULES, Recipe
from explorer.ui.theme import mark
from explorer.ui.widgets.boxes import ComboBox, SpinBox
from explorer.ui.workbench import Workbench

AS_THEY_ARE = "as they are"

WORDS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "optimiser": ("Optimiser", tuple(OPTIMISERS), "The rule that makes a step from a gradient"),
    "schedule": ("Schedule", SCHEDULES, "How the rate changes while the run goes on"),
    "initialiser": ("Weights start", (AS_THEY_ARE, *INITIALISERS), "Zeros: all hidden units stay equal for ever"),
}
NUMBERS: dict[str, tuple[str, str]] = {
    "rate": ("Learning rate", "The number by which each step is multiplied; with a schedule, its highest value"),
    "weight_decay": (
        "Weight decay",
        "How much smaller each matrix becomes in a step, as a part of itself, times the rate",
    ),
    "dropout": ("Dropout", "Share of the numbers that are set to 0 at random in training"),
    "clip": ("Clip gradient at", "A longer gradient is shortened to this length; 0: it is never shortened"),
    "validation": ("Validation share", "Share of the examples that are only used to measure the loss, never to learn"),
}
WHOLE: dict[str, tuple[str, str]] = {
    "warm_up": ("Warm-up", "Steps in which the rate rises from 0"),
    "batch": ("Batch", "Examples in a step; 0: all of them"),
    "steps": ("Steps", "Of the whole run"),
    "seed": ("Seed", "The same seed gives the same run, bit for bit"),
}
ORDER = (
    *("optimiser", "rate", "batch", "steps", "schedule", "warm_up", "initialiser"),
    *("validation", "weight_decay", "dropout", "clip", "seed"),
)


class RecipeForm(QWidget):
    """A line for each setting of a `Recipe`.

    `recipe`: what it starts with.
    """

    changed = Signal(str)  # somebody has changed the setting of that name

    def __init__(self, bench: Workbench, recipe: Recipe) -> None:
        super().__init__()
        self._bench = bench
        self._controls: dict[str, Any] = {}
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        for name in ORDER:
            if name in WORDS:
                title, choices, hint = WORDS[name]
                self._row(name, title, hint, self._choice(name, choices))
            elif name in WHOLE:
                self._row(name, *WHOLE[name], self._count(name, *BOUNDS[name]))
            else:
                self._row(name, *NUMBERS[name], self._number(name))
        self.show_recipe(recipe)
        self.restyle()

    def _row(self, name: str, title: str, hint: str, control: QWidget) -> None:
        control.setAccessibleName(title)
        control.setToolTip(hint)
        self._controls[name] = control
        label = mark(QLabel(title), role="small")
        label.setToolTip(hint)
        label.setMinimumHeight(control.sizeHint().height())
        self._form.addRow(label, control)

    def _choice(self, name: str, choices: tuple[str, ...]) -> QComboBox:
        box = ComboBox()
        box.addItems(list(choices))
        box.activated.connect(lambda: self.changed.emit(name))
        return box

    def _count(self, name: str, least: float, most: float) -> QSpinBox:
        spin = SpinBox(minimum=int(least), maximum=min(int(most), 2**31 - 1))
        spin.setKeyboardTracking(False)  # a number that is half typed is none to go on with
        spin.valueChanged.connect(lambda: self.changed.emit(name))
        return spin

    def _number(self, name: str) -> QLineEdit:
        edit = QLineEdit()
        edit.editingFinished.connect(lambda: self._finish(name, edit))
        return edit

    def _finish(self, name: str, edit: QLineEdit) -> None:
        if edit.isModified():
            edit.setModified(False)
            self.changed.emit(name)

    def finish(self) -> None:
        """Take what is still being typed."""
        for name, control in self._controls.items():
            match control:
                case QSpinBox():
                    control.interpretText()
                case QLineEdit():
                    self._finish(name, control)

    def show_recipe(self, recipe: Recipe) -> None:
        """Show the settings of a recipe."""
        for name, control in self._controls.items():
            value = getattr(recipe, name)
            with QSignalBlocker(control):
                match control:
                    case QComboBox():
                        control.setCurrentText(value or AS_THEY_ARE)
                    case QSpinBox():
                        control.setValue(min(value, control.maximum()))
                    case QLineEdit():
                        control.setText(f"{value:g}")

    def recipe(self, frozen: tuple[str, ...] = (), also: tuple[str, ...] = ()) -> Recipe:
        """The settings as they stand there.

        Raises `ExplorerError`: "bad-number", "bad-training-setting" or "bad-training-choice".
        """
        values: dict[str, Any] = {"frozen": frozen, "also": also}
        for name, control in self._controls.items():
            match control:
                case QComboBox():
                    text = control.currentText()
                    values[name] = "" if text == AS_THEY_ARE else text
                case QSpinBox():
                    values[name] = control.value()
                case QLineEdit():
                    values[name] = read_number(control.text())
        return Recipe(**values)

    def control(self, name: str) -> QWidget:
        """The control of a setting."""
        widget: QWidget = self._controls[name]
        return widget

    def restyle(self) -> None:
        """Follow the text scale."""
        px = self._bench.appearance.px
        self._form.setHorizontalSpacing(px(10))
        self._form.setVerticalSpacing(px(5))
