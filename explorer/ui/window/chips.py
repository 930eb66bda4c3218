"""The words of a sequence as buttons, the line of these buttons, and the field for typing words."""

from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QMenu, QScrollArea, QWidget

from explorer.pages.controls import MOST_LETTERS
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.names import with_ampersands
from explorer.ui.widgets.tree import around

FAR_ENOUGH = 12  # pixels after which a press becomes a drag

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

Key, Alt = Qt.Key, Qt.KeyboardModifier.AltModifier


class Chip(PushButton):
    """One token. Click: light it; letter, double click, Enter or F2: type; Delete: remove; Alt+arrows or drag: move."""

    edit_wanted = Signal(int)
    remove_wanted = Signal(int)
    move_wanted = Signal(int, int)
    all_wanted = Signal()
    focus_wanted = Signal(int)
    focused = Signal(int)
    dropped = Signal(int, QPoint)

    def __init__(self, position: int, editable: bool) -> None:
        changes = "Click and type another word, Delete to remove, drag or Alt+arrows to move"
        how = changes if editable else "Click to follow it"
        super().__init__(tip=how, look="chip", checkable=True)
        self.position, self._editable = position, editable
        self._pressed: QPoint | None = None
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def say(self, word: str) -> None:
        text = with_ampersands(f"{word} {str(self.position).translate(SUBSCRIPTS)}")
        if text != self.text():
            self.setText(text)
            self.setAccessibleName(f"Token {self.position}: {word}")

    def paintEvent(self, event: QPaintEvent) -> None:
        rail = around(self, Rail)
        if rail is None or rail.shows(self):
            super().paintEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and self._overrides(event):
            event.accept()  # otherwise P would play a cell and, in a lesson, Alt and arrows would go to another step
            return True
        return bool(super().event(event))

    def _overrides(self, event: QKeyEvent) -> bool:
        return event.type() == QEvent.Type.ShortcutOverride and (self._moves(event) or self._types(event))

    def _types(self, event: QKeyEvent) -> bool:
        """Whether a key is a letter or sign, with which another word begins."""
        acts = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Alt | Qt.KeyboardModifier.MetaModifier)
        return self._editable and not acts and event.text().isprintable() and bool(event.text().strip())

    def _moves(self, event: QKeyEvent) -> bool:
        return self._editable and bool(event.modifiers() & Alt) and event.key() in (Key.Key_Left, Key.Key_Right)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, alt = event.key(), bool(event.modifiers() & Alt)
        step = {Key.Key_Left: -1, Key.Key_Right: 1}.get(Key(key))
        if self._editable and key in (Key.Key_Return, Key.Key_Enter, Key.Key_F2):
            self.edit_wanted.emit(self.position)
        elif self._editable and key in (Key.Key_Delete, Key.Key_Backspace):
            self.remove_wanted.emit(self.position)
        elif step and alt and self._editable:
            self.move_wanted.emit(self.position, self.position + step)
        elif step and not alt:
            self.focus_wanted.emit(self.position + step)
        elif key in (Key.Key_Home, Key.Key_End):
            self.focus_wanted.emit(0 if key == Key.Key_Home else -1)
        elif self._types(event):
            self.edit_wanted.emit(self.position)
            if isinstance(field := self.window().focusWidget(), WordEdit):
                QCoreApplication.sendEvent(field, event)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(self.position)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._editable:
            self.edit_wanted.emit(self.position)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._pressed = event.position().toPoint() if event.button() == Qt.MouseButton.LeftButton else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if self._pressed is not None and self._far(event) and self._editable:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        moved = self._pressed is not None and self._far(event) and self._editable
        self._pressed = None
        self.unsetCursor()
        if moved:
            self.setDown(False)
            self.dropped.emit(self.position, event.globalPosition().toPoint())
        else:
            super().mouseReleaseEvent(event)

    def _far(self, event: QMouseEvent) -> bool:
        return self._pressed is not None and abs(event.position().toPoint().x() - self._pressed.x()) >= FAR_ENOUGH

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self._editable:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        here = self.position
        menu.addAction("Type another word", lambda: self.edit_wanted.emit(here))
        menu.addAction("Remove", lambda: self.remove_wanted.emit(here))
        menu.addAction("Move left", lambda: self.move_wanted.emit(here, here - 1))
        menu.addAction("Move right", lambda: self.move_wanted.emit(here, here + 1))
        menu.addAction("Type the whole sentence", self.all_wanted.emit)
        menu.popup(event.globalPos())  # not exec, because the chosen act may delete this chip with its menu


class WordEdit(QLineEdit):
    """A field for typing one word or several. Enter, or a loss of focus, takes them; Escape changes nothing.

    `words`: those to offer. `spoken`: the name for a screen reader.
    """

    finished = Signal(str)
    kept = Signal(str)
    left = Signal()

    def __init__(self, text: str, words: tuple[str, ...], spoken: str = "Type a word") -> None:
        super().__init__()
        self.setMaxLength(MOST_LETTERS)
        self._given = text
        self.setText(text)
        if words:
            completer = QCompleter(list(words), self)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            self.setCompleter(completer)
        self.setAccessibleName(spoken)
        self.setToolTip("Separate words by blanks; Enter takes them, Escape leaves everything as it was")
        self.selectAll()
        self.returnPressed.connect(lambda: self.finished.emit(self.text()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            # Untouched, a sentence of pieces stays as it is: its text could be split into others.
            if self.text() == self._given:
                self.left.emit()
            else:
                self.kept.emit(self.text())


class Rail(QScrollArea):
    """One line of widgets that scrolls sideways, also by the wheel, without a scroll bar.

    A partly visible word is not painted, because half a word reads like another word.
    """

    def __init__(self, content: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.content = content
        self.setWidget(content)
        self.horizontalScrollBar().valueChanged.connect(lambda: self.viewport().update())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # words have another size, which Qt does not pass on
            self.updateGeometry()
        return super().event(event)

    def sizeHint(self) -> QSize:
        return self.content.sizeHint()

    def shows(self, chip: QWidget) -> bool:
        """Whether a word is painted: it is wholly visible, or no word is."""
        left = -self.content.x()
        room = left, left + self.viewport().width()
        if _is_whole(chip, room):
            return True
        others = [one for one in self.content.children() if isinstance(one, Chip) and one.isVisibleTo(self.content)]
        return not any(_is_whole(one, room) for one in others)

    def wheelEvent(self, event: QWheelEvent) -> None:
        bar, turned = self.horizontalScrollBar(), event.angleDelta()
        if bar.maximum() > 0:
            bar.setValue(bar.value() - (turned.x() or turned.y()))
            event.accept()
        else:
            event.ignore()


def _is_whole(widget: QWidget, room: tuple[int, int]) -> bool:
    return room[0] <= widget.x() and widget.x() + widget.width() <= room[1]
