"""The window's dialogs: questions about files, and messages."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from explorer.checkpoints import ENDINGS
from explorer.document.storage import ENDING
from explorer.lessons.own_lessons import BUNDLE
from explorer.teaching import ANSWERS
from explorer.ui.widgets.inputs import message_box

LESSON_ENDING = ".lesson.toml"
OPENED = (ENDING, ".toml")
INSIDE = ("config.json", ".safetensors")
"""Endings of files that stand for the folder that holds them: a model's."""
_LONG, PIECE = re.compile(r"[^\s/\\]{36,}"), 12
"""A word that may be too wide for a message box in the largest letters, and the letters after which it may break."""

Answer = Literal["save", "discard", "cancel"]


class Dialogs:
    """All dialogs in which the window asks or tells something."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def to_open(self, folder: Path) -> Path | None:
        """Ask for a file to open; None if cancelled."""
        endings = " ".join(f"*{ending}" for ending in (*OPENED, BUNDLE, ".zip", ANSWERS, *ENDINGS, *INSIDE))
        known = f"Documents, lessons and models ({endings})"
        file, _ = QFileDialog.getOpenFileName(self._window, "Open", str(folder), known)
        return Path(file) if file else None

    def to_open_model(self, folder: Path) -> Path | None:
        """Ask for the folder of a model that others trained; None if cancelled."""
        title = "The folder of a model, with its config.json and .safetensors, as huggingface.co has them"
        chosen = QFileDialog.getExistingDirectory(self._window, title, str(folder))
        return Path(chosen) if chosen else None

    def to_find(self, text: str) -> bool:
        """Say which model a lesson needs; returns whether to choose its folder."""
        box = message_box(breakable(text), self._window)
        box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)  # there is an address in it
        choose = box.addButton("Choose its folder …", QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.exec()
        box.deleteLater()
        return box.clickedButton() is choose

    def to_save(self, suggestion: Path) -> Path | None:
        """Ask for the file to save the document in; None if cancelled."""
        known = f"Documents (*{ENDING})"
        file, _ = QFileDialog.getSaveFileName(self._window, "Save as", str(suggestion), known)
        return Path(file) if file else None

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

    def to_hand_out(self, suggestion: Path) -> Path | None:
        """Ask for the file to write a hand-out into; None if cancelled."""
        known = {"PDF (*.pdf)": ".pdf", "One HTML file (*.html)": ".html"}
        return self._to_write("Save as a hand-out", suggestion, known, ".pdf", ".html")

    def _to_write(self, title: str, suggestion: Path, known: Mapping[str, str], *endings: str) -> Path | None:
        """Ask for a file with one of some endings; that of the chosen kind is added if none was typed."""
        first = next((words for words, ending in known.items() if ending == suggestion.suffix), "")
        file, chosen = QFileDialog.getSaveFileName(self._window, title, str(suggestion), ";;".join(known), first)
        path = Path(file)
        if file and path.suffix.lower() not in endings:
            return self.with_ending(path, known.get(chosen, next(iter(known.values()))))
        return path if file else None

    def with_ending(self, path: Path, ending: str) -> Path | None:
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
        button = QMessageBox.StandardButton
        text = f"Remove “{title}” from your lessons? The file that it came in stays where it is."
        return self._ask(text, button.Cancel, button.Yes | button.Cancel, "Remove") == button.Yes

    def replace(self, path: Path) -> bool:
        """Ask whether to overwrite a file."""
        button = QMessageBox.StandardButton
        return self._ask(f"Replace {path}?", button.Cancel, button.Yes | button.Cancel, "Replace") == button.Yes

    def replace_changed(self, path: Path) -> bool:
        """Ask whether to overwrite a file that another program has written since it was opened."""
        button = QMessageBox.StandardButton
        text = f"{path} was changed by another window or program since it was opened here. Replace it?"
        return self._ask(text, button.Cancel, button.Yes | button.Cancel, "Replace") == button.Yes

    def tell(self, sentence: str) -> None:
        """Say what went wrong."""
        button = QMessageBox.StandardButton
        self._ask(sentence, button.Ok, button.Ok)

    def _ask(
        self,
        text: str,
        first: QMessageBox.StandardButton,
        buttons: QMessageBox.StandardButton,
        yes: str = "",
    ) -> QMessageBox.StandardButton:
        box = message_box(breakable(text), self._window)
        box.setStandardButtons(buttons)
        if yes:  # the button says what it does
            box.button(QMessageBox.StandardButton.Yes).setText(yes)
        box.setDefaultButton(first)
        answer = QMessageBox.StandardButton(box.exec())
        box.deleteLater()
        return answer


def breakable(text: str) -> str:
    """A text whose long words, such as file names, may break: a message box would cut them off."""
    return _LONG.sub(lambda word: "\u200b".join(wrap(word[0], PIECE)), text)
