"""What differs on a page, found in one walk."""

from explorer.pages.page import Item, Note, Row, Section, Stack
from explorer.ui.page.elements import differing


def page(*texts, sign=""):
    first, *others = (Note(f"note {i}", text) for i, text in enumerate(texts))
    return Section("head", "Head"), Row("row", (Item("", first), *(Item(sign, one) for one in others)))


def test_only_what_is_another_is_told():
    was = page("a", "b", "c")
    now = page("a", "B", "c")
    assert differing(was, now) == [Note("note 1", "B")]
    assert differing(was, was) == []


def test_what_is_arranged_otherwise_is_made_anew():
    was = page("a", "b")
    assert differing(was, page("a", "b", "c")) is None
    assert differing(was, page("a", "b", sign="→")) is None
    stacks = [(Stack("stack", title, (Note("note", "x"),)),) for title in ("Two", "Three")]
    assert differing(*stacks) is None
    assert differing((Note("x", "1"),), (Section("x", "1"),)) is None
