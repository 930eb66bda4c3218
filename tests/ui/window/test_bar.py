"""The places of what stands in the bar on top, without a window."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from explorer.ui.window.bar import Choice, Parts, Size, Title, arranged
from tests.rectangles import overlap

SCALES = st.sampled_from([1.0, 1.1, 1.5, 2.0, 2.5, 3.0])
WIDTHS = st.integers(900, 2600)


@st.composite
def parts(draw):
    """Parts as wide as the letters of this scale make them."""
    scale = draw(SCALES)

    def px(low, high):
        return round(draw(st.integers(low, high)) * scale)

    def choice(low, high):
        folded, high_of = px(90, 130), px(31, 31)
        return Choice(Size(px(low, high), high_of), Size(folded, high_of), folded + px(0, 200))

    high = px(35, 35)
    whole = px(60, 500)
    lines = {"middle": Size(whole // 2, px(30, 36)), "small": Size(whole // 3, px(22, 26))}
    title = Title(whole, min(whole, px(60, 200)), lines)
    tabs = tuple(Size(wide, high) for wide in (px(77, 77), px(56, 56), px(66, 66), px(78, 78)))
    menu, icon, acts = Size(px(81, 81), high), Size(px(32, 32), high), Size(px(105, 105), px(31, 31))
    return Parts(scale, menu, icon, title, tabs, choice(80, 500), choice(274, 274), acts)


def beside(parts, chooses, shows):
    """The same parts beside another tab."""
    others = {name: getattr(parts, name) for name in ("scale", "menu", "icon", "title", "tabs", "settings", "showing")}
    return Parts(**others, acts=parts.acts, chooses=chooses, shows=shows)


@given(WIDTHS, parts(), st.sampled_from([(True, True), (True, False), (False, False)]))
def test_nothing_lies_over_another_part_or_beyond_the_bar(width, parts, in_sight):
    bar = arranged(width, beside(parts, *in_sight))
    assert bar.rects.keys() >= {"menu", "title", "tab 0", "tab 3"}
    for (name, one), (other_name, other) in combinations(bar.rects.items(), 2):
        assert not overlap(one, other), (name, other_name)
    for name, (x, y, wide, high) in bar.rects.items():
        assert 0 <= x <= width - wide, name
        assert 0 <= y <= bar.height - high, name


@given(WIDTHS, parts())
def test_the_tabs_and_the_settings_stay_where_they_are_whichever_tab_is_open(width, parts):
    bars = [arranged(width, beside(parts, *of)) for of in ((True, True), (True, False), (False, False))]
    for name in ("menu", "title", "tab 0", "tab 1", "tab 2", "tab 3"):
        assert len({bar.rects[name][0] for bar in bars}) == 1, name
    assert bars[0].rects["settings"][::2] == bars[1].rects["settings"][::2]
    assert "settings" not in bars[2].rects
    assert all("showing" not in bar.rects for bar in bars[1:])


@given(WIDTHS, parts())
def test_a_wider_bar_is_no_higher(width, parts):
    assert arranged(width + 300, parts).height <= arranged(width, parts).height


@given(parts())
def test_with_room_for_all_there_is_one_row_and_nothing_is_folded(parts):
    bar = arranged(20_000, parts)
    assert bar.height == max(high for *_, high in bar.rects.values()) + 2 * parts.px(4)
    assert bar.rects["title"][2] >= parts.title.whole
    assert bar.forms.menu_says
    assert (bar.forms.settings_fold, bar.forms.showing_folds, bar.forms.letters) == (False, False, "")
    assert bar.rects["acts"][2] == parts.acts.width
