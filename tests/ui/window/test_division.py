"""The places of the parts of a window, without a window."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.ui.window.bar import Size
from explorer.ui.window.division import (
    GUIDED,
    LEAST_HEIGHT,
    LEAST_ROW,
    LOW,
    NARROW,
    RAIL,
    WIDEST,
    Parts,
    Window,
    divided,
    find_bar_in,
    palette_in,
    rows_of_stages,
)
from tests.rectangles import overlap

SCALES = st.sampled_from([1.0, 1.1, 1.5, 2.0, 2.5, 3.0])
INSIDE = {"page": ("sides", "lesson bar", "brings bottom"), "tabs": ("tokens", "stages", "page", "aside")}
INSIDE["tabs"] += ("brings right",)


@st.composite
def divisions(draw):
    """A window, parts as high as the letters of its scale make them, and their places."""
    scale, scrolls = draw(SCALES), draw(st.booleans())
    height = draw(st.integers(200, 289)) * scale if scrolls else draw(st.integers(290, 900)) * scale
    window = Window(
        draw(st.integers(900, 2600)),
        int(height),
        scale,
        scrolls,
        leads=draw(st.booleans()),
        compares=draw(st.booleans()),
    )

    def high(low, most):
        found = window.px(draw(st.integers(low, most)))
        return lambda width: found

    right, bottom = draw(st.booleans()), draw(st.booleans())
    aside, outside = draw(st.sampled_from([(False, False), (True, False), (False, True)]))
    parts = Parts(
        {name: high(30, 50) for name in draw(st.sampled_from([["top bar"], ["top bar", "notice"]]))},
        draw(st.sampled_from([None, high(30, 60)])),
        None if bottom else high(20, 60),
        window.px(draw(st.integers(60, 400))) * (window.may_have_titles and draw(st.booleans())),
        Size(window.px(28) * right, window.px(22)),
        window.px(28) * bottom,
        aside,
        outside,
    )
    return window, parts, divided(window, parts)


def shown(parts, rects):
    """The rectangles of what is shown."""
    hidden = {"outside": not parts.outside, "aside": not parts.aside}
    return {name: rect for name, rect in rects.items() if not hidden.get(name) and rect[2] * rect[3] > 0}


@given(divisions())
def test_nothing_lies_over_another_part_or_beyond_what_it_stands_in(division):
    window, parts, (high, rects) = division
    seen = shown(parts, rects)
    around = {name: whole for whole, names in INSIDE.items() for name in names}
    for (name, one), (other_name, other) in combinations(seen.items(), 2):
        if around.get(name) == around.get(other_name):
            assert not overlap(one, other), (name, other_name)
    for name, (x, y, wide, tall) in seen.items():
        left, top, room, down = rects[around[name]] if name in around else (0, 0, window.width, high)
        assert left <= x <= x + wide <= left + room, name
        assert top <= y <= y + tall <= top + down, name


@given(divisions())
def test_no_room_is_left_over(division):
    window, parts, (high, rects) = division
    areas = {name: rect[2] * rect[3] for name, rect in shown(parts, rects).items()}
    bars = sum(areas[name] for name in parts.bars)
    assert bars + areas["tabs"] + areas.get("outside", 0) == window.width * high
    strip = rects["brings right"][2] * rects["stages"][3] + areas.get("aside", 0)
    assert sum(areas.get(name, 0) for name in ("tokens", "stages", "page")) + strip == areas["tabs"]
    beside = (rects["page"][2] - parts.brings_bottom) * rects["brings bottom"][3]
    assert sum(areas.get(name, 0) for name in INSIDE["page"]) + beside == areas["page"]


@given(divisions())
def test_the_page_has_the_most_of_the_width(division):
    window, parts, (_, rects) = division
    stages, column = rects["stages"][2], rects["aside"][2]
    assert stages <= window.px(WIDEST if parts.titles else RAIL)
    assert column == rects["outside"][2] <= 0.35 * (window.width - stages)
    assert rects["page"][2] > column


@given(divisions())
def test_a_window_that_is_too_low_scrolls_and_all_others_are_filled(division):
    window, _, (high, _) = division
    assert high == (window.px(LEAST_HEIGHT) if window.scrolls else window.height)


def test_a_page_that_stands_alone_in_a_window_that_scrolls_has_the_height_that_it_needs():
    parts = Parts({}, None, None, 0, Size(0, 0), 0, aside=False, outside=False, least=lambda width: width)
    high, rects = divided(Window(900, 560, 3.0, scrolls=True), parts)
    assert (high, rects["tabs"]) == (900, (0, 0, 900, 900))
    assert divided(Window(900, 1000, 3.0), parts).height == 1000


@pytest.mark.parametrize(
    ("window", "folded"),
    [
        (Window(GUIDED, 720, 1.0, leads=True), ""),
        (Window(GUIDED - 1, 720, 1.0, leads=True), "list"),
        (Window(GUIDED - 1, 720, 1.0), ""),
        (Window(1024, 640, 1.0, compares=True), "list, right column"),
        (Window(1600, 900, 1.0, compares=True), ""),
        (Window(NARROW, LOW, 1.0), ""),
        (Window(NARROW - 1, LOW - 1, 1.0), "right column, bottom bar"),
        (Window(1280, 720, 2.0), "right column, bottom bar"),
    ],
)
def test_what_is_folded_for_lack_of_room(window, folded):
    assert ", ".join(name.removesuffix(" folded") for name, tight in window.tight.items() if tight) == folded


@given(
    SCALES, st.integers(200, 1400), st.lists(st.sampled_from([1, 1.25, 0.4]), min_size=1, max_size=60), st.booleans()
)
def test_the_list_of_stages_is_whole_if_its_rows_may_be_so_low_and_scrolls_otherwise(scale, height, highs, titled):
    def px(pixels):
        return round(pixels * scale)

    room = Size(px(200), height)
    whole, rects = rows_of_stages(room, highs, px, titled, 12)
    ends = [y + high for _, y, _, high in rects]
    assert [y for _, y, *_ in rects[1:]] == ends[:-1]
    assert 0 < rects[0][1] < ends[-1] < whole.height
    assert len({wide for _, _, wide, _ in rects}) == 1
    stages = {high for (*_, high), of in zip(rects, highs, strict=True) if of == 1}
    assert len(stages) <= 1
    assert all(px(LEAST_ROW) <= high for high in stages)
    scrolls = whole.height > height
    assert whole.width == room.width - 12 * scrolls
    assert not (scrolls and stages > {px(LEAST_ROW)})


def test_all_stages_of_a_translator_are_in_sight_in_the_smallest_usual_window():
    whole, _ = rows_of_stages(Size(226, 560), [1.25, *[1.0] * 9] * 3, round, True, 12)
    assert whole.height <= 560


@given(st.integers(900, 2600), st.integers(560, 1440), SCALES, st.integers(0, 3000), st.integers(50, 1500))
def test_the_palette_is_in_the_middle_of_the_window_and_names_have_half_of_it(width, height, scale, rows, about):
    window = Window(width, height, scale)
    (x, y, wide, high), column = palette_in(window, 80, rows, about)
    assert 0 < x <= width - x - wide <= x + 1
    assert 0 < y < y + high < height
    assert high <= 80 + rows
    assert column <= about
    assert column <= wide / 2


@given(st.integers(0, 1500), st.integers(100, 2000), SCALES)
def test_the_bar_that_finds_words_is_in_the_corner_of_the_page_and_never_left_of_the_window(left, width, scale):
    bar = Size(round(360 * scale), round(40 * scale))
    x, y, *size = find_bar_in((left, 90, width, 400), bar, lambda pixels: round(pixels * scale))
    assert size == [*bar]
    assert y > 90
    assert x == 0 or x + bar.width < left + width
