"""While a question asks for a number, a row or a stack of which nothing may be seen is not there at all."""

from explorer.pages.covering import without
from explorer.pages.page import Item, Note, Row, Stack

COVERED = {"scores": frozenset({(0, 0)})}
SAID = Note("said", "The largest is <b>2.42</b>.")
QUIET = Note("quiet", "Each row is a word.")


def test_a_row_without_items_goes():
    full = Row("both", (Item("", SAID), Item("", QUIET)))
    assert without((Row("row", (Item("", SAID),)), full), COVERED) == (Row("both", (Item("", QUIET),)),)


def test_a_stack_without_elements_goes():
    assert without((Stack("stack", "", (SAID,)), QUIET), COVERED) == (QUIET,)
    assert without((SAID,), {}) == (SAID,)
