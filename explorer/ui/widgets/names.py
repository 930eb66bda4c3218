"""Names of quantities, typeset as in print: in serif italics, with a true index."""

import re
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QStaticText,
    QTextDocument,
    QTextOption,
    QTransform,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QStyleOptionViewItem,
    QStylePainter,
    QWidget,
)

from explorer.lessons.symbols import SERIF, names_html

_INDEX = re.compile(r"<i>([^<>]{1,2})</i><sub>(.*?)</sub>", re.DOTALL)
_POWER = re.compile(r"</i><sup>(.*?)</sup>", re.DOTALL)
_LETTER = re.compile(r"<i>([^<>\s])</i>")
_DIGITS = re.compile(r"<[^<>]*>|&[^;]*;|(\d+)")
_WORD = re.compile(r"\s*\S(?:(?!▁|<0x)\S)*")  # in a text of tokens a blank is a ▁, and a byte may follow a byte
_FAMILY = f'style="font-family:{SERIF}"'
UNSEEN = 2
"""Pixels of the invisible "_" in a name; in an index Qt takes two thirds, and warns if that is 0."""
_UNSEEN = f'<span style="font-size:{UNSEEN}px;color:transparent">_</span>'
"""An invisible sign, so that a name is copied, and spoken by a screen reader, as it is typed: W_O."""


@lru_cache(maxsize=2048)
def set_names(text: str) -> str:
    """Words for a label, with names typeset; words without names stay the same.

    `text`: plain or rich; names are typed, as W_O, or marked as formulas are by `explorer.lessons.symbols`.
    """
    if "_" not in text and "</i>" not in text:
        return text
    rich = text if "</" in text or "<br" in text else escape(text, quote=False).replace("\n", "<br>")
    named = names_html(rich)
    if named == rich and "</i>" not in text:
        return text
    named = _POWER.sub(
        lambda power: f"</i><sup><span {_FAMILY}><span{_size(power[1])}>{power[1]}</span></span></sup>", named
    )
    return _LETTER.sub(rf"<i {_FAMILY}>\1</i>", _INDEX.sub(_set, named))


def _size(text: str) -> str:
    """What makes an index or a power large enough: Qt makes it two thirds as high as the letters beside it."""
    return "" if "font-size" in text else " style='font-size:large'"  # a fifth more; on a slide it has its own size


def _set(match: re.Match[str]) -> str:
    below = match[2].replace("<i>", "").replace("</i>", "")
    size = _size(below)
    # A 1 in italics is read as I.
    below = _DIGITS.sub(
        lambda found: f"<span style='font-style:normal'>{found[1]}</span>" if found[1] else found[0], below
    )
    return f"<span {_FAMILY}><em>{match[1]}</em>{_UNSEEN}<sub><em{size}>{below}</em></sub></span>"


def document_of(html: str, font: QFont) -> QTextDocument:
    """A document without margins."""
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setDefaultFont(font)
    document.setHtml(html)
    return document


@lru_cache(maxsize=512)
def _laid(text: str, font: str) -> tuple[QStaticText, float]:
    """Words with names as they are painted, and the pixels from their top to their base line."""
    letters = QFont()
    letters.fromString(font)
    html = set_names(text)
    laid = QStaticText(f"<span style='white-space:pre'>{html}</span>" if text != text.strip() else html)
    laid.setTextFormat(Qt.TextFormat.RichText)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    laid.setTextOption(option)
    laid.prepare(QTransform(), letters)
    document = document_of(html, letters)
    document.size()  # lays it out
    return laid, float(document.begin().layout().lineAt(0).ascent())


def wide(font: QFont, text: str) -> float:
    """The width in pixels of words that `draw_named` writes."""
    if set_names(text) == text:
        return QFontMetricsF(font).horizontalAdvance(text)
    return float(_laid(text, font.toString())[0].size().width())


def broken(text: str, room: float, wide: Callable[[str], float]) -> list[str]:
    """Words broken into lines of at most so many pixels; a word that is too long by itself stands alone.

    `wide`: gives the width of words in pixels.
    """
    words = _WORD.findall(text)
    if len(words) < 2 or wide(text) <= room:
        return [text]
    indent, lines = words[0][: len(words[0]) - len(words[0].lstrip())], [words[0]]
    for word in words[1:]:
        longer = lines[-1] + word
        lines[-1:] = [longer] if wide(longer) <= room else [lines[-1], indent + word.lstrip()]
    return lines


def draw_named(painter: QPainter, rect: QRect | QRectF, place: int, text: str) -> None:
    """Write one line of words as `QPainter.drawText` does, with names typeset, which never makes it wider.

    `place`: flags of `Qt.AlignmentFlag`, as a number.
    """
    if set_names(text) == text:
        painter.drawText(rect, place, text)
        return
    flag, metrics, rect = Qt.AlignmentFlag, QFontMetricsF(painter.font()), QRectF(rect)
    laid, ascent = _laid(text, painter.font().toString())
    over, below = rect.width() - laid.size().width(), rect.height() - metrics.height()
    across = over if place & flag.AlignRight.value else over / 2 if place & flag.AlignHCenter.value else 0.0
    down = below if place & flag.AlignBottom.value else below / 2 if place & flag.AlignVCenter.value else 0.0
    painter.drawStaticText(QPointF(rect.left() + across, rect.top() + down + metrics.ascent() - ascent), laid)


class NamedItems(QStyledItemDelegate):
    """Paints the items of a list, whose words may contain names."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        text = str(index.data() or "")
        if set_names(text) == text:
            super().paint(painter, option, index)
            return
        item: Any = QStyleOptionViewItem(option)  # the stubs know none of its fields
        self.initStyleOption(item, index)
        item.text = ""
        view = item.widget
        style = view.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, item, painter, view)
        item.text = text
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, view) + 1
        room = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, item, view).adjusted(margin, 0, -margin, 0)
        chosen = bool(item.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text
        painter.setFont(item.font)
        painter.setPen(item.palette.color(role))
        short = QFontMetrics(item.font).elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        draw_named(painter, room, Qt.AlignmentFlag.AlignVCenter.value, short)


def with_ampersands(text: str) -> str:
    """A text for a button, a box or a menu that shows each &, as in R&D; Qt would underline the next letter."""
    return text.replace("&", "&&")


class NamedBox(QCheckBox):
    """A check box whose words may contain names. For a screen reader its text is as it is typed.

    Words without names go on in another line where they have too little room.
    """

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(with_ampersands(text), parent)
        self._typed = text
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    @property
    def _rich(self) -> bool:
        return set_names(self._typed) != self._typed

    def _document(self) -> QTextDocument:
        ink = self.palette().color(
            QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled,
            QPalette.ColorRole.WindowText,
        )
        return document_of(f"<span style='color:{ink.name()}'>{set_names(self._typed)}</span>", self.font())

    def sizeHint(self) -> QSize:
        """All words on one line."""
        around = self._around()
        if self._rich:
            return around + QSize(int(self._document().idealWidth()) + 1, 0)
        return around + QSize(self._wide(self._typed), 0)

    def minimumSizeHint(self) -> QSize:
        """The longest word."""
        if self._rich:
            return self.sizeHint()
        return self._around() + QSize(max(map(self._wide, self._typed.split()), default=0), 0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return int(self._around().height() + (len(self._lines(width)) - 1) * self.fontMetrics().lineSpacing())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        text = with_ampersands("\n".join(self._lines(self.width())))
        if text != self.text():
            self.setText(text)

    def _around(self) -> QSize:
        """The size of the box with one line of no width."""
        size, typed = super().sizeHint(), self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic.value, self.text())
        lines = self.text().count("\n")
        return QSize(size.width() - typed.width(), size.height() - lines * self.fontMetrics().lineSpacing())

    def _wide(self, words: str) -> int:
        return int(self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic.value, with_ampersands(words)).width())

    def _lines(self, width: int) -> list[str]:
        room = width - self._around().width()
        return [self._typed] if self._rich else [one.strip() for one in broken(self._typed, room, self._wide)]

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
