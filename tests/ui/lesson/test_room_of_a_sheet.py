"""The places that words, matrices and a derivation get on a presented step."""

import pytest
from PySide6.QtCore import QRect

from explorer.ui.lesson.room import Needs, shared

WIDTH, HEIGHT, GAP = 1200, 600, 20


def needs(words=300, full=250, least=150, across=400, rows=6, terms=0):
    """Parts as high as these in any width; a derivation of so many rows of 30 pixels, some of them terms of a sum."""

    def way(width, most):
        shown = rows - max(terms - most, 0) if most else rows
        return 30 * (-(-shown // 2) if width > 1000 else shown)

    high = (full, full, least, least)
    return Needs(lambda width: words, 0, lambda width: high, across, across, way, terms, lambda width, height: 0.0)


def places(**parts):
    return shared(WIDTH, HEIGHT, GAP, needs(**parts), words=True, numbers=True, way=True)


def test_the_way_stands_below_the_matrix_where_it_fits():
    found = places()
    assert found.way.left() == found.numbers.left()
    assert found.way.top() == found.numbers.top() + 250 + GAP
    assert found.cost == 0


def test_a_long_way_stands_across_the_screen_in_two_columns():
    found = places(rows=14, words=340)
    assert found.way == QRect(0, HEIGHT - 210, WIDTH, 210)
    assert found.terms == 0


def test_below_short_words_there_is_room_for_a_way_beside_a_high_matrix():
    found = places(full=580, least=560, words=100, rows=14)
    assert found.way.left() == 0
    assert found.way.top() == 100 + GAP


def test_terms_are_left_out_only_where_nothing_else_helps():
    assert places(rows=30, terms=26).terms in (3, 4, 5, 7, 9)
    assert places(rows=14, terms=10, words=560).terms == 0, "rows of the matrix need not be in sight"


@pytest.mark.parametrize("rows", [1, 5, 9, 14, 25])
def test_no_part_covers_another_one(rows):
    found = places(rows=rows, terms=rows - 1)
    whole = QRect(0, 0, WIDTH, HEIGHT)
    parts = [found.words, found.numbers, found.way]
    assert all(whole.contains(part) for part in parts)
    assert not any(a.intersects(b) for a in parts for b in parts if a is not b)
