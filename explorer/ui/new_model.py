"""The dialog for a new model."""

from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from explorer.core.errors import ExplorerError
from explorer.core.model import SEQUENCES, SWITCHES
from explorer.core.ops.weights import INITIALISERS
from explorer.core.progress import Report
from explorer.core.vocabulary import END, START
from explorer.document.commands.words import checked_words
from explorer.lessons.document_lesson import drawn, new_lesson
from explorer.lessons.schema import Lesson
from explorer.sentences import sentence
from explorer.ui.background import Background
from explorer.ui.theme import mark
from explorer.ui.turns import do_later
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.names import set_names
from explorer.ui.window.chips import MOST_LETTERS
from explorer.ui.workbench import Workbench

KINDS = {"Encoder and decoder": "encoder-decoder", "Decoder alone (GPT)": "gpt", "Encoder alone": "encoder"}
LEARNS = {
    "encoder-decoder": f"The decoder reads {START} and the translation; it should say the translation and {END}.",
    "gpt": f"At each word it should say the next one, and {END} after the last.",
    "encoder": "It gives each word a new vector. It says no word, so it has no loss.",
}


class NewModel(QDialog):
    """The form for sizes and sentences of a new model; `lesson` is the result, once the dialog is accepted."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("New model")
        self.lesson: Lesson | None = None
        self._bench = bench
        self._background = Background(self)
        self._background.busy.connect(self._wait)
        self._background.failed.connect(self._say_problem)
        content = QWidget()
        self._form = QFormLayout(content)
        self._form.setSpacing(bench.appearance.px(8))
        self._form.setContentsMargins(0, 0, 0, 0)  # the dialog has margins, so that fields and buttons are aligned
        # Large letters on a small screen: the form scrolls, the buttons stay.
        self._area = area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        whole = QVBoxLayout(self)
        side = bench.appearance.px(18)
        whole.setContentsMargins(side, side, side, bench.appearance.px(14))
        whole.setSpacing(bench.appearance.px(12))
        whole.addWidget(area, 1)
        self.kind = self._choice("Kind", tuple(KINDS), "The blocks of the model")
        self.source = self._text("Sentence", "the cat sat on the mat", "The words that it reads, separated by blanks")
        self.target = self._text("Translation", "le chat", "What the decoder should write")
        self._learns = Label(role="small", wraps=True)
        self._form.addRow("", self._learns)
        self.words = self._text("More words", "", "More words for the vocabulary, besides those of the sentences")
        self.layers = self._number("Layers", 1, 1, 48, "Of the encoder, and of the decoder")
        self.d_model = self._number("d_model", 8, 1, 4096, "Numbers for each word")
        self.heads = self._number("Heads", 2, 1, 128, "They share d_model")
        self.d_ff = self._number("d_ff", 0, 0, 16384, "Hidden units of the feed-forward net; auto is 4 × d_model")
        self.d_ff.setSpecialValueText("auto")
        positions = tuple(c for c in SWITCHES["sequence"]["positions"].choices if c != "table")
        self.positions = self._choice("Positions", positions, "How the place of a word becomes numbers")
        self.initialiser = self._choice("Weights start", INITIALISERS, "How the random weights are chosen")
        self.seed = self._number("Seed", 0, 0, 2**31 - 1, "The same seed gives the same weights")
        self._problem = Label(role="error", plain=True, wraps=True, parent=self)  # until there is one, in no layout
        self._problem.hide()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._make_it = self.buttons.addButton("Make it", QDialogButtonBox.ButtonRole.AcceptRole)
        mark(self._make_it, primary="true")
        self.buttons.accepted.connect(self._make)
        self.buttons.rejected.connect(self.reject)
        whole.addWidget(self.buttons)
        self._make_it.setDefault(True)  # now that it is in the dialog: else Enter does nothing after a click on it
        self.kind.currentTextChanged.connect(self._follow_kind)
        self._follow_kind(self.kind.currentText())
        wide = bench.appearance.px(460)
        self.setMinimumWidth(min(wide, self.screen().availableSize().width() - bench.appearance.px(10)))
        area.setMinimumHeight(bench.appearance.px(150))
        self._be_high(content.sizeHint().height() + bench.appearance.px(100))

    def _be_high(self, pixels: int) -> None:
        """Set the height, limited by the screen; beyond that the form scrolls."""
        most = self.screen().availableGeometry().height() - self._bench.appearance.px(60)
        self.resize(self.width(), min(pixels, most))

    def _row(self, title: str, widget: QWidget, hint: str) -> None:
        widget.setAccessibleName(title)
        widget.setToolTip(hint)
        self._form.addRow(set_names(title), widget)

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
        edit.setMaxLength(MOST_LETTERS)
        self._row(title, edit, hint)
        return edit

    def _follow_kind(self, kind: str) -> None:
        self._form.setRowVisible(self.target, len(SEQUENCES[KINDS[kind]]) > 1)
        self._learns.setText(LEARNS[KINDS[kind]])

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
            self._say_problem(error)
            return
        if self.lesson.model.dtype == "float32":
            self._draw(self.lesson)
        else:
            self.accept()

    def _say_problem(self, error: ExplorerError) -> None:
        """Say below a field what is wrong with it, in the dialog's own words."""
        field = self._field(error)
        if "sequence" in error.fields:
            error = ExplorerError(error.id, **{**error.fields, "sequence": field.accessibleName()})
        self._problem.setText(f"⚠ {sentence(error)}")
        if self._problem.isHidden():
            more = self._problem.heightForWidth(self._area.width()) + self._bench.appearance.px(12)
            self._be_high(self.height() + more)
        else:
            self._form.takeRow(self._problem)
        row = cast(tuple[int, object], self._form.getWidgetPosition(field))[0]
        self._form.insertRow(row + 1, self._problem)
        self._problem.show()
        field.setFocus(Qt.FocusReason.TabFocusReason)  # selects the text in the field
        # Once the rows have moved.
        do_later(self, lambda: self._area.ensureWidgetVisible(self._problem))

    def _field(self, error: ExplorerError) -> QWidget:
        match error.id:
            case "empty-tokens" | "too-many-tokens":
                return self.target if error.fields["sequence"] == "target" else self.source
            case "bad-token":
                texts = [edit for edit in (self.source, self.target, self.words) if not edit.isHidden()]
                return next(edit for edit in texts if not _are_words(edit.text()))
            case "heads-do-not-divide":
                return self.heads
            case _:
                return self.d_model

    def _draw(self, lesson: Lesson) -> None:
        """Draw the random weights of a large model in the background."""
        title = self.windowTitle()

        def work(report: Report) -> Lesson:
            try:
                return drawn(lesson)
            except MemoryError as error:
                raise ExplorerError("not-computed", what=title, why=error) from error

        self.lesson = None
        self._background.ask(work, self._take)

    def _take(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.accept()

    def _wait(self, on: bool) -> None:
        """While the weights are drawn, only Cancel can be pressed."""
        self._area.setEnabled(not on)
        self._make_it.setEnabled(not on)
        self._make_it.setText("Drawing the weights …" if on else "Make it")

    def done(self, result: int) -> None:
        self._background.stop()
        super().done(result)


def _are_words(text: str) -> bool:
    try:
        checked_words("", text.split() or ("-",), None)
    except ExplorerError:
        return False
    return True
