"""The derivation of a cell, played row by row."""

from dataclasses import replace

import pytest

from explorer.core.numbers import alone
from explorer.pages.surfaces.inspection import derivation, inspected, played, played_key
from explorer.pages.view import Cell, Covered
from tests.pages.conftest import Desk

SCORE = Cell("scores", (0, 0))


def at(desk, cell, taken=None):
    """What is said of a cell as far as it has been played."""
    if taken is not None:
        desk.choose(played_key(cell), taken)
    fed = desk.document.engine.feeds(cell.node, cell.index)
    return inspected(desk.view, cell, {child: [index] for child, index in fed.items()})


def numbers(about):
    return [row.value for _, some in about.parts for row in some]


def test_who_has_not_played_sees_all_of_it(desk):
    about = at(desk("emma"), SCORE)
    assert (about.player.value, len(about.player.steps)) == (5, 5)
    assert about.player.steps == ("Pers", "Anim", "Noun", "Adj", "sum of the products")
    assert "?" not in numbers(about)


@pytest.mark.parametrize("taken", range(6))
def test_row_by_row_products_come_and_the_sum_drops_in_at_the_end(desk, taken):
    emma = desk("emma")
    whole, about = at(emma, SCORE), at(emma, SCORE, taken)
    assert numbers(about) == numbers(whole)[:taken] + ["?"] * (5 - taken)
    assert [row.label for _, some in about.parts for row in some] == list(whole.player.steps), "nothing moves"
    assert (about.value == whole.value) is (taken == 5)
    if taken < 5:
        assert about.value == "scores = ?"


def test_what_copies_its_number_does_not_tell_it(desk):
    start, cell = desk(), Cell("encoder.1.self.output", (0, 0, 0))
    fed = [[one.what for one in at(start, cell, taken).feeds] for taken in (None, 1)]
    assert fed == [[alone(start.value(cell.node)[cell.index], 5)], ["?"]]


@pytest.mark.parametrize(("taken", "cells"), [(0, None), (1, 0), (3, 2), (5, None)])
def test_each_term_lights_the_two_numbers_that_it_multiplies(desk, taken, cells):
    emma = desk("emma")
    emma.choose(played_key(SCORE), taken)
    row, more = played(emma.view, SCORE, derivation(emma.document.engine, SCORE, "values"))
    assert more is (taken < 5)
    assert (None if row is None else row.reads) == (
        None if cells is None else (("Q", (0, cells)), ("K", (0, cells)))
    )  # fmt: skip


def test_a_choice_of_another_model_does_no_harm(desk):
    emma = desk("emma")
    for wrong in (99, -3, "two", 1.5):
        about = at(emma, SCORE, wrong)
        assert len(numbers(about)) == 5
        played(emma.view, SCORE, derivation(emma.document.engine, SCORE, "values"))


def test_an_input_and_a_covered_number_cannot_be_played(desk):
    emma = desk("emma")
    assert at(emma, Cell("Q", (0, 0))).player is None
    assert at(emma, Cell("weights", (0, 0))).player is not None
    emma.look(covered=Covered({"scores": frozenset({(0, 0)})}))
    assert at(emma, Cell("weights", (0, 0))).player is None
    assert at(emma, Cell("scores", (1, 1))).player is not None


def test_a_gradient_is_played_backward_through_its_chain_rule(desk):
    welcome = desk()
    welcome.look(showing="gradient")
    cell = Cell("encoder.1.ffn.W_1", (0, 0))
    whole = at(welcome, cell)
    begun = at(welcome, cell, 0)
    assert set(numbers(begun)) - {""} == {"?"}
    assert whole.value.split("\n")[0] == begun.value.split("\n")[0], "its value is no secret"
    assert begun.value.endswith("its gradient = ?")
    row, more = played(welcome.view, cell, derivation(welcome.document.engine, cell, "gradient"))
    assert (row, more) == (None, True)


def test_of_a_model_of_others_the_name_in_its_file_stays_and_the_gradient_waits(desk):
    """The line with the name in the file was taken for that of the gradient, which was told at once."""
    state = desk().document.state
    named = replace(state, model=replace(state.model, called={"ffn.W_1": "layers.{k}.fc.weight"}))
    welcome = Desk(named)
    welcome.look(showing="gradient")
    begun = at(welcome, Cell("encoder.1.ffn.W_1", (0, 0)), 0)
    _, in_file, gradient = begun.value.split("\n")
    assert in_file == "in its file: layers.0.fc.weight"
    assert gradient == "its gradient = ?"
