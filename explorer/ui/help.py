"""Help inside the program: the keys, made from the actions themselves, and what the program is made of."""

import sys
from collections.abc import Iterable
from html import escape
from importlib.metadata import PackageNotFoundError, distribution
from math import ceil
from pathlib import Path

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from explorer.parts import PROGRAM, parts

IN_A_MATRIX = (
    ("Arrows, Tab", "Go from cell to cell; with Ctrl to the edge, with Shift select"),
    ("Enter, F2", "Edit a cell, or hold a computed cell at a value"),
    ("Alt+Up, Alt+Down", "Move a number by 0.1; with Shift by 0.01, with Ctrl by 1"),
    ("Delete", "Set to 0, or compute a held cell again"),
    ("Space", "Open or close a cell of a mask drawn by hand"),
    ("Ctrl+Enter", "Fill the selection"),
    ("Ctrl+D, Ctrl+R", "Fill it down, or to the right"),
    ("Ctrl+C, Ctrl+X, Ctrl+V", "Copy, cut, paste, also from a spreadsheet"),
    ("Menu", "Menu of the matrix"),
    ("Esc", "Leave the cell; then go out to the block"),
)
"""Keys in a matrix, which are no actions of the window: those of a spreadsheet."""
AT_A_WORD = (
    ("Left, Right, Home, End", "Go from word to word"),
    ("Space", "Follow the word, or stop following it"),
    ("Enter, F2", "Type another word"),
    ("Delete", "Take the word away"),
    ("Alt+Left, Alt+Right", "Move the word"),
)
"""Keys at the words that the model reads."""
IN_A_PICTURE = (
    ("Arrows", "Go from square to square, from dot to dot, or from word to word"),
    ("+, −, 0", "Zoom in, zoom out, show all"),
)
"""Keys in the other pictures."""
IN_THE_MODEL = (
    ("Arrows", "Go along the edges, from block to block"),
    ("Enter, Esc", "Go into a block, and out again"),
    ("Wheel, +, −, 0", "Zoom in, zoom out, show all; zoom in far enough to go into a block"),
    ("Space", "Play one pass, or pause it"),
    ("Right click, Menu", "Turn parts of a block off"),
    ("Backspace", "Back to the model from any page"),
)
"""Keys in the picture of the whole model."""
PRESENTING = (
    ("Right, Down, Page Down, Space, Enter, N", "Next step"),
    ("Left, Up, Page Up, Backspace, P", "Step before"),
    ("Home, End", "First step, last step"),
    ("R", "Reveal: the answer to the question; without one, cover the numbers, then show them one by one"),
    ("B or .", "Black screen"),
    ("W", "White screen"),
    ("G, a number, Enter", "Go to a step"),
    ("D", "All steps as small pictures"),
    ("V", "Poll: press the letter of each vote, then Space for the counts, then Space for the commonest mistake"),
    ("L", "Pointer"),
    ("C", "Show what the last edit changed (Δ), or the values again"),
    ("Z, or a drag", "Zoom on the numbers"),
    ("M", "Show all of a sum or list that was cut"),
    ("S", "Swap screens"),
    ("T", "Start or stop the clock"),
    ("F", "Freeze what the class sees"),
    ("Ctrl+Z, Ctrl+Y", "Undo, redo"),
    ("F1", "These keys"),
    ("Esc", "Leave; F5 begins again at this step"),
)
"""Keys of presenter mode."""
LGPL = (
    "Qt is used through PySide6 under the LGPL, version 3, unmodified: its libraries are files of their own and may be "
    "replaced by others of the same version."
)


def show_keys(window: QWidget) -> QDialog:
    """Show the keys of all actions of a window, beside it."""
    listed = [
        (", ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts()), action.text())
        for action in window.actions()
        if action.shortcuts()
    ]
    text = f"<h3>In the window</h3>{_table(listed)}<h3>In a matrix</h3>{_table(IN_A_MATRIX)}"
    text += f"<h3>At a word that the model reads</h3>{_table(AT_A_WORD)}"
    text += f"<h3>In a picture</h3>{_table(IN_A_PICTURE)}"
    text += f"<h3>In the picture of the model</h3>{_table(IN_THE_MODEL)}"
    text += f"<h3>In presenter mode (F5)</h3>{_table(PRESENTING)}"
    return _show(window, "Keys", text)


def show_keys_of_presenter(window: QWidget) -> QDialog:
    """Show the keys of presenter mode, beside the window of the class or the lecturer."""
    return _show(window, "Keys of presenter mode", _table(PRESENTING))


def show_about(window: QWidget) -> QDialog:
    """Show what the program is made of, beside a window."""
    program, *libraries = parts()
    rows = [(f"{part.name} {part.version}", part.licence) for part in libraries]
    text = (
        f"<h3>{program.name} {program.version}</h3><p>Every number of a transformer, live and editable. Licence: "
        f"{program.licence}.</p>{_table(rows)}<p>{LGPL} This is Qt {qVersion()}.</p>"
        f"<p>The licences lie in {escape(str(licences()))}.</p>"
    )
    return _show(window, "About Transformer Explorer", text)


def licences() -> Path:
    """Folder of the licences: that of the bundle, or that of the environment, where each library has its own."""
    if getattr(sys, "frozen", False):
        return Path(sys.executable).parent / "licences"
    try:
        return Path(str(distribution(PROGRAM).locate_file("")))
    except PackageNotFoundError:
        return Path(sys.prefix)


class _Help(QDialog):
    """A window with text; of each title there is one."""


def _show(window: QWidget, title: str, text: str) -> QDialog:
    for shown in window.findChildren(_Help):
        if shown.windowTitle() == title and shown.isVisible():
            shown.raise_()
            shown.activateWindow()
            return shown
    dialog = _Help(window)
    dialog.setWindowTitle(title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    page = QTextBrowser()
    page.setAccessibleName(title)
    page.setHtml(text)
    close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    close.rejected.connect(dialog.reject)
    down = QVBoxLayout(dialog)
    edge = 9 * dialog.fontMetrics().height() // 8  # as of other dialogs: 18 pixels at text scale 1
    down.setContentsMargins(edge, edge, edge, 7 * edge // 9)
    down.setSpacing(12)
    down.addWidget(page)
    down.addWidget(close)
    # As large as the text, but no larger than the window; if that is too low, wider, provided that all of it fits then.
    page.ensurePolished()  # it has its font only then
    said, around, most = page.document(), QSize(90, 130), window.size() * 0.9
    said.adjustSize()
    narrow = said.size().width()
    if said.size().height() + around.height() > most.height():
        said.setTextWidth(most.width() - around.width())
        fits = said.size().height() + around.height() <= most.height()
        said.setTextWidth(ceil(said.idealWidth()) if fits else narrow)
    dialog.resize((said.size().toSize() + around).boundedTo(most))
    dialog.show()
    return dialog


def _table(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f"<tr><td><b>{escape(left)}</b>&nbsp;&nbsp;</td><td>{escape(right)}</td></tr>" for left, right in rows
    )
    return f"<table cellspacing='0' cellpadding='3'>{cells}</table>"
