"""What happens at a bug in the program: it says so in plain words, writes a log, and goes on."""

import logging
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QMessageBox

from explorer.parts import parts
from explorer.ui.widgets.inputs import PushButton, message_box
from explorer.ui.window.main_window import MainWindow

LOG, LOG_BYTES, LOGS = "explorer.log", 500_000, 2
WIDEST = 700
"""Widest row of buttons, in pixels: Qt makes a box no wider than the screen less 480, and cuts the buttons' words."""
WORDS = "The program has made a mistake. Your work is still there, and you can go on."

log = logging.getLogger(__name__)


class Unexpected(QObject):
    """Reports every exception that nothing else has caught, on the window's thread and on others.

    `folder`: where the log is written: up to `LOGS` + 1 files of `LOG_BYTES`; None: nowhere.
    """

    _raised = Signal(str)  # emitted from any thread

    def __init__(self, window: MainWindow, folder: Path | None) -> None:
        super().__init__(window)
        self._window = window
        self._folder = folder
        self.box: QMessageBox | None = None
        if folder is not None:
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
        program = parts()[0]
        report = f"{program.name} {program.version}, {sys.platform}, Python {sys.version.split()[0]}\n\n{details}"
        box.setDetailedText(report)
        box.setDefaultButton(_add(box, "Save my work …", lambda: self._window.files.save_as()))
        _add(box, "Copy details", lambda: QGuiApplication.clipboard().setText(report))
        box.addButton(QMessageBox.StandardButton.Close)
        row = box.findChild(QDialogButtonBox)
        if row is not None and row.sizeHint().width() > WIDEST:
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
