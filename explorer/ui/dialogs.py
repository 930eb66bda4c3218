"""The window's dialogs: questions about files, messages, and help.

Help is the keys, made from the actions themselves, and what the program is made of.
"""

import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from math import ceil
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QMessageBox,
    QTextBrowser,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from explorer import PROGRAM, __version__
from explorer.checkpoints import ENDINGS
from explorer.document.storage import ENDING
from explorer.lessons.own_lessons import BUNDLE
from explorer.paths import resources
from explorer.teaching import ANSWERS
from explorer.ui.turns import do_later
from explorer.ui.widgets.inputs import be_as_large, message_box
from explorer.ui.widgets.tree import inside
from explorer.words import ENDINGS as VECTORS

LESSON_ENDING = ".lesson.toml"
OPENED = (ENDING, ".toml")
INSIDE = ("config.json", ".safetensors")
"""Endings of files that stand for the folder that holds them: a model's."""

Answer = Literal["save", "discard", "cancel"]

_WIDEST = "128.88 GB", "safetensors File", "30/11/2026 02:02 PM"
"""What stands in the columns beside the names of files, at its widest."""


def let_files_have_room(owner: QWidget) -> None:
    """Give the dialog of files that opens in this turn a size that its text needs, if it is Qt's own.

    That one has the same size and the same columns in any size of text: in large letters it cut all but the names.
    """
    do_later(owner, _give_room)


def _give_room() -> None:
    dialog = QApplication.activeModalWidget()
    if not isinstance(dialog, QFileDialog) or dialog.testAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen):
        return  # a dialog of the system, in whose place Qt shows nothing
    metrics, middle = dialog.fontMetrics(), dialog.frameGeometry().center()
    wanted = QSize(100 * metrics.averageCharWidth(), 26 * metrics.lineSpacing()).expandedTo(dialog.size())
    be_as_large(dialog, wanted.width(), wanted.height())
    frame, screen = dialog.frameGeometry(), dialog.screen().availableGeometry()
    frame.moveCenter(middle)
    x, y = min(frame.x(), screen.right() - frame.width()), min(frame.y(), screen.bottom() - frame.height())
    dialog.move(max(x, screen.x()), max(y, screen.y()))
    for tree in inside(dialog, QTreeView):
        for column, text in enumerate(_WIDEST, 1):
            tree.setColumnWidth(column, tree.fontMetrics().horizontalAdvance(f"{text}MM"))


class Dialogs:
    """All dialogs in which the window asks or tells something."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def to_open(self, folder: Path) -> Path | None:
        """Ask for a file to open; None if cancelled."""
        endings = " ".join(
            f"*{ending}" for ending in (*OPENED, BUNDLE, ".zip", ANSWERS, *ENDINGS, *INSIDE, *VECTORS, ".txt")
        )
        known = f"Documents, lessons, models and word vectors ({endings})"
        let_files_have_room(self._window)
        file, _ = QFileDialog.getOpenFileName(self._window, "Open a file", str(folder), known)
        return Path(file) if file else None

    def to_open_model(self, folder: Path) -> Path | None:
        """Ask for a model that others trained, by one of its files; None if cancelled."""
        endings = " ".join(f"*{ending}" for ending in (*INSIDE, *ENDINGS))
        title = "A model: its config.json or .safetensors, as huggingface.co has them, or a .gguf file"
        let_files_have_room(self._window)
        file, _ = QFileDialog.getOpenFileName(self._window, title, str(folder), f"Models ({endings})")
        return Path(file) if file else None

    def to_find(self, text: str, file: str = "") -> bool:
        """Say which model a lesson needs; returns whether to choose it, by its only file or one in its folder."""
        box = message_box(text, self._window)
        box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)  # there is an address in it
        choose = box.addButton(
            "Choose its file …" if file else "Choose its config.json …", QMessageBox.ButtonRole.AcceptRole
        )
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.exec()
        box.deleteLater()
        return box.clickedButton() is choose

    def to_save(self, suggestion: Path) -> Path | None:
        """Ask for the file to save the document in; None if cancelled."""
        return self._to_write("Save as", suggestion, {f"Documents (*{ENDING})": ENDING}, ENDING)

    def to_save_lesson(self, suggestion: Path) -> Path | None:
        """Ask for the file to write a recorded lesson into; None if cancelled."""
        return self._to_write("Save the lesson", suggestion, {"Lessons (*.toml)": LESSON_ENDING}, ".toml")

    def to_bundle(self, suggestion: Path) -> Path | None:
        """Ask for the file to write lessons into; None if cancelled."""
        return self._to_write("Save", suggestion, {f"Lessons in one file (*{BUNDLE})": BUNDLE}, BUNDLE)

    def to_export(self, suggestion: Path, kinds: Mapping[str, str]) -> Path | None:
        """Ask for the file to export to; None if cancelled. An ending of `kinds` is added if none was typed.

        A kind without a title is not listed, but whoever types its ending gets it.
        """
        known = {f"{title} (*{ending})": ending for ending, title in kinds.items() if title}
        return self._to_write("Export", suggestion, known, *kinds)

    def to_save_matrix(self, suggestion: Path, kinds: Mapping[str, str]) -> Path | None:
        """Ask for the file to write a matrix into; None if cancelled. `kinds`: each ending, by what is listed."""
        return self._to_write("Save the matrix", suggestion, kinds, *kinds.values())

    def to_hand_out(self, suggestion: Path) -> Path | None:
        """Ask for the file to write a hand-out into; None if cancelled."""
        known = {"PDF (*.pdf)": ".pdf", "One HTML file (*.html)": ".html"}
        return self._to_write("Save as a hand-out", suggestion, known, ".pdf", ".html")

    def _to_write(self, title: str, suggestion: Path, known: Mapping[str, str], *endings: str) -> Path | None:
        """Ask for a file with one of some endings; that of the chosen kind is added if none was typed."""
        let_files_have_room(self._window)
        first = next((words for words, ending in known.items() if ending == suggestion.suffix), "")
        file, chosen = QFileDialog.getSaveFileName(self._window, title, str(suggestion), ";;".join(known), first)
        path = Path(file)
        kind = known.get(chosen, "")
        if file and not path.name.lower().endswith(endings):
            return self._with_ending(path, kind or next(iter(known.values())))
        if file and path.name == suggestion.name and not path.name.lower().endswith(kind):
            # Another kind was chosen, and the offered name left: some systems' dialogs change no ending (GTK's).
            return self._with_ending(path.with_suffix(""), kind)
        return path if file else None

    def _with_ending(self, path: Path, ending: str) -> Path | None:
        """`path` with the ending added; None if a file of that name exists and should stay."""
        path = path.with_name(f"{path.name}{ending}")
        if os.path.exists(path) and not self.replace(path):  # the system's dialog checked the name without it
            return None
        return path

    def keep(self, name: str) -> Answer:
        """Ask whether to save the changes before the document is left."""
        button = QMessageBox.StandardButton
        answer = self._ask(f"Keep your changes to “{name}”?", button.Save, button.Save | button.Discard | button.Cancel)
        known: dict[QMessageBox.StandardButton, Answer] = {button.Save: "save", button.Discard: "discard"}
        return known.get(answer, "cancel")

    def remove(self, title: str) -> bool:
        """Ask whether to remove a lesson by others."""
        return self._may(f"Remove “{title}” from your lessons? The file that it came in stays where it is.", "Remove")

    def replace(self, path: Path) -> bool:
        """Ask whether to overwrite a file."""
        return self._may(f"Replace {path}?", "Replace")

    def replace_changed(self, path: Path) -> bool:
        """Ask whether to overwrite a file that another program has written since it was opened."""
        text = f"{path} was changed by another window or program since it was opened here. Replace it?"
        return self._may(text, "Replace")

    def tell(self, sentence: str) -> None:
        """Say what went wrong."""
        button = QMessageBox.StandardButton
        self._ask(sentence, button.Ok, button.Ok)

    def _may(self, question: str, yes: str) -> bool:
        """Whether the person agrees, by the button that says what it does."""
        button = QMessageBox.StandardButton
        return self._ask(question, button.Cancel, button.Yes | button.Cancel, yes) == button.Yes

    def _ask(
        self, text: str, first: QMessageBox.StandardButton, buttons: QMessageBox.StandardButton, yes: str = ""
    ) -> QMessageBox.StandardButton:
        box = message_box(text, self._window)
        box.setStandardButtons(buttons)
        if yes:
            box.button(QMessageBox.StandardButton.Yes).setText(yes)
        box.setDefaultButton(first)
        answer = QMessageBox.StandardButton(box.exec())
        box.deleteLater()
        return answer


@contextmanager
def progress_of(words: str, parent: QWidget | None) -> Iterator[Callable[[int, int], bool]]:
    """A dialog while something long is done in the window's thread.

    Yields a function that shows how many of how many parts are done, and returns whether to go on.
    """
    from PySide6.QtWidgets import QProgressDialog  # the first picture does not need it

    dialog = QProgressDialog(words, "Cancel", 0, 0, parent)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.setMinimumDuration(500)

    def goes_on(done: int, of: int) -> bool:
        dialog.setMaximum(of)
        dialog.setValue(done)
        return not dialog.wasCanceled()

    try:
        yield goes_on
    finally:
        dialog.deleteLater()


PRESENTING = "In presenter mode (F5)"
"""The part of `resources/keys.toml` with the keys of presenter mode."""
LGPL = (
    "Qt is used through PySide6 under the LGPL, version 3, unmodified: its libraries are files of their own and may be "
    "replaced by others of the same version."
)


def show_keys(window: QWidget) -> QDialog:
    """Show the keys of all actions of a window, beside it."""
    listed = {
        ", ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts()): action.text()
        for action in window.actions()
        if action.shortcuts()
    }
    sections = {"In the window": listed} | _keys()
    return _show(window, "Keys", "".join(f"<h3>{title}</h3>{_table(rows)}" for title, rows in sections.items()))


def show_keys_of_presenter(window: QWidget) -> QDialog:
    """Show the keys of presenter mode, beside the window of the class or the lecturer."""
    return _show(window, "Keys of presenter mode", _table(_keys()[PRESENTING]))


def _keys() -> dict[str, dict[str, str]]:
    """What each key does that is no action of the window, by where it works."""
    return tomllib.loads((resources() / "keys.toml").read_text("utf-8"))


def show_about(window: QWidget) -> QDialog:
    """Show what the program is made of, beside a window."""
    from explorer.libraries import libraries  # reads what is installed

    rows = {f"{one.name} {one.version}": one.licence for one in libraries()}
    text = (
        f"<h3>{PROGRAM} {__version__}</h3><p>Every number of a transformer, live and editable. Licence: MIT.</p>"
        f"{_table(rows)}<p>{LGPL} This is Qt {qVersion()}.</p>"
        f"<p>The licences lie in {escape(str(licences()))}.</p>"
    )
    return _show(window, "About Transformer Explorer", text)


def licences() -> Path:
    """Folder of the licences: that of the bundle, or that of the environment, where each library has its own."""
    if getattr(sys, "frozen", False):
        return Path(sys.executable).parent / "licences"
    from importlib.metadata import PackageNotFoundError, distribution

    from explorer.libraries import PACKAGE

    try:
        return Path(str(distribution(PACKAGE).locate_file("")))
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
    page.document().setDefaultStyleSheet("h3, p { margin-bottom: 6px; }")  # a table begins right below
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
    page.document().setDocumentMargin(2 * edge / 3)  # the frame is the ring of the focus
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


def _table(rows: Mapping[str, str]) -> str:
    cells = "".join(
        f"<tr><td><b>{escape(left)}</b>&nbsp;&nbsp;</td><td>{escape(right)}</td></tr>" for left, right in rows.items()
    )
    return f"<table cellspacing='0' cellpadding='3'>{cells}</table>"
