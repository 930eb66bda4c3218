"""A quiet line below the top bar: something that a person should know and can answer, whenever they like."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton

from explorer.ui.appearance import Appearance


class Notice(QFrame):
    """One sentence with buttons; it is there until one of them is pressed. A newer sentence takes its place."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("notice")
        self._appearance = appearance
        self._text = QLabel()
        self._text.setTextFormat(Qt.TextFormat.PlainText)  # the name of a file may look like HTML
        self._text.setWordWrap(True)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._text, 1)
        self.buttons: dict[str, QPushButton] = {}
        self.hide()
        self.restyle()

    def ask(self, text: str, answers: Mapping[str, Callable[[], object]]) -> None:
        """Show a sentence, and what can be answered: the words on each button, and what it does."""
        self._text.setText(text)
        for button in self.buttons.values():
            button.deleteLater()
        self.buttons = {}
        for words, act in answers.items():
            button = QPushButton(words)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(partial(self._answer, act))
            self._row.addWidget(button)
            self.buttons[words] = button
        self.show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def say(self, text: str) -> None:
        """Change the sentence; what can be answered stays."""
        self._text.setText(text)

    def _answer(self, act: Callable[[], object]) -> None:
        self.hide()
        act()

    @property
    def text(self) -> str:
        """The sentence; empty where none is shown."""
        return "" if self.isHidden() else self._text.text()

    def restyle(self) -> None:
        """Follow the text scale."""
        px = self._appearance.px
        self._row.setContentsMargins(px(24), px(6), px(16), px(6))
        self._row.setSpacing(px(16))
