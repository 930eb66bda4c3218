"""The end of the picture of the whole: the likeliest next words and the loss, or each word in its context."""

from collections.abc import Sequence

import numpy as np

from explorer.core.gradients import LOSS
from explorer.core.numbers import significant, written
from explorer.pages.amounts import amount
from explorer.pages.drawing import HERE, MUTED, TEXT, Bars, Box, Way, Words
from explorer.pages.lane import GAP, LETTER, SMALL, Lane, Sheet
from explorer.pages.view import Cell, View

MOST_BARS, SHORT = 6, 5
"""And letters of a word that leaves room in its title."""
WIDTH, EACH, HEAD, BOTTOM, NOTE = 168.0, 17.0, 22.0, 8.0, 19.0
"""Of the bars: all of them, how high one is, the room for what is written above, left free below, or written there."""
LOW, APART = 22.0, 16.0
"""How high the loss is, and how far from the answers."""
PAST, BEYOND = 10.0, 26.0
"""How far behind the last layer the way up to the answers is, and how far these reach beyond it."""


def end(sheet: Sheet, lane: Lane, source: Lane | None, ceiling: float) -> None:
    """What comes out at the right; behind a short encoder there is room above the end of its decoder.

    Parameters
    ----------
    sheet : Sheet
    lane : Lane
        The last one.
    source : Lane or None
        The one above, if there is one, and this one is a single row.
    ceiling : float
        Where the layers of the last lane begin.
    """
    if "output" in sheet.stages:
        above = source is not None and source.x + BEYOND <= lane.x + PAST + BEYOND - WIDTH
        _answers(sheet, lane, ceiling - PAST if above else None)
        return
    sheet.go_on(lane)
    for i, word in enumerate(lane.words):
        sheet.add(Words(lane.x + 4.0, lane.row(i), word, TEXT, True, 0.0, (lane.sequence, i), SMALL))
    said = "Each word in its context"
    sheet.add(Words(lane.x + 4.0, lane.top - 14.0, said, MUTED, True, 0.0, strong=True))
    longest = max(LETTER * max(map(len, lane.words)), 1.2 * LETTER * len(said))
    sheet.right = max(sheet.right, lane.x + GAP + longest)


def _answers(sheet: Sheet, lane: Lane, above: float | None) -> None:
    """The likeliest next words behind the word that is followed, or the last one, as bars; and the loss.

    They stand behind the end of the lane, or end `above` it.
    """
    view, stage = sheet.view, sheet.stages["output"]
    name = "output.probabilities"
    sheet.wait_for(name)
    probabilities = view.values[name]
    axis = view.nodes[name].axes[0]
    row = min(view.row(axis, last=True), len(probabilities) - 1)
    words, shares = view.labels(view.nodes[name].axes[1]), probabilities[row]
    best = np.argsort(-np.nan_to_num(shares), kind="stable")[:MOST_BARS].tolist()
    note, share = amount(view, name)
    large = sheet.large
    inner, width = EACH * len(best) * large, WIDTH * large
    height = (HEAD + (BOTTOM if share is None else NOTE)) * large + inner
    sheet.tracks(lane, lane.x, lane.x + 6.0)
    start = lane.x + 6.0, lane.row(min(row, len(lane.words) - 1))
    if above is None:
        left = lane.x + 26.0
        way: tuple[tuple[float, float], ...] = (start, (left, start[1]))
        top = min(max(lane.spine - height + 34.0 * large, start[1] - height + 14.0), start[1] - 14.0)
    else:
        up = lane.x + PAST
        left, top, way = up + BEYOND - width, above - height, (start, (up, start[1]), (up, above))
    sheet.add(Way(way, HERE if sheet.chosen(lane) is not None else TEXT, 2.0))
    after = view.labels(axis)[row]
    said = "" if share is None else note
    place, into = (left, top, width, height), sheet.into(stage)
    tip = sheet.tip(stage, name)
    title = f"After “{after}”{' comes' if len(after) <= SHORT else ''}"
    sheet.add(Box(place, f"What comes after {after}", title, said, tip, into, share, letters=large))
    values = tuple(float(shares[j]) for j in best)
    sheet.add(
        Bars(
            (left + 6.0, top + HEAD * large, width - 10.0, inner),
            tuple(words[j] for j in best),
            values,
            tuple(Cell(name, (row, j)) for j in best),
            max(1.0, *values),
            _before_edit(view, name, row, best),
        )
    )
    if LOSS.node in view.nodes:
        _loss(sheet, left, top - APART if above is not None else top + height + APART, above is not None)
    below = APART + LOW * large + 8.0 if above is None else 0.0
    sheet.right, sheet.low = max(sheet.right, left + width), max(sheet.low, top + height + below)


def _before_edit(view: View, name: str, row: int, columns: Sequence[int]) -> tuple[float, ...]:
    """Some numbers of a row before the last edit, if it changed them: opening an example is no edit."""
    was = view.last.before.get(name)
    if was is None or was.shape != view.values[name].shape or view.given:
        return ()
    return tuple(float(was[row, j]) for j in columns)


def _loss(sheet: Sheet, left: float, edge: float, above: bool) -> None:
    """The loss below the answers, or above them; its near edge is given."""
    stage = sheet.stages["loss"]
    sheet.wait_for(LOSS.node)
    loss = float(sheet.view.values[LOSS.node])
    note, share = amount(sheet.view, LOSS.node)
    number = written(loss, significant(loss, 3))
    title = f"Loss {number}" if share is None else f"Loss {number}, {note}"
    width, low = WIDTH * sheet.large, LOW * sheet.large
    middle, back = left + width / 2, APART if above else -APART
    sheet.add(Way(((middle, edge + back), (middle, edge)), MUTED, 1.5))
    place = left, edge - low if above else edge, width, low
    tip, into = sheet.tip(stage, LOSS.node), sheet.into(stage)
    sheet.add(Box(place, "Loss", title, "", tip, into, share, letters=sheet.large))
