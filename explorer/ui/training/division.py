"""Where the parts of the page "Train" stand: a pure function of its size."""

from collections.abc import Callable
from typing import NamedTuple

from explorer.pages.equation import Rect

LEFT, LEAST = 330, 200
"""Pixels at text scale 1: the width of the settings, and the least width of the run beside them, which then scrolls."""
BEGIN, END = (24, 40), (16, 24)
"""The margins of the run, left and right: in pixels at text scale 1, and at most. Large letters need the room."""
NARROW = 760
"""In a page narrower than this (pixels at text scale 1) the settings are hidden until the reader opens them."""

Px = Callable[[float], int]
"""Converts pixels at text scale 1 to those of the screen."""


class Division(NamedTuple):
    """Rectangles in pixels, and the widths of what stands in them; a scroll bar always has room there."""

    narrow: bool
    folded: bool  # whether the settings are hidden; they keep their size, and what of them was in sight
    settings: Rect
    run: Rect
    foot: Rect
    rooms: tuple[int, int]  # of the run and of the settings


def margins(px: Px) -> tuple[int, int]:
    """Those of the run, left and right, in pixels."""
    return min(px(BEGIN[0]), BEGIN[1]), min(px(END[0]), END[1])


def divided(
    width: int, height: int, px: Px, scroll_bar: int, unfolded: bool, foot: Callable[[int], int] | None
) -> Division:
    """The places on a page of this size.

    `scroll_bar`: the width of one. `unfolded`: whether the reader has opened the settings of a narrow page. `foot`: the
    height of the messages at a width; None: there are none.
    """
    narrow = width < px(NARROW)
    folded = narrow and not unfolded
    left = 0 if folded else px(LEFT)
    beside = max(width - left, 0)
    below = foot(beside) if foot else 0
    run = max(height - below, 0)
    room = max(beside - sum(margins(px)) - scroll_bar, px(LEAST))
    rects = (0, 0, px(LEFT), height), (left, 0, beside, run), (left, run, beside, below)
    return Division(narrow, folded, *rects, (room, px(LEFT) - scroll_bar))
