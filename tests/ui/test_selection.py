import pytest

from explorer.core.graph import Cell
from explorer.document.commands import PinCells, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.ui.selection import Selection

Q = "encoder.1.self.Q"
ALL = slice(None)


@pytest.fixture
def document():
    return Document(load("you-are-welcome").state("printed"))


@pytest.fixture
def selection(document, qapp):
    made = Selection(document)
    yield made
    made.deleteLater()


@pytest.fixture
def pointed(selection):
    cells = []
    selection.pointed.connect(cells.append)
    return cells


def test_pointing_marks_what_made_the_cell_and_what_it_feeds(selection, pointed):
    selection.point(Cell(Q, (0, 1, 2)))
    assert pointed == [Cell(Q, (0, 1, 2))]
    assert selection.reads == {"source.H": [(1, ALL)], "encoder.1.self.W_Q": [(0, ALL, 2)]}
    assert selection.fed == {"encoder.1.self.scores": [(0, 1, ALL)]}


def test_the_same_cell_again_is_no_news(selection, pointed):
    selection.point(Cell(Q, (0, 1, 2)))
    selection.point(Cell(Q, (0, 1, 2)))
    assert len(pointed) == 1


def test_other_numbers_in_the_same_cell_are_told_apart_from_another_cell(document, selection, pointed):
    selection.point(cell := Cell(Q, (0, 1, 2)))
    derived = []
    selection.derived.connect(derived.append)
    document.do(SetCells("encoder.1.self.W_Q", {(0, 0, 2): 5.0}))
    selection.refresh()
    assert (pointed, derived) == ([cell], [cell])
    selection.point(held := Cell("encoder.1.self.scores", (0, 0, 0)))
    document.do(PinCells("encoder.1.self.scores", {(0, 0, 0): 5.0}))
    selection.refresh()
    assert selection.reads == {}
    assert (pointed, derived) == ([cell, held, held], [cell])


def test_an_input_is_made_of_nothing(selection):
    selection.point(Cell("source.table", (0, 0)))
    assert selection.reads == {}
    assert set(selection.fed) == {"source.X"}


def test_a_pinned_cell_is_made_of_nothing(selection):
    selection.point(Cell("encoder.1.self.output", (1, 0, 0)))
    assert selection.reads == {}
    selection.point(Cell("encoder.1.self.output", (0, 0, 0)))
    assert selection.reads["encoder.1.self.weights"] == [(0, 0, ALL)]


@pytest.mark.parametrize("cell", [Cell("nowhere", (0, 0)), Cell(Q, (0, 1)), Cell(Q, (0, 9, 0)), Cell(Q, (7, 0, 0))])
def test_what_is_not_there_cannot_be_pointed_at(selection, pointed, cell):
    selection.point(cell)
    assert pointed == []
    assert selection.cell is None


def test_without_a_chosen_cell_the_last_one_stays(selection, pointed):
    selection.point(Cell(Q, (0, 0, 0)))
    selection.leave()
    assert selection.cell == Cell(Q, (0, 0, 0))
    assert len(pointed) == 1


def test_leaving_goes_back_to_the_chosen_cell(selection, pointed):
    chosen, other = Cell(Q, (0, 0, 0)), Cell("source.table", (0, 0))
    selection.choose(chosen)
    selection.point(other)
    selection.leave()
    assert pointed == [chosen, other, chosen]
    assert selection.reads["source.H"] == [(0, ALL)]


@pytest.fixture
def lit(selection):
    tokens = []
    selection.token_changed.connect(lambda: tokens.append(selection.token))
    return tokens


def test_a_chosen_token_stays_and_a_hovered_one_goes(selection, lit):
    selection.set_token(("source", 0))
    selection.set_token(None)
    selection.choose_token(("source", 1))
    selection.set_token(("target", 2))
    selection.set_token(None)
    assert lit == [("source", 0), None, ("source", 1), ("target", 2), ("source", 1)]
    selection.choose_token(None)
    assert selection.token is None
    selection.set_token(None)
    assert len(lit) == 6


def test_stage_and_head_are_told_once(selection, qtbot):
    stages, heads = [], []
    selection.stage_changed.connect(stages.append)
    selection.head_changed.connect(heads.append)
    for _ in range(2):
        selection.go_to("source.embedding")
        selection.set_head(1)
    assert stages == ["source.embedding"]
    assert heads == [1]


def test_of_several_choices_the_last_stage_is_told_and_then_how_it_is_looked_at(selection, qtbot):
    told = []
    selection.stage_changed.connect(told.append)
    selection.looked.connect(lambda: told.append("looked"))
    with selection.at_once():
        selection.go_to("source.embedding")
        with selection.at_once():
            selection.set_head(1)
        selection.go_to("encoder.1.self.attention")
    assert told == ["encoder.1.self.attention", "looked"]
    with selection.at_once():
        selection.go_to("source.embedding")
        selection.go_to("encoder.1.self.attention")
    assert len(told) == 2


def test_cells_that_go_are_no_longer_pointed_at(document, selection, pointed):
    selection.choose(Cell(Q, (0, 2, 0)))
    document.do(SetTokens("source", ("You", "are")))
    selection.refresh()
    assert selection.cell is None
    assert pointed[-1] is None
    selection.leave()
    assert selection.cell is None


def test_cells_that_stay_are_explained_anew(document, selection):
    selection.choose(Cell("decoder.1.self.weights", (0, 2, 0)))
    assert set(selection.reads) == {"decoder.1.self.scores"}
    document.do(SetSwitch("decoder.1.self", "scale", "1/d_k"))
    selection.refresh()
    assert set(selection.reads) == {"decoder.1.self.scaled"}
    document.undo()
    selection.refresh()
    assert set(selection.reads) == {"decoder.1.self.scores"}


def test_a_token_that_goes_is_no_longer_lit(document, selection, lit):
    selection.choose_token(("source", 2))
    document.do(SetTokens("source", ("You", "are")))
    selection.refresh()
    assert selection.token is None
    assert lit[-1] is None


def test_a_chosen_token_that_goes_while_another_is_hovered_does_not_come_back(document, selection):
    selection.choose_token(("source", 2))
    selection.set_token(("source", 0))
    document.do(SetTokens("source", ("You", "are")))
    selection.refresh()
    assert selection.token == ("source", 0)
    selection.set_token(None)
    assert selection.token is None


def test_a_hovered_token_that_goes_leaves_the_chosen_one(document, selection):
    selection.choose_token(("source", 0))
    selection.set_token(("source", 2))
    document.do(SetTokens("source", ("You", "are")))
    selection.refresh()
    assert selection.token == ("source", 0)
