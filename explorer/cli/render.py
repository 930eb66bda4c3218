"""A stage of a lesson as a picture."""

import re
from argparse import Namespace
from pathlib import Path

from explorer.cli.display import need_display
from explorer.cli.errors import UsageError
from explorer.cli.show import opened
from explorer.files import whole_file

ENDINGS = (".png", ".svg", ".pdf")
THEMES = ("light", "dark")
LEAST, MOST = 100, 4096


def render(arguments: Namespace) -> int:
    """``explorer render``."""
    out, theme = Path(arguments.out), arguments.theme
    ending = out.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"'{out}' does not say what picture to draw; choose a name that ends in {_or(ENDINGS)}.")
    if theme not in THEMES:
        raise UsageError(f"'{theme}' is not a theme; choose {_or(THEMES)}.")
    size = None if arguments.size is None else parse_size(arguments.size)
    lesson, document = opened(arguments)
    need_display(or_offscreen=True)
    from explorer.ui.render import render as rendered

    picture = rendered(lesson, document, arguments.stage, ending, size, theme)
    with whole_file(out) as stream:
        stream.write(picture)
    print(f"wrote {out}")
    return 0


def parse_size(text: str) -> tuple[int, int]:
    """Width and height of "WxH".

    Raises
    ------
    UsageError
    """
    match = re.fullmatch(r"\s*([0-9]{1,6})\s*[x×]\s*([0-9]{1,6})\s*", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(LEAST <= side <= MOST for side in size):
        raise UsageError(f"'{text}' is not a size; write one such as 1280x720, each side {LEAST} to {MOST}.")
    return size


def _or(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
