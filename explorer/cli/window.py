"""What `explorer` without a command needs.

`register` adds the menu entry and the file types, for users who installed the program with pip or unpacked it.

`openable` checks that the file for the window exists, before the window opens.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from explorer.checkpoints import ENDINGS, is_checkpoint
from explorer.cli.output import wrote
from explorer.cli.parser import COMMANDS, UsageError
from explorer.core.errors import nearest
from explorer.files import write_file
from explorer.lessons.loader import lesson_files, model_files
from explorer.lessons.own_lessons import BUNDLE, is_bundle
from explorer.paths import resources
from explorer.sentences import did_you_mean
from explorer.teaching import ANSWERS, is_for_class

NAME = "transformer-explorer"


def register() -> int:
    """``explorer --register-desktop``: write menu entry, file types and icon into the user's folders, and list them.

    The Desktop Entry, Shared MIME-info and Icon Theme specifications say where these files belong.

    Raises `UsageError`: on a system other than Linux.
    """
    if not sys.platform.startswith("linux"):
        raise UsageError(
            "--register-desktop is for Linux; on Windows and macOS the installed program registers itself."
        )
    share = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
    source = resources() / "desktop"
    entry = (source / f"{NAME}.desktop").read_text("utf-8")
    files = {
        share / f"applications/{NAME}.desktop": entry.replace("Exec=explorer ", f"Exec={_quoted(*_command())} "),
        share / f"mime/packages/{NAME}.xml": (source / f"{NAME}.xml").read_text("utf-8"),
        share / f"icons/hicolor/scalable/apps/{NAME}.svg": (resources() / "icons/app.svg").read_text("utf-8"),
    }
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, text.encode())
        print(wrote(file))
    for tool, folder in (("update-mime-database", share / "mime"), ("update-desktop-database", share / "applications")):
        if shutil.which(tool):  # a desktop without this tool reads the folders itself
            subprocess.run([tool, str(folder)], capture_output=True)
    print("To undo it, remove these files.")
    return 0


def _command() -> list[str]:
    """The command that starts this program."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    beside = Path(sys.executable).with_name("explorer")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "explorer"]


def _quoted(*words: str) -> str:
    """A command in the syntax of a desktop entry: each word in quotes, each percent sign doubled."""
    quoted = " ".join('"' + re.sub(r'(["`$\\])', r"\\\1", word).replace("%", "%%") + '"' for word in words)
    return quoted.replace("\\", "\\\\")  # every value of an entry is unescaped once more


def refuse_several(first: str) -> NoReturn:
    """Raise the error for several words of which the first is no command.

    Raises `UsageError`.
    """
    openable(first)
    raise UsageError("The window opens one file. Open the first, and press Ctrl+E for another one beside it.")


_ENDINGS = (".toml", ".explorer", ".zip", BUNDLE, ANSWERS, *ENDINGS)
"""The endings of files that the window opens."""


def openable(file: str) -> None:
    """Check, before anything opens, that there is a file or a lesson with this name.

    Raises `UsageError`.
    """
    folder = Path(file) if os.path.isdir(file) else None
    if os.path.isfile(file) or is_checkpoint(file) or (folder and (is_for_class(folder) or is_bundle(folder))):
        return
    if file.lower().endswith(_ENDINGS) or "/" in file or "\\" in file:
        known = "a document (.explorer), a lesson (.toml) or the folder of a model"
        raise UsageError(f"There is no file '{file}'; name {known} that exists.")
    if os.path.isdir(file):
        raise UsageError(f"The folder '{file}' has no config.json, so there is no model in it.")
    lessons, models = lesson_files(), model_files()
    if file not in lessons | models:
        near = nearest(file, [*COMMANDS, *lessons, *models])
        if file == "compare":  # the window has an action with this name
            raise UsageError("'compare' is no command: open a model in the window, press Ctrl+E for another beside it.")
        known = f"the commands are {', '.join(COMMANDS)}, the lessons {', '.join(lessons)}"
        known += f", the models {', '.join(models)}"
        raise UsageError(f"'{file}' is no command, file or lesson{did_you_mean(near)}; {known}.")
