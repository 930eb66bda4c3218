"""When two parts of a page are equal; and that what did not change in a page made again is the very same."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.core.graph import Cell
from explorer.document.commands import PinCells, Release, SetCells, SetSwitch, SetTokens
from explorer.document.document import Document
from explorer.lessons.loader import load
from explorer.pages.compose import page
from explorer.pages.element import SMALL, Data, leaves
from explorer.pages.levels import places
from explorer.pages.matrix import Matrix
from explorer.pages.view import Covered, Looking, Memo, Spot, View

BLOCK = "encoder.1.self"
WEIGHT = SetCells(f"{BLOCK}.head.1.W_Q", {(0, 0): 2.5})
ACTS = [
    WEIGHT,
    SetCells("source.table", {(0, 0): 2.5}),
    SetTokens("source", ("You", "are", "so", "very", "welcome")),
    SetTokens("source", ("are", "You", "welcome")),
    SetSwitch(BLOCK, "heads", 3),
    SetSwitch(BLOCK, "mask", "hand"),
    PinCells(f"{BLOCK}.weights", {(0, 1, 2): 0.5}),
    Release(f"{BLOCK}.weights"),
    SetSwitch("source", "positions", "none"),
]
LOOKS = [
    Looking(),
    Looking(head=1),
    Looking(averaged=True),
    Looking("change"),
    Looking(spot=Spot(f"{BLOCK}.scores", (0,), (1,))),
    Looking(covered=Covered({f"{BLOCK}.scores": frozenset({(0, 0, 1)})})),
    Looking(choices={"products by hand": True}),
]


def matrices(made):
    return {one.id: one for element in made.elements for one in leaves(element) if isinstance(one, Matrix)}


@pytest.mark.parametrize("nth", range(len(LOOKS)))
def test_a_page_made_again_is_the_one_made_for_the_first_time(nth):
    """The first way of looking behind all acts, each of the others behind two of them."""
    looking, document = LOOKS[nth], Document(load("you-are-welcome").state("textbook"))
    memos = {}
    for act in (None, *(ACTS[nth:] + ACTS[:nth])[: 2 if nth else None]):
        if act is not None:
            document.do(act)
        view = View.of(document, looking)
        for stage in places(view.graph):
            memo = memos.setdefault(stage, Memo())
            assert page(replace(view, memo=memo), stage) == page(view, stage), stage.name


def test_a_page_that_is_looked_at_in_another_way_is_made_for_that():
    document = Document(load("you-are-welcome").state("textbook"))
    memo = Memo()
    stage = next(one for one in places(document.engine.graph) if one.name == f"{BLOCK}.attention")
    for looking in (*LOOKS, *LOOKS[::-1]):
        view = View.of(document, looking)
        assert page(replace(view, memo=memo), stage) == page(view, stage)


def test_the_names_of_cases_are_those_of_their_numbers():
    document = Document(load("xor").state())
    stages = places(document.engine.graph)
    memos = {stage.name: Memo() for stage in stages}
    for value in (0.25, 0.75):
        document.do(SetCells("input.X", {(1, 0): value}))
        view = View.of(document)
        for stage in stages:
            assert page(replace(view, memo=memos[stage.name]), stage) == page(view, stage), stage.name


def test_what_an_edit_does_not_reach_is_the_very_same():
    document, memo = Document(load("you-are-welcome").state("textbook")), Memo()
    stage = next(one for one in places(document.engine.graph) if one.name == f"{BLOCK}.attention")
    before = page(View.of(document, memo=memo), stage)
    document.do(WEIGHT)
    after = page(View.of(document, memo=memo), stage)
    was, now = matrices(before), matrices(after)
    reached = {name for name in was if now[name] is not was[name]}
    assert reached == {name for name, one in was.items() if not np.array_equal(one.array, now[name].array)}
    assert f"{BLOCK}.W_Q" in reached
    assert f"{BLOCK}.W_K" not in reached
    assert after.header is before.header


def test_what_the_last_page_did_not_have_is_forgotten():
    memo = Memo()
    memo.begin((), ())
    first = memo.part("a", (), list)
    memo.begin((), ())
    assert memo.part("b", (), list) is not first
    memo.begin((), ())
    assert memo.part("a", (), list) is not first


def test_other_objects_make_another_part_though_they_are_equal():
    memo, cell = Memo(), Cell("a", (0,))
    memo.begin((1,), (None,))
    first = memo.part("a", (cell,), list)
    memo.begin((1,), (None,))
    assert memo.part("a", (cell,), list) is first
    memo.begin((1,), (None,))
    assert memo.part("a", (Cell("a", (0,)),), list) is not first
    memo.begin((1,), (np.zeros(1),))
    assert memo.part("a", (cell,), list) is not first


def test_a_part_is_renewed_of_the_one_before_and_made_where_there_is_none():
    memo, one, other = Memo(), np.zeros(1), np.ones(1)
    memo.begin((), ())
    assert memo.part("a", (one,), lambda: "made", lambda was: f"{was} anew") == "made"
    memo.begin((), ())
    assert memo.part("a", (other,), lambda: "made", lambda was: f"{was} anew") == "made anew"
    memo.begin((), ())
    assert memo.part("a", (other,), lambda: "made", lambda was: f"{was} anew") == "made anew"
    memo.begin(("another graph",), ())
    assert memo.part("a", (one,), lambda: "made", lambda was: f"{was} anew") == "made"


class Shown(Data):
    array: np.ndarray
    words: tuple[object, ...] = ()


LARGE = SMALL // 8 + 1


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (np.arange(3.0), np.arange(3.0), True),
        (np.array([np.nan]), np.array([np.nan]), True),
        (np.array([0.0]), np.array([-0.0]), False),
        (np.arange(3), np.arange(3.0), False),
        (np.arange(4.0), np.arange(4.0).reshape(2, 2), False),
        (np.arange(4.0), None, False),
        (None, np.arange(4.0), False),
    ],
)
def test_small_arrays_are_compared_by_their_bits(a, b, equal):
    assert (Shown(a) == Shown(b)) == equal


def test_large_arrays_are_equal_if_they_are_the_same_memory():
    whole = np.zeros((2, LARGE))
    assert Shown(whole) == Shown(whole)
    assert Shown(whole[0]) == Shown(whole[0])
    assert Shown(np.atleast_2d(whole[0])) == Shown(np.atleast_2d(whole[0]))
    assert Shown(whole[0]) != Shown(whole[1])
    assert Shown(whole[:, ::2]) != Shown(whole[:, : whole.shape[1] // 2 + 1])
    assert Shown(whole) != Shown(whole.copy())


def test_parts_are_compared_one_by_one():
    inner = Shown(np.arange(2.0))
    assert Shown(np.arange(3.0), (inner, "a")) == Shown(np.arange(3.0), (Shown(np.arange(2.0)), "a"))
    assert Shown(np.arange(3.0), (inner, "a")) != Shown(np.arange(3.0), (inner, "b"))
    assert Shown(np.arange(3.0), (inner,)) != Shown(np.arange(3.0), (inner, inner))


def test_what_is_no_number_is_equal_to_itself():
    one = Shown(np.arange(3.0), (float("nan"), 1.0))
    assert one == Shown(np.arange(3.0), (float("nan"), 1.0))
    assert one != Shown(np.arange(3.0), (0.0, 1.0))
    assert one != Shown(np.arange(3.0), (1.0, float("nan")))
