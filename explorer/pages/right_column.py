"""How high the parts of the column at the right are: the glossary, below it the step of a lesson, and the inspector."""

from collections.abc import Callable
from typing import NamedTuple

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
