"""Words whose place stays, and icons.

Words whose place is laid out anew only when they need another height.

The program's icons: drawn in one colour, tinted to the theme.
"""

import re
from functools import lru_cache

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from explorer.paths import resources
from explorer.ui.theme import Theme, mark
from explorer.ui.widgets import UNBOUNDED
from explorer.ui.widgets.names import set_names

LETTERS, SHORT = 90, 120
"""Of a line that is read with ease: from the end of a longer one the eye does not find the next; and of words that stay
on one line all the same."""
TAG = re.compile("<[^>]+>")
MOST_KEPT = 32  # heights of words
FIGURES = str.maketrans("123456789", "000000000")
"""Any number as one whose figures stand at the same places: fonts here have figures of one width (`Fonts`)."""


def line_of(label: QLabel) -> int:
    """Pixels across that the words of a label take at most."""
    short = len(TAG.sub("", label.text())) <= SHORT
    return UNBOUNDED if short else label.fontMetrics().averageCharWidth() * LETTERS


def let_end(words: QWidget, right: int) -> None:
    """Let what shows words leave so many pixels free at their right."""
    inside = words.contentsMargins()
    if inside.right() != right:
        inside.setRight(right)
        words.setContentsMargins(inside)


class Prose(QLabel):
    """Words that wrap, in lines that are read with ease however wide their place is."""

    def __init__(self, text: str) -> None:
        self._heights: dict[tuple[object, ...], int] = {}
        super().__init__(text)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setWordWrap(True)  # behind the policy, which would forget that the height goes with the width

    def heightForWidth(self, width: int) -> int:
        inside = self.contentsMargins().right()
        asked = self.text(), width, inside, self.font().key()
        if asked not in self._heights:  # a layout asks for a few widths, several times each
            if len(self._heights) >= MOST_KEPT:
                self._heights.clear()
            self._heights[asked] = super().heightForWidth(min(width, line_of(self)) + inside)
        return self._heights[asked]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        let_end(self, max(event.size().width() - line_of(self), 0))


class _PaintedOnce(QLabel):
    """A label that is painted once: Qt lays out rich words while it paints them, and asks then for another painting."""

    def event(self, event: QEvent) -> bool:
        return event.type() == QEvent.Type.UpdateLater or bool(super().event(event))


class SteadyLabel(QWidget):
    """A label that wraps its words and is as wide as its place.

    A `QLabel` in a layout has the whole layout computed anew whenever its words change, even to others of the same
    size: in a column of ten that is a quarter of the time from an edit to the screen.

    Parameters
    ----------
    text : str
        Rich text allowed.
    role : str
        See `theme`.
    """

    def __init__(self, text: str = "", role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heights: dict[tuple[object, ...], int] = {}
        self._text = ""
        self._typed = role == "code"
        self.label = _PaintedOnce(self)
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        if role:
            mark(self.label, role=role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def text(self) -> str:
        """The words, as they were given."""
        return self._text

    def setText(self, text: str) -> None:
        """Say something else; names in it are set, but in code and in plain text."""
        if text != self._text:
            self._text = text
            plain = self._typed or self.label.textFormat() == Qt.TextFormat.PlainText
            self.label.setText(text if plain else set_names(text))
            self._fit()

    def height_at(self, width: int) -> int:
        """Pixels that the words are high in a width.

        Figures are of one width, so it is known where only numbers are others: rich text takes Qt long.
        """
        asked = self.label.text().translate(FIGURES), width, self.label.font().key()
        if asked not in self._heights:
            if len(self._heights) >= MOST_KEPT:
                self._heights.clear()
            self._heights[asked] = max(self.label.heightForWidth(width), 0)
        return self._heights[asked]

    def _fit(self) -> None:
        """Be as high as the words are."""
        height = self.height_at(self.width())
        self.label.setGeometry(0, 0, self.width(), height)
        if height != self.minimumHeight():
            self.setFixedHeight(height)

    def event(self, event: QEvent) -> bool:
        # The label asks for other room: its font is another one.
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.minimumHeight())


SIZES = (16, 24, 32, 48, 64)
"""Pixels an icon is drawn at; Qt takes the next larger one, so it is sharp on high-density screens too."""


@lru_cache(maxsize=64)
def _source(name: str) -> bytes:
    return (resources() / "icons" / f"{name}.svg").read_bytes()


@lru_cache(maxsize=64)
def icon(name: str, theme: Theme, role: str = "text") -> QIcon:
    """The icon ``resources/icons/NAME.svg`` in a colour of the theme.

    Parameters
    ----------
    name : file name without ending: undo, redo, sun, moon, plus, close, pin, error, search, back, next, ...
    theme : where the colours are from
    role : which of its colours: "text", "muted", "on_accent", "error", ...
    """
    result = QIcon()
    for mode, color in ((QIcon.Mode.Normal, getattr(theme, role)), (QIcon.Mode.Disabled, theme.disabled)):
        renderer = QSvgRenderer(QByteArray(_source(name).replace(b"currentColor", color.encode())))
        for size in SIZES:
            pixmap = QPixmap(size, size)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            renderer.render(painter)
            painter.end()
            result.addPixmap(pixmap, mode)
    return result


def app_icon(theme: Theme) -> QIcon:
    """The icon of the program; it has its own colours, the same in both themes."""
    return icon("app", theme)
