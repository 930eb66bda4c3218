"""The places that words, matrices, the question and a derivation get on a slide."""

import pytest
from PySide6.QtCore import QRect

from explorer.ui.lesson.room import WORDS, Needs, placed
from tests.samples import each

WIDTH, HEIGHT, GAP = 1200, 600, 20


def needs(words=300, asked=0, across=400, down=250, rows=6, terms=0):
    """Parts as high as these in any width; a derivation of so many rows of 30 pixels, some of them terms of a sum."""

    def way(width, most):
        shown = rows - max(terms - most, 0) if most else rows
        return 30 * (-(-shown // 2) if width > 1000 else shown)

    def scale(width, height):
        return min(width / across, height / down)

    return Needs(lambda width: words, lambda width: asked, way, terms, scale)


def places(way=True, **parts):
    return placed(WIDTH, HEIGHT, GAP, needs(**parts), words=True, numbers=True, way=way)


def test_what_a_step_names_has_sixty_percent_of_the_width_and_all_of_the_height():
    found = places(way=False)
    assert found.words.width() == round(WORDS[0] * WIDTH)
    assert found.numbers == QRect(found.words.width() + GAP, 0, WIDTH - found.words.width() - GAP, HEIGHT)
    assert found.numbers.width() >= 0.59 * WIDTH


def test_the_question_stands_along_the_bottom():
    found = places(way=False, asked=120)
    assert found.asked == QRect(0, HEIGHT - 120, WIDTH, 120)
    assert found.numbers.bottom() < found.asked.top() - GAP + 2


def test_a_way_stands_below_short_words_so_that_the_matrix_keeps_its_size():
    found = places(words=200)
    assert found.way.left() == 0
    assert found.way.top() == 200 + GAP
    assert found.numbers.height() == HEIGHT


def test_a_long_way_stands_where_it_is_not_cut():
    found = places(rows=14, words=340)
    assert found.way.height() >= 30 * (7 if found.way.width() > 1000 else 14)
    assert found.terms == 0


def test_terms_are_left_out_only_where_nothing_else_helps():
    assert places(rows=60, terms=56, words=500).terms in (3, 4, 5, 7, 9)
    assert places(rows=8, terms=6, words=300).terms == 0


@pytest.mark.parametrize(("words", "asked", "across", "down"), [(300, 150, 800, 400), (200, 0, 1600, 400)])
def test_a_sum_of_four_is_not_torn_for_a_larger_table(words, asked, across, down):
    """Of four products two stood there, and “2 more”."""
    assert places(rows=5, terms=4, words=words, asked=asked, across=across, down=down).terms == 0


def test_a_table_that_would_be_too_small_to_read_stands_across_the_slide():
    wide = needs(words=100, across=12000, down=100)
    found = placed(WIDTH, HEIGHT, GAP, wide, words=True, numbers=True, way=False)
    assert found.numbers.width() == WIDTH


@each("asked", [0, 110, 260])
@each("rows", [1, 5, 9, 14, 25])
def test_no_part_covers_another_one(rows, asked):
    found = places(rows=rows, terms=rows - 1, asked=asked)
    whole = QRect(0, 0, WIDTH, HEIGHT)
    parts = [found.words, found.numbers, found.way, *([found.asked] if asked else [])]
    assert all(whole.contains(part) for part in parts)
    assert not any(a.intersects(b) for a in parts for b in parts if a is not b)


@pytest.mark.parametrize(("words", "asked", "rows"), [(300, 700, 5), (700, 650, 25), (300, 120, 90), (600, 500, 60)])
def test_a_part_that_is_higher_than_the_slide_stands_on_it_and_scrolls(words, asked, rows):
    """The top of such a question stood above the slide, where nobody could scroll to it."""
    found = places(words=words, asked=asked, rows=rows)
    parts = [part for part in (found.words, found.numbers, found.way, found.asked) if not part.isEmpty()]
    assert all(QRect(0, 0, WIDTH, HEIGHT).contains(part) for part in parts)
    assert not any(a.intersects(b) for a in parts for b in parts if a is not b)
