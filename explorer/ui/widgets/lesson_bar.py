"""Below the stage: what the setting of the lesson that is open shows."""

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from explorer.ui.theme import mark
from explorer.ui.workbench import Workbench

LINES = 2
"""Lines of the first sentence that are shown; the stage needs the room."""


class LessonBar(QFrame):
    """The setting's title and the first sentence about it; all that there is to say on request.

    Parameters
    ----------
    bench : Workbench
    """

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lessonBar")
        self._bench = bench
        self._title = mark(QLabel(), role="strong")
        self._more = QPushButton()
        mark(self._more, link="true")
        self._more.setCheckable(True)
        self._more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._more.setToolTip("All that is to say about this example")
        self._more.toggled.connect(self.refresh)
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        top = QHBoxLayout()
        top.addWidget(self._title)
        top.addStretch()
        top.addWidget(self._more)
        self._page = QVBoxLayout(self)
        self._page.addLayout(top)
        self._page.addWidget(self._text)
        self.restyle()

    def refresh(self) -> None:
        """Say what belongs to the lesson and setting of now."""
        lesson = self._bench.lesson
        setting = lesson.settings.get(self._bench.document.state.setting)
        if setting is None:
            return
        assert isinstance(self._title, QLabel)
        self._title.setText(setting.title)
        paragraphs = [" ".join(p.split()) for p in f"{setting.paragraph}\n\n{lesson.paragraph}".strip().split("\n\n")]
        whole = self._more.isChecked()
        self._text.setText("\n\n".join(paragraphs) if whole else self._shortened(first_sentence(paragraphs[0])))
        self._more.setText("Less" if whole else "More")

    def _shortened(self, text: str) -> str:
        """As much of a text as stands in the lines there are."""
        room = LINES * max(self._text.width(), 100) - self._text.fontMetrics().horizontalAdvance("a long word …")
        return self._text.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()

    def restyle(self) -> None:
        """Follow the text scale."""
        px = self._bench.appearance.px
        self._page.setContentsMargins(px(24), px(8), px(16), px(12))
        self._page.setSpacing(0)
        self.refresh()


def first_sentence(text: str) -> str:
    """Up to the first full stop that ends a sentence; a colon's list belongs to it."""
    return re.split(r"(?<=[.!?])\s+(?=[A-Z“])", text, maxsplit=1)[0]
