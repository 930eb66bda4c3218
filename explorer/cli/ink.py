"""What one sees of each step of a lesson: whose the ink is, and how full its slide."""

import json
from argparse import Namespace
from dataclasses import asdict
from itertools import zip_longest

from explorer.cli.render import parse_size
from explorer.core.errors import ExplorerError
from explorer.lessons.loader import load
from explorer.library.columns import columns
from explorer.library.screen import need_display


def ink(arguments: Namespace) -> int:
    """``explorer ink``."""
    size = parse_size(arguments.size)
    lesson = load(arguments.lesson)
    if not lesson.steps:
        raise ExplorerError("no-steps", lesson=lesson.id)
    need_display(or_offscreen=True)
    from explorer.ui.lesson.ink import sights, slides

    seen, shown = list(sights(lesson, size)), list(slides(lesson, size))
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
    return "all of it" if share is None else f"{share:.0%}"
