"""Controls on a page, such as a choice, a number, a check box, a slider. Each only asks for a change."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QProgressBar,
    QSizePolicy,
    QSlider,
    QToolButton,
    QWidget,
)

from explorer.core.numbers import read_number
from explorer.pages.arrange import Ask
from explorer.pages.controls import Button, Check, Choice, Field, Menu, Number, ProgressBar, Ring, Slider, TextBox
from explorer.pages.gestures import Gesture, GoTo
from explorer.ui.page.gestures import perform
from explorer.ui.page.note import WordsBeside, wrapped
from explorer.ui.theme import mark
from explorer.ui.widgets import UNBOUNDED, inputs, labels
from explorer.ui.widgets.inputs import ComboBox, FactorSlider, PushButton, Segments, SpinBox, WordLine, take_typed
from explorer.ui.widgets.labels import Label, be_there
from explorer.ui.widgets.layouts import FlowLayout, column_in
from explorer.ui.widgets.names import NamedBox, set_names, with_ampersands
from explorer.ui.widgets.tree import inside
from explorer.ui.workbench import Workbench

MOST_BUTTONS, MOST_LETTERS = 13, 48
"""A choice with more options, or more letters in all of them, is a list; at text scale 2, with half as many."""
SLIDER, SHORT_SLIDER, LONG_SLIDER, LEAST_SLIDER = 260, 120, 415, 80
"""Widths in pixels at text scale 1."""
RING = 44
"""The diameter of a ring in pixels at text scale 1."""
BELOW = 2
"""Pixels at text scale 1 between the lines of a control that needs several."""
LEAST = 130
"""The least width of a field that may become narrower on a narrow page, in pixels at text scale 1."""


class ControlLine(QWidget):
    """A line with a control, and words before and after it; what has no room on it goes on below."""

    def __init__(self, bench: Workbench, spacing: int = 6, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.line = FlowLayout(self, bench.appearance.px(spacing), bench.appearance.px(BELOW), fills=True)
        self.said: list[WordsBeside] = []
        """The labels with these words."""
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Minimum)

    def say(self, words: str) -> None:
        """Put words on the line."""
        if words:
            self.said.append(WordsBeside(words, "small", self))
            self.line.addWidget(self.said[-1])

    def ask(self, gesture: Gesture) -> bool:
        """Ask for the change that the user has made; returns whether it was done: else an error is shown."""
        return perform(self.bench, gesture, self)


def line_up(lines: Sequence[ControlLine]) -> None:
    """Align controls in a column behind the longest of their titles, and let them take the rest of the width."""
    titles = [line.said[0] for line in lines if line.said]
    for title in titles:
        title.ensurePolished()
    widest = max((title.sizeHint().width() for title in titles), default=0)
    for title in titles:
        title.setFixedWidth(widest)
    for line in lines:
        line.line.set_spacing(line.bench.appearance.px(8), line.bench.appearance.px(BELOW))
        line.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)


class ChoiceView(ControlLine):
    """A choice, as buttons side by side; or as a list, if there are many options or no room for the buttons."""

    def __init__(self, bench: Workbench, choice: Choice, parent: QWidget | None = None) -> None:
        super().__init__(bench, 8, parent)
        self._choice = choice
        self.setToolTip(set_names(choice.tip))
        self._buttons: Segments | None = None
        self._list: QComboBox | None = None
        self.say(choice.title)
        self.setEnabled(choice.on)
        self._make()

    @property
    def control(self) -> Segments | QComboBox:
        """What shows the options now."""
        shown = self._buttons if self._list is None or self._list.isHidden() else self._list
        assert shown is not None
        return shown

    def tell(self, choice: Choice) -> None:
        was, self._choice = self._choice, choice
        if was.options != choice.options:
            self._make()
        if self._buttons is not None:
            self._buttons.choose(choice.chosen)
        if self._list is not None:
            self._list.setCurrentIndex(choice.chosen)
        self.setEnabled(choice.on)

    def _make(self) -> None:
        for control in (self._buttons, self._list):
            if control is not None:
                self.line.removeWidget(control)
                control.hide()
                control.deleteLater()
        choice, scale, self._buttons, self._list = self._choice, self.bench.appearance.scale, None, None
        options = choice.options
        few = len(options) * scale <= MOST_BUTTONS and sum(map(len, options)) * scale <= MOST_LETTERS
        if few and not choice.listed:
            self._buttons = Segments(options, choice.name or choice.title or choice.tip)
            self._buttons.group.idClicked.connect(self._choose)
            self._buttons.choose(choice.chosen)
            self.line.addWidget(self._buttons)
        self._fit()

    def _as_list(self) -> QComboBox:
        """The options as a list, whose words end in dots where they have no room."""
        if self._list is None:
            choice, options = self._choice, self._choice.options
            self._list = ComboBox()
            self._list.hide()
            numbered = len(set(options)) < len(options)
            self._list.addItems([f"{i}  {option}" if numbered else option for i, option in enumerate(options)])
            self._list.setAccessibleName(choice.name or choice.title or choice.tip)
            self._list.setToolTip(set_names(choice.tip or choice.title))
            self._list.setCurrentIndex(choice.chosen)
            self._list.ensurePolished()
            self._list.setMinimumWidth(min(self._list.sizeHint().width(), self.bench.appearance.px(LEAST)))
            self._list.activated.connect(self._choose)
            self.line.addWidget(self._list)
        return self._list

    def _beside(self, width: int) -> int:
        """The pixels that the words leave of a width; where that is little, the control stands below them."""
        left = width - sum(label.sizeHint().width() + self.line.spacing() for label in self.said)
        return left if left >= self.bench.appearance.px(LEAST) else width

    def _of(self, width: int) -> Segments | QComboBox:
        """What shows the options at a width."""
        buttons = self._buttons
        fits = buttons is not None and buttons.sizeHint().width() <= self._beside(width)
        return buttons if buttons is not None and fits else self._as_list()

    def _with(self, control: QWidget) -> QSize:
        """The size of the line with a control."""
        parts = [part.sizeHint() for part in (*self.said, control)]
        gaps = self.line.spacing() * (len(parts) - 1)
        return QSize(sum(part.width() for part in parts) + gaps, max(part.height() for part in parts))

    def asks(self, room: int) -> Ask:
        """What it asks for in a place of this width; in a form it is as wide as its line."""
        self.ensurePolished()
        whole = self._with(self._of(room)).width()
        fills = self.sizePolicy().horizontalPolicy() == QSizePolicy.Policy.Preferred
        least = 0 if fills else min(whole, self.minimumSizeHint().width())
        return Ask(max(min(whole, room), least), least)

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        control = self._of(width)
        likes, least = self._with(control), min(control.sizeHint().width(), self.bench.appearance.px(LEAST))
        if not self.said or likes.width() - control.sizeHint().width() + least <= width:
            return likes.height()
        words = sum(label.height_at(width) + self.line.down for label in self.said)
        return words + control.sizeHint().height()

    def sizeHint(self) -> QSize:
        return self._with(self._buttons or self._as_list())

    def minimumSizeHint(self) -> QSize:
        """The least width of a list, or of a word before it."""
        likes, words = self.sizeHint(), [label.minimumSizeHint().width() for label in self.said]
        return QSize(min(likes.width(), max(self.bench.appearance.px(LEAST), *words, 0)), likes.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show the control for which there is room."""
        there = self._of(self.width() if self.testAttribute(Qt.WidgetAttribute.WA_Resized) else UNBOUNDED)
        for control in (self._buttons, self._list):
            if control is not None:
                control.setHidden(control is not there)

    def _choose(self, place: int) -> None:
        asks = self._choice.asks
        if not self.ask(asks[place] if len(asks) > 1 else asks[0].at(place)):
            self.tell(self._choice)


class NumberView(ControlLine):
    """A box with a whole number, and a slider beside it if it can be dragged; or a long slider."""

    def __init__(self, bench: Workbench, number: Number, parent: QWidget | None = None) -> None:
        super().__init__(bench, parent=parent)
        self._number = number
        self.setToolTip(set_names(number.tip))
        self.say(number.before)
        self.box: SpinBox | QSlider = QSlider(Qt.Orientation.Horizontal) if number.slides else SpinBox()
        self.box.setAccessibleName(number.name or number.tip)
        if isinstance(self.box, SpinBox):
            self.box.setKeyboardTracking(False)
            self.box.setSpecialValueText(number.auto)
            if number.does is not None:  # how many of something: an arrow changes 100 by 10
                self.box.setStepType(SpinBox.StepType.AdaptiveDecimalStepType)
        else:
            least, most = bench.appearance.px(LEAST_SLIDER), bench.appearance.px(LONG_SLIDER)
            self.asks = lambda room: Ask(min(most, room), least, least)
        self.box.valueChanged.connect(self._set)
        self.line.addWidget(self.box)
        self.say(number.after)
        self._controls = [self.box]
        if number.drags:
            slider = QSlider(Qt.Orientation.Horizontal)
            slider.setFixedWidth(bench.appearance.px(SHORT_SLIDER))
            slider.setAccessibleName(f"{number.tip}: drag")
            slider.valueChanged.connect(self.box.setValue)
            self.line.addWidget(slider)
            self._controls.append(slider)
        for control in self._controls:
            control.setToolTip(set_names(number.tip))
        self.button = None if number.does is None else ButtonView(bench, number.does)
        if self.button is not None:
            self.line.addWidget(self.button)
        self.tell(number)

    def tell(self, number: Number) -> None:
        self._number = number
        if self.button is not None and number.does is not None:
            self.button.tell(number.does)
        for control in self._controls:
            with QSignalBlocker(control):
                control.setRange(number.least, number.most)
                control.setValue(number.value)
                control.setEnabled(number.on)

    def _set(self, value: int) -> None:
        if not self.ask(self._number.asks.at(value)):
            self.tell(self._number)


class CheckView(NamedBox):
    """A check box."""

    def __init__(self, bench: Workbench, check: Check, parent: QWidget | None = None) -> None:
        super().__init__(check.text, parent)
        self._bench = bench
        self.setAccessibleName(check.name or check.text)
        self.tell(check)
        self.toggled.connect(self._set)

    def tell(self, check: Check) -> None:
        self._check = check
        with QSignalBlocker(self):
            self.setChecked(check.value)
            self.setEnabled(check.on)
            self.setToolTip(set_names(check.tip))

    def _set(self, on: bool) -> None:
        if not perform(self._bench, self._check.asks.at(on), self):
            self.tell(self._check)


class TextBoxView(QPlainTextEdit):
    """Lines of text to type or paste."""

    def __init__(self, bench: Workbench, box: TextBox, parent: QWidget | None = None) -> None:
        super().__init__(box.value, parent)
        self._bench, self._box = bench, box
        self.setAccessibleName(box.title)
        self.setPlaceholderText(box.title)
        self.setTabChangesFocus(True)
        self.setMaximumWidth(bench.appearance.px(560))
        self.setFixedHeight(bench.appearance.px(box.height))
        self.textChanged.connect(self._ask)

    def tell(self, box: TextBox) -> None:
        """Show another text; text that is being typed stays."""
        self._box = box
        if not self.hasFocus() and box.value != self.toPlainText():
            with QSignalBlocker(self):
                self.setPlainText(box.value)

    def _ask(self) -> None:
        perform(self._bench, self._box.asks.at(self.toPlainText()[: self._box.most]), self)


class FieldView(ControlLine):
    """A line of text to type."""

    def __init__(self, bench: Workbench, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(bench, parent=parent)
        self._field = field
        px = bench.appearance.px
        self._most = px(field.width) if field.gives else 0
        self.edit = WordLine(field.value)
        self.edit.setAccessibleName(field.name or field.title)
        for one in (self, self.edit):
            one.setToolTip(set_names(field.tip))
        if field.number:
            mark(self.edit, number="true")
        if field.gives:
            self.edit.setMaximumWidth(self._most)
        if field.hint:
            self.edit.setPlaceholderText(field.hint)
            self.edit.setClearButtonEnabled(not field.gives)
            for clear in inside(self.edit, QToolButton):  # Qt gives it no name
                clear.setAccessibleName("Clear")
                clear.setToolTip("Clear")
            across = QSizePolicy.Policy.Maximum if field.gives else QSizePolicy.Policy.Expanding
            self.setSizePolicy(across, QSizePolicy.Policy.Minimum)
        else:
            self.say(field.title)
        self.slider: FactorSlider | None = None
        if field.powers is not None:
            self.slider = FactorSlider(bench, field.name or field.title, *field.powers, SHORT_SLIDER)
            self.slider.moved.connect(lambda number: self.ask(self._field.enters.at(number)))
            self.line.addWidget(self.slider)
            self.edit.setAccessibleName(f"{field.name or field.title}, typed")
        self.edit.written.connect(self._write)
        enters = self.edit.editingFinished if field.leaves or field.asks is None else self.edit.returnPressed
        enters.connect(self._enter)
        self.line.addWidget(self.edit)
        self.setFocusProxy(self.edit)
        self.tell(field)

    def sizeHint(self) -> QSize:
        """The width that the field should have; Qt's own hint is some letters wide."""
        return super().sizeHint().expandedTo(QSize(self._most, 0))

    def tell(self, field: Field) -> None:
        """Show another text; text that is being typed stays."""
        self._field, self.edit.complete = field, field.complete
        self.edit.setMinimumWidth(self.bench.appearance.px(min(field.width, LEAST) if field.gives else field.width))
        self.edit.setMaxLength(field.most)
        self.edit.setReadOnly(not field.on)
        if self.edit.text() != field.value and not (field.asks is None and self.edit.isModified()):
            self.edit.setText(field.value)
        if self.slider is not None:
            self.slider.show_number(read_number(field.value))

    def _write(self, text: str) -> None:
        if self._field.asks is not None:
            self.ask(self._field.asks.at(text))

    def _enter(self) -> None:
        if self._field.asks is not None:
            self.ask(self._field.enters)
        elif self.edit.isModified():  # else the number, of which the text may have fewer digits, must not be rounded
            self.edit.setModified(False)
            if not self.ask(self._field.enters.at(self.edit.text())):
                self.tell(self._field)

    def be_wrong(self) -> None:
        """Take the focus, and let a screen reader say what is wrong with the text."""
        self.edit.setFocus()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.edit, self._field.wrong))


class ButtonView(PushButton):
    """A button for an act; one that only leads to another page looks like a link."""

    def __init__(self, bench: Workbench, button: Button, parent: QWidget | None = None) -> None:
        leads = button.link or isinstance(button.asks, GoTo)
        super().__init__(parent=parent, look="link" if leads else "", keys=button.keys)
        self.tell(button)
        if button.longest:
            self.ensurePolished()
            self.setMinimumWidth(self.size_of(button.longest).width())
        self.clicked.connect(take_typed)  # a click leaves the keys in the field
        self.clicked.connect(lambda: perform(bench, self._button.asks, self))

    def tell(self, button: Button) -> None:
        self._button = button
        mark(self, primary="true" if button.primary else "false")
        self.setEnabled(button.on)
        self.say(button.text)
        be_there(self, bool(button.text))
        self.setAccessibleName(button.name or button.text)
        self.setToolTip(set_names(button.tip))

    def say(self, text: str) -> None:
        """Show other words."""
        self.setText(with_ampersands(text))


class SentenceView(ButtonView):
    """A button whose words go on in another line where they do not fit."""

    _words, _shown = "", ""  # the words, and the words in lines

    def __init__(self, bench: Workbench, button: Button, parent: QWidget | None = None) -> None:
        super().__init__(bench, button, parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Minimum)

    def say(self, text: str) -> None:
        self._words = text or "\u200b"  # of a button without words, Qt would measure four letters
        self._show_lines()

    def _show_lines(self) -> None:
        text = "\n".join(self._lines(self.width()))
        if text != self._shown:
            self._shown = text
            self.setText(with_ampersands(text))

    def _lines(self, width: int) -> list[str]:
        return wrapped(self._words, lambda words: self.size_of(words).width(), width, UNBOUNDED, width)

    def sizeHint(self) -> QSize:
        """All words on one line."""
        return self.size_of(self._words)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self.size_of("\n".join(self._lines(width))).height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_lines()


class Shortened(PushButton):
    """A button that shows the longest of its texts that fits its width."""

    texts: tuple[str, ...] = ("",)

    @property
    def fewer(self) -> tuple[int, ...]:
        """The widths in pixels that it needs for its shorter texts."""
        return tuple([self.size_of(text).width() for text in self.texts[1:]])

    def say_one_of(self, *texts: str) -> None:
        """Show other words, the longest ones first."""
        if texts != self.texts:
            self.texts = texts
            self.updateGeometry()
            self._show_text()

    def _show_text(self) -> None:
        text = next((text for text in self.texts if self.size_of(text).width() <= self.width()), self.texts[-1])
        self.setText(with_ampersands(text))

    def sizeHint(self) -> QSize:
        """The longest text."""
        return self.size_of(self.texts[0])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_text()


class ShortView(Shortened, ButtonView):
    """A button with fewer words where there is little room."""

    def say(self, text: str) -> None:
        self.say_one_of(text, *self._button.shorter)


def _button(bench: Workbench, button: Button, parent: QWidget | None = None) -> ButtonView:
    return (SentenceView if button.wraps else ShortView if button.shorter else ButtonView)(bench, button, parent)


class MenuView(Shortened):
    """A button that opens a list of things to do."""

    def __init__(self, bench: Workbench, menu: Menu, parent: QWidget | None = None) -> None:
        super().__init__("", None, menu.tip, parent, look="link" if menu.link else "", keys=True)
        self._bench, self._menu = bench, menu
        self.setMenu(inputs.Menu(self))
        self.tell(menu)

    def tell(self, menu: Menu) -> None:
        self._menu = menu
        self.say_one_of(f"{menu.text}  ▾", *menu.shorter)
        self.setAccessibleName(menu.text.rstrip("…"))
        self.setEnabled(menu.on)
        self.menu().clear()
        for place, (text, gesture) in enumerate(menu.entries):
            action = self.menu().addAction(text, partial(perform, self._bench, gesture, self))
            action.setCheckable(menu.here is not None)
            action.setChecked(place == menu.here)


class RingView(labels.Ring):
    """A ring that fills as it is first shown."""

    def __init__(self, bench: Workbench, ring: Ring, parent: QWidget | None = None) -> None:
        super().__init__(bench.appearance, ring.name, RING, parent)
        self.tell(ring)

    def tell(self, ring: Ring) -> None:
        self.setAccessibleName(ring.name)
        self.show_share(ring.share, fills=True)


class ProgressView(QProgressBar):
    """A bar that shows the progress of some work."""

    def __init__(self, bench: Workbench, progress: ProgressBar, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._moves = bench.appearance.moves
        self.setAccessibleName(progress.name)
        self.setTextVisible(False)
        if not progress.wide:
            self.setFixedWidth(bench.appearance.px(SLIDER))
        self.tell(progress)

    def tell(self, progress: ProgressBar) -> None:
        self.setUpdatesEnabled(False)  # else Qt would paint it, and all that waits, before it returns
        # In Qt, a bar without an end runs to and fro; with less motion it stays empty until there is progress.
        self.setRange(0, 1000 if progress.share is not None else 0 if self._moves else 1)
        self.setValue(round(1000 * (progress.share or 0)))
        self.setUpdatesEnabled(True)


class SliderView(QWidget):
    """A slider from a tenth to ten, with its ends written below. A drag, or a key held down, is one step of undo."""

    def __init__(self, bench: Workbench, slider: Slider, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._slider = slider
        self._stroke: object = None
        column = column_in(self)
        self.control = FactorSlider(bench, slider.title, -1, 1, SLIDER)
        self.control.show_number(slider.value)
        self.control.sliderPressed.connect(lambda: self._hold(object()))
        self.control.sliderReleased.connect(lambda: self._hold(None))
        self.control.moved.connect(lambda value: perform(bench, self._slider.asks.at(value), self, self._stroke))
        column.addWidget(self.control)
        ends = QHBoxLayout()
        column.addLayout(ends)
        for text, side in (
            ("0.1", Qt.AlignmentFlag.AlignLeft),
            ("1", Qt.AlignmentFlag.AlignHCenter),
            ("10", Qt.AlignmentFlag.AlignRight),
        ):
            ends.addWidget(Label(text, "small", align=side), 1)
        self._wide = bench.appearance.px(SLIDER)
        self.control.setMinimumWidth(1)

    def asks(self, room: int) -> Ask:
        """What it asks for in a place of this width: it is shorter where there is less."""
        return Ask(min(self._wide, room), min(self._wide, room))

    def tell(self, slider: Slider) -> None:
        self._slider = slider
        self.control.show_number(slider.value)

    def _hold(self, stroke: object) -> None:
        self._stroke = stroke


CONTROLS: dict[type, Callable[[Workbench, Any, QWidget], QWidget]] = {
    Button: _button,
    Check: CheckView,
    Choice: ChoiceView,
    Field: FieldView,
    Menu: MenuView,
    Number: NumberView,
    ProgressBar: ProgressView,
    Ring: RingView,
    Slider: SliderView,
    TextBox: TextBoxView,
}
