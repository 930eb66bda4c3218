"""The places that words, matrices, the question and a derivation get on a slide."""

import pytest

from explorer.pages.steps.slide import SHARES, WORDS, Needs, Place, Slide, vote_placed
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
    return Slide(WIDTH, HEIGHT, GAP, needs(**parts), words=True, numbers=True, way=way).placed()


SLIDE = Place(0, 0, WIDTH, HEIGHT)


def apart(parts, whole=SLIDE):
    """Whether the parts stand in the whole, and none on another."""
    right, bottom = whole.x + whole.width, whole.y + whole.height
    inside = all(
        whole.x <= x and whole.y <= y and x + wide <= right and y + high <= bottom for x, y, wide, high in parts
    )
    covers = any(
        max(a.x, b.x) < min(a.x + a.width, b.x + b.width) and max(a.y, b.y) < min(a.y + a.height, b.y + b.height)
        for i, a in enumerate(parts)
        for b in parts[:i]
    )
    return inside and not covers


def test_what_a_step_names_has_sixty_percent_of_the_width_and_all_of_the_height():
    found = places(way=False)
    wide = round(WORDS[0] * WIDTH)
    assert found.words.width == wide
    assert found.numbers == Place(wide + GAP, 0, WIDTH - wide - GAP, HEIGHT)
    assert found.numbers.width >= 0.59 * WIDTH


def test_the_question_stands_along_the_bottom():
    found = places(way=False, asked=120)
    assert found.asked == Place(0, HEIGHT - 120, WIDTH, 120)
    assert found.numbers.height <= found.asked.y - GAP


def test_a_way_stands_below_short_words_so_that_the_matrix_keeps_its_size():
    found = places(words=200)
    assert (found.way.x, found.way.y) == (0, 200 + GAP)
    assert found.numbers.height == HEIGHT


def test_a_long_way_stands_where_it_is_not_cut():
    found = places(rows=14, words=340)
    assert found.way.height >= 30 * (7 if found.way.width > 1000 else 14)
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
    found = Slide(WIDTH, HEIGHT, GAP, wide, words=True, numbers=True, way=False).placed()
    assert found.numbers.width == WIDTH


@each("asked", [0, 110, 260])
@each("rows", [1, 5, 9, 14, 25])
def test_no_part_covers_another_one(rows, asked):
    found = places(rows=rows, terms=rows - 1, asked=asked)
    assert apart([found.words, found.numbers, found.way, *([found.asked] if asked else [])])


@pytest.mark.parametrize(("words", "asked", "rows"), [(300, 700, 5), (700, 650, 25), (300, 120, 90), (600, 500, 60)])
def test_a_part_that_is_higher_than_the_slide_stands_on_it_and_scrolls(words, asked, rows):
    """The top of such a question stood above the slide, where nobody could scroll to it."""
    found = places(words=words, asked=asked, rows=rows)
    parts = found.words, found.numbers, found.way, found.asked
    assert apart([part for part in parts if part.width > 0 and part.height > 0])


ROOM = Place(30, 20, 1200, 600)


def vote(choices=300, across=400, down=250, shares=SHARES, stood_below=None):
    """Choices so high in the letters of a slide, beside a table so wide and high."""
    asked = []

    def high(times, width):
        asked.append(times)
        return round(times * choices * (1 if width > 400 * times else 2))

    found = vote_placed(
        ROOM, GAP, GAP, high, lambda wide, high: min(wide / across, high / down), 1.0, shares, stood_below
    )
    return found, asked


def test_a_table_stands_beside_the_choices_and_the_first_letters_are_taken_if_they_cost_nothing():
    found, asked = vote(choices=150)
    assert not found.below
    assert found.times == max(asked)
    assert found.choices.height <= ROOM.height
    assert apart([found.choices, found.named], ROOM)


def test_a_wide_table_stands_below_the_choices_and_stays_where_it_stood():
    wide, _ = vote(choices=60, across=3000, down=200)
    assert wide.below
    assert wide.named.width == ROOM.width
    assert apart([wide.choices, wide.named], ROOM)
    near, _ = vote(choices=60, across=500, down=300, stood_below=True)
    assert near.below
    assert not vote(choices=60, across=500, down=300, stood_below=False)[0].below


def test_letters_are_smaller_where_choices_need_the_room_and_nothing_is_named_where_they_need_all():
    small, _ = vote(choices=440)
    large, _ = vote(choices=150)
    assert small.times < large.times
    assert vote(choices=900)[0] is None


@each("choices", [40, 120, 240, 420])
@each("across", [200, 900, 2400])
def test_a_table_never_stands_on_choices(choices, across):
    for shares in (SHARES, SHARES[-1:], ()):
        found, _ = vote(choices, across, shares=shares)
        assert found is None or apart([found.choices, found.named], ROOM)
