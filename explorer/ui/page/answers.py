"""What answers a question: buttons with words of several lines, and fields for numbers.

They know their heights at a width before Qt does: a slide and the panel of a step are divided by that.
"""

from PySide6.QtCore import QEvent, QMargins, QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QScrollArea, QWidget

from explorer.pages.steps.question import Blank, Figure, Option
from explorer.ui.page.gestures import perform
from explorer.ui.page.note import coloured
from explorer.ui.theme import mark
from explorer.ui.widgets.inputs import PushButton
from explorer.ui.widgets.labels import Label, SteadyLabel
from explorer.ui.workbench import Workbench

AROUND = 28
"""Pixels from the text of a field to its edges, both sides together."""


class OptionView(PushButton):
    """A button whose words take as many lines as they need."""

    def __init__(self, bench: Workbench, option: Option, parent: QWidget | None = None) -> None:
        super().__init__(tip="Give this answer", parent=parent, look="choice")
        px = bench.appearance.px
        self._around = QMargins(px(11), px(6), px(11), px(6))
        self.words = SteadyLabel(parent=self)
        self.words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.clicked.connect(lambda: perform(bench, self._option.asks, self))
        self.tell(option)

    def tell(self, option: Option) -> None:
        self._option = option
        self.words.setText(option.text)
        self.setAccessibleName(option.spoken)
        for part in (self, self.words.label):  # Qt matches the ancestors of a label only when it is polished
            mark(part, answer=option.outcome)
        self.setEnabled(option.on)
        self._place()  # the button may keep its size, which the longest answer beside it decides

    def height_at(self, width: int) -> int:
        """Its height in pixels at a width."""
        around = self._around
        return self.words.height_at(width - around.left() - around.right()) + around.top() + around.bottom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        """Put the words into the middle of the height."""
        inside = self.rect() - self._around
        high = self.words.height_at(inside.width())
        self.words.setGeometry(inside.x(), inside.y() + (inside.height() - high) // 2, inside.width(), high)


class FigureView(Label):
    """A number, or a sign behind it."""

    def __init__(self, bench: Workbench, figure: Figure, parent: QWidget | None = None) -> None:
        super().__init__(role="sheet" if figure.large else "", parent=parent)
        self._theme = bench.appearance.theme
        self.tell(figure)

    def tell(self, figure: Figure) -> None:
        self.setText(coloured(figure.text, self._theme))


class BlankView(QLineEdit):
    """A field for a number; typing brings it into sight. While nothing is typed, undo and redo act on the model."""

    def __init__(self, bench: Workbench, blank: Blank, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setToolTip("Type a number, then Enter")
        if blank.width:  # else it would be as wide as the screen
            self.setFixedWidth(bench.appearance.px(blank.width))
        mark(self, tight=str(blank.close).lower())
        self.tell(blank)
        self.textChanged.connect(lambda text: perform(bench, self._blank.asks.at(text), self))
        self.returnPressed.connect(lambda: perform(bench, self._blank.enters, self))

    def tell(self, blank: Blank) -> None:
        """Show another text; it may have been typed on the slide, or beside the page."""
        self._blank = blank
        self.setPlaceholderText(blank.hint)
        self.setReadOnly(not blank.on)
        self.setAccessibleName(blank.name)
        self.setAccessibleDescription(blank.said)
        if self.text() != blank.typed:
            with QSignalBlocker(self):
                self.setText(blank.typed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        confirms = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)  # what comes next is read from its beginning
        around = self.parentWidget() if event.text() and not confirms else None
        while around is not None:
            if isinstance(around, QScrollArea):
                around.ensureWidgetVisible(self, 0, 0)
            around = around.parentWidget()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and not self.text():
            meant = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
            return not any(map(event.matches, meant)) and bool(super().event(event))
        return bool(super().event(event))

    @property
    def shares_line(self) -> int:
        """See `Ask`: it may be as narrow as its hint, to stand beside a button."""
        return self.fontMetrics().horizontalAdvance(self.placeholderText()) + AROUND
