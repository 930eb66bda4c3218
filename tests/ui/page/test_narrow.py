"""In the smallest usual window, and in text of twice the size, no word is cut and no page scrolls sideways.

A page of each kind is looked at in the smallest usual window by `tests/ui/test_typed_names.py`.
"""

import pytest
from pixels import colours, pixels
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QScrollBar

from explorer.lessons.loader import lesson_files, load, model_files
from explorer.pages.by_hand import LAYOUT
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.matrix.form import LOW_CELL
from explorer.ui.matrix.sizes import LEAST_FORMULA, LEAST_SYMBOL
from explorer.ui.page.page_view import BEGIN
from explorer.ui.widgets.formula import typeset
from tests.samples import long
from tests.ui.conftest import one_of_each_kind
from tests.ui.test_looks import corner

SMALL, LARGE_TEXT = (1024, 640, 1.0), (1280, 720, 2.0)
"""Pixels across and down of a window, and the size of its text."""
EXAMPLES = *lesson_files(), *model_files()
STEPS = {"xor": (0, 3, 9), "you-are-welcome": (7, 22), "cat-sat-on-the": (15,)}
"""Steps, counted from 0, at whose tables a page scrolled sideways in large text: looked at each time."""

SMALLEST = (
    "source.positions",
    "encoder.1.self.attention",
    "encoder.1.self.after",
    "encoder.1.ffn.layers",
    "target.positions",
    "decoder.1.self.attention",
    "decoder.1.self.heads",
    "decoder.1.cross.heads",
    "decoder.1.ffn.after",
    "loss",
    "generation.next",
)
"""Pages that scrolled sideways in the smallest window and the largest text."""

WORDS_FIRST = ("output", "loss", "generation", "input.points")
"""What of a model comes next, and the terms of its loss, stand before any matrix."""


def cut_pages(window, eye, stages):
    """The pages on which something is cut, and what."""
    state = window.bench.document.state
    pieces = [word for axis in state.graph.sequences.values() for word in state.graph.axes[axis]]
    found = {name: eye.cut(eye.go_to(window, name), pieces) for name in stages}
    return {name: cut for name, cut in found.items() if cut}


def first_two(page):
    """The boxes of the first two matrices, and where they are in sight."""
    boxes = [box for box in page.elements.widgets.values() if isinstance(box, MatrixBox)]
    return [(box, QRect(box.mapTo(page.viewport(), QPoint(0, 0)), box.size())) for box in boxes[:2]]


@pytest.mark.parametrize("lesson", ["you-are-welcome", *map(long, ("start-here", "i-want-to-buy"))])
def test_in_large_text_the_first_two_matrices_are_whole_no_word_is_cut_and_nothing_scrolls_but_the_page(
    open_window, eye, appearance, lesson
):
    """On a page of each kind, in the dark: light is what all other tests wear. All pages of all examples are long."""
    typeset("x")
    appearance.set_mode("dark")
    appearance.set_scale(LARGE_TEXT[2])
    window = open_window(lesson, size=LARGE_TEXT[:2])
    seen = 0
    for name in list(one_of_each_kind(window)):
        assert cut_pages(window, eye, [name]) == {}
        page = window.page()
        own = {page.verticalScrollBar(), page.horizontalScrollBar()}
        assert [bar for bar in page.findChildren(QScrollBar) if bar.isVisible() and bar not in own] == []
        assert page.horizontalScrollBar().maximum() == 0, name
        assert len(colours(pixels(page.grab().toImage())[::9, ::9])) > 5, f"{name} is blank"
        for view in eye.views(window).values():  # those of an equation that has little room are smaller
            assert appearance.px(0.8 * LOW_CELL) <= view.rowHeight(0) <= appearance.px(LOW_CELL)
        if not name.startswith(WORDS_FIRST):
            for box, rect in first_two(page):
                assert page.viewport().rect().contains(rect), (name, box.matrix.name)
                seen += 1
    assert seen >= 6
    assert corner(window) == QColor(appearance.theme.page)
    if lesson == "you-are-welcome":
        appearance.set_mode("light")  # while all are open
        for name in (window.bench.selection.stage, "source.embedding"):
            eye.go_to(window, name)
            assert corner(window) == QColor(appearance.theme.page)


@pytest.mark.long  # what follows it looks at the pages with least room, in a smaller window
def test_in_the_largest_text_beside_a_step_nothing_makes_a_page_wider_than_what_is_in_sight(
    open_window, eye, appearance
):
    appearance.set_scale(3.0)
    window = open_window("you-are-welcome", size=LARGE_TEXT[:2])
    window.lessons.begin_steps()
    eye.settle(window)
    for name in list(one_of_each_kind(window)):
        page = eye.go_to(window, name)
        assert (name, page.horizontalScrollBar().maximum()) == (name, 0)


def test_in_the_smallest_window_nothing_makes_a_page_wider_than_what_is_in_sight(open_window, eye, appearance):
    """Beside a step letters of 300 % ended up to 93 pixels beyond the page."""
    appearance.set_scale(3.0)
    window = open_window("you-are-welcome", size=SMALL[:2])
    window.lessons.begin_steps()
    eye.settle(window)
    for name in SMALLEST:
        page = eye.go_to(window, name)
        eye.settle(window)
        assert (name, page.horizontalScrollBar().maximum()) == (name, 0)
    for lesson, name in (("softmax", "model.descent"), ("cat-sat-on-the", "output")):
        window.bench.open(load(lesson))
        window.lessons.begin_steps()
        eye.settle(window)
        page = eye.go_to(window, name)
        eye.settle(window)
        assert (lesson, page.horizontalScrollBar().maximum()) == (lesson, 0)
    steps = ("positions-cat-mat", 5), ("jump", 8), ("start-here", 8), ("sin", 2), ("jane", 1), ("jane", 6)
    for lesson, step in (*steps, ("what-a-trained-head-does", 1)):  # up to 233 too wide
        window.bench.open(load(lesson))
        window.lessons.begin_steps()
        window.lessons.guide.go(step)
        eye.settle(window)
        assert (lesson, step, window.page().horizontalScrollBar().maximum()) == (lesson, step, 0)


@pytest.mark.parametrize("size", [long(SMALL), long(LARGE_TEXT)])
@pytest.mark.parametrize("name", EXAMPLES)
def test_on_no_page_of_an_example_a_word_is_cut(open_window, eye, appearance, name, size):
    lesson = load(name)
    appearance.set_scale(size[2])
    window = open_window(lesson, size=size[:2])
    for setting in lesson.settings:
        window.bench.open(lesson, setting)
        window.bench.document.settle()
        assert (setting, cut_pages(window, eye, [stop.name for stop in window.bench.selection.stops])) == (setting, {})


def test_pages_that_were_cut_are_so_no_more(open_window, eye):
    """Small pictures in a long equation, words in the pictures of a net, of shares and of a model, headings, labels."""
    window = open_window("softmax", size=SMALL[:2])
    pages = (
        ("softmax", "printed", "model"),
        ("sin", "printed", "model"),
        ("sin", "printed", "layer.2"),
        ("changed-since-2017", "paper", "output"),
        ("changed-since-2017", "paper", "model"),
        ("tiny-reader", "new", "model"),
        ("xor", "printed", "layer.2"),
        ("cat-sat-on-the", "printed", "loss"),
    )
    for lesson, setting, stage in pages:
        window.bench.open(load(lesson), setting)
        assert (lesson, cut_pages(window, eye, [stage])) == (lesson, {})


@pytest.mark.usefixtures("no_pictures")
def test_what_a_step_names_and_a_heading_are_no_larger_than_the_page_is_wide(open_window, eye, appearance):
    window = open_window(load("you-are-welcome"))
    for width, height, scale in (SMALL, (1600, 900, 3.0)):
        appearance.set_scale(scale)
        window.resize(width, height)
        eye.settle(window)
        for step in (2, 3):
            window.lessons.guide.go(step)
            eye.settle(window)
            assert (scale, step, window.page().horizontalScrollBar().maximum()) == (scale, step, 0)
    window.lessons.begin("softmax", False)
    window.lessons.guide.go(6)
    eye.settle(window)
    assert window.page().horizontalScrollBar().maximum() == 0, "a formula beside a single word did not shrink"
    window.resize(1280, 720)
    eye.settle(window)
    assert window.page().elements.widgets["temperature slider"].width() < window.page().viewport().width()


@pytest.mark.parametrize("name", [name if name in STEPS else long(name) for name in EXAMPLES])
def test_in_large_text_no_step_scrolls_sideways(open_window, eye, appearance, name):
    """An equation that has no room in any other way breaks before its "+" or its "×"."""
    lesson = load(name)
    appearance.set_scale(LARGE_TEXT[2])
    window = open_window(lesson, size=LARGE_TEXT[:2])
    for step in STEPS.get(name, range(len(lesson.steps))):
        window.lessons.guide.go(step)
        window.bench.document.settle()
        eye.settle(window)
        assert (step, window.page().horizontalScrollBar().maximum()) == (step, 0)


def test_the_words_above_a_single_number_are_no_wider_than_the_page(open_window, eye, appearance):
    """For a reader with letters of 300 % each line of the page ended beyond its edge."""
    appearance.set_scale(3.0)
    window = open_window("softmax", size=(1440, 872))
    window.lessons.guide.go(0)
    eye.settle(window)
    page = window.page()
    assert page.horizontalScrollBar().maximum() == 0
    chosen = page.elements.widgets["output.chosen"]
    assert "the one with the" in chosen.shape.words.split("<br>")[0]
    assert chosen.shape.words.replace("<br>", " ").startswith("the one with the largest share"), "no word is lost"


def test_no_formula_is_too_small_to_be_read_beside_long_names_of_rows(open_window, eye, appearance):
    appearance.set_scale(3.0)
    window = open_window("start-here", size=(1024, 640))
    window.lessons.guide.go(8)
    eye.settle(window)
    boxes = {box.matrix.name: box._heading.formula for box in window.page().findChildren(MatrixBox)}
    for name, least in (("output.probabilities", LEAST_FORMULA), ("output.W", LEAST_SYMBOL)):
        assert boxes[name].width() >= min(boxes[name].width_of(boxes[name].latex()), 3 * least), name


def test_on_the_narrowest_page_the_margins_give_way(open_window, eye, appearance):
    """Beside a step in the smallest window, letters of 300 % left 366 pixels between margins of 96."""
    appearance.set_scale(3.0)
    window = open_window("you-are-welcome", size=SMALL[:2])
    window.lessons.begin_steps()
    eye.settle(window)
    page = eye.go_to(window, "source.embedding")
    tight = page.elements.contentsMargins()
    assert tight.left() + tight.right() < 0.1 * page.viewport().width()
    window.resize(1900, 900)
    eye.settle(window)
    assert page.elements.contentsMargins().left() == appearance.px(BEGIN)


def test_where_a_formula_would_be_tiny_its_symbol_stands_alone(open_window, eye, appearance):
    """In the largest text that of the positions was 4 pixels high."""
    typeset("x")
    appearance.set_scale(3.0)
    window = open_window("you-are-welcome", size=LARGE_TEXT[:2])
    window.lessons.begin_steps()
    for stage in ("source.positions", "encoder.1.ffn.layers"):
        page = eye.go_to(window, stage)
        for box in (one for one in page.elements.widgets.values() if isinstance(one, MatrixBox)):
            formula = box._heading.formula
            assert formula.width() >= 0.5 * formula.width_of(formula.latex(), box.form.times) - 1, box.matrix.name
    eye.go_to(window, "source.positions")
    positions = window.page().elements.widgets["source.PE"]
    assert positions._heading.formula.latex() == "PE"
    appearance.set_scale(1.0)
    eye.settle(window)
    assert "sin" in window.page().elements.widgets["source.PE"]._heading.formula.latex()


@pytest.mark.usefixtures("no_pictures")
def test_what_stood_otherwise_meanwhile_stands_as_before(open_window, eye):
    window = open_window("you-are-welcome", stage="decoder.1.self.attention")

    def forms(stage, by_hand):
        window.bench.selection.keep(LAYOUT, by_hand)
        page = eye.go_to(window, stage)
        return {box.matrix.name: box.form for box in page.elements.widgets.values() if isinstance(box, MatrixBox)}

    for name, size, stage in (
        ("you-are-welcome", (900, 580), "decoder.1.self.attention"),
        ("emma", SMALL[:2], "attention"),
        ("errata-000", SMALL[:2], "attention"),
    ):
        window.resize(*size)
        if window.bench.lesson.id != name:
            window.bench.open(load(name))
            window.bench.bridge.flush()
        off, on = forms(stage, False), forms(stage, True)
        assert off != on, name
        assert (forms(stage, False), forms(stage, True)) == (off, on), name
