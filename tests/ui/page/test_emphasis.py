"""What is small as a page begins, decided from sizes: every matrix 100 pixels high, or 20 as a small picture."""

from dataclasses import replace
from functools import partial

import pytest

from explorer.document.document import Document
from explorer.lessons.document_lesson import new_lesson
from explorer.lessons.loader import load
from explorer.pages.compose import page
from explorer.pages.drawing import HeatMap
from explorer.pages.element import leaves
from explorer.pages.levels import places
from explorer.pages.matrix import Matrix
from explorer.pages.view import View
from explorer.ui.page.emphasis import (
    MANY,
    Stands,
    Taken,
    first_matrices,
    first_whole,
    is_whole,
    map_in_sight,
    matrices_of,
    rows_to_map,
    weights_of,
)

MAP = 250
BLOCK = "encoder.1.self."


@pytest.fixture
def elements():
    document = Document(load("you-are-welcome").state())
    stage = next(one for one in places(document.engine.graph) if one.name == BLOCK + "attention")
    return page(View.of(document), stage).elements


def measure(part, stands):
    """The room of a part whose matrices and maps stand below each other."""
    small = {matrices_of(row)[place].id for row in part.rows for place in stands.small.get(row.id, frozenset())}
    reach, y = {}, 0
    for one in leaves(part.element):
        if isinstance(one, (Matrix, HeatMap)):
            high = MAP if isinstance(one, HeatMap) else 20 if one.id in small else 100
            reach[one.id] = (y, y + high - 1)
            y += high
    return Taken(y, reach)


def bottoms(parts, stands):
    top, found = 0, {}
    for part in parts:
        taken = measure(part, stands)
        found |= {id: top + last for id, (_, last) in taken.reach.items()}
        top += taken.height
    return found


def arranged(elements, height, high=True):
    """How the rows down to the map stand, and down to where weights, output and map reach."""
    parts = rows_to_map(elements)
    stands = map_in_sight(parts, [0] * len(parts), height, high, measure)
    found = bottoms(parts, stands)
    return stands, *(found[BLOCK + id] for id in ("weights", "output", "heat map"))


def small_of(stands):
    return sum(map(len, stands.small.values()))


def test_where_all_is_in_sight_nothing_is_small(elements):
    stands, *_ = arranged(elements, 10_000)
    assert small_of(stands) == 0
    assert not stands.breaks


def test_no_more_is_small_than_it_takes(elements):
    whole = max(bottoms(rows_to_map(elements), Stands({})).values())
    stands, *reach = arranged(elements, whole)  # a pixel is lacking
    assert max(reach) < whole
    assert 0 < small_of(stands) < len(bottoms(rows_to_map(elements), stands)) - 2


def test_weights_and_output_come_before_the_map(elements):
    parts = rows_to_map(elements)
    everything = {row.id: frozenset(range(len(matrices_of(row)))) for part in parts[:-1] for row in part.rows}
    least = max(bottoms(parts, Stands(everything)).values())
    _, weights, output, heat_map = arranged(elements, least - MAP, high=False)
    assert max(weights, output) < least - MAP <= heat_map


def test_the_first_weights_are_worth_what_comes_before_them(elements):
    parts = rows_to_map(elements)
    *above, last = (row for part in parts for row in part.rows)
    before = [one.id for one in matrices_of(last)].index(BLOCK + "weights")
    small = {row.id: range(len(matrices_of(row))) for row in above} | {last.id: range(before)}
    least = bottoms(parts, Stands(small))[BLOCK + "weights"]
    assert small_of(arranged(elements, least - 60, high=False)[0]) == small_of(Stands(small))
    assert small_of(arranged(elements, least - 100, high=False)[0]) == 0


def test_a_map_is_worth_more_than_a_picture_of_what_it_draws():
    """Of many words the weights were a large picture, and the map that says the same was below it and cut."""
    document = Document(new_lesson("gpt", [" ".join(f"w{i}" for i in range(MANY + 1))]).state())
    stage = next(one for one in places(document.engine.graph) if one.name == "decoder.1.self.attention")
    parts = rows_to_map(page(View.of(document), stage).elements)
    (last,) = parts[-1].rows
    weights = weights_of(last)

    def picture(part, stands):
        small = weights in stands.small.get(last.id, ())
        return replace(measure(part, stands), pictures=frozenset(() if small else {matrices_of(last)[weights].id}))

    for way, expected in ((measure, False), (picture, True)):
        stands = map_in_sight(parts, [0] * len(parts), 10_000, True, way)
        assert (weights in stands.small[last.id]) is expected


def test_what_never_fits_is_not_small_in_vain(elements):
    assert small_of(arranged(elements, 50)[0]) == 0


def test_a_low_page_has_its_first_two_matrices_whole(elements):
    parts = first_matrices(elements[1:])  # a row that folds decides for itself
    first = [id for part in parts for id in measure(part, Stands({})).reach][:2]
    decide = partial(first_whole, parts, [0] * len(parts), measure=measure)
    assert small_of(decide(10_000)) == 0
    stands = decide(150)
    assert small_of(stands) > 0
    assert max(bottoms(parts, stands)[id] for id in first) < 150


def test_nothing_is_small_for_matrices_that_are_still_to_come():
    """A page is made in turns, and may have to share its room in between."""
    assert is_whole([], 2, 720)


def test_what_begins_below_what_is_in_sight_is_seen_from_its_top_on():
    assert is_whole([(800, 899), (900, 999)], 2, 300)
    assert not is_whole([(800, 899), (900, 1199)], 2, 300)
    assert not is_whole([(100, 199), (200, 399)], 2, 300)
