"""Names of quantities as they are set in print: in serif italics, with a true index."""

import re
from functools import lru_cache
from html import escape

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette, QTextDocument
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton, QStylePainter, QWidget

from explorer.lessons.symbols import SERIF, names_html

_INDEX = re.compile(r"<i>([^<>]{1,2})</i><sub>(.*?)</sub>", re.DOTALL)
_LETTER = re.compile(r"<i>([^<>\s])</i>")
_FAMILY = f'style="font-family:{SERIF}"'
UNSEEN = 2
"""Pixels of the "_" in a name, which nobody sees; in an index Qt takes two thirds, and warns where that is none."""
_UNSEEN = f'<span style="font-size:{UNSEEN}px;color:transparent">_</span>'
"""A sign that nobody sees: what is copied, and what a screen reader says, is the name as one types it: W_O."""


@lru_cache(maxsize=2048)
def set_names(text: str) -> str:
    """Words for a label, with the names in them set; the words themselves where there is none.

    Parameters
    ----------
    text : str
        Plain or rich; names are typed, as W_O, or marked as formulas are by `explorer.lessons.symbols`.
    """
    if "_" not in text and "</i>" not in text:
        return text
    rich = text if "</" in text or "<br" in text else escape(text, quote=False).replace("\n", "<br>")
    named = names_html(rich)
    if named == rich and "</i>" not in text:
        return text
    return _LETTER.sub(rf"<i {_FAMILY}>\1</i>", _INDEX.sub(_set, named))


def _set(match: re.Match[str]) -> str:
    below = match[2].replace("<i>", "").replace("</i>", "")
    return f"<span {_FAMILY}><em>{match[1]}</em>{_UNSEEN}<sub><em>{below}</em></sub></span>"


class NamedBox(QCheckBox):
    """A box to tick, whose words may hold names. For a screen reader and for tests its text is what one types."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._rich = set_names(text) != text

    def _document(self) -> QTextDocument:
        document = QTextDocument()
        document.setDocumentMargin(0)
        document.setDefaultFont(self.font())
        ink = self.palette().color(
            QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled,
            QPalette.ColorRole.WindowText,
        )
        document.setHtml(f"<span style='color:{ink.name()}'>{set_names(self.text())}</span>")
        return document

    def sizeHint(self) -> QSize:
        size = super().sizeHint()
        if self._rich:
            typed = QFontMetrics(self.font()).horizontalAdvance(self.text())
            size.setWidth(size.width() - typed + int(self._document().idealWidth()) + 1)
        return size

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._rich:
            super().paintEvent(event)
            return
        option, painter = QStyleOptionButton(), QStylePainter(self)
        self.initStyleOption(option)
        words = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self)
        option.text = ""
        painter.drawControl(QStyle.ControlElement.CE_CheckBox, option)
        painter.end()
        document = self._document()
        over = QPainter(self)
        over.translate(QPointF(words.left(), words.top() + (words.height() - document.size().height()) / 2))
        document.drawContents(over)
        over.end()
