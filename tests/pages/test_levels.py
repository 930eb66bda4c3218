"""The names of acts in the words of the screen, and the choices that a file may hold."""

import pytest

from explorer.document.commands import SetSwitch
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.pages.levels import act_title, block_title
from explorer.pages.model.changes import OPENED, moving
from explorer.pages.view import Looking, View


@pytest.mark.parametrize(
    ("label", "said"),
    [("Set Q[0, 1]", "Set Q [Emma → Anim]"), ("Set Q[,]", "Set Q[,]"), ("Set Q[9, 99]", "Set Q [9, 99]")],
)
def test_a_cell_in_the_name_of_an_act(label, said):
    """What a person types stands in names of acts, too, whatever looks like a cell in it."""
    assert act_title(load("emma").state(), label) == said


def test_a_choice_of_another_kind_in_a_file_is_the_usual_one():
    view = View.of(Document(load("emma").state()), Looking(choices={OPENED: 3, "ticked": 1}))
    assert moving(view, {"Q": True}).lines[0].entries[0].tick == 1
    assert view.chosen("ticked", False) is False


@pytest.mark.parametrize(
    ("lesson", "block", "title"),
    [
        ("tiny-translator", "loss", "Loss"),
        ("you-are-welcome", "final", "Final norm"),
        ("you-are-welcome", "encoder.final", "Encoder: Final norm"),
        ("you-are-welcome", "encoder.1.ffn", "Encoder 1: Feed-forward"),
        ("i-love-ai", "decoder.1.ffn", "Layer 1: Feed-forward"),
    ],
)
def test_a_block_that_is_off_has_a_title_too(lesson, block, title):
    """On the page of all switches stood its name in the code, such as “encoder.final”."""
    state = load(lesson).state()
    for off in (SetSwitch("loss", "loss", "none"), SetSwitch(block, "on", False)):
        state = off.apply(state) if state.model.has_switch(off.block, off.name) else state
    assert not [name for name in state.graph.nodes if name.startswith(f"{block}.")]
    assert block_title(state.graph, block) == title
