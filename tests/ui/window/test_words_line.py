"""The places of the words that the model reads, without a window."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from explorer.ui.window.bar import Size
from explorer.ui.window.words_line import ADDS, LEAST_NAMED, Line, lines_in
from tests.rectangles import overlap
from tests.ui.window.test_division import SCALES

BOTH = st.booleans()


@st.composite
def bars(draw, low=BOTH):
    """A width, sequences and links as wide as the letters of their scale make them, and their places."""
    scale, few = draw(SCALES), st.integers(1, 2)

    def px(pixels):
        return round(pixels * scale)

    def line():
        named, words = px(draw(st.integers(40, 60))), px(draw(st.integers(40, 900)))
        edits = {ADDS: Size(px(40), px(32)), "types": Size(px(40), px(32))} if draw(st.booleans()) else {}
        title, counted = Size(named, px(17)), Size(named + px(25), px(17))
        ends = draw(st.sampled_from([(True, False), (False, False), (False, True)]))
        return Line(title, counted, Size(words, px(32)), Size(px(28), px(28)), edits, *ends)

    lines = [line() for _ in range(draw(few))]
    links = [Size(px(draw(st.integers(100, 500))), px(20))] * draw(st.integers(0, 2))
    width, is_low = draw(st.integers(900, 2600)), draw(low)
    return width, lines, links, is_low, px, lines_in(width, lines, links, is_low, px)


@given(bars())
def test_nothing_lies_over_another_part_or_beyond_the_bar(bar):
    width, *_, (high, sequences, parts, links) = bar
    for one, other in combinations([*sequences, *links], 2):
        assert not overlap(one, other)
    for x, y, wide, tall in (*sequences, *links):
        assert 0 < x <= x + wide < width
        assert 0 < y <= y + tall < high
    for (*_, wide, tall), within in zip(sequences, parts, strict=True):
        assert within["words"][2] > 0
        for (x, y, across, down), (after, *_) in pairwise([*within.values(), (wide + 1, 0, 0, 0)]):
            assert 0 <= x <= x + across < after
            assert 0 <= y <= y + down <= tall


@given(bars())
def test_words_have_buttons_that_scroll_and_a_number_if_and_only_if_they_do_not_fit(bar):
    """Arrows that came while letters grew took the room in which the words would have fitted, and stayed."""
    _, lines, _, low, px, (_, sequences, parts, _) = bar
    for line, (*_, wide, _), within in zip(lines, sequences, parts, strict=True):
        hidden = within["words"][2] < line.words.width
        if low or (hidden and "counted" not in within):  # only what is of use, and a title if it leaves words room
            assert ("back" in within, "next" in within) == (hidden and not line.at_start, hidden and not line.at_end)
            assert "title" in within or wide < px(LEAST_NAMED)
        else:
            assert ("back" in within) == ("next" in within) == ("counted" in within) == hidden
        assert set(line.buttons) - within.keys() <= ({ADDS} if low or hidden else set())


@given(bars(low=st.just(True)))
def test_in_a_low_window_all_sequences_share_one_line(bar):
    assert len({y + tall / 2 for _, y, _, tall in bar[-1].sequences}) == 1


def test_a_field_for_all_words_has_no_buttons_that_scroll():
    line = Line(Size(50, 17), Size(70, 17), Size(2000, 32), None, {})
    assert set(lines_in(900, [line], [], False, round).parts[0]) == {"counted", "words"}
