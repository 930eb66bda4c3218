"""The page of the printed numbers, as data."""

from explorer.lessons.printed_numbers import CITED, DIFFERS, REPRODUCES, PrintedNumber, Scene
from explorer.pages.gestures import ShowPrinted
from explorer.pages.page import Choice, Listing, Note
from explorer.pages.surfaces.references import COLUMNS, REFERENCE, ROW, STATUS, WHAT, references_page

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
