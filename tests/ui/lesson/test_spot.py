"""A step opens on what it speaks of: that is in sight, with what it wants to be changed; nothing is cut above it."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect
from PySide6.QtWidgets import QApplication

from explorer.document.commands import SetTokens
from explorer.lessons.loader import lesson_files
from explorer.lessons.schema import MakeSo, Predict
from explorer.pages.steps.of_step import first_cell
from explorer.ui.lesson.spot import GAP, begin, factor_rects, scroll_to_meant, spot_box, wanted_rects
from explorer.ui.matrix.box import MatrixBox
from tests.samples import long

pytestmark = pytest.mark.usefixtures("no_pictures", "kept")
GUIDED = [name for name, file in lesson_files().items() if "[[step]]" in file.read_text("utf-8")]
PARTS = [(0, 40), (50, 250), (260, 290), (300, 700), (710, 900)]


@pytest.mark.parametrize(
    ("wanted", "in_sight", "at"),
    [
        ([(60, 100)], 400, 0),  # the top of the page shows it
        ([(300, 700)], 500, 260 - GAP),  # with the heading above it
        ([(300, 700)], 405, 300 - 5),  # as much room as it takes, without the heading
        ([(710, 900)], 400, 710 - GAP),  # no part of the picture above it
        ([(50, 90), (650, 690)], 700, 0),
        ([(260, 290)], 300, 260 - GAP),  # not at the lower edge, where the eye comes last
        ([(710, 900)], 700, 260 - GAP),  # there, where the page has no more below
        ([], 400, 0),
    ],
)
def test_a_page_begins_where_a_part_of_it_does(wanted, in_sight, at):
    assert begin(PARTS, [wanted], in_sight) == at


def test_nothing_is_seen_of_a_part_that_ends_closely_above():
    assert begin([(0, 40), (44, 140)], [[(44, 140)]], 104) == 40 > 44 - GAP


def test_less_is_brought_into_sight_where_there_is_no_room_for_all():
    whole, cells, first = [(50, 250), (710, 900)], [(200, 250), (710, 730)], [(710, 900)]
    assert begin(PARTS, [whole, cells, first], 900) == 0
    assert 730 - 600 <= begin(PARTS, [whole, cells, first], 600) <= 200
    assert begin(PARTS, [whole, cells, first], 300) == 710 - GAP
    assert begin(PARTS, [whole], 300) == 50 - GAP  # no room at all: it begins where that begins


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("emma", (1280, 720)),
        ("xor-linear", (1600, 900)),
        *(long(name, size) for name in GUIDED for size in ((1280, 720), (1600, 900))),
    ],
)
def test_each_step_opens_on_what_it_speaks_of(anew, eye, name, size):
    window = anew(lesson=name)
    window.resize(*size)
    guide = window.lessons.guide
    for at, step in enumerate(guide.steps):
        if step.id.endswith(("-two-missing", "-all-missing")):
            continue  # as the one before
        guide.go(at)
        if not window.area.isVisible():
            continue  # it looks at another tab
        eye.settle(window)
        page = window.page()
        window.lessons.scroll_to_spot()
        if page.is_picture:
            continue
        top, high = page.verticalScrollBar().value(), page.viewport().height()
        cut = [span for span in page.elements.spans() if span[0] < top < span[1]]
        lit = page.elements.lit_rects()
        wanted = wanted_rects(page.elements, guide._bench.view.graph, step)
        factors = factor_rects(page.elements, step.question)
        spans = [[(rect.top(), rect.bottom() + 1) for rect in rects] for rects in (*lit, factors, *wanted)]
        heights = [max(b for _, b in some) - min(a for a, _ in some) if some else 0 for some in spans]
        best = next((some for some, needs in zip(spans, heights, strict=True) if some and needs <= high), [])
        assert all(top <= first and last <= top + high for first, last in best), (step.id, top, best)
        assert not cut or heights[0] > high - 200, (step.id, top, cut)
        if isinstance(step.question, MakeSo | Predict) and (name, step.id) not in APART:
            cells = len(lit) + 2  # after the factors, and the whole matrices
            assert not spans[cells] or heights[cells] <= high, (step.id, "what may change and what should are apart")


APART = {}
"""Steps whose page has no room for all that they speak of, and why."""


def test_where_there_is_room_for_one_of_both_the_picture_is_in_sight_and_not_the_matrix(anew, eye):
    """In large text “drag its tip in the picture” was asked, and the picture lay above the window."""
    window = anew(lesson="two-vectors")
    window.lessons.guide.go(0)
    eye.settle(window)
    elements, guide = window.page().elements, window.lessons.guide
    *_, last = wanted_rects(elements, guide._bench.view.graph, guide.step)
    picture = elements.named("plane")
    assert last == [QRect(picture.mapTo(elements, QPoint()), picture.size())]


def test_what_is_to_change_is_in_sight_with_what_may_be_changed(anew, eye, qtbot):
    """Emma: one number of K, so that *friend* looks at *she* most, which stands four matrices below."""
    window = anew(lesson="emma")
    window.resize(1280, 720)
    guide = window.lessons.guide
    at = next(i for i, step in enumerate(guide.steps) if isinstance(step.question, MakeSo))

    def small():
        widgets = window.page().elements.widgets.items()
        return {name for name, box in widgets if isinstance(box, MatrixBox) and box.small}

    guide.go(at - 1)
    eye.settle(window)
    before = small()
    assert "K" in before
    guide.go(at)
    eye.settle(window)
    page = window.page()
    boxes = [page.elements.widgets[name] for name in ("K", "weights")]

    def is_in_sight(box):
        return page.viewport().rect().contains(QRect(box.mapTo(page.viewport(), QPoint()), box.size()))

    qtbot.waitUntil(lambda: all(map(is_in_sight, boxes)))
    assert not any(box.small for box in boxes)
    assert page.elements.widgets["scores"].small
    guide.go(at - 1)
    eye.settle(window)
    qtbot.waitUntil(lambda: small() == before)


def test_what_a_step_speaks_of_stays_in_sight_when_a_comparison_begins_and_ends(anew, eye, qtbot):
    """The page beside leaves half the width; the matrix of a step went below the edge, and all in sight was faded."""
    window = anew(lesson="emma")
    window.resize(1280, 720)
    guide = window.lessons.guide
    guide.go(next(i for i, step in enumerate(guide.steps) if step.id == "softmax"))
    eye.settle(window)
    window.page().scrolled.emit()  # the reader turned the wheel a little: the arrival is over

    def is_in_sight():
        page = window.page()
        return page.viewport().rect().contains(window.lessons._named_in(page.viewport()))

    for compares in (True, False):
        window.actions_.compare.trigger()
        eye.settle(window)
        assert (window.sides.comparison is not None) is compares
        qtbot.waitUntil(is_in_sight)


def test_where_all_has_no_room_the_rows_to_multiply_by_hand_are_in_sight(anew, eye, qtbot):
    """Four products were asked for; their question mark was in sight, and the rows of PE stood 700 pixels above it."""
    window = anew(lesson="positions-cat-mat", size=(1280, 720))
    guide = window.lessons.guide
    at = next(i for i, step in enumerate(guide.steps) if step.id == "distance-all-missing")
    guide.go(at)
    eye.settle(window)
    qtbot.waitUntil(lambda: not window.lessons._found.isActive())
    page = window.page()
    (rows,) = factor_rects(page.elements, guide.steps[at].question)
    top, high = page.verticalScrollBar().value(), page.viewport().height()
    assert top <= rows.top()
    assert rows.bottom() < top + high
    guide.go(at - 3)  # without gaps what the step names is in sight
    eye.settle(window)
    assert factor_rects(window.page().elements, guide.steps[at - 3].question) == []


def test_a_page_that_the_reader_goes_to_alone_begins_at_its_top(anew, eye, qtbot):
    """What a step names stands on other pages, too, often at their end, where nobody had looked for it."""
    window = anew(lesson="cat-sat-on-the", size=(1280, 640))
    window.lessons.guide.go(0)
    eye.settle(window)
    window.bench.selection.go_to("loss")
    eye.settle(window)
    qtbot.waitUntil(lambda: not window.lessons._found.isActive())
    page = window.page()
    assert spot_box(page.elements) is not None
    assert page.verticalScrollBar().maximum() > 0 == page.verticalScrollBar().value()


def test_a_page_that_has_found_its_place_is_not_laid_out_again(anew, eye, qtbot, watch):
    """To scroll to the end of a page gives it room below; that must not ask for its place anew, again and again."""
    window = anew(lesson="roses-are-red")  # what its first step names stands at the end of a page
    window.resize(1280, 680)
    window.lessons.guide.go(0)
    eye.settle(window)
    qtbot.waitUntil(lambda: not window.lessons._found.isActive())
    counts = watch([window.page().widget()], QEvent.Type.LayoutRequest)
    for _ in range(20):
        QApplication.processEvents()
    assert sum(counts.values()) < 5
    assert window.page().in_place._below > 0


def test_the_page_before_does_not_scroll_while_that_of_the_next_step_is_made(anew, eye, qtbot, monkeypatch):
    """It was taken for the page of the step, and jumped to its top just before it went."""
    monkeypatch.setattr("explorer.ui.page.area.AT_ONCE", 0.0)
    window = anew(lesson="you-are-welcome")
    window.resize(1024, 640)
    guide = window.lessons.guide
    stages = [step.look.stage for step in guide.steps]
    at = next(i for i, two in enumerate(pairwise(stages)) if two == ("source.embedding", "source.positions"))
    guide.go(at)
    eye.settle(window)
    before = window.area.in_sight()
    bar = before.verticalScrollBar()
    bar.setValue(bar.maximum())
    eye.settle(window)
    stood, seen = bar.value(), set()
    assert stood > 0
    guide.go(at + 1)

    def is_there():
        if window.area.in_sight() is before:
            seen.add(bar.value())
        return not window.area.makes

    qtbot.waitUntil(is_there)
    assert window.area.in_sight() is not before
    assert seen == {stood}


def test_a_cell_that_is_meant_may_be_gone_with_the_end_of_the_sentence(anew, eye):
    window = anew(lesson="inside-a-storyteller")
    window.lessons.begin("inside-a-storyteller", True)
    steps, gone = window.lessons.guide.lesson.steps, 0
    for number, step in enumerate(steps):
        if "weights" not in f"{step.look.node} {getattr(step.question, 'node', '')}":
            continue
        window.lessons.guide.go(number)
        meant = first_cell(window.bench.view, step)
        if meant is None or "weights" not in meant.node or max(meant.index) < 3:
            continue
        eye.settle(window)
        window.bench.document.do(SetTokens("input", window.bench.document.words("input")[:3]))
        eye.settle(window)
        scroll_to_meant(window.page().findChildren(MatrixBox), window.bench.view, step)
        assert window.bench.document.engine.values[meant.node].shape[-1] == 3
        gone += 1
        if gone == 2:
            break
    assert gone == 2
