"""How high the parts of the column at the right are: the glossary, below it the step of a lesson, and the inspector.

And where two derivations stand beside the column, over the page.
"""

from collections.abc import Callable
from typing import NamedTuple

from explorer.pages.equation import Rect

MOST = 0.7
"""The greatest share of the column for a step: the rest is for the derivation of the cell pointed at."""
MOST_ASKING = 0.92
"""The same for a step with a question, which must be visible as a whole, with the outcome of the answer."""
LEAST_WORDS, LEAST_BELOW_GLOSSARY = 80, 40
"""The least height of words and question in pixels at text scale 1, and the same below a glossary."""
LEAST_INSPECTOR, LEAST_GLOSSARY = 80, 90
"""Pixels at text scale 1: below an open question the inspector has so much room or none; and what the heading and the
field of the glossary take."""


class StepNeeds(NamedTuple):
    """What a step needs, in pixels."""

    words: int  # the height of its words and its question
    around: int  # the height of all around them
    asks: bool = False  # whether it has a question
    is_open: bool = False  # whether that is still to be answered


def heights(
    glossary: int | None, step: StepNeeds | None, inspector: int | None, room: int, px: Callable[[float], int]
) -> tuple[int, int, int]:
    """The heights of the three parts in pixels; 0: the part has no room, or is not there.

    `glossary`: the height that it wants; `inspector`: its least height; None: the part is not there. `room`: the height
    of the column. `px`: converts pixels at text scale 1 to those of the screen.
    """
    above = 0
    if glossary is not None:
        # Large letters in a low window leave no room for both: then its field stays in sight, as far as it goes.
        least = 0 if step is None else step.around + min(step.words, px(LEAST_BELOW_GLOSSARY))
        most = min(room // 2, max(room - least, px(LEAST_GLOSSARY)))
        above = room if step is None and inspector is None else min(glossary, most)
    free = room - above
    if step is None:
        return above, 0, 0 if inspector is None else free
    most, whole, fewest = free, step.around + step.words, px(LEAST_WORDS if glossary is None else LEAST_BELOW_GLOSSARY)
    if inspector is not None:
        if glossary is not None:  # the step goes before the cell, which gets what is left
            tight = whole > free - px(LEAST_INSPECTOR)
        else:
            most = int(free * (MOST_ASKING if step.asks else MOST))
            tight = step.is_open and whole > most and free - most < px(LEAST_INSPECTOR)
        if tight:  # nothing could be read in so little room, while the field of the question would be out of sight
            most, inspector = free, None
        else:
            most = min(most, free - inspector)
    high = step.around + min(step.words, max(most - step.around, fewest))
    return above, high, 0 if inspector is None else max(free - high, 0)


# Two derivations over the page

WIDE, HIGH, LEAST = 880, 0.7, 160
"""Greatest width in pixels at text scale 1; greatest share of the page's height; and least useful height in pixels."""
BESIDE, BORDER = 28, 1
"""Pixels at text scale 1 between the derivations; and those of the line around both."""
LEFT, AROUND = 14, 8
"""Pixels at text scale 1 inside the line at the left, and at the other sides; as many as these are around it."""


class Both(NamedTuple):
    """Where two derivations stand."""

    card: Rect  # on the page
    close: Rect  # the button that closes it, in the card
    scrolls: Rect  # what scrolls, in the card
    sides: tuple[Rect, Rect]  # the derivations, in what scrolls


def both_beside(
    corner: tuple[int, int],
    bottom: int,
    named: Rect,
    button: tuple[int, int],
    bar: int,
    high: Callable[[int], int],
    px: Callable[[float], int],
) -> Both:
    """Two derivations at the left of the column, below what the step names, or above it if there is no room below.

    `corner`: the upper left one of the column; `bottom`: the height of the page. `named`: where the cells are that the
    step names, which stay visible. `button`: the size of the button that closes the card. `bar`: the width of a scroll
    bar. `high`: the height of both at a width of each. `px`: converts pixels at text scale 1 to those of the screen.
    """
    margin, edge = px(AROUND), px(AROUND) + BORDER
    right, top, bottom = corner[0] - margin, corner[1] + margin, bottom - margin
    width, left = min(px(WIDE), right - margin), px(LEFT) + BORDER
    inside = max(width - left - edge - button[0], 0)
    whole, each = (max((room - px(BESIDE)) // 2, 0) for room in (inside, inside - bar))
    needed = high(each)
    height = min(needed + 2 * edge, round(HIGH * (bottom - top)))
    _, y, _, down = named
    below, above = bottom - margin - (y + down - 1), y - margin - top
    if height > max(below, above) >= px(LEAST):  # scrolling is better than covering the number that was asked for
        height = max(below, above)
    if high(whole) + 2 * edge <= height:  # without a bar
        each, needed = whole, height - 2 * edge
    y = top if below < height <= above else bottom - height
    sides = (0, 0, each, needed), (each + px(BESIDE), 0, each, needed)
    scrolls = left, edge, inside, max(height - 2 * edge, 0)
    return Both((right - width, y, width, height), (left + inside, edge, *button), scrolls, sides)
