"""The end of the picture of the whole: the likeliest next words and the loss, or each word in its context."""

from collections.abc import Sequence

import numpy as np

from explorer.core.gradients import LOSS
from explorer.core.numbers import alone
from explorer.pages.amounts import amount
from explorer.pages.drawing import HERE, MUTED, TEXT, Bars, Box, FlowLine, Words
from explorer.pages.lane import GAP, LETTER, SMALL, Lane, Sheet
from explorer.pages.rows import where_said
from explorer.pages.view import Cell, View

ANSWERS = "output.probabilities"
MOST_BARS = 6
WIDTH, EACH, HEAD, BOTTOM, NOTE = 168.0, 17.0, 22.0, 5.0, 19.0
"""Of the bars: all of them, how high one is, the room for what is written above, left free below, or written there."""
LOW, APART = 22.0, 16.0
"""How high the loss is, and how far from the answers."""
PAST, BEYOND = 10.0, 26.0
"""How far behind the last layer the way up to the answers is, and how far these reach beyond it."""


def end(sheet: Sheet, lane: Lane, source: Lane | None, ceiling: float) -> None:
    """What comes out at the right; behind a short encoder there is room above the end of its decoder.

    Parameters
    ----------
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
    """The likeliest next words and the loss, behind the end of the lane, or `above` it."""
    large = sheet.large
    height, width = answers_height(sheet, MOST_BARS), WIDTH * large
    sheet.wait_for(ANSWERS)
    sheet.tracks(lane, lane.x, lane.x + 6.0)
    start = lane.x + 6.0, lane.row(min(answered(sheet.view), len(lane.words) - 1))
    if above is None:
        left = lane.x + 26.0
        way: tuple[tuple[float, float], ...] = (start, (left, start[1]))
        top = min(max(lane.spine - height + 34.0 * large, start[1] - height + 14.0), start[1] - 14.0)
    else:
        up = lane.x + PAST
        left, top, way = up + BEYOND - width, above - height, (start, (up, start[1]), (up, above))
    sheet.add(FlowLine(way, HERE if sheet.chosen(lane.sequence) is not None else TEXT, 2.0))
    answers(sheet, left, top, width, MOST_BARS)
    sheet.right, sheet.low = max(sheet.right, left + width), max(sheet.low, top + height)
    if LOSS.node in sheet.view.nodes:
        low, middle = LOW * large, left + width / 2
        edge, back = (top - APART, APART) if above is not None else (top + height + APART, -APART)
        way = (middle, edge + back), (middle, edge)
        loss(sheet, (left, edge - low if above is not None else edge, width, low), way)
        sheet.low = max(sheet.low, edge + low + 8.0)


def answered(view: View) -> int:
    """The place of the word after which the next one is told: that of the word that is followed, or the last one."""
    axis = view.nodes[ANSWERS].axes[0]
    return min(view.row(axis, last=True), len(view.values[ANSWERS]) - 1)


def answers_height(sheet: Sheet, most: int) -> float:
    """How high the likeliest next words are, so many at most."""
    count = min(most, sheet.view.values[ANSWERS].shape[1])
    coloured = amount(sheet.view, ANSWERS)[1] is not None
    return (HEAD + EACH * count + (NOTE if coloured else BOTTOM)) * sheet.large


def answers(sheet: Sheet, left: float, top: float, width: float, most: int) -> None:
    """The likeliest next words, so many at most, as bars."""
    view, stage, large = sheet.view, sheet.stages["output"], sheet.large
    sheet.wait_for(ANSWERS)
    row, (axis, across) = answered(view), view.nodes[ANSWERS].axes
    words, shares = view.labels(across), view.values[ANSWERS][row]
    best = np.argsort(-np.nan_to_num(shares), kind="stable")[:most].tolist()
    note, share = amount(view, ANSWERS)
    after, said = view.labels(axis)[row], "" if share is None else note
    place, into, tip = (left, top, width, answers_height(sheet, most)), sheet.into(stage), sheet.tip(stage, ANSWERS)
    title = where_said(view, after)
    sheet.add(Box(place, f"What comes {title[0].lower()}{title[1:]}", title, said, tip, into, share, letters=large))
    values = tuple(float(shares[j]) for j in best)
    sheet.add(
        Bars(
            (left + 6.0, top + HEAD * large, width - 10.0, EACH * len(best) * large),
            tuple(words[j] for j in best),
            values,
            tuple(Cell(ANSWERS, (row, j)) for j in best),
            max(1.0, *values),
            _before_edit(view, row, best),
        )
    )


def _before_edit(view: View, row: int, columns: Sequence[int]) -> tuple[float, ...]:
    """Some probabilities of a row before the last edit, if it changed them: opening an example is no edit."""
    was = view.last.before.get(ANSWERS)
    if was is None or was.shape != view.values[ANSWERS].shape or view.given:
        return ()
    return tuple(float(was[row, j]) for j in columns)


def loss(sheet: Sheet, place: tuple[float, float, float, float], way: tuple[tuple[float, float], ...]) -> None:
    """The loss, and the way to it."""
    stage = sheet.stages["loss"]
    sheet.wait_for(LOSS.node)
    value = float(sheet.view.values[LOSS.node])
    note, share = amount(sheet.view, LOSS.node)
    number = alone(value)
    title = f"Loss {number}" if share is None else f"Loss {number}, {note}"
    sheet.add(FlowLine(way, MUTED, 1.5))
    tip, into = sheet.tip(stage, LOSS.node), sheet.into(stage)
    sheet.add(Box(place, "Loss", title, "", tip, into, share, letters=sheet.large))
