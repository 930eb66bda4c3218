"""What the program says at its first start: three ways to begin, and no wizard."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout

from explorer.ui.theme import mark
from explorer.ui.widgets.steady import SteadyLabel
from explorer.ui.workbench import Workbench

SETTING = "start card"
"""Under this name it is remembered that nobody wants to see it any more."""


class StartCard(QFrame):
    """*Start here · Choose a lesson · Type your own sentence*. It goes with the first of them, or when it is closed."""

    start_wanted = Signal()
    lessons_wanted = Signal()
    sentence_wanted = Signal()

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self.setObjectName("stepPanel")
        self._bench = bench
        self._title = SteadyLabel("New here?", role="strong")
        self._close = mark(QPushButton("✕"), link="true")
        self._close.setAccessibleName("Close this card")
        self._close.setToolTip("Close this card; the lessons stay under “Lessons”")
        self._close.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._close.clicked.connect(self.put_away)
        self._column = QVBoxLayout(self)
        top = QHBoxLayout()
        self._column.addLayout(top)
        top.addWidget(self._title, 1)
        top.addWidget(self._close)
        ways = (
            ("Start here", "What a transformer does, in ten steps", self.start_wanted),
            ("Choose a lesson", "All lessons, with what each teaches", self.lessons_wanted),
            ("Type your own sentence", "See what the model makes of your words", self.sentence_wanted),
        )
        self.buttons = []
        for i, (text, tip, signal) in enumerate(ways):
            button = mark(QPushButton(text), primary="true" if not i else "false")
            button.setToolTip(tip)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(self.put_away)
            button.clicked.connect(signal)
            self._column.addWidget(button)
            self.buttons.append(button)
        self.setVisible(False)
        self.restyle()

    def put_away(self) -> None:
        """Close it for good."""
        self._bench.settings.set(SETTING, False)
        self.hide()

    def restyle(self) -> None:
        """Follow the text scale."""
        px = self._bench.appearance.px
        self._column.setContentsMargins(px(20), px(10), px(12), px(14))
        self._column.setSpacing(px(4))
