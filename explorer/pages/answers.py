"""The end of the picture of the whole: the likeliest next words and the loss, or each word in its context."""

from collections.abc import Sequence

import numpy as np

from explorer.core.gradients import LOSS
from explorer.core.numbers import significant, written
from explorer.pages.amounts import amount
from explorer.pages.drawing import HERE, MUTED, TEXT, Bars, Box, Way, Words
from explorer.pages.lane import GAP, LETTER, SMALL, Lane, Sheet
from explorer.pages.view import Cell, View

MOST_BARS = 6
WIDTH, EACH, AROUND = 176.0, 16.0, 40.0
"""Of the bars: all of them, how high one is, and what their box is higher."""


def end(sheet: Sheet, lane: Lane) -> None:
    """What comes out at the right."""
    if "output" in sheet.stages:
        _answers(sheet, lane)
        return
    sheet.go_on(lane)
    for i, word in enumerate(lane.words):
        sheet.add(Words(lane.x + 4.0, lane.row(i), word, TEXT, True, 0.0, (lane.sequence, i), SMALL))
    said = "Each word in its context"
    sheet.add(Words(lane.x + 4.0, lane.top - 14.0, said, MUTED, True, 0.0, strong=True))
    longest = max(LETTER * max(map(len, lane.words)), 1.2 * LETTER * len(said))
    sheet.right = max(sheet.right, lane.x + GAP + longest)


def _answers(sheet: Sheet, lane: Lane) -> None:
    """The likeliest next words behind the word that is followed, or the last one, as bars; and the loss."""
    view, stage = sheet.view, sheet.stages["output"]
    name = "output.probabilities"
    sheet.wait_for(name)
    probabilities = view.values[name]
    axis = view.nodes[name].axes[0]
    row = min(view.row(axis, last=True), len(probabilities) - 1)
    words, shares = view.labels(view.nodes[name].axes[1]), probabilities[row]
    best = np.argsort(-np.nan_to_num(shares), kind="stable")[:MOST_BARS].tolist()
    inner = EACH * len(best)
    height, left = inner + AROUND, lane.x + 26.0
    sheet.tracks(lane, lane.x, lane.x + 6.0)
    start = lane.row(min(row, len(lane.words) - 1))
    top = min(max(lane.spine - height + 34.0, start - height + 14.0), start - 14.0)
    place = left, top, WIDTH, height
    ink = HERE if sheet.chosen(lane) is not None else TEXT
    sheet.add(Way(((lane.x + 6.0, start), (left, start)), ink, 2.0))
    note, share = amount(view, name)
    after = view.labels(axis)[row]
    said = "" if share is None else note
    tip = sheet.tip(stage, name)
    sheet.add(Box(place, f"What comes after {after}", f"After “{after}” comes", said, tip, sheet.into(stage), share))
    values = tuple(float(shares[j]) for j in best)
    sheet.add(
        Bars(
            (left + 6.0, top + 22.0, WIDTH - 10.0, inner),
            tuple(words[j] for j in best),
            values,
            tuple(Cell(name, (row, j)) for j in best),
            max(1.0, *values),
            _before_edit(view, name, row, best),
        )
    )
    low = top + height
    if LOSS.node in view.nodes:
        low = _loss(sheet, left, low + 16.0, low)
    sheet.right, sheet.low = max(sheet.right, left + WIDTH), max(sheet.low, low + 8.0)


def _before_edit(view: View, name: str, row: int, columns: Sequence[int]) -> tuple[float, ...]:
    """Some numbers of a row before the last edit, if it changed them: opening an example is no edit."""
    was = view.last.before.get(name)
    if was is None or was.shape != view.values[name].shape or view.given:
        return ()
    return tuple(float(was[row, j]) for j in columns)


def _loss(sheet: Sheet, left: float, top: float, above: float) -> float:
    """The loss below the answers; returns where it ends."""
    stage = sheet.stages["loss"]
    sheet.wait_for(LOSS.node)
    loss = float(sheet.view.values[LOSS.node])
    note, share = amount(sheet.view, LOSS.node)
    number = written(loss, significant(loss, 3))
    title = f"Loss {number}" if share is None else f"Loss {number}, {note}"
    middle = left + WIDTH / 2
    sheet.add(Way(((middle, above), (middle, top)), MUTED, 1.5))
    place = left, top, WIDTH, 22.0
    sheet.add(Box(place, "Loss", title, "", sheet.tip(stage, LOSS.node), sheet.into(stage), share))
    return top + 22.0
