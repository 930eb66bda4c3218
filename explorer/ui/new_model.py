"""The dialog for a new model."""

from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QSpinBox, QWidget

from explorer.core.errors import ExplorerError
from explorer.core.ops.inputs import INITIALISERS
from explorer.core.switches import SWITCHES
from explorer.lessons.new import SEQUENCES, new_lesson
from explorer.lessons.schema import Lesson
from explorer.ui.theme import mark
from explorer.ui.workbench import Workbench

KINDS = {"Encoder and decoder": "encoder-decoder", "Decoder alone (GPT)": "gpt"}


class NewModel(QDialog):
    """Sizes and sentences of a new model; `lesson` is what was made, once it is accepted.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("New model")
        self.lesson: Lesson | None = None
        self._form = QFormLayout(self)
        self._form.setSpacing(bench.appearance.px(8))
        self.kind = self._choice("Kind", tuple(KINDS), "Which blocks it is built of")
        self.source = self._text("Sentence", "the cat sat on the mat", "What it reads, words separated by blanks")
        self.target = self._text("Translation", "<start> le chat", "What the decoder has written so far")
        self.words = self._text("More words", "", "Words for the vocabulary beside those of the sentences")
        self.layers = self._number("Layers", 1, 1, 48, "Of the encoder and of the decoder each")
        self.d_model = self._number("d_model", 8, 1, 4096, "Numbers for each word")
        self.heads = self._number("Heads", 2, 1, 128, "They share d_model")
        self.d_ff = self._number("d_ff", 0, 0, 16384, "Hidden units of the feed-forward net; auto is 4 · d_model")
        self.d_ff.setSpecialValueText("auto")
        positions = tuple(c for c in SWITCHES["sequence"]["positions"].choices if c != "table")
        self.positions = self._choice("Positions", positions, "How a word's place becomes numbers")
        self.initialiser = self._choice("Weights start", INITIALISERS, "How the weights are drawn")
        self.seed = self._number("Seed", 0, 0, 2**31 - 1, "The same seed draws the same weights")
        self._problem = QLabel()
        self._problem.setWordWrap(True)
        mark(self._problem, role="error")
        self._form.addRow(self._problem)
        self._problem.hide()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        make = self.buttons.addButton("Make it", QDialogButtonBox.ButtonRole.AcceptRole)
        mark(make, primary="true")
        make.setDefault(True)
        self.buttons.accepted.connect(self._make)
        self.buttons.rejected.connect(self.reject)
        self._form.addRow(self.buttons)
        self.kind.currentTextChanged.connect(self._follow_kind)
        self.setMinimumWidth(bench.appearance.px(460))

    def _row(self, title: str, widget: QWidget, hint: str) -> None:
        widget.setAccessibleName(title)
        widget.setToolTip(hint)
        self._form.addRow(title, widget)

    def _choice(self, title: str, choices: tuple[str, ...], hint: str) -> QComboBox:
        box = QComboBox()
        box.addItems(list(choices))
        self._row(title, box, hint)
        return box

    def _number(self, title: str, value: int, least: int, most: int, hint: str) -> QSpinBox:
        spin = QSpinBox(minimum=least, maximum=most, value=value)
        self._row(title, spin, hint)
        return spin

    def _text(self, title: str, text: str, hint: str) -> QLineEdit:
        edit = QLineEdit(text)
        self._row(title, edit, hint)
        return edit

    def _follow_kind(self, kind: str) -> None:
        self._form.setRowVisible(self.target, len(SEQUENCES[KINDS[kind]]) > 1)

    def _make(self) -> None:
        """Make the model, or say what does not fit; what was typed stays."""
        kind = KINDS[self.kind.currentText()]
        texts = (self.source.text(), self.target.text())[: len(SEQUENCES[kind])]
        try:
            self.lesson = new_lesson(
                kind,
                texts,
                vocabulary=self.words.text(),
                d_model=self.d_model.value(),
                layers=self.layers.value(),
                heads=self.heads.value(),
                d_ff=self.d_ff.value(),
                positions=self.positions.currentText(),
                seed=self.seed.value(),
                initialiser=self.initialiser.currentText(),
            )
        except ExplorerError as error:
            self._problem.setText(f"⚠ {error}")
            self._problem.show()
            return
        self.accept()
