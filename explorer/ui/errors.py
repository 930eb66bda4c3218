"""Short messages beside the widget that they are about: errors, and what was done; and what happens at a bug.

At a bug, the program says so in plain words, writes a log, and goes on.
"""

import logging
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QMessageBox, QWidget

from explorer import PROGRAM, __version__
from explorer.core.errors import ExplorerError
from explorer.sentences import sentence
from explorer.ui.theme import Role
from explorer.ui.turns import do_later
from explorer.ui.widgets.inputs import PushButton, message_box
from explorer.ui.widgets.labels import Label

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

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

    `beside`: what the message is about, in the window; it stands beside this, where it covers the fewest words.
    `role`: "message" for an error, or "done".
    """

    def __init__(self, text: str, window: QWidget, beside: QRect, role: Role = "message") -> None:
        from explorer.ui.widgets.written import words_at  # the first picture does not need it

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


LOG, LOG_BYTES, LOGS = "explorer.log", 500_000, 2
WIDEST_ROW = 700
"""Widest row of buttons, in pixels: Qt makes a box no wider than the screen less 480, and cuts the buttons' words."""
WORDS = "The program has made a mistake. Your work is still there, and you can go on."

log = logging.getLogger(__name__)


class Unexpected(QObject):
    """Reports every exception that nothing else has caught, on the window's thread and on others.

    `folder`: where the log is written: up to `LOGS` + 1 files of `LOG_BYTES`; None: nowhere.
    """

    _raised = Signal(str)  # emitted from any thread

    def __init__(self, window: "MainWindow", folder: Path | None) -> None:
        super().__init__(window)
        self._window = window
        self._folder = folder
        self.box: QMessageBox | None = None
        if folder is not None:
            from logging.handlers import RotatingFileHandler  # after the first picture

            with suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                file = RotatingFileHandler(folder / LOG, maxBytes=LOG_BYTES, backupCount=LOGS, encoding="utf-8")
                file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
                logging.getLogger("explorer").addHandler(file)
        self._raised.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def listen(self) -> None:
        """Replace Python's own hooks, which write to a terminal that nobody sees."""
        sys.excepthook = self.hear
        threading.excepthook = lambda args: self.hear(args.exc_type, args.exc_value, args.exc_traceback)

    def hear(self, kind: type[BaseException], error: BaseException | None, at: TracebackType | None) -> None:
        """Log an exception, and tell the person."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error or kind(), at)
            return
        details = "".join(traceback.format_exception(kind, error, at))
        # Python keeps the last exception with all variables of its functions. A painter among them would go on painting
        # on its widget: nothing would be drawn any more, and once the window has another size the process would crash.
        traceback.clear_frames(at)
        print(details, file=sys.stderr, end="")
        log.error("%s", details)
        self._raised.emit(details)

    def _tell(self, details: str) -> None:
        """Show a box beside the window, which goes on; while it is open, further exceptions are only logged."""
        if self.box is not None:
            return
        where = f" It is written down in {self._folder / LOG}." if self._folder is not None else ""
        box = self.box = message_box(WORDS + where, self._window)
        box.setModal(False)
        report = f"{PROGRAM} {__version__}, {sys.platform}, Python {sys.version.split()[0]}\n\n{details}"
        box.setDetailedText(report)
        box.setDefaultButton(_add(box, "Save my work …", lambda: self._window.files.save_as()))
        _add(box, "Copy details", lambda: QGuiApplication.clipboard().setText(report))
        box.addButton(QMessageBox.StandardButton.Close)
        row = box.findChild(QDialogButtonBox)
        if row is not None and row.sizeHint().width() > WIDEST_ROW:
            row.setOrientation(Qt.Orientation.Vertical)
        box.finished.connect(self._end)
        box.show()

    def _end(self) -> None:
        if self.box is not None:
            self.box.deleteLater()
            self.box = None


def _add(box: QMessageBox, words: str, act: Callable[[], object]) -> PushButton:
    """A button that leaves the box open."""
    button = PushButton(words, parent=box, keys=True)
    box.addButton(button, QMessageBox.ButtonRole.ActionRole)
    button.clicked.disconnect()  # a box closes on any button
    button.clicked.connect(act)
    return button
