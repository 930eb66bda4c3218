"""All switches of all blocks: also those whose stage a switch has taken away."""

from explorer.core.graph import Stage
from explorer.core.switches import SWITCHES
from explorer.pages.element import Element
from explorer.pages.given import given
from explorer.pages.header import switch_bar
from explorer.pages.page import Note, Stack
from explorer.pages.view import View


def switches(view: View, stage: Stage) -> tuple[Element, ...]:
    """A row of switches for each block, in reading order."""
    blocks = view.state.model.blocks()
    if not blocks:
        return Note("no switches", "This model has no switches: its numbers follow from what is given."), *given(view)
    bars = (
        Stack(f"part {block}", block, (switch_bar(view, block, tuple(SWITCHES[kind])),))
        for block, kind in blocks.items()
    )
    return tuple(bars)
