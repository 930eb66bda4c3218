"""A row of matrices, placed: whatever they are, in windows from 480 to 2560 pixels and with text from 100 to 300 %."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.pages.equation import (
    EASY,
    MOST_WIDER,
    RELATIONS,
    Part,
    Room,
    Size,
    across,
    broken,
    in_even_lines,
    in_lines,
    is_labelled,
    is_torn,
    larger,
    least_unbroken,
    placed,
    side_by_side,
    stand,
    widened,
)

SIZES = 1.0, 1.0, 0.9, 0.8
A, B, C, D = "", "×", "+", "="


def matrix(sign="", columns=4, scale=1.0, heading=60, label=50, **facts):
    """A matrix as a part of a row: cells of 50 pixels, and a heading."""
    cells = [round(columns * 50 * size * scale) for size in SIZES]
    heads = [round(heading * scale), *(round(min(heading, 60) * scale) for _ in SIZES[1:])]
    widths = tuple(map(max, heads, cells))
    small, roomy = (round(max(60, min(12 * columns, most)) * scale) for most in (132, 400))
    return Part(widths, tuple(round(label * size * scale) for size in SIZES), small, sign, roomy=roomy, **facts)


@st.composite
def rows(draw):
    """The parts of a row, and its room."""
    scale = draw(st.floats(1, 3))
    width = draw(st.integers(480, 2560))
    parts = []
    for i in range(draw(st.integers(1, 7))):
        if draw(st.integers(0, 5)) == 0:  # a picture
            parts.append(Part((min(round(draw(st.integers(40, 500)) * scale), width),), matrix=False))
            continue
        columns = draw(st.sampled_from((1, 2, 3, 4, 6, 8, 9, 12, 64, 768)))
        sign = draw(st.sampled_from(("", "×", "+", "=", "→", "⊙"))) if i else ""
        alike, heading, label = (draw(one) for one in (st.booleans(), st.integers(20, 260), st.integers(0, 120)))
        keeps, begins = (draw(st.integers(0, 9)) == 0 for _ in range(2))
        parts.append(matrix(sign, columns, scale, heading, label, alike=alike, keeps=keeps, begins=begins))
    return parts, Room(width, round(10 * scale), round(22 * scale))


def sizes_of(parts, found):
    """How large the parts are as they stand."""
    sizes = {}
    for line in found.lines:
        for i, place in enumerate(line):
            part, small = parts[place], place in found.small
            width = part.widths[min(found.way, len(part.widths) - 1)]
            labels = part.labels[min(found.way, len(part.labels) - 1)]
            labels = 0 if small or not is_labelled(parts, line, i, found.small) else labels
            width = part.small if small else width + labels
            high = 40 + 26 * (place % 4 + 1)
            sizes[place] = Size(width, high, 40, (width, 40 + (high - 40) // 2)) if part.matrix else Size(width, 90)
    return [sizes[place] for place in range(len(parts))]


@given(rows())
def test_a_line_begins_within_a_term_only_where_small_pictures_would_not_fit_either(row):
    parts, room = row
    found = stand(parts, room)
    assert [place for line in found.lines for place in line] == list(range(len(parts)))
    shrink = {i for i, part in enumerate(parts) if 0 < part.small < part.widths[-1]}
    for line in found.lines[1:]:
        if is_torn(parts, line):
            start, end = line[0], line[0] + 1
            while start and not _begins(parts[start]):
                start -= 1
            while end < len(parts) and not _begins(parts[end]):
                end += 1
            term = list(range(start, end))
            ways = range(max(len(part.widths) for part in parts))
            assert all(across(parts, term, room, way, shrink) > room.width for way in ways)


def _begins(part):
    return part.begins or not part.sign or part.sign in RELATIONS


@given(rows())
def test_nothing_overlaps_and_nothing_is_cut(row):
    parts, room = row
    found = stand(parts, room)
    sizes = sizes_of(parts, found)
    where = placed([part.sign for part in parts], sizes, found.lines, room, 12)
    for line, spare in zip(found.lines, found.spare, strict=True):
        rects = [where.parts[place] for place in line]
        # A first part above others that begin with a sign, each on a line of its own, begins where they do.
        indent = 0 if line[0] and parts[line[0]].sign else rects[0][0]
        assert indent in (0, room.sign + room.gap)
        assert rects[-1][0] + rects[-1][2] == room.width - spare + indent <= max(room.width, room.width - spare)
        for place, (x, y, width, height) in zip(line, rects, strict=True):
            assert (width, height) == (sizes[place].width, sizes[place].height)
            assert x >= 0
            assert 0 <= y <= where.height - height
        for (x, _, width, _), (following, *_), place in zip(rects, rects[1:], line[1:], strict=False):
            free = following - x - width
            assert free == room.gap + room.sign * bool(parts[place].sign)
        for place in line:
            if parts[place].sign and place:
                left, middle = where.signs[place]
                assert left + room.sign <= where.parts[place][0], "the sign stands before its matrix"
                assert min(y for _, y, _, _ in rects) <= middle <= max(y + high for _, y, _, high in rects)
        if spare < 0:  # it scrolls with the page: it stands alone on its line, and could not be smaller
            assert len(line) == 1
            shrinks = [i for i in line if i not in found.small and 0 < parts[i].small < parts[i].widths[-1]]
            assert not shrinks
    for line, below in pairwise(found.lines):
        bottom = max(where.parts[place][1] + where.parts[place][3] for place in line)
        assert bottom + 12 <= min(where.parts[place][1] for place in below)


@given(rows())
def test_matrices_shrink_before_an_equation_breaks_and_only_then(row):
    parts, room = row
    found = stand(parts, room)
    last = max(len(part.widths) for part in parts) - 1
    for line, following in pairwise(found.lines):
        first = parts[following[0]]
        if first.sign and not first.begins:
            smallest = across(parts, line + following, room, last, found.small)
            assert smallest > room.width or not _is_equation(parts, line), "they would fit on one line"
    usual = broken(parts, room, 0)
    if all(across(parts, line, room, 0) <= room.width for line in usual):
        if not any(is_torn(parts, line) for line in usual[1:]):  # a term is kept whole by small pictures
            assert not found.small, "nothing needs to be a small picture"
        if not any(parts[line[0]].sign and not parts[line[0]].begins for line in usual[1:]):
            assert found.way < EASY, "nothing needs to be smaller"


def _is_equation(parts, line):
    """Whether a line holds one equation from its beginning, and nothing before it."""
    return all(parts[place].sign and not parts[place].begins for place in line[1:]) and not parts[line[0]].sign


@pytest.mark.parametrize(
    ("width", "way", "lines"),
    [
        (4 * 250 + 3 * 32, 0, [[0, 1, 2, 3]]),  # as large as they like
        (4 * 250 + 3 * 32 - 1, 2, [[0, 1, 2, 3]]),  # smaller
        (4 * 200 + 3 * 32, 3, [[0, 1, 2, 3]]),  # as small as they may be
        (4 * 200 + 3 * 32 - 1, 1, [[0, 1, 2], [3]]),  # broken, and large again
        (3 * 250 + 2 * 32 - 1, 2, [[0, 1, 2], [3]]),
    ],
)
def test_a_product_and_a_sum_in_less_and_less_room(width, way, lines):
    parts = [matrix(A), matrix(B), matrix(C), matrix(D)]
    found = stand(parts, Room(width, 10, 22))
    assert found.lines == lines
    assert not found.small
    assert found.way in (way, way - 1), "a heading that is no wider needs no second line"


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (450, [[0, 1], [2, 3]]),  # before the "+", and "=" behind it where there is room
        (400, [[0, 1], [2], [3]]),
        (250, [[0], [1], [2], [3]]),  # and before the "×"
    ],
)
def test_columns_that_cannot_be_small_stand_below_each_other_sums_first(width, lines):
    parts = [Part((150,), (20,), 0, sign) for sign in (A, B, C, D)]
    found = stand(parts, Room(width, 10, 22))
    assert found.lines == lines
    assert min(found.spare) >= 0


def test_a_term_that_fits_in_no_way_has_its_widest_matrix_as_a_small_picture():
    parts = [matrix(A), matrix(B, columns=9), matrix(C), matrix(D)]
    found = stand(parts, Room(700, 10, 22))
    assert found.small == {1}
    assert found.lines == [[0, 1, 2], [3]]


def test_of_matrices_that_are_each_enough_the_one_that_loses_fewest_numbers_is_a_small_picture():
    parts = [matrix(A, loses=24), matrix(B, columns=6, loses=24), matrix(C, columns=6, loses=6), matrix(D, loses=16)]
    assert stand(parts, Room(660, 10, 22)).small == {2}
    known = [parts[0]._replace(loses=0), *parts[1:]]
    assert stand(known, Room(740, 10, 22)).small == {0}, "one that says no more than its picture goes first"


@given(rows())
def test_in_the_width_of_its_longest_term_a_row_breaks_only_before_relations_and_keeps_its_numbers(row):
    parts, room = row
    found = stand(parts, room._replace(width=least_unbroken(parts, room)))
    assert not found.small
    assert not any(is_torn(parts, line) for line in found.lines[1:])


def test_lines_of_an_equation_are_as_even_as_can_be():
    parts = [Part((500,)), Part((200,), sign="×"), Part((300,), sign="="), Part((300,), sign="→")]
    assert broken(parts, Room(1100, 10, 22)) == [[0, 1], [2, 3]], "a full first line would leave the last part alone"
    assert broken(parts, Room(1500, 10, 22)) == [[0, 1, 2, 3]]


def test_a_row_of_pictures_alone_has_smaller_ones_before_it_breaks():
    pictures = [Part((200, 150, 80), picture=True) for _ in range(4)]
    assert stand(pictures, Room(400, 10, 22)).lines == [[0, 1, 2, 3]]
    assert len(stand([*pictures[:3], Part((200, 150, 80))], Room(400, 10, 22)).lines) > 1, "numbers would be smaller"


def test_parts_without_signs_never_shrink_where_each_has_room():
    parts = [matrix(), matrix(), matrix()]
    found = stand(parts, Room(600, 10, 22))
    assert (found.way, found.small, found.lines) == (0, frozenset(), [[0, 1], [2]])


def test_one_matrix_shrinks_before_it_becomes_a_small_picture():
    assert stand([matrix(columns=9)], Room(470, 10, 22)).way == 2
    assert stand([matrix(columns=9)], Room(300, 10, 22)).small == {0}


def test_a_row_said_by_the_matrix_before_is_said_once_on_a_line():
    parts = [matrix(), matrix("×", alike=True), matrix("=", alike=True)]
    assert across(parts, [0, 1], Room(0, 10, 22), 0) == 250 + 32 + 200
    assert across(parts, [2], Room(0, 10, 22), 0) == 32 + 250, "the sign leads, and the labels are said anew"
    assert across(parts, [0, 1], Room(0, 10, 22), 0, {0}) == 60 + 32 + 250, "a small picture says nothing"


def test_signs_stand_in_the_middle_between_the_numbers_at_one_height():
    """They stood at the numbers before them, far from the next ones where a heading is wide."""
    sizes = [Size(100, 80, 20, (90, 50)), Size(50, 46, 20, (50, 33)), Size(60, 150, 30, (60, 90))]
    where = placed(["", "×", "="], sizes, [[0, 1], [2]], Room(300, 10, 22), 12)
    assert where.parts == [(0, 0, 100, 80), (132, 0, 50, 46), (32, 92, 60, 150)]
    assert where.signs == {1: (100, 33), 2: (0, 92 + 90)}
    assert where.height == 92 + 150


def test_what_has_no_base_line_stands_at_the_height_of_the_signs_or_at_the_top():
    """A small picture stood at the middle of the line, and the arrow behind it half a picture lower."""
    sizes = [Size(100, 80, 20, (100, 50)), Size(50, 40), Size(50, 40, top=True)]
    where = placed(["", "", ""], sizes, [[0, 1, 2]], Room(300, 10, 22), 12)
    assert [y for _, y, _, _ in where.parts] == [0, 30, 0]


def test_a_sign_before_a_small_picture_beside_a_high_one_stands_with_the_small_one():
    sizes = [Size(100, 80, 20, (100, 50)), Size(50, 40, side=(50, 20)), Size(400, 400, side=(400, 200), top=True)]
    where = placed(["", "→", ""], sizes, [[0], [1, 2]], Room(500, 10, 22), 12)
    assert where.signs == {1: (0, 92 + 20)}


@given(st.lists(st.integers(100, 2400), min_size=1, max_size=5), st.integers(0, 2560))
def test_parts_side_by_side_fill_their_line_and_no_more(widths, width):
    room = Room(width, 10, 22)
    found = side_by_side(widths, room)
    assert len(found) == len(widths)
    assert all(0 <= one <= width for one in found)
    if sum(widths) + 10 * (len(widths) - 1) <= width:  # all on one line
        assert sum(found) + 10 * (len(widths) - 1) <= width
        assert all(one >= least for one, least in zip(found, widths, strict=True))
        assert len(widths) == 1 or all(one <= MOST_WIDER * least for one, least in zip(found, widths, strict=True))
    elif all(a + 10 + b > width for a, b in pairwise(widths)):  # each stands alone
        assert set(found) == {width}


def test_where_no_way_fits_the_narrowest_is_taken():
    parts = [Part((300, 200, 150)), Part((300, 200, 150), sign="×")]
    assert stand(parts, Room(200, 10, 22)).way == 2
    assert stand(parts, Room(700, 10, 22)).way == 0


@given(
    st.lists(st.tuples(st.integers(1, 900), st.integers(1, 400)), max_size=5),
    st.integers(100, 2500),
    st.integers(-200, 900),
)
def test_what_is_larger_is_no_longer_than_its_page_and_takes_no_more_than_is_free(parts, room, free):
    for times in larger(parts, room, free):
        assert times > 1
        assert all(across * times <= room for across, _ in parts)
        assert sum(down for _, down in parts) * (times - 1) <= free + 1e-6


@given(rows())
def test_small_pictures_share_what_is_free_on_their_line_and_nothing_else_moves(row):
    parts, room = row
    found = stand(parts, room)
    wide = widened(parts, found)
    assert set(wide) == found.small
    assert all(parts[i].small <= wide[i] <= max(parts[i].roomy, parts[i].small) for i in wide)
    again = [part._replace(small=wide.get(i, part.small)) for i, part in enumerate(parts)]
    assert broken(again, room, found.way, found.small) == found.lines
    for line, spare in zip(found.lines, found.spare, strict=True):
        left = room.width - across(again, line, room, found.way, found.small)
        assert left >= min(spare, 0)
        could = [i for i in found.small.intersection(line) if wide[i] < parts[i].roomy]
        assert not could or left < 1 or spare < 0, "there was room for a larger one"


@given(
    st.integers(1, 32),
    st.integers(300, 2560),
    st.integers(200, 1400),
    st.integers(0, 120),
    st.integers(18, 60),
    st.integers(60, 160),
)
def test_like_pictures_in_even_lines_fit_across_and_down(count, width, height, names, around, heading):
    room, beside = Size(width, height), Size(around, 2 * around)
    each, side = in_even_lines(count, room, 10, names, beside, heading, least=120, most=600)
    lines = -(-count // each)
    assert 1 <= each <= count
    assert 0 <= side <= 600
    assert count > each * (lines - 1)
    if side:
        assert names + each * (side + around) + 10 * (each - 1) <= width
        assert lines * (side + 2 * around) <= height


def test_twelve_heads_stand_in_lines_of_as_many_and_three_on_one():
    beside = Size(20, 110)
    assert in_even_lines(12, Size(1000, 620), 10, 40, beside, 136, 120, 400)[0] == 6
    assert in_even_lines(3, Size(760, 470), 10, 90, beside, 136, 120, 400)[0] == 3
    assert in_even_lines(8, Size(1800, 1200), 10, 60, beside, 136, 120, 400)[0] == 8


def test_parts_below_each_other_begin_at_one_place():
    parts = [Part((200,)), Part((200,), sign="+", begins=True), Part((200,), sign="=", begins=True)]
    room = Room(800, 10, 20)
    found = stand(parts, room)
    assert found.lines == [[0], [1], [2]]
    where = placed([part.sign for part in parts], sizes_of(parts, found), found.lines, room, 12)
    assert [x for x, *_ in where.parts] == [30, 30, 30]
    assert set(where.signs) == {1, 2}


def test_a_comma_that_would_begin_a_line_is_left_out():
    sizes = [Size(200, 40, 10, (200, 25))] * 3
    where = placed(["", ",", "→"], sizes, [[0], [1], [2]], Room(400, 10, 20), 12)
    assert [x for x, *_ in where.parts] == [30, 30, 30]
    assert set(where.signs) == {2}
    assert set(placed(["", ",", "→"], sizes, [[0, 1], [2]], Room(500, 10, 20), 12).signs) == {1, 2}


def test_a_picture_without_room_beside_others_stands_below_the_lowest():
    room = Room(1000, 10, 20)
    sizes = [Size(370, 480, top=True), Size(262, 200, top=True), Size(310, 150, top=True), Size(700, 90, top=True)]
    parts = [Part((size.width,), matrix=False) for size in sizes]
    for wide, places in (
        (1000, [(0, 0), (380, 0), (652, 0), (0, 492)]),
        (760, [(0, 0), (380, 0), (380, 212), (0, 492)]),
        (400, [(0, 0), (0, 492), (0, 704), (0, 866)]),
    ):
        narrow = room._replace(width=wide)
        where = placed([""] * 4, sizes, broken(parts, narrow), narrow, 12)
        assert [(x, y) for x, y, _, _ in where.parts] == places
        assert where.height == max(y + high for _, y, _, high in where.parts)


def test_numbers_among_pictures_are_pictures_where_the_equation_needs_one_line_for_it():
    def picture(sign):
        return Part((150,), small=130, least=130, sign=sign, picture=True)

    def numbers(sign):
        return Part((400,), small=130, least=70, sign=sign)

    parts = [picture(""), numbers("×"), numbers("+"), picture("="), picture("→")]
    found = stand(parts, Room(720, 10, 20))
    assert (found.lines, found.small) == ([[0, 1, 2, 3, 4]], {1, 2})
    assert widened(parts, found)[1] == 70
    # With room for the numbers the equation breaks before its "=", and nothing is small.
    found = stand(parts, Room(1100, 10, 20))
    assert (found.lines, found.small) == ([[0, 1, 2], [3, 4]], frozenset())


def test_parts_of_a_page_stand_in_lines_each_at_the_top_of_its_own():
    sizes = [(400, 90), (400, 120), (812, 50), (400, 70)]
    assert in_lines(sizes, 812, 12) == [(0, 0, 400, 90), (412, 0, 400, 120), (0, 132, 812, 50), (0, 194, 400, 70)]
    assert [y for _, y, *_ in in_lines(sizes, 811, 12)] == [0, 102, 234, 296]
    assert in_lines(sizes[:1], 100, 12) == [(0, 0, 400, 90)], "what is too wide has a line of its own"
    assert in_lines([], 100, 12) == []
