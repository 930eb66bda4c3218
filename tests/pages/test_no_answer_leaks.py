"""While a lesson asks for a number, no page, no word of the inspector and no word of the panel tells it.

Where the number may stand is found without the program's own rule. The model is computed once more from other inputs: a
cell that has the asked number then, too, carries it. And a number of many digits that stands twice does not do so by
chance. What tells nothing of it is not covered: it is the same whatever the asked number is.
"""

import re
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache

import numpy as np
import pytest

from explorer.core.cell import cells_of, operands
from explorer.core.cell import steps as steps_in
from explorer.core.engine import Pin, fresh
from explorer.core.graph import Cell
from explorer.document.commands import PinCells, SetCells
from explorer.document.document import Document
from explorer.lessons.loader import catalogue
from explorer.lessons.mistakes import array_of
from explorer.lessons.schema import Predict
from explorer.lessons.walk import Walk
from explorer.pages.compose import page
from explorer.pages.controls import Button, Check, Choice, Controls, Number, Slider, Switches, TextBox
from explorer.pages.drawing import HeatMap, Strips
from explorer.pages.element import Made, leaves
from explorer.pages.levels import places
from explorer.pages.matrix import Matrix
from explorer.pages.page import DescentPart, Listing, Note, Picture, Row, Stack
from explorer.pages.steps.covering import asked_cell, covered_by
from explorer.pages.surfaces.inspector import inspected
from explorer.pages.view import View
from tests.samples import each, few, steps, traits

LESSONS = {lesson.id: lesson for lesson in catalogue() if lesson.questions}
SOME = few(LESSONS, traits, steps)
CONTROLS = Number, Slider, Choice, Check, Button, Switches, TextBox  # they say what the reader has chosen
LINES, CELLS = 60, 10
BY_CHANCE = {
    ("you-are-welcome", "slow-wave"): "0.0200 is the angle, whose sine, 0.0200 as well, is asked for",
    ("emma", "nothing"): "0.11 is a share of another word; 1/9 is asked for",
}
"""Where words may say another number that reads the same, and what that is."""
SAID = re.compile(r"(?<![\d.])\d+\.\d+(?![\d.]|e[-−]?\d)|(?<![\d.])\d+(?= ?%)")


@dataclass(frozen=True)
class Asked:
    """A question for a number, at its step."""

    lesson: str
    step: object
    question: Predict
    view: View  # with what the question covers
    cell: Cell
    number: float

    @property
    def peculiar(self):
        """Whether it stands nowhere by chance: with few decimals, or a fraction of small numbers, it may."""
        parts = self.number * 1200
        return abs(parts - round(parts)) > 1e-3 and not round(self.number, max(self.question.digits, 2)).is_integer()

    def is_said(self, text):
        """Whether a text says the number, as rounded as it was asked for or less."""
        for found in SAID.finditer(text):
            decimals, said = len(found[0].partition(".")[2]), float(found[0])
            if text[found.end() : found.end() + 2].strip().startswith("%"):
                decimals, said = decimals + 2, said / 100
            near = abs(said - abs(self.number)) <= 0.5 * 10.0**-decimals * (1 + 1e-6)
            if near and decimals >= max(self.question.digits, 1):
                return True
        return False

    def stands_in(self, array):
        """Where in an array the number stands, with either sign."""
        with np.errstate(invalid="ignore"):
            return np.abs(np.abs(array) - abs(self.number)) <= 1e-9 * max(abs(self.number), 1e-12)


@cache
def asked_in(name):
    """All questions of a lesson for a number; of those for practice, on numbers that were drawn, the first.

    The two behind it ask the same of other numbers.
    """
    return tuple(_asked_in(LESSONS[name]))


def _asked_in(lesson):
    walk = Walk(lesson)
    for at, step in enumerate(lesson.steps):
        question = step.question
        if not isinstance(question, Predict) or step.id.endswith(("-two-missing", "-all-missing")):
            continue
        document = Document(walk.state(at))
        view = View.of(document)
        looking = replace(view.looking, covered=covered_by(view, question), showing=step.showing, head=step.head)
        cell = asked_cell(view.graph, question)
        number = float(array_of(view.engine, cell.node, question.of)[cell.index])
        yield Asked(lesson.id, step, question, replace(view, looking=looking), cell, number)
        document.close()


def texts(data):
    """All words that stand in data, but for the numbers of matrices, which cover their own."""
    if isinstance(data, str):
        yield data
    for part in parts_of(data):
        yield from texts(part)


def numbers(data):
    """All numbers that are drawn."""
    if isinstance(data, float):
        yield np.array(data)
    elif isinstance(data, np.ndarray) and data.dtype.kind == "f":
        yield data
    for part in parts_of(data, but=("window", "room", "width", "height", "size")):
        yield from numbers(part)


def parts_of(data, but=()):
    if isinstance(data, Made):
        return (data(),)
    if isinstance(data, (Matrix, *CONTROLS)):
        return ()
    if isinstance(data, Listing):
        return (data.name, *data.lines[:LINES], *data.columns)
    if isinstance(data, tuple):
        return data
    return [getattr(data, one.name) for one in fields(data) if one.name not in but] if is_dataclass(data) else ()


def of_other_inputs(view):
    """The model with other numbers in all inputs, and in what is held by hand."""
    random = np.random.default_rng(1)

    def other(array):
        array = np.asarray(array)
        if array.dtype.kind != "f":
            return array
        return array * (1 + 0.07 * random.standard_normal(array.shape)) + 0.013 * random.standard_normal(array.shape)

    state = view.state
    pins = {name: Pin(pin.cells, other(pin.values)) for name, pin in state.pins.items()}
    with np.errstate(all="ignore"):
        return fresh(state.graph, {name: other(array) for name, array in state.used.items()}, pins)


def read_by(view, cell, of):
    """The cells that a number is computed from: they have to be read."""
    last = view.engine.explain(cell.node, cell.index) if of == "value" else None
    some = () if last is None else operands(last)
    return {(one.node, at) for one in some for at in cells_of(one.index, view.values[one.node].shape)}


@each("name", LESSONS)
def test_no_cell_of_the_model_tells_it(name):
    for asked in asked_in(name):
        view, of = asked.view, asked.question.of
        covered = view.looking.covered.gradients if of == "gradient" else view.looking.covered.values
        twin = of_other_inputs(view)
        twins = abs(float(array_of(twin, asked.cell.node, of)[asked.cell.index]))
        read = read_by(view, asked.cell, of)
        for node, value in view.values.items():
            if value.dtype.kind != "f":
                continue
            stands = asked.stands_in(array_of(view.engine, node, of))
            with np.errstate(invalid="ignore"):
                again = np.abs(np.abs(array_of(twin, node, of)) - twins) <= 1e-9 * twins
            if round(asked.number, 9) in (-1, 0, 1):
                again = np.zeros_like(again)  # masks and look-ups are full of them, whatever goes in
            tell = {tuple(map(int, one)) for one in np.argwhere(stands & (asked.peculiar | again))}
            open_cells = {(node, one) for one in tell - covered.get(node, frozenset())} - read
            assert not open_cells, f"{asked.step.id}: {open_cells}"


@pytest.mark.parametrize("name", SOME)
def test_no_page_tells_it(name):
    for asked in asked_in(name):
        if not asked.peculiar and asked.question.of == "value":
            continue  # a number such as 0.5 stands in many words
        for place in places(asked.view.graph):
            made = page(asked.view, place)
            said = [text for text in texts(made) if asked.is_said(text)]
            assert not said, f"{asked.step.id}, {place.name}: {said}"
            drawn = asked.peculiar and any(asked.stands_in(array).any() for array in numbers(made))
            assert not drawn, f"{asked.step.id}, {place.name}: it is drawn"


@each("name", LESSONS)
def test_no_words_beside_the_asked_matrix_have_a_number(name):
    """Beside the ⟨x_o, y⟩ that "Two vectors" asks for stood "0 at a right angle"."""
    for asked in asked_in(name):
        place = next(one for one in places(asked.view.graph) if one.name == asked.view.nodes[asked.cell.node].stage)
        for element in page(asked.view, place).elements:
            for matrix in leaves(element):
                if isinstance(matrix, Matrix) and matrix.place.node == asked.cell.node:
                    assert not re.search(r"(?<!\w)\d", matrix.title), f"{asked.step.id}: {matrix.title}"


@pytest.mark.parametrize("name", SOME)
def test_neither_the_inspector_nor_the_panel_tells_it(name):
    for asked in asked_in(name):
        view, step = asked.view, asked.step
        assert all(view.graph.place(node).node != asked.cell.node or place.index + cell != asked.cell.index
                   for node, cell in step.shown.values() for place in (view.graph.place(node),)), step.id  # fmt: skip
        if not asked.peculiar or (name, step.id) in BY_CHANCE:
            continue
        for words in (step.words, asked.question.ask, *asked.question.hints):
            assert not asked.is_said(words), f"{step.id}: {words}"
        pages = {step.look.stage, view.nodes[asked.cell.node].stage}
        matrices = [
            one
            for place in places(view.graph)
            if place.name in pages
            for element in page(view, place).elements
            for one in leaves(element)
            if isinstance(one, Matrix)
        ]
        for matrix in matrices:
            for row, column in np.ndindex(min(len(matrix.rows), CELLS), min(len(matrix.columns), CELLS)):
                cell = Cell(matrix.place.node, matrix.index(row, column))
                own = view.values[cell.node][cell.index]
                if view.looking.hides(cell) or asked.stands_in(own):
                    continue
                fed = {child: [at] for child, at in view.engine.feeds(cell.node, cell.index).items()}
                said = [text for text in texts(inspected(view, cell, fed)) if asked.is_said(text)]
                assert not said, f"{step.id}, {cell}: {said}"


@pytest.mark.parametrize("name", SOME)
def test_what_tells_nothing_of_it_is_not_covered(name):
    for asked in asked_in(name):
        if asked.question.of != "value":
            continue
        view, covered = asked.view, asked.view.looking.covered
        computed = {(node, at) for node, at in computed_from(view, asked.cell)}
        for node, cells in covered.values.items():
            for cell in cells:
                number = asked.stands_in(view.values[node][cell]) or beside_it(asked, node, cell)
                assert number or (node, cell) in computed, f"{asked.step.id}: {node}"
        open_view = replace(view, looking=replace(view.looking, covered=type(covered)()))
        with_others = list(with_other_numbers(asked, open_view))
        for place in places(view.graph):
            full, shown = parts_by_id(page(open_view, place)), parts_by_id(page(view, place))
            less = [id for id, one in full.items() if id not in shown or is_less(one, shown[id])]
            alone = set(without_picture(page(open_view, place), less))
            for id in less:
                if id in alone:
                    continue  # its choices, its words and its scale of colours go with a picture that is covered
                other = [parts_by_id(page(one, place)).get(id) for one in with_others]
                assert any(is_less(full[id], one) for one in other) or tells(asked, full[id]), (asked.step.id, id)


def without_picture(made, less):
    """The ids of what stands in stacks whose first picture is left out."""
    for stack in (one for element in made.elements for one in leaves(element) if isinstance(one, Stack)):
        pictures = [one.id for one in stack.elements if isinstance(one, Picture)]
        if pictures and pictures[0] in less:
            for one in stack.elements:
                if isinstance(one, Note | Picture | Controls):
                    yield from (part.id for part in leaves(one) if part.id != pictures[0])


def beside_it(asked, node, cell):
    """Whether a cell is one of the shares that add up to 1 with the number, or with its like."""
    row = asked.view.values[node][cell[:-1]] if cell else np.array(0.0)
    return node == asked.cell.node and bool(np.isclose(row.sum(), 1) and asked.stands_in(row).any())


def computed_from(view, cell):
    """A cell and all that are computed from it."""
    found, front = {(cell.node, cell.index)}, [(cell.node, cell.index)]
    while front:
        node, index = front.pop()
        for child, pattern in view.engine.feeds(node, index).items():
            fresh_ones = {(child, one) for one in cells_of(pattern, view.values[child].shape)} - found
            found |= fresh_ones
            front += fresh_ones
    return found


def with_other_numbers(asked, view):
    """The model with another number in the cell that is asked for, and in all that carry its number."""
    for change in (lambda number: number + 1.7, lambda number: 0.37 * number - 0.4, lambda number: 1 - number):
        document = Document(view.state)
        for node, cells in asked.view.looking.covered.values.items():
            value = view.values[node]
            there = {cell for cell in cells if value.dtype.kind == "f" and asked.stands_in(value[cell])}
            there |= {asked.cell.index} if node == asked.cell.node else set()
            other = {cell: change(float(value[cell])) if value.dtype.kind == "f" else 1 - value[cell] for cell in there}
            if other:
                document.do((SetCells if view.nodes[node].is_input else PinCells)(node, other))
        yield replace(View.of(document, view.looking), last=view.last)
        document.close()


def parts_by_id(made):
    arranged = Row, Stack, Controls, Matrix
    parts = [one for element in (made.header, *made.elements) for one in leaves(element)]
    return {one.id: one for one in parts if not isinstance(one, arranged)}


def is_less(one, other):
    if isinstance(one, Listing) and isinstance(other, Listing):
        return list(one.lines) != list(other.lines)
    return one != other


def marks(element):
    return element.drawing.marks if isinstance(element, Picture) else ()


def tells(asked, element):
    """Whether an element shows the number by itself."""
    if isinstance(element, DescentPart):
        return any(node in asked.view.looking.covered.values for node in ("loss.value", "output.logits"))
    if isinstance(element, HeatMap):
        return bool(asked.stands_in(element.matrix.values).any())
    strips = [mark for mark in marks(element) if isinstance(mark, Strips)]
    on_the_way = [one.value for one in steps_in(asked.view.engine.explain(asked.cell.node, asked.cell.index))]
    if any(np.isclose(strip.mean, gap).any() for strip in strips for gap in on_the_way if np.size(gap) == 1):
        return True  # mean and spread are gaps of a step on a norm
    return any(map(asked.is_said, texts(element))) or any(asked.stands_in(array).any() for array in numbers(element))
