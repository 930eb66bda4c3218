"""The family tree: true by construction, and one click makes the model in front of a kind."""

import pytest
from refusals import refuses

from explorer.checkpoints.members import as_member, differing, member, members, own_switches
from explorer.core.switches import SWITCHES
from explorer.document.commands import BecomeKind
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.pages.family import BLOCKS, FAMILY
from explorer.pages.page import Listing

NAMES = [one.name for one in members()]


def listings(eyes):
    return {element.id: element for element in eyes.page.elements if isinstance(element, Listing)}


def test_each_row_says_what_opens_the_models_checkpoints(desk):
    tree = listings(desk("tiny-gpt").page(FAMILY.name))["members"]
    assert [line.entries[0].text for line in tree.lines] == NAMES
    assert len(tree.columns) == len(differing()) + 2
    for line, one in zip(tree.lines, members(), strict=True):
        plan = one.plan(one.sizes)
        for entry, (part, name) in zip(line.entries[2:], differing(), strict=True):
            default = SWITCHES[BLOCKS[part]][name].default
            value = plan.switches.get(f"decoder.1.{part}.{name}", plan.switches.get(f"{part}.{name}", default))
            assert (entry.text == "–") == (value == default)
            assert own_switches(one)[f"{part}.{name}"] == value


@pytest.mark.parametrize("name", NAMES)
def test_a_click_on_a_row_makes_the_model_of_that_kind_and_undo_takes_it_back(desk, name):
    tree = listings(desk("tiny-gpt").page(FAMILY.name))["members"]
    (entry,) = [line.entries[0] for line in tree.lines if line.entries[0].text == name]
    document = Document(load("tiny-gpt").state())
    before = document.state
    document.do(entry.leads.command())
    document.settle()
    assert document.state.model == as_member(member(name), before.model)
    assert document.state.model.switch("decoder.2.self", "norm") == own_switches(member(name))["self.norm"]
    assert document.state.model.d_model == before.model.d_model
    document.undo()
    assert document.state is before


def test_a_model_without_layers_is_refused_and_says_why():
    with refuses("This model has no layers that could be of another kind"):
        BecomeKind(NAMES[0]).apply(load("two-vectors").state())
