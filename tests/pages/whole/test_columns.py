"""Boxes in columns and bands, and the ways between them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.pages.whole.columns import PAGE, PAGE_OF_LARGE, laid
from tests.rectangles import overlap

SIZE, SMALL = (80.0, 60.0), (36.0, 30.0)


def crosses(start, end, place):
    """Whether a straight way runs through the inside of a box."""
    left, top, wide, high = place
    (x, x2), (y, y2) = sorted((start[0], end[0])), sorted((start[1], end[1]))
    return x < left + wide - 1 and x2 > left + 1 and y < top + high - 1 and y2 > top + 1


def lay_out(reads, given=(), outside=(), small=()):
    return laid({name: SMALL if name in small else SIZE for name in reads}, reads, given, outside)


def test_below_a_box_from_outside_there_is_room_for_where_it_is_from():
    layout = lay_out({"norm": [], "table": [], "logits": ["norm", "table"]}, given=["table"], outside=["norm", "table"])
    (upper, lower) = sorted((layout.places["norm"], layout.places["table"]), key=lambda place: place[1])
    assert lower[1] - upper[1] - upper[3] >= 20, "its words were below the next box"


ATTENTION = {
    "H": [],
    "W_Q": [],
    "Q": ["H", "W_Q"],
    "W_K": [],
    "K": ["H", "W_K"],
    "W_V": [],
    "V": ["H", "W_V"],
    "scores": ["Q", "K"],
    "weights": ["scores"],
    "output": ["weights", "V"],
    "W_O": [],
    "projected": ["output", "W_O"],
    "residual": ["H", "projected"],
}
GIVEN = ("W_Q", "W_K", "W_V", "W_O")
LONG = {f"n{k}": [f"n{k - 1}"] if k else [] for k in range(20)} | {"end": ["n0", "n7", "n19"]}
FEED_FORWARD = {
    "N": [],
    "W_1": [],
    "b_1": [],
    "h": ["N", "W_1", "b_1"],
    "a": ["h"],
    "W_2": [],
    "b_2": [],
    "F": ["a", "W_2", "b_2"],
    "gamma": [],
    "beta": [],
    "norm": ["F", "gamma", "beta"],
}
VECTORS = ("W_2", "b_1", "b_2", "gamma", "beta")
CASES = {"attention": (ATTENTION, GIVEN, ("H",)), "long": (LONG, (), ()), "one": ({"a": []}, (), ())}
CASES["feed-forward"] = FEED_FORWARD, ("W_1", *VECTORS), ("N",), VECTORS


@pytest.mark.parametrize("case", CASES)
def test_boxes_do_not_overlap_and_no_way_runs_through_one(case):
    layout = lay_out(*CASES[case])
    places = layout.places
    assert not any(overlap(a, b) for a, b in itertools.combinations(places.values(), 2))
    for _, points in layout.ways:
        for start, end in itertools.pairwise(points):
            assert start[0] == pytest.approx(end[0]) or start[1] == pytest.approx(end[1])
            assert not any(crosses(start, end, place) for place in places.values())
    left, right, top, bottom = layout.window
    corners = [(x, y) for x, y, *_ in places.values()] + [point for _, points in layout.ways for point in points]
    assert all(left <= x <= right and top <= y <= bottom for x, y in corners)


@pytest.mark.parametrize("case", CASES)
def test_each_box_has_a_way_from_all_that_it_reads(case):
    reads = CASES[case][0]
    layout = lay_out(*CASES[case])
    assert len(layout.ways) == sum(map(len, reads.values()))
    for name, points in layout.ways:
        left, top, _, high = layout.places[name]
        assert points[-1][0] == pytest.approx(left)
        assert top < points[-1][1] < top + high


def test_what_is_read_stands_before_and_what_is_given_right_before():
    places = lay_out(*CASES["attention"]).places
    assert places["H"][0] < places["W_Q"][0] < places["Q"][0]
    assert places["W_Q"][0] == places["W_V"][0]
    assert places["W_K"][1] == pytest.approx(places["K"][1])


def test_many_columns_take_several_bands():
    few, many = lay_out({"a": [], "b": ["a"]}), lay_out(LONG)
    assert few.places["a"][1] == few.places["b"][1]
    tops = {place[1] for place in many.places.values()}
    assert len(tops) > 1
    left, right, top, bottom = many.window
    assert (right - left) / (bottom - top) < 6


def test_what_stands_beside_another_is_left_above_it_and_ways_into_a_box_do_not_lie_on_each_other():
    layout = lay_out(*CASES["feed-forward"])
    for left, right, reader in (("W_2", "b_2", "F"), ("gamma", "beta", "norm")):
        assert layout.places[left][1] == layout.places[right][1], "they share a line"
        ways = [points for name, points in layout.ways if name == reader]
        above = next(points for points in ways if points[0][0] < layout.places[right][0] and points[0][1] > 0)
        assert above[0][1] == layout.places[left][1]
        turns = [points[-2][0] for points in ways if len(points) > 2]
        assert len(set(turns)) == len(turns)


@st.composite
def graphs(draw):
    """Names with sizes; each reads from some before it."""
    count = draw(st.integers(1, 9))
    reads = {
        f"n{k}": [f"n{p}" for p in draw(st.sets(st.integers(0, k - 1), max_size=3))] if k else [] for k in range(count)
    }
    given = [name for name in reads if not reads[name]]
    small = [name for name in given if draw(st.booleans())]
    return reads, given, (), small


def test_with_large_letters_a_diagram_is_narrow_and_its_page_scrolls():
    """In a window of 1280 pixels letters of 300 % were as high as 8 pixels."""
    reads = {"a": [], **{name: [before] for before, name in itertools.pairwise("abcdefghijkl")}}
    usual, large = (laid(dict.fromkeys(reads, SIZE), reads, (), (), page) for page in (PAGE, PAGE_OF_LARGE))
    wide, narrow = (one.window[1] - one.window[0] for one in (usual, large))
    assert narrow < 0.8 * wide
    assert not any(overlap(a, b) for a, b in itertools.combinations(large.places.values(), 2))


@given(graphs())
def test_no_way_of_any_graph_runs_through_a_box(case):
    layout = lay_out(*case)
    places = layout.places
    assert not any(overlap(a, b) for a, b in itertools.combinations(places.values(), 2))
    for _, points in layout.ways:
        for start, end in itertools.pairwise(points):
            assert not any(crosses(start, end, place) for place in places.values())
