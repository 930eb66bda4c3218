"""Results taken out of the window: the whole model, or the page in sight, as a file."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from explorer.core.errors import ExplorerError
from explorer.export.files import ENDINGS, save_model
from explorer.files import whole_file
from explorer.sentences import sentence
from explorer.ui.files import Files
from explorer.ui.workbench import Workbench

KINDS = {
    ".xlsx": "The model as a spreadsheet with formulas",
    ".py": "The model as a Python script",
    ".png": "This page as a picture of points",
    ".svg": "This page as a picture of lines",
    ".pdf": "This page as a PDF",
}
"""What can be written, by the ending of the file."""


def export(bench: Workbench, files: Files, stage: str) -> tuple[Path, ...]:
    """Ask for a file and write the model or the page of a stage into it, as its ending says; say where it went.

    Returns
    -------
    tuple of Path
        What was written.
    """
    path = files.dialogs.to_export(files.folder / f"{bench.lesson.id}.xlsx", KINDS)
    if path is None:
        return ()
    if path.suffix.lower() in ENDINGS:
        return write(files, lambda: save_model(bench.document, bench.lesson, path), "The model is in")
    from explorer.ui.render import on_paper

    return write(files, lambda: save(path, on_paper(bench, stage, path.suffix.lower())), "The page is in")


def write(files: Files, act: Callable[[], tuple[Path, ...]], said: str) -> tuple[Path, ...]:
    """Write files, and say where they are, or why there are none."""
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        written = act()
    except ExplorerError as error:
        QGuiApplication.restoreOverrideCursor()
        files.dialogs.tell(sentence(error))
        return ()
    QGuiApplication.restoreOverrideCursor()
    files.folder = written[0].parent
    files.done.emit(f"{said} {' and '.join(map(str, written))}")
    return written


def save(path: Path, content: bytes) -> tuple[Path, ...]:
    """Write a file that is whole or not there."""
    with whole_file(path) as stream:
        stream.write(content)
    return (path,)
