"""One page becomes the next: the scenes at the beginning, half way and at the end. No window."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.graph import Place
from explorer.pages.tween import Arises, Flow, Scene, Stands, arises, arising, eased, flows, tween
from explorer.pages.view import Covered, Spot

ROOM = (0.0, 0.0, 400.0, 300.0)
BLOCK = "encoder.1.self"
CELLS = (10.1, 20.3, 100.7, 33.1)  # thirds of it are no round numbers


def stands(node, x=0.0, y=0.0, shape=(3, 4), head=None, turned=False):
    """A matrix of cells of 10 × 10, with 20 for its heading."""
    rows, columns = shape
    cells = (x, y + 20.0, 10.0 * columns, 10.0 * rows)
    return Stands(Place(node, head), (x, y, 10.0 * columns, 20.0 + 10.0 * rows), cells, shape, turned)


def scene(**matrices):
    return Scene(ROOM, matrices)


BEFORE = scene(Q=stands("Q", 0, 0), gone=stands("gone", 0, 100))
AFTER = scene(Q=stands("Q", 200, 80), comes=stands("comes", 0, 0))


@pytest.mark.parametrize(
    ("at", "place", "will"),
    [(0.0, (0, 0), 0.0), (0.5, (175.0, 70.0), 0.875), (1.0, (200, 80), 1.0)],
)
def test_what_stays_glides_and_the_rest_fades_over(at, place, will):
    rest, glides = tween(BEFORE, AFTER, at)
    assert (rest.place, rest.before, rest.after) == (ROOM, ROOM, ROOM)
    assert (rest.was, rest.will) == (1.0, will), "nothing shines through to the ground"
    assert glides.place[:2] == place
    assert (glides.before, glides.after) == (BEFORE.matrices["Q"].place, AFTER.matrices["Q"].place)
    assert (glides.was, glides.will) == (1.0, will)


@pytest.mark.parametrize(("at", "opaque", "comes"), [(0.0, 1.0, 0.0), (0.5, 0.5, 0.4375), (1.0, 0.0, 0.0)])
def test_what_glides_into_another_is_gone_at_the_end(at, opaque, comes):
    start, end = (0, 0, 40, 30), (100, 50, 20, 30)
    pieces = tween(BEFORE, AFTER, at, (Flow(start, end), Flow(start, end, comes=True)))
    taken, joins = (piece for piece in pieces if start in (piece.before, piece.after))
    assert (taken.was, taken.will, taken.before, taken.after) == (opaque, 0.0, start, None)
    assert (joins.was, joins.will, joins.before, joins.after) == (0.0, comes, None, start)
    part = eased(at)
    assert taken.place == joins.place == (100 * part, 50 * part, 40 - 20 * part, 30)


numbers = st.floats(-1000, 1000)
rects = st.tuples(numbers, numbers, st.floats(1, 500), st.floats(1, 500))


@given(
    st.dictionaries(st.sampled_from("abcd"), rects), st.dictionaries(st.sampled_from("abcd"), rects), st.floats(0, 1)
)
def test_at_its_ends_each_page_stands_as_it_is_and_between_all_are_between(before, after, at):
    one, other = (
        Scene(ROOM, {name: Stands(Place(name), rect, rect, (1, 1)) for name, rect in places.items()})
        for places in (before, after)
    )
    assert all(piece.place == piece.before and piece.will == 0.0 for piece in tween(one, other, 0.0))
    assert all(piece.place == pytest.approx(piece.after) and piece.will == 1.0 for piece in tween(one, other, 1.0))
    for piece in tween(one, other, at):
        assert 0.0 <= piece.was <= 1.0
        assert 0.0 <= piece.will <= 1.0
        for now, first, last in zip(piece.place, piece.before, piece.after, strict=True):
            assert min(first, last) - 1e-6 <= now <= max(first, last) + 1e-6


# What glides into what


def test_heads_slide_side_by_side_into_what_joins_them(desk):
    outputs = {f"{k}": stands(f"{BLOCK}.output", 60 * k, 0, head=k) for k in (0, 1)}
    joined = stands(f"{BLOCK}.concat", 0, 100, (3, 8))
    found = flows(desk().view, scene(), scene(**outputs, concat=joined))
    assert found == (
        Flow((0, 20, 40, 30), (0, 120, 40, 30), comes=True),
        Flow((60, 20, 40, 30), (40, 120, 40, 30), comes=True),
    )
    # The one that was there before comes from where it was.
    before = scene(only=stands(f"{BLOCK}.output", 300, 200, head=1))
    assert flows(desk().view, before, scene(concat=joined)) == (Flow((300, 220, 40, 30), (40, 120, 40, 30)),)


def test_the_two_parts_of_a_residual_join(desk):
    view = desk().view
    (residual,) = [name for name in view.nodes if name == f"{BLOCK}.residual"]
    before = scene(**{name: stands(name, 100 * k, 0) for k, name in enumerate(view.nodes[residual].parents)})
    found = flows(view, before, scene(sum=stands(residual, 0, 100)))
    assert [flow.end for flow in found] == [(0, 120, 40, 30)] * 2
    assert {flow.start for flow in found} == {(0, 20, 40, 30), (100, 20, 40, 30)}


@pytest.mark.parametrize("turned", [False, True])
def test_a_row_and_a_column_glide_to_the_score_that_is_spoken_of(desk, turned):
    welcome = desk()
    welcome.look(spot=Spot(f"{BLOCK}.head.1.scores", (1,), (2,)))
    keys = stands(f"{BLOCK}.K", 100, 0, (4, 3) if turned else (3, 4), head=0, turned=turned)
    before = scene(Q=stands(f"{BLOCK}.Q", head=0), K=keys)
    after = scene(S=stands(f"{BLOCK}.scores", 0, 100, (3, 3), head=0))
    cell = (20, 130, 10, 10)
    column = (120, 20, 10, 40) if turned else (100, 40, 40, 10)
    wanted = (Flow((0, 30, 40, 10), cell), Flow(column, cell))
    assert flows(welcome.view, before, after) == wanted
    # On one page all three stay: the row and the column glide over it.
    page = scene(**before.matrices, **after.matrices)
    assert flows(welcome.view, page, page) == wanted


def test_what_comes_with_all_that_it_is_made_of_has_nothing_glide_over_it(desk):
    names = ("scores", "scale", "scaled")
    shapes = ((3, 3), (1, 1), (3, 3))
    new = {
        name: replace(stands(f"{BLOCK}.{name}", 0, 100 * k, shape, head=None if name == "scale" else 0), cells=CELLS)
        for k, (name, shape) in enumerate(zip(names, shapes, strict=True))
    }
    assert flows(desk().view, scene(), scene(**new)) == ()
    one, *_ = flows(desk().view, scene(S=new["scores"], scale=new["scale"]), scene(Z=new["scaled"]))
    assert one.end == pytest.approx(CELLS)


def test_a_covered_number_gets_nothing_that_would_point_at_it_and_what_stays_needs_nothing(desk):
    welcome = desk()
    before = scene(Q=stands(f"{BLOCK}.Q", head=0))
    after = scene(S=stands(f"{BLOCK}.scores", 0, 100, (3, 3), head=0))
    spot = Spot(f"{BLOCK}.head.1.scores", (1,), (2,))
    welcome.look(spot=spot, covered=Covered({f"{BLOCK}.scores": frozenset({(0, 1, 2)})}))
    (whole,) = flows(welcome.view, before, after)
    assert whole.end == after.matrices["S"].cells
    assert flows(welcome.view, after, after) == ()


@pytest.mark.parametrize("spot", [Spot(f"{BLOCK}.head.1.scores", (5,), (2,)), Spot(f"{BLOCK}.head.1.weights", (5,))])
def test_a_cell_that_a_shorter_text_no_longer_has_gets_nothing(desk, spot):
    welcome = desk()
    welcome.look(spot=spot)
    name = "scores" if spot.columns else "weights"
    page = scene(S=stands(f"{BLOCK}.{name}", 0, 100, (3, 3), head=0), Q=stands(f"{BLOCK}.Q", head=0))
    assert flows(welcome.view, page, page) == ()
    assert arises(welcome.view, page, page) is None


# Numbers that arise

CELL, LINE = (50.0, 60.0, 20.0, 10.0), 10.0
TERMS = "1 × 2 = 2", "3 × 4 = 12"


@pytest.mark.parametrize(
    ("at", "words", "fallen"),
    [(0.0, [], None), (0.5, [1.0, 1.0], None), (0.875, [0.5, 0.5], 0.5), (1.0, [], None)],
)
def test_products_appear_one_by_one_and_then_the_sum_drops_in(at, words, fallen):
    marks, pieces = arising(Arises((CELL,), TERMS), ROOM, LINE, at)
    assert [mark.opacity for mark in marks if mark.kind == "words"] == pytest.approx(words)
    assert [mark.place for mark in marks if mark.kind == "cover"] == ([CELL] if at < 1 else []), (
        "hidden until it is there"
    )
    if fallen is None:
        assert not pieces
    else:
        (number,) = pieces
        assert number.after == CELL
        assert number.will == fallen
        assert CELL[1] - CELL[3] < number.place[1] < CELL[1]


def test_the_second_product_comes_behind_the_first():
    marks, _ = arising(Arises((CELL,), TERMS), ROOM, LINE, 0.2)
    assert [mark.text for mark in marks if mark.kind == "words"] == [TERMS[0]]


@pytest.mark.parametrize(("at", "grown", "left"), [(0.0, 0.0, 1.0), (0.5, eased(0.5 / 0.6), 1.0), (1.0, None, None)])
def test_a_row_of_shares_grows_to_its_bars(at, grown, left):
    cells = (CELL, (70.0, 60.0, 20.0, 10.0))
    marks, pieces = arising(Arises(cells, shares=(0.25, 0.75)), ROOM, LINE, at)
    bars = [mark for mark in marks if mark.kind == "bar"]
    assert not pieces
    assert len(bars) == (0 if grown is None else 2)
    for bar, cell, share in zip(bars, cells, (0.25, 0.75), strict=False):
        assert bar.place[3] == pytest.approx(share * grown * 10)
        assert bar.place[1] + bar.place[3] == pytest.approx(cell[1] + cell[3]), "it stands on the edge of its cell"
        assert bar.opacity == left


@given(st.tuples(st.floats(0, 380), st.floats(0, 290)), st.integers(2, 6), st.floats(0, 1))
def test_products_stand_in_what_one_sees(corner, count, at):
    marks, _ = arising(Arises(((*corner, 20, 10),), ("1 × 2 = 2",) * count), ROOM, LINE, at)
    for mark in marks:
        x, y, width, height = mark.place
        assert x >= 0
        assert y >= 0
        assert x + width <= 400 + 1e-6
        assert y + height <= 300 + 1e-6


def test_the_sum_that_is_spoken_of_arises_from_its_products(desk):
    welcome = desk()
    welcome.look(spot=Spot(f"{BLOCK}.head.1.scores", (1,), (2,)))
    before = scene(Q=stands(f"{BLOCK}.Q", head=0), K=stands(f"{BLOCK}.K", 100, 0, head=0))
    after = scene(S=stands(f"{BLOCK}.scores", 0, 100, (3, 3), head=0))
    found = arises(welcome.view, before, after)
    assert found.cells == ((20, 130, 10, 10),)
    assert len(found.terms) == 4
    assert found.terms[0].startswith("1.3414 × −0.4961 = ")
    assert arises(welcome.view, scene(), after) is None, "nothing glides to it"
    welcome.look(covered=Covered({f"{BLOCK}.scores": frozenset({(0, 1, 2)})}))
    assert arises(welcome.view, before, after) is None


def test_the_row_of_shares_that_is_spoken_of_arises(desk):
    welcome = desk()
    welcome.look(spot=Spot(f"{BLOCK}.head.1.weights", (1,)))
    after = scene(W=stands(f"{BLOCK}.weights", 0, 100, (3, 3), head=0))
    found = arises(welcome.view, scene(), after)
    assert found.cells == ((0, 130, 10, 10), (10, 130, 10, 10), (20, 130, 10, 10))
    assert found.shares == pytest.approx((0.2865, 0.3847, 0.3288), abs=1e-4)
    welcome.look(covered=Covered({f"{BLOCK}.weights": frozenset({(0, 1, 0)})}))
    assert arises(welcome.view, scene(), after) is None, "a bar would tell what is asked"
