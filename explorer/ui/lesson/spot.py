"""The rectangles on a page of what a step names, asks for, lets the reader change, and wants changed.

When a step opens, its page is scrolled so that what it names is visible, and no part is cut at the top.
"""

from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QWidget

from explorer.core.cell import is_cell_of, operands
from explorer.core.graph import Cell, Graph
from explorer.lessons.schema import Predict, Question, Step
from explorer.pages.steps.covering import asked_cell
from explorer.pages.steps.of_step import controls_named, first_cell
from explorer.pages.view import View
from explorer.ui.matrix.box import MatrixBox
from explorer.ui.page.column import Elements


def spot_box(elements: Elements) -> MatrixBox | None:
    """The matrix with the cells that the step names."""
    return next((box for box in _boxes(elements) if box.matrix.spot is not None), None)


def asked_box(elements: Elements, graph: Graph, question: Question | None) -> MatrixBox | None:
    """The matrix with the number that the question asks for."""
    asked = asked_cell(graph, question) if isinstance(question, Predict) else None
    return None if asked is None else _box_of(elements, asked.node, asked.index)


def spot_rect(box: MatrixBox) -> QRect:
    """The rectangle, in a matrix's box, from its heading to the named cells, which are scrolled into sight."""
    return _cells_rect(box, *(box.matrix.spot or ((0,), (0,))))


def wanted_rects(elements: Elements, graph: Graph, step: Step, here: bool = True) -> list[list[QRect]]:
    """Groups of rectangles to be visible together on a step's page, in its pixels; the most wanted group first.

    The first group has what the step names, the number that it asks for, the controls that its words name, the inputs
    that may be changed and the cells that should reach a goal; the next what it names and asks for; the last only what
    it names: of a picture and a matrix the picture. Each group comes twice: with whole matrices, and then with only the
    cells; beside a control, with only the beginning of an element that the step names.

    `here`: whether it is the page that the step speaks of; on another, only what may be changed there is wanted.
    """
    named: list[tuple[QRect, QRect]] = []  # (the whole matrix, only its cells)
    used = [_rect(elements, elements.widgets[one.id]) for one in controls_named(elements.elements, step)]
    spot, element = spot_box(elements), step.look.element and elements.named(step.look.element)
    if element:
        place = _rect(elements, element)
        least = QSize(place.width(), min(place.height(), elements.bench.appearance.px(BEGINNING)))
        named.append((place, QRect(place.topLeft(), least) if used else place))
    if spot is not None:
        named.append(_both(elements, spot, spot_rect(spot)))
    asked, question = asked_box(elements, graph, step.question), step.question
    if not here:
        named, asked, used = [], None, []
    if asked is not None and asked is not spot:
        named.append(_both(elements, asked, asked.rect()))
    others = [(place, place) for place in used]
    others += [] if question is None else _of_making(elements, graph, question)
    groups = [[*named, *others], named, named[:1]]
    return [[pair[k] for pair in group] for group in groups for k in (0, 1)]


def factor_rects(elements: Elements, question: Question | None) -> list[QRect]:
    """The matrices that a number with gaps in its derivation is computed from, in the coordinates of the page.

    They have to be read, and of the number itself only a question mark is seen.
    """
    if not isinstance(question, Predict) or not question.fade:
        return []
    view = elements.bench.view
    read = _read_by(view, asked_cell(view.graph, question))
    boxes = (_box_of(elements, node, index) for node, index in read.items())
    return [_rect(elements, box) for box in boxes if box is not None]


def _of_making(elements: Elements, graph: Graph, question: Question) -> Iterator[tuple[QRect, QRect]]:
    """The matrices that may be changed, and the cells that should reach a goal."""
    for name in question.allowed:
        place = graph.find(name)
        if place is not None and (box := _box_of(elements, place.node, place.index)) is not None:
            yield _both(elements, box, box.rect())
    for node, cell in question.goals:
        goal = _goal(graph, node, cell)
        if goal is not None and (box := _box_of(elements, goal.node, goal.index)) is not None:
            row, column = box.matrix.at(goal.index)
            yield _both(elements, box, _cells_rect(box, (row,), (column,)))


def _goal(graph: Graph, node: str, cell: tuple[int, ...]) -> Cell | None:
    """The cell of a goal; None if a switch has removed it."""
    place = graph.find(node)
    return None if place is None else Cell(place.node, place.index + cell)


def scroll_to_meant(boxes: Sequence[MatrixBox], view: View, step: Step) -> None:
    """Scroll partly visible matrices to the cells that are pointed at, asked for or named by the step."""
    question = step.question
    goals = [] if question is None else [_goal(view.graph, *goal) for goal in question.goals[:1]]
    if isinstance(question, Predict):
        asked = asked_cell(view.graph, question)
    else:
        asked = next(iter(filter(None, goals)), None) or first_cell(view, step)
    if asked is not None and not is_cell_of(asked.index, view.values[asked.node].shape):  # the text is shorter now
        asked = None
    read = _read_by(view, asked)
    meant: dict[str, int] = {}
    """By axis, the row or column of the asked or else the named cell, for all matrices with this axis."""
    for box in boxes:
        spot = box.matrix.spot or ((), ())
        meant |= {axis: named[0] for axis, named in zip(box.matrix.axes, spot, strict=True) if named}
    for box in boxes:
        if asked is not None and asked.node == box.matrix.place.node:
            meant |= dict(zip(box.matrix.axes, box.matrix.at(asked.index), strict=True))
    for box in boxes:
        matrix, table = box.matrix, box.view
        reads, _ = table.lit_cells(range(len(matrix.rows)), range(len(matrix.columns)))
        at = table.pointed or next(iter(reads), None)
        if at is None and asked is not None and asked.node == matrix.place.node:
            at = matrix.at(asked.index)
        if at is None and matrix.place.node in read:
            at = matrix.at(read[matrix.place.node])
        if at is None and (isinstance(question, Predict) or matrix.spot is None):
            spot = matrix.spot or ((), ())
            row, column = (
                meant[axis] if axis in meant else next(iter(named), 0)
                for axis, named in zip(matrix.axes, spot, strict=True)
            )
            at = row, column
        if at is not None:
            table.scrollTo(table.table.index(*at))


def _read_by(view: View, cell: Cell | None) -> dict[str, tuple[int, ...]]:
    """For each node that a cell is computed from, the first cell of it that is read."""
    derived = None if cell is None else view.engine.explain(cell.node, cell.index)
    cells: dict[str, tuple[int, ...]] = {}
    for operand in operands(derived) if derived is not None else ():
        cells.setdefault(operand.node, tuple(i if isinstance(i, int) else i.start or 0 for i in operand.index))
    return cells


def _rect(elements: Elements, widget: QWidget) -> QRect:
    """The rectangle of a widget, in the coordinates of the page."""
    return QRect(widget.mapTo(elements, QPoint()), widget.size())


def _both(elements: Elements, box: MatrixBox, cells: QRect) -> tuple[QRect, QRect]:
    """The rectangles of a whole matrix and of some of its cells, in the coordinates of the page."""
    at = box.mapTo(elements, QPoint())
    return QRect(at, box.size()), cells.translated(at)


def _cells_rect(box: MatrixBox, rows: tuple[int, ...], columns: tuple[int, ...]) -> QRect:
    """The rectangle, in a matrix's box, from its heading to some cells, which are scrolled into sight."""
    view = box.view
    if not view.isVisibleTo(box):  # a small picture is shown instead of the cells
        return box.rect()
    first, last = view.table.index(rows[0], columns[0]), view.table.index(rows[-1], columns[-1])
    view.scrollTo(last)
    view.scrollTo(first)
    whole = view.visualRect(first).united(view.visualRect(last)).intersected(view.viewport().rect())
    rect = QRect(view.viewport().mapTo(box, whole.topLeft()), whole.size())
    return rect.united(QRect(rect.left(), 0, 1, 1))


def _boxes(elements: Elements) -> Iterator[MatrixBox]:
    return (widget for widget in elements.widgets.values() if isinstance(widget, MatrixBox))


def _box_of(elements: Elements, node: str, index: tuple[int, ...]) -> MatrixBox | None:
    """The matrix of a node, or of the slice of it that contains a cell."""
    places = ((box, box.matrix.place) for box in _boxes(elements) if box.matrix.place.node == node)
    return next((box for box, at in places if index[: len(at.index)] == at.index), None)


Span = tuple[int, int]
"""The first pixel row of a part and the one after its last, from the top of the page."""
BEGINNING = 120
"""Pixels at text scale 1 of an element that show its change where a control that changes it has to be in sight, too."""
GAP = 10
"""Pixels above the first visible part."""
LOWEST = 0.66
"""If possible, the middle of the wanted parts is above this share of the visible height."""


def begin(parts: Iterable[Span], wanted: Sequence[Sequence[Span]], in_sight: int) -> int:
    """The pixel row of a page that becomes the first visible one.

    It is as near to the top as possible, but no wanted part is at the window's lower edge, where the eye looks last. It
    is the top of the page or the beginning of a part, and cuts no other part.

    `parts`: all parts of the page, such as headings, switches, matrices, pictures. `wanted`: groups of parts to be
    visible together, the most wanted first; the first group that fits is taken. `in_sight`: the visible height.
    """
    parts = [span for span in parts if span[0] < span[1]]
    # A gap smaller than GAP is all that is seen above a part, so that nothing of the part before it is.
    starts = sorted({max(top - GAP, 0, *(end for _, end in parts if end <= top)) for top, _ in [(0, 0), *parts]})
    for spans in wanted:
        if not spans:
            continue
        first, last = min(top for top, _ in spans), max(bottom for _, bottom in spans)
        if last - first > in_sight:
            continue
        lowest, highest = max(last - in_sight, 0), first
        fit = [start for start in starts if lowest <= start <= highest]
        whole = [start for start in fit if not any(top < start < bottom for top, bottom in parts)]
        if whole or fit:
            end = max(bottom for _, bottom in parts) - in_sight  # beginning lower would leave empty space at the end
            low = (first + last) / 2 - LOWEST * in_sight  # beginning higher would put the wanted parts too low
            return next((start for start in whole or fit if low <= start <= end), (whole or fit)[0])
        return min(max(first - GAP, lowest), highest)
    spans = wanted[-1] if wanted else ()
    return max(min((top for top, _ in spans), default=0) - GAP, 0)
