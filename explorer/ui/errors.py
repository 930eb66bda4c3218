"""Errors in words, at the place where they were made."""

from collections.abc import Sequence

import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QLabel, QWidget

from explorer.core.errors import ExplorerError
from explorer.sentences import sentence
from explorer.ui.theme import mark
from explorer.ui.turns import do_later
from explorer.ui.widgets.tree import words_at

SHOWN_MS = 6000
WIDEST = 0.5
"""Of its window; what is longer breaks into lines."""
_ACTS = {QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.Wheel}


def show_error(error: ExplorerError, widget: QWidget, rect: QRect | None = None) -> None:
    """Say what went wrong beside `rect` of `widget`, and to a screen reader."""
    words = sentence(error)
    _say("message", f"⚠ {words}", words, widget, rect or widget.rect())


def show_done(words: str, widget: QWidget) -> None:
    """Say beside a widget what was done, where one does not see it, and to a screen reader."""
    _say("done", f"✓ {words}", words, widget, widget.rect())


def _say(role: str, text: str, spoken: str, widget: QWidget, place: QRect) -> None:
    def show() -> None:
        if shiboken6.isValid(widget):
            window = widget.window()
            Message(text, window, QRect(widget.mapTo(window, place.topLeft()), place.size()), role)

    # Behind what the event still does: a page that is made anew would stand in front.
    do_later(widget, show)
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, spoken))


def places(beside: QRect, size: QSize, window: QRect, role: str) -> list[QRect]:
    """Where a message may stand, the best first: beside what it is about; of what was done, in a corner, too."""
    wide, high = size.width(), size.height()
    x, y = beside.left(), beside.top()
    wanted = [(x, beside.bottom() + 3), (x, y - high - 2), (beside.right() + 3, y), (x - wide - 2, y)]
    if role == "done":
        wanted += [(window.width() - wide, window.height() - high), (0, window.height() - high)]
    rects = [QRect(max(min(x, window.width() - wide), 0), y, wide, high) for x, y in wanted]
    within = [rect for rect in rects if window.contains(rect) and not rect.intersects(beside)]
    return within or [QRect(rects[0].left(), max(min(rects[0].top(), window.height() - high), 0), wide, high)]


def least_covering(places: Sequence[QRect], words: Sequence[QRect]) -> QPoint:
    """The place where a message covers the fewest words; of several the first."""
    return min(places, key=lambda place: sum(map(place.intersects, words))).topLeft()


class Message(QLabel):
    """Words over a window, until the person does something, or for six seconds.

    Not a tooltip: those go whenever the focus moves, as it does when a file dialog closes.

    Parameters
    ----------
    beside : QRect
        What they are about, in the window; they stand beside it, where they cover the fewest words.
    role : str
        Of the style sheet: "message" where something went wrong, or "done".
    """

    def __init__(self, text: str, window: QWidget, beside: QRect, role: str = "message") -> None:
        for shown in window.findChildren(Message):
            shown.hide()
            shown.deleteLater()
        super().__init__(text, window)
        mark(self, role=role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.ensurePolished()
        widest = int(WIDEST * window.width())
        if self.sizeHint().width() > widest:
            self.setWordWrap(True)
            self.setFixedWidth(widest)
        self.adjustSize()
        where = places(beside, self.size(), window.rect(), role)
        self.move(least_covering(where, words_at(window, where)))
        self.raise_()
        self.show()
        end = QTimer(self, singleShot=True, interval=SHOWN_MS)
        end.timeout.connect(self.deleteLater)
        end.start()
        self._handle = window.windowHandle()  # kept: PySide takes it for deleted as soon as nobody holds it
        if self._handle is not None:  # keys and clicks come there first; each event of the application is too many
            self._handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _ACTS:
            self.deleteLater()
        return False
