"""How strongly what an edit has changed flashes."""

import numpy as np
import pytest

from explorer.document.commands import SetCells, SetTokens
from explorer.pages.flash import LEAST, strengths
from explorer.pages.matrix import matrix
from explorer.pages.view import Covered


def found(desk, name):
    return strengths(desk.view, matrix(desk.view, name))


def test_only_what_changed_flashes_and_the_more_the_stronger(desk):
    emma = desk("emma")
    emma.do(SetCells("Q", {(0, 0): 1.1 + 0.25 * 1.1, (3, 2): -9.0}))
    now = found(emma, "Q")
    assert set(zip(*now.nonzero(), strict=True)) == {(0, 0), (3, 2)}
    assert now[3, 2] == pytest.approx(1.0)
    assert LEAST < now[0, 0] < 0.3
    scores = found(emma, "scores")
    assert set(scores.nonzero()[0]) == {0, 3}, "the rows of the two words"
    assert (0 <= scores).all()
    assert (scores <= 1).all()
    assert found(emma, "K") is None


def test_nothing_flashes_as_an_example_is_opened_or_where_changes_are_shown_anyway(desk):
    emma = desk("emma")
    assert found(emma, "Q") is None
    emma.do(SetCells("Q", {(0, 0): 3.0}))
    emma.look(showing="change")
    assert found(emma, "Q") is None


def test_what_changes_by_next_to_nothing_or_is_new_does_not_flash(desk):
    emma = desk("emma")
    emma.do(SetCells("Q", {(0, 0): 1.1 + 1e-4}))
    assert found(emma, "Q") is None
    gpt = desk("tiny-gpt")
    gpt.do(SetTokens("input", ("the", "dog")))
    assert found(gpt, "input.X") is None, "another shape: it has nothing that it changed from"


def test_a_covered_cell_does_not_tell_that_it_changed(desk):
    emma = desk("emma")
    emma.do(SetCells("Q", {(0, 0): 5.0}))
    emma.look(covered=Covered({"scores": frozenset({(0, 0)})}))
    now = found(emma, "scores")
    assert now[0, 0] == 0.0
    assert now[0].any()


def test_numbers_that_are_none_are_no_strengths(desk):
    emma = desk("emma")
    emma.do(SetCells("Q", {(0, 0): np.inf, (1, 1): 4.0}))
    for name in ("Q", "scores", "weights"):
        now = found(emma, name)
        assert now is None or (np.isfinite(now).all() and now.max() <= 1.0)


def test_a_matrix_that_is_still_to_follow_does_not_flash(desk):
    """A page may be in sight once more before it shows what has other words now."""
    welcome, name = desk(), "encoder.1.self.head.1.scores"
    shown = matrix(welcome.view, name)
    welcome.do(SetTokens("source", ("You", "are", "very", "welcome")))
    welcome.do(SetCells("encoder.1.self.W_Q", {(0, 0, 0): 9.0}))
    assert strengths(welcome.view, matrix(welcome.view, name)) is not None
    assert strengths(welcome.view, shown) is None
