"""Whether there is what the window shall open, before anything opens."""

import os

from explorer.checkpoints import is_checkpoint
from explorer.cli.errors import UsageError
from explorer.cli.parser import COMMANDS


def openable(file: str) -> None:
    """Make sure that a file, or a lesson of that name, is there before anything opens.

    Raises `UsageError`.
    """
    if os.path.isfile(file) or is_checkpoint(file):
        return
    if file.endswith((".toml", ".explorer")) or "/" in file or "\\" in file:
        known = "a document (.explorer), a lesson (.toml) or the folder of a model"
        raise UsageError(f"There is no file '{file}'; name {known} that exists.")
    from explorer.core.errors import nearest
    from explorer.lessons.loader import lesson_files, model_files
    from explorer.sentences import did_you_mean

    lessons, models = lesson_files(), model_files()
    if file not in lessons | models:
        near = nearest(file, [*COMMANDS, *lessons, *models])
        known = f"the commands are {', '.join(COMMANDS)}, the lessons {', '.join(lessons)}"
        known += f", the models {', '.join(models)}"
        raise UsageError(f"'{file}' is no command, file or lesson{did_you_mean(near)}; {known}.")
