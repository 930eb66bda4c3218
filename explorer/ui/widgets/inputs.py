"""Widgets to press, choose or type with: buttons, boxes, sliders, choices, lines of words, menus and message boxes.

On a page that scrolls, the wheel over a combo box scrolls the page, and so does the wheel over a spin box or a slider
without the focus. Menus are no higher than the window, and scroll. Message boxes have the program's own look, without
pictures of the system.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log10
from textwrap import wrap
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QButtonGroup,
    QComboBox,
    QCompleter,
    QLineEdit,
    QListView,
    QMenu,
    QMessageBox,
    QPushButton,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QWidget,
)

from explorer import PROGRAM
from explorer.ui.theme import Look, mark
from explorer.ui.widgets.labels import as_tip
from explorer.ui.widgets.layouts import row_in
from explorer.ui.widgets.names import NamedItems, draw_named, set_names, with_ampersands
from explorer.ui.workbench import Workbench

ROUNDED = 4
"""Pixels that Qt may lose where it rounds the width of the words of a box."""


BESIDE_ICON = 4
"""Pixels between a button's icon and its words, as in Qt."""


class PushButton(QPushButton):
    """A button with words.

    `text`: each & in it is shown.
    `act`: what a click does.
    `name`: what a screen reader says in place of the text; of a sign, such as ✕, the tip as far as its first " (" or
    ";".
    `keys`: whether also a click gives it the keyboard focus.
    """

    def __init__(
        self,
        text: str = "",
        act: Callable[[], object] | None = None,
        tip: str = "",
        parent: QWidget | None = None,
        *,
        look: Look = "",
        name: str = "",
        keys: bool = False,
        checkable: bool = False,
    ) -> None:
        super().__init__(with_ampersands(text), parent)
        self.setAutoDefault(True)  # so that Enter presses it, as Space does; Qt sets this by default only in dialogs
        self.setCheckable(checkable)
        if look:
            self.setProperty(look, "true")
        if not keys:
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if tip:
            self.setToolTip(as_tip(tip))
        if text and not any(map(str.isalpha, text)):
            name = name or re.split(r" \(|;", tip)[0]
        if name:
            self.setAccessibleName(name)
        if act is not None:
            self.clicked.connect(lambda: act())  # a click also says whether the button is checked

    def size_of(self, text: str) -> QSize:
        """The size that it likes with other words, in lines."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        words = self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic.value, with_ampersands(text))
        if not self.icon().isNull():
            icon = self.iconSize()
            words = QSize(words.width() + icon.width() + BESIDE_ICON, max(words.height(), icon.height()))
        return self.style().sizeFromContents(QStyle.ContentsType.CT_PushButton, option, words, self)


class IconButton(QToolButton):
    """A button with an icon in place of words.

    `act`: what a click does; of an action, also its icon, tip and name.
    `name`: for a screen reader; without one, the tip as far as its first " (".
    """

    def __init__(self, act: QAction | Callable[[], object], tip: str = "", name: str = "") -> None:
        super().__init__(autoRaise=True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolTip(tip)
        if isinstance(act, QAction):
            self.setDefaultAction(act)
            name = act.text()
        else:
            press = act
            self.clicked.connect(lambda: press())  # a click also says whether the button is checked
        self.setAccessibleName(name or tip.partition(" (")[0])


class ComboBox(QComboBox):
    """A choice from a list that opens by a click or by the keyboard. Names in the words of `addItems` are typeset."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def addItems(self, texts: Sequence[str]) -> None:
        super().addItems(texts)
        if any(set_names(text) != text for text in texts):
            self.setItemDelegate(NamedItems(self))

    def sizeHint(self) -> QSize:
        """A little wider than Qt's: in large letters the longest words ended in dots."""
        return super().sizeHint() + QSize(ROUNDED, 0)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint() + QSize(ROUNDED, 0)

    def event(self, event: QEvent) -> bool:
        """Use a letter to choose the entry that begins with it, though the letter may be a shortcut of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
            if plain and event.text().isalpha():
                event.accept()
                return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        # As Qt does it, but words that do not fit end in dots.
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        style, box = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        place = self.style().subControlRect(style, option, box, self)
        room = place.width() + 2  # counted in its own width
        text = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)
        named = set_names(text) != text
        words: Any = option
        words.currentText = "" if named else text
        painter.drawComplexControl(style, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        if named:
            draw_named(painter, place.adjusted(1, 0, 1, 0), Qt.AlignmentFlag.AlignVCenter.value, text)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page."""
        event.ignore()


class SpinBox(QSpinBox):
    """A whole number; the wheel changes it if the box has the focus."""

    def __init__(self, **properties: Any) -> None:
        super().__init__(**properties)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page, unless the box has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Menu(QMenu):
    """A menu no higher than the window that it was opened from.

    If it scrolls, the first press of Up also shows the last entry: Qt would choose it without scrolling to it.
    """

    def __init__(self, parent: QWidget, title: str = "") -> None:
        super().__init__(title, parent)
        self._within = parent
        self.aboutToShow.connect(self._stay_within)

    def _stay_within(self) -> None:
        self.setMaximumHeight(self._within.window().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Up and self.activeAction() is None:
            entries = (action for action in self.actions() if action.isEnabled() and not action.isSeparator())
            first = next(entries, None)
            if first is not None:
                self.setActiveAction(first)  # from here, Up goes round to the last entry, and scrolls there
        super().keyPressEvent(event)


def take_typed() -> None:
    """Take over what is being typed into a cell or a field, as a click elsewhere does; the keys stay there."""
    typed = QApplication.focusWidget()
    if isinstance(typed, QLineEdit | QAbstractSpinBox | QComboBox):
        around = typed.parentWidget() or typed
        typed.window().setFocus()
        (typed if typed.isVisible() else around).setFocus()


def reached(widget: QWidget) -> list[QWidget]:
    """The controls in a widget that Tab reaches, in the order in which they were made."""
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        return [widget]
    return [found for one in widget.children() if isinstance(one, QWidget) for found in reached(one)]


def tab_through(*widgets: QWidget) -> None:
    """Let Tab go through the controls in some widgets in this order: Qt puts a newer one behind all others."""
    for before, after in pairwise([found for one in widgets for found in reached(one)]):
        QWidget.setTabOrder(before, after)


_LONG, _PIECE = re.compile(r"[^\s/\\]{36,}"), 12
"""A word that may be too wide for a message box in the largest letters, and the letters after which it may break."""


def message_box(text: str, parent: QWidget | None = None) -> QMessageBox:
    """A box with one message; its buttons are still to be added. Long words, such as file names, may break."""
    text = _LONG.sub(lambda word: "\u200b".join(wrap(word[0], _PIECE)), text)  # otherwise the box would cut them off
    box = QMessageBox(QMessageBox.Icon.NoIcon, PROGRAM, text, parent=parent)
    box.setTextFormat(Qt.TextFormat.PlainText)  # the name of a file may look like HTML
    layout = box.layout()
    if layout is not None:  # margins as in other dialogs; Qt adds a place for a picture at the left
        letter = box.fontMetrics().height()  # it has no look of its own: its margins follow the font
        layout.setContentsMargins(letter // 4, 9 * letter // 8, 9 * letter // 8, 7 * letter // 8)
    return box


_FRAME = QSize(16, 48)
"""Pixels for the frame and the title of a window."""


def be_as_large(window: QWidget, width: int, height: int) -> None:
    """Give a dialog a size in pixels, within its screen: in large letters its buttons would lie below it."""
    window.resize(QSize(width, height).boundedTo(window.screen().availableSize() - _FRAME))


class Segments(QWidget):
    """Buttons in a row, one of which is pressed.

    `spoken`: what is chosen, for a screen reader, such as "Head".
    """

    def __init__(self, titles: Sequence[str], spoken: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.group = QButtonGroup(self)  # emits ``idClicked`` with the index of the button that the person pressed
        layout = row_in(self, spacing=0)
        last = len(titles) - 1
        for i, title in enumerate(titles):
            place = "only" if not last else "first" if i == 0 else "last" if i == last else "middle"
            whole = f"{spoken} {title}"
            button = mark(PushButton(title, tip=whole, name=whole, checkable=True), segment=place)
            self.group.addButton(button, i)
            button.setAutoExclusive(True)  # so that a screen reader says one of several, and no check box
            layout.addWidget(button)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def choose(self, place: int) -> None:
        """Mark one button as chosen."""
        button = self.group.button(place)
        if button is not None:
            button.setChecked(True)


DECADE = 50  # steps from 1 to 10


class FactorSlider(QSlider):
    """A slider from one power of ten to another, in which each step is a factor. A key presses it as the mouse does.

    `title`: for a screen reader and the tooltip.
    `low`, `high`: the exponents of ten at the ends.
    `width`: pixels at text scale 1.
    """

    moved = Signal(float)  # the person has set it to this number

    def __init__(self, bench: Workbench, title: str, low: int, high: int, width: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(low * DECADE, high * DECADE)
        self.setPageStep(DECADE // 5)
        self.setAccessibleName(title)
        self.setToolTip(f"{title}: drag, or the arrow keys; Home and End for {10.0**low:g} and {10.0**high:g}")
        self.valueChanged.connect(lambda place: self.moved.emit(float(f"{10 ** (place / DECADE):.2g}")))
        self.setFixedWidth(bench.appearance.px(width))

    def show_number(self, number: float) -> None:
        """Move to a number; a number beyond the ends moves it to the end."""
        low, high = self.minimum(), self.maximum()
        place = round(DECADE * log10(number)) if 0 < number < float("inf") else low
        with QSignalBlocker(self):
            self.setValue(min(max(place, low), high))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat():
            self.sliderPressed.emit()
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        super().keyReleaseEvent(event)
        if not event.isAutoRepeat():
            self.sliderReleased.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page, unless the slider has the focus."""
        if not self.hasFocus():
            event.ignore()
            return
        super().wheelEvent(event)


OFFERED = 8
_BREAK = re.compile(r"[\s,;]+")


class WordLine(QLineEdit):
    """A line whose last word is completed, where `complete` gives words that begin so, and how many at most."""

    written = Signal(str)  # by a person, or taken over from what is offered

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.complete: Callable[[str, int], Sequence[str]] | None = None
        self._model = QStringListModel(self)
        self._completer = QCompleter(self._model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setWidget(self)
        self._completer.setMaxVisibleItems(OFFERED)
        self._popup = QListView()
        self._completer.setPopup(self._popup)
        self._completer.activated.connect(self._insert)
        self.textEdited.connect(self._offer)
        self.textEdited.connect(self.written)

    def _start(self) -> tuple[int, str]:
        """Where the word begins that the cursor stands behind, and what there is of it."""
        before = self.text()[: self.cursorPosition()]
        last = max((match.end() for match in _BREAK.finditer(before)), default=0)
        return last, before[last:]

    def _offer(self) -> None:
        _, start = self._start()
        found = list(self.complete(start, OFFERED)) if self.complete is not None and start else []
        if not found or found == [start]:
            self._popup.hide()
            return
        self._model.setStringList(found)
        self._completer.complete()

    def _insert(self, word: str) -> None:
        at, start = self._start()
        text = self.text()
        self.setText(text[:at] + word + text[at + len(start) :])
        self.setCursorPosition(at + len(word))
        self.written.emit(self.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        popup = self._popup
        enters = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and popup.isVisible()
        # With a word picked in the list, Enter takes it over; only the next one asks. The list has a current row
        # from the beginning, but nothing is picked before an arrow key selects it.
        if enters and popup.selectionModel().hasSelection():
            event.ignore()
            return
        if enters:
            popup.hide()
        super().keyPressEvent(event)
        if enters:
            event.accept()  # otherwise the completer writes the current row


def fold_button(fold: QAction, sign: str, parent: QWidget | None = None) -> PushButton:
    """A button with an arrow that triggers an action, and has its tooltip and name.

    `sign`: an arrow in the direction in which the part is folded or unfolded.
    """
    return PushButton(sign, fold.trigger, fold.toolTip(), parent, look="link", name=fold.text())
