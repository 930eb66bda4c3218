"""What `explorer` without a command needs: a file that is there, and its place in the desktop's menus.

The menu entry and the types of the program's files, for whoever has installed it with pip or unpacked it.

Whether there is what the window shall open, before anything opens.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from explorer.checkpoints import is_checkpoint
from explorer.cli.options import UsageError
from explorer.cli.output import wrote
from explorer.cli.parser import COMMANDS
from explorer.files import whole_file
from explorer.lessons.own_lessons import is_bundle
from explorer.paths import resources
from explorer.teaching import is_for_class

NAME = "transformer-explorer"


def register() -> int:
    """``explorer --register-desktop``: write them into the person's own folders and say which files these are.

    The Desktop Entry, Shared MIME-info and Icon Theme specifications say where they belong.

    Raises `UsageError`: on a system that has no such entries.
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
        with whole_file(file) as stream:
            stream.write(text.encode())
        print(wrote(file))
    for tool, folder in (("update-mime-database", share / "mime"), ("update-desktop-database", share / "applications")):
        if shutil.which(tool):  # a desktop that lacks it looks into the folders itself
            subprocess.run([tool, str(folder)], capture_output=True)
    print("To undo it, remove these files.")
    return 0


def _command() -> list[str]:
    """What starts this program."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    beside = Path(sys.executable).with_name("explorer")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "explorer"]


def _quoted(*words: str) -> str:
    """A command as a desktop entry writes it: each word in quotes, a percent sign twice."""
    # A backslash that a quoted word needs is itself written twice, as in every value of an entry.
    return " ".join('"' + re.sub(r'(["`$\\])', r"\\\\\1", word).replace("%", "%%") + '"' for word in words)


def refuse_several(first: str) -> NoReturn:
    """Say what is wrong with several words of which the first is no command.

    Raises `UsageError`.
    """
    openable(first)
    raise UsageError("The window opens one file. Open the first, and press Ctrl+E for another one beside it.")


def openable(file: str) -> None:
    """Make sure that a file, or a lesson of that name, is there before anything opens.

    Raises `UsageError`.
    """
    if os.path.isfile(file) or is_checkpoint(file) or is_for_class(Path(file)) or is_bundle(Path(file)):
        return
    if file.endswith((".toml", ".explorer")) or "/" in file or "\\" in file:
        known = "a document (.explorer), a lesson (.toml) or the folder of a model"
        raise UsageError(f"There is no file '{file}'; name {known} that exists.")
    if os.path.isdir(file):
        raise UsageError(f"The folder '{file}' has no config.json, so there is no model in it.")
    from explorer.core.errors import nearest
    from explorer.lessons.loader import lesson_files, model_files
    from explorer.sentences import did_you_mean

    lessons, models = lesson_files(), model_files()
    if file not in lessons | models:
        near = nearest(file, [*COMMANDS, *lessons, *models])
        if file == "compare":  # what one finds in the window under this name
            raise UsageError("'compare' is no command: open a model in the window, press Ctrl+E for another beside it.")
        known = f"the commands are {', '.join(COMMANDS)}, the lessons {', '.join(lessons)}"
        known += f", the models {', '.join(models)}"
        raise UsageError(f"'{file}' is no command, file or lesson{did_you_mean(near)}; {known}.")
