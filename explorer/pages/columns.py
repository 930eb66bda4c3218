"""How wide the columns of a list are in some width, and which of them stand below the others."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple


class Widths(NamedTuple):
    """The widths in pixels that a column may have."""

    wanted: int  # with its title on one line
    tight: int  # with a short bar, or its title on several lines
    least: int  # with its words on several lines
    title: str
    most: int  # if there is more room than all columns want


def fitted(columns: Sequence[Widths], least: Sequence[int], room: int) -> list[int]:
    """The widths of columns side by side, wider than the room only if even the least widths are.

    Bars and titles become narrower first, then the widest columns; in a large room bars become longer.
    `least`: the least width of each, where it may be less than usual.
    """
    widths = [column.wanted for column in columns]
    gives = [column.wanted - column.tight for column in columns]
    if taken := min(max(sum(widths) - room, 0), sum(gives)):
        widths = [wide - -(-give * taken // sum(gives)) for wide, give in zip(widths, gives, strict=True)]
    widths = _widest_first(widths, least, room)
    more, free = [column.most - column.wanted for column in columns], room - sum(widths)
    if free > 0 < sum(more):
        widths = [wide + grows * min(free, sum(more)) // sum(more) for wide, grows in zip(widths, more, strict=True)]
    return widths


def _widest_first(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths that fit into the room: the widest columns are cut to one width, so that short words do not wrap."""

    def cut_to(most: int) -> list[int]:
        return [max(min(width, most), low) for width, low in zip(widths, least, strict=True)]

    most = bisect_right(range(max(widths, default=0)), room, key=lambda most: sum(cut_to(most)))
    return cut_to(most - 1) if sum(widths) > room else list(widths)


def divided(least: Sequence[int], room: int, repeats: int) -> list[tuple[int, ...]]:
    """The indices of the columns in each of the lists below each other.

    Each list begins with the first columns again, which say what a line is. One with room for only one is not divided.
    `least`: the least width of each column; `repeats`: how many columns stand in each list.
    """
    lists, columns = list[tuple[int, ...]](), tuple(range(len(least)))
    while True:
        count = bisect_right(list(accumulate(least[i] for i in columns)), room)
        if count == len(columns) or count < 2:
            return [*lists, columns]
        lists.append(columns[:count])
        columns = (*range(repeats), *columns[count:])
