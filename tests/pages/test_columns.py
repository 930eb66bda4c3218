"""The widths of the columns of a list, and which of them stand below the others."""

from hypothesis import given
from hypothesis import strategies as st

from explorer.pages.columns import Widths, divided, fitted

WORDS, NUMBER = Widths(200, 200, 140, "word", 200), Widths(60, 40, 40, "p", 60)
BAR = Widths(120, 50, 50, "share", 360)


def least(columns):
    return [one.least for one in columns]


def wide(columns, room):
    return fitted(columns, least(columns), room)


def test_in_the_room_that_they_want_they_have_what_they_want_and_in_more_room_bars_are_longer():
    assert wide([WORDS, NUMBER, BAR], 380) == [200, 60, 120]
    assert wide([WORDS, NUMBER, BAR], 480) == [200, 60, 220]
    assert wide([WORDS, NUMBER, BAR], 2000) == [200, 60, 360]
    assert wide([WORDS, NUMBER], 2000) == [200, 60]


def test_in_less_room_bars_and_titles_become_narrower_first_and_then_words_break():
    assert wide([WORDS, NUMBER, BAR], 335) == [200, 50, 85]
    assert wide([WORDS, NUMBER, BAR], 290) == [200, 40, 50]
    assert wide([WORDS, NUMBER, BAR], 250) == [160, 40, 50]


def test_the_widest_words_break_first_so_that_short_ones_stay_on_one_line():
    long = Widths(600, 600, 140, "what it says", 600)
    assert wide([WORDS, long], 500) == [200, 300]
    assert wide([WORDS, long], 360) == [180, 180]


def test_columns_without_room_stand_below_after_the_first_one_again():
    assert divided([100, 50, 50, 50], 250, 1) == [(0, 1, 2, 3)]
    assert divided([100, 50, 50, 50], 200, 1) == [(0, 1, 2), (0, 3)]
    assert divided([100, 50, 50, 50], 150, 1) == [(0, 1), (0, 2), (0, 3)]
    assert divided([50, 50, 50], 100, 0) == [(0, 1), (2,)]
    assert divided([100, 50, 50], 120, 1) == [(0, 1, 2)], "there is room for only one: it scrolls"


columns = st.lists(
    st.tuples(*[st.integers(8, 400)] * 3, st.integers(0, 600)).map(
        lambda one: Widths(*sorted(one[:3], reverse=True), "", max(one[:3]) + one[3])
    ),
    min_size=1,
    max_size=12,
)


@given(columns, st.integers(1, 3000))
def test_they_are_never_wider_than_the_room_unless_even_the_least_widths_are(columns, room):
    widths = wide(columns, room)
    assert all(one.least <= width <= one.most for one, width in zip(columns, widths, strict=True))
    assert sum(widths) <= max(room, sum(least(columns)))


@given(columns, st.integers(1, 3000), st.integers(0, 1))
def test_each_column_stands_in_one_list_and_the_first_in_all(columns, room, repeats):
    lists = divided(least(columns), room, repeats)
    behind = [i for some in lists[1:] for i in some[repeats:]]
    assert [*lists[0], *behind] == list(range(len(columns)))
    assert all(some[:repeats] == tuple(range(repeats)) for some in lists)
    assert all(sum(columns[i].least for i in some) <= room for some in lists[:-1])
