"""The settings of a run, each with a control.

Which activation each layer of a net has.

What a model learns from: its own example, a text, or pairs of sentences.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from explorer.core.errors import ExplorerError
from explorer.core.numbers import read_number
from explorer.core.ops.inputs import INITIALISERS
from explorer.core.switches import SWITCHES
from explorer.core.training.data import TARGET, read_text
from explorer.core.training.optimisers import OPTIMISERS
from explorer.core.training.recipe import BOUNDS, SCHEDULES, Recipe
from explorer.core.vocabulary import START as BEGIN
from explorer.document.commands import SetSwitch
from explorer.training import recipes
from explorer.training.recipes import Material
from explorer.ui.errors import show_error
from explorer.ui.theme import mark
from explorer.ui.widgets.inputs import ComboBox, Segments, SpinBox
from explorer.ui.widgets.layouts import column_in
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


class Activations(QWidget):
    """A choice for each layer of a net; nothing for other models."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self.boxes: dict[str, ComboBox] = {}
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self.follow()
        self.restyle()

    def follow(self) -> None:
        """Show the layers that there are, and what they have."""
        model = self._bench.document.state.model
        layers = [block for block, kind in model.blocks().items() if kind == "layer"]
        if layers != list(self.boxes):
            while self._form.rowCount():
                self._form.removeRow(0)
            self.boxes = {block: self._choice(block) for block in layers}
        for block, box in self.boxes.items():
            box.setCurrentText(str(model.switch(block, "activation")))

    def _choice(self, block: str) -> ComboBox:
        title = f"Activation {block.rpartition('.')[2]}"
        box = ComboBox()
        box.addItems(list(SWITCHES["layer"]["activation"].choices))
        box.setAccessibleName(title)
        box.setToolTip(f"What {block} makes of its sums; it may change in mid-run")
        box.textActivated.connect(lambda text: self._bench.document.do(SetSwitch(block, "activation", text)))
        label = mark(QLabel(title), role="small")
        label.setMinimumHeight(box.sizeHint().height())
        self._form.addRow(label, box)
        return box

    def restyle(self) -> None:
        """Follow the text scale."""
        px = self._bench.appearance.px
        self._form.setHorizontalSpacing(px(10))
        self._form.setVerticalSpacing(px(5))


SENTENCES = 4000
"""Of a grammar: enough to learn it again, and drawn while one waits."""
LONGEST = 300_000  # characters in the field; a longer text is for `explorer train`

OWN = {"mlp": "Its own cases", "gpt": "This sentence", "encoder-decoder": "This pair"}
MORE = {"gpt": "A text", "encoder-decoder": "Pairs of sentences"}
ABOUT = {
    "gpt": "Any text: the model learns which word comes next. Words that are new to it get a row in its table.",
    "encoder-decoder": "Each line is a pair of sentences, with a tab or a vertical bar between them.",
}
START = {
    "gpt": """the sun is up and the sky is blue .
the sea is calm and the sky is grey .
the moon is up and the sea is dark .
the night is calm and the moon is full .
the day is long and the sun is hot .
the night is long and the sea is cold .
""",
    "encoder-decoder": """good day | buenos dias
good night | buenas noches
thank you | gracias
you are welcome | de nada
see you tomorrow | hasta mañana
see you soon | hasta pronto
""",
}
"""Texts of our own, to begin with."""


SHIPPED = {"gpt": ("Ten rhymes", "roses"), "encoder-decoder": ("180 phrases", "phrases")}
"""Recipes with longer ones: what the button says, and the recipe's name."""


class MaterialChoice(QWidget):
    """Chooses what to learn from."""

    changed = Signal()  # something else is to be learned from

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self._kind = self._lesson = ""
        self._page = column_in(self)
        self.choice: Segments | None = None
        self.text = QPlainTextEdit()
        self.text.setAccessibleName("Text to learn from")
        self.text.setTabChangesFocus(True)
        self.text.textChanged.connect(self.changed)
        self._about = mark(QLabel(), role="small")
        self._about.setWordWrap(True)
        self.open = QPushButton("Open a text…")
        self.open.setToolTip("Take the text from a file")
        self.open.clicked.connect(self._open)
        self.length = SpinBox(minimum=2, maximum=128, value=8)
        self.length.setAccessibleName("Words in a stretch")
        self.length.setToolTip("How many words the model reads at the same time")
        self.length.setPrefix("stretches of ")
        self.length.setSuffix(" words")
        self.length.valueChanged.connect(self.changed)
        self.shipped = QPushButton()
        self.shipped.clicked.connect(self._take_shipped)
        for widget in (self._about, self.text, self.length, self.open, self.shipped):
            self._page.addWidget(widget)
        self.follow()
        self.restyle()

    @property
    def kind(self) -> str:
        """The kind of the document's model."""
        return self._bench.document.state.model.kind

    @property
    def said(self) -> str:
        """What is learned from, in a sentence."""
        return self._about.text()

    @property
    def from_text(self) -> bool:
        """Whether a text is to be learned from, not the model's own example."""
        return self.choice is not None and self.choice.group.checkedId() == 1

    @property
    def elsewhere(self) -> bool:
        """Whether something else than the model's own example is to be learned from."""
        return self.from_text or self._from_grammar

    @property
    def _grammar(self) -> Material | None:
        """What a model that comes with the program has learned, where its recipe says that in full."""
        name = self._bench.lesson.example
        material = recipes.load(name).material if name in recipes.names() else None
        return replace(material, sentences=SENTENCES) if material is not None and material.kind == "grammar" else None

    @property
    def _from_grammar(self) -> bool:
        return self.choice is not None and self.choice.group.checkedId() == 2

    def follow(self) -> None:
        """Offer what a model of the document's kind can learn from."""
        if (self.kind, self._bench.lesson.id) == (self._kind, self._lesson):
            return
        self._kind, self._lesson = self.kind, self._bench.lesson.id
        if self.choice is not None:
            self.choice.hide()
            self.choice.deleteLater()
        titles = [OWN.get(self._kind, "Its own example")]
        titles += [MORE[self._kind]] if self._kind in MORE else []
        titles += ["Its grammar"] if self._grammar is not None else []
        self.choice = Segments(titles, "Learn from:")
        self.choice.choose(0)
        self.choice.group.idClicked.connect(self._choose)
        self._page.insertWidget(0, self.choice)
        self.shipped.setText(SHIPPED.get(self._kind, ("", ""))[0])
        self.shipped.setToolTip("Take the text that this recipe of “explorer train” learns from")
        with QSignalBlocker(self.text):
            self.text.setPlainText(self._start())
        self._show()

    def _own(self) -> tuple[str, ...]:
        """The sentences that the open model reads."""
        engine = self._bench.document.engine
        sequences = [name for name in ("source", "target", "input") if name in engine.graph.sequences]
        return tuple(" ".join(engine.labels(name)) for name in sequences)

    def _start(self) -> str:
        """A text to begin with: the model's own sentences, and a few of ours."""
        own = " | ".join(sentence.removeprefix(f"{BEGIN} ") for sentence in self._own())
        lines = [own, *START.get(self._kind, "").splitlines()]
        return "\n".join(dict.fromkeys(line for line in lines if line)) + "\n"

    def say(self) -> None:
        """Say what is learned from, before it starts."""
        if self._kind != self.kind:
            return  # of another model now; `follow` comes
        if self.from_text:
            self._about.setText(ABOUT[self._kind])
            return
        if self._from_grammar:
            said = (
                f"{SENTENCES:,} sentences of the grammar that it learned; draw its weights anew to see all of it again."
            )
            self._about.setText(said)
            return
        engine, own = self._bench.document.engine, [f"“{sentence}”" for sentence in self._own()]
        match self._kind:
            case "mlp":
                cases = len(engine.values["input.X"])
                self._about.setText(f"{cases} cases: to each input X of the first page belongs the answer y.")
            case "gpt" if own:
                self._about.setText(f"{own[0]}: after each word the model is to say the next one.")
            case "encoder-decoder" if len(own) == 2:
                self._about.setText(f"{own[0]} → {own[1]}: it reads the first and is to say the second, word by word.")
            case _:
                self._about.setText("The example on the other pages, with the right answer on the page “Loss”.")

    def _choose(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        for widget in (self.text, self.open, self.shipped):
            widget.setVisible(self.from_text)
        self.say()
        self.length.setVisible(self.from_text and self._kind == "gpt")

    def material(self) -> Material:
        """What is chosen.

        Raises `ExplorerError`: "text-too-long".
        """
        values = self._bench.document.engine.values
        if self._from_grammar and self._grammar is not None:
            return self._grammar
        if not self.from_text:
            if self._kind == "mlp" and TARGET in values:
                return Material("cases", X=values["input.X"], target=values[TARGET])
            return Material()
        text = self.text.toPlainText()
        if len(text) > LONGEST:
            raise ExplorerError("text-too-long", limit=f"{LONGEST:,}", given=f"{len(text):,}")
        return Material("text" if self._kind == "gpt" else "pairs", content=text, window=self.length.value())

    def _open(self) -> None:
        file, _ = QFileDialog.getOpenFileName(self, "Open a text", "", "Text (*.txt *.tsv);;All files (*)")
        if not file:
            return
        try:
            self.text.setPlainText(read_text(Path(file)))
        except ExplorerError as error:
            show_error(error, self.open)

    def _take_shipped(self) -> None:
        """The material of a recipe that comes along."""
        material = recipes.load(SHIPPED[self._kind][1]).material
        self.length.setValue(material.window)
        self.text.setPlainText(material.text)

    def restyle(self) -> None:
        """Follow the text scale."""
        px = self._bench.appearance.px
        self._page.setSpacing(px(6))
        self.text.setFixedHeight(px(130))
