"""What the search for inputs proposes, before a window shows it."""

from explorer.core.graph import Root
from explorer.lessons.answers import values_of
from explorer.lessons.loader import load
from explorer.pages.element import leaves
from explorer.pages.model.seek import search_for, seek_page


def proposed(lesson, node, cell):
    """What may change at first, and the example of a part of an input."""
    state = load(lesson).state(next(iter(load(lesson).settings)))
    search = search_for(state, values_of(state), Root(node, cell), "here")
    notes = [one.text for element in seek_page(search) for one in leaves(element) if one.id == "such"]
    return search.chosen, notes


def test_for_a_probability_the_logits_may_change_and_one_of_them_is_the_example():
    """The temperature alone was ticked, which reaches few probabilities, and the example was “output.temperature[]”."""
    chosen, notes = proposed("cat-sat-on-the", "output.probabilities", (0, 0))
    assert chosen == {"output.logits"}
    assert notes == ["Or only a part of one, such as output.logits[0,0]:"]


def test_of_a_single_number_no_part_is_offered():
    assert proposed("cat-sat-on-the", "output.temperature", ()) == ({"output.temperature"}, [])
