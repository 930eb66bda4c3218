"""What differs on a page, found in one walk; and a picture that is told of another one."""

from dataclasses import replace

from explorer.pages.drawing import Axis, Drawing
from explorer.pages.page import Item, Note, Picture, Row, Section, Stack
from explorer.ui.page.elements import differing
from explorer.ui.page.pictures import Filling


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


def test_a_picture_takes_the_size_of_the_one_that_it_is_told_of(bench, show):
    """A model with more words, or of another shape, kept the height of the one that stood there before."""
    drawing = Drawing((), (0, 1000, 0, 800), "", Axis(labels=()), Axis(labels=()), square=True, zoom=True)
    few = Picture("model", drawing, 620, 300, fills=True)
    place = show(Filling(bench, few))
    assert (place.asks(600).lowest, place.height_at(600)) == (300, 480)
    assert not place.tell(few)
    assert place.tell(replace(few, height=400))
    assert (place.asks(600).lowest, place.height_at(600)) == (400, 480)
    wide = replace(drawing, window=(0, 1000, 0, 400))
    assert place.tell(replace(few, height=400, made=wide))
    assert (place.asks(600).lowest, place.height_at(600)) == (400, 240)
    assert place.tell(replace(few, height=400))
