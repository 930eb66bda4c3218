"""What a step asks to point at, to change or to press is in sight in a window of 1440 × 900, without scrolling."""

import re

import pytest
from PySide6.QtCore import QPoint, QRect

from explorer.lessons.loader import lesson_files, load
from explorer.lessons.schema import MakeSo, Point
from explorer.pages.steps.of_step import controls_named, right_cells
from explorer.ui.matrix.box import MatrixBox
from tests.samples import few, long

ASKS = re.compile(r"\b(?:Choose|Click|Press|Set|Tick|Type)\b")
LESSONS = [one for one in map(load, lesson_files()) if one.needed is None]


def asks_to_act(step):
    """Whether a step asks for a click or a number on its page."""
    return isinstance(step.question, Point | MakeSo) or ASKS.search(step.words) is not None


STEPS = {lesson.id: [at for at, step in enumerate(lesson.steps) if asks_to_act(step)] for lesson in LESSONS}
NAMED = "Why", "What is lost without each"


def traits(name):
    """What the steps of a lesson ask to act on, and by which words."""
    for step in (load(name).steps[at] for at in STEPS[name]):
        question, look = step.question, step.look
        yield from ASKS.findall(step.words)
        yield from (one for one in NAMED if f"**{one}**" in step.words)
        if isinstance(question, Point | MakeSo):
            yield type(question), getattr(question, "at", ""), bool(question.goals), bool(question.allowed)
            yield look.element if question.made else ""


CHOSEN = [case.values[0] for case in few(STEPS, traits, lambda name: len(STEPS[name]) + 1) if not case.marks]


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("lessons", [CHOSEN, long([*STEPS])], ids=["few", "all"])
def test_what_is_asked_for_is_in_reach(open_window, eye, qtbot, lessons):
    """“Choose *bed* beside **Why**” opened on the list below, and what was to be pressed stood above the page's top."""
    window, seen = open_window(size=(1440, 900)), set()
    guide = window.lessons.guide
    for name, at in ((one, at) for one in lessons for at in STEPS[one]):
        if window.bench.lesson.id != name:
            window.lessons.ask_again(name, load(name).steps[at].id)
        guide.go(at)
        assert window.area.isVisible(), "no step asks for a click on another tab"
        eye.settle(window)
        qtbot.waitUntil(lambda: not window.lessons._found.isActive())
        assert (guide.lesson.id, guide.at) == (name, at)
        page, step = window.page(), guide.step
        for what, places in wanted(window.bench.view, page.elements, step):
            assert any(is_in_sight(page.viewport(), *one) for one in places), (name, step.id, what)
            seen.add(what)
    assert {"cell", "input", "goal", "steps", "plane", *NAMED} <= seen


def is_in_sight(viewport, widget, rect):
    there = QRect(widget.mapTo(viewport, rect.topLeft()), rect.size())
    return widget.isVisible() and widget.rect().contains(rect) and viewport.rect().contains(there)


def wanted(view, elements, step):
    """What a step asks to act on, or to watch meanwhile: a name, and the places, (a widget, a rectangle in it)."""
    question, cells = step.question, [("cell", one.node, one.index) for one in right_cells(view, step.question)]
    if question is not None:
        places = [("goal", view.graph.place(node), cell) for node, cell in question.goals]
        cells += [(what, place.node, place.index + cell) for what, place, cell in places]
        inputs = [boxes(elements, place.node, place.index) for place in map(view.graph.place, question.allowed)]
        yield from (("input", [whole(one) for one in found]) for found in inputs if found)
        if question.made and step.look.element:
            yield step.look.element, [whole(elements.named(step.look.element))]
    for what, node, index in cells:
        tables = [(box.view, box.matrix.at(index)) for box in boxes(elements, node, index)]
        if tables:  # some goals are on another page than what leads to them
            yield what, [(one.viewport(), one.visualRect(one.table.index(*cell))) for one, cell in tables]
    for control in controls_named(elements.elements, step):
        yield getattr(control, "title", "") or control.text, [whole(elements.widgets[control.id])]


def whole(widget):
    return widget, QRect(QPoint(), widget.size())


def boxes(elements, node, index):
    """The matrices of a page that have a cell of a node."""
    there = [one for one in elements.widgets.values() if isinstance(one, MatrixBox) and one.matrix.place.node == node]
    return [one for one in there if index[: len(one.matrix.place.index)] == one.matrix.place.index]
