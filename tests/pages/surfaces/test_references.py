"""The pages of the printed numbers and of the glossary, as data."""

from explorer.lessons.glossary import glossary
from explorer.lessons.printed_numbers import CITED, DIFFERS, REPRODUCES, PrintedNumber, Scene
from explorer.pages.controls import Choice
from explorer.pages.gestures import ForGlossary, ShowPrinted
from explorer.pages.levels import stops
from explorer.pages.page import Listing, Note
from explorer.pages.surfaces.references import COLUMNS, REFERENCE, ROW, STATUS, WHAT, glossary_page, references_page

SCENE = Scene("emma", "printed", "scores", (8, 0))
ROWS = (
    PrintedNumber("003", "A", "Score", None, "2.42", "2.42", 0.0, REPRODUCES, scene=SCENE, times=2),
    PrintedNumber("003", "B", "Another", (0, 1), "−0.08", "2.42", 2.5, DIFFERS, why="It is 2.42 < 3.", scene=SCENE),
    PrintedNumber("004", "C", "Far", (2,), "0.8153", "", None, CITED, why="From elsewhere."),
)


def parts(choices=None, rows=ROWS):
    return {one.id: one for one in references_page(rows, choices or {}, 10)}


def listed(choices=None):
    return [[entry.text for entry in line.entries] for line in parts(choices)["numbers"].lines]


def test_a_line_for_each_number():
    assert [column.title for column in COLUMNS][3:7] == ["printed", "computed", "difference", "status"]
    assert [column.title for column in parts()["numbers"].columns if column.names] == ["what", "cause"]
    assert listed() == [
        ["003 A", "Score", "", "2.42", "2.42", "0", "✓", ""],
        ["003 B", "Another", "1, 2", "−0.08", "2.42", "2.5", "≠ differs", "It is 2.42 < 3."],
        ["004 C", "Far", "3", "0.8153", "", "", "cited", "From elsewhere."],
    ]


def test_filters():
    assert [line[0] for line in listed({REFERENCE: "003"})] == ["003 A", "003 B"]
    assert [line[0] for line in listed({STATUS: CITED})] == ["004 C"]
    assert listed({REFERENCE: "003", STATUS: CITED}) == []
    filters = parts({REFERENCE: "003"})["filters"].controls
    assert all(isinstance(one, Choice) for one in filters)
    assert filters[0].options == ("all", "003", "004")
    assert filters[0].chosen == 1
    assert parts({REFERENCE: 3, STATUS: "x"}).keys() == parts().keys()  # as a file may say
    assert listed({REFERENCE: 3, STATUS: "x"}) == listed()


def test_what_a_line_leads_to_counts_in_all_numbers():
    lines = parts({STATUS: DIFFERS})["numbers"].lines
    assert lines[0].entries[WHAT].leads == ShowPrinted(1)
    assert parts({STATUS: CITED})["numbers"].lines[0].entries[WHAT].leads is None


def test_what_is_said_of_the_chosen_line():
    assert "Choose a line" in parts()["detail"].text
    made = parts({ROW: 1})
    assert "It is 2.42 &lt; 3." in made["detail"].text
    assert [line.here for line in made["numbers"].lines] == [False, True, False]
    assert "2 times in all" in parts({ROW: 0})["detail"].text
    assert "Choose a line" in parts({ROW: 1, STATUS: CITED})["detail"].text


def test_while_they_are_compared():
    made = parts(rows=())
    assert isinstance(made["waiting"], Note)
    assert not any(isinstance(one, Listing) for one in made.values())


def glossary_parts(desk, name="", typed="", in_sight=()):
    """The elements of the page on "You are welcome", by id."""
    term = glossary().of(name) if name else None
    seen = [glossary().of(one) for one in in_sight]
    elements = glossary_page(term, typed, seen, stops(desk("you-are-welcome").document.engine.graph))
    return {one.id: one for one in elements}


def test_an_entry_says_what_it_means_and_leads_to_other_terms_but_not_to_itself(desk):
    page = glossary_parts(desk, "softmax")
    assert page["name"].text == "softmax"
    assert '<a href="glossary:score">scores</a>' in page["says"].text
    assert "glossary:softmax" not in page["says"].text
    assert page["formula"].latex.startswith("p_i")


def test_it_leads_to_where_it_is_seen_and_to_the_example_that_explains_it(desk):
    where = glossary_parts(desk, "softmax")["where"]
    assert where.text.startswith("See it here: <a href='0'>Encoder 1: Self-attention</a>, <a href='1'>")
    assert where.leads[0] == ForGlossary("stage", "encoder.1.self.attention")
    assert where.leads[-1].act == "lesson"
    assert where.leads[-1].value[0] == glossary().of("softmax").lesson
    assert glossary_parts(desk, "cosine")["where"].text.endswith("<br>Also written: cosine similarity, cos α")


def test_without_an_entry_there_are_the_terms_in_sight(desk):
    page = glossary_parts(desk, in_sight=("mask", "H"))
    assert not any(page[id].text for id in ("name", "says", "where"))
    assert page["formula"].latex == ""
    assert page["listed"].text.startswith("<b>On this page</b>: <a href='0'>mask</a>\u00a0· <a href='1'>H")
    assert page["listed"].leads[0] == ForGlossary("define", "mask")
    assert glossary_parts(desk)["listed"].text == ""


def test_what_is_typed_is_found_or_another_word_asked_for(desk):
    found = glossary_parts(desk, typed=" warm ", in_sight=("mask",))["listed"]
    assert found.text.startswith("<b>With “warm”</b>: <a href='0'>warm-up</a>")
    nothing = glossary_parts(desk, typed="<zz>")["listed"].text
    assert nothing == "<b>With “&lt;zz&gt;”</b>: nothing. Try another word."
