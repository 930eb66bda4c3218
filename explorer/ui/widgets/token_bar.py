"""The token bar: a chip for each word, to type, add, remove and reorder."""

from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QCompleter, QFrame, QHBoxLayout, QLabel, QLineEdit, QMenu, QPushButton, QWidget

from explorer.core.errors import ExplorerError
from explorer.document.commands import SetTokens
from explorer.document.document import Change
from explorer.ui.errors import show_error
from explorer.ui.theme import mark
from explorer.ui.widgets.flow import FlowLayout
from explorer.ui.workbench import Workbench

FAR_ENOUGH = 12  # pixels before a press becomes a move


class Chip(QPushButton):
    """One token. Click: light it up; double click, Enter or F2: type; Delete: remove; Alt+arrows or dragging: move."""

    edit_wanted = Signal(int)
    remove_wanted = Signal(int)
    move_wanted = Signal(int, int)
    dropped = Signal(int, QPoint)

    def __init__(self, word: str, position: int, editable: bool) -> None:
        super().__init__(f"{word}  {position}")
        mark(self, chip="true")
        self.position, self._editable = position, editable
        self._pressed: QPoint | None = None
        self.setAccessibleName(f"Token {position}: {word}")
        how = "Double click to type, Delete to remove, drag or Alt+arrows to move" if editable else "Click to follow it"
        self.setToolTip(how)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, alt = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if self._editable and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.edit_wanted.emit(self.position)
        elif self._editable and key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove_wanted.emit(self.position)
        elif self._editable and alt and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.move_wanted.emit(self.position, self.position + (1 if key == Qt.Key.Key_Right else -1))
        else:
            super().keyPressEvent(event)

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
        menu.popup(event.globalPos())  # not exec: what is chosen may delete this chip, and the menu with it


class WordEdit(QLineEdit):
    """A word being typed; Escape leaves it as it was."""

    finished = Signal(str)
    left = Signal()

    def __init__(self, text: str, words: tuple[str, ...]) -> None:
        super().__init__(text)
        completer = QCompleter(list(words), self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setCompleter(completer)
        self.setFixedWidth(self.fontMetrics().averageCharWidth() * 18)
        self.setAccessibleName("Type a word")
        self.selectAll()
        self.returnPressed.connect(lambda: self.finished.emit(self.text()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.left.emit()


class TokenBar(QFrame):
    """The sequences of the model side by side. It keeps no words: they are read from the graph.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tokenBar")
        self._bench = bench
        self._chips: dict[str, list[Chip]] = {}
        self._edit: tuple[str, int, WordEdit] | None = None
        layout = QHBoxLayout(self)
        self._flow_holder = QWidget()
        self._flow = FlowLayout(self._flow_holder)
        layout.addWidget(self._flow_holder, 1)
        bench.selection.token_changed.connect(self._light)
        self.rebuild()

    def follow(self, change: Change) -> None:
        """Show other words."""
        tokens = {f"{sequence}.tokens" for sequence in self._bench.document.engine.graph.sequences}
        if change.structure or not tokens.isdisjoint(change.changed):
            self.rebuild()

    def restyle(self) -> None:
        """Follow the text scale."""
        self.rebuild()

    def rebuild(self) -> None:
        """Make the chips anew from the graph."""
        focused = self._focused()
        self._edit = None
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        px = self._bench.appearance.px
        self._flow.set_spacing(px(8), px(6))
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(px(20), px(8), px(20), px(8))
        engine = self._bench.document.engine
        self._chips = {}
        editable = bool(engine.graph.sequences)
        for axis in engine.graph.sequences or [a for a in ("query", "key", "input") if a in engine.graph.axes]:
            title = "Words" if axis == "query" and "key" not in engine.graph.axes else axis.capitalize()
            self._flow.addWidget(mark(QLabel(title), role="muted"))
            self._chips[axis] = [self._chip(axis, i, word, editable) for i, word in enumerate(engine.labels(axis))]
            for chip in self._chips[axis]:
                self._flow.addWidget(chip)
            if editable:
                self._flow.addWidget(self._add_button(axis))
            spacer = QWidget()
            spacer.setFixedSize(px(14), 1)
            self._flow.addWidget(spacer)
        if not self._chips:
            self.hide()
        elif self.parentWidget() is not None:  # shown without a parent it would be a window of its own
            self.show()
        self._light()
        if focused is not None:
            axis, position = focused
            chips = self._chips.get(axis, [])
            if chips:
                chips[min(position, len(chips) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)

    def _focused(self) -> tuple[str, int] | None:
        if self._edit is not None and self._edit[2].hasFocus():
            return self._edit[:2]
        for axis, chips in self._chips.items():
            for chip in chips:
                if chip.hasFocus():
                    return axis, chip.position
        return None

    def _chip(self, axis: str, position: int, word: str, editable: bool) -> Chip:
        chip = Chip(word, position, editable)
        chip.setCheckable(True)
        chip.clicked.connect(lambda checked: self._bench.selection.choose_token((axis, position) if checked else None))
        chip.edit_wanted.connect(lambda at: self.edit(axis, at))
        chip.remove_wanted.connect(lambda at: self._change(axis, lambda words: words[:at] + words[at + 1 :]))
        chip.move_wanted.connect(lambda at, to: self._move(axis, at, to))
        chip.dropped.connect(lambda at, point: self._drop(axis, at, point))
        return chip

    def _add_button(self, axis: str) -> QPushButton:
        button = QPushButton("+")
        mark(button, chip="true", add="true")
        button.setAccessibleName(f"Add a token to {axis}")
        button.setToolTip(f"Add a token to {axis}")
        # Pressed, not clicked: pressing ends a word that is being typed, and this button is made anew with the chips.
        button.pressed.connect(lambda: self.edit(axis, len(self._chips[axis])))
        return button

    def edit(self, axis: str, position: int) -> None:
        """Open the word at a position for typing; behind the last, a new one."""
        engine = self._bench.document.engine
        labels = engine.labels(axis)
        words = engine.graph.axes[engine.graph.sequences[axis]]
        editor = WordEdit(labels[position] if position < len(labels) else "", words)
        chips = self._chips[axis]
        if position < len(chips):
            at = self._index(chips[position])
            chips[position].hide()
        else:
            at = self._index(chips[-1]) + 1
        self._flow.insert_widget(at, editor)
        self._edit = (axis, position, editor)
        editor.finished.connect(self._typed)
        editor.left.connect(self._leave)
        editor.show()
        editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _index(self, widget: QWidget) -> int:
        items = (self._flow.itemAt(i) for i in range(self._flow.count()))
        return next(i for i, item in enumerate(items) if item is not None and item.widget() is widget)

    def _typed(self, text: str) -> None:
        assert self._edit is not None
        axis, position, editor = self._edit
        new = text.split()
        words = list(self._bench.document.engine.labels(axis))
        try:
            self._bench.document.do(SetTokens(axis, tuple(words[:position] + new + words[position + 1 :])))
        except ExplorerError as error:
            show_error(error, editor)
            return
        self._leave()

    def _leave(self) -> None:
        if self._edit is not None:
            self.rebuild()

    def _change(self, axis: str, make: Any) -> None:
        words = list(self._bench.document.engine.labels(axis))
        try:
            self._bench.document.do(SetTokens(axis, tuple(make(words))))
        except ExplorerError as error:
            show_error(error, self)

    def _move(self, axis: str, at: int, to: int) -> None:
        if 0 <= to < len(self._chips[axis]):
            self._chips[axis][to].setFocus(Qt.FocusReason.OtherFocusReason)

            def moved(words: list[str]) -> list[str]:
                words.insert(to, words.pop(at))
                return words

            self._change(axis, moved)

    def _drop(self, axis: str, at: int, point: QPoint) -> None:
        local = self._flow_holder.mapFromGlobal(point)
        chips = self._chips[axis]
        nearest = min(chips, key=lambda chip: (chip.geometry().center() - local).manhattanLength())
        self._move(axis, at, nearest.position)

    def _light(self) -> None:
        token = self._bench.selection.token
        for axis, chips in self._chips.items():
            for chip in chips:
                chip.setChecked(token == (axis, chip.position))
