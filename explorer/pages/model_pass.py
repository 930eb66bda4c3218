"""Playing one pass through the model step by step: marks that the pass has not reached are faint. And its sentences."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from explorer.pages.drawing import Drawing
from explorer.pages.gestures import Keep
from explorer.pages.page import Player
from explorer.pages.view import View

PLAYED = "whole.played"
"""The beginning of the key that keeps how many steps of a pass have been taken; without that key, all steps."""


def played(
    view: View, drawing: Drawing, due: Sequence[str], invitation: str, block: str = ""
) -> tuple[Drawing, Player]:
    """A drawing with the marks that the pass has not reached made faint, and the player of the pass.

    Gradients are computed from the loss back to the inputs, so while they are shown the pass goes backward.

    Parameters
    ----------
    due : sequence of str
        For each mark, the node that it waits for; "" if it waits for none.
    invitation : str
        The text that is shown while no pass is played.
    block : str
        The block that is drawn, if it is not the whole: a block is played by itself.
    """
    key = f"{PLAYED}.{block}" if block else PLAYED
    wanted = set(due)
    steps = [name for name in view.nodes if name in wanted]
    backward = view.looking.showing == "gradient"
    if backward:
        steps.reverse()
    taken = view.number(key, len(steps), 0, len(steps))
    titles = {stage.name: f"{stage.group}: {stage.title}" for stage in view.graph.stages}
    names = tuple(f"{titles[view.nodes[name].stage]}, {view.nodes[name].short}" for name in steps)
    player = Player("player", taken, names, Keep(key), _said(names, taken, backward) or invitation)
    if taken == len(steps):
        return drawing, player
    missing = set(steps[taken:])
    marks = tuple(
        replace(mark, faint=1.0) if name in missing else mark for mark, name in zip(drawing.marks, due, strict=True)
    )
    return replace(drawing, marks=marks), player


def _said(steps: Sequence[str], taken: int, backward: bool) -> str:
    """A sentence on the step that a played pass has reached; "" at its end."""
    if taken == len(steps):
        return ""
    if not taken:
        return "One pass, from the loss back to the words" if backward else "One pass, from the beginning"
    return f"Step {taken} of {len(steps)}: <b>{escape(steps[taken - 1])}</b>"


def coloured(view: View) -> str:
    """A sentence on what the colours mean, unless values are shown."""
    match view.looking.showing:
        case "change" if not view.last.label:
            return "Nothing has changed yet. Edit a number, a word or a switch, and see which blocks change."
        case "change" | "step":
            return "What the last edit changed: the stronger the colour of a block, the more of its numbers changed."
        case "gradient":
            return (
                "How much the loss depends on each block: a stronger colour is a longer gradient. A pass goes backward."
            )
        case "difference":
            return "The stronger the colour of a block, the more it differs from the other model."
    return ""
