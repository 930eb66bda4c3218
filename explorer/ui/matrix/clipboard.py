"""Puts numbers on the clipboard, or into a file: few directly, many in the background, no more than can be pasted."""

from collections.abc import Callable
from itertools import count

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from explorer.core.errors import ExplorerError
from explorer.ui.background import Background
from explorer.ui.errors import show_done, show_error

MOST_PASTED = 1_000_000
"""The most numbers that are copied or pasted: more would take minutes, and the memory of several models."""
AT_ONCE = 20_000
"""The most numbers that are written directly, in one turn of the event loop, which takes 20 to 50 ms then."""

NEWEST, _COPIES = "newestCopy", count()
"""The property of the clipboard with the number of the latest copy, and the numbers of copies."""


def claim() -> int:
    """Note that something is copied now: numbers that are still being written give way. Returns its number."""
    number = next(_COPIES)
    QGuiApplication.clipboard().setProperty(NEWEST, number)
    return number


def copy(numbers: int, text: Callable[[], str], beside: QWidget, said: str = "") -> None:
    """Put numbers on the clipboard; `numbers` says how many.

    Parameters
    ----------
    text : callable
        Writes the numbers; many are written on another thread, so it must hold no widget.
    beside : QWidget
        The widget at which it is said when they are there.

    Raises
    ------
    ExplorerError
        "copy-too-large".
    """
    check(numbers)
    clipboard, number = QGuiApplication.clipboard(), claim()

    def take(found: str) -> str:
        if clipboard.property(NEWEST) != number:
            return ""  # something else was copied while these were written
        clipboard.setText(found)
        return said

    write(numbers, text, take, beside)


def check(numbers: int) -> None:
    """Raise `ExplorerError` "copy-too-large" if there are more numbers than can be copied."""
    if numbers > MOST_PASTED:
        raise ExplorerError("copy-too-large", limit=f"{MOST_PASTED:,}")


def write(numbers: int, text: Callable[[], str], take: Callable[[str], str], beside: QWidget) -> None:
    """Write numbers as text, and give the text to `take`, which returns what is to be said then.

    `numbers`, `text`, `beside`: as for `copy`.
    """
    if numbers <= AT_ONCE:
        _say(take(text()), beside)
        return
    window = beside.window()
    worker = Background(window)  # the page may be gone before the numbers are written

    def done(found: str) -> None:
        worker.deleteLater()
        _say(take(found), beside if isValid(beside) else window)

    worker.failed.connect(lambda error: show_error(error, beside if isValid(beside) else window))
    worker.ask(lambda _report: text(), done)


def _say(said: str, beside: QWidget) -> None:
    if said:
        show_done(said, beside)
