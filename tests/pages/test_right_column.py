"""How high the parts of the column at the right are, and where two derivations stand beside it."""

from hypothesis import given
from hypothesis import strategies as st

from explorer.pages.right_column import LEAST_INSPECTOR, MOST, MOST_ASKING, StepNeeds, both_beside, heights

ROOM = 900
LEAST = 44
STEP = StepNeeds(300, 90)
ASKING = StepNeeds(700, 90, asks=True, is_open=True)


def column(glossary=None, step=None, inspector=LEAST, room=ROOM, scale=1.0):
    return heights(glossary, step, inspector, room, lambda pixels: round(pixels * scale))


def test_the_inspector_has_what_a_step_leaves():
    assert column() == (0, 0, ROOM)
    assert column(step=STEP) == (0, 390, ROOM - 390)
    assert column(step=STEP._replace(words=2000)) == (0, int(MOST * ROOM), ROOM - int(MOST * ROOM))


def test_a_question_is_seen_whole_and_where_little_is_left_has_the_column_to_itself():
    assert column(step=ASKING)[1:] == (790, ROOM - 790)
    closed = ASKING._replace(is_open=False)
    assert column(step=closed, room=600)[1:] == (int(MOST_ASKING * 600), 600 - int(MOST_ASKING * 600))
    assert column(step=ASKING, room=600) == (0, 600, 0)


def test_a_step_that_stands_alone_may_have_all_of_it():
    assert column(step=ASKING, inspector=None, room=600) == (0, 600, 0)
    assert column(step=STEP, inspector=None, room=600) == (0, 390, 0)


def test_the_glossary_has_at_most_half_and_alone_all_of_it():
    assert column(glossary=200) == (200, 0, ROOM - 200)
    assert column(glossary=2000) == (ROOM // 2, 0, ROOM - ROOM // 2)
    assert column(glossary=200, inspector=None) == (ROOM, 0, 0)
    assert column(glossary=200, step=STEP) == (200, 390, ROOM - 590)
    assert column(glossary=450, step=STEP) == (450, 390, 0), f"fewer than {LEAST_INSPECTOR} pixels would be left"


def test_in_a_low_window_with_large_letters_its_field_stays_in_sight():
    """What the step below needs was more than the whole column: its height was to be below 0."""
    above, *_ = column(glossary=2000, step=StepNeeds(3000, 500), room=420, scale=3.0)
    assert above == 210


parts = st.none() | st.integers(0, 3000)
steps = st.none() | st.builds(StepNeeds, st.integers(0, 3000), st.integers(0, 120), st.booleans(), st.booleans())


@given(parts, steps, st.none() | st.integers(0, 120), st.integers(700, 2000), st.sampled_from([1.0, 1.5]))
def test_none_stands_on_another_or_beyond_the_column(glossary, step, inspector, room, scale):
    found = column(glossary, step, inspector, room, scale)
    assert min(found) >= 0
    assert sum(found) <= room
    whole = inspector is not None or (glossary is not None and step is None)
    assert sum(found) == room or not whole or found[2] == 0
    assert (found[0] > 0) <= (glossary is not None)
    assert (found[1] > 0) <= (step is not None)
    assert step is None or found[1] <= step.around + step.words


NO_CELLS = 0, 0, 0, 0
PAGE = 950, 600
"""Where the column begins, and the height of the page."""


def both(named=NO_CELLS, words=60_000, page=PAGE, scale=1.0):
    """Two derivations whose words cover so many pixels each."""
    right, bottom = page
    px = lambda pixels: round(pixels * scale)  # noqa: E731
    return both_beside((right, 40), bottom, named, (px(28), px(27)), 14, lambda width: words // max(width, 1), px)


def test_two_derivations_stand_side_by_side_at_the_bottom_and_as_high_as_they_need_to_be():
    places = both()
    x, y, width, height = places.card
    assert (x + width, y + height) == (942, 592)
    ours, theirs = places.sides
    assert ours[1:] == theirs[1:]
    assert ours[2] * ours[3] >= 60_000 - ours[2]
    assert theirs[0] + theirs[2] <= places.scrolls[2] < theirs[0] + theirs[2] + 2
    assert places.scrolls[3] == ours[3], "they need not be scrolled"


def test_they_stand_above_what_the_step_names_if_there_is_no_room_below():
    assert both((100, 450, 200, 100)).card[1] == 48
    assert both((100, 100, 200, 100)).card[1] > 200
    _, y, _, height = both((100, 250, 200, 100), words=200_000).card
    assert y > 350, "they are scrolled, rather than that they cover it"
    assert height < both(words=200_000).card[3]


@given(
    st.tuples(st.integers(0, 600), st.integers(0, 900), st.integers(0, 400), st.integers(0, 300)),
    st.integers(0, 10**6),
    st.tuples(st.integers(400, 2500), st.integers(300, 1500)),
    st.sampled_from([1.0, 1.5, 2.0, 3.0]),
)
def test_nothing_of_them_is_beside_their_card_and_they_never_overlap(named, words, page, scale):
    (x, y, width, height), close, scrolls, (ours, theirs) = both(named, words, page, scale)
    assert 0 <= x <= x + width < page[0]
    assert 40 < y <= y + height < page[1]
    assert ours[0] + ours[2] < theirs[0]
    assert theirs[0] + theirs[2] <= scrolls[2]
    assert scrolls[0] + scrolls[2] <= close[0]
    for left, top, wide, high in (close, scrolls):
        assert left + wide < width
        assert top >= 0
        assert high >= 0
