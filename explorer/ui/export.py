"""Export from the window: the whole model, or the visible page, to a file or the clipboard."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import QApplication

from explorer.core.errors import ExplorerError
from explorer.core.graph import Cell, Graph
from explorer.core.progress import Cancelled
from explorer.document.storage import as_text
from explorer.export.layout import require_room
from explorer.export.workbook import ENDINGS, writing
from explorer.files import write_file
from explorer.ui.dialogs import progress_of
from explorer.ui.errors import show_error
from explorer.ui.matrix.ranges import claim
from explorer.ui.widgets.inputs import take_typed
from explorer.ui.workbench import Workbench

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

KINDS = {
    ".xlsx": "The model as a spreadsheet with formulas",
    ".py": "The model as a Python script",
    ".png": "This page as a picture",
    ".svg": "This page as a vector graphic",
    ".pdf": "This page as a PDF",
    ".gif": "What moves on this page, as an animation",
    ".mp4": "What moves on this page, as a film",
}
"""Kinds of export, by the ending of the file; a film only where ffmpeg is installed."""
MOVING = {".gif": "An animation", ".mp4": "A film"}
"""Kinds of export of an animation."""


def _offered(kinds: Mapping[str, str], graph: Graph) -> dict[str, str]:
    """The kinds of a model's export; without a title what cannot be written of it, or on this computer."""
    without = set() if shutil.which("ffmpeg") else {".mp4"}
    try:
        require_room(graph)
    except ExplorerError:
        without.add(".xlsx")
    return {ending: "" if ending in without else title for ending, title in kinds.items()}


def export(window: MainWindow) -> None:
    """Ask for a file, write the model or the visible page into it, depending on its ending, and say where it is.

    A model is written in the background, which takes some seconds for a large one. A tab other than that of the stages
    is drawn as it looks.
    """
    bench, files, stage = window.tabs.bench, window.files, window.page().stage.name
    tab = None if window.tabs.shows_first else window.tabs.currentWidget()
    kinds = _offered(KINDS, bench.document.state.graph)
    path = files.dialogs.to_export(files.offered(".xlsx" if kinds[".xlsx"] else ".py"), kinds)
    if path is None:
        return
    ending = path.suffix.lower()
    if ending in ENDINGS:
        with files.telling():
            if files.writer.at_work:  # a newer task replaces it: nobody would learn how the first export ends
                raise ExplorerError("export-at-work")
            act = writing(bench.document, bench.lesson, path)
            files.writer.ask(lambda _: act(), lambda written: _say(window, written, "The model is in"))
    elif ending in MOVING:  # other tabs have their own ways to move: the page of the stage is animated
        write(window, lambda: _moving(bench, stage, path), "What moves on the page is in")
    else:
        from explorer.ui.render import as_in_sight, on_paper

        draw = partial(on_paper, bench, stage) if tab is None else partial(as_in_sight, bench, tab)
        write(window, lambda: write_file(path, draw(ending)), "The page is in")


def export_cell(window: MainWindow) -> None:
    """Ask for a file, and write an animation of the derivation of the cell pointed at into it."""
    bench, files, cell = window.tabs.bench, window.files, window.bench.selection.cell
    if cell is None:
        show_error(ExplorerError("nothing-pointed-at"), window.top_bar.title)
        return
    window.inspector.show_cell(cell, hidden=True)
    stage, pace = window.page().stage.name, window.inspector.player.pace
    path = files.dialogs.to_export(bench.folder / f"{cell.node}.gif", _offered(MOVING, bench.document.state.graph))
    if path is not None:
        write(window, lambda: _moving(bench, stage, path, cell, pace), "How the cell comes about is in")


def _moving(bench: Workbench, stage: str, path: Path, cell: Cell | None = None, pace: int = 0) -> tuple[Path, ...]:
    """Draw all frames, which takes some seconds, and write them; nothing if cancelled."""
    from explorer.ui.animation import WRITERS, frames
    from explorer.ui.render import beside

    with progress_of("Drawing what moves …", QApplication.activeWindow()) as goes_on:

        def drawn(number: int, of: int) -> None:
            if not goes_on(number, of):
                raise Cancelled

        try:
            moving = frames(bench, stage, on=drawn, cell=cell)
        except Cancelled:
            return ()
        if pace:
            moving = replace(moving, each=pace)
        return write_file(path, beside(lambda: WRITERS[path.suffix.lower()](moving)))


def write(window: MainWindow, act: Callable[[], tuple[Path, ...]], said: str) -> tuple[Path, ...]:
    """Write files, and say where they are, or why there are none."""
    with window.files.telling():
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            written = act()
        finally:
            QGuiApplication.restoreOverrideCursor()
        _say(window, written, said)
        return written
    return ()


def _say(window: MainWindow, written: tuple[Path, ...], said: str) -> None:
    if written:
        window.bench.folder = written[0].parent
        window.files.done.emit(f"{said} {' and '.join(map(str, written))}")


def copy_page(window: MainWindow) -> None:
    """Put the whole page of the stage on the clipboard as a picture, or another tab as it looks."""
    tab = window.tabs.currentWidget()
    if tab is not None and not window.tabs.shows_first:
        picture = tab.grab()
    elif (whole := window.page().widget()) is not None:
        picture = QPixmap(whole.size() * whole.devicePixelRatioF())
        picture.setDevicePixelRatio(whole.devicePixelRatioF())
        picture.fill(window.bench.appearance.theme.page)  # the page itself is transparent: it would be pasted black
        whole.render(picture)
    else:
        return
    claim()
    QGuiApplication.clipboard().setPixmap(picture)


def copy_text(window: MainWindow) -> None:
    """Put the document on the clipboard as text."""
    take_typed()
    bench, files = window.bench, window.files
    with files.telling():
        bench.document.settle()
        claim()
        QGuiApplication.clipboard().setText(as_text(bench.document.state, bench.lesson.title))
        files.done.emit("The document is on the clipboard as text: paste it into a chat, a mail or a course page")
