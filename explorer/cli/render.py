"""Commands that draw and export: a stage as a picture, a lesson on paper, a whole model as a file.

``explorer ink`` measures the pages and slides of a lesson: the share of the ink that a step names, and of empty room.
"""

import json
import re
from argparse import Namespace
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path

from explorer.cli.output import may_write, shown, wrote
from explorer.cli.parser import UsageError
from explorer.cli.show import opened
from explorer.core.errors import ExplorerError
from explorer.core.numbers import percent
from explorer.export.workbook import ENDINGS, save_model
from explorer.files import write_file
from explorer.lessons.loader import load, ready
from explorer.library import page
from explorer.library.matrix import columns
from explorer.library.page import LEAST, MOST, THEMES, need_display
from explorer.library.transformer import Transformer

MOVING = (".gif", ".mp4")
PICTURES = (*page.ENDINGS, *MOVING)
MOST_LEARNED = 10_000


def render(arguments: Namespace) -> int:
    """``explorer render``."""
    out, theme = Path(arguments.out), arguments.theme
    ending = _ending(out, PICTURES, "what picture to draw")
    if theme is not None and theme not in THEMES:
        raise UsageError(f"'{theme}' is not a theme; choose {_or(THEMES)}.")
    size = None if arguments.size is None else parse_size(arguments.size)
    if arguments.learn is not None and not 1 <= arguments.learn <= MOST_LEARNED:
        raise UsageError(f"--learn takes a number of steps from 1 to {MOST_LEARNED}.")
    moves = ending in MOVING or arguments.frames
    if moves and (theme is not None or size is not None):
        raise UsageError("What moves is drawn on paper, as large as needed; leave out --size and --theme.")
    if arguments.learn is not None and not moves:
        raise UsageError("--learn is for what moves: a .gif, an .mp4, or a .png with --frames.")
    m = opened(arguments)
    if moves or arguments.cell:
        if ending not in ((".png",) if arguments.frames else MOVING):
            raise UsageError("What moves is a .gif or an .mp4; with --frames it is a .png for each moment.")
        return _moving(arguments, m, out)
    m.page(arguments.stage).save(out, size, theme)
    print(wrote(out))
    return 0


def _moving(arguments: Namespace, m: Transformer, out: Path) -> int:
    """Write the animation of a stage as an animated GIF, a video, or numbered PNGs."""
    from explorer.core.graph import Cell

    cell = None if arguments.cell is None else Cell(*m.cell(arguments.cell))
    need_display(or_offscreen=True)
    from explorer.ui.animation import WRITERS, frames, pngs
    from explorer.ui.render import alone

    with alone(m.lesson, m.document) as bench:
        moving = frames(bench, arguments.stage, arguments.learn or 0, cell=cell)
    files = {} if arguments.frames else {out: WRITERS[out.suffix.lower()](moving)}
    if not files:
        digits = len(str(len(moving.images)))
        numbered = enumerate(pngs(moving), 1)
        files = {out.with_name(f"{out.stem}-{number:0{digits}}{out.suffix}"): content for number, content in numbered}
    for path in files:
        may_write(path, arguments.force, arguments.lesson)
    for path, content in files.items():
        write_file(path, content)
    first, *others = files
    print(f"{wrote(first)}{f' to {shown(others[-1])}' if others else ''}")
    return 0


def parse_size(text: str) -> tuple[int, int]:
    """The width and height in a text "WxH".

    Raises `UsageError`.
    """
    match = re.fullmatch(r"\s*([0-9]{1,6})\s*[x×]\s*([0-9]{1,6})\s*", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(LEAST <= side <= MOST for side in size):
        raise UsageError(f"'{text}' is not a size; write one such as 1280x720, each side {LEAST} to {MOST}.")
    return size


def _ending(out: Path, known: tuple[str, ...], what: str = "what to write") -> str:
    """The ending of a file's name in lower case, one of those that are known."""
    if (ending := out.suffix.lower()) not in known:
        raise UsageError(f"'{out}' does not say {what}; choose a name that ends in {_or(known)}.")
    return ending


def _or(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def export(arguments: Namespace) -> int:
    """``explorer export``."""
    out = Path(arguments.out)
    _ending(out, ENDINGS)
    m = opened(arguments)
    print(wrote(*save_model(m.document, m.lesson, out)))
    return 0


PAPERS = (".pdf", ".html")


def handout(arguments: Namespace) -> int:
    """``explorer handout``."""
    out = Path(arguments.out)
    _ending(out, PAPERS)
    lesson = ready(arguments.lesson, arguments.model)
    if not lesson.steps:
        raise ExplorerError("no-steps", lesson=lesson.id)
    need_display(or_offscreen=True)
    from explorer.ui.lesson.handout import draw, save

    save(out, lesson, draw(lesson))
    print(wrote(out))
    return 0


def ink(arguments: Namespace) -> int:
    """``explorer ink``."""
    size = parse_size(arguments.size)
    lesson = load(arguments.lesson, arguments.model)
    if not lesson.steps:
        raise ExplorerError("no-steps", lesson=lesson.id)
    need_display(or_offscreen=True)
    from explorer.ui.lesson.ink import sights, slides
    from explorer.words import catalogue

    vectors = catalogue.load() if any(step.look.word for step in lesson.steps) else None
    seen, shown = list(sights(lesson, size)), list(slides(lesson, size, vectors))
    named = [one.lit for one in seen if one.lit is not None]
    mean = sum(named) / len(named) if named else None
    if arguments.json:
        steps = [{**asdict(one), **asdict(slide)} for one, slide in zip_longest(seen, shown)]
        print(json.dumps({"lesson": lesson.id, "size": list(size), "mean": mean, "steps": steps}))
        return 0
    rows = [
        (one.step, _share(one.plain), _share(one.lit), _share(slide.empty), ", ".join(slide.cut) or "nothing")
        for one, slide in zip(seen, shown, strict=True)
    ]
    head = ("step", "named, light off", "light on", "slide empty", "slide cuts")
    print(*columns([head, *rows], "<>>><"), sep="\n")
    print(f"Of the ink of a page {_share(mean)} belongs to what its step names: the mean of {len(named)} steps.")
    return 0


def _share(share: float | None) -> str:
    return "all of it" if share is None else percent(share)
