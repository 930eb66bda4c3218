"""Elements below each other, placed: at all widths and sizes of text nothing overlaps and nothing is cut."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.pages.arrange import (
    ACROSS,
    ANY,
    COLUMNS,
    MOST_TIMES,
    SIGN,
    WIDE,
    Ask,
    arrange,
    asked,
    picture_size,
    sign_of,
    title_of,
)
from explorer.pages.controls import Button, Controls, Form, Spread
from explorer.pages.equation import RELATIONS
from explorer.pages.gestures import ForQuestion
from explorer.pages.page import DescentPart, Item, Note, Passage, Picture, Row, Section, Stack, Traces
from explorer.pages.steps.question import Blank, Figure, Grid, Option, Options

ASK = ForQuestion("give")
GAP = 5


class Letters:
    """Sizes of words whose letters are all alike: 7 pixels wide, in lines of 17, with 8 pixels around buttons.

    `shown`: the words of each element that shows something.
    """

    def __init__(self, scale=1.0, **shown):
        self.scale, self.shown = scale, shown
        self.room, self.fixed, self.begins = 10**6, {}, {}
        self.down, self.sight, self.drawn = self.px(12), None, 1.0

    def px(self, pixels):
        return round(pixels * self.scale)

    def _wide(self, words):
        return self.px(7 * len(words) + 8)

    def ask(self, id):
        words = self.shown.get(id.replace(" ", "_"), "")
        if not words:
            return None
        longest, *shorter = words.split("|")
        share = self.px(40) if id.startswith("blank") else 0
        return Ask(self._wide(longest), 0, share, tuple(map(self._wide, shorter)))

    def high(self, id, width):
        words = self.shown.get(id.replace(" ", "_"), "")
        wraps = not id.startswith("blank")
        return self.px(17) * (max(-(-self._wide(words) // max(width, 1)), 1) if wraps else 1)


def passage(id):
    return Passage(id, "words")


def option(id):
    return Option(id, "words", "words", ASK)


def button(id):
    return Button(id, "words", ASK)


def overlapping(places):
    """The pairs of elements that share a pixel."""
    return [
        (a, b)
        for (a, (x, y, wide, high)), (b, (left, top, across, down)) in combinations(places.items(), 2)
        if x < left + across and left < x + wide and y < top + down and top < y + high
    ]


def test_words_take_the_width_and_as_many_lines_as_they_need_and_what_is_empty_no_room():
    page = passage("a"), passage("empty"), passage("b"), button("go")
    scene = arrange(page, 120, GAP, Letters(a="x" * 30, b="x" * 10, go="Go"))
    assert scene.places == {"a": (0, 0, 120, 34), "b": (0, 39, 120, 17), "go": (0, 61, 22, 17)}
    assert scene.height == 78
    assert arrange(page, 120, GAP, Letters()) == ({}, 0)


def test_options_stand_side_by_side_only_where_they_may_and_that_is_lower():
    options, shown = tuple(map(option, "abc")), Letters(a="x" * 8, b="x" * 8, c="x" * 20)
    below = arrange([Options("choices", options)], 300, GAP, shown)
    assert below.places == {"a": (0, 0, 300, 17), "b": (0, 21, 300, 17), "c": (0, 42, 300, 17)}
    beside = arrange([Options("choices", options, abreast=True)], 300, GAP, shown)
    assert {place[1:2] + place[3:] for place in beside.places.values()} == {(0, 34)}, "as high as the highest"
    assert beside.height == 34
    assert beside.places["c"][0] + beside.places["c"][2] == 300, "all of the width"
    long = Letters(a="x" * 42, b="x" * 42, c="x" * 42)
    column = arrange([Options("choices", options, abreast=True)], 310, GAP, long)
    assert {place[0] for place in column.places.values()} == {0}


def test_the_first_column_of_a_grid_takes_what_the_numbers_leave():
    rows = (passage("what"), Blank("blank 0", "", "", ASK, ASK), Figure("out", "")), (passage("sum"), Figure("n", "1"))
    scene = arrange([Grid("gaps", rows)], 300, GAP, Letters(what="x" * 30, blank_0="12345", sum="x", out="✓", n="1"))
    number, out = 7 * 5 + 8, 7 + 8
    first = 300 - number - out - 2 * COLUMNS
    assert scene.places["what"] == (0, 0, first, 17)
    assert scene.places["blank 0"] == (first + COLUMNS, 0, number, 17)
    assert scene.places["n"][0] == first + COLUMNS + number - out, "numbers end at one line"
    assert scene.places["sum"][1] == 19
    narrow = arrange([Grid("gaps", rows, most=200)], 300, GAP, Letters(what="x", blank_0="1", sum="x", out="✓", n="1"))
    assert max(x + wide for x, _, wide, _ in narrow.places.values()) == 200


def test_a_button_beside_words_stands_below_them_where_they_would_be_narrower_than_it():
    """Beside “Give me a hint” a question of nine words took seven lines on a slide."""
    grid = [Grid("asked", ((passage("ask"), button("more")),))]
    letters = Letters(ask="x" * 40, more="y" * 10)
    beside, below = (arrange(grid, width, GAP, letters).places for width in (300, 130))
    assert beside["more"][1] == beside["ask"][1]
    assert below["more"][1] > below["ask"][1] + below["ask"][3]
    assert below["ask"][2] == 130


def test_a_button_beside_words_stands_below_them_where_that_is_no_higher():
    """Beside a button a question took five lines on a slide, and two below each other."""
    grid, letters = [Grid("asked", ((passage("ask"), button("more")),))], Letters(ask="x" * 60, more="y" * 10)
    places = arrange(grid, 185, GAP, letters).places
    assert places["more"][1] > places["ask"][1] + places["ask"][3]
    assert places["ask"][2] == 185


def test_a_field_is_narrower_if_the_button_behind_it_then_has_room_on_its_line():
    line = [Controls("answer", (Blank("blank", "", "", ASK, ASK), button("lock")))]
    shown = Letters(blank="x" * 20, lock="Lock in")
    assert arrange(line, 300, GAP, shown).places["lock"][:2] == (148 + ACROSS, 0)
    field, lock = (arrange(line, 150, GAP, shown).places[id] for id in ("blank", "lock"))
    assert (field[1], lock[1], lock[0] + lock[2]) == (0, 0, 150)
    assert arrange(line, 100, GAP, shown).places["lock"][1] > 0


def test_buttons_share_a_line_or_are_written_in_fewer_words():
    jump, reset, back, on = map(button, ("jump", "reset", "back", "on"))
    ways = Spread("ways", (back, on), (2, 3))
    assert arrange([ways], 105, GAP, Letters(back="Back", on="Next")).places == {
        "back": (0, 0, 40, 17),
        "on": (45, 0, 60, 17),
    }
    tight = arrange([ways], 60, GAP, Letters(back="Back", on="Next|▸")).places
    assert (tight["back"][2], tight["on"][2]) == (36, 19), "not cut, as long as there is room for its shortest text"
    top = Spread("top", (jump, reset), right=1)
    shown = Letters(jump="Step 2 of 10|2 of 10|2/10", reset="Reset|Reset|↺")
    wide = {width: arrange([top], width, GAP, shown).places for width in (200, 120, 80)}
    assert [places["jump"][2] for places in wide.values()] == [92, 57, 36]
    assert [places["reset"][2] for places in wide.values()] == [43, 43, 15]
    assert {places["reset"][0] + places["reset"][2] - width for width, places in wide.items()} == {0}


PAGE = (
    passage("title"),
    Grid("asked", ((passage("ask"), button("more")),)),
    Controls("answer", (Blank("blank", "", "", ASK, ASK), button("lock"))),
    Options("choices", (option("a"), option("b"), option("c")), abreast=True),
    Grid("gaps", ((passage("what"), Figure("number", "")), (passage("sum"), Figure("total", "")))),
    button("again"),
)
WORDS = st.fixed_dictionaries(
    {id: st.text("x", max_size=60) for id in ("title", "ask", "what", "sum")}
    | {id: st.text("x", min_size=1, max_size=60) for id in "abc"}
    | {id: st.text("x", max_size=6) for id in ("more", "blank", "lock", "number", "total", "again")}
)


@given(words=WORDS, width=st.integers(480, 2560), scale=st.sampled_from([1.0, 2.0, 3.0]))
def test_nothing_overlaps_and_nothing_is_cut(words, width, scale):
    shown = Letters(scale, **words)
    scene = arrange(PAGE, width, GAP, shown)
    assert scene.places.keys() == {id for id, text in words.items() if text}
    assert overlapping(scene.places) == []
    for id, (x, y, wide, high) in scene.places.items():
        assert x >= 0, id
        assert x + wide <= width, id
        assert shown.high(id, wide) <= high, id
        assert y + high <= scene.height, id
    assert scene == arrange(PAGE, width, GAP, shown)


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_a_wider_page_is_never_higher(scale):
    shown = Letters(scale, title="x" * 50, ask="x" * 90, a="x" * 30, b="x" * 9, c="x" * 44, what="x" * 30, number="1")
    heights = [arrange(PAGE, width, GAP, shown).height for width in range(300, 2560, 20)]
    assert heights == sorted(heights, reverse=True)


class Sizes:
    """Pictures and matrices of given sizes, and words that wrap.

    `sizes`: for each element its width and height in pixels at text scale 1; of a matrix also the height of its head.
    `words`: how many letters words have, by the id of the element, the title or the sign.
    """

    def __init__(self, scale, room, sizes, words=None, fixed=None, sight=None):
        self.scale, self.room, self.sight, self.sizes, self.words = scale, room, sight, sizes, words or {}
        self.down, self.fixed, self.begins = self.px(12), fixed or {}, {}

    def px(self, pixels):
        return round(pixels * self.scale)

    def ask(self, id):
        if id in self.words:
            return Ask(self.px(7 * self.words[id]), self.px(21))
        if id not in self.sizes:
            return None
        wide, high, *head = map(self.px, self.sizes[id])
        return Ask(wide, wide, base=head[0], side=(wide, (head[0] + high) // 2)) if head else Ask(wide, wide, most=wide)

    def high(self, id, width):
        if id in self.sizes:
            return self.px(self.sizes[id][1])
        return self.px(17) * max(-(-self.px(7 * self.words.get(id, 1)) // max(width, 1)), 1)


def picture(id):
    return Picture(id, None, 100, 100)


SIDE, HEAD = st.integers(20, 420), st.integers(15, 50)
MATRIX = st.tuples(SIDE, st.integers(60, 300), HEAD)
LOOK = {"width": st.integers(480, 2560), "scale": st.sampled_from([1.0, 2.0, 3.0])}


def equation(signs):
    return Row("equation", tuple(Item(sign if i else "", picture(f"m{i}")) for i, sign in enumerate(["", *signs])))


@given(signs=st.lists(st.sampled_from("×=→+,"), max_size=5), sizes=st.lists(MATRIX, min_size=6, max_size=6), **LOOK)
def test_a_line_of_an_equation_begins_with_its_relation_wherever_there_is_room(signs, sizes, width, scale):
    row = equation(signs)
    shown = Sizes(scale, width, {f"m{i}": size for i, size in enumerate(sizes)})
    scene = arrange([row], width, GAP, shown)
    places = {id: rect for id, rect in scene.places.items() if id.startswith("m")}
    assert overlapping(places) == []
    assert max(y + high for _, y, _, high in places.values()) <= scene.height
    bases = [places[one.id][1] + shown.px(size[2]) for one, size in zip(row.inside, sizes, strict=False)]
    lines = [[0]]
    for i in range(1, len(bases)):
        if bases[i] == bases[i - 1]:  # on a line the first rows of numbers are at one height
            lines[-1].append(i)
        else:
            lines.append([i])
    sign, wide = shown.px(SIGN) + shown.px(ACROSS), [shown.px(size[0]) for size in sizes]

    def across(some):
        return sum(wide[i] for i in some) + sign * (len(some) - (some[0] == 0))

    torn = [line for line in lines[1:] if row.items[line[0]].sign not in RELATIONS]
    pieces = [[0]]
    for i in range(1, len(row.items)):
        if row.items[i].sign in RELATIONS:
            pieces.append([i])
        else:
            pieces[-1].append(i)
    if all(across(piece) <= width for piece in pieces):
        assert not torn, "each side of each relation would have room"
    for line in lines:
        assert across(line) <= width or len(line) == 1, "cut although it could be broken"
    for one in row.inside:
        if (at := scene.places.get(sign_of(one))) is not None:
            x, y, across_, high = at
            assert x + across_ <= places[one.id][0], "a sign stands before its matrix"
            assert places[one.id][1] <= y + high // 2 <= places[one.id][1] + places[one.id][3]


STAGE = (
    Section("heading", "words"),
    Note("note", "words"),
    Row.of("pictures", [picture("p0"), Stack("beside", "title", (picture("p1"), Note("said", "words")))]),
    Row.of("two", [Stack(f"part {i}", "", (Note(f"n{i}", "words"), picture(f"q{i}")), 300) for i in range(2)]),
    Stack("folded", "title", (Form("form", (Note("f0", "words"), Note("f1", "words"))),), control=button("fold")),
    picture("hidden"),
)
LETTERS = st.integers(3, 200)


def test_the_button_of_a_stack_stands_below_its_title_where_both_have_no_room():
    """In large text, "Switch off" beside "Head 1" made the page wider than what is in sight."""
    stack = Stack("head", "Head 1", (Note("note", "words"),), control=button("off"))
    letters = Letters(**{"head:_title": "Head 1", "off": "Switch off", "note": "words"})
    for width, beside in ((200, True), (100, False)):
        letters.room = width
        places = arrange([stack], width, GAP, letters).places
        title, off = places[title_of(stack)], places["off"]
        assert (title[1] + title[3] > off[1]) == beside
        assert off[0] + off[2] <= width
        assert asked(stack, letters).least <= width
        assert overlapping(places) == []


@given(
    words=st.fixed_dictionaries(
        dict.fromkeys(("heading", "note", "said", "n0", "n1", "f0", "f1"), LETTERS)
        | {id: st.integers(3, 20) for id in ("beside: title", "folded: title", "fold")}
    ),
    sizes=st.fixed_dictionaries({id: st.tuples(SIDE, SIDE) for id in ("p0", "p1", "q0", "q1")}),
    **LOOK,
)
def test_on_a_page_nothing_overlaps_and_nothing_is_cut(words, sizes, width, scale):
    part = min(round(450 * scale), width)
    sizes = {id: (min(wide, part / scale), high) for id, (wide, high) in sizes.items()}
    shown = Sizes(scale, width, sizes, words, {"part 0": part, "part 1": part})
    scene = arrange(STAGE, width, GAP, shown)
    inside = {id: rect for id, rect in scene.places.items() if id in sizes or id in words}
    assert inside.keys() == sizes.keys() | words.keys()
    assert overlapping(inside) == []
    least = max(ask.least for one in STAGE if (ask := asked(one, shown)) is not None)
    for id, (x, y, wide, high) in inside.items():
        assert x >= 0 <= y, id
        assert x + wide <= max(width, least), id
        assert y + high <= scene.height, id
        assert high >= shown.high(id, wide), id
        assert wide >= shown.ask(id).least, id
    for stack in (one for element in STAGE for one in getattr(element, "inside", ()) if isinstance(one, Stack)):
        x, y, wide, high = scene.places[stack.id]
        for one in (title_of(stack), *(one.id for one in stack.elements)):
            left, top, across, down = scene.places.get(one, (x, y, 0, 0))
            assert x <= left, "a part stands in its stack"
            assert y <= top <= top + down <= y + high
            assert left + across <= x + wide


def test_nothing_is_wider_than_the_stack_around_it():
    shown = Sizes(1.0, 480, {"steps": (448, 20)}, fixed={"stack": 396})
    scene = arrange([Row.of("row", [Stack("stack", "", (picture("steps"),), 396)])], 480, GAP, shown)
    assert scene.places["steps"][2] == scene.places["stack"][2] == 396


def test_words_stay_in_sight_on_a_page_that_something_makes_wider():
    shown = Sizes(1.0, 480, {"wide": (900, 20)}, {"note": 100})
    scene = arrange([Note("note", "words"), picture("wide")], 900, GAP, shown)
    assert scene.places["note"][2] == 480
    assert scene.places["wide"][2] == 900


@pytest.mark.parametrize(
    ("sight", "spare", "high"),
    [(None, False, 300), (700, False, 678), (100, False, 200), (100, True, None), (700, True, 678)],
)
def test_a_picture_that_fills_the_page_takes_the_rest_of_the_height_in_sight(sight, spare, high):
    class Filled(Sizes):
        def ask(self, id):
            return Ask(480, lowest=200) if id == "picture" else super().ask(id)

    shown = Filled(1.0, 480, {"picture": (480, 300)}, {"above": 10, "below": 10}, sight=sight)
    page = Note("above", "words"), Picture("picture", None, 100, 100, fills=True, spare=spare), Note("gone", "")
    scene = arrange(page, 480, GAP, shown)
    assert scene.places.get("picture") == (None if high is None else (0, 17 + GAP, 480, high))
    assert scene.height == 17 + (0 if high is None else GAP + high)


SIZES = [(300, 300 / 340), (WIDE, 1), (1.2 * WIDE, 1.2), (5 * WIDE, MOST_TIMES), (ANY, 1)]


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize(("room", "times"), SIZES)
def test_a_picture_is_narrower_on_a_narrow_page_and_larger_on_a_wide_one(room, times, scale):
    page = Letters(scale)
    page.room = room if room == ANY else round(room * scale)
    across, high = picture_size(Traces("curves", (), 340, 260), page.room, page)
    assert (across, high) == (round(340 * times * scale), round(260 * max(times, 1) * scale))


def test_pictures_of_a_page_that_is_too_high_are_smaller():
    page = Letters()
    page.room, page.drawn = WIDE, 0.5
    assert picture_size(Traces("curves", (), 340, 260), WIDE, page) == (170, 130)


def test_a_picture_is_no_wider_than_a_stack_of_a_width_of_its_own():
    page = Letters()
    page.room = 5 * WIDE
    assert picture_size(Traces("curves", (), 340, 260), 370, page) == (370, round(260 * 370 / 340))


def test_only_a_picture_that_states_its_size_has_one():
    page = Letters()
    page.room = 600
    cells = DescentPart("cells", "cells", (), 340, 60, 500)
    assert picture_size(cells, 600, page)[0] == 600, "from a width on it takes all of the page"
    assert picture_size(DescentPart("steps", "steps", width=700), 600, page) == (600, 0)
    assert picture_size(DescentPart("curve", "curve", height=150), 600, page) == (0, 150)
    assert picture_size(DescentPart("steps", "steps"), 600, page) is None
    assert picture_size(Note("said", "words"), 600, page) is None
