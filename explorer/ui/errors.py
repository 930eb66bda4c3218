"""Short messages beside the widget that they are about: errors, and what was done."""

from collections.abc import Sequence

import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from explorer.core.errors import ExplorerError
from explorer.sentences import sentence
from explorer.ui.theme import Role
from explorer.ui.turns import do_later
from explorer.ui.widgets.labels import Label
from explorer.ui.widgets.tree import words_at

SHOWN_MS = 6000
WIDEST = 0.5
"""The greatest width, as a share of the window's; a longer text is wrapped."""
_ACTS = {QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.Wheel}


def show_error(error: ExplorerError, widget: QWidget, rect: QRect | None = None) -> None:
    """Say what went wrong beside `rect` of `widget`, and to a screen reader."""
    words = sentence(error)
    _say("message", f"⚠ {words}", words, widget, rect or widget.rect())


def show_done(words: str, widget: QWidget) -> None:
    """Say beside a widget, and to a screen reader, what was done where it cannot be seen."""
    _say("done", f"✓ {words}", words, widget, widget.rect())


def _say(role: Role, text: str, spoken: str, widget: QWidget, place: QRect) -> None:
    def show() -> None:
        if shiboken6.isValid(widget):
            window = widget.window()
            Message(text, window, QRect(widget.mapTo(window, place.topLeft()), place.size()), role)

    # Only after the rest of this event: a page that it builds again would cover the message.
    do_later(widget, show)
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, spoken))


def places(beside: QRect, size: QSize, window: QRect, role: str) -> list[QRect]:
    """The possible places of a message, best first: beside what it is about; for "done", in a corner, too."""
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


class Message(Label):
    """A message over a window, until the person does something, or for six seconds.

    Not a tooltip: those go whenever the focus moves, as it does when a file dialog closes.

    Parameters
    ----------
    beside : QRect
        What the message is about, in the window; it stands beside this, where it covers the fewest words.
    role : str
        "message" for an error, or "done".
    """

    def __init__(self, text: str, window: QWidget, beside: QRect, role: Role = "message") -> None:
        for shown in window.findChildren(Message):
            shown.hide()
            shown.deleteLater()
        super().__init__(text, role, window, plain=True)
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
        self._handle = window.windowHandle()  # kept: without a reference PySide takes it for deleted
        if self._handle is not None:  # keys and clicks come here first; on the application it would see every event
            self._handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _ACTS:
            self.deleteLater()
        return False
