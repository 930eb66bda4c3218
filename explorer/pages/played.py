"""One pass through the model, played: what has not been reached yet is faint."""

from collections.abc import Sequence
from dataclasses import replace

from explorer.pages.drawing import Drawing
from explorer.pages.gestures import Keep
from explorer.pages.page import Player
from explorer.pages.view import View

PLAYED = "whole.played"
"""The key under which it is kept how many steps of the pass have been taken; without it, all of them."""


def played(view: View, drawing: Drawing, due: Sequence[str]) -> tuple[Drawing, Player]:
    """A drawing as far as the pass has come, and what plays it.

    Gradients are computed from the loss back to the inputs, so with them the pass goes that way.

    Parameters
    ----------
    view : View
    drawing : Drawing
    due : sequence of str
        The node that each mark waits for; empty where it waits for none.
    """
    wanted = set(due)
    steps = [name for name in view.nodes if name in wanted]
    backward = view.looking.showing == "gradient"
    if backward:
        steps.reverse()
    taken = min(int(view.chosen(PLAYED, len(steps))), len(steps))
    titles = {stage.name: f"{stage.group}: {stage.title}" for stage in view.graph.stages}
    names = tuple(f"{titles[view.nodes[name].stage]}, {view.nodes[name].short}" for name in steps)
    player = Player("player", taken, names, Keep(PLAYED), backward)
    if taken == len(steps):
        return drawing, player
    missing = set(steps[taken:])
    marks = tuple(
        replace(mark, faint=True) if name in missing else mark for mark, name in zip(drawing.marks, due, strict=True)
    )
    return replace(drawing, marks=marks), player
