"""Numbers go to the clipboard, or into a file: few at once, many beside the window, and no more than can be pasted."""

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from explorer.core.errors import ExplorerError
from explorer.ui.background import Background
from explorer.ui.errors import show_done, show_error

MOST_PASTED = 1_000_000
"""Numbers that are copied or pasted at most: more would take minutes, and the memory of several models."""
AT_ONCE = 20_000
"""Numbers that are written in a turn of the event loop, which takes 20 to 50 ms then."""


def copy(numbers: int, text: Callable[[], str], beside: QWidget, said: str = "") -> None:
    """Put so many numbers on the clipboard.

    Parameters
    ----------
    text : callable
        Writes them; of many on another thread, so it holds no widget.
    beside : QWidget
        Where it is said when they are there.

    Raises
    ------
    ExplorerError
        "copy-too-large".
    """
    check(numbers)

    def take(found: str) -> str:
        QGuiApplication.clipboard().setText(found)
        return said

    write(numbers, text, take, beside)


def check(numbers: int) -> None:
    """Raise `ExplorerError` "copy-too-large" where these are more than can be copied."""
    if numbers > MOST_PASTED:
        raise ExplorerError("copy-too-large", limit=f"{MOST_PASTED:,}")


def write(numbers: int, text: Callable[[], str], take: Callable[[str], str], beside: QWidget) -> None:
    """Write so many numbers, and give what is written to `take`, which returns what is to be said then.

    `text`, `beside`: as of `copy`.
    """
    if numbers <= AT_ONCE:
        _say(take(text()), beside)
        return
    worker = Background(beside)

    def done(found: str) -> None:
        worker.deleteLater()
        _say(take(found), beside)

    worker.failed.connect(lambda error: show_error(error, beside))
    worker.ask(lambda _report: text(), done)


def _say(said: str, beside: QWidget) -> None:
    if said:
        show_done(said, beside)
