"""The page of the glossary, as data."""

from explorer.lessons.glossary import glossary
from explorer.pages.gestures import ForGlossary
from explorer.pages.levels import stops
from explorer.pages.surfaces.glossary import glossary_page


def parts(desk, name="", typed="", in_sight=()):
    """The elements of the page on "You are welcome", by id."""
    term = glossary().of(name) if name else None
    seen = [glossary().of(one) for one in in_sight]
    elements = glossary_page(term, typed, seen, stops(desk("you-are-welcome").document.engine.graph))
    return {one.id: one for one in elements}


def test_an_entry_says_what_it_means_and_leads_to_other_terms_but_not_to_itself(desk):
    page = parts(desk, "softmax")
    assert page["name"].text == "softmax"
    assert '<a href="glossary:score">scores</a>' in page["says"].text
    assert "glossary:softmax" not in page["says"].text
    assert page["formula"].latex.startswith("p_i")


def test_it_leads_to_where_it_is_seen_and_to_the_example_that_explains_it(desk):
    where = parts(desk, "softmax")["where"]
    assert where.text.startswith("See it here: <a href='0'>Encoder 1: Self-attention</a>, <a href='1'>")
    assert where.leads[0] == ForGlossary("stage", "encoder.1.self.attention")
    assert where.leads[-1].act == "lesson"
    assert where.leads[-1].value[0] == glossary().of("softmax").lesson
    assert parts(desk, "cosine")["where"].text.endswith("<br>Also written: cosine similarity, cos α")


def test_without_an_entry_there_are_the_terms_in_sight(desk):
    page = parts(desk, in_sight=("mask", "H"))
    assert not any(page[id].text for id in ("name", "says", "where"))
    assert page["formula"].latex == ""
    assert page["listed"].text.startswith("<b>On this page</b>: <a href='0'>mask</a> · <a href='1'>H")
    assert page["listed"].leads[0] == ForGlossary("define", "mask")
    assert parts(desk)["listed"].text == ""


def test_what_is_typed_is_found_or_another_word_asked_for(desk):
    found = parts(desk, typed=" warm ", in_sight=("mask",))["listed"]
    assert found.text.startswith("<b>With “warm”</b>: <a href='0'>warm-up</a>")
    nothing = parts(desk, typed="<zz>")["listed"].text
    assert nothing == "<b>With “&lt;zz&gt;”</b>: nothing. Try another word."
