"""What the window asks about files, and what it tells, each in a dialog of its own."""

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
from explorer.lessons.own_lessons import ENDING as BUNDLE
from explorer.teaching import ANSWERS
from explorer.ui.widgets.inputs import message_box

LESSON_ENDING = ".lesson.toml"
OPENED = (ENDING, ".toml")
INSIDE = ("config.json", ".safetensors")
"""How files end that mean the folder that they are in."""
_LONG, PIECE = re.compile(r"[^\s/\\]{36,}"), 12
"""A word that in the largest letters may be wider than a box, and letters after which it may go on in the next line."""

Answer = Literal["save", "discard", "cancel"]


class Dialogs:
    """All that is asked and told in a dialog of its own."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def to_open(self, folder: Path) -> Path | None:
        """Which file to open, or None."""
        endings = " ".join(f"*{ending}" for ending in (*OPENED, BUNDLE, ".zip", ANSWERS, *ENDINGS, *INSIDE))
        known = f"Documents, lessons and models ({endings})"
        file, _ = QFileDialog.getOpenFileName(self._window, "Open", str(folder), known)
        return Path(file) if file else None

    def to_open_model(self, folder: Path) -> Path | None:
        """The folder of which model that others trained to open, or None."""
        title = "The folder of a model, with its config.json and .safetensors, as huggingface.co has them"
        chosen = QFileDialog.getExistingDirectory(self._window, title, str(folder))
        return Path(chosen) if chosen else None

    def to_find(self, text: str) -> bool:
        """Say what a lesson needs; whether to choose the folder that has it."""
        box = message_box(breakable(text), self._window)
        box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)  # there is an address in it
        choose = box.addButton("Choose its folder …", QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.exec()
        box.deleteLater()
        return box.clickedButton() is choose

    def to_save(self, suggestion: Path) -> Path | None:
        """Which file to save in, or None."""
        known = f"Documents (*{ENDING})"
        file, _ = QFileDialog.getSaveFileName(self._window, "Save as", str(suggestion), known)
        return Path(file) if file else None

    def to_save_lesson(self, suggestion: Path) -> Path | None:
        """Which file to write a recorded lesson into, or None."""
        file, _ = QFileDialog.getSaveFileName(self._window, "Save the lesson", str(suggestion), "Lessons (*.toml)")
        path = Path(file)
        if file and not path.name.endswith(".toml"):
            return self.with_ending(path, LESSON_ENDING)
        return path if file else None

    def to_bundle(self, suggestion: Path) -> Path | None:
        """Which file to write lessons into, or None."""
        file, _ = QFileDialog.getSaveFileName(self._window, "Save", str(suggestion), f"Lessons in one file (*{BUNDLE})")
        path = Path(file)
        return self.with_ending(path, BUNDLE) if file and path.suffix != BUNDLE else path if file else None

    def to_export(self, suggestion: Path, kinds: Mapping[str, str]) -> Path | None:
        """Which file to write into, or None; its ending, one of the kinds, is added where nobody has typed one."""
        known = {f"{title} (*{ending})": ending for ending, title in kinds.items()}
        first = next((words for words, ending in known.items() if ending == suggestion.suffix), "")
        file, chosen = QFileDialog.getSaveFileName(self._window, "Export", str(suggestion), ";;".join(known), first)
        path = Path(file)
        if file and path.suffix.lower() not in kinds:
            return self.with_ending(path, known.get(chosen, next(iter(kinds))))
        return path if file else None

    def to_hand_out(self, suggestion: Path) -> Path | None:
        """Which file to write a hand-out into, or None."""
        known = "PDF (*.pdf);;One HTML file (*.html)"
        file, chosen = QFileDialog.getSaveFileName(self._window, "Save as a hand-out", str(suggestion), known)
        path = Path(file)
        if file and path.suffix.lower() not in (".pdf", ".html"):
            return self.with_ending(path, ".html" if "html" in chosen else ".pdf")
        return path if file else None

    def with_ending(self, path: Path, ending: str) -> Path | None:
        """A path for which nobody has typed an ending, with it; None where the file of that name should stay."""
        path = path.with_name(f"{path.name}{ending}")
        if os.path.exists(path) and not self.replace(path):  # the system's dialog has asked for the name without it
            return None
        return path

    def keep(self, name: str) -> Answer:
        """Whether to save the changes before they are left."""
        button = QMessageBox.StandardButton
        answer = self._ask(f"Keep your changes to “{name}”?", button.Save, button.Save | button.Discard | button.Cancel)
        known: dict[QMessageBox.StandardButton, Answer] = {button.Save: "save", button.Discard: "discard"}
        return known.get(answer, "cancel")

    def remove(self, title: str) -> bool:
        """Whether to keep a lesson by others no more."""
        button = QMessageBox.StandardButton
        text = f"Remove “{title}” from your lessons? The file that it came in stays where it is."
        return self._ask(text, button.Cancel, button.Yes | button.Cancel, "Remove") == button.Yes

    def replace(self, path: Path) -> bool:
        """Whether to write over a file."""
        button = QMessageBox.StandardButton
        return self._ask(f"Replace {path}?", button.Cancel, button.Yes | button.Cancel, "Replace") == button.Yes

    def replace_changed(self, path: Path) -> bool:
        """Whether to write over a file that somebody else has written since."""
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
        if yes:  # a button says what it does
            box.button(QMessageBox.StandardButton.Yes).setText(yes)
        box.setDefaultButton(first)
        answer = QMessageBox.StandardButton(box.exec())
        box.deleteLater()
        return answer


def breakable(text: str) -> str:
    """A text whose long words, such as names of files, may go on in the next line of a box: else it would cut them."""
    return _LONG.sub(lambda word: "\u200b".join(wrap(word[0], PIECE)), text)
