"""A lesson on paper."""

from argparse import Namespace
from pathlib import Path

from explorer.cli.errors import UsageError
from explorer.cli.output import wrote
from explorer.core.errors import ExplorerError
from explorer.lessons.loader import load
from explorer.library.screen import need_display

ENDINGS = (".pdf", ".html")


def handout(arguments: Namespace) -> int:
    """``explorer handout``."""
    out = Path(arguments.out)
    if out.suffix.lower() not in ENDINGS:
        raise UsageError(f"'{out}' does not say what to write; choose a name that ends in {' or '.join(ENDINGS)}.")
    lesson = load(arguments.lesson)
    if not lesson.steps:
        raise ExplorerError("no-steps", lesson=lesson.id)
    need_display(or_offscreen=True)
    from explorer.ui.lesson.handout import draw, save

    save(out, lesson, draw(lesson))
    print(wrote(out))
    return 0
